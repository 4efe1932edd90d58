//! One exchange, for a person to read: carried out as in a load, and everything that passed written down.

pub use crate::driver::{RECEIVED_MAX, TapEvent};

use crate::driver::{EpollDrivers, Tap, TappedDrivers, UringDrivers};
use crate::generator::{Launch, launch};
use crate::{DriverChoice, EngineError, Extent, LoadPlan, LoadResult, Profile, Watch};
use std::sync::Arc;

/// One exchange as it passed over its connection.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Events with their instants.
    pub heard: Vec<(u64, TapEvent)>,
    /// Bytes received, those that were not kept included.
    pub received: u64,
    pub result: LoadResult,
}

/// Carries out one exchange of the plan: the first entry of its mix, over one connection.
///
/// # Errors
/// As [`crate::launch`].
pub fn debug(plan: &LoadPlan) -> Result<Transcript, EngineError> {
    let mut one = plan.clone();
    one.mix.truncate(1);
    if let Some(entry) = one.mix.first_mut() {
        one.targets = one.targets.get(entry.target).cloned().into_iter().collect();
        entry.target = 0;
        one.asking.parts.clear();
    }
    let timeouts = plan.timeouts;
    // Connecting ahead may fail before the exchange dials again.
    let cap_ns = timeouts.connect_ns.saturating_mul(2).saturating_add(timeouts.response_ns);
    one.profile = Profile::Closed { think_ns: 0.into() };
    one.connections = 1;
    one.workers = 1;
    one.cpus.clear();
    one.discard_ns = 0;
    one.extent = Extent::Requests { count: 1, cap_ns };
    one.drain_ns = cap_ns;
    one.share = (0, 1);
    let tap = Arc::new(Tap::default());
    let (heeded, watch) = (Arc::clone(&tap), Watch::default());
    let how = Launch::new(std::slice::from_ref(&one), &watch);
    let mut results = match one.driver {
        DriverChoice::Epoll => launch(how.through(&TappedDrivers(EpollDrivers::default(), heeded)))?,
        DriverChoice::IoUring => launch(how.through(&TappedDrivers(UringDrivers::new()?, heeded)))?,
    };
    let (heard, received) = tap.take();
    Ok(Transcript { heard, received, result: results.remove(0) })
}
