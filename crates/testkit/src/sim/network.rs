//! The simulated network of one worker: a queue of happenings in virtual time.

use super::peer::{Accept, Peer, Reply};
use super::{Link, Machine};
use proofload_engine::driver::{
    Close, Conn, Delayed, DialFault, Dialed, Driver, Handler, Net, Polled, Pushed, Wake,
};
use proofload_engine::load::Random;
use proofload_engine::{DriverChoice, Target};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::io;
use std::net::IpAddr;

/// Most happenings that are handed over in one poll, as under epoll.
const POLL_EVENTS: usize = 64;
/// Bytes after which a poll ends, as under epoll.
const POLL_BYTES: usize = 256 * 1024;
/// Name of the random stream of a network.
const WIRES: u64 = 0x7769_7265;

/// A driver over a simulated network.
#[derive(Debug)]
pub struct Sim {
    net: SimNet,
}

/// The connections of one worker, simulated.
#[derive(Debug)]
pub struct SimNet {
    now_ns: u64,
    cpu_ns: u64,
    delayed_ns: u64,
    link: Link,
    machine: Machine,
    random: Random,
    peer: Box<dyn Peer>,
    queue: BinaryHeap<Happening>,
    /// Numbers happenings, so that those of one instant keep their order.
    counter: u64,
    wires: Vec<Wire>,
    next_link: u64,
    /// Links that the peer has ended, and whether by a reset; known at the peer's end.
    ended: HashMap<u64, bool>,
    open: u64,
    /// Instants at which ports in TIME_WAIT are free again.
    time_wait: VecDeque<u64>,
}

#[derive(Clone, Debug, Default)]
struct Wire {
    /// Id of the link that uses this number; 0 without one.
    link: u64,
    established: bool,
    /// The peer's end of the connection, once this side knows it.
    told: Option<Close>,
    writable_at_ns: u64,
    /// From when on a send takes bytes again.
    room_at_ns: u64,
    /// True if the last send was cut short.
    wants_write: bool,
    /// Arrival of the last segment in each direction; later ones come no earlier.
    outbound_ns: u64,
    inbound_ns: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Happening {
    at_ns: u64,
    number: u64,
    conn: Conn,
    link: u64,
    what: What,
}

#[derive(Debug, PartialEq, Eq)]
enum What {
    Dialed(Result<(), DialFault>),
    Bytes(Vec<u8>),
    Ended(Close),
    Writable,
    Request(Vec<u8>),
    Left,
    Emit(Reply),
}

impl Ord for Happening {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap yields its greatest: the earliest.
        (other.at_ns, other.number).cmp(&(self.at_ns, self.number))
    }
}

impl PartialOrd for Happening {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl What {
    fn is_the_peers(&self) -> bool {
        matches!(self, What::Request(_) | What::Left | What::Emit(_))
    }
}

impl Sim {
    /// A driver for connections 0 to `capacity` to that peer.
    pub fn new(peer: Box<dyn Peer>, link: Link, machine: Machine, seed: u64, capacity: u32) -> Self {
        let net = SimNet {
            now_ns: 0,
            cpu_ns: 0,
            delayed_ns: 0,
            link: Link { latency_ns: link.latency_ns.max(1), ..link },
            machine,
            random: Random::new(seed, WIRES),
            peer,
            queue: BinaryHeap::new(),
            counter: 0,
            wires: vec![Wire::default(); capacity as usize],
            next_link: 1,
            ended: HashMap::new(),
            open: 0,
            time_wait: VecDeque::new(),
        };
        Sim { net }
    }

    /// Hands one event to the worker; returns whether it still mattered.
    fn hand_over<H: Handler<SimNet>>(&mut self, happening: Happening, handler: &mut H) -> bool {
        let Happening { conn, link, what, .. } = happening;
        let net = &mut self.net;
        if net.wires[conn as usize].link != link {
            return false;
        }
        match what {
            What::Dialed(result) => {
                match result {
                    Ok(()) => net.wires[conn as usize].established = true,
                    Err(_) => net.forget(conn),
                }
                handler.dialed(net, conn, result);
            }
            What::Bytes(bytes) => handler.received(net, conn, &bytes),
            What::Writable => {
                if std::mem::take(&mut net.wires[conn as usize].wants_write) {
                    handler.writable(net, conn);
                }
            }
            What::Ended(how) => {
                net.wires[conn as usize].told = Some(how);
                handler.closed(net, conn, how);
            }
            What::Request(_) | What::Left | What::Emit(_) => return false,
        }
        net.spend(net.machine.handle_cost_ns);
        true
    }
}

impl Driver for Sim {
    type Net = SimNet;

    /// Name of the driver that it replaces: no other driver's records are read.
    fn name(&self) -> &'static str {
        DriverChoice::Epoll.name()
    }

    fn net(&mut self) -> &mut SimNet {
        &mut self.net
    }

    fn poll<H: Handler<SimNet>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Polled> {
        let mut waited_ns = 0;
        let (mut handed, mut bytes) = (0, 0);
        while handed < POLL_EVENTS && bytes < POLL_BYTES {
            let next_ns = self.net.queue.peek().map_or(u64::MAX, |next| next.at_ns);
            if next_ns > self.net.now_ns {
                if handed > 0 {
                    break;
                }
                let until = next_ns.min(wake.at_ns.max(self.net.now_ns));
                let resumes_ns = self.net.machine.stall.map_or(until, |stall| stall.over_ns(until));
                self.net.delayed_ns += resumes_ns - until;
                waited_ns += resumes_ns - self.net.now_ns;
                self.net.now_ns = resumes_ns;
                if next_ns > resumes_ns {
                    waited_ns += self.net.machine.wakes_late_ns;
                    self.net.now_ns += self.net.machine.wakes_late_ns;
                    break;
                }
            }
            let Some(happening) = self.net.queue.pop() else { break };
            if let What::Bytes(segment) = &happening.what {
                bytes += segment.len();
            }
            if happening.what.is_the_peers() {
                self.net.play(happening);
            } else if self.hand_over(happening, handler) {
                handed += 1;
            }
        }
        Ok(Polled { waited_ns })
    }
}

impl Drop for SimNet {
    /// Segments on their way to the peer still arrive there, so that its counts are whole.
    fn drop(&mut self) {
        while let Some(happening) = self.queue.pop() {
            if happening.what.is_the_peers() {
                self.play(happening);
            }
        }
    }
}

impl SimNet {
    fn spend(&mut self, cost_ns: u64) {
        self.now_ns += cost_ns;
        self.cpu_ns += cost_ns;
    }

    fn push(&mut self, at_ns: u64, conn: Conn, link: u64, what: What) {
        self.counter += 1;
        self.queue.push(Happening { at_ns, number: self.counter, conn, link, what });
    }

    fn forget(&mut self, conn: Conn) {
        self.wires[conn as usize] = Wire::default();
        self.open -= 1;
    }

    fn delay(&mut self) -> u64 {
        let jitter = if self.link.jitter_ns > 0 { self.random.below(self.link.jitter_ns + 1) } else { 0 };
        self.link.latency_ns + jitter
    }

    /// Lets the peer do what it does at that instant.
    fn play(&mut self, happening: Happening) {
        let Happening { at_ns, conn, link, what, .. } = happening;
        let ended = self.ended.get(&link).copied();
        match what {
            What::Request(bytes) => match ended {
                Some(reset) => self.peer.lost(link, &bytes, reset),
                None => {
                    let mut replies = Vec::new();
                    self.peer.received(link, &bytes, at_ns, &mut replies);
                    for (reply_ns, reply) in replies {
                        self.push(reply_ns.max(at_ns), conn, link, What::Emit(reply));
                    }
                }
            },
            What::Left => {
                self.ended.remove(&link);
                self.peer.closed_at(link, at_ns);
            }
            What::Emit(reply) if self.wires[conn as usize].link == link && ended.is_none() => {
                self.emit(at_ns, conn, link, reply);
            }
            _ => {}
        }
    }

    /// Puts a reply on its way.
    fn emit(&mut self, at_ns: u64, conn: Conn, link: u64, reply: Reply) {
        let arrive = |net: &mut SimNet, what: What| {
            let arrival = (at_ns + net.delay()).max(net.wires[conn as usize].inbound_ns);
            net.wires[conn as usize].inbound_ns = arrival;
            net.push(arrival, conn, link, what);
        };
        match reply {
            Reply::Bytes(bytes) if self.link.segment_max == 0 => arrive(self, What::Bytes(bytes)),
            Reply::Bytes(bytes) => {
                let mut rest = bytes.as_slice();
                while !rest.is_empty() {
                    let most = self.link.segment_max.min(rest.len()) as u64;
                    let (segment, later) = rest.split_at(1 + self.random.below(most) as usize);
                    arrive(self, What::Bytes(segment.to_vec()));
                    rest = later;
                }
            }
            Reply::Fin => {
                self.ended.insert(link, false);
                arrive(self, What::Ended(Close::Fin));
            }
            Reply::Reset => {
                self.ended.insert(link, true);
                arrive(self, What::Ended(Close::Reset));
            }
        }
    }
}

impl Net for SimNet {
    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn cpu_ns(&self) -> u64 {
        self.cpu_ns
    }

    fn delayed(&self) -> Option<Delayed> {
        self.machine.tells_delays.then_some(Delayed { ns: self.delayed_ns, runs: 0 })
    }

    fn dial(&mut self, conn: Conn, to: &Target, _from: Option<IpAddr>) -> Dialed {
        debug_assert_eq!(self.wires[conn as usize].link, 0, "connection {conn} is in use");
        while self.time_wait.front().is_some_and(|free_ns| *free_ns <= self.now_ns) {
            self.time_wait.pop_front();
        }
        if self.open >= self.machine.sockets_max {
            return Dialed::Failed(DialFault::NoDescriptor);
        }
        if self.open + self.time_wait.len() as u64 >= self.machine.ports {
            return Dialed::Failed(DialFault::NoPort);
        }
        let link = self.next_link;
        self.next_link += 1;
        self.open += 1;
        self.wires[conn as usize] = Wire { link, ..Wire::default() };
        let answer_ns = self.now_ns + self.delay() + self.delay();
        match self.peer.dialed_at(link, to) {
            Accept::Yes => self.push(answer_ns, conn, link, What::Dialed(Ok(()))),
            Accept::Refuse => self.push(answer_ns, conn, link, What::Dialed(Err(DialFault::Refused))),
            Accept::Silence => {}
        }
        Dialed::Pending
    }

    fn send(&mut self, conn: Conn, bytes: &[u8]) -> Pushed {
        self.spend(self.machine.send_cost_ns);
        let wire = &self.wires[conn as usize];
        if !wire.established {
            return Pushed::Failed;
        }
        if wire.told == Some(Close::Reset) {
            return Pushed::Reset;
        }
        let room = match self.link.send_room {
            0 => bytes.len(),
            _ if wire.room_at_ns > self.now_ns => 0,
            room => room.min(bytes.len()),
        };
        let link = wire.link;
        let is_short = room < bytes.len();
        let wire = &mut self.wires[conn as usize];
        wire.wants_write = is_short;
        if is_short && wire.room_at_ns <= self.now_ns {
            let soon_ns = if self.link.drains_ns > 0 { self.link.drains_ns } else { self.link.latency_ns };
            wire.room_at_ns = self.now_ns + soon_ns;
        }
        if is_short && wire.writable_at_ns <= self.now_ns {
            let writable_ns = self.now_ns + self.link.latency_ns;
            wire.writable_at_ns = writable_ns;
            self.push(writable_ns, conn, link, What::Writable);
        }
        if room > 0 {
            let arrival = (self.now_ns + self.delay()).max(self.wires[conn as usize].outbound_ns);
            self.wires[conn as usize].outbound_ns = arrival;
            self.push(arrival, conn, link, What::Request(bytes[..room].to_vec()));
        }
        Pushed::Took(room)
    }

    fn close(&mut self, conn: Conn) {
        let wire = self.wires[conn as usize].clone();
        if wire.link == 0 {
            return;
        }
        if wire.established && wire.told.is_none() {
            self.time_wait.push_back(self.now_ns + self.machine.time_wait_ns);
        }
        let arrival = (self.now_ns + self.link.latency_ns).max(wire.outbound_ns);
        self.push(arrival, conn, wire.link, What::Left);
        self.forget(conn);
    }
}
