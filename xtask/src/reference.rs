//! References for users, made from the program itself: pages of docs/reference/, and manual pages.

use crate::tools::{AS_TESTED, cargo, run_command, target_folder};
use anyhow::{Context, bail, ensure};
use std::path::Path;
use std::process::Command;

/// Warnings of mandoc about a page without faults: no page has a date, so that each build writes the same, and
/// clap's writer breaks lines beside empty ones.
const NO_FAULTS: [&str; 2] = ["missing date", "skipping paragraph macro: br"];

/// The task: writes the pages of docs/reference/, or compares. The tests of `proofload` know the commands.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let update: &[(&str, &str)] = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => &[("UPDATE", "1")],
        ["--check"] => &[],
        _ => bail!("reference takes --check or nothing"),
    };
    let test = ["test", "--quiet", "--locked", "-p", "proofload-cli", "--lib", "--", "reference_pages"];
    cargo(root, &test, update)
}

/// The task: builds the executable, and its manual pages.
pub fn man(root: &Path) -> anyhow::Result<()> {
    cargo(root, &AS_TESTED, &[])?;
    pages(root)
}

/// Manual pages of the executable that is there, written to target/man/, and the warnings of mandoc about them.
pub fn pages(root: &Path) -> anyhow::Result<()> {
    let folder = target_folder(root).join("man");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    run_command(Command::new(target_folder(root).join("debug/proofload")).arg("man").arg(&folder))?;
    let mut faults = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        faults.extend(faults_of(&entry?.path())?);
    }
    ensure!(faults.is_empty(), "manual pages:\n{}", faults.join("\n"));
    Ok(())
}

fn faults_of(page: &Path) -> anyhow::Result<Vec<String>> {
    let mut mandoc = Command::new("mandoc");
    let said = mandoc.args(["-T", "lint", "-W", "warning"]).arg(page).output();
    let said = said.context("mandoc, of Debian's package mandoc, reads the manual pages")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let faults = said.lines().filter(|line| NO_FAULTS.iter().all(|known| !line.contains(known)));
    Ok(faults.map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_a_fault_is_told() {
        let folder = tempfile::tempdir().expect("a directory");
        let page = folder.path().join("a.1");
        std::fs::write(&page, ".TH A 1 \"\" \"a\" \"a\"\n.SH NAME\na - b\n.XY\n").expect("written");
        let faults = faults_of(&page).expect("mandoc runs");
        assert!(faults.len() == 1 && faults[0].contains("XY"), "{faults:?}");
    }
}
