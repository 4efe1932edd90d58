//! Checks that `cargo xtask ci` has no time for: run before a release, and before a large change is called done.

use crate::tests::{FULL, nextest};
use crate::tools::{self, cpu_model};
use crate::truth::{self, today};
use crate::{
    benches, book, ci, deb, explore, fuzz, gates, hostile, kills, lab, mutate, readers, repeat, scrape,
    subjects, web,
};
use anyhow::{Context, bail, ensure};
use proofload_host::Awake;
use std::fmt::Write as _;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Crates whose tests simulate more in an optimised build than in the gate, and that build.
const SIMULATED: [&str; 6] =
    ["--release", "--no-fail-fast", "--package", "proofload-stats", "--package", "proofload-engine"];

/// A step of the full tier.
struct Step {
    name: &'static str,
    what: &'static str,
    /// Usual minutes on two CPUs.
    minutes: u32,
    run: fn(&Path) -> anyhow::Result<()>,
}

const STEPS: [Step; 21] = [
    Step {
        name: "tests",
        what: "the tests that the gate leaves out, one by one: real servers, quiet CPUs, each family twenty times in a row",
        minutes: 25,
        run: tests,
    },
    Step {
        name: "simulations",
        what: "simulations and ground truths at their full size, in an optimised build",
        minutes: 15,
        run: simulations,
    },
    Step {
        name: "kills",
        what: "a study killed at a hundred moments goes on",
        minutes: 6,
        run: |root| kills::run(root, &[]),
    },
    Step {
        name: "hostile",
        what: "10,000 answers of a hostile peer in each protocol, and 300 kills of every verb that measures or writes",
        minutes: 90,
        run: |root| hostile::run(root, &[]),
    },
    Step {
        name: "fuzz",
        what: "every fuzz target for half an hour; what is planted is found",
        minutes: 240,
        run: |root| fuzz::run(root, &[]),
    },
    Step {
        name: "gates",
        what: "what an exchange of the released executable costs",
        minutes: 4,
        run: gates::run,
    },
    Step {
        name: "scrape",
        what: "what is exported while a run goes on, read by Prometheus's parsers, the collector's types and Grafana's schema",
        minutes: 3,
        run: scrape::run,
    },
    Step {
        name: "browser",
        what: "every page in Chromium, in each size and colour",
        minutes: 4,
        run: |root| web::run(root, &["--check".to_string()]),
    },
    Step {
        name: "explore",
        what: "properties with four times the gate's inputs, and others",
        minutes: 10,
        run: |root| explore::run(root, &["--rounds".to_string(), "1".to_string()]),
    },
    Step { name: "benches", what: "every benchmark program runs", minutes: 2, run: benches::run },
    Step {
        name: "readers",
        what: "other programs read the files that are made for them",
        minutes: 1,
        run: readers::run,
    },
    Step {
        name: "book",
        what: "the documents as a site, every link of which leads somewhere",
        minutes: 3,
        run: |root| book::run(root, &[]),
    },
    Step {
        name: "deb",
        what: "a Debian package of the released executable",
        minutes: 4,
        run: |root| deb::run(root, &[]),
    },
    Step {
        name: "mutate",
        what: "every mutation of the method is noticed",
        minutes: 15,
        run: |root| mutate::run(root, &[]),
    },
    Step {
        name: "repeat",
        what: "200 runs of the gate's tests beside a loop that takes half of all CPUs",
        minutes: 1_500,
        run: |root| repeat::run(root, &[]),
    },
    Step {
        name: "subjects",
        what: "every version and choice of every server",
        minutes: 15,
        run: subjects::run,
    },
    Step {
        name: "lab-ssh",
        what: "studies and every fault between machines that SSH reaches",
        minutes: 10,
        run: |root| lab::run(root, &["ssh".to_string()]),
    },
    Step {
        name: "lab-slurm",
        what: "studies and every fault on a Slurm cluster",
        minutes: 10,
        run: |root| lab::run(root, &["slurm".to_string()]),
    },
    Step {
        name: "lab-kubernetes",
        what: "studies and every fault in a Kubernetes cluster",
        minutes: 20,
        run: |root| lab::run(root, &["kubernetes".to_string()]),
    },
    Step {
        name: "lab-link",
        what: "a study with and without a link between generator and servers",
        minutes: 20,
        run: |root| lab::run(root, &["link".to_string()]),
    },
    Step {
        name: "truth-live",
        what: "ground truths with real servers, to docs/truth.md",
        minutes: 240,
        run: |root| truth::run(root, &["--live".to_string()]),
    },
];

/// The task. `--list` prints the steps; `--only NAME`, repeated, runs some of them. A step that fails does not keep the
/// others from being run. The outcome is written to docs/full/DATE.md, with that of other steps of the day.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let mut only: Vec<&str> = Vec::new();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        match arg {
            "--list" => {
                for Step { name, what, minutes, .. } in STEPS {
                    println!("{name:<14} {minutes:>4} min  {what}");
                }
                return Ok(());
            }
            "--only" => only.push(rest.next().context("--only: name a step; --list shows them")?),
            _ => bail!("{arg}: is neither --list nor --only NAME"),
        }
    }
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        bail!("--only {unknown}: no such step; --list shows them");
    }
    let _awake = Awake::keep();
    ci::install_tools()?;
    let mut rows = Vec::new();
    for step in STEPS.iter().filter(|step| only.is_empty() || only.contains(&step.name)) {
        println!("\n== {}: {}", step.name, step.what);
        // There may be a commit meanwhile.
        let commit = commit(root)?;
        let begun = Instant::now();
        let ended = (step.run)(root);
        let seconds = begun.elapsed().as_secs_f64();
        let why = ended.as_ref().err().map(|error| format!("{error:#}"));
        println!("== {}: {} in {seconds:.0} s", step.name, why.as_deref().unwrap_or("passed"));
        rows.push(Row { name: step.name, what: step.what, seconds, commit, failed: why });
        // What hours went into is on the page as soon as it is there.
        write(root, &rows)?;
    }
    let failed: Vec<&str> = rows.iter().filter(|row| row.failed.is_some()).map(|row| row.name).collect();
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// Outcome of a step.
struct Row {
    name: &'static str,
    what: &'static str,
    seconds: f64,
    commit: String,
    failed: Option<String>,
}

fn write(root: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let folder = root.join("docs/full");
    fs::create_dir_all(&folder)?;
    let (date, machine) = (today()?, cpu_model()?);
    let path = place(&folder, &date, &machine).context("a day has pages enough")?;
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, page(rows, &before, &date, &machine)).with_context(|| format!("{}", path.display()))
}

/// Path of the page of the day and of this machine, old or new: one that another machine wrote stays as it is.
fn place(folder: &Path, date: &str, machine: &str) -> Option<PathBuf> {
    let names = iter::once(format!("{date}.md")).chain((2..100).map(|page| format!("{date}-{page}.md")));
    let mut paths = names.map(|name| folder.join(name));
    paths.find(|path| fs::read_to_string(path).map_or(true, |page| page.contains(&written_by(machine))))
}

fn written_by(machine: &str) -> String {
    format!("Written by `cargo xtask full` on {machine}.")
}

fn commit(root: &Path) -> anyhow::Result<String> {
    let mut git = Command::new("git");
    let output = git.args(["describe", "--always", "--dirty"]).current_dir(root).output().context("git")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The page of a day. Steps that ran earlier that day, and not again, keep their line of the page before.
fn page(rows: &[Row], before: &str, date: &str, machine: &str) -> String {
    let by = written_by(machine);
    let mut text = format!(
        "# The full tier on {date}\n\n{by}\n\n\
         | step | what | ended | minutes | at commit |\n| --- | --- | --- | --- | --- |\n"
    );
    let mut left = Vec::new();
    for Step { name, .. } in STEPS {
        let earlier = before.lines().find(|line| line.starts_with(&format!("| {name} | ")));
        match (rows.iter().find(|row| row.name == name), earlier) {
            (Some(row), _) => text += &row.line(),
            (None, Some(line)) => text += &format!("{line}\n"),
            (None, None) => left.push(name),
        }
    }
    if !left.is_empty() {
        let _ = writeln!(text, "\nNot run: {}.", left.join(", "));
    }
    text
}

impl Row {
    fn line(&self) -> String {
        let Row { name, what, seconds, commit, failed } = self;
        let ended = match failed {
            None => "passed".to_string(),
            // The first lines have the reason; a table has no room for more.
            Some(why) => {
                let first: Vec<&str> = why.lines().take(3).collect();
                format!("**failed**: {}", first.join(" / ").replace('|', "\\|"))
            }
        };
        format!("| {name} | {what} | {ended} | {:.1} | {commit} |\n", seconds / 60.0)
    }
}

fn simulations(root: &Path) -> anyhow::Result<()> {
    nextest(root, &SIMULATED)?;
    truth::run(root, &["--only-tests".to_string()])
}

fn tests(root: &Path) -> anyhow::Result<()> {
    tools::cargo(root, &["test", "--quiet", "--locked", "--manifest-path", "labs/Cargo.toml"], &[])?;
    tools::cargo(root, &tools::AS_TESTED, &[])?;
    nextest(root, &FULL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_what_failed_and_what_was_not_run() {
        let row = |name, commit: &str, failed: Option<&str>| Row {
            name,
            what: "w",
            seconds: 90.0,
            commit: commit.to_string(),
            failed: failed.map(str::to_string),
        };
        let rows = [row("kills", "C1", None), row("gates", "C2", Some("too | much\nmore"))];
        let text = page(&rows, "", "D", "M");
        assert!(text.contains("| kills | w | passed | 1.5 | C1 |"), "{text}");
        assert!(text.contains("| gates | w | **failed**: too \\| much / more | 1.5 | C2 |"), "{text}");
        assert!(
            text.contains(
                "Not run: tests, simulations, hostile, fuzz, scrape, browser, explore, benches, readers, book, deb, mutate, repeat, subjects, lab-ssh, lab-slurm, lab-kubernetes, lab-link, truth-live."
            ),
            "{text}"
        );

        let again = [row("gates", "C3", None)];
        let later = page(&again, &text, "D", "M");
        assert!(later.contains("| kills | w | passed | 1.5 | C1 |"), "{later}");
        assert!(later.contains("| gates | w | passed | 1.5 | C3 |"), "{later}");
    }

    #[test]
    fn the_page_of_another_machine_stays_as_it_is() {
        let folder = tools::scratch("full").expect("a folder");
        let first = place(&folder, "D", "M");
        assert_eq!(first, Some(folder.join("D.md")));
        fs::write(folder.join("D.md"), page(&[], "", "D", "M")).expect("written");
        assert_eq!(place(&folder, "D", "M"), first);
        assert_eq!(place(&folder, "D", "another machine"), Some(folder.join("D-2.md")));
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn an_unknown_step_is_an_error_before_anything_runs() {
        let error = run(Path::new("/nowhere"), &["--only".into(), "kill".into()]).unwrap_err();
        assert!(error.to_string().contains("no such step"));
    }
}
