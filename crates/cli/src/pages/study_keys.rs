//! Every key of a study, from the schema that editors check studies with.

use super::{WRITTEN, cell};
use crate::schema;
use serde_json::{Map, Value};
use std::fmt::Write;

const HEAD: &str = "\
Every key that a study may have, what its value is, and what it means. [The study file](../studies.md) explains them in the order in
which one writes a study, with examples; `proofload schema` prints the JSON Schema of which this page is made.
";

/// The parts that a schema gives a name.
struct Schema {
    root: Value,
}

pub fn page() -> String {
    let root = serde_json::from_str(schema::of_studies()).expect("a schema");
    let schema = Schema { root };
    let mut text = format!("# Keys of a study\n\n{WRITTEN}\n\n{HEAD}\n## The file\n\n");
    let keys = schema.of_the_file();
    schema.table(&keys, &[], &mut text);
    text.push_str("\n## Parts\n");
    let order = schema.in_order(&Value::Object(keys));
    for name in order.iter().filter(|name| schema.has_section(name)) {
        schema.section(name, &mut text);
    }
    text.push_str("\n## Values\n\n| name | value | |\n| --- | --- | --- |\n");
    let mut values: Vec<&String> = order.iter().filter(|name| !schema.has_section(name)).collect();
    values.sort();
    for name in values {
        let node = schema.part(name);
        let _ = writeln!(text, "| {name} | {} | {} |", schema.kind(node), cell(says(node)));
    }
    text
}

impl Schema {
    fn part(&self, name: &str) -> &Value {
        &self.root["definitions"][name]
    }

    /// Keys of the file. The variant without includes describes some of them in more detail.
    fn of_the_file(&self) -> Map<String, Value> {
        let mut keys = self.root["properties"].as_object().expect("keys").clone();
        keys.extend(self.root["else"]["properties"].as_object().expect("keys").clone());
        keys
    }

    /// Names of all parts, those first that the file itself names.
    fn in_order(&self, from: &Value) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        names(from, &mut found);
        let mut next = 0;
        while next < found.len() {
            names(self.part(&found[next].clone()), &mut found);
            next += 1;
        }
        found
    }

    /// True if it has more than one value.
    fn has_section(&self, name: &str) -> bool {
        let node = self.part(name);
        let is_map = |node: &Value| node.get("properties").is_some();
        is_map(node)
            || choices(node)
                .any(|choice| is_map(choice) || name_of(choice).is_some_and(|name| self.has_section(name)))
    }

    fn section(&self, name: &str, text: &mut String) {
        let node = self.part(name);
        let _ = write!(text, "\n### {name}\n\n{}", says(node));
        let one_of: Vec<String> = choices(node).filter_map(needed).collect();
        match one_of.is_empty() || node.get("properties").is_none() {
            true => text.push('\n'),
            false => {
                let _ = writeln!(text, " Exactly one of {}.", one_of.join(", "));
            }
        }
        if let Some(keys) = node["properties"].as_object() {
            text.push('\n');
            return self.table(keys, &required(node), text);
        }
        text.push_str("\nOne of:\n\n");
        for choice in choices(node) {
            match choice["properties"].as_object() {
                Some(keys) => {
                    for (key, value) in keys {
                        let _ = writeln!(text, "- `{key}:` {}. {}", self.kind(value), says(choice));
                    }
                }
                None => {
                    let _ = writeln!(
                        text,
                        "- {}. {}",
                        self.kind(choice),
                        name_of(choice).map_or("", |name| says(self.part(name)))
                    );
                }
            }
        }
    }

    fn table(&self, keys: &Map<String, Value>, required: &[&str], text: &mut String) {
        text.push_str("| key | value | |\n| --- | --- | --- |\n");
        for (key, value) in keys {
            let must = if required.contains(&key.as_str()) { " (required)" } else { "" };
            let _ = writeln!(text, "| `{key}`{must} | {} | {} |", self.kind(value), cell(says(value)));
        }
    }

    /// Allowed values, for the cell of a table.
    fn kind(&self, node: &Value) -> String {
        if let Some(name) = name_of(node) {
            let anchor = if self.has_section(name) { name } else { "values" };
            return format!("[{}](#{anchor})", name.replace('_', " "));
        }
        if let Some(word) = node["const"].as_str() {
            return format!("`{word}`");
        }
        if choices(node).next().is_some() {
            return choices(node).map(|choice| self.kind(choice)).collect::<Vec<_>>().join(" or ");
        }
        let each = |key: &str| node.get(key).filter(|part| part.is_object()).map(|part| self.kind(part));
        match node["type"].as_str() {
            Some("boolean") => "true or false".to_string(),
            Some("integer") => match (node["minimum"].as_u64(), node["maximum"].as_u64()) {
                (Some(least), Some(most)) => format!("{least} to {most}"),
                (Some(least), None) => format!("whole number, at least {least}"),
                _ => "whole number".to_string(),
            },
            Some("array") => format!("list of {}", each("items").unwrap_or_default()),
            Some("object") => match each("additionalProperties") {
                Some(kind) => format!("by name: {kind}"),
                None => "map".to_string(),
            },
            Some("string") => "text".to_string(),
            other => other.unwrap_or("anything").to_string(),
        }
    }
}

/// The parts that a node names, in its order.
fn names(node: &Value, found: &mut Vec<String>) {
    match node {
        Value::Object(map) => {
            if let Some(name) = name_of(node)
                && !found.iter().any(|known| known == name)
            {
                found.push(name.to_string());
            }
            map.values().for_each(|value| names(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

fn name_of(node: &Value) -> Option<&str> {
    node["$ref"].as_str()?.rsplit('/').next()
}

fn choices(node: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|key| node[key].as_array()).flatten()
}

/// The key that a choice requires, where that is all it has.
fn needed(choice: &Value) -> Option<String> {
    let is_bare = choice.as_object()?.keys().all(|key| key == "required");
    is_bare.then(|| format!("`{}`", required(choice).join("` and `")))
}

fn required(node: &Value) -> Vec<&str> {
    node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn says(node: &Value) -> &str {
    node["description"].as_str().unwrap_or_default()
}
