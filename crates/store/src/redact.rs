//! Credentials out of everything that is kept or shown.
//!
//! A credential is known by the name before it when arguments and studies are read ([`know`], [`know_named`], [`know_in`]),
//! and hidden by its value from then on, under whatever name it comes back. What only looks like one is hidden by its name.

mod file;
mod find;
mod json;
mod names;
mod values;

pub use file::file;
use find::{Form, find};
pub use json::json;
pub use names::is_sensitive;
use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};
pub use values::Secrets;

/// Replacement for a credential.
pub const REDACTED: &str = "[redacted]";

/// Credentials that this process was given.
static KNOWN: RwLock<Secrets> = RwLock::new(Secrets::new());

/// Most bytes of a text that are searched.
const TEXT_BYTES_MAX: usize = 4 << 20;

/// Takes note of a credential: it is hidden wherever this process writes or shows text.
pub fn know(value: &str) {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).know(value);
}

/// Takes note of the value of that name, if it is the name of a credential, and of credentials in the value.
pub fn know_named(name: &str, value: &str) {
    if is_sensitive(name) {
        for part in credential_parts(name, value) {
            know_decoded(part);
        }
    }
    know_in(value);
}

/// Takes note of the credentials in an argument, a value or a body: JSON, XML, a form, a query, a header, an option.
pub fn know_in(text: &str) {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    for span in find(text, Form::Word) {
        know_decoded(&text[span]);
    }
}

/// Credentials in the value of a header or another field: all of it, and each part that is one.
fn credential_parts<'a>(name: &str, value: &'a str) -> Vec<&'a str> {
    let value = value.trim();
    let value = match value.split_once(' ') {
        Some((scheme, rest)) if find::is_scheme(scheme) => rest.trim(),
        _ => value,
    };
    let mut parts = vec![value];
    let is_cookie = name.to_ascii_lowercase().contains("cookie");
    for part in value.split([';', ',', '\n']).filter(|_| is_cookie || value.contains('=')) {
        let Some((key, value)) = part.split_once('=') else { continue };
        // Of `Digest` and the like: these are proofs of identity, the others parameters.
        let proves = ["response", "nonce", "cnonce", "opaque"].contains(&key.trim()) || is_sensitive(key);
        if is_cookie || proves {
            parts.push(value.trim().trim_matches('"'));
        }
    }
    parts
}

/// A value as it is written, and as it is meant.
fn know_decoded(value: &str) {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).know_sent(value);
}

/// Bytes that were received or logged, without the values that are known. `cut`: a value may be cut off at their end.
pub fn hide_bytes(bytes: &[u8], cut: bool) -> Vec<u8> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).hide(bytes, cut)
}

/// The text without the known values. For texts of our own: names in it are not looked at.
pub fn hide(text: &str) -> Cow<'_, str> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    match known.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(String::from_utf8_lossy(&known.hide(text.as_bytes(), false)).into_owned()),
    }
}

/// The values that are known to this process, for another that writes for it.
pub fn known() -> Vec<String> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    known.values().map(|value| String::from_utf8_lossy(value).into_owned()).collect()
}

/// A text that people or programs wrote without its credentials: the values that are known, and what follows the name of a
/// credential. A record that hides too much is better than one that cannot be shown.
pub fn text(text: &str) -> String {
    cut(&hide(text), Form::Text)
}

/// An argument or a value without its credentials; the rest of it stays byte for byte.
pub fn word(text: &str) -> String {
    cut(&hide(text), Form::Word)
}

/// The value of that name, without what may not be shown: `Bearer [redacted]`. Quotes around it stay with a word that is
/// shown.
pub fn named(name: &str, value: &str) -> String {
    if !is_sensitive(name) {
        return word(value);
    }
    let quote = if value.starts_with(['"', '\'']) { &value[..1] } else { "" };
    let inner = value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote)).unwrap_or(value);
    match inner.trim_start().split_once(' ').filter(|(scheme, _)| find::is_scheme(scheme)) {
        Some((scheme, _)) => format!("{quote}{scheme} {REDACTED}{quote}"),
        None => REDACTED.to_string(),
    }
}

fn cut(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in find(text, form) {
        out.push_str(&text[at..span.start]);
        out.push_str(REDACTED);
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests;
