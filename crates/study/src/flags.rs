//! A study given by flags: each flag sets keys of a tree, and the parser of study files checks that.

use super::declarations::{Declarations, Parameter};
use super::model::Study;
use super::parse::{Options, check_tree};
use super::problem::{Location, Problem, Sink, shown};
use super::yaml::{self, Entry, Node, Origin, Value};
use super::{redact, write};
use proofload_facts::Mistake;
use std::path::Path;
use std::rc::Rc;

/// Value of a flag.
#[derive(Clone, Debug)]
pub enum Said {
    /// Text, also where YAML would read another type.
    Text(String),
    /// A number, `true` or `false`.
    Plain(String),
    List(Vec<Said>),
    Map(Vec<(String, Said)>),
}

impl From<&str> for Said {
    fn from(text: &str) -> Said {
        Said::Text(text.to_owned())
    }
}

impl From<&String> for Said {
    fn from(text: &String) -> Said {
        Said::Text(text.clone())
    }
}

impl From<bool> for Said {
    fn from(is: bool) -> Said {
        Said::Plain(is.to_string())
    }
}

impl From<u64> for Said {
    fn from(number: u64) -> Said {
        Said::Plain(number.to_string())
    }
}

impl Said {
    fn node(self, place: Location) -> Rc<Node> {
        let value = match self {
            Said::Text(text) => Value::Scalar { text, plain: false },
            Said::Plain(text) => Value::Scalar { text, plain: true },
            Said::List(items) => Value::List(items.into_iter().map(|item| item.node(place)).collect()),
            Said::Map(entries) => {
                let entry = |(key, said): (String, Said)| Entry { key, place, node: said.node(place) };
                Value::Map(entries.into_iter().map(entry).collect())
            }
        };
        Rc::new(Node { place, bytes: 0..0, value })
    }
}

/// A study that is made flag by flag.
#[derive(Debug)]
pub struct Draft {
    tree: Node,
    sink: Sink,
    /// Keys of studies and the flags that set them.
    words: &'static [(&'static str, &'static str)],
}

impl Draft {
    /// A study without keys. Mistakes that name one of the keys in `words` name the flag beside it.
    pub fn new(words: &'static [(&'static str, &'static str)]) -> Draft {
        let tree = Node { place: Location::default(), bytes: 0..0, value: Value::Map(Vec::new()) };
        Draft { tree, sink: Sink::of_flags(), words }
    }

    /// Sets a key to the value of `flag`.
    pub fn put(&mut self, flag: &str, keys: &[&str], said: impl Into<Said>) {
        let place = self.place(flag);
        *within(&mut self.tree, keys, place) = Rc::unwrap_or_clone(said.into().node(place));
    }

    /// Adds an item to a list.
    pub fn push(&mut self, flag: &str, keys: &[&str], said: impl Into<Said>) {
        let place = self.place(flag);
        self.append(keys, said.into().node(place), place);
    }

    /// Adds an item that is written in YAML to a list.
    pub fn push_yaml(&mut self, flag: &str, keys: &[&str], text: &str) {
        let place = self.place(flag);
        let origin = Origin { source: place.source, argument: true };
        if let Some(node) = yaml::parse_from(text, origin, &self.sink) {
            self.append(keys, node, place);
        }
    }

    fn append(&mut self, keys: &[&str], node: Rc<Node>, place: Location) {
        let list = within(&mut self.tree, keys, place);
        match &mut list.value {
            Value::List(items) => items.push(node),
            other => *other = Value::List(vec![node]),
        }
    }

    /// Notes the mistake of a flag.
    pub fn add(&mut self, flag: &str, mistake: Mistake) {
        let place = self.place(flag);
        self.sink.add(place, "", mistake);
    }

    /// The value, or `None` after its mistake was noted.
    pub fn keep<T>(&mut self, flag: &str, read: Result<T, Mistake>) -> Option<T> {
        read.map_err(|mistake| self.add(flag, mistake)).ok()
    }

    fn place(&mut self, flag: &str) -> Location {
        Location { source: self.sink.source(flag), line: 0, column: 0 }
    }

    /// The study as a file. Credentials are left out: `${env.NAME}` replaces each.
    pub fn text(&self) -> String {
        let text = write::text(&self.tree);
        match yaml::parse(&text, &Sink::new("study")) {
            Some(tree) => redact::as_variables(&text, &tree),
            None => text,
        }
    }

    /// The checked study. Relative files begin at the working directory, and may lie anywhere.
    ///
    /// # Errors
    /// All mistakes at once, each under its flag.
    pub fn study(self, options: &Options) -> Result<Study, Vec<Mistake>> {
        let Draft { tree, sink, words } = self;
        redact::know(&tree);
        match check_tree(&tree, Path::new(""), options, &NoCatalogue, &sink) {
            Some(study) if sink.is_empty() => Ok(study),
            _ => Err(each_once(sink.into_problems().0, words)),
        }
    }
}

/// Flags name no folder of the catalogue.
struct NoCatalogue;

impl Declarations for NoCatalogue {
    fn parameters(&self, _: &str) -> Option<Vec<Parameter>> {
        None
    }
}

/// The value of a key, made where there is none.
fn within<'t>(mut node: &'t mut Node, keys: &[&str], place: Location) -> &'t mut Node {
    for key in keys {
        if !matches!(node.value, Value::Map(_)) {
            node.value = Value::Map(Vec::new());
        }
        let Value::Map(entries) = &mut node.value else { unreachable!("it was made one") };
        let at = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
            let node = Said::Plain(String::new()).node(place);
            entries.push(Entry { key: (*key).to_owned(), place, node });
            entries.len() - 1
        });
        node = Rc::make_mut(&mut entries[at].node);
    }
    node
}

/// The same flag may be wrong for each of several addresses.
fn each_once(problems: Vec<Problem>, words: &[(&str, &str)]) -> Vec<Mistake> {
    let flag = |key: &str| words.iter().find(|(known, _)| *known == key).map(|(_, flag)| (*flag).to_owned());
    let mut mistakes: Vec<Mistake> = Vec::new();
    // The value of a wrong flag is missing from the tree.
    let is_of_a_flag = |problem: &Problem| !problem.file.is_empty();
    let only_flags = problems.iter().any(is_of_a_flag);
    for Problem { file, key, mistake, .. } in
        problems.into_iter().filter(|it| !only_flags || is_of_a_flag(it))
    {
        let place = match file.as_str() {
            "" => flag(&key).unwrap_or_else(|| shown(&key)),
            _ => file,
        };
        let mistake = mistake.with_names(&flag).at(place);
        if !mistakes.contains(&mistake) {
            mistakes.push(mistake);
        }
    }
    mistakes
}
