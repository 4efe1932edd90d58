//! The figures of docs/benchmarks.md that compare Proofload with other clients.
//!
//! ```text
//! benches/peers.sh /tmp/peers && cargo build --release && cd benches
//! PEERS=/tmp/peers cargo run --release --bin figures -- [keep-alive|floor|reach|close|many|tls|peers ...] [--pairs 15] [--seconds 1] [--smoke]
//! ```
//!
//! Without a word all of them, one after the other. Before and after each the machine is looked at; a series on a
//! disturbed machine is marked as discarded and run again, twice at most, and the exit code is 1 if it still is.

use anyhow::{Context, bail};
use proofload_benches::clients::{Client, Did, Load};
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, in_pairs, median};
use proofload_benches::series::undisturbed;
use proofload_benches::subject::Subject;

/// `reach` is the floor over wrk: what of wrk's cost no client on this kernel can be without.
const SERIES: [&str; 7] = ["keep-alive", "floor", "reach", "close", "many", "tls", "peers"];

struct Terms {
    pairs: usize,
    seconds: u32,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--pairs", "--seconds"])?;
    let terms = Terms { pairs: flags.or_smoke("--pairs", 15, 1)?, seconds: flags.get("--seconds", 1)? };
    if !(1..=200).contains(&terms.pairs) || !(1..=60).contains(&terms.seconds) {
        bail!("at most 200 pairs of 60 s");
    }
    if let Some(unknown) = flags.words.iter().find(|word| !SERIES.contains(&word.as_str())) {
        bail!("no such series: {unknown}; there are {}", SERIES.join(", "));
    }
    let wanted = |name: &&&str| match flags.words.is_empty() {
        // The others need clients that may not be here.
        true => !flags.smoke || **name == "floor",
        false => flags.words.iter().any(|word| word == **name),
    };
    // A series that the machine spoilt does not keep the others from being run.
    let spoilt: Vec<String> = SERIES
        .iter()
        .filter(wanted)
        .filter_map(|name| undisturbed(name, flags.smoke, || run(name, &terms)).err())
        .map(|why| format!("{why:#}"))
        .collect();
    if !spoilt.is_empty() {
        bail!("{}", spoilt.join("\n"));
    }
    Ok(())
}

fn run(name: &str, terms: &Terms) -> anyhow::Result<()> {
    let null = ["--null"];
    match name {
        "keep-alive" => against(OVER_WRK, &null, &load(64, true, terms), terms),
        "floor" => against([Client::Proofload, Client::Bare], &null, &load(64, true, terms), terms),
        "reach" => against([Client::Bare, Client::Wrk], &null, &load(64, true, terms), terms),
        "close" => against(OVER_WRK, &["--null", "--close-after", "1"], &load(64, false, terms), terms),
        "many" => against(
            OVER_WRK,
            &null,
            &Load { seconds: terms.seconds.max(2), ..load(10_000, true, terms) },
            terms,
        ),
        "tls" => {
            let folder = std::env::temp_dir().join(format!("proofload-figures-{}", std::process::id()));
            let folder = folder.to_str().context("a temporary folder whose name is no text")?;
            against(OVER_WRK, &["--null", "--tls-self-signed", folder], &load(64, true, terms), terms)
        }
        _ => peers(terms),
    }
}

fn load(connections: u32, keep_alive: bool, terms: &Terms) -> Load {
    Load { url: String::new(), connections, seconds: terms.seconds, keep_alive }
}

const OVER_WRK: [Client; 2] = [Client::Proofload, Client::Wrk];

/// Two clients in pairs.
fn against([one, other]: [Client; 2], subject: &[&str], load: &Load, terms: &Terms) -> anyhow::Result<()> {
    let subject = Subject::start(subject)?;
    let load = Load { url: subject.url.clone(), ..load.clone() };
    let pairs = in_pairs(terms.pairs, || one.run(&load), || other.run(&load))?;
    let ratio = |of: fn(&Did) -> f64| {
        let ratios: Vec<f64> = pairs.iter().map(|(ours, theirs)| of(ours) / of(theirs)).collect();
        Ratio::of(&ratios)
    };
    println!("{} connections, {} s, {} over {}", load.connections, load.seconds, one.name(), other.name());
    println!("CPU per request      {}", ratio(|did| did.cpu_ns));
    println!("requests per second  {}", ratio(|did| did.per_s));
    for (at, name) in [(0, one.name()), (1, other.name())] {
        let of = |figure: fn(&Did) -> f64| {
            let values: Vec<f64> = pairs.iter().map(|pair| figure([&pair.0, &pair.1][at])).collect();
            median(&values)
        };
        println!(
            "{name}: {:.2} us per request ({:.2} user), {:.0} requests per second, peak {:.1} MiB",
            of(|did| did.cpu_ns) / 1e3,
            of(|did| did.user_ns) / 1e3,
            of(|did| did.per_s),
            of(|did| did.peak_rss_bytes as f64) / 1048576.0
        );
    }
    Ok(())
}

/// Every peer, each round beside a run of Proofload.
fn peers(terms: &Terms) -> anyhow::Result<()> {
    let rounds = terms.pairs.min(5);
    let subject = Subject::start(&["--null"])?;
    let load =
        Load { url: subject.url.clone(), seconds: terms.seconds.max(3), connections: 64, keep_alive: true };
    println!("| client | requests per second | CPU us per request | proofload over it | peak MiB |");
    println!("| --- | --- | --- | --- | --- |");
    for peer in Client::PEERS {
        let pairs = match in_pairs(rounds, || Client::Proofload.run(&load), || peer.run(&load)) {
            Ok(pairs) => pairs,
            Err(why) => {
                println!(
                    "| {} | not measured: {} | | | |",
                    peer.name(),
                    format!("{why:#}").lines().next().unwrap_or("")
                );
                continue;
            }
        };
        let theirs =
            |of: fn(&Did) -> f64| median(&pairs.iter().map(|(_, did)| of(did)).collect::<Vec<f64>>());
        let ratios: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours.cpu_ns / theirs.cpu_ns).collect();
        println!(
            "| {} | {:.0} | {:.2} | {} | {:.0} |",
            peer.name(),
            theirs(|did| did.per_s),
            theirs(|did| did.cpu_ns) / 1e3,
            Ratio::of(&ratios),
            theirs(|did| did.peak_rss_bytes as f64) / 1048576.0
        );
    }
    Ok(())
}
