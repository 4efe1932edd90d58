//! The null server: the least that can be called answering. It finds where requests end and sends one
//! prebuilt answer for each; what they ask does not matter, and that they have no body is taken on trust.

use crate::reply::{CLOSE, KEEP, prebuilt};
use memchr::memmem;

const END: &[u8; 4] = b"\r\n\r\n";

/// Bytes of prebuilt answers laid end to end, so that the answers to one receive leave in one call.
const ROW: usize = 64 * 1024;

/// Counts ends of heads in a stream that arrives in pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ends {
    /// Number of bytes of `END` that the stream so far ends with; below 4.
    matched: u8,
}

impl Ends {
    /// The number of heads that end within these bytes.
    pub fn count(&mut self, finder: &memmem::Finder, input: &[u8]) -> u64 {
        let mut ends = 0;
        let mut at = 0;
        while self.matched > 0 && at < input.len() {
            ends += u64::from(self.step(input[at]));
            at += 1;
        }
        let mut rest = &input[at..];
        while let Some(found) = finder.find(rest) {
            ends += 1;
            rest = &rest[found + END.len()..];
        }
        for &byte in &rest[rest.len().saturating_sub(END.len() - 1)..] {
            self.step(byte);
        }
        ends
    }

    fn step(&mut self, byte: u8) -> bool {
        self.matched = match byte {
            byte if byte == END[usize::from(self.matched)] => self.matched + 1,
            b'\r' => 1,
            _ => 0,
        };
        let whole = usize::from(self.matched) == END.len();
        if whole {
            self.matched = 0;
        }
        whole
    }
}

/// The prebuilt answer, and what finds requests.
#[derive(Debug)]
pub(crate) struct Null {
    finder: memmem::Finder<'static>,
    /// As many whole answers as fit in `ROW`, at least one.
    row: Vec<u8>,
    answer: usize,
}

impl Null {
    /// With `close` the answers announce that the connection ends. Else they announce that it stays: what is asked is
    /// not read, and a client of HTTP/1.0, such as ab, must be sent that.
    pub fn new(size: usize, close: bool) -> Self {
        let answer = prebuilt(size, if close { CLOSE } else { KEEP });
        let times = (ROW / answer.len()).max(1);
        Null { finder: memmem::Finder::new(END), row: answer.repeat(times), answer: answer.len() }
    }

    pub fn ends(&self, ends: &mut Ends, input: &[u8]) -> u64 {
        ends.count(&self.finder, input)
    }

    /// Bytes of that many answers.
    pub fn length(&self, answers: u64) -> u64 {
        answers * self.answer as u64
    }

    /// Answers of which some byte is among that many owed ones.
    pub fn unfinished(&self, owed: u64) -> u64 {
        owed.div_ceil(self.answer as u64)
    }

    /// The first of that many owed bytes of answers without end.
    pub fn owed(&self, owed: u64) -> &[u8] {
        let into = (self.answer - (owed % self.answer as u64) as usize) % self.answer;
        let length = owed.min((self.row.len() - into) as u64) as usize;
        &self.row[into..into + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(pieces: &[&[u8]]) -> u64 {
        let finder = memmem::Finder::new(END);
        let mut ends = Ends::default();
        pieces.iter().map(|piece| ends.count(&finder, piece)).sum()
    }

    #[test]
    fn every_split_of_three_requests_has_three_ends() {
        let requests = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3);
        for first in 0..=requests.len() {
            for second in first..=requests.len() {
                let pieces = [&requests[..first], &requests[first..second], &requests[second..]];
                assert_eq!(count(&pieces), 3, "split at {first} and {second}");
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_count_like_the_whole(text in "[\r\na]{0,40}", cut in 0usize..40) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let whole = text.matches("\r\n\r\n").count() as u64;
            prop_assert_eq!(count(&[&bytes[..cut], &bytes[cut..]]), whole);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(count(&single), whole);
        }
    }

    #[test]
    fn owed_bytes_are_whole_answers_however_they_are_taken() {
        let null = Null::new(100, false);
        let answers = 700;
        let expected = prebuilt(100, KEEP).repeat(answers);
        for step in [1000, 70_000] {
            let mut owed = expected.len() as u64;
            let mut out = Vec::new();
            while owed > 0 {
                let piece = null.owed(owed);
                let n = piece.len().min(step);
                out.extend_from_slice(&piece[..n]);
                owed -= n as u64;
            }
            assert!(out == expected, "step {step}");
        }
    }
}
