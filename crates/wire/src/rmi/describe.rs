//! Text about the bytes of a connection, for the user.

use super::{GREETING, UID_LEN, message};
use crate::java::{self, STREAM_HEADER};

/// Bytes of a call's head: the object's identifier, operation and hash.
const CALL_HEAD_LEN: usize = 8 + UID_LEN + 4 + 8;

/// Content of bytes that were sent or received, a line for each message and, indented, for each value of it. They must
/// begin with a message or a handshake. Parts that are cut short or unknown are described as such.
pub fn describe(sent: bool, bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = bytes;
    if let Some(after) = rest.strip_prefix(GREETING) {
        lines.push("JRMI version 2, StreamProtocol".to_owned());
        rest = after;
    }
    let greeted = rest.len() < bytes.len() && !rest.is_empty();
    if sent && (greeted || rest.first() == Some(&0)) {
        rest = endpoint("endpoint", rest, &mut lines);
    }
    while let Some((first, after)) = rest.split_first() {
        rest = match (*first, sent) {
            (message::PROTOCOL_ACK, false) => endpoint("acknowledged; the server sees", after, &mut lines),
            (message::NOT_SUPPORTED, false) => {
                lines.push("the protocol is not supported".to_owned());
                after
            }
            (message::CALL, true) => stream("call", after, &mut lines, call_head),
            (message::RETURN, false) => stream("return", after, &mut lines, return_head),
            (message::PING, true) => {
                lines.push("ping".to_owned());
                after
            }
            (message::PING_ACK, false) => {
                lines.push("answer to a ping".to_owned());
                after
            }
            (message::DGC_ACK, true) => {
                let (uid, after) = after.split_at(UID_LEN.min(after.len()));
                lines.push(format!("acknowledges remote references of {}", hex(uid)));
                after
            }
            _ => {
                let begin = &rest[..rest.len().min(16)];
                lines.push(format!("{} bytes that are no message: {}", rest.len(), begin.escape_ascii()));
                break;
            }
        };
    }
    lines
}

fn endpoint<'a>(what: &str, bytes: &'a [u8], lines: &mut Vec<String>) -> &'a [u8] {
    let parsed = bytes.split_first_chunk::<2>().and_then(|(len, rest)| {
        let (host, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*len)))?;
        let (port, rest) = rest.split_first_chunk::<4>()?;
        Some((host, u32::from_be_bytes(*port), rest))
    });
    if let Some((host, port, rest)) = parsed {
        lines.push(format!("{what} {} port {port}", String::from_utf8_lossy(host)));
        return rest;
    }
    lines.push(format!("{what}, cut short"));
    &[]
}

/// The stream of a message, with the head that it begins with in its first block.
fn stream<'a>(
    what: &str,
    bytes: &'a [u8],
    lines: &mut Vec<String>,
    head: fn(&[u8]) -> Option<(String, usize)>,
) -> &'a [u8] {
    let (told, len) = java::describe_from(bytes);
    let block = bytes.strip_prefix(&STREAM_HEADER).and_then(|rest| rest.strip_prefix(&[0x77]));
    let block = block.and_then(|rest| rest.get(1..1 + usize::from(*rest.first()?)));
    let Some((block, (text, head_len))) = block.and_then(|block| Some((block, head(block)?))) else {
        lines.push(what.to_owned());
        lines.extend(told.into_iter().map(|line| format!("  {line}")));
        return &bytes[len..];
    };
    lines.push(format!("{what} {text}"));
    if block.len() > head_len {
        lines.push(format!("  primitives {}", hex(&block[head_len..])));
    }
    lines.extend(told.into_iter().skip(1).map(|line| format!("  {line}")));
    &bytes[len..]
}

fn call_head(block: &[u8]) -> Option<(String, usize)> {
    let head = block.get(..CALL_HEAD_LEN)?;
    let (id, method) = head.split_at(8 + UID_LEN);
    let (operation, hash) = method.split_first_chunk::<4>()?;
    let operation = i32::from_be_bytes(*operation);
    Some((format!("of object {}, operation {operation}, hash {}", hex(id), hex(hash)), CALL_HEAD_LEN))
}

fn return_head(block: &[u8]) -> Option<(String, usize)> {
    let (how, uid) = block.get(..1 + UID_LEN)?.split_first()?;
    let how = match how {
        1 => "of a value",
        2 => "of an exception",
        _ => "of an unknown kind",
    };
    Some((format!("{how}, {}", hex(uid)), 1 + UID_LEN))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
