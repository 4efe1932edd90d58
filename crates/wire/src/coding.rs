//! Content codings of HTTP (RFC 9110 section 8.4.1), undone from the beginning of a body on.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, ErrorKind, Read};

/// Longest Content-Encoding that is read, in bytes; all known codings together are shorter.
const CODINGS_MAX: usize = 64;

/// Largest window of a frame of zstd, in bytes: what HTTP allows (RFC 9659 section 3).
const WINDOW_MAX: u64 = 8 << 20;

/// The first bytes of a body without its codings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    pub bytes: Vec<u8>,
    /// True if there are no more.
    pub whole: bool,
}

/// Reason for which the codings of a body cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecoded {
    /// One of them is not known here, or wants more memory than it gets. The body may be right.
    Unknown,
    /// The body is not what one of them makes, or ends before that does.
    Broken,
}

/// Undoes the codings that a Content-Encoding names, up to `most` bytes of each step. `body` is all of it, or else (not
/// `whole`) its beginning.
///
/// # Errors
/// See [`Undecoded`]. What comes after the first `most` bytes is not examined.
pub fn decoded(codings: &[u8], body: &[u8], whole: bool, most: usize) -> Result<Decoded, Undecoded> {
    if codings.len() > CODINGS_MAX {
        return Err(Undecoded::Unknown);
    }
    let mut last = Decoded { bytes: body.to_vec(), whole };
    // Answers without a body announce the coding that it would have.
    if body.is_empty() {
        return Ok(last);
    }
    // The last of the list was applied last.
    let names = codings.rsplit(|&byte| byte == b',').map(|name| name.trim_ascii().to_ascii_lowercase());
    for name in names.filter(|name| !name.is_empty() && name != b"identity") {
        last = undone(&name, &last, most)?;
    }
    Ok(last)
}

fn undone(name: &[u8], Decoded { bytes: body, whole }: &Decoded, most: usize) -> Result<Decoded, Undecoded> {
    let mut bytes = Vec::new();
    let room = most as u64 + 1;
    let body = body.as_slice();
    let read = match name {
        b"gzip" | b"x-gzip" => MultiGzDecoder::new(body).take(room).read_to_end(&mut bytes),
        b"deflate" if is_zlib(body) => ZlibDecoder::new(body).take(room).read_to_end(&mut bytes),
        // What many servers send, against the standard.
        b"deflate" => DeflateDecoder::new(body).take(room).read_to_end(&mut bytes),
        b"br" => brotli(body, most + 1, &mut bytes),
        b"zstd" => frames(body, most + 1, &mut bytes),
        _ => return Err(Undecoded::Unknown),
    };
    let cut = bytes.len() > most;
    bytes.truncate(most);
    match read.map_err(|error| error.kind()) {
        Ok(_) => Ok(Decoded { bytes, whole: *whole && !cut }),
        Err(ErrorKind::Unsupported) => Err(Undecoded::Unknown),
        Err(ErrorKind::UnexpectedEof | ErrorKind::Other) if !whole => Ok(Decoded { bytes, whole: false }),
        Err(_) => Err(Undecoded::Broken),
    }
}

/// True if a body begins with the header of zlib (RFC 1950 section 2.2).
fn is_zlib(body: &[u8]) -> bool {
    let [method, flags, ..] = *body else { return false };
    method & 0x0f == 8 && u16::from_be_bytes([method, flags]).is_multiple_of(31)
}

/// Decodes up to `room` bytes of Brotli (RFC 7932).
fn brotli(body: &[u8], room: usize, out: &mut Vec<u8>) -> io::Result<usize> {
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let (mut unread, mut left, mut read, mut written) = (body.len(), room, 0, 0);
    out.resize(room, 0);
    let result = BrotliDecompressStream(
        &mut unread,
        &mut read,
        body,
        &mut left,
        &mut written,
        out,
        &mut 0,
        &mut state,
    );
    out.truncate(written);
    match result {
        BrotliResult::ResultSuccess | BrotliResult::NeedsMoreOutput => Ok(written),
        BrotliResult::NeedsMoreInput => Err(ErrorKind::UnexpectedEof.into()),
        BrotliResult::ResultFailure => Err(ErrorKind::InvalidData.into()),
    }
}

/// Decodes frames of zstd (RFC 8878 section 3.1) until there are `room` bytes. What breaks off within a frame is told
/// as [`ErrorKind::Other`].
fn frames(mut body: &[u8], room: usize, out: &mut Vec<u8>) -> io::Result<usize> {
    while !body.is_empty() && out.len() < room {
        let mut frame = match StreamingDecoder::new_with_max_window_size(&mut body, WINDOW_MAX) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                body = body.get(length as usize..).ok_or(ErrorKind::UnexpectedEof)?;
                continue;
            }
            Err(FrameDecoderError::WindowSizeTooBig { .. } | FrameDecoderError::DictNotProvided { .. }) => {
                return Err(ErrorKind::Unsupported.into());
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_))) => {
                return Err(ErrorKind::InvalidData.into());
            }
            Err(_) => return Err(ErrorKind::Other.into()),
        };
        let left = (room - out.len()) as u64;
        frame.by_ref().take(left).read_to_end(out)?;
        let decoder = frame.into_frame_decoder();
        let sums = decoder.get_checksum_from_data().zip(decoder.get_calculated_checksum());
        if decoder.can_collect() == 0 && sums.is_some_and(|(said, found)| said != found) {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    Ok(out.len())
}

/// Keeps the value of a line of a head, behind a comma after others, if it is a Content-Encoding.
pub(crate) fn keep(line: &[u8], kept: &mut Vec<u8>) {
    const NAME: &[u8] = b"content-encoding:";
    let Some((name, value)) = line.split_at_checked(NAME.len()) else { return };
    if name.eq_ignore_ascii_case(NAME) {
        // One byte more than is read, and it is known to be too long.
        let room = (CODINGS_MAX + 1).saturating_sub(kept.len());
        let separator: &[u8] = if kept.is_empty() { b"" } else { b"," };
        kept.extend(separator.iter().chain(value.trim_ascii()).take(room));
    }
}

#[cfg(test)]
mod tests;
