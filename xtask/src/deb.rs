//! `cargo xtask deb`: a Debian package of the command.

use crate::tools::cargo;
use anyhow::{Context, bail};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells with where Debian keeps their completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/proofload"),
    ("zsh", "usr/share/zsh/vendor-completions/_proofload"),
    ("fish", "usr/share/fish/vendor_completions.d/proofload.fish"),
];

const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: proofload

Files: *
Copyright: the authors of Proofload
License: Apache-2.0
 On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.
";

/// Builds `target/debian/proofload_VERSION_ARCHITECTURE.deb` of a fresh release build, or of `--binary FILE`.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let binary = match args[..] {
        [] => {
            cargo(root, &["build", "--release", "--locked", "-p", "proofload-cli"], &[])?;
            root.join("target/release/proofload")
        }
        ["--binary", file] => PathBuf::from(file),
        _ => bail!("deb takes --binary FILE or nothing"),
    };
    let completions = COMPLETIONS.map(|(shell, _)| said(&binary, &["completions", shell]));
    let version = said(&binary, &["--version"])?;
    let version = version.split_whitespace().last().context("the version")?;
    let folder = root.join("target/debian");
    let pages = manual(&binary, &folder.join("man"))?;
    let package = package(root, &binary, completions, &pages, version, &folder)?;
    println!("{}", package.display());
    Ok(())
}

/// The manual pages, compressed as Debian wants them.
fn manual(binary: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let at = folder.to_str().context("a folder whose name is UTF-8")?;
    said(binary, &["man", at])?;
    said(Path::new("gzip"), &["-9nr", at])?;
    let pages: Result<Vec<PathBuf>, _> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    pages.map_err(|error: std::io::Error| error.into())
}

/// Lays out the package below `folder`, and builds it there.
fn package(
    root: &Path,
    binary: &Path,
    completions: [anyhow::Result<String>; 3],
    pages: &[PathBuf],
    version: &str,
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let tree = folder.join("tree");
    if tree.exists() {
        std::fs::remove_dir_all(&tree).with_context(|| format!("cannot empty {}", tree.display()))?;
    }
    let content = std::fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    put(&tree, "usr/bin/proofload", &content, 0o755)?;
    for ((_, place), text) in COMPLETIONS.iter().zip(completions) {
        put(&tree, place, text?.as_bytes(), 0o644)?;
    }
    for page in pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        put(&tree, &format!("usr/share/man/man1/{name}"), &std::fs::read(page)?, 0o644)?;
    }
    put(&tree, "usr/share/doc/proofload/copyright", COPYRIGHT.as_bytes(), 0o644)?;
    put(&tree, "usr/share/doc/proofload/README.md", &std::fs::read(root.join("README.md"))?, 0o644)?;
    let architecture = said(Path::new("dpkg"), &["--print-architecture"])?;
    let control = control(version, architecture.trim(), &needs(&content)?, content.len() / 1024 + 1);
    put(&tree, "DEBIAN/control", control.as_bytes(), 0o644)?;
    let name = format!("proofload_{version}_{}.deb", architecture.trim());
    let made = folder.join(name);
    let built = Command::new("dpkg-deb")
        .args(["--root-owner-group", "--build"])
        .args([&tree, &made])
        .output()
        .context("cannot run dpkg-deb; it is part of every Debian")?;
    if !built.status.success() {
        bail!("dpkg-deb: {}", String::from_utf8_lossy(&built.stderr).trim());
    }
    Ok(made)
}

fn control(version: &str, architecture: &str, depends: &str, kibibytes: usize) -> String {
    format!(
        "Package: proofload\nVersion: {version}\nArchitecture: {architecture}\n{depends}\
         Maintainer: the authors of Proofload <proofload@localhost>\nSection: net\nPriority: optional\n\
         Installed-Size: {kibibytes}\nDescription: load-testing laboratory that ends in a verdict\n \
         Starts real servers, loads them over their own protocols, repeats and interleaves the runs, and\n \
         reports each claim as supported, refuted or undecided, with its confidence interval.\n"
    )
}

/// The line of what it is linked with. An executable that names no loader needs nothing.
fn needs(binary: &[u8]) -> anyhow::Result<String> {
    // The loader's name follows the program headers.
    let head = &binary[..binary.len().min(4096)];
    if !head.windows(9).any(|bytes| bytes == b"ld-linux-") {
        return Ok(String::new());
    }
    let version = said(Path::new("dpkg-query"), &["-W", "-f", "${Version}", "libc6"])?;
    let upstream = version.split(['-', '+']).next().unwrap_or_default().to_string();
    Ok(format!("Depends: libc6 (>= {upstream}), libgcc-s1\n"))
}

fn put(tree: &Path, place: &str, content: &[u8], mode: u32) -> anyhow::Result<()> {
    let path = tree.join(place);
    let folder = path.parent().context("a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
    Ok(())
}

/// What a program prints.
fn said(program: &Path, args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program)
        .args(args)
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    if !output.status.success() {
        bail!("{} {}: {}", program.display(), args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("what {} says", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_holds_what_it_should_and_can_be_unpacked() {
        let folder = tempfile::tempdir().expect("a directory");
        let completions = ["bash's", "zsh's", "fish's"].map(|text| Ok(text.to_string()));
        let binary = Path::new("/bin/true");
        let page = folder.path().join("proofload.1.gz");
        std::fs::write(&page, "a page").expect("written");
        let made = package(&crate::root(), binary, completions, &[page], "1.2.3", folder.path());
        let made = made.expect("a package");
        let at = made.to_str().expect("UTF-8");
        let facts = said(Path::new("dpkg-deb"), &["-I", at]).expect("facts");
        for line in ["Package: proofload", "Version: 1.2.3", "Depends: libc6 (>= 2."] {
            assert!(facts.contains(line), "{line}: {facts}");
        }
        let listed = said(Path::new("dpkg-deb"), &["-c", at]).expect("a list");
        assert!(listed.lines().all(|line| line.contains("root/root")), "{listed}");
        let unpacked = folder.path().join("root");
        said(Path::new("dpkg-deb"), &["-x", at, unpacked.to_str().expect("UTF-8")]).expect("unpacked");
        said(&unpacked.join("usr/bin/proofload"), &[]).expect("it runs");
        for ((_, place), text) in COMPLETIONS.iter().zip(["bash's", "zsh's", "fish's"]) {
            assert_eq!(std::fs::read_to_string(unpacked.join(place)).expect("there"), text);
        }
        assert!(unpacked.join("usr/share/doc/proofload/copyright").is_file());
        assert!(unpacked.join("usr/share/man/man1/proofload.1.gz").is_file());
    }

    #[test]
    fn a_static_executable_depends_on_nothing() {
        assert_eq!(needs(b"\x7fELF static").expect("read"), "");
        assert!(
            needs(b"\x7fELF /lib64/ld-linux-x86-64.so.2").expect("read").starts_with("Depends: libc6 (>= ")
        );
    }
}
