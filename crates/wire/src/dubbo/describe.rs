//! Frames for a reader: `--debug`.

use super::exception::{printable, text_of};
use super::frame::{HEADER, Header, MAGIC};
use super::walk::{JsonWalk, JsonbWalk, NativeWalk};
use super::{EXCEPTION, STATUS_OK, Serialization, code_name};
use crate::hessian::{Fed, Wrong, v2};
use crate::java;

/// Most frames that are described.
const FRAMES_MAX: usize = 16;

/// Most values of a body that are described.
const VALUES_MAX: usize = 32;

/// Most characters of a value that are shown.
const SHOWN_MAX: usize = 200;

/// Bytes of which a value that is not text is shown in hexadecimal.
const HEX_MAX: usize = 24;

/// First bytes of a request's body.
const PARTS: [&str; 5] = ["dubbo version", "path", "version", "method", "parameter types"];

/// The frames in `bytes`, which were sent or came, line by line: the header by the names of its fields, the body by its
/// values. What is cut short is described as far as it goes.
pub fn describe(sent: bool, bytes: &[u8]) -> Vec<String> {
    let (mut lines, mut rest) = (Vec::new(), bytes);
    for _ in 0..FRAMES_MAX {
        let Some((head, after)) = rest.split_first_chunk::<HEADER>() else { break };
        if !head.starts_with(&MAGIC) {
            break;
        }
        let header = Header::of(head);
        let (body, next) = after.split_at(after.len().min(header.length as usize));
        lines.push(header_line(sent, header));
        body_lines(header, body, &mut lines);
        if body.len() < header.length as usize {
            lines.push(format!("  {} bytes of the body are missing", header.length as usize - body.len()));
        }
        rest = next;
    }
    if !rest.is_empty() {
        lines.push(format!("{} bytes: {}", rest.len(), shown(None, rest)));
    }
    lines
}

fn header_line(sent: bool, header: Header) -> String {
    let direction = if sent { "sent" } else { "received" };
    let what = match (header.is_request(), header.is_event()) {
        (true, true) => "event",
        (true, false) => "request",
        (false, true) => "reply to an event",
        (false, false) => "reply",
    };
    let wanted = if header.is_request() && !header.wants_reply() { ", one-way" } else { "" };
    let number = header.serialization();
    let serialization = Serialization::of_number(number).map_or("unknown", Serialization::name);
    let status = match (header.is_request(), code_name(u16::from(header.status))) {
        (true, _) => String::new(),
        (false, Some(name)) if u16::from(header.status) != EXCEPTION => {
            format!(", status {} ({name})", header.status)
        }
        (false, _) => format!(", status {}", header.status),
    };
    format!(
        "{direction} {what}{wanted}, serialization {number} ({serialization}){status}, number {:#x}, body {} bytes",
        header.id, header.length
    )
}

fn body_lines(header: Header, body: &[u8], lines: &mut Vec<String>) {
    let serialization = Serialization::of_number(header.serialization());
    if serialization == Some(Serialization::Java) {
        let told = java::describe(body).into_iter().take(VALUES_MAX);
        return lines.extend(told.map(|line| format!("  {line}")));
    }
    let (values, rest) = serialization.map_or((Vec::new(), body), |serialization| split(serialization, body));
    let last = values.len().saturating_sub(1);
    for (at, value) in values.iter().enumerate() {
        let call = !header.is_event();
        let name = match (header.is_request() && call, header.status) {
            (true, _) if at < PARTS.len() => PARTS[at].to_owned(),
            (true, _) if at == last && rest.is_empty() => "attachments".to_owned(),
            (true, _) => format!("argument {}", at - PARTS.len() + 1),
            (false, STATUS_OK) if call => {
                ["kind", "value", "attachments"].get(at).copied().unwrap_or("?").to_owned()
            }
            _ => "value".to_owned(),
        };
        lines.push(format!("  {name}: {}", shown(serialization, value)));
    }
    if !rest.is_empty() {
        lines.push(format!("  {} bytes: {}", rest.len(), shown(None, rest)));
    }
}

/// The values of a body, and what could not be split.
fn split(serialization: Serialization, body: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let (mut hessian, mut native) = (v2::Walker::new(), NativeWalk::default());
    let (mut values, mut rest) = (Vec::new(), body);
    while !rest.is_empty() && values.len() < VALUES_MAX {
        let fed: Result<Fed, Wrong> = match serialization {
            Serialization::Hessian2 => hessian.feed(rest),
            Serialization::Native => {
                native.begin();
                native.feed(rest)
            }
            Serialization::FastJson => {
                let mut json = JsonWalk::default();
                json.begin();
                json.feed(rest)
            }
            Serialization::FastJson2 => {
                let mut jsonb = JsonbWalk::default();
                jsonb.begin();
                jsonb.feed(rest)
            }
            Serialization::Java => break,
        };
        let Ok(Fed { consumed, done: true }) = fed else { break };
        let (value, after) = rest.split_at(consumed);
        values.push(value);
        rest = after;
    }
    (values, rest)
}

/// A value for a reader: a text as it is, anything else by the texts in it, or in hexadecimal when it is short.
fn shown(serialization: Option<Serialization>, value: &[u8]) -> String {
    let text = match serialization {
        Some(Serialization::FastJson) => Some(String::from_utf8_lossy(value).trim_end().to_owned()),
        Some(Serialization::Java) | None => None,
        Some(serialization) => text_of(serialization, value).map(|text| format!("{text:?}")),
    };
    let mut text = text.unwrap_or_else(|| {
        let hex = || value.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        if value.len() <= HEX_MAX { hex() } else { printable(&value[..value.len().min(4 * SHOWN_MAX)]) }
    });
    if text.len() > SHOWN_MAX {
        text.truncate(text.floor_char_boundary(SHOWN_MAX));
        text.push('…');
    }
    text
}
