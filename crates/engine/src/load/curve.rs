//! A quantity over time, stage by stage: a rate, or a number of connections. Pure.
//!
//! Within a stage the quantity is a straight line. Its integral, read backwards, is the timetable of an open
//! loop; the instants at which it rises above a whole number are those at which a place joins a closed one.

use crate::Stage;

/// Nanoseconds of a second.
const SECOND_NS: f64 = 1e9;

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
}

impl Piece {
    fn seconds(&self) -> f64 {
        self.stage.for_ns as f64 / SECOND_NS
    }

    fn area(&self) -> f64 {
        (self.stage.from + self.stage.to) / 2.0 * self.seconds()
    }

    fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.stage.for_ns)
    }

    /// How long after its start its own integral is `x`, which is within its area.
    fn reach_ns(&self, x: f64) -> u64 {
        let Stage { from, to, .. } = self.stage;
        if from == to {
            return (x * (SECOND_NS / from)) as u64;
        }
        if x <= 0.0 {
            return 0;
        }
        // The root of a quadratic, in the form that subtracts nothing.
        let inner = from * from + 2.0 * (to - from) * x / self.seconds();
        let seconds = 2.0 * x / (from + inner.max(0.0).sqrt());
        (seconds * SECOND_NS) as u64
    }

    fn at(&self, offset_ns: u64) -> f64 {
        let share = (offset_ns - self.start_ns) as f64 / self.stage.for_ns as f64;
        self.stage.from + (self.stage.to - self.stage.from) * share
    }
}

impl Curve {
    /// A curve of those stages; values are not negative and lengths not zero.
    pub fn new(stages: &[Stage]) -> Self {
        let (mut start_ns, mut before) = (0_u64, 0.0);
        let pieces = stages.iter().map(|stage| {
            let piece = Piece { stage: *stage, start_ns, before };
            start_ns = piece.end_ns();
            before += piece.area();
            piece
        });
        Curve { pieces: pieces.collect() }
    }

    /// Its whole length.
    pub fn length_ns(&self) -> u64 {
        self.pieces.last().map_or(0, Piece::end_ns)
    }

    /// Its integral over the whole length, in units times seconds.
    pub fn area(&self) -> f64 {
        self.pieces.last().map_or(0.0, |last| last.before + last.area())
    }

    /// When the integral has come to `whole + fraction`; `None` when it never does. The two come apart so that
    /// a long sum loses nothing.
    pub fn reach_ns(&self, whole: u64, fraction: f64) -> Option<u64> {
        let at = self.pieces.partition_point(|piece| piece.before <= whole as f64 + fraction);
        let pieces = self.pieces[..at].iter().rev();
        for piece in pieces {
            let x = (whole as f64 - piece.before) + fraction;
            if piece.area() > 0.0 {
                let within = x < piece.area();
                let reached = || (piece.start_ns + piece.reach_ns(x)).min(piece.end_ns() - 1);
                return within.then(reached);
            }
        }
        None
    }

    /// The first instant, not before `from_ns`, at which the curve is above `level`.
    pub fn above_ns(&self, level: u64, from_ns: u64) -> Option<u64> {
        let level = level as f64;
        for piece in self.pieces.iter().filter(|piece| piece.end_ns() > from_ns) {
            let begin_ns = from_ns.max(piece.start_ns);
            if piece.at(begin_ns) > level {
                return Some(begin_ns);
            }
            let Stage { from, to, for_ns } = piece.stage;
            if to > level && to > from {
                let share = (level - from) / (to - from);
                let crossed_ns = piece.start_ns + (share * for_ns as f64) as u64 + 1;
                if crossed_ns < piece.end_ns() {
                    return Some(crossed_ns.max(begin_ns));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn stage(from: f64, to: f64, seconds: u64) -> Stage {
        Stage { from, to, for_ns: seconds * S }
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
}
