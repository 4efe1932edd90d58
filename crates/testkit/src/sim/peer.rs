//! The other end of a simulated link.

use proofload_engine::Target;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// Answer of a peer to a connection request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    Yes,
    Refuse,
    Silence,
}

/// Action of a peer on a connection, later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Sends bytes.
    Bytes(Vec<u8>),
    /// Ends its direction, and reads no more.
    Fin,
    Reset,
}

/// The other end. Connections are named by ever new numbers.
pub trait Peer: Debug + Send {
    /// A connection is asked for.
    fn dialed(&mut self, link: u64) -> Accept;
    /// The same, for who is at several addresses.
    fn dialed_at(&mut self, link: u64, _to: &Target) -> Accept {
        self.dialed(link)
    }
    /// Bytes came at that instant. Replies go out at the instants given with them, in the order given.
    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>);
    /// Bytes came on a connection that this end had ended; `reset` is true for an end by reset.
    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool);
    /// The generator closed the connection.
    fn closed(&mut self, link: u64);
    /// The same, for who asks when.
    fn closed_at(&mut self, link: u64, _now_ns: u64) {
        self.closed(link);
    }
}

/// One step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptStep {
    /// Waits until this many bytes have come since the last such step.
    Await(usize),
    /// Sends bytes.
    Send(Vec<u8>),
    Pause(u64),
    /// Ends the connection with FIN.
    Fin,
    Reset,
}

/// Plays one script for each connection, in the order in which they are accepted, and keeps what it
/// received. Without a script left it refuses.
#[derive(Debug, Default)]
pub struct ScriptPeer {
    scripts: VecDeque<Vec<ScriptStep>>,
    playing: Vec<(u64, Play)>,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
}

#[derive(Debug)]
struct Play {
    steps: VecDeque<ScriptStep>,
    unread: usize,
    at: usize,
}

impl ScriptPeer {
    /// A peer with those scripts; `received` gets the bytes of each connection.
    pub fn new(scripts: Vec<Vec<ScriptStep>>, received: Arc<Mutex<Vec<Vec<u8>>>>) -> Self {
        ScriptPeer { scripts: scripts.into(), playing: Vec::new(), received }
    }
}

impl Peer for ScriptPeer {
    fn dialed(&mut self, link: u64) -> Accept {
        let Some(script) = self.scripts.pop_front() else { return Accept::Refuse };
        if let Ok(mut received) = self.received.lock() {
            received.push(Vec::new());
            self.playing.push((link, Play { steps: script.into(), unread: 0, at: received.len() - 1 }));
        }
        Accept::Yes
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some((_, play)) = self.playing.iter_mut().find(|(of, _)| *of == link) else { return };
        if let Ok(mut received) = self.received.lock() {
            received[play.at].extend_from_slice(bytes);
        }
        play.unread += bytes.len();
        let mut at_ns = now_ns;
        while let Some(step) = play.steps.front() {
            match step {
                ScriptStep::Await(n) if play.unread < *n => return,
                ScriptStep::Await(n) => play.unread -= n,
                ScriptStep::Send(bytes) => replies.push((at_ns, Reply::Bytes(bytes.clone()))),
                ScriptStep::Pause(ns) => at_ns += ns,
                ScriptStep::Fin => replies.push((at_ns, Reply::Fin)),
                ScriptStep::Reset => replies.push((at_ns, Reply::Reset)),
            }
            play.steps.pop_front();
        }
    }

    fn lost(&mut self, _link: u64, _bytes: &[u8], _reset: bool) {}

    fn closed(&mut self, link: u64) {
        self.playing.retain(|(of, _)| *of != link);
    }
}
