//! JSON documents of a run: limits, versions, damage.

use crate::StoreError;
use crate::schema::FORMAT_VERSION;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The one field that every version has.
#[derive(Deserialize)]
pub(crate) struct Versioned {
    pub format: u32,
}
/// Largest JSON document that is read.
const DOCUMENT_MAX: u64 = 64 << 20;
/// Whether this version can read that one.
pub(crate) fn known(path: &Path, found: u32) -> Result<(), StoreError> {
    match found {
        0 => Err(StoreError::Damaged { path: path.to_path_buf(), why: "format 0 never was".to_string() }),
        1..=FORMAT_VERSION => Ok(()),
        _ => Err(StoreError::Newer { path: path.to_path_buf(), found, known: FORMAT_VERSION }),
    }
}

/// A document that says its version.
pub(crate) fn versioned<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let text = text_of(path)?;
    let Versioned { format } = parse(path, &text)?;
    known(path, format)?;
    parse(path, &text)
}

/// One that does not.
pub(crate) fn document<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    parse(path, &text_of(path)?)
}

fn text_of(path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    let file = File::open(path).map_err(|e| StoreError::io("read", path, e))?;
    file.take(DOCUMENT_MAX + 1).read_to_end(&mut text).map_err(|e| StoreError::io("read", path, e))?;
    if text.len() as u64 > DOCUMENT_MAX {
        let why = format!("it is larger than {} MiB", DOCUMENT_MAX >> 20);
        return Err(StoreError::Damaged { path: path.to_path_buf(), why });
    }
    Ok(text)
}

fn parse<T: DeserializeOwned>(path: &Path, text: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(text)
        .map_err(|e| StoreError::Damaged { path: path.to_path_buf(), why: e.to_string() })
}
