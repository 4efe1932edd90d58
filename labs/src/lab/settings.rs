//! Settings of the whole machine that an engine changes. They are kept in the folder of the lab, so that the next one sets them
//! back where this one was killed.

use anyhow::Context;
use std::fs;
use std::path::Path;

const FILE: &str = "settings";
const SYSCTL: &str = "/proc/sys";

/// Writes down how they are, by their paths below `/proc/sys`. Those that this kernel does not have are left out.
pub fn keep(folder: &Path, names: &[&str]) -> anyhow::Result<()> {
    let path = folder.join(FILE);
    fs::write(&path, kept(Path::new(SYSCTL), names)).with_context(|| format!("{}", path.display()))
}

fn kept(of: &Path, names: &[&str]) -> String {
    let read = |name: &&str| Some(format!("{name}={}", fs::read_to_string(of.join(name)).ok()?.trim_end()));
    names.iter().filter_map(read).collect::<Vec<_>>().join("\n")
}

/// Sets back what was written down in this folder, if anything was.
pub fn restore(folder: &Path) {
    set_back(Path::new(SYSCTL), &fs::read_to_string(folder.join(FILE)).unwrap_or_default());
}

fn set_back(of: &Path, kept: &str) {
    for (name, value) in kept.lines().filter_map(|line| line.split_once('=')) {
        // What cannot be set back was not changed either.
        let _ = fs::write(of.join(name), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_is_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let setting = folder.path().join("panic");
        fs::write(&setting, "1\n").unwrap();
        let before = kept(folder.path(), &["panic", "absent"]);
        fs::write(&setting, "10\n").unwrap();
        set_back(folder.path(), &before);
        assert_eq!(fs::read_to_string(&setting).unwrap(), "1");
        assert!(!folder.path().join("absent").exists());
    }
}
