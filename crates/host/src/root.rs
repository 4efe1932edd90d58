//! The files in which the kernel describes the machine, below `/` or, in tests, below a folder of fixtures.

use super::process::field;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most bytes of one such file that are read; `/proc/cpuinfo` of a machine with 500 CPUs has about 750 KiB.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// Folder that has `proc`, `sys` and `etc`.
#[derive(Clone, Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn machine() -> Self {
        Root(PathBuf::from("/"))
    }

    /// A folder that has the same layout.
    #[cfg(test)]
    pub(crate) fn at(folder: &Path) -> Self {
        Root(folder.to_path_buf())
    }

    /// Path of a file of the kernel.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A file's text without white space at its ends; `None` when it cannot be read.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let file = File::open(self.path(path)).ok()?;
        let mut bytes = Vec::new();
        file.take(TEXT_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_string())
    }

    /// A file that holds one number.
    pub(crate) fn number<T: std::str::FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// A line of `/proc/meminfo`: `MemTotal`, `MemAvailable`.
    pub(crate) fn meminfo_bytes(&self, key: &str) -> Option<u64> {
        field(&self.text("/proc/meminfo")?, &format!("{key}:"))?.checked_mul(1024)
    }
}
