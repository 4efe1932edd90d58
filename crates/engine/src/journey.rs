//! Journeys: the steps that a user takes one after the other, as a program with jumps.

use crate::load::Distribution;
use crate::{LoadPlan, MixEntry};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most lanes of one user, over all targets.
const LANES_MAX: usize = 64;
/// Most steps of a journey, jumps included.
const STEPS_MAX: usize = 4096;
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
    fn problem(&self, plan: &LoadPlan) -> Option<String> {
        let entries = plan.mix.len();
        let ends = |to: &usize| *to <= self.steps.len();
        let asks = |entry: &usize| *entry < entries;
        let variables = plan.asking.journeys.as_ref().map_or(0, |journeys| journeys.variables);
        let is_right = |step: &Step| match step {
            Step::Ask(entry) => asks(entry),
            Step::AskAll { entries, at_once } => {
                (1..=LANES_MAX).contains(at_once) && !entries.is_empty() && entries.iter().all(asks)
            }
            Step::Pause(time) | Step::Pace(time) => time.problem().is_none(),
            Step::Repeat { to, .. } | Step::Jump(to) => ends(to),
            Step::Unless { condition, to } => ends(to) && condition.variable < variables,
            Step::Choose(ways) => {
                ways.iter().any(|(weight, _)| *weight > 0) && ways.iter().all(|(_, to)| ends(to))
            }
            Step::Exit => true,
        };
        if self.weight == 0 {
            return Some("weight 0; leave it out or give it at least 1".to_owned());
        }
        if self.steps.len() > STEPS_MAX || self.teardown > self.steps.len() {
            return Some(format!("{} steps; {STEPS_MAX} are the most", self.steps.len()));
        }
        if !self.steps.iter().any(|step| matches!(step, Step::Ask(_) | Step::AskAll { .. })) {
            return Some("asks nothing".to_owned());
        }
        let wrong = self.steps.iter().position(|step| !is_right(step))?;
        Some(format!("step {wrong} names an entry, a step or a variable that is not there"))
    }

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

    /// Appends its problems, a sentence each.
    pub(crate) fn problems(&self, plan: &LoadPlan, problems: &mut Vec<String>) {
        if self.journeys.is_empty() {
            problems.push("journeys: none; at least one is needed".to_owned());
        }
        if self.variables > VARIABLES_MAX {
            problems.push(format!("variables: {}; {VARIABLES_MAX} are the most", self.variables));
        }
        let found = self.journeys.iter().enumerate();
        problems.extend(
            found.filter_map(|(at, journey)| Some(format!("journeys[{at}]: {}", journey.problem(plan)?))),
        );
        if plan.in_flight > 1 || plan.shortage.most_connections.is_some() {
            problems.push(
                "journeys: the connections of users are their own, one exchange on each; give the number of users at once"
                    .to_owned(),
            );
        }
        if self.given.iter().any(|(variable, _)| *variable >= self.variables) {
            problems.push("journeys: a value is given to a variable that no user has".to_owned());
        }
        if problems.is_empty() && user_targets(plan).len() > LANES_MAX {
            problems.push(format!("journeys: a user needs more than {LANES_MAX} connections"));
        }
    }
}

/// Targets of one user's lanes: at least one for each that his steps ask, and as many as are asked at once. Empty without
/// journeys.
pub(crate) fn user_targets(plan: &LoadPlan) -> Vec<usize> {
    let Some(journeys) = &plan.asking.journeys else { return Vec::new() };
    let mut lanes = vec![0; plan.targets.len()];
    let target = |entry: &usize| plan.mix.get(*entry).map_or(0, |entry: &MixEntry| entry.target);
    for step in journeys.journeys.iter().flat_map(|journey| &journey.steps) {
        match step {
            Step::Ask(entry) => lanes[target(entry)] = lanes[target(entry)].max(1),
            Step::AskAll { entries, at_once } => {
                for (at, lanes) in lanes.iter_mut().enumerate() {
                    let here = entries.iter().filter(|entry| target(entry) == at).count();
                    *lanes = (*lanes).max(here.min(*at_once));
                }
            }
            _ => {}
        }
    }
    let of_target = |(target, lanes): (usize, &usize)| std::iter::repeat_n(target, *lanes);
    lanes.iter().enumerate().flat_map(of_target).collect()
}

/// Lanes of the users of one worker. The first lane of each has the number of his seat; his others come behind all of those.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UserLanes {
    pub seats: u32,
    /// Lanes of each; 0 without journeys.
    each: u32,
}

impl UserLanes {
    pub fn new(plan: &LoadPlan, seats: u64) -> Self {
        match user_targets(plan).len() as u32 {
            0 => UserLanes::default(),
            each => UserLanes { seats: seats as u32, each },
        }
    }

    /// The seat whose user has this lane; the lane itself without journeys.
    #[inline]
    pub fn seat(self, lane: u32) -> u32 {
        if lane < self.seats || self.each <= 1 { lane } else { (lane - self.seats) / (self.each - 1) }
    }

    /// The lanes of a seat's user, in the order of [`user_targets`].
    pub fn of(self, seat: u32) -> impl Iterator<Item = u32> {
        let others = self.each.saturating_sub(1);
        let first = self.seats + seat * others;
        std::iter::once(seat).chain(first..first + others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_of_a_user_leads_back_to_his_seat() {
        let lanes = UserLanes { seats: 4, each: 3 };
        let mut all: Vec<u32> = (0..4).flat_map(|seat| lanes.of(seat)).collect();
        for seat in 0..4 {
            assert!(lanes.of(seat).all(|lane| lanes.seat(lane) == seat), "{seat}");
        }
        all.sort_unstable();
        assert_eq!(all, (0..12).collect::<Vec<_>>());
        let alone = UserLanes { seats: 4, each: 1 };
        assert_eq!(alone.of(2).collect::<Vec<_>>(), [2]);
        assert_eq!((alone.seat(3), UserLanes::default().seat(7)), (3, 7));
    }

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
