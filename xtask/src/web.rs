//! The scripts of a report and of `proofload ui`: built from `web/`, committed, and tried in a real browser.

use crate::tools::{run_command, target_folder};
use crate::{python, tests};
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scripts that are committed and compiled into the executable: name, folder, and the mode that builds them.
const SCRIPTS: [(&str, &str, &str); 2] =
    [("report.js", "crates/report/assets", "production"), ("ui.js", "crates/serve/assets", "ui")];

/// Records whose reports are opened, by the gate the first alone: many claims and loads, and one soak of an hour.
const RECORDS: [&str; 2] = ["rpc-shootout", "rpc-stability"];

/// Pages that tests of the crate `report` leave behind, by the gate the first alone: names that are attacks, and a soak of
/// fifty hours.
const MADE: [(&str, &str); 2] = [
    ("charts::no_text_of_strangers_ends_the_element_of_the_numbers", "hostile.html"),
    ("charts::fifty_hours_fit_a_page_with_their_peaks_and_gaps", "fifty-hours.html"),
];

/// Set of pages to open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// One of each, once.
    Gate,
    /// All, in each size and colour.
    Full,
}

/// Folder of the pictures of reports.
const PICTURES: &str = "docs/pictures/reports";

/// The task: builds the scripts; `--check` compares them with the committed ones, and opens pages in Chromium;
/// `--pictures` takes pictures of the reports of all committed records.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            install(root)?;
            build(root)?.into_iter().try_for_each(|(script, to)| {
                fs::write(&to, script).with_context(|| format!("cannot write {}", to.display()))
            })
        }
        ["--check"] => {
            python::install(root, &python::GATE)?;
            tests::build(root)?;
            scripts(root)?;
            open(root, Extent::Full)
        }
        ["--pictures"] => pictures(root),
        _ => bail!("web takes nothing, --check or --pictures"),
    }
}

fn npm(root: &Path, args: &[&str]) -> anyhow::Result<()> {
    let mut npm = Command::new("npm");
    let ran = run_command(npm.args(args).current_dir(root.join("web")));
    ran.context("npm, with Node.js 20 or newer, builds what draws the charts of a report")
}

/// Folder that this task writes to.
fn folder(root: &Path) -> anyhow::Result<PathBuf> {
    let folder = target_folder(root).join("web");
    fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    Ok(folder)
}

/// The packages that the lock file pins, unless they are there.
fn install(root: &Path) -> anyhow::Result<()> {
    let (locked, there) =
        (root.join("web/package-lock.json"), root.join("web/node_modules/.package-lock.json"));
    let at = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    if at(&there).is_some_and(|there| at(&locked).is_some_and(|locked| there > locked)) {
        return Ok(());
    }
    npm(root, &["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"])
}

/// Each script, and where it belongs.
fn build(root: &Path) -> anyhow::Result<Vec<(Vec<u8>, PathBuf)>> {
    npm(root, &["run", "--silent", "check"])?;
    let place = folder(root)?;
    let folder = place.display().to_string();
    let one = |(name, to, mode): (&str, &str, &str)| {
        npm(
            root,
            &["run", "--silent", "build", "--", "--logLevel", "warn", "--mode", mode, "--outDir", &folder],
        )?;
        let script = fs::read(place.join(name)).with_context(|| format!("vite wrote no {name}"))?;
        Ok((script, root.join(to).join(name)))
    };
    SCRIPTS.into_iter().map(one).collect()
}

/// Builds web/ and compares the committed scripts.
pub fn scripts(root: &Path) -> anyhow::Result<()> {
    install(root)?;
    for (script, committed) in build(root)? {
        ensure!(
            script == fs::read(&committed)?,
            "{} is not what web/ makes: run cargo xtask web, then build again",
            committed.display()
        );
    }
    Ok(())
}

/// Opens one report, the hostile page and `proofload ui` in Chromium. Needs the built tests.
pub fn browser(root: &Path) -> anyhow::Result<()> {
    open(root, Extent::Gate)
}

fn open(root: &Path, extent: Extent) -> anyhow::Result<()> {
    let (records, made) = match extent {
        Extent::Gate => (&RECORDS[..1], &MADE[..1]),
        Extent::Full => (&RECORDS[..], &MADE[..]),
    };
    install(root)?;
    let reports = records.iter().map(|record| report(root, record)).collect::<anyhow::Result<Vec<_>>>()?;
    let wanted: Vec<String> = made.iter().map(|(test, _)| (*test).to_owned()).collect();
    tests::run(root, &wanted)?;
    let made: Vec<PathBuf> =
        made.iter().map(|(_, page)| target_folder(root).join("tmp").join(page)).collect();
    // A browser that hangs ends the check, and its tests report where; a process that does not end even so is killed.
    let mut node = Command::new("timeout");
    node.args(["--kill-after=10", "1200", "node", "--test", "--test-force-exit", "--test-timeout=300000"]);
    node.arg("test/all.test.mjs").env("FULL", if extent == Extent::Full { "1" } else { "0" });
    node.env("PROOFLOAD", target_folder(root).join("debug/proofload"));
    node.env("REPORTS", list(&reports)).env("MADE", list(&made));
    run_command(node.current_dir(root.join("web")))
}

fn pictures(root: &Path) -> anyhow::Result<()> {
    install(root)?;
    let records = fs::read_dir(root.join("docs/reproductions"))?;
    let mut names = Vec::new();
    for record in records {
        names.push(record?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let reports = names.iter().map(|name| report(root, name)).collect::<anyhow::Result<Vec<_>>>()?;
    fs::create_dir_all(root.join(PICTURES))?;
    let mut node = Command::new("node");
    node.arg("pictures.mjs").arg(root.join(PICTURES)).args(reports);
    run_command(node.current_dir(root.join("web")))
}

/// Paths with colons between them.
fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// The page of a committed record.
fn report(root: &Path, record: &str) -> anyhow::Result<PathBuf> {
    let page = folder(root)?.join(format!("{record}.html"));
    let mut command = Command::new(target_folder(root).join("debug/proofload"));
    command.arg("report").arg(root.join("docs/reproductions").join(record));
    // The exit code is that of the verdicts.
    let output =
        command.arg("--quiet").arg("-o").arg(&page).output().context("the executable is not built")?;
    ensure!(page.exists(), "no report of {record}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(page)
}
