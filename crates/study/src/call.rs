//! A call of a method on another machine, as people write it: `call: lab.EchoService.echo`, `args: [hello]`.
//!
//! Arguments are YAML. What YAML cannot express is a map with one of the keys below; types that are not given follow
//! from the values.

use super::feeders::Feeders;
use super::field::Field;
use super::problem::{shown, variable};
use super::suggest::similar_of;
use super::template::{TextPart, parts};
use super::writing::Context;
use super::yaml::{Entry, Kind, Node, Value as Yaml};
use data_encoding::BASE64;
use proofload_engine::feed::Piece;
use proofload_facts::{Expected, Mistake};
use proofload_wire::{Call, Field as ObjectField, Object, Text, Value};
use std::rc::Rc;

/// Most arguments of a call.
pub(super) const ARGUMENTS_MAX: usize = 64;

/// Forms of a map within arguments.
const FORMS: &str = "{ class: lab.Person, fields: { name: x } }, { enum: lab.Color, name: RED }, { set: [a, b] }, \
                     { long: 5 }, { date: 0 }, { bytes: aGVsbG8= }, { type: short, value: 5 }";

/// Keys of an object.
const OBJECT: &str =
    "{ class: lab.Person, uid: 1, fields: { name: x }, extends: { class: lab.Base, fields: { id: 5 } } }";

/// A value with the type that a parameter or a field of it has.
pub(super) struct Typed {
    /// As Java's source has it.
    pub(super) ty: String,
    pub(super) value: Value,
}

/// `lab.EchoService.echo` taken apart.
///
/// # Errors
/// The mistake, and what to write instead.
pub(super) fn method(text: &str) -> Result<Call, Mistake> {
    let name = |part: &str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
    };
    match text.rsplit_once('.') {
        Some((interface, method)) if interface.split('.').all(name) && name(method) => {
            Ok(Call { interface: interface.to_string(), method: method.to_string(), ..Call::default() })
        }
        _ => Err(Mistake::not(shown(text), Expected::Method, "lab.EchoService.echo")),
    }
}

/// Reads values of arguments; each problem is reported at its place.
pub(super) struct Reader<'f, 'a> {
    /// Field to which problems are reported.
    pub(super) field: &'f Field<'a>,
    /// Feeders that `${name}` refers to.
    pub(super) feeders: &'f mut Feeders,
}

impl Reader<'_, '_> {
    pub(super) fn value(&mut self, node: &Node) -> Option<Typed> {
        match &node.value {
            Yaml::Scalar { text, .. } => self.scalar(node, text),
            Yaml::List(items) => Some(typed("java.util.List", Value::List(self.items(items)?))),
            Yaml::Map(entries) => self.map(node, entries),
        }
    }

    /// The elements of a list; each wrong one is reported.
    fn items(&mut self, items: &[Rc<Node>]) -> Option<Vec<Value>> {
        let items: Vec<Option<Value>> = items.iter().map(|item| Some(self.value(item)?.value)).collect();
        items.into_iter().collect()
    }

    fn wrong<T>(&self, node: &Node, form: &str) -> Option<T> {
        let found = Field { node, ..self.field.clone() }.found();
        self.problem(node, Mistake::not(found, Expected::JavaValue, form))
    }

    fn problem<T>(&self, node: &Node, mistake: Mistake) -> Option<T> {
        self.field.sink.add(node.place, &self.field.path, mistake);
        None
    }

    fn scalar(&mut self, node: &Node, text: &str) -> Option<Typed> {
        match node.kind() {
            Some(Kind::Null) => Some(typed("java.lang.Object", Value::Null)),
            Some(Kind::Boolean) => Some(typed("boolean", Value::Bool(text.eq_ignore_ascii_case("true")))),
            Some(Kind::Integer) => match (text.parse::<i32>(), text.parse::<i64>()) {
                (Ok(number), _) => Some(typed("int", Value::Int(number))),
                (_, Ok(number)) => Some(typed("long", Value::Long(number))),
                _ => self.wrong(node, "5, 5000000000"),
            },
            Some(Kind::Number) => match text.parse::<f64>() {
                Ok(number) => Some(typed("double", Value::Double(number))),
                Err(_) => self.wrong(node, "1.5"),
            },
            _ => Some(typed("java.lang.String", Value::Text(self.text(node, text)?))),
        }
    }

    /// A text; where it has values that change, it is put together anew for each exchange.
    fn text(&mut self, node: &Node, text: &str) -> Option<Text> {
        match self.pieces(text) {
            Ok(mut pieces) => Some(match (pieces.pop(), pieces.is_empty()) {
                (None, _) => Text::Fixed(String::new()),
                (Some(Piece::Fixed(text)), true) => Text::Fixed(text),
                (Some(Piece::Drawn(draw)), true) => Text::Drawn(draw),
                (Some(last), false) => {
                    pieces.push(last);
                    Text::Drawn(self.feeders.joined(pieces))
                }
            }),
            Err(mistake) => self.problem(node, mistake),
        }
    }

    /// The pieces of a text, no two fixed ones side by side.
    fn pieces(&mut self, text: &str) -> Result<Vec<Piece>, Mistake> {
        let mut pieces = Vec::new();
        for part in parts(text)? {
            let fixed = match part {
                TextPart::Text(text) => text.to_string(),
                TextPart::Variable { name, filter } => {
                    let value = Context::Body.writing(filter)?.of(variable(name)?.as_bytes(), name)?;
                    String::from_utf8_lossy(&value).into_owned()
                }
                TextPart::Value { name, column, filter } => {
                    pieces.push(Piece::Drawn(self.feeders.draw(name, column, filter, Context::Body)?));
                    continue;
                }
            };
            match pieces.last_mut() {
                Some(Piece::Fixed(before)) => before.push_str(&fixed),
                _ => pieces.push(Piece::Fixed(fixed)),
            }
        }
        Ok(pieces)
    }

    fn map(&mut self, node: &Node, entries: &[Entry]) -> Option<Typed> {
        let get = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &*entry.node);
        let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        match keys.as_slice() {
            ["long"] => self.number(get("long")?).map(|number| typed("long", Value::Long(number))),
            ["date"] => self.number(get("date")?).map(|ms| typed("java.util.Date", Value::Date(ms))),
            ["bytes"] => {
                let node = get("bytes")?;
                let decoded = written(node).and_then(|text| BASE64.decode(text.as_bytes()).ok());
                match decoded {
                    Some(bytes) => Some(typed("byte[]", Value::Bytes(bytes))),
                    None => self.wrong(node, "{ bytes: aGVsbG8= }"),
                }
            }
            ["type", "value"] | ["value", "type"] => {
                let ty = written(get("type")?);
                let Typed { value, .. } = self.value(get("value")?)?;
                match ty {
                    Some(ty) => Some(typed(ty, value)),
                    None => self.wrong(node, FORMS),
                }
            }
            ["set"] => match &get("set")?.value {
                Yaml::List(items) => Some(typed("java.util.Set", Value::Set(self.items(items)?))),
                _ => self.wrong(node, "{ set: [a, b] }"),
            },
            _ if keys.contains(&"class") => {
                let object = self.object(node, entries)?;
                Some(typed(&object.class.clone(), Value::Object(object)))
            }
            _ if keys.contains(&"enum") => self.constant(node, entries),
            _ => self.pairs(node, entries).map(|pairs| typed("java.util.Map", Value::Map(pairs))),
        }
    }

    fn pairs(&mut self, node: &Node, entries: &[Entry]) -> Option<Vec<(Value, Value)>> {
        let pairs = entries.iter().map(|entry| {
            let key = self.text(node, &entry.key);
            Some((Value::Text(key?), self.value(&entry.node)?.value))
        });
        // All of them first, so that every mistake is reported.
        let pairs: Vec<Option<(Value, Value)>> = pairs.collect();
        pairs.into_iter().collect()
    }

    fn number(&self, node: &Node) -> Option<i64> {
        match written(node).and_then(|text| text.parse().ok()) {
            Some(number) => Some(number),
            None => self.wrong(node, "5, 5000000000"),
        }
    }

    fn constant(&mut self, node: &Node, entries: &[Entry]) -> Option<Typed> {
        let (mut class, mut name) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "enum" => class = written(&entry.node),
                "name" => name = written(&entry.node),
                other => return self.problem(&entry.node, unknown_key(other, &["enum", "name"])),
            }
        }
        let (Some(class), Some(name)) = (class, name) else {
            return self.wrong(node, "{ enum: lab.Color, name: RED }");
        };
        let name = self.text(node, name)?;
        Some(typed(class, Value::Enum { class: class.to_string(), name }))
    }

    fn object(&mut self, node: &Node, entries: &[Entry]) -> Option<Object> {
        let (mut class, mut uid, mut fields, mut extends) = (None, 0, Vec::new(), None);
        for entry in entries {
            match (entry.key.as_str(), &entry.node.value) {
                ("class", _) => class = written(&entry.node),
                ("uid", _) => uid = self.number(&entry.node)?,
                ("fields", Yaml::Map(entries)) => {
                    for field in entries {
                        let Typed { ty, value } = self.value(&field.node)?;
                        fields.push(ObjectField { name: field.key.clone(), ty, value });
                    }
                }
                ("fields", _) => return self.wrong(&entry.node, OBJECT),
                ("extends", Yaml::Map(above)) => {
                    extends = Some(Box::new(self.object(&entry.node, above)?));
                }
                ("extends", _) => return self.wrong(&entry.node, OBJECT),
                (other, _) => {
                    let known = ["class", "uid", "fields", "extends"];
                    return self.problem(&entry.node, unknown_key(other, &known));
                }
            }
        }
        let Some(class) = class else { return self.wrong(node, OBJECT) };
        Some(Object { class: class.to_string(), serial_version_uid: uid, fields, extends })
    }
}

fn unknown_key(key: &str, known: &[&str]) -> Mistake {
    let (similar, known) = similar_of(key, known);
    Mistake::UnknownKey { similar, known }.at(shown(key))
}

fn typed(ty: &str, value: Value) -> Typed {
    Typed { ty: ty.to_string(), value }
}

fn written(node: &Node) -> Option<&str> {
    match &node.value {
        Yaml::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// A call as text: `lab.EchoService.echo(java.lang.String)`.
pub(super) fn in_words(call: &Call) -> String {
    format!("{}.{}({})", call.interface, call.method, call.parameter_types.join(", "))
}

#[cfg(test)]
mod tests;
