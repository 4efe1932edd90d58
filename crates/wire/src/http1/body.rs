//! Bodies: by length, chunked with trailers, or until the connection closes (RFC 9112 sections 6 and 7).
//!
//! Every byte of a body and of the chunked coding is consumed at once; only an unfinished line of the
//! trailers is left with the caller.

use super::Limits;
use super::fields::Fields;
use super::lines::{Fault, Lines, is_control};
use crate::MalformedKind;
use crate::scan::{Fed, count_work};

/// Destination of a body's bytes: counted, and the first of them kept.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    /// Bytes after transfer decoding.
    pub count: u64,
    /// Most bytes that are kept.
    pub keep: usize,
    /// The bytes kept.
    pub kept: Vec<u8>,
}

impl Sink {
    /// Counts from zero; the first `keep` bytes will be kept. Those of the last body were taken away.
    #[inline]
    pub fn begin(&mut self, keep: usize) {
        self.count = 0;
        self.keep = keep;
    }

    /// Takes the next bytes of the body.
    #[inline]
    pub fn take(&mut self, bytes: &[u8]) {
        self.count += bytes.len() as u64;
        if self.kept.len() < self.keep {
            let room = self.keep - self.kept.len();
            self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}

/// End of a body, and how far it is.
#[derive(Debug, Default)]
pub(crate) enum Body {
    /// This many bytes are still to come.
    Length(u64),
    Chunked(Chunked),
    /// The end of the connection ends it.
    #[default]
    UntilClose,
}

impl Body {
    /// Decodes what it can of `input`, whose first byte is byte `at` of the connection.
    #[inline]
    pub fn feed(&mut self, input: &[u8], at: u64, limits: &Limits, sink: &mut Sink) -> Result<Fed, Fault> {
        match self {
            Body::Length(left) => {
                let taken = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
                sink.take(&input[..taken]);
                *left -= taken as u64;
                Ok(Fed { consumed: taken, done: *left == 0 })
            }
            Body::Chunked(chunked) => chunked.feed(input, at, limits, sink),
            Body::UntilClose => {
                let room = limits.body_max - sink.count;
                if input.len() as u64 > room {
                    return Err(Fault { at: at + room, kind: MalformedKind::BodyTooLong });
                }
                sink.take(input);
                Ok(Fed { consumed: input.len(), done: false })
            }
        }
    }
}

/// Position of the next byte in the chunked coding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Coding {
    /// Before the first digit of a size.
    #[default]
    Start,
    /// After a digit of a size.
    Size,
    /// In white space after a size.
    Pad,
    /// In an extension of a chunk, which is skipped.
    Extension,
    /// Before the LF that ends a size line.
    SizeLf,
    Content,
    /// Before the CR that ends a chunk.
    EndCr,
    /// Before the LF that ends a chunk.
    EndLf,
    Trailers,
}

/// The decoder of the chunked coding (RFC 9112 section 7.1).
#[derive(Debug, Default)]
pub(crate) struct Chunked {
    place: Coding,
    /// The size being read, then the bytes of the chunk still to come.
    size: u64,
    /// Bytes of the size line so far.
    line_len: usize,
    /// Beginning of the size line.
    line_at: u64,
    lines: Lines,
    trailers: Fields,
}

impl Chunked {
    fn feed(&mut self, input: &[u8], at: u64, limits: &Limits, sink: &mut Sink) -> Result<Fed, Fault> {
        let mut pos = 0;
        while pos < input.len() {
            match self.place {
                Coding::Content => {
                    let rest = &input[pos..];
                    let taken = usize::try_from(self.size).map_or(rest.len(), |size| size.min(rest.len()));
                    sink.take(&rest[..taken]);
                    self.size -= taken as u64;
                    pos += taken;
                    if self.size == 0 {
                        self.place = Coding::EndCr;
                    }
                }
                Coding::Trailers => {
                    let take = |line: &[u8], at| self.trailers.syntax(line, at).map(drop);
                    let fed = self.lines.each(&input[pos..], at + pos as u64, limits.head_max, take)?;
                    return Ok(Fed { consumed: pos + fed.consumed, done: fed.done });
                }
                _ => {
                    count_work(1);
                    self.coding(input[pos], at + pos as u64, limits, sink.count)?;
                    pos += 1;
                }
            }
        }
        Ok(Fed { consumed: pos, done: false })
    }

    /// Takes one byte of the coding itself.
    fn coding(&mut self, byte: u8, at: u64, limits: &Limits, body: u64) -> Result<(), Fault> {
        let wrong = Fault { at, kind: MalformedKind::Chunk };
        match self.place {
            Coding::EndCr if byte == b'\r' => {
                self.place = Coding::EndLf;
                return Ok(());
            }
            Coding::EndLf if byte == b'\n' => {
                self.place = Coding::Start;
                return Ok(());
            }
            Coding::EndCr | Coding::EndLf => return Err(wrong),
            Coding::Start => {
                self.size = 0;
                self.line_len = 0;
                self.line_at = at;
            }
            _ => {}
        }
        self.line_len += 1;
        if self.line_len > limits.head_max {
            return Err(Fault { at, kind: MalformedKind::HeadTooLong });
        }
        self.place = match (self.place, byte) {
            (Coding::Start | Coding::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = (byte as char).to_digit(16).expect("the pattern allows hexadecimal digits only");
                self.size = self.size.checked_mul(16).ok_or(wrong)? | u64::from(digit);
                Coding::Size
            }
            (Coding::Size | Coding::Pad, b' ' | b'\t') => Coding::Pad,
            (Coding::Size | Coding::Pad, b';') => Coding::Extension,
            (Coding::Size | Coding::Pad | Coding::Extension, b'\r') => Coding::SizeLf,
            (Coding::Extension, byte) if !is_control(byte) => Coding::Extension,
            (Coding::SizeLf, b'\n') if self.size == 0 => Coding::Trailers,
            (Coding::SizeLf, b'\n') if self.size > limits.body_max.saturating_sub(body) => {
                return Err(Fault { at: self.line_at, kind: MalformedKind::BodyTooLong });
            }
            (Coding::SizeLf, b'\n') => Coding::Content,
            _ => return Err(wrong),
        };
        Ok(())
    }
}
