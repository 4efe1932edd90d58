//! The body of a reply: its kind, the end of its value, and the text of a refusal.

use super::walk::{JsonWalk, JsonbWalk, NativeWalk};
use super::{EXCEPTION, STATUS_OK, Serialization, exception, native, told};
use crate::hessian::{Fed, Wrong, v2};
use crate::java;

/// Most bytes of a refusal that are kept, to find its message in them.
const REFUSAL_MAX: usize = 16 * 1024;

/// Offset of the length of the block that begins a stream of Java, behind the header and the block's mark.
const JAVA_BLOCK_AT: usize = 5;

/// Part of a body that its next byte belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BodyPart {
    /// The kind of the reply.
    Kind,
    Value,
    Attachments,
    /// Nothing: the body is whole.
    Whole,
    /// Bytes that are not looked at.
    #[default]
    Unread,
}

/// Reads bodies, one after the other; its buffers stay.
#[derive(Debug, Default)]
pub(super) struct Reply {
    serialization: Option<Serialization>,
    status: u8,
    part: BodyPart,
    kind: Option<u8>,
    /// Bytes of the kind that came, in a serialization that takes several.
    kind_bytes: usize,
    hessian: v2::Walker,
    native: NativeWalk,
    json: JsonWalk,
    jsonb: JsonbWalk,
    java: java::Walker,
    /// Bytes of the block that the kind is in.
    java_block: u8,
    /// Elements of Java's stream that are still to come, with that which has begun.
    java_left: u8,
    refusal: Vec<u8>,
    keeps_refusal: bool,
    /// True if the last fault exceeds a limit of this crate.
    beyond: bool,
}

impl Reply {
    /// Begins a body; of a refusal its first bytes are kept if `keeps_refusal`.
    pub fn begin(&mut self, status: u8, serialization: u8, keeps_refusal: bool) {
        self.serialization = Serialization::of_number(serialization);
        self.status = status;
        self.kind = None;
        self.kind_bytes = 0;
        self.hessian.clear();
        self.beyond = false;
        self.keeps_refusal = keeps_refusal;
        self.refusal.clear();
        let read = status == STATUS_OK && self.serialization.is_some();
        self.part = if read { BodyPart::Kind } else { BodyPart::Unread };
    }

    /// Takes bytes of the body.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Wrong> {
        let mut pos = 0;
        while pos < piece.len() {
            let rest = &piece[pos..];
            let at = |Wrong { at }| Wrong { at: pos + at };
            pos += match self.part {
                BodyPart::Kind => self.feed_kind(rest).map_err(at)?,
                BodyPart::Value | BodyPart::Attachments => self.feed_value(rest).map_err(at)?,
                BodyPart::Whole => return Err(Wrong { at: pos }),
                BodyPart::Unread => {
                    self.keep_said(rest);
                    rest.len()
                }
            };
        }
        Ok(())
    }

    /// True if the fault exceeds a limit of this crate; the connection is given up then.
    pub fn is_beyond(&self) -> bool {
        self.beyond || self.hessian.is_beyond()
    }

    /// The body's frame has ended: the answer's code, unless the body should go on.
    pub fn end(&self) -> Option<u16> {
        match self.part {
            BodyPart::Whole | BodyPart::Unread => Some(self.code()),
            BodyPart::Value if self.is_uncertain() => Some(self.code()),
            _ => None,
        }
    }

    fn is_uncertain(&self) -> bool {
        self.serialization == Some(Serialization::Native) && self.native.is_uncertain()
    }

    fn code(&self) -> u16 {
        if self.is_exception() { EXCEPTION } else { u16::from(self.status) }
    }

    /// Message of a refusal.
    pub fn refusal(&self) -> String {
        exception::of(self.serialization, self.is_exception(), &self.refusal)
    }

    /// The value of a good reply as JSON of at most `most` bytes, given the first bytes of the body, or all.
    pub fn value(&self, body: &[u8], whole: bool, most: usize) -> Vec<u8> {
        told::json(self.serialization, matches!(self.kind, Some(1 | 4)), body, whole, most)
    }

    fn is_exception(&self) -> bool {
        matches!(self.kind, Some(0 | 3))
    }

    fn keep_said(&mut self, bytes: &[u8]) {
        if self.keeps_refusal && (self.status != STATUS_OK || self.is_exception()) {
            let room = REFUSAL_MAX.saturating_sub(self.refusal.len());
            self.refusal.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn feed_kind(&mut self, input: &[u8]) -> Result<usize, Wrong> {
        let mut pos = 0;
        while pos < input.len() {
            let byte = input[pos];
            // A provider on Windows ends its lines with two bytes.
            if byte == b'\r' && self.kind_bytes == 1 && self.serialization == Some(Serialization::FastJson) {
                pos += 1;
                continue;
            }
            match kind_byte(self.serialization, self.kind_bytes, byte) {
                KindByte::Kind(kind) if kind <= 5 => self.kind = Some(kind),
                KindByte::Skipped => {}
                KindByte::Kind(_) | KindByte::Wrong => return Err(Wrong { at: pos }),
            }
            if self.kind_bytes == JAVA_BLOCK_AT {
                self.java_block = byte;
            }
            pos += 1;
            self.kind_bytes += 1;
            if self.kind.is_some() && self.kind_bytes >= self.kind_length() {
                self.kind_is_whole();
                return Ok(pos);
            }
        }
        Ok(pos)
    }

    fn kind_is_whole(&mut self) {
        match self.kind {
            Some(2) => self.part = BodyPart::Whole,
            Some(5) => self.begin_value(BodyPart::Attachments),
            _ => self.begin_value(BodyPart::Value),
        }
    }

    fn begin_value(&mut self, part: BodyPart) {
        self.part = part;
        match self.serialization {
            Some(Serialization::Hessian2) => {}
            Some(Serialization::Native) => self.native.begin(),
            Some(Serialization::FastJson) => self.json.begin(),
            Some(Serialization::FastJson2) => self.jsonb.begin(),
            Some(Serialization::Java) => self.java_begins(),
            None => self.part = BodyPart::Unread,
        }
    }

    /// A value is an object; the attachments come behind a block that marks them as not null.
    fn java_begins(&mut self) {
        if self.part == BodyPart::Attachments && self.kind != Some(5) {
            self.java_left = 2;
            self.java.next();
        } else {
            self.java_left = 1;
            self.java.begin();
        }
    }

    fn feed_java(&mut self, input: &[u8]) -> Result<Fed, Wrong> {
        let mut consumed = 0;
        while self.java_left > 0 {
            let fed = self.java.feed(&input[consumed..]).map_err(|broken| {
                self.beyond = broken.kind.is_own_limit();
                Wrong { at: consumed + broken.at }
            })?;
            consumed += fed.consumed;
            if !fed.done {
                break;
            }
            self.java_left -= 1;
            self.java.next();
        }
        Ok(Fed { consumed, done: self.java_left == 0 })
    }

    /// Bytes that the kind takes.
    fn kind_length(&self) -> usize {
        match self.serialization {
            Some(Serialization::FastJson) => 2,
            Some(Serialization::FastJson2) => 6,
            Some(Serialization::Java) => JAVA_BLOCK_AT + 1 + usize::from(self.java_block),
            _ => 1,
        }
    }

    fn feed_value(&mut self, input: &[u8]) -> Result<usize, Wrong> {
        let Fed { consumed, done } = match self.serialization {
            Some(Serialization::Hessian2) => self.hessian.feed(input)?,
            Some(Serialization::Native) => self.native.feed(input)?,
            Some(Serialization::FastJson) => self.json.feed(input)?,
            Some(Serialization::FastJson2) => self.jsonb.feed(input)?,
            _ => self.feed_java(input)?,
        };
        if self.part == BodyPart::Value {
            self.keep_said(&input[..consumed]);
        }
        if done {
            match self.part {
                _ if self.is_uncertain() => self.part = BodyPart::Unread,
                BodyPart::Value if self.kind >= Some(3) => self.begin_value(BodyPart::Attachments),
                _ => self.part = BodyPart::Whole,
            }
        }
        Ok(consumed)
    }
}

/// Meaning of a byte where the reply's kind is written.
enum KindByte {
    Kind(u8),
    Skipped,
    Wrong,
}

/// The byte at `at`, of those that the kind takes. Java's stream header and the head of its first block come before it,
/// in JSONB a length and the mark of a `byte`; in JSON the line's end comes behind it.
fn kind_byte(serialization: Option<Serialization>, at: usize, byte: u8) -> KindByte {
    let skipped = |right: bool| if right { KindByte::Skipped } else { KindByte::Wrong };
    match (serialization, at) {
        (Some(Serialization::Hessian2), _) => KindByte::Kind(byte.wrapping_sub(0x90)),
        (Some(Serialization::Native), _) => KindByte::Kind(byte.wrapping_sub(native::ZERO)),
        (Some(Serialization::FastJson), 0) => KindByte::Kind(byte.wrapping_sub(b'0')),
        (Some(Serialization::FastJson), _) => skipped(byte == b'\n'),
        (Some(Serialization::FastJson2), 0..=4) => skipped(byte == [0, 0, 0, 2, 0xbd][at]),
        (Some(Serialization::Java), 0..=4) => skipped(byte == [0xac, 0xed, 0, 5, 0x77][at]),
        (Some(Serialization::Java), JAVA_BLOCK_AT) => skipped((1..=2).contains(&byte)),
        // Whether the value that follows is null, which that of a kind with a value is not.
        (Some(Serialization::Java), 7) => skipped(byte == 1),
        _ => KindByte::Kind(byte),
    }
}
