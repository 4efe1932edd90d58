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
        // The test waits for no other measurement, nor does one that a failed test leaves wait for it.
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

    /// Exit code and standard error of the command; nothing is left, and its record is readable at home.
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

/// A study with everything that it may name, among files that it does not.
const NAMES_FILES: &str = "\
study: twins
question: Is what it names all that goes along?
include: [parts/load.yaml]
subjects:
  server:
    command: [sh, serve/run.sh, \"--config=conf/app.conf\", \"{port}\"]
feeders: { users: { csv: users.csv } }
workload:
  page: { post: /, body: { file: body.json }, headers: { X-User: \"${users.name}\" } }
claims: [no errors: errors(server) == 0]
";

fn with_files() -> Elsewhere {
    let elsewhere = Elsewhere::new("files");
    let files = [
        ("study.yaml", NAMES_FILES),
        ("parts/load.yaml", "load: { closed: { connections: 2 } }\n"),
        ("users.csv", "name\nNAMED-user\n"),
        ("body.json", "{\"NAMED\": 1}"),
        ("serve/run.sh", "# NAMED-script\n"),
        ("conf/app.conf", "NAMED-conf\n"),
        ("key.pem", "UNNAMED-key"),
        (".env", "DB_PASSWORD=UNNAMED-env"),
        ("notes.txt", "UNNAMED-notes"),
        ("parts/other.yaml", "# UNNAMED-part"),
        ("../outside.txt", "UNNAMED-outside"),
        ("subjects/extra/subject.yaml.off", "UNNAMED-subject"),
    ];
    for (name, content) in files {
        let path = elsewhere.path("here/files").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    std::os::unix::fs::symlink("../outside.txt", elsewhere.path("here/files/leads-out")).expect("linked");
    elsewhere
}

const MANIFEST: [&str; 6] = ["manifest", "files/study.yaml", "--agents", "1", "--image", "lab:1"];

#[test]
fn only_what_a_study_names_goes_along_and_it_is_said() {
    let elsewhere = with_files();
    let set = ["--set", "subjects.server.env.DB_PASSWORD=hunter-2"];
    let output = elsewhere.command(&[&MANIFEST[..], &set].concat()).output().expect("it runs");
    let (made, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!made.contains("UNNAMED"), "{made}");
    for named in ["NAMED-user", "NAMED\\\": 1", "NAMED-script", "NAMED-conf"] {
        assert!(made.contains(named) || made.contains(&named.replace("\\", "")), "{named}: {made}");
    }
    assert!(!made.contains("hunter-2") && !made.contains("kind: ConfigMap"), "{made}");
    let told: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("goes along: study/")).collect();
    let expected = ["body.json, 12 bytes", "conf/app.conf, 11 bytes", "parts/load.yaml, ", "serve/run.sh, "];
    for (line, expected) in told.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
    }
    assert_eq!(told.len(), 6, "{said}");
    assert!(said.contains("as a password"), "{said}");
}

#[test]
fn a_study_that_names_what_is_hidden_or_a_link_is_told_so() {
    let elsewhere = with_files();
    let folder = elsewhere.path("here/files");
    fs::create_dir(folder.join(".hidden")).expect("made");
    fs::write(folder.join(".hidden/users.csv"), "name\na\n").expect("written");
    fs::write(folder.join(".users.csv"), "name\na\n").expect("written");
    std::os::unix::fs::symlink("users.csv", folder.join("linked.csv")).expect("linked");
    std::os::unix::fs::symlink(".hidden", folder.join("shown")).expect("linked");
    let rows = [
        ("feeders.users.csv=.users.csv", "is hidden"),
        ("feeders.users.csv=.hidden/users.csv", "is hidden"),
        ("feeders.users.csv=linked.csv", "is a link"),
        ("feeders.users.csv=shown/users.csv", "is a link"),
        ("subjects.server.command[1]=.env", "is hidden"),
        ("subjects.server.command[1]=leads-out", "is a link"),
        ("subjects.server.command[2]=--config=.env", "is hidden"),
        ("subjects.server.command[2]=users.csv:leads-out", "is a link"),
    ];
    for (set, why) in rows {
        let output = elsewhere.command(&[&MANIFEST[..], &["--set", set]].concat()).output().expect("it runs");
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{set}: {said}");
        assert_eq!(text(&output.stdout), "", "{set}");
    }
    // What lies outside is not the study's folder's: it is not sent, and stays the affair of that machine.
    for set in ["subjects.server.command[1]=../outside.txt", "subjects.server.command[1]=/etc/passwd"] {
        let output = elsewhere.command(&[&MANIFEST[..], &["--set", set]].concat()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{set}: {}", text(&output.stderr));
        assert!(
            !text(&output.stdout).contains("UNNAMED") && !text(&output.stdout).contains("root:"),
            "{set}"
        );
    }
}

/// Programs that never do what they are there for.
fn stuck(elsewhere: &Elsewhere, name: &str, script: &str) {
    let path = elsewhere.path("bin").join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
}

/// More than a pipe holds.
fn long_feeder(elsewhere: &Elsewhere) {
    let rows = "name\n".to_owned() + &"a user of whom there are many\n".repeat(10_000);
    fs::write(elsewhere.path("here/lab/users.csv"), rows).expect("written");
    let study = TWINS.replace("workload:", "feeders: { users: { csv: users.csv } }\nworkload:");
    fs::write(elsewhere.path("here/lab/twins.yaml"), study).expect("written");
}

const THERE: [&str; 5] = ["run", "lab/twins.yaml", "--smoke", "--subjects-on", "lab1"];
const CLUSTER: [&str; 7] = ["run", "lab/twins.yaml", "--smoke", "--on", "kubernetes", "--image", "lab:1"];

#[test]
fn a_stop_ends_the_wait_for_whatever_does_not_end() {
    let is_here =
        "case \"$*\" in *'test -x'*) echo yes; exit;; esac; exec < /dev/null; touch \"$ELSEWHERE/reached\"; ";
    let silent =
        "case \"$*\" in *'test -x'*) echo yes; exit;; esac; touch \"$ELSEWHERE/reached\"; cat > /dev/null; ";
    let rows: [(&str, String, &[&str]); 5] = [
        ("ssh", "touch \"$ELSEWHERE/reached\"; exec sleep 1000".to_owned(), &THERE),
        ("ssh", "trap '' TERM; touch \"$ELSEWHERE/reached\"; sleep 1000".to_owned(), &THERE),
        ("ssh", format!("{is_here} exec sleep 1000"), &THERE),
        ("ssh", format!("{silent} exec sleep 1000"), &THERE),
        (
            "kubectl",
            "[ \"$1\" = delete ] && exit; touch \"$ELSEWHERE/reached\"; exec sleep 1000".to_owned(),
            &CLUSTER,
        ),
    ];
    for (program, script, args) in rows {
        let elsewhere = Elsewhere::new("stuck");
        long_feeder(&elsewhere);
        stuck(&elsewhere, program, &script);
        let child = elsewhere.command(args).spawn().expect("it starts");
        let reached = elsewhere.path("elsewhere/reached");
        crate::support::wait_until(Duration::from_secs(20), "a wait", || reached.exists());
        signal(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{script}: {}", text(&output.stderr));
        elsewhere.is_quiet();
    }
}

#[test]
fn a_second_signal_is_a_way_out_and_says_what_may_be_left() {
    let elsewhere = Elsewhere::new("twice");
    stuck(&elsewhere, "kubectl", "touch \"$ELSEWHERE/$1\"; trap '' TERM; sleep 1000");
    let child = elsewhere.command(&CLUSTER).spawn().expect("it starts");
    let pid = rustix::process::Pid::from_child(&child);
    for (verb, number) in
        [("create", rustix::process::Signal::TERM), ("delete", rustix::process::Signal::INT)]
    {
        let begun = elsewhere.path("elsewhere").join(verb);
        crate::support::wait_until(Duration::from_secs(20), verb, || begun.exists());
        // A second wish, not the same one again.
        std::thread::sleep(Duration::from_millis(250));
        signal(pid, number);
    }
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("may still be there: kubectl delete -n default"), "{said}");
    elsewhere.is_quiet();
}

/// A machine that answers every order with a record of its own making, and ends well.
fn hostile(elsewhere: &Elsewhere, made: &str) {
    let script = format!(
        "case \"$*\" in *'test -x'*) echo yes; exit;; esac\n\
         head -n 1 > /dev/null; cd \"$ELSEWHERE\" && {made}\n\
         tar cf record.tar * && printf '{{\"ended\":{{\"exit\":0,\"message\":\"\",\"record_bytes\":%d}}}}\\n' $(wc -c < record.tar)\n\
         cat record.tar; cat > /dev/null"
    );
    stuck(elsewhere, "ssh", &script);
}

#[test]
fn another_machine_writes_one_new_run_of_the_study_and_nothing_else() {
    let elsewhere = Elsewhere::new("hostile");
    let old = elsewhere.path("here/runs/other/OLD/plan.json");
    fs::create_dir_all(old.parent().expect("a folder")).expect("made");
    fs::write(&old, "mine").expect("written");
    let rows = [
        "mkdir -p other/OLD && echo theirs > other/OLD/plan.json",
        "mkdir -p twins/NEW other/OLD && echo {} > twins/NEW/plan.json && echo theirs > other/OLD/plan.json",
        "mkdir -p twins/NEW twins/OTHER && echo {} > twins/NEW/plan.json && echo {} > twins/OTHER/plan.json",
        "mkdir -p twins/latest && echo {} > twins/latest/plan.json",
        "mkdir -p twins/.coming-1 && echo {} > twins/.coming-1/plan.json",
        "mkdir -p twins/NEW && echo {} > twins/NEW/plan.json && ln -s /etc/passwd twins/NEW/result.json",
        "mkdir -p twins/NEW && echo no plan > twins/NEW/readme",
    ];
    for made in rows {
        hostile(&elsewhere, made);
        let output = elsewhere.command(&THERE).output().expect("it runs");
        let said = text(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{made}: {said}");
        assert!(said.contains("its record cannot be taken in"), "{made}: {said}");
        assert_eq!(fs::read_to_string(&old).expect("there"), "mine");
        let runs = elsewhere.path("here/runs");
        let mut left = fs::read_dir(runs.join("twins")).expect("made");
        assert!(left.next().is_none() && fs::read_dir(&runs).expect("listed").count() == 2, "{made}");
        for name in ["other", "twins", "record.tar"] {
            let path = elsewhere.path("elsewhere").join(name);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
    }
}
