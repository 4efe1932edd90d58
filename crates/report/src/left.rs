//! Time that a study still takes: blocks as the judge expects them, times the length of earlier blocks.

use proofload_language::tr;
use proofload_stats::Outlook;
use proofload_store::schema::Plan;

/// Blocks that predict the length of the next: later blocks leave more out and are shorter.
const LATEST: usize = 5;

/// Estimate of the time left.
#[derive(Clone, Debug)]
pub struct Left {
    /// Seconds of the latest blocks.
    took_s: Vec<f64>,
    /// Seconds of a block by the plan.
    planned_s: f64,
    budget_s: f64,
    spent_s: f64,
    done: u32,
    /// Blocks at the last look.
    last: u32,
    outlook: Option<Outlook>,
}

impl Left {
    /// Before the first block, with that much of the budget spent.
    pub fn new(plan: &Plan, spent_s: f64) -> Left {
        let last = plan.timing.looks.last().copied().unwrap_or(1);
        Left {
            took_s: Vec::new(),
            planned_s: plan.estimated_seconds / f64::from(last.max(1)),
            budget_s: plan.timing.budget_ns as f64 / 1e9,
            spent_s,
            done: 0,
            last,
            outlook: None,
        }
    }

    /// Adds time spent: in a `whole` block with all that belongs to it, or otherwise.
    pub fn block_took(&mut self, seconds: f64, whole: bool) {
        self.spent_s += seconds;
        if whole {
            self.took_s.push(seconds);
        }
    }

    /// The claims were looked at.
    pub fn look(&mut self, complete: u32, outlook: Option<Outlook>) {
        self.done = complete;
        self.outlook = outlook;
    }

    fn block_s(&self) -> f64 {
        let latest = &self.took_s[self.took_s.len().saturating_sub(LATEST)..];
        match latest.len() {
            0 => self.planned_s,
            n => latest.iter().sum::<f64>() / n as f64,
        }
    }

    /// Seconds left when the present block has run for so long: hardly fewer, most likely, hardly more, and never
    /// more.
    fn seconds(&self, in_block_s: f64) -> [f64; 4] {
        let last = self.last.saturating_sub(self.done);
        let known = Outlook { low: 0, median: last, high: last, last };
        let outlook = self.outlook.unwrap_or(known);
        // A block that would not fit is not begun.
        let budget_s = (self.budget_s - self.spent_s - in_block_s).max(0.0);
        [outlook.low, outlook.median, outlook.high, outlook.last]
            .map(|blocks| (f64::from(blocks) * self.block_s() - in_block_s).clamp(0.0, budget_s))
    }

    /// Share of the time that is over, at the most likely length.
    pub fn share_done(&self, in_block_s: f64) -> f64 {
        let [_, median, ..] = self.seconds(in_block_s);
        let spent_s = self.spent_s + in_block_s;
        spent_s / (spent_s + median).max(f64::MIN_POSITIVE)
    }

    /// `about 3:20 left (1:10 to 5:00), at most 8:00`.
    pub fn in_words(&self, in_block_s: f64) -> String {
        let [low, median, high, last] = self.seconds(in_block_s).map(minutes);
        match self.outlook {
            None => tr!("live-in-words-at-most-left", last),
            Some(outlook) if outlook.low == outlook.last => tr!("live-in-words-about-left", last),
            Some(_) => tr!("live-in-words-about-left-to-at", median, low, high, last),
        }
    }
}

/// Seconds as a clock shows them: `3:20`, `1:02:05`.
pub fn minutes(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds % 3600 / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::Timing;

    fn left() -> Left {
        let timing = Timing { looks: vec![4, 6, 12], budget_ns: 480_000_000_000, ..Timing::default() };
        Left::new(&Plan { timing, estimated_seconds: 360.0, ..Plan::default() }, 0.0)
    }

    #[test]
    fn before_the_first_block_it_is_what_the_plan_says() {
        assert_eq!(left().in_words(0.0), "at most 6:00 left");
    }

    #[test]
    fn blocks_are_counted_by_the_judge_and_timed_by_what_they_took() {
        let mut left = left();
        left.block_took(3.0, false);
        left.block_took(40.0, true);
        left.look(4, Some(Outlook { low: 2, median: 4, high: 8, last: 8 }));
        assert_eq!(left.in_words(0.0), "about 2:40 left (1:20 to 5:20), at most 5:20");
        assert_eq!(left.in_words(10.0), "about 2:30 left (1:10 to 5:10), at most 5:10");
        for _ in 0..5 {
            left.block_took(20.0, true);
        }
        assert_eq!(
            left.in_words(0.0),
            "about 1:20 left (0:40 to 2:40), at most 2:40",
            "the latest blocks count"
        );
    }

    #[test]
    fn nothing_is_expected_beyond_the_budget() {
        let mut left = left();
        left.block_took(300.0, true);
        left.look(4, Some(Outlook { low: 2, median: 4, high: 8, last: 8 }));
        assert_eq!(left.in_words(0.0), "about 3:00 left (3:00 to 3:00), at most 3:00");
        left.look(11, Some(Outlook { low: 1, median: 1, high: 1, last: 1 }));
        assert_eq!(left.in_words(0.0), "about 3:00 left");
    }

    #[test]
    fn hours_are_told_as_hours() {
        assert_eq!(
            (minutes(59.6), minutes(3_600.0), minutes(3_725.0)),
            ("1:00".into(), "1:00:00".into(), "1:02:05".into())
        );
    }
}
