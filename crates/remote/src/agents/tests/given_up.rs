//! Loads that are not wanted any more, before a server that does not answer. It would be waited for a minute.

use super::*;
use proofload_host::clock;
use std::net::TcpListener;

/// Far less than a server is waited for, far more than a busy machine takes.
const SOON: Duration = Duration::from_secs(25);

/// A server whose kernel takes connections and requests, without an answer.
fn silent() -> (TcpListener, LoadPlan) {
    let server = TcpListener::bind(ANYWHERE).expect("a server");
    let timeouts = Timeouts { response_ns: 60 * SECOND, ..Timeouts::default() };
    let plan = plan(server.local_addr().expect("an address"), 60 * SECOND);
    (server, LoadPlan { timeouts, drain_ns: 60 * SECOND, ..plan })
}

#[test]
fn when_an_agent_is_lost_the_others_wait_for_no_answer() {
    let (_server, plan) = silent();
    let listener = Listener::open(ANYWHERE, &token()).expect("a listener");
    let (address, leaves) = (listener.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let one = agent_in(scope, address, token(), Some(0), &NEVER);
        let other = agent_in(scope, address, token(), Some(1), &leaves);
        let pool = gather(listener, 2).expect("all came");
        let mut tell = |_: &proofload_engine::Stretch<'_>| leaves.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let error = pool
            .launch(Launch { each_second: Some(&mut tell), ..Launch::new(&[plan], &Watch::default()) })
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("agent 1 (") && error.matches("is lost").count() == 1, "{error}");
        drop(pool);
        assert!(one.join().expect("no panic").0.is_ok() && other.join().expect("no panic").0.is_ok());
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    });
}

#[test]
fn an_agent_whose_coordinator_dies_waits_for_no_answer() {
    let (_server, plan) = silent();
    let listener = TcpListener::bind(ANYWHERE).expect("a listener");
    let address = listener.local_addr().expect("an address");
    let began = Instant::now();
    thread::scope(|scope| {
        let agent = agent_in(scope, address, token(), None, &NEVER);
        dying_coordinator(listener, plan);
        let (ended, _) = agent.join().expect("no panic");
        assert!(matches!(ended, Err(RemoteError::Lost(_))), "{ended:?}");
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    });
}

/// Deals one agent a load, and is gone when it has received the first second.
fn dying_coordinator(listener: TcpListener, plan: LoadPlan) {
    listener.set_nonblocking(true).expect("set");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        let config = Arc::new(token().of_coordinator().expect("a configuration"));
        let (stream, _) = listener.accept().await.expect("it came");
        let mut stream = tokio_rustls::TlsAcceptor::from(config).accept(stream).await.expect("secured");
        let mut read = async || read_frame(&mut stream, SOON).await.expect("a frame");
        let _: Hello = message(&read().await).expect("hello");
        let begin = Message::Begin { at_ns: clock::monotonic_ns() + SECOND };
        for order in [Message::Load(vec![plan]), begin] {
            write_frame(&mut stream, &frame(&order).expect("a frame")).await.expect("said");
        }
        let mut read = async || read_frame(&mut stream, SOON).await.expect("a frame");
        while !matches!(message(&read().await), Ok(Message::Seen { .. })) {}
    });
}
