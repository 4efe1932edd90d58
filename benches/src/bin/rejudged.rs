//! Verdicts of older records by the newest rules: the table of docs/truth.md.
//!
//! ```text
//! cargo run --release --bin rejudged -- ../docs/reproductions/* ../docs/truth/tomcat-connectors/*
//! ```
//!
//! Each record is judged as it is, and a copy whose plan names the newest method. Only what differs is a row.

use anyhow::{Context, ensure};
use proofload_analysis::of_run;
use proofload_benches::flags::Flags;
use proofload_store::Run;
use proofload_store::schema::{METHOD, RunResult};
use std::fs;
use std::path::{Path, PathBuf};

/// Claim or expectation, verdict, and code of the first reason.
type Row = (String, String, String);

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&[])?;
    let smoke = [format!("{}/../docs/reproductions/ajp-direct", env!("CARGO_MANIFEST_DIR"))];
    let records = if flags.smoke { &smoke[..] } else { &flags.words[..] };
    ensure!(!records.is_empty(), "name records");
    let copies = std::env::temp_dir().join(format!("proofload-rejudged-{}", std::process::id()));
    println!("| record | judged | then | by the newest rules | reason then | reason now |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let (mut all, mut changed) = (0, 0);
    for word in records {
        let path = PathBuf::from(word);
        if !path.join("plan.json").exists() {
            continue;
        }
        let (then, now) = (judged(&path)?, judged(&newest(&path, &copies)?)?);
        all += then.len();
        for ((what, was, why_was), (_, is, why_is)) in then.iter().zip(&now).filter(|(then, now)| then.1 != now.1) {
            changed += 1;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            println!("| {name} | `{what}` | {was} | {is} | {why_was} | {why_is} |");
        }
    }
    println!("\n{changed} of {all} verdicts differ.");
    let _ = fs::remove_dir_all(&copies);
    Ok(())
}

/// Claims and expectations of a record.
fn judged(path: &Path) -> anyhow::Result<Vec<Row>> {
    let run = Run::open(path).with_context(|| path.display().to_string())?;
    Ok(rows(&of_run(&run)?.result))
}

fn rows(result: &RunResult) -> Vec<Row> {
    let claims = result.claims.iter().map(|claim| {
        (claim.text.clone(), format!("{:?}", claim.verdict), code(serde_json::to_value(&claim.reasons)))
    });
    let expected = result.expectations.iter().map(|row| {
        let what = format!("{} in {}", row.quantity, row.range);
        (what, format!("{:?}", row.outcome), code(serde_json::to_value(&row.reasons)))
    });
    claims.chain(expected).collect()
}

/// The code of the first of these reasons.
fn code(reasons: serde_json::Result<serde_json::Value>) -> String {
    let code = reasons.ok().and_then(|reasons| Some(reasons.get(0)?.get("code")?.as_str()?.to_string()));
    code.unwrap_or_default()
}

/// A copy that names the newest method.
fn newest(path: &Path, copies: &Path) -> anyhow::Result<PathBuf> {
    let to = copies.join(path.file_name().context("a record has a name")?);
    copy(path, &to)?;
    let file = to.join("plan.json");
    let mut plan: serde_json::Value = serde_json::from_slice(&fs::read(&file)?)?;
    plan["method"] = METHOD.into();
    fs::write(&file, serde_json::to_vec(&plan)?)?;
    Ok(to)
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), &target).map(|_| ())?,
        }
    }
    Ok(())
}
