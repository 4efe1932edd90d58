//! JSONB as Fastjson 2 reads it in Dubbo 3: each value behind its length in four bytes.
//!
//! Names of classes and fields are symbols: written out the first time, with a number, and as that number afterwards.
//! An object has its class before it where the place's type does not tell it. Fields that have their type's default are
//! left out, as Dubbo's own clients do.

use super::draft::{Content, Draft, EncodeError};
use super::texts::{JsonbText, integer};
use crate::form::Form;
use crate::placeholders::{Infill, LengthForm};
use crate::{Field, Object, Text, Value};

const BINARY: u8 = 0x91;
const TYPED: u8 = 0x92;
const LIST: u8 = 0x94;
const LONG_LIST: u8 = 0xa4;
const OBJECT_END: u8 = 0xa5;
const OBJECT: u8 = 0xa6;
const MILLISECONDS: u8 = 0xab;
const NULL: u8 = 0xaf;
const FALSE: u8 = 0xb0;
const DOUBLE_ZERO: u8 = 0xb2;
const DOUBLE_INTEGER: u8 = 0xb4;
const DOUBLE: u8 = 0xb5;
const FLOAT: u8 = 0xb7;
const INT8: u8 = 0xbd;
const INT16: u8 = 0xbc;
const INT64: u8 = 0xbe;
const INT64_OF_32: u8 = 0xbf;
const SYMBOL: u8 = 0x7f;

/// Writes the body of a call.
pub(super) fn write(draft: &mut Draft, content: &Content<'_>) -> Result<(), EncodeError> {
    for text in content.head {
        draft.bytes.push(0);
        JsonbText::WithLength.write(text.as_bytes(), |piece| draft.bytes.extend_from_slice(piece));
    }
    for (value, ty) in content.arguments() {
        argument(draft, value, ty)?;
    }
    argument(draft, &content.attachments(), "java.util.Map")
}

/// An integer of 64 bits, in one to nine bytes.
fn long(value: i64, mut put: impl FnMut(&[u8])) {
    let [.., a, b, c, d] = value.to_be_bytes();
    match value {
        -8..=15 => put(&[0xe0_u8.wrapping_add(d)]),
        -0x800..=0x7ff => put(&[0xd0_u8.wrapping_add(c), d]),
        -0x4_0000..=0x3_ffff => put(&[0xc4_u8.wrapping_add(b), c, d]),
        _ if i32::try_from(value).is_ok() => put(&[INT64_OF_32, a, b, c, d]),
        _ => {
            put(&[INT64]);
            put(&value.to_be_bytes());
        }
    }
}

/// One argument behind its length, which is known here unless texts are drawn within it.
fn argument(draft: &mut Draft, value: &Value, ty: &str) -> Result<(), EncodeError> {
    if let Value::Text(Text::Drawn(draw)) = value {
        draft.bytes.push(0);
        draft.places.push_draw(draft.bytes.len(), *draw, Form::DubboJsonb(JsonbText::WithLength));
        return Ok(());
    }
    let mut trial = Draft::default();
    Writer { draft: &mut trial, symbols: Vec::new() }.any(value, ty, true);
    if trial.places.is_empty() {
        let length = u32::try_from(trial.bytes.len()).map_err(|_| EncodeError::TooLong)?;
        draft.bytes.extend_from_slice(&length.to_be_bytes());
        draft.bytes.extend_from_slice(&trial.bytes);
        return Ok(());
    }
    // The first of the length's four bytes parts the argument's places from those of the argument before.
    draft.bytes.push(0);
    let from = draft.bytes.len();
    let to = Some(from + trial.bytes.len());
    draft.places.push(from, Infill::Length { from, to, form: LengthForm::U24 });
    Writer { draft, symbols: Vec::new() }.any(value, ty, true);
    Ok(())
}

/// Writes one argument; symbols are numbered within it.
struct Writer<'a> {
    draft: &'a mut Draft,
    symbols: Vec<String>,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.draft.bytes.extend_from_slice(bytes);
    }

    fn integer(&mut self, value: i32) {
        integer(value, |piece| self.draft.bytes.extend_from_slice(piece));
    }

    fn fixed(&mut self, text: &str) {
        JsonbText::Within.write(text.as_bytes(), |piece| self.draft.bytes.extend_from_slice(piece));
    }

    fn text(&mut self, text: &Text) {
        match text {
            Text::Fixed(text) => self.fixed(text),
            Text::Drawn(draw) => {
                let at = self.draft.bytes.len();
                self.draft.places.push_draw(at, *draw, Form::DubboJsonb(JsonbText::Within));
            }
        }
    }

    /// A name behind `mark`: written out when it is new.
    fn symbol(&mut self, mark: u8, name: &str) {
        self.put(&[mark]);
        let known = self.symbols.iter().position(|known| known == name);
        let number = known.unwrap_or(self.symbols.len());
        if known.is_none() {
            self.symbols.push(name.to_owned());
            self.fixed(name);
        }
        self.integer(number as i32);
    }

    /// A value; `whole` where it is the argument itself, whose place tells no class.
    fn any(&mut self, value: &Value, ty: &str, whole: bool) {
        match value {
            Value::Null => self.put(&[NULL]),
            Value::Bool(value) => self.put(&[FALSE + u8::from(*value)]),
            Value::Int(_) | Value::Long(_) | Value::Double(_) => self.number(value, ty),
            Value::Text(value) => self.text(value),
            Value::Bytes(bytes) => {
                self.put(&[BINARY]);
                self.integer(bytes.len() as i32);
                self.put(bytes);
            }
            Value::Date(ms) => {
                self.put(&[MILLISECONDS]);
                self.put(&ms.to_be_bytes());
            }
            Value::List(items) => self.list(items, ty),
            Value::Set(items) => {
                self.class("HashSet", whole || !is_set(ty));
                self.list(items, ty);
            }
            Value::Map(entries) => {
                self.put(&[OBJECT]);
                let values = entries.iter().flat_map(|(key, value)| [key, value]);
                values.for_each(|value| self.any(value, "java.lang.Object", false));
                self.put(&[OBJECT_END]);
            }
            Value::Enum { class, name } => {
                self.class(class, whole || ty != class);
                self.text(name);
            }
            Value::Object(object) => {
                self.class(&object.class, whole || ty != object.class);
                self.fields(object);
            }
        }
    }

    fn number(&mut self, value: &Value, ty: &str) {
        let bytes = &mut self.draft.bytes;
        let mut put = |piece: &[u8]| bytes.extend_from_slice(piece);
        match (value, ty) {
            (Value::Int(value), "byte" | "java.lang.Byte") => put(&[INT8, *value as u8]),
            (Value::Int(value), "short" | "java.lang.Short") => {
                put(&[INT16]);
                put(&(*value as i16).to_be_bytes());
            }
            (Value::Int(value), "long" | "java.lang.Long") => long(i64::from(*value), put),
            (Value::Int(value), _) => integer(*value, put),
            (Value::Long(value), _) => long(*value, put),
            (Value::Double(value), "float" | "java.lang.Float") => {
                put(&[FLOAT]);
                put(&(*value as f32).to_be_bytes());
            }
            (Value::Double(value), _) => double(*value, put),
            _ => put(&[NULL]),
        }
    }

    /// The elements of a list of unknown element type have their class; an array's have when it is another.
    fn list(&mut self, items: &[Value], ty: &str) {
        match u8::try_from(items.len()) {
            Ok(count @ 0..=15) => self.put(&[LIST + count]),
            _ => {
                self.put(&[LONG_LIST]);
                self.integer(items.len() as i32);
            }
        }
        items.iter().for_each(|item| self.any(item, element_of(ty), false));
    }

    /// The class of the value that follows, where its place does not tell it.
    fn class(&mut self, class: &str, untold: bool) {
        if untold {
            self.symbol(TYPED, class);
        }
    }

    fn fields(&mut self, object: &Object) {
        self.put(&[OBJECT]);
        for Field { name, ty, value } in object.all_fields() {
            if !is_default(value, ty) {
                self.symbol(SYMBOL, name);
                self.any(value, ty, false);
            }
        }
        self.put(&[OBJECT_END]);
    }
}

/// True if a set in a place of that type is taken for a `HashSet`.
fn is_set(ty: &str) -> bool {
    let class = ty.split_once('<').map_or(ty, |(class, _)| class);
    matches!(class, "java.util.Set" | "java.util.HashSet")
}

/// The type of the elements of an array, or of a list whose type names it: `java.util.List<lab.Phone>`.
fn element_of(ty: &str) -> &str {
    let named = ty.split_once('<').and_then(|(_, element)| element.strip_suffix('>'));
    ty.strip_suffix("[]").or(named).unwrap_or("java.lang.Object")
}

fn double(value: f64, mut put: impl FnMut(&[u8])) {
    let small = value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX);
    if value == 0.0 || value == 1.0 {
        put(&[DOUBLE_ZERO + value as u8]);
    } else if small && value.trunc() == value {
        put(&[DOUBLE_INTEGER]);
        long(value as i64, put);
    } else {
        put(&[DOUBLE]);
        put(&value.to_be_bytes());
    }
}

fn is_default(value: &Value, ty: &str) -> bool {
    let primitive = !ty.contains(['.', '[']);
    match value {
        Value::Null => true,
        Value::Bool(value) => primitive && !value,
        Value::Int(value) => primitive && *value == 0,
        Value::Long(value) => primitive && *value == 0,
        Value::Double(value) => primitive && *value == 0.0,
        _ => false,
    }
}
