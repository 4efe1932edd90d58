//! Everything that a peer may send without end.

use super::{Stuck, peak_of, request, session};
use proofload_wire::http1::{Jar, Now, Origin, Scheme};
use proofload_wire::{MalformedKind, Outbox, Protocol, Request, Session, State, ajp};

/// Bytes that come at once.
const PIECE: usize = 16 * 1024;
/// Most that a connection may hold: its outbox, the rest of a request, and what a decoder keeps to find the end of a value.
const HELD_MAX: usize = 512 * 1024;
/// The same of Java's streams, of whose classes a decoder keeps the layout.
const HELD_BY_JAVA_MAX: usize = (2 << 20) + 256 * 1024;
/// The same of a head, the longest line of which is kept until it ends.
const HEAD_HELD_MAX: usize = 2 << 20;

/// Bytes that come once, and those that come again and again behind them.
struct Flood {
    name: &'static str,
    /// True if requests wait for an answer.
    asked: bool,
    before: Vec<u8>,
    again: Vec<u8>,
    /// Its outcome.
    ends: Option<MalformedKind>,
    held_max: usize,
}

fn flood(name: &'static str, before: impl AsRef<[u8]>, again: impl AsRef<[u8]>) -> Flood {
    let (before, again) = (before.as_ref().to_vec(), again.as_ref().to_vec());
    Flood { name, asked: true, before, again, ends: None, held_max: HELD_MAX }
}

impl Flood {
    fn unasked(self) -> Flood {
        Flood { asked: false, ..self }
    }

    fn ends(self, kind: MalformedKind) -> Flood {
        let held_max = if kind == MalformedKind::HeadTooLong { HEAD_HELD_MAX } else { self.held_max };
        Flood { ends: Some(kind), held_max, ..self }
    }

    fn of_java(self) -> Flood {
        Flood { held_max: HELD_BY_JAVA_MAX, ..self }
    }
}

/// An answer of HTTP with a body that does not end soon.
fn body(of: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{of}").into_bytes()
}

fn of_http() -> Vec<Flood> {
    const HEAD: &str = "HTTP/1.1 200 OK\r\n";
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let too_long = MalformedKind::HeadTooLong;
    vec![
        flood("interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n").ends(too_long),
        flood("hints", "", "HTTP/1.1 103 Early\r\nLink: </x>\r\nSet-Cookie: a=b\r\n\r\n").ends(too_long),
        flood("an interim answer", "HTTP/1.1 100 Continue\r\n", "A: b\r\n").ends(too_long),
        flood("headers", HEAD, "X-A: b\r\n").ends(too_long),
        flood("cookies", HEAD, "Set-Cookie: a=b\r\n").ends(too_long),
        flood("a cookie", format!("{HEAD}Set-Cookie: "), "x").ends(too_long),
        flood("places to go", HEAD, "Location: /x\r\n").ends(too_long),
        flood("a place to go", format!("{HEAD}Location: /"), "x").ends(too_long),
        flood("a header", format!("{HEAD}X"), "x").ends(too_long),
        flood("a reason", "HTTP/1.1 200 ", "x").ends(too_long),
        flood("a folded line", format!("{HEAD}X: y\r\n"), " z\r\n").ends(too_long),
        flood("chunks", CHUNKED, "1\r\nx\r\n"),
        flood("an extension", format!("{CHUNKED}1;"), "x").ends(too_long),
        flood("extensions", CHUNKED, "1;x=y\r\nx\r\n"),
        flood("trailers", format!("{CHUNKED}0\r\n"), "X: y\r\n").ends(too_long),
        flood("a trailer", format!("{CHUNKED}0\r\nX: "), "y").ends(too_long),
        flood("a body", body(""), "x"),
        flood("a body without a length", "HTTP/1.1 200 OK\r\n\r\n", "x"),
        flood("answers", "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            .unasked()
            .ends(MalformedKind::Surplus),
    ]
}

/// A packet of AJP.
pub fn packet(content: &[u8]) -> Vec<u8> {
    [b"AB", &(content.len() as u16).to_be_bytes()[..], content].concat()
}

fn of_ajp() -> Vec<Flood> {
    let unread = MalformedKind::Unread;
    let head = packet(b"\x04\x00\xc8\x00\x02OK\x00\x00\x00");
    vec![
        flood("demands for a byte", "", packet(b"\x06\x00\x01")).ends(unread),
        flood("demands for a packet", "", packet(b"\x06\x1f\xfa")).ends(unread),
        flood("demands for nothing", "", packet(b"\x06\x00\x00")).ends(MalformedKind::Packet),
        flood("heads", "", head.clone()).ends(MalformedKind::Packet),
        flood("chunks", head.clone(), packet(b"\x03\x00\x01x\x00")),
        flood("empty chunks", head, packet(b"\x03\x00\x00\x00")),
        flood("answers to pings", "", packet(b"\x09")).unasked().ends(MalformedKind::Surplus),
    ]
}

/// The beginnings of values in Hessian 2, and what goes on in them.
const HESSIAN: &[(&str, &[u8], &[u8])] = &[
    ("lists", b"", b"\x57"),
    ("typed lists", b"", b"\x55\x01a"),
    ("maps", b"", b"H"),
    ("typed maps", b"", b"M\x01a"),
    ("elements", b"\x57", b"\x90"),
    ("references", b"\x57", b"\x51\x90"),
    ("types", b"\x57", b"\x71\x03abc\x90"),
    ("classes", b"", b"C\x03abc\x91\x01a"),
    ("names of fields", b"C\x03abcI\x7f\xff\xff\xff", b"\x01a"),
    ("objects", b"C\x03abc\x91\x01a", b"\x60"),
    ("texts", b"\x57", b"\x01a"),
    ("a text", b"", b"R\x00\x01x"),
    ("bytes", b"", b"A\x00\x01x"),
];

fn of_hessian() -> Vec<Flood> {
    let two = |&(name, before, again): &(&'static str, &[u8], &'static [u8])| {
        flood(name, [&body("H\x02\x00R"), before].concat(), again)
    };
    let one: [(&str, &[u8], &[u8]); 5] = [
        ("lists of version 1", b"r\x01\x00", b"Vt\x00\x01al\x00\x00\x00\x01"),
        ("maps of version 1", b"r\x01\x00", b"Mt\x00\x01a"),
        ("references of version 1", b"r\x01\x00V", b"R\x00\x00\x00\x00"),
        ("a text of version 1", b"r\x01\x00", b"s\x00\x01x"),
        ("a fault of version 1", b"r\x01\x00f", b"S\x00\x01aS\x00\x01b"),
    ];
    let faults = [
        ("a fault", b"H\x02\x00F".as_slice(), b"H".as_slice()),
        ("a fault's words", b"H\x02\x00FH", b"\x04code\x01x"),
    ];
    let others = one.into_iter().chain(faults);
    let others = others.map(|(name, before, again)| flood(name, [&body(""), before].concat(), again));
    HESSIAN.iter().map(two).chain(others).chain(of_http()).collect()
}

fn of_json() -> Vec<Flood> {
    let rows = [
        ("lists", "{\"result\":", "["),
        ("objects", "{\"result\":", "{\"a\":"),
        ("elements", "{\"result\":[", "1,"),
        ("members", "{", "\"a\":1,"),
        ("a text", "{\"result\":\"", "x"),
        ("a name", "{\"", "x"),
        ("escapes", "{\"result\":\"", "\\u00e9"),
        ("a number", "{\"result\":1", "1"),
        ("an error's words", "{\"error\":{\"message\":\"", "x"),
        ("blanks", "", " "),
    ];
    rows.into_iter().map(|(name, before, again)| flood(name, body(before), again)).chain(of_http()).collect()
}

/// The beginnings of values in Java's streams, and what goes on in them.
const JAVA: &[(&str, &[u8], &[u8])] = &[
    (
        "arrays",
        b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\0\0\0\x02",
        b"\x75\x71\x00\x7e\x00\x00\0\0\0\x02",
    ),
    ("texts", b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\x00\x0f\xff\xff", b"\x74\x00\x01a"),
    ("a text", b"\x7c\x00\x00\x00\x00\x00\xff\xff\xff", b"x"),
    ("classes above classes", b"\x73", b"\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\0\x78"),
    (
        "classes",
        b"\x75\x72\x00\x02[L\0\0\0\0\0\0\0\0\x02\0\0\x78\x70\x00\x0f\xff\xff",
        b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\0\0\x78\x70",
    ),
    ("fields", b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x02\xff\xff", b"I\x00\x01a"),
    ("blocks", b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x03\0\0\x78\x70", b"\x77\x01x"),
    ("interfaces", b"\x73\x7d\x00\x00\xff\xff", b"\x00\x01a"),
    (
        "objects beyond a class's fields",
        b"\x73\x72\x00\x01A\0\0\0\0\0\0\0\0\x03\0\0\x78\x70",
        b"\x74\x00\x01a",
    ),
];

fn of_rmi() -> Vec<Flood> {
    const RETURNS: &[u8] = b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const THROWS: &[u8] = b"\x51\xac\xed\0\x05\x77\x0f\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let of = |head: &'static [u8]| {
        JAVA.iter().map(move |&(name, before, again)| flood(name, [head, before].concat(), again).of_java())
    };
    let others = [
        flood("answers", "", [RETURNS, b"\x74\x00\x01a"].concat()),
        flood("exceptions", "", [THROWS, b"\x70"].concat()),
        flood("a block", b"\x51\xac\xed\0\x05\x7a\x7f\xff\xff\xff", b"\x01").ends(MalformedKind::Surplus),
        flood("answers to pings", "", b"\x53").unasked().ends(MalformedKind::Surplus),
    ];
    of(RETURNS).chain(of(THROWS)).chain(others).collect()
}

/// A frame of Dubbo.
pub fn frame(flags: u8, status: u8, id: u64, body: &[u8]) -> Vec<u8> {
    [&[0xda, 0xbb, flags, status][..], &id.to_be_bytes(), &(body.len() as u32).to_be_bytes(), body].concat()
}

/// The beginning of a reply to the first exchange whose body does not end soon.
fn reply(serialization: u8, body: &[u8]) -> Vec<u8> {
    [&[0xda, 0xbb, serialization, 20][..], &0u64.to_be_bytes(), &8_000_000u32.to_be_bytes(), body].concat()
}

fn of_dubbo() -> Vec<Flood> {
    let unread = MalformedKind::Unread;
    let hessian = HESSIAN
        .iter()
        .map(|&(name, before, again)| flood(name, [&reply(2, b"\x91"), before].concat(), again));
    let java = JAVA.iter().map(|&(name, before, again)| {
        flood(name, [&reply(3, b"\xac\xed\0\x05\x77\x01\x01"), before].concat(), again).of_java()
    });
    const JSONB: &[u8] = b"\x00\x00\x00\x02\xbd\x04\x00\x7f\xff\xff";
    const LISTED: &[u8] = b"\x00\x00\x00\x02\xbd\x04\x00\x7f\xff\xff\xa4\x48\x3f\xff\xff\xff";
    const FIELDS: &[u8] = b"\x00\x00\x00\x02\xbd\x04\x00\x7f\xff\xff\xa6";
    let others: [(&str, u8, &[u8], &[u8]); 14] = [
        ("refusals in JSON", 6, b"0\n", b"{\"message\":"),
        ("lists in JSON", 6, b"1\n", b"["),
        ("objects in JSON", 6, b"1\n", b"{\"a\":"),
        ("a text in JSON", 6, b"1\n\"", b"x"),
        ("attachments in JSON", 6, b"4\n", b"{\"a\":1,"),
        ("values within values", 1, b"\x1a", b"\x84"),
        ("classes of Dubbo's own", 1, b"\x1a", b"\x8a\x83\x81a"),
        ("elements of Dubbo's own", 1, b"\x1a\x85\x7f\x7f\x7f\x81", b"\x94"),
        ("texts of Dubbo's own", 1, b"\x1a\x85\x7f\x7f\x7f\x81", b"\x83\x81a"),
        ("lists of JSONB", 23, JSONB, b"\x95"),
        ("objects of JSONB", 23, JSONB, b"\xa6\x4aa"),
        ("elements of JSONB", 23, LISTED, b"\xaf"),
        ("fields of JSONB", 23, FIELDS, b"\x4aa\xaf"),
        ("types of JSONB", 23, LISTED, b"\x92\x4aa\x00\xaf"),
    ];
    let others = others
        .into_iter()
        .map(|(name, number, before, again)| flood(name, [&reply(number, b""), before].concat(), again));
    let beat = frame(0x80 | 0x40 | 0x20 | 2, 0, 7, b"N");
    assert_eq!(beat.len(), 17);
    let alone = [
        flood("heartbeats while something is asked", "", &beat).ends(unread),
        flood("heartbeats", "", &beat).unasked().ends(unread),
        flood("heartbeats of sixteen bytes", "", frame(0x80 | 0x40 | 0x20 | 2, 0, 7, &[b'N'; 16]))
            .unasked()
            .ends(unread),
        flood("heartbeats in no serialization", "", frame(0x80 | 0x40 | 0x20 | 31, 0, 7, b""))
            .unasked()
            .ends(unread),
        flood("heartbeats that want no answer", "", frame(0x80 | 0x20 | 2, 0, 7, b"N")),
        flood("answers to heartbeats", "", frame(0x20 | 2, 20, 7, b"N")),
        flood("events", "", frame(0x80 | 0x20 | 2, 0, 7, &[b'x'; 100])),
        flood("calls", "", frame(0x80 | 0x40 | 2, 0, 7, &[b'x'; 100])),
        flood("news that it takes no more", "", frame(0x80 | 0x20 | 2, 0, 7, b"\x01R")),
        flood("answers to nobody", "", frame(2, 20, 99, b"\x94")).ends(MalformedKind::Surplus),
        flood("a large event", [0xda, 0xbb, 0xe2, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0x7f, 0xff, 0xff], "x"),
    ];
    alone.into_iter().chain(hessian).chain(java).chain(others).collect()
}

fn floods(protocol: Protocol) -> Vec<Flood> {
    match protocol {
        Protocol::Http1 => of_http(),
        Protocol::Ajp => of_ajp(),
        Protocol::Hessian => of_hessian(),
        Protocol::JsonRpc => of_json(),
        Protocol::Rmi => of_rmi(),
        Protocol::Dubbo => of_dubbo(),
        other => panic!("what may a peer of {other:?} send without end?"),
    }
}

/// Lets a flood come until the session gives up, or twice as much came as it may hold; returns the fault that the
/// session reports.
fn suffer(protocol: Protocol, request: &Request, flood: &Flood) -> Option<MalformedKind> {
    let mut stuck = Stuck::new(session(protocol));
    if flood.asked {
        stuck.start(request);
    }
    stuck.receive(&flood.before);
    let piece = flood.again.repeat(PIECE.div_ceil(flood.again.len()));
    let mut came = 0;
    while came < 2 * flood.held_max && !stuck.is_dead() {
        if flood.asked {
            stuck.start(request);
        }
        stuck.receive(&piece);
        came += piece.len();
    }
    stuck.malformed
}

#[test]
fn nothing_that_comes_without_end_makes_a_connection_grow_without_end() {
    for &protocol in Protocol::ALL {
        let request = request(protocol);
        for flood in floods(protocol) {
            let mut ended = None;
            let held = peak_of(|| ended = suffer(protocol, &request, &flood));
            assert!(held <= flood.held_max, "{protocol:?}: {} made it hold {held} bytes", flood.name);
            assert!(flood.ends.is_none() || ended == flood.ends, "{protocol:?}: {}: {ended:?}", flood.name);
        }
    }
}

#[test]
fn cookies_without_end_are_kept_within_limits() {
    let held = peak_of(|| {
        let (mut jar, now) = (Jar::default(), Now::default());
        let here = Origin { scheme: Scheme::Http, authority: b"a" };
        for number in 0..2_000 {
            jar.take(format!("{number}={}; Path=/{number}", "x".repeat(2_000)).as_bytes(), here, b"/", now);
            jar.take(format!("{number}={}", "x".repeat(20_000)).as_bytes(), here, b"/", now);
        }
        let mut header = Vec::new();
        jar.write_header(here, b"/", 0, &mut header);
        drop(jar);
    });
    assert!(held <= HELD_MAX, "{held}");
}

#[test]
fn a_session_that_waits_for_its_handshake_keeps_no_more() {
    let ajp = Session::ajp(ajp::Options { ping: true, ..ajp::Options::default() });
    let cases: [(Session, &[u8], &[u8]); 5] = [
        (ajp, b"", b"AB\x00\x01\x09"),
        (Session::new(Protocol::Rmi, 1), b"\x4e\xff\xff", b"x"),
        (Session::new(Protocol::Rmi, 1), b"\x4e\x04\x00", b"x"),
        (Session::new(Protocol::Rmi, 1), b"", b"\x4e"),
        (Session::new(Protocol::Rmi, 1), b"", b"\x4f"),
    ];
    for (mut session, before, again) in cases {
        let held = peak_of(|| {
            let (mut out, mut events) = (Outbox::new(super::OUTBOX), Vec::new());
            session.open(0, &mut out);
            session.handle_bytes(0, before, &mut out, &mut events);
            session.handle_bytes(0, &again.repeat(100_000), &mut out, &mut events);
            assert_eq!(session.state(), State::Dead, "{before:?}");
            drop(session);
        });
        assert!(held <= 1 << 20, "{before:?}: {held}");
    }
}
