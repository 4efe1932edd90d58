//! What `xtask/ratchet.json` keeps: figures that may not grow, and lists of violations that wait to be removed, which only
//! shrink.

use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file. An entry of a list names files by their folder and name, so that it outlives the move of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratchet {
    /// Circles, each with the files that may be in it, separated by blanks.
    pub circles: Vec<String>,
    /// Files that are too long.
    pub files: Vec<String>,
    /// Functions that are too long, each with its file.
    pub functions: Vec<String>,
    /// Crates that are too long, by their folders.
    pub crates: Vec<String>,
    /// Retired words that are still in use.
    pub words: Vec<String>,
    /// Figures by name and crate.
    pub figures: Written,
    /// What grew, and why.
    pub accepted: Vec<Accepted>,
}

/// Figures as they were written down, by crate.
pub type Written = BTreeMap<String, BTreeMap<String, usize>>;

/// A growth with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Which figure grew.
    pub figure: String,
    /// What it was.
    pub from: usize,
    /// What it is.
    pub to: usize,
    /// Why.
    pub reason: String,
}

/// A violation with the name under which a list may know it.
pub struct Violation {
    /// As an entry of a list would name it.
    pub name: String,
    /// What is wrong, where, and what to do.
    pub text: String,
}

impl Ratchet {
    /// Whether no violation is left on a list.
    pub fn is_clear(&self) -> bool {
        [&self.circles, &self.files, &self.functions, &self.crates, &self.words]
            .iter()
            .all(|list| list.is_empty())
    }

    fn path(root: &Path) -> PathBuf {
        root.join("xtask/ratchet.json")
    }

    /// Reads the file of the repository.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = Self::path(root);
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| path.display().to_string())
    }

    /// Writes the file.
    pub fn write(&self, root: &Path) -> anyhow::Result<()> {
        let path = Self::path(root);
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// What is left of violations when a list excuses some. The list keeps what it excused; entries that excuse nothing are
/// violations too.
pub fn excuse(list: &mut Vec<String>, violations: Vec<Violation>) -> Vec<String> {
    let covers = |entry: &String, name: &str| {
        let known: Vec<&str> = entry.split(' ').collect();
        name.split(' ').all(|part| known.contains(&part))
    };
    let gone = list.iter().filter(|entry| !violations.iter().any(|violation| covers(entry, &violation.name)));
    let mut found: Vec<String> = gone
        .map(|entry| {
            format!(
                "xtask/ratchet.json: `{entry}` is listed and gone; `cargo xtask tidy --fix` takes it off the list"
            )
        })
        .collect();
    let (excused, left): (Vec<_>, Vec<_>) =
        violations.into_iter().partition(|violation| list.iter().any(|entry| covers(entry, &violation.name)));
    found.extend(left.into_iter().map(|violation| violation.text));
    *list =
        excused.into_iter().map(|violation| violation.name).collect::<BTreeSet<_>>().into_iter().collect();
    found
}

/// A file as the lists name it: its folder, which is not `src`, and its name.
pub fn short(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| *part != "src").collect();
    parts[parts.len().saturating_sub(2)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(name: &str) -> Violation {
        Violation { name: name.into(), text: format!("{name} is bad") }
    }

    #[test]
    fn a_known_violation_is_excused_also_when_a_part_of_it_is_left() {
        let mut list = vec!["a/b.rs a/c.rs a/d.rs".to_owned()];
        assert!(excuse(&mut list, vec![violation("a/b.rs a/d.rs")]).is_empty());
        assert_eq!(list.len(), 1);
        assert_eq!(
            excuse(&mut list, vec![violation("a/b.rs a/d.rs"), violation("a/b.rs a/e.rs")]),
            ["a/b.rs a/e.rs is bad"]
        );
    }

    #[test]
    fn an_entry_that_excuses_nothing_is_found_and_taken_off() {
        let mut list = vec!["a/b.rs".to_owned(), "a/c.rs".to_owned()];
        let found = excuse(&mut list, vec![violation("a/c.rs")]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`a/b.rs` is listed and gone"), "{found:?}");
        assert_eq!(list, ["a/c.rs"]);
    }

    #[test]
    fn a_name_outlives_the_move_of_its_folder() {
        assert_eq!(short("crates/harness/src/host/facts.rs"), "host/facts.rs");
        assert_eq!(short("crates/host/src/facts.rs"), "host/facts.rs");
    }
}
