//! Values of replies as JSON: as calls are written, whatever serialization they came in.

use super::text::{self, Dialect};
use super::write::put_base64;
use std::borrow::Cow;

/// Deepest nesting that is written; readers of JSON stop soon after.
const DEPTH_MAX: usize = 96;

/// Most digits behind the point of a number without exponent.
const SCALE_MAX: usize = 64;

/// Last character of a text that is not the whole value: no JSON ends so.
const CUT: &str = "…";

/// True if a value that was kept of a reply is all of it.
pub(crate) fn is_whole(kept: &[u8]) -> bool {
    !kept.is_empty() && !kept.ends_with(CUT.as_bytes())
}

/// A value that is being written, as far as there is room.
#[derive(Debug)]
pub(crate) struct Told {
    bytes: Vec<u8>,
    most: usize,
    /// True once something is missing; nothing is written then.
    cut: bool,
    /// The containers that are open, from the outside in.
    open: Vec<usize>,
}

impl Told {
    /// A value of at most that many bytes.
    pub fn new(most: usize) -> Self {
        Told { bytes: Vec::new(), most, cut: false, open: Vec::new() }
    }

    /// The text; of one that is not whole its beginning, and [`CUT`].
    pub fn end(mut self) -> Vec<u8> {
        if self.cut {
            let Some(room) = self.most.checked_sub(CUT.len()) else { return Vec::new() };
            self.bytes.truncate(room);
            let whole = std::str::from_utf8(&self.bytes);
            if let Some(error) = whole.err().filter(|error| error.error_len().is_none()) {
                self.bytes.truncate(error.valid_up_to());
            }
            self.bytes.extend_from_slice(CUT.as_bytes());
        }
        self.bytes
    }

    /// Something is missing here.
    pub fn cut(&mut self) {
        self.cut = true;
    }

    /// The source of the value ended within what was written last, which nothing closes then.
    pub fn cut_short(&mut self) {
        while !self.cut && self.bytes.pop_if(|byte| matches!(byte, b'"' | b']' | b'}')).is_some() {}
        self.cut = true;
    }

    pub fn is_cut(&self) -> bool {
        self.cut
    }

    pub fn put(&mut self, text: &str) {
        self.put_bytes(text.as_bytes());
    }

    pub fn put_bytes(&mut self, bytes: &[u8]) {
        if self.cut {
            return;
        }
        let room = self.most - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.cut = bytes.len() > room;
    }

    pub fn text(&mut self, value: &str) {
        text::write(value.as_bytes(), Dialect::Plain, |piece| self.put_bytes(piece));
    }

    /// A number; one that JSON does not have is `null`.
    pub fn double(&mut self, number: f64) {
        let text = if number.is_finite() { Cow::Owned(format!("{number:?}")) } else { Cow::Borrowed("null") };
        self.put(&text);
    }

    /// A number of 32 bits, in as few digits as tell it from others.
    pub fn float(&mut self, number: f32) {
        let text = if number.is_finite() { Cow::Owned(format!("{number:?}")) } else { Cow::Borrowed("null") };
        self.put(&text);
    }

    /// A number whose last `scale` digits are behind the point.
    pub fn decimal(&mut self, negative: bool, digits: u128, scale: i32) {
        self.put(if negative { "-" } else { "" });
        match usize::try_from(scale) {
            Ok(0) => self.put(&digits.to_string()),
            Ok(scale @ 1..=SCALE_MAX) => {
                let padded = format!("{digits:0>width$}", width = scale + 1);
                let (whole, fraction) = padded.split_at(padded.len() - scale);
                self.put(&format!("{whole}.{fraction}"));
            }
            _ => self.put(&format!("{digits}e{}", -i64::from(scale))),
        }
    }

    pub fn base64(&mut self, binary: &[u8]) {
        self.put("\"");
        let room = self.most - self.bytes.len();
        let mut digits = Vec::new();
        put_base64(&binary[..binary.len().min(room)], &mut digits);
        self.put_bytes(&digits);
        self.put("\"");
    }

    /// Writes the container with that number; `null` within itself.
    pub fn container(&mut self, number: usize, write: impl FnOnce(&mut Self)) {
        if self.open.contains(&number) {
            return self.put("null");
        }
        self.cut |= self.open.len() == DEPTH_MAX;
        if !self.cut {
            self.open.push(number);
            write(self);
            self.open.pop();
        }
    }

    /// An array of what `write` writes for each.
    pub fn array<T>(&mut self, values: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.put("[");
        for (index, value) in values.into_iter().enumerate() {
            if self.cut {
                return;
            }
            self.put(if index > 0 { "," } else { "" });
            write(self, value);
        }
        self.put("]");
    }

    /// An object of names and values.
    pub fn object<N, V>(
        &mut self,
        members: impl IntoIterator<Item = (N, V)>,
        mut name: impl FnMut(&mut Self, N),
        mut value: impl FnMut(&mut Self, V),
    ) {
        self.put("{");
        for (index, (named, member)) in members.into_iter().enumerate() {
            if self.cut {
                return;
            }
            self.put(if index > 0 { "," } else { "" });
            name(self, named);
            self.put(":");
            value(self, member);
        }
        self.put("}");
    }

    /// A name that is no text: the JSON that `write` writes, as a text.
    pub fn name(&mut self, write: impl FnOnce(&mut Self)) {
        let begin = self.bytes.len();
        write(self);
        let name = self.bytes.split_off(begin);
        if name.starts_with(b"\"") {
            return self.bytes.extend_from_slice(&name);
        }
        text::write(&name, Dialect::Plain, |piece| self.put_bytes(piece));
    }
}
