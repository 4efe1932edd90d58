//! Client CPU per request by io_uring, over that by epoll, on the null reference server.
//!
//! ```text
//! cargo build --release --workspace && target/release/drivers [16 64 256 1000] [--pairs 15] [--seconds 1] [--smoke]
//! ```
//!
//! The words are numbers of connections.

use anyhow::{Context, ensure};
use proofload_benches::clients::measure;
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, in_pairs, median};
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;

const CONNECTIONS: [u32; 4] = [16, 64, 256, 1_000];

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--pairs", "--seconds"])?;
    let (pairs, seconds) = (flags.or_smoke("--pairs", 15, 1)?, flags.get("--seconds", 1)?);
    ensure!((1..=200).contains(&pairs) && (1..=60).contains(&seconds), "1 to 200 pairs of 1 to 60 s");
    let asked = flags.words.iter().map(|word| word.parse().with_context(|| format!("connections: {word:?}")));
    let mut all: Vec<u32> = asked.collect::<anyhow::Result<_>>()?;
    if all.is_empty() {
        all = if flags.smoke { vec![64] } else { CONNECTIONS.to_vec() };
    }
    for connections in all {
        undisturbed(&format!("{connections} connections"), flags.smoke, || {
            compare(connections, pairs, seconds)
        })?;
    }
    Ok(())
}

fn compare(connections: u32, pairs: usize, seconds: u64) -> anyhow::Result<()> {
    let subject = Subject::start(&["--null"])?;
    let load = |driver: &str| -> anyhow::Result<(f64, f64)> {
        let flags = ["--driver", driver, "-c", &connections.to_string()];
        let did = measure(&subject.url, seconds, &flags)?;
        ensure!(did.point["generator"]["driver"] == driver, "another driver carried it: {}", did.point);
        Ok((did.ended.cpu_ns / did.answered, did.answered / seconds as f64))
    };
    let done = in_pairs(pairs, || load("io_uring"), || load("epoll"))?;
    type Figure = fn(&(f64, f64)) -> f64;
    let figures: [(&str, Figure); 2] =
        [("CPU ns per request", |did| did.0), ("requests per second", |did| did.1)];
    for (what, of) in figures {
        let ratio = Ratio::of(&done.iter().map(|(ring, epoll)| of(ring) / of(epoll)).collect::<Vec<_>>());
        let ring = median(&done.iter().map(|(ring, _)| of(ring)).collect::<Vec<_>>());
        let epoll = median(&done.iter().map(|(_, epoll)| of(epoll)).collect::<Vec<_>>());
        println!("{what}: io_uring {ring:.0}, epoll {epoll:.0}, ratio {ratio}");
    }
    Ok(())
}
