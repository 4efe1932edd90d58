//! One exchange or one journey, for a person to read: carried out as in a load, and everything that passed written down.

pub use crate::driver::{Conn, Ended, Heard, Notes, RECEIVED_MAX, TapEvent};

use crate::driver::{Drivers, EpollDrivers, Tap, TappedDrivers, UringDrivers};
use crate::generator::{Launch, launch};
use crate::journey::{Journeys, Step};
use crate::{DriverChoice, EngineError, Extent, LoadPlan, LoadResult, Profile, Shortage, Watch};
use std::sync::Arc;

/// Longest pause of a user whose journey is looked at: one that may be longer is always so long.
pub const PAUSE_MAX_NS: u64 = 100_000_000;
/// Longest time that a journey is looked at.
const JOURNEY_MAX_NS: u64 = 600_000_000_000;

/// Part of a plan that is carried out once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Once {
    /// An entry of the mix, over one connection.
    Entry(usize),
    /// A journey, by one user, with short pauses.
    Journey(usize),
}

/// Everything that passed, and what became of it.
#[derive(Clone, Debug)]
pub struct Transcript {
    pub notes: Notes,
    pub result: LoadResult,
}

/// Carries out an exchange or a journey of the plan.
///
/// # Errors
/// As [`crate::launch`].
pub fn debug(plan: &LoadPlan, once: Once) -> Result<Transcript, EngineError> {
    match plan.driver {
        DriverChoice::Epoll => debug_through(plan, once, &EpollDrivers::default()),
        DriverChoice::IoUring => debug_through(plan, once, &UringDrivers::new()?),
    }
}

/// The same through other drivers, such as those of a simulated network.
///
/// # Errors
/// As [`crate::launch`].
pub fn debug_through<D: Drivers>(
    plan: &LoadPlan,
    once: Once,
    drivers: &D,
) -> Result<Transcript, EngineError> {
    let tap = Arc::new(Tap::default());
    let (plan, watch) = (plan_of(plan, once), Watch::default());
    let through = TappedDrivers(drivers, Arc::clone(&tap));
    let mut results = launch(Launch::new(std::slice::from_ref(&plan), &watch).through(&through))?;
    Ok(Transcript { notes: tap.take(), result: results.remove(0) })
}

fn plan_of(plan: &LoadPlan, once: Once) -> LoadPlan {
    let mut one = plan.clone();
    let timeouts = plan.timeouts;
    // Connecting ahead may fail before the exchange dials again.
    let mut cap_ns = timeouts.connect_ns.saturating_mul(2).saturating_add(timeouts.response_ns);
    match once {
        Once::Entry(at) => {
            one.mix = plan.mix.get(at).cloned().into_iter().collect();
            if let Some(entry) = one.mix.first_mut() {
                one.targets = plan.targets.get(entry.target).cloned().into_iter().collect();
                entry.target = 0;
            }
            one.asking.parts.clear();
        }
        Once::Journey(at) => {
            cap_ns = JOURNEY_MAX_NS;
            one.asking.journeys = plan.asking.journeys.as_ref().map(|all| Arc::new(alone(all, at)));
            let entries = plan.mix.len();
            let part = plan.asking.parts.get(entries + at).copied();
            one.asking.parts.truncate(entries);
            one.asking.parts.extend(part);
        }
    }
    one.profile = Profile::Closed { think_ns: 0.into() };
    one.shortage = Shortage::default();
    one.connections = 1;
    one.workers = 1;
    one.cpus.clear();
    one.discard_ns = 0;
    one.extent = Extent::Requests { count: 1, cap_ns };
    one.drain_ns = cap_ns;
    one.share = (0, 1);
    one
}

/// One of the journeys, with short pauses.
fn alone(all: &Journeys, at: usize) -> Journeys {
    let mut journey = all.journeys.get(at).cloned();
    for step in journey.iter_mut().flat_map(|journey| &mut journey.steps) {
        if let Step::Pause(time) | Step::Pace(time) = step
            && time.most().is_none_or(|most_ns| most_ns > PAUSE_MAX_NS)
        {
            *time = PAUSE_MAX_NS.into();
        }
    }
    // Without pauses the user is there at once.
    Journeys { journeys: journey.into_iter().collect(), pauses_ns: 0, given: all.given.clone(), ..*all }
}
