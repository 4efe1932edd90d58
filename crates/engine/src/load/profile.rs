//! The shapes that a load can have, with all that is the same wherever one of them is carried out, planned or told.

use super::{Arrival, Distribution, Stage, Trace};
use serde::{Deserialize, Serialize};

/// Amount of load over time.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Profile {
    /// A number of connections, each of which asks again when it is answered, after a think time.
    ///
    /// Intended is when the connection became free plus the think time. A connection that has to be made
    /// for an exchange (keep-alive off, or after the last one ended) is part of its response time, not of
    /// its service time; connections that are kept are opened ahead of the load. With several targets the
    /// connections are dealt to them in proportion to their weights, so a slow target is asked less often.
    ///
    /// Pauses are drawn by the connection and the number of its exchange: the same seed gives the same pauses, whatever
    /// the answers do. Where they differ, each connection begins in the midst of one, as if it had gone on for ever.
    Closed {
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
    /// Intended times come from a timetable, whatever the answers do. For a send that finds no free connection see
    /// [`crate::LoadPlan::shortage`]. The mix is drawn by tick, so several targets are asked exactly by weight, each
    /// through the connections dealt to it.
    Open {
        /// Intended sends per second, over all workers.
        rate_per_s: f64,
        arrival: Arrival,
        /// Longest delay of a send so that several are fired together and save wake-ups; 0 is exact.
        coalesce_ns: u64,
    },
    /// A closed loop whose number of connections follows stages. A connection takes part while the curve is above its
    /// number: it is made when it joins and closed when it leaves, once it is answered. [`crate::LoadPlan::connections`]
    /// is the most that any stage has; the extent is the length of the stages; nothing is discarded.
    ClosedStages {
        stages: Vec<Stage>,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
    /// An open loop whose rate follows stages: tick i is intended when the integral of the rate is i, or by a
    /// Poisson process of that rate. The extent is the length of the stages; nothing is discarded.
    OpenStages {
        /// Intended sends per second over time, over all workers.
        stages: Vec<Stage>,
        arrival: Arrival,
        /// As in [`Profile::Open`].
        coalesce_ns: u64,
    },
    /// An open loop whose intended times were recorded once. The extent is at most the length of the trace; nothing
    /// is discarded.
    OpenTrace {
        /// The arrivals, over all workers.
        trace: Trace,
        /// As in [`Profile::Open`].
        coalesce_ns: u64,
    },
    /// Users, [`crate::LoadPlan::connections`] of them, each with a connection of its own. User i of n starts at
    /// i/n of the ramp, asks `loops` times, one after the other, and closes. The extent is a count of users
    /// times loops; nothing is discarded.
    Users {
        /// Time over which the users start.
        ramp_ns: u64,
        /// Exchanges of each user, at least 1.
        loops: u32,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
}

impl Profile {
    /// True if connections send the next request when they are answered, and not by a timetable.
    pub fn is_closed(&self) -> bool {
        self.think().is_some()
    }

    /// The pauses of a closed loop.
    pub fn think(&self) -> Option<&Distribution> {
        match self {
            Profile::Closed { think_ns }
            | Profile::ClosedStages { think_ns, .. }
            | Profile::Users { think_ns, .. } => Some(think_ns),
            Profile::Open { .. } | Profile::OpenStages { .. } | Profile::OpenTrace { .. } => None,
        }
    }

    /// True if every connection always has a request in flight: a closed loop without think time.
    pub fn always_asks(&self) -> bool {
        matches!(self, Profile::Closed { think_ns } if think_ns.is_zero())
    }

    /// True if the load has a shape of its own, from its first instant to its last, of which no part can be left out.
    pub fn is_shaped(&self) -> bool {
        !matches!(self, Profile::Open { .. } | Profile::Closed { .. })
    }

    /// True if kept connections are opened before the load begins, and not when they join.
    pub(crate) fn opens_ahead(&self) -> bool {
        !matches!(self, Profile::ClosedStages { .. } | Profile::Users { .. })
    }

    /// The rate of an open loop that stays as it is.
    pub fn rate_per_s(&self) -> Option<f64> {
        match self {
            Profile::Open { rate_per_s, .. } => Some(*rate_per_s),
            _ => None,
        }
    }

    /// Spacing of intended times; `None` if they were recorded.
    pub fn arrival(&self) -> Option<Arrival> {
        match self {
            Profile::Open { arrival, .. } | Profile::OpenStages { arrival, .. } => Some(*arrival),
            _ => None,
        }
    }

    /// Longest delay so that sends are fired together.
    pub fn coalesce_ns(&self) -> u64 {
        match self {
            Profile::Open { coalesce_ns, .. }
            | Profile::OpenStages { coalesce_ns, .. }
            | Profile::OpenTrace { coalesce_ns, .. } => *coalesce_ns,
            _ => 0,
        }
    }

    /// Its stages; none for a load that has another shape.
    pub fn stages(&self) -> &[Stage] {
        match self {
            Profile::ClosedStages { stages, .. } | Profile::OpenStages { stages, .. } => stages,
            _ => &[],
        }
    }

    /// The same amount for so long: with `connections` in a closed loop. What has a shape already keeps it.
    #[must_use]
    pub fn held(self, connections: u32, for_ns: u64) -> Profile {
        let stages = |value: f64| vec![Stage::hold(value, for_ns)];
        match self {
            Profile::Closed { think_ns } => {
                Profile::ClosedStages { stages: stages(f64::from(connections)), think_ns }
            }
            Profile::Open { rate_per_s, arrival, coalesce_ns } => {
                Profile::OpenStages { stages: stages(rate_per_s), arrival, coalesce_ns }
            }
            shaped => shaped,
        }
    }

    /// A load without a shape that asks as much on average.
    #[must_use]
    pub fn without_shape(&self) -> Profile {
        let open = |sends: f64, length_ns: u64, arrival| {
            let rate_per_s = sends / (length_ns.max(1) as f64 / 1e9);
            Profile::Open { rate_per_s, arrival, coalesce_ns: self.coalesce_ns() }
        };
        match self {
            Profile::OpenStages { stages, arrival, .. } => {
                open(stages.iter().map(Stage::area).sum(), Stage::length_ns(stages), *arrival)
            }
            Profile::OpenTrace { trace, .. } => {
                open(trace.count() as f64, trace.length_ns(), Arrival::Constant)
            }
            Profile::ClosedStages { think_ns, .. } | Profile::Users { think_ns, .. } => {
                Profile::Closed { think_ns: think_ns.clone() }
            }
            plain => plain.clone(),
        }
    }
}
