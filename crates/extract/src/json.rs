//! JSONPath (RFC 9535). Plain paths, of names and numbers only, are followed while the text is read.

use crate::pattern;
use crate::selector::{Found, Pick, SelectorError};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json_path::JsonPath;
use serde_json_path::functions::{LogicalType, ValueType};
use std::fmt;

const UNREADABLE: &str = "it is no JSON, or nested deeper than 127";
/// Most `..` of a path: with each, a text's depth is multiplied once more.
const MOST_DESCENTS: usize = 2;

#[derive(Debug)]
pub enum Path {
    Plain(Vec<Step>),
    Any(JsonPath),
}

#[derive(Debug, PartialEq)]
pub enum Step {
    Name(String),
    Index(usize),
}

impl Path {
    pub fn new(text: &str) -> Result<Path, SelectorError> {
        let path = JsonPath::parse(text)
            .map_err(|error| SelectorError::new(error.message(), Some(error.position().saturating_sub(1))))?;
        if text.matches("..").count() > MOST_DESCENTS {
            return Err(SelectorError::new(
                format!("it has more than {MOST_DESCENTS} `..`"),
                text.rfind(".."),
            ));
        }
        Ok(plain(text).map_or(Path::Any(path), Path::Plain))
    }

    pub fn find(&self, text: &[u8], pick: Pick, random: u64, out: &mut Vec<u8>) -> Found {
        let Ok(text) = str::from_utf8(text) else { return Found::Unreadable("it is no UTF-8") };
        match self {
            Path::Plain(steps) => {
                let mut found = None;
                let mut reader = serde_json::Deserializer::from_str(text);
                let read = Seek { steps, found: &mut found }.deserialize(&mut reader);
                match read.and_then(|()| reader.end()) {
                    Ok(()) => pick.take(found.as_ref().as_slice(), random, out, write),
                    Err(_) => Found::Unreadable(UNREADABLE),
                }
            }
            Path::Any(path) => match serde_json::from_str(text) {
                Ok(value) => pick.take(&path.query(&value).all(), random, out, write),
                Err(_) => Found::Unreadable(UNREADABLE),
            },
        }
    }
}

fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(text) => out.extend_from_slice(text.as_bytes()),
        other => out.extend_from_slice(other.to_string().as_bytes()),
    }
}

/// Steps of a path that names one place without escapes, blanks or negative numbers.
pub fn plain(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(named) = rest.strip_prefix('.') {
            let end = named.find(['.', '[']).unwrap_or(named.len());
            let name = &named[..end];
            if name.is_empty() || name.contains(|c: char| c == '*' || c.is_whitespace()) {
                return None;
            }
            steps.push(Step::Name(name.to_string()));
            rest = &named[end..];
        } else {
            let (inner, after) = rest.strip_prefix('[')?.split_once(']')?;
            let quoted = ['\'', '"'].into_iter().find_map(|q| inner.strip_prefix(q)?.strip_suffix(q));
            steps.push(match quoted {
                Some(name) if !name.contains(['\'', '"', '\\']) => Step::Name(name.to_string()),
                _ => Step::Index(inner.parse().ok().filter(|_| !inner.starts_with('+'))?),
            });
            rest = after;
        }
    }
    Some(steps)
}

/// Reads a value to its end and keeps what the steps lead to; of equal names the last one counts, as in a `Value`.
struct Seek<'s> {
    steps: &'s [Step],
    found: &'s mut Option<Value>,
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if self.steps.is_empty() {
            *self.found = Some(serde::Deserialize::deserialize(reader)?);
            return Ok(());
        }
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(here) = map.next_key_seed(Here(&self.steps[0]))? {
            if here {
                *self.found = None;
                map.next_value_seed(Seek { steps: &self.steps[1..], found: &mut *self.found })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        if let Step::Index(index) = &self.steps[0] {
            for _ in 0..*index {
                if items.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(());
                }
            }
            items.next_element_seed(Seek { steps: &self.steps[1..], found: self.found })?;
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// True if a key is the step's name.
struct Here<'s>(&'s Step);

impl<'de> DeserializeSeed<'de> for Here<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Here<'_> {
    type Value = bool;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(matches!(self.0, Step::Name(name) if name == key))
    }
}

/// True if a whole text is of a pattern (RFC 9535, section 2.4.6).
#[serde_json_path::function(name = "match")]
fn full(text: ValueType, regex: ValueType) -> LogicalType {
    fits(&text, regex.as_value().and_then(Value::as_str).map(|regex| format!("^(?:{regex})$")))
}

/// True if a pattern is somewhere in a text (RFC 9535, section 2.4.7).
#[serde_json_path::function]
fn search(text: ValueType, regex: ValueType) -> LogicalType {
    fits(&text, regex.as_value().and_then(Value::as_str).map(str::to_string))
}

fn fits(text: &ValueType, regex: Option<String>) -> LogicalType {
    let regex = regex.and_then(|regex| pattern::compile(&regex).ok());
    match (text.as_value().and_then(Value::as_str), regex) {
        (Some(text), Some(regex)) => regex.is_match(text.as_bytes()).into(),
        _ => LogicalType::False,
    }
}
