//! Values as trees.

use crate::hessian::input::Input;
use crate::hessian::tree::Tree;

/// Reads the values of one message, one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    input: Input<'a>,
    classes: Vec<(String, Vec<String>)>,
    types: Vec<String>,
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
        Reader { input: Input::new(bytes), classes: Vec::new(), types: Vec::new() }
    }

    fn value(&mut self, depth: usize) -> Tree {
        while self.input.skip_if(b'C') {
            self.define();
        }
        if !self.input.enter(depth) || self.input.peek().is_none() {
            self.input.fail();
            return Tree::Missing;
        }
        let tag = self.input.byte();
        match tag {
            b'N' => Tree::Null,
            b'T' => Tree::Bool(true),
            b'F' => Tree::Bool(false),
            0x80..=0xd7 | b'I' => Tree::Int(self.int(tag)),
            0x38..=0x3f | b'L' | b'Y' | 0xd8..=0xff => Tree::Long(self.long(tag)),
            0x5b..=0x5f | b'D' => Tree::Double(self.double(tag)),
            b'J' => Tree::Date(i64::from_be_bytes(self.input.array())),
            b'K' => Tree::Date(i64::from(i32::from_be_bytes(self.input.array())) * 60_000),
            0x00..=0x1f | 0x30..=0x33 | b'R' | b'S' => Tree::Text(self.text(tag)),
            0x20..=0x2f | 0x34..=0x37 | b'A' | b'B' => Tree::Bytes(self.binary(tag)),
            b'Q' => Tree::Reference(self.count()),
            _ => self.compound(tag, depth + 1),
        }
    }

    fn compound(&mut self, tag: u8, depth: usize) -> Tree {
        match tag {
            b'H' => self.map(String::new(), depth),
            b'M' => {
                let class = self.class();
                self.map(class, depth)
            }
            b'O' => {
                let index = self.count();
                self.object(index, depth)
            }
            0x60..=0x6f => self.object(i32::from(tag & 0xf), depth),
            b'U' => {
                let class = self.class();
                self.open_list(class, depth)
            }
            b'W' => self.open_list(String::new(), depth),
            b'V' | 0x70..=0x77 => {
                let class = self.class();
                let count = if tag == b'V' { self.count() } else { i32::from(tag & 7) };
                self.list(class, count, depth)
            }
            b'X' => {
                let count = self.count();
                self.list(String::new(), count, depth)
            }
            0x78..=0x7f => self.list(String::new(), i32::from(tag & 7), depth),
            _ => {
                self.input.fail();
                Tree::Missing
            }
        }
    }

    fn list(&mut self, class: String, count: i32, depth: usize) -> Tree {
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.value(depth));
            if self.input.failed() {
                break;
            }
        }
        Tree::List(class, values)
    }

    fn open_list(&mut self, class: String, depth: usize) -> Tree {
        let mut values = Vec::new();
        while !self.input.skip_if(b'Z') && !self.input.failed() {
            values.push(self.value(depth));
        }
        Tree::List(class, values)
    }

    fn map(&mut self, class: String, depth: usize) -> Tree {
        let mut entries = Vec::new();
        while !self.input.skip_if(b'Z') && !self.input.failed() {
            entries.push((self.value(depth), self.value(depth)));
        }
        Tree::Map(class, entries)
    }

    fn object(&mut self, index: i32, depth: usize) -> Tree {
        let class = usize::try_from(index).ok().and_then(|index| self.classes.get(index)).cloned();
        let Some((class, names)) = class else {
            self.input.fail();
            return Tree::Missing;
        };
        let mut fields = Vec::new();
        for name in names {
            fields.push((name, self.value(depth)));
            if self.input.failed() {
                break;
            }
        }
        Tree::Object(class, fields)
    }

    fn define(&mut self) {
        let class = self.name();
        let count = self.count();
        let mut names = Vec::new();
        for _ in 0..count {
            if self.input.at_end() {
                break;
            }
            names.push(self.name());
        }
        self.classes.push((class, names));
    }

    /// A type: its name, or the index of one that came before.
    fn class(&mut self) -> String {
        let tag = self.input.byte();
        if matches!(tag, 0x80..=0xd7 | b'I') {
            let index = usize::try_from(self.int(tag)).unwrap_or(usize::MAX);
            return self.types.get(index).cloned().unwrap_or_default();
        }
        let class = self.text(tag);
        self.types.push(class.clone());
        class
    }

    fn name(&mut self) -> String {
        let tag = self.input.byte();
        self.text(tag)
    }

    fn count(&mut self) -> i32 {
        let tag = self.input.byte();
        self.int(tag)
    }

    fn int(&mut self, tag: u8) -> i32 {
        match tag {
            0x80..=0xbf => i32::from(tag) - 0x90,
            0xc0..=0xcf => (i32::from(tag) - 0xc8) << 8 | i32::from(self.input.byte()),
            0xd0..=0xd7 => (i32::from(tag) - 0xd4) << 16 | self.input.short() as i32,
            b'I' => i32::from_be_bytes(self.input.array()),
            _ => {
                self.input.fail();
                0
            }
        }
    }

    fn long(&mut self, tag: u8) -> i64 {
        match tag {
            0xd8..=0xef => i64::from(tag) - 0xe0,
            0xf0..=0xff => (i64::from(tag) - 0xf8) << 8 | i64::from(self.input.byte()),
            0x38..=0x3f => (i64::from(tag) - 0x3c) << 16 | i64::from(self.input.short()),
            b'Y' => i64::from(i32::from_be_bytes(self.input.array())),
            _ => i64::from_be_bytes(self.input.array()),
        }
    }

    fn double(&mut self, tag: u8) -> f64 {
        match tag {
            0x5b => 0.0,
            0x5c => 1.0,
            0x5d => f64::from(i8::from_be_bytes(self.input.array())),
            0x5e => f64::from(i16::from_be_bytes(self.input.array())),
            0x5f => 0.001 * f64::from(i32::from_be_bytes(self.input.array())),
            _ => f64::from_be_bytes(self.input.array()),
        }
    }

    fn text(&mut self, mut tag: u8) -> String {
        let mut text = String::new();
        loop {
            let units = match tag {
                0x00..=0x1f => u32::from(tag),
                0x30..=0x33 => u32::from(tag & 3) << 8 | u32::from(self.input.byte()),
                b'R' | b'S' => self.input.short(),
                _ => {
                    self.input.fail();
                    return text;
                }
            };
            self.input.text(units, &mut text);
            if tag != b'R' {
                return text;
            }
            tag = self.input.byte();
        }
    }

    fn binary(&mut self, mut tag: u8) -> usize {
        let mut bytes = 0;
        loop {
            let len = match tag {
                0x20..=0x2f => u32::from(tag & 0xf),
                0x34..=0x37 => u32::from(tag & 3) << 8 | u32::from(self.input.byte()),
                b'A' | b'B' => self.input.short(),
                _ => {
                    self.input.fail();
                    return bytes;
                }
            };
            bytes += self.input.take(len as usize).len();
            if tag != b'A' {
                return bytes;
            }
            tag = self.input.byte();
        }
    }
}
