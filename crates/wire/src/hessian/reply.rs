//! Answers to calls, read as their bytes come.

use super::chars::Chars;
use super::{Fed, Wrong, v1, v2};
use crate::rpc::{Answer, Verdict};

/// Checks that a body is an answer, whole and well-formed, and whether it reports a fault.
#[derive(Debug, Default)]
pub struct Reply {
    place: Position,
    fault: bool,
    /// Bytes of the body so far, and of those the ones before the value.
    seen: usize,
    value_at: usize,
    first: v1::Walker,
    second: v2::Walker,
}

/// Position of the next byte in a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Start,
    /// One of the version of an answer in Hessian 2.0.
    SecondVersion {
        left: u8,
    },
    /// Tag that tells whether a value or a fault follows.
    SecondKind,
    SecondValue,
    /// One of the version of an answer in Hessian 1.0.
    FirstVersion {
        left: u8,
    },
    /// The first of a header, a value or a fault.
    FirstKind,
    /// One of the length of a header's name.
    NameLength {
        left: u8,
        value: u16,
    },
    /// One of a header's name.
    Name(Chars),
    /// One of a header's value.
    HeaderValue,
    /// One of the value, or of the keys and values of a fault.
    FirstValue,
    FirstEnd,
    /// None: the answer is whole. One that is a fault may be followed by the end of the answer.
    Whole {
        may_end: bool,
    },
    /// None: it is not an answer.
    Wrong,
}

impl Answer for Reply {
    fn describe(message: &[u8]) -> Option<Vec<String>> {
        Some(crate::rpc::lines(message, super::describe))
    }

    fn begin(&mut self) {
        self.place = Position::Start;
        self.fault = false;
        (self.seen, self.value_at) = (0, 0);
        self.first.clear();
        self.second.clear();
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut pos = 0;
        while pos < bytes.len() && self.place != Position::Wrong {
            match self.step(&bytes[pos..]) {
                Ok(consumed) => {
                    pos += consumed;
                    self.seen += consumed;
                }
                Err(Wrong { .. }) => self.place = Position::Wrong,
            }
        }
    }

    fn verdict(&self) -> Verdict {
        match self.place {
            Position::Whole { .. } if self.fault => Verdict::Fault,
            Position::Whole { .. } => Verdict::Good,
            _ if self.first.is_beyond() || self.second.is_beyond() => Verdict::Beyond,
            _ => Verdict::Wrong,
        }
    }

    fn value(&self, beginning: &[u8], most: usize) -> Vec<u8> {
        let value = beginning.get(self.value_at..).unwrap_or_default();
        match beginning.first() {
            Some(b'H') => v2::Reader::new(value).json(most),
            _ => v1::Reader::new(value).json(most),
        }
    }

    fn words(&self, beginning: &[u8]) -> Option<String> {
        match beginning {
            [b'H', _, _, b'F', fault @ ..] => v2::Reader::new(fault).next()?.fault(),
            [b'f', fault @ ..] | [b'r', _, _, b'f', fault @ ..] => v1::Reader::new(fault).pairs().fault(),
            _ => None,
        }
    }
}

impl Reply {
    /// Takes some of the bytes, which are not none.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, Wrong> {
        let wrong = Err(Wrong { at: 0 });
        let byte = bytes[0];
        self.place = match self.place {
            Position::Start => match byte {
                b'H' => Position::SecondVersion { left: 2 },
                b'r' => Position::FirstVersion { left: 2 },
                b'f' => self.begin_first_fault()?,
                _ => return wrong,
            },
            Position::SecondVersion { left: 2 } if byte == 2 => Position::SecondVersion { left: 1 },
            Position::SecondVersion { left: 1 } => Position::SecondKind,
            Position::SecondVersion { .. } => return wrong,
            Position::SecondKind => match byte {
                b'R' | b'F' => {
                    self.fault = byte == b'F';
                    self.value_at = self.seen + 1;
                    Position::SecondValue
                }
                _ => return wrong,
            },
            Position::FirstVersion { left: 2 } if matches!(byte, 1 | 2) => Position::FirstVersion { left: 1 },
            Position::FirstVersion { left: 1 } => Position::FirstKind,
            Position::FirstVersion { .. } => return wrong,
            Position::FirstKind => match byte {
                b'H' => Position::NameLength { left: 2, value: 0 },
                b'f' => self.begin_first_fault()?,
                _ => {
                    self.value_at = self.seen;
                    return self.first_value(bytes, Position::FirstValue, Position::FirstEnd);
                }
            },
            Position::NameLength { left, value } => {
                let value = value << 8 | u16::from(byte);
                match left {
                    2 => Position::NameLength { left: 1, value },
                    _ if value == 0 => Position::HeaderValue,
                    _ => Position::Name(Chars::new(u32::from(value))),
                }
            }
            Position::Name(mut chars) => {
                let consumed = chars.feed(bytes)?;
                self.place = if chars.done() { Position::HeaderValue } else { Position::Name(chars) };
                return Ok(consumed);
            }
            Position::HeaderValue => {
                return self.first_value(bytes, Position::HeaderValue, Position::FirstKind);
            }
            Position::FirstValue => {
                let end = if self.fault { Position::Whole { may_end: true } } else { Position::FirstEnd };
                return self.first_value(bytes, Position::FirstValue, end);
            }
            Position::SecondValue => {
                let fed = self.second.feed(bytes)?;
                return Ok(self.go_on(fed, Position::SecondValue, Position::Whole { may_end: false }));
            }
            Position::FirstEnd | Position::Whole { may_end: true } if byte == b'z' => {
                Position::Whole { may_end: false }
            }
            Position::FirstEnd | Position::Whole { .. } | Position::Wrong => return wrong,
        };
        Ok(1)
    }

    /// The keys and values of a fault end as those of a map do, so they are read as a map's.
    fn begin_first_fault(&mut self) -> Result<Position, Wrong> {
        self.fault = true;
        self.first.feed(b"M")?;
        Ok(Position::FirstValue)
    }

    fn first_value(&mut self, bytes: &[u8], here: Position, then: Position) -> Result<usize, Wrong> {
        let fed = self.first.feed(bytes)?;
        Ok(self.go_on(fed, here, then))
    }

    fn go_on(&mut self, fed: Fed, here: Position, then: Position) -> usize {
        self.place = if fed.done { then } else { here };
        fed.consumed
    }
}
