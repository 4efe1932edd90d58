//! Answers to calls, read as their bytes come.

use super::chars::Chars;
use super::{Fed, Wrong, v1, v2};
use crate::rpc::{Answer, Verdict};

/// Finds whether a body is an answer, whole and well-formed, and whether it tells of a fault.
#[derive(Debug, Default)]
pub struct Reply {
    place: Place,
    fault: bool,
    first: v1::Walker,
    second: v2::Walker,
}

/// What the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    /// One of the version of an answer in Hessian 2.0.
    SecondVersion {
        left: u8,
    },
    /// What says whether a value or a fault follows.
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
    /// None: it is no answer.
    Wrong,
}

impl Answer for Reply {
    fn describe(message: &[u8]) -> Option<Vec<String>> {
        Some(crate::rpc::lines(message, super::describe))
    }

    fn begin(&mut self) {
        self.place = Place::Start;
        self.fault = false;
        self.first.clear();
        self.second.clear();
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut pos = 0;
        while pos < bytes.len() && self.place != Place::Wrong {
            match self.step(&bytes[pos..]) {
                Ok(consumed) => pos += consumed,
                Err(Wrong { .. }) => self.place = Place::Wrong,
            }
        }
    }

    fn verdict(&self) -> Verdict {
        match self.place {
            Place::Whole { .. } if self.fault => Verdict::Fault,
            Place::Whole { .. } => Verdict::Good,
            _ if self.first.is_beyond() || self.second.is_beyond() => Verdict::Beyond,
            _ => Verdict::Wrong,
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
            Place::Start => match byte {
                b'H' => Place::SecondVersion { left: 2 },
                b'r' => Place::FirstVersion { left: 2 },
                b'f' => self.begin_first_fault()?,
                _ => return wrong,
            },
            Place::SecondVersion { left: 2 } if byte == 2 => Place::SecondVersion { left: 1 },
            Place::SecondVersion { left: 1 } => Place::SecondKind,
            Place::SecondVersion { .. } => return wrong,
            Place::SecondKind => match byte {
                b'R' | b'F' => {
                    self.fault = byte == b'F';
                    Place::SecondValue
                }
                _ => return wrong,
            },
            Place::FirstVersion { left: 2 } if matches!(byte, 1 | 2) => Place::FirstVersion { left: 1 },
            Place::FirstVersion { left: 1 } => Place::FirstKind,
            Place::FirstVersion { .. } => return wrong,
            Place::FirstKind => match byte {
                b'H' => Place::NameLength { left: 2, value: 0 },
                b'f' => self.begin_first_fault()?,
                _ => return self.first_value(bytes, Place::FirstValue, Place::FirstEnd),
            },
            Place::NameLength { left, value } => {
                let value = value << 8 | u16::from(byte);
                match left {
                    2 => Place::NameLength { left: 1, value },
                    _ if value == 0 => Place::HeaderValue,
                    _ => Place::Name(Chars::new(u32::from(value))),
                }
            }
            Place::Name(mut chars) => {
                let consumed = chars.feed(bytes)?;
                self.place = if chars.done() { Place::HeaderValue } else { Place::Name(chars) };
                return Ok(consumed);
            }
            Place::HeaderValue => return self.first_value(bytes, Place::HeaderValue, Place::FirstKind),
            Place::FirstValue => {
                let end = if self.fault { Place::Whole { may_end: true } } else { Place::FirstEnd };
                return self.first_value(bytes, Place::FirstValue, end);
            }
            Place::SecondValue => {
                let fed = self.second.feed(bytes)?;
                return Ok(self.go_on(fed, Place::SecondValue, Place::Whole { may_end: false }));
            }
            Place::FirstEnd | Place::Whole { may_end: true } if byte == b'z' => {
                Place::Whole { may_end: false }
            }
            Place::FirstEnd | Place::Whole { .. } | Place::Wrong => return wrong,
        };
        Ok(1)
    }

    /// The keys and values of a fault end as those of a map do, so they are read as a map's.
    fn begin_first_fault(&mut self) -> Result<Place, Wrong> {
        self.fault = true;
        self.first.feed(b"M")?;
        Ok(Place::FirstValue)
    }

    fn first_value(&mut self, bytes: &[u8], here: Place, then: Place) -> Result<usize, Wrong> {
        let fed = self.first.feed(bytes)?;
        Ok(self.go_on(fed, here, then))
    }

    fn go_on(&mut self, fed: Fed, here: Place, then: Place) -> usize {
        self.place = if fed.done { then } else { here };
        fed.consumed
    }
}
