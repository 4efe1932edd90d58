//! The documents as a site: `docs/SUMMARY.md` says which pages and in which order, mdBook makes HTML of them.

mod links;
mod place;

use crate::tools::{cargo_command, run_command, target_folder};
use anyhow::{Context, bail, ensure};
use place::Pages;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// mdBook as this was written for.
const VERSION: &str = "0.5.4";

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
    let mut wrong = pages.left_out(root)?;
    wrong.extend(links::wrong(root, &pages)?);
    ensure!(wrong.is_empty(), "{} mistakes in the documents:\n{}", wrong.len(), wrong.join("\n"));
    println!("{} pages, every link leads somewhere", pages.all().len());
    Ok(())
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
    for file in pages.all().iter().cloned().chain(links::files(root, &pages)?) {
        copy(&root.join(&file), &folder.join("src").join(&file))?;
    }
    fs::write(folder.join("src/SUMMARY.md"), pages.contents())?;
    for name in ["book.toml", "site.css"] {
        copy(&root.join("docs").join(name), &folder.join(name))?;
    }
    run_command(Command::new(mdbook).arg("build").arg(&folder))?;
    let dead = links::dead_in_site(&made)?;
    ensure!(dead.is_empty(), "{} links of the site lead nowhere:\n{}", dead.len(), dead.join("\n"));
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
    #[test]
    fn every_page_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
        super::check(&crate::root()).expect("the documents hold together");
    }
}
