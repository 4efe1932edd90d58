//! Servers that fail, each in its own way, and the report of that; subjects of several processes.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use proofload_host::jdk;
use proofload_study::SubjectSpec;
use proofload_subject::{Catalogue, Keeper, Prepared, Running, SubjectError};
use rustix::process::{Pid, Signal, kill_process};

use crate::Bench;
use crate::actors::{EATER, FULL, LISTENER, ORDERLY, SILENT};

/// Rounds of 20 ms until something must have been noticed.
const ROUNDS_MAX: u32 = 1500;

/// A subject of a catalogue of its own, declared by `yaml`; `{exe}` in it is this executable.
fn declared(bench: &Bench, yaml: &str) -> Prepared {
    let root = bench.directory.path().join("subjects");
    let exe = std::env::current_exe().unwrap();
    fs::create_dir_all(root.join("it")).unwrap();
    fs::write(root.join("it/subject.yaml"), yaml.replace("{exe}", exe.to_str().unwrap())).unwrap();
    let catalogue = Catalogue::read(&root).unwrap();
    let spec = SubjectSpec::Catalogue { folder: "it".into(), with: Default::default() };
    Prepared::prepare("it", &spec, &catalogue, &bench.cache, &|_| {}).unwrap()
}

fn alone(actor: &str, rest: &str) -> String {
    format!(
        "description: x\nstart: [[\"{{exe}}\", {actor}, \"{{port}}\"]]\nready: {{ path: /, within: 20s }}\n\
         stop: {{ grace: 1s }}\n{rest}"
    )
}

fn start(bench: &Bench, prepared: &Prepared, keeper: &Keeper) -> Running {
    prepared.start(keeper, &[], &bench.log(), &keeper.temp().join("it")).unwrap()
}

/// First error of `alive`.
fn end_of(running: &Running) -> SubjectError {
    for _ in 0..ROUNDS_MAX {
        if let Err(error) = running.alive() {
            return error.into();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it still lives");
}

fn signal(running: &Running, signal: Signal) {
    kill_process(Pid::from_raw(running.pid().unwrap() as i32).unwrap(), signal).unwrap();
}

pub fn a_server_that_dies_in_the_middle_is_told_with_its_signal() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &declared(&bench, &alone(LISTENER, "")), &keeper);
    running.wait_ready(&Default::default()).unwrap();
    running.answers().unwrap();
    signal(&running, Signal::ABORT);
    let error = end_of(&running);
    assert!(matches!(error, SubjectError::Died { .. }), "{error}");
    assert!(error.to_string().contains("subject it died: signal 6 (ABRT); its log"), "{error}");
    running.stop().unwrap();
}

pub fn a_server_that_takes_connections_and_never_answers_hangs() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    // Time enough to listen on a machine that is busy.
    let yaml = alone(SILENT, "").replace("within: 20s", "within: 3s");
    let running = start(&bench, &declared(&bench, &yaml), &keeper);
    let error = running.wait_ready(&Default::default()).unwrap_err();
    assert!(matches!(error, SubjectError::Hangs { .. }), "{error}");
    assert!(error.to_string().contains("it takes connections, and GET / has no answer"), "{error}");
    running.stop().unwrap();
}

pub fn a_server_that_stops_answering_hangs_and_has_to_be_killed() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &declared(&bench, &alone(LISTENER, "")), &keeper);
    running.wait_ready(&Default::default()).unwrap();
    signal(&running, Signal::STOP);
    running.alive().unwrap();
    let error = running.answers().unwrap_err();
    assert!(matches!(error, SubjectError::Hangs { .. }), "{error}");
    let told = running.stop().unwrap_err().to_string();
    assert!(told.contains("did not end within 1 s of TERM and had to be ended by KILL"), "{told}");
}

pub fn a_server_that_eats_memory_is_ended_before_the_machine_is_full() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &declared(&bench, &alone(EATER, "memory_max: 96m\n")), &keeper);
    running.wait_ready(&Default::default()).unwrap();
    let error = end_of(&running);
    let SubjectError::TooMuchMemory { used_mib, limit_mib: 96, .. } = &error else { panic!("{error}") };
    assert!((96..2048).contains(used_mib), "{error}");
    assert!(error.to_string().contains("memory_max"), "{error}");
    running.stop().unwrap();
}

pub fn a_jvm_without_memory_is_told_apart_from_one_that_dies() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let running = start(&bench, &declared(&bench, &alone(FULL, "")), &keeper);
    let error = running.wait_ready(&Default::default()).unwrap_err();
    assert!(matches!(error, SubjectError::JvmOutOfMemory { .. }), "{error}");
    assert!(error.to_string().contains("larger heap"), "{error}");
    running.stop().unwrap();
}

/// A real JVM whose heap is full. Needs a JDK, and nothing that is fetched.
pub fn a_real_jvm_whose_heap_is_full_says_so() {
    let Some(jdk) = jdk::find_all().into_iter().rfind(|jdk| jdk.has_compiler && jdk.major >= 17) else {
        println!("  skipped, because no JDK is installed");
        return;
    };
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let folder = bench.directory.path().join("subjects/it/src");
    fs::create_dir_all(&folder).unwrap();
    let source = "public class Full { public static void main(String[] args) {\n\
        var kept = new java.util.ArrayList<long[]>(); while (true) kept.add(new long[1 << 16]); } }\n";
    fs::write(folder.join("Full.java"), source).unwrap();
    let yaml = format!(
        "description: x\nneeds: {{ jdk: \"{}\" }}\nbuild: {{ javac: [src/Full.java] }}\n\
         start: [[\"{{java}}\", -Xmx32m, -XX:+UseSerialGC, -cp, \"{{class_path}}\", Full, \"{{port}}\"]]\n\
         ready: {{ within: 60s }}\n",
        jdk.major
    );
    let running = start(&bench, &declared(&bench, &yaml), &keeper);
    let error = running.wait_ready(&Default::default()).unwrap_err();
    assert!(matches!(error, SubjectError::JvmOutOfMemory { .. }), "{error}");
    assert!(error.to_string().contains("Java heap space"), "{error}");
    running.stop().unwrap();
}

/// Needs a JDK, and nothing that is fetched.
pub fn a_flag_that_this_jdk_lacks_is_refused_before_anything_starts() {
    let Some(jdk) = jdk::find_all().into_iter().rfind(|jdk| jdk.has_compiler && jdk.major >= 17) else {
        println!("  skipped, because no JDK is installed");
        return;
    };
    let bench = Bench::new();
    let root = bench.directory.path().join("subjects");
    fs::create_dir_all(root.join("it")).unwrap();
    let yaml = format!(
        "description: x\nneeds: {{ jdk: \"{}\" }}\nparameters:\n  \
         - {{ name: more, kind: {{ words: [-X] }}, default: \"\", doc: Flags. }}\n\
         start: [[\"{{java}}\", -Xmx64m], [\"{{more}}\"], [-cp, x, Main]]\nready: {{ within: 1s }}\n",
        jdk.major
    );
    fs::write(root.join("it/subject.yaml"), yaml).unwrap();
    let catalogue = Catalogue::read(&root).unwrap();
    let prepare = |flags: &str| {
        let with = [("more".to_string(), flags.to_string())].into();
        let spec = SubjectSpec::Catalogue { folder: "it".into(), with };
        Prepared::prepare("it", &spec, &catalogue, &bench.cache, &|_| {}).map(drop)
    };
    prepare("-XX:NewRatio=3 -Xss512k").unwrap();
    // Gone since JDK 13.
    let error = prepare("-XX:NewRatio=3 -XX:+AggressiveOpts").unwrap_err();
    assert!(matches!(error, SubjectError::NotApplicable { .. }), "{error}");
    let told = error.to_string();
    let wanted = format!("not applicable on JDK {}: ", jdk.major);
    assert!(told.contains(&wanted) && told.contains("'AggressiveOpts'"), "{told}");
    // A heap that cannot be is a mistake on every JDK.
    let error = prepare("-Xms128m").unwrap_err();
    assert!(matches!(error, SubjectError::Parameter { .. }), "{error}");
}

/// The front is declared first and needs the back when it starts.
fn two(bench: &Bench, front: &str) -> (String, PathBuf) {
    let order = bench.directory.path().join("order");
    let file = order.to_str().unwrap();
    let yaml = format!(
        "description: two
processes:
  - name: front
    after: [back]
    start: [[\"{{exe}}\", {front}, front, \"{file}\", \"{{port}}\", \"{{port.back}}\"]]
    ready: {{ path: /, within: 20s }}
  - name: back
    start: [[\"{{exe}}\", {ORDERLY}, back, \"{file}\", \"{{port}}\"]]
    ready: {{ path: /, within: 20s }}
"
    );
    (yaml, order)
}

pub fn two_processes_start_in_order_and_stop_in_reverse() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let (yaml, order) = two(&bench, ORDERLY);
    let running = start(&bench, &declared(&bench, &yaml), &keeper);
    assert_eq!(running.pid(), None, "the front waits");
    running.wait_ready(&Default::default()).unwrap();
    running.answers().unwrap();
    let names: Vec<String> = running.processes().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["back", "front"]);
    assert_eq!(running.pids().len(), 2);
    assert_eq!(running.processes()[1].1, running.pid().unwrap());
    running.stop().unwrap();
    assert_eq!(fs::read_to_string(order).unwrap(), "back starts\nfront starts\nfront ends\nback ends\n");
    assert!(bench.log().is_file() && bench.directory.path().join("log.back").is_file());
}

pub fn of_two_processes_the_one_that_fails_is_named() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let (yaml, _) = two(&bench, FULL);
    let running = start(&bench, &declared(&bench, &yaml), &keeper);
    let error = running.wait_ready(&Default::default()).unwrap_err().to_string();
    assert!(error.starts_with("subject it, process front ran out of its own memory"), "{error}");
    running.stop().unwrap();

    let (yaml, _) = two(&bench, ORDERLY);
    let running = start(&bench, &declared(&bench, &yaml), &keeper);
    running.wait_ready(&Default::default()).unwrap();
    let back = running.processes()[0].1;
    kill_process(Pid::from_raw(back as i32).unwrap(), Signal::KILL).unwrap();
    let error = end_of(&running).to_string();
    assert!(error.starts_with("subject it, process back died: signal 9 (KILL)"), "{error}");
    running.stop().unwrap();
}
