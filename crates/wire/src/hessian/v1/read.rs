//! Values as trees.

use crate::hessian::input::Input;
use crate::hessian::tree::Tree;

/// Reads values one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    input: Input<'a>,
}

impl Iterator for Reader<'_> {
    type Item = Tree;

    fn next(&mut self) -> Option<Tree> {
        (!self.input.at_end()).then(|| self.value(0))
    }
}

impl<'a> Reader<'a> {
    /// A reader of these bytes, which may be cut anywhere.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { input: Input::new(bytes) }
    }

    /// Keys and values until `z`, as those of a map.
    pub(crate) fn pairs(&mut self) -> Tree {
        self.entries(String::new(), 1)
    }

    fn value(&mut self, depth: usize) -> Tree {
        if !self.input.enter(depth) || self.input.peek().is_none() {
            self.input.fail();
            return Tree::Missing;
        }
        let tag = self.input.byte();
        match tag {
            b'N' => Tree::Null,
            b'T' => Tree::Bool(true),
            b'F' => Tree::Bool(false),
            b'I' => Tree::Int(i32::from_be_bytes(self.input.array())),
            b'L' => Tree::Long(i64::from_be_bytes(self.input.array())),
            b'D' => Tree::Double(f64::from_be_bytes(self.input.array())),
            b'd' => Tree::Date(i64::from_be_bytes(self.input.array())),
            b'R' => Tree::Reference(i32::from_be_bytes(self.input.array())),
            b's' | b'S' | b'x' | b'X' => Tree::Text(self.text(tag)),
            b'b' | b'B' => Tree::Bytes(self.binary(tag)),
            b'V' => self.list(depth + 1),
            b'M' => {
                let class = self.class();
                self.entries(class, depth + 1)
            }
            b'r' => {
                let class = self.class();
                let tag = self.input.byte();
                Tree::Object(class, vec![("url".to_owned(), Tree::Text(self.text(tag)))])
            }
            _ => {
                self.input.fail();
                Tree::Missing
            }
        }
    }

    /// A type, if there is one.
    fn class(&mut self) -> String {
        let mut class = String::new();
        if self.input.skip_if(b't') {
            let units = self.input.short();
            self.input.text(units, &mut class);
        }
        class
    }

    fn list(&mut self, depth: usize) -> Tree {
        let class = self.class();
        if self.input.skip_if(b'l') {
            self.input.take(4);
        }
        let mut values = Vec::new();
        while !self.input.skip_if(b'z') && !self.input.failed() {
            values.push(self.value(depth));
        }
        Tree::List(class, values)
    }

    fn entries(&mut self, class: String, depth: usize) -> Tree {
        let mut entries = Vec::new();
        while !self.input.skip_if(b'z') && !self.input.failed() {
            entries.push((self.value(depth), self.value(depth)));
        }
        Tree::Map(class, entries)
    }

    fn text(&mut self, mut tag: u8) -> String {
        let mut text = String::new();
        while matches!(tag, b's' | b'x' | b'S' | b'X') {
            let units = self.input.short();
            self.input.text(units, &mut text);
            if tag.is_ascii_uppercase() {
                return text;
            }
            tag = self.input.byte();
        }
        self.input.fail();
        text
    }

    fn binary(&mut self, mut tag: u8) -> usize {
        let mut bytes = 0;
        while matches!(tag, b'b' | b'B') {
            let len = self.input.short();
            bytes += self.input.take(len as usize).len();
            if tag == b'B' {
                return bytes;
            }
            tag = self.input.byte();
        }
        self.input.fail();
        bytes
    }
}
