//! Reads a stream that is at hand, whole or cut short, into a tree: for people, and for the few values that are needed.

use super::time::{self, TimePart};
use super::{FIRST_HANDLE, STREAM_HEADER, flag, tag, width};
use crate::utf;

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 96;

/// Most pieces that are read; each takes memory.
const PIECES_MAX: usize = 16 * 1024;

/// A class as its descriptor has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassDesc {
    pub name: String,
    flags: u8,
    fields: Vec<(u8, String)>,
    /// True if it writes the values of `java.time`.
    time: bool,
    above: Option<usize>,
    /// Number of classes above it.
    depth: usize,
    /// True once its descriptor has ended.
    whole: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// The end was cut off here, or the bytes are wrong.
    Missing,
    Null,
    /// Another value by its index, or nothing for a class descriptor.
    Reference(Option<usize>),
    Text(String),
    /// A primitive of this type code.
    Primitive(u8, u64),
    Object {
        class: usize,
        /// Fields and more of each class, the topmost first.
        blocks: Vec<Block>,
    },
    Array {
        class: usize,
        len: u32,
        elements: Vec<usize>,
    },
    Enum(usize, String),
    Class(Option<usize>),
    Data(Vec<u8>),
    /// The writer gave up, because of this.
    Aborted(usize),
}

/// Part of an object that one class wrote.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub class: usize,
    /// Index of the field's name in the class, and the value.
    pub fields: Vec<(usize, usize)>,
    pub beyond: Vec<usize>,
}

/// Meaning of a handle.
#[derive(Clone, Copy, Debug)]
enum Handle {
    Class(usize),
    Piece(usize),
}

/// A stream that is at hand.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub at: usize,
    pub pieces: Vec<Piece>,
    classes: Vec<ClassDesc>,
    handles: Vec<Handle>,
    depth: usize,
    /// True if reading stopped before the end of a value.
    pub broken: bool,
    /// The values that were begun then, the innermost first.
    unfinished: Vec<usize>,
}

impl<'a> Reader<'a> {
    /// Reads from the first byte on; a stream's header may be there or not.
    pub fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(&STREAM_HEADER) { STREAM_HEADER.len() } else { 0 };
        let (pieces, classes, handles) = (Vec::new(), Vec::new(), Vec::new());
        Reader { bytes, at, pieces, classes, handles, depth: 0, broken: false, unfinished: Vec::new() }
    }

    /// The next element, if one begins here; its index among the pieces.
    pub fn element(&mut self) -> Option<usize> {
        while self.peek() == Some(tag::RESET) {
            self.at += 1;
            self.forget();
        }
        let begins = self.peek().is_some_and(|byte| (tag::NULL..=tag::ENUM).contains(&byte));
        if self.broken || !begins {
            return None;
        }
        Some(self.value())
    }

    pub fn class(&self, class: usize) -> &ClassDesc {
        &self.classes[class]
    }

    /// Name and value of each field of a block.
    pub fn fields<'b>(&'b self, block: &'b Block) -> impl Iterator<Item = (&'b str, usize)> + 'b {
        let names = &self.classes[block.class].fields;
        block.fields.iter().map(|&(field, piece)| (names[field].1.as_str(), piece))
    }

    /// The value itself where `piece` refers to another.
    pub fn resolved(&self, piece: usize) -> usize {
        match self.pieces[piece] {
            Piece::Reference(Some(other)) => other,
            _ => piece,
        }
    }

    /// True if the end of a value is missing.
    pub fn is_cut(&self, piece: usize) -> bool {
        self.unfinished.contains(&piece)
    }

    /// The value of the first field of this name, whichever class of the object has it.
    pub fn field(&self, object: usize, name: &str) -> Option<usize> {
        let Piece::Object { blocks, .. } = &self.pieces[object] else { return None };
        let named = |block| self.fields(block).find(|(field, _)| *field == name);
        blocks.iter().find_map(named).map(|(_, piece)| self.resolved(piece))
    }

    /// The text of a piece, where it is one.
    pub fn text(&self, piece: usize) -> Option<&str> {
        match &self.pieces[piece] {
            Piece::Text(text) => Some(text),
            _ => None,
        }
    }

    fn forget(&mut self) {
        self.handles.clear();
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if len > rest.len() {
            self.broken = true;
            self.at = self.bytes.len();
            return rest;
        }
        self.at += len;
        &rest[..len]
    }

    /// A number of `len` bytes; 0 when they are not all there.
    fn number(&mut self, len: usize) -> u64 {
        let bytes = self.take(len);
        if self.broken { 0 } else { bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) }
    }

    fn short_text(&mut self) -> String {
        let len = self.number(2) as usize;
        utf::read(self.take(len))
    }

    fn push(&mut self, piece: Piece) -> usize {
        self.broken |= self.pieces.len() >= PIECES_MAX;
        self.pieces.push(piece);
        self.pieces.len() - 1
    }

    /// A value with a tag. What is missing of it is `Missing`.
    fn value(&mut self) -> usize {
        let piece = self.push(Piece::Missing);
        if self.depth >= DEPTH_MAX || self.broken {
            self.broken = true;
            return piece;
        }
        self.depth += 1;
        self.tagged(piece);
        if self.broken {
            self.unfinished.push(piece);
        }
        self.depth -= 1;
        piece
    }

    fn tagged(&mut self, piece: usize) {
        let Some(tag) = self.peek() else {
            self.broken = true;
            return;
        };
        match tag {
            tag::CLASS_DESC | tag::PROXY_CLASS_DESC => {
                let class = self.class_desc();
                self.pieces[piece] = Piece::Class(class);
                return;
            }
            _ => self.at += 1,
        }
        match tag {
            tag::NULL => self.pieces[piece] = Piece::Null,
            tag::REFERENCE => self.pieces[piece] = self.reference(),
            tag::STRING | tag::LONG_STRING => {
                self.handles.push(Handle::Piece(piece));
                let len = self.number(if tag == tag::STRING { 2 } else { 8 });
                let bytes = self.take(usize::try_from(len).unwrap_or(usize::MAX));
                self.pieces[piece] = Piece::Text(utf::read(bytes));
            }
            tag::OBJECT => self.object(piece),
            tag::ARRAY => self.array(piece),
            tag::ENUM => self.constant(piece),
            tag::CLASS => {
                let class = self.class_desc();
                self.handles.push(Handle::Piece(piece));
                self.pieces[piece] = Piece::Class(class);
            }
            tag::BLOCK | tag::LONG_BLOCK => {
                let len = self.number(if tag == tag::BLOCK { 1 } else { 4 }) as usize;
                self.pieces[piece] = Piece::Data(self.take(len).to_vec());
            }
            tag::EXCEPTION => {
                self.forget();
                let thrown = self.value();
                self.pieces[piece] = Piece::Aborted(thrown);
                self.broken = true;
            }
            _ => self.broken = true,
        }
    }

    fn reference(&mut self) -> Piece {
        match self.referred() {
            Some(Handle::Piece(piece)) => Piece::Reference(Some(piece)),
            Some(Handle::Class(class)) => Piece::Class(Some(class)),
            None => Piece::Reference(None),
        }
    }

    fn referred(&mut self) -> Option<Handle> {
        let index = (self.number(4) as u32).wrapping_sub(FIRST_HANDLE);
        let handle = self.handles.get(index as usize).copied();
        self.broken |= handle.is_none();
        handle
    }

    /// A class descriptor, or a reference to one; `None` for null or what is not there.
    fn class_desc(&mut self) -> Option<usize> {
        if self.broken {
            return None;
        }
        match *self.take(1).first()? {
            tag::CLASS_DESC => self.new_class(false),
            tag::PROXY_CLASS_DESC => self.new_class(true),
            tag::REFERENCE => match self.referred()? {
                Handle::Class(class) => Some(class),
                Handle::Piece(_) => {
                    self.broken = true;
                    None
                }
            },
            tag::NULL => None,
            _ => {
                self.broken = true;
                None
            }
        }
    }

    fn new_class(&mut self, proxy: bool) -> Option<usize> {
        if self.depth >= DEPTH_MAX || self.classes.len() >= PIECES_MAX {
            self.broken = true;
            return None;
        }
        self.depth += 1;
        let class = self.classes.len();
        self.classes.push(ClassDesc { flags: flag::SERIALIZABLE, ..ClassDesc::default() });
        if proxy {
            self.proxy_head(class);
        } else {
            self.class_head(class);
        }
        self.annotation();
        if let Some(above) = self.class_desc() {
            let depth = self.classes[above].depth + 1;
            // A class that is not whole is this one, or has this one above it.
            self.broken |= !self.classes[above].whole || depth > DEPTH_MAX;
            if !self.broken {
                (self.classes[class].above, self.classes[class].depth) = (Some(above), depth);
            }
        }
        self.classes[class].whole = true;
        self.depth -= 1;
        Some(class)
    }

    fn class_head(&mut self, class: usize) {
        let name = self.short_text();
        let time = self.take(8) == time::UID;
        self.handles.push(Handle::Class(class));
        let flags = self.number(1) as u8;
        let count = self.number(2);
        let mut fields = Vec::new();
        for _ in 0..count {
            let code = self.number(1) as u8;
            let field = self.short_text();
            if width(code).is_none() && !self.broken {
                self.value();
            }
            if self.broken {
                break;
            }
            fields.push((code, field));
        }
        let known = &mut self.classes[class];
        (known.name, known.flags, known.fields, known.time) = (name, flags, fields, time);
    }

    fn proxy_head(&mut self, class: usize) {
        self.handles.push(Handle::Class(class));
        let count = self.number(4);
        let mut names = Vec::new();
        for _ in 0..count {
            if self.broken {
                break;
            }
            names.push(self.short_text());
        }
        self.classes[class].name = format!("proxy of {}", names.join(", "));
    }

    /// Blocks and objects up to the end tag.
    fn annotation(&mut self) -> Vec<usize> {
        let mut pieces = Vec::new();
        while !self.broken {
            if self.peek() == Some(tag::END_BLOCK) {
                self.at += 1;
                break;
            }
            pieces.push(self.value());
        }
        pieces
    }

    fn object(&mut self, piece: usize) {
        let Some(class) = self.class_desc() else {
            self.broken = true;
            return;
        };
        if self.broken {
            return;
        }
        self.handles.push(Handle::Piece(piece));
        self.pieces[piece] = Piece::Object { class, blocks: Vec::new() };
        let mut line = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next {
            line.push(class);
            next = self.classes[class].above;
        }
        for class in line.into_iter().rev() {
            let ClassDesc { flags, fields, time, .. } = &self.classes[class];
            let raw_time = *time && flags & flag::BLOCK_DATA == 0;
            let externalizable = flags & flag::EXTERNALIZABLE != 0;
            let annotated = externalizable || flags & flag::WRITE_METHOD != 0;
            if fields.is_empty() && !annotated {
                continue;
            }
            let at = self.block(piece, class);
            if !externalizable {
                self.object_fields(piece, at, class);
            }
            if annotated {
                let beyond = if raw_time { vec![self.time()] } else { self.annotation() };
                if let Piece::Object { blocks, .. } = &mut self.pieces[piece] {
                    blocks[at].beyond = beyond;
                }
            }
            if self.broken {
                break;
            }
        }
    }

    /// Adds the block of a class to an object; its index there.
    fn block(&mut self, piece: usize, class: usize) -> usize {
        let Piece::Object { blocks, .. } = &mut self.pieces[piece] else { return 0 };
        blocks.push(Block { class, fields: Vec::new(), beyond: Vec::new() });
        blocks.len() - 1
    }

    fn object_fields(&mut self, piece: usize, at: usize, class: usize) {
        for field in 0..self.classes[class].fields.len() {
            if self.broken {
                return;
            }
            let code = self.classes[class].fields[field].0;
            let value = self.member(code);
            if let Piece::Object { blocks, .. } = &mut self.pieces[piece] {
                blocks[at].fields.push((field, value));
            }
        }
    }

    /// A value of `java.time`, as bytes.
    fn time(&mut self) -> usize {
        let from = self.at;
        let mut parts = vec![TimePart::Kind];
        while let Some(part) = parts.pop() {
            match part {
                _ if self.broken => break,
                TimePart::Bytes(len) => drop(self.take(usize::from(len))),
                TimePart::Text => drop(self.short_text()),
                part => match time::after(part, self.number(1) as u8) {
                    Some(after) => parts.extend(after.iter().rev()),
                    None => self.broken = true,
                },
            }
        }
        let bytes = self.bytes[from..self.at].to_vec();
        self.push(Piece::Data(bytes))
    }

    fn member(&mut self, code: u8) -> usize {
        match width(code) {
            Some(width) => {
                let number = self.number(usize::from(width));
                let piece = if self.broken { Piece::Missing } else { Piece::Primitive(code, number) };
                self.push(piece)
            }
            None => self.value(),
        }
    }

    fn array(&mut self, piece: usize) {
        let Some(class) = self.class_desc() else {
            self.broken = true;
            return;
        };
        self.handles.push(Handle::Piece(piece));
        let len = self.number(4) as u32;
        let code = self.classes[class].name.as_bytes().get(1).copied().unwrap_or(b'L');
        if code == b'B' {
            let data = self.take(len as usize).to_vec();
            let data = self.push(Piece::Data(data));
            self.pieces[piece] = Piece::Array { class, len, elements: vec![data] };
            return;
        }
        let mut elements = Vec::new();
        for _ in 0..len {
            if self.broken {
                break;
            }
            elements.push(self.member(code));
        }
        self.pieces[piece] = Piece::Array { class, len, elements };
    }

    fn constant(&mut self, piece: usize) {
        let class = self.class_desc();
        self.handles.push(Handle::Piece(piece));
        let name = self.value();
        let name = self.text(self.resolved(name)).unwrap_or_default().to_owned();
        match class {
            Some(class) => self.pieces[piece] = Piece::Enum(class, name),
            None => self.broken = true,
        }
    }
}
