//! The formats of a result, from the executable.

use crate::support::{Reference, command, proofload, root, text};

/// A measurement of a few answers, in a format.
fn measured(format: &str, more: &[&str]) -> std::process::Output {
    let server = Reference::start(&[]);
    let url = server.url();
    proofload(&[&[url.as_str(), "-n", "50", "-c", "2", "-q", "--format", format], more].concat())
}

#[test]
fn each_format_is_written_and_begins_as_it_should() {
    for (format, begins, holds) in [
        ("junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ", "name=\"the run\""),
        ("csv", "variant,stream,point,measure,unit,value,", ",,2c,outcome.answered,count,50,"),
        ("csv-series", "block,phase,cycle,position,variant,stream,point,", ",,2c,"),
        ("charts", "[\n", "\"percentiles\""),
        ("hlog", "#[Histogram log format version 1.3]\n", "@2c,0.000,"),
        ("hgrm", "       Value     Percentile TotalCount", "Total count    =           50]"),
        ("jtl", "timeStamp,elapsed,label,responseCode,", "@2c,200,answered,http://127.0.0.1:"),
        ("parquet", "PAR1", "proofload.version"),
        ("markdown", "# ✔ http:", "2c, closed loop"),
        ("html", "<!doctype html>", "2c, closed loop"),
    ] {
        let output = measured(format, &[]);
        let shown = text(&output.stdout);
        assert!(shown.starts_with(begins), "{format}: {shown}\n{}", text(&output.stderr));
        assert!(shown.contains(holds), "{format}: {shown}");
    }
    let lines = text(&measured("jtl", &[]).stdout).lines().count();
    assert_eq!(lines, 1 + 50, "a line for each exchange");
    let log = text(&measured("hlog", &[]).stdout);
    assert_eq!(log.lines().filter(|line| line.starts_with("Tag=http://127.0.0.1:")).count(), 2, "{log}");
}

#[test]
fn several_distributions_are_files_of_their_own() {
    let record = root().join("docs/reproductions/ajp-direct");
    let record = record.to_str().expect("UTF-8");
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("x.hgrm");
    let written = proofload(&["report", record, "-o", file.to_str().expect("UTF-8")]);
    for name in ["x-nio-16c.hgrm", "x-ajp-nio-64c.hgrm"] {
        assert!(text(&written.stderr).contains(&format!("/{name}\n")), "{}", text(&written.stderr));
        let distribution = std::fs::read_to_string(dir.path().join(name)).expect("it was written");
        assert!(distribution.contains("#[Mean    ="), "{distribution}");
    }
    assert!(!file.exists());
    let shown = proofload(&["report", record, "--format", "hgrm"]);
    assert_eq!((shown.status.code(), shown.stdout.len()), (Some(2), 0));
    assert!(text(&shown.stderr).contains("-o FILE.hgrm"), "{}", text(&shown.stderr));
}

#[test]
fn a_file_that_cannot_be_written_keeps_no_other_from_it() {
    let record = root().join("docs/reproductions/ajp-direct");
    let dir = tempfile::tempdir().expect("a folder");
    let good = dir.path().join("good.json");
    let args = [
        "report",
        record.to_str().expect("UTF-8"),
        "-o",
        "/nowhere/a.csv",
        "-o",
        good.to_str().expect("UTF-8"),
    ];
    let output = proofload(&args);
    assert!(text(&output.stderr).contains("cannot write /nowhere/a.csv"), "{}", text(&output.stderr));
    assert!(good.exists() && output.status.code() != Some(0));
}

#[test]
fn a_summary_is_appended_where_github_wants_it_and_only_when_asked_for() {
    let dir = tempfile::tempdir().expect("a directory");
    let summary = dir.path().join("summary.md");
    std::fs::write(&summary, "before\n").expect("written");
    let server = Reference::start(&[]);
    let url = server.url();
    let args = [url.as_str(), "-n", "50", "-c", "2", "-q", "--format", "json"];
    let run = |more: &[&str], file: &str| {
        command(&[&args, more].concat()).env("GITHUB_STEP_SUMMARY", file).output().expect("it runs")
    };
    let file = summary.to_str().expect("UTF-8");
    run(&[], file);
    assert_eq!(std::fs::read_to_string(&summary).expect("there"), "before\n");
    let output = run(&["--github-summary"], file);
    assert!(text(&output.stdout).starts_with('{'), "{}", text(&output.stderr));
    let shown = std::fs::read_to_string(&summary).expect("there");
    assert!(shown.starts_with("before\n# ✔ http:") && shown.contains("answered per second"), "{shown}");
    // As much as is left of 1 MiB, and never more.
    std::fs::write(&summary, "x".repeat((1 << 20) - 100)).expect("written");
    let output = run(&["--github-summary"], file);
    assert!(text(&output.stderr).contains("GitHub takes 1 MiB"), "{}", text(&output.stderr));
    assert!(std::fs::metadata(&summary).expect("there").len() <= 1 << 20);
}

#[test]
fn a_summary_without_its_variable_is_refused_before_anything_is_sent() {
    let output = command(&["http://127.0.0.1:9/", "-n", "1", "--github-summary"])
        .env_remove("GITHUB_STEP_SUMMARY")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("GITHUB_STEP_SUMMARY is not set"), "{}", text(&output.stderr));
}
