//! The rules of the house, as tests: who may use whom, which calls stand where, how long things may get.

mod calls;
mod circles;
mod code;
mod commits;
mod crates;
mod docs;
mod figures;
mod modules;
mod ratchet;
mod sizes;
mod words;

use anyhow::{Context, bail};
use code::RustFile;
use figures::Figure;
use modules::Modules;
use ratchet::{Ratchet, Violation};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file of the repository, as the rules see it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path from the root, with forward slashes.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What the rules found.
struct Found {
    /// What is wrong, where, and what to do.
    violations: Vec<String>,
    /// What is worth a line and fails nothing.
    notes: Vec<String>,
    /// Figures as they are.
    figures: Vec<Figure>,
}

/// Checks every rule and reports all violations. `--fix` writes down what shrank, `--accept` with a reason what grew.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (writes, reason) = match args[..] {
        [] => (false, None),
        ["--fix"] => (true, None),
        ["--accept", reason] if !reason.trim().is_empty() => (true, Some(reason)),
        _ => bail!("cargo xtask tidy [--fix | --accept \"reason\"]"),
    };
    let mut ratchet = Ratchet::read(root)?;
    let mut found = check(root, &mut ratchet)?;
    if writes {
        let accepted = figures::write(&found.figures, &mut ratchet.figures, reason);
        ratchet.accepted.extend(accepted);
        ratchet.write(root)?;
        found = check(root, &mut ratchet)?;
    }
    found.notes.iter().for_each(|note| println!("note: {note}"));
    let violations = found.violations;
    if !violations.is_empty() {
        bail!("{} violations:\n{}", violations.len(), violations.join("\n"));
    }
    Ok(())
}

/// Applies every rule. Takes what is gone off the lists of the ratchet.
fn check(root: &Path, ratchet: &mut Ratchet) -> anyhow::Result<Found> {
    let sources = sources(root)?;
    let source = |path: &str| sources.iter().find(|source| source.path == path).context(path.to_owned());
    let mut found = crates::check(&sources);
    found.extend(crates::map(&sources, &source("ARCHITECTURE.md")?.text));
    found.extend(sizes::changelog(&source("CHANGELOG.md")?.text));
    found.extend(ratchet::excuse(&mut ratchet.words, words::check(source("docs/glossary.md")?, &sources)));
    let rust = sources.iter().filter(|source| source.path.ends_with(".rs"));
    found.extend(rust.clone().flat_map(|source| sizes::names(&source.path)));
    let mut files = Vec::new();
    for parsed in rust.map(RustFile::parse) {
        match parsed {
            Ok(file) => files.push(file),
            Err(error) => found.push(error),
        }
    }
    let (circles, product, docs) = of_targets(&files);
    found.extend(docs);
    for (at, file) in files.iter_mut().enumerate() {
        if !product.contains(&at) {
            file.mark_as_test();
        }
    }
    found.extend(files.iter().flat_map(calls::check));
    found.extend(ratchet::excuse(&mut ratchet.circles, circles));
    found.extend(ratchet::excuse(&mut ratchet.files, sizes::files(&files)));
    found.extend(ratchet::excuse(&mut ratchet.functions, sizes::functions(&files)));
    found.extend(ratchet::excuse(&mut ratchet.crates, sizes::crates(&files)));
    let mut notes = Vec::new();
    match commits::check(root) {
        Ok(commits) => found.extend(commits),
        Err(why) => notes.push(why),
    }
    let figures = figures::figures(&files);
    let differences = figures::compare(&figures, &ratchet.figures);
    // While violations wait to be removed, figures move with every change.
    if ratchet.is_clear() { &mut found } else { &mut notes }.extend(differences);
    Ok(Found { violations: found, notes, figures })
}

/// Of all libraries and programs: circles, the files that belong to one of these, and missing doc comments.
fn of_targets(files: &[RustFile]) -> (Vec<Violation>, BTreeSet<usize>, Vec<String>) {
    let roots = (0..files.len()).filter(|&file| files[file].is_root());
    let targets: Vec<Modules> = roots.map(|root| Modules::from_root(files, root)).collect();
    let mut product: BTreeSet<usize> =
        (0..files.len()).filter(|&file| files[file].path.ends_with("/build.rs")).collect();
    let mut found = Vec::new();
    for modules in &targets {
        product.extend(modules.all().iter().map(|module| module.file));
        found.extend(circles::circles(files, modules).into_iter().map(|circle| {
            let names: Vec<String> = circle.files.iter().map(|path| ratchet::short(path)).collect();
            Violation { name: names.join(" "), text: circle.to_string() }
        }));
    }
    (found, product, docs::check(files, &targets))
}

/// Every text file that the rules look at.
fn sources(root: &Path) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["crates", "xtask", "benches", "fuzz", "docs"].iter().map(|name| root.join(name)).collect();
    for name in ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"] {
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
            } else if name.ends_with(".rs") || name.ends_with(".md") || name == "Cargo.toml" {
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_house_is_tidy() {
        let root = crate::root();
        let mut ratchet = super::Ratchet::read(&root).expect("readable");
        let violations = super::check(&root, &mut ratchet).expect("readable").violations;
        assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
    }
}
