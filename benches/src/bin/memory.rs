//! Does the generator's memory stay what it is, however many exchanges it carries?
//!
//! ```text
//! cargo build --release && cd benches && cargo run --release --bin memory -- [--exchanges 100000000] [--smoke]
//! ```
//!
//! Loads the null server over 64 connections and looks four times a second at the client's resident memory. Printed is what it
//! was at parts of the time, which are parts of the exchanges, for the load is steady. The exit code is 1 when it grew by
//! more than 1 MiB after the first tenth, and after 5 s at least (half of a shorter load).

use anyhow::{Context, ensure};
use proofload_benches::flags::Flags;
use proofload_benches::subject::{Subject, proofload};
use proofload_benches::{CLIENT_CPU, child};
use std::io::Read;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// The load is given up when it takes longer.
const LONGEST: Duration = Duration::from_secs(3_000);
const LOOK: Duration = Duration::from_millis(250);
/// Time until memory has settled: pages that a process touches for the first time it touches mostly in its first
/// seconds, of eleven, 0.8 of 1.1 MiB by the third.
const SETTLED_S: f64 = 5.0;
const GROWTH_MAX_KIB: u64 = 1_024;

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--exchanges"])?;
    let exchanges: u64 = flags.or_smoke("--exchanges", 100_000_000, 1_000_000)?;
    ensure!((1_000_000..=1_000_000_000).contains(&exchanges), "10^6 to 10^9 exchanges");
    let subject = Subject::start(&["--null"])?;
    let mut command = child::on_cpu(CLIENT_CPU, &proofload()?);
    command.args([
        &subject.url,
        "-c",
        "64",
        "-n",
        &exchanges.to_string(),
        "--workers",
        "1",
        "--format",
        "json",
        "-q",
    ]);
    let mut client = command.stdout(Stdio::piped()).spawn().context("taskset could not be started")?;
    let status = format!("/proc/{}/status", client.id());
    let begun = Instant::now();
    let mut seen = Vec::new();
    while client.try_wait()?.is_none() {
        if begun.elapsed() > LONGEST {
            client.kill()?;
        }
        let kib = std::fs::read_to_string(&status).ok().as_deref().and_then(resident_kib);
        seen.extend(kib.map(|kib| (begun.elapsed().as_secs_f64(), kib)));
        thread::sleep(LOOK);
    }
    let mut output = String::new();
    client.stdout.take().context("no standard output")?.read_to_string(&mut output)?;
    let result: serde_json::Value = serde_json::from_str(&output).context("the client was cut short")?;
    let answered = result["points"][0]["outcomes"]["answered"].as_u64().unwrap_or(0);
    let seconds = result["points"][0]["seconds"].as_f64().context("no length")?;
    let seen = within(&seen, seconds);
    ensure!(seen.len() > 10, "too short to tell; ask for more exchanges");
    println!("{answered} exchanges in {:.0} s", begun.elapsed().as_secs_f64());
    for percent in [1, 10, 25, 50, 75, 99] {
        println!(
            "after {percent:>2} %: {:.2} MiB resident",
            seen[seen.len() * percent / 100] as f64 / 1024.0
        );
    }
    let first = settled(seen.len(), seconds);
    let late = &seen[first..];
    let growth = late.iter().max().unwrap_or(&0) - late[0];
    println!(
        "growth after the first {:.0} s: {growth} KiB at most",
        seconds * first as f64 / seen.len() as f64
    );
    ensure!(answered == exchanges, "{answered} of {exchanges} were answered");
    ensure!(growth <= GROWTH_MAX_KIB, "it grew");
    Ok(())
}

/// Looks while the load ran. Looking began after the client did, so that a look which is later than its length may have
/// come when the client made its report, which takes memory of its own.
fn within(seen: &[(f64, u64)], seconds: f64) -> Vec<u64> {
    seen.iter().filter(|(at_s, _)| *at_s < seconds).map(|(_, kib)| *kib).collect()
}

/// From which look on memory is held to stay what it is.
fn settled(looks: usize, seconds: f64) -> usize {
    let of_five_seconds = (looks as f64 * SETTLED_S / seconds.max(SETTLED_S)) as usize;
    (looks / 10).max(of_five_seconds.min(looks / 2))
}

fn resident_kib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn resident_memory_is_read() {
        assert_eq!(super::resident_kib("VmHWM:\t 9 kB\nVmRSS:\t  8192 kB\n"), Some(8192));
        assert_eq!(super::resident_kib("Name: x\n"), None);
    }

    #[test]
    fn a_long_load_is_settled_after_a_tenth_and_a_short_one_after_half() {
        assert_eq!(super::settled(4_000, 1_000.0), 400);
        assert_eq!(super::settled(44, 11.0), 20);
        assert_eq!(super::settled(14, 3.5), 7);
    }

    #[test]
    fn the_making_of_the_report_is_no_growth() {
        let seen = [(0.0, 8), (0.5, 9), (0.9, 9), (1.2, 11)];
        assert_eq!(super::within(&seen, 1.1), [8, 9, 9]);
    }
}
