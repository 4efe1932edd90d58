//! Finds where a value ends, without building it.

use crate::hessian::chars::Chars;
use crate::hessian::{DEPTH_MAX, Fed, Impossible, Whole, Wrong, feed};
use crate::scan::count_work;

/// Passes over values, one after the other, however their bytes come. It keeps nothing of them.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    step: Step,
    /// What the value being read is in, from the outside in.
    frames: Vec<Frame>,
}

/// What the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// The first of a value.
    #[default]
    Tag,
    /// The first of a further chunk of a text.
    MoreText,
    /// The first of a further chunk of a binary.
    MoreBinary,
    /// One of a length, the highest first.
    Length { left: u8, value: u16, of: Chunk },
    /// One of a text.
    Text { chars: Chars, of: Chunk },
    /// One of so many that mean nothing here.
    Skip { left: u32, of: Chunk },
}

/// What a stretch of bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chunk {
    /// A value that is whole with it.
    Scalar,
    /// A text, to be followed by another chunk or not.
    Text { last: bool },
    /// A binary, to be followed by another chunk or not.
    Binary { last: bool },
    /// A type, or the number of values in a list: no value of its own.
    Note,
}

/// What a value is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// Values until `z`.
    List(Notes),
    /// Keys and values until `z`.
    Pairs { notes: Notes, key: bool },
    /// A type, then a URL.
    Remote { typed: bool },
}

/// What may still come before the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notes {
    Any,
    Length,
    None,
}

impl Walker {
    /// A walker before the first value.
    pub fn new() -> Self {
        Walker::default()
    }

    /// Forgets what it was in, keeps the memory.
    pub fn clear(&mut self) {
        self.step = Step::Tag;
        self.frames.clear();
    }

    /// Takes the next bytes of a value. After one that is `done`, another can follow.
    ///
    /// # Errors
    /// The first byte that no value has there, or that nests it too deep; the walker is of no further use then, until
    /// it is [cleared](Self::clear).
    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        feed(input, |rest| self.advance(rest))
    }

    /// Takes a byte, or a stretch of a text or binary, of input that is not empty.
    #[inline]
    fn advance(&mut self, input: &[u8]) -> Result<(usize, bool), Wrong> {
        count_work(1);
        let (consumed, whole) = match &mut self.step {
            Step::Text { chars, of } => {
                let consumed = chars.feed(input)?;
                let (done, of) = (chars.done(), *of);
                (consumed, if done { self.ended(of) } else { Ok(false) })
            }
            Step::Skip { left, of } => {
                let consumed = input.len().min(*left as usize);
                *left -= consumed as u32;
                let (done, of) = (*left == 0, *of);
                (consumed, if done { self.ended(of) } else { Ok(false) })
            }
            Step::Length { left, value, of } => {
                *value = *value << 8 | u16::from(input[0]);
                *left -= 1;
                let (done, length, of) = (*left == 0, u32::from(*value), *of);
                (1, if done { self.begin(length, of) } else { Ok(false) })
            }
            Step::Tag => (1, self.tag(input[0])),
            Step::MoreText => (1, self.more(input[0], b"sSxX")),
            Step::MoreBinary => (1, self.more(input[0], b"bB")),
        };
        Ok((consumed, whole.map_err(|Impossible| Wrong { at: 0 })?))
    }

    fn more(&mut self, tag: u8, known: &[u8]) -> Whole {
        if known.contains(&tag) { self.chunk(tag) } else { Err(Impossible) }
    }

    fn tag(&mut self, tag: u8) -> Whole {
        if let Some(frame) = self.frames.last_mut() {
            match (tag, &mut *frame) {
                (b't', Frame::List(notes @ Notes::Any) | Frame::Pairs { notes: notes @ Notes::Any, .. }) => {
                    *notes = Notes::Length;
                    return self.length(Chunk::Note);
                }
                (b'l', Frame::List(notes @ (Notes::Any | Notes::Length))) => {
                    *notes = Notes::None;
                    return self.skip(4, Chunk::Note);
                }
                (b't', Frame::Remote { typed: typed @ false }) => {
                    *typed = true;
                    return self.length(Chunk::Note);
                }
                (b'S', Frame::Remote { typed: true }) => {}
                (_, Frame::Remote { .. }) => return Err(Impossible),
                (b'z', Frame::List(_) | Frame::Pairs { key: true, .. }) => {
                    self.frames.pop();
                    return self.value_ended();
                }
                (_, Frame::List(notes) | Frame::Pairs { notes, .. }) => *notes = Notes::None,
            }
        }
        match tag {
            b'N' | b'T' | b'F' => self.value_ended(),
            b'I' | b'R' => self.skip(4, Chunk::Scalar),
            b'L' | b'D' | b'd' => self.skip(8, Chunk::Scalar),
            b'V' => self.enter(Frame::List(Notes::Any)),
            b'M' => self.enter(Frame::Pairs { notes: Notes::Any, key: true }),
            b'r' => self.enter(Frame::Remote { typed: false }),
            _ => self.chunk(tag),
        }
    }

    fn chunk(&mut self, tag: u8) -> Whole {
        match tag {
            b's' | b'x' => self.length(Chunk::Text { last: false }),
            b'S' | b'X' => self.length(Chunk::Text { last: true }),
            b'b' => self.length(Chunk::Binary { last: false }),
            b'B' => self.length(Chunk::Binary { last: true }),
            _ => Err(Impossible),
        }
    }

    fn enter(&mut self, frame: Frame) -> Whole {
        if self.frames.len() == DEPTH_MAX {
            return Err(Impossible);
        }
        self.frames.push(frame);
        Ok(false)
    }

    fn length(&mut self, of: Chunk) -> Whole {
        self.step = Step::Length { left: 2, value: 0, of };
        Ok(false)
    }

    fn skip(&mut self, left: u32, of: Chunk) -> Whole {
        self.step = Step::Skip { left, of };
        Ok(false)
    }

    /// Begins a stretch whose length has come.
    fn begin(&mut self, length: u32, of: Chunk) -> Whole {
        match of {
            _ if length == 0 => return self.ended(of),
            Chunk::Binary { .. } => return self.skip(length, of),
            _ => self.step = Step::Text { chars: Chars::new(length), of },
        }
        Ok(false)
    }

    fn ended(&mut self, of: Chunk) -> Whole {
        self.step = match of {
            Chunk::Text { last: false } => Step::MoreText,
            Chunk::Binary { last: false } => Step::MoreBinary,
            _ => Step::Tag,
        };
        match of {
            Chunk::Scalar | Chunk::Text { last: true } | Chunk::Binary { last: true } => self.value_ended(),
            _ => Ok(false),
        }
    }

    fn value_ended(&mut self) -> Whole {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::List(_) => {}
                Frame::Pairs { key, .. } => *key = !*key,
                Frame::Remote { .. } => {
                    self.frames.pop();
                    continue;
                }
            }
            return Ok(false);
        }
        Ok(true)
    }
}
