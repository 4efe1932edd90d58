//! Text about streams for the user: the values in one, and the message of an exception.

use super::read::{Block, Piece, Reader};

/// Most lines that one stream is told in.
const LINES_MAX: usize = 400;

/// Most characters of a text, and bytes of a block, that are shown.
const SHOWN_MAX: usize = 120;

/// Most exceptions that are followed from one to its cause.
const CAUSES_MAX: usize = 8;

/// Content of a stream, a line for each value, those within others indented. A stream that is cut short or broken is
/// described up to that point.
pub fn describe(bytes: &[u8]) -> Vec<String> {
    describe_from(bytes).0
}

/// Content of the stream that `bytes` begin with, and the number of bytes that were read.
pub(crate) fn describe_from(bytes: &[u8]) -> (Vec<String>, usize) {
    let mut reader = Reader::new(bytes);
    let mut lines = Vec::new();
    while let Some(piece) = reader.element() {
        Teller { reader: &reader, lines: &mut lines }.piece("", piece, 0);
    }
    if reader.broken {
        lines.push(format!("the stream is cut short or broken at byte {}", reader.at));
    }
    (lines, reader.at)
}

/// Text of the `Throwable` at the beginning of a stream: its class, its message and those of its causes, as Java
/// prints them: `java.rmi.ServerException: RemoteException occurred in server thread; nested exception is:
/// java.rmi.UnmarshalException: …`. `None` if no object begins there. The stream may be cut short.
pub fn thrown(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader::new(bytes);
    let mut first = reader.element()?;
    while !matches!(reader.pieces[first], Piece::Object { .. }) {
        first = reader.element()?;
    }
    // Where the writer gave up, its unfinished values do not tell the reason.
    let aborted = reader.pieces.iter().find_map(|piece| match piece {
        Piece::Aborted(thrown) => Some(*thrown),
        _ => None,
    });
    let first = aborted.unwrap_or(first);
    let mut told = String::new();
    let mut next = Some(first);
    for _ in 0..CAUSES_MAX {
        let Some((piece, Piece::Object { class, .. })) = next.map(|piece| (piece, &reader.pieces[piece]))
        else {
            break;
        };
        if !told.is_empty() {
            told.push_str("; nested exception is: ");
        }
        told.push_str(&reader.class(*class).name);
        let message = reader.field(piece, "detailMessage").and_then(|message| reader.text(message));
        if let Some(message) = message {
            told.push_str(": ");
            told.push_str(message);
        }
        // A remote exception keeps its cause in a field of its own; an exception without cause refers to itself.
        let causes = ["detail", "target", "cause"].map(|field| reader.field(piece, field));
        let known = |cause: usize| cause != piece && matches!(reader.pieces[cause], Piece::Object { .. });
        next = causes.into_iter().flatten().find(|cause| known(*cause));
    }
    (!told.is_empty()).then_some(told)
}

struct Teller<'a, 'b> {
    reader: &'b Reader<'a>,
    lines: &'b mut Vec<String>,
}

impl Teller<'_, '_> {
    fn line(&mut self, depth: usize, text: &str) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(format!("{}{text}", "  ".repeat(depth)));
        } else if self.lines.len() == LINES_MAX {
            self.lines.push("…".to_owned());
        }
    }

    /// Describes a value behind `name`, and its content one step further right.
    fn piece(&mut self, name: &str, piece: usize, depth: usize) {
        if self.lines.len() > LINES_MAX {
            return;
        }
        let class_name = |class: &usize| self.reader.class(*class).name.clone();
        let text = match &self.reader.pieces[piece] {
            Piece::Missing => "(cut off)".to_owned(),
            Piece::Null => "null".to_owned(),
            Piece::Reference(other) => self.reference(*other),
            Piece::Text(text) => shown_text(text),
            Piece::Primitive(code, value) => shown_primitive(*code, *value),
            Piece::Object { class, .. } => class_name(class),
            Piece::Array { class, len, .. } => format!("{} of {len}", class_name(class)),
            Piece::Enum(class, constant) => format!("{} {constant}", class_name(class)),
            Piece::Class(Some(class)) => format!("class {}", class_name(class)),
            Piece::Class(None) => "class null".to_owned(),
            Piece::Data(bytes) => shown_bytes(bytes),
            Piece::Aborted(_) => "the writer gave up".to_owned(),
        };
        self.line(depth, &format!("{name}{text}"));
        match &self.reader.pieces[piece] {
            Piece::Object { blocks, .. } => {
                for block in blocks {
                    self.block(block, depth + 1);
                }
            }
            Piece::Array { elements, .. } => {
                for element in elements {
                    self.piece("", *element, depth + 1);
                }
            }
            Piece::Aborted(thrown) => self.piece("", *thrown, depth + 1),
            _ => {}
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for (name, piece) in self.reader.fields(block) {
            self.piece(&format!("{name}: "), piece, depth);
        }
        for piece in &block.beyond {
            self.piece("", *piece, depth);
        }
    }

    /// The value that is referred to, without what is in it.
    fn reference(&self, other: Option<usize>) -> String {
        match other.map(|other| &self.reader.pieces[other]) {
            Some(Piece::Text(text)) => shown_text(text),
            Some(Piece::Object { class, .. } | Piece::Array { class, .. }) => {
                format!("the {} from before", self.reader.class(*class).name)
            }
            Some(Piece::Enum(_, constant)) => constant.clone(),
            _ => "a value from before".to_owned(),
        }
    }
}

fn shown_text(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN_MAX {
        return format!("{text:?}");
    }
    let begin: String = text.chars().take(SHOWN_MAX).collect();
    format!("{begin:?}… of {count} characters")
}

fn shown_bytes(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(SHOWN_MAX / 3).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > SHOWN_MAX / 3 { "…" } else { "" };
    format!("{} bytes {}{more}", bytes.len(), shown.join(" "))
}

fn shown_primitive(code: u8, value: u64) -> String {
    match code {
        b'Z' => (value != 0).to_string(),
        b'B' => (value as i8).to_string(),
        b'S' => (value as i16).to_string(),
        b'C' => format!("{:?}", char::from_u32(value as u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
        b'I' => (value as i32).to_string(),
        b'F' => f32::from_bits(value as u32).to_string(),
        b'D' => f64::from_bits(value).to_string(),
        _ => (value as i64).to_string(),
    }
}
