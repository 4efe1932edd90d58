//! Common part of the walkers of both versions. A walker finds the end of a value, however its bytes come, and reports
//! the parts it passes over to a visitor: one that ignores them, or one that builds a tree of them.

use super::Wrong;
use super::chars::Chars;
use super::tree::Tree;
use crate::scan::{Fed, count_work};

/// A byte cannot be there.
pub struct Impossible;

/// True once the value is whole; an error if a byte cannot be there.
pub type Whole = Result<bool, Impossible>;

/// Event of a walk.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The first byte of a value; `None` for a name, a type or a number that is not a value of its own.
    Begin(Option<u8>),
    /// Bytes of what has begun, behind its tags and lengths.
    Bytes(&'a [u8]),
    /// The part that has begun is whole, a value.
    Value,
    Int(i32),
    /// A value that came before.
    Reference(i32),
    /// The part that has begun is whole, the type of the list or map that was opened last.
    Type,
    /// The type is one that came before.
    TypeAgain(i32),
    /// The part that has begun is whole, the name of a class that is being defined.
    ClassName,
    /// The part that has begun is whole, the name of a field of that class.
    FieldName,
    List,
    Map,
    /// The place of a remote object opens.
    Remote,
    /// An object of the class with this index opens.
    Instance(usize),
    /// The part that was opened last closes.
    Close,
}

/// Is told what a walker passes over.
pub trait Visit {
    fn see(&mut self, event: Event<'_>) -> Result<(), Impossible>;
}

pub struct Nobody;

impl Visit for Nobody {
    #[inline]
    fn see(&mut self, _event: Event<'_>) -> Result<(), Impossible> {
        Ok(())
    }
}

/// Position of the next byte in a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// The first of something that the innermost frame tells.
    #[default]
    Tag,
    /// The first of a value, which must follow the definition of a class.
    Defined,
    /// The first of a further chunk of a text.
    MoreText,
    /// The first of a further chunk of a binary.
    MoreBinary,
    /// One of a number, the highest first.
    Number {
        left: u8,
        value: i32,
        then: Then,
    },
    Text {
        chars: Chars,
        of: Stretch,
    },
    /// One of `left` bytes that mean nothing here.
    Skip {
        left: u32,
        of: Stretch,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// An `int`.
    Int,
    /// The length of such a part.
    Length(Stretch),
}

/// Kind of a stretch of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// A value that is whole with it.
    Scalar,
    /// A text, to be followed by another chunk or not.
    Text { last: bool },
    /// A binary, to be followed by another chunk or not.
    Binary { last: bool },
    /// A type: no value of its own.
    Type,
    /// The number of values in a list: likewise.
    Count,
}

/// The grammar of a version, and how far a walker is in it.
pub trait Walk: Default {
    fn step(&mut self) -> &mut Position;

    /// The first byte of something came.
    fn tag(&mut self, tag: u8, visit: &mut impl Visit) -> Whole;

    /// An `int` came.
    fn int(&mut self, _value: i32, _visit: &mut impl Visit) -> Whole {
        Err(Impossible)
    }

    /// A part has ended, with all its chunks.
    fn ended(&mut self, part: Stretch, visit: &mut impl Visit) -> Whole;

    /// The value with that tag, of what came behind its tags and lengths.
    fn scalar(tag: u8, bytes: &[u8]) -> Tree;

    /// Takes the next bytes of a value.
    #[inline]
    fn walk(&mut self, input: &[u8], visit: &mut impl Visit) -> Result<Fed, Wrong> {
        let mut pos = 0;
        while pos < input.len() {
            let (consumed, whole) =
                self.advance(&input[pos..], visit).map_err(|wrong| Wrong { at: pos + wrong.at })?;
            pos += consumed;
            if whole {
                return Ok(Fed { consumed: pos, done: true });
            }
        }
        Ok(Fed { consumed: pos, done: false })
    }

    /// Takes a byte, or a stretch of a text or binary, of input that is not empty.
    #[inline]
    fn advance(&mut self, input: &[u8], visit: &mut impl Visit) -> Result<(usize, bool), Wrong> {
        count_work(1);
        let (consumed, whole) = match self.step() {
            Position::Text { chars, of } => {
                let fed = chars.feed(input);
                let (done, of) = (chars.done(), *of);
                let consumed = fed.unwrap_or_else(|wrong| wrong.at);
                let seen = visit.see(Event::Bytes(&input[..consumed]));
                fed?;
                (consumed, seen.and_then(|()| if done { self.chunk_ended(of, visit) } else { Ok(false) }))
            }
            Position::Skip { left, of } => {
                let consumed = input.len().min(*left as usize);
                *left -= consumed as u32;
                let (done, of) = (*left == 0, *of);
                let seen = visit.see(Event::Bytes(&input[..consumed]));
                (consumed, seen.and_then(|()| if done { self.chunk_ended(of, visit) } else { Ok(false) }))
            }
            Position::Number { left, value, then } => {
                *value = *value << 8 | i32::from(input[0]);
                *left -= 1;
                let (done, value, then) = (*left == 0, *value, *then);
                (1, if done { self.number_ended(value, then, visit) } else { Ok(false) })
            }
            Position::Tag | Position::Defined | Position::MoreText | Position::MoreBinary => {
                (1, self.tag(input[0], visit))
            }
        };
        Ok((consumed, whole.map_err(|Impossible| Wrong { at: 0 })?))
    }

    fn go_on(&mut self, step: Position) -> Whole {
        *self.step() = step;
        Ok(false)
    }

    fn number(&mut self, left: u8, value: i32, then: Then) -> Whole {
        self.go_on(Position::Number { left, value, then })
    }

    fn number_ended(&mut self, value: i32, then: Then, visit: &mut impl Visit) -> Whole {
        *self.step() = Position::Tag;
        match then {
            Then::Int => self.int(value, visit),
            Then::Length(part) => self.begin(value as u32, part, visit),
        }
    }

    /// Begins a part whose length is known.
    fn begin(&mut self, length: u32, of: Stretch, visit: &mut impl Visit) -> Whole {
        match of {
            _ if length == 0 => self.chunk_ended(of, visit),
            Stretch::Text { .. } | Stretch::Type => {
                self.go_on(Position::Text { chars: Chars::new(length), of })
            }
            Stretch::Scalar | Stretch::Binary { .. } | Stretch::Count => {
                self.go_on(Position::Skip { left: length, of })
            }
        }
    }

    fn chunk_ended(&mut self, of: Stretch, visit: &mut impl Visit) -> Whole {
        match of {
            Stretch::Text { last: false } => self.go_on(Position::MoreText),
            Stretch::Binary { last: false } => self.go_on(Position::MoreBinary),
            _ => {
                *self.step() = Position::Tag;
                self.ended(of, visit)
            }
        }
    }
}

/// The number that these digits of eight bits follow `from` in.
pub(super) fn number(from: i64, digits: &[u8]) -> i64 {
    digits.iter().fold(from, |number, digit| number << 8 | i64::from(*digit))
}

/// The number, with its sign, that such digits are.
pub(super) fn signed(digits: &[u8]) -> i64 {
    number(if digits.first().is_some_and(|first| *first >= 0x80) { -1 } else { 0 }, digits)
}
