//! The page that is scraped.

use super::support::{second, slice};
use proofload_measure::Outcome::Answered;
use proofload_serve::metrics::{Cost, Doing, Hub, Server};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn get(address: SocketAddr, path: &str, heads: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{heads}\r\n").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

const SCRAPER: &str = "X-Prometheus-Scrape-Timeout-Seconds: 10\r\n";

/// Waits until that many pages were sent: the server knows it a moment after the reader.
fn served(hub: &Hub, pages: u64) -> Cost {
    loop {
        match hub.cost("prometheus").filter(|cost| cost.done >= pages) {
            Some(cost) => return cost,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
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
    let cost = served(&hub, 3);
    assert!(cost.done == 3 && cost.bytes > 3_000 && cost.failed == 0, "{cost:?}");
}

#[test]
fn what_is_no_request_for_figures_is_refused() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    let asked = |request: &str| {
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    };
    let status = |request: &str| asked(request).split(' ').nth(1).map(str::to_string);
    assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: a.example\r\n\r\n").as_deref(), Some("403"));
    assert_eq!(status("GET /metrics HTTP/1.1\r\n\r\n").as_deref(), Some("403"));
    assert_eq!(status("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").as_deref(), Some("405"));
    let long = "a".repeat(64 << 10);
    let too_long = status(&format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert!(matches!(too_long.as_deref(), Some("414" | "431")), "{too_long:?}");
    let head = asked("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn silent_connections_lock_nobody_out_and_do_not_hold_the_end() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    let silent = || -> Vec<TcpStream> {
        (0..16).map(|_| TcpStream::connect(server.address).expect("it listens")).collect()
    };
    let first = silent();
    let page = get(server.address, "/metrics", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    for mut stream in first {
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("it is closed");
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{said}");
    }
    let again = silent();
    drop(server);
    drop(again);
}

/// A page of more than the kernel holds for a reader that does not read, and its first bytes.
fn half_read(hub: &Hub, address: SocketAddr) -> (TcpStream, Vec<u8>) {
    hub.tell(|state| {
        for number in 0..40 {
            let name = format!("{number}{}", "x".repeat(3_000));
            state.slice(&slice(&name, "8c", "", &second(0, &[(1_000_000, Answered)])));
        }
        state.ends(Doing::Finished);
    });
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n{SCRAPER}\r\n").expect("it reads");
    let mut answer = vec![0; 64];
    stream.read_exact(&mut answer).expect("it answers");
    (stream, answer)
}

#[test]
fn a_page_that_is_on_its_way_at_the_end_is_read_whole() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    let address = server.address;
    let (mut stream, mut answer) = half_read(&hub, address);
    assert!(!server.wait_for_scrape(0, &AtomicBool::new(false)), "it was not scraped yet");
    let ending = std::thread::spawn(move || drop(server));
    while TcpStream::connect(address).is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    stream.read_to_end(&mut answer).expect("it is sent");
    ending.join().expect("it ends");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    assert_eq!(length, Some(body.len()), "{head}");
    assert!(body.len() > 8 << 20, "{}", body.len());
    let cost = served(&hub, 1);
    assert_eq!((cost.done, cost.failed, cost.bytes), (1, 0, body.len() as u64));
}

#[test]
fn a_reader_that_goes_away_was_not_served() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    drop(half_read(&hub, server.address));
    while hub.cost("prometheus").is_none_or(|cost| cost.failed == 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(hub.cost("prometheus").map(|cost| (cost.done, cost.failed)), Some((0, 1)));
    assert_eq!(server.scraper_within_ns(), None);
}

#[test]
fn only_a_scraper_is_waited_for() {
    let hub = Arc::new(Hub::default());
    let server = server(&hub);
    get(server.address, "/metrics", "");
    served(&hub, 1);
    assert_eq!(server.scraper_within_ns(), None, "a person with a browser");
    let never = AtomicBool::new(false);
    assert!(!server.wait_for_scrape(0, &never));
    get(server.address, "/metrics", SCRAPER);
    served(&hub, 2);
    assert!(server.scraper_within_ns().is_some());
    let enough = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !enough.load(Ordering::Relaxed) {
                get(server.address, "/metrics", SCRAPER);
            }
        });
        assert!(server.wait_for_scrape(u64::MAX / 2, &never));
        enough.store(true, Ordering::Relaxed);
    });
}
