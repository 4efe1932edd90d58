//! Do the programs that measure Proofload still run? What they find is worth nothing here.

use crate::tools::{AS_TESTED, cargo, run_command};
use anyhow::Context;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A client of the others, which runs at an address.
const CLIENT: &str = "bare_loop";

/// The task: builds them, and runs each briefly. Measurements are built for release.
pub fn run(root: &Path) -> anyhow::Result<()> {
    cargo(root, &AS_TESTED, &[])?;
    let built = root.join("benches/target");
    let there = [("CARGO_TARGET_DIR", &*built.to_string_lossy())];
    cargo(root, &["test", "--locked", "--quiet", "--manifest-path", "benches/Cargo.toml"], &there)?;
    cargo(root, &["build", "--locked", "--quiet", "--manifest-path", "benches/Cargo.toml"], &there)?;
    for name in programs(root)? {
        run_command(Command::new(built.join("debug").join(name)).arg("--smoke"))?;
    }
    Ok(())
}

/// The names of the programs, in order.
fn programs(root: &Path) -> anyhow::Result<Vec<String>> {
    let folder = root.join("benches/src/bin");
    let files = fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
    let paths = files.map(|file| Ok(file?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    let stems = paths.iter().filter_map(|path| path.file_stem()?.to_str());
    let mut names: Vec<String> = stems.filter(|name| *name != CLIENT).map(str::to_owned).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_program_is_run() {
        let names = super::programs(&crate::root()).unwrap();
        let all = ["agents_cost", "bounds", "figures", "journeys", "memory", "mm1", "open_loop", "rejudged", "replays", "warming"];
        assert_eq!(names, all);
    }
}
