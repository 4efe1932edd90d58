//! Files that are bodies, or parts of one: long ones are read while they are sent.

use super::problem::cannot_read;
use super::writing::{FILE_MAX, read_file};
use proofload_facts::Mistake;
use proofload_store::redact;
use proofload_wire::{Source, Streamed};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Longest file that is kept in memory without need.
const SHORT: u64 = 64 * 1024;

/// Bytes read of a file at once.
const PIECE: usize = 64 * 1024;

/// Bytes of a long file that are searched for credentials, which the server may repeat.
const SEARCHED: u64 = 4 << 20;

pub(super) enum Content {
    Bytes(Vec<u8>),
    /// It is read while it is sent.
    Long(Streamed),
}

impl Content {
    /// Contents of that file. With `fills` it may be text with placeholders, and has to be in memory then.
    pub fn of(path: &Path, fills: bool) -> Result<Content, Mistake> {
        let name = || path.display().to_string();
        let cannot = |error| cannot_read(name(), &error);
        // To open a pipe may take for ever.
        let found = std::fs::metadata(path).map_err(cannot)?;
        if !found.is_file() || found.len() <= SHORT {
            return read_file(path).map(Content::Bytes);
        }
        let file = File::open(path).map_err(cannot)?;
        let mut beginning = vec![0; found.len().min(SEARCHED) as usize];
        file.read_exact_at(&mut beginning, 0).map_err(cannot)?;
        redact::know_in(&String::from_utf8_lossy(&beginning));
        if fills && has_placeholders(&file).map_err(cannot)? {
            if found.len() > FILE_MAX {
                return Err(Mistake::PlaceholdersInLongFile { file: name(), most: "64 MiB" });
            }
            return read_file(path).map(Content::Bytes);
        }
        let (bytes, changed) = version(&found);
        Ok(Content::Long(Streamed::new(LongFile { path: path.to_path_buf(), file, bytes, changed })))
    }

    /// Hands over its content, piece by piece.
    pub fn read(&self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let source = match self {
            Content::Bytes(bytes) => {
                take(bytes);
                return Ok(());
            }
            Content::Long(source) => source,
        };
        let mut piece = vec![0; PIECE];
        for at in (0..source.bytes()).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min((source.bytes() - at) as usize)];
            source.read(at, piece)?;
            take(piece);
        }
        Ok(())
    }
}

/// Returns true for a text file that may have a placeholder.
fn has_placeholders(mut file: &File) -> io::Result<bool> {
    let (mut buffer, mut kept, mut found) = (vec![0; PIECE], 0, false);
    loop {
        let came = file.read(&mut buffer[kept..])?;
        let text = &buffer[..kept + came];
        let whole = match std::str::from_utf8(text) {
            Ok(_) if came == 0 => return Ok(found),
            Ok(_) => text.len() - usize::from(text.ends_with(b"$")),
            // A character goes on in the next piece.
            Err(error) if came > 0 && error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Ok(false),
        };
        found = found || text.windows(2).any(|two| two == b"${");
        kept = text.len() - whole;
        buffer.copy_within(whole..whole + kept, 0);
    }
}

fn version(found: &Metadata) -> (u64, Option<SystemTime>) {
    (found.len(), found.modified().ok())
}

/// A file as it was when the load was planned.
#[derive(Debug)]
struct LongFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Source for LongFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        let told =
            |what: &dyn std::fmt::Display| io::Error::other(format!("{}: {what}", self.path.display()));
        // Checked once for each body: it is sent as planned, or the change is reported.
        if at == 0 && version(&self.file.metadata()?) != (self.bytes, self.changed) {
            return Err(told(&"the file was changed since the load was planned; run it again"));
        }
        self.file.read_exact_at(into, at).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => told(&"the file became shorter while it was sent; run it again"),
            _ => told(&error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(bytes: &[u8], fills: bool) -> (tempfile::NamedTempFile, Content) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("written");
        let content = Content::of(file.path(), fills).expect("a file");
        (file, content)
    }

    /// Text of that length with `what` at a byte of it.
    fn text(len: usize, at: usize, what: &str) -> Vec<u8> {
        let mut text = vec![b'a'; len];
        text[at..at + what.len()].copy_from_slice(what.as_bytes());
        text
    }

    #[test]
    fn long_files_are_read_while_they_are_sent_unless_they_have_placeholders() {
        let is_long = |bytes: &[u8], fills| matches!(content(bytes, fills).1, Content::Long(_));
        assert!(!is_long(&vec![b'a'; PIECE], true) && is_long(&vec![b'a'; PIECE + 1], true));
        for at in [0, PIECE - 2, PIECE - 1, PIECE, 2 * PIECE, 3 * PIECE - 4] {
            assert!(!is_long(&text(3 * PIECE, at, "${x}"), true), "at {at}");
            assert!(is_long(&text(3 * PIECE, at, "${x}"), false), "a part of a form is sent as it is");
            assert!(is_long(&text(3 * PIECE, at, "$ {x"), true), "at {at}");
            assert!(is_long(&text(3 * PIECE, at, "\u{1f600}"), true), "at {at}");
            let binary = [text(3 * PIECE, at, "${x}"), vec![0xff]].concat();
            assert!(is_long(&binary, true), "what is no text has no placeholders: {at}");
        }
        let mixed = [text(PIECE, PIECE - 5, "\u{1f600}"), b"${x}".to_vec()].concat();
        assert!(!is_long(&mixed, true), "behind a character that lies over two pieces");
    }

    #[test]
    fn what_is_read_is_what_is_in_the_file() {
        for len in [0, 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let (_file, content) = content(&bytes, true);
            let mut read = Vec::new();
            content.read(|piece| read.extend_from_slice(piece)).expect("readable");
            assert_eq!(read, bytes);
        }
    }

    #[test]
    fn a_file_that_changes_or_shrinks_is_told() {
        let (file, content) = content(&vec![b'a'; 3 * PIECE], true);
        let Content::Long(source) = content else { panic!("it is long") };
        let mut piece = vec![0; PIECE];
        source.read(0, &mut piece).expect("as it was");
        file.as_file().set_len(PIECE as u64).expect("cut");
        let said =
            |at, piece: &mut [u8]| source.read(at, piece).expect_err("it is not what it was").to_string();
        assert!(said(PIECE as u64, &mut piece).ends_with("became shorter while it was sent; run it again"));
        file.as_file().set_len(3 * PIECE as u64).expect("longer again");
        assert!(said(0, &mut piece).ends_with("was changed since the load was planned; run it again"));
    }

    #[test]
    fn placeholders_in_a_file_beyond_the_limit_are_a_mistake_and_other_files_have_none() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "${x}").expect("written");
        // Behind that only zero bytes, which are text and take no room on the disk.
        file.as_file().set_len(FILE_MAX + 1).expect("long");
        assert!(matches!(Content::of(file.path(), true), Err(Mistake::PlaceholdersInLongFile { .. })));
        assert!(matches!(Content::of(file.path(), false), Ok(Content::Long(_))));
    }
}
