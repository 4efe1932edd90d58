//! A Dubbo provider at the other end of a simulated link. It treats each call as a script tells it to.

use proofload_testkit::sim::{Accept, Front, Peer, Reply, Server, World};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

const HEADER: usize = 16;
const REQUEST: u8 = 0x80;
const TWO_WAY: u8 = 0x40;
const EVENT: u8 = 0x20;
const HESSIAN: u8 = 2;

/// A call that came.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its connection, in the order of the dials.
    pub connection: usize,
    /// Its number on that connection.
    pub number: usize,
    /// The call as it is on the wire.
    pub frame: &'a [u8],
}

impl Call<'_> {
    /// Its number on the wire.
    pub fn id(&self) -> [u8; 8] {
        self.frame[4..12].try_into().unwrap()
    }
}

/// Action of the provider.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// It answers with this text.
    Text(&'static str),
    /// The service has thrown.
    Throw,
    /// It refuses the call with this status.
    Status(u8),
    /// It sends these bytes.
    Raw(Vec<u8>),
    /// It sends a heartbeat.
    Beat,
    /// It announces that it takes no more calls.
    ReadOnly,
    Fin,
    Reset,
}

/// Messages that a provider has received, of all workers.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub connections: usize,
    pub calls: usize,
    /// Calls of each connection.
    pub on: Vec<usize>,
    /// Calls of each lane of all connections.
    pub of_lane: HashMap<u32, usize>,
    pub one_way: usize,
    /// Heartbeats that came, and answers to its own.
    pub beats: usize,
    pub beats_answered: usize,
    /// Most calls that it worked on at once, in all and of one connection.
    pub most: usize,
    pub most_on_one: usize,
    /// Bytes of each call.
    pub lengths: Vec<usize>,
    /// Drawn texts of the calls.
    pub drawn: Vec<String>,
}

/// Actions for a call, each with its delay after the call came.
type Script = dyn Fn(&Call<'_>) -> Vec<(u64, Act)> + Send + Sync;

#[derive(Clone)]
pub struct Provider {
    script: Arc<Script>,
    seen: Arc<Mutex<Seen>>,
    /// True if it does not answer heartbeats.
    mute: bool,
    /// True if it takes no more calls on a connection after a heartbeat.
    parts: bool,
    links: HashMap<u64, Link>,
    /// End of its work on each call, and the call's connection.
    at_work: Vec<(u64, usize)>,
}

#[derive(Clone, Debug, Default)]
struct Link {
    connection: usize,
    calls: usize,
    inbox: Vec<u8>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("links", &self.links).finish_non_exhaustive()
    }
}

impl Front for Provider {
    fn before(&self, _server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(self.clone())
    }
}

impl Provider {
    pub fn new(script: impl Fn(&Call<'_>) -> Vec<(u64, Act)> + Send + Sync + 'static) -> Self {
        let seen = Arc::default();
        Provider {
            script: Arc::new(script),
            seen,
            mute: false,
            parts: false,
            links: HashMap::new(),
            at_work: Vec::new(),
        }
    }

    /// One that answers no heartbeats.
    pub fn mute(self) -> Self {
        Provider { mute: true, ..self }
    }

    /// A provider that announces after a heartbeat that it takes no more calls.
    pub fn parting(self) -> Self {
        Provider { parts: true, ..self }
    }

    /// A world in which every server is this one.
    pub fn world(&self) -> World {
        World::new(Server::default(), 1).behind(Arc::new(self.clone()))
    }

    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }

    fn event(&mut self, link: u64, frame: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let wants_reply = frame[2] & (REQUEST | TWO_WAY) == REQUEST | TWO_WAY;
        let seen = &mut self.seen.lock().unwrap();
        match wants_reply {
            true => seen.beats += 1,
            false => seen.beats_answered += 1,
        }
        if wants_reply && !self.mute {
            let flags = frame[2] & !(REQUEST | TWO_WAY);
            let reply = [&[0xda, 0xbb, flags, 20], &frame[4..]].concat();
            replies.push((now_ns, Reply::Bytes(reply)));
        }
        if wants_reply && self.parts {
            replies.push((now_ns, read_only()));
        }
        debug_assert!(self.links.contains_key(&link));
    }

    fn call(&mut self, link: u64, frame: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let of = self.links.get_mut(&link).unwrap();
        let call = Call { connection: of.connection, number: of.calls, frame };
        let lane = u32::from_be_bytes(frame[8..12].try_into().unwrap());
        let mut seen = self.seen.lock().unwrap();
        seen.lengths.push(frame.len());
        seen.drawn.extend(drawn(frame));
        *seen.of_lane.entry(lane).or_default() += 1;
        if frame[2] & TWO_WAY == 0 {
            seen.one_way += 1;
            return;
        }
        of.calls += 1;
        seen.calls += 1;
        seen.on[call.connection] += 1;
        let acts = (self.script)(&call);
        let done_ns = acts.iter().map(|(after_ns, _)| now_ns + after_ns).max().unwrap_or(u64::MAX);
        self.at_work.retain(|(until_ns, _)| *until_ns > now_ns);
        self.at_work.push((done_ns, call.connection));
        seen.most = seen.most.max(self.at_work.len());
        let on_one = self.at_work.iter().filter(|(_, on)| *on == call.connection).count();
        seen.most_on_one = seen.most_on_one.max(on_one);
        replies.extend(acts.into_iter().map(|(after_ns, act)| (now_ns + after_ns, reply(&call, act))));
    }
}

/// The drawn text of a call, if it has the type of one.
fn drawn(frame: &[u8]) -> Option<String> {
    let types = b"Ljava/lang/String;";
    let at = frame.windows(types.len()).position(|window| window == types)? + types.len();
    let length = usize::from(*frame.get(at)?);
    Some(String::from_utf8_lossy(frame.get(at + 1..at + 1 + length)?).into_owned())
}

fn frame(flags: u8, status: u8, id: [u8; 8], body: &[u8]) -> Reply {
    let length = (body.len() as u32).to_be_bytes();
    Reply::Bytes([&[0xda, 0xbb, flags, status], id.as_slice(), &length, body].concat())
}

fn read_only() -> Reply {
    frame(REQUEST | EVENT | HESSIAN, 0, [8; 8], b"\x01R")
}

fn reply(call: &Call<'_>, act: Act) -> Reply {
    let id = call.id();
    match act {
        Act::Text(text) => frame(HESSIAN, 20, id, &[&[0x91, text.len() as u8], text.as_bytes()].concat()),
        Act::Throw => {
            frame(HESSIAN, 20, id, b"\x90C\x13java.lang.Exception\x91\x0ddetailMessage\x60\x04busy")
        }
        Act::Status(status) => frame(HESSIAN, status, id, b"\x04busy"),
        Act::Raw(bytes) => Reply::Bytes(bytes),
        Act::Beat => frame(REQUEST | TWO_WAY | EVENT | HESSIAN, 0, [9; 8], b"N"),
        Act::ReadOnly => read_only(),
        Act::Fin => Reply::Fin,
        Act::Reset => Reply::Reset,
    }
}

impl Peer for Provider {
    fn dialed(&mut self, link: u64) -> Accept {
        let mut seen = self.seen.lock().unwrap();
        self.links.insert(link, Link { connection: seen.connections, ..Link::default() });
        seen.connections += 1;
        seen.on.push(0);
        Accept::Yes
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some(of) = self.links.get_mut(&link) else { return };
        of.inbox.extend_from_slice(bytes);
        let inbox = std::mem::take(&mut of.inbox);
        let mut rest = inbox.as_slice();
        while let Some(length) = frame_length(rest).filter(|length| *length <= rest.len()) {
            let (frame, after) = rest.split_at(length);
            match frame[2] & EVENT {
                0 => self.call(link, frame, now_ns, replies),
                _ => self.event(link, frame, now_ns, replies),
            }
            rest = after;
        }
        let rest = rest.to_vec();
        self.links.get_mut(&link).unwrap().inbox = rest;
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.links.remove(&link);
    }
}

/// Length of the frame that begins here, once its header has come.
pub fn frame_length(bytes: &[u8]) -> Option<usize> {
    let header = bytes.get(..HEADER)?;
    assert_eq!(header[..2], [0xda, 0xbb], "a frame begins where the one before ended");
    Some(HEADER + u32::from_be_bytes(header[12..].try_into().unwrap()) as usize)
}
