//! Servers and agents elsewhere, through the executable. What brings it elsewhere (`ssh`, `kubectl`) is a script that stays on
//! this machine; the real ones are `cargo xtask lab`'s.

use crate::support::{TWINS, command, processes_with, text};
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
    cd "$at" && mkdir -p runs
    "$PROGRAM" coordinator "$STUDY" --agents 2 --listen 127.0.0.1:$PORT --token-file token --dir runs --smoke --hold 60s > log 2>&1 &
    echo $! > pid
    for index in 0 1; do
        JOB_COMPLETION_INDEX=$index "$PROGRAM" agent --join 127.0.0.1:$PORT --token-file token --quiet &
    done
    ;;
get)
    case "$6" in
    pods) echo '{"items":[{"metadata":{"name":"lab-coordinator-x","labels":{"app.kubernetes.io/component":"coordinator"}},"status":{"phase":"Running"}}]}' ;;
    *) echo '{"items":[]}' ;;
    esac
    ;;
logs) exec tail -n +1 -f --pid="$(cat "$at/pid")" "$at/log" ;;
exec)
    while [ "$1" != "--" ]; do shift; done
    exec "$PROGRAM" "$3" "$at/runs" $5
    ;;
delete) cat > "$at/deleted.yaml" ;;
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
        let mut command = command(args);
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path).env("ELSEWHERE", self.path("elsewhere")).current_dir(self.path("here"));
        command
            .env("PROGRAM", env!("CARGO_BIN_EXE_proofload"))
            .env("STUDY", self.path("here/lab/twins.yaml"));
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

fn latest(home: &Path) -> PathBuf {
    home.join("runs/twins/latest")
}

#[test]
fn servers_are_started_elsewhere_and_the_record_comes_home() {
    let elsewhere = Elsewhere::new("servers");
    let args = ["run", "lab/twins.yaml", "--smoke", "--no-ceiling", "--subjects-on", "lab1", "--agents", "2"];
    let output = elsewhere.command(&args).output().expect("it runs");
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 12)), "{said}");
    assert!(text(&output.stdout).contains("checked"), "{}", text(&output.stdout));
    assert!(said.contains("kept in ./runs/twins/"), "{said}");
    let plan = fs::read_to_string(latest(&elsewhere.path("here")).join("plan.json")).expect("a plan");
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!(plan["agents"].as_array().map(Vec::len), Some(2));
    assert_eq!(plan["arguments"][1], "lab/twins.yaml", "as it was given here");
    // The executable stays for the next time, the record and the study's files do not.
    let cache = elsewhere.path("elsewhere/cache/proofload");
    assert_eq!(fs::read_dir(cache.join("bin")).expect("kept").count(), 1);
    assert_eq!(fs::read_dir(cache.join("places")).expect("made").count(), 0);
    elsewhere.is_quiet();
}

#[test]
fn agents_are_started_by_ssh_and_a_host_that_is_not_there_is_named() {
    let elsewhere = Elsewhere::new("agents");
    let run = |on: &str| {
        let args = ["run", "lab/twins.yaml", "--smoke", "--no-ceiling", "--on", on];
        elsewhere.command(&args).output().expect("it runs")
    };
    // A machine that is busy with other tests may be the limit.
    let output = run("ssh:lab1,lab2");
    assert!(matches!(output.status.code(), Some(0 | 12)), "{}", text(&output.stderr));
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
    let output = command(&["report", &record]).output().expect("it runs");
    assert!(matches!(output.status.code(), Some(0 | 10..=12)), "{}", text(&output.stderr));
}

#[test]
fn a_study_in_a_cluster_brings_its_record_home_and_leaves_no_object() {
    let elsewhere = Elsewhere::new("cluster");
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("known").port();
    let args =
        ["run", "lab/twins.yaml", "--smoke", "--on", "kubernetes", "--agents", "2", "--image", "lab:1"];
    let output = elsewhere.command(&args).env("PORT", port.to_string()).output().expect("it runs");
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 12)), "{said}");
    assert!(said.contains("joined, 2 of 2") && said.contains("kept in ./runs/twins/"), "{said}");
    assert!(latest(&elsewhere.path("here")).join("result.json").is_file());
    let objects = |name: &str| fs::read_to_string(elsewhere.path("elsewhere").join(name)).expect("written");
    assert_eq!(objects("objects.yaml"), objects("deleted.yaml"));
    assert!(objects("objects.yaml").contains("completionMode: Indexed"));
    elsewhere.is_quiet();
}
