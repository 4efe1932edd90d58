//! The command line itself: help, completions, the smaller verbs.

use crate::support::{proofload, text};

#[test]
fn help_names_every_verb_and_every_exit_code() {
    let output = proofload(&["--help"]);
    assert!(output.status.success());
    let said = text(&output.stdout);
    for part in [
        "compare",
        "run",
        "report",
        "subjects",
        "reference-server",
        "doctor",
        "completions",
        "init",
        "130",
        "undecided",
    ] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(!said.contains("__keeper"));
}

#[test]
fn without_arguments_the_help_is_shown_and_nothing_is_done() {
    let output = proofload(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage"));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = proofload(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        assert!(text(&output.stdout).contains("reference-server"), "{shell}");
    }
}

#[test]
fn subjects_are_listed_with_their_parameters() {
    let listed = text(&proofload(&["subjects"]).stdout);
    assert!(listed.contains("tomcat") && listed.contains("reference"), "{listed}");
    let shown = text(&proofload(&["subjects", "tomcat"]).stdout);
    for parameter in ["connector", "max_threads", "heap", "jdk", "nio2"] {
        assert!(shown.contains(parameter), "no {parameter} in {shown}");
    }
    let unknown = proofload(&["subjects", "tomcta"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("tomcat"), "{}", text(&unknown.stderr));
}

#[test]
fn the_doctor_looks_at_everything_it_should() {
    let output = proofload(&["doctor"]);
    let said = text(&output.stdout).to_lowercase();
    for part in ["cores", "descriptors", "ports", "jdk", "maven", "lock", "clock"] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(matches!(output.status.code(), Some(0 | 5)));
}

#[test]
fn a_report_of_nothing_is_a_mistake_of_use() {
    let output = proofload(&["report", "runs/no-such-run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no-such-run"));
}
