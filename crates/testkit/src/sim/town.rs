//! Several servers behind one network, each at a port of its own.

use super::peer::{Accept, Peer, Reply};
use proofload_engine::Target;
use std::collections::HashMap;

/// The server at every port but those of the others.
#[derive(Debug)]
pub(super) struct Town {
    usual: Box<dyn Peer>,
    others: Vec<(u16, Box<dyn Peer>)>,
    /// Port of each connection to another.
    links: HashMap<u64, u16>,
}

impl Town {
    pub fn new(usual: Box<dyn Peer>, others: Vec<(u16, Box<dyn Peer>)>) -> Self {
        Town { usual, others, links: HashMap::new() }
    }

    fn of(&mut self, link: u64) -> &mut Box<dyn Peer> {
        let port = self.links.get(&link);
        let other = self.others.iter_mut().find(|(at, _)| Some(at) == port);
        other.map_or(&mut self.usual, |(_, peer)| peer)
    }
}

impl Peer for Town {
    fn dialed(&mut self, link: u64) -> Accept {
        self.of(link).dialed(link)
    }

    fn dialed_at(&mut self, link: u64, to: &Target) -> Accept {
        if let Some(address) = to.addresses.tcp() {
            self.links.insert(link, address.port());
        }
        self.of(link).dialed_at(link, to)
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        self.of(link).received(link, bytes, now_ns, replies);
    }

    fn lost(&mut self, link: u64, bytes: &[u8], reset: bool) {
        self.of(link).lost(link, bytes, reset);
    }

    fn closed(&mut self, link: u64) {
        self.of(link).closed(link);
        self.links.remove(&link);
    }

    fn closed_at(&mut self, link: u64, now_ns: u64) {
        self.of(link).closed_at(link, now_ns);
        self.links.remove(&link);
    }
}
