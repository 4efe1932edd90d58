//! A small set of readers over the tree: each reports what is wrong at its place and goes on.
//!
//! A reader returns `None` when it has reported a problem; the caller goes on with the next field, so that one
//! run reports every mistake.

use super::keys::{Keys, Kind as Described};
use super::problem::{Sink, shown};
use super::suggest::{nearest, one_of};
use super::yaml::{Entry, Kind, Node, Value};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Longest line of text.
const LINE_MAX: usize = 300;

/// A value with its path of keys, and what it may be.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) node: &'a Node,
    pub(crate) path: String,
    pub(crate) sink: &'a Sink,
    pub(crate) kind: &'static Described,
}

impl<'a> Field<'a> {
    pub(crate) fn new(
        node: &'a Node,
        path: impl Into<String>,
        sink: &'a Sink,
        kind: &'static Described,
    ) -> Self {
        Field { node, path: path.into(), sink, kind }
    }

    pub(crate) fn problem(&self, what: impl Into<String>, remedy: impl Into<String>) {
        self.sink.add(self.node.place, &self.path, what, remedy);
    }

    /// A problem written as `what; remedy`.
    pub(crate) fn joined_problem(&self, message: &str) {
        self.sink.add_joined(self.node.place, &self.path, message);
    }

    fn child(&self, entry: &'a Entry) -> Field<'a> {
        let key = shown(&entry.key);
        let path = if self.path.is_empty() { key } else { format!("{}.{key}", self.path) };
        Field::new(&entry.node, path, self.sink, self.kind.under(&entry.key))
    }

    /// The scalar as it was written, whatever YAML makes of it.
    pub(crate) fn written(&self) -> Option<&'a str> {
        match &self.node.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The value, for messages.
    pub(crate) fn found(&self) -> String {
        match &self.node.value {
            Value::List(_) => "a list".to_string(),
            Value::Map(_) => "a map".to_string(),
            Value::Scalar { .. } if self.node.kind() == Some(Kind::Null) => "nothing".to_string(),
            Value::Scalar { text, .. } if text.is_empty() => "empty text".to_string(),
            Value::Scalar { text, .. } => shown(text),
        }
    }

    /// Whether this is a map with such a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        matches!(&self.node.value, Value::Map(entries) if entries.iter().any(|entry| entry.key == key))
    }

    /// Whether this is a map.
    pub(crate) fn is_map(&self) -> bool {
        matches!(&self.node.value, Value::Map(_))
    }

    /// A map, read key by key.
    pub(crate) fn map(&self, remedy: &str) -> Option<Map<'a>> {
        match &self.node.value {
            Value::Map(entries) => {
                let asked = entries.iter().map(|_| Cell::new(false)).collect();
                Some(Map { field: self.clone(), entries, asked, tables: self.kind.tables() })
            }
            _ => {
                self.wrong("a map", remedy);
                None
            }
        }
    }

    /// Reports that the value is not what it should be.
    pub(crate) fn wrong(&self, wanted: &str, remedy: &str) {
        match self.node.kind() {
            Some(Kind::Null) => self.problem("is empty", remedy),
            _ => self.problem(format!("{} is not {wanted}", self.found()), remedy),
        }
    }

    /// All entries of a map whose keys are names that the author chose.
    pub(crate) fn entries(&self, remedy: &str) -> Option<Vec<(&'a Entry, Field<'a>)>> {
        let Value::Map(entries) = &self.node.value else {
            self.wrong("a map", remedy);
            return None;
        };
        if entries.is_empty() {
            self.problem("is empty", remedy);
            return None;
        }
        Some(entries.iter().map(|entry| (entry, self.child(entry))).collect())
    }

    /// The items of a list, or the one value instead of a list.
    pub(crate) fn one_or_many(&self, remedy: &str) -> Option<Vec<Field<'a>>> {
        match &self.node.value {
            Value::List(_) => self.items(remedy),
            _ => Some(vec![self.clone()]),
        }
    }

    /// The items of a list that is not empty.
    pub(crate) fn items(&self, remedy: &str) -> Option<Vec<Field<'a>>> {
        match &self.node.value {
            Value::List(items) if items.is_empty() => {
                self.problem("the list is empty", remedy);
                None
            }
            Value::List(items) => Some(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| {
                        Field::new(item, format!("{}[{index}]", self.path), self.sink, self.kind.item())
                    })
                    .collect(),
            ),
            _ => {
                self.wrong("a list", remedy);
                None
            }
        }
    }

    /// Text. What an unquoted word would turn into is an error, with the quotes as the remedy.
    pub(crate) fn text(&self, remedy: &str) -> Option<&'a str> {
        let text = match self.written() {
            Some(text) if self.node.kind() == Some(Kind::Text) => text,
            Some(text) if self.node.kind() != Some(Kind::Null) => {
                self.unquoted(text);
                return None;
            }
            _ => {
                self.wrong("text", remedy);
                return None;
            }
        };
        if text.trim().is_empty() {
            self.problem("is empty", remedy);
            return None;
        }
        Some(text)
    }

    /// The value of a parameter or a level: text, or a plain number that reads the same everywhere; `true` and
    /// `false` where they are what is asked for.
    pub(crate) fn parameter_value(&self, takes_boolean: bool) -> Option<&'a str> {
        match self.written() {
            Some(text) if self.node.kind() == Some(Kind::Integer) => Some(text),
            Some(text @ ("true" | "false")) if takes_boolean => Some(text),
            _ => self.text("write a word or a number"),
        }
    }

    fn unquoted(&self, text: &str) {
        let what = match self.node.kind() {
            Some(Kind::Boolean) => "true or false in YAML",
            Some(Kind::OldBoolean) => "true or false to some readers of YAML",
            _ => "a number in YAML",
        };
        let text = shown(text);
        self.problem(format!("{text} without quotes is {what}, not text"), format!("write \"{text}\""));
    }

    /// `None` when there are more than `most`.
    pub(crate) fn at_most(&self, count: usize, most: usize, what: &str) -> Option<()> {
        if count > most {
            self.problem(format!("{count} {what} are too many"), format!("write at most {most}"));
        }
        (count <= most).then_some(())
    }

    /// A whole number in the range of its key.
    pub(crate) fn integer(&self, name: &str) -> Option<u64> {
        let (low, high) = self.kind.range();
        let written = self.written().unwrap_or_default();
        let number = match self.node.kind() {
            Some(Kind::Integer) => written.parse::<u64>().ok().filter(|number| (low..=high).contains(number)),
            _ => None,
        };
        if number.is_none() {
            let below = written.starts_with('-') || written.parse::<u64>().is_ok_and(|number| number < low);
            let remedy = match self.node.kind() {
                Some(Kind::Integer) if below => format!("write at least {low}"),
                Some(Kind::Integer) => format!("write at most {high}"),
                Some(Kind::Text) if is_plain_integer(written) => "write it without quotes".to_string(),
                _ => format!("write a whole number from {low} to {high}"),
            };
            match self.node.kind() {
                Some(Kind::Text) => self.problem(format!("\"{}\" is not {name}", self.found()), remedy),
                _ => self.wrong(name, &remedy),
            }
        }
        number
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match (self.node.kind(), self.written().map(str::to_ascii_lowercase).as_deref()) {
            (Some(Kind::Boolean), Some(word)) => Some(word == "true"),
            _ => {
                let remedy = match self.written().map(str::to_ascii_lowercase).as_deref() {
                    Some("on" | "yes" | "y") => "write true",
                    Some("off" | "no" | "n") => "write false",
                    _ => "write true or false",
                };
                self.problem(format!("{} is not true or false", self.found()), remedy);
                None
            }
        }
    }

    /// A quantity with its unit, by one of the parsers of `quantity`; a bare whole number goes to the
    /// parser too.
    pub(crate) fn quantity<T>(&self, parse: fn(&str) -> Result<T, String>, remedy: &str) -> Option<T> {
        let written = match self.node.kind() {
            None | Some(Kind::Null) => {
                self.wrong("a quantity", remedy);
                return None;
            }
            Some(_) => self.written().unwrap_or_default(),
        };
        parse(written).map_err(|message| self.joined_problem(&message)).ok()
    }
}

fn is_plain_integer(text: &str) -> bool {
    text.parse::<u64>().is_ok_and(|number| number.to_string() == text)
}

/// Entries of a map, or of a list of maps of one entry.
pub(crate) fn pairs<'a>(field: &Field<'a>, remedy: &str) -> Option<Vec<(&'a Entry, Field<'a>)>> {
    if !matches!(field.node.value, Value::List(_)) {
        return field.entries(remedy);
    }
    let mut out = Vec::new();
    for item in field.items(remedy)? {
        let Some(entries) = item.entries(remedy) else { continue };
        if let Some((_, second)) = entries.get(1) {
            second.problem("two rows in one item of the list", "begin each with its own -");
        }
        out.extend(entries);
    }
    Some(out)
}

/// One line of text.
pub(crate) fn line(field: &Field<'_>, remedy: &str) -> Option<String> {
    let text = field.text(remedy)?.trim();
    if text.chars().count() > LINE_MAX || text.chars().any(char::is_control) {
        field.problem("is more than a line", format!("write at most {LINE_MAX} letters"));
        return None;
    }
    Some(text.to_string())
}

/// A map that is read key by key; [`Map::close`] then reports the keys that no check read.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) field: Field<'a>,
    entries: &'a [Entry],
    asked: Vec<Cell<bool>>,
    /// The keys that are known here.
    tables: Vec<&'static Keys>,
}

impl<'a> Map<'a> {
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    pub(crate) fn optional(&self, key: &str) -> Option<Field<'a>> {
        debug_assert!(self.known().contains(&key), "{key} is declared");
        self.undeclared(key)
    }

    /// A key that has no meaning here but deserves an explanation of its own.
    pub(crate) fn undeclared(&self, key: &str) -> Option<Field<'a>> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        self.asked[index].set(true);
        Some(self.field.child(&self.entries[index]))
    }

    pub(crate) fn required(&self, key: &str, remedy: &str) -> Option<Field<'a>> {
        let found = self.optional(key);
        if found.is_none() {
            self.missing(key, remedy);
        }
        found
    }

    pub(crate) fn missing(&self, key: &str, remedy: &str) {
        let path =
            if self.field.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.field.path) };
        self.field.sink.add(self.field.node.place, &path, "is missing", remedy);
    }

    /// The names of all keys, each once.
    fn known(&self) -> Vec<&'static str> {
        let mut known = Vec::new();
        for key in self.tables.iter().flat_map(|table| table.all()) {
            if !known.contains(&key.name) {
                known.push(key.name);
            }
        }
        known
    }

    /// The one key that says what this map is: the first of each table, or of one table those that exclude each other.
    pub(crate) fn exactly_one(&self, remedy: &str) -> Option<(&'static str, Field<'a>)> {
        let keys: Vec<&'static str> = match self.tables.as_slice() {
            [table] if !table.exactly_one.is_empty() => table.exactly_one.to_vec(),
            [table] => table.all().map(|key| key.name).collect(),
            tables => tables.iter().filter_map(|table| Some(table.own.first()?.name)).collect(),
        };
        let found: Vec<(&'static str, Field<'a>)> =
            keys.iter().filter_map(|key| Some((*key, self.optional(key)?))).collect();
        match found.as_slice() {
            [only] => Some(only.clone()),
            [] => {
                self.field.problem(format!("has none of {}", one_of(&keys)), remedy);
                None
            }
            [_, second, ..] => {
                let names: Vec<&str> = found.iter().map(|(key, _)| *key).collect();
                second.1.problem(format!("{} exclude each other", names.join(" and ")), "keep one of them");
                None
            }
        }
    }

    /// Of several tables keeps the one that begins with this key.
    pub(crate) fn narrow(&mut self, first: &str) {
        self.tables.retain(|table| table.own.first().is_some_and(|key| key.name == first));
    }

    /// Reports the keys that are not known, with the one that was probably meant.
    pub(crate) fn close(&self) {
        let known = self.known();
        for (entry, asked) in self.entries.iter().zip(&self.asked) {
            if asked.get() || known.contains(&entry.key.as_str()) {
                continue;
            }
            let path = self.field.child(entry).path;
            let remedy = match nearest(&entry.key, known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known here: {}", known.join(", ")),
            };
            self.field.sink.add(entry.place, &path, "is not a key of this format", remedy);
        }
    }

    /// Reports keys that are known, but not to the table that begins with `first`.
    pub(crate) fn forbid_beside(&self, first: &str, beside: &str) {
        let begins = |table: &Keys| table.own.first().is_some_and(|key| key.name == first);
        let of = |own: bool| {
            let tables = self.tables.iter().filter(move |table| begins(table) == own);
            tables.flat_map(|table| table.all()).map(|key| key.name).collect::<BTreeSet<&str>>()
        };
        let others: Vec<&str> = of(false).difference(&of(true)).copied().collect();
        self.forbid(&others, beside);
    }

    /// Reports keys that are known, but not beside `beside`.
    pub(crate) fn forbid(&self, keys: &[&str], beside: &str) {
        for key in keys {
            if let Some(field) = self.optional(key) {
                field.problem(format!("has no meaning beside {beside}"), "delete it");
            }
        }
    }
}
