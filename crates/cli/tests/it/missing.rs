//! Requirements that this machine lacks for one variant are reported before anything is measured, and the others
//! are measured all the same; a setting that a JVM does not have is *not applicable*, and nothing is undecided for
//! it.

use crate::support::{command, executable, json, text};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Output;

const WELL: &str = "description: well
parameters: [{ name: service, kind: text, default: none, doc: Time for a request. }]
start: [['{proofload}', reference-server, --port, '{port}', --service, '{service}']]
ready: { path: /__ready, within: 10s }
stop: { grace: 5s }
";

/// A Java server that is never started; `jdk` is the version that it needs, `needs` what else.
fn java(jdk: &str, needs: &str) -> String {
    format!(
        "description: never started
parameters: [{{ name: more, kind: {{ words: [-X] }}, default: '', doc: Flags. }}]
needs: {{ jdk: '{jdk}'{needs} }}
build: {{ javac: [Main.java] }}
start: [['{{java}}', -cp, '{{class_path}}'], ['{{more}}'], [Main, '{{port}}']]
ready: {{ within: 2s }}
stop: {{ grace: 1s }}
"
    )
}

fn folder(root: &Path, name: &str, declaration: &str, lock: &str) {
    let folder = root.join("subjects").join(name);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("subject.yaml"), declaration).expect("written");
    fs::write(folder.join("lock"), lock).expect("written");
    fs::write(folder.join("Main.java"), "class Main { public static void main(String[] a) {} }")
        .expect("written");
}

fn study(others: &str, claims: &str) -> String {
    format!(
        "study: missing
question: Are those measured that can be?
subjects:
  well: {{ use: well, vary: {{ service: [none, \"spin:2ms\"] }} }}
{others}workload: {{ page: {{ get: / }} }}
load: {{ closed: {{ connections: 2 }} }}
claims:
  those that are well: throughput(none) > throughput(spin:2ms)
{claims}"
    )
}

/// The arguments of a run of the study in `root` for twelve seconds, which may fetch nothing.
fn words(root: &Path, preset: &str, study: &str) -> Vec<String> {
    let file = root.join("missing.yaml");
    fs::write(&file, study).expect("written");
    let [root, file] = [root, file.as_path()].map(|path| path.to_str().expect("UTF-8"));
    let timing = "warm-up=100ms,slice=200ms,discard=20ms,cycles=2";
    let fixed = ["--offline", "--format", "json", "--timing", timing, "--budget", "12s", "--dir", root, file];
    ["run", preset].iter().chain(&fixed).map(ToString::to_string).collect()
}

/// As a process, with an empty cache: a JVM is asked by one.
fn really(root: &Path, words: &[impl AsRef<OsStr>]) -> Output {
    let mut command = executable(&[]);
    command.args(words).env("PROOFLOAD_CACHE", root.join("cache")).output().expect("the executable runs")
}

fn verdict<'a>(result: &'a Value, claim: &str) -> Option<&'a str> {
    let claims = result["claims"].as_array().expect("claims");
    claims.iter().find(|found| found["name"] == claim)?["verdict"].as_str()
}

fn measured(result: &Value, variant: &str) -> bool {
    let points = result["points"].as_array().expect("points");
    points.iter().any(|point| point["variant"] == variant && point["outcomes"]["answered"].as_u64() > Some(0))
}

#[test]
fn a_jdk_that_is_not_there_costs_the_claims_about_it_and_no_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    folder(root, "well", WELL, "");
    folder(root, "old", &java("99", ""), "");
    let study = study("  old: { use: old }\n", "  the old one: throughput(old) < throughput(none)\n");
    let mut command = command(&[]);
    command.args(words(root, "--quick", &study)).env("PROOFLOAD_CACHE", root.join("cache"));
    let output = command.output().expect("it runs");
    let (result, told) = (json(&output), text(&output.stderr));
    assert_eq!(output.status.code(), Some(11), "{told}");
    assert!(
        told.contains("old cannot be measured; the others are: subject old needs JDK 99, found"),
        "{told}"
    );
    assert!(measured(&result, "well,none") && measured(&result, "well,spin:2ms"), "{told}");
    assert_eq!(verdict(&result, "the old one"), Some("undecided"));
    assert_ne!(verdict(&result, "those that are well"), Some("refuted"));
    let limits = result["limits"].to_string();
    assert!(limits.contains("needs JDK 99"), "{limits}");
}

#[test]
fn a_study_of_which_nothing_can_be_started_tells_all_reasons() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    folder(root, "one", &java("98", ""), "");
    folder(root, "two", &java("99", ""), "");
    let study = "study: nothing\nquestion: Which?\nsubjects: { a: { use: one }, b: { use: two } }\n\
                 workload: { page: { get: / } }\nload: { closed: { connections: 2 } }\n\
                 claims: [ { faster: throughput(a) > throughput(b) } ]\n";
    let file = root.join("nothing.yaml");
    fs::write(&file, study).expect("written");
    let output = command(&["run", "--quick", "--dir"])
        .arg(root)
        .arg(&file)
        .env("PROOFLOAD_CACHE", root.join("cache"))
        .output()
        .expect("proofload runs");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("subject one needs JDK 98") && told.contains("subject two needs JDK 99"), "{told}");
    assert!(!root.join("runs").exists(), "nothing was measured");
}

#[test]
#[ignore = "full: a JDK 17 is asked about its flags"]
fn what_cannot_be_fetched_or_is_not_applicable_is_told_and_the_others_go_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    let sha = "0".repeat(64);
    folder(root, "well", WELL, "");
    let far = java("17", ", maven: ['org.example:far:1.0']");
    folder(root, "far", &far, &format!("org.example:far:1.0  far-1.0.jar  {sha}\n"));
    folder(root, "flags", &java("17", ""), "");
    let others = "  far: { use: far }\n  flags: { use: flags, with: { more: '-XX:+AggressiveOpts' } }\n";
    let claims = "  the far one: throughput(far) < throughput(none)\n  \
                  the flag: throughput(flags) < throughput(none)\n";
    let output = really(root, &words(root, "--smoke", &study(others, claims)));
    let (result, told) = (json(&output), text(&output.stderr));
    assert!(
        told.contains("far cannot be measured; the others are: ") && told.contains("org.example:far:1.0"),
        "{told}"
    );
    assert!(told.contains("flags is left out: ") && told.contains("not applicable on JDK 17"), "{told}");
    assert!(measured(&result, "well,none") && measured(&result, "well,spin:2ms"), "{told}");
    assert_eq!(verdict(&result, "the far one"), Some("undecided"));
    assert_eq!(verdict(&result, "the flag"), None, "it is no claim of this run");
    let not_tested = result["plan"]["not_tested"].to_string();
    assert!(
        not_tested.contains("variant flags: ") && not_tested.contains("'AggressiveOpts'"),
        "{not_tested}"
    );
    assert!(not_tested.contains("claim the flag"), "{not_tested}");
}

/// A search counts variants by their places: one that is not applicable is left out before it begins.
#[test]
#[ignore = "full: a JDK 17 is asked about its flags"]
fn a_search_leaves_out_what_is_not_applicable_and_not_what_others_are_compared_with() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    folder(root, "well", WELL, "");
    folder(root, "flags", &java("17", ""), "");
    let file = root.join("searched.yaml");
    let study = "study: searched\nquestion: Which?\nsubjects:\n  \
                 flags: { use: flags, with: { more: '-XX:+AggressiveOpts' } }\n  \
                 well: { use: well, vary: { service: [none, \"spin:2ms\"] } }\n\
                 workload: { page: { get: / } }\nload: { closed: { connections: 2 } }\n\
                 claims: [ { faster: throughput(flags) > throughput(none) } ]\n";
    fs::write(&file, study).expect("written");
    let told = |more: &[&str]| {
        let [root_text, file] = [root, file.as_path()].map(|path| path.to_str().expect("UTF-8"));
        let words = [&["tune", "--budget", "1s", "--offline", "--dir", root_text, file], more].concat();
        let output = really(root, &words);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let first = told(&[]);
    assert!(first.contains("flags is not applicable here") && first.contains("--default"), "{first}");
    let others = told(&["--default", "none"]);
    assert!(others.contains("flags is left out: ") && others.contains("among 2 variants"), "{others}");
}
