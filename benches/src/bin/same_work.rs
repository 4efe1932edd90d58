//! What ab, wrk, JMeter, k6 and Proofload report of the same work: that of two published experiments.
//!
//! ```text
//! cargo build --release --workspace && PEERS=/tmp/peers target/release/same_work [echo|home|long] [--rounds 3] [--seconds 15] [--smoke]
//! ```
//!
//! *echo*: Tomcat 6 with its BIO connector, a text of 1 KiB echoed, 32 connections, a new one for each request. *home* and
//! *long*: Tomcat 9 with its NIO connector and 200 threads, 1,200 kept connections, the home page, and a generated answer of 210,000
//! bytes. Clients with one thread on CPU 0, the server on CPU 1, warmed by a load of Proofload; the clients take turns, and
//! each figure is the median of their rounds. Ramps of a second where a client knows ramps (JMeter, Proofload).

use proofload_benches::clients::{Client, Load};
use proofload_benches::flags::Flags;
use proofload_benches::pairs::median;
use proofload_benches::reports::{Told, report};
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;

const CLIENTS: [Client; 5] = [Client::Proofload, Client::Wrk, Client::Ab, Client::K6, Client::Jmeter];

/// A work that is the same for all.
struct Work {
    name: &'static str,
    subject: &'static str,
    with: &'static [&'static str],
    path: fn() -> String,
    connections: u32,
    keep_alive: bool,
    ramp: u32,
    /// Times the seconds that are asked for: where one answer takes as long.
    longer: u32,
}

const TOMCAT: &[&str] =
    &["connector=nio", "max_threads=200", "accept_count=20000", "max_connections=22000", "heap=2g"];

const WORKS: [Work; 3] = [
    Work {
        name: "echo",
        subject: "tomcat",
        with: &["version=6.0.53", "connector=bio"],
        path: || format!("echo?t={}", "x".repeat(1024)),
        connections: 32,
        keep_alive: false,
        ramp: 0,
        longer: 1,
    },
    Work {
        name: "home",
        subject: "tomcat-full",
        with: TOMCAT,
        path: String::new,
        connections: 1200,
        keep_alive: true,
        ramp: 1,
        longer: 1,
    },
    Work {
        name: "long",
        subject: "tomcat-full",
        with: TOMCAT,
        path: || "examples/servlets/nonblocking/numberwriter".to_string(),
        connections: 1200,
        keep_alive: true,
        ramp: 1,
        longer: 6,
    },
];

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--rounds", "--seconds"])?;
    let (rounds, seconds) = (flags.or_smoke("--rounds", 3, 1)?, flags.or_smoke("--seconds", 15, 1)?);
    let wants = |work: &&Work| match flags.words.is_empty() {
        // Its answers take half a minute.
        true => !(flags.smoke && work.name == "long"),
        false => flags.words.iter().any(|word| word == work.name),
    };
    for work in WORKS.iter().filter(wants) {
        undisturbed(work.name, flags.smoke, || run(work, rounds, seconds))?;
    }
    Ok(())
}

fn run(work: &Work, rounds: usize, seconds: u32) -> anyhow::Result<()> {
    let rounds = rounds.div_ceil(work.longer as usize);
    let seconds = seconds * work.longer;
    let subject = Subject::of_catalogue(work.subject, work.with)?;
    let url = format!("{}{}", subject.url, (work.path)());
    let load = Load { url, connections: work.connections, seconds, keep_alive: work.keep_alive };
    let warm = Load { connections: load.connections.min(64), seconds: seconds.min(20), ..load.clone() };
    report(Client::Proofload, &warm, 0)?;
    let mut told: Vec<Vec<anyhow::Result<Told>>> = CLIENTS.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (client, told) in CLIENTS.iter().zip(&mut told) {
            told.push(report(*client, &load, work.ramp));
        }
    }
    subject.stop()?;
    let kept = if work.keep_alive { "kept" } else { "a new one for each request" };
    println!(
        "\n{}: {} connections, {kept}, {seconds} s, medians of {rounds} rounds",
        work.name, work.connections
    );
    println!(
        "| client | answered | requests per second | mean ms | p50 | p90 | p99 | max | in flight | errors |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (client, told) in CLIENTS.iter().zip(told) {
        println!("{}", row(client.name(), told));
    }
    Ok(())
}

fn row(name: &str, told: Vec<anyhow::Result<Told>>) -> String {
    let (told, failed): (Vec<_>, Vec<_>) = told.into_iter().partition(Result::is_ok);
    let told: Vec<Told> = told.into_iter().flatten().collect();
    let failed = failed.into_iter().filter_map(Result::err).map(|why| {
        let why = format!("{why:#}");
        format!("not measured: {}", why.lines().next().unwrap_or(""))
    });
    let mid = |of: &dyn Fn(&Told) -> Option<f64>, digits: usize| {
        let values: Vec<f64> = told.iter().filter_map(of).collect();
        if values.is_empty() { "–".to_string() } else { format!("{:.digits$}", median(&values)) }
    };
    let mut wrong: Vec<String> = told.iter().map(|told| told.errors.clone()).chain(failed).collect();
    wrong.retain(|what| !what.is_empty());
    wrong.dedup();
    let times = (0..5).map(|at| mid(&|told: &Told| told.times_ms[at], 1)).collect::<Vec<_>>().join(" | ");
    format!(
        "| {name} | {} | {} | {times} | {} | {} |",
        mid(&|told| Some(told.requests), 0),
        mid(&|told| told.per_s, 0),
        // Little's law: of connections that always wait for an answer as many as there are.
        mid(&|told| Some(told.per_s? * told.times_ms[0]? / 1e3), 0),
        if wrong.is_empty() { "none".to_string() } else { wrong.join("; ") }
    )
}
