//! Forms in which values are written into their places.

use super::named::read_named;
use super::problem::shown;
use super::template::{name_of, no_filter};
use proofload_engine::feed::Filter;
use proofload_facts::Mistake;
use serde::de::IgnoredAny;
use std::path::Path;

/// Largest file that is read for a request: a feeder's table, a body, a part of a form. It lies in memory.
pub(super) const FILE_MAX: u64 = 64 * 1024 * 1024;

/// Longest value that a header or a path is filled with: the limit of a head in common servers.
const HEAD_VALUE_MAX: usize = 8 * 1024;

/// Place of a value, which decides the form that it takes unless another one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Within the path or the query.
    Target,
    /// At the beginning of the path, behind its `/`: the value has all of it.
    WholeTarget,
    Header,
    /// In a body, or an argument of a call.
    Body,
    /// Within a string of a body of JSON.
    JsonString,
    /// Outside of strings in a body of JSON.
    JsonValue,
    /// In an application/x-www-form-urlencoded body.
    Urlencoded,
}

/// Form of a value in its place, and what it must be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Writing {
    pub filter: Filter,
    /// True in the head of a request, where lengths are limited.
    pub in_head: bool,
    /// True if the value must be JSON by itself.
    pub is_json: bool,
}

impl Context {
    /// The form of a value here, where `asked` is written.
    pub(super) fn writing(self, asked: Option<Filter>) -> Result<Writing, Mistake> {
        let (in_path, is_form) =
            (matches!(self, Context::Target | Context::WholeTarget), self == Context::Urlencoded);
        let takes = |filter| !(in_path || is_form) || !matches!(filter, Filter::Json | Filter::Base64);
        if let Some(filter) = asked.filter(|filter| !takes(*filter)) {
            return Err(no_filter(name_of(filter), takes));
        }
        let filter = match (self, asked) {
            (Context::Target, None) => Filter::Url,
            (Context::Target, Some(Filter::Raw)) => Filter::Encoded,
            (Context::WholeTarget, None | Some(Filter::Raw)) => Filter::Target,
            (Context::Header, None | Some(Filter::Raw)) => Filter::Line,
            (Context::JsonString, None | Some(Filter::Json)) => Filter::JsonText,
            (Context::Urlencoded, None) => Filter::Form,
            (_, asked) => asked.unwrap_or_default(),
        };
        let is_json = self == Context::JsonValue && asked.is_none();
        Ok(Writing { filter, in_head: in_path || self == Context::Header, is_json })
    }
}

impl Writing {
    /// The value in this form; `name` is what it is written as, without braces.
    pub(super) fn of(self, value: &[u8], name: &str) -> Result<Vec<u8>, Mistake> {
        if self.in_head && value.len() > HEAD_VALUE_MAX {
            return Err(Mistake::TooLong { length: value.len() as u64, most: "8 KiB".to_string() });
        }
        if self.filter == Filter::Line && value.iter().any(|&byte| is_control(byte)) {
            return Err(Mistake::ControlCharacter);
        }
        if self.is_json && !is_json(value) {
            return Err(Mistake::NotJson { name: shown(name) });
        }
        let mut written = Vec::with_capacity(value.len());
        self.filter.apply(value, |piece| written.extend_from_slice(piece));
        Ok(written)
    }
}

/// True for a text that is JSON by itself.
pub(super) fn is_json(value: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(value).is_ok()
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f
}

/// Reads a file that goes into requests.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    read_named(path, &path.display().to_string(), FILE_MAX, "64 MiB")
}
