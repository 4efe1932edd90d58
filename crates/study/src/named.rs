//! Files that a study or an option names.

use crate::problem::cannot_read;
use proofload_facts::Mistake;
use proofload_host::files;
use std::io::ErrorKind;
use std::path::Path;

/// Reads a file of at most that many bytes, `most` in words; `name` is what it is called in a mistake.
///
/// # Errors
/// It cannot be read, is not a file, or is larger.
pub fn read_named(path: &Path, name: &str, most_bytes: u64, most: &'static str) -> Result<Vec<u8>, Mistake> {
    let file = name.to_string();
    files::read(path, most_bytes).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => Mistake::FileTooLarge { file, most },
        ErrorKind::InvalidInput => Mistake::NotAFile { file },
        _ => cannot_read(file, &error),
    })
}
