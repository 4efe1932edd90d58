//! A quantity over time, stage by stage: a rate, or a number of connections. Pure.
//!
//! Within a stage the quantity is a straight line or a sine. Its integral, read backwards, is the timetable of an
//! open loop; the instants at which it rises above a whole number are those at which a connection joins a closed one.

use super::Stage;

/// Stages one after the other, with what came before each.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    stage: Stage,
    start_ns: u64,
    /// Integral of all pieces before this one, in units times seconds.
    before: f64,
    area: f64,
}

impl Piece {
    fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.stage.for_ns())
    }
}

impl Curve {
    /// A curve of those stages; values are not negative and lengths not zero.
    pub fn new(stages: &[Stage]) -> Self {
        let (mut start_ns, mut before) = (0_u64, 0.0);
        let pieces = stages.iter().map(|stage| {
            let piece = Piece { stage: *stage, start_ns, before, area: stage.area() };
            start_ns = piece.end_ns();
            before += piece.area;
            piece
        });
        Curve { pieces: pieces.collect() }
    }

    pub fn length_ns(&self) -> u64 {
        self.pieces.last().map_or(0, Piece::end_ns)
    }

    /// Its integral over the whole length, in units times seconds.
    pub fn area(&self) -> f64 {
        self.pieces.last().map_or(0.0, |last| last.before + last.area)
    }

    /// Instant at which the integral reaches `whole + fraction`; `None` if it never does. The two come apart so that
    /// a long sum loses nothing.
    pub fn reach_ns(&self, whole: u64, fraction: f64) -> Option<u64> {
        let at = self.pieces.partition_point(|piece| piece.before <= whole as f64 + fraction);
        let pieces = self.pieces[..at].iter().rev();
        for piece in pieces {
            let x = (whole as f64 - piece.before) + fraction;
            if piece.area > 0.0 {
                let within = x < piece.area;
                let reached = || (piece.start_ns + piece.stage.reach_ns(x)).min(piece.end_ns() - 1);
                return within.then(reached);
            }
        }
        None
    }

    /// The first instant, not before `from_ns`, at which the curve is above `level`.
    pub fn above_ns(&self, level: u64, from_ns: u64) -> Option<u64> {
        let ahead = self.pieces.iter().filter(|piece| piece.end_ns() > from_ns);
        let mut above = ahead.filter_map(|piece| {
            let within_ns = from_ns.saturating_sub(piece.start_ns);
            Some(piece.start_ns + piece.stage.above_ns(level as f64, within_ns)?)
        });
        above.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn stage(from: f64, to: f64, seconds: u64) -> Stage {
        Stage::Line { from, to, for_ns: seconds * S }
    }

    #[test]
    fn places_join_while_it_rises_and_leave_while_it_falls() {
        let curve = Curve::new(&[stage(0.0, 10.0, 10), stage(10.0, 10.0, 5), stage(10.0, 0.0, 10)]);
        assert_eq!(curve.length_ns(), 25 * S);
        assert_eq!(curve.above_ns(0, 0), Some(1));
        assert_eq!(curve.above_ns(9, 0), Some(9 * S + 1));
        assert_eq!(curve.above_ns(9, 12 * S), Some(12 * S));
        assert_eq!(curve.above_ns(9, 17 * S), None);
        assert_eq!(curve.above_ns(3, 17 * S), Some(17 * S));
        assert_eq!(curve.above_ns(10, 0), None);
    }

    #[test]
    fn after_a_pause_they_join_again() {
        let curve = Curve::new(&[stage(4.0, 4.0, 1), stage(0.0, 0.0, 1), stage(4.0, 4.0, 1)]);
        assert_eq!(curve.above_ns(3, S + 1), Some(2 * S));
        assert_eq!(curve.above_ns(3, 3 * S), None);
    }

    #[test]
    fn a_pause_has_no_ticks_and_the_count_goes_on_after_it() {
        let curve = Curve::new(&[stage(10.0, 10.0, 1), stage(0.0, 0.0, 5), stage(10.0, 10.0, 1)]);
        assert_eq!(curve.reach_ns(9, 0.0), Some(900_000_000));
        assert_eq!(curve.reach_ns(10, 0.0), Some(6 * S));
        assert_eq!(curve.reach_ns(20, 0.0), None);
    }

    #[test]
    fn places_of_a_sine_come_and_go_with_every_wave() {
        // 5 to 15 and back, every 12 s.
        let sine = Stage::Sine { mean: 10.0, amplitude: 5.0, period_ns: 12 * S, for_ns: 30 * S };
        let curve = Curve::new(&[stage(0.0, 0.0, 1), sine]);
        let near = |found: Option<u64>, seconds: f64| {
            found.is_some_and(|at| (at as f64 / 1e9 - 1.0 - seconds).abs() < 1e-6)
        };
        assert_eq!(curve.above_ns(4, 0), Some(S));
        assert!(near(curve.above_ns(10, 0), 0.0));
        let levels = |level: f64| ((level - 10.0) / 5.0).asin() / std::f64::consts::TAU * 12.0;
        assert!(near(curve.above_ns(14, 0), levels(14.0)));
        assert_eq!(curve.above_ns(14, 4 * S), Some(4 * S), "on the crest");
        assert!(near(curve.above_ns(14, 6 * S), 12.0 + levels(14.0)));
        assert!(near(curve.above_ns(7, 10 * S), 12.0 + levels(7.0)));
        assert_eq!(curve.above_ns(14, 29 * S), Some(29 * S), "on the third crest");
        assert_eq!(curve.above_ns(14, 29 * S + S / 2), None, "it ends before the fourth");
        assert_eq!(curve.above_ns(15, 0), None);
        assert!((sine.peak() - 15.0).abs() < 1e-12);
        let short = Stage::Sine { mean: 10.0, amplitude: 5.0, period_ns: 12 * S, for_ns: S };
        assert!((short.peak() - 12.5).abs() < 1e-9, "it ends on its way up");
    }
}
