//! Whole studies over several places, to a verdict.

use super::faults::{everywhere, state};
use super::tested::Row;
use super::trial::{Bench, Engine, last_of};
use anyhow::{Context, ensure};
use std::time::{Duration, Instant};

/// Half a minute to a minute and a half, with a load that leaves CPU time to the agents beside the servers.
pub const SHORT: [&str; 5] = [
    "--timing",
    "warm-up=300ms,slice=200ms,discard=20ms,cycles=4",
    "--budget=75s",
    "--set",
    "load.closed.connections=2",
];

/// A study may wait for others that measure on this machine.
const WITHIN: Duration = Duration::from_secs(420);

/// Supported, refuted or undecided.
pub const VERDICTS: [i32; 3] = [0, 10, 11];

struct Study {
    what: &'static str,
    place: Option<&'static str>,
    args: &'static [&'static str],
}

fn of(engine: Engine) -> Vec<Study> {
    let outside = |what, args| Study { what, place: None, args };
    match engine {
        Engine::Ssh => vec![
            outside("`--subjects-on c`, where Proofload has never been", &["--subjects-on", "c"]),
            Study { what: "from `a`: `--subjects-on b`", place: Some("a"), args: &["--subjects-on", "b"] },
            outside("`--on ssh:b,c --subjects-on a`", everywhere(engine)),
            outside("`--on ssh:b`, servers outside", &["--on", "ssh:b"]),
        ],
        Engine::Slurm => vec![outside("`--on slurm --agents 2`, in no allocation yet", everywhere(engine))],
        Engine::Kubernetes => vec![outside("`--on kubernetes --agents 2`", everywhere(engine))],
    }
}

/// All of them whose name has this word.
pub fn all(bench: &Bench<'_>, word: &str, rows: &mut Vec<Row>) {
    for (number, study) in of(bench.engine).iter().enumerate().filter(|(_, study)| study.what.contains(word))
    {
        let mut row = Row { what: format!("study {}", study.what), ..Row::default() };
        row.failed = run(bench, number, study, &mut row).err().map(|error| format!("{error:#}"));
        println!("{}", row.line());
        rows.push(row);
    }
}

fn run(bench: &Bench<'_>, number: usize, study: &Study, row: &mut Row) -> anyhow::Result<()> {
    let path = bench.study.display().to_string();
    let catalogue = bench.catalogue.display().to_string();
    let args = [&["run", path.as_str(), "--catalogue", &catalogue], study.args, &SHORT].concat();
    let mut trial = bench.start(&format!("study-{number}"), study.place, &args)?;
    let ended = trial.ended(Instant::now(), WITHIN)?;
    (row.exit, row.seconds) = (ended.exit(), Some(ended.seconds));
    let told = trial.record_at_home().with_context(|| last_of(&ended.told))?;
    let verdicts =
        told["claims"].as_array().into_iter().flatten().filter_map(|claim| claim["verdict"].as_str());
    let verdicts: Vec<&str> = verdicts.collect();
    row.record = format!("home; {}: {}", state(&told)?, verdicts.join(", "));
    ensure!(state(&told)? == "finished" && verdicts.len() == 3, "the record is {}", row.record);
    let is_verdict = ended.status.code().is_some_and(|code| VERDICTS.contains(&code));
    let reason =
        told["claims"].as_array().into_iter().flatten().find_map(|claim| claim["reasons"][0].as_str());
    ensure!(is_verdict, "it left with {}: {}", ended.exit(), reason.unwrap_or("no claim says why"));
    Ok(())
}
