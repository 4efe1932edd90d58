//! A tree as YAML again: the text of a study that is in effect, with its includes and its settings.

use super::yaml::{Kind, Node, Value};
use std::fmt::Write;

/// The tree as a file that reads as the same tree. Comments and the way it was written are lost.
pub(super) fn text(tree: &Node) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = node(&mut out, tree, 0);
    out
}

/// A value after its key or dash, up to the end of its last line.
fn node(out: &mut String, tree: &Node, indent: usize) -> std::fmt::Result {
    match &tree.value {
        Value::Scalar { text, .. } => writeln!(out, " {}", scalar(text, tree.kind())),
        Value::List(items) if items.is_empty() => writeln!(out, " []"),
        Value::Map(entries) if entries.is_empty() => writeln!(out, " {{}}"),
        Value::List(items) => {
            if indent > 0 {
                writeln!(out)?;
            }
            items.iter().try_for_each(|item| {
                write!(out, "{:indent$}-", "")?;
                node(out, item, indent + 2)
            })
        }
        Value::Map(entries) => {
            if indent > 0 {
                writeln!(out)?;
            }
            entries.iter().try_for_each(|entry| {
                write!(out, "{:indent$}{}:", "", key(&entry.key))?;
                node(out, &entry.node, indent + 2)
            })
        }
    }
}

fn key(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_text = !matches!(text, "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "y" | "n");
    if begins && is_text && text.chars().all(plain) { text.to_string() } else { quoted(text) }
}

/// Plain where YAML reads something else than text, and where no reader could take it for anything else.
fn scalar(text: &str, kind: Option<Kind>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./%".contains(c);
    let simple = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') && text.chars().all(plain);
    match kind {
        Some(Kind::Text) if simple && reads_as_text(text) => text.to_string(),
        Some(Kind::Text) | None => quoted(text),
        Some(_) => text.to_string(),
    }
}

fn reads_as_text(text: &str) -> bool {
    let place = super::problem::Location::default();
    let value = Value::Scalar { text: text.to_string(), plain: true };
    Node { place, bytes: 0..0, value }.kind() == Some(Kind::Text)
}

/// Between double quotes, everything that is not a printable letter escaped.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            ' ' => out.push(' '),
            letter if letter.is_ascii_graphic() || letter.is_alphabetic() => out.push(letter),
            letter => {
                let _ = write!(out, "\\U{:08X}", u32::from(letter));
            }
        }
    }
    out.push('"');
    out
}
