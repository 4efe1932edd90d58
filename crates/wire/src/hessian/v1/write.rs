//! Values as Caucho's `HessianOutput` writes them.

use crate::form::Form;
use crate::hessian::SET;
use crate::hessian::text::{self, Dialect};
use crate::{Placeholders, Text, Value};

/// Most bytes of a chunk of a binary.
const CHUNK_BYTES: usize = 0x8000;

/// Writes values behind bytes that are there already.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The bytes, without drawn texts.
    pub bytes: &'a mut Vec<u8>,
    /// Placeholders of the drawn texts.
    pub places: &'a mut Placeholders,
}

impl<'a> Writer<'a> {
    pub fn new(bytes: &'a mut Vec<u8>, places: &'a mut Placeholders) -> Self {
        Writer { bytes, places }
    }

    /// Writes a value of any kind.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes.push(b'N'),
            Value::Bool(true) => self.bytes.push(b'T'),
            Value::Bool(false) => self.bytes.push(b'F'),
            Value::Int(number) => self.tagged(b'I', &number.to_be_bytes()),
            Value::Long(number) => self.tagged(b'L', &number.to_be_bytes()),
            Value::Double(number) => self.tagged(b'D', &number.to_be_bytes()),
            Value::Text(Text::Fixed(text)) => self.text(text),
            Value::Text(Text::Drawn(draw)) => {
                self.places.push_draw(self.bytes.len(), *draw, Form::Hessian1);
            }
            Value::Bytes(binary) => self.binary(binary),
            Value::Date(millis) => self.tagged(b'd', &millis.to_be_bytes()),
            Value::List(values) => self.list("", values),
            Value::Set(values) => self.list(SET, values),
            Value::Map(entries) => {
                self.tagged(b'M', b"t\0\0");
                for (key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
                self.bytes.push(b'z');
            }
            Value::Enum { class, name } => {
                let name = Value::Text(name.clone());
                self.object(class, std::iter::once(("name", &name)));
            }
            Value::Object(object) => {
                let fields = object.all_fields().map(|field| (field.name.as_str(), &field.value));
                self.object(&object.class, fields);
            }
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        text::write(text.as_bytes(), Dialect::V1, |piece| self.bytes.extend_from_slice(piece));
    }

    fn binary(&mut self, mut binary: &[u8]) {
        while binary.len() > CHUNK_BYTES {
            let (chunk, rest) = binary.split_at(CHUNK_BYTES);
            self.chunk(b'b', chunk);
            binary = rest;
        }
        self.chunk(b'B', binary);
    }

    fn chunk(&mut self, tag: u8, bytes: &[u8]) {
        self.tagged(tag, &(bytes.len() as u16).to_be_bytes());
        self.bytes.extend_from_slice(bytes);
    }

    /// A list, of a class or of none.
    fn list(&mut self, class: &str, values: &[Value]) {
        self.bytes.push(b'V');
        if !class.is_empty() {
            self.bytes.push(b't');
            text::write_name(class, self.bytes);
        }
        self.tagged(b'l', &(values.len() as u32).to_be_bytes());
        values.iter().for_each(|value| self.value(value));
        self.bytes.push(b'z');
    }

    fn object<'v>(&mut self, class: &str, fields: impl Iterator<Item = (&'v str, &'v Value)>) {
        self.tagged(b'M', b"t");
        text::write_name(class, self.bytes);
        for (name, value) in fields {
            self.text(name);
            self.value(value);
        }
        self.bytes.push(b'z');
    }
}
