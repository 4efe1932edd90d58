//! The rules of the house, as tests: who may use whom, which calls stand where, how long things may get.

mod calls;
mod crates;
mod sizes;

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// A file of the repository, as the rules see it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path from the root, with forward slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Checks every rule and tells all violations.
pub fn run(root: &Path) -> anyhow::Result<()> {
    let violations = violations(root)?;
    if !violations.is_empty() {
        bail!("{} violations:\n{}", violations.len(), violations.join("\n"));
    }
    Ok(())
}

fn violations(root: &Path) -> anyhow::Result<Vec<String>> {
    let sources = sources(root)?;
    let rust: Vec<&Source> = sources.iter().filter(|source| source.path.ends_with(".rs")).collect();
    let mut found = crates::check(&sources);
    for source in rust {
        found.extend(calls::check(source));
        found.extend(sizes::check(source));
    }
    let text =
        |path: &str| sources.iter().find(|source| source.path == path).map_or("", |source| &source.text);
    found.extend(sizes::changelog(text("CHANGELOG.md")));
    found.extend(crates::map(&sources, text("ARCHITECTURE.md")));
    Ok(found)
}

/// Every text file that the rules look at.
fn sources(root: &Path) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["crates", "xtask", "benches", "fuzz"].iter().map(|name| root.join(name)).collect();
    for name in ["ARCHITECTURE.md", "CHANGELOG.md"] {
        found.push(read(root, &root.join(name))?);
    }
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?
        {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", "testdata", "corpus", "artifacts"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") || name == "Cargo.toml" {
                found.push(read(root, &path)?);
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn read(root: &Path, path: &Path) -> anyhow::Result<Source> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    Ok(Source { path, text })
}

/// Where tests begin in a file; what follows is test code.
pub fn tests_begin(source: &Source) -> usize {
    if is_test_file(&source.path) {
        return 0;
    }
    source.text.find("#[cfg(test)]\nmod ").unwrap_or(source.text.len())
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/conformance.rs")
        || path.ends_with("/tests.rs")
        || path.contains("/examples/")
        || path.starts_with("fuzz/")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_house_is_tidy() {
        let violations = super::violations(&crate::root()).expect("readable");
        assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
    }
}
