//! Agents and their coordinator over loopback, in threads of one process, with a real server.

use super::agent::{Joining, agent, index_from};
use super::gather::{Listener, Terms};
use super::link::{Incoming, Sending, link};
use super::member::Clock;
use super::members::share;
use super::message::{Hello, Message, VERSION, frame, message, read_frame, write_frame};
use super::pool::AgentPool;
use super::runtime::Runtime;
use super::token::{NAME, Token};
use crate::error::RemoteError;
use proofload_engine::{
    AGENT_BODIES_MAX, Arrival, EngineError, Extent, Generator, KeepAlive, Launch, LoadPlan, MixEntry,
    Profile, ShareResult, Timeouts, Watch, execute_share,
};
use proofload_facts::Finding;
use proofload_measure::Outcome;
use proofload_testkit::HttpPeer;
use proofload_wire::http1::RequestSpec;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;

mod clocks;
mod given_up;
mod lost;

const SECOND: u64 = 1_000_000_000;
const ANYWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
static NEVER: AtomicBool = AtomicBool::new(false);

fn token() -> Token {
    Token::new(&format!("proofload-key-{}", "5e".repeat(32))).expect("a key")
}

/// An open loop for that long.
fn plan(server: SocketAddr, ns: u64) -> LoadPlan {
    let spec = RequestSpec::get("server.test", "/");
    let encode = |close| Arc::new(RequestSpec { close, ..spec.clone() }.encode().expect("a request"));
    LoadPlan {
        targets: vec![server.into()],
        mix: vec![MixEntry {
            weight: 1,
            target: 0,
            request: encode(false),
            closing_request: encode(true),
            expect: Default::default(),
            follow: Default::default(),
            digest: None,
        }],
        profile: Profile::Open { rate_per_s: 500.0, arrival: Arrival::Constant, coalesce_ns: 0 },
        connections: 10,
        in_flight: 1,
        keep_alive: KeepAlive::On,
        timeouts: Timeouts::default(),
        discard_ns: 0,
        extent: Extent::DurationNs(ns),
        drain_ns: SECOND,
        workers: 1,
        cpus: Vec::new(),
        seed: 1,
        share: (0, 1),
        asking: Default::default(),
        shortage: Default::default(),
        driver: Default::default(),
        settings: Default::default(),
    }
}

/// A body of that many bytes, that takes no memory before it is sent.
#[derive(Debug)]
struct Zeros(u64);

impl proofload_wire::Source for Zeros {
    fn bytes(&self) -> u64 {
        self.0
    }

    fn read(&self, _: u64, into: &mut [u8]) -> std::io::Result<()> {
        into.fill(0);
        Ok(())
    }
}

/// The same, with that body.
fn uploading(server: SocketAddr, ns: u64, bytes: u64) -> LoadPlan {
    let streamed = vec![(0, proofload_wire::Streamed::new(Zeros(bytes)))];
    let template = proofload_wire::http1::Template { streamed, ..Default::default() };
    let spec =
        |close| RequestSpec { method: "PUT".to_owned(), close, ..RequestSpec::get("server.test", "/") };
    let encode = |close| Arc::new(spec(close).encode_with(&template).expect("a request"));
    let mut plan = plan(server, ns);
    (plan.mix[0].request, plan.mix[0].closing_request) = (encode(false), encode(true));
    plan
}

type Ended<'scope> = ScopedJoinHandle<'scope, (Result<(), RemoteError>, Vec<String>)>;

/// An agent in a thread.
fn agent_in<'scope>(
    scope: &'scope Scope<'scope, '_>,
    listener: SocketAddr,
    token: Token,
    index: Option<u32>,
    stop: &'scope AtomicBool,
) -> Ended<'scope> {
    scope.spawn(move || {
        let mut told = Vec::new();
        let joining = Joining { at: listener.to_string(), token, index, wait: Duration::from_secs(10) };
        (agent(execute_share, &joining, stop, &mut |line| told.push(line.to_owned())), told)
    })
}

fn gather(listener: Listener, agents: u32) -> Result<AgentPool, RemoteError> {
    gather_tolerating(listener, agents, 0)
}

fn gather_tolerating(listener: Listener, agents: u32, tolerated: u32) -> Result<AgentPool, RemoteError> {
    let terms = Terms { agents, wait: Duration::from_secs(20), tolerated };
    listener.gather(&terms, &NEVER, &mut |_| {})
}

#[test]
fn agents_carry_out_one_load_that_adds_up_to_the_request_and_are_told_goodbye() {
    let server = HttpPeer::start(8).expect("a server");
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let address = listener.address();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        // The numbers that two of them have leave 0 for the third.
        let agents = [Some(2), None, Some(1)].map(|index| agent_in(scope, address, token(), index, &stop));
        let pool = gather(listener, 3).expect("all came");
        let mut seconds = Vec::new();
        for load in 1..=2 {
            let watch = Watch::default();
            let mut tell =
                |stretch: &proofload_engine::Stretch<'_>| seconds.push(stretch.snapshot.answered_in_window);
            let plan = plan(server.address(), 2 * SECOND);
            let result = pool
                .launch(Launch { each_second: Some(&mut tell), ..Launch::new(&[plan], &watch) })
                .expect("carried out")
                .remove(0);
            assert_eq!(result.snapshot.intended(), 1_000);
            assert_eq!(
                result.snapshot.outcomes.get(Outcome::Answered),
                1_000,
                "{:?}",
                result.snapshot.outcomes
            );
            assert_eq!(server.answered(), 1_000 * load, "as many as the server says");
            let agents = result.generator.agents.expect("several processes");
            let slowest = pool.members().iter().map(|member| member.clock.round_trip_ns).max();
            assert_eq!((agents.count, Some(agents.clocks_within_ns)), (3, slowest.map(|ns| ns.div_ceil(2))));
            assert_eq!((result.generator.threads, result.generator.start_error_ns.len()), (3, 3));
            assert_eq!(result.per_second.iter().sum::<u64>(), result.snapshot.answered_in_window);
            assert_eq!(watch.answered.load(Ordering::Relaxed), 1_000);
            // On one machine all have one clock: the window is where the coordinator put it.
            assert_eq!(result.snapshot.window.end_ns - result.snapshot.window.start_ns, 2 * SECOND);
            assert_eq!(result.snapshot.window.start_ns, watch.window_start_ns.load(Ordering::Relaxed));
        }
        assert!(seconds.len() >= 4, "{seconds:?}");
        let members = pool.members();
        assert_eq!(members.iter().map(|member| member.index).collect::<Vec<_>>(), [0, 1, 2]);
        for member in members {
            assert!(member.clock.ahead_ns.unsigned_abs() <= member.clock.round_trip_ns / 2 + 1, "{member:?}");
        }
        drop(pool);
        let ended = agents.map(|agent| agent.join().expect("no panic"));
        let numbers: Vec<_> = ended.iter().map(|(_, told)| told[0].clone()).collect();
        assert_eq!(numbers, [2, 0, 1].map(|index| format!("agent {index} of 3, at {address}")));
        for (ended, told) in ended {
            assert!(ended.is_ok(), "{ended:?}");
            assert_eq!(told.last().expect("goodbye"), "the coordinator says goodbye after 2 loads");
        }
    });
}

/// An engine that does nothing, and hands nothing over.
fn idle(_: Launch<'_>) -> Result<Vec<ShareResult>, EngineError> {
    Ok(Vec::new())
}

#[test]
fn more_agents_than_are_asked_at_once_are_all_asked_and_dealt_their_shares() {
    const MANY: u32 = 150;
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let at = listener.address().to_string();
    thread::scope(|scope| {
        let agents: Vec<_> = (0..MANY)
            .map(|index| {
                let (at, wait) = (at.clone(), Duration::from_secs(20));
                let joining = Joining { at, token: token(), index: Some(index), wait };
                scope.spawn(move || agent(idle, &joining, &NEVER, &mut |_| {}))
            })
            .collect();
        let pool = gather(listener, MANY).expect("all came");
        let result = pool.launch(Launch::new(&[plan(ANYWHERE, SECOND)], &Watch::default()));
        let result = result.expect("nothing to do").remove(0);
        assert_eq!(result.generator.agents.map(|agents| (agents.count, agents.lost)), Some((MANY, 0)));
        let members = pool.members();
        assert!(
            members.len() == MANY as usize && members.iter().all(|one| one.clock.round_trip_ns < u64::MAX)
        );
        drop(pool);
        for agent in agents {
            let ended = agent.join().expect("no panic");
            assert!(ended.is_ok(), "{ended:?}");
        }
    });
}

/// Passes two connections on; of the first only the bytes of both sides until the handshake is over on the agent's
/// side.
fn cuts_the_first(to: std::net::SocketAddr) -> std::net::SocketAddr {
    use std::io::{Read, Write, copy};
    let listener = std::net::TcpListener::bind(ANYWHERE).expect("a port");
    let at = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let dialled = || {
            (listener.accept().expect("an agent").0, std::net::TcpStream::connect(to).expect("it listens"))
        };
        let (mut agent, mut coordinator) = dialled();
        let mut bytes = vec![0; 65_536];
        let said = agent.read(&mut bytes).expect("its first words");
        coordinator.write_all(&bytes[..said]).expect("taken");
        coordinator.set_read_timeout(Some(Duration::from_millis(200))).expect("a setting");
        while let Ok(said) = coordinator.read(&mut bytes) {
            agent.write_all(&bytes[..said]).expect("taken");
        }
        drop((agent, coordinator));
        let (agent, coordinator) = dialled();
        let pass = |mut from: &std::net::TcpStream, mut to: &std::net::TcpStream| {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Write);
        };
        thread::scope(|scope| {
            scope.spawn(|| pass(&agent, &coordinator));
            pass(&coordinator, &agent);
        });
    });
    at
}

#[test]
fn an_agent_that_is_sent_away_before_a_word_was_said_comes_again() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (at, stop) = (cuts_the_first(listener.address()), AtomicBool::new(false));
    thread::scope(|scope| {
        let agent = agent_in(scope, at, token(), None, &stop);
        let pool = gather(listener, 1).expect("it comes again");
        drop(pool);
        assert!(agent.join().expect("no panic").0.is_ok());
    });
}

#[test]
fn a_lost_agent_ends_the_load_everywhere_and_is_named() {
    let server = HttpPeer::start(8).expect("a server");
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let address = listener.address();
    let (stays, leaves) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let one = agent_in(scope, address, token(), Some(0), &stays);
        let other = agent_in(scope, address, token(), Some(1), &leaves);
        let pool = gather(listener, 2).expect("all came");
        let mut tell = |stretch: &proofload_engine::Stretch<'_>| {
            leaves.store(stretch.last >= 1, Ordering::Relaxed);
        };
        let began = Instant::now();
        let error = pool
            .launch(Launch {
                each_second: Some(&mut tell),
                ..Launch::new(&[plan(server.address(), 60 * SECOND)], &Watch::default())
            })
            .unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        let text = error.to_string();
        assert!(matches!(error, EngineError::Share(_)) && text.starts_with("agent 1 ("), "{text}");
        assert!(text.contains("is lost") && text.contains("ended everywhere after"), "{text}");
        // No agent begins anything without it.
        let again = pool.launch(Launch::new(&[plan(server.address(), SECOND)], &Watch::default()));
        assert!(again.unwrap_err().to_string().starts_with("agent 1 ("));
        drop(pool);
        assert!(one.join().expect("no panic").0.is_ok(), "it is told goodbye");
        assert!(other.join().expect("no panic").0.is_ok(), "it was asked to end");
    });
}

#[test]
fn what_an_agent_cannot_carry_out_is_an_error_with_its_name() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, stop) = (listener.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let one = agent_in(scope, address, token(), None, &stop);
        let pool = gather(listener, 1).expect("it came");
        let wrong = LoadPlan { connections: 0, ..plan(ANYWHERE, SECOND) };
        let error = pool.launch(Launch::new(&[wrong], &Watch::default())).unwrap_err().to_string();
        assert!(error.starts_with("agent 0 (") && error.contains("connections: 0"), "{error}");
        drop(pool);
        assert!(one.join().expect("no panic").0.is_ok());
    });
}

#[test]
fn a_load_that_is_stopped_ends_at_every_agent() {
    let server = HttpPeer::start(8).expect("a server");
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, stop) = (listener.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let agents = [0, 1].map(|index| agent_in(scope, address, token(), Some(index), &stop));
        let pool = gather(listener, 2).expect("all came");
        let watch = Watch::default();
        let mut tell = |_: &proofload_engine::Stretch<'_>| watch.stop.store(true, Ordering::Relaxed);
        let result = pool
            .launch(Launch {
                each_second: Some(&mut tell),
                ..Launch::new(&[plan(server.address(), 60 * SECOND)], &watch)
            })
            .expect("ended")
            .remove(0);
        assert!(result.stopped_early && result.snapshot.intended() >= 500, "{}", result.snapshot.intended());
        drop(pool);
        agents.into_iter().for_each(|agent| assert!(agent.join().expect("no panic").0.is_ok()));
    });
}

#[test]
fn who_has_another_token_is_nobody_and_hears_so() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, stop) = (listener.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let other = Token::fresh().expect("random");
        let stranger = agent_in(scope, address, other, None, &stop);
        let (ended, told) = stranger.join().expect("no panic");
        assert!(matches!(ended, Err(RemoteError::Usage(_))) && told.is_empty(), "{ended:?}");
        let known = agent_in(scope, address, token(), None, &stop);
        let pool = gather(listener, 1).expect("the one that knows the token");
        drop(pool);
        assert!(known.join().expect("no panic").0.is_ok());
    });
}

#[test]
fn a_number_that_is_taken_or_not_there_is_refused() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, stop) = (listener.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let gathering = scope.spawn(move || gather(listener, 2));
        let beyond = agent_in(scope, address, token(), Some(7), &stop).join().expect("no panic").0;
        let Err(RemoteError::Usage(why)) = beyond else { panic!("{beyond:?}") };
        assert!(why.ends_with(": 2 agents are numbered from 0: there is no 7"), "{why}");
        let twins = [(); 2].map(|()| agent_in(scope, address, token(), Some(1), &stop));
        while twins.iter().all(|twin| !twin.is_finished()) {
            thread::sleep(Duration::from_millis(5));
        }
        let first = agent_in(scope, address, token(), Some(0), &stop);
        let pool = gathering.join().expect("no panic").expect("both numbers came");
        drop(pool);
        let ended = twins.map(|twin| twin.join().expect("no panic").0);
        let refused = ended.iter().filter_map(|ended| ended.as_ref().err()).collect::<Vec<_>>();
        let [RemoteError::Usage(why)] = refused[..] else { panic!("{refused:?}") };
        assert!(why.ends_with("is number 1 already"), "{why}");
        assert!(first.join().expect("no panic").0.is_ok());
    });
}

#[test]
fn who_does_not_come_is_named() {
    let wait = Duration::from_millis(300);
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, stop) = (listener.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let came = agent_in(scope, address, token(), Some(1), &stop);
        let error = listener
            .gather(&Terms { agents: 3, wait: 4 * wait, tolerated: 0 }, &NEVER, &mut |_| {})
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("1 of 3 agents joined within 1 s (agent 1 ("), "{error}");
        assert!(error.contains("missing: number 0, 2;"), "{error}");
        assert!(matches!(came.join().expect("no panic").0, Err(RemoteError::Lost(_))));
    });
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let error = listener
        .gather(&Terms { agents: 2, wait, tolerated: 0 }, &NEVER, &mut |_| {})
        .unwrap_err()
        .to_string();
    assert!(error.contains("0 of 2 agents joined within 0 s; missing: number 0, 1;"), "{error}");
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let ended =
        listener.gather(&Terms { agents: 2, wait, tolerated: 0 }, &AtomicBool::new(true), &mut |_| {});
    assert!(matches!(ended, Err(RemoteError::Stopped(_))));
}

#[test]
fn an_agent_whose_coordinator_is_not_there_says_where_it_looked() {
    let nobody = { std::net::TcpListener::bind(ANYWHERE).expect("a port").local_addr().expect("an address") };
    let joining = Joining { at: nobody.to_string(), token: token(), index: None, wait: Duration::ZERO };
    let error = agent(execute_share, &joining, &NEVER, &mut |_| {}).unwrap_err().to_string();
    assert!(error.starts_with(&format!("nobody answers at {nobody} for 0 s")), "{error}");
}

/// Connects to a coordinator as a token-bearer, with any first frame; returns its answer.
fn answer_to(listener: SocketAddr, first: Vec<u8>) -> std::io::Result<Message> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let connector =
            tokio_rustls::TlsConnector::from(Arc::new(token().of_agent().expect("a configuration")));
        let stream = tokio::net::TcpStream::connect(listener).await?;
        let mut stream = connector.connect(NAME.try_into().expect("a name"), stream).await?;
        write_frame(&mut stream, &first).await?;
        message(&read_frame(&mut stream, Duration::from_secs(10)).await?)
    })
}

#[test]
fn an_agent_of_another_version_is_told_so_and_odd_bytes_are_a_closed_connection() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let address = listener.address();
    let hello = Hello {
        version: "0.0.1/1".to_owned(),
        host: "old".to_owned(),
        boot: String::new(),
        cpus: 1,
        index: None,
    };
    // What a later version may have after it.
    let mut later = frame(&hello).expect("a frame");
    later.extend_from_slice(&[7; 9]);
    let length = (later.len() - 4) as u32;
    later[..4].copy_from_slice(&length.to_be_bytes());
    let Ok(Message::Refused(why)) = answer_to(address, later) else { panic!("it should be refused") };
    assert!(
        why.starts_with("it is of version 0.0.1/1, the coordinator of ") && why.contains(VERSION),
        "{why}"
    );
    for odd in [vec![0, 0, 0, 0], vec![0, 0, 0, 3, 0xff, 0xff, 0xff], vec![0xff; 4]] {
        assert!(answer_to(address, odd).is_err());
    }
}

#[test]
fn a_frame_is_read_whole_or_not_at_all() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let whole = frame(&Message::Pong { received_ns: 3, answered_ns: u64::MAX }).expect("a frame");
    let read = |bytes: &[u8]| {
        let mut bytes = bytes;
        runtime.block_on(read_frame(&mut bytes, Duration::from_secs(10)))
    };
    let back: Message = message(&read(&whole).expect("whole")).expect("a message");
    assert!(matches!(back, Message::Pong { received_ns: 3, answered_ns: u64::MAX }));
    (0..whole.len()).for_each(|cut| assert!(read(&whole[..cut]).is_err(), "{cut}"));
    assert!(message::<Message>(&[0xff; 5]).is_err());
}

#[test]
fn heartbeats_keep_nobody_busy_who_listens_later() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let told = runtime.block_on(async {
        let (mut far, near) = tokio::io::duplex(4096);
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let _out = link(near, None, move |heard| tell.send(heard).is_ok());
        for said in [Message::Heartbeat, Message::Stop, Message::Heartbeat, Message::Abandon] {
            write_frame(&mut far, &frame(&said).expect("a frame")).await.expect("said");
        }
        [told.recv().await, told.recv().await, told.recv().await]
    });
    let told = told.map(|incoming| match incoming {
        Some(Incoming::Message { message, .. }) => message,
        other => panic!("{other:?}"),
    });
    assert!(matches!(told, [Message::Heartbeat, Message::Stop, Message::Abandon]), "{told:?}");
}

#[test]
fn what_is_said_last_leaves_although_its_peer_takes_it_late() {
    let (mut far, near) = tokio::io::duplex(1);
    let (told, linked) = std::sync::mpsc::channel();
    let work = move |sending: Sending| async move {
        told.send(link(near, Some(sending.clone()), |_| true)).expect("waited for");
        std::future::pending().await
    };
    let runtime = Runtime::start(work).expect("a thread");
    let out = linked.recv().expect("linked");
    let peer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(400));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            while let Ok(bytes) = read_frame(&mut far, Duration::from_secs(5)).await {
                if matches!(message(&bytes), Ok(Message::Bye)) {
                    return true;
                }
            }
            false
        })
    });
    out.send(&Message::Bye).expect("a frame");
    drop((out, runtime));
    assert!(peer.join().expect("no panic"), "goodbye was not said");
}

#[test]
fn a_long_frame_may_take_longer_than_a_silence_and_a_silence_within_it_is_the_end() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let silence = Duration::from_millis(400);
    let slowly = |pauses: u32, pause: Duration| {
        runtime.block_on(async move {
            let (mut from, mut to) = tokio::io::duplex(64);
            let sending = async move {
                let _ = to.write_all(&pauses.to_be_bytes()).await;
                for _ in 0..pauses {
                    tokio::time::sleep(pause).await;
                    let _ = to.write_all(&[7]).await;
                }
            };
            tokio::join!(read_frame(&mut from, silence), sending).0
        })
    };
    assert_eq!(slowly(30, silence / 20).expect("it came").len(), 30);
    assert_eq!(slowly(1, 3 * silence).unwrap_err().kind(), std::io::ErrorKind::TimedOut);
}

#[test]
fn the_quickest_ping_tells_the_time() {
    let mut clock = Clock::UNKNOWN;
    // 100 ahead; 10 there, 30 back: half of the difference is the error.
    clock.learn([1_000, 1_110, 1_115, 1_045]);
    assert_eq!((clock.ahead_ns, clock.round_trip_ns), (90, 40));
    // A slower one shows nothing; a quicker one does.
    clock.learn([2_000, 2_600, 2_600, 3_000]);
    assert_eq!((clock.ahead_ns, clock.round_trip_ns), (90, 40));
    clock.learn([3_000, 3_102, 3_102, 3_004]);
    assert_eq!((clock.ahead_ns, clock.round_trip_ns), (100, 4));
    // A clock may be far behind.
    let mut clock = Clock::UNKNOWN;
    clock.learn([9_000_000_000, 5, 5, 9_000_000_010]);
    assert_eq!((clock.ahead_ns, clock.round_trip_ns), (-9_000_000_000, 10));
}

#[test]
fn an_agent_has_no_more_threads_than_connections() {
    let plan = |workers, connections| LoadPlan { workers, connections, ..plan(ANYWHERE, SECOND) };
    let threads = |workers, connections, n| share(&plan(workers, connections), 0, n, false).workers;
    assert_eq!((threads(8, 64, 20), threads(8, 64, 4), threads(2, 64, 4)), (3, 8, 2));
    assert_eq!((threads(8, 2, 2), threads(8, 1, 2)), (1, 1));
    let half = LoadPlan { share: (1, 2), ..plan(8, 20) };
    assert_eq!(share(&half, 0, 5, false).workers, 2, "of a load that is a share itself");
}

#[test]
fn a_number_comes_from_the_environment_of_the_engine_that_starts_agents() {
    let from = |pairs: &'static [(&str, &str)]| {
        index_from(move |name| {
            pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    };
    assert!(matches!(from(&[]), Ok(None)));
    for name in [
        "JOB_COMPLETION_INDEX",
        "SLURM_PROCID",
        "OMPI_COMM_WORLD_RANK",
        "AWS_BATCH_JOB_ARRAY_INDEX",
        "CLOUD_RUN_TASK_INDEX",
    ] {
        assert!(matches!(index_from(|asked| (asked == name).then(|| "3".to_owned())), Ok(Some(3))));
    }
    let error = from(&[("SLURM_PROCID", "-1")]).unwrap_err().to_string();
    assert!(error.starts_with("SLURM_PROCID=-1: "), "{error}");
}

#[test]
fn a_token_is_long_and_the_first_line_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    let read = |text: &str| {
        std::fs::write(&file, text).expect("written");
        Token::read(&file)
    };
    let good = "0123456789abcdef0123456789abcdef";
    assert_eq!(read(&format!("  {good}\nnot this\n")).expect("a token").0.text(), good);
    let error = read(&good[1..]).unwrap_err().to_string();
    assert!(error.contains("openssl rand -hex 32") && error.contains("token"), "{error}");
    assert!(read("").is_err());
    assert!(Token::read(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
    assert_eq!(format!("{:?}", token()), "Token(hidden)");
    assert_ne!(Token::fresh().expect("random").text(), Token::fresh().expect("random").text());
}

#[test]
fn bodies_of_files_go_to_agents_up_to_a_limit_which_is_told_before_anything_is_sent() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let address = listener.address();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let agent = agent_in(scope, address, token(), None, &stop);
        let pool = gather(listener, 1).expect("it came");
        let launch = |bytes| {
            let plan = uploading(ANYWHERE, SECOND / 10, bytes);
            pool.launch(Launch::new(&[plan], &Watch::default()))
        };
        let error = launch(AGENT_BODIES_MAX + 1).unwrap_err().to_string();
        assert!(error.contains("leave the agents out, or send smaller files"), "{error}");
        // The address has no listener, so the load has no result; but the agent received it.
        let result = launch(1 << 20).expect("carried out").remove(0);
        assert!(result.snapshot.intended() > 0);
        drop(pool);
        assert!(agent.join().expect("no panic").0.is_ok());
    });
}

#[test]
fn a_token_that_somebody_made_up_or_others_may_read_is_doubted() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    let drawn = "4f1c9ab27e03d58866b1f0c2a97d3e54";
    let rows = [
        (drawn, 0o600, vec![]),
        (drawn, 0o644, vec!["token-readable"]),
        (drawn, 0o640, vec!["token-readable"]),
        (drawn, 0o604, vec!["token-readable"]),
        (drawn, 0o400, vec![]),
        ("passwordpasswordpasswordpassword", 0o600, vec!["token-guessable"]),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0o644, vec!["token-guessable", "token-readable"]),
        ("correct-horse-4711correct-horse-4711", 0o600, vec!["token-guessable"]),
    ];
    for (text, mode, expected) in rows {
        std::fs::write(&file, text).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("changed");
        let (_, doubts) = Token::read(&file).expect("a token");
        let path = file.display().to_string();
        let expected: Vec<Finding> = expected
            .into_iter()
            .map(|code| match code {
                "token-readable" => Finding::TokenReadable { path: path.clone() },
                _ => Finding::TokenGuessable { path: path.clone() },
            })
            .collect();
        assert_eq!(doubts, expected, "{text} {mode:o}");
    }
}

#[test]
fn a_key_that_was_made_here_is_passed_on_as_it_is_and_a_text_is_made_slow_to_guess() {
    let fresh = Token::fresh().expect("random");
    let read = Token::new(fresh.text()).expect("a key");
    assert!(fresh.secret == read.secret && fresh.own_name(5).len() == 5 && !fresh.own_name(5).contains('-'));
    // A text in the form of a key but for a digit is none.
    let cut = fresh.text().len() - 1;
    assert!(Token::new(&fresh.text()[..cut]).expect("long enough").secret != fresh.secret);
    let slow = Token::new(&"secret".repeat(8)).expect("long enough");
    // PBKDF2 by another program: hashlib.pbkdf2_hmac("sha256", b"secret" * 8, SALT, 600_000).
    assert_eq!(
        data_encoding::HEXLOWER.encode(&slow.secret),
        "eaefc9aca2bd95b09e2e47773836154df587777b9292f61397b94cb4c98e7ce3"
    );
}

/// Connections to a listener that send nothing, those among them that it has not closed.
fn still_open(strangers: &[std::net::TcpStream]) -> usize {
    let is_open = |stranger: &&std::net::TcpStream| {
        let read = std::io::Read::read(&mut &**stranger, &mut [0]);
        matches!(read, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    };
    strangers.iter().filter(is_open).count()
}

#[test]
fn strangers_hold_a_few_descriptors_keep_no_agent_out_and_none_once_all_are_there() {
    const STRANGERS: usize = 200;
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let at = listener.address();
    let dial = || {
        let stranger = std::net::TcpStream::connect(at).expect("it listens");
        stranger.set_nonblocking(true).expect("a setting");
        stranger
    };
    let strangers: Vec<_> = (0..STRANGERS).map(|_| dial()).collect();
    let wait_until = |most: usize| {
        let deadline = Instant::now() + Duration::from_secs(8);
        while still_open(&strangers) > most {
            assert!(Instant::now() < deadline, "{} are open", still_open(&strangers));
            thread::sleep(Duration::from_millis(5));
        }
    };
    wait_until(32);
    assert!(still_open(&strangers) > 0, "those that are not too many have their time");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let agent = agent_in(scope, at, token(), None, &stop);
        let pool = gather(listener, 1).expect("it comes all the same");
        wait_until(0);
        let refused = std::net::TcpStream::connect(at).expect_err("nobody listens any more");
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        drop(pool);
        assert!(agent.join().expect("no panic").0.is_ok());
    });
}
