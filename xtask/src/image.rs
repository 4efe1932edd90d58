//! `cargo xtask image`: a container image of the command, without a container engine and without a registry.

mod archive;
mod elf;

use crate::tools::{self, cargo};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// What the image is built for, and what its C compiler is called in the environment.
const TARGET: &str = "x86_64-unknown-linux-musl";
const COMPILER: (&str, &str) = ("CC_x86_64_unknown_linux_musl", "gcc");

/// Writes `target/image/proofload-VERSION.tar` with a fresh static build, or with `--binary FILE`.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let target = tools::target_folder(root);
    let binary = match args[..] {
        [] => {
            let build = ["build", "--release", "--locked", "--target", TARGET, "-p", "proofload-cli"];
            cargo(root, &build, &[COMPILER])
                .with_context(|| format!("is the target there? `rustup target add {TARGET}` adds it"))?;
            target.join(TARGET).join("release/proofload")
        }
        ["--binary", file] => PathBuf::from(file),
        _ => bail!("image takes --binary FILE or nothing"),
    };
    let content = std::fs::read(&binary).with_context(|| format!("cannot read {}", binary.display()))?;
    let architecture = elf::architecture(&content).with_context(|| binary.display().to_string())?;
    let archive = archive::archive(&content, architecture, env!("CARGO_PKG_VERSION"))?;
    let folder = target.join("image");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let made = folder.join(format!("proofload-{}.tar", env!("CARGO_PKG_VERSION")));
    std::fs::write(&made, archive).with_context(|| format!("cannot write {}", made.display()))?;
    println!("{}", made.display());
    Ok(())
}
