//! Finds where a value ends, without building it.

use crate::hessian::chars::Chars;
use crate::hessian::{CLASSES_MAX, DEPTH_MAX, FIELDS_MAX, Fed, Impossible, Whole, Wrong, feed};
use crate::scan::count_work;

/// Passes over the values of one message, one after the other, however their bytes come. It keeps nothing of them but
/// how many fields each class has.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    step: Step,
    /// What the value being read is in, from the outside in.
    frames: Vec<Frame>,
    /// How many fields each class has, in the order of their definitions.
    classes: Vec<u16>,
}

/// What the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
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
    Number { left: u8, value: i32, then: Then },
    /// One of a text, whose last chunk it is or not.
    Text { chars: Chars, last: bool },
    /// One of so many that mean nothing here. Those of a binary may be followed by another chunk.
    Skip { left: u32, last: bool },
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// An `int`.
    Int,
    /// The length of a chunk of a text.
    Text { last: bool },
    /// The length of a chunk of a binary.
    Binary { last: bool },
}

/// What a value is in, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// So many more values.
    Values(u32),
    /// Values until `Z`.
    Open,
    /// Keys and values until `Z`.
    Pairs { key: bool },
    /// A type, then values.
    Typed(Typed),
    /// The number of values, then these.
    Count,
    /// The name of a class, then the number of its fields.
    ClassName,
    /// The number of a class's fields, then their names.
    FieldCount,
    /// So many more names of fields.
    FieldNames(u32),
    /// The index of a class, then its fields' values.
    Instance,
    /// The index of a value that came before.
    Reference,
}

/// What comes behind a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typed {
    Values(u8),
    Count,
    Open,
    Pairs,
}

/// What the innermost frame wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wants {
    Value,
    Text,
    Int,
    TextOrInt,
}

impl Frame {
    fn wants(self) -> Wants {
        match self {
            Frame::Values(_) | Frame::Open | Frame::Pairs { .. } => Wants::Value,
            Frame::Typed(_) => Wants::TextOrInt,
            Frame::Count | Frame::FieldCount | Frame::Instance | Frame::Reference => Wants::Int,
            Frame::ClassName | Frame::FieldNames(_) => Wants::Text,
        }
    }
}

impl Walker {
    /// A walker before the first value of a message.
    pub fn new() -> Self {
        Walker::default()
    }

    /// Forgets the message before, keeps the memory.
    pub fn clear(&mut self) {
        self.step = Step::Tag;
        self.frames.clear();
        self.classes.clear();
    }

    /// Takes the next bytes of a value. After one that is `done`, the next value of the same message can follow: it may
    /// name the classes that were defined before it.
    ///
    /// # Errors
    /// The first byte that no value has there, or that exceeds a limit of this module; the walker is of no further use
    /// then, until it is [cleared](Self::clear).
    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        feed(input, |rest| self.advance(rest))
    }

    /// Takes a byte, or a stretch of a text or binary, of input that is not empty.
    #[inline]
    fn advance(&mut self, input: &[u8]) -> Result<(usize, bool), Wrong> {
        let (consumed, whole) = match &mut self.step {
            Step::Text { chars, last } => {
                let consumed = chars.feed(input)?;
                let (done, last) = (chars.done(), *last);
                (consumed, if done { self.chunk_ended(last, Step::MoreText) } else { Ok(false) })
            }
            Step::Skip { left, last } => {
                let consumed = input.len().min(*left as usize);
                *left -= consumed as u32;
                let (done, last) = (*left == 0, *last);
                (consumed, if done { self.chunk_ended(last, Step::MoreBinary) } else { Ok(false) })
            }
            Step::Number { left, value, then } => {
                *value = *value << 8 | i32::from(input[0]);
                *left -= 1;
                let (done, value, then) = (*left == 0, *value, *then);
                (1, if done { self.number_ended(value, then) } else { Ok(false) })
            }
            Step::Tag | Step::Defined | Step::MoreText | Step::MoreBinary => (1, self.tag(input[0])),
        };
        count_work(1);
        Ok((consumed, whole.map_err(|Impossible| Wrong { at: 0 })?))
    }

    fn wants(&self) -> Wants {
        self.frames.last().map_or(Wants::Value, |frame| frame.wants())
    }

    fn tag(&mut self, tag: u8) -> Whole {
        let fits = match (self.step, self.wants()) {
            (Step::MoreText, _) | (_, Wants::Text) => is_text(tag),
            (Step::MoreBinary, _) => is_binary(tag),
            (_, Wants::Int) => is_int(tag),
            (_, Wants::TextOrInt) => is_int(tag) || is_text(tag),
            (Step::Defined, _) => tag != b'Z',
            (_, Wants::Value) => true,
        };
        if !fits {
            return Err(Impossible);
        }
        self.step = Step::Tag;
        match tag {
            0x00..=0x1f => self.text(u32::from(tag), true),
            0x20..=0x2f => self.skip(u32::from(tag & 0xf), true),
            0x30..=0x33 => self.number(1, i32::from(tag & 3), Then::Text { last: true }),
            0x34..=0x37 => self.number(1, i32::from(tag & 3), Then::Binary { last: true }),
            b'R' => self.number(2, 0, Then::Text { last: false }),
            b'S' => self.number(2, 0, Then::Text { last: true }),
            b'A' => self.number(2, 0, Then::Binary { last: false }),
            b'B' => self.number(2, 0, Then::Binary { last: true }),
            0x80..=0xbf => self.int_ended(i32::from(tag) - 0x90),
            0xc0..=0xcf => self.number(1, i32::from(tag) - 0xc8, Then::Int),
            0xd0..=0xd7 => self.number(2, i32::from(tag) - 0xd4, Then::Int),
            b'I' => self.number(4, 0, Then::Int),
            b'N' | b'T' | b'F' | 0x5b | 0x5c | 0xd8..=0xef => self.value_ended(),
            0xf0..=0xff | 0x5d => self.skip(1, true),
            0x38..=0x3f | 0x5e => self.skip(2, true),
            b'Y' | b'K' | 0x5f => self.skip(4, true),
            b'D' | b'L' | b'J' => self.skip(8, true),
            _ => self.compound(tag),
        }
    }

    fn compound(&mut self, tag: u8) -> Whole {
        let frame = match tag {
            b'Z' => return self.end(),
            b'C' => Frame::ClassName,
            b'H' => Frame::Pairs { key: true },
            b'M' => Frame::Typed(Typed::Pairs),
            b'O' => Frame::Instance,
            b'Q' => Frame::Reference,
            b'U' => Frame::Typed(Typed::Open),
            b'V' => Frame::Typed(Typed::Count),
            b'W' => Frame::Open,
            b'X' => Frame::Count,
            0x60..=0x6f => Frame::Values(self.fields_of(usize::from(tag & 0xf))?),
            0x70..=0x77 => Frame::Typed(Typed::Values(tag & 7)),
            0x78..=0x7f => Frame::Values(u32::from(tag & 7)),
            _ => return Err(Impossible),
        };
        if self.frames.len() == DEPTH_MAX {
            return Err(Impossible);
        }
        self.frames.push(frame);
        self.settle()
    }

    fn fields_of(&self, class: usize) -> Result<u32, Impossible> {
        self.classes.get(class).map(|fields| u32::from(*fields)).ok_or(Impossible)
    }

    fn text(&mut self, units: u32, last: bool) -> Whole {
        if units == 0 {
            return self.chunk_ended(last, Step::MoreText);
        }
        self.step = Step::Text { chars: Chars::new(units), last };
        Ok(false)
    }

    fn skip(&mut self, left: u32, last: bool) -> Whole {
        if left == 0 {
            return self.chunk_ended(last, Step::MoreBinary);
        }
        self.step = Step::Skip { left, last };
        Ok(false)
    }

    fn number(&mut self, left: u8, value: i32, then: Then) -> Whole {
        self.step = Step::Number { left, value, then };
        Ok(false)
    }

    fn number_ended(&mut self, value: i32, then: Then) -> Whole {
        self.step = Step::Tag;
        match then {
            Then::Int => self.int_ended(value),
            Then::Text { last } => self.text(value as u32, last),
            Then::Binary { last } => self.skip(value as u32, last),
        }
    }

    /// A chunk is over, or a number that means nothing here.
    fn chunk_ended(&mut self, last: bool, more: Step) -> Whole {
        if !last {
            self.step = more;
            return Ok(false);
        }
        self.step = Step::Tag;
        let Some(frame) = self.frames.last_mut() else { return Ok(true) };
        match *frame {
            Frame::ClassName => *frame = Frame::FieldCount,
            Frame::FieldNames(left) => *frame = Frame::FieldNames(left - 1),
            Frame::Typed(typed) => *frame = typed.into(),
            _ => return self.value_ended(),
        }
        self.settle()
    }

    fn int_ended(&mut self, value: i32) -> Whole {
        let unsigned = u32::try_from(value).map_err(|_| Impossible);
        let Some(frame) = self.frames.last_mut() else { return Ok(true) };
        match *frame {
            Frame::Count => *frame = Frame::Values(unsigned?),
            Frame::FieldCount => {
                let fields = u16::try_from(unsigned?).map_err(|_| Impossible)?;
                if usize::from(fields) > FIELDS_MAX || self.classes.len() == CLASSES_MAX {
                    return Err(Impossible);
                }
                *frame = Frame::FieldNames(u32::from(fields));
                self.classes.push(fields);
            }
            Frame::Instance => {
                let fields = *self.classes.get(unsigned? as usize).ok_or(Impossible)?;
                *frame = Frame::Values(u32::from(fields));
            }
            Frame::Typed(typed) => *frame = typed.into(),
            Frame::Reference => {
                self.frames.pop();
                return self.value_ended();
            }
            _ => return self.value_ended(),
        }
        self.settle()
    }

    /// Leaves a frame that holds nothing more.
    fn settle(&mut self) -> Whole {
        match self.frames.last() {
            Some(Frame::Values(0)) => {
                self.frames.pop();
                self.value_ended()
            }
            // The definition of a class is no value: one follows it in its place.
            Some(Frame::FieldNames(0)) => {
                self.frames.pop();
                self.step = Step::Defined;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// `Z` came.
    fn end(&mut self) -> Whole {
        match self.frames.last() {
            Some(Frame::Open | Frame::Pairs { key: true }) => {
                self.frames.pop();
                self.value_ended()
            }
            _ => Err(Impossible),
        }
    }

    fn value_ended(&mut self) -> Whole {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Values(left) if *left > 1 => *left -= 1,
                Frame::Values(_) => {
                    self.frames.pop();
                    continue;
                }
                Frame::Pairs { key } => *key = !*key,
                _ => {}
            }
            return Ok(false);
        }
        Ok(true)
    }
}

impl From<Typed> for Frame {
    fn from(typed: Typed) -> Frame {
        match typed {
            Typed::Values(count) => Frame::Values(u32::from(count)),
            Typed::Count => Frame::Count,
            Typed::Open => Frame::Open,
            Typed::Pairs => Frame::Pairs { key: true },
        }
    }
}

fn is_text(tag: u8) -> bool {
    matches!(tag, 0x00..=0x1f | 0x30..=0x33 | b'R' | b'S')
}

fn is_binary(tag: u8) -> bool {
    matches!(tag, 0x20..=0x2f | 0x34..=0x37 | b'A' | b'B')
}

fn is_int(tag: u8) -> bool {
    matches!(tag, 0x80..=0xd7 | b'I')
}
