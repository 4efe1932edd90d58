//! Lock files: which file a coordinate means, and the digest it must have.

use proofload_facts::{Expected, Mistake};
use proofload_study::problem::{Location, Sink, shown};
use std::path::{Path, PathBuf};

use super::SubjectError;
use super::cache::digest_of;

/// A lock file has a line for each file of a subject.
const LINES_MAX: usize = 10_000;

/// Remedy for a file of the cache that is not the pinned one.
pub(crate) const REFETCH: &str = "remove the file; it is fetched or built again at the next run";

/// One file that a subject is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    pub(crate) coordinate: String,
    pub(crate) file: String,
    pub(crate) sha256: String,
}

const LOCK_BYTES_MAX: u64 = 4 << 20;

/// Reads a lock file: coordinate, file name and SHA-256 on each line, `#` begins a comment.
///
/// # Errors
/// All lines that are not of this form.
pub(crate) fn read_lock(path: &Path) -> Result<Vec<Pin>, SubjectError> {
    let text =
        proofload_host::files::read_text(path, LOCK_BYTES_MAX).map_err(SubjectError::files(path, "read"))?;
    let mut pins = Vec::new();
    let sink = Sink::new(&path.display().to_string());
    for (index, line) in text.lines().enumerate().take(LINES_MAX) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        match parse(line) {
            Some(pin) => pins.push(pin),
            None => {
                let form = "group:artifact:version file.jar and 64 hexadecimal digits, or let `proofload subjects add` write the line";
                let place = Location { line: index + 1, ..Location::default() };
                sink.add(place, "", Mistake::not(shown(line), Expected::Pin, form));
            }
        }
    }
    if sink.is_empty() { Ok(pins) } else { Err(SubjectError::Declaration(sink.into_problems())) }
}

fn parse(line: &str) -> Option<Pin> {
    let mut words = line.split_ascii_whitespace();
    let (coordinate, file, sha256) = (words.next()?, words.next()?, words.next()?);
    let digest = sha256.len() == 64 && sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    // The name becomes a path and part of a class path.
    let named = file.bytes().all(is_name_byte) && !file.starts_with('.');
    let parts = coordinate.split(':').count();
    // A Debian version may hold a colon of its own.
    let counted = if coordinate.starts_with(DEBIAN) { 5..=6 } else { 3..=5 }.contains(&parts);
    let located =
        counted && coordinate.split(':').all(|part| !part.is_empty() && part.bytes().all(is_name_byte));
    (words.next().is_none() && digest && named && located).then(|| Pin {
        coordinate: coordinate.into(),
        file: file.into(),
        sha256: sha256.into(),
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'~' | b'%')
}

/// Begins the coordinate of a Debian package: `debian:WANTED:PACKAGE:ARCHITECTURE:VERSION`, a line for each
/// package that the wanted one brings.
const DEBIAN: &str = "debian:";

/// A Debian package of a lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DebianPin<'a> {
    pub(crate) wanted: &'a str,
    pub(crate) package: &'a str,
    pub(crate) architecture: &'a str,
    pub(crate) version: &'a str,
}

impl Pin {
    /// Pin of a Debian package, if it is one.
    pub(crate) fn debian(&self) -> Option<DebianPin<'_>> {
        let mut parts = self.coordinate.strip_prefix(DEBIAN)?.splitn(4, ':');
        let (wanted, package) = (parts.next()?, parts.next()?);
        Some(DebianPin { wanted, package, architecture: parts.next()?, version: parts.next()? })
    }

    /// True if its line could be read back.
    pub(crate) fn is_well_formed(&self) -> bool {
        parse(&self.line()).as_ref() == Some(self)
    }

    /// The file at `path`, which must have the digest that `lock` pins.
    pub(crate) fn at(&self, path: PathBuf, lock: &Path) -> Pinned {
        Pinned { path, sha256: self.sha256.clone(), lock: lock.into() }
    }

    /// The line of a lock file.
    pub(crate) fn line(&self) -> String {
        format!("{}  {}  {}", self.coordinate, self.file, self.sha256)
    }
}

/// A file that must not differ from the pinned one.
#[derive(Clone, Debug)]
pub(crate) struct Pinned {
    pub(crate) path: PathBuf,
    pub(crate) sha256: String,
    /// The file that names the digest.
    pub(crate) lock: PathBuf,
}

impl Pinned {
    /// # Errors
    /// The file is missing or another one.
    pub(crate) fn verify(&self, remedy: &'static str) -> Result<(), SubjectError> {
        let found = digest_of(&self.path).map_err(SubjectError::files(&self.path, "read"))?;
        if found == self.sha256 {
            return Ok(());
        }
        Err(SubjectError::Mismatch {
            file: self.path.clone(),
            lock: self.lock.clone(),
            pinned: self.sha256.clone(),
            found,
            remedy,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_lock_file_is_read_and_each_bad_line_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let digest = "0123456789abcdef".repeat(4);
        fs::write(&path, format!("# comment\n\na.b:c:1.0 c-1.0.jar {digest} # why\n")).unwrap();
        let pin = Pin { coordinate: "a.b:c:1.0".into(), file: "c-1.0.jar".into(), sha256: digest.clone() };
        assert_eq!(read_lock(&path).unwrap(), [pin]);

        let line = format!("debian:libx-1:liby:amd64:1:2.3+deb12~1 liby_1%3a2.3_amd64.deb {digest}");
        fs::write(&path, &line).unwrap();
        let pins = read_lock(&path).unwrap();
        let expected =
            DebianPin { wanted: "libx-1", package: "liby", architecture: "amd64", version: "1:2.3+deb12~1" };
        assert_eq!(pins[0].debian(), Some(expected));
        fs::write(&path, pins[0].line()).unwrap();
        assert_eq!(read_lock(&path).unwrap(), pins);

        let bad = format!(
            "a.b:c ../c.jar {digest}\na.b:c:1 ../c.jar {digest}\na.b:c:1 c.jar 00\na:b:<c> c.jar {digest}\n"
        );
        fs::write(&path, bad).unwrap();
        let SubjectError::Declaration(mistakes) = read_lock(&path).unwrap_err() else {
            panic!("another error")
        };
        assert_eq!(mistakes.0.iter().map(|mistake| mistake.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn a_changed_file_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.jar");
        fs::write(&path, "abc").unwrap();
        let pinned = Pinned { sha256: digest_of(&path).unwrap(), path: path.clone(), lock: "lock".into() };
        pinned.verify("fetch it again").unwrap();
        fs::write(&path, "abd!").unwrap();
        let refused = pinned.verify("fetch it again").unwrap_err().to_string();
        assert!(refused.contains("c.jar") && refused.contains("fetch it again"), "{refused}");
    }
}
