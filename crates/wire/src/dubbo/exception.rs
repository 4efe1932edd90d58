//! Text of a refusal, found in its first bytes: an error status has a text of its own, an exception its class and
//! message.

use super::Serialization;
use crate::hessian::{Chars, Tree, v2};
use crate::{java, utf};

/// Most bytes of it that are told.
const TOLD_MAX: usize = 300;

/// The first line of the server's text, cut at [`TOLD_MAX`] bytes.
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

fn hessian_text(bytes: &[u8]) -> Option<String> {
    match v2::Reader::new(bytes).next()? {
        Tree::Text(text) => Some(text),
        _ => None,
    }
}

/// A text of Dubbo's own serialization, and what follows it.
fn native_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (&0x83, mut rest) = bytes.split_first()? else { return None };
    let (mut units, mut shift) = (0, 0);
    loop {
        let (&digit, after) = rest.split_first()?;
        units |= u32::from(digit & 0x7f) << shift;
        shift += 7;
        rest = after;
        if digit & 0x80 != 0 || shift > 28 {
            break;
        }
    }
    let (text, after) = rest.split_at(Chars::new(units).feed(rest).unwrap_or_else(|wrong| wrong.at));
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
        Serialization::Hessian2 => return hessian_exception(bytes),
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

/// Message of the exception, or its class alone where it is cut before its message.
fn hessian_exception(bytes: &[u8]) -> Option<String> {
    let tree = v2::Reader::new(bytes).next()?;
    tree.exception().or(match &tree {
        Tree::Object(class, _) if tree.is_cut() => Some(class.clone()),
        _ => None,
    })
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
