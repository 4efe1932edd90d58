//! The live truths: real servers on this machine, one after the other.

use super::{LIVE, Row, page, rows_of, run_tests, section, table, today, write};
use crate::gates::RELEASE;
use crate::tools::{cargo, cpu_model, target_folder};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A planted difference: the extra work on a request, and the claims about the runs.
struct Planted {
    percent: u32,
    /// Microseconds of CPU time on a request.
    work_us: [u32; 2],
    preset: &'static [&'static str],
    preset_name: &'static str,
    /// In how many of how many runs it should be settled.
    right: (u32, u32),
}

/// On 1 ms of work the reference server's own 20 µs leave 4.9 of 5 %, and 1.96 of 2 %.
const FIVE: Planted = Planted {
    percent: 5,
    work_us: [1_000, 1_050],
    preset: &["--quick"],
    preset_name: "quick",
    right: (6, 8),
};
const TWO: Planted =
    Planted { percent: 2, work_us: [1_000, 1_020], preset: &[], preset_name: "default", right: (3, 4) };

/// Runs the live tests, then the planted differences, `--runs` of five and `--runs-2` of two percent. Each row is on
/// the page as soon as it is known; failures are reported at the end.
pub fn run(root: &Path, args: &[&str]) -> anyhow::Result<()> {
    let (mut runs, mut runs_2, mut with_tests) = (FIVE.right.1, TWO.right.1, true);
    let mut rest = args;
    while let [name, more @ ..] = rest {
        if *name == "--without-tests" {
            with_tests = false;
            rest = more;
            continue;
        }
        let [value, more @ ..] = more else { bail!("{name}: has no value") };
        let number = value.parse().with_context(|| format!("{name} {value}"))?;
        match *name {
            "--runs" => runs = number,
            "--runs-2" => runs_2 = number,
            _ => bail!("{name}: is none of --runs, --runs-2, --without-tests"),
        }
        rest = more;
    }
    cargo(root, &RELEASE, &[])?;
    let mut failed = Vec::new();
    if with_tests {
        let executable = executable(root).display().to_string();
        let environment = [("PROOFLOAD_EXECUTABLE", executable.as_str())];
        let (rows, bad) = run_tests(root, &environment)?;
        rows.into_iter().filter(|row| row.live).try_for_each(|row| tell(root, row))?;
        failed.extend(bad);
    }
    for (planted, runs) in [(FIVE, runs), (TWO, runs_2)] {
        failed.extend(planted.found(root, runs)?);
    }
    ensure!(failed.is_empty(), "docs/truth.md has what was found; this failed:\n{}", failed.join("\n"));
    Ok(())
}

fn executable(root: &Path) -> PathBuf {
    target_folder(root).join("release/proofload")
}

/// Enters a row in the page, in the place of one that planted the same; those of another machine go.
fn tell(root: &Path, row: Row) -> anyhow::Result<()> {
    println!("truth {:02} live | {}", row.number, row.cells.join(" | "));
    let (page, machine) = (page(root)?, cpu_model()?);
    let (after, end) = section(&page, LIVE)?;
    let known = if page[after..end].contains(&machine) { rows_of(&page, LIVE)? } else { Vec::new() };
    write(root, LIVE, &table(&entered(known, row, &today()?)))
}

/// Rows by their number, each with the date of its own.
fn entered(known: Vec<Row>, row: Row, date: &str) -> Vec<Row> {
    let [planted, right, found] = row.cells;
    let is_other = |other: &Row| (other.number, &other.cells[0]) != (row.number, &planted);
    let mut rows: Vec<Row> = known.into_iter().filter(is_other).collect();
    rows.push(Row { cells: [planted, right, format!("{found} ({date})")], ..row });
    rows.sort_by_key(|row| row.number);
    rows
}

/// Result of one run.
struct Settled {
    throughput: String,
    cpu: String,
    blocks: u64,
    minutes: f64,
}

impl Planted {
    fn study(&self) -> String {
        let [less, more] = self.work_us;
        format!(
            "study: planted-{}
question: Is {} % more work found?
subjects:
  server: {{ use: reference, vary: {{ service: [\"spin:{less}us\", \"spin:{more}us\"] }} }}
workload: {{ page: {{ get: /, expect: {{ status: 200, bytes: 1024 }} }} }}
load: {{ closed: {{ connections: 8 }} }}
claims:
  - serves more: throughput(spin:{less}us) > throughput(spin:{more}us)
  - uses less: cpu_per_request(spin:{less}us) < cpu_per_request(spin:{more}us)
",
            self.percent, self.percent
        )
    }

    /// Makes the runs and reports them one by one; returns those that ended without a verdict.
    fn found(&self, root: &Path, runs: u32) -> anyhow::Result<Vec<String>> {
        let place = std::env::temp_dir().join(format!("proofload-truth-{}", std::process::id()));
        fs::create_dir_all(&place).with_context(|| format!("{}", place.display()))?;
        let study = place.join(format!("planted-{}.yaml", self.percent));
        fs::write(&study, self.study())?;
        let (mut all, mut failed) = (Vec::new(), Vec::new());
        for seed in 1..=runs {
            let run = format!("{} %, run {seed} of {runs}", self.percent);
            match self.once(root, &study, &place, seed) {
                Ok(settled) => {
                    let Settled { throughput, cpu, blocks, minutes } = &settled;
                    println!("{run}: throughput {throughput}, CPU {cpu}, {blocks} blocks, {minutes:.1} min");
                    all.push(settled);
                }
                Err(error) => {
                    println!("{run}: {error:#}");
                    failed.push(format!("{run}: {error:#}; its record is in {}", place.display()));
                }
            }
            tell(root, self.row(&all, failed.len()))?;
        }
        if failed.is_empty() {
            fs::remove_dir_all(&place).with_context(|| format!("{}", place.display()))?;
        }
        Ok(failed)
    }

    fn once(&self, root: &Path, study: &Path, place: &Path, seed: u32) -> anyhow::Result<Settled> {
        let begun = Instant::now();
        let mut command = Command::new(executable(root));
        command.arg("run").arg(study).args(self.preset).args([
            "--format",
            "json",
            "-q",
            "--seed",
            &seed.to_string(),
        ]);
        command.arg("--dir").arg(place).stdin(Stdio::null()).stderr(Stdio::inherit()).current_dir(root);
        let output = command.output().context("the executable could not be started")?;
        ensure!(matches!(output.status.code(), Some(0 | 10..=12)), "it ended with {}", output.status);
        let result: Value = serde_json::from_slice(&output.stdout).context("its output is no JSON")?;
        let verdict = |at: usize| {
            let claim = &result["claims"][at];
            let mut told = claim["verdict"].as_str().unwrap_or("none").to_owned();
            if let Some(why) = claim["reasons"][0].as_str().filter(|_| told == "undecided") {
                told += &format!(" ({why})");
            }
            told
        };
        Ok(Settled {
            throughput: verdict(0),
            cpu: verdict(1),
            blocks: result["blocks"].as_u64().unwrap_or(0),
            minutes: begun.elapsed().as_secs_f64() / 60.0,
        })
    }

    /// Row for these runs, and for `failed` that ended without a verdict.
    fn row(&self, all: &[Settled], failed: usize) -> Row {
        let of = all.len() + failed;
        let count = |cpu: bool, verdict: &str| {
            let of = |settled: &&Settled| *(if cpu { &settled.cpu } else { &settled.throughput }) == verdict;
            all.iter().filter(of).count()
        };
        let wrong = count(false, "refuted") + count(true, "refuted");
        let minutes: Vec<String> = all.iter().map(|settled| format!("{:.1}", settled.minutes)).collect();
        let [less, more] = self.work_us;
        Row {
            number: 2,
            live: true,
            cells: [
                format!(
                    "reference server, {less} against {more} µs of work ({} %), {} looks, both claims in one study",
                    self.percent, self.preset_name
                ),
                format!("settled in {} of {}, never the wrong way round", self.right.0, self.right.1),
                format!(
                    "by CPU per request {} of {of}, by throughput {} of {of}; wrong way round {wrong}; minutes {}{}",
                    count(true, "supported"),
                    count(false, "supported"),
                    minutes.join(", "),
                    if failed > 0 { format!("; {failed} ended without a verdict") } else { String::new() }
                ),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reached_is_counted_and_a_wrong_direction_too() {
        let settled = |throughput: &str, cpu: &str| Settled {
            throughput: throughput.into(),
            cpu: cpu.into(),
            blocks: 4,
            minutes: 2.04,
        };
        let all = [
            settled("undecided (x)", "supported"),
            settled("supported", "supported"),
            settled("refuted", "undecided"),
        ];
        let row = FIVE.row(&all, 0);
        assert!(row.live && row.number == 2);
        assert_eq!(
            row.cells[2],
            "by CPU per request 2 of 3, by throughput 1 of 3; wrong way round 1; minutes 2.0, 2.0, 2.0"
        );
        let more = FIVE.row(&all, 2);
        assert_eq!(more.cells[0], row.cells[0], "the same row, however far it came");
        assert!(more.cells[2].starts_with("by CPU per request 2 of 5"), "{}", more.cells[2]);
        assert!(more.cells[2].ends_with("; 2 ended without a verdict"), "{}", more.cells[2]);
    }

    #[test]
    fn a_row_takes_the_place_of_its_like_and_leaves_the_others() {
        let row = |number, planted: &str, found: &str| Row {
            number,
            live: true,
            cells: [planted, "right", found].map(str::to_owned),
        };
        let known = vec![row(2, "5 %", "1 of 2 (2026-01-02)"), row(12, "JVMs", "leak (2026-01-02)")];
        let rows = entered(known, row(2, "5 %", "3 of 8"), "2026-02-03");
        let rows = entered(rows, row(2, "2 %", "0 of 4"), "2026-02-04");
        let found: Vec<&str> = rows.iter().map(|row| row.cells[2].as_str()).collect();
        assert_eq!(found, ["3 of 8 (2026-02-03)", "0 of 4 (2026-02-04)", "leak (2026-01-02)"]);
    }
}
