//! `cargo xtask subjects-all`: starts every version of every server of the catalogue with every JDK that is installed, and
//! every value of its other choices once, and writes what they did to docs/subjects-tested.md.

use crate::tools::{AS_TESTED, cargo, cpu_model, target_folder};
use crate::truth::today;
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

const PAGE: &str = "docs/subjects-tested.md";
/// Folders at a time; a JVM that starts keeps more than one CPU busy.
const AT_A_TIME: usize = 2;

/// The task. Fails where a server does not do what it should, after the page is written.
pub fn run(root: &Path) -> anyhow::Result<()> {
    cargo(root, &AS_TESTED, &[])?;
    let listed = ask(root, &["subjects", "list", "--format", "json"])?;
    let listed = listed["subjects"].as_array().context("no list of subjects")?;
    let names: Vec<String> =
        listed.iter().filter_map(|one| one["name"].as_str()).map(str::to_string).collect();
    let waiting = Mutex::new(names);
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
                    let Some(name) = next else { break };
                    let started =
                        ask(root, &["subjects", "check", &name, "--start", "--all", "--format", "json"]);
                    found.lock().unwrap_or_else(PoisonError::into_inner).insert(name, started);
                }
            });
        }
    });
    let mut rows = Vec::new();
    for (name, started) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let started = started.with_context(|| format!("subject {name}"))?;
        let starts = started["starts"].as_array().context("no list of starts")?;
        rows.extend(starts.iter().map(|one| row(&name, one)));
    }
    fs::write(root.join(PAGE), page(&rows, &today()?, &cpu_model()?)).context(PAGE)?;
    let failed: Vec<&Row> = rows.iter().filter(|row| row.ended.starts_with(FAILED)).collect();
    ensure!(failed.is_empty(), "{} of {} starts failed; see {PAGE}", failed.len(), rows.len());
    println!("{} starts of {PAGE}, none failed", rows.len());
    Ok(())
}

/// Runs the executable to its end; its JSON is there also when some of the servers failed.
fn ask(root: &Path, args: &[&str]) -> anyhow::Result<Value> {
    let executable = target_folder(root).join("debug/proofload");
    let mut command = Command::new(&executable);
    command.args(args).current_dir(root).stdin(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().with_context(|| executable.display().to_string())?;
    match serde_json::from_slice(&output.stdout) {
        Ok(value) => Ok(value),
        Err(_) => bail!("{args:?}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()),
    }
}

const FAILED: &str = "**failed**";

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    subject: String,
    version: String,
    jdk: String,
    others: String,
    ready: String,
    answers: String,
    ended: String,
}

fn row(subject: &str, one: &Value) -> Row {
    let empty = serde_json::Map::new();
    let with = one["with"].as_object().unwrap_or(&empty);
    let named = |name: &str| with.get(name).and_then(Value::as_str).unwrap_or("").to_string();
    // Of several versions each names itself.
    let others = with.iter().filter(|(name, _)| !["version", "jdk"].contains(&name.as_str()));
    let others = others.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or("")));
    let words: Vec<&str> =
        one["answers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let why = one["why"].as_str().unwrap_or("").lines().next().unwrap_or("").replace('|', "\\|");
    Row {
        subject: subject.to_string(),
        version: named("version"),
        jdk: named("jdk"),
        others: others.collect::<Vec<_>>().join(", "),
        ready: one["ready_ms"][0].as_u64().map(|ms| ms.to_string()).unwrap_or_default(),
        answers: words.join(", "),
        ended: match one["result"].as_str() {
            Some("ended clean") => "clean".to_string(),
            Some("not started") => format!("not started: {why}"),
            _ => format!("{FAILED}: {why}"),
        },
    }
}

fn page(rows: &[Row], date: &str, machine: &str) -> String {
    let mut text = format!(
        "# Subjects that were tested\n\nWritten by `cargo xtask subjects-all`: each version of each catalogue server with each \
         installed JDK, and each value of every\nother choice once. *Ready* is the time from start to the first answer, with two \
         servers starting at a time: it shows that it\nworks, not how fast. *Answers* lists what was checked, in\n\
         [these words](../subjects/README.md#what-the-web-servers-answer). *Clean* means that it exited on TERM within its \
         grace period\nand left no process, port or temporary file.\n\n{date}, {machine}.\n\n\
         | subject | version | JDK | other choices | ready after ms | answers | ended |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for Row { subject, version, jdk, others, ready, answers, ended } in rows {
        let cells = [subject, version, jdk, others, ready, answers, ended];
        let cells: Vec<&str> = cells.map(|cell| if cell.is_empty() { "–" } else { cell.as_str() }).to_vec();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_became_of_a_start_stands_in_its_row() {
        let with = json!({ "version": "9", "jdk": "17", "connector": "apr" });
        let clean =
            json!({ "with": with, "result": "ended clean", "ready_ms": [640], "answers": ["echo", "text"] });
        let failed = json!({ "with": {}, "result": "failed", "why": "it | died\nlog" });
        let never = json!({ "with": with, "result": "not started", "why": "no APR" });
        let rows: Vec<Row> = [clean, failed, never].iter().map(|one| row("tomcat", one)).collect();
        let text = page(&rows, "2026-11-22", "a machine");
        for line in [
            "| tomcat | 9 | 17 | connector=apr | 640 | echo, text | clean |",
            "| tomcat | – | – | – | – | – | **failed**: it \\| died |",
            "| tomcat | 9 | 17 | connector=apr | – | – | not started: no APR |",
        ] {
            assert!(text.lines().any(|found| found == line), "no {line} in {text}");
        }
    }
}
