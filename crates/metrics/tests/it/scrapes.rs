//! The page that is scraped.

use crate::support::{second, slice};
use proofload_measure::Outcome::Answered;
use proofload_metrics::{Doing, Hub, Server};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn get(address: SocketAddr, path: &str, heads: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{heads}\r\n").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

fn server(hub: &Arc<Hub>) -> Server {
    Server::start("127.0.0.1:0".parse().expect("an address"), Arc::clone(hub)).expect("a port")
}

#[test]
fn each_reader_has_its_format_and_the_end_is_never_stale() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    let before = get(server.address, "/metrics", "");
    assert!(before.starts_with("HTTP/1.1 200") && before.contains("text/plain; version=0.0.4"), "{before}");
    assert!(before.contains("proofload_run_state{state=\"preparing\"} 1"), "{before}");
    let open = get(server.address, "/metrics", "Accept: application/openmetrics-text;version=1.0.0\r\n");
    assert!(open.contains("application/openmetrics-text; version=1.0.0") && open.contains("# EOF"), "{open}");
    assert!(get(server.address, "/other", "").starts_with("HTTP/1.1 404"));
    hub.tell(|state| {
        state.slice(&slice("nio", "8c", "", &second(0, &[(1_000_000, Answered)])));
        state.ends(Doing::Finished);
    });
    let after = get(server.address, "/metrics", "");
    assert!(after.contains("proofload_run_state{state=\"finished\"} 1"), "{after}");
    assert!(after.contains("phase=\"measure\",outcome=\"answered\"} 1"), "{after}");
    let cost = hub.cost("prometheus").expect("it is known");
    assert!(cost.done == 3 && cost.bytes > 3_000 && cost.failed == 0, "{cost:?}");
}

#[test]
fn whoever_keeps_connections_open_takes_few_descriptors_and_the_server_still_ends() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    let held: Vec<TcpStream> =
        (0..40).map(|_| TcpStream::connect(server.address).expect("it listens")).collect();
    held.iter().for_each(|stream| stream.set_nonblocking(true).expect("it can be"));
    let closed = || held.iter().filter(|stream| matches!((&mut &**stream).read(&mut [0; 1]), Ok(0))).count();
    let begun = std::time::Instant::now();
    while closed() < 40 - 16 {
        assert!(begun.elapsed().as_secs() < 20, "{} are closed", closed());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(closed(), 40 - 16);
    drop(server);
}

#[test]
fn only_a_scraper_is_waited_for() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    get(server.address, "/metrics", "");
    assert_eq!(server.scraper_within_ns(), None, "a person with a browser");
    let never = AtomicBool::new(false);
    assert!(!server.wait_for_scrape(0, &never));
    get(server.address, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds: 10\r\n");
    assert!(server.scraper_within_ns().is_some());
    std::thread::scope(|scope| {
        let scraper = scope.spawn(|| {
            loop {
                get(server.address, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds: 10\r\n");
                if hub.cost("prometheus").is_some_and(|cost| cost.done > 20) {
                    return;
                }
            }
        });
        assert!(server.wait_for_scrape(60_000_000_000, &never));
        scraper.join().expect("it scrapes");
    });
}
