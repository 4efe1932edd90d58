//! The layer in virtual time: simulated servers that speak real TLS.

mod loads;
mod odd;

use proofload_engine::Target;
use proofload_engine::transport::{Tls, Transport};
use proofload_testkit::sim::{Accept, Front, Peer, Reply};
use proofload_testkit::tls::{Authority, Good, Identity, ServerSide, Speaks};
use rustls::ServerConfig;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The authority of all servers, and the certificate of `server.test`.
pub fn authority() -> &'static (Authority, Identity) {
    static MADE: OnceLock<(Authority, Identity)> = OnceLock::new();
    MADE.get_or_init(|| {
        let authority = Authority::default();
        let identity = authority.server(&["server.test"], Good::Now);
        (authority, identity)
    })
}

/// The way to such a server.
pub fn secured() -> Target {
    let tls = Tls::new("server.test", vec![authority().0.certificate.clone()]);
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 80));
    Target { transport: Transport { proxy: None, tls: Some(Arc::new(tls)) }, ..address.into() }
}

/// A server's side of TLS before each server, with what it does wrong.
#[derive(Clone, Debug)]
pub struct TlsFront {
    pub config: Arc<ServerConfig>,
    /// Ends connections without saying so first.
    pub truncates: bool,
    /// Changes the keys before each answer.
    pub changes_keys: bool,
}

impl TlsFront {
    pub fn new(speaks: &Speaks) -> Self {
        TlsFront { config: speaks.config(&authority().1), truncates: false, changes_keys: false }
    }
}

impl Front for TlsFront {
    fn before(&self, server: Box<dyn Peer>) -> Box<dyn Peer> {
        Box::new(TlsServer { front: self.clone(), server, sides: HashMap::new() })
    }
}

#[derive(Debug)]
struct TlsServer {
    front: TlsFront,
    server: Box<dyn Peer>,
    sides: HashMap<u64, ServerSide>,
}

impl Peer for TlsServer {
    fn dialed(&mut self, link: u64) -> Accept {
        let accept = self.server.dialed(link);
        if accept == Accept::Yes {
            self.sides.insert(link, ServerSide::new(&self.front.config));
        }
        accept
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some(side) = self.sides.get_mut(&link) else { return };
        let plain = side.receive(bytes);
        let out = side.out();
        if !out.is_empty() {
            replies.push((now_ns, Reply::Bytes(out)));
        }
        let Ok(plain) = plain else { return replies.push((now_ns, Reply::Fin)) };
        if plain.is_empty() {
            return;
        }
        let mut answers = Vec::new();
        self.server.received(link, &plain, now_ns, &mut answers);
        for (at_ns, answer) in answers {
            match &answer {
                Reply::Bytes(bytes) => {
                    if self.front.changes_keys {
                        side.change_keys();
                    }
                    side.send(bytes);
                }
                Reply::Fin if !self.front.truncates => side.say_goodbye(),
                Reply::Fin | Reply::Reset => {}
            }
            let out = side.out();
            if !out.is_empty() {
                replies.push((at_ns, Reply::Bytes(out)));
            }
            if !matches!(answer, Reply::Bytes(_)) {
                replies.push((at_ns, answer));
            }
        }
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        // What comes after the end may be half a record; what can be read of it counts as lost.
        let plain = self.sides.get_mut(&link).and_then(|side| side.receive(bytes).ok()).unwrap_or_default();
        if !plain.is_empty() {
            self.server.lost(link, &plain, reset);
        }
    }

    fn closed(&mut self, link: u64) {
        self.sides.remove(&link);
        self.server.closed(link);
    }
}
