//! Builds and runs the tests of the workspace. Each test has a process of its own (`.config/nextest.toml`).

use crate::tools::{cargo_command, run_command, target_folder};
use crate::{python, tools};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, str};

/// Has clippy compile what is ours: what is linted is not compiled a second time. What others wrote is compiled by rustc as
/// ever, and shared with builds without lints.
pub fn lint(command: &mut Command) -> &mut Command {
    // Clippy parts its arguments by this word.
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings")
}

/// Has a test keep the memory that it frees. Histograms come and go by the thousand, and to fault their pages in again takes
/// up to a third of the CPU time.
const KEEPS_MEMORY: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=268435456:glibc.malloc.mmap_threshold=33554432");

/// Builds every test and lints it.
pub fn build(root: &Path) -> anyhow::Result<()> {
    let mut nextest = python::nextest(root);
    run_command(lint(nextest.args(["run", "--workspace", "--locked", "--no-run", "--cargo-quiet"])))
}

/// Runs the tests that are not ignored, or of these those whose name holds one of the words.
pub fn run(root: &Path, words: &[String]) -> anyhow::Result<()> {
    let mut nextest = python::nextest(root);
    nextest.args(["run", "--workspace", "--locked", "--cargo-quiet"]).args(words);
    run_command(lint(nextest.env(KEEPS_MEMORY.0, KEEPS_MEMORY.1)))
}

/// A library that the build made.
struct Library {
    file: PathBuf,
    source: PathBuf,
    /// Folder of its package.
    folder: PathBuf,
    edition: String,
    /// The package, as cargo names it.
    package: String,
}

/// Runs rustdoc on our libraries with warnings as errors, such as a broken link. It reads the libraries that the
/// build of the tests left: `cargo doc` would have every dependency checked once more.
pub fn documents(root: &Path) -> anyhow::Result<()> {
    let (libraries, made) = libraries(root)?;
    let place = tools::scratch("documents")?;
    let ours: Vec<_> =
        libraries.iter().filter(|(_, library)| library.folder.starts_with(root.join("crates"))).collect();
    ensure!(!ours.is_empty(), "the build left no library");
    for (name, library) in ours {
        let mut rustdoc = Command::new("rustdoc");
        rustdoc
            .arg(format!("--edition={}", library.edition))
            .args(["--crate-name", name])
            .arg(&library.source);
        rustdoc.arg("-L").arg(format!("dependency={}", target_folder(root).join("debug/deps").display()));
        for (other, Library { file, .. }) in libraries.iter().filter(|(other, _)| *other != name) {
            rustdoc.arg(format!("--extern={other}={}", file.display()));
        }
        rustdoc.args(["-D", "warnings", "-o"]).arg(&place).current_dir(root);
        rustdoc.env("CARGO_PKG_VERSION", "").env("CARGO_MANIFEST_DIR", &library.folder);
        rustdoc.envs(made.get(&library.package).map(|made| ("OUT_DIR", made)));
        // The text of the command would hide rustdoc's messages.
        ensure!(rustdoc.status().context("rustdoc")?.success(), "rustdoc finds faults in {name}");
    }
    fs::remove_dir_all(&place).with_context(|| format!("{}", place.display()))
}

/// Every library that the tests were built of, by its name in code, and the folders of what build scripts made, by package.
fn libraries(root: &Path) -> anyhow::Result<(BTreeMap<String, Library>, BTreeMap<String, String>)> {
    let mut cargo = cargo_command(root);
    cargo.args(["test", "--workspace", "--locked", "--no-run", "--quiet", "--message-format=json"]);
    let output = lint(&mut cargo).output().context("cargo test --no-run")?;
    ensure!(output.status.success(), "the tests do not build");
    let messages = str::from_utf8(&output.stdout)?.lines().filter_map(|line| serde_json::from_str(line).ok());
    let messages: Vec<Value> = messages.collect();
    let made = messages.iter().filter_map(|message| {
        let (package, made) = (message["package_id"].as_str()?, message["out_dir"].as_str()?);
        Some((package.to_owned(), made.to_owned()))
    });
    Ok((messages.iter().filter_map(library).collect(), made.collect()))
}

/// The library in a message of cargo, if it has one.
fn library(message: &Value) -> Option<(String, Library)> {
    let target = &message["target"];
    let is_library = ["lib", "rlib", "proc-macro"].iter().any(|kind| target["kind"][0] == *kind);
    let is_built = is_library && message["profile"]["test"] == false;
    let mut files = message["filenames"].as_array().filter(|_| is_built)?.iter().filter_map(Value::as_str);
    let file = files.find(|file| [".rlib", ".so"].iter().any(|end| file.ends_with(end)))?;
    let library = Library {
        file: file.into(),
        source: target["src_path"].as_str()?.into(),
        folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf(),
        edition: target["edition"].as_str()?.to_owned(),
        package: message["package_id"].as_str()?.to_owned(),
    };
    Some((target["name"].as_str()?.replace('-', "_"), library))
}
