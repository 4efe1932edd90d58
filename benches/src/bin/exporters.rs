//! What figures while it runs take: a load with both exporters busy every second, over the same load without.
//!
//! ```text
//! cargo build --release --workspace && target/release/exporters [--pairs 15] [--seconds 4] [--smoke]
//! ```
//!
//! The client has one CPU, so that the exporters take it from the generator's only thread: the worst case. A scraper asks for
//! both formats in turn, once a second, and a collector takes a push a second.

use anyhow::{Context, ensure};
use proofload_benches::clients::{Measured, measure, measure_with};
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, in_pairs, median};
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const CONNECTIONS: &str = "64";

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--pairs", "--seconds"])?;
    let (pairs, seconds) = (flags.or_smoke("--pairs", 15, 1)?, flags.get("--seconds", 4)?);
    ensure!((1..=200).contains(&pairs) && (3..=60).contains(&seconds), "1 to 200 pairs of 3 to 60 s");
    undisturbed("exporters", flags.smoke, || compare(pairs, seconds))
}

fn compare(pairs: usize, seconds: u64) -> anyhow::Result<()> {
    let subject = Subject::start(&["--null"])?;
    let collector = collector()?;
    let plain = || Ok((measure(&subject.url, seconds, &["-c", CONNECTIONS])?, String::new()));
    let exported = || exported(&subject.url, seconds, collector);
    let done = in_pairs(pairs, exported, plain)?;
    type Figure = fn(&Measured) -> f64;
    let figures: [(&str, Figure); 3] = [
        ("CPU ns per request, whole process", |did| did.ended.cpu_ns / did.answered),
        ("CPU ns per request, generator's thread", |did| {
            did.point["generator"]["cpu_ns_per_exchange"].as_f64().unwrap_or(f64::NAN)
        }),
        ("requests", |did| did.answered),
    ];
    for (what, of) in figures {
        let ratio = Ratio::of(&done.iter().map(|((a, _), (b, _))| of(a) / of(b)).collect::<Vec<_>>());
        println!("{what}: exported over plain {ratio}");
    }
    for exporter in ["prometheus", "otlp"] {
        let of = |name: &str| -> Vec<f64> {
            let label = format!("{{exporter=\"{exporter}\"");
            done.iter().filter_map(|((_, page), _)| sample(page, name, &label)).collect()
        };
        let times = median(&of("proofload_exporter_deliveries_total"));
        println!(
            "{exporter}: {times:.0} times, {:.0} µs of CPU and {:.0} bytes each",
            median(&of("proofload_exporter_cpu_seconds_total")) * 1e6 / times,
            median(&of("proofload_exporter_sent_bytes_total")) / times
        );
    }
    Ok(())
}

/// The value of the first sample that begins like that.
fn sample(page: &str, name: &str, labels: &str) -> Option<f64> {
    let line = page.lines().find(|line| line.starts_with(&format!("{name}{labels}")))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// A measurement with exporters, and the last page that it served.
fn exported(url: &str, seconds: u64, collector: SocketAddr) -> anyhow::Result<(Measured, String)> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let scraping = scope.spawn(|| {
            let mut last = String::new();
            for turn in 0_u32.. {
                thread::sleep(Duration::from_millis(1_000));
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let accept = if turn % 2 == 0 { "application/openmetrics-text" } else { "text/plain" };
                last = scrape(free, accept).unwrap_or(last);
            }
            last
        });
        let (address, endpoint) = (free.to_string(), format!("http://{collector}"));
        let flags = ["-c", CONNECTIONS, "--prometheus", &address, "--otlp", &endpoint];
        let did = measure_with(url, seconds, &flags, &[("OTEL_METRIC_EXPORT_INTERVAL", "1000")]);
        over.store(true, Ordering::Relaxed);
        let page = scraping.join().map_err(|_| anyhow::anyhow!("the scraper panicked"))?;
        ensure!(page.contains("proofload_exporter_deliveries_total"), "it was never scraped twice");
        Ok((did?, page))
    })
}

fn scrape(address: SocketAddr, accept: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// A collector that takes everything and answers nothing but yes; it ends with the process.
fn collector() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for the collector")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            thread::spawn(move || {
                let mut bytes = [0; 64 * 1024];
                let mut wanted = None;
                let mut seen = Vec::new();
                while let Ok(read @ 1..) = stream.read(&mut bytes) {
                    seen.extend_from_slice(&bytes[..read]);
                    wanted = wanted.or_else(|| whole(&seen));
                    if wanted.is_some_and(|wanted| seen.len() >= wanted) {
                        (seen, wanted) = (Vec::new(), None);
                        let answered = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                        if answered.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    Ok(address)
}

/// The length of a request whose head has come.
fn whole(seen: &[u8]) -> Option<usize> {
    let head = seen.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&seen[..head]).to_ascii_lowercase();
    let length =
        text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    Some(head + length.unwrap_or(0))
}
