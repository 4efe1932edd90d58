//! Pages of the site: those that `docs/SUMMARY.md` links, by their paths from the root of the repository.

use anyhow::{Context, ensure};
use std::fs;
use std::path::Path;

const SUMMARY: &str = "docs/SUMMARY.md";
/// Dated protocols of the full tier: results, which no reader looks for in a table of contents.
const NO_PAGES: &str = "docs/full/";

/// The table of contents.
pub struct Pages {
    text: String,
    all: Vec<String>,
}

impl Pages {
    /// Reads it.
    ///
    /// # Errors
    /// It cannot be read, or names a page twice.
    pub fn of(root: &Path) -> anyhow::Result<Pages> {
        let text = fs::read_to_string(root.join(SUMMARY)).with_context(|| SUMMARY.to_string())?;
        Pages::read(text)
    }

    fn read(text: String) -> anyhow::Result<Pages> {
        let mut all: Vec<String> = Vec::new();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let page = beside(SUMMARY, target);
            ensure!(!all.contains(&page), "{SUMMARY} names {target} twice");
            all.push(page);
        }
        Ok(Pages { text, all })
    }

    /// Their paths from the root.
    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// The table of contents with paths from the root, as mdBook reads it.
    pub fn contents(&self) -> String {
        let mut parts = self.text.split("](");
        let first = parts.next().unwrap_or_default().to_string();
        parts.fold(first, |text, part| {
            let (target, rest) = part.split_once(')').unwrap_or((part, ""));
            format!("{text}]({}){rest}", beside(SUMMARY, target))
        })
    }

    /// Documents that the table of contents forgets, and pages that it names and that do not exist.
    pub fn left_out(&self, root: &Path) -> anyhow::Result<Vec<String>> {
        let mut wrong = Vec::new();
        let missing = self.all.iter().filter(|page| !root.join(page).is_file());
        wrong.extend(missing.map(|page| format!("{SUMMARY}: {page} is not there")));
        let mut written = Vec::new();
        documents(root, "docs", &mut written)?;
        let forgotten = written.iter().filter(|page| !self.all.contains(page) && *page != SUMMARY);
        wrong.extend(forgotten.map(|page| format!("{page}: enter it in {SUMMARY}")));
        Ok(wrong)
    }
}

/// Markdown files of a folder and those below.
fn documents(root: &Path, folder: &str, found: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| folder.to_string())? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            documents(root, &path, found)?;
        } else if path.ends_with(".md") && !path.starts_with(NO_PAGES) {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}

/// Target of a relative link in that file, as a path from the root.
pub fn beside(file: &str, target: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_contents_is_read_and_written_with_paths_from_the_root() {
        let pages =
            Pages::read("[a](../README.md)\n- [b](x/b.md)\n  - [c](c.md) more\n".to_string()).expect("read");
        assert_eq!(pages.all(), ["README.md", "docs/x/b.md", "docs/c.md"]);
        assert_eq!(pages.contents(), "[a](README.md)\n- [b](docs/x/b.md)\n  - [c](docs/c.md) more\n");
        assert!(Pages::read("[a](a.md) [b](./a.md)".to_string()).is_err());
    }

    #[test]
    fn pages_that_are_missing_or_forgotten_are_told() {
        let folder = tempfile::tempdir().expect("a directory");
        for file in ["docs/a.md", "docs/deep/b.md", "docs/full/2026-01-01.md", "docs/c.txt"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "# A\n").expect("written");
        }
        let pages = Pages::read("[a](a.md) [gone](gone.md)".to_string()).expect("read");
        let wrong = pages.left_out(folder.path()).expect("looked");
        assert_eq!(
            wrong,
            ["docs/SUMMARY.md: docs/gone.md is not there", "docs/deep/b.md: enter it in docs/SUMMARY.md"]
        );
    }
}
