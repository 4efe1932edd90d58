//! The format for editors: the JSON Schema that is made of the tables of keys.

use super::keys::{Key, Keys, Kind};
use super::parse::STUDY;
use serde_json::{Map, Value, json};

/// The JSON Schema of study files.
pub fn study_schema() -> Value {
    let mut definitions = Definitions::default();
    let mut schema = definitions.object(&STUDY);
    allow_parts(&mut schema);
    schema.insert("$schema".to_string(), "http://json-schema.org/draft-07/schema#".into());
    schema.insert("$id".to_string(), "study.schema.json".into());
    schema.insert("title".to_string(), "Proofload study".into());
    schema.insert("definitions".to_string(), definitions.0.into());
    schema.into()
}

/// A study that includes files may leave to them what it must otherwise hold itself: whether its own subjects,
/// workload and load are complete is known only when all are put together.
fn allow_parts(root: &mut Map<String, Value>) {
    let required = root.remove("required").unwrap_or_default();
    let mut whole = Map::new();
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        for key in ["subjects", "workload", "journeys", "load", "streams"] {
            if let Some(full) = properties.get_mut(key) {
                let part = json!({"description": full["description"], "type": "object"});
                whole.insert(key.to_string(), std::mem::replace(full, part));
            }
        }
    }
    let searches = json!({"required": ["load"], "properties": {"load": {"required": ["capacity"]}}});
    let rest = json!({
        "if": {"required": ["include"]},
        "then": {},
        "else": {
            "required": required,
            "properties": whole,
            "anyOf": [{"required": ["claims"]}, {"required": ["expect"]}, searches],
            "oneOf": [
                {"required": ["workload", "load"], "not": {"anyOf": [{"required": ["streams"]}, {"required": ["journeys"]}]}},
                {"required": ["journeys", "load"], "not": {"anyOf": [{"required": ["streams"]}, {"required": ["workload"]}]}},
                {"required": ["streams"], "not": {"anyOf": [{"required": ["workload"]}, {"required": ["journeys"]}, {"required": ["load"]}]}}
            ]
        }
    });
    if let Value::Object(rest) = rest {
        root.extend(rest);
    }
}

/// Definitions that other parts of the schema refer to, by name.
#[derive(Default)]
struct Definitions(Map<String, Value>);

impl Definitions {
    fn kind(&mut self, kind: &'static Kind) -> Value {
        match kind {
            Kind::Any => json!({}),
            Kind::Switch => json!({"type": "boolean"}),
            Kind::Text("") => json!({"type": "string"}),
            Kind::Text(pattern) => json!({"type": "string", "pattern": pattern}),
            Kind::Integer(least, u64::MAX) => json!({"type": "integer", "minimum": least}),
            Kind::Integer(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Kind::Number(schema) => serde_json::from_str(schema).unwrap_or_default(),
            Kind::Words(words) => {
                let word =
                    |(word, doc): &(&str, &str)| json!({"type": "string", "const": word, "description": doc});
                json!({"oneOf": words.iter().map(word).collect::<Vec<_>>()})
            }
            Kind::List(of, least, most) => {
                bounded(json!({"type": "array", "items": self.kind(of)}), "Items", *least, *most)
            }
            Kind::Distinct(of, least, most) => {
                let list = json!({"type": "array", "items": self.kind(of), "uniqueItems": true});
                bounded(list, "Items", *least, *most)
            }
            Kind::Names(of, least, most) => {
                let map = json!({"type": "object", "additionalProperties": self.kind(of)});
                bounded(map, "Properties", *least, *most)
            }
            Kind::Map([table]) => self.named(table.name, |all| all.object(table)),
            Kind::Map(tables) => {
                let tables = tables.iter().map(|table| self.named(table.name, |all| all.object(table)));
                json!({"anyOf": tables.collect::<Vec<_>>()})
            }
            Kind::One(table) => self.named(table.name, |all| all.one(table)),
            Kind::Either(kinds) => {
                json!({"anyOf": kinds.iter().map(|kind| self.kind(kind)).collect::<Vec<_>>()})
            }
            Kind::Later(kind) => self.kind(kind()),
            Kind::Named(named) => self.named(named.name, |all| documented(all.kind(&named.kind), named.doc)),
        }
    }

    /// A reference to a definition that is made once.
    fn named<T: Into<Value>>(&mut self, name: &str, define: impl FnOnce(&mut Self) -> T) -> Value {
        let name = name.to_lowercase();
        if !self.0.contains_key(&name) {
            // It may hold itself.
            self.0.insert(name.clone(), Value::Null);
            let definition = define(self).into();
            self.0.insert(name.clone(), definition);
        }
        json!({"$ref": format!("#/definitions/{name}")})
    }

    fn key(&mut self, key: &'static Key) -> Value {
        documented(self.kind(key.kind), key.doc)
    }

    /// A map with these keys and no others.
    fn object(&mut self, keys: &'static Keys) -> Map<String, Value> {
        let properties: Map<String, Value> =
            keys.all().map(|key| (key.name.to_string(), self.key(key))).collect();
        let required: Vec<&str> = keys.all().filter(|key| key.required).map(|key| key.name).collect();
        let alone = |keys: &[&str]| keys.iter().map(|key| json!({"required": [key]})).collect::<Vec<_>>();
        let mut object = Map::new();
        object.insert("description".to_string(), text(keys.doc).into());
        object.insert("type".to_string(), "object".into());
        object.insert("properties".to_string(), properties.into());
        object.insert("additionalProperties".to_string(), false.into());
        for (word, list) in [
            ("required", required.into_iter().map(Value::from).collect()),
            ("oneOf", alone(keys.exactly_one)),
            ("anyOf", alone(keys.some)),
        ] {
            if !list.is_empty() {
                object.insert(word.to_string(), Value::Array(list));
            }
        }
        object
    }

    /// A map with one of these keys.
    fn one(&mut self, keys: &'static Keys) -> Value {
        let one = |key: &'static Key| {
            let value = json!({
                "type": "object",
                "properties": {key.name: self.kind(key.kind)},
                "required": [key.name],
                "additionalProperties": false
            });
            documented(value, key.doc)
        };
        documented(json!({"oneOf": keys.all().map(one).collect::<Vec<_>>()}), keys.doc)
    }
}

fn documented(mut schema: Value, doc: &[&str]) -> Value {
    schema["description"] = text(doc).into();
    schema
}

/// Lines of a doc comment as one text.
fn text(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

fn bounded(mut schema: Value, what: &str, least: usize, most: usize) -> Value {
    if least > 0 {
        schema[format!("min{what}")] = least.into();
    }
    if most < usize::MAX {
        schema[format!("max{what}")] = most.into();
    }
    schema
}
