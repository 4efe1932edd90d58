//! Kills at random moments of every verb that measures or writes records, of its agents, its coordinator and its keeper.

use crate::tools;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use xtask::processes;

const VERBS: [&str; 9] =
    ["run", "resume", "report", "condense", "replicate", "tune", "agents", "coordinator", "keeper"];
/// Two servers that fail nothing: a run that reports failures is wrong.
const STUDY: &str = "study: kills
question: Is a record whole whatever ended its run?
subjects: { server: { use: reference, vary: { service: [\"const:1ms\", \"const:2ms\"] } } }
workload: { page: { get: / } }
load: { open: { rate: 200/s, connections: 4 } }
claims:
  - no errors: errors(const:1ms) == 0
  - nor there: errors(const:2ms) == 0
";
const LENGTHS: [&str; 5] =
    ["--quick", "--no-ceiling", "--budget=60m", "--timing", "warm-up=100ms,slice=50ms,discard=10ms,cycles=2"];
/// Latest moment of a kill after the start, in milliseconds.
const SPAN_MS: u64 = 3_000;
const END_WITHIN: Duration = Duration::from_secs(30);
const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const REFUTED: i32 = 10;

/// Performs `count` kills, verb after verb.
pub fn run(executable: &Path, place: &Path, count: u32, seed: u64) -> anyhow::Result<()> {
    let (temp, study, token) = (place.join("temp"), place.join("study.yaml"), place.join("token"));
    fs::create_dir(&temp)?;
    fs::write(&study, STUDY)?;
    fs::write(&token, TOKEN)?;
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600))?;
    let mut kills = Kills {
        executable,
        place,
        temp,
        study,
        token,
        random: seed,
        dir: place.join("runs-0"),
        finished: 0,
        late: 0,
    };
    for number in 0..count {
        let verb = VERBS[number as usize % VERBS.len()];
        kills.dir = place.join(format!("runs-{number}"));
        kills.one(verb).with_context(|| format!("kill {}, of {verb}", number + 1))?;
        fs::remove_dir_all(&kills.dir).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
    }
    println!(
        "hostile: {count} kills of {}; {} came too late; {} runs went on to their end",
        VERBS.join(", "),
        kills.late,
        kills.finished
    );
    Ok(())
}

struct Kills<'a> {
    executable: &'a Path,
    place: &'a Path,
    temp: PathBuf,
    study: PathBuf,
    token: PathBuf,
    random: u64,
    dir: PathBuf,
    finished: u32,
    late: u32,
}

impl Kills<'_> {
    fn one(&mut self, verb: &str) -> anyhow::Result<()> {
        let made = match verb {
            "resume" => Some(self.cut_record()?),
            "report" | "condense" => Some(self.whole_record()?),
            _ => None,
        };
        let before = made.as_deref().map(|record| self.shown(record)).transpose()?;
        let (mut child, agent) = self.start(verb, made.as_deref())?;
        let span_ms = if matches!(verb, "report" | "condense") { 150 } else { SPAN_MS };
        thread::sleep(Duration::from_millis(self.next() % span_ms));
        let finished = self.finished_blocks();
        let target = match verb {
            "keeper" => child_of(child.id(), "__keeper"),
            "agents" if self.next().is_multiple_of(2) => child_of(child.id(), "agent"),
            _ => Some(child.id()),
        };
        match target.filter(|_| matches!(child.try_wait(), Ok(None))) {
            Some(pid) => kill(pid)?,
            None => self.late += 1,
        }
        let output = child.wait_with_output()?;
        ended(agent)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() != Some(REFUTED), "a false refutation: {said}");
        self.nothing_left()?;
        let kept = self.finished_blocks();
        ensure!(kept.is_superset(&finished), "finished blocks are lost: {finished:?}, {kept:?}");
        if let (Some(record), Some(before), "report" | "condense") = (made.as_deref(), before, verb) {
            let after = self.shown(record)?;
            ensure!(
                after.status == before.status && after.stdout == before.stdout,
                "the record says something else"
            );
        }
        self.goes_on(verb)?;
        let kept = self.finished_blocks();
        ensure!(kept.is_superset(&finished), "finished blocks are lost: {finished:?}, {kept:?}");
        Ok(())
    }

    /// Every record still has its result, and a run that was cut off goes on to a verdict that agrees with its record.
    fn goes_on(&mut self, verb: &str) -> anyhow::Result<()> {
        for record in self.records() {
            let shown = self.shown(&record)?;
            ensure!(shown.status.code() != Some(REFUTED), "{}: a false refutation", record.display());
            let status = fs::read_to_string(record.join("status.json")).unwrap_or_default();
            // That of a coordinator goes on only with agents, which are gone.
            if verb == "coordinator" || status.contains("\"finished\"") || !record.join("plan.json").is_file()
            {
                continue;
            }
            let resumed = self.command(&["resume"]).arg(&record).args(["-q", "--format", "json"]).output()?;
            let told = String::from_utf8_lossy(&resumed.stderr).into_owned();
            ensure!(
                matches!(resumed.status.code(), Some(0 | 11 | 12)),
                "resume ended with {}: {told}",
                resumed.status
            );
            let shown = self.shown(&record)?;
            ensure!(shown.status == resumed.status, "resume {}, report {}", resumed.status, shown.status);
            ensure!(shown.stdout == resumed.stdout, "the verdict is not that of the record");
            self.finished += 1;
            self.nothing_left()?;
        }
        Ok(())
    }

    fn start(&mut self, verb: &str, record: Option<&Path>) -> anyhow::Result<(Child, Option<Child>)> {
        let dir = self.dir.clone();
        fs::create_dir_all(&dir)?;
        let mut agent = None;
        let mut command = match (verb, record) {
            ("resume" | "report", Some(record)) => {
                let mut command = self.command(&[verb]);
                command.arg(record).args(["--format", "json"]);
                command
            }
            ("condense", Some(record)) => {
                let mut command = self.command(&[verb]);
                command.arg(record).arg(dir.join("condensed"));
                command
            }
            _ => {
                let mut command =
                    self.command(&[if matches!(verb, "agents" | "keeper") { "run" } else { verb }]);
                command.arg(&self.study).args(LENGTHS).arg("--dir").arg(&dir);
                match verb {
                    "agents" => drop(command.args(["--agents", "2"])),
                    "tune" => drop(command.args(["--minimize", "p99"])),
                    "replicate" => drop(command.args(["--sittings", "2", "--every", "0s"])),
                    "coordinator" => {
                        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
                        let at = format!("127.0.0.1:{port}");
                        command.args(["--agents", "1", "--listen", &at, "--token-file"]).arg(&self.token);
                        // One whose coordinator never came waits for it.
                        let mut joins =
                            self.command(&["agent", "--join", &at, "--wait", "10s", "--token-file"]);
                        agent =
                            Some(joins.arg(&self.token).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?);
                    }
                    _ => {}
                }
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok((command.spawn()?, agent))
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.executable);
        command.args(words).current_dir(self.place);
        command.env("TMPDIR", &self.temp).env("XDG_RUNTIME_DIR", &self.temp);
        command.env(tools::LOCK_FILE, self.place.join("measuring.lock"));
        command
    }

    fn whole_record(&mut self) -> anyhow::Result<PathBuf> {
        let (child, _) = self.start("run", None)?;
        let output = child.wait_with_output()?;
        ensure!(output.status.code() == Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        self.records().pop().context("a record")
    }

    fn cut_record(&mut self) -> anyhow::Result<PathBuf> {
        for _ in 0..20 {
            let (mut child, _) = self.start("run", None)?;
            thread::sleep(Duration::from_millis(800 + self.next() % SPAN_MS));
            child.kill()?;
            child.wait()?;
            self.nothing_left()?;
            if let Some(record) = self.records().pop() {
                return Ok(record);
            }
        }
        bail!("no run came to a record")
    }

    fn shown(&self, record: &Path) -> anyhow::Result<Output> {
        let output = self.command(&["report"]).arg(record).args(["--format", "json"]).output()?;
        let readable = matches!(output.status.code(), Some(0 | 10..=13));
        ensure!(readable, "{}: {}", record.display(), String::from_utf8_lossy(&output.stderr));
        Ok(output)
    }

    /// Whole records and those that were cut off, wherever a verb puts them.
    fn records(&self) -> Vec<PathBuf> {
        let below =
            |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let studies = below(self.dir.join("runs"));
        let runs =
            studies.flat_map(below).filter(|path| !path.is_symlink() && path.join("plan.json").is_file());
        let mut runs: Vec<PathBuf> = runs.collect();
        runs.sort();
        runs
    }

    fn finished_blocks(&self) -> BTreeSet<PathBuf> {
        let blocks = self.records().into_iter().flat_map(|record| {
            fs::read_dir(record.join("blocks")).into_iter().flatten().flatten().map(|entry| entry.path())
        });
        blocks.filter(|path| path.to_string_lossy().ends_with(".jsonl") && !is_partial(path)).collect()
    }

    fn nothing_left(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + END_WITHIN;
        let mark = self.temp.display().to_string();
        loop {
            let (running, files) = (processes::marked(&mark)?, fs::read_dir(&self.temp)?.flatten().count());
            if running.is_empty() && files == 0 {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "left after {END_WITHIN:?}: {running:?}, {files} temporary files"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn next(&mut self) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }
}

fn is_partial(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".partial.jsonl")
}

/// A child of that process with this word in its command line.
fn child_of(pid: u32, word: &str) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    let mut children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
    children.find(|child| {
        let command = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        command.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    })
}

fn kill(pid: u32) -> anyhow::Result<()> {
    let status = Command::new("kill").arg("-KILL").arg(pid.to_string()).stderr(Stdio::null()).status();
    status.map(|_| ()).context("kill")
}

/// An agent ends with its coordinator.
fn ended(agent: Option<Child>) -> anyhow::Result<()> {
    let Some(mut agent) = agent else { return Ok(()) };
    let deadline = Instant::now() + END_WITHIN;
    while agent.try_wait()?.is_none() {
        if Instant::now() > deadline {
            agent.kill()?;
            bail!("the agent outlives its coordinator by {END_WITHIN:?}");
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
