//! Studies to begin with: written, checked, explained.

use crate::support::{command, json, root, text};
use std::path::Path;
use std::process::Output;

fn init(dir: &Path, args: &[&str]) -> Output {
    command(&[&["init"], args].concat()).current_dir(dir).output().expect("the executable runs")
}

#[test]
fn every_study_to_begin_with_passes_the_checks_and_explains_itself() {
    let directory = tempfile::tempdir().expect("a directory");
    let catalogue = root().join("subjects").display().to_string();
    let schema = std::fs::read_to_string(root().join("schema/study.schema.json")).expect("a schema");
    assert!(schema.contains("Proofload study"));
    for from in ["reference", "tomcat", "command", "url"] {
        let file = format!("try-{from}.yaml");
        let made = init(directory.path(), &[&file, "--from", from]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        assert_eq!(text(&made.stdout), format!("proofload run {file}\n"));
        assert_eq!(text(&made.stderr).contains("study.schema.json"), from == "reference", "written once");
        let written = std::fs::read_to_string(directory.path().join(&file)).expect("written");
        assert!(written.starts_with("# yaml-language-server: $schema=study.schema.json\n"), "{written}");
        let beside = std::fs::read_to_string(directory.path().join("study.schema.json")).expect("written");
        assert_eq!(beside, schema);
        let explained = command(&["run", &file, "--explain", "--catalogue", &catalogue])
            .current_dir(directory.path())
            .output()
            .expect("the executable runs");
        if from == "command" {
            // Its programs are the user's to write.
            let said = text(&explained.stderr);
            assert_eq!(explained.status.code(), Some(3), "{said}");
            assert!(said.contains("./server is not a program"), "{said}");
            continue;
        }
        assert_eq!(explained.status.code(), Some(0), "{from}: {}", text(&explained.stderr));
        let said = text(&explained.stdout);
        assert!(said.starts_with(&format!("Study try-{from}: ")), "{said}");
    }
    assert_eq!(
        std::fs::read_dir(directory.path()).expect("readable").count(),
        5,
        "only the studies and their schema were made"
    );
}

#[test]
fn a_schema_that_is_there_stays_and_is_told_of() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("study.schema.json");
    std::fs::write(&path, "{}").expect("written");
    let made = init(directory.path(), &[]);
    assert_eq!(made.status.code(), Some(0));
    assert!(text(&made.stderr).contains("proofload schema > study.schema.json"), "{}", text(&made.stderr));
    assert_eq!(std::fs::read_to_string(&path).expect("kept"), "{}");
}

#[test]
fn a_file_that_is_there_is_replaced_only_by_force() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("study.yaml");
    std::fs::write(&path, "mine").expect("written");
    let refused = init(directory.path(), &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--force"), "{}", text(&refused.stderr));
    assert_eq!(std::fs::read_to_string(&path).expect("kept"), "mine");
    assert_eq!(init(directory.path(), &["--force"]).status.code(), Some(0));
    assert!(std::fs::read_to_string(&path).expect("written").contains("study: study\n"));
    let nowhere = init(directory.path(), &["no/such/study.yaml"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(text(&nowhere.stderr).contains("make its folder first"), "{}", text(&nowhere.stderr));
}

#[test]
fn what_was_set_and_kept_stands_in_the_plan() {
    let directory = tempfile::tempdir().expect("a directory");
    let dir = directory.path().display().to_string();
    let settings =
        ["--set", "seed=7", "--set", "load.closed.connections=[2, 4]", "--only", "2c", "--only", "spin:40us"];
    let args =
        [&["run", "studies/quickstart.yaml", "--smoke", "--dir", &dir, "--format", "json"], &settings[..]];
    let output = command(&args.concat()).output().expect("the executable runs");
    let result = json(&output);
    let plan = &result["plan"];
    assert_eq!(plan["seed"], 7);
    assert_eq!(plan["settings"], serde_json::json!(["seed=7", "load.closed.connections=[2, 4]"]));
    assert_eq!(plan["only"], serde_json::json!(["2c", "spin:40us"]));
    assert_eq!(plan["points"].as_array().map(Vec::len), Some(1));
    assert_eq!(result["variants"][0]["name"], "spin:40us");
    let text_in_effect = plan["study_text"].as_str().expect("text");
    assert!(text_in_effect.contains("# --set seed=7"), "{text_in_effect}");
    let not_tested = plan["not_tested"].to_string();
    assert!(
        not_tested.contains("load point 4c")
            && not_tested.contains("one of its variants or load points was not run"),
        "{not_tested}"
    );
}
