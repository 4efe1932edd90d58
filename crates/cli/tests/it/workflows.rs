//! The workflows of docs/ci: their shell lines, run as a runner would run them.

use crate::support::{PROOFLOAD, TWINS, outside, proofload, root, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn workflow(name: &str) -> Value {
    let text = fs::read_to_string(root().join("docs/ci").join(name)).expect("a workflow");
    serde_saphyr::from_str(&text).expect("YAML")
}

/// The shell lines of GitHub's steps, each with its name.
fn steps(workflow: &Value) -> Vec<(String, String)> {
    let steps = workflow["jobs"]["study"]["steps"].as_array().expect("steps");
    let shell = |step: &Value| Some((step["name"].as_str()?.to_string(), step["run"].as_str()?.to_string()));
    steps.iter().filter_map(shell).collect()
}

/// Those of GitLab's job: one script.
fn script(workflow: &Value) -> String {
    let lines = |part: &str| workflow["proofload"][part].as_array().expect("lines").clone();
    let all = lines("before_script").into_iter().chain(lines("script"));
    all.map(|line| format!("{}\n", line.as_str().expect("a line"))).collect()
}

/// A project with a study, and an installed proofload on its path.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(dir.path().join("load")).expect("made");
    fs::write(dir.path().join("load/study.yaml"), TWINS).expect("written");
    fs::create_dir_all(dir.path().join(".cargo/bin")).expect("made");
    let executable = std::env::var("PROOFLOAD_EXECUTABLE").unwrap_or_else(|_| PROOFLOAD.to_string());
    std::os::unix::fs::symlink(executable, dir.path().join(".cargo/bin/proofload")).expect("linked");
    dir
}

/// Runs lines as a runner does, with the variables of the job.
fn runs(dir: &Path, shell: &[&str], lines: &str, variables: &Value) -> Output {
    let path = std::env::var("PATH").expect("a path");
    let mut command = Command::new(shell[0]);
    outside(&mut command).args(&shell[1..]).arg(lines).current_dir(dir);
    command.env("PATH", format!("{}:{path}", dir.join(".cargo/bin").display()));
    command.env("PROOFLOAD_CACHE", dir.join(".proofload")).env("CI", "true");
    command.env("GITHUB_STEP_SUMMARY", dir.join("summary.md"));
    for (name, value) in variables.as_object().expect("variables") {
        let value = value.as_str().expect("text");
        // What the runner fills in.
        if !value.contains("${{") {
            command.env(name, value.replace("$CI_PROJECT_DIR", &dir.display().to_string()));
        }
    }
    command.output().expect("a shell")
}

#[test]
fn every_shell_line_is_one() {
    let github = steps(&workflow("github.yml"));
    assert_eq!(github.len(), 3, "install, look at the machine, run");
    let scripts = github.into_iter().map(|(_, lines)| lines).chain([script(&workflow("gitlab.yml"))]);
    for lines in scripts {
        for shell in ["bash", "sh"] {
            let output = Command::new(shell).args(["-n", "-c", &lines]).output().expect("a shell");
            assert!(output.status.success(), "{shell}: {}\n{lines}", text(&output.stderr));
        }
    }
}

#[test]
#[ignore = "full: three studies of a minute"]
fn the_steps_of_github_run_a_study_and_compare_it_with_a_baseline() {
    let workflow = workflow("github.yml");
    let dir = project();
    let variables = &workflow["jobs"]["study"]["env"];
    let run = |allowed: &[i32]| {
        for (name, lines) in steps(&workflow) {
            let output = runs(dir.path(), &["bash", "-e", "-c"], &lines, variables);
            let code = output.status.code().expect("a code");
            let said = format!("{name}: {code}\n{}\n{}", text(&output.stdout), text(&output.stderr));
            assert!(code == 0 || (name == "Run the study" && allowed.contains(&code)), "{said}");
        }
        for kept in ["proofload.xml", "proofload.html", "proofload.json", "runs/twins/latest/result.json"] {
            assert!(dir.path().join(kept).exists(), "{kept}");
        }
        let summary = fs::read_to_string(dir.path().join("summary.md")).expect("a summary");
        fs::remove_file(dir.path().join("summary.md")).expect("there");
        summary
    };
    assert!(run(&[]).contains("twins"));
    let condense = "proofload condense runs/twins/latest load/baseline";
    let condensed = runs(dir.path(), &["bash", "-e", "-c"], condense, variables);
    assert!(condensed.status.success(), "{}", text(&condensed.stderr));
    // On a machine that others use a figure may be worse by a tenth.
    run(&[13]);
    let result = fs::read(dir.path().join("proofload.json")).expect("a result");
    let result: Value = serde_json::from_slice(&result).expect("JSON");
    assert!(result["baseline"]["figures"].as_array().is_some_and(|figures| !figures.is_empty()), "{result}");
}

#[test]
#[ignore = "full: a study of a minute"]
fn the_lines_of_gitlab_run_a_study_whose_code_and_report_gitlab_takes() {
    let workflow = workflow("gitlab.yml");
    let job = &workflow["proofload"];
    let dir = project();
    let output = runs(dir.path(), &["sh", "-e", "-c"], &script(&workflow), &job["variables"]);
    let code = output.status.code().expect("a code");
    let allowed = job["allow_failure"]["exit_codes"].as_array().expect("codes");
    assert!(code == 0 || allowed.contains(&code.into()), "{code}\n{}", text(&output.stderr));
    let junit = job["artifacts"]["reports"]["junit"].as_str().expect("a path");
    let report = fs::read_to_string(dir.path().join(junit)).expect("a report");
    assert!(report.contains("<testsuite") && report.contains("the run"), "{report}");
    for kept in job["artifacts"]["paths"].as_array().expect("paths") {
        assert!(dir.path().join(kept.as_str().expect("a path")).exists(), "{kept}");
    }
}

#[test]
fn the_page_has_every_exit_code() {
    let page = fs::read_to_string(root().join("docs/ci.md")).expect("a page");
    let help = text(&proofload(&["--help"]).stdout);
    let (_, codes) = help.split_once("Exit codes:\n").expect("a table");
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains(char::is_numeric));
    let first: String = rows.filter_map(|row| row.split('|').nth(1)).collect::<Vec<_>>().join(",");
    let known: Vec<&str> = first.split(',').map(str::trim).collect();
    let codes: Vec<&str> = codes
        .lines()
        .map_while(|line| line.trim().split(' ').next())
        .take_while(|c| c.parse::<u8>().is_ok())
        .collect();
    assert!(codes.len() > 8 && codes.iter().all(|code| known.contains(code)), "{codes:?} in {known:?}");
}
