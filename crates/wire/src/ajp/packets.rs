//! Packets from the container, read as they come: every byte is consumed at once and none is kept.

use super::codes::{self, ANSWER_CONTENT_LENGTH, ANSWER_HEADERS, FROM_CONTAINER, HEADER, NULL};
use crate::MalformedKind;
use crate::http1::kept::Kept;
use crate::http1::lines::{Fault, is_control};
use crate::scan::count_work;

/// The kinds of packets that a container sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Head,
    /// A piece of the body.
    Chunk,
    /// The end of the answer.
    End,
    /// The container wants more of the request's body.
    Ask,
    /// The answer to a ping; the packet ends here.
    Pong,
}

/// An item found in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'a> {
    /// A packet of this kind has begun.
    Packet(Kind),
    Status(u16),
    /// A piece of the body of this many bytes has begun.
    Chunk(u16),
    /// Bytes of the body.
    Data(&'a [u8]),
    /// The container wants at most this many bytes of the request's body.
    Asked(u16),
    /// The answer is whole; true if the connection can be used again.
    Ended(bool),
}

/// The strings of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Reason,
    Name,
    Value,
}

/// Part of a packet that the next byte belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PacketPart {
    #[default]
    Magic,
    MagicEnd,
    Size,
    Code,
    Status,
    TextSize(Field),
    Text(Field),
    TextEnd(Field),
    Headers,
    ChunkSize,
    Chunk,
    ChunkEnd,
    Asked,
    Reuse,
}

/// Reads the packets of one connection.
#[derive(Debug, Default)]
pub(super) struct Reader {
    step: PacketPart,
    /// Bytes of the packet's content still to come.
    left: usize,
    /// The first byte of a number of two.
    half: Option<u8>,
    /// Bytes of the string or chunk still to come.
    text: usize,
    headers: u16,
    /// Bytes of the header's name so far, as long as they are those of Content-Length.
    name: Option<usize>,
    /// The number in the present value of Content-Length.
    digits: Option<u64>,
    /// True while the present value is that of Content-Length.
    is_length: bool,
    /// Length of the body according to the head.
    length: Option<u64>,
    pub kept: Kept,
    /// True if Content-Encoding is kept.
    pub coded: bool,
    /// The header that comes, as HTTP writes it, where any is kept; no longer than its packet.
    line: Vec<u8>,
}

impl Reader {
    /// Length of the body according to the latest head.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Begins anew, on another connection.
    pub fn renew(&mut self) {
        let (mut kept, mut line) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.line));
        kept.clear();
        line.clear();
        *self = Reader { kept, line, ..Reader::default() };
    }

    /// True if anything is kept of heads.
    fn keeps(&self) -> bool {
        self.kept.any || self.coded
    }

    /// Reads `input`, which is not empty and whose first byte is byte `at` of the connection, up to the next item.
    /// Number of bytes that were read, at least one.
    #[inline]
    pub fn next<'a>(&mut self, input: &'a [u8], at: u64) -> Result<(usize, Option<Item<'a>>), Fault> {
        match self.step {
            PacketPart::Chunk => {
                let taken = self.text.min(input.len());
                self.text -= taken;
                self.left -= taken;
                if self.text == 0 {
                    self.step = if self.left > 0 { PacketPart::ChunkEnd } else { PacketPart::Magic };
                }
                Ok((taken, Some(Item::Data(&input[..taken]))))
            }
            PacketPart::Text(field) => {
                let taken = self.text.min(input.len());
                self.text -= taken;
                self.left -= taken;
                self.text(field, &input[..taken], at)?;
                if self.text == 0 {
                    self.step = PacketPart::TextEnd(field);
                }
                Ok((taken, None))
            }
            _ => {
                count_work(1);
                Ok((1, self.byte(input[0], at)?))
            }
        }
    }

    /// Takes one byte of the framing.
    fn byte(&mut self, byte: u8, at: u64) -> Result<Option<Item<'static>>, Fault> {
        match self.step {
            PacketPart::Magic => self.magic(byte == FROM_CONTAINER[0], PacketPart::MagicEnd, at),
            PacketPart::MagicEnd => self.magic(byte == FROM_CONTAINER[1], PacketPart::Size, at),
            PacketPart::Size => self.size(byte, at),
            _ => {
                self.left -= 1;
                self.content(byte, at)
            }
        }
    }

    fn magic(&mut self, right: bool, next: PacketPart, at: u64) -> Result<Option<Item<'static>>, Fault> {
        self.step = next;
        if right { Ok(None) } else { Err(packet(at)) }
    }

    fn size(&mut self, byte: u8, at: u64) -> Result<Option<Item<'static>>, Fault> {
        let Some(size) = self.number(byte) else { return Ok(None) };
        self.left = usize::from(size);
        self.go(PacketPart::Code, 1, at).map_err(|_| length(at - 1))?;
        Ok(None)
    }

    /// Takes one byte of a packet's content.
    fn content(&mut self, byte: u8, at: u64) -> Result<Option<Item<'static>>, Fault> {
        match self.step {
            PacketPart::Code => return self.code(byte, at).map(Some),
            PacketPart::TextEnd(_) | PacketPart::ChunkEnd if byte != 0 => return Err(length(at)),
            PacketPart::TextEnd(field) => self.text_ended(field, at)?,
            PacketPart::ChunkEnd => self.step = PacketPart::Magic,
            PacketPart::Reuse if byte > 1 => return Err(packet(at)),
            PacketPart::Reuse => {
                self.end_packet(at)?;
                return Ok(Some(Item::Ended(byte == 1)));
            }
            _ => {
                let Some(number) = self.number(byte) else { return Ok(None) };
                return self.counted(number, at);
            }
        }
        Ok(None)
    }

    fn code(&mut self, code: u8, at: u64) -> Result<Item<'static>, Fault> {
        let kind = match code {
            codes::SEND_HEADERS => {
                self.length = None;
                self.go(PacketPart::Status, 2, at)?;
                Kind::Head
            }
            codes::SEND_BODY_CHUNK => {
                self.go(PacketPart::ChunkSize, 2, at)?;
                Kind::Chunk
            }
            codes::END_RESPONSE => {
                self.go(PacketPart::Reuse, 1, at)?;
                Kind::End
            }
            codes::GET_BODY_CHUNK => {
                self.go(PacketPart::Asked, 2, at)?;
                Kind::Ask
            }
            codes::CPONG => {
                self.end_packet(at)?;
                Kind::Pong
            }
            _ => return Err(packet(at)),
        };
        Ok(Item::Packet(kind))
    }

    /// Takes a number whose last byte is byte `at`.
    fn counted(&mut self, number: u16, at: u64) -> Result<Option<Item<'static>>, Fault> {
        let start = at - 1;
        match self.step {
            PacketPart::Status if !(100..1000).contains(&number) => {
                Err(Fault { at: start, kind: MalformedKind::StatusLine })
            }
            PacketPart::Status => {
                self.go(PacketPart::TextSize(Field::Reason), 2, at)?;
                Ok(Some(Item::Status(number)))
            }
            PacketPart::Headers => {
                self.headers = number;
                self.next_header(at)?;
                Ok(None)
            }
            PacketPart::TextSize(field) => self.text_sized(field, number, at).map(|()| None),
            PacketPart::ChunkSize => {
                self.text = usize::from(number);
                // One NUL more than the document has is what containers send.
                if self.left < self.text || self.left > self.text + 1 {
                    return Err(length(start));
                }
                self.step = match (number, self.left) {
                    (0, 0) => PacketPart::Magic,
                    (0, _) => PacketPart::ChunkEnd,
                    _ => PacketPart::Chunk,
                };
                Ok(Some(Item::Chunk(number)))
            }
            _ => {
                self.end_packet(at)?;
                Ok(Some(Item::Asked(number)))
            }
        }
    }

    fn text_sized(&mut self, field: Field, size: u16, at: u64) -> Result<(), Fault> {
        let header = Fault { at: at - 1, kind: MalformedKind::HeaderLine };
        let code = size & 0xff;
        if field == Field::Name && size & 0xff00 == HEADER {
            if !(1..=ANSWER_HEADERS.len()).contains(&usize::from(code)) {
                return Err(header);
            }
            self.begin_value(code == ANSWER_CONTENT_LENGTH);
            if self.keeps() {
                self.line.extend_from_slice(ANSWER_HEADERS[usize::from(code) - 1].as_bytes());
                self.line.push(b':');
            }
            return self.go(PacketPart::TextSize(Field::Value), 2, at);
        }
        if field == Field::Name && (size == 0 || size == NULL) {
            return Err(header);
        }
        if size == NULL {
            return self.text_ended(field, at);
        }
        self.text = usize::from(size);
        if self.text + 1 > self.left {
            return Err(length(at - 1));
        }
        self.name = (field == Field::Name && self.text == CONTENT_LENGTH.len()).then_some(0);
        self.step = if size > 0 { PacketPart::Text(field) } else { PacketPart::TextEnd(field) };
        Ok(())
    }

    fn begin_value(&mut self, is_length: bool) {
        self.is_length = is_length;
        self.digits = None;
    }

    /// Looks at bytes of a string, where they matter.
    fn text(&mut self, field: Field, text: &[u8], at: u64) -> Result<(), Fault> {
        if field != Field::Reason && self.keeps() {
            self.line.extend_from_slice(text);
        }
        if let Some(seen) = self.name.filter(|_| field == Field::Name) {
            count_work(text.len());
            let same = CONTENT_LENGTH[seen..seen + text.len()].eq_ignore_ascii_case(text);
            self.name = same.then_some(seen + text.len());
        } else if field == Field::Value && self.is_length {
            count_work(text.len());
            for (&byte, offset) in text.iter().zip(0..) {
                let digit = Some(byte).filter(u8::is_ascii_digit).map(|byte| u64::from(byte - b'0'));
                let before = self.digits.unwrap_or(0).checked_mul(10);
                let number = before.zip(digit).and_then(|(before, digit)| before.checked_add(digit));
                self.digits = Some(number.ok_or(content_length(at + offset))?);
            }
        }
        Ok(())
    }

    /// A string ended with byte `at`.
    fn text_ended(&mut self, field: Field, at: u64) -> Result<(), Fault> {
        match field {
            Field::Reason => self.go(PacketPart::Headers, 2, at),
            Field::Name => {
                let is_length = self.name.is_some();
                if self.keeps() {
                    self.line.push(b':');
                }
                self.begin_value(is_length);
                self.go(PacketPart::TextSize(Field::Value), 2, at)
            }
            Field::Value => {
                if self.is_length {
                    let number = self.digits.ok_or(content_length(at))?;
                    if self.length.is_some_and(|length| length != number) {
                        return Err(content_length(at));
                    }
                    self.length = Some(number);
                }
                if self.keeps() {
                    self.header_ended();
                }
                self.headers -= 1;
                self.next_header(at)
            }
        }
    }

    /// Keeps the header, unless no line of HTTP could hold it.
    fn header_ended(&mut self) {
        if !self.line.iter().copied().any(is_control) {
            self.kept.line(&self.line, self.coded);
        }
        self.line.clear();
    }

    fn next_header(&mut self, at: u64) -> Result<(), Fault> {
        if self.headers == 0 {
            self.end_packet(at)
        } else {
            self.go(PacketPart::TextSize(Field::Name), 2, at)
        }
    }

    /// Goes on to `step`, for which the packet must have `bytes` more bytes behind byte `at`.
    fn go(&mut self, step: PacketPart, bytes: usize, at: u64) -> Result<(), Fault> {
        self.step = step;
        if self.left < bytes { Err(length(at)) } else { Ok(()) }
    }

    /// The packet's content ended with byte `at`, so the packet must.
    fn end_packet(&mut self, at: u64) -> Result<(), Fault> {
        self.step = PacketPart::Magic;
        if self.left > 0 { Err(length(at)) } else { Ok(()) }
    }

    /// The number of two bytes of which `byte` is the last; `None` when it is the first.
    fn number(&mut self, byte: u8) -> Option<u16> {
        let Some(high) = self.half.take() else {
            self.half = Some(byte);
            return None;
        };
        Some(u16::from_be_bytes([high, byte]))
    }
}

const CONTENT_LENGTH: &[u8] = b"Content-Length";

fn packet(at: u64) -> Fault {
    Fault { at, kind: MalformedKind::Packet }
}

fn length(at: u64) -> Fault {
    Fault { at, kind: MalformedKind::Length }
}

fn content_length(at: u64) -> Fault {
    Fault { at, kind: MalformedKind::ContentLength }
}
