//! Silences: stretches in which no answer came although requests were in flight. A closed loop hides them: while the
//! server is silent no request is sent, so that a stall of any length counts as one slow answer for each connection.

use crate::Window;
use serde::{Deserialize, Serialize};

/// Shorter stretches are not kept.
const LEAST_NS: u64 = 20_000_000;
/// Stretches that a worker keeps; there are more only where answers always take long, and then the shorter ones are let go.
const KEPT_MAX: usize = 1_024;
/// After a failure a connection rests, and asks nothing.
const REST_NS: u64 = 100_000_000;
/// A silence is this many times the median response time.
const MEDIANS: u64 = 10;
/// Number of silences from which on their regularity is examined.
const REGULAR_MIN: usize = 4;
/// Largest deviation of the distance of regular ones from the median distance, as a share.
const REGULAR_SHARE: f64 = 0.1;

/// The silences of a load, or that there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Silences {
    /// Longer stretches are silences.
    pub threshold_ns: u64,
    pub count: u64,
    pub longest_ns: u64,
    pub typical_ns: u64,
    pub total_ns: u64,
    /// From the beginning of one to that of the next, where they were regular.
    pub period_ns: Option<u64>,
}

/// Stretch in which nothing was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Stretch {
    from_ns: u64,
    to_ns: u64,
}

impl Stretch {
    fn length_ns(self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

#[derive(Debug)]
pub struct Listener {
    window: Window,
    /// Instant at which it will have been silent for as long as is kept.
    silent_at_ns: u64,
    least_ns: u64,
    kept: Vec<Stretch>,
}

impl Listener {
    /// Has all its memory from the beginning.
    pub fn new(window: Window) -> Listener {
        let kept = Vec::with_capacity(KEPT_MAX);
        Listener { window, silent_at_ns: window.start_ns + LEAST_NS, least_ns: LEAST_NS, kept }
    }

    /// Gives the window its place on the axis of time.
    pub fn stand_at(&mut self, window: Window) {
        self.window = window;
        self.silent_at_ns = window.start_ns + self.least_ns;
    }

    #[inline]
    pub fn heard(&mut self, now_ns: u64) {
        if now_ns > self.silent_at_ns {
            self.keep(now_ns);
        }
        self.silent_at_ns = now_ns + self.least_ns;
    }

    /// An exchange failed; its connection is silent too for a while.
    pub fn failed(&mut self, now_ns: u64) {
        self.heard(now_ns);
        self.silent_at_ns += REST_NS;
    }

    /// The worker itself was away, up to now: events that it took in the poll that began then came earlier.
    pub fn away(&mut self, away_ns: u64, poll_began_ns: u64) {
        let Some(last) = self.kept.last_mut().filter(|last| last.to_ns >= poll_began_ns) else { return };
        last.from_ns += away_ns;
        if last.length_ns() <= self.least_ns {
            self.kept.pop();
        }
    }

    #[cold]
    fn keep(&mut self, now_ns: u64) {
        let from_ns = self.silent_at_ns.saturating_sub(self.least_ns).max(self.window.start_ns);
        let stretch = Stretch { from_ns, to_ns: now_ns.min(self.window.end_ns) };
        while self.kept.len() == KEPT_MAX {
            self.least_ns *= 2;
            let least_ns = self.least_ns;
            self.kept.retain(|kept| kept.length_ns() > least_ns);
        }
        if stretch.length_ns() > self.least_ns {
            self.kept.push(stretch);
        }
    }

    /// The end: until then it was listened.
    pub fn finish(mut self, end_ns: u64) -> SilentStretches {
        if end_ns > self.silent_at_ns {
            self.keep(end_ns);
        }
        SilentStretches { least_ns: self.least_ns, silent: self.kept }
    }
}

/// Stretches in which none of one worker, or of several, received anything, as they hand them over.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SilentStretches {
    least_ns: u64,
    silent: Vec<Stretch>,
}

impl SilentStretches {
    /// The same on an axis of time that is `by_ns` ahead.
    pub fn shift(&mut self, by_ns: i64) {
        for Stretch { from_ns, to_ns } in &mut self.silent {
            (*from_ns, *to_ns) = (from_ns.saturating_add_signed(by_ns), to_ns.saturating_add_signed(by_ns));
        }
    }

    /// Adds the stretches of other workers of the same load, in any order.
    pub fn merge(&mut self, other: &SilentStretches) {
        self.least_ns = self.least_ns.max(other.least_ns);
        self.silent = in_both(&self.silent, &other.silent);
        // What is too short already is in no silence: it can only get shorter.
        self.silent.retain(|stretch| stretch.length_ns() > self.least_ns);
    }
}

/// The silences of all workers: a server was silent when none of them received anything.
pub fn silences(heard: &SilentStretches, median_ns: u64) -> Silences {
    let threshold_ns = MEDIANS.saturating_mul(median_ns).max(heard.least_ns);
    let found: Vec<Stretch> =
        heard.silent.iter().copied().filter(|stretch| stretch.length_ns() > threshold_ns).collect();
    let mut lengths: Vec<u64> = found.iter().map(|stretch| stretch.length_ns()).collect();
    lengths.sort_unstable();
    Silences {
        threshold_ns,
        count: found.len() as u64,
        longest_ns: lengths.last().copied().unwrap_or(0),
        typical_ns: lengths.get(lengths.len() / 2).copied().unwrap_or(0),
        total_ns: lengths.iter().sum(),
        period_ns: period_ns(&found),
    }
}

/// Overlaps of the stretches of two ordered lists.
fn in_both(left: &[Stretch], right: &[Stretch]) -> Vec<Stretch> {
    let (mut i, mut j, mut both) = (0, 0, Vec::new());
    while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
        let common = Stretch { from_ns: a.from_ns.max(b.from_ns), to_ns: a.to_ns.min(b.to_ns) };
        if common.length_ns() > 0 {
            both.push(common);
        }
        if a.to_ns < b.to_ns { i += 1 } else { j += 1 }
    }
    both
}

/// Distance between their beginnings, if it is always nearly the same.
fn period_ns(found: &[Stretch]) -> Option<u64> {
    let mut apart: Vec<u64> =
        found.windows(2).map(|pair| pair[1].from_ns.saturating_sub(pair[0].from_ns)).collect();
    apart.sort_unstable();
    let median = *apart.get(apart.len() / 2).filter(|_| found.len() >= REGULAR_MIN)?;
    let near = |apart: &u64| (*apart as f64 / median as f64 - 1.0).abs() <= REGULAR_SHARE;
    apart.iter().all(near).then_some(median)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const WINDOW: Window = Window { start_ns: 1_000 * MS, end_ns: 11_000 * MS };

    /// A worker that receives something every millisecond, except in these stretches.
    fn worker(silent: &[(u64, u64)]) -> SilentStretches {
        let mut listener = Listener::new(Window { start_ns: 0, end_ns: 10_000 * MS });
        listener.stand_at(WINDOW);
        let at = (900..11_200).filter(|ms| !silent.iter().any(|(from, to)| (*from + 1..*to).contains(ms)));
        at.for_each(|ms| listener.heard(ms * MS));
        listener.finish(WINDOW.end_ns)
    }

    fn of(workers: &[SilentStretches], median_ns: u64) -> Silences {
        let (first, others) = workers.split_first().expect("there is one");
        let (mut there, mut back) = (first.clone(), first.clone());
        others.iter().for_each(|other| there.merge(other));
        others.iter().rev().for_each(|other| back.merge(other));
        let found = silences(&there, median_ns);
        assert_eq!(silences(&back, median_ns), found, "in any order");
        found
    }

    #[test]
    fn regular_stalls_are_counted_with_their_period() {
        let stalls: Vec<(u64, u64)> = (0..5).map(|n| (1_500 + 2_000 * n, 1_700 + 2_000 * n)).collect();
        let found = of(&[worker(&stalls)], MS);
        assert_eq!((found.count, found.longest_ns, found.typical_ns), (5, 200 * MS, 200 * MS));
        assert_eq!((found.total_ns, found.period_ns), (1_000 * MS, Some(2_000 * MS)));
        let irregular = of(&[worker(&[(1_500, 1_700), (2_500, 2_700), (5_000, 5_200), (9_000, 9_200)])], MS);
        assert_eq!((irregular.count, irregular.period_ns), (4, None));
    }

    #[test]
    fn a_steady_server_and_one_that_is_slow_as_a_rule_are_not_silent() {
        assert_eq!(of(&[worker(&[])], MS).count, 0);
        let short = [(2_000, 2_019), (3_000, 3_060)];
        assert_eq!(of(&[worker(&short)], MS).count, 1, "19 ms are none, 60 ms are one");
        assert_eq!(of(&[worker(&short)], 7 * MS).count, 0, "70 ms are ten medians");
    }

    #[test]
    fn only_what_every_worker_missed_is_a_silence() {
        let found = of(&[worker(&[(2_000, 2_300), (5_000, 5_100)]), worker(&[(2_100, 2_400)])], MS);
        assert_eq!((found.count, found.longest_ns), (1, 200 * MS));
        assert_eq!(of(&[worker(&[(2_000, 2_300)]), worker(&[])], MS).count, 0);
        // Of the stretches that two have in common one is too short to be a silence, whatever a third received.
        let three = [
            worker(&[(2_000, 2_300), (5_000, 5_100)]),
            worker(&[(2_285, 2_400), (5_010, 5_120)]),
            worker(&[(1_900, 5_080)]),
        ];
        let found = of(&three, MS);
        assert_eq!((found.count, found.longest_ns), (1, 70 * MS));
    }

    #[test]
    fn the_window_bounds_a_silence_at_both_ends() {
        let found = of(&[worker(&[(950, 1_100), (10_900, 11_150)])], MS);
        assert_eq!((found.count, found.total_ns), (2, 200 * MS));
        let mut never = Listener::new(WINDOW);
        never.stand_at(WINDOW);
        assert_eq!(of(&[never.finish(WINDOW.end_ns)], MS).longest_ns, 10_000 * MS);
    }

    #[test]
    fn the_rest_after_a_failure_and_the_worker_s_own_absence_are_not_the_server_s_silence() {
        let mut listener = Listener::new(WINDOW);
        listener.failed(1_010 * MS);
        listener.failed(1_110 * MS);
        listener.heard(1_215 * MS);
        listener.heard(1_300 * MS);
        listener.away(80 * MS, 1_216 * MS);
        (1_301..11_000).for_each(|ms| listener.heard(ms * MS));
        assert_eq!(of(&[listener.finish(WINDOW.end_ns)], MS).count, 0);
    }

    #[test]
    fn where_there_are_too_many_the_longest_are_kept() {
        let mut listener = Listener::new(Window { start_ns: 0, end_ns: u64::MAX / 2 });
        let mut now = 0;
        for n in 0..5_000 {
            now += if n % 500 == 499 { 900 * MS } else { 30 * MS };
            listener.heard(now);
        }
        let found = of(&[listener.finish(now)], MS);
        assert_eq!((found.count, found.longest_ns), (10, 900 * MS));
        assert_eq!(found.threshold_ns, 40 * MS);
    }
}
