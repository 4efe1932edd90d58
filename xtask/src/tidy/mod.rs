//! The rules of the house, as tests: who may use whom, which calls stand where, how long things may get.

mod calls;
mod circles;
mod code;
mod crates;
mod known;
mod modules;
mod sizes;

use anyhow::{Context, bail};
use code::RustFile;
use known::{Known, Violation};
use modules::Modules;
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

/// Checks every rule and reports all violations. With `--fix` it also takes what is gone off the lists.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let fix = match args {
        [] => false,
        [only] if only == "--fix" => true,
        _ => bail!("cargo xtask tidy [--fix]"),
    };
    let mut known = Known::read(root)?;
    let before = known.clone();
    let mut violations = violations(root, &mut known)?;
    if fix && known != before {
        known.write(root)?;
        println!("took off the lists of xtask/ratchet.json what is gone");
        violations = self::violations(root, &mut known)?;
    }
    if !violations.is_empty() {
        bail!("{} violations:\n{}", violations.len(), violations.join("\n"));
    }
    Ok(())
}

/// Every violation that is not on a list. Takes entries that excuse nothing off the lists.
fn violations(root: &Path, known: &mut Known) -> anyhow::Result<Vec<String>> {
    let sources = sources(root)?;
    let text =
        |path: &str| sources.iter().find(|source| source.path == path).map_or("", |source| &source.text);
    let mut found = crates::check(&sources);
    found.extend(crates::map(&sources, text("ARCHITECTURE.md")));
    found.extend(sizes::changelog(text("CHANGELOG.md")));
    let rust = sources.iter().filter(|source| source.path.ends_with(".rs"));
    found.extend(rust.clone().flat_map(|source| sizes::names(&source.path)));
    let mut files = Vec::new();
    for parsed in rust.map(RustFile::parse) {
        match parsed {
            Ok(file) => files.push(file),
            Err(error) => found.push(error),
        }
    }
    let (circles, product) = circles(&files);
    for (at, file) in files.iter_mut().enumerate() {
        if !product.contains(&at) {
            file.mark_as_test();
        }
    }
    found.extend(files.iter().flat_map(calls::check));
    found.extend(known::excuse(&mut known.circles, circles));
    found.extend(known::excuse(&mut known.files, sizes::files(&files)));
    found.extend(known::excuse(&mut known.functions, sizes::functions(&files)));
    found.extend(known::excuse(&mut known.crates, sizes::crates(&files)));
    Ok(found)
}

/// The circles of every library and program, and the files that belong to one of these.
fn circles(files: &[RustFile]) -> (Vec<Violation>, BTreeSet<usize>) {
    let mut product: BTreeSet<usize> =
        (0..files.len()).filter(|&file| files[file].path.ends_with("/build.rs")).collect();
    let mut found = Vec::new();
    for root in (0..files.len()).filter(|&file| files[file].is_root()) {
        let modules = Modules::from_root(files, root);
        product.extend(modules.all().iter().map(|module| module.file));
        found.extend(circles::circles(files, &modules).into_iter().map(|circle| {
            let names: Vec<String> = circle.files.iter().map(|path| known::short(path)).collect();
            Violation { name: names.join(" "), text: circle.to_string() }
        }));
    }
    (found, product)
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_house_is_tidy() {
        let root = crate::root();
        let mut known = super::Known::read(&root).expect("readable");
        let violations = super::violations(&root, &mut known).expect("readable");
        assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
    }
}
