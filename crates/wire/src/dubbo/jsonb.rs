//! Values of JSONB, Fastjson 2's serialization, as JSON (`com.alibaba.fastjson2.JSONReaderJSONB`).

use crate::json::Told;
use crate::utf;
use std::collections::HashMap;

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 96;

const OBJECT_END: u8 = 0xa5;

/// A value that is read from its beginning on; it may be cut short.
pub(super) struct Jsonb<'a> {
    rest: &'a [u8],
    /// Names of classes and fields by their numbers.
    symbols: HashMap<i64, String>,
    depth: usize,
}

impl<'a> Jsonb<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Jsonb { rest: bytes, symbols: HashMap::new(), depth: 0 }
    }

    /// Writes the next value. A value that came before is written as Fastjson does: `{"$ref":"$.path"}`.
    pub fn tell(&mut self, told: &mut Told) {
        self.depth += 1;
        if self.depth > DEPTH_MAX || self.value(told).is_none() {
            told.cut();
        }
        self.depth -= 1;
    }

    /// `None` where bytes are missing, or are of a kind that is not known here.
    fn value(&mut self, told: &mut Told) -> Option<()> {
        let tag = self.byte()?;
        match tag {
            0x92 => {
                self.symbol()?;
                self.tell(told);
            }
            0x93 => {
                let path = self.text()?;
                told.put("{\"$ref\":");
                told.text(&path);
                told.put("}");
            }
            0x94..=0xa4 => {
                let count = if tag == 0xa4 { self.integer()? } else { i64::from(tag - 0x94) };
                told.array(0..count, |told, _| self.tell(told));
            }
            0xa6 => self.object(told)?,
            0xaf => told.put("null"),
            0xb0 | 0xb1 => told.put(if tag == 0xb1 { "true" } else { "false" }),
            0x90 => {
                let unit = self.integer()?;
                told.text(&String::from_utf16_lossy(&[unit as u16]));
            }
            0x91 => {
                let length = self.integer()?;
                told.base64(self.take(usize::try_from(length).ok()?)?);
            }
            0xb2 | 0xb3 => told.double(f64::from(tag - 0xb2)),
            0xb4 | 0xb6 => told.double(self.integer()? as f64),
            0xb5 => told.double(f64::from_be_bytes(self.chunk()?)),
            0xb7 => told.float(f32::from_be_bytes(self.chunk()?)),
            0xa7..=0xae => self.date(tag, told)?,
            0x49..=0x7f => told.text(&self.text_of(tag)?),
            0xb9 => {
                let scale = i32::try_from(self.integer()?).ok()?;
                let tag = self.byte()?;
                let digits = if tag == 0xba { self.integer()? } else { self.integer_of(tag)? };
                told.decimal(digits < 0, u128::from(digits.unsigned_abs()), scale);
            }
            // A decimal, or an integer of any size, that fits into 64 bits.
            0xb8 | 0xba => told.put(&self.integer()?.to_string()),
            _ => told.put(&self.integer_of(tag)?.to_string()),
        }
        Some(())
    }

    fn object(&mut self, told: &mut Told) -> Option<()> {
        let mut before = "{";
        while *self.rest.first()? != OBJECT_END {
            told.put(before);
            told.name(|told| self.tell(told));
            told.put(":");
            self.tell(told);
            before = ",";
            if told.is_cut() {
                return None;
            }
        }
        self.byte()?;
        told.put(if before == "{" { "{}" } else { "}" });
        Some(())
    }

    /// Instants are milliseconds since 1970, dates and times without a zone texts of ISO 8601.
    fn date(&mut self, tag: u8, told: &mut Told) -> Option<()> {
        let millis = match tag {
            0xab => i64::from_be_bytes(self.chunk()?),
            0xac => i64::from(i32::from_be_bytes(self.chunk()?)) * 1000,
            0xad => i64::from(i32::from_be_bytes(self.chunk()?)) * 60_000,
            0xae => self.integer()?.saturating_mul(1000).saturating_add(self.integer()? / 1_000_000),
            _ => {
                let mut text = String::new();
                if tag != 0xa7 {
                    let [y1, y2, month, day] = self.chunk()?;
                    text = format!("{:04}-{month:02}-{day:02}", i16::from_be_bytes([y1, y2]));
                }
                if tag != 0xa9 {
                    let [hour, minute, second] = self.chunk()?;
                    text += if tag == 0xa7 { "" } else { "T" };
                    text += &format!("{hour:02}:{minute:02}:{second:02}.{:09}", self.integer()?);
                }
                if tag == 0xaa {
                    text += &self.text()?;
                }
                told.text(&text);
                return Some(());
            }
        };
        told.put(&millis.to_string());
        Some(())
    }

    fn text(&mut self) -> Option<String> {
        let tag = self.byte()?;
        self.text_of(tag)
    }

    fn text_of(&mut self, tag: u8) -> Option<String> {
        let length = match tag {
            0x49..=0x78 => i64::from(tag - 0x49),
            0x79..=0x7d => self.integer()?,
            0x7f => return self.symbol(),
            _ => return None,
        };
        let bytes = self.take(usize::try_from(length).ok()?)?;
        let units = |of: fn([u8; 2]) -> u16| {
            let units: Vec<u16> = bytes.as_chunks().0.iter().map(|unit| of(*unit)).collect();
            String::from_utf16_lossy(&units)
        };
        Some(match tag {
            0x7a => utf::read(bytes),
            0x7b | 0x7d => units(u16::from_be_bytes),
            0x7c => units(u16::from_le_bytes),
            _ => bytes.iter().copied().map(char::from).collect(),
        })
    }

    /// A name: written out with its number, or that number.
    fn symbol(&mut self) -> Option<String> {
        let tag = self.byte()?;
        if !(0x49..=0x7d).contains(&tag) {
            let number = self.integer_of(tag)?;
            return self.symbols.get(&number).cloned();
        }
        let name = self.text_of(tag)?;
        let number = self.integer()?;
        self.symbols.insert(number, name.clone());
        Some(name)
    }

    fn integer(&mut self) -> Option<i64> {
        let tag = self.byte()?;
        self.integer_of(tag)
    }

    fn integer_of(&mut self, tag: u8) -> Option<i64> {
        let high = i64::from(tag);
        Some(match tag {
            0x00..=0x2f => high,
            0xf0..=0xff => high - 0x100,
            0x30..=0x3f => (high - 0x38) << 8 | i64::from(self.byte()?),
            0x40..=0x47 => (high - 0x44) << 16 | i64::from(u16::from_be_bytes(self.chunk()?)),
            0xd8..=0xef => high - 0xe0,
            0xc8..=0xd7 => (high - 0xd0) << 8 | i64::from(self.byte()?),
            0xc0..=0xc7 => (high - 0xc4) << 16 | i64::from(u16::from_be_bytes(self.chunk()?)),
            0x48 | 0xbf => i64::from(i32::from_be_bytes(self.chunk()?)),
            0xbe => i64::from_be_bytes(self.chunk()?),
            0xbd => i64::from(self.byte()? as i8),
            0xbc => i64::from(i16::from_be_bytes(self.chunk()?)),
            _ => return None,
        })
    }

    fn byte(&mut self) -> Option<u8> {
        self.chunk().map(|[byte]| byte)
    }

    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*chunk)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}
