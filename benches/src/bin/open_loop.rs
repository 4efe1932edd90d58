//! The open loop, live: deviation of arrivals from the timetable, its cost, and the effect of a stall on the figures.
//!
//! ```text
//! cargo build --release && cd benches && cargo run --release --bin open_loop -- [--rounds 5] [--seconds 10] [deviation|agents|stall] [--smoke]
//! ```
//!
//! Client with one thread on CPU 0, reference server on CPU 1, 5,000 requests a second over 64 connections. *Arrivals*:
//! the server logs the instant at which it had received each request, by `CLOCK_MONOTONIC`; the deviation is that
//! instant minus the ideal one, t0 + i / 5000, with t0 the earliest hundredth; the first half second is left out.
//! *Sends*: the generator's own send delay, from intended to the call of `send`, from its result; the delay of arrivals
//! beyond that is the way through the kernel and the server's own wake-up. *CPU*: user and system time of the whole
//! client process over answered requests. Figures are medians over the rounds, in which the settings take turns.
//!
//! *Agents*: 20,000 requests a second by 1, 2, 4 and 8 agents, all on the client's CPU. Together they have one
//! timetable, so arrivals are as far from it as those of one process, and none come in bursts: the share of gaps below
//! half of the ideal one shows it. The start error is that of the agent that began last.
//!
//! The stall experiment (wrk2's): the server holds all answers for 200 ms every 2 s. A tenth of the requests fall into
//! that and wait evenly between 0 and 200 ms, so the truth is p99 180 ms and p99.9 198 ms. The first stall comes 2 s after
//! the server's start, so that long is left out, and the window is whole periods.

use anyhow::{Context, ensure};
use proofload_benches::clients::{Measured, measure};
use proofload_benches::flags::Flags;
use proofload_benches::pairs::median;
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;
use proofload_reference::read_arrivals;
use serde_json::Value;
use std::path::PathBuf;

const RATE_PER_S: f64 = 5_000.0;
const COALESCE: [&str; 3] = ["0s", "100us", "1ms"];
/// Beginning that is left out: connecting, and caches that are cold.
const LEFT_OUT_NS: f64 = 0.5e9;

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--rounds", "--seconds"])?;
    let (rounds, seconds) = (flags.or_smoke("--rounds", 5, 1)?, flags.or_smoke("--seconds", 10, 2)?);
    ensure!(seconds % 2 == 0 && seconds > 0, "--seconds: {seconds} are no whole periods of 2 s");
    let wants = |word: &str| flags.words.is_empty() || flags.words.iter().any(|wanted| wanted == word);
    if wants("deviation") {
        undisturbed("deviation", flags.smoke, || deviation(rounds, seconds))?;
    }
    if wants("agents") {
        undisturbed("agents", flags.smoke, || agents(rounds, seconds))?;
    }
    if wants("stall") {
        undisturbed("stall", flags.smoke, || stall(rounds, seconds))?;
    }
    Ok(())
}

/// One run: the deviations of arrivals, the generator's send delay, CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    arrivals_us: [f64; 3],
    sends_us: [f64; 3],
    cpu_us: f64,
}

fn deviation(rounds: usize, seconds: u64) -> anyhow::Result<()> {
    let mut of: Vec<Vec<Round>> = vec![Vec::new(); COALESCE.len()];
    for _ in 0..rounds {
        for (coalesce, rounds) in COALESCE.iter().zip(&mut of) {
            rounds.push(deviate(coalesce, seconds)?);
        }
    }
    println!("\n5,000/s, 64 connections, {seconds} s, medians of {rounds} rounds; us");
    println!("coalesce | arrivals p50      p99      max | sends p50    p99      max | CPU us/request");
    for (coalesce, rounds) in COALESCE.iter().zip(&of) {
        let mid = |of: &dyn Fn(&Round) -> f64| median(&rounds.iter().map(of).collect::<Vec<_>>());
        let [a50, a99, amax] = [0, 1, 2].map(|at| mid(&|round: &Round| round.arrivals_us[at]));
        let [s50, s99, smax] = [0, 1, 2].map(|at| mid(&|round: &Round| round.sends_us[at]));
        let cpu = mid(&|round: &Round| round.cpu_us);
        println!(
            "{coalesce:>8} | {a50:>12.1} {a99:>8.1} {amax:>8.0} | {s50:>9.1} {s99:>6.1} {smax:>8.0} | {cpu:>6.2}"
        );
    }
    Ok(())
}

fn deviate(coalesce: &str, seconds: u64) -> anyhow::Result<Round> {
    let log = Log::new();
    let path = log.0.to_str().context("the temporary directory's name is no text")?.to_owned();
    let server = Subject::start(&["--null", "--arrivals", &path])?;
    let loaded = load(&server, &["-c", "64", "--coalesce", coalesce], seconds)?;
    // The log is whole once the server was asked to stop.
    server.stop()?;
    Ok(Round { arrivals_us: deviations_us(&log.read()?, RATE_PER_S)?, ..loaded.round })
}

/// Requests a second of several agents.
const AGENTS_RATE_PER_S: f64 = 20_000.0;

fn agents(rounds: usize, seconds: u64) -> anyhow::Result<()> {
    let counts = ["1", "2", "4", "8"];
    let mut of: Vec<Vec<[f64; 7]>> = vec![Vec::new(); counts.len()];
    for _ in 0..rounds {
        for (count, rounds) in counts.iter().zip(&mut of) {
            rounds.push(by_agents(count, seconds)?);
        }
    }
    println!("\n20,000/s, 64 connections, {seconds} s, medians of {rounds} rounds; us");
    println!(
        "agents | arrivals p50      p99      max | gaps below half | start error | answered | CPU us/request"
    );
    for (count, rounds) in counts.iter().zip(&of) {
        let [a50, a99, amax, bursts, start, answered, cpu] =
            [0, 1, 2, 3, 4, 5, 6].map(|at| median(&rounds.iter().map(|round| round[at]).collect::<Vec<_>>()));
        println!(
            "{count:>6} | {a50:>12.1} {a99:>8.1} {amax:>8.0} | {bursts:>15.3} | {start:>11.1} | {answered:>8.0} | {cpu:>6.2}"
        );
    }
    Ok(())
}

/// Quantiles of the deviations, the share of short gaps, the start error, the answers, and CPU per request.
fn by_agents(count: &str, seconds: u64) -> anyhow::Result<[f64; 7]> {
    let log = Log::new();
    let path = log.0.to_str().context("the temporary directory's name is no text")?.to_owned();
    let server = Subject::start(&["--null", "--arrivals", &path])?;
    let flags = ["-r", "20000", "-c", "64", "--agents", count];
    let Measured { ended, point, answered } = measure(&server.url, seconds, &flags)?;
    server.stop()?;
    let at_ns = log.read()?;
    let asked = (AGENTS_RATE_PER_S * seconds as f64) as usize;
    ensure!(
        at_ns.len() == asked,
        "{} arrivals of {asked}: the log is not that of one timetable",
        at_ns.len()
    );
    let half_ns = 0.5e9 / AGENTS_RATE_PER_S;
    let short = at_ns.windows(2).filter(|pair| pair[1] - pair[0] < half_ns).count();
    let [a50, a99, amax] = deviations_us(&at_ns, AGENTS_RATE_PER_S)?;
    let start_us = point["generator"]["start_error_ns"].as_f64().unwrap_or(f64::NAN) / 1e3;
    let cpu_us = ended.cpu_ns / answered / 1e3;
    Ok([a50, a99, amax, short as f64 / asked as f64, start_us, answered, cpu_us])
}

/// Quantiles .5 and .99 and the largest of the deviations of arrivals, in order, from their timetable.
fn deviations_us(at_ns: &[f64], rate_per_s: f64) -> anyhow::Result<[f64; 3]> {
    let gap_ns = 1e9 / rate_per_s;
    let skip = (LEFT_OUT_NS / gap_ns) as usize;
    ensure!(at_ns.len() > 2 * skip, "only {} arrivals were logged", at_ns.len());
    let first = at_ns[0];
    let late: Vec<f64> =
        at_ns.iter().enumerate().skip(skip).map(|(i, at)| at - first - i as f64 * gap_ns).collect();
    let earliest = quantile(late.clone(), 0.01);
    let late: Vec<f64> = late.into_iter().map(|ns| (ns - earliest) / 1e3).collect();
    Ok([0.5, 0.99, 1.0].map(|q| quantile(late.clone(), q)))
}

struct Loaded {
    round: Round,
    point: Value,
}

/// Runs the client and reads its result.
fn load(server: &Subject, flags: &[&str], seconds: u64) -> anyhow::Result<Loaded> {
    let flags = [&["-r", "5000"], flags].concat();
    let Measured { ended, point, answered } = measure(&server.url, seconds, &flags)?;
    let us = |key: &str| point["send_delay_ns"][key].as_f64().unwrap_or(f64::NAN) / 1e3;
    let sends_us = [us("p50"), us("p99"), us("max")];
    Ok(Loaded {
        round: Round { arrivals_us: [0.0; 3], sends_us, cpu_us: ended.cpu_ns / answered / 1e3 },
        point,
    })
}

fn stall(rounds: usize, seconds: u64) -> anyhow::Result<()> {
    let settings: [(&str, &[&str]); 4] = [
        ("64", &["-c", "64"]),
        ("1,200", &["-c", "1200"]),
        ("64 to 1,200", &["-c", "64", "--max-connections", "1200"]),
        ("64, drop", &["-c", "64", "--overflow", "drop"]),
    ];
    let mut of: Vec<Vec<[f64; 7]>> = vec![Vec::new(); settings.len()];
    for _ in 0..rounds {
        for ((_, flags), rounds) in settings.iter().zip(&mut of) {
            let server = Subject::start(&["--stall", "200ms/2s"])?;
            let point = load(&server, &[*flags, &["--warm-up", "2s"][..]].concat(), seconds)?.point;
            let ms = |of: &str, key: &str| point[of][key].as_f64().unwrap_or(f64::NAN) / 1e6;
            let response = ["p50", "p90", "p99", "p999"].map(|key| ms("response_time_ns", key));
            let count = |key: &str| point[key].as_f64().unwrap_or(0.0);
            let [p50, p90, p99, p999] = response;
            rounds.push([
                p50,
                p90,
                p99,
                p999,
                ms("service_time_ns", "p99"),
                count("sent"),
                count("connections_peak"),
            ]);
        }
    }
    println!(
        "\n200 ms stall every 2 s at 5,000/s, {seconds} s, medians of {rounds} rounds; truth: p99 180, p99.9 198 ms"
    );
    println!("connections | p50 ms     p90     p99   p99.9 | service p99 |    sent | peak connections");
    for ((name, _), rounds) in settings.iter().zip(&of) {
        let [p50, p90, p99, p999, service, sent, peak] =
            [0, 1, 2, 3, 4, 5, 6].map(|at| median(&rounds.iter().map(|round| round[at]).collect::<Vec<_>>()));
        println!(
            "{name:>11} | {p50:>6.3} {p90:>7.3} {p99:>7.2} {p999:>7.2} | {service:>11.3} | {sent:>7.0} | {peak:>5.0}"
        );
    }
    Ok(())
}

fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * q).ceil() as usize).clamp(1, values.len());
    values[at - 1]
}

/// A log of arrivals that is gone in the end.
struct Log(PathBuf);

impl Log {
    fn new() -> Log {
        Log(std::env::temp_dir().join(format!("proofload-open-loop-{}.arrivals", std::process::id())))
    }

    /// The instants, in order.
    fn read(&self) -> anyhow::Result<Vec<f64>> {
        let mut at_ns: Vec<f64> =
            read_arrivals(&self.0)?.iter().map(|arrival| arrival.at_ns as f64).collect();
        at_ns.sort_by(f64::total_cmp);
        Ok(at_ns)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_from_the_timetable_and_not_from_the_first_arrival() {
        // On time but for one in fifty, which is 100 us late; the very first comes 50 us late.
        let late = |i: usize| {
            if i == 0 {
                50e3
            } else if i.is_multiple_of(50) {
                100e3
            } else {
                0.0
            }
        };
        let at_ns: Vec<f64> = (0..20_000).map(|i| 7e9 + i as f64 * 200e3 + late(i)).collect();
        let [p50, p99, max] = deviations_us(&at_ns, RATE_PER_S).unwrap();
        assert!(
            p50.abs() < 1e-6 && (p99 - 100.0).abs() < 1e-6 && (max - 100.0).abs() < 1e-6,
            "{p50} {p99} {max}"
        );
        assert!(deviations_us(&at_ns[..100], RATE_PER_S).is_err());
    }
}
