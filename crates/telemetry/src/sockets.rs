//! TCP sockets as the kernel's socket diagnosis shows them (`sock_diag(7)`, `linux/inet_diag.h`).
//!
//! `/proc/net/tcp` has no counters of bytes and takes milliseconds to print; a diagnosis takes a tenth of one, and
//! the kernel filters by port.

use rustix::fd::OwnedFd;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use std::io;

/// Bytes of one answer of the kernel; it fills as much as it is given, up to 32 KiB.
const ANSWER_BYTES: usize = 64 << 10;
/// Most sockets that one dump yields; a machine has fewer ports than that.
const SOCKETS_MAX: usize = 1 << 18;
/// Most ports that the kernel is asked to filter by.
const PORTS_MAX: usize = 16;

const MESSAGE_HEADER: usize = 16;
const REQUEST_BYTES: usize = 56;
const SOCKET_BYTES: usize = 72;
const TYPE_ERROR: u16 = 2;
const TYPE_DONE: u16 = 3;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// A request for all that fit.
const FLAGS_DUMP: u16 = 0x301;
const PROTOCOL_TCP: u8 = 6;
/// Attribute of an answer: `struct tcp_info`; and the bit that asks for it.
const ATTRIBUTE_INFO: u16 = 2;
const ASK_INFO: u8 = 1 << (ATTRIBUTE_INFO - 1);
/// Attribute of a request: the filter.
const ATTRIBUTE_FILTER: u16 = 1;
const FILTER_JUMP: u8 = 1;
const FILTER_LOCAL_PORT_IS: u8 = 11;
/// Offset in `tcp_info` of its counters of bytes.
const INFO_ACKED: usize = 120;
const INFO_RECEIVED: usize = 128;

/// State of a connection, by the kernel's numbers.
pub(super) const ESTABLISHED: u8 = 1;
pub(super) const TIME_WAIT: u8 = 6;
pub(super) const LISTEN: u8 = 10;
const NAMES: [&str; 13] = [
    "unknown",
    "established",
    "syn_sent",
    "syn_received",
    "fin_wait_1",
    "fin_wait_2",
    "time_wait",
    "closed",
    "close_wait",
    "last_ack",
    "listen",
    "closing",
    "syn_received",
];

pub(super) fn state_name(state: u8) -> &'static str {
    NAMES.get(usize::from(state)).copied().unwrap_or(NAMES[0])
}

/// States to ask for, a bit each.
pub(super) const ALL_STATES: u32 = 0x1fff;
pub(super) const LISTENING: u32 = 1 << LISTEN;
/// Those in which a connection has counters of bytes.
pub(super) const CONNECTED: u32 =
    ALL_STATES & !(1 | 1 << 2 | 1 << 3 | 1 << TIME_WAIT | 1 << LISTEN | 1 << 12);

/// True if a socket is one of those.
pub(super) fn is_connected(socket: &Socket) -> bool {
    CONNECTED & (1 << socket.state) != 0
}

/// One socket at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Socket {
    pub state: u8,
    pub local_port: u16,
    pub remote_port: u16,
    /// Tells it from every other socket since the machine started.
    pub cookie: u64,
    /// 0 when no process holds it.
    pub inode: u64,
    /// Bytes not read yet; of a listening socket the connections not accepted yet.
    pub receive_queue: u32,
    /// Payload bytes that the other side has acknowledged, and that were received.
    pub bytes: Option<(u64, u64)>,
}

/// A socket to the kernel's diagnosis.
#[derive(Debug)]
pub(super) struct Diagnosis {
    socket: OwnedFd,
    answer: Vec<u8>,
    sequence: u32,
}

impl Diagnosis {
    pub(super) fn open() -> io::Result<Diagnosis> {
        // The kernel answers while it is asked, so a read that would have to wait is an error.
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(netlink::SOCK_DIAG))?;
        Ok(Diagnosis { socket, answer: vec![0; ANSWER_BYTES], sequence: 0 })
    }

    /// All TCP sockets in these states, of IPv4 and IPv6. With ports only those whose local port is one of them
    /// (if they are few enough for the kernel's filter). `bytes` asks for counters of bytes.
    pub(super) fn dump(&mut self, states: u32, ports: &[u16], bytes: bool) -> io::Result<Vec<Socket>> {
        let mut found = Vec::new();
        for family in [AddressFamily::INET, AddressFamily::INET6] {
            self.sequence = self.sequence.wrapping_add(1);
            let request = request(family.as_raw() as u8, states, ports, bytes, self.sequence);
            send(&self.socket, &request, SendFlags::empty())?;
            // Every answer holds a socket or is the last: at most that many.
            for _ in 0..=SOCKETS_MAX {
                let (length, _) = recv(&self.socket, &mut self.answer[..], RecvFlags::empty())?;
                if parse(&self.answer[..length], self.sequence, &mut found)? {
                    break;
                }
            }
        }
        Ok(found)
    }
}

fn request(family: u8, states: u32, ports: &[u16], bytes: bool, sequence: u32) -> Vec<u8> {
    let filter = match ports.len() {
        1..=PORTS_MAX => filter(ports),
        _ => Vec::new(),
    };
    let attribute = if filter.is_empty() { 0 } else { 4 + filter.len() };
    let mut out = Vec::with_capacity(MESSAGE_HEADER + REQUEST_BYTES + attribute);
    out.extend(((MESSAGE_HEADER + REQUEST_BYTES + attribute) as u32).to_ne_bytes());
    out.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    out.extend(FLAGS_DUMP.to_ne_bytes());
    out.extend(sequence.to_ne_bytes());
    out.extend(0_u32.to_ne_bytes());
    out.extend([family, PROTOCOL_TCP, if bytes { ASK_INFO } else { 0 }, 0]);
    out.extend(states.to_ne_bytes());
    // Ports and addresses of one socket, which a dump leaves empty.
    out.resize(MESSAGE_HEADER + REQUEST_BYTES, 0);
    if attribute > 0 {
        out.extend((attribute as u16).to_ne_bytes());
        out.extend(ATTRIBUTE_FILTER.to_ne_bytes());
        out.extend(filter);
    }
    out
}

/// The kernel's program for "the local port is one of these": a test for each, and after each but the last a
/// jump to the end. A test that fails goes on behind that jump; the last goes beyond the end, which refuses.
fn filter(ports: &[u16]) -> Vec<u8> {
    const TEST: usize = 8;
    const JUMP: usize = 4;
    let mut out = Vec::new();
    let mut operation = |code: u8, yes: usize, no: usize| {
        out.extend([code, yes as u8]);
        out.extend((no as u16).to_ne_bytes());
    };
    for (index, port) in ports.iter().enumerate() {
        operation(FILTER_LOCAL_PORT_IS, TEST, TEST + JUMP);
        // The second half of a test: the port is where other operations have a jump.
        operation(0, 0, usize::from(*port));
        let after = ports.len() - index - 1;
        if after > 0 {
            operation(FILTER_JUMP, JUMP, JUMP + after * TEST + (after - 1) * JUMP);
        }
    }
    out
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "an answer of the kernel's socket diagnosis ends too early")
}

/// Reads one answer of the kernel, which holds whole messages; `true` when it was the last.
fn parse(answer: &[u8], sequence: u32, found: &mut Vec<Socket>) -> io::Result<bool> {
    let mut rest = answer;
    while !rest.is_empty() {
        let length = array(rest, 0).map(u32::from_ne_bytes).ok_or_else(malformed)? as usize;
        let kind = array(rest, 4).map(u16::from_ne_bytes).ok_or_else(malformed)?;
        let of = array(rest, 8).map(u32::from_ne_bytes).ok_or_else(malformed)?;
        let message = rest.get(MESSAGE_HEADER..length).ok_or_else(malformed)?;
        match kind {
            // Left over from an earlier dump that was given up.
            _ if of != sequence => {}
            TYPE_DONE => return Ok(true),
            TYPE_ERROR => {
                let code = array(message, 0).map(i32::from_ne_bytes).ok_or_else(malformed)?;
                return Err(io::Error::from_raw_os_error(code.saturating_neg()));
            }
            SOCK_DIAG_BY_FAMILY if found.len() < SOCKETS_MAX => {
                found.push(parse_socket(message).ok_or_else(malformed)?);
            }
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

fn parse_socket(message: &[u8]) -> Option<Socket> {
    let mut socket = Socket {
        state: *message.get(1)?,
        local_port: u16::from_be_bytes(array(message, 4)?),
        remote_port: u16::from_be_bytes(array(message, 6)?),
        cookie: u64::from(u32::from_ne_bytes(array(message, 44)?))
            | u64::from(u32::from_ne_bytes(array(message, 48)?)) << 32,
        receive_queue: u32::from_ne_bytes(array(message, 56)?),
        inode: u64::from(u32::from_ne_bytes(array(message, 68)?)),
        bytes: None,
    };
    let mut rest = message.get(SOCKET_BYTES..)?;
    while rest.len() >= 4 {
        let length = usize::from(u16::from_ne_bytes(array(rest, 0)?));
        let value = rest.get(4..length)?;
        if u16::from_ne_bytes(array(rest, 2)?) == ATTRIBUTE_INFO {
            // Kernels before 4.1 have no such counters.
            let counter = |at| array(value, at).map(u64::from_ne_bytes);
            socket.bytes = counter(INFO_ACKED).zip(counter(INFO_RECEIVED));
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(socket)
}

#[cfg(test)]
mod tests;
