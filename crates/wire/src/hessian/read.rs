//! Trees of what a walker passes over, built of what there is, even if it is cut or wrong.

use super::tree::Tree;
use super::walk::{Event, Impossible, Visit, Walk};
use crate::json::Told;
use crate::scan::Fed;
use crate::utf;

/// Most values that trees are built of.
const VALUES_MAX: u32 = 10_000;

/// Reads the values of one message as trees, one after the other.
#[derive(Debug)]
pub struct Reader<'a, W> {
    walker: W,
    builder: Builder,
    rest: &'a [u8],
    cut: bool,
}

impl<W: Walk> Iterator for Reader<'_, W> {
    type Item = Tree;

    fn next(&mut self) -> Option<Tree> {
        (!self.rest.is_empty()).then(|| self.value())
    }
}

impl<'a, W: Walk> Reader<'a, W> {
    /// A reader of these bytes, which may be cut anywhere.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { walker: W::default(), builder: Builder::new(W::scalar), rest: bytes, cut: false }
    }

    /// The next value as JSON of at most `most` bytes.
    pub(crate) fn json(&mut self, most: usize) -> Vec<u8> {
        let mut told = Told::new(most);
        let tree = self.next().unwrap_or(Tree::Missing);
        super::told::tell(&tree, &mut told);
        if self.cut {
            told.cut_short();
        }
        told.end()
    }

    fn value(&mut self) -> Tree {
        let walked = self.walker.walk(self.rest, &mut self.builder);
        let rest = walked.ok().filter(|fed| fed.done).map(|Fed { consumed, .. }| &self.rest[consumed..]);
        self.rest = rest.unwrap_or_default();
        if rest.is_none() {
            self.builder.cut();
            self.cut = true;
        }
        self.builder.whole.take().unwrap_or(Tree::Missing)
    }
}

impl Reader<'_, super::v1::Walker> {
    /// Keys and values until `z`, as those of a map.
    pub(super) fn pairs(&mut self) -> Tree {
        // What a map begins with is never wrong.
        let _ = self.walker.walk(b"M", &mut self.builder);
        self.value()
    }
}

/// Builds the tree of a value.
#[derive(Debug)]
struct Builder {
    scalar: fn(u8, &[u8]) -> Tree,
    /// The tag of the value that has begun, and what came behind it.
    tag: Option<u8>,
    bytes: Vec<u8>,
    /// Trees that are not whole, each in the one before it.
    open: Vec<Open>,
    whole: Option<Tree>,
    /// Values that may still come.
    left: u32,
    types: Vec<String>,
    classes: Vec<(String, Vec<String>)>,
}

/// A tree that is not whole.
#[derive(Debug)]
struct Open {
    kind: Kind,
    class: String,
    /// Of a map, keys and values in turn.
    values: Vec<Tree>,
}

#[derive(Debug)]
enum Kind {
    List,
    Map,
    /// An object whose fields have these names.
    Object(Vec<String>),
}

impl Visit for Builder {
    fn see(&mut self, event: Event<'_>) -> Result<(), Impossible> {
        match event {
            Event::Begin(tag) => {
                self.tag = tag;
                self.bytes.clear();
            }
            Event::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
            Event::Value => {
                let value = self.tag.take().map_or(Tree::Missing, |tag| (self.scalar)(tag, &self.bytes));
                self.add(value)?;
            }
            Event::Int(number) => self.add(Tree::Int(number))?,
            Event::Reference(index) => self.add(Tree::Reference(index))?,
            Event::Type => {
                let class = self.text();
                self.types.push(class.clone());
                self.typed(class);
            }
            Event::TypeAgain(index) => {
                let known = usize::try_from(index).ok().and_then(|index| self.types.get(index));
                let class = known.cloned().unwrap_or_default();
                self.typed(class);
            }
            Event::ClassName => {
                let class = self.text();
                self.classes.push((class, Vec::new()));
            }
            Event::FieldName => {
                let name = self.text();
                self.classes.last_mut().ok_or(Impossible)?.1.push(name);
            }
            Event::List => self.open(Kind::List, String::new())?,
            Event::Map => self.open(Kind::Map, String::new())?,
            Event::Remote => self.open(Kind::Object(vec!["url".to_owned()]), String::new())?,
            Event::Instance(index) => {
                let (class, names) = self.classes.get(index).cloned().ok_or(Impossible)?;
                self.open(Kind::Object(names), class)?;
            }
            Event::Close => self.close(),
        }
        Ok(())
    }
}

impl Builder {
    fn new(scalar: fn(u8, &[u8]) -> Tree) -> Self {
        let (types, classes) = (Vec::new(), Vec::new());
        let (tag, bytes, open, whole) = (None, Vec::new(), Vec::new(), None);
        Builder { scalar, tag, bytes, open, whole, left: VALUES_MAX, types, classes }
    }

    /// Value that has begun, as a text.
    fn text(&self) -> String {
        utf::read(&self.bytes)
    }

    fn typed(&mut self, class: String) {
        if let Some(open) = self.open.last_mut() {
            open.class = class;
        }
    }

    fn count(&mut self) -> Result<(), Impossible> {
        self.left = self.left.checked_sub(1).ok_or(Impossible)?;
        Ok(())
    }

    fn add(&mut self, value: Tree) -> Result<(), Impossible> {
        self.count()?;
        self.put(value);
        Ok(())
    }

    fn open(&mut self, kind: Kind, class: String) -> Result<(), Impossible> {
        self.count()?;
        self.tag = None;
        self.open.push(Open { kind, class, values: Vec::new() });
        Ok(())
    }

    fn put(&mut self, value: Tree) {
        match self.open.last_mut() {
            Some(open) => open.values.push(value),
            None => self.whole = Some(value),
        }
    }

    fn close(&mut self) {
        let Some(Open { kind, class, values }) = self.open.pop() else { return };
        let mut values = values.into_iter();
        let tree = match kind {
            Kind::List => Tree::List(class, values.collect()),
            Kind::Object(names) => Tree::Object(class, names.into_iter().zip(values).collect()),
            Kind::Map => {
                let next = || Some((values.next()?, values.next().unwrap_or(Tree::Missing)));
                Tree::Map(class, std::iter::from_fn(next).collect())
            }
        };
        self.put(tree);
    }

    /// Nothing more comes: of a text there is what came, and something is missing in all that is open.
    fn cut(&mut self) {
        let value = self.tag.take().map(|tag| (self.scalar)(tag, &self.bytes));
        self.put(value.filter(|value| matches!(value, Tree::Text(_))).unwrap_or(Tree::Missing));
        while !self.open.is_empty() {
            self.close();
        }
    }
}
