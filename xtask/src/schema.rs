//! `schema/*.json`: generated from the types, committed, compared in CI.

use anyhow::{Context, bail};
use serde_json::Value;
use std::path::Path;

/// Writes the schemas, or with `--check` compares the committed ones.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let check = match args {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("schema takes --check or nothing"),
    };
    let mut stale = Vec::new();
    for (name, schema) in schemas() {
        let path = root.join("schema").join(&name);
        let text = format!("{}\n", serde_json::to_string_pretty(&schema)?);
        if !check {
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote schema/{name}");
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            stale.push(name);
        }
    }
    if !stale.is_empty() {
        bail!("schema/{} differ from the types; run `cargo xtask schema`", stale.join(", schema/"));
    }
    Ok(())
}

fn schemas() -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> =
        proofload_store::schemas().into_iter().map(|(name, schema)| (name.to_string(), schema)).collect();
    all.push(("study.schema.json".to_string(), proofload_study::study_schema()));
    all
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_schemas_are_those_of_the_types() {
        super::run(&crate::root(), &["--check".to_string()]).expect("up to date");
    }
}
