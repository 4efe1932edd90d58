//! Every folder of the catalogue starts, answers what it declares, and ends, again and again.

use crate::support::{executable, json, processes_with, proofload, text};
use std::process::Output;
use std::sync::Mutex;

/// At a time; a JVM that starts keeps more than one CPU busy.
const AT_A_TIME: usize = 3;

fn families() -> Vec<String> {
    let listed = json(&proofload(&["subjects", "list", "--format", "json"]));
    let subjects = listed["subjects"].as_array().expect("subjects");
    subjects.iter().filter_map(|one| one["name"].as_str().map(str::to_string)).collect()
}

/// A folder declares what it answers, if only that it is nothing that others do: a new one is not left out
/// unnoticed.
#[test]
fn every_folder_declares_what_it_answers() {
    let catalogue = concat!(env!("CARGO_MANIFEST_DIR"), "/../../subjects");
    for family in families() {
        let path = format!("{catalogue}/{family}/subject.yaml");
        let declaration = std::fs::read_to_string(&path).expect("a folder of the catalogue");
        assert!(declaration.contains("\nanswers: ["), "{path} has no `answers:`; an empty list is one");
    }
}

#[test]
fn an_answer_that_is_not_the_declared_one_is_told() {
    let place = tempfile::tempdir().expect("a directory");
    let folder = place.path().join("claims");
    std::fs::create_dir(&folder).expect("a folder");
    let declaration = "description: one that answers 404\n\
        start: [[\"{proofload}\", reference-server, --port, \"{port}\", --size, \"100\"]]\n\
        ready: { path: /, within: 10s }\nanswers: [WORD]\n";
    let check = |word: &str| -> Output {
        std::fs::write(folder.join("subject.yaml"), declaration.replace("WORD", word)).expect("written");
        let catalogue = place.path().to_str().expect("a path in UTF-8");
        let args = ["subjects", "check", "claims", "--start", "--catalogue", catalogue];
        executable(&args).output().expect("the executable runs")
    };
    let wrong = check("echo");
    assert_eq!(wrong.status.code(), Some(3), "{}", text(&wrong.stderr));
    let told = text(&wrong.stdout);
    assert!(told.contains("declares under answers: echo; GET /echo"), "{told}");
    let unknown = check("ecko");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("answers[0]: ecko is not known here; did you mean echo?"));
}

#[test]
#[ignore = "full: starts every server of the catalogue twenty times"]
fn every_family_starts_answers_and_ends_twenty_times_in_a_row() {
    let place = tempfile::tempdir().expect("a directory");
    let runtime = place.path().to_str().expect("a path in UTF-8");
    let waiting = Mutex::new(families());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(family) = waiting.lock().expect("no thread panics").pop() else { break };
                    let mut check = executable(&["subjects", "check", &family, "--start", "--times", "20"]);
                    // Temporary files of the servers lie here, so their environment distinguishes them from all
                    // others.
                    let output = check.env("XDG_RUNTIME_DIR", runtime).output().expect("the executable runs");
                    let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
                    eprintln!("{told}");
                    if !output.status.success() || !told.contains("20 times in a row") {
                        failed.lock().expect("no thread panics").push(told);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panicked");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(processes_with(runtime), Vec::<String>::new());
    let left: Vec<_> = std::fs::read_dir(runtime).expect("a directory").flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
