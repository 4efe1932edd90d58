//! Servers and agents elsewhere, through the executable. What brings it elsewhere (`ssh`, `kubectl`) is a script that stays on
//! this machine; the real ones are `cargo xtask lab`'s.

use crate::support::{TWINS, executable, processes_with, proofload, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// `ssh` as it would be from one machine to another: another home, no files of this one, a connection.
const SSH: &str = r#"#!/bin/sh
while [ "$1" != "--" ]; do shift; done
host=$2; line=$3
[ "$host" = nowhere ] && { echo "ssh: Could not resolve hostname nowhere" >&2; exit 255; }
cd "$ELSEWHERE" || exit 255
exec env HOME="$ELSEWHERE" XDG_CACHE_HOME="$ELSEWHERE/cache" SSH_CONNECTION="127.0.0.1 40000 127.0.0.1 22" sh -c "$line"
"#;

/// A cluster of one node: pods are processes of this machine.
const KUBECTL: &str = r#"#!/bin/sh
at="$ELSEWHERE"
case "$1" in
create)
    cat > "$at/objects.yaml"
    sed -n 's/^  token: //p' "$at/objects.yaml" > "$at/token"
    cd "$at"
    XDG_CACHE_HOME="$at/cache" "$PROGRAM" __attend < /dev/null > attend.log 2>&1 &
    echo $! > pid
    for index in 0 1; do
        JOB_COMPLETION_INDEX=$index "$PROGRAM" agent --join 127.0.0.1:$PORT --token-file token --quiet < /dev/null > agent-$index.log 2>&1 &
    done
    ;;
get)
    case "$6" in
    pods) echo '{"items":[{"metadata":{"name":"lab-coordinator-x","labels":{"app.kubernetes.io/component":"coordinator"}},"status":{"phase":"Running"}}]}' ;;
    *) echo '{"items":[]}' ;;
    esac
    ;;
exec)
    while [ "$1" != "--" ]; do shift; done
    exec env XDG_CACHE_HOME="$at/cache" PROOFLOAD_LISTEN="127.0.0.1:$PORT" "$PROGRAM" "$3"
    ;;
delete)
    cat > "$at/deleted.yaml"
    kill "$(cat "$at/pid")" 2> /dev/null
    ;;
esac
"#;

/// Another machine on this one, and what leads there.
struct Elsewhere {
    folder: tempfile::TempDir,
    mark: String,
}

impl Elsewhere {
    fn new(of: &str) -> Elsewhere {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, script) in [("ssh", SSH), ("kubectl", KUBECTL)] {
            let path = folder.path().join("bin").join(name);
            fs::create_dir_all(path.parent().expect("bin")).expect("made");
            fs::write(&path, script).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        for name in ["elsewhere", "here/lab"] {
            fs::create_dir_all(folder.path().join(name)).expect("made");
        }
        fs::write(folder.path().join("here/lab/twins.yaml"), TWINS).expect("written");
        Elsewhere { folder, mark: format!("elsewhere-{of}-{}", std::process::id()) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = executable(args);
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path).env("ELSEWHERE", self.path("elsewhere")).current_dir(self.path("here"));
        command
            .env("PROGRAM", env!("CARGO_BIN_EXE_proofload"))
            .env("STUDY", self.path("here/lab/twins.yaml"));
        // Nobody else's measurement is waited for, nor waits for one that a failed test leaves.
        command.env("PROOFLOAD_TEST_LOCK_FILE", self.path("lock"));
        command.env("PROOFLOAD_TEST_MARK", &self.mark).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Nothing of it runs any more, after a moment.
    fn is_quiet(&self) {
        crate::support::wait_until(Duration::from_secs(10), "an end everywhere", || {
            processes_with(&self.mark).is_empty()
        });
    }
}

impl Drop for Elsewhere {
    /// A test that failed leaves nothing that runs on for half an hour.
    fn drop(&mut self) {
        for process in processes_with(&self.mark) {
            if let Some(pid) = process.split(':').next().and_then(|pid| pid.parse().ok()) {
                let pid = rustix::process::Pid::from_raw(pid).expect("a process");
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

fn latest(home: &Path) -> PathBuf {
    home.join("runs/twins/latest")
}

fn readable(record: &str) {
    let read = proofload(&["report", record]);
    assert!(text(&read.stdout).contains("twins"), "{}", text(&read.stderr));
}

#[test]
fn servers_are_started_elsewhere_and_the_record_comes_home() {
    let elsewhere = Elsewhere::new("servers");
    let args = ["run", "lab/twins.yaml", "--smoke", "--no-ceiling", "--subjects-on", "lab1", "--agents", "2"];
    let output = elsewhere.command(&args).output().expect("it runs");
    let said = text(&output.stderr);
    assert!(said.contains("kept in ./runs/twins/"), "{said}");
    let plan = fs::read_to_string(latest(&elsewhere.path("here")).join("plan.json")).expect("a plan");
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!(plan["agents"].as_array().map(Vec::len), Some(2));
    assert_eq!(plan["arguments"][1], "lab/twins.yaml", "as it was given here");
    assert!(said.contains("joined, 2 of 2"), "{said}");
    // The executable stays for the next time, the record and the study's files do not.
    let cache = elsewhere.path("elsewhere/cache/proofload");
    assert_eq!(fs::read_dir(cache.join("bin")).expect("kept").count(), 1);
    assert_eq!(fs::read_dir(cache.join("places")).expect("made").count(), 0);
    elsewhere.is_quiet();
}

#[test]
fn what_happens_elsewhere_is_said_in_the_language_of_whoever_asked() {
    let elsewhere = Elsewhere::new("language");
    let args =
        ["run", "lab/twins.yaml", "--smoke", "--no-ceiling", "--subjects-on", "lab1", "--lang", "zh-CN"];
    let output = elsewhere.command(&args).output().expect("it runs");
    let said = text(&output.stderr);
    assert!(said.contains("已加入，1/1") && said.contains("等待 1 个代理"), "{said}");
    elsewhere.is_quiet();
}

#[test]
fn agents_are_started_by_ssh_and_a_host_that_is_not_there_is_named() {
    let elsewhere = Elsewhere::new("agents");
    let run = |on: &str| {
        let args = ["run", "lab/twins.yaml", "--smoke", "--no-ceiling", "--on", on];
        elsewhere.command(&args).output().expect("it runs")
    };
    let output = run("ssh:lab1,lab2");
    assert!(text(&output.stderr).contains("kept in ./runs/twins/"), "{}", text(&output.stderr));
    let output = run("ssh:lab1,nowhere");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("ssh nowhere failed"), "{said}");
    let output = run("ssh:");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    elsewhere.is_quiet();
}

#[test]
fn a_command_that_is_killed_ends_what_it_started_elsewhere_and_the_record_stays_there() {
    let elsewhere = Elsewhere::new("killed");
    let args = ["run", "lab/twins.yaml", "--no-ceiling", "--subjects-on", "lab1", "--dir", "."];
    let mut child = elsewhere.command(&args).spawn().expect("it starts");
    let places = elsewhere.path("elsewhere/cache/proofload/places");
    let records = || {
        let found = fs::read_dir(&places).into_iter().flatten().flatten();
        found.map(|entry| latest(&entry.path())).find(|run| run.join("blocks").is_dir())
    };
    crate::support::wait_until(Duration::from_secs(60), "a record", || records().is_some());
    child.kill().expect("killed");
    let _ = child.wait();
    elsewhere.is_quiet();
    let record = records().expect("it stays").display().to_string();
    readable(&record);
}

/// A study that goes on in a cluster and has measured something.
struct InCluster {
    elsewhere: Elsewhere,
    command: std::process::Child,
}

impl InCluster {
    fn begin(of: &str) -> InCluster {
        let elsewhere = Elsewhere::new(of);
        let args = [
            "run",
            "lab/twins.yaml",
            "--no-ceiling",
            "--on",
            "kubernetes",
            "--agents",
            "2",
            "--image",
            "lab:1",
        ];
        let command = elsewhere.command(&args).env("PORT", free_port()).spawn().expect("it starts");
        let begun = InCluster { elsewhere, command };
        crate::support::wait_until(Duration::from_secs(60), "a record", || begun.record().is_some());
        begun
    }

    /// The record where the coordinator is.
    fn record(&self) -> Option<PathBuf> {
        let places = self.elsewhere.path("elsewhere/cache/proofload/places");
        let found = fs::read_dir(places).into_iter().flatten().flatten();
        found.map(|entry| latest(&entry.path())).find(|run| run.join("blocks").is_dir())
    }

    /// The process whose command line has this word, for kubectl's is not it.
    fn pid(&self, word: &str) -> rustix::process::Pid {
        let all = processes_with(&self.elsewhere.mark);
        let is_it = |process: &&String| {
            let mut words = process.split(' ').skip(1);
            words.next().is_some_and(|program| program.ends_with("/proofload")) && words.next() == Some(word)
        };
        let found = all.iter().find(is_it).unwrap_or_else(|| panic!("no process of {word}: {all:?}"));
        let pid = found.split(':').next().and_then(|pid| pid.parse().ok()).expect("a number");
        rustix::process::Pid::from_raw(pid).expect("a process")
    }

    /// How the command ended, and what it said; nothing is left, and its record is readable at home.
    fn ended(self) -> (Option<i32>, String) {
        let output = self.command.wait_with_output().expect("it ends");
        self.elsewhere.is_quiet();
        let said = text(&output.stderr);
        let home = latest(&self.elsewhere.path("here")).display().to_string();
        readable(&home);
        assert!(self.elsewhere.path("elsewhere/deleted.yaml").is_file(), "{said}");
        (output.status.code(), said)
    }
}

fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("known").port().to_string()
}

fn signal(pid: rustix::process::Pid, signal: rustix::process::Signal) {
    rustix::process::kill_process(pid, signal).expect("it is there");
}

#[test]
fn a_study_in_a_cluster_brings_its_record_home_and_leaves_no_object() {
    let elsewhere = Elsewhere::new("cluster");
    let args =
        ["run", "lab/twins.yaml", "--smoke", "--on", "kubernetes", "--agents", "2", "--image", "lab:1"];
    let run = || {
        let output = elsewhere.command(&args).env("PORT", free_port()).output().expect("it runs");
        let said = text(&output.stderr);
        assert!(said.contains("joined, 2 of 2") && said.contains("kept in ./runs/twins/"), "{said}");
        assert!(latest(&elsewhere.path("here")).join("result.json").is_file());
        let objects =
            |name: &str| fs::read_to_string(elsewhere.path("elsewhere").join(name)).expect("written");
        assert_eq!(objects("objects.yaml"), objects("deleted.yaml"));
        assert!(objects("objects.yaml").contains("completionMode: Indexed"));
        elsewhere.is_quiet();
        let made = objects("objects.yaml");
        let name = made.lines().find_map(|line| line.trim().strip_prefix("app.kubernetes.io/instance: "));
        name.expect("a name").to_owned()
    };
    // A second run of the study must not meet the objects of the first.
    let (first, second) = (run(), run());
    assert!(first != second && first.starts_with("proofload-twins-"), "{first}, {second}");
}

#[test]
fn a_study_in_a_cluster_that_is_interrupted_brings_its_record_home() {
    let running = InCluster::begin("interrupted");
    let pid = rustix::process::Pid::from_child(&running.command);
    signal(pid, rustix::process::Signal::INT);
    let (code, said) = running.ended();
    assert_eq!(code, Some(130), "{said}");
    assert!(!said.contains("proofload resume"), "its record is not where that would look: {said}");
}

#[test]
fn a_coordinator_that_its_cluster_ends_brings_its_record_home() {
    let running = InCluster::begin("deleted");
    signal(running.pid("__attend"), rustix::process::Signal::TERM);
    let (code, said) = running.ended();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("told to end by the cluster"), "{said}");
}

#[test]
fn the_record_of_a_coordinator_that_was_killed_in_its_pod_is_fetched() {
    let running = InCluster::begin("coordinator");
    signal(running.pid("__place"), rustix::process::Signal::KILL);
    let (code, said) = running.ended();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("-coordinator is lost"), "{said}");
}

#[test]
fn a_command_that_is_killed_ends_its_load_in_a_cluster_and_the_record_stays_in_the_pod() {
    let mut running = InCluster::begin("killed-cluster");
    let attending = running.pid("__attend");
    running.command.kill().expect("killed");
    let _ = running.command.wait();
    crate::support::wait_until(Duration::from_secs(10), "an end but for the pod's first process", || {
        let left = processes_with(&running.elsewhere.mark);
        left.len() == 1 && left[0].contains("__attend")
    });
    let record = running.record().expect("it stays").display().to_string();
    readable(&record);
    crate::support::wait_until(Duration::from_secs(10), "where the record is, in the pod's log", || {
        let log = fs::read_to_string(running.elsewhere.path("elsewhere/attend.log")).expect("its log");
        log.contains("/usr/bin/proofload report") && log.contains("runs/twins/latest")
    });
    signal(attending, rustix::process::Signal::TERM);
    running.elsewhere.is_quiet();
}

#[test]
fn a_manifest_passes_on_how_many_agents_may_be_lost() {
    let elsewhere = Elsewhere::new("manifest");
    let args = ["manifest", "lab/twins.yaml", "--agents", "3", "--image", "lab:1", "--tolerate-lost", "1"];
    let output = elsewhere.command(&args).output().expect("it runs");
    assert!(text(&output.stdout).contains("--tolerate-lost=1"), "{}", text(&output.stderr));
}
