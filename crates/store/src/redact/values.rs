//! Credentials whose value is known: hidden wherever they occur, in any encoding.

use super::REDACTED;
use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use std::collections::BTreeSet;

/// A shorter value would be found by chance in words and numbers.
const KNOWN_BYTES_MIN: usize = 4;
/// Bytes of a value at the end of a cut text that count as the value.
const CUT_BYTES_MIN: usize = 4;
/// A shorter piece of base64 would be found by chance.
const CODED_BYTES_MIN: usize = 6;
/// Values found under the name of a credential that are not credentials.
const NO_CREDENTIALS: [&str; 14] = [
    "true", "false", "null", "none", "yes", "no", "on", "off", "basic", "bearer", "digest", "token",
    "password", "required",
];

/// Values that may not be written or shown.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// The longest first: one may be part of another.
    values: Vec<Vec<u8>>,
    known: BTreeSet<Vec<u8>>,
}

impl Secrets {
    /// None.
    pub const fn new() -> Secrets {
        Secrets { values: Vec::new(), known: BTreeSet::new() }
    }

    /// Adds a value. One of under four bytes is not looked for.
    pub fn know(&mut self, value: &str) {
        let value = value.trim();
        let is_named =
            value.starts_with('@') || value == REDACTED || value.starts_with("${") && value.ends_with('}');
        if value.len() < KNOWN_BYTES_MIN
            || is_named
            || NO_CREDENTIALS.contains(&value.to_ascii_lowercase().as_str())
        {
            return;
        }
        if self.known.insert(value.as_bytes().to_vec()) {
            self.values.push(value.as_bytes().to_vec());
            self.values.extend(in_base64(value.as_bytes()));
            self.values.sort_by_key(|value| std::cmp::Reverse(value.len()));
            self.values.dedup();
        }
    }

    /// Adds a value as it was written for where it was sent, and as it is meant.
    pub fn know_sent(&mut self, value: &str) {
        self.know(value);
        // `user:password`.
        if let Some((_, password)) = value.split_once(':').filter(|(user, _)| !user.contains(['/', '{', ' ']))
        {
            self.know(password);
        }
        if value.contains(['%', '+']) {
            for value in [value, &value.replace('+', " ")] {
                self.know(&String::from_utf8_lossy(&unescaped_percent(value.as_bytes())));
            }
        }
        if value.contains('\\')
            && let Ok(plain) = serde_json::from_str::<String>(&format!("\"{value}\""))
        {
            self.know(&plain);
        }
        if value.contains('&') {
            let marks = [
                ("&lt;", "<"),
                ("&gt;", ">"),
                ("&quot;", "\""),
                ("&apos;", "'"),
                ("&#39;", "'"),
                ("&amp;", "&"),
            ];
            self.know(
                &marks.iter().fold(value.to_string(), |text, (coded, plain)| text.replace(coded, plain)),
            );
        }
    }

    /// True without any values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values that were added.
    pub fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.known.iter().map(Vec::as_slice)
    }

    /// The bytes without these values, be they written as they are, or as URLs, JSON, HTML or base64 write them. `cut`: the
    /// end is not the end of what was written, and may have cut a value off.
    pub fn hide(&self, bytes: &[u8], cut: bool) -> Vec<u8> {
        let first = self.first_bytes();
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            let found = if first[usize::from(bytes[at])] { self.found_at(bytes, at, cut) } else { None };
            match found {
                Some(end) => {
                    out.extend_from_slice(REDACTED.as_bytes());
                    at = end;
                }
                None => {
                    out.push(bytes[at]);
                    at += 1;
                }
            }
        }
        out
    }

    /// Bytes with which a value may begin.
    fn first_bytes(&self) -> [bool; 256] {
        let mut first = [false; 256];
        for value in &self.values {
            first[usize::from(value[0])] = true;
        }
        for escape in [b'%', b'\\', b'&', b'+'] {
            first[usize::from(escape)] |= !self.values.is_empty();
        }
        first
    }

    fn found_at(&self, bytes: &[u8], at: usize, cut: bool) -> Option<usize> {
        self.values.iter().find_map(|value| match ending(bytes, at, value) {
            Ending::At(end) => (!splits_a_number(bytes, at, end, value)).then_some(end),
            Ending::CutAfter(written) => (cut && written >= CUT_BYTES_MIN).then_some(bytes.len()),
            Ending::None => None,
        })
    }
}

/// True if a value of digits at this place is part of a longer number.
fn splits_a_number(bytes: &[u8], at: usize, end: usize, value: &[u8]) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let is_number = value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    is_number && (is_digit(before) || before == Some(&b'.') || is_digit(bytes.get(end)))
}

/// End of a value in a text.
enum Ending {
    At(usize),
    /// The text ends after this many bytes of the value.
    CutAfter(usize),
    None,
}

fn ending(bytes: &[u8], at: usize, value: &[u8]) -> Ending {
    // A place of the value may be read in several ways: `%25` is itself, or a percent sign.
    let mut places = vec![(at, 0)];
    let mut cut = None;
    for _ in 0..READINGS_MAX {
        let Some((at, done)) = places.pop() else { break };
        if done == value.len() {
            return Ending::At(at);
        }
        let Some(byte) = bytes.get(at) else {
            cut = cut.max(Some(done));
            continue;
        };
        let (rest, wanted) = (&bytes[at..], &value[done..]);
        let letter = escaped(rest);
        if let Some((letter, length)) = letter {
            let mut room = [0; 4];
            let coded = letter.encode_utf8(&mut room).as_bytes();
            if wanted.starts_with(coded) {
                places.push((at + length, done + coded.len()));
            }
        } else if matches!(byte, b'%' | b'\\' | b'&') && rest.len() < ESCAPE_BYTES_MAX {
            cut = cut.max(Some(done));
        }
        if *byte == wanted[0] || *byte == b'+' && wanted[0] == b' ' {
            places.push((at + 1, done + 1));
        }
        // JSON doubles a stroke, and doubles it again within JSON.
        let strokes =
            [2, 4].into_iter().filter(|n| wanted[0] == b'\\' && rest.starts_with(&[b'\\'; 4][..*n]));
        places.extend(strokes.map(|n| (at + n, done + 1)));
        // One writing within another: a stroke that JSON put before what was escaped then, and marks that were escaped twice.
        if done > 0 && (*byte == b'\\' || letter.is_some_and(|(letter, _)| letter == '\\')) {
            places.push((at + letter.filter(|_| *byte != b'\\').map_or(1, |(_, length)| length), done));
        }
        if let [b'%', b'2', b'5', high, low, ..] = rest
            && percent(&[b'%', *high, *low]) == Some(wanted[0])
        {
            places.push((at + 5, done + 1));
        }
        if let Some(behind) = rest.strip_prefix(b"&amp;") {
            let meant = in_html(&[&b"&"[..], &behind[..behind.len().min(ESCAPE_BYTES_MAX)]].concat());
            let meant = meant.filter(|(letter, _)| u32::from(*letter) == u32::from(wanted[0]));
            places.extend(meant.map(|(_, length)| (at + b"&amp;".len() + length - 1, done + 1)));
        }
        // A percent escape encodes a byte, which need not be a whole letter.
        if percent(rest).is_some_and(|coded| !coded.is_ascii() && coded == wanted[0]) {
            places.push((at + 3, done + 1));
        }
    }
    cut.map_or(Ending::None, Ending::CutAfter)
}

/// Most readings of one place.
const READINGS_MAX: usize = 10_000;

/// Longest way in which a letter is written.
const ESCAPE_BYTES_MAX: usize = 8;

fn percent(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

fn unescaped_percent(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let (byte, length) = percent(&bytes[at..]).map_or((*byte, 1), |byte| (byte, 3));
        out.push(byte);
        at += length;
    }
    out
}

/// The letter that an escape at the beginning encodes, and the length of the escape.
fn escaped(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes.first()? {
        b'%' => percent(bytes).filter(u8::is_ascii).map(|byte| (char::from(byte), 3)),
        b'\\' => in_json(bytes),
        b'&' => in_html(bytes),
        _ => None,
    }
}

/// Of JSON, be it within JSON again: `\"`, `\\\"`, `\u0022`.
fn in_json(bytes: &[u8]) -> Option<(char, usize)> {
    let slashes = bytes.iter().take(ESCAPE_BYTES_MAX).take_while(|byte| **byte == b'\\').count();
    match bytes.get(slashes)? {
        b'u' => {
            let unit = |at: usize| {
                let digits = bytes.get(at..at + 4).and_then(|digits| std::str::from_utf8(digits).ok())?;
                u16::from_str_radix(digits, 16).ok()
            };
            let first = unit(slashes + 1)?;
            let pair = [first, unit(slashes + 7).unwrap_or(0)];
            match char::from_u32(u32::from(first)) {
                Some(letter) => Some((letter, slashes + 5)),
                None => Some((char::decode_utf16(pair).next()?.ok()?, slashes + 11)),
            }
        }
        b'n' => Some(('\n', slashes + 1)),
        b't' => Some(('\t', slashes + 1)),
        b'r' => Some(('\r', slashes + 1)),
        mark if mark.is_ascii_punctuation() => Some((char::from(*mark), slashes + 1)),
        _ => None,
    }
}

fn in_html(bytes: &[u8]) -> Option<(char, usize)> {
    let end = bytes.iter().take(ESCAPE_BYTES_MAX + 2).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&bytes[1..end]).ok()?;
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            let number = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
            char::from_u32(number?)?
        }
    };
    Some((letter, end + 1))
}

/// Base64 of a value, alone or within a longer text: there its first and last letters depend on what is beside it.
fn in_base64(value: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for alphabet in [BASE64_NOPAD, BASE64URL_NOPAD] {
        found.push(alphabet.encode(value).into_bytes());
        for (before, from) in [(0, 0), (1, 2), (2, 3)] {
            let mut whole = vec![0; before];
            whole.extend_from_slice(value);
            let coded = alphabet.encode(&whole);
            found.push(coded.as_bytes()[from..whole.len() * 8 / 6].to_vec());
        }
    }
    found.retain(|coded| coded.len() >= CODED_BYTES_MIN);
    found
}
