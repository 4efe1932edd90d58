//! A simulated network in virtual time: seeded, without sockets, without waiting.
//!
//! A [`World`] describes servers, links and the machine of the generator, and makes one driver for each worker;
//! each worker has a server of its own that behaves alike. Time does not pass while a handler runs, and jumps from
//! one event to the next. Instants are nanoseconds from the world's beginning.

mod network;
mod peer;
mod server;
mod town;

pub use network::{Sim, SimNet};
pub use peer::{Accept, Peer, Reply, ScriptPeer, ScriptStep};
pub use server::{Fault, Redirect, Served, Server, Service, Stall};

use proofload_engine::driver::{Allowance, Drivers};
use proofload_engine::{EngineError, Launch, LoadPlan, LoadResult, Network, Sockets, Watch, launch};
use server::Serving;
use std::io;
use std::sync::{Arc, Mutex};
use town::Town;

/// One load on this machine's sockets.
///
/// # Errors
/// As [`launch`].
pub fn run(plan: &LoadPlan, watch: &Watch) -> Result<LoadResult, EngineError> {
    run_in(plan, watch, &Sockets)
}

/// One load through a network.
///
/// # Errors
/// As [`launch`].
pub fn run_in<N: Network>(plan: &LoadPlan, watch: &Watch, network: &N) -> Result<LoadResult, EngineError> {
    let mut results = launch(Launch::new(std::slice::from_ref(plan), watch).through(network))?;
    Ok(results.remove(0))
}

/// The way between generator and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// One-way delay of a segment. At least 1, so that time goes on.
    pub latency_ns: u64,
    /// A random addition of up to this; order is kept.
    pub jitter_ns: u64,
    /// Answers come in segments of random sizes up to this; 0 leaves them whole.
    pub segment_max: usize,
    /// A send takes at most this many bytes, and the next has to wait a latency; 0 takes all.
    pub send_room: usize,
    /// Time after that until a send takes bytes again; the worker is notified a latency later. 0: not before the
    /// notification.
    pub drains_ns: u64,
}

impl Default for Link {
    fn default() -> Self {
        Link { latency_ns: 20_000, jitter_ns: 0, segment_max: 0, send_room: 0, drains_ns: 0 }
    }
}

/// The machine of the generator, with what it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// CPU time that each call of a handler costs.
    pub handle_cost_ns: u64,
    /// CPU time that each send costs.
    pub send_cost_ns: u64,
    /// Delay of the end of each wait.
    pub wakes_late_ns: u64,
    /// Stretches in which it does nothing, as when a hypervisor takes the processor away.
    pub stall: Option<Stall>,
    /// True if it reports how long a thread waited for the processor.
    pub tells_delays: bool,
    pub ports: u64,
    /// Time in which a port cannot be used again after this side closed first.
    pub time_wait_ns: u64,
    /// Sockets that can be open at once, whatever limit is reported.
    pub sockets_max: u64,
    /// The limit of descriptors that is reported.
    pub descriptors: Option<u64>,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            handle_cost_ns: 0,
            send_cost_ns: 0,
            wakes_late_ns: 0,
            stall: None,
            tells_delays: false,
            ports: u64::MAX,
            time_wait_ns: 60_000_000_000,
            sockets_max: u64::MAX,
            descriptors: None,
        }
    }
}

/// Beginning of each world: 1994-11-06 08:49:37 (UTC), in nanoseconds since 1970.
pub const WORLD_UNIX_NS: i64 = 784_111_777_000_000_000;

/// Puts something before the servers of a world: a peer that speaks for them, such as one that adds TLS.
pub trait Front: std::fmt::Debug + Send + Sync {
    /// Peer that the generator meets instead of that server.
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer>;
}

#[derive(Clone, Debug, Default)]
pub struct World {
    pub server: Server,
    pub link: Link,
    pub machine: Machine,
    /// Seed of everything random in this world.
    pub seed: u64,
    /// Peer in front of each server.
    front: Option<Arc<dyn Front>>,
    /// Work of the servers of all workers.
    served: Arc<Mutex<Served>>,
    others: Vec<Other>,
}

/// A server at a port of its own.
#[derive(Clone, Debug)]
struct Other {
    port: u16,
    server: Server,
    front: Option<Arc<dyn Front>>,
    served: Arc<Mutex<Served>>,
}

impl World {
    /// A world with that server, a quick link and a machine that lacks nothing.
    pub fn new(server: Server, seed: u64) -> Self {
        World { server, seed, ..World::default() }
    }

    /// The same world with another link.
    pub fn with_link(self, link: Link) -> Self {
        World { link, ..self }
    }

    /// The same world with another machine for the generator.
    pub fn with_machine(self, machine: Machine) -> Self {
        World { machine, ..self }
    }

    /// The same world with that before each server.
    pub fn behind(self, front: Arc<dyn Front>) -> Self {
        World { front: Some(front), ..self }
    }

    /// The same world with another server, which whoever dials this port finds.
    #[must_use]
    pub fn with_other(mut self, port: u16, server: Server, front: Option<Arc<dyn Front>>) -> Self {
        self.others.push(Other { port, server, front, served: Arc::default() });
        self
    }

    /// Work of the servers so far; without those at ports of their own.
    pub fn served(&self) -> Served {
        counted(&self.served)
    }

    /// Work of the servers at that port so far.
    pub fn served_at(&self, port: u16) -> Served {
        let other = self.others.iter().find(|other| other.port == port);
        other.map(|other| counted(&other.served)).unwrap_or_default()
    }
}

fn counted(served: &Mutex<Served>) -> Served {
    served.lock().map_or_else(|poisoned| poisoned.into_inner().clone(), |served| served.clone())
}

impl Drivers for World {
    type Driver = Sim;

    fn now_ns(&self) -> u64 {
        0
    }

    fn unix_ns_at_zero(&self) -> i64 {
        WORLD_UNIX_NS
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn allowance(&self) -> Allowance {
        Allowance { descriptors: self.machine.descriptors, ports: u64::MAX }
    }

    fn peak_rss_bytes(&self) -> u64 {
        0
    }

    fn open(&self, worker: u32, capacity: u32) -> io::Result<Sim> {
        let seed = self.seed.wrapping_mul(31).wrapping_add(u64::from(worker));
        let at_work = |server: &Server, front: &Option<Arc<dyn Front>>, served: &Arc<Mutex<Served>>| {
            let peer: Box<dyn Peer> = Box::new(Serving::new(server.clone(), seed, Arc::clone(served)));
            match front {
                Some(front) => front.before(peer),
                None => peer,
            }
        };
        let mut peer = at_work(&self.server, &self.front, &self.served);
        if !self.others.is_empty() {
            let others = self.others.iter();
            let others =
                others.map(|other| (other.port, at_work(&other.server, &other.front, &other.served)));
            peer = Box::new(Town::new(peer, others.collect()));
        }
        Ok(Sim::new(peer, self.link, self.machine, seed, capacity))
    }
}
