//! Bounds on the bytes that a peer makes a session send, or keep: whatever it sends without end, and however long the
//! lengths are that it announces, while none of the answers to it leave. Counted in bytes of memory that the session,
//! its outbox and its events hold.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may")]

mod floods;
mod lengths;

use proofload_wire::http1::{RequestSpec, Template};
use proofload_wire::{
    Call, Event, Events, ExchangeId, Filling, MalformedKind, Outbox, Protocol, Request, Session, State,
};
use proofload_wire::{ajp, dubbo, hessian, json, rmi};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// High-water mark of the outbox, that of the engine.
const OUTBOX: usize = 64 * 1024;

struct Counting;

thread_local! {
    /// Bytes that this thread has, and the most that it had since it was set to that.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn note(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that are held at once while `what` is done, beyond those before.
fn peak_of(what: impl FnOnce()) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    what();
    (PEAK.get() - before).max(0) as usize
}

/// A connection of which nothing leaves.
struct Stuck {
    session: Session,
    out: Outbox,
    events: Events,
    carry: Vec<u8>,
    malformed: Option<MalformedKind>,
}

impl Stuck {
    /// One that has shaken hands.
    fn new(mut session: Session) -> Self {
        let mut out = Outbox::new(OUTBOX);
        session.keep_set_cookies();
        session.keep_fields(["location".to_owned()].into());
        if let Session::Http1(http) = &mut session {
            http.keep_location();
        }
        session.open(0, &mut out);
        let mut stuck = Stuck { session, out, events: Events::new(), carry: Vec::new(), malformed: None };
        if let Session::Rmi(_) = stuck.session {
            stuck.receive(b"\x4e\x00\x09127.0.0.1\x00\x00\xa9\xa4");
        }
        stuck
    }

    /// Starts as many exchanges as are possible.
    fn start(&mut self, request: &Request) {
        for id in 0..4 {
            let filling = Filling::default();
            let _full = self.session.start(request, &filling, ExchangeId(id), &mut self.out);
        }
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.carry.extend_from_slice(bytes);
        let consumed = self.session.handle_bytes(0, &self.carry, &mut self.out, &mut self.events);
        self.carry.drain(..consumed);
        assert!(self.carry.len() <= self.session.carry_max());
        for event in self.events.drain(..) {
            if let Event::Malformed { kind, .. } = event {
                self.malformed = Some(kind);
            }
        }
    }

    fn is_dead(&self) -> bool {
        self.session.state() == State::Dead
    }
}

fn session(protocol: Protocol) -> Session {
    Session::new(protocol, 4)
}

/// A request to which any answer may come, of which some is kept.
fn request(protocol: Protocol) -> Request {
    let call = Call {
        interface: "lab.Echo".to_owned(),
        method: "echo".to_owned(),
        parameter_types: vec!["java.lang.String".to_owned()],
        return_type: "java.lang.String".to_owned(),
        arguments: vec!["x".into()],
        ..Call::default()
    };
    let get = RequestSpec::get("localhost", "/");
    let post = RequestSpec { method: "POST".to_owned(), body: vec![b'x'; 256 * 1024], ..get.clone() };
    let object = rmi::ObjectId { num: 1, uid: rmi::Uid { unique: 1, time: 1, count: 1 } };
    let request = match protocol {
        Protocol::Http1 => get.encode().unwrap(),
        Protocol::Ajp => ajp::encode(&post, &Template::default(), &ajp::Attributes::default()).unwrap(),
        Protocol::Hessian => {
            hessian::encode(hessian::Version::V2, &call, &get, &Template::default()).unwrap()
        }
        Protocol::JsonRpc => json::encode(json::Body::Rpc, &call, &get, &Template::default()).unwrap(),
        Protocol::Rmi => rmi::encode(&call, &object).unwrap(),
        Protocol::Dubbo => dubbo::encode(&call, &dubbo::Options::default()).unwrap(),
        other => panic!("{other:?} has no request here"),
    };
    Request { keep_body: 4096, ..request }
}

#[test]
fn what_is_held_for_a_moment_is_counted() {
    assert!(peak_of(|| drop(Vec::<u8>::with_capacity(1 << 20))) >= 1 << 20);
}
