//! `cargo xtask deb`: a Debian package of the command, by cargo-deb; `crates/cli/Cargo.toml` lists its contents.

use crate::tools::{cargo, run_command, target_folder};
use anyhow::{Context, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// cargo-deb as this was written for.
const VERSION: &str = "3.8.0";

/// Folder of completions, manual pages and the package.
const FOLDER: &str = "target/debian";

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Required files of a package.
const HELD: [&str; 7] = [
    "./usr/bin/proofload",
    "./usr/share/bash-completion/completions/proofload",
    "./usr/share/zsh/vendor-completions/_proofload",
    "./usr/share/fish/vendor_completions.d/proofload.fish",
    "./usr/share/man/man1/proofload.1.gz",
    "./usr/share/doc/proofload/copyright",
    "./usr/share/doc/proofload/README.md",
];

/// Builds `target/debian/proofload_VERSION_ARCHITECTURE.deb` of a fresh release build, or of `--binary FILE`.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let binary = match args[..] {
        [] => {
            cargo(root, &["build", "--release", "--locked", "-p", "proofload-cli"], &[])?;
            target_folder(root).join("release/proofload")
        }
        ["--binary", file] => PathBuf::from(file),
        _ => bail!("deb takes --binary FILE or nothing"),
    };
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let program = folder.join("proofload");
    fs::copy(&binary, &program).with_context(|| format!("cannot copy {}", binary.display()))?;
    for shell in SHELLS {
        fs::write(folder.join(shell), said(Command::new(&program).args(["completions", shell]))?)?;
    }
    said(Command::new(&program).arg("man").arg(folder.join("man")))?;
    let mut deb = Command::new(cargo_deb(root)?);
    deb.args(["--no-build", "--no-strip", "--package", "proofload-cli", "--output"]).arg(&folder);
    let made = said(deb.current_dir(root))?;
    let made = Path::new(made.trim());
    check(made)?;
    println!("{}", made.display());
    Ok(())
}

/// Contents as dpkg lists them.
fn check(package: &Path) -> anyhow::Result<()> {
    let facts = said(Command::new("dpkg-deb").arg("--info").arg(package))?;
    ensure!(facts.contains("Package: proofload\n"), "{facts}");
    let listed = said(Command::new("dpkg-deb").arg("--contents").arg(package))?;
    ensure!(listed.lines().all(|line| line.contains("root/root")), "not all of it is root's:\n{listed}");
    let missing: Vec<&str> =
        HELD.into_iter().filter(|held| !listed.lines().any(|line| line.ends_with(held))).collect();
    ensure!(missing.is_empty(), "{} lacks {}:\n{listed}", package.display(), missing.join(", "));
    Ok(())
}

fn cargo_deb(root: &Path) -> anyhow::Result<PathBuf> {
    let tools = target_folder(root).join("tools");
    let program = tools.join("bin/cargo-deb");
    let said = Command::new(&program).arg("--version").output();
    if !said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim() == VERSION) {
        println!("building cargo-deb {VERSION} once");
        let mut install = crate::tools::cargo_command(root);
        install.args([
            "install",
            "cargo-deb",
            "--version",
            VERSION,
            "--locked",
            "--force",
            "--quiet",
            "--root",
        ]);
        run_command(install.arg(tools))?;
    }
    Ok(program)
}

/// Standard output of a program.
fn said(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    String::from_utf8(output.stdout).with_context(|| format!("what {command:?} says"))
}
