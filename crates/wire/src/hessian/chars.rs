//! Passing over a text whose length is told in UTF-16 code units.

use super::Wrong;
use crate::scan::{before, count_work};

/// Characters that are passed over one by one before a stretch of ASCII is looked for.
const MIXED_MAX: u32 = 64;

/// Rest of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chars {
    /// Code units that have not begun.
    units: u32,
    /// Bytes to come of the character that has begun.
    rest: u8,
}

impl Chars {
    /// A text of `units` code units.
    pub fn new(units: u32) -> Self {
        Chars { units, rest: 0 }
    }

    /// True once the text is over.
    #[inline]
    pub fn done(self) -> bool {
        self.units == 0 && self.rest == 0
    }

    /// Passes over what there is of the text; the bytes of it. A character of four bytes, which Java does not write but
    /// others do, counts as two units.
    #[inline]
    pub fn feed(&mut self, input: &[u8]) -> Result<usize, Wrong> {
        let mut pos = 0;
        while pos < input.len() && !self.done() {
            if self.rest > 0 {
                if input[pos] & 0xc0 != 0x80 {
                    return Err(Wrong { at: pos });
                }
                self.rest -= 1;
                pos += 1;
                count_work(1);
                continue;
            }
            let ascii = ascii_len(&input[pos..], self.units);
            pos += ascii;
            self.units -= ascii as u32;
            pos += self.whole_chars(&input[pos..]);
            if let Some(lead) = input.get(pos).filter(|lead| self.units > 0 && !lead.is_ascii()) {
                self.begin(*lead).ok_or(Wrong { at: pos })?;
                pos += 1;
                count_work(1);
            }
        }
        Ok(pos)
    }

    /// Passes over some characters of up to three bytes that came whole; the bytes of them.
    #[inline]
    fn whole_chars(&mut self, input: &[u8]) -> usize {
        let mut pos = 0;
        let follows = |byte: u8| byte & 0xc0 == 0x80;
        // Not to the end: behind them may be a long stretch of ASCII, which is passed over faster.
        for _ in 0..MIXED_MAX.min(self.units) {
            match input[pos..] {
                [0..=0x7f, ..] => pos += 1,
                [0xe0..=0xef, second, third, ..] if follows(second) & follows(third) => pos += 3,
                [0xc0..=0xdf, second, ..] if follows(second) => pos += 2,
                _ => break,
            }
            self.units -= 1;
        }
        count_work(pos);
        pos
    }

    /// Begins a character of several bytes, if `lead` can.
    #[inline]
    fn begin(&mut self, lead: u8) -> Option<()> {
        let (rest, units) = match lead {
            0xc0..=0xdf => (1, 1),
            0xe0..=0xef => (2, 1),
            0xf0..=0xf7 => (3, 2),
            _ => return None,
        };
        self.units = self.units.checked_sub(units)?;
        self.rest = rest;
        Some(())
    }
}

/// Length of the ASCII at the beginning, `most` at most.
#[inline]
fn ascii_len(input: &[u8], most: u32) -> usize {
    let window = &input[..input.len().min(most as usize)];
    let len = before(window, |byte| !byte.is_ascii());
    count_work(len);
    len
}
