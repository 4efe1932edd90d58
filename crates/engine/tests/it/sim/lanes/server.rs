//! A server of Java RMI at the other end of a simulated link, with handshakes good and bad.

use proofload_testkit::sim::{Accept, Front, Peer, Reply, Server, World};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

const GREETING: &[u8] = b"JRMI\0\x02\x4b";
/// Endpoint that the client sends: the name that it was told, and no port.
const ENDPOINT: &[u8] = b"\0\x09127.0.0.1\0\0\0\0";
const ACCEPTED: &[u8] = b"\x4e\0\x09127.0.0.1\0\0\xd4\x31";
const RETURN: &[u8] = b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x74\0\x05hello";
const PING: u8 = 0x52;
const PING_ACK: &[u8] = &[0x53];

/// Answer of the server to a greeting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Greets {
    Well,
    Silent,
    With(&'static [u8]),
    Fin,
    Reset,
}

#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub connections: usize,
    /// Handshakes that the client ended.
    pub shaken: usize,
    pub calls: usize,
    pub pings: usize,
}

/// A server whose connections greet as they are told in turn, the last way for ever.
#[derive(Clone, Debug)]
pub struct RmiServer {
    greets: Vec<Greets>,
    call_length: usize,
    service_ns: u64,
    /// True if it answers no pings.
    mute: bool,
    links: HashMap<u64, (Greets, Stage, Vec<u8>)>,
    seen: Arc<Mutex<Seen>>,
}

/// Kind of a connection's next bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Greeting,
    Endpoint,
    Messages,
}

impl RmiServer {
    /// Calls are `call_length` bytes long.
    pub fn new(greets: &[Greets], call_length: usize, service_ns: u64) -> Self {
        RmiServer {
            greets: greets.to_vec(),
            call_length,
            service_ns,
            mute: false,
            links: HashMap::new(),
            seen: Arc::default(),
        }
    }

    /// The same, without answers to pings.
    pub fn mute(self) -> Self {
        RmiServer { mute: true, ..self }
    }

    pub fn world(&self) -> World {
        World::new(Server::default(), 1).behind(Arc::new(self.clone()))
    }

    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }

    /// Takes one message off the received bytes; returns true if it was whole.
    fn message(&mut self, link: u64, now_ns: u64, replies: &mut Vec<(u64, Reply)>) -> bool {
        let (greets, stage, inbox) = self.links.get_mut(&link).unwrap();
        let seen = &mut self.seen.lock().unwrap();
        let length = match (*stage, inbox.first()) {
            (_, None) => return false,
            (Stage::Greeting, _) => GREETING.len(),
            (Stage::Endpoint, _) => ENDPOINT.len(),
            (Stage::Messages, Some(&PING)) => 1,
            (Stage::Messages, _) => self.call_length,
        };
        if inbox.len() < length {
            return false;
        }
        let message: Vec<u8> = inbox.drain(..length).collect();
        match *stage {
            Stage::Greeting => {
                assert_eq!(message, GREETING);
                *stage = Stage::Endpoint;
                replies.extend(match *greets {
                    Greets::Well => Some((now_ns, Reply::Bytes(ACCEPTED.to_vec()))),
                    Greets::Silent => None,
                    Greets::With(bytes) => Some((now_ns, Reply::Bytes(bytes.to_vec()))),
                    Greets::Fin => Some((now_ns, Reply::Fin)),
                    Greets::Reset => Some((now_ns, Reply::Reset)),
                });
            }
            Stage::Endpoint => {
                assert_eq!(message, ENDPOINT);
                *stage = Stage::Messages;
                seen.shaken += 1;
            }
            Stage::Messages if length == 1 => {
                seen.pings += 1;
                replies.extend((!self.mute).then(|| (now_ns, Reply::Bytes(PING_ACK.to_vec()))));
            }
            Stage::Messages => {
                assert_eq!(message[0], 0x50, "a call");
                seen.calls += 1;
                replies.push((now_ns + self.service_ns, Reply::Bytes(RETURN.to_vec())));
            }
        }
        true
    }
}

impl Front for RmiServer {
    fn before(&self, _server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(self.clone())
    }
}

impl Peer for RmiServer {
    fn dialed(&mut self, link: u64) -> Accept {
        let mut seen = self.seen.lock().unwrap();
        let greets = self.greets[seen.connections.min(self.greets.len() - 1)];
        self.links.insert(link, (greets, Stage::Greeting, Vec::new()));
        seen.connections += 1;
        Accept::Yes
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some((_, _, inbox)) = self.links.get_mut(&link) else { return };
        inbox.extend_from_slice(bytes);
        while self.message(link, now_ns, replies) {}
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.links.remove(&link);
    }
}
