//! Who may use whom.

use super::Source;

/// Crates of ours and what each may use of ours.
const MAY_USE: [(&str, &[&str]); 22] = [
    ("language", &[]),
    ("wire", &[]),
    ("measure", &[]),
    ("stats", &[]),
    ("engine", &["wire", "measure"]),
    ("reference", &["wire", "measure"]),
    ("store", &["language", "measure", "stats"]),
    ("host", &["store"]),
    ("places", &[]),
    ("agents", &["engine", "host", "measure", "wire"]),
    ("study", &["engine", "host", "stats", "store", "wire"]),
    ("subject", &["engine", "host", "store", "study"]),
    ("telemetry", &["host", "language", "stats", "store", "study"]),
    (
        "lab",
        &["engine", "host", "language", "measure", "stats", "store", "study", "subject", "telemetry", "wire"],
    ),
    ("report", &["host", "language", "measure", "stats", "store"]),
    ("export", &["measure", "report", "store"]),
    ("ui", &["host", "language", "report", "store"]),
    ("metrics", &["host", "measure", "report", "stats", "store"]),
    (
        "cli",
        &[
            "agents",
            "engine",
            "export",
            "host",
            "lab",
            "language",
            "measure",
            "metrics",
            "places",
            "reference",
            "report",
            "stats",
            "store",
            "study",
            "subject",
            "ui",
        ],
    ),
    ("testkit", &[]),
    ("xtask", &["host", "stats", "store", "study"]),
    ("benches", &["agents", "engine", "host", "measure", "reference", "wire"]),
];

/// What tests may use beyond that.
const TESTS_MAY_USE: [&str; 2] = ["testkit", "reference"];

/// Compares every `Cargo.toml` with the table.
pub fn check(sources: &[Source]) -> Vec<String> {
    let manifests = sources.iter().filter(|source| source.path.ends_with("Cargo.toml"));
    manifests.filter(|source| !source.path.starts_with("fuzz/")).flat_map(manifest).collect()
}

fn manifest(source: &Source) -> Vec<String> {
    let folder = source.path.trim_end_matches("/Cargo.toml");
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        return vec![format!(
            "{}: a new crate: enter it in the table of xtask/src/tidy/crates.rs",
            source.path
        )];
    };
    let mut section = "";
    let mut found = Vec::new();
    for (at, line) in source.text.lines().enumerate() {
        if line.starts_with('[') {
            section = line.trim();
        }
        let Some(used) = line.strip_prefix("proofload-").and_then(|rest| rest.split(['.', ' ', '=']).next())
        else {
            continue;
        };
        let fine = match section {
            "[dependencies]" => allowed.contains(&used),
            "[dev-dependencies]" => allowed.contains(&used) || TESTS_MAY_USE.contains(&used),
            _ => false,
        };
        if !fine {
            found.push(format!("{}:{}: {name} may not use {used} in {section}", source.path, at + 1));
        }
    }
    found
}

/// Every crate has one place in ARCHITECTURE.md, and none is there that is gone.
pub fn map(sources: &[Source], architecture: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (name, _) in MAY_USE {
        let exists = sources
            .iter()
            .any(|s| s.path == format!("crates/{name}/Cargo.toml") || s.path == format!("{name}/Cargo.toml"));
        let quoted = format!("`{name}`");
        let headings = architecture.lines().filter(|line| line.starts_with("### ") && line.contains(&quoted));
        match (exists, headings.count()) {
            (true, 0) => found.push(format!("ARCHITECTURE.md: no heading names the crate `{name}`")),
            (true, 2..) => {
                found.push(format!("ARCHITECTURE.md: several headings name the crate `{name}`; keep one"));
            }
            (false, 1..) => found.push(format!("ARCHITECTURE.md: the crate `{name}` is gone")),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_dependency_upward_is_found() {
        let bad = source("crates/report/Cargo.toml", "[dependencies]\nproofload-lab.workspace = true\n");
        assert_eq!(check(&[bad]), ["crates/report/Cargo.toml:2: report may not use lab in [dependencies]"]);
        let good = source("crates/report/Cargo.toml", "[dependencies]\nproofload-store.workspace = true\n");
        assert!(check(&[good]).is_empty());
    }

    #[test]
    fn testkit_is_for_tests_only() {
        let shipped =
            source("crates/engine/Cargo.toml", "[dependencies]\nproofload-testkit.workspace = true\n");
        assert_eq!(check(&[shipped]).len(), 1);
        let tests =
            source("crates/engine/Cargo.toml", "[dev-dependencies]\nproofload-testkit.workspace = true\n");
        assert!(check(&[tests]).is_empty());
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        let new = source("crates/util/Cargo.toml", "[dependencies]\n");
        assert_eq!(check(&[new]).len(), 1);
        let wire = source("crates/wire/Cargo.toml", "");
        assert_eq!(map(std::slice::from_ref(&wire), "").len(), 1);
        assert!(map(std::slice::from_ref(&wire), "### `wire`\n").is_empty());
        assert_eq!(map(&[wire], "### `wire`\n### `wire`\n").len(), 1);
        assert_eq!(map(&[], "### `wire`\n").len(), 1);
    }
}
