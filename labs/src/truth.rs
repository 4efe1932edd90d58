//! `cargo xtask truth`: runs every ground truth of the workspace and writes what they found to docs/truth.md.
//!
//! A ground truth is a test `truth_NN_…` that plants something whose right answer is known, and prints one line
//! `truth NN | planted | right | found`; with `live` behind the number where real servers were asked.

mod live;

use crate::mutate;
use crate::tools::{cargo_command, cpu_model, targets_with};
use anyhow::{Context, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Number of ground truths; the last is the mutation of the tool itself.
const TRUTHS: u32 = 16;

/// The number of the mutations, which are not a test.
const MUTATIONS: u32 = 16;

/// Sections of the page, each written by its own part of the task.
const REPLAYED: &str = "## In virtual time and by replay";
const LIVE: &str = "## Live";
const MUTATED: &str = "## Mutations";

/// One line that a truth printed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    number: u32,
    live: bool,
    cells: [String; 3],
}

/// The task. `--live [--runs N] [--runs-2 N] [--without-tests]` runs those that need servers and time, `--only-tests`
/// leaves the mutations out and writes nothing, `--only-mutations` leaves the tests as the page has them, `--check`
/// checks that the page names every truth. Results of long runs are on the page as soon as they are there, whatever
/// fails after them.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["--check"] => check(&page(root)?).map(|()| println!("docs/truth.md names all {TRUTHS}")),
        ["--only-tests"] => replayed(root).map(|_| ()),
        ["--live", ref rest @ ..] => live::run(root, rest),
        [] => {
            let rows = replayed(root)?;
            write(root, REPLAYED, &table(&rows))?;
            mutations(root)
        }
        ["--only-mutations"] => mutations(root),
        _ => bail!(
            "usage: cargo xtask truth [--only-tests | --only-mutations | --check | --live [--runs N] [--runs-2 N] \
             [--without-tests]]"
        ),
    }
}

/// Breaks the method everywhere and enters what came of it beside the rows that there are, which keep their date.
fn mutations(root: &Path) -> anyhow::Result<()> {
    let (cells, found, judged) = mutate::all(root)?;
    let page = page(root)?;
    let others = rows_of(&page, REPLAYED)?.into_iter().filter(|row| row.number != MUTATIONS);
    let rows: Vec<Row> = others.chain([Row { number: MUTATIONS, live: false, cells }]).collect();
    write_stamped(root, REPLAYED, stamp_of(&page, REPLAYED)?, &table(&rows))?;
    write(root, MUTATED, &found)?;
    judged
}

/// Runs the tests; every number but that of the mutations must have printed something.
fn replayed(root: &Path) -> anyhow::Result<Vec<Row>> {
    let (rows, failed) = run_tests(root, &[])?;
    let rows: Vec<Row> = rows.into_iter().filter(|row| !row.live).collect();
    for row in &rows {
        println!("truth {:02} | {}", row.number, row.cells.join(" | "));
    }
    if let Some(failed) = failed {
        bail!("a ground truth does not hold:\n{failed}");
    }
    let silent: Vec<u32> = missing(&rows).into_iter().filter(|number| *number != MUTATIONS).collect();
    ensure!(silent.is_empty(), "no line from the ground truths {silent:?}");
    println!("{} lines, every number from 1 to {}", rows.len(), TRUTHS - 1);
    Ok(rows)
}

/// Numbers without a row.
fn missing(rows: &[Row]) -> Vec<u32> {
    let there: BTreeSet<u32> = rows.iter().map(|row| row.number).collect();
    (1..=TRUTHS).filter(|number| !there.contains(number)).collect()
}

/// Runs all tests with `truth_` in their name and gathers their lines, and the lines about those that failed; targets
/// without such tests are not built.
fn run_tests(root: &Path, environment: &[(&str, &str)]) -> anyhow::Result<(Vec<Row>, Option<String>)> {
    let (mut all, mut bad) = (String::new(), false);
    for (package, targets) in targets_with(root, "fn truth_")? {
        let mut command = cargo_command(root);
        command.args(["test", "--locked", "--no-fail-fast", "-p", &package]);
        if environment.is_empty() {
            // What is simulated has its full size in an optimised build.
            command.arg("--release");
        }
        command.args(targets.iter().flat_map(|target| target.split(' ')));
        command.args(["truth_", "--", "--nocapture"]);
        if !environment.is_empty() {
            // What is live wants the machine for itself.
            command.args(["--include-ignored", "--test-threads=1"]);
        }
        command.envs(environment.iter().copied()).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = command.output().context("cargo could not be started")?;
        all += &String::from_utf8_lossy(&output.stdout);
        bad |= !output.status.success();
    }
    Ok((rows(&all)?, bad.then(|| failures(&all))))
}

/// Lines of the tests' output that show failures.
fn failures(said: &str) -> String {
    let telling = |line: &&str| line.contains("FAILED") || line.contains("panicked") || find(line).is_some();
    said.lines().filter(telling).collect::<Vec<_>>().join("\n")
}

/// The line of a truth from its beginning on; the test runner may have left the cursor behind a name.
fn find(line: &str) -> Option<&str> {
    line.match_indices("truth ").map(|(at, _)| &line[at..]).find(|rest| {
        let digits = rest.as_bytes().get(6..8).unwrap_or_default();
        digits.len() == 2 && digits.iter().all(u8::is_ascii_digit) && rest.contains(" | ")
    })
}

fn rows(said: &str) -> anyhow::Result<Vec<Row>> {
    let mut found = said.lines().filter_map(find).map(row).collect::<anyhow::Result<Vec<_>>>()?;
    found.sort_by_key(|row| (row.live, row.number));
    Ok(found)
}

fn row(line: &str) -> anyhow::Result<Row> {
    let wrong =
        || format!("a truth says `truth NN | planted | right | found` or `truth NN live | …`, not {line:?}");
    let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [head, planted, right, found] = cells[..] else { bail!(wrong()) };
    let mut words = head.split(' ').skip(1);
    let number: u32 = words.next().and_then(|word| word.parse().ok()).with_context(wrong)?;
    ensure!((1..=TRUTHS).contains(&number) && !found.is_empty(), wrong());
    // Its row would be taken for one of the tests that need no server.
    ensure!(!planted.starts_with("live"), wrong());
    let live = words.next() == Some("live");
    Ok(Row { number, live, cells: [planted, right, found].map(str::to_owned) })
}

/// A table of rows.
fn table(rows: &[Row]) -> String {
    let mut text = String::from("| # | planted | right | found |\n| --- | --- | --- | --- |\n");
    for row in rows {
        text += &format!("| {} | {} |\n", row.number, row.cells.join(" | "));
    }
    text
}

fn page_path(root: &Path) -> PathBuf {
    root.join("docs/truth.md")
}

fn page(root: &Path) -> anyhow::Result<String> {
    let path = page_path(root);
    fs::read_to_string(&path).with_context(|| format!("{}", path.display()))
}

/// Replaces a section of the page, with the date and the machine under its heading.
fn write(root: &Path, heading: &str, body: &str) -> anyhow::Result<()> {
    write_stamped(root, heading, &format!("{}; {}.", today()?, cpu_model()?), body)
}

fn write_stamped(root: &Path, heading: &str, stamp: &str, body: &str) -> anyhow::Result<()> {
    let text = replaced(&page(root)?, heading, &format!("{stamp}\n\n{body}"))?;
    fs::write(page_path(root), text).context("docs/truth.md cannot be written")?;
    println!("wrote `{heading}` of docs/truth.md");
    Ok(())
}

/// The page with another body under a heading; the rest as it is.
fn replaced(page: &str, heading: &str, body: &str) -> anyhow::Result<String> {
    let (after, end) = section(page, heading)?;
    let gap = if end == page.len() { "" } else { "\n" };
    Ok(format!("{}\n{}\n{gap}{}", &page[..after], body.trim_end(), &page[end..]))
}

/// Begin and end of the text under a heading.
fn section(page: &str, heading: &str) -> anyhow::Result<(usize, usize)> {
    let begin =
        page.find(&format!("{heading}\n")).with_context(|| format!("docs/truth.md has no `{heading}`"))?;
    let after = begin + heading.len() + 1;
    Ok((after, page[after..].find("\n## ").map_or(page.len(), |at| after + at + 1)))
}

/// The line with date and machine under a heading.
fn stamp_of<'a>(page: &'a str, heading: &str) -> anyhow::Result<&'a str> {
    let (after, end) = section(page, heading)?;
    Ok(page[after..end].lines().find(|line| !line.is_empty()).unwrap_or_default())
}

pub(crate) fn today() -> anyhow::Result<String> {
    let output = Command::new("date").args(["-u", "+%Y-%m-%d"]).output().context("date")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The rows of the table under a heading of a page.
fn rows_of(page: &str, heading: &str) -> anyhow::Result<Vec<Row>> {
    let (after, end) = section(page, heading)?;
    page[after..end].lines().filter_map(row_of_page).collect()
}

/// Checks that a page has a row with a finding for every truth.
fn check(page: &str) -> anyhow::Result<()> {
    let silent = missing(&rows_of(page, REPLAYED)?);
    ensure!(
        silent.is_empty(),
        "docs/truth.md says nothing of the ground truths {silent:?}: cargo xtask truth"
    );
    Ok(())
}

/// `None` for a line that begins no row: every other is one, or an error.
fn row_of_page(line: &str) -> Option<anyhow::Result<Row>> {
    let inner = line.strip_prefix("| ")?.strip_suffix(" |")?;
    inner.starts_with(|first: char| first.is_ascii_digit()).then(|| row(&format!("truth {inner}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "running 2 tests\ntest a::b ... truth 03 | a ramp | no winner | 4.9 %\nok\n\
                        truth 01 | equal | 5 % | 4.8 %\ntruth 02 live | 5 % | 6 of 8 | 7 of 8\nthe truth is | out\n";

    #[test]
    fn lines_are_found_wherever_they_stand_and_sorted() {
        let found = rows(SAID).unwrap();
        let heads: Vec<(u32, bool)> = found.iter().map(|row| (row.number, row.live)).collect();
        assert_eq!(heads, [(1, false), (3, false), (2, true)]);
        assert_eq!(found[1].cells, ["a ramp", "no winner", "4.9 %"]);
    }

    #[test]
    fn a_line_without_its_cells_or_with_a_number_beyond_is_an_error() {
        for bad in [
            "truth 01 | a | b",
            "truth 17 | a | b | c",
            "truth 01 | a | b | c | d",
            "truth 00 | a | b | c",
            "truth 09 | live: a | b | c",
        ] {
            assert!(rows(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_number_without_a_line_is_missed() {
        let all: String = (1..=TRUTHS).map(|n| format!("truth {n:02} | a | b | c\n")).collect();
        assert!(missing(&rows(&all).unwrap()).is_empty());
        let less = all.replace("truth 07 | a | b | c\n", "");
        assert_eq!(missing(&rows(&less).unwrap()), [7]);
        let page = format!("# T\n\n{REPLAYED}\n\n{}\n{LIVE}\n\nnone\n", table(&rows(&all).unwrap()));
        assert!(check(&page).is_ok(), "{page}");
        assert!(check(&page.replace("| 7 | a", "| x | a")).is_err());
        let torn = check(&page.replace("| 7 | a | b", "| 7 | a")).unwrap_err().to_string();
        assert!(torn.contains("truth 7 | a | c"), "a row that cannot be read is not left out: {torn}");
    }

    #[test]
    fn rows_that_were_not_run_again_keep_their_date() {
        let page =
            format!("# T\n\n{REPLAYED}\n\n2026-01-02; a machine.\n\n| # | p |\n\n{LIVE}\n\nNot run yet.\n");
        assert_eq!(stamp_of(&page, REPLAYED).unwrap(), "2026-01-02; a machine.");
        assert_eq!(stamp_of(&page, LIVE).unwrap(), "Not run yet.");
        assert!(rows_of(&page, LIVE).unwrap().is_empty());
    }

    #[test]
    fn a_section_is_replaced_and_the_others_stay() {
        let page = format!("# T\n\n{REPLAYED}\n\nold\n\n{LIVE}\n\nlive\n");
        let new = replaced(&page, REPLAYED, "new\n").unwrap();
        assert_eq!(new, format!("# T\n\n{REPLAYED}\n\nnew\n\n{LIVE}\n\nlive\n"));
        assert_eq!(replaced(&new, REPLAYED, "new\n").unwrap(), new);
        assert_eq!(replaced(&page, LIVE, "x").unwrap(), format!("# T\n\n{REPLAYED}\n\nold\n\n{LIVE}\n\nx\n"));
        assert!(replaced("# T\n", LIVE, "x").is_err());
    }

    #[test]
    fn the_page_in_the_repository_names_every_truth() {
        check(&page(&crate::root()).unwrap()).unwrap();
    }
}
