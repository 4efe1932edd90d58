//! Client CPU per request by io_uring, over that by epoll, on the null reference server.
//!
//! ```text
//! cargo build --release --workspace && target/release/drivers [--pairs 15] [--seconds 1] [--connections 64]
//! ```

use anyhow::{Context, ensure};
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, in_pairs};
use proofload_benches::subject::{Subject, proofload};
use proofload_benches::{CLIENT_CPU, child};
use std::time::Duration;

/// The exit code of a measurement whose generator was its bottleneck, which is what is meant to be here.
const UNFIT: i32 = 12;

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--pairs", "--seconds", "--connections"])?;
    let pairs: usize = flags.get("--pairs", 15)?;
    let (seconds, connections): (u64, u32) = (flags.get("--seconds", 1)?, flags.get("--connections", 64)?);
    ensure!((1..=200).contains(&pairs) && (1..=60).contains(&seconds), "1 to 200 pairs of 1 to 60 s");
    let subject = Subject::start(&["--null"])?;
    let load = |driver: &str| -> anyhow::Result<(f64, f64)> {
        let mut command = child::on_cpu(CLIENT_CPU, &proofload()?);
        command.args([&subject.url, "--driver", driver, "-c", &connections.to_string()]);
        command.args(["-d", &format!("{seconds}s"), "--workers", "1", "--format", "json", "-q"]);
        let ended = child::run_to(command, Duration::from_secs(seconds + 30), &[0, UNFIT])?;
        let result: serde_json::Value = serde_json::from_str(&ended.output)?;
        let point = &result["points"][0];
        ensure!(point["generator"]["driver"] == driver, "another driver carried it: {point}");
        let answered = point["outcomes"]["answered"].as_u64().context("no count of answers")? as f64;
        ensure!(answered > 100.0, "only {answered} answers");
        Ok((ended.cpu_ns / answered, answered / seconds as f64))
    };
    let done = in_pairs(pairs, || load("io_uring"), || load("epoll"))?;
    println!("io_uring ns  epoll ns  CPU ratio  requests ratio");
    for ((ring, ring_per_s), (epoll, epoll_per_s)) in &done {
        println!("{ring:>11.0}  {epoll:>8.0}  {:>9.3}  {:>14.3}", ring / epoll, ring_per_s / epoll_per_s);
    }
    let cpu = Ratio::of(&done.iter().map(|(ring, epoll)| ring.0 / epoll.0).collect::<Vec<_>>());
    let per_s = Ratio::of(&done.iter().map(|(ring, epoll)| ring.1 / epoll.1).collect::<Vec<_>>());
    for (what, of) in [("CPU per request", cpu), ("requests per second", per_s)] {
        println!("{what}: {:.3} [{:.3}, {:.3}] of {} pairs", of.median, of.low, of.high, of.pairs);
    }
    Ok(())
}
