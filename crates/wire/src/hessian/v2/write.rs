//! Values as Caucho's `Hessian2Output` writes them.

use crate::form::Form;
use crate::hessian::SET;
use crate::hessian::text::{self, Dialect};
use crate::{Placeholders, Text, Value};

/// Most bytes of a chunk of a binary.
const CHUNK_BYTES: usize = 0x8000;

/// Classes of which an instance is one byte: `0x60` to `0x6f`.
const COMPACT_CLASSES: usize = 16;

/// Writes values behind bytes that are there already. Class definitions are written once for all values of one writer.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The bytes, without drawn texts.
    pub bytes: &'a mut Vec<u8>,
    /// Placeholders of the drawn texts.
    pub places: &'a mut Placeholders,
    classes: Vec<Class>,
    /// True once the class of a set is written, which is the only class of lists here: its number is 0.
    set_is_known: bool,
}

/// A class whose definition is written.
#[derive(Debug, PartialEq, Eq)]
struct Class {
    name: String,
    fields: Vec<String>,
}

impl<'a> Writer<'a> {
    /// A writer that has defined no class.
    pub fn new(bytes: &'a mut Vec<u8>, places: &'a mut Placeholders) -> Self {
        Writer { bytes, places, classes: Vec::new(), set_is_known: false }
    }

    /// Writes a value of any kind.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes.push(b'N'),
            Value::Bool(true) => self.bytes.push(b'T'),
            Value::Bool(false) => self.bytes.push(b'F'),
            Value::Int(number) => self.int(*number),
            Value::Long(number) => self.long(*number),
            Value::Double(number) => self.double(*number),
            Value::Text(Text::Fixed(text)) => self.text(text),
            Value::Text(Text::Drawn(draw)) => {
                self.places.push_draw(self.bytes.len(), *draw, Form::Hessian2);
            }
            Value::Bytes(binary) => self.binary(binary),
            Value::Date(millis) => self.date(*millis),
            Value::List(values) => self.list(values),
            Value::Set(values) => self.set(values),
            Value::Map(entries) => {
                self.bytes.push(b'H');
                for (key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
                self.bytes.push(b'Z');
            }
            Value::Enum { class, name } => {
                self.instance(class, vec!["name".to_owned()]);
                self.value(&Value::Text(name.clone()));
            }
            Value::Object(object) => {
                let names = object.all_fields().map(|field| field.name.clone()).collect();
                self.instance(&object.class, names);
                object.all_fields().for_each(|field| self.value(&field.value));
            }
        }
    }

    /// Writes an `int`.
    pub fn int(&mut self, number: i32) {
        let [_, high, mid, low] = number.to_be_bytes();
        match number {
            -0x10..=0x2f => self.bytes.push(low.wrapping_add(0x90)),
            -0x800..=0x7ff => self.bytes.extend([mid.wrapping_add(0xc8), low]),
            -0x4_0000..=0x3_ffff => self.bytes.extend([high.wrapping_add(0xd4), mid, low]),
            _ => self.tagged(b'I', &number.to_be_bytes()),
        }
    }

    /// Writes a `long`.
    pub fn long(&mut self, number: i64) {
        let [.., high, mid, low] = number.to_be_bytes();
        match number {
            -0x8..=0xf => self.bytes.push(low.wrapping_add(0xe0)),
            -0x800..=0x7ff => self.bytes.extend([mid.wrapping_add(0xf8), low]),
            -0x4_0000..=0x3_ffff => self.bytes.extend([high.wrapping_add(0x3c), mid, low]),
            _ => match i32::try_from(number) {
                Ok(number) => self.tagged(b'Y', &number.to_be_bytes()),
                Err(_) => self.tagged(b'L', &number.to_be_bytes()),
            },
        }
    }

    /// Writes a `double`. Java writes -0.0 as 0.0; here it keeps its sign.
    pub fn double(&mut self, number: f64) {
        let whole = number as i32;
        let thousandths = (number * 1000.0) as i32;
        if f64::from(whole).to_bits() == number.to_bits() {
            match (whole, i8::try_from(whole), i16::try_from(whole)) {
                (0, ..) => return self.bytes.push(0x5b),
                (1, ..) => return self.bytes.push(0x5c),
                (_, Ok(byte), _) => return self.tagged(0x5d, &byte.to_be_bytes()),
                (_, _, Ok(short)) => return self.tagged(0x5e, &short.to_be_bytes()),
                _ => {}
            }
        }
        if (0.001 * f64::from(thousandths)).to_bits() == number.to_bits() {
            self.tagged(0x5f, &thousandths.to_be_bytes());
        } else {
            self.tagged(b'D', &number.to_be_bytes());
        }
    }

    /// Writes a `java.lang.String`.
    pub fn text(&mut self, text: &str) {
        text::write(text.as_bytes(), Dialect::V2, |piece| self.bytes.extend_from_slice(piece));
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(bytes);
    }

    fn date(&mut self, millis: i64) {
        const MINUTE: i64 = 60_000;
        match i32::try_from(millis / MINUTE) {
            Ok(minutes) if millis % MINUTE == 0 => self.tagged(0x4b, &minutes.to_be_bytes()),
            _ => self.tagged(0x4a, &millis.to_be_bytes()),
        }
    }

    fn binary(&mut self, mut binary: &[u8]) {
        while binary.len() > CHUNK_BYTES {
            let (chunk, rest) = binary.split_at(CHUNK_BYTES);
            self.tagged(b'A', &(chunk.len() as u16).to_be_bytes());
            self.bytes.extend_from_slice(chunk);
            binary = rest;
        }
        let [high, low] = (binary.len() as u16).to_be_bytes();
        match binary.len() {
            0..=15 => self.bytes.push(0x20 | low),
            16..=1023 => self.bytes.extend([0x34 | high, low]),
            _ => self.bytes.extend([b'B', high, low]),
        }
        self.bytes.extend_from_slice(binary);
    }

    fn list(&mut self, values: &[Value]) {
        match values.len() {
            count @ 0..=7 => self.bytes.push(0x78 | count as u8),
            count => {
                self.bytes.push(0x58);
                self.int(count as i32);
            }
        }
        values.iter().for_each(|value| self.value(value));
    }

    fn set(&mut self, values: &[Value]) {
        match values.len() {
            count @ 0..=7 => self.bytes.push(0x70 | count as u8),
            _ => self.bytes.push(b'V'),
        }
        if std::mem::replace(&mut self.set_is_known, true) {
            self.int(0);
        } else {
            self.text(SET);
        }
        if values.len() > 7 {
            self.int(values.len() as i32);
        }
        values.iter().for_each(|value| self.value(value));
    }

    /// Begins an object of a class with these fields; their values follow.
    fn instance(&mut self, class: &str, fields: Vec<String>) {
        let class = Class { name: class.to_owned(), fields };
        let known = self.classes.iter().position(|known| *known == class);
        let index = known.unwrap_or_else(|| self.define(class));
        if index < COMPACT_CLASSES {
            self.bytes.push(0x60 | index as u8);
        } else {
            self.bytes.push(b'O');
            self.int(index as i32);
        }
    }

    /// Writes the definition of a class; its index.
    fn define(&mut self, class: Class) -> usize {
        self.bytes.push(b'C');
        self.text(&class.name);
        self.int(class.fields.len() as i32);
        class.fields.iter().for_each(|name| self.text(name));
        self.classes.push(class);
        self.classes.len() - 1
    }
}
