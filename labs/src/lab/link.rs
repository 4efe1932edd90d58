//! The same study twice: generator and servers beside each other, and with a link between them. What is claimed of servers must
//! not depend on it.

use super::commands::output;
use super::tested;
use super::trial::{Bench, last_of};
use anyhow::{Context, ensure};
use proofload_store::schema::{ClaimResult, Estimate, RunResult, Verdict};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const STUDY: &str = "studies/tomcat-connectors.yaml";
const TITLE: &str = "A link between";

/// Place of the servers, and place of the generator.
const SERVERS: &str = "c";
const GENERATOR: &str = "b";

/// Without other arguments it takes eight minutes each way, and what has to be built.
const USUAL: &str = "--quick";
const WITHIN: Duration = Duration::from_secs(7200);

/// Runs the study both ways and writes what came of it. It is an error when a claim is supported one way and refuted the other.
pub fn compare(bench: &Bench<'_>, root: &Path, version: &str, more: &[String]) -> anyhow::Result<()> {
    let more: Vec<&str> =
        if more.is_empty() { vec![USUAL] } else { more.iter().map(String::as_str).collect() };
    let study = root.join(STUDY).display().to_string();
    let home = bench.net.cache("home");
    keep(&own_cache()?, &home)?;
    let beside = run(bench, "beside", None, &study, &more)?;
    // Places reach no registry: what the servers need is there already.
    [GENERATOR, SERVERS].iter().try_for_each(|place| keep(&home, &bench.net.cache(place)))?;
    let apart =
        run(bench, "apart", Some(GENERATOR), &study, &[&more[..], &["--subjects-on", SERVERS]].concat())?;
    let text = text(&beside, &apart, &more);
    println!("{text}");
    tested::write(root, TITLE, version, &text)?;
    let contradicted = contradicted(&beside, &apart);
    ensure!(contradicted.is_empty(), "supported one way and refuted the other: {}", contradicted.join(", "));
    Ok(())
}

fn own_cache() -> anyhow::Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    cache.or_else(home).context("neither XDG_CACHE_HOME nor HOME says where the cache is")
}

/// Copies what Proofload keeps in a cache to another.
fn keep(from: &Path, to: &Path) -> anyhow::Result<()> {
    let from = from.join("proofload");
    if !from.is_dir() {
        return Ok(());
    }
    let mut copy = Command::new("sh");
    // Locks and records of others are of that cache; places may be a disk of their own.
    copy.args(["-c", "umask 077 && mkdir -p \"$2/proofload\" && cd \"$1\" && for part in *; do case $part in locks|places) ;; *) cp -a \"$part\" \"$2/proofload/\";; esac; done", "sh"]);
    output(copy.arg(from).arg(to)).map(drop)
}

fn run(
    bench: &Bench<'_>,
    name: &str,
    place: Option<&str>,
    study: &str,
    more: &[&str],
) -> anyhow::Result<RunResult> {
    let catalogue = bench.catalogue.display().to_string();
    let args = [&["run", study, "--catalogue", &catalogue], more].concat();
    println!("proofload {} at {}", args.join(" "), place.unwrap_or("no place"));
    let mut trial = bench.start(name, place, &args)?;
    let ended = trial.ended(Instant::now(), WITHIN)?;
    let told = trial.record_at_home().with_context(|| last_of(&ended.told))?;
    println!("ended with {} after {:.0} s", ended.exit(), ended.seconds);
    serde_json::from_value(told).context("what `proofload report` tells")
}

/// Names of claims that one way supports and the other refutes.
fn contradicted(beside: &RunResult, apart: &RunResult) -> Vec<String> {
    let pairs = beside.claims.iter().filter_map(|one| Some((one, of(apart, &one.name)?)));
    let differ = pairs.filter(|(one, other)| {
        let both = [&one.verdict, &other.verdict];
        both.contains(&&Verdict::Supported) && both.contains(&&Verdict::Refuted)
    });
    differ.map(|(one, _)| one.name.clone()).collect()
}

fn of<'a>(result: &'a RunResult, claim: &str) -> Option<&'a ClaimResult> {
    result.claims.iter().find(|other| other.name == claim)
}

fn text(beside: &RunResult, apart: &RunResult, more: &[&str]) -> String {
    let mut text = format!(
        "`{STUDY}` with `{}`: beside each other on the machine itself, and with the servers on `{SERVERS}` and the generator on \
         `{GENERATOR}`, two virtual links and a bridge between them.\n\n\
         | what | beside each other | a link between |\n| --- | --- | --- |\n",
        more.join(" ")
    );
    let mut row = |what: &str, cell: &dyn Fn(&RunResult) -> String| {
        let cells = [cell(beside), cell(apart)].map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {what} | {} | {} |", cells[0], cells[1]);
    };
    for claim in &beside.claims {
        row(&claim.name, &|result| of(result, &claim.name).map_or("–".to_owned(), judged));
    }
    row("blocks, and of these left out", &|result| format!("{}, {}", result.blocks, result.excluded_blocks));
    row("slices in which the generator was fit", &fit);
    row("small exchange with a server that does nothing, p50 / p99", &|result| {
        let network = result.network.as_ref();
        let times = network.and_then(|network| Some((network.p50_ns?, network.p99_ns?)));
        times.map_or("–".to_owned(), |(p50, p99)| format!("{:.0} / {:.0} µs", micros(p50), micros(p99)))
    });
    row("large answers of it", &|result| {
        let rate = result.network.as_ref().and_then(|network| network.bytes_per_s);
        rate.map_or("–".to_owned(), |rate| format!("{:.0} Mbit/s", rate * 8.0 / 1e6))
    });
    row("generator's ceiling", &|result| {
        let rates = result.ceilings.iter().filter_map(|ceiling| ceiling.exchanges_per_s);
        let rates: Vec<String> = rates.map(|rate| format!("{rate:.0} /s")).collect();
        if rates.is_empty() { "–".to_owned() } else { rates.join(", ") }
    });
    let contradicted = contradicted(beside, apart);
    let said = match contradicted.is_empty() {
        true => "No claim is supported one way and refuted the other.".to_owned(),
        false => format!("**Supported one way and refuted the other**: {}.", contradicted.join(", ")),
    };
    format!("{text}\n{said}\n")
}

fn micros(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// The verdict, and the interval that it rests on.
fn judged(claim: &ClaimResult) -> String {
    let interval = claim.estimate.as_ref().map(interval).unwrap_or_default();
    format!("{}{interval}", claim.verdict.name())
}

fn interval(of: &Estimate) -> String {
    let end = |end: Option<f64>, unbounded: &str| end.map_or(unbounded.to_owned(), |end| format!("{end:.4}"));
    let (low, high) = (end(of.low, "−∞"), end(of.high, "∞"));
    let unit = if of.unit == "ratio" { "" } else { of.unit.as_str() };
    format!(", {:.4} {unit} [{low}, {high}]", of.point).replace("  ", " ")
}

fn fit(result: &RunResult) -> String {
    let (fit, unfit): (Vec<_>, Vec<_>) = result.points.iter().partition(|point| point.generator.fit);
    let finding = unfit.iter().find_map(|point| point.generator.findings.first());
    let finding = finding
        .map(|finding| format!("; first: {}", proofload_language::facts::in_english(finding)))
        .unwrap_or_default();
    format!("{} of {}{finding}", fit.len(), result.points.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(verdicts: [Verdict; 2]) -> RunResult {
        let estimate = Estimate { point: 1.05, low: Some(1.01), high: None, unit: "ratio".into() };
        let claim = |(name, verdict)| ClaimResult {
            name,
            verdict,
            estimate: Some(estimate.clone()),
            ..ClaimResult::default()
        };
        let claims = ["more".to_owned(), "less".to_owned()].into_iter().zip(verdicts).map(claim).collect();
        RunResult { claims, blocks: 9, ..RunResult::default() }
    }

    #[test]
    fn a_claim_that_is_supported_one_way_and_refuted_the_other_is_named() {
        let beside = result([Verdict::Supported, Verdict::Undecided]);
        let apart = result([Verdict::Refuted, Verdict::Supported]);
        assert_eq!(contradicted(&beside, &apart), ["more"]);
        assert_eq!(contradicted(&apart, &beside), ["more"]);
        let text = text(&beside, &apart, &["--quick"]);
        assert!(text.contains("refuted the other**: more."), "{text}");
    }

    #[test]
    fn both_ways_stand_side_by_side() {
        let (beside, apart) = (
            result([Verdict::Supported, Verdict::Refuted]),
            result([Verdict::Supported, Verdict::Undecided]),
        );
        let text = text(&beside, &apart, &["--quick"]);
        let row = "| less | refuted, 1.0500 [1.0100, ∞] | undecided, 1.0500 [1.0100, ∞] |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("No claim is supported one way and refuted the other."), "{text}");
    }
}
