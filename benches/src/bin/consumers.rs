//! Calls by Proofload and by the clients that Java has for them, of the same server, in turn: CPU of the client for each
//! call, and calls in a second.
//!
//! ```text
//! benches/consumers.sh /tmp/peers && cargo build --release --workspace
//! PEERS=/tmp/peers target/release/consumers [dubbo|dubbo-10|rmi|hessian|ajp ...] [--pairs 15] [--seconds 3] [--warm 30] [--smoke]
//! ```
//!
//! A text of 1 KiB is echoed, ten calls at a time. The Java client is one process for all rounds and has called for `--warm`
//! seconds before the first; a round is as many calls as it did in `--seconds` then, and both do the same number. Each answer
//! of the Java client is compared with what was sent, and a call that is not answered well ends the series.

use anyhow::{Context, bail, ensure};
use proofload_benches::SUBJECT_CPU;
use proofload_benches::consumer::{self, Consumer, Round, calls_in, proofload};
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, in_pairs, median};
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;
use std::time::Duration;

/// The same calls by two clients.
struct Series {
    name: &'static str,
    /// The client that is compared, and how its calls travel.
    client: &'static str,
    subject: &'static str,
    with: &'static [&'static str],
    /// What the Java client is told before the port, and behind it.
    consumer: (&'static str, Option<&'static str>),
    path: &'static str,
    /// Whether the text is an argument rather than part of the path.
    argument: bool,
    flags: &'static [&'static str],
}

/// Stands for the folder of the Java clients.
const HOME: &str = "{home}";
const DUBBO: &[&str] = &["version=2.7.23"];
const DUBBO_ECHO: &str = "lab.EchoService?method=echo";

const SERIES: [Series; 5] = [
    Series {
        name: "dubbo",
        client: "Dubbo 2.7.23, 1 connection with 10 calls in flight",
        subject: "dubbo",
        with: DUBBO,
        consumer: ("dubbo", Some("1")),
        path: DUBBO_ECHO,
        argument: true,
        flags: &["-c", "1", "--in-flight", "10"],
    },
    Series {
        name: "dubbo-10",
        client: "Dubbo 2.7.23, 10 connections",
        subject: "dubbo",
        with: DUBBO,
        consumer: ("dubbo", Some("10")),
        path: DUBBO_ECHO,
        argument: true,
        flags: &["-c", "10"],
    },
    Series {
        name: "rmi",
        client: "RMI of the JDK, 10 connections",
        subject: "rmi",
        with: &[],
        consumer: ("rmi", None),
        path: "echo?method=echo",
        argument: true,
        flags: &["-c", "10"],
    },
    Series {
        name: "hessian",
        client: "HessianProxyFactory 4.0.66, 10 connections",
        subject: "hessian",
        with: &[],
        consumer: ("hessian", None),
        path: "hessian?method=echo",
        argument: true,
        flags: &["-c", "10"],
    },
    Series {
        name: "ajp",
        client: "JMeter 5.6.3, AJP sampler, 10 connections",
        subject: "tomcat",
        with: &["version=9.0.110", "connector=ajp-nio"],
        consumer: ("ajp", Some(HOME)),
        path: "echo?t=",
        argument: false,
        flags: &["-c", "10"],
    },
];

struct Terms {
    pairs: usize,
    seconds: f64,
    warm: Duration,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--pairs", "--seconds", "--warm"])?;
    let terms = Terms {
        pairs: flags.or_smoke("--pairs", 15, 1)?,
        seconds: flags.or_smoke("--seconds", 3.0, 0.5)?,
        warm: Duration::from_secs(flags.or_smoke("--warm", 30, 1)?),
    };
    let fits = (1..=200).contains(&terms.pairs) && (0.1..=60.0).contains(&terms.seconds);
    ensure!(fits && terms.warm.as_secs() <= 600, "1 to 200 pairs of 0.1 to 60 s after at most 600 s");
    if let Some(unknown) = flags.words.iter().find(|word| SERIES.iter().all(|series| series.name != **word)) {
        bail!("no such series: {unknown}; there are {}", SERIES.map(|series| series.name).join(", "));
    }
    if let (Err(why), true) = (consumer::folder(), flags.smoke && flags.words.is_empty()) {
        // Whoever asks whether it runs may not have the Java clients.
        println!("not measured: {why:#}");
        return Ok(());
    }
    let wanted =
        |series: &&Series| flags.words.is_empty() || flags.words.iter().any(|word| word == series.name);
    let (mut rows, mut spoilt) = (Vec::new(), Vec::new());
    // A series that the machine spoilt does not keep the others from being run.
    for series in SERIES.iter().filter(wanted) {
        let mut row = String::new();
        let done = undisturbed(series.name, flags.smoke, || {
            row = run(series, &terms)?;
            Ok(())
        });
        match done {
            Ok(()) => rows.push(row),
            // A command that failed is shown with its arguments, of which one is the text.
            Err(why) => spoilt.push(format!("{}: {why:#}", series.name).replace(&text(), "x...")),
        }
    }
    println!("\n{HEAD}");
    rows.iter().for_each(|row| println!("{row}"));
    ensure!(spoilt.is_empty(), "{}", spoilt.join("\n"));
    Ok(())
}

const HEAD: &str = "\
| series, Java client | CPU µs per call, Proofload and it | CPU per call over it | calls per second, Proofload and it \
| calls per second over it | server's CPU busy |
| --- | --- | --- | --- | --- | --- |";

/// What is echoed.
fn text() -> String {
    "x".repeat(1024)
}

/// A round, and the share of it in which the server's CPU was busy.
type Seen = (Round, f64);

fn run(series: &Series, terms: &Terms) -> anyhow::Result<String> {
    let folder = consumer::folder()?;
    let subject = Subject::of_catalogue(series.subject, series.with)?;
    let text = text();
    let (carried, argument) = match series.argument {
        true => ("", vec!["--arg", &text]),
        false => (text.as_str(), vec![]),
    };
    let url = format!("{}{}{carried}", subject.url, series.path);
    let flags = [series.flags, &argument].concat();
    let (port, home) = (subject.port()?.to_string(), folder.display().to_string());
    let (kind, last) = series.consumer;
    let last = last.map(|last| if last == HOME { home.as_str() } else { last });
    let arguments: Vec<&str> = [kind, &port].into_iter().chain(last).collect();
    let mut java = Consumer::start(&folder, &arguments)?;
    let calls = calls_in(terms.seconds, &java.warm(terms.warm)?);
    let expected = Duration::from_secs_f64(terms.seconds);
    // A first one that does not count: the server has met only the other client.
    proofload(&url, calls, expected, &flags)?;
    let pairs = in_pairs(
        terms.pairs,
        || watched(|| proofload(&url, calls, expected, &flags)),
        || watched(|| java.calls(calls, expected)),
    )?;
    drop(java);
    subject.stop()?;
    Ok(row(series, calls, &pairs))
}

/// Prints what a series came to, and returns its row of the table.
fn row(series: &Series, calls: u64, pairs: &[(Seen, Seen)]) -> String {
    let ratio = |of: fn(&Round) -> f64| {
        let ratios: Vec<f64> = pairs.iter().map(|((ours, _), (theirs, _))| of(ours) / of(theirs)).collect();
        Ratio::of(&ratios)
    };
    let both = |of: &dyn Fn(&Seen) -> f64, digits: usize| {
        let ours = median(&pairs.iter().map(|(ours, _)| of(ours)).collect::<Vec<_>>());
        let theirs = median(&pairs.iter().map(|(_, theirs)| of(theirs)).collect::<Vec<_>>());
        format!("{ours:.digits$}, {theirs:.digits$}")
    };
    let (cpu, rate) = (ratio(|round| round.cpu_ns), ratio(Round::per_s));
    let cpu_us = both(&|(round, _)| round.cpu_ns / 1e3, 2);
    let per_s = both(&|(round, _)| round.per_s(), 0);
    let busy = both(&|(_, busy)| busy * 100.0, 0);
    println!("{calls} calls in a round, Proofload over {}", series.client);
    println!("CPU per call      {cpu}");
    println!("calls per second  {rate}");
    println!(
        "Proofload and it: {cpu_us} us of CPU per call; {per_s} calls per second; the server's CPU busy {busy} %"
    );
    let short = |ratio: &Ratio| format!("{:.3} [{:.3}, {:.3}]", ratio.median, ratio.low, ratio.high);
    format!(
        "| {}: {} | {cpu_us} | {} | {per_s} | {} | {busy} % |",
        series.name,
        series.client,
        short(&cpu),
        short(&rate)
    )
}

fn watched(round: impl FnOnce() -> anyhow::Result<Round>) -> anyhow::Result<Seen> {
    let [all, idle] = ticks()?;
    let round = round()?;
    let [all_then, idle_then] = ticks()?;
    Ok((round, 1.0 - (idle_then - idle) / (all_then - all).max(1.0)))
}

/// All ticks of the server's CPU and its idle ones, of proc_stat(5): `cpuN user nice system idle iowait irq softirq steal …`.
fn ticks() -> anyhow::Result<[f64; 2]> {
    let text = std::fs::read_to_string("/proc/stat").context("/proc/stat")?;
    let name = format!("cpu{SUBJECT_CPU}");
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(&name));
    let line = line.with_context(|| format!("/proc/stat has no {name}"))?;
    let each: Vec<f64> = line.split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
    Ok([each.iter().sum(), each.get(3).copied().unwrap_or(0.0)])
}
