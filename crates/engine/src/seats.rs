//! Seats of users: journeys that a plan can carry out, and the lanes of each user.

use crate::journey::{Journey, Journeys, Step, VARIABLES_MAX};
use crate::{LoadPlan, MixEntry};

/// Most lanes of one user, over all targets.
const LANES_MAX: usize = 64;
/// Most steps of a journey, jumps included.
const STEPS_MAX: usize = 4096;

fn problem(journey: &Journey, plan: &LoadPlan) -> Option<String> {
    let entries = plan.mix.len();
    let ends = |to: &usize| *to <= journey.steps.len();
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
    if journey.weight == 0 {
        return Some("weight 0; leave it out or give it at least 1".to_owned());
    }
    if journey.steps.len() > STEPS_MAX || journey.teardown > journey.steps.len() {
        return Some(format!("{} steps; {STEPS_MAX} are the most", journey.steps.len()));
    }
    if !journey.steps.iter().any(|step| matches!(step, Step::Ask(_) | Step::AskAll { .. })) {
        return Some("asks nothing".to_owned());
    }
    let wrong = journey.steps.iter().position(|step| !is_right(step))?;
    Some(format!("step {wrong} names an entry, a step or a variable that is not there"))
}

/// Appends its problems, a sentence each.
pub(crate) fn problems(journeys: &Journeys, plan: &LoadPlan, problems: &mut Vec<String>) {
    if journeys.journeys.is_empty() {
        problems.push("journeys: none; at least one is needed".to_owned());
    }
    if journeys.variables > VARIABLES_MAX {
        problems.push(format!("variables: {}; {VARIABLES_MAX} are the most", journeys.variables));
    }
    let found = journeys.journeys.iter().enumerate();
    problems.extend(
        found.filter_map(|(at, journey)| Some(format!("journeys[{at}]: {}", problem(journey, plan)?))),
    );
    if plan.in_flight > 1 || plan.shortage.most_connections.is_some() {
        problems.push(
            "journeys: the connections of users are their own, one exchange on each; give the number of users at once"
                .to_owned(),
        );
    }
    if journeys.given.iter().any(|(variable, _)| *variable >= journeys.variables) {
        problems.push("journeys: a value is given to a variable that no user has".to_owned());
    }
    if problems.is_empty() && user_targets(plan).len() > LANES_MAX {
        problems.push(format!("journeys: a user needs more than {LANES_MAX} connections"));
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
}
