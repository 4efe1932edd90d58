//! The files that go along with a study to other machines: those that it names, and nothing else of its folder.

use crate::args::RunArgs;
use crate::checked::Checked;
use crate::exit::{Exit, leave};
use crate::place::{CATALOGUE, STUDY};
use crate::run::say;
use anyhow::Context as _;
use proofload_language::say;
use proofload_places::Carried;
use proofload_report::escape::terminal;
use proofload_study::SubjectSpec;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Those files, and says which they are: each below [`STUDY`] or [`CATALOGUE`].
///
/// # Errors
/// A file that is hidden or a link: what it holds was not meant to be given away, or is not known by its name.
pub fn of(args: &RunArgs, checked: &Checked) -> anyhow::Result<Vec<Carried>> {
    let root = folder_of(&args.study);
    let file = args.study.file_name().unwrap_or_default();
    let mut found = vec![carried(args.study.clone(), Path::new(STUDY).join(file))?];
    for path in named(&root, checked) {
        // What lies elsewhere is looked for there, on the machine that it goes to.
        let Some(inside) = inside(&root, &path) else { continue };
        if inside != Path::new(file) {
            found.push(checked_at(&root, &inside, STUDY)?);
        }
    }
    let folders = checked.study.variants.iter().filter_map(|variant| match &variant.subject {
        SubjectSpec::Catalogue { folder, .. } => Some(folder),
        _ => None,
    });
    let catalogue = checked.catalogue();
    for folder in folders.collect::<BTreeSet<_>>() {
        for inside in catalogue.files_of(folder).map_err(|error| leave(Exit::Usage, error))? {
            found.push(checked_at(catalogue.root(), &inside, CATALOGUE)?);
        }
    }
    found.sort_unstable();
    found.dedup();
    for Carried { name, bytes, .. } in &found {
        say(args.output.quiet, &say!("there-carried", file = name, bytes = *bytes));
    }
    Ok(found)
}

/// Files that the study names: by its keys, and among the words of its commands what is a file.
fn named(root: &Path, checked: &Checked) -> BTreeSet<PathBuf> {
    let mut found = checked.study.files.clone();
    for variant in &checked.study.variants {
        let SubjectSpec::Command { args, env, directory, .. } = &variant.subject else { continue };
        let base = directory.as_deref().unwrap_or(root);
        found.extend(directory.clone());
        let words = args.iter().chain(env.values()).map(String::as_str);
        // `--config=FILE`, and the parts of a class path.
        let words = words.flat_map(|word| {
            let value = word.split_once('=').map(|(_, value)| value);
            std::iter::once(word).chain(value).flat_map(|word| std::iter::once(word).chain(word.split(':')))
        });
        found.extend(
            words.filter(|word| !word.is_empty()).map(|word| base.join(word)).filter(|at| at.is_file()),
        );
    }
    found
}

/// Path relative to a folder, by its words alone.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let absolute = |path: &Path| std::path::absolute(path).ok();
    let below = match path.strip_prefix(root) {
        Ok(below) => below.to_path_buf(),
        Err(_) => absolute(path)?.strip_prefix(absolute(root)?).ok()?.to_path_buf(),
    };
    let mut inside = PathBuf::new();
    for part in below.components() {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::CurDir => {}
            Component::ParentDir if inside.pop() => {}
            _ => return None,
        }
    }
    (inside != Path::new("")).then_some(inside)
}

/// A file that is what its name says.
fn checked_at(root: &Path, inside: &Path, below: &str) -> anyhow::Result<Carried> {
    let path = root.join(inside);
    let shown = || terminal(&path.display().to_string());
    if inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b".")) {
        return Err(leave(Exit::Usage, say!("there-hidden", file = shown())));
    }
    let real = path.canonicalize().with_context(shown)?;
    if real != root.canonicalize().with_context(shown)?.join(inside) {
        return Err(leave(Exit::Usage, say!("there-link", file = shown())));
    }
    carried(path, Path::new(below).join(inside))
}

fn carried(path: PathBuf, name: PathBuf) -> anyhow::Result<Carried> {
    let found = path.metadata().with_context(|| path.display().to_string())?;
    let bytes = if found.is_file() { found.len() } else { 0 };
    Ok(Carried { name, path, bytes })
}

/// The folder of a study.
fn folder_of(study: &Path) -> PathBuf {
    match study.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
