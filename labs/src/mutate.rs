//! `cargo xtask mutate`: breaks the method in one place after the other, in a copy of the repository, and sees that a
//! test notices each.

mod list;

use crate::tools::{cargo_command, target_folder};
use anyhow::{Context, bail, ensure};
use list::{MUTATIONS, Mutation};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Instant, SystemTime};

/// The task. Words choose the mutations whose name holds one of them.
pub fn run(root: &Path, words: &[String]) -> anyhow::Result<()> {
    let chosen: Vec<&Mutation> = MUTATIONS.iter().filter(|mutation| is_chosen(mutation, words)).collect();
    ensure!(!chosen.is_empty(), "no mutation of that name; these are:\n{}", names());
    let found = break_each(root, &chosen)?;
    println!("{}", table(&found));
    judge(&found)
}

/// All mutations: the cells of a truth's row, the table, and an error when one went unnoticed or could not be tried.
pub fn all(root: &Path) -> anyhow::Result<([String; 3], String, anyhow::Result<()>)> {
    let found = break_each(root, &MUTATIONS.iter().collect::<Vec<_>>())?;
    let row = [
        format!("the tool itself broken in {} places, one at a time (below)", found.len()),
        "at least one test turns red for each".to_owned(),
        format!("{} of {} noticed", found.iter().filter(|found| found.noticed).count(), found.len()),
    ];
    Ok((row, table(&found), judge(&found)))
}

fn is_chosen(mutation: &Mutation, words: &[String]) -> bool {
    words.is_empty() || words.iter().any(|word| mutation.name.contains(word.as_str()))
}

fn names() -> String {
    MUTATIONS.iter().map(|mutation| format!("  {}\n", mutation.name)).collect()
}

/// Result of a mutation.
struct Found {
    name: &'static str,
    tests: String,
    noticed: bool,
    /// The first test that failed.
    by: String,
    /// True if it is one of the gate's; the others are run by `cargo xtask full` alone.
    in_gate: bool,
    /// Reason why it could not be tried, if it could not.
    untried: Option<String>,
}

fn judge(found: &[Found]) -> anyhow::Result<()> {
    let untried: Vec<&str> = found.iter().filter_map(|found| found.untried.as_deref()).collect();
    ensure!(untried.is_empty(), "{}", untried.join("\n"));
    let unnoticed: Vec<&str> = found.iter().filter(|found| !found.noticed).map(|found| found.name).collect();
    ensure!(unnoticed.is_empty(), "no test noticed: {}", unnoticed.join("; "));
    Ok(())
}

fn table(found: &[Found]) -> String {
    let mut text = String::from("| broken | test that turned red | run by |\n| --- | --- | --- |\n");
    for Found { name, tests, noticed, by, in_gate, untried } in found {
        let by = match untried {
            Some(_) => "could not be tried".to_owned(),
            None if *noticed => format!("`{by}`"),
            None => format!("none of `{tests}`"),
        };
        let tier = if !noticed {
            ""
        } else if *in_gate {
            "ci"
        } else {
            "full"
        };
        text += &format!("| {name} | {by} | {tier} |\n");
    }
    text
}

fn break_each(root: &Path, chosen: &[&Mutation]) -> anyhow::Result<Vec<Found>> {
    let copy = Copy::make(root)?;
    let mut before = BTreeMap::new();
    let mut found = Vec::new();
    for mutation in chosen {
        let begun = Instant::now();
        // What is red before it is broken notices nothing.
        let is_green = before.entry(mutation.tests).or_insert_with(|| copy.is_green(mutation.tests));
        let one = match is_green {
            Ok(()) => copy.with(mutation),
            Err(why) => Err(anyhow::anyhow!("{why}")),
        };
        let one = one.unwrap_or_else(|why| untried(mutation, &why));
        let told = match &one.untried {
            Some(why) => why.as_str(),
            None if one.noticed => one.by.as_str(),
            None => "NOT NOTICED",
        };
        println!("{}: {told} ({:.0} s)", mutation.name, begun.elapsed().as_secs_f64());
        found.push(one);
    }
    Ok(found)
}

/// One that could not be tried does not keep the others from being.
fn untried(mutation: &Mutation, why: &anyhow::Error) -> Found {
    Found {
        name: mutation.name,
        tests: mutation.tests.join(" "),
        noticed: false,
        by: String::new(),
        in_gate: false,
        untried: Some(format!("{}: {why:#}", mutation.name)),
    }
}

/// A copy of the repository as it is, with a target folder of its own. It goes when it is dropped.
struct Copy {
    place: PathBuf,
    target: PathBuf,
}

impl Copy {
    fn make(root: &Path) -> anyhow::Result<Copy> {
        let place = crate::tools::scratch("mutate")?;
        let copy = Copy { place, target: target_folder(root).join("mutate") };
        let mut list = Command::new("git");
        list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        let listed = list.output().context("git")?;
        ensure!(listed.status.success(), "git ls-files: {}", said(&listed));
        for name in String::from_utf8(listed.stdout)?.split('\0').filter(|name| !name.is_empty()) {
            let (from, to) = (root.join(name), copy.place.join(name));
            // What was deleted and not committed is listed all the same.
            if !from.is_file() {
                continue;
            }
            fs::create_dir_all(to.parent().context("a parent")?)?;
            fs::copy(&from, &to).with_context(|| format!("{}", from.display()))?;
        }
        share_dependencies(&target_folder(root).join("debug"), &copy.target.join("debug"))?;
        Ok(copy)
    }

    /// Checks that tests pass while nothing is broken.
    fn is_green(&self, tests: &[&str]) -> anyhow::Result<()> {
        let output = self.test(tests)?;
        ensure!(output.status.success(), "{tests:?} fails before anything is broken:\n{}", said(&output));
        Ok(())
    }

    fn with(&self, mutation: &Mutation) -> anyhow::Result<Found> {
        let path = self.place.join(mutation.file);
        let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
        fs::write(&path, broken(&text, mutation)?)?;
        let found = self.noticed_by(mutation.tests);
        fs::write(&path, &text)?;
        let (by, in_gate) = found?;
        Ok(Found {
            name: mutation.name,
            tests: mutation.tests.join(" "),
            noticed: by.is_some(),
            by: by.unwrap_or_default(),
            in_gate,
            untried: None,
        })
    }

    /// The first test that fails, and whether it is one of the gate's.
    fn noticed_by(&self, tests: &[&str]) -> anyhow::Result<(Option<String>, bool)> {
        if let Some(by) = failed_test(&self.test(tests)?) {
            return Ok((Some(by), true));
        }
        let all: Vec<&str> = tests.iter().copied().chain(["--", "--include-ignored"]).collect();
        Ok((failed_test(&self.test(&all)?), false))
    }

    /// Builds and runs tests; that they do not build is an error and not what was asked.
    fn test(&self, tests: &[&str]) -> anyhow::Result<Output> {
        let cargo = |more: &[&str]| -> anyhow::Result<Output> {
            let mut command = cargo_command(&self.place);
            command.args(["test", "--locked", "--quiet"]).args(more).args(tests);
            command.env("CARGO_TARGET_DIR", &self.target).stdin(Stdio::null());
            command.output().context("cargo could not be started")
        };
        self.touch()?;
        let built = cargo(&["--no-run"])?;
        ensure!(built.status.success(), "{tests:?} cannot be built:\n{}", said(&built));
        cargo(&["--no-fail-fast"])
    }

    /// Files that changed twice within the clock's grain look unchanged to cargo.
    fn touch(&self) -> anyhow::Result<()> {
        let files: BTreeSet<&str> = MUTATIONS.iter().map(|mutation| mutation.file).collect();
        for file in files {
            let file = fs::OpenOptions::new().append(true).open(self.place.join(file))?;
            file.set_modified(SystemTime::now())?;
        }
        Ok(())
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.place) {
            eprintln!("{}: {error}", self.place.display());
        }
    }
}

/// Links dependencies that cargo built into another target folder: they are the same, and never written again.
fn share_dependencies(from: &Path, to: &Path) -> anyhow::Result<()> {
    for folder in ["deps", "build", ".fingerprint"] {
        let (from, to) = (from.join(folder), to.join(folder));
        if !from.is_dir() || to.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&from)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_library = [".rlib", ".rmeta", ".d", ".so"].iter().any(|end| name.ends_with(end));
            if ["proofload", "libproofload", "xtask"].iter().any(|ours| name.starts_with(ours))
                || (folder == "deps" && !is_library)
            {
                continue;
            }
            link_all(&entry.path(), &to.join(&name))?;
        }
    }
    Ok(())
}

fn link_all(from: &Path, to: &Path) -> anyhow::Result<()> {
    if !from.is_dir() {
        fs::create_dir_all(to.parent().context("a parent")?)?;
        return fs::hard_link(from, to).with_context(|| format!("{}", to.display()));
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)?.flatten() {
        link_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The text with the mutation in it, which must have exactly one place for it.
fn broken(text: &str, mutation: &Mutation) -> anyhow::Result<String> {
    match text.matches(mutation.from).count() {
        1 => Ok(text.replacen(mutation.from, mutation.to, 1)),
        count => bail!(
            "{}: what `{}` replaces stands {count} times in {}, not once; mend labs/src/mutate/list.rs",
            mutation.file,
            mutation.name,
            mutation.file
        ),
    }
}

/// The first test that failed; `None` when all passed.
fn failed_test(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let after = text.lines().skip_while(|line| *line != "failures:");
    let mut named = after.filter_map(|line| line.strip_prefix("---- ")?.strip_suffix(" stdout ----"));
    (!output.status.success()).then(|| named.next().map(str::to_owned)).flatten()
}

fn said(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    both.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn every_mutation_has_its_one_place_and_changes_it() {
        for mutation in MUTATIONS {
            let text = fs::read_to_string(crate::root().join(mutation.file)).unwrap();
            let broken = broken(&text, mutation).unwrap_or_else(|error| panic!("{error}"));
            assert_ne!(broken, text, "{}", mutation.name);
        }
    }

    #[test]
    fn names_tell_the_mutations_apart() {
        let names: BTreeSet<&str> = MUTATIONS.iter().map(|mutation| mutation.name).collect();
        assert_eq!(names.len(), MUTATIONS.len());
    }

    #[test]
    fn a_place_that_is_gone_or_double_is_an_error() {
        let mutation = MUTATIONS[0];
        assert!(broken("nothing", &mutation).is_err());
        assert!(broken(&format!("{0}\n{0}", mutation.from), &mutation).is_err());
    }

    #[test]
    fn what_could_not_be_tried_is_told_beside_the_others_and_is_no_success() {
        let noticed = Found {
            name: "a",
            tests: "-p x".into(),
            noticed: true,
            by: "t::b".into(),
            in_gate: true,
            untried: None,
        };
        let all = [noticed, untried(&MUTATIONS[0], &anyhow::anyhow!("it cannot be built"))];
        assert!(judge(&all[..1]).is_ok());
        assert!(judge(&all).unwrap_err().to_string().contains("it cannot be built"));
        let told = table(&all);
        assert!(told.contains("| a | `t::b` | ci |") && told.contains("| could not be tried |"), "{told}");
    }

    #[test]
    fn a_failed_test_is_named_and_a_good_end_names_none() {
        let said = "running 2 tests\n.F\nfailures:\n\n---- judge::tests::a stdout ----\npanicked\n\nfailures:\n    a\n";
        let output = |code: i32| Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: said.into(),
            stderr: Vec::new(),
        };
        assert_eq!(failed_test(&output(101)).as_deref(), Some("judge::tests::a"));
        assert_eq!(failed_test(&output(0)), None);
    }
}
