//! Values of streams as JSON.

use super::read::{Block, Piece, Reader};
use super::time;
use crate::json::Told;

/// Fields in which the wrappers of `java.util.Collections`, `Arrays.asList` and `EnumSet` have what they wrap.
const WRAPPED: [&str; 5] = ["m", "c", "s", "a", "elements"];

/// Kind of a `java.util.CollSer` that is a map; `List.of` and `Set.of` are others.
const IMMUTABLE_MAP: u64 = 3;

/// The first value of a stream, blocks apart, as JSON of at most `most` bytes. The stream may be cut short.
///
/// Collections, maps, boxed primitives, dates and times of `java.util` and `java.time` are what they mean, a constant of
/// an enum is its name, and other objects are their fields, those of the topmost class first.
pub(crate) fn json(bytes: &[u8], most: usize) -> Vec<u8> {
    let mut reader = Reader::new(bytes);
    let mut told = Told::new(most);
    let mut value = reader.element();
    while value.is_some_and(|piece| matches!(reader.pieces[piece], Piece::Data(_))) {
        value = reader.element();
    }
    match value {
        Some(piece) => Teller { reader: &reader }.piece(piece, &mut told),
        None => told.cut(),
    }
    if reader.broken {
        told.cut_short();
    }
    told.end()
}

/// A primitive of that type code, its bytes as they came, as JSON of at most `most` bytes; `null` without type.
pub(crate) fn primitive_json(code: u8, bytes: &[u8], most: usize) -> Vec<u8> {
    let mut told = Told::new(most);
    match super::width(code) {
        Some(width) if bytes.len() < usize::from(width) => told.cut(),
        Some(_) => primitive(code, number(bytes), &mut told),
        None => told.put("null"),
    }
    told.end()
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn primitive(code: u8, value: u64, told: &mut Told) {
    match code {
        b'Z' => told.put(if value != 0 { "true" } else { "false" }),
        b'B' => told.put(&(value as i8).to_string()),
        b'S' => told.put(&(value as i16).to_string()),
        b'C' => told.text(&String::from_utf16_lossy(&[value as u16])),
        b'I' => told.put(&(value as i32).to_string()),
        b'F' => told.float(f32::from_bits(value as u32)),
        b'D' => told.double(f64::from_bits(value)),
        _ => told.put(&(value as i64).to_string()),
    }
}

struct Teller<'a, 'b> {
    reader: &'b Reader<'a>,
}

impl Teller<'_, '_> {
    fn piece(&self, piece: usize, told: &mut Told) {
        let at = self.reader.resolved(piece);
        match &self.reader.pieces[at] {
            Piece::Missing | Piece::Aborted(_) | Piece::Reference(_) => told.cut(),
            Piece::Enum(..) | Piece::Class(_) if self.reader.is_cut(at) => told.cut(),
            Piece::Null | Piece::Class(None) => told.put("null"),
            Piece::Text(text) | Piece::Enum(_, text) => told.text(text),
            Piece::Primitive(code, value) => primitive(*code, *value, told),
            Piece::Class(Some(class)) => told.text(&self.reader.class(*class).name),
            Piece::Data(bytes) => told.base64(bytes),
            Piece::Array { elements, .. } => {
                match elements.first().map(|first| &self.reader.pieces[*first]) {
                    // Of bytes that are cut short those are told that the next ones do not change.
                    Some(Piece::Data(bytes)) if self.reader.is_cut(at) => {
                        told.base64(&bytes[..bytes.len() / 3 * 3])
                    }
                    Some(Piece::Data(bytes)) => told.base64(bytes),
                    None if self.reader.is_cut(at) => told.cut(),
                    _ => told.container(at, |told| self.list(elements, told)),
                }
            }
            Piece::Object { class, blocks } => {
                let class = self.reader.class(*class).name.as_str();
                told.container(at, |told| self.object(at, class, blocks, told));
            }
        }
    }

    fn list(&self, elements: &[usize], told: &mut Told) {
        told.array(elements, |told, element| self.piece(*element, told));
    }

    fn object(&self, at: usize, class: &str, blocks: &[Block], told: &mut Told) {
        // Those of `java.sql` are dates, too.
        let is_date = |block: &&Block| self.reader.class(block.class).name == "java.util.Date";
        if let Some(date) = blocks.iter().find(is_date) {
            return match self.data(date) {
                Some(millis) if millis.len() == 8 => told.put(&(number(millis) as i64).to_string()),
                _ => told.cut(),
            };
        }
        let Some(name) = class.strip_prefix("java.") else { return self.fields(blocks, told) };
        let field = |name| self.reader.field(at, name);
        let primitive = |piece: &usize| matches!(self.reader.pieces[*piece], Piece::Primitive(..));
        if let Some(value) = field("value").filter(primitive) {
            self.piece(value, told);
        } else if name.starts_with("util.") {
            self.collection(at, name, blocks, told);
        } else if self.reader.is_cut(at) {
            told.cut();
        } else if name == "time.Ser"
            && let Some(bytes) = blocks.iter().find_map(|block| self.data(block))
        {
            time::tell(bytes, told);
        } else if let Some((negative, digits)) = self.big(field("intVal").unwrap_or(at)) {
            told.decimal(negative, digits, field("scale").map_or(0, |scale| self.int(scale)));
        } else {
            self.fields(blocks, told);
        }
    }

    fn fields(&self, blocks: &[Block], told: &mut Told) {
        let fields = blocks.iter().flat_map(|block| self.reader.fields(block));
        told.object(fields, |told, name| told.text(name), |told, piece| self.piece(piece, told));
    }

    /// Collections and maps write their elements behind their fields and a block with their number.
    fn collection(&self, at: usize, class: &str, blocks: &[Block], told: &mut Told) {
        let beyond: Vec<usize> = blocks.iter().flat_map(|block| block.beyond.iter().copied()).collect();
        let is_block = |piece: &usize| matches!(self.reader.pieces[*piece], Piece::Data(_));
        let elements = match beyond.iter().position(is_block) {
            Some(number) => &beyond[number + 1..],
            None if self.reader.is_cut(at) => &[],
            None => &beyond[..],
        };
        let tag = self.reader.field(at, "tag").map(|piece| &self.reader.pieces[piece]);
        let is_map = class.ends_with("Map")
            || class.ends_with("Hashtable")
            || matches!(tag, Some(Piece::Primitive(_, IMMUTABLE_MAP)));
        let wrapped = WRAPPED.iter().find_map(|name| self.reader.field(at, name));
        match wrapped {
            Some(wrapped) if beyond.is_empty() => self.piece(wrapped, told),
            _ if elements.is_empty() && self.reader.is_cut(at) => told.cut(),
            _ if beyond.is_empty() && !class.contains("$Empty") => self.fields(blocks, told),
            _ if is_map => {
                let (entries, _) = elements.as_chunks::<2>();
                // A concurrent map ends with a key that is null; in others such a key is a name.
                let ends = class.contains("Concurrent");
                let is_entry =
                    |[key, _]: &&[usize; 2]| !ends || !matches!(self.reader.pieces[*key], Piece::Null);
                let entries = entries.iter().take_while(is_entry).map(|[key, value]| (*key, *value));
                let piece = |told: &mut Told, piece| self.piece(piece, told);
                told.object(entries, |told, key| told.name(|told| self.piece(key, told)), piece);
            }
            _ => self.list(elements, told),
        }
    }

    /// Sign and digits of a `java.math.BigInteger` of up to 128 bits.
    fn big(&self, at: usize) -> Option<(bool, u128)> {
        let field = |name| self.reader.field(at, name);
        let Piece::Array { elements, .. } = &self.reader.pieces[field("magnitude")?] else { return None };
        let Piece::Data(bytes) = &self.reader.pieces[*elements.first()?] else { return None };
        let digits = bytes.iter().fold(0, |digits, byte| digits << 8 | u128::from(*byte));
        (bytes.len() <= size_of::<u128>())
            .then(|| (field("signum").is_some_and(|sign| self.int(sign) < 0), digits))
    }

    /// An `int`; 0 where it is none.
    fn int(&self, piece: usize) -> i32 {
        match self.reader.pieces[piece] {
            Piece::Primitive(b'I', value) => value as i32,
            _ => 0,
        }
    }

    /// The first block of bytes behind the fields.
    fn data(&self, block: &Block) -> Option<&[u8]> {
        match &self.reader.pieces[*block.beyond.first()?] {
            Piece::Data(bytes) => Some(bytes),
            _ => None,
        }
    }
}
