//! Laws that every session must hold for any bytes of the peer, as functions that tests of all protocols and the fuzz
//! targets call. A broken law panics with the bytes that break it.

use proofload_wire::rpc::{Answer, Verdict};
use proofload_wire::{Close, Event, Events, ExchangeId, Filling, Outbox, Request, Session, State};

/// High-water mark of the outboxes here; larger than any request of the tests.
const OUTBOX_LIMIT: usize = 64 * 1024;

/// The exchange that the laws start.
pub const ID: ExchangeId = ExchangeId(7);

/// A session as the engine drives it: with a carry, an outbox whose bytes are taken at once, and checks of
/// the contract on the way.
pub struct Driven {
    pub session: Session,
    pub events: Events,
    /// Every byte that it sent.
    pub sent: Vec<u8>,
    pub out: Outbox,
    carry: Vec<u8>,
}

impl Driven {
    pub fn new(session: Session) -> Self {
        let mut driven = Driven {
            session,
            events: Events::new(),
            sent: Vec::new(),
            out: Outbox::new(OUTBOX_LIMIT),
            carry: Vec::new(),
        };
        driven.session.open(0, &mut driven.out);
        driven.take_sent();
        driven
    }

    /// A connection on which `request` was started as [`ID`].
    pub fn started(session: Session, request: &Request) -> Self {
        let mut driven = Driven::new(session);
        let greeting = greeting(&driven.session);
        if !greeting.is_empty() {
            driven.receive(greeting);
        }
        driven.start(request, ID);
        driven
    }

    /// Starts an exchange, which must be possible, and lets the kernel take its bytes.
    pub fn start(&mut self, request: &Request, id: ExchangeId) {
        self.session.start(request, &Filling::default(), id, &mut self.out).expect("the session is ready");
        if request.goes_as_encoded() {
            assert_eq!(self.out.pending(), request.bytes);
        }
        let mut sent = Vec::new();
        self.sent.extend_from_slice(self.out.pending());
        self.out.take(self.out.pending().len(), |id| sent.push(id));
        assert_eq!(sent, [id], "the first byte taken is the exchange's");
    }

    /// Hands in `piece` behind what was not consumed before.
    pub fn receive(&mut self, piece: &[u8]) {
        self.carry.extend_from_slice(piece);
        let consumed = self.session.handle_bytes(0, &self.carry, &mut self.out, &mut self.events);
        assert!(consumed <= self.carry.len(), "consumed {consumed} of {} bytes", self.carry.len());
        self.carry.drain(..consumed);
        self.take_sent();
        let (kept, most) = (self.carry.len(), self.session.carry_max());
        assert!(kept <= most, "{kept} bytes left unconsumed where {most} is the limit");
        assert!(self.session.state() != State::Dead || kept == 0, "a dead session left {kept} bytes");
    }

    /// Lets the kernel take what the session wrote of its own accord.
    fn take_sent(&mut self) {
        self.sent.extend_from_slice(self.out.pending());
        self.out.take(self.out.pending().len(), |_| {});
    }

    /// Ends the connection; the session must be dead then and must stay silent.
    pub fn close(&mut self, close: Close) {
        self.session.handle_close(close, &mut self.events);
        assert_eq!(self.session.state(), State::Dead);
        let told = self.events.len();
        self.session.handle_close(Close::Local, &mut self.events);
        assert_eq!(self.session.handle_bytes(0, b"more", &mut self.out, &mut self.events), 4);
        assert_eq!(self.events.len(), told, "a dead session told {:?}", self.events.last());
    }
}

/// Bytes of the peer before a session of this protocol is ready.
pub fn greeting(session: &Session) -> &'static [u8] {
    match session {
        Session::Rmi(_) => b"\x4e\x00\x09127.0.0.1\x00\x00\xa9\xa4",
        _ => b"",
    }
}

/// Events of one exchange when its answer comes in `pieces` and the connection then ends by `close`.
pub fn outcome<'a>(
    session: Session,
    request: &Request,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    close: Close,
) -> Events {
    let mut driven = Driven::started(session, request);
    for piece in pieces {
        driven.receive(piece);
    }
    driven.close(close);
    driven.events
}

/// The whole, each cut in two, and byte by byte yield the same events; returns them.
pub fn every_split(make: impl Fn() -> Session, request: &Request, bytes: &[u8], close: Close) -> Events {
    let whole = outcome(make(), request, [bytes], close);
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        let cut_in_two = outcome(make(), request, [left, right], close);
        assert_eq!(cut_in_two, whole, "cut at {cut}: {:?}", bytes.escape_ascii().to_string());
    }
    same_in_pieces_of(&make, request, bytes, close, &whole, |_| 1);
    whole
}

/// Pieces with the lengths that `length` returns (from the number of bytes before) yield the events of the whole.
pub fn same_in_pieces_of(
    make: impl Fn() -> Session,
    request: &Request,
    bytes: &[u8],
    close: Close,
    whole: &Events,
    mut length: impl FnMut(usize) -> usize,
) {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(length(pieces.len()).clamp(1, rest.len()));
        pieces.push(piece);
        rest = after;
    }
    let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
    let split = outcome(make(), request, pieces, close);
    assert_eq!(&split, whole, "pieces of {lengths:?}: {:?}", bytes.escape_ascii().to_string());
}

/// An answer cut short by a reset at any byte is never `Answered`, and ends exactly once.
pub fn truncation(make: impl Fn() -> Session, request: &Request, answer: &[u8]) {
    truncation_after(1, make, request, answer);
}

/// The same where it takes `known` bytes to know whose answer it is.
pub fn truncation_after(known: usize, make: impl Fn() -> Session, request: &Request, answer: &[u8]) {
    for len in 0..answer.len() {
        let events = outcome(make(), request, [&answer[..len]], Close::Reset);
        let cut = Event::ClosedEarly { id: ID, close: Close::Reset, began: len >= known };
        assert_eq!(events.last(), Some(&cut), "cut after {len} bytes: {events:?}");
        ends_exactly_once(&events, &[ID]);
    }
}

/// Most exchanges that [`one_after_another`] starts.
const EXCHANGES_MAX: u32 = 8;

/// Starts an exchange whenever the session is ready, and gives it `bytes` in pieces of random lengths; each exchange must end
/// exactly once.
pub fn one_after_another(
    session: Session,
    request: &Request,
    bytes: &[u8],
    close: Close,
    seed: u32,
) -> Driven {
    let mut driven = Driven::new(session);
    let mut started = Vec::new();
    let (mut dice, mut rest) = (seed, bytes);
    while !rest.is_empty() {
        if driven.session.state() == State::Ready(1) && (started.len() as u32) < EXCHANGES_MAX {
            let id = ExchangeId(started.len() as u32);
            driven.start(request, id);
            started.push(id);
        }
        let (piece, after) = rest.split_at(roll(&mut dice).min(rest.len()));
        driven.receive(piece);
        rest = after;
    }
    driven.close(close);
    ends_exactly_once(&driven.events, &started);
    driven
}

/// A piece's length from 1 to 16, by a linear congruential generator (Numerical Recipes' constants).
pub fn roll(state: &mut u32) -> usize {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 28) as usize + 1
}

/// Each exchange that was started ends in exactly one terminal event, none before its `FirstByte`, which
/// comes at most once; at most one event tells that the connection broke, and nothing follows that.
pub fn ends_exactly_once(events: &Events, started: &[ExchangeId]) {
    for &id in started {
        let firsts = positions(events, |event| *event == Event::FirstByte { id });
        let ends = positions(events, |event| terminal(event) == Some(id));
        assert_eq!(ends.len(), 1, "{id:?} ends {} times in {events:?}", ends.len());
        assert!(firsts.len() <= 1, "{id:?} begins {} times in {events:?}", firsts.len());
        assert!(firsts.iter().all(|first| *first < ends[0]), "{id:?} ends before it begins in {events:?}");
    }
    let unknown = positions(events, |event| terminal(event).is_some_and(|id| !started.contains(&id)));
    assert!(unknown.is_empty(), "an exchange ended that was not started: {events:?}");
    let breaks = positions(events, |event| matches!(event, Event::Malformed { .. }));
    assert!(breaks.iter().all(|at| at + 1 == events.len()), "something follows a breach in {events:?}");
}

/// True if this can be the value of a reply: JSON, or the beginning of a value and the mark that it is cut.
pub fn is_value(text: &[u8]) -> bool {
    let mut reply = proofload_wire::json::Reply::default();
    reply.begin();
    [&b"{\"result\":"[..], text, b"}"].iter().for_each(|piece| reply.feed(piece));
    let is_json = matches!(reply.verdict(), Verdict::Good | Verdict::Beyond);
    std::str::from_utf8(text).is_ok() && (is_json || text.is_empty() || text.ends_with("…".as_bytes()))
}

fn terminal(event: &Event) -> Option<ExchangeId> {
    match event {
        Event::Answered { id, .. } | Event::ClosedEarly { id, .. } => Some(*id),
        Event::Malformed { id, .. } => *id,
        Event::FirstByte { .. } | Event::Control | Event::Late { .. } => None,
    }
}

fn positions(events: &Events, is: impl Fn(&Event) -> bool) -> Vec<usize> {
    events.iter().enumerate().filter(|(_, event)| is(event)).map(|(at, _)| at).collect()
}
