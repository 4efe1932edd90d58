//! Requirements on every driver, run over all of them: epoll and io_uring against a scripted peer on the
//! loopback address, and the simulation against the same scripts in virtual time.

mod kernels;

use crate::drivers::is_usable;
use crate::sim::secured::{TlsFront, secured};
use proofload_engine::driver::{
    Close, Conn, DialFault, Dialed, Driver, Epoll, Handler, Net, Pushed, Sent, Uring, Wake,
};
use proofload_engine::transport::{Layer, Secured};
use proofload_engine::{DriverChoice, GeneratorSettings, Target};
use proofload_testkit::sim::{Front, Link, Machine, ScriptPeer, ScriptStep as SimStep, Sim};
use proofload_testkit::tls::Speaks;
use proofload_testkit::{Refusing, ScriptStep, ScriptedPeer, refusing_address};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A case that takes longer, in the time of its driver, has failed.
const PATIENCE_NS: u64 = 20_000_000_000;
const CAPACITY: u32 = 4;

/// Events, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Dialed(Conn, Result<(), DialFault>),
    Closed(Conn, Close),
    Writable(Conn),
    Unsent(Conn),
}

/// Writes everything down, sends what it was told to, and closes what the peer has ended.
#[derive(Debug, Default)]
struct Notes {
    seen: Vec<Seen>,
    received: Vec<Vec<u8>>,
    calls: u64,
    unsent: Vec<u8>,
    /// Bytes that the kernel took, as reported.
    told: usize,
    /// Sends that were queued and whose end was not reported.
    queued: usize,
    /// Instant at which the kernel took the bytes that had been queued last.
    left_ns: Option<u64>,
    /// To dial again, under the same number, as soon as the peer has ended a connection.
    again: Option<Target>,
}

impl Notes {
    fn new() -> Self {
        Notes { received: vec![Vec::new(); CAPACITY as usize], ..Notes::default() }
    }

    fn of(&self, conn: Conn) -> &[u8] {
        &self.received[conn as usize]
    }

    fn closed(&self, conn: Conn) -> Option<Close> {
        self.seen.iter().find_map(|seen| match seen {
            Seen::Closed(of, how) if *of == conn => Some(*how),
            _ => None,
        })
    }

    fn push<N: Net>(&mut self, net: &mut N, conn: Conn) {
        match net.send(conn, &self.unsent) {
            Pushed::Took(took) => {
                self.unsent.drain(..took);
                self.told += took;
            }
            Pushed::Queued => {
                self.queued += 1;
                self.unsent.clear();
            }
            Pushed::Failed => self.seen.push(Seen::Unsent(conn)),
            Pushed::Reset => {}
        }
    }
}

impl<N: Net> Handler<N> for Notes {
    fn dialed(&mut self, _net: &mut N, conn: Conn, result: Result<(), DialFault>) {
        self.seen.push(Seen::Dialed(conn, result));
    }

    fn received(&mut self, _net: &mut N, conn: Conn, bytes: &[u8]) {
        assert!(!bytes.is_empty());
        self.calls += 1;
        self.received[conn as usize].extend_from_slice(bytes);
    }

    fn sent(&mut self, _net: &mut N, conn: Conn, sent: Sent) {
        match sent.pushed {
            Pushed::Took(took) => {
                assert!(self.queued > 0, "it is told once");
                self.queued -= 1;
                self.told += took;
                self.left_ns = Some(sent.at_ns);
            }
            _ => self.seen.push(Seen::Unsent(conn)),
        }
    }

    fn writable(&mut self, net: &mut N, conn: Conn) {
        self.seen.push(Seen::Writable(conn));
        self.push(net, conn);
    }

    fn closed(&mut self, net: &mut N, conn: Conn, how: Close) {
        self.seen.push(Seen::Closed(conn, how));
        net.close(conn);
        if let Some(target) = self.again.take() {
            match net.dial(conn, &target, None) {
                Dialed::Established => self.seen.push(Seen::Dialed(conn, Ok(()))),
                Dialed::Pending => {}
                Dialed::Failed(fault) => panic!("{fault:?}"),
            }
        }
    }
}

/// A driver, and peers for it.
trait Ground {
    type Driver: Driver;

    /// A driver and the address of a peer that plays those scripts.
    fn build(scripts: Vec<Vec<ScriptStep>>) -> Self;
    fn driver(&mut self) -> &mut Self::Driver;
    fn address(&self) -> SocketAddr;
    /// The peer as what to dial.
    fn target(&self) -> Target {
        self.address().into()
    }
    /// An address that refuses.
    fn refusing(&self) -> SocketAddr;
    /// Bytes that the peer received on each connection, once all have ended.
    fn finish(self) -> Vec<Vec<u8>>;
}

/// A driver of the kernel's sockets.
trait Kernels: Driver {
    fn make() -> Self;
}

impl Kernels for Epoll {
    fn make() -> Self {
        Epoll::new(CAPACITY, GeneratorSettings::EVENTS).unwrap()
    }
}

impl Kernels for Uring {
    fn make() -> Self {
        Uring::new(CAPACITY, GeneratorSettings::EVENTS).unwrap()
    }
}

struct Live<D> {
    driver: D,
    peer: Option<ScriptedPeer>,
    address: SocketAddr,
    refusing: (SocketAddr, Refusing),
}

impl<D: Kernels> Ground for Live<D> {
    type Driver = D;

    fn build(scripts: Vec<Vec<ScriptStep>>) -> Self {
        let peer = ScriptedPeer::start(scripts).unwrap();
        let address = peer.address();
        Live { driver: D::make(), peer: Some(peer), address, refusing: refusing_address().unwrap() }
    }

    fn driver(&mut self) -> &mut D {
        &mut self.driver
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn refusing(&self) -> SocketAddr {
        self.refusing.0
    }

    fn finish(mut self) -> Vec<Vec<u8>> {
        (0..CAPACITY).for_each(|conn| self.driver.net().close(conn));
        let plays = self.peer.take().unwrap().finish().unwrap();
        plays.into_iter().map(|play| play.received).collect()
    }
}

struct Simulated {
    driver: Sim,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// A simulated peer of those scripts, and where it keeps what it receives.
fn script_peer(scripts: Vec<Vec<ScriptStep>>) -> (ScriptPeer, Arc<Mutex<Vec<Vec<u8>>>>) {
    let step = |step: ScriptStep| match step {
        ScriptStep::Await(n) => SimStep::Await(n),
        ScriptStep::Send(bytes) => SimStep::Send(bytes),
        ScriptStep::Pause(time) => SimStep::Pause(time.as_nanos() as u64),
        ScriptStep::Fin => SimStep::Fin,
        ScriptStep::Reset => SimStep::Reset,
        other => unreachable!("the simulated peer plays no {other:?}"),
    };
    let scripts = scripts.into_iter().map(|script| script.into_iter().map(step).collect()).collect();
    let received = Arc::new(Mutex::new(Vec::new()));
    (ScriptPeer::new(scripts, Arc::clone(&received)), received)
}

impl Simulated {
    fn with(link: Link, scripts: Vec<Vec<ScriptStep>>) -> Self {
        let (peer, received) = script_peer(scripts);
        let driver = Sim::new(Box::new(peer), link, Machine::default(), 5, CAPACITY);
        Simulated { driver, received }
    }
}

/// A simulated peer that speaks TLS, and the layer that does over the simulated driver.
struct SecuredSim {
    driver: Secured<Sim>,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Ground for SecuredSim {
    type Driver = Secured<Sim>;

    fn build(scripts: Vec<Vec<ScriptStep>>) -> Self {
        // Less than what is encrypted at once.
        let link = Link { jitter_ns: 9_000, segment_max: 65_536, send_room: 50_000, ..Link::default() };
        let (peer, received) = script_peer(scripts);
        let peer = TlsFront::new(&Speaks::default()).before(Box::new(peer));
        let sim = Sim::new(peer, link, Machine::default(), 5, CAPACITY);
        let layer = Layer::new(&[secured()], false, CAPACITY, None).unwrap().unwrap();
        SecuredSim { driver: Secured::new(sim, layer), received }
    }

    fn driver(&mut self) -> &mut Secured<Sim> {
        &mut self.driver
    }

    fn address(&self) -> SocketAddr {
        secured().addresses.tcp().unwrap()
    }

    fn target(&self) -> Target {
        secured()
    }

    fn refusing(&self) -> SocketAddr {
        self.address()
    }

    fn finish(mut self) -> Vec<Vec<u8>> {
        (0..CAPACITY).for_each(|conn| self.driver.net().close(conn));
        drop(self.driver);
        self.received.lock().unwrap().clone()
    }
}

impl Ground for Simulated {
    type Driver = Sim;

    fn build(scripts: Vec<Vec<ScriptStep>>) -> Self {
        Simulated::with(
            Link { jitter_ns: 9_000, segment_max: 65_536, send_room: 100_000, ..Link::default() },
            scripts,
        )
    }

    fn driver(&mut self) -> &mut Sim {
        &mut self.driver
    }

    fn address(&self) -> SocketAddr {
        "127.0.0.1:80".parse().unwrap()
    }

    fn refusing(&self) -> SocketAddr {
        // A peer without scripts left refuses.
        self.address()
    }

    fn finish(mut self) -> Vec<Vec<u8>> {
        (0..CAPACITY).for_each(|conn| self.driver.net().close(conn));
        drop(self.driver);
        self.received.lock().unwrap().clone()
    }
}

/// Turns until that is so.
fn until<G: Ground>(ground: &mut G, notes: &mut Notes, so: impl Fn(&Notes) -> bool) {
    let end_ns = ground.driver().net().now_ns() + PATIENCE_NS;
    while !so(notes) {
        let now_ns = ground.driver().net().now_ns();
        assert!(now_ns < end_ns, "did not happen: {:?}", notes.seen);
        let wake = Wake { at_ns: now_ns + 50_000_000, exact: false };
        ground.driver().poll(wake, notes).unwrap();
    }
}

fn dial<G: Ground>(ground: &mut G, notes: &mut Notes, conn: Conn) {
    let target = ground.target();
    match ground.driver().net().dial(conn, &target, None) {
        Dialed::Established => {}
        Dialed::Pending => until(ground, notes, |n| n.seen.contains(&Seen::Dialed(conn, Ok(())))),
        Dialed::Failed(fault) => panic!("{fault:?}"),
    }
}

/// Sends all of that, with as many calls as it takes.
fn send_all<G: Ground>(ground: &mut G, notes: &mut Notes, conn: Conn, bytes: &[u8]) {
    notes.unsent = bytes.to_vec();
    notes.push(ground.driver().net(), conn);
    until(ground, notes, |n| n.unsent.is_empty() && n.queued == 0);
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 % 251) as u8).collect()
}

fn what_is_sent_arrives_and_what_arrives_is_whole_and_in_order<G: Ground>() {
    let answer = pattern(100_000);
    let mut ground = G::build(vec![vec![ScriptStep::Await(5), ScriptStep::Send(answer.clone())]]);
    let mut notes = Notes::new();
    dial(&mut ground, &mut notes, 2);
    send_all(&mut ground, &mut notes, 2, b"hello");
    until(&mut ground, &mut notes, |n| n.of(2).len() >= answer.len());
    assert_eq!(notes.of(2), answer);
    assert_eq!(ground.finish(), [b"hello".to_vec()]);
}

fn a_refused_connection_is_told_as_one_and_frees_its_number<G: Ground>() {
    let mut ground = G::build(Vec::new());
    let mut notes = Notes::new();
    for _ in 0..2 {
        let address = ground.refusing();
        notes.seen.clear();
        match ground.driver().net().dial(0, &address.into(), None) {
            Dialed::Failed(fault) => assert_eq!(fault, DialFault::Refused),
            Dialed::Established => panic!("somebody listens at {address}"),
            Dialed::Pending => until(&mut ground, &mut notes, |n| !n.seen.is_empty()),
        }
        assert!(notes.seen.is_empty() || notes.seen == [Seen::Dialed(0, Err(DialFault::Refused))]);
    }
}

/// Dials with a request, and sees to it that all of it is sent, whatever the dial came to.
fn dial_with<G: Ground>(ground: &mut G, notes: &mut Notes, conn: Conn, request: &[u8]) {
    let target = ground.target();
    let before_ns = ground.driver().net().now_ns();
    let (dialed, sent) = ground.driver().net().dial_sending(conn, &target, None, request);
    assert_eq!(sent.is_some(), dialed == Dialed::Established);
    notes.unsent = request.to_vec();
    match (dialed, sent) {
        (Dialed::Established, Some(sent)) => {
            assert!(sent.at_ns >= before_ns && sent.at_ns <= ground.driver().net().now_ns());
            match sent.pushed {
                Pushed::Took(took) => {
                    notes.unsent.drain(..took);
                }
                Pushed::Queued => {
                    notes.queued += 1;
                    notes.unsent.clear();
                }
                failed => panic!("{failed:?}"),
            }
        }
        (Dialed::Pending, None) => {
            until(ground, notes, |n| n.seen.contains(&Seen::Dialed(conn, Ok(()))));
            notes.push(ground.driver().net(), conn);
        }
        other => panic!("{other:?}"),
    }
    until(ground, notes, |n| n.unsent.is_empty() && n.queued == 0);
}

fn a_request_sent_with_its_dial_arrives_once_and_more_may_follow<G: Ground>() {
    let script = vec![
        ScriptStep::Await(5),
        ScriptStep::Send(b"one".to_vec()),
        ScriptStep::Await(3),
        ScriptStep::Send(b"two".to_vec()),
        ScriptStep::Fin,
    ];
    let mut ground = G::build(vec![script]);
    let mut notes = Notes::new();
    dial_with(&mut ground, &mut notes, 1, b"hello");
    until(&mut ground, &mut notes, |n| n.of(1) == b"one");
    send_all(&mut ground, &mut notes, 1, b"and");
    until(&mut ground, &mut notes, |n| n.closed(1) == Some(Close::Fin));
    assert_eq!(notes.of(1), b"onetwo");
    assert_eq!(ground.finish(), [b"helloand".to_vec()]);
}

fn a_long_request_sent_with_its_dial_goes_on_when_it_can<G: Ground>() {
    let request = pattern(12_000_000);
    let script = vec![
        ScriptStep::Await(1),
        ScriptStep::Pause(Duration::from_millis(30)),
        ScriptStep::Await(request.len() - 1),
        ScriptStep::Send(b"thanks".to_vec()),
    ];
    let mut ground = G::build(vec![script]);
    let mut notes = Notes::new();
    dial_with(&mut ground, &mut notes, 0, &request);
    assert!(notes.seen.contains(&Seen::Writable(0)), "12 MB fitted at once");
    until(&mut ground, &mut notes, |n| n.of(0) == b"thanks");
    assert_eq!(ground.finish(), [request]);
}

fn a_refused_connection_takes_no_request_and_frees_its_number<G: Ground>() {
    let mut ground = G::build(Vec::new());
    let mut notes = Notes::new();
    for _ in 0..2 {
        let address = ground.refusing();
        notes.seen.clear();
        match ground.driver().net().dial_sending(0, &address.into(), None, b"hello") {
            (Dialed::Failed(fault), None) => assert_eq!(fault, DialFault::Refused),
            (Dialed::Pending, None) => until(&mut ground, &mut notes, |n| !n.seen.is_empty()),
            other => panic!("somebody listens at {address}: {other:?}"),
        }
        assert!(notes.seen.is_empty() || notes.seen == [Seen::Dialed(0, Err(DialFault::Refused))]);
    }
}

fn an_end_comes_after_all_that_was_sent_before_it<G: Ground>() {
    let answer = pattern(300_000);
    let script = vec![ScriptStep::Await(1), ScriptStep::Send(answer.clone()), ScriptStep::Fin];
    let mut ground = G::build(vec![script]);
    let mut notes = Notes::new();
    dial(&mut ground, &mut notes, 0);
    send_all(&mut ground, &mut notes, 0, b"?");
    until(&mut ground, &mut notes, |n| n.closed(0).is_some());
    assert_eq!(notes.closed(0), Some(Close::Fin));
    assert_eq!(notes.of(0), answer);
}

fn an_end_right_behind_a_short_answer_is_not_missed<G: Ground>() {
    let script = vec![ScriptStep::Await(1), ScriptStep::Send(b"bye".to_vec()), ScriptStep::Fin];
    let mut ground = G::build(vec![script; 3]);
    let mut notes = Notes::new();
    for conn in 0..3 {
        dial(&mut ground, &mut notes, conn);
        send_all(&mut ground, &mut notes, conn, b"?");
    }
    until(&mut ground, &mut notes, |n| (0..3).all(|conn| n.closed(conn) == Some(Close::Fin)));
    assert!((0..3).all(|conn| notes.of(conn) == b"bye"));
}

fn a_reset_is_told_as_one<G: Ground>() {
    let mut ground = G::build(vec![vec![ScriptStep::Await(1), ScriptStep::Reset]]);
    let mut notes = Notes::new();
    dial(&mut ground, &mut notes, 0);
    send_all(&mut ground, &mut notes, 0, b"?");
    until(&mut ground, &mut notes, |n| n.closed(0).is_some());
    assert_eq!(notes.closed(0), Some(Close::Reset));
}

fn what_the_kernel_does_not_take_at_once_is_sent_when_it_can_be<G: Ground>() {
    let request = pattern(12_000_000);
    let script = vec![
        ScriptStep::Await(1),
        ScriptStep::Pause(Duration::from_millis(30)),
        ScriptStep::Await(request.len() - 1),
        ScriptStep::Send(b"thanks".to_vec()),
    ];
    let mut ground = G::build(vec![script]);
    let mut notes = Notes::new();
    dial(&mut ground, &mut notes, 1);
    send_all(&mut ground, &mut notes, 1, &request);
    assert!(notes.seen.contains(&Seen::Writable(1)), "12 MB fitted at once");
    until(&mut ground, &mut notes, |n| n.of(1) == b"thanks");
    assert_eq!(ground.finish(), [request]);
}

fn a_long_answer_is_handed_over_a_share_in_each_turn<G: Ground>() {
    let long = pattern(6_000_000);
    let mut ground = G::build(vec![vec![ScriptStep::Await(1), ScriptStep::Send(long.clone())]]);
    let mut notes = Notes::new();
    dial(&mut ground, &mut notes, 0);
    send_all(&mut ground, &mut notes, 0, b"?");
    while notes.of(0).len() < long.len() {
        let (before, calls) = (notes.of(0).len(), notes.calls);
        until(&mut ground, &mut notes, |n| n.calls > calls);
        // A share of 256 KiB, and what a last read of at most 64 KiB adds to it.
        assert!(notes.of(0).len() - before <= 320 * 1024);
    }
    assert_eq!(notes.of(0), long);
}

fn a_number_can_be_dialed_again_within_the_call_that_told_its_end<G: Ground>() {
    let ends = vec![ScriptStep::Await(1), ScriptStep::Send(b"one".to_vec()), ScriptStep::Fin];
    let stays = vec![ScriptStep::Await(1), ScriptStep::Send(b"two".to_vec())];
    let mut ground = G::build(vec![ends, stays]);
    let mut notes = Notes { again: Some(ground.target()), ..Notes::new() };
    dial(&mut ground, &mut notes, 0);
    send_all(&mut ground, &mut notes, 0, b"?");
    let stands_again = |n: &Notes| {
        let closed = n.seen.iter().position(|seen| matches!(seen, Seen::Closed(0, _)));
        closed.is_some_and(|at| n.seen[at..].contains(&Seen::Dialed(0, Ok(()))))
    };
    until(&mut ground, &mut notes, stands_again);
    send_all(&mut ground, &mut notes, 0, b"!");
    until(&mut ground, &mut notes, |n| n.of(0) == b"onetwo");
    assert_eq!(ground.finish(), [b"?".to_vec(), b"!".to_vec()]);
}

fn a_connection_closed_here_is_heard_of_no_more<G: Ground>() {
    let script = vec![ScriptStep::Await(1), ScriptStep::Send(b"late".to_vec())];
    let mut ground = G::build(vec![script, vec![ScriptStep::Await(1), ScriptStep::Send(b"ok".to_vec())]]);
    let mut notes = Notes::new();
    dial(&mut ground, &mut notes, 0);
    dial(&mut ground, &mut notes, 1);
    notes.unsent = b"?".to_vec();
    notes.push(ground.driver().net(), 0);
    ground.driver().net().close(0);
    notes.queued = 0;
    ground.driver().net().close(0);
    send_all(&mut ground, &mut notes, 1, b"?");
    until(&mut ground, &mut notes, |n| n.of(1) == b"ok");
    assert!(notes.of(0).is_empty() && notes.closed(0).is_none());
}

fn a_turn_without_events_ends_at_its_instant_and_not_before<G: Ground>() {
    let mut ground = G::build(Vec::new());
    let mut notes = Notes::new();
    for (after_ns, exact) in [(3_000_000, true), (3_000_000, false), (0, true), (0, false)] {
        let began = ground.driver().net().now_ns();
        let wake = Wake { at_ns: began + after_ns, exact };
        let polled = ground.driver().poll(wake, &mut notes).unwrap();
        let took = ground.driver().net().now_ns() - began;
        assert!(took >= after_ns, "{took} of {after_ns}");
        assert!(polled.waited_ns >= after_ns / 2 && polled.waited_ns <= took);
    }
    // An instant that is past does not hold a turn up.
    let began = ground.driver().net().now_ns();
    ground.driver().poll(Wake { at_ns: began.saturating_sub(1), exact: true }, &mut notes).unwrap();
    assert!(notes.seen.is_empty());
}

macro_rules! over_every_driver {
    ($($case:ident),+ $(,)?) => {
        mod epoll {
            $(#[test] fn $case() { super::$case::<super::Live<super::Epoll>>(); })+
        }
        mod uring {
            $(#[test] fn $case() {
                if super::is_usable(super::DriverChoice::IoUring) {
                    super::$case::<super::Live<super::Uring>>();
                }
            })+
        }
        mod secured {
            $(#[test] fn $case() { super::$case::<super::SecuredSim>(); })+
        }
        mod sim {
            $(#[test] fn $case() { super::$case::<super::Simulated>(); })+
        }
    };
}

over_every_driver!(
    what_is_sent_arrives_and_what_arrives_is_whole_and_in_order,
    a_refused_connection_is_told_as_one_and_frees_its_number,
    a_request_sent_with_its_dial_arrives_once_and_more_may_follow,
    a_long_request_sent_with_its_dial_goes_on_when_it_can,
    a_refused_connection_takes_no_request_and_frees_its_number,
    an_end_comes_after_all_that_was_sent_before_it,
    an_end_right_behind_a_short_answer_is_not_missed,
    a_reset_is_told_as_one,
    what_the_kernel_does_not_take_at_once_is_sent_when_it_can_be,
    a_long_answer_is_handed_over_a_share_in_each_turn,
    a_number_can_be_dialed_again_within_the_call_that_told_its_end,
    a_connection_closed_here_is_heard_of_no_more,
    a_turn_without_events_ends_at_its_instant_and_not_before,
);
