//! Stretches in which a worker did not attend to its sockets.
//!
//! An answer that comes while the worker is busy with others, or while the machine has taken its CPU away, is taken to be
//! as late as the worker is. To know by how much, the worker is asked a thousand times in a second of the window: if an
//! answer came now, when would you see it? Most of the time it waits for one and would at once; else the answer is the rest of
//! its stretch. This is what jHiccup (Gil Tene) asks of a JVM, with a clock that needs no thread of its own: one would have to
//! take turns with the worker on its CPU, and find the hiccups that it makes.

use crate::LatencyHistogram;
use serde::{Deserialize, Serialize};

const EVERY_NS: u64 = 1_000_000;
/// Steps of this share of 2^64, the golden ratio's, fill a stretch evenly.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The answers of one worker, or of several together.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Hiccups {
    /// Instant of the next question; 0 before the first poll.
    next_ns: u64,
    asked: u64,
    /// Those answers that were not "at once".
    late: LatencyHistogram,
    /// Place in its stretch of the last question that was placed anywhere, as a share of 2^64.
    place: u64,
}

impl Hiccups {
    /// A poll ended at `until_ns`; since `from_ns` the sockets were not attended to, and before that they were waited for.
    #[inline]
    pub fn note_poll(&mut self, from_ns: u64, until_ns: u64) {
        if until_ns > self.next_ns {
            self.ask(from_ns, until_ns);
        }
    }

    #[cold]
    fn ask(&mut self, from_ns: u64, until_ns: u64) {
        if self.next_ns == 0 {
            self.next_ns = from_ns;
        }
        if self.next_ns < from_ns {
            let waited = (from_ns - self.next_ns).div_ceil(EVERY_NS);
            self.asked += waited;
            self.next_ns += waited * EVERY_NS;
        }
        while self.next_ns < until_ns {
            self.asked += 1;
            self.late.record(until_ns - self.next_ns);
            self.next_ns += EVERY_NS;
        }
    }

    /// In a stretch of `over_ns` in which the sockets seemed to be waited for, the worker had no CPU for `hidden_ns`,
    /// at an unknown time: questions fall into it as often as it is long, and at any place of it.
    pub fn note_hidden(&mut self, hidden_ns: u64, over_ns: u64) {
        for _ in 0..over_ns.div_ceil(EVERY_NS) {
            self.place = self.place.wrapping_add(GOLDEN);
            let at_ns = ((u128::from(self.place) * u128::from(over_ns)) >> 64) as u64;
            if at_ns < hidden_ns {
                self.late.record(hidden_ns - at_ns);
            }
        }
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Hiccups) {
        self.asked += other.asked;
        self.late.merge(&other.late);
    }

    /// Number of questions.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Delays of the answers that would have been late.
    pub fn late(&self) -> &LatencyHistogram {
        &self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns of 100 µs, in each of which the worker is busy for so long; in every `stalls`-th for 20 ms.
    fn turns(busy_ns: u64, stalls: u64, seconds: u64) -> Hiccups {
        let mut hiccups = Hiccups::default();
        let (mut now, mut turn) = (5_000_000_000, 0);
        let end = now + seconds * 1_000_000_000;
        while now < end {
            turn += 1;
            let busy_ns = if stalls > 0 && turn % stalls == 0 { 20_000_000 } else { busy_ns };
            let from = now + 100_000u64.saturating_sub(busy_ns);
            now = from + busy_ns;
            hiccups.note_poll(from, now);
        }
        hiccups
    }

    /// The longest but for one in a thousand, in nanoseconds.
    fn p999_ns(of: &Hiccups) -> u64 {
        let (longer, late) = (of.asked / 1_000, of.late.count());
        if longer >= late { 0 } else { of.late.quantile_ns(1.0 - longer as f64 / late as f64).unwrap_or(0) }
    }

    #[test]
    fn it_is_asked_a_thousand_times_a_second_whatever_the_turns_are() {
        for (busy_ns, stalls) in [(0, 0), (10_000, 0), (100_000, 0), (10_000, 1_000)] {
            let asked = turns(busy_ns, stalls, 10).asked();
            assert!((9_999..=10_021).contains(&asked), "{busy_ns} {stalls}: {asked}");
        }
        let mut one = Hiccups::default();
        one.note_poll(1_000, 7_500_000);
        assert_eq!((one.asked(), one.late.count()), (8, 8));
    }

    #[test]
    fn what_a_short_turn_holds_up_is_its_rest() {
        // Busy all the time, the rests of turns of 100 µs are even between 0 and 100 µs; questions fall on their edges here.
        assert!(p999_ns(&turns(100_000, 0, 10)) < 101_000);
        assert_eq!(p999_ns(&turns(0, 0, 10)), 0);
        assert_eq!(p999_ns(&Hiccups::default()), 0);
    }

    #[test]
    fn a_stall_of_one_in_a_hundred_milliseconds_shows_and_rare_ones_do_not() {
        // 20 ms every 10,000 turns of 100 µs: a second and 20 ms, so that 2 % of the questions fall into stalls.
        let found = p999_ns(&turns(10_000, 10_000, 60));
        assert!((18_000_000..=20_000_000).contains(&found), "{found}");
        // Once in 60 s, a third of a thousandth.
        assert!(p999_ns(&turns(10_000, 590_000, 60)) < 11_000);
    }

    #[test]
    fn what_is_hidden_in_a_stretch_is_met_as_often_as_it_is_long() {
        let mut hiccups = Hiccups::default();
        // Of each millisecond a quarter: a question in four is late, by an eighth in the mean.
        (0..10_000).for_each(|_| hiccups.note_hidden(250_000, 1_000_000));
        let late = hiccups.late.count();
        assert!((2_490..=2_510).contains(&late), "{late}");
        let mean_ns = hiccups.late.mean_ns().unwrap();
        assert!((mean_ns / 125_000.0 - 1.0).abs() < 0.02, "{mean_ns}");
        assert_eq!(hiccups.asked(), 0, "they were asked already");
        hiccups.note_hidden(0, 5_000_000);
        assert_eq!(hiccups.late.count(), late);
    }

    #[test]
    fn workers_are_asked_one_by_one() {
        let mut both = turns(10_000, 0, 10);
        both.merge(&turns(10_000, 1_000, 10));
        let found = p999_ns(&both);
        assert!(both.asked() >= 19_998 && found > 15_000_000, "{found}");
    }
}
