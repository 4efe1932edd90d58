//! `--set key=value`: changes to a study from the command line, before it is checked.
//!
//! A key is the path that messages show: `load.closed.connections[0]`; a piece with dots or spaces in it
//! is in quotes: `claims."by a tenth"`. A value is YAML.

use super::problem::{Location, Sink, shown};
use super::redact;
use super::suggest::unknown;
use super::yaml::{self, Entry, Kind, Node, Origin, Value};
use proofload_facts::{Expected, Mistake, Thing};
use std::rc::Rc;

/// Most settings of one command line.
const SETTINGS_MAX: usize = 256;

/// Deepest key. The format needs six levels.
const DEPTH_MAX: usize = 16;

/// A step from a value to one within it.
#[derive(Clone, Debug, PartialEq)]
enum PathStep {
    Key(String),
    Index(usize),
}

/// The tree with these settings, the last of several for one key winning. What is wrong goes to `sink`,
/// with `--set` and the key as its place.
pub(super) fn apply(tree: &Rc<Node>, settings: &[String], sink: &Sink) -> Rc<Node> {
    let mut tree = tree.clone();
    if settings.len() > SETTINGS_MAX {
        let place = Location { source: sink.source("--set"), line: 0, column: 0 };
        sink.add(place, "", Mistake::too_many(Thing::Setting, settings.len(), SETTINGS_MAX));
        return tree;
    }
    for setting in settings {
        if let Some(changed) = one(&tree, setting, sink) {
            tree = changed;
        }
    }
    tree
}

fn one(tree: &Rc<Node>, setting: &str, sink: &Sink) -> Option<Rc<Node>> {
    let (key, value) = redact::split_setting(setting);
    // The value may be a credential, so it is not part of the place's name.
    let source = sink.source(&format!("--set {}", shown(key)));
    let place = Location { source, line: 0, column: 0 };
    let Some(value) = value else {
        sink.add(place, "", Mistake::NothingSet);
        return None;
    };
    let steps = match steps(key) {
        Ok(steps) => steps,
        Err(mistake) => {
            sink.add(place, "", mistake);
            return None;
        }
    };
    if steps.first() == Some(&PathStep::Key("include".to_string())) {
        sink.add(place, "", Mistake::IncludeNotSet);
        return None;
    }
    let value = match value.trim() {
        "" => Rc::new(scalar(place, "")),
        _ => yaml::parse_from(value, Origin { source, argument: true }, sink)?,
    };
    known_name(tree, &steps, place, sink)?;
    Setter { place, sink, value }.set(tree, &steps, String::new())
}

fn scalar(place: Location, text: &str) -> Node {
    Node { place, bytes: 0..0, value: Value::Scalar { text: text.to_string(), plain: true } }
}

fn steps(key: &str) -> Result<Vec<PathStep>, Mistake> {
    let not_a_key =
        || Mistake::not(shown(key), Expected::Key, "load.closed.connections, load.closed.connections[0]");
    let mut steps = Vec::new();
    let mut rest = key;
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some((name, behind)) = quoted.split_once('"') else {
                return Err(not_a_key());
            };
            steps.push(PathStep::Key(name.to_string()));
            rest = behind;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            if end == 0 {
                return Err(not_a_key());
            }
            steps.push(PathStep::Key(rest[..end].to_string()));
            rest = &rest[end..];
        }
        while let Some(index) = rest.strip_prefix('[') {
            let number = index.split_once(']').and_then(|(number, behind)| {
                Some((number.parse::<usize>().ok().filter(|index| *index < 10_000)?, behind))
            });
            let Some((number, behind)) = number else {
                return Err(not_a_key());
            };
            steps.push(PathStep::Index(number));
            rest = behind;
        }
        if steps.len() > DEPTH_MAX {
            return Err(not_a_key());
        }
        match rest.strip_prefix('.') {
            Some(further) => rest = further,
            None if rest.is_empty() => return Ok(steps),
            None => return Err(not_a_key()),
        }
    }
}

/// A setting within a subject or an entry of the workload changes one that is there: a slip in its name
/// would make another.
fn known_name(tree: &Node, steps: &[PathStep], place: Location, sink: &Sink) -> Option<()> {
    let [PathStep::Key(top), PathStep::Key(name), _, ..] = steps else { return Some(()) };
    let what = match top.as_str() {
        "subjects" => Thing::Subject,
        "workload" => Thing::Entry,
        _ => return Some(()),
    };
    let Value::Map(entries) = &tree.value else { return Some(()) };
    let Some(Value::Map(named)) =
        entries.iter().find(|entry| entry.key == *top).map(|entry| &entry.node.value)
    else {
        return Some(());
    };
    if named.iter().any(|entry| entry.key == *name) {
        return Some(());
    }
    let names: Vec<&str> = named.iter().map(|entry| entry.key.as_str()).collect();
    sink.add(place, "", unknown(what, name, &names));
    None
}

struct Setter<'a> {
    place: Location,
    sink: &'a Sink,
    value: Rc<Node>,
}

impl Setter<'_> {
    fn set(&self, node: &Node, steps: &[PathStep], path: String) -> Option<Rc<Node>> {
        let Some((step, rest)) = steps.split_first() else { return Some(self.value.clone()) };
        let value = match (step, &node.value) {
            (PathStep::Key(key), Value::Map(entries)) => self.in_map(entries, key, rest, &path)?,
            (PathStep::Key(key), Value::List(items)) => self.in_named_list(items, key, rest, &path)?,
            (PathStep::Key(key), Value::Scalar { .. }) if node.kind() == Some(Kind::Null) => {
                self.in_map(&[], key, rest, &path)?
            }
            (PathStep::Index(index), Value::List(items)) => self.in_list(items, *index, rest, &path)?,
            (PathStep::Key(key), Value::Scalar { .. }) => return self.nothing_within(&path, shown(key)),
            (PathStep::Index(index), _) => return self.nothing_within(&path, format!("[{index}]")),
        };
        Some(Rc::new(Node { place: node.place, bytes: node.bytes.clone(), value }))
    }

    fn nothing_within<T>(&self, path: &str, key: String) -> Option<T> {
        let path = if path.is_empty() { "…" } else { path }.to_string();
        self.sink.add(self.place, "", Mistake::NothingWithin { path, key });
        None
    }

    fn in_map(&self, entries: &[Entry], key: &str, rest: &[PathStep], path: &str) -> Option<Value> {
        let path = if path.is_empty() { shown(key) } else { format!("{path}.{}", shown(key)) };
        let mut entries = entries.to_vec();
        match entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => {
                entry.node = self.set(&entry.node, rest, path)?;
                // An unknown key is reported at its place, which is no longer that of the file.
                if rest.is_empty() {
                    entry.place = self.place;
                }
            }
            None => {
                let node = self.set(&scalar(self.place, ""), rest, path)?;
                entries.push(Entry { key: key.to_string(), place: self.place, node });
            }
        }
        Some(Value::Map(entries))
    }

    /// A list of maps of one entry, as claims are written: named by that entry.
    fn in_named_list(&self, items: &[Rc<Node>], key: &str, rest: &[PathStep], path: &str) -> Option<Value> {
        let name = |item: &Rc<Node>| match &item.value {
            Value::Map(entries) if entries.len() == 1 => Some(entries[0].key.clone()),
            _ => None,
        };
        if !items.iter().all(|item| name(item).is_some()) {
            return self.nothing_within(path, shown(key));
        }
        let mut items = items.to_vec();
        let position = items.iter().position(|item| name(item).as_deref() == Some(key));
        let before = position.map(|index| items[index].clone());
        let entries = match before.as_deref().map(|item| &item.value) {
            Some(Value::Map(entries)) => entries.as_slice(),
            _ => &[],
        };
        let value = self.in_map(entries, key, rest, path)?;
        let changed = Rc::new(Node { place: self.place, bytes: 0..0, value });
        match position {
            Some(index) => items[index] = changed,
            None => items.push(changed),
        }
        Some(Value::List(items))
    }

    fn in_list(&self, items: &[Rc<Node>], index: usize, rest: &[PathStep], path: &str) -> Option<Value> {
        let mut items = items.to_vec();
        let within = format!("{path}[{index}]");
        match items.get(index).cloned() {
            Some(item) => items[index] = self.set(&item, rest, within)?,
            None if index == items.len() => {
                items.push(self.set(&scalar(self.place, ""), rest, within)?);
            }
            None => return self.nothing_within(path, format!("[{index}]")),
        }
        Some(Value::List(items))
    }
}

#[cfg(test)]
mod tests;
