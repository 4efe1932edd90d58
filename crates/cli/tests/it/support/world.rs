//! The world of a test: servers at addresses, reached in virtual time by the engine itself.

use super::simulated::{Act, Simulated, SimulatedLine};
use proofload_engine::driver::{Allowance, Drivers};
use proofload_engine::{EngineError, Generator, Here, Launch, LoadResult, Target, launch};
use proofload_host::clock;
use proofload_reference::Config;
use proofload_testkit::sim::{Accept, Link, Machine, Peer, Reply, Sim};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Network and machine around the servers of a test.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The way to every server.
    pub link: Link,
    /// The generator's machine.
    pub machine: Machine,
    /// By which share everything takes more or less time from load to load.
    pub wavers: f64,
    /// Planted ceiling of the generator in a study, exchanges per second.
    pub ceiling_per_s: f64,
    /// CPU time of a server for each request, besides what it spins.
    pub request_cpu_ns: u64,
    /// Variants that die, each in its so manyth load.
    pub deaths: Vec<(&'static str, u32)>,
    /// In the so manyth load of a run its keeper is killed, and all servers with it.
    pub unkept_at: Option<u32>,
    /// In the so manyth block of a run Proofload itself is killed.
    pub killed_in: Option<u32>,
    /// In the so manyth load of a run a signal comes.
    pub signal_at: Option<u32>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms {
            // Slow enough that seconds of load are a few thousand exchanges.
            link: Link { latency_ns: 500_000, jitter_ns: 50_000, ..Link::default() },
            machine: Machine { handle_cost_ns: 1_000, send_cost_ns: 1_000, ..Machine::default() },
            wavers: 0.01,
            ceiling_per_s: 1_000_000.0,
            request_cpu_ns: 20_000,
            deaths: Vec::new(),
            unkept_at: None,
            killed_in: None,
            signal_at: None,
        }
    }
}

thread_local! {
    static TERMS: RefCell<Terms> = RefCell::default();
}

/// Changes the world of this test, from here on.
pub fn change(change: impl FnOnce(&mut Terms)) {
    TERMS.with_borrow_mut(change);
}

/// Ports of simulated servers: below those that the kernel chooses.
const FIRST_PORT: u16 = 10_001;

static SERVERS: Mutex<BTreeMap<SocketAddr, Arc<Simulated>>> = Mutex::new(BTreeMap::new());

/// A server of that configuration, at an address of its own.
pub fn listen(config: Config) -> (SocketAddr, Arc<Simulated>) {
    let server = Simulated::new(config).expect("a right configuration");
    let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    let port = servers.last_key_value().map_or(FIRST_PORT, |(last, _)| last.port() + 1);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    servers.insert(address, Arc::clone(&server));
    (address, server)
}

fn server_at(target: &Target) -> Option<Arc<Simulated>> {
    let servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    target.addresses.iter().find_map(|address| servers.get(&address.tcp()?).cloned())
}

/// The engine over that world; what is at no address of it is reached by sockets.
#[derive(Clone, Debug)]
pub struct World {
    pub terms: Terms,
    loads: Arc<AtomicU64>,
}

impl World {
    /// The world of this test.
    pub fn here() -> World {
        World { terms: TERMS.with_borrow(Clone::clone), loads: Arc::default() }
    }
}

impl Generator for World {
    fn launch(&self, how: Launch<'_>) -> Result<Vec<LoadResult>, EngineError> {
        let plans = how.plans;
        let mut targets = plans.iter().flat_map(|plan| &plan.targets);
        if !targets.any(|target| server_at(target).is_some()) {
            return Here.launch(how);
        }
        let seed = plans.first().map_or(0, |plan| plan.seed);
        let number = self.loads.fetch_add(1, Ordering::Relaxed);
        let mut results = launch(how.through(&Network { terms: &self.terms, seed, number }))?;
        // Its time begins at 0; the record's is that of this machine.
        let now_ns = clock::monotonic_ns();
        for result in &mut results {
            let length_ns = result.snapshot.window.end_ns.saturating_sub(result.window_start_ns);
            result.window_start_ns = now_ns.saturating_sub(length_ns);
        }
        Ok(results)
    }
}

struct Network<'a> {
    terms: &'a Terms,
    seed: u64,
    /// Counts loads, which may have the same seed.
    number: u64,
}

impl Network<'_> {
    /// Factor on every duration of this load: no machine is as quick every time.
    fn pace(&self) -> f64 {
        // SplitMix64.
        let mut mixed = self.seed.wrapping_add((self.number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let unit = (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64;
        1.0 + self.terms.wavers * (2.0 * unit - 1.0)
    }
}

impl Drivers for Network<'_> {
    type Driver = Sim;

    fn now_ns(&self) -> u64 {
        0
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn allowance(&self) -> Allowance {
        Allowance { descriptors: self.terms.machine.descriptors, ports: u64::MAX }
    }

    fn peak_rss_bytes(&self) -> u64 {
        0
    }

    fn open(&self, worker: u32, capacity: u32) -> io::Result<Sim> {
        let seed = self.seed.wrapping_mul(31).wrapping_add(u64::from(worker));
        let pace = self.pace();
        let peer = Box::new(Switchboard { pace, lines: Vec::new(), links: HashMap::new() });
        let latency_ns = (self.terms.link.latency_ns as f64 * pace) as u64;
        let link = Link { latency_ns, ..self.terms.link };
        Ok(Sim::new(peer, link, self.terms.machine, seed, capacity))
    }
}

/// Puts connections through to the servers at the addresses that are dialled.
#[derive(Debug)]
struct Switchboard {
    /// Of the servers.
    pace: f64,
    lines: Vec<(Target, SimulatedLine)>,
    /// Line of each connection.
    links: HashMap<u64, usize>,
}

impl Peer for Switchboard {
    fn dialed(&mut self, _link: u64) -> Accept {
        Accept::Refuse
    }

    fn dialed_at(&mut self, link: u64, to: &Target) -> Accept {
        let known = self.lines.iter().position(|(target, _)| target.addresses == to.addresses);
        let at = match (known, server_at(to)) {
            (Some(at), _) => at,
            (None, Some(server)) => {
                self.lines.push((to.clone(), server.line(self.pace)));
                self.lines.len() - 1
            }
            (None, None) => return Accept::Refuse,
        };
        self.links.insert(link, at);
        self.lines[at].1.accept(link);
        Accept::Yes
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some(at) = self.links.get(&link) else { return };
        let acts = self.lines[*at].1.receive(link, bytes, now_ns);
        replies.extend(acts.into_iter().map(|(at_ns, act)| match act {
            Act::Send(bytes) => (at_ns, Reply::Bytes(bytes)),
            Act::Fin => (at_ns, Reply::Fin),
            Act::Reset => (at_ns, Reply::Reset),
        }));
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.closed_at(link, u64::MAX);
    }

    fn closed_at(&mut self, link: u64, now_ns: u64) {
        if let Some(at) = self.links.remove(&link) {
            self.lines[at].1.close(link, now_ns);
        }
    }
}
