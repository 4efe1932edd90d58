//! Finds the end of a value, without building it.

use crate::hessian::walk::{
    Event, Impossible, Nobody, Position, Stretch, Then, Visit, Walk, Whole, number, signed,
};
use crate::hessian::{CLASSES_MAX, DEPTH_MAX, FIELDS_MAX, Fed, Tree, Wrong};
use crate::utf;

/// Passes over the values of one message, one after the other, however their bytes come. It keeps nothing of them but
/// how many fields each class has.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    step: Position,
    /// Frames around the value being read, from the outside in.
    frames: Vec<Frame>,
    /// Number of fields of each class, in the order of their definitions.
    classes: Vec<u16>,
    /// True if a limit of this module ended it.
    beyond: bool,
}

/// Container of a value, or of a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Values(u32),
    /// Values until `Z`.
    Open,
    /// Keys and values until `Z`.
    Pairs {
        key: bool,
    },
    Typed(Typed),
    /// The number of values, then these.
    Count,
    /// The name of a class, then the number of its fields.
    ClassName,
    /// The number of a class's fields, then their names.
    FieldCount,
    /// This many more names of fields.
    FieldNames(u32),
    /// The index of a class, then its fields' values.
    Instance,
    /// The index of a value that came before.
    Reference,
}

/// Content behind a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typed {
    Values(u8),
    Count,
    Open,
    Pairs,
}

/// Kind of item that the innermost frame wants.
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
        self.step = Position::Tag;
        self.frames.clear();
        self.classes.clear();
        self.beyond = false;
    }

    /// Takes the next bytes of a value. After one that is `done`, the next value of the same message can follow: it may
    /// name the classes that were defined before it.
    ///
    /// # Errors
    /// The first byte that no value has there, or that exceeds a limit of this module; the walker is of no further use
    /// then, until it is [cleared](Self::clear).
    pub fn feed(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        self.walk(input, &mut Nobody)
    }

    /// True if the wrong byte exceeds a limit of this module.
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    fn wants(&self) -> Wants {
        self.frames.last().map_or(Wants::Value, |frame| frame.wants())
    }

    fn compound(&mut self, tag: u8, visit: &mut impl Visit) -> Whole {
        let (frame, event) = match tag {
            b'Z' => return self.end(visit),
            b'C' => (Frame::ClassName, None),
            b'O' => (Frame::Instance, None),
            b'Q' => (Frame::Reference, None),
            b'H' => (Frame::Pairs { key: true }, Some(Event::Map)),
            b'M' => (Frame::Typed(Typed::Pairs), Some(Event::Map)),
            b'U' => (Frame::Typed(Typed::Open), Some(Event::List)),
            b'V' => (Frame::Typed(Typed::Count), Some(Event::List)),
            b'W' => (Frame::Open, Some(Event::List)),
            b'X' => (Frame::Count, Some(Event::List)),
            0x60..=0x6f => {
                let class = usize::from(tag & 0xf);
                (Frame::Values(self.fields_of(class)?), Some(Event::Instance(class)))
            }
            0x70..=0x77 => (Frame::Typed(Typed::Values(tag & 7)), Some(Event::List)),
            0x78..=0x7f => (Frame::Values(u32::from(tag & 7)), Some(Event::List)),
            _ => return Err(Impossible),
        };
        if self.frames.len() == DEPTH_MAX {
            self.beyond = true;
            return Err(Impossible);
        }
        self.frames.push(frame);
        event.map_or(Ok(()), |event| visit.see(event))?;
        self.settle(visit)
    }

    fn fields_of(&self, class: usize) -> Result<u32, Impossible> {
        self.classes.get(class).map(|fields| u32::from(*fields)).ok_or(Impossible)
    }

    /// Leaves a frame that holds nothing more.
    fn settle(&mut self, visit: &mut impl Visit) -> Whole {
        match self.frames.last() {
            Some(Frame::Values(0)) => self.leave(visit),
            // The definition of a class is not a value: one follows it in its place.
            Some(Frame::FieldNames(0)) => {
                self.frames.pop();
                self.go_on(Position::Defined)
            }
            _ => Ok(false),
        }
    }

    /// `Z` came.
    fn end(&mut self, visit: &mut impl Visit) -> Whole {
        match self.frames.last() {
            Some(Frame::Open | Frame::Pairs { key: true }) => self.leave(visit),
            _ => Err(Impossible),
        }
    }

    /// A list, a map or an object is whole.
    fn leave(&mut self, visit: &mut impl Visit) -> Whole {
        self.frames.pop();
        visit.see(Event::Close)?;
        self.value_ended(visit)
    }

    fn scalar_ended(&mut self, visit: &mut impl Visit) -> Whole {
        visit.see(Event::Value)?;
        self.value_ended(visit)
    }

    fn value_ended(&mut self, visit: &mut impl Visit) -> Whole {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Values(left) if *left > 1 => *left -= 1,
                Frame::Values(_) => {
                    self.frames.pop();
                    visit.see(Event::Close)?;
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

impl Walk for Walker {
    fn step(&mut self) -> &mut Position {
        &mut self.step
    }

    fn tag(&mut self, tag: u8, visit: &mut impl Visit) -> Whole {
        let wants = self.wants();
        let fits = match (self.step, wants) {
            (Position::MoreText, _) | (_, Wants::Text) => is_text(tag),
            (Position::MoreBinary, _) => is_binary(tag),
            (_, Wants::Int) => is_int(tag),
            (_, Wants::TextOrInt) => is_int(tag) || is_text(tag),
            (Position::Defined, _) => tag != b'Z',
            (_, Wants::Value) => true,
        };
        if !fits {
            return Err(Impossible);
        }
        if !matches!(self.step, Position::MoreText | Position::MoreBinary) {
            visit.see(Event::Begin((wants == Wants::Value).then_some(tag)))?;
        }
        self.step = Position::Tag;
        let (text, binary) = (Stretch::Text { last: tag != b'R' }, Stretch::Binary { last: tag != b'A' });
        match tag {
            0x00..=0x1f => self.begin(u32::from(tag), text, visit),
            0x20..=0x2f => self.begin(u32::from(tag & 0xf), binary, visit),
            0x30..=0x33 => self.number(1, i32::from(tag & 3), Then::Length(text)),
            0x34..=0x37 => self.number(1, i32::from(tag & 3), Then::Length(binary)),
            b'R' | b'S' => self.number(2, 0, Then::Length(text)),
            b'A' | b'B' => self.number(2, 0, Then::Length(binary)),
            0x80..=0xbf => self.int(i32::from(tag) - 0x90, visit),
            0xc0..=0xcf => self.number(1, i32::from(tag) - 0xc8, Then::Int),
            0xd0..=0xd7 => self.number(2, i32::from(tag) - 0xd4, Then::Int),
            b'I' => self.number(4, 0, Then::Int),
            b'N' | b'T' | b'F' | 0x5b | 0x5c | 0xd8..=0xef => self.scalar_ended(visit),
            0xf0..=0xff | 0x5d => self.begin(1, Stretch::Scalar, visit),
            0x38..=0x3f | 0x5e => self.begin(2, Stretch::Scalar, visit),
            b'Y' | b'K' | 0x5f => self.begin(4, Stretch::Scalar, visit),
            b'D' | b'L' | b'J' => self.begin(8, Stretch::Scalar, visit),
            _ => self.compound(tag, visit),
        }
    }

    fn int(&mut self, value: i32, visit: &mut impl Visit) -> Whole {
        let unsigned = u32::try_from(value).map_err(|_| Impossible);
        match self.frames.last_mut() {
            Some(frame @ Frame::Count) => *frame = Frame::Values(unsigned?),
            Some(frame @ Frame::FieldCount) => {
                let fields = u16::try_from(unsigned?).map_err(|_| Impossible)?;
                if usize::from(fields) > FIELDS_MAX || self.classes.len() == CLASSES_MAX {
                    self.beyond = true;
                    return Err(Impossible);
                }
                *frame = Frame::FieldNames(u32::from(fields));
                self.classes.push(fields);
            }
            Some(frame @ Frame::Instance) => {
                let class = unsigned? as usize;
                let fields = *self.classes.get(class).ok_or(Impossible)?;
                *frame = Frame::Values(u32::from(fields));
                visit.see(Event::Instance(class))?;
            }
            Some(frame @ &mut Frame::Typed(typed)) => {
                *frame = typed.into();
                visit.see(Event::TypeAgain(value))?;
            }
            Some(Frame::Reference) => {
                self.frames.pop();
                visit.see(Event::Reference(value))?;
                return self.value_ended(visit);
            }
            _ => {
                visit.see(Event::Int(value))?;
                return self.value_ended(visit);
            }
        }
        self.settle(visit)
    }

    fn ended(&mut self, _part: Stretch, visit: &mut impl Visit) -> Whole {
        let event = match self.frames.last_mut() {
            Some(frame @ Frame::ClassName) => {
                *frame = Frame::FieldCount;
                Event::ClassName
            }
            Some(Frame::FieldNames(left)) => {
                *left -= 1;
                Event::FieldName
            }
            Some(frame @ &mut Frame::Typed(typed)) => {
                *frame = typed.into();
                Event::Type
            }
            _ => return self.scalar_ended(visit),
        };
        visit.see(event)?;
        self.settle(visit)
    }

    fn scalar(tag: u8, bytes: &[u8]) -> Tree {
        let high = i64::from(tag);
        match tag {
            b'N' => Tree::Null,
            b'T' => Tree::Bool(true),
            b'F' => Tree::Bool(false),
            0xd8..=0xef => Tree::Long(high - 0xe0),
            0xf0..=0xff => Tree::Long(number(high - 0xf8, bytes)),
            0x38..=0x3f => Tree::Long(number(high - 0x3c, bytes)),
            b'Y' | b'L' => Tree::Long(signed(bytes)),
            0x5b | 0x5c => Tree::Double(f64::from(tag - 0x5b)),
            0x5d | 0x5e => Tree::Double(signed(bytes) as f64),
            0x5f => Tree::Double(0.001 * signed(bytes) as f64),
            b'D' => Tree::Double(f64::from_bits(signed(bytes) as u64)),
            b'J' => Tree::Date(signed(bytes)),
            b'K' => Tree::Date(signed(bytes) * 60_000),
            tag if is_text(tag) => Tree::Text(utf::read(bytes)),
            tag if is_binary(tag) => Tree::Bytes(bytes.to_vec()),
            _ => Tree::Missing,
        }
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
