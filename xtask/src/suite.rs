//! Runs tests, each in a process of its own, with a time for each, and none that can hold up the rest: those of the gate
//! one more at a time than there are CPUs, the others one by one.

use crate::tools::{self, cargo_command};
use anyhow::{Context, bail, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// A test that takes longer is ended, and has failed.
const TIME_MAX: Duration = Duration::from_secs(600);
/// How often a running test is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);
/// After how many tests it is said how far they are.
const TOLD_EVERY: usize = 200;
/// How many of the slowest tests are printed.
const SLOWEST: usize = 10;

/// Which tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Those of `cargo xtask ci`: none that is ignored.
    Gate,
    /// The ignored ones, but those whose name has `_live_`: ground truths that load real servers for minutes.
    Full,
}

/// An executable with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    path: PathBuf,
    /// Folder of its package.
    folder: PathBuf,
    package: String,
    version: String,
    /// `lib`, `it`.
    target: String,
}

/// One test.
#[derive(Clone, Debug)]
struct Test<'a> {
    of: &'a Executable,
    name: String,
}

impl Test<'_> {
    fn title(&self) -> String {
        format!("{} {} {}", self.of.package.trim_start_matches("proofload-"), self.of.target, self.name)
    }
}

/// What came of the tests.
#[derive(Debug, Default)]
pub struct Outcome {
    passed: usize,
    skipped: usize,
    /// Titles and outputs.
    failed: Vec<(String, String)>,
    /// Seconds and titles.
    took: Vec<(f64, String)>,
}

/// The tests of the workspace, as `cargo xtask ci` builds them.
pub const ALL: [&str; 1] = ["--workspace"];

/// Builds these tests.
pub fn build(root: &Path, which: &[&str]) -> anyhow::Result<Vec<Executable>> {
    let mut command = cargo_command(root);
    command.args(["test", "--locked", "--no-run", "--message-format=json"]).args(which);
    let output = command.stderr(Stdio::inherit()).output().context("cargo test --no-run")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<serde_json::Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !output.status.success() {
        let errors = messages.iter().filter_map(|message| message["message"]["rendered"].as_str());
        bail!("the tests do not build:\n{}", errors.collect::<String>());
    }
    let found: Vec<Executable> = messages.iter().filter_map(executable).collect();
    ensure!(!found.is_empty(), "cargo built no tests");
    Ok(found)
}

/// The executable that a message of cargo's tells, if it has tests.
fn executable(message: &serde_json::Value) -> Option<Executable> {
    let is_test = message["profile"]["test"].as_bool() == Some(true);
    let path = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let package = manifest.lines().find_map(|line| line.strip_prefix("name = \""))?;
    let kind = message["target"]["kind"][0].as_str()?;
    let target = if kind == "test" { message["target"]["name"].as_str()? } else { kind };
    Some(Executable {
        path,
        folder,
        package: package.trim_end_matches('"').to_string(),
        version: "0.1.0".to_string(),
        target: target.to_string(),
    })
}

/// Runs the tests whose title holds one of the words, or all of them without words.
pub fn run(executables: &[Executable], tier: Tier, words: &[String]) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut tests = Vec::new();
    for of in executables {
        let ignored = list(of, true)?;
        for name in list(of, false)? {
            let runs = match tier {
                Tier::Gate => !ignored.contains(&name),
                Tier::Full => ignored.contains(&name) && !name.contains("_live_"),
            };
            let test = Test { of, name };
            if !words.is_empty() && !words.iter().any(|word| test.title().contains(word.as_str())) {
                continue;
            }
            match runs {
                true => tests.push(test),
                false => outcome.skipped += 1,
            }
        }
    }
    let jobs = match tier {
        // Tests wait for servers now and then.
        Tier::Gate => 1 + thread::available_parallelism().map_or(2, usize::from),
        // Some of them need quiet CPUs.
        Tier::Full => 1,
    };
    let (waiting, outcome) = (Mutex::new(tests.iter()), Mutex::new(outcome));
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let Some(test) = waiting.lock().expect("no test panics here").next() else { break };
                    let begun = Instant::now();
                    let ended = run_one(test, tier == Tier::Gate);
                    let mut outcome = outcome.lock().expect("no test panics here");
                    outcome.took.push((begun.elapsed().as_secs_f64(), test.title()));
                    if outcome.took.len().is_multiple_of(TOLD_EVERY) {
                        println!("{} of {} tests", outcome.took.len(), tests.len());
                    }
                    match ended {
                        Ok(()) => outcome.passed += 1,
                        Err(why) => {
                            println!("FAILED {}\n{why:#}", test.title());
                            outcome.failed.push((test.title(), format!("{why:#}")));
                        }
                    }
                }
            });
        }
    });
    Ok(outcome.into_inner().expect("no test panics here"))
}

/// Names of the tests of an executable; with `ignored` of the ignored ones alone.
fn list(of: &Executable, ignored: bool) -> anyhow::Result<BTreeSet<String>> {
    let mut command = command(of);
    command.args(["--list", "--format", "terse"]);
    if ignored {
        command.arg("--ignored");
    }
    let output = command.output().with_context(|| format!("{}", of.path.display()))?;
    ensure!(output.status.success(), "{} --list: {}", of.path.display(), output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect())
}

/// An executable as cargo would start it.
fn command(of: &Executable) -> Command {
    let mut command = Command::new(&of.path);
    command
        .current_dir(&of.folder)
        .env("CARGO_MANIFEST_DIR", &of.folder)
        .env("CARGO_PKG_NAME", &of.package)
        .env("CARGO_PKG_VERSION", &of.version)
        .env("CARGO_PKG_VERSION_MAJOR", of.version.split('.').next().unwrap_or_default())
        // Snapshots are looked up below it; without it each test would ask cargo for it.
        .env("INSTA_WORKSPACE_ROOT", crate::root())
        .stdin(Stdio::null());
    command
}

/// Runs a test to its end; what it printed is the error when it fails.
///
/// Tests of the gate that run side by side do not wait for each other to measure: each has a lock of its own.
fn run_one(test: &Test<'_>, side_by_side: bool) -> anyhow::Result<()> {
    let place = tools::scratch("test")?;
    let (out, err) = (place.join("stdout"), place.join("stderr"));
    let mut command = command(test.of);
    command.args(["--exact", &test.name, "--include-ignored", "--nocapture", "--test-threads=1"]);
    if side_by_side {
        command.env(tools::LOCK_FILE, place.join("measuring.lock"));
    }
    command.stdout(fs::File::create(&out)?).stderr(fs::File::create(&err)?);
    let status = wait(command.spawn().with_context(|| format!("{}", test.of.path.display()))?)?;
    let said = |path: &Path| fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned());
    let (out, err) = (said(&out)?, said(&err)?);
    fs::remove_dir_all(&place)?;
    let why = match status {
        Some(status) if status.success() => return Ok(()),
        Some(status) => status.to_string(),
        None => format!("ended after {} s", TIME_MAX.as_secs()),
    };
    bail!("{why}\n{out}{err}")
}

/// How a test ended; `None` when it had to be ended.
fn wait(mut child: Child) -> anyhow::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > TIME_MAX {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

impl Outcome {
    /// Prints the slowest tests, those that failed, and the closing line.
    ///
    /// # Errors
    /// When a test failed, or none was run.
    pub fn close(mut self) -> anyhow::Result<()> {
        self.took.sort_by(|a, b| b.0.total_cmp(&a.0));
        println!("\nthe slowest tests:");
        for (seconds, title) in self.took.iter().take(SLOWEST) {
            println!("{seconds:>8.1} s  {title}");
        }
        for (title, _) in &self.failed {
            println!("FAILED: {title}");
        }
        println!("\n{} passed, {} failed, {} skipped", self.passed, self.failed.len(), self.skipped);
        ensure!(self.failed.is_empty(), "{} tests failed", self.failed.len());
        ensure!(self.passed > 0, "no test was run");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this() -> Executable {
        Executable {
            path: std::env::current_exe().unwrap(),
            folder: crate::root().join("xtask"),
            package: "xtask".to_string(),
            version: "0.1.0".to_string(),
            target: "bin".to_string(),
        }
    }

    #[test]
    fn a_test_is_run_by_itself_and_a_failing_one_is_told_with_its_output() {
        let words = |name: &str| vec![format!("suite::tests::{name}")];
        let good = run(&[this()], Tier::Gate, &words("a_planted_test_that_passes")).unwrap();
        assert_eq!((good.passed, good.failed.len(), good.skipped), (1, 0, 0));
        assert!(good.close().is_ok());
        let skipped = run(&[this()], Tier::Gate, &words("a_planted_test_that_fails")).unwrap();
        assert_eq!((skipped.passed, skipped.skipped), (0, 1));
        assert!(skipped.close().is_err(), "nothing was run");
        let bad = run_one(
            &Test { of: &this(), name: "suite::tests::a_planted_test_that_fails_live_".into() },
            true,
        );
        assert!(format!("{:#}", bad.unwrap_err()).contains("this is planted"));
    }

    #[test]
    fn a_planted_test_that_passes() {}

    #[test]
    #[ignore = "truth: planted for the test above"]
    fn a_planted_test_that_fails_live_() {
        panic!("this is planted");
    }
}
