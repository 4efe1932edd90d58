//! Dubbo's own serialization (`GenericObjectOutput` and `Builder` of Dubbo 2.5), the writer.
//!
//! A value in a place for any object begins with its class; one whose class the field's type tells does not. A field
//! whose type is an interface can hold any object. An object's fields come without names, in the order of their names.
//! Dubbo writes an object that `equals` an earlier one as a reference; here each is written out, which every server
//! reads: the result of `equals` is not known.

use super::draft::{Content, Draft, EncodeError};
pub(super) use super::texts::{BYTES, EMPTY};
use super::texts::{digits, write_native};
use crate::form::Form;
use crate::{Field, Object, Text, Value, descriptor};

pub(super) const OBJECT: u8 = 0x80;
pub(super) const VALUE: u8 = 0x84;
pub(super) const VALUES: u8 = 0x85;
pub(super) const MAP: u8 = 0x86;
pub(super) const CLASS: u8 = 0x8a;
pub(super) const CLASS_NUMBER: u8 = 0x8b;
pub(super) const NULL: u8 = 0x94;
/// The integer 0 in one byte; -15 to 31 lie around it.
pub(super) const ZERO: u8 = 0x19;

/// Descriptors of the classes that have a number, in its order.
pub(super) const NUMBERED: [&str; 28] = [
    "[Z",
    "[B",
    "[C",
    "[S",
    "[I",
    "[J",
    "[F",
    "[D",
    "Ljava/lang/Boolean;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Character;",
    "Ljava/lang/Short;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Float;",
    "Ljava/lang/Double;",
    "Ljava/lang/String;",
    "[Ljava/lang/String;",
    "Ljava/util/ArrayList;",
    "Ljava/util/HashMap;",
    "Ljava/util/HashSet;",
    "Ljava/util/Date;",
    "Ljava/sql/Date;",
    "Ljava/sql/Time;",
    "Ljava/sql/Timestamp;",
    "Ljava/util/LinkedList;",
    "Ljava/util/LinkedHashMap;",
    "Ljava/util/LinkedHashSet;",
];

/// Writes the body of a call.
pub(super) fn write(draft: &mut Draft, content: &Content<'_>) -> Result<(), EncodeError> {
    for text in content.head {
        fixed(draft, text);
    }
    for (value, ty) in content.arguments() {
        any(draft, value, ty)?;
    }
    any(draft, &content.attachments(), "java.util.Map")
}

fn fixed(draft: &mut Draft, text: &str) {
    write_native(text.as_bytes(), |piece| draft.bytes.extend_from_slice(piece));
}

fn text(draft: &mut Draft, text: &Text) {
    match text {
        Text::Fixed(text) => fixed(draft, text),
        Text::Drawn(draw) => draft.places.push_draw(draft.bytes.len(), *draw, Form::DubboNative),
    }
}

fn unsigned(bytes: &mut Vec<u8>, number: usize) {
    digits(number, |digit| bytes.push(digit));
}

/// An integer: one byte when small, else as few bytes as keep its sign, the lowest first, behind their count less one.
fn integer(bytes: &mut Vec<u8>, number: i64) {
    if (-15..=31).contains(&number) {
        return bytes.push((i64::from(ZERO) + number) as u8);
    }
    let needed = (1..8).find(|bytes| number << (64 - 8 * bytes) >> (64 - 8 * bytes) == number).unwrap_or(8);
    bytes.push(needed as u8 - 1);
    bytes.extend_from_slice(&number.to_le_bytes()[..needed]);
}

fn byte(bytes: &mut Vec<u8>, number: i32) {
    match number {
        0..=31 => bytes.push(ZERO + number as u8),
        _ => bytes.extend_from_slice(&[0, number as u8]),
    }
}

fn class(draft: &mut Draft, descriptor: &str) {
    match NUMBERED.iter().position(|known| *known == descriptor) {
        Some(number) => {
            draft.bytes.push(CLASS_NUMBER);
            unsigned(&mut draft.bytes, number);
        }
        None => {
            draft.bytes.push(CLASS);
            fixed(draft, descriptor);
        }
    }
}

/// A value that can be of any class, which is written before it.
fn any(draft: &mut Draft, value: &Value, ty: &str) -> Result<(), EncodeError> {
    if matches!(value, Value::Null) {
        draft.bytes.push(NULL);
        return Ok(());
    }
    let own = class_of(value, ty);
    class(draft, &descriptor(&own));
    bare(draft, value, &own)
}

/// The class of a value in a place of that type: boxed when primitive.
pub(super) fn class_of(value: &Value, ty: &str) -> String {
    let own = match (value, ty) {
        (Value::Bool(_), _) => "java.lang.Boolean",
        (Value::Int(_), "byte" | "java.lang.Byte") => "java.lang.Byte",
        (Value::Int(_), "short" | "java.lang.Short") => "java.lang.Short",
        (Value::Int(_), "char" | "java.lang.Character") => "java.lang.Character",
        (Value::Int(_), "long" | "java.lang.Long") | (Value::Long(_), _) => "java.lang.Long",
        (Value::Int(_) | Value::Null, _) => "java.lang.Integer",
        (Value::Double(_), "float" | "java.lang.Float") => "java.lang.Float",
        (Value::Double(_), _) => "java.lang.Double",
        (Value::Text(_), ty) if !is_text(ty) => ty,
        (Value::Text(_), _) => "java.lang.String",
        (Value::Bytes(_), _) => "byte[]",
        (Value::Date(_), "java.sql.Date" | "java.sql.Time" | "java.sql.Timestamp") => ty,
        (Value::Date(_), _) => "java.util.Date",
        (Value::List(_), ty) if ty.ends_with("[]") => ty,
        (Value::List(_), _) => "java.util.ArrayList",
        (Value::Set(_), _) => "java.util.HashSet",
        (Value::Map(_), _) => "java.util.HashMap",
        (Value::Enum { class, .. }, _) => class,
        (Value::Object(object), _) => &object.class,
    };
    own.to_owned()
}

/// True if a text in a place of that type is a `String`; of any other class it is the name of an enum's constant.
fn is_text(ty: &str) -> bool {
    let written_so = ["String", "Object", "CharSequence", "Comparable"];
    ty == "java.io.Serializable"
        || ty.strip_prefix("java.lang.").is_some_and(|name| written_so.contains(&name))
}

/// A value whose class is known from its place.
fn bare(draft: &mut Draft, value: &Value, ty: &str) -> Result<(), EncodeError> {
    match value {
        Value::Null if ty == "java.lang.Boolean" => draft.bytes.push(ZERO - 1),
        Value::Null => draft.bytes.push(NULL),
        Value::Bool(_) | Value::Int(_) | Value::Long(_) | Value::Double(_) | Value::Date(_) => {
            return number(draft, value, ty);
        }
        Value::Text(value) | Value::Enum { name: value, .. } => text(draft, value),
        Value::Bytes(bytes) if bytes.is_empty() => draft.bytes.push(EMPTY),
        Value::Bytes(bytes) => {
            draft.bytes.push(BYTES);
            unsigned(&mut draft.bytes, bytes.len());
            draft.bytes.extend_from_slice(bytes);
        }
        Value::List(items) | Value::Set(items) => return list(draft, items, ty),
        Value::Map(entries) => {
            draft.bytes.push(MAP);
            unsigned(&mut draft.bytes, entries.len());
            for value in entries.iter().flat_map(|(key, value)| [key, value]) {
                any(draft, value, "java.lang.Object")?;
            }
        }
        Value::Object(object) => return fields(draft, object),
    }
    Ok(())
}

/// A number; of a boxed type it has a mark before it.
fn number(draft: &mut Draft, value: &Value, ty: &str) -> Result<(), EncodeError> {
    let bytes = &mut draft.bytes;
    let boxed = ty.contains('.') && ty != "java.lang.Boolean";
    if boxed {
        bytes.push(VALUE);
    }
    match (value, ty) {
        (Value::Bool(value), "boolean" | "java.lang.Boolean") => bytes.push(ZERO + u8::from(*value)),
        (Value::Int(value), "byte" | "java.lang.Byte") => byte(bytes, *value),
        (Value::Int(value), "short" | "java.lang.Short" | "char" | "java.lang.Character") => {
            integer(bytes, i64::from(*value as i16));
        }
        (Value::Int(value), "int" | "java.lang.Integer" | "long" | "java.lang.Long") => {
            integer(bytes, i64::from(*value));
        }
        (Value::Long(value), "long" | "java.lang.Long") => integer(bytes, *value),
        (Value::Double(value), "float" | "java.lang.Float") => {
            integer(bytes, i64::from((*value as f32).to_bits() as i32));
        }
        (Value::Double(value), "double" | "java.lang.Double") => integer(bytes, value.to_bits() as i64),
        (Value::Date(ms), ty) if ty.ends_with("Date") || ty.starts_with("java.sql.") => integer(bytes, *ms),
        _ => return Err(unwritable(value, ty)),
    }
    Ok(())
}

fn unwritable(value: &Value, ty: &str) -> EncodeError {
    EncodeError::Value { serialization: "dubbo", what: value.kind(), ty: ty.to_owned() }
}

/// A list, a set, or an array, whose elements need no class when the array's type tells it.
fn list(draft: &mut Draft, items: &[Value], ty: &str) -> Result<(), EncodeError> {
    if ty == "java.lang.Object[]" {
        draft.bytes.push(OBJECT);
    } else {
        draft.bytes.push(VALUES);
    }
    unsigned(&mut draft.bytes, items.len());
    for item in items {
        match ty.strip_suffix("[]") {
            Some(element) => field(draft, item, element)?,
            None => any(draft, item, "java.lang.Object")?,
        }
    }
    Ok(())
}

fn fields(draft: &mut Draft, object: &Object) -> Result<(), EncodeError> {
    let mut sorted: Vec<&Field> = object.all_fields().collect();
    sorted.sort_by(|a, b| a.name.encode_utf16().cmp(b.name.encode_utf16()));
    draft.bytes.push(OBJECT);
    integer(&mut draft.bytes, sorted.len() as i64);
    for Field { value, ty, .. } in sorted {
        field(draft, value, ty)?;
    }
    Ok(())
}

/// A field, or an array's element, of that type. Interfaces cannot be told from classes by their name: a type that is
/// not the value's own counts as one.
fn field(draft: &mut Draft, value: &Value, ty: &str) -> Result<(), EncodeError> {
    let primitive = !ty.contains('.') && !ty.contains('[');
    let concrete = match value {
        Value::Null => return bare(draft, value, ty),
        Value::Text(_) => ty == "java.lang.String" || !is_text(ty),
        _ => primitive || class_of(value, ty) == ty,
    };
    if concrete { bare(draft, value, ty) } else { any(draft, value, ty) }
}
