//! What a refusal says, found in its first bytes: an error status has a text of its own, an exception its class and
//! message.

use super::{Serialization, utf};
use crate::hessian::v2;
use crate::java;

/// Most bytes of it that are told.
const TOLD_MAX: usize = 300;

/// The first line of what the server said, cut at [`TOLD_MAX`] bytes.
pub(super) fn of(serialization: Option<Serialization>, exception: bool, bytes: &[u8]) -> String {
    let told = match (serialization, exception) {
        (Some(serialization), true) => exception_of(serialization, bytes),
        (Some(serialization), false) => text_of(serialization, bytes),
        (None, _) => None,
    };
    first_line(&told.unwrap_or_else(|| printable(bytes)))
}

fn first_line(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    line[..line.floor_char_boundary(TOLD_MAX)].to_owned()
}

/// Bytes that are not understood, for a reader who may.
pub(super) fn printable(bytes: &[u8]) -> String {
    let texts = |least: usize| {
        let runs = bytes.split(|byte| !(0x20..0x7f).contains(byte)).filter(|run| run.len() >= least);
        runs.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
    };
    let long = texts(4);
    if long.is_empty() { texts(1) } else { long }
}

/// A text that the body begins with.
pub(super) fn text_of(serialization: Serialization, bytes: &[u8]) -> Option<String> {
    match serialization {
        Serialization::Hessian2 => hessian_text(bytes),
        Serialization::Native => native_text(bytes).map(|(text, _)| text),
        Serialization::FastJson => json_text(bytes),
        Serialization::FastJson2 => jsonb_text(bytes.get(4..)?),
        // A text is its length in four bytes, in two more, and its bytes, in one block or several.
        Serialization::Java => {
            let start = if *bytes.get(4)? == 0x77 { 12 } else { 15 };
            Some(utf::read(bytes.get(start..)?))
        }
    }
}

/// Chunks of a Hessian text, the lengths of which count UTF-16 units.
fn hessian_text(bytes: &[u8]) -> Option<String> {
    let (mut rest, mut text) = (bytes, Vec::new());
    loop {
        let (&tag, after) = rest.split_first()?;
        let (units, start) = match tag {
            0..=0x1f => (usize::from(tag), 0),
            0x30..=0x33 => (usize::from(tag - 0x30) << 8 | usize::from(*after.first()?), 1),
            b'R' | b'S' => (usize::from(*after.first()?) << 8 | usize::from(*after.get(1)?), 2),
            _ => return None,
        };
        let after = after.get(start..)?;
        let length = units_length(after, units);
        text.extend_from_slice(&after[..length]);
        rest = &after[length..];
        if tag != b'R' || rest.is_empty() {
            return Some(utf::read(&text));
        }
    }
}

/// Bytes that so many units take, as far as they are there.
fn units_length(bytes: &[u8], units: usize) -> usize {
    let mut length = 0;
    for _ in 0..units {
        length += match bytes.get(length) {
            None => break,
            Some(0xc0..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(_) => 1,
        };
    }
    length.min(bytes.len())
}

/// A text of Dubbo's own serialization, and what follows it.
fn native_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (&0x83, mut rest) = bytes.split_first()? else { return None };
    let (mut units, mut shift) = (0, 0);
    loop {
        let (&digit, after) = rest.split_first()?;
        units |= usize::from(digit & 0x7f) << shift;
        shift += 7;
        rest = after;
        if digit & 0x80 != 0 || shift > 28 {
            break;
        }
    }
    let (text, after) = rest.split_at(units_length(rest, units));
    Some((utf::read(text), after))
}

/// A quoted text of JSON that the bytes begin with, whole or cut.
fn json_text(bytes: &[u8]) -> Option<String> {
    let (&b'"', mut rest) = bytes.split_first()? else { return None };
    let mut text = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, rest.first()) {
            (b'"', _) => break,
            (b'\\', Some(b'n')) => text.push(b'\n'),
            (b'\\', Some(b't' | b'r')) => text.push(b' '),
            (b'\\', Some(&escaped)) => text.push(escaped),
            _ => {
                text.push(byte);
                continue;
            }
        }
        rest = &rest[1..];
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// A text of JSONB.
fn jsonb_text(bytes: &[u8]) -> Option<String> {
    let (&tag, after) = bytes.split_first()?;
    if let 0x49..=0x78 = tag {
        let length = usize::from(tag - 0x49).min(after.len());
        return Some(after[..length].iter().copied().map(char::from).collect());
    }
    let digits = match after.first()? {
        0..=0x2f => 1,
        0x30..=0x3f => 2,
        0x40..=0x47 => 3,
        _ => 5,
    };
    let text = after.get(digits..)?;
    let length = jsonb_length(&after[..digits]).min(text.len());
    match tag {
        0x79 => Some(text[..length].iter().copied().map(char::from).collect()),
        0x7a => Some(String::from_utf8_lossy(&text[..length]).into_owned()),
        0x7c => {
            let units: Vec<u16> =
                text[..length].chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
            Some(String::from_utf16_lossy(&units))
        }
        _ => None,
    }
}

/// A length in one, two, three or five bytes.
fn jsonb_length(digits: &[u8]) -> usize {
    match *digits {
        [a] => usize::from(a),
        [a, b] => usize::from(a.saturating_sub(0x38)) << 8 | usize::from(b),
        [a, b, c] => usize::from(a.saturating_sub(0x44)) << 16 | usize::from(b) << 8 | usize::from(c),
        [_, a, b, c, d] => u32::from_be_bytes([a, b, c, d]) as usize,
        _ => 0,
    }
}

/// Class and message of an exception.
fn exception_of(serialization: Serialization, bytes: &[u8]) -> Option<String> {
    let (class, message) = match serialization {
        Serialization::Native => native_exception(bytes)?,
        Serialization::FastJson => (json_field(bytes, b"@type"), json_field(bytes, b"message")),
        Serialization::FastJson2 => jsonb_exception(bytes)?,
        Serialization::Hessian2 => hessian_exception(bytes)?,
        Serialization::Java => return java::thrown(&[&java::STREAM_HEADER, bytes].concat()),
    };
    let told: Vec<String> = [class, message].into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join(": "))
}

type ClassAndMessage = (Option<String>, Option<String>);

/// Behind the class comes an object stream of Java whose class descriptions are names only: that of the class and those
/// of its superclasses, then the fields of `Throwable`, the cause and the message first.
fn native_exception(bytes: &[u8]) -> Option<ClassAndMessage> {
    let (class, stream) = native_text(bytes.get(1..)?)?;
    let class = class.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
    Some((Some(class), stream_message(stream)))
}

fn stream_message(stream: &[u8]) -> Option<String> {
    let at = stream.windows(5).position(|window| window == [0xac, 0xed, 0, 5, 0x73])?;
    let mut rest = &stream[at + 5..];
    while let [0x72, 1, high, low, after @ ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        rest = after.get(length..)?.strip_prefix(&[0x78])?;
    }
    let fields = rest.strip_prefix(&[0x70])?;
    let after_cause = match fields.first()? {
        0x70 => fields.get(1..)?,
        0x71 => fields.get(5..)?,
        _ => return None,
    };
    let [0x74, high, low, text @ ..] = after_cause else { return None };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    Some(utf::read(&text[..text.len().min(length)]))
}

/// A class definition, then the fields' values in its order.
fn hessian_exception(bytes: &[u8]) -> Option<ClassAndMessage> {
    let mut rest = bytes.strip_prefix(b"C")?;
    let mut values = v2::Walker::new();
    let mut next = |values: &mut v2::Walker| {
        let fed = values.feed(rest).ok().filter(|fed| fed.done)?;
        let (value, after) = rest.split_at(fed.consumed);
        rest = after;
        Some(value)
    };
    let class = hessian_text(next(&mut values)?)?;
    let count = next(&mut values)?.first()?.checked_sub(0x90)?;
    let mut names = (0..count).map(|_| hessian_text(next(&mut values)?));
    let before_message = names.by_ref().position(|name| name.as_deref() == Some("detailMessage"))?;
    names.for_each(drop);
    let definition = &bytes[..bytes.len() - rest.len()];
    // The walker has to know the class, which it does once it has passed over an instance: one of nulls.
    let instance = [definition, &[0x60], &vec![b'N'; usize::from(count)]].concat();
    values.clear();
    values.feed(&instance).ok()?;
    rest = rest.strip_prefix(&[0x60])?;
    let mut message = None;
    for _ in 0..=before_message {
        let fed = values.feed(rest).ok();
        let Some(fed) = fed.filter(|fed| fed.done) else { return Some((Some(class), None)) };
        let (value, after) = rest.split_at(fed.consumed);
        (message, rest) = (Some(value), after);
    }
    Some((Some(class), message.and_then(hessian_text)))
}

/// The text of the first field of that name.
fn json_field(bytes: &[u8], name: &[u8]) -> Option<String> {
    let key = [b"\"", name, b"\":"].concat();
    let at = bytes.windows(key.len()).position(|window| window == key)?;
    json_text(&bytes[at + key.len()..])
}

/// The class comes first, the message in the field `message` or `detailMessage`.
fn jsonb_exception(bytes: &[u8]) -> Option<ClassAndMessage> {
    let bytes = bytes.get(4..)?;
    let class = bytes.strip_prefix(&[0x92]).and_then(jsonb_text);
    let message = [b"VdetailMessage".as_slice(), b"Pmessage"];
    let message = message.iter().find_map(|name| {
        let at = bytes.windows(name.len()).position(|window| window == *name)?;
        let after = bytes.get(at + name.len()..)?;
        // As a symbol, the name has a number behind it.
        jsonb_text(after).or_else(|| jsonb_text(after.get(1..)?))
    });
    Some((class, message))
}
