//! JSON as Fastjson 1 reads it in Dubbo: one value a line, without class names; fields that are null are left out.

use super::draft::{DEPTH_MAX, Draft, EncodeError};
use super::texts::JsonText;
use crate::places::Form;
use crate::{Call, Field, Object, Text, Value};

/// Writes the body of a call.
pub(super) fn write(
    draft: &mut Draft,
    head: [&str; 5],
    call: &Call,
    attachments: &[(String, String)],
) -> Result<(), EncodeError> {
    for text in head {
        fixed(draft, text);
        draft.bytes.push(b'\n');
    }
    for value in &call.arguments {
        any(draft, value, 0)?;
        draft.bytes.push(b'\n');
    }
    for (at, (name, value)) in attachments.iter().enumerate() {
        draft.bytes.push(if at == 0 { b'{' } else { b',' });
        fixed(draft, name);
        draft.bytes.push(b':');
        fixed(draft, value);
    }
    draft.bytes.extend_from_slice(b"}\n");
    Ok(())
}

fn fixed(draft: &mut Draft, text: &str) {
    JsonText.write(text.as_bytes(), |piece| draft.bytes.extend_from_slice(piece));
}

fn text(draft: &mut Draft, text: &Text) {
    match text {
        Text::Fixed(text) => fixed(draft, text),
        Text::Drawn(draw) => draft.places.push_draw(draft.bytes.len(), *draw, Form::DubboJson),
    }
}

fn any(draft: &mut Draft, value: &Value, depth: usize) -> Result<(), EncodeError> {
    if depth > DEPTH_MAX {
        return Err(EncodeError::TooDeep);
    }
    let plain = |draft: &mut Draft, text: &str| draft.bytes.extend_from_slice(text.as_bytes());
    match value {
        Value::Null => plain(draft, "null"),
        Value::Bool(value) => plain(draft, if *value { "true" } else { "false" }),
        Value::Int(value) => plain(draft, &value.to_string()),
        Value::Long(value) | Value::Date(value) => plain(draft, &value.to_string()),
        Value::Double(value) if value.is_finite() => plain(draft, &format!("{value:?}")),
        Value::Double(_) => plain(draft, "null"),
        Value::Text(value) | Value::Enum { name: value, .. } => text(draft, value),
        Value::Bytes(bytes) => fixed(draft, &base64(bytes)),
        Value::List(items) | Value::Set(items) => return list(draft, items, depth + 1),
        Value::Map(entries) => return map(draft, entries, depth + 1),
        Value::Object(object) => return fields(draft, object, depth + 1),
    }
    Ok(())
}

fn list(draft: &mut Draft, items: &[Value], depth: usize) -> Result<(), EncodeError> {
    draft.bytes.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            draft.bytes.push(b',');
        }
        any(draft, item, depth)?;
    }
    draft.bytes.push(b']');
    Ok(())
}

fn map(draft: &mut Draft, entries: &[(Value, Value)], depth: usize) -> Result<(), EncodeError> {
    draft.bytes.push(b'{');
    for (at, (key, value)) in entries.iter().enumerate() {
        if at > 0 {
            draft.bytes.push(b',');
        }
        any(draft, key, depth)?;
        draft.bytes.push(b':');
        any(draft, value, depth)?;
    }
    draft.bytes.push(b'}');
    Ok(())
}

fn fields(draft: &mut Draft, object: &Object, depth: usize) -> Result<(), EncodeError> {
    draft.bytes.push(b'{');
    let written = object.all_fields().filter(|field| field.value != Value::Null);
    for (at, Field { name, value, .. }) in written.enumerate() {
        if at > 0 {
            draft.bytes.push(b',');
        }
        fixed(draft, name);
        draft.bytes.push(b':');
        any(draft, value, depth)?;
    }
    draft.bytes.push(b'}');
    Ok(())
}

/// Base 64 with padding (RFC 4648 section 4), which Fastjson makes of `byte[]`.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().enumerate().fold(0, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for digit in 0..4 {
            let known = digit <= group.len();
            let value = (bits >> (18 - 6 * digit) & 0x3f) as usize;
            text.push(if known { char::from(DIGITS[value]) } else { '=' });
        }
    }
    text
}
