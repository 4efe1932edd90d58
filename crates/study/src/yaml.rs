//! YAML text to a tree in which every value has its place.
//!
//! Deserializing straight into structs stops at the first mistake. A tree that holds any text lets the checks that
//! follow find every mistake at once. It is built from the events of the parser below
//! `serde-saphyr`; it resolves nothing, so that the meaning that YAML would give to an unquoted `9.0` or `on` can be
//! reported.

use super::problem::{Location, Sink, shown};
use proofload_facts::{Mistake, Syntax};
use serde_saphyr::granit_parser::{Event, Options, Parser, ScalarStyle, Span};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Largest file. A study is a page of text; this is far beyond it and still parsed in an instant.
pub(crate) const FILE_MAX: usize = 1024 * 1024;

/// Most values in a file, aliases counted with all they expand to: the limit that stops a bomb of aliases.
pub(crate) const VALUES_MAX: usize = 10_000;

/// Deepest nesting. The format needs six levels.
const DEPTH_MAX: usize = 32;

/// A value at its place.
#[derive(Clone, Debug)]
pub struct Node {
    pub place: Location,
    /// Bytes of the file that it takes up; empty for a list or map.
    pub bytes: Range<usize>,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub enum Value {
    Scalar { text: String, plain: bool },
    List(Vec<Rc<Node>>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub place: Location,
    pub node: Rc<Node>,
}

/// Types that readers of YAML give to an unquoted word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, quoted or not.
    Text,
    /// A decimal number without sign tricks, leading zeros or underscores.
    Integer,
    /// Any other number: fraction, exponent, octal, hexadecimal, base 60, infinite.
    Number,
    /// `true`, `false`.
    Boolean,
    /// `yes`, `no`, `on`, `off`: true or false in YAML 1.1, text in YAML 1.2.
    OldBoolean,
    /// `~`, `null`, or nothing.
    Null,
}

impl Node {
    /// Values in the tree, aliases counted with all they expand to.
    pub(crate) fn values(&self) -> usize {
        let within: usize = match &self.value {
            Value::Scalar { .. } => 0,
            Value::List(items) => items.iter().map(|item| item.values()).sum(),
            Value::Map(entries) => entries.iter().map(|entry| 1 + entry.node.values()).sum(),
        };
        1 + within
    }

    /// Kind of scalar; `None` for a list or map.
    pub fn kind(&self) -> Option<Kind> {
        match &self.value {
            Value::Scalar { text, plain: true } => Some(kind_of_plain(text)),
            Value::Scalar { .. } => Some(Kind::Text),
            _ => None,
        }
    }
}

fn kind_of_plain(text: &str) -> Kind {
    match text.to_ascii_lowercase().as_str() {
        "" | "~" | "null" => return Kind::Null,
        "true" | "false" => return Kind::Boolean,
        "yes" | "no" | "on" | "off" | "y" | "n" => return Kind::OldBoolean,
        ".inf" | "+.inf" | "-.inf" | ".nan" => return Kind::Number,
        _ => {}
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if all_digits && (digits == "0" || !digits.starts_with('0')) {
        return Kind::Integer;
    }
    if all_digits || is_number_of_some_yaml(text) { Kind::Number } else { Kind::Text }
}

/// Numbers other than plain decimal integers, in YAML 1.1 or 1.2.
fn is_number_of_some_yaml(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let radix = |prefix: &str, base: u32| {
        let rest = unsigned.strip_prefix(prefix).unwrap_or("");
        !rest.is_empty() && rest.chars().all(|c| c == '_' || c.is_digit(base))
    };
    if radix("0x", 16) || radix("0o", 8) || radix("0b", 2) {
        return true;
    }
    let starts_like_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let plain = unsigned.replace('_', "");
    if starts_like_number && plain.bytes().any(|b| b.is_ascii_digit()) && plain.parse::<f64>().is_ok() {
        return true;
    }
    // Base 60 of YAML 1.1: 12:30, 1:02:03.
    let mut parts = unsigned.split(':');
    let head = parts.next().unwrap_or("");
    let tail: Vec<&str> = parts.collect();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    digits(head) && !tail.is_empty() && tail.iter().all(|p| digits(p) && p.len() <= 2 && **p < *"60")
}

/// Origin of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    /// Index of the sink's source; 0 is the study file.
    pub(crate) source: u16,
    /// True for an argument of the command line, which has no lines.
    pub(crate) argument: bool,
}

impl Origin {
    fn place(self, line: usize, column: usize) -> Location {
        match self.argument {
            true => Location { source: self.source, line: 0, column: 0 },
            false => Location { source: self.source, line, column },
        }
    }
}

/// Parses one document, the study file. Syntax errors go to `sink`, and then there is no tree.
pub fn parse(text: &str, sink: &Sink) -> Option<Rc<Node>> {
    parse_from(text, Origin::default(), sink)
}

/// Parses one document. Syntax errors go to `sink`, and then there is no tree.
pub(crate) fn parse_from(text: &str, origin: Origin, sink: &Sink) -> Option<Rc<Node>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !check_characters(text, origin, sink) {
        return None;
    }
    let mut options = Options::default();
    options.emit_comments = false;
    options.disallow_directives = true;
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = DEPTH_MAX;
    options.block_nesting_limit = DEPTH_MAX;
    let mut builder = Builder {
        sink,
        origin,
        stack: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        values: 0,
        documents: 0,
    };
    let told_before = sink.len();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = match next {
            Ok(found) => found,
            Err(error) => {
                let line = error.marker().line();
                sink.add(
                    origin.place(line, error.marker().col() + 1),
                    "",
                    Mistake::NotYaml {
                        look_at: look_at(&error.info(), text, line),
                        error: error.info().to_string(),
                    },
                );
                return None;
            }
        };
        if !builder.take(event, &span) {
            return None;
        }
    }
    if builder.root.is_none() && sink.len() == told_before {
        let mistake = if origin.argument { Mistake::NothingSet } else { Mistake::EmptyFile };
        sink.add(origin.place(1, 1), "", mistake);
    }
    builder.root
}

fn check_characters(text: &str, origin: Origin, sink: &Sink) -> bool {
    if text.len() > FILE_MAX {
        sink.add(origin.place(0, 0), "", too_large());
        return false;
    }
    let mut clean = true;
    for (index, line) in text.lines().enumerate() {
        let place = |column: usize| origin.place(index + 1, column + 1);
        if let Some(column) =
            line.chars().position(|c| c.is_control() && c != '\t' && c != '\r' && c != '\u{85}')
        {
            let code = line.chars().nth(column).map_or(0, u32::from);
            sink.add(place(column), "", Mistake::ControlCode { character: format!("U+{code:04X}") });
            clean = false;
        }
        if let Some(column) = tab_in_indentation(line) {
            sink.add(place(column), "", Mistake::TabIndents);
            clean = false;
        }
    }
    clean
}

fn tab_in_indentation(line: &str) -> Option<usize> {
    let indentation = line.chars().take_while(|c| *c == ' ' || *c == '\t').count();
    let only_space = line.trim().is_empty();
    line.chars().take(indentation).position(|c| c == '\t').filter(|_| !only_space)
}

/// The mistake for a study that is too large, with all that it includes.
pub(crate) fn too_large() -> Mistake {
    Mistake::StudyTooLarge { values: VALUES_MAX as u64 }
}

fn look_at(info: &str, text: &str, line: usize) -> Syntax {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or("");
    let says = |word: &str| info.contains(word);
    if says("quoted scalar") {
        Syntax::Quote
    } else if says("bracket") || says("flow") {
        Syntax::Bracket
    } else if says("recursion") || says("nesting") {
        Syntax::Depth
    } else if says("directive") {
        Syntax::Directive
    } else if says("mapping values") || line.matches(": ").count() > 1 {
        Syntax::Colon
    } else {
        Syntax::Indentation
    }
}

/// A list or map that is not closed yet.
struct Open {
    place: Location,
    anchor: usize,
    values_before: usize,
    content: Content,
}

enum Content {
    List(Vec<Rc<Node>>),
    Map { entries: Vec<Entry>, key: Option<(String, Location)> },
}

struct Builder<'a> {
    sink: &'a Sink,
    origin: Origin,
    stack: Vec<Open>,
    /// Anchored nodes with the number of values that each expands to.
    anchors: HashMap<usize, (Rc<Node>, usize)>,
    root: Option<Rc<Node>>,
    values: usize,
    documents: usize,
}

impl Builder<'_> {
    /// Takes one event; `false` when it makes no sense to go on.
    fn take(&mut self, event: Event<'_>, span: &Span) -> bool {
        let place = self.origin.place(span.start.line(), span.start.col() + 1);
        if let Some(tag) = event.tag().filter(|tag| !tag.is_yaml_core_schema_tag("str")) {
            self.sink.add(place, &self.path(), Mistake::YamlTag { tag: tag.to_string() });
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.sink.add(place, "", Mistake::SecondDocument);
                    return false;
                }
                true
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let bytes = span.byte_range().unwrap_or(0..0);
                let node = Node { place, bytes, value: Value::Scalar { text: text.into_owned(), plain } };
                self.finish(Rc::new(node), anchor, 1)
            }
            Event::SequenceStart(_, anchor, _) => self.open(place, anchor, Content::List(Vec::new())),
            Event::MappingStart(_, anchor, _) => {
                self.open(place, anchor, Content::Map { entries: Vec::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some((node, values)) => {
                    let (mut node, values) = (Node::clone(node), *values);
                    node.place = place;
                    self.finish(Rc::new(node), 0, values)
                }
                None => {
                    self.sink.add(place, &self.path(), Mistake::AliasOfItself);
                    false
                }
            },
            Event::UnresolvedAlias(name) => {
                self.sink.add(place, &self.path(), Mistake::UnknownAlias { name: shown(&name) });
                let value = Value::Scalar { text: format!("*{name}"), plain: false };
                self.finish(Rc::new(Node { place, bytes: 0..0, value }), 0, 1)
            }
            _ => true,
        }
    }

    fn open(&mut self, place: Location, anchor: usize, content: Content) -> bool {
        self.stack.push(Open { place, anchor, values_before: self.values, content });
        true
    }

    fn close(&mut self) -> bool {
        let Some(open) = self.stack.pop() else { return true };
        let value = match open.content {
            Content::List(items) => Value::List(items),
            Content::Map { entries, .. } => Value::Map(entries),
        };
        let within = self.values - open.values_before;
        let node = Rc::new(Node { place: open.place, bytes: 0..0, value });
        if open.anchor > 0 {
            self.anchors.insert(open.anchor, (node.clone(), within + 1));
        }
        self.finish(node, 0, 1)
    }

    /// Puts a whole node where it belongs.
    fn finish(&mut self, node: Rc<Node>, anchor: usize, values: usize) -> bool {
        self.values += values;
        if self.values > VALUES_MAX {
            self.sink.add(node.place, "", too_large());
            return false;
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), values));
        }
        let path = self.path();
        match self.stack.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::List(items)) => items.push(node),
            Some(Content::Map { entries, key }) => match key.take() {
                None => *key = Some((key_text(&node, self.sink, &path), node.place)),
                Some((key, place)) => match entries.iter().find(|entry| entry.key == key) {
                    Some(first) => {
                        let line = first.place.line as u64;
                        self.sink.add(place, &path, Mistake::KeyTwice { key: shown(&key), line });
                    }
                    None => entries.push(Entry { key, place, node }),
                },
            },
        }
        true
    }

    /// Path of keys to where the next node goes.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.stack {
            match &open.content {
                Content::List(items) => path.push_str(&format!("[{}]", items.len())),
                Content::Map { key: Some((key, _)), .. } => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&shown(key));
                }
                Content::Map { key: None, .. } => {}
            }
        }
        path
    }
}

fn key_text(node: &Node, sink: &Sink, path: &str) -> String {
    match &node.value {
        Value::Scalar { text, plain } if *plain && text == "<<" => {
            sink.add(node.place, path, Mistake::MergeKey);
            text.clone()
        }
        Value::Scalar { text, plain } => {
            if *plain && matches!(node.kind(), Some(Kind::Boolean | Kind::OldBoolean | Kind::Null)) {
                sink.add(node.place, path, Mistake::KeyNotText { key: shown(text) });
            }
            text.clone()
        }
        _ => {
            sink.add(node.place, path, Mistake::KeyNotWord);
            String::new()
        }
    }
}
