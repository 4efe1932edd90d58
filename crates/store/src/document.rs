//! JSON documents of a run: limits, versions, damage.

use crate::StoreError;
use crate::charge::{self, Unread};
use crate::schema::{FORMAT_VERSION, Slice};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The one field that every version has.
#[derive(Deserialize)]
pub(crate) struct Versioned {
    pub format: u32,
}
/// Most memory that a record takes: what is read stays there. The largest records of studies have some ten
/// megabytes, and a soak of 72 hours would have twenty.
pub(crate) const RECORD_MAX: u64 = 1 << 30;
/// Most that a line of a block may take: a slice of a day, with every second in it, takes a tenth.
const LINE_KEPT_MAX: u64 = 64 << 20;
/// Most letters of what is wrong with a text.
const COMPLAINT_MAX: usize = 300;
/// Largest JSON document that is read.
const DOCUMENT_MAX: u64 = 64 << 20;
/// Checks that this version can read format `found` of the file at `path`.
pub(crate) fn known(path: &Path, found: u32) -> Result<(), StoreError> {
    match found {
        0 => Err(StoreError::Damaged { path: path.to_path_buf(), why: "format 0 never was".to_string() }),
        1..=FORMAT_VERSION => Ok(()),
        _ => Err(StoreError::Newer { path: path.to_path_buf(), found, known: FORMAT_VERSION }),
    }
}

/// Reads a document with its format version.
pub(crate) fn versioned<T: DeserializeOwned>(path: &Path, room: &mut Room) -> Result<T, StoreError> {
    let text = text_of(path)?;
    let Versioned { format } = room.read(path, &text)?;
    known(path, format)?;
    room.read(path, &text)
}

/// One that does not.
pub(crate) fn document<T: DeserializeOwned>(path: &Path, room: &mut Room) -> Result<T, StoreError> {
    room.read(path, &text_of(path)?)
}

/// Room that is left for a record in memory.
pub(crate) struct Room {
    most_bytes: u64,
    left_bytes: u64,
}

impl Default for Room {
    fn default() -> Self {
        Room::of(RECORD_MAX)
    }
}

impl Room {
    pub(crate) fn of(most_bytes: u64) -> Room {
        Room { most_bytes, left_bytes: most_bytes }
    }

    fn too_large(&self, path: &Path) -> StoreError {
        StoreError::TooLarge { path: path.to_path_buf(), most_bytes: self.most_bytes }
    }

    /// A line of a block, or what is wrong with it: damage of that block, where the line alone is to blame.
    pub(crate) fn line(&mut self, path: &Path, line: &[u8]) -> Result<Result<Slice, String>, StoreError> {
        let most_bytes = self.left_bytes.min(LINE_KEPT_MAX);
        let mut left_bytes = most_bytes;
        let read = charge::read(line, &mut left_bytes);
        let kept = most_bytes - left_bytes + size_of::<Slice>() as u64;
        // Nor is more text read than there is room, whatever is kept of it.
        let taken = kept.max(line.len() as u64);
        self.left_bytes = self.left_bytes.checked_sub(taken).ok_or_else(|| self.too_large(path))?;
        match read {
            Ok(slice) => Ok(Ok(slice)),
            Err(Unread::Json(error)) => Ok(Err(cut(&error))),
            Err(Unread::TooMuch) if most_bytes < LINE_KEPT_MAX => Err(self.too_large(path)),
            Err(Unread::TooMuch) => {
                Ok(Err(format!("it would take more than {} MiB of memory", LINE_KEPT_MAX >> 20)))
            }
        }
    }

    fn read<T: DeserializeOwned>(&mut self, path: &Path, text: &[u8]) -> Result<T, StoreError> {
        charge::read(text, &mut self.left_bytes).map_err(|unread| match unread {
            Unread::Json(error) => StoreError::Damaged { path: path.to_path_buf(), why: cut(&error) },
            Unread::TooMuch => self.too_large(path),
        })
    }
}

/// Error of a text, which may repeat as much of the text as there is.
fn cut(error: &serde_json::Error) -> String {
    let error = error.to_string();
    match error.char_indices().nth(COMPLAINT_MAX) {
        Some((end, _)) => format!("{} …", &error[..end]),
        None => error,
    }
}

/// Opens a plain file of a record: opening a pipe would wait for its writer for ever.
pub(crate) fn open(path: &Path) -> Result<File, StoreError> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = file.map_err(|e| StoreError::io("read", path, e))?;
    match file.metadata().is_ok_and(|found| found.is_file()) {
        true => Ok(file),
        false => Err(StoreError::Damaged { path: path.to_path_buf(), why: "it is no file".to_string() }),
    }
}

/// All of its text, if that is no more than a document may have.
pub(crate) fn text_of(path: &Path) -> Result<Vec<u8>, StoreError> {
    let (mut text, file) = (Vec::new(), open(path)?);
    file.take(DOCUMENT_MAX + 1).read_to_end(&mut text).map_err(|e| StoreError::io("read", path, e))?;
    if text.len() as u64 > DOCUMENT_MAX {
        let why = format!("it is larger than {} MiB", DOCUMENT_MAX >> 20);
        return Err(StoreError::Damaged { path: path.to_path_buf(), why });
    }
    Ok(text)
}
