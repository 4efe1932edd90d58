//! HTML and XML as one tree, in the order of the text. HTML is read as it is written: what a browser adds (`html`,
//! `tbody`) is not there, what it ends without an end tag (`p`, `li`, `td`) is ended.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use std::cell::Cell;
use std::convert::Infallible;
use std::ops::Range;
use xpath_eval::NodeKind;

/// Most elements within each other, as in browsers; and attributes of an element that are kept.
const MOST_DEPTH: usize = 512;
const MOST_ATTRIBUTES: usize = 256;
/// Nodes that one search may pass: the limit of its time and memory.
const MOST_STEPS: u64 = 2_000_000;

pub struct Item {
    pub kind: NodeKind,
    pub parent: usize,
    /// The next child of the same parent; 0 is none, since that is the root.
    pub next: usize,
    /// The first child that is no attribute.
    pub first: usize,
    pub name: Range<usize>,
    /// Of an attribute and a comment in `aside`, of all others in `text`: an element's has all that is within it.
    value: Range<usize>,
}

pub struct Tree {
    pub items: Vec<Item>,
    text: String,
    aside: String,
    open: Vec<usize>,
    /// Last child of each open element.
    last: Vec<usize>,
    pub deep: bool,
    pub left: Cell<u64>,
}

impl Tree {
    fn new() -> Tree {
        let left = Cell::new(MOST_STEPS);
        let (items, open, last) = (Vec::new(), Vec::new(), Vec::new());
        let mut tree =
            Tree { items, text: String::new(), aside: String::new(), open, last, deep: false, left };
        tree.enter(NodeKind::Root, "");
        tree
    }

    pub fn name(&self, item: usize) -> &str {
        &self.aside[self.items[item].name.clone()]
    }

    pub fn value(&self, item: usize) -> &str {
        let Item { kind, value, .. } = &self.items[item];
        let aside = matches!(kind, NodeKind::Attribute | NodeKind::Comment | NodeKind::ProcessingInstruction);
        &(if aside { &self.aside } else { &self.text })[value.clone()]
    }

    fn add(&mut self, kind: NodeKind, name: &str) -> usize {
        let (item, parent) = (self.items.len(), self.open.last().copied().unwrap_or(0));
        if kind != NodeKind::Attribute
            && let Some(last) = self.last.last_mut()
        {
            match *last {
                0 => self.items[parent].first = item,
                before => self.items[before].next = item,
            }
            *last = item;
        }
        let start = self.aside.len();
        self.aside.push_str(name);
        let value = self.text.len()..self.text.len();
        self.items.push(Item { kind, parent, next: 0, first: 0, name: start..self.aside.len(), value });
        item
    }

    fn enter(&mut self, kind: NodeKind, name: &str) {
        let item = self.add(kind, name);
        self.deep |= self.open.len() > MOST_DEPTH;
        if !self.deep {
            self.open.push(item);
            self.last.push(0);
        }
    }

    /// Ends open elements until so many are left.
    fn leave(&mut self, left: usize) {
        for item in self.open.drain(left..) {
            self.items[item].value.end = self.text.len();
        }
        self.last.truncate(left);
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let owner = self.open.last().map_or(0, |item| item + 1);
        let some = !self.deep && self.items.len() - owner < MOST_ATTRIBUTES;
        if some && !(owner..self.items.len()).any(|item| self.name(item) == name) {
            self.beside(NodeKind::Attribute, name, value);
        }
    }

    fn beside(&mut self, kind: NodeKind, name: &str, value: &str) {
        let item = self.add(kind, name);
        let start = self.aside.len();
        self.aside.push_str(value);
        self.items[item].value = start..self.aside.len();
    }

    /// Text, which lengthens the text before it if nothing is between them.
    fn text(&mut self, value: &str) {
        let last = self.last.last().copied().unwrap_or(0);
        let joined = last != 0 && last + 1 == self.items.len() && self.items[last].kind == NodeKind::Text;
        let item = if joined { last } else { self.add(NodeKind::Text, "") };
        self.text.push_str(value);
        self.items[item].value.end = self.text.len();
    }

    pub fn html(text: &[u8]) -> Tree {
        let mut page = Page { tree: Tree::new(), in_tag: false, attribute: None };
        let mut emitter =
            CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
                page.take(event);
                None
            });
        emitter.naively_switch_states(true);
        let Ok(()) = Tokenizer::new_with_emitter(text, emitter).finish();
        page.tree.leave(0);
        page.tree
    }

    /// The tree of XML, or of HTML if it is none. A text with a document type is read as HTML: entities of its own
    /// could make it grow without end.
    pub fn any(text: &[u8]) -> Tree {
        let xml = str::from_utf8(text).ok().and_then(|text| roxmltree::Document::parse(text).ok());
        xml.map_or_else(|| Tree::html(text), |xml| Tree::xml(&xml))
    }

    fn xml(document: &roxmltree::Document) -> Tree {
        let mut tree = Tree::new();
        let mut path = vec![document.root().id()];
        for node in document.descendants().skip(1) {
            while path.last().copied() != node.parent().map(|parent| parent.id()) && path.len() > 1 {
                path.pop();
            }
            if tree.deep {
                break;
            }
            tree.leave(path.len());
            if node.is_element() {
                let whole = &document.input_text()[node.range()];
                let name = whole[1..].split(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').next();
                tree.enter(NodeKind::Element, name.unwrap_or_default());
                path.push(node.id());
                for attribute in node.attributes() {
                    tree.attribute(&document.input_text()[attribute.range_qname()], attribute.value());
                }
            } else if let Some(pi) = node.pi() {
                tree.beside(NodeKind::ProcessingInstruction, pi.target, pi.value.unwrap_or_default());
            } else if node.is_comment() {
                tree.beside(NodeKind::Comment, "", node.text().unwrap_or_default());
            } else {
                tree.text(node.text().unwrap_or_default());
            }
        }
        tree.leave(0);
        tree
    }
}

/// A page of HTML while it is read.
struct Page {
    tree: Tree,
    /// True if attributes are those of a start tag: end tags may have some, which count for nothing.
    in_tag: bool,
    /// Name of an attribute whose value may follow.
    attribute: Option<String>,
}

impl Page {
    fn take(&mut self, event: CallbackEvent) {
        let (value, next) = match event {
            CallbackEvent::AttributeName { name } if self.in_tag => {
                (&b""[..], Some(lossy(name).into_owned()))
            }
            CallbackEvent::AttributeValue { value } => (value, None),
            _ => (&b""[..], None),
        };
        if let Some(name) = std::mem::replace(&mut self.attribute, next) {
            self.tree.attribute(&name, &lossy(value));
        }
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.in_tag = true;
                self.open(&lossy(name));
            }
            CallbackEvent::CloseStartTag { .. } => {
                self.in_tag = false;
                let depth = self.tree.open.len();
                if depth > 1 && is_void(self.tree.name(self.tree.open[depth - 1])) {
                    self.tree.leave(depth - 1);
                }
            }
            CallbackEvent::EndTag { name } => {
                let name = &*lossy(name);
                let through = |open: &str| {
                    !ends_scope(open)
                        || ends_scope(name)
                        || matches!(name, "tr" | "tbody" | "thead" | "tfoot" | "body" | "html")
                };
                self.end(&[name], through, false);
            }
            CallbackEvent::String { value } => self.tree.text(&lossy(value)),
            CallbackEvent::Comment { value } => self.tree.beside(NodeKind::Comment, "", &lossy(value)),
            _ => {}
        }
    }

    fn open(&mut self, name: &str) {
        let (ended, within): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol", "menu"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "option" | "optgroup" => (&["option", name], &["select", "datalist"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr"], &["table"]),
            "tbody" | "thead" | "tfoot" => (&["tr", "tbody", "thead", "tfoot", "caption"], &["table"]),
            "address" | "article" | "aside" | "blockquote" | "div" | "dl" | "fieldset" | "footer"
            | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hr" | "main" | "nav" | "ol"
            | "p" | "pre" | "section" | "table" | "ul" => {
                (&["p"], &["table", "td", "th", "caption", "button"])
            }
            _ => (&[], &[]),
        };
        if !ended.is_empty() {
            self.end(ended, |open| !within.contains(&open), true);
        }
        self.tree.enter(NodeKind::Element, name);
    }

    /// Ends the innermost open element of these names, or the outermost, and all within it; looks outwards as long as
    /// elements may be passed.
    fn end(&mut self, names: &[&str], through: impl Fn(&str) -> bool, outermost: bool) {
        let mut found = None;
        for depth in (1..self.tree.open.len()).rev() {
            let open = self.tree.name(self.tree.open[depth]);
            if names.contains(&open) {
                found = Some(depth);
                if !outermost {
                    break;
                }
            } else if !through(open) {
                break;
            }
        }
        if let Some(depth) = found {
            self.tree.leave(depth);
        }
    }
}

fn lossy(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

fn is_void(name: &str) -> bool {
    let all = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ];
    all.contains(&name)
}

/// Elements that no end tag within them ends from outside.
fn ends_scope(name: &str) -> bool {
    matches!(name, "table" | "td" | "th" | "caption" | "button" | "template" | "object" | "svg")
}
