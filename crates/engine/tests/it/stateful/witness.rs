//! A driver over the simulated network that writes down what crosses it, ends what hangs, and can be made to err.

use proofload_engine::driver::{
    Allowance, Close, Conn, DialFault, Dialed, Driver, Drivers, Handler, Net, Polled, Pushed, Wake,
};
use proofload_engine::{Target, Watch};
use proofload_testkit::sim::{Link, Machine, Peer, Sim, SimNet};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// No case lasts longer than this in virtual time.
const LONGEST_NS: u64 = 400_000_000_000;
/// Nor does it take more turns, or more of them at one instant.
const TURNS_MAX: u64 = 2_000_000;
const TURNS_AT_ONCE: u64 = 20_000;

/// A fault that is planted between worker and network, for the laws to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Canary {
    /// None.
    Well,
    /// One of every N receives is not handed over.
    LosesBytes(u64),
    /// One of every N receives is handed over twice.
    DoublesBytes(u64),
    /// One of every N closes is forgotten, and the connection stays open.
    ForgetsClose(u64),
    /// One of every N sends is reported as taken and is not.
    SwallowsSend(u64),
    /// The worker's books lack an exchange that was never sent.
    ForgetsTick,
    /// They have one exchange twice.
    SettlesTwice,
}

/// Events that a witness saw.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Bytes that the network took and gave, with their instants.
    pub taken: Vec<(u64, u64)>,
    pub handed: Vec<(u64, u64)>,
    /// Requests of which the network took the first byte.
    pub begun: u64,
    /// Connections that are not closed.
    pub open: u64,
}

type PeerOf<'a> = &'a (dyn Fn(u32) -> Box<dyn Peer> + Sync);

/// Drivers with a witness each.
pub struct Witnessed<'a> {
    peers: PeerOf<'a>,
    link: Link,
    machine: Machine,
    canary: Canary,
    stop: Option<(u64, Arc<Watch>)>,
    notes: Arc<Mutex<Notes>>,
}

impl<'a> Witnessed<'a> {
    pub fn new(
        peers: PeerOf<'a>,
        link: Link,
        machine: Machine,
        canary: Canary,
        stop: Option<(u64, Arc<Watch>)>,
    ) -> Self {
        Witnessed { peers, link, machine, canary, stop, notes: Arc::default() }
    }

    /// Of all workers together.
    pub fn notes(&self) -> Notes {
        self.notes.lock().map_or_else(|e| e.into_inner().clone(), |notes| notes.clone())
    }
}

impl Drivers for Witnessed<'_> {
    type Driver = Witness;

    fn now_ns(&self) -> u64 {
        0
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn allowance(&self) -> Allowance {
        Allowance { descriptors: None, ports: u64::MAX }
    }

    fn peak_rss_bytes(&self) -> u64 {
        0
    }

    fn open(&self, worker: u32, capacity: u32) -> io::Result<Witness> {
        let sim = Sim::new((self.peers)(worker), self.link, self.machine, u64::from(worker), capacity);
        let net = WitnessNet {
            sim,
            now_ns: 0,
            canary: self.canary,
            counted: 0,
            conns: vec![ConnState::default(); capacity as usize],
            mine: Notes::default(),
            notes: Arc::clone(&self.notes),
        };
        Ok(Witness { net, stop: self.stop.clone(), turns: 0, at_once: 0 })
    }
}

/// A driver that gathers what happens in a turn and hands it on behind it.
pub struct Witness {
    net: WitnessNet,
    stop: Option<(u64, Arc<Watch>)>,
    turns: u64,
    at_once: u64,
}

/// The connections of one worker, watched.
pub struct WitnessNet {
    sim: Sim,
    now_ns: u64,
    canary: Canary,
    counted: u64,
    conns: Vec<ConnState>,
    mine: Notes,
    notes: Arc<Mutex<Notes>>,
}

#[derive(Clone, Debug, Default)]
struct ConnState {
    open: bool,
    /// Use of the number.
    uses: u64,
    /// Bytes of the present request that have not been taken.
    left: usize,
}

enum Happened {
    Dialed(Result<(), DialFault>),
    Bytes(Vec<u8>),
    Writable,
    Closed(Close),
}

#[derive(Default)]
struct Gather(Vec<(Conn, Happened)>);

impl Handler<SimNet> for Gather {
    fn dialed(&mut self, _net: &mut SimNet, conn: Conn, result: Result<(), DialFault>) {
        self.0.push((conn, Happened::Dialed(result)));
    }

    fn received(&mut self, _net: &mut SimNet, conn: Conn, bytes: &[u8]) {
        self.0.push((conn, Happened::Bytes(bytes.to_vec())));
    }

    fn writable(&mut self, _net: &mut SimNet, conn: Conn) {
        self.0.push((conn, Happened::Writable));
    }

    fn closed(&mut self, _net: &mut SimNet, conn: Conn, how: Close) {
        self.0.push((conn, Happened::Closed(how)));
    }
}

impl Driver for Witness {
    type Net = WitnessNet;

    fn name(&self) -> &'static str {
        "witness"
    }

    fn net(&mut self) -> &mut WitnessNet {
        &mut self.net
    }

    fn poll<H: Handler<WitnessNet>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Polled> {
        let mut gather = Gather::default();
        let polled = self.net.sim.poll(wake, &mut gather)?;
        let before_ns = self.net.now_ns;
        self.net.look();
        self.turns += 1;
        self.at_once = if self.net.now_ns == before_ns { self.at_once + 1 } else { 0 };
        assert!(self.net.now_ns < LONGEST_NS, "it goes on for ever: {} turns", self.turns);
        assert!(self.turns < TURNS_MAX && self.at_once < TURNS_AT_ONCE, "it turns and time stands still");
        if let Some((_, watch)) = self.stop.as_ref().filter(|(at_ns, _)| *at_ns <= self.net.now_ns) {
            watch.stop.store(true, Ordering::Relaxed);
        }
        let uses: Vec<u64> = gather.0.iter().map(|(conn, _)| self.net.conns[*conn as usize].uses).collect();
        for ((conn, what), uses) in gather.0.into_iter().zip(uses) {
            let place = &mut self.net.conns[conn as usize];
            if place.uses == uses && (place.open || matches!(what, Happened::Dialed(Err(_)))) {
                self.net.hand_over(handler, conn, what);
            }
        }
        Ok(polled)
    }
}

impl WitnessNet {
    fn look(&mut self) {
        self.now_ns = self.sim.net().now_ns();
    }

    /// True if the planted fault strikes now.
    fn strikes(&mut self, every: u64) -> bool {
        self.counted += 1;
        self.counted.is_multiple_of(every)
    }

    fn hand_over<H: Handler<Self>>(&mut self, handler: &mut H, conn: Conn, what: Happened) {
        match what {
            Happened::Dialed(result) => {
                if result.is_err() {
                    self.ended(conn);
                }
                handler.dialed(self, conn, result);
            }
            Happened::Bytes(bytes) => {
                self.mine.handed.push((self.now_ns, bytes.len() as u64));
                let times = match self.canary {
                    Canary::LosesBytes(every) => u64::from(!self.strikes(every)),
                    Canary::DoublesBytes(every) => 1 + u64::from(self.strikes(every)),
                    _ => 1,
                };
                (0..times).for_each(|_| handler.received(self, conn, &bytes));
            }
            Happened::Writable => handler.writable(self, conn),
            Happened::Closed(how) => handler.closed(self, conn, how),
        }
    }

    fn ended(&mut self, conn: Conn) {
        let place = &mut self.conns[conn as usize];
        self.mine.open -= u64::from(place.open);
        *place = ConnState { open: false, uses: place.uses + 1, left: 0 };
    }
}

impl Net for WitnessNet {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn cpu_ns(&self) -> u64 {
        0
    }

    fn dial(&mut self, conn: Conn, to: &Target, from: Option<IpAddr>) -> Dialed {
        assert!(!self.conns[conn as usize].open, "connection {conn} is dialed twice");
        let dialed = self.sim.net().dial(conn, to, from);
        self.look();
        if !matches!(dialed, Dialed::Failed(_)) {
            self.conns[conn as usize].open = true;
            self.mine.open += 1;
        }
        dialed
    }

    fn send(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        assert!(self.conns[conn as usize].open, "a send on connection {conn}, which is closed");
        if let Canary::SwallowsSend(every) = self.canary
            && self.strikes(every)
        {
            return Pushed::Took(bytes.len());
        }
        let pushed = self.sim.net().send(conn, bytes);
        self.look();
        if let Pushed::Took(took @ 1..) = pushed {
            let place = &mut self.conns[conn as usize];
            self.mine.begun += u64::from(place.left == 0);
            place.left = bytes.len() - took;
            self.mine.taken.push((self.now_ns, took as u64));
        }
        pushed
    }

    fn close(&mut self, conn: Conn) {
        if !self.conns[conn as usize].open {
            return;
        }
        if let Canary::ForgetsClose(every) = self.canary
            && self.strikes(every)
        {
            return;
        }
        self.sim.net().close(conn);
        self.look();
        self.ended(conn);
    }
}

impl Drop for WitnessNet {
    fn drop(&mut self) {
        let Ok(mut notes) = self.notes.lock() else { return };
        notes.taken.append(&mut self.mine.taken);
        notes.handed.append(&mut self.mine.handed);
        notes.begun += self.mine.begun;
        notes.open += self.mine.open;
    }
}
