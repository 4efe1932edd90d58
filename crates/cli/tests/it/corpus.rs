//! Every broken study of the corpus, through the executable. Alone in its process, for it adds up the CPU time of
//! what it started.

use crate::support::{PROOFLOAD, command, processes_with, root, text};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

/// What a broken file may cost in CPU time. An unoptimised build takes a tenth of it.
const CPU_MAX: Duration = Duration::from_secs(1);

/// What it may take by the clock on a machine that does much else: only to find what hangs.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Broken only beside the catalogue of the checks' own tests: no subject of the real one has a parameter that must
/// be given.
const NOT_BROKEN_HERE: [&str; 1] = ["missing-parameter.yaml"];

const TICK: Duration = Duration::from_millis(10);

/// CPU time of all children that ended.
fn children_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc");
    let behind_name = stat.rsplit_once(") ").expect("a name").1;
    let fields: Vec<&str> = behind_name.split(' ').collect();
    let ticks: u32 = fields[13..15].iter().map(|field| field.parse::<u32>().expect("ticks")).sum();
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
fn every_broken_study_is_refused_at_once_and_nothing_is_started() {
    let directory = tempfile::tempdir().expect("a directory");
    let dir = directory.path().join("work");
    std::fs::create_dir(&dir).expect("made");
    let mark = format!("PROOFLOAD_CORPUS_{}", std::process::id());
    let dir_text = dir.display().to_string();
    let testdata = root().join("crates/study/testdata/broken");
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in ["syntax", "shape", "meaning"] {
        for path in yaml_files(&testdata.join(folder)) {
            if NOT_BROKEN_HERE.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            count += 1;
            let name = path.display().to_string();
            let (cpu, began) = (children_cpu(), Instant::now());
            let output = command(&["run", &name, "--smoke", "--dir", &dir_text])
                .env(&mark, "1")
                .output()
                .expect("the executable runs");
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            wrong.extend(refused(&output, &file, &file));
            let (cpu, time) = (children_cpu() - cpu, began.elapsed());
            if cpu >= CPU_MAX || time >= TIME_MAX {
                wrong.push(format!("{file}: {cpu:?} of CPU, {time:?} by the clock"));
            }
        }
    }
    let good = root().join("studies/quickstart.yaml").display().to_string();
    for (key, value, said) in [
        ("--set", "load.closed.connections=0", "--set load.closed.connections:"),
        ("--set", "colour=red", "--set colour:"),
        ("--set", "seed", "--set seed:"),
        ("--only", "nothing", "--only nothing:"),
        ("--only", "claim:nothing", "--only claim:nothing:"),
    ] {
        let output =
            command(&["run", &good, "--smoke", "--dir", &dir_text, key, value]).env(&mark, "1").output();
        wrong.extend(refused(&output.expect("the executable runs"), value, said));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 150, "the corpus has only {count} files");
    let made: Vec<_> = std::fs::read_dir(&dir).expect("readable").flatten().collect();
    assert!(made.is_empty(), "made {made:?}");
    assert_eq!(processes_with(&mark), Vec::<String>::new(), "{PROOFLOAD} left something running");
}
