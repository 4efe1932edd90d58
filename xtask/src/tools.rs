//! The programs that tasks run.

use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Names a lock file of its own to what measures beside others, which would wait for it otherwise. Debug builds read it.
pub const LOCK_FILE: &str = "PROOFLOAD_TEST_LOCK_FILE";

/// Runs cargo in the repository to its end.
pub fn cargo(root: &Path, args: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<()> {
    run_command(cargo_command(root).args(args).envs(environment.iter().copied()))
}

/// Cargo in the repository, without arguments yet.
pub fn cargo_command(root: &Path) -> Command {
    let mut command = Command::new(cargo_program());
    without_own_package(command.current_dir(root));
    command
}

/// A subcommand of cargo that is a program elsewhere, in the repository.
pub fn cargo_program_at(root: &Path, program: &Path, subcommand: &str) -> Command {
    let mut command = Command::new(program);
    without_own_package(command.arg(subcommand).current_dir(root));
    command.env("CARGO", cargo_program());
    command
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Removes the variables with which cargo describes its own package to tasks. A build script that asks to be run again
/// when those change (ring's does) would be, and all that rests on it built anew, with each turn of tasks and of cargo
/// from a shell.
pub fn without_own_package(command: &mut Command) -> &mut Command {
    let own = std::env::vars_os().map(|(name, _)| name);
    let told = |name: &OsString| {
        ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix))
    };
    for name in own.filter(told) {
        command.env_remove(name);
    }
    command
}

/// Command that builds all executables with the features that the tests ask for, so that a build of the tests builds
/// nothing again. `--examples` turns these features on.
pub const AS_TESTED: [&str; 6] = ["build", "--workspace", "--bins", "--examples", "--locked", "--quiet"];

/// The processor, how many of them, and the kernel.
pub fn cpu_model() -> anyhow::Result<String> {
    let info = fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo")?;
    let mut models = info.lines().filter(|line| line.starts_with("model name"));
    let model =
        models.next().and_then(|line| line.split_once(": ")).map_or("unknown processor", |(_, name)| name);
    let count = info.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").context("the kernel's release")?;
    Ok(format!("{model}, {count} CPUs, Linux {}", kernel.trim()))
}

/// Runs a command to its end, which must be a good one.
pub fn run_command(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("{shown} could not be started"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Polling interval for a counted process.
const POLL: Duration = Duration::from_millis(20);
/// Ticks of a second in `/proc`, on every Linux.
const TICKS_PER_S: f64 = 100.0;

/// Runs a command to its end: the CPU seconds of it and of all that it waited for, and how it ended.
pub fn run_counting(command: &mut Command) -> anyhow::Result<(f64, ExitStatus)> {
    let shown = format!("{command:?}");
    let mut child = command.spawn().with_context(|| format!("{shown} could not be started"))?;
    let stat = PathBuf::from(format!("/proc/{}/stat", child.id()));
    loop {
        // A process that has ended and was not waited for still reports what it used.
        let text = fs::read_to_string(&stat).with_context(|| format!("{}", stat.display()))?;
        let (state, cpu_seconds) = of_stat(&text).with_context(|| format!("{}: {text}", stat.display()))?;
        if state == "Z" {
            return Ok((cpu_seconds, child.wait()?));
        }
        thread::sleep(POLL);
    }
}

/// The state of a process and its CPU seconds with those of its children, from `/proc/PID/stat`.
fn of_stat(text: &str) -> Option<(&str, f64)> {
    // The name before it may hold anything, parentheses among it.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11..15)?.iter().map(|ticks| ticks.parse().unwrap_or(0.0)).sum();
    Some((fields.first()?, ticks / TICKS_PER_S))
}

/// Programs, and Debian's packages that bring them: as root on Debian those that are missing are installed, elsewhere a
/// message names what to install, and what for.
pub fn install(wanted: &[(&str, &str)], what_for: &str) -> anyhow::Result<()> {
    let missing: Vec<&str> =
        wanted.iter().filter(|(program, _)| !on_path(program)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !on_path("apt-get") || !is_root() {
        bail!("install {} first: {what_for}", missing.join(", "));
    }
    println!("installing {} from Debian's packages", missing.join(", "));
    run_command(Command::new("apt-get").args(["update", "-qq"]))?;
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    run_command(Command::new("apt-get").args(install).args(&missing).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Searches `PATH`.
pub fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Effective user 0.
pub fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
}

/// A new folder among the temporary files.
pub fn scratch(what: &str) -> anyhow::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let place = std::env::temp_dir().join(format!("proofload-{what}-{}-{number}", std::process::id()));
    fs::create_dir(&place).with_context(|| format!("{}", place.display()))?;
    Ok(place)
}

/// Target folder of cargo.
pub fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// The packages whose tests have this text, and the targets in which they have it: `--lib`, `--test replay`.
pub fn targets_with(root: &Path, text: &str) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for krate in fs::read_dir(root.join("crates"))?.flatten() {
        let name = krate.file_name().to_string_lossy().into_owned();
        for folder in ["src", "tests"] {
            for file in sources(&krate.path().join(folder)) {
                let source = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
                if source.contains(text) {
                    let inner = file.strip_prefix(krate.path().join(folder))?;
                    let target = inner.iter().next().context("a file")?.to_string_lossy();
                    let target = match folder {
                        "tests" => format!("--test {}", target.trim_end_matches(".rs")),
                        _ => "--lib".to_owned(),
                    };
                    found.entry(format!("proofload-{name}")).or_default().insert(target);
                }
            }
        }
    }
    Ok(found)
}

/// Every file of Rust in a folder and below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let of = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => {
            vec![path].into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
        }
    };
    entries.flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_not_told_which_package_the_task_is_of() {
        let root = Path::new("/");
        for command in [cargo_command(root), cargo_program_at(root, Path::new("cargo-x"), "x")] {
            let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
            for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION_MAJOR"] {
                assert!(std::env::var_os(name).is_some(), "cargo runs this test, and tells {name}");
                assert!(removed.iter().any(|(gone, _)| *gone == name), "{name} stays: {command:?}");
            }
        }
    }

    #[test]
    fn what_a_command_and_its_children_use_is_counted() {
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let count = |line: &str| run_counting(Command::new("sh").args(["-c", line])).unwrap();
        let (alone, status) = count(busy);
        assert!(status.success() && alone > 0.0, "{alone}");
        let (in_child, status) = count(&format!("sh -c '{busy}'; exit 3"));
        assert!(in_child > alone / 4.0 && status.code() == Some(3), "{in_child} of a child, {alone} alone");
        assert!(count("sleep 0.05").0 < alone);
    }

    #[test]
    fn a_name_with_parentheses_and_blanks_shifts_no_field() {
        let text = "7 (a) b (c) Z 1 2 3 4 5 6 7 8 9 10 100 50 30 20 0";
        assert_eq!(of_stat(text), Some(("Z", 2.0)));
    }

    #[test]
    fn targets_are_found_by_what_their_tests_say() {
        let found = targets_with(&crate::root(), "fn truth_").unwrap();
        assert!(found["proofload-stats"].contains("--test it"), "{found:?}");
        assert!(found["proofload-cli"].contains("--test it"), "{found:?}");
        assert!(!found.contains_key("proofload-wire"), "{found:?}");
    }
}
