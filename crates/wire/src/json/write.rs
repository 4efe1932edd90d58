//! Calls as JSON.

use super::text::{self, Dialect};
use crate::form::Form;
use crate::http1::{EncodeError, RequestSpec, Template};
use crate::{Call, Placeholders, Request, Text, Value};

/// Media type of the body of a call.
const CONTENT_TYPE: &str = "application/json";

/// Dialect in which a call becomes a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// The array of the arguments.
    Arguments,
    /// The first argument itself; `null` without one.
    Argument,
    /// A request of JSON-RPC 2.0, whose id is always 1: a connection has one call at a time.
    Rpc,
}

/// The body of a call, and its places.
///
/// An object is the object of its fields, an enum's constant its name, a set an array, a date its milliseconds since 1970, binary is Base64, and a number that JSON
/// does not have is `null`.
pub fn call_body(body: Body, call: &Call) -> (Vec<u8>, Placeholders) {
    let (mut bytes, mut places) = (Vec::new(), Placeholders::default());
    let mut writer = Writer { bytes: &mut bytes, places: &mut places, dialect: Dialect::Plain };
    match body {
        Body::Arguments => writer.array(&call.arguments),
        Body::Argument => writer.value(call.arguments.first().unwrap_or(&Value::Null)),
        Body::Rpc => {
            writer.put("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":");
            writer.text(&call.method);
            writer.put(",\"params\":");
            writer.array(&call.arguments);
            writer.put("}");
        }
    }
    (bytes, places)
}

/// A call as a POST to the target of `spec`, whose method and body do not count; `template` has the places of target and headers.
///
/// # Errors
/// As [`RequestSpec::encode`].
pub fn encode(
    body: Body,
    call: &Call,
    spec: &RequestSpec,
    template: &Template,
) -> Result<Request, EncodeError> {
    let (body, places) = call_body(body, call);
    spec.encode_call(template, CONTENT_TYPE, body, &places)
}

/// Writes values behind bytes that are there already.
pub(crate) struct Writer<'a> {
    pub bytes: &'a mut Vec<u8>,
    pub places: &'a mut Placeholders,
    pub dialect: Dialect,
}

impl Writer<'_> {
    pub fn put(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub fn text(&mut self, value: &str) {
        text::write(value.as_bytes(), self.dialect, |piece| self.bytes.extend_from_slice(piece));
    }

    fn form(&self) -> Form {
        match self.dialect {
            Dialect::Plain => Form::JsonText,
            Dialect::Fastjson => Form::DubboJson,
        }
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.put("null"),
            Value::Bool(truth) => self.put(if *truth { "true" } else { "false" }),
            Value::Int(number) => self.put(&number.to_string()),
            Value::Long(number) | Value::Date(number) => self.put(&number.to_string()),
            Value::Double(number) if number.is_finite() => self.put(&format!("{number:?}")),
            Value::Double(_) => self.put("null"),
            Value::Text(text) | Value::Enum { name: text, .. } => match text {
                Text::Fixed(text) => self.text(text),
                Text::Drawn(draw) => self.places.push_draw(self.bytes.len(), *draw, self.form()),
            },
            Value::Bytes(binary) => {
                self.put("\"");
                put_base64(binary, self.bytes);
                self.put("\"");
            }
            Value::List(values) | Value::Set(values) => self.array(values),
            Value::Map(entries) => self.members(entries.iter(), |writer, (key, value)| {
                writer.key(key);
                value
            }),
            Value::Object(object) => {
                let keeps_null = self.dialect == Dialect::Plain;
                let written = object.all_fields().filter(|field| keeps_null || field.value != Value::Null);
                self.members(written, |writer, field| {
                    writer.text(&field.name);
                    &field.value
                });
            }
        }
    }

    fn array(&mut self, values: &[Value]) {
        self.put("[");
        for (index, value) in values.iter().enumerate() {
            self.put(if index > 0 { "," } else { "" });
            self.value(value);
        }
        self.put("]");
    }

    /// An object, of whose members `key` writes the name and gives the value.
    fn members<'v, T>(
        &mut self,
        members: impl Iterator<Item = T>,
        mut key: impl FnMut(&mut Self, T) -> &'v Value,
    ) {
        self.put("{");
        for (index, member) in members.enumerate() {
            self.put(if index > 0 { "," } else { "" });
            let value = key(self, member);
            self.put(":");
            self.value(value);
        }
        self.put("}");
    }

    /// A key of a map: a text as it is, anything else as the text that it is in JSON.
    fn key(&mut self, key: &Value) {
        let is_text = matches!(key, Value::Text(_) | Value::Enum { .. } | Value::Bytes(_));
        if is_text || self.dialect == Dialect::Fastjson {
            return self.value(key);
        }
        let mut bytes = Vec::new();
        Writer { bytes: &mut bytes, places: &mut Placeholders::default(), dialect: self.dialect }.value(key);
        text::write(&bytes, self.dialect, |piece| self.bytes.extend_from_slice(piece));
    }
}

/// Base64 with padding (RFC 4648 section 4).
pub(super) fn put_base64(binary: &[u8], bytes: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in binary.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * index) & 0x3f) as usize];
            bytes.push(if index <= three.len() { digit } else { b'=' });
        }
    }
}
