//! `cargo xtask image`: a container image of the command, without a container engine and without a registry.

mod archive;
mod elf;

use crate::tools::{self, cargo};
use anyhow::{Context, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Target of the image, and the variable and program of its C compiler.
const TARGET: &str = "x86_64-unknown-linux-musl";
const COMPILER: (&str, &str) = ("CC_x86_64_unknown_linux_musl", "gcc");

/// Name of the image, and path of the command in it.
pub const NAME: &str = "localhost/proofload";
pub const PROGRAM: &str = "usr/bin/proofload";

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
    let content = read(&binary)?;
    let is_static = !elf::needs_loader(&content)?;
    ensure!(
        is_static,
        "{}: it needs a loader, which the image does not have; build it static (docs/install.md)",
        binary.display()
    );
    let folder = target.join("image");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let made = folder.join(format!("proofload-{}.tar", env!("CARGO_PKG_VERSION")));
    write(NAME, PROGRAM, &content, &[], &made)?;
    println!("{}", made.display());
    Ok(())
}

/// Writes the image of any executable of this machine, with the libraries that it needs, if any. Returns what an engine is
/// asked for.
pub fn of_this_machine(name: &str, program: &str, binary: &Path, made: &Path) -> anyhow::Result<String> {
    let content = read(binary)?;
    let libraries = if elf::needs_loader(&content)? { libraries(binary)? } else { Vec::new() };
    write(name, program, &content, &libraries, made)
}

fn write(
    name: &str,
    program: &str,
    binary: &[u8],
    libraries: &[(String, Vec<u8>)],
    made: &Path,
) -> anyhow::Result<String> {
    let (architecture, version) = (elf::architecture(binary)?, env!("CARGO_PKG_VERSION"));
    let image = archive::Image { name, version, architecture, program, binary, libraries };
    std::fs::write(made, archive::archive(&image)?)
        .with_context(|| format!("cannot write {}", made.display()))?;
    Ok(image.reference())
}

fn read(binary: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))
}

/// The loader and the libraries that it would load, with their paths.
fn libraries(binary: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let listed = Command::new("ldd").arg(binary).output().context("ldd")?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let paths = listed.split_whitespace().filter_map(|word| word.strip_prefix('/'));
    paths.map(|path| Ok((path.to_owned(), read(&Path::new("/").join(path))?))).collect()
}
