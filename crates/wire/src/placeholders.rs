//! Requests with places that are filled anew for each exchange.
//!
//! A request is encoded once, without the values; each place remembers where its value goes. Writing one
//! out copies the stretches between the places and the values: nothing is parsed, nothing is allocated
//! once the buffers have grown to the size of the largest request.

use crate::form::Form;
use crate::{Outbox, Streamed};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The places of an encoded request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Placeholders {
    /// In the order of the bytes.
    patches: Vec<Patch>,
    draws: Vec<u16>,
    streamed: Vec<Streamed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Patch {
    /// Index of the byte of the encoded request before which it goes.
    at: usize,
    what: Infill,
}

/// Content of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum Infill {
    /// The value with this index among those of the exchange.
    Value(usize, Form),
    /// Number of bytes from byte `from` of the encoded request to byte `to`, or to its end, values included.
    Length { from: usize, to: Option<usize>, form: LengthForm },
    /// Addition of a layer above the session to this exchange, if any.
    Addition,
    /// `bytes` bytes of the source with this index.
    Streamed { index: usize, bytes: u64 },
}

/// A piece of a request.
enum Written<'a> {
    Bytes(&'a [u8]),
    Streamed(usize),
}

/// Form of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum LengthForm {
    Decimal,
    /// The same, without this many bytes at the stretch's start: lengths of its own, which belong to the framing.
    DecimalBehind(usize),
    /// Two bytes, the high one first.
    U16,
    /// Three bytes, the highest first.
    U24,
    /// Four bytes, the highest first.
    U32,
}

impl LengthForm {
    /// Bytes that it takes where it is within another length's stretch; `counted` returns its value.
    fn width(self, counted: impl FnOnce() -> u64) -> usize {
        match self {
            LengthForm::Decimal => decimal(counted(), &mut [0; DIGITS_MAX]).len(),
            LengthForm::DecimalBehind(framing) => {
                decimal(counted().saturating_sub(framing as u64), &mut [0; DIGITS_MAX]).len()
            }
            LengthForm::U16 => 2,
            LengthForm::U24 => 3,
            LengthForm::U32 => 4,
        }
    }

    #[inline]
    fn write(self, length: u64, mut put: impl FnMut(&[u8])) {
        match self {
            LengthForm::Decimal => put(decimal(length, &mut [0; DIGITS_MAX])),
            LengthForm::DecimalBehind(framing) => {
                put(decimal(length.saturating_sub(framing as u64), &mut [0; DIGITS_MAX]));
            }
            LengthForm::U16 => put(&(length as u16).to_be_bytes()),
            LengthForm::U24 => put(&(length as u32).to_be_bytes()[1..]),
            LengthForm::U32 => put(&(length as u32).to_be_bytes()),
        }
    }
}

/// The values of one exchange, in a buffer that is used again.
#[derive(Clone, Debug, Default)]
pub struct Values {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// Values with which an exchange fills a request's places; the default is nothing, for a request without places.
#[derive(Clone, Debug)]
pub struct Filling<'a> {
    /// One value for each that [`Placeholders::draws`] names, in that order. They are copied as they are, so they must be
    /// escaped for where they go.
    pub values: &'a Values,
    /// Addition of a layer above the session, in the place that the request has for it. Without one it is left out.
    pub addition: &'a [u8],
    /// A stretch of the request that is sent otherwise this time.
    pub replacement: Option<Replacement<'a>>,
    /// Present instant: a session that waits for the peer counts from it.
    pub now_ns: u64,
}

/// Bytes that are sent instead of a stretch of the request, and of all places in it and at its end.
#[derive(Clone, Debug)]
pub struct Replacement<'a> {
    /// The stretch, in bytes of the encoded request. No place may come before it.
    pub stretch: Range<usize>,
    pub bytes: &'a [u8],
}

static NO_VALUES: Values = Values { bytes: Vec::new(), ends: Vec::new() };

impl Default for Filling<'_> {
    fn default() -> Self {
        Filling::of(&NO_VALUES)
    }
}

impl<'a> Filling<'a> {
    /// These values and nothing else.
    pub fn of(values: &'a Values) -> Self {
        Filling { values, addition: &[], replacement: None, now_ns: 0 }
    }
}

impl Values {
    /// Forgets the values, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Makes room for that many values, of `bytes` bytes together.
    pub fn reserve(&mut self, values: usize, bytes: usize) {
        self.ends.reserve(values);
        self.bytes.reserve(bytes);
    }

    /// Adds a value. It must be fit for where it goes: it is copied as it is.
    pub fn push(&mut self, value: &[u8]) {
        self.append(value);
        self.end();
    }

    /// Appends a piece to the value that is made, which [ends](Self::end) later.
    pub fn append(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// Appends a number in decimal digits.
    pub fn append_number(&mut self, number: u64) {
        self.append(decimal(number, &mut [0; DIGITS_MAX]));
    }

    /// Ends a value: what was appended since the one before.
    pub fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// The value with this index; empty when there is none.
    pub fn get(&self, index: usize) -> &[u8] {
        let Some(end) = self.ends.get(index) else { return &[] };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..*end]
    }
}

/// Digits of the largest number.
const DIGITS_MAX: usize = 20;

fn decimal(mut number: u64, digits: &mut [u8; DIGITS_MAX]) -> &[u8] {
    let mut at = DIGITS_MAX;
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

impl Placeholders {
    /// Adds a place before byte `at`; none that was added earlier is behind it.
    pub(crate) fn push(&mut self, at: usize, what: Infill) {
        self.patches.push(Patch { at, what });
    }

    /// Adds a place for a length whose stretch is [told later](Self::set_stretch); its index.
    pub(crate) fn push_length(&mut self, at: usize, form: LengthForm) -> usize {
        self.push(at, Infill::Length { from: at, to: Some(at), form });
        self.patches.len() - 1
    }

    /// Makes the length with this index count from byte `start` to byte `end` of the encoded request.
    pub(crate) fn set_stretch(&mut self, length: usize, start: usize, end: usize) {
        if let Infill::Length { from, to, .. } = &mut self.patches[length].what {
            (*from, *to) = (start, Some(end));
        }
    }

    /// Adds a place for the value of this draw.
    pub(crate) fn push_draw(&mut self, at: usize, draw: u16, form: Form) {
        let known = self.draws.iter().position(|known| *known == draw);
        let index = known.unwrap_or(self.draws.len());
        if known.is_none() {
            self.draws.push(draw);
        }
        self.push(at, Infill::Value(index, form));
    }

    /// Adds a place for what is read while it is sent.
    pub(crate) fn push_streamed(&mut self, at: usize, source: &Streamed) {
        self.push(at, Infill::Streamed { index: self.streamed.len(), bytes: source.bytes() });
        self.streamed.push(source.clone());
    }

    /// Number of bytes that are read while they are sent.
    pub fn streamed_bytes(&self) -> u64 {
        self.streamed.iter().map(Streamed::bytes).sum()
    }

    /// Adds the places of bytes that follow behind the first `offset`.
    pub(crate) fn append(&mut self, others: &Placeholders, offset: usize) {
        for &Patch { at, what } in &others.patches {
            match what {
                Infill::Value(index, form) => self.push_draw(at + offset, others.draws[index], form),
                Infill::Length { from, to, form } => {
                    let (from, to) = (from + offset, to.map(|to| to + offset));
                    self.push(at + offset, Infill::Length { from, to, form });
                }
                Infill::Addition => self.push(at + offset, Infill::Addition),
                Infill::Streamed { index, .. } => self.push_streamed(at + offset, &others.streamed[index]),
            }
        }
    }

    /// Follows `count` bytes that were put before byte `at` of the encoded request.
    pub(crate) fn shift(&mut self, at: usize, count: usize) {
        let moved = |place: &mut usize| *place += if *place >= at { count } else { 0 };
        for patch in &mut self.patches {
            moved(&mut patch.at);
            if let Infill::Length { from, to, .. } = &mut patch.what {
                moved(from);
                to.iter_mut().for_each(moved);
            }
        }
    }

    /// Makes the length count from byte `start` on, which is known only once the head is written.
    pub(crate) fn count_length_from(&mut self, start: usize) {
        for patch in &mut self.patches {
            if let Infill::Length { from, .. } = &mut patch.what {
                *from = start;
            }
        }
    }

    /// True if the request is the same for every exchange.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.patches.is_empty()
    }

    /// Values that an exchange needs, each once.
    pub fn draws(&self) -> &[u16] {
        &self.draws
    }

    /// Draw of each place that a value is filled into, in their order: one value may fill several.
    pub fn filled(&self) -> impl Iterator<Item = u16> + '_ {
        self.filled_by(&self.patches)
    }

    /// The same, of the places in a stretch of the encoded request and at its end.
    pub fn filled_in(&self, stretch: Range<usize>) -> impl Iterator<Item = u16> + '_ {
        self.filled_by(&self.patches[self.patches_of(stretch)])
    }

    fn filled_by<'a>(&'a self, patches: &'a [Patch]) -> impl Iterator<Item = u16> + 'a {
        patches.iter().filter_map(|patch| match patch.what {
            Infill::Value(at, _) => self.draws.get(at).copied(),
            Infill::Length { .. } | Infill::Addition | Infill::Streamed { .. } => None,
        })
    }

    /// Appends a stretch of the encoded request `bytes`, with the values in it and at its end, to `out`.
    pub fn write_stretch(&self, bytes: &[u8], stretch: Range<usize>, values: &Values, out: &mut Vec<u8>) {
        let (patches, filling) = (self.patches_of(stretch.clone()), Filling::of(values));
        self.put(bytes, stretch, patches, &filling, bytes_only(|piece| out.extend_from_slice(piece)));
    }

    /// Hands the request over in pieces, but for what is read while it is sent.
    pub(crate) fn write(&self, bytes: &[u8], filling: &Filling<'_>, put: impl FnMut(&[u8])) {
        self.write_pieces(bytes, filling, bytes_only(put));
    }

    /// Appends the request to an outbox.
    pub(crate) fn write_to(&self, bytes: &[u8], filling: &Filling<'_>, out: &mut Outbox) {
        self.write_pieces(bytes, filling, |piece| match piece {
            Written::Bytes(bytes) => out.push_more(bytes),
            Written::Streamed(index) => {
                let source = &self.streamed[index];
                out.push_streamed(source, 0, source.bytes());
            }
        });
    }

    fn write_pieces(&self, bytes: &[u8], filling: &Filling<'_>, mut put: impl FnMut(Written<'_>)) {
        let (mut from, mut first) = (0, 0);
        if let Some(Replacement { stretch, bytes: instead }) = &filling.replacement {
            put(Written::Bytes(&bytes[..stretch.start]));
            put(Written::Bytes(instead));
            (from, first) = (stretch.end, self.first_at(stretch.end + 1));
        }
        self.put(bytes, from..bytes.len(), first..self.patches.len(), filling, put);
    }

    /// The places in a stretch and at its end.
    fn patches_of(&self, stretch: Range<usize>) -> Range<usize> {
        self.first_at(stretch.start)..self.first_at(stretch.end + 1)
    }

    /// The first place at or behind byte `at`.
    fn first_at(&self, at: usize) -> usize {
        self.patches.partition_point(|patch| patch.at < at)
    }

    fn put(
        &self,
        bytes: &[u8],
        stretch: Range<usize>,
        patches: Range<usize>,
        filling: &Filling<'_>,
        mut put: impl FnMut(Written<'_>),
    ) {
        let mut at = stretch.start;
        for (index, patch) in patches.clone().zip(&self.patches[patches]) {
            put(Written::Bytes(&bytes[at..patch.at]));
            at = patch.at;
            let mut put_bytes = |bytes: &[u8]| put(Written::Bytes(bytes));
            match patch.what {
                Infill::Value(index, form) => form.write(filling.values.get(index), put_bytes),
                Infill::Length { from, to, form } => {
                    let stretch = from..to.unwrap_or(bytes.len());
                    form.write(self.length_of(stretch, index, bytes.len(), filling.values), put_bytes);
                }
                Infill::Addition => put_bytes(filling.addition),
                Infill::Streamed { index, .. } => put(Written::Streamed(index)),
            }
        }
        put(Written::Bytes(&bytes[at..stretch.end]));
    }

    /// Length of a stretch of the encoded request of `end` bytes with the values in it and at its end. The length's
    /// own place has index `own`; where it is at the stretch's start, the stretch begins behind it.
    fn length_of(&self, stretch: Range<usize>, own: usize, end: usize, values: &Values) -> u64 {
        let (mut from, to) = (self.first_at(stretch.start), self.first_at(stretch.end + 1));
        if (from..to).contains(&own) {
            from = own + 1;
        }
        let filled = (from..to).map(|index| match self.patches[index].what {
            Infill::Value(value, form) => form.length(values.get(value)),
            Infill::Length { from, to, form } => {
                form.width(|| self.length_of(from..to.unwrap_or(end), index, end, values))
            }
            Infill::Addition => 0,
            Infill::Streamed { bytes, .. } => bytes as usize,
        });
        (stretch.len() + filled.sum::<usize>()) as u64
    }
}

/// Of the pieces of a request those that are in memory.
fn bytes_only(mut put: impl FnMut(&[u8])) -> impl FnMut(Written<'_>) {
    move |piece| {
        if let Written::Bytes(bytes) = piece {
            put(bytes);
        }
    }
}
