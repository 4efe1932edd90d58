//! Journeys: the steps that a user takes one after the other, as a program with jumps.

use crate::load::Distribution;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most variables of a user.
pub const VARIABLES_MAX: usize = 256;
/// Most steps that take no time, one after the other: a loop that asks nothing and never pauses ends there.
pub(crate) const IDLE_STEPS_MAX: u32 = 10_000;

/// Journeys of a load. With them a profile tells when users arrive, rather than when requests are sent: a rate is one of new
/// users, a number of connections one of users at once, a count one of journeys.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Journeys {
    pub journeys: Vec<Journey>,
    /// Number of variables that each user has.
    pub variables: usize,
    /// Mean time that a user waits by his own will, in nanoseconds. Users of a closed load arrive over this time at first:
    /// those who arrive at once would stay in step.
    pub pauses_ns: u64,
    /// Values that every user begins with, by their variables.
    pub given: Vec<(usize, Vec<u8>)>,
}

/// Steps of one kind of user.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Journey {
    /// Its share of the users is `weight` over the sum of weights. At least 1.
    pub weight: u32,
    pub steps: Vec<Step>,
    /// Index of the first step that is taken however the others ended; the number of steps where there is none.
    pub teardown: usize,
}

/// A step of a journey; `to` is the index of another one, behind the last for the end.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Step {
    /// Sends the request of this entry of the mix and waits for its answer. Due at the end of the step before.
    Ask(usize),
    /// Sends the requests of all these entries, so many at once, and waits for the answers.
    AskAll {
        entries: Vec<usize>,
        at_once: usize,
    },
    /// Waits so long, from the end of the step before.
    Pause(Distribution),
    /// Waits until so long after the arrival, or after the last pace was due. No wait where that is over.
    Pace(Distribution),
    /// Goes on behind this step so many times, and then at `to`. It counts anew unless a jump back led to it.
    Repeat {
        times: u32,
        to: usize,
    },
    /// Goes on at `to` unless the condition holds.
    Unless {
        condition: Condition,
        to: usize,
    },
    /// Goes on at one of these, by weight.
    Choose(Vec<(u32, usize)>),
    Jump(usize),
    /// Ends the journey, which is complete then.
    Exit,
}

/// Condition on a variable.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Condition {
    /// Index of the variable.
    pub variable: usize,
    pub test: Test,
}

/// Test of a text. Numbers are compared as numbers; what is none fails the test.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Test {
    /// There is one, even an empty one.
    Present,
    Absent,
    Is(String),
    IsNot(String),
    Below(f64),
    AtMost(f64),
    Above(f64),
    AtLeast(f64),
}

impl Test {
    /// True if a value passes; `None` is one that is not there.
    pub fn passes(&self, value: Option<&[u8]>) -> bool {
        let number = || std::str::from_utf8(value?).ok()?.trim().parse::<f64>().ok();
        match self {
            Test::Present => value.is_some(),
            Test::Absent => value.is_none(),
            Test::Is(text) => value == Some(text.as_bytes()),
            Test::IsNot(text) => value != Some(text.as_bytes()),
            Test::Below(than) => number().is_some_and(|number| number < *than),
            Test::AtMost(than) => number().is_some_and(|number| number <= *than),
            Test::Above(than) => number().is_some_and(|number| number > *than),
            Test::AtLeast(than) => number().is_some_and(|number| number >= *than),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Test::Present => f.write_str("any value"),
            Test::Absent => f.write_str("none"),
            Test::Is(text) => write!(f, "{text:?}"),
            Test::IsNot(text) => write!(f, "anything but {text:?}"),
            Test::Below(than) => write!(f, "less than {than}"),
            Test::AtMost(than) => write!(f, "at most {than}"),
            Test::Above(than) => write!(f, "more than {than}"),
            Test::AtLeast(than) => write!(f, "at least {than}"),
        }
    }
}

impl Journey {
    /// Counters that its loops need: one for each step, for any may be one.
    pub(crate) fn counters(&self) -> usize {
        if self.steps.iter().any(|step| matches!(step, Step::Repeat { .. })) { self.steps.len() } else { 0 }
    }
}

impl Journeys {
    /// The same journeys of users who never wait.
    #[must_use]
    pub fn without_pauses(&self) -> Journeys {
        let mut journeys = self.clone();
        for step in journeys.journeys.iter_mut().flat_map(|journey| &mut journey.steps) {
            if let Step::Pause(time) | Step::Pace(time) = step {
                *time = Distribution::Constant(0);
            }
        }
        journeys.pauses_ns = 0;
        journeys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_tested_as_texts_and_numbers_as_numbers() {
        let passes = |test: Test, value: &str| test.passes(Some(value.as_bytes()));
        assert!(passes(Test::Is("10".into()), "10") && !passes(Test::Is("10".into()), "10.0"));
        assert!(passes(Test::IsNot("x".into()), "") && Test::IsNot("x".into()).passes(None));
        assert!(passes(Test::Below(10.0), "9") && !passes(Test::Below(10.0), "10"));
        assert!(passes(Test::AtMost(10.0), " 10 ") && !passes(Test::Above(10.0), "10"));
        assert!(passes(Test::AtLeast(10.0), "1e1") && !passes(Test::AtLeast(10.0), "ten"));
        assert!(!Test::Below(10.0).passes(None) && Test::Absent.passes(None) && !Test::Present.passes(None));
        assert!(Test::Present.passes(Some(b"")));
    }
}
