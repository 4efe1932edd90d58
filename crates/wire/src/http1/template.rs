//! Placeholders of values in a request before it is encoded.

use crate::Streamed;
use crate::form::Form;
use crate::placeholders::Placeholders;

/// A part of a request in which values can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart {
    Target,
    /// The value of the header with this index.
    Header(usize),
    Body,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub part: RequestPart,
    /// Index of the byte of that part before which it goes, counted without values.
    pub at: usize,
    /// Number of the value; its meaning is up to the source of the values.
    pub draw: u16,
}

/// Parts that are filled in for each exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// Values, those of one part in the order of their places.
    pub slots: Vec<Slot>,
    /// True if there is a place for cookies.
    pub cookies: bool,
    /// True if there is a place for the answer to a challenge ([`super::Digest`]).
    pub digest: bool,
    /// Parts that are read while they are sent, and the byte of the body that each goes before; in the order of the places.
    pub streamed: Vec<(usize, Streamed)>,
}

impl Template {
    /// True if the body differs for each exchange.
    pub(crate) fn changes_body(&self) -> bool {
        !self.streamed.is_empty() || self.slots.iter().any(|slot| slot.part == RequestPart::Body)
    }

    /// The value of a header, and the index of its first byte, without the blanks at its ends (RFC 9110 section 5.5): those of
    /// the text as it is sent, so a blank beside a placeholder stays.
    pub(crate) fn trimmed<'a>(&self, header: usize, value: &'a str) -> (&'a str, usize) {
        let places = || {
            let of_header = |slot: &&Slot| slot.part == RequestPart::Header(header);
            self.slots.iter().filter(of_header).map(|slot| slot.at)
        };
        let to = value.trim_end_matches([' ', '\t']).len().max(places().max().unwrap_or(0));
        let start = to - value[..to].trim_start_matches([' ', '\t']).len();
        let from = start.min(places().min().unwrap_or(start));
        (&value[from..to], from)
    }

    /// Appends a part with its places to `bytes`; `text` is what is left of it from byte `from` on. Of its places those that are
    /// `wanted`; what is outside goes to its ends.
    pub(crate) fn write(
        &self,
        part: RequestPart,
        (text, from): (&[u8], usize),
        wanted: impl Fn(usize) -> bool,
        (bytes, places): (&mut Vec<u8>, &mut Placeholders),
    ) {
        let slots = self.slots.iter().filter(|slot| slot.part == part && wanted(slot.at));
        let streamed = self.streamed.iter().filter(|_| part == RequestPart::Body);
        let mut fills: Vec<_> = slots.map(|slot| (slot.at, Ok(slot.draw))).collect();
        fills.extend(streamed.map(|(at, source)| (*at, Err(source))));
        fills.sort_by_key(|(at, _)| *at);
        let mut at = 0;
        for (before, fill) in fills {
            let next = before.saturating_sub(from).clamp(at, text.len());
            bytes.extend_from_slice(&text[at..next]);
            at = next;
            match fill {
                Ok(draw) => places.push_draw(bytes.len(), draw, Form::Plain),
                Err(source) => places.push_streamed(bytes.len(), source),
            }
        }
        bytes.extend_from_slice(&text[at..]);
    }
}
