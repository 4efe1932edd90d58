//! A small set of readers over the tree: each reports a mistake at its place and goes on.
//!
//! A reader returns `None` when it has reported a problem; the caller goes on with the next field, so that one
//! run reports every mistake.

use super::keys::{Keys, Kind as Described};
use super::problem::{Sink, shown};
use super::suggest::similar_of;
use super::yaml::{Entry, Kind, Node, Value};
use proofload_facts::{Expected, Mistake, Thing, Unquoted};
use std::cell::Cell;
use std::collections::BTreeSet;

const LINE_MAX: usize = 300;

/// A value with its path of keys, and its kind.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    pub node: &'a Node,
    pub path: String,
    pub sink: &'a Sink,
    pub kind: &'static Described,
}

impl<'a> Field<'a> {
    pub fn new(node: &'a Node, path: impl Into<String>, sink: &'a Sink, kind: &'static Described) -> Self {
        Field { node, path: path.into(), sink, kind }
    }

    pub fn problem(&self, mistake: Mistake) {
        self.sink.add(self.node.place, &self.path, mistake);
    }

    /// The value, or `None` after its mistake was reported.
    pub fn take<T>(&self, read: Result<T, Mistake>) -> Option<T> {
        read.map_err(|mistake| self.problem(mistake)).ok()
    }

    fn child(&self, entry: &'a Entry) -> Field<'a> {
        let key = shown(&entry.key);
        let path = if self.path.is_empty() { key } else { format!("{}.{key}", self.path) };
        Field::new(&entry.node, path, self.sink, self.kind.under(&entry.key))
    }

    /// The scalar as it was written, also where YAML would read another type.
    pub fn written(&self) -> Option<&'a str> {
        match &self.node.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub fn found(&self) -> String {
        match &self.node.value {
            Value::List(_) => "[…]".to_string(),
            Value::Map(_) => "{…}".to_string(),
            Value::Scalar { text, .. } if text.is_empty() => "\"\"".to_string(),
            Value::Scalar { text, .. } => shown(text),
        }
    }

    /// True for a map with such a key.
    pub fn has(&self, key: &str) -> bool {
        matches!(&self.node.value, Value::Map(entries) if entries.iter().any(|entry| entry.key == key))
    }

    /// True for a map.
    pub fn is_map(&self) -> bool {
        matches!(&self.node.value, Value::Map(_))
    }

    /// A map, read key by key.
    pub fn map(&self, form: &str) -> Option<Map<'a>> {
        match &self.node.value {
            Value::Map(entries) => {
                let asked = entries.iter().map(|_| Cell::new(false)).collect();
                Some(Map { field: self.clone(), entries, asked, tables: self.kind.tables() })
            }
            _ => {
                self.wrong(Expected::Map, form);
                None
            }
        }
    }

    /// Reports that the value is not of the expected form.
    pub fn wrong(&self, expected: Expected, form: &str) {
        match self.node.kind() {
            Some(Kind::Null) => self.empty(form),
            _ => self.problem(Mistake::not(self.found(), expected, form)),
        }
    }

    fn empty(&self, form: &str) {
        self.problem(Mistake::Empty { form: form.to_string() });
    }

    /// All entries of a map whose keys are names that the author chose.
    pub fn entries(&self, form: &str) -> Option<Vec<(&'a Entry, Field<'a>)>> {
        let Value::Map(entries) = &self.node.value else {
            self.wrong(Expected::Map, form);
            return None;
        };
        if entries.is_empty() {
            self.empty(form);
            return None;
        }
        Some(entries.iter().map(|entry| (entry, self.child(entry))).collect())
    }

    /// The items of a list, or the one value instead of a list.
    pub fn one_or_many(&self, form: &str) -> Option<Vec<Field<'a>>> {
        match &self.node.value {
            Value::List(_) => self.items(form),
            _ => Some(vec![self.clone()]),
        }
    }

    /// The items of a list that is not empty.
    pub fn items(&self, form: &str) -> Option<Vec<Field<'a>>> {
        match &self.node.value {
            Value::List(items) if items.is_empty() => {
                self.empty(form);
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
                self.wrong(Expected::List, form);
                None
            }
        }
    }

    /// Text. An unquoted word that YAML would read otherwise is an error, with the quotes as the form.
    pub fn text(&self, form: &str) -> Option<&'a str> {
        let text = match self.written() {
            Some(text) if self.node.kind() == Some(Kind::Text) => text,
            Some(text) if self.node.kind() != Some(Kind::Null) => {
                self.unquoted(text);
                return None;
            }
            _ => {
                self.wrong(Expected::Text, form);
                return None;
            }
        };
        if text.trim().is_empty() {
            self.empty(form);
            return None;
        }
        Some(text)
    }

    /// The value of a parameter or a level: text, or a plain number that reads the same everywhere; `true` and `false`
    /// where a switch is expected.
    pub fn parameter_value(&self, takes_boolean: bool) -> Option<&'a str> {
        match self.written() {
            Some(text) if self.node.kind() == Some(Kind::Integer) => Some(text),
            Some(text @ ("true" | "false")) if takes_boolean => Some(text),
            _ => self.text("value, \"1.5\""),
        }
    }

    fn unquoted(&self, text: &str) {
        let reads_as = match self.node.kind() {
            Some(Kind::Boolean) => Unquoted::Boolean,
            Some(Kind::OldBoolean) => Unquoted::OldBoolean,
            _ => Unquoted::Number,
        };
        self.problem(Mistake::NotText { found: shown(text), reads_as });
    }

    /// `None` when there are more than `most`.
    pub fn at_most(&self, count: usize, most: usize, what: Thing) -> Option<()> {
        if count > most {
            self.problem(Mistake::too_many(what, count, most));
        }
        (count <= most).then_some(())
    }

    /// A whole number in the range of its key.
    pub fn integer(&self) -> Option<u64> {
        let (low, high) = self.kind.range();
        let written = self.written().unwrap_or_default();
        let number = match self.node.kind() {
            Some(Kind::Integer) => written.parse::<u64>().ok().filter(|number| (low..=high).contains(number)),
            _ => None,
        };
        if number.is_none() {
            let (low, high) = (low.to_string(), high.to_string());
            match self.node.kind() {
                Some(Kind::Null) => self.empty(&format!("{low}..{high}")),
                Some(Kind::Text) if is_plain_integer(written) => {
                    self.problem(Mistake::QuotedNumber { found: self.found() });
                }
                _ => self.problem(Mistake::NotWhole { found: self.found(), low, high }),
            }
        }
        number
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Option<bool> {
        match (self.node.kind(), self.written().map(str::to_ascii_lowercase).as_deref()) {
            (Some(Kind::Boolean), Some(word)) => Some(word == "true"),
            _ => {
                let form = match self.written().map(str::to_ascii_lowercase).as_deref() {
                    Some("on" | "yes" | "y") => "true",
                    Some("off" | "no" | "n") => "false",
                    _ => "true, false",
                };
                self.wrong(Expected::TrueOrFalse, form);
                None
            }
        }
    }

    /// A quantity with its unit, by one of the parsers of `quantity`; a bare whole number is passed to the parser too.
    pub fn quantity<T>(&self, parse: fn(&str) -> Result<T, Mistake>, form: &str) -> Option<T> {
        let written = match self.node.kind() {
            None | Some(Kind::Null) => {
                self.wrong(Expected::Quantity, form);
                return None;
            }
            Some(_) => self.written().unwrap_or_default(),
        };
        self.take(parse(written))
    }
}

fn is_plain_integer(text: &str) -> bool {
    text.parse::<u64>().is_ok_and(|number| number.to_string() == text)
}

/// Entries of a map, or of a list of maps of one entry.
pub fn pairs<'a>(field: &Field<'a>, form: &str) -> Option<Vec<(&'a Entry, Field<'a>)>> {
    if !matches!(field.node.value, Value::List(_)) {
        return field.entries(form);
    }
    let mut out = Vec::new();
    for item in field.items(form)? {
        let Some(entries) = item.entries(form) else { continue };
        if let Some((_, second)) = entries.get(1) {
            second.problem(Mistake::TwoInOneItem);
        }
        out.extend(entries);
    }
    Some(out)
}

pub fn line(field: &Field<'_>, form: &str) -> Option<String> {
    let text = field.text(form)?.trim();
    if text.chars().count() > LINE_MAX || text.chars().any(char::is_control) {
        field.problem(Mistake::NotASentence { most: LINE_MAX as u64 });
        return None;
    }
    Some(text.to_string())
}

/// A map that is read key by key; [`Map::close`] then reports the keys that no check read.
#[derive(Debug)]
pub struct Map<'a> {
    pub field: Field<'a>,
    entries: &'a [Entry],
    asked: Vec<Cell<bool>>,
    /// The keys that are known here.
    tables: Vec<&'static Keys>,
}

impl<'a> Map<'a> {
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    pub fn optional(&self, key: &str) -> Option<Field<'a>> {
        debug_assert!(self.known().contains(&key), "{key} is declared");
        self.undeclared(key)
    }

    /// A key that has no meaning here but deserves an explanation of its own.
    pub fn undeclared(&self, key: &str) -> Option<Field<'a>> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        self.asked[index].set(true);
        Some(self.field.child(&self.entries[index]))
    }

    pub fn required(&self, key: &str, form: &str) -> Option<Field<'a>> {
        let found = self.optional(key);
        if found.is_none() {
            self.missing(key, form);
        }
        found
    }

    pub fn missing(&self, key: &str, form: &str) {
        let path =
            if self.field.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.field.path) };
        self.field.sink.add(self.field.node.place, &path, Mistake::Missing { form: form.to_string() });
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

    /// The one key that tells the kind of this map: the first of each table, or of one table those that exclude each
    /// other.
    pub fn exactly_one(&self, form: &str) -> Option<(&'static str, Field<'a>)> {
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
                self.field.problem(Mistake::NoneOf { known: keys.join(", "), form: form.to_string() });
                None
            }
            [(first, _), (second, field), ..] => {
                field.problem(Mistake::exclude(*first, *second));
                None
            }
        }
    }

    /// Of several tables keeps the one that begins with this key.
    pub fn narrow(&mut self, first: &str) {
        self.tables.retain(|table| table.own.first().is_some_and(|key| key.name == first));
    }

    /// Reports the keys that are not known, with the one that was probably meant.
    pub fn close(&self) {
        let known = self.known();
        for (entry, asked) in self.entries.iter().zip(&self.asked) {
            if asked.get() || known.contains(&entry.key.as_str()) {
                continue;
            }
            let path = self.field.child(entry).path;
            let (similar, known) = similar_of(&entry.key, &known);
            self.field.sink.add(entry.place, &path, Mistake::UnknownKey { similar, known });
        }
    }

    /// Reports keys that are known, but not to the table that begins with `first`.
    pub fn forbid_beside(&self, first: &str, beside: &str) {
        let begins = |table: &Keys| table.own.first().is_some_and(|key| key.name == first);
        let of = |own: bool| {
            let tables = self.tables.iter().filter(move |table| begins(table) == own);
            tables.flat_map(|table| table.all()).map(|key| key.name).collect::<BTreeSet<&str>>()
        };
        let others: Vec<&str> = of(false).difference(&of(true)).copied().collect();
        self.forbid(&others, beside);
    }

    /// Reports keys that are known, but not beside `beside`.
    pub fn forbid(&self, keys: &[&str], beside: &str) {
        for key in keys {
            if let Some(field) = self.optional(key) {
                field.problem(Mistake::NoMeaningBeside { beside: beside.to_string() });
            }
        }
    }
}
