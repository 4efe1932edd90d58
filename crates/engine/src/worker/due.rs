//! Decisions of a pace: due exchanges, and the next step of a lane that has become free.

use crate::LoadPlan;
use crate::lane::{Lane, LaneId};
use crate::load::{Mix, Share};

/// An exchange that is due, and the lane that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub lane: LaneId,
    /// Mix entry, or journey ([`LoadPlan::choices`]).
    pub entry: usize,
    pub intended_ns: u64,
    /// Instant from which the generator could have sent it, if its delay is the generator's doing.
    pub sendable_ns: Option<u64>,
}

/// Next step of a lane that has become free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It carries an exchange of this entry of the mix, intended now.
    Begin(usize),
    /// It carries the due exchange of this queue.
    Serve(usize),
    Wait,
    Part,
}

/// An instant of a load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub now: u64,
    /// Nothing intended at or after this instant begins.
    pub end_ns: u64,
    /// Planned wake-up.
    pub wake_ns: u64,
}

/// For each target the choice among its entries, for lanes of connections to it.
#[derive(Debug)]
pub(super) struct TargetMixes {
    mixes: Vec<Mix>,
    share: Share,
}

impl TargetMixes {
    pub fn new(plan: &LoadPlan, share: Share) -> Self {
        let choices = plan.choices();
        let of_target = |target| {
            let here = choices.iter().filter(|(_, _, of)| *of == target);
            Mix::new(here.map(|(entry, weight, _)| (*entry, *weight)), plan.seed, target as u64)
        };
        TargetMixes { mixes: (0..plan.targets.len()).map(of_target).collect(), share }
    }

    /// The entry that a lane asks next; each lane of the load has its own part of the random stream, on any worker.
    #[inline]
    pub fn choose(&self, number: LaneId, lane: &Lane) -> usize {
        let stream = self.share.number_of(number) << 24;
        self.mixes[lane.target as usize].choose(stream.wrapping_add(lane.begun))
    }
}
