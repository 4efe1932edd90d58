//! Every broken study of the corpus, from the command line.

use crate::support::{command, root, text};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

/// Most CPU time for a broken file. An unoptimised build takes a tenth of it.
const CPU_MAX: Duration = Duration::from_secs(1);

/// Longest time by the clock on a busy machine: only to find hangs.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Broken only beside the catalogue of the checks' own tests: no subject of the real one has a parameter that must
/// be given.
const NOT_BROKEN_HERE: [&str; 1] = ["missing-parameter.yaml"];

const TICK: Duration = Duration::from_millis(10);

/// CPU time of this process so far.
fn own_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc");
    let behind_name = stat.rsplit_once(") ").expect("a name").1;
    let fields: Vec<&str> = behind_name.split(' ').collect();
    let ticks: u32 = fields[11..13].iter().map(|field| field.parse::<u32>().expect("ticks")).sum();
    TICK * ticks
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

fn refused(output: &Output, what: &str, said: &str) -> Vec<String> {
    let stderr = text(&output.stderr);
    let mut wrong = Vec::new();
    if output.status.code() != Some(2) {
        wrong.push(format!("{what}: exit {:?}: {stderr}", output.status.code()));
    }
    if !stderr.contains(said) || stderr.contains("panicked") {
        wrong.push(format!("{what}: no {said} in {stderr}"));
    }
    if !output.stdout.is_empty() {
        wrong.push(format!("{what}: printed {}", text(&output.stdout)));
    }
    wrong
}

#[test]
fn every_broken_study_is_refused_at_once_and_nothing_is_made() {
    let work = Work::new();
    let testdata = root().join("crates/study/testdata/broken");
    let mut files: Vec<PathBuf> =
        ["syntax", "shape", "meaning"].iter().flat_map(|folder| yaml_files(&testdata.join(folder))).collect();
    files.retain(|path| !NOT_BROKEN_HERE.iter().any(|name| path.ends_with(name)));
    assert!(files.len() >= 150, "the corpus has only {} files", files.len());
    let mut wrong = Vec::new();
    for path in &files {
        let (cpu, began) = (own_cpu(), Instant::now());
        let output = work.run(&path.display().to_string(), &[]);
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        wrong.extend(refused(&output, &file, &file));
        let (cpu, time) = (own_cpu() - cpu, began.elapsed());
        if cpu >= CPU_MAX || time >= TIME_MAX {
            wrong.push(format!("{file}: {cpu:?} of CPU, {time:?} by the clock"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    work.is_untouched();
}

#[test]
fn every_wrong_flag_of_a_good_study_is_refused_at_once_and_nothing_is_made() {
    let work = Work::new();
    let good = root().join("studies/quickstart.yaml").display().to_string();
    let mut wrong = Vec::new();
    for (key, value, said) in [
        ("--set", "load.closed.connections=0", "--set load.closed.connections:"),
        ("--set", "colour=red", "--set colour:"),
        ("--set", "seed", "--set seed:"),
        ("--only", "nothing", "--only nothing:"),
        ("--only", "claim:nothing", "--only claim:nothing:"),
    ] {
        wrong.extend(refused(&work.run(&good, &[key, value]), value, said));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    work.is_untouched();
}

/// Directory of runs.
struct Work {
    dir: tempfile::TempDir,
}

impl Work {
    fn new() -> Work {
        Work { dir: tempfile::tempdir().expect("a directory") }
    }

    fn run(&self, study: &str, more: &[&str]) -> Output {
        let dir = self.dir.path().display().to_string();
        command(&["run", study, "--smoke", "--dir", &dir]).args(more).output().expect("it runs")
    }

    /// Nothing was made, and so nothing was started.
    fn is_untouched(&self) {
        let made: Vec<_> = std::fs::read_dir(self.dir.path()).expect("readable").flatten().collect();
        assert!(made.is_empty(), "made {made:?}");
    }
}
