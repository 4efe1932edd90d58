//! Both directions in readable lines.

use super::codes::{self, ANSWER_HEADERS, FROM_CONTAINER, HEADER, NULL, REQUEST_HEADERS, TO_CONTAINER};
use std::fmt::Write;

/// Most lines that are written.
const LINES_MAX: usize = 500;
/// Most characters of a text that are shown.
const TEXT_MAX: usize = 200;
/// Most bytes that are shown in hexadecimal digits.
const HEX_MAX: usize = 32;
/// Placeholder for the secret.
const HIDDEN: &str = "***";

/// The packets in `bytes`, which were sent to the container or came from it, one or more lines each. Long texts are
/// cut, and after 500 lines it ends. The secret is shown as `***`; and so that it is not shown otherwise, sent bytes
/// that are not packets, or are behind what cannot be read in one, are counted only.
pub fn describe(sent: bool, bytes: &[u8]) -> Vec<String> {
    let mut lines = Lines(Vec::new());
    let magic = if sent { TO_CONTAINER } else { FROM_CONTAINER };
    let mut rest = bytes;
    while !rest.is_empty() && lines.has_room() {
        let Some(([first, second, high, low], content)) = rest.split_first_chunk::<4>() else {
            lines.odd(sent && !magic.starts_with(&rest[..rest.len().min(2)]), "cut packet", rest);
            break;
        };
        if [*first, *second] != magic {
            lines.odd(sent, "not a packet", rest);
            break;
        }
        let size = usize::from(u16::from_be_bytes([*high, *low]));
        let (content, after) = content.split_at(size.min(content.len()));
        rest = after;
        let mut fields = Fields(content);
        let known = if sent {
            to_container(&mut fields, size, &mut lines)
        } else {
            from_container(&mut fields, &mut lines)
        };
        if content.len() < size {
            lines.push(format!("  (cut: {} of the packet's {size} bytes)", content.len()));
        }
        if known.is_none() || !fields.0.is_empty() {
            let unreadable = known.is_some() || content.len() == size;
            lines.odd(sent && (unreadable || fields.0.len() > HEX_MAX), "  unreadable", fields.0);
        }
    }
    if !lines.has_room() {
        lines.0.truncate(LINES_MAX);
        lines.0.push("… and more".to_owned());
    }
    lines.0
}

struct Lines(Vec<String>);

impl Lines {
    /// True if the next line may still be shown, or the remark that there are more than are shown.
    fn has_room(&self) -> bool {
        self.0.len() <= LINES_MAX
    }

    fn push(&mut self, line: String) {
        if self.has_room() {
            self.0.push(line);
        }
    }

    /// A line about bytes that could not be read; `hidden` leaves them out.
    fn odd(&mut self, hidden: bool, what: &str, bytes: &[u8]) {
        let count = bytes.len();
        if hidden || count == 0 {
            return self.push(format!("{what}: {count} bytes"));
        }
        let mut line = format!("{what}: {count} bytes:");
        for byte in &bytes[..count.min(HEX_MAX)] {
            let _ = write!(line, " {byte:02x}");
        }
        if count > HEX_MAX {
            line.push_str(" …");
        }
        self.push(line);
    }
}

/// Rest of a packet's content. Reading takes nothing when the field is not whole.
#[derive(Clone)]
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn peek(&self) -> Option<u16> {
        self.0.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
    }

    fn number(&mut self) -> Option<u16> {
        let number = self.peek()?;
        self.0 = &self.0[2..];
        Some(number)
    }

    fn string(&mut self) -> Option<String> {
        let size = self.peek()?;
        if size == NULL {
            self.0 = &self.0[2..];
            return Some("(null)".to_owned());
        }
        let end = 2 + usize::from(size);
        let text = self.0.get(2..end).filter(|_| self.0.get(end) == Some(&0))?;
        self.0 = &self.0[end + 1..];
        Some(shown(&String::from_utf8_lossy(text)))
    }

    /// A header or attribute by name.
    fn header(&mut self, names: &[&str]) -> Option<String> {
        let mut ahead = self.clone();
        let code = ahead.peek().filter(|code| code & 0xff00 == HEADER);
        let name = match code {
            Some(code) => {
                ahead.number()?;
                let known = usize::from(code & 0xff).checked_sub(1).and_then(|index| names.get(index));
                known.map_or_else(|| format!("header {code:#06x}"), |name| (*name).to_owned())
            }
            None => ahead.string()?,
        };
        let value = ahead.string()?;
        *self = ahead;
        Some(format!("  {name}: {value}"))
    }
}

/// A text without control bytes, cut.
fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(TEXT_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(TEXT_MAX).is_some() {
        out.push('…');
    }
    out
}

/// Size of a body's content, and the content if it is text.
fn content(what: &str, bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(4 * TEXT_MAX)];
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // A character that is cut at the end.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => "",
    };
    let printable = |char: char| !char.is_control() || matches!(char, '\t' | '\r' | '\n');
    if text.is_empty() || !text.chars().all(printable) {
        return format!("{what}, {} bytes, not text", bytes.len());
    }
    format!("{what}, {} bytes: {}", bytes.len(), shown(text))
}

/// `None` when the packet of `size` bytes could not be read to its end.
fn to_container(fields: &mut Fields<'_>, size: usize, lines: &mut Lines) -> Option<()> {
    let all = fields.0;
    if is_request(all) {
        return forward_request(fields, lines);
    }
    if all == [codes::CPING] {
        fields.byte();
        lines.push("ping".to_owned());
    } else if size == 0 {
        lines.push("body packet, empty: there is no more".to_owned());
    } else if fields.peek().is_some_and(|length| usize::from(length) + 2 == size) {
        lines.push(content("body packet", &all[2..]));
        fields.0 = &[];
    } else {
        lines.push(format!("packet of {size} bytes, neither a request nor a body"));
        return None;
    }
    Some(())
}

/// True if it begins as a request does. A body's packet has no code, and its length can begin with that of a request.
fn is_request(content: &[u8]) -> bool {
    const PROTOCOL: &[u8] = b"\0\x08HTTP/1.";
    let protocol = content.get(2..).unwrap_or_default();
    let seen = protocol.len().min(PROTOCOL.len());
    content.first() == Some(&codes::FORWARD_REQUEST) && protocol[..seen] == PROTOCOL[..seen]
}

fn forward_request(fields: &mut Fields<'_>, lines: &mut Lines) -> Option<()> {
    let mut line = |text: String| lines.push(text);
    let _code = fields.byte()?;
    let method = match fields.byte()? {
        codes::METHOD_STORED => "(stored method)",
        code => usize::from(code)
            .checked_sub(1)
            .and_then(|index| codes::METHODS.get(index))
            .unwrap_or(&"(no method)"),
    };
    line(format!("forward request: {method}"));
    let protocol = fields.string()?;
    let path = fields.string()?;
    line(format!("  {path} {protocol}"));
    let (address, name) = (fields.string()?, fields.string()?);
    line(format!("  client {address}, name {name}"));
    let (server, port) = (fields.string()?, fields.number()?);
    let tls = if fields.byte()? != 0 { "with" } else { "without" };
    line(format!("  server {server}, port {port}, {tls} TLS"));
    for _ in 0..fields.number()? {
        line(fields.header(&REQUEST_HEADERS)?);
    }
    while let Some(text) = attribute(fields)? {
        line(text);
    }
    Some(())
}

/// The next attribute; the inner `None` at their end. Nothing of one that is not whole is left, for it may be the
/// secret.
fn attribute(fields: &mut Fields<'_>) -> Option<Option<String>> {
    let text = match fields.byte()? {
        codes::ARE_DONE => return Some(None),
        codes::SSL_KEY_SIZE => fields.number().map(|bits| format!("  ssl_key_size: {bits}")),
        codes::REQ_ATTRIBUTE => {
            fields.string().zip(fields.string()).map(|(name, value)| format!("  attribute {name}: {value}"))
        }
        codes::SECRET => fields.string().map(|_| format!("  secret: {HIDDEN}")),
        code => match codes::ATTRIBUTES.iter().find(|(known, _)| *known == code) {
            Some((_, name)) => fields.string().map(|value| format!("  {name}: {value}")),
            None => fields.string().map(|_| format!("  attribute {code}: {HIDDEN}")),
        },
    };
    if text.is_none() {
        fields.0 = &[];
    }
    text.map(Some)
}

/// `None` when the packet could not be read to its end.
fn from_container(fields: &mut Fields<'_>, lines: &mut Lines) -> Option<()> {
    let mut line = |text: String| lines.push(text);
    match fields.clone().byte()? {
        codes::SEND_HEADERS => {
            fields.byte();
            let status = fields.number()?;
            line(format!("send headers: {status} {}", fields.string()?));
            for _ in 0..fields.number()? {
                line(fields.header(&ANSWER_HEADERS)?);
            }
        }
        codes::SEND_BODY_CHUNK => {
            fields.byte();
            let size = usize::from(fields.number()?);
            let chunk = &fields.0[..size.min(fields.0.len())];
            line(if size == 0 {
                "body chunk, empty: flush".to_owned()
            } else {
                content("body chunk", chunk)
            });
            fields.0 = &fields.0[chunk.len()..];
            if fields.0 == [0] {
                fields.0 = &[];
            }
        }
        codes::END_RESPONSE => {
            fields.byte();
            let reuse = if fields.byte()? == 0 { "no" } else { "yes" };
            line(format!("end response, reuse {reuse}"));
        }
        codes::GET_BODY_CHUNK => {
            fields.byte();
            line(format!("get body chunk, at most {} bytes", fields.number()?));
        }
        codes::CPONG => {
            fields.byte();
            line("pong".to_owned());
        }
        code => {
            line(format!("packet with code {code}, which the protocol does not have"));
            return None;
        }
    }
    Some(())
}
