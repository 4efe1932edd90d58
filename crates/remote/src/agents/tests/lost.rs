//! Loads that go on without an agent that was lost.

use super::*;
use proofload_engine::{Finding, LoadResult, Stretch};

const RATE: u64 = 500;

/// Three agents of which the last leaves as soon as a load has come so far, and one of which may be lost.
struct Three {
    leaves: AtomicBool,
    stays: AtomicBool,
}

impl Three {
    fn new() -> Three {
        Three { leaves: AtomicBool::new(false), stays: AtomicBool::new(false) }
    }

    fn join<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, at: SocketAddr) -> [Ended<'scope>; 3] {
        let stop = |index| if index == 2 { &self.leaves } else { &self.stays };
        [0, 1, 2].map(|index| agent_in(scope, at, token(), Some(index), stop(index)))
    }
}

/// The agents that findings name, with the seconds that they reported, and the share that was offered.
fn named(result: &LoadResult) -> Vec<(String, Option<u64>, f64)> {
    let named = result.findings.iter().filter_map(|finding| match finding {
        Finding::AgentLost { agent, told_ns, offered } => {
            Some((agent.split(" (").next()?.to_owned(), told_ns.map(|ns| ns / SECOND), *offered))
        }
        _ => None,
    });
    named.collect()
}

#[test]
fn a_load_goes_on_without_a_lost_agent_whose_share_is_nobodys() {
    let server = HttpPeer::start(8).expect("a server");
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, three) = (listener.address(), Three::new());
    thread::scope(|scope| {
        let agents = three.join(scope, address);
        let pool = gather_tolerating(listener, 3, 1).expect("all came");
        let mut told = 0;
        let mut tell = |stretch: &Stretch<'_>| {
            told += stretch.snapshot.outcomes.get(Outcome::Answered);
            three.leaves.store(stretch.last >= 1, Ordering::Relaxed);
        };
        let began = Instant::now();
        let (watch, seconds) = (Watch::default(), 6);
        let result = pool.launch(Launch {
            each_second: Some(&mut tell),
            ..Launch::new(&[plan(server.address(), seconds * SECOND)], &watch)
        });
        let result = result.expect("it goes on").remove(0);
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());

        // Every third exchange is the third agent's, and those of its last reported second may have been under way.
        let (all, of_two) = (RATE * seconds, RATE * seconds * 2 / 3);
        let of_third = result.snapshot.intended() - of_two;
        assert!((2 * RATE / 3 - 10..RATE * seconds / 3).contains(&of_third), "{of_third}");
        assert_eq!(result.snapshot.outcomes.get(Outcome::Answered), result.snapshot.intended());
        assert_eq!((told, watch.answered.load(Ordering::Relaxed)), (of_two + of_third, of_two + of_third));
        assert!(server.answered() >= of_two + of_third && server.answered() < all);
        let agents_used = result.generator.agents.expect("several");
        assert_eq!((agents_used.count, agents_used.lost), (3, 1));
        assert_eq!(agents_used.not_offered, all - of_two - of_third);
        let [(name, second, offered)] = &named(&result)[..] else { panic!("{:?}", result.findings) };
        assert!(
            name == "agent 2" && second.is_some_and(|second| (2..seconds).contains(&second)),
            "{name} {second:?}"
        );
        assert!((offered - (of_two + of_third) as f64 / all as f64).abs() < 1e-9, "{offered}");
        assert!(matches!(result.findings[0], Finding::AgentLost { .. }) && !result.stopped_early);
        assert_eq!(result.per_second.iter().sum::<u64>(), result.snapshot.answered_in_window);

        assert_eq!(pool.lost(), None);
        let losses = pool.losses();
        assert!(losses.len() == 1 && losses[0].starts_with("agent 2 ("), "{losses:?}");

        // The next load is dealt as the first one was, and the third share is not sent.
        let before = server.answered();
        let next = pool.launch(Launch::new(&[plan(server.address(), 2 * SECOND)], &Watch::default()));
        let next = next.expect("carried out by two").remove(0);
        let of_two = next.snapshot.intended();
        assert_eq!((of_two, server.answered() - before), (667, 667), "0, 1, 3, 4 and so on to 999");
        let used = next.generator.agents.expect("several");
        assert_eq!((used.count, used.lost, used.not_offered), (3, 1, 334));
        assert_eq!(
            named(&next).iter().map(|(name, second, _)| (&name[..], *second)).collect::<Vec<_>>(),
            [("agent 2", None)]
        );
        drop(pool);
        agents.into_iter().for_each(|agent| assert!(agent.join().expect("no panic").0.is_ok()));
    });
}

#[test]
fn a_second_loss_is_one_too_many() {
    let server = HttpPeer::start(8).expect("a server");
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, three) = (listener.address(), Three::new());
    thread::scope(|scope| {
        let _agents = three.join(scope, address);
        let pool = gather_tolerating(listener, 3, 1).expect("all came");
        let mut tell = |stretch: &Stretch<'_>| {
            three.leaves.store(true, Ordering::Relaxed);
            three.stays.store(stretch.last >= 2, Ordering::Relaxed);
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
        assert!(matches!(error, EngineError::Share(_)) && text.starts_with("agent 2 ("), "{text}");
        assert!(text.matches("is lost").count() == 2 && text.contains("ended everywhere after"), "{text}");
        assert!(pool.lost().is_some_and(|lost| lost.contains("agent 2 (")));
    });
}

#[test]
fn an_agent_that_was_silent_for_too_long_is_sent_away_when_it_comes_to_again() {
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, stop) = (listener.address(), AtomicBool::new(false));
    let server = HttpPeer::start(8).expect("a server");
    thread::scope(|scope| {
        let agent = agent_in(scope, address, token(), Some(1), &stop);
        // It sends a hello, and nothing any more; it is there as long as its connection.
        let silent = scope.spawn(move || {
            let hello = Hello {
                version: VERSION.to_owned(),
                host: "silent".to_owned(),
                boot: String::new(),
                cpus: 1,
                index: Some(0),
            };
            frames_until_the_end(address, frame(&hello).expect("a frame"))
        });
        let pool = gather_tolerating(listener, 2, 1).expect("both came");
        let result = pool.launch(Launch::new(&[plan(server.address(), SECOND)], &Watch::default()));
        let result = result.expect("by the other").remove(0);
        assert_eq!((result.snapshot.intended(), server.answered()), (250, 250));
        let heard = silent.join().expect("no panic");
        // A heartbeat may be on its way behind it.
        const WHY: &str = "taken for lost: nothing was heard for 5 s";
        let is_refused = |said: &Message| matches!(said, Message::Refused(why) if why.contains(WHY));
        assert!(heard.iter().any(is_refused), "{heard:?}");
        drop(pool);
        assert!(agent.join().expect("no panic").0.is_ok());
    });
}

/// All frames that a coordinator sends to a peer that sends one.
fn frames_until_the_end(at: SocketAddr, first: Vec<u8>) -> Vec<Message> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let connector =
            tokio_rustls::TlsConnector::from(Arc::new(token().of_agent().expect("a configuration")));
        let stream = tokio::net::TcpStream::connect(at).await.expect("a connection");
        let mut stream = connector.connect(NAME.try_into().expect("a name"), stream).await.expect("secured");
        write_frame(&mut stream, &first).await.expect("said");
        let mut heard = Vec::new();
        while let Ok(bytes) = read_frame(&mut stream, Duration::from_secs(30)).await {
            heard.push(message(&bytes).expect("a message"));
        }
        heard
    })
}
