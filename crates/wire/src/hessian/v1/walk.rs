//! Finds the end of a value, without building it.

use crate::hessian::walk::{Event, Impossible, Nobody, Position, Stretch, Then, Visit, Walk, Whole, signed};
use crate::hessian::{DEPTH_MAX, Fed, Tree, Wrong};
use crate::utf;

/// Passes over values, one after the other, however their bytes come. It keeps nothing of them.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    step: Position,
    /// Frames around the value being read, from the outside in.
    frames: Vec<Frame>,
    /// True if a limit of this module ended it.
    beyond: bool,
}

/// Container of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// Values until `z`.
    List(Notes),
    /// Keys and values until `z`.
    Pairs { notes: Notes, key: bool },
    /// A type, then a URL.
    Remote { typed: bool },
}

/// Items that may still come before the values.
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

    /// Clears its state, keeps the memory.
    pub fn clear(&mut self) {
        self.step = Position::Tag;
        self.frames.clear();
        self.beyond = false;
    }

    /// Takes the next bytes of a value. After one that is `done`, another can follow.
    ///
    /// # Errors
    /// The first byte that no value has there, or that nests it too deep; the walker is of no further use then, until
    /// it is [cleared](Self::clear).
    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        self.walk(input, &mut Nobody)
    }

    /// True if the wrong byte exceeds a limit of this module.
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    fn chunk(&mut self, tag: u8) -> Whole {
        let part = match tag {
            b's' | b'x' => Stretch::Text { last: false },
            b'S' | b'X' => Stretch::Text { last: true },
            b'b' => Stretch::Binary { last: false },
            b'B' => Stretch::Binary { last: true },
            _ => return Err(Impossible),
        };
        self.number(2, 0, Then::Length(part))
    }

    fn skip(&mut self, left: u32, of: Stretch) -> Whole {
        self.go_on(Position::Skip { left, of })
    }

    fn enter(&mut self, frame: Frame, event: Event<'_>, visit: &mut impl Visit) -> Whole {
        if self.frames.len() == DEPTH_MAX {
            self.beyond = true;
            return Err(Impossible);
        }
        self.frames.push(frame);
        visit.see(event)?;
        Ok(false)
    }

    fn scalar_ended(&mut self, visit: &mut impl Visit) -> Whole {
        visit.see(Event::Value)?;
        self.value_ended(visit)
    }

    fn value_ended(&mut self, visit: &mut impl Visit) -> Whole {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::List(_) => {}
                Frame::Pairs { key, .. } => *key = !*key,
                Frame::Remote { .. } => {
                    self.leave(visit)?;
                    continue;
                }
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn leave(&mut self, visit: &mut impl Visit) -> Result<(), Impossible> {
        self.frames.pop();
        visit.see(Event::Close)
    }
}

impl Walk for Walker {
    fn step(&mut self) -> &mut Position {
        &mut self.step
    }

    fn tag(&mut self, tag: u8, visit: &mut impl Visit) -> Whole {
        match self.step {
            Position::MoreText if !is_text(tag) => return Err(Impossible),
            Position::MoreBinary if !is_binary(tag) => return Err(Impossible),
            Position::MoreText | Position::MoreBinary => return self.chunk(tag),
            _ => {}
        }
        visit.see(Event::Begin(Some(tag)))?;
        if let Some(frame) = self.frames.last_mut() {
            match (tag, &mut *frame) {
                (b't', Frame::List(notes @ Notes::Any) | Frame::Pairs { notes: notes @ Notes::Any, .. }) => {
                    *notes = Notes::Length;
                    return self.number(2, 0, Then::Length(Stretch::Type));
                }
                (b'l', Frame::List(notes @ (Notes::Any | Notes::Length))) => {
                    *notes = Notes::None;
                    return self.skip(4, Stretch::Count);
                }
                (b't', Frame::Remote { typed: typed @ false }) => {
                    *typed = true;
                    return self.number(2, 0, Then::Length(Stretch::Type));
                }
                (b'S', Frame::Remote { typed: true }) => {}
                (_, Frame::Remote { .. }) => return Err(Impossible),
                (b'z', Frame::List(_) | Frame::Pairs { key: true, .. }) => {
                    self.leave(visit)?;
                    return self.value_ended(visit);
                }
                (_, Frame::List(notes) | Frame::Pairs { notes, .. }) => *notes = Notes::None,
            }
        }
        match tag {
            b'N' | b'T' | b'F' => self.scalar_ended(visit),
            b'I' | b'R' => self.skip(4, Stretch::Scalar),
            b'L' | b'D' | b'd' => self.skip(8, Stretch::Scalar),
            b'V' => self.enter(Frame::List(Notes::Any), Event::List, visit),
            b'M' => self.enter(Frame::Pairs { notes: Notes::Any, key: true }, Event::Map, visit),
            b'r' => self.enter(Frame::Remote { typed: false }, Event::Remote, visit),
            _ => self.chunk(tag),
        }
    }

    fn ended(&mut self, part: Stretch, visit: &mut impl Visit) -> Whole {
        match part {
            Stretch::Count => Ok(false),
            Stretch::Type => visit.see(Event::Type).map(|()| false),
            _ => self.scalar_ended(visit),
        }
    }

    fn scalar(tag: u8, bytes: &[u8]) -> Tree {
        match tag {
            b'N' => Tree::Null,
            b'T' => Tree::Bool(true),
            b'F' => Tree::Bool(false),
            b'I' => Tree::Int(signed(bytes) as i32),
            b'R' => Tree::Reference(signed(bytes) as i32),
            b'L' => Tree::Long(signed(bytes)),
            b'd' => Tree::Date(signed(bytes)),
            b'D' => Tree::Double(f64::from_bits(signed(bytes) as u64)),
            tag if is_text(tag) => Tree::Text(utf::read(bytes)),
            tag if is_binary(tag) => Tree::Bytes(bytes.to_vec()),
            _ => Tree::Missing,
        }
    }
}

fn is_text(tag: u8) -> bool {
    matches!(tag, b's' | b'S' | b'x' | b'X')
}

fn is_binary(tag: u8) -> bool {
    matches!(tag, b'b' | b'B')
}
