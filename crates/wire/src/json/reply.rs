//! Answers of JSON-RPC 2.0, read as their bytes come. Nothing is kept of them but the text of an error.

use super::told::Told;
use crate::rpc::{Answer, Verdict};
use crate::scan::count_work;
use std::ops::Range;

/// Deepest nesting of an answer; deeper nesting is not accepted as an answer.
pub const DEPTH_MAX: u32 = 64;

/// Most bytes that are kept of an error's message.
const MESSAGE_MAX: usize = 600;

/// Most bytes that are kept of a key, and of an error's code.
const KEY_MAX: usize = 16;

/// Checks that a body is an answer, whole and well-formed, and whether it reports an error.
#[derive(Debug, Default)]
pub struct Reply {
    place: Position,
    depth: u32,
    /// A bit for each level of nesting, the innermost lowest: whether it is an object.
    objects: u64,
    /// The key of the present member of the outermost object.
    outer: Vec<u8>,
    /// The key of the present member of the object within it.
    inner: Vec<u8>,
    has_result: bool,
    has_error: bool,
    /// True if it is nested too deep to be read.
    too_deep: bool,
    /// Message of the error, escaped as it came.
    message: Vec<u8>,
    code: Vec<u8>,
    /// Index in the body of the byte at hand, and the bytes that the result takes, space behind it included.
    at: usize,
    result: Range<usize>,
}

/// Position of the next byte in a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Position {
    /// The first of a value.
    #[default]
    Value,
    /// The first of a value, or the end of an array without one.
    FirstValue,
    /// The first of a key, or the end of an object without one.
    FirstKey,
    /// The first of a key.
    Key,
    /// The colon behind a key.
    Colon,
    /// A comma, or the end of an array or object.
    Next,
    Text {
        key: bool,
    },
    /// The one behind a backslash.
    Escape {
        key: bool,
    },
    /// A hexadecimal digit, of `left` to come.
    Digits {
        left: u8,
        key: bool,
    },
    Number(Number),
    /// A byte of a word, with the number of its bytes that came.
    Word {
        word: &'static [u8],
        came: u8,
    },
    /// White space: the answer is whole.
    Whole,
    /// None: it is not an answer.
    Wrong,
}

/// State of a number that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl Number {
    /// State after that byte, if the number goes on.
    fn with(self, byte: u8) -> Option<Number> {
        match (self, byte) {
            (Number::Minus, b'0') => Some(Number::Zero),
            (Number::Minus, b'1'..=b'9') | (Number::Integer, b'0'..=b'9') => Some(Number::Integer),
            (Number::Zero | Number::Integer, b'.') => Some(Number::Point),
            (Number::Point | Number::Fraction, b'0'..=b'9') => Some(Number::Fraction),
            (Number::Zero | Number::Integer | Number::Fraction, b'e' | b'E') => Some(Number::E),
            (Number::E, b'+' | b'-') => Some(Number::Sign),
            (Number::E | Number::Sign | Number::Exponent, b'0'..=b'9') => Some(Number::Exponent),
            _ => None,
        }
    }

    fn is_whole(self) -> bool {
        matches!(self, Number::Zero | Number::Integer | Number::Fraction | Number::Exponent)
    }
}

impl Answer for Reply {
    fn begin(&mut self) {
        self.place = Position::Value;
        (self.depth, self.objects) = (0, 0);
        (self.has_result, self.has_error, self.too_deep) = (false, false, false);
        (self.at, self.result) = (0, 0..0);
        for buffer in [&mut self.outer, &mut self.inner, &mut self.message, &mut self.code] {
            buffer.clear();
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut pos = 0;
        while pos < bytes.len() && self.place != Position::Wrong {
            if let Position::Text { key } = self.place {
                let taken = self.text(&bytes[pos..], key);
                (pos, self.at) = (pos + taken, self.at + taken);
                continue;
            }
            count_work(1);
            match self.step(bytes[pos]) {
                Some(place) => self.place = place,
                None => self.place = Position::Wrong,
            }
            (pos, self.at) = (pos + 1, self.at + 1);
        }
    }

    fn verdict(&self) -> Verdict {
        match self.place {
            Position::Whole if self.has_error => Verdict::Fault,
            Position::Whole if self.has_result => Verdict::Good,
            _ if self.too_deep => Verdict::Beyond,
            _ => Verdict::Wrong,
        }
    }

    fn value(&self, beginning: &[u8], most: usize) -> Vec<u8> {
        let mut told = Told::new(most);
        let came = self.result.start.min(beginning.len())..self.result.end.min(beginning.len());
        told.put_bytes(beginning[came].trim_ascii_end());
        if self.result.end > beginning.len() {
            told.cut();
        }
        told.end()
    }

    fn words(&self, _beginning: &[u8]) -> Option<String> {
        let message = unescaped(&self.message);
        match (self.code.as_slice(), message.as_str()) {
            ([], "") => None,
            ([], _) => Some(message),
            (code, _) => Some(format!("{}: {message}", String::from_utf8_lossy(code))),
        }
    }
}

impl Reply {
    /// Takes bytes of a string, up to a byte that ends it or must be looked at; returns how many.
    fn text(&mut self, bytes: &[u8], key: bool) -> usize {
        let stop = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
        let len = stop.unwrap_or(bytes.len());
        count_work(len + 1);
        self.keep(&bytes[..len], key);
        match bytes.get(len) {
            None => return len,
            Some(b'"') if key => self.place = Position::Colon,
            Some(b'"') => self.place = self.value_ended(),
            Some(b'\\') => {
                self.keep(b"\\", key);
                self.place = Position::Escape { key };
            }
            Some(_) => self.place = Position::Wrong,
        }
        len + 1
    }

    /// Keeps bytes of a string if they are of a key or a message that matters.
    fn keep(&mut self, bytes: &[u8], key: bool) {
        let (buffer, most) = match (key, self.depth) {
            (true, 1) => (&mut self.outer, KEY_MAX),
            (true, 2) => (&mut self.inner, KEY_MAX),
            (false, 1) if self.outer == b"error" => (&mut self.message, MESSAGE_MAX),
            (false, 2) if self.outer == b"error" && self.inner == b"message" => {
                (&mut self.message, MESSAGE_MAX)
            }
            _ => return,
        };
        buffer.extend_from_slice(&bytes[..bytes.len().min(most.saturating_sub(buffer.len()))]);
    }

    /// Takes a byte outside of strings; returns the kind of the next one.
    fn step(&mut self, byte: u8) -> Option<Position> {
        match self.place {
            Position::Escape { key } => {
                self.keep(&[byte], key);
                match byte {
                    b'u' => Some(Position::Digits { left: 4, key }),
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(Position::Text { key }),
                    _ => None,
                }
            }
            Position::Digits { left, key } if byte.is_ascii_hexdigit() => {
                self.keep(&[byte], key);
                Some(if left == 1 {
                    Position::Text { key }
                } else {
                    Position::Digits { left: left - 1, key }
                })
            }
            Position::Word { word, came } if word[usize::from(came)] == byte => {
                let came = came + 1;
                Some(if usize::from(came) == word.len() {
                    self.value_ended()
                } else {
                    Position::Word { word, came }
                })
            }
            Position::Digits { .. } | Position::Word { .. } => None,
            Position::Number(number) => match number.with(byte) {
                Some(number) => {
                    self.keep_code(byte);
                    Some(Position::Number(number))
                }
                None if number.is_whole() => {
                    self.place = self.value_ended();
                    self.step(byte)
                }
                None => None,
            },
            place if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') => Some(place),
            Position::FirstValue if byte == b']' => self.leave(false),
            Position::FirstKey if byte == b'}' => self.leave(true),
            Position::Value | Position::FirstValue => self.value(byte),
            Position::FirstKey | Position::Key if byte == b'"' => {
                match self.depth {
                    1 => self.outer.clear(),
                    2 => self.inner.clear(),
                    _ => {}
                }
                Some(Position::Text { key: true })
            }
            Position::Colon if byte == b':' => Some(Position::Value),
            Position::Next => {
                if self.depth == 1 && self.outer == b"result" && matches!(byte, b',' | b'}') {
                    self.result.end = self.at;
                }
                match byte {
                    b',' if self.objects & 1 == 1 => Some(Position::Key),
                    b',' => Some(Position::Value),
                    b'}' => self.leave(true),
                    b']' => self.leave(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn value(&mut self, byte: u8) -> Option<Position> {
        if self.depth == 0 && byte != b'{' {
            return None;
        }
        if self.depth == 1 {
            if self.outer == b"result" {
                self.has_result = true;
                self.result.start = self.at;
            }
            self.has_error |= self.outer == b"error" && byte != b'n';
        }
        self.keep_code(byte);
        match byte {
            b'"' => Some(Position::Text { key: false }),
            b'{' => self.enter(true),
            b'[' => self.enter(false),
            b't' => Some(Position::Word { word: b"true", came: 1 }),
            b'f' => Some(Position::Word { word: b"false", came: 1 }),
            b'n' => Some(Position::Word { word: b"null", came: 1 }),
            b'-' => Some(Position::Number(Number::Minus)),
            b'0' => Some(Position::Number(Number::Zero)),
            b'1'..=b'9' => Some(Position::Number(Number::Integer)),
            _ => None,
        }
    }

    /// Keeps a byte of the number that is an error's code.
    fn keep_code(&mut self, byte: u8) {
        let is_code = self.depth == 2 && self.outer == b"error" && self.inner == b"code";
        if is_code && matches!(byte, b'0'..=b'9' | b'-') && self.code.len() < KEY_MAX {
            self.code.push(byte);
        }
    }

    fn enter(&mut self, object: bool) -> Option<Position> {
        if self.depth == DEPTH_MAX {
            self.too_deep = true;
            return None;
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u64::from(object);
        // An array in the outermost object has no keys: that of an object before it does not count.
        if self.depth == 2 {
            self.inner.clear();
        }
        Some(if object { Position::FirstKey } else { Position::FirstValue })
    }

    fn leave(&mut self, object: bool) -> Option<Position> {
        if (self.objects & 1 == 1) != object {
            return None;
        }
        self.depth -= 1;
        self.objects >>= 1;
        Some(self.value_ended())
    }

    fn value_ended(&self) -> Position {
        if self.depth == 0 { Position::Whole } else { Position::Next }
    }
}

/// The text of a string whose end may be cut.
fn unescaped(escaped: &[u8]) -> String {
    let escaped = String::from_utf8_lossy(escaped);
    let (mut units, mut chars) = (Vec::new(), escaped.chars());
    while let Some(char) = chars.next() {
        let unit = match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xfffd));
                    continue;
                }
                Some(other) => other,
                None => break,
            },
            other => other,
        };
        units.extend_from_slice(unit.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}
