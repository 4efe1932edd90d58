//! Requests with places that are filled anew for each exchange.
//!
//! A request is encoded once, without the values; each place remembers where its value goes. Writing one
//! out copies the stretches between the places and the values: nothing is parsed, nothing is allocated
//! once the buffers have grown to the size of the largest request.

use std::ops::Range;

/// A part of a request in which values can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Path and query.
    Target,
    /// The value of the header with this index.
    Header(usize),
    /// The body.
    Body,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// In which part.
    pub part: Part,
    /// Before which byte of that part, as it stands without values.
    pub at: usize,
    /// Which value: a number that means something to whoever yields the values.
    pub draw: u16,
}

/// What is filled in for each exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// Values, those of one part in the order in which they stand there.
    pub slots: Vec<Slot>,
    /// Whether there is a place for cookies.
    pub cookies: bool,
}

/// The places of an encoded request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub(super) patches: Vec<Patch>,
    pub(super) draws: Vec<u16>,
    pub(super) target: Range<usize>,
    pub(super) host: Range<usize>,
    pub(super) body_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patch {
    pub at: usize,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The value with this index among those of the exchange.
    Value(usize),
    /// The digits of Content-Length.
    Length,
    /// A Cookie header, when there are cookies.
    Cookies,
}

/// The values of one exchange, in a buffer that is used again.
#[derive(Clone, Debug, Default)]
pub struct Values {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// What an exchange fills a request's places with.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// As many values as [`Places::draws`] names, in that order.
    pub values: &'a Values,
    /// What stands behind `Cookie: `; empty for no such header. Without a place for it, it is left out.
    pub cookies: &'a [u8],
    /// Path and query instead of the request's own: the next step of a redirect.
    pub target: Option<&'a [u8]>,
}

impl Values {
    /// Forgets the values, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Room for so many values of so many bytes together.
    pub fn reserve(&mut self, values: usize, bytes: usize) {
        self.ends.reserve(values);
        self.bytes.reserve(bytes);
    }

    /// Adds a value. It must be fit for where it goes: it is copied as it is.
    pub fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
    }

    /// Adds a value byte by byte.
    pub fn push_bytes(&mut self, value: impl Iterator<Item = u8>) {
        self.bytes.extend(value);
        self.ends.push(self.bytes.len());
    }

    /// Adds a number in decimal digits.
    pub fn push_number(&mut self, number: u64) {
        let mut digits = [0; DIGITS_MAX];
        self.push(decimal(number, &mut digits));
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

impl Places {
    /// Whether the request is the same for every exchange.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.patches.is_empty()
    }

    /// Which values an exchange needs, each once.
    pub fn draws(&self) -> &[u16] {
        &self.draws
    }

    /// What is drawn for each place that a value is filled into, in their order: one value may fill several.
    pub fn filled(&self) -> impl Iterator<Item = u16> + '_ {
        self.patches.iter().filter_map(|patch| match patch.what {
            What::Value(at) => self.draws.get(at).copied(),
            What::Length | What::Cookies => None,
        })
    }

    /// The method of the encoded request `bytes`.
    pub fn method<'a>(&self, bytes: &'a [u8]) -> &'a str {
        let end = self.target.start.saturating_sub(1);
        std::str::from_utf8(&bytes[..end]).unwrap_or_default()
    }

    /// The host that the encoded request `bytes` names.
    pub fn authority<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.host.clone()]
    }

    /// Path and query as this exchange sends them, appended to `out`.
    pub fn write_target(&self, bytes: &[u8], filling: &Filling<'_>, out: &mut Vec<u8>) {
        if let Some(target) = filling.target {
            out.extend_from_slice(target);
            return;
        }
        let mut at = self.target.start;
        for patch in self.patches.iter().filter(|patch| patch.at <= self.target.end) {
            out.extend_from_slice(&bytes[at..patch.at]);
            at = patch.at;
            if let What::Value(index) = patch.what {
                out.extend_from_slice(filling.values.get(index));
            }
        }
        out.extend_from_slice(&bytes[at..self.target.end]);
    }

    /// Hands the request over in pieces.
    pub(super) fn write(&self, bytes: &[u8], filling: &Filling<'_>, mut put: impl FnMut(&[u8])) {
        let mut at = 0;
        let mut patches = self.patches.as_slice();
        if let Some(target) = filling.target {
            put(&bytes[..self.target.start]);
            put(target);
            at = self.target.end;
            let own = patches.iter().take_while(|patch| patch.at <= self.target.end).count();
            patches = &patches[own..];
        }
        for patch in patches {
            put(&bytes[at..patch.at]);
            at = patch.at;
            match patch.what {
                What::Value(index) => put(filling.values.get(index)),
                What::Length => {
                    let mut digits = [0; DIGITS_MAX];
                    put(decimal(self.body_bytes(bytes, filling.values), &mut digits));
                }
                What::Cookies if filling.cookies.is_empty() => {}
                What::Cookies => {
                    put(b"Cookie: ");
                    put(filling.cookies);
                    put(b"\r\n");
                }
            }
        }
        put(&bytes[at..]);
    }

    /// Bytes of the body with its values.
    fn body_bytes(&self, bytes: &[u8], values: &Values) -> u64 {
        let within = self.patches.iter().filter(|patch| patch.at >= self.body_at);
        let filled: usize = within
            .map(|patch| match patch.what {
                What::Value(index) => values.get(index).len(),
                What::Length | What::Cookies => 0,
            })
            .sum();
        (bytes.len() - self.body_at + filled) as u64
    }
}
