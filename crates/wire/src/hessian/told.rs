//! Trees as JSON.

use super::tree::Tree;
use crate::json::Told;
use std::ptr;

/// Writes a value and what it refers to; `null` for what it is part of itself.
pub(super) fn tell(tree: &Tree, told: &mut Told) {
    let mut containers = Vec::new();
    collect(tree, &mut containers);
    value(tree, &containers, told);
}

/// Lists, maps and objects as references number them: in the order in which they open.
fn collect<'t>(tree: &'t Tree, containers: &mut Vec<&'t Tree>) {
    match tree {
        Tree::List(_, values) => {
            containers.push(tree);
            values.iter().for_each(|value| collect(value, containers));
        }
        Tree::Map(_, entries) => {
            containers.push(tree);
            for (key, value) in entries {
                collect(key, containers);
                collect(value, containers);
            }
        }
        Tree::Object(_, fields) => {
            containers.push(tree);
            fields.iter().for_each(|(_, value)| collect(value, containers));
        }
        _ => {}
    }
}

fn value(tree: &Tree, containers: &[&Tree], told: &mut Told) {
    let each = |told: &mut Told, tree: &Tree| value(tree, containers, told);
    match tree {
        Tree::Null => told.put("null"),
        Tree::Bool(truth) => told.put(if *truth { "true" } else { "false" }),
        Tree::Int(number) => told.put(&number.to_string()),
        Tree::Long(number) | Tree::Date(number) => told.put(&number.to_string()),
        Tree::Double(number) => told.double(*number),
        Tree::Text(text) => told.text(text),
        Tree::Bytes(bytes) => told.base64(bytes),
        Tree::Reference(index) => match usize::try_from(*index).ok().and_then(|at| containers.get(at)) {
            Some(tree) => value(tree, containers, told),
            None => told.put("null"),
        },
        Tree::Missing => told.cut(),
        Tree::List(..) | Tree::Map(..) | Tree::Object(..) => {
            told.container(ptr::from_ref(tree).addr(), |told| match tree {
                Tree::List(_, values) => told.array(values, each),
                Tree::Map(_, entries) => {
                    let entries = entries.iter().map(|(key, value)| (key, value));
                    told.object(entries, |told, key| told.name(|told| each(told, key)), each);
                }
                Tree::Object(class, fields) => match fields.as_slice() {
                    [(_, Tree::Text(number))] if class.starts_with("java.math.") && is_number(number) => {
                        told.put(number);
                    }
                    _ => {
                        let fields = fields.iter().map(|(name, value)| (name, value));
                        told.object(fields, |told, name| told.text(name), each);
                    }
                },
                _ => {}
            });
        }
    }
}

/// True if a number of `java.math` is written as JSON does.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'E'))
        && text.parse::<f64>().is_ok()
}
