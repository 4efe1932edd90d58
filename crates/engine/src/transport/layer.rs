//! Ways to targets and what is on them: everything of the layer but the sockets.

use super::explain::{ConnectStage, Why};
use super::stream::{Buffers, Stream};
use super::tls::Settings;
use super::tunnel::Answer;
use super::{Handshake, tls, tunnel};
use crate::Target;
use crate::driver::{Conn, Tap};
use std::sync::Arc;

/// A step that failed, and why.
pub(super) type Fault = (ConnectStage, Why);

/// A target at one of its addresses, with what its connections need, made ready.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub target: Target,
    pub settings: Option<Settings>,
}

/// Ways to targets, and what is on them: all of the layer but the sockets.
#[derive(Debug)]
pub struct Layer {
    pub(super) ways: Vec<Way>,
    pub(super) links: Vec<Link>,
    pub(super) buffers: Buffers,
    /// The last fault, for a caller that asks within the call that reports it.
    pub(super) fault: Option<(usize, ConnectStage, Why)>,
    /// The handshake of the connection that is being reported.
    pub(super) shaken: Option<Handshake>,
    pub(super) tap: Option<Arc<Tap>>,
}

#[derive(Debug, Default)]
pub(super) struct Link {
    /// Use of the number.
    pub epoch: u32,
    pub stage: Stage,
    pub way: usize,
    pub answer: Answer,
    pub stream: Option<Box<Stream>>,
    /// Encrypted, and not taken by the kernel.
    pub backlog: Vec<u8>,
    /// Plaintext bytes at the backlog's beginning that were not reported to the handler as taken: the
    /// kernel had taken no byte that carries them when they were given.
    pub owed: usize,
    /// True once it has taken such a byte.
    pub owed_begun: bool,
    /// Plaintext bytes in the driver's queue; the handler is to be told when they leave.
    pub queued: usize,
    /// True if the handler knows that fewer were taken than given.
    pub waits: bool,
    pub began_ns: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    #[default]
    Plain,
    Connecting,
    Tunnel,
    Handshake,
    Established,
    /// The peer ended it, or broke it; the handler will close it.
    Over,
}

impl Layer {
    /// A layer for connections 0 to `capacity`, with sessions of its own. `None` when there is nothing to put between, unless
    /// later targets `may` have something.
    ///
    /// # Errors
    /// All problems of the targets.
    pub fn new(
        targets: &[Target],
        may: bool,
        capacity: u32,
        tap: Option<Arc<Tap>>,
    ) -> Result<Option<Self>, Vec<String>> {
        if !may && tap.is_none() && targets.iter().all(|target| target.transport.is_plain()) {
            return Ok(None);
        }
        let mut ways: Vec<Way> = Vec::new();
        for target in targets {
            let settings = settings(&ways, target)?;
            let each = target.addresses.iter().map(|address| target.at(address));
            ways.extend(each.map(|target| Way { target, settings: settings.clone() }));
        }
        let mut links = Vec::new();
        links.resize_with(capacity as usize, Link::default);
        let buffers = Buffers::default();
        Ok(Some(Layer { ways, links, buffers, fault: None, shaken: None, tap }))
    }

    /// The way to a target; one that was not there from the beginning has no [problems].
    pub(super) fn way_to(&mut self, to: &Target) -> usize {
        let known = self.ways.iter().position(|way| way.target == *to);
        known.unwrap_or_else(|| {
            let settings = settings(&self.ways, to).unwrap_or_default();
            self.ways.push(Way { target: to.clone(), settings });
            self.ways.len() - 1
        })
    }

    pub(super) fn link(&mut self, conn: Conn) -> &mut Link {
        &mut self.links[conn as usize]
    }

    pub(super) fn forget(&mut self) {
        self.fault = None;
        self.shaken = None;
    }
}

/// TLS of a target; targets with the same have the same sessions.
fn settings(ways: &[Way], target: &Target) -> Result<Option<Settings>, Vec<String>> {
    let Some(tls) = &target.transport.tls else { return Ok(None) };
    let alike = ways.iter().find(|way| way.target.transport.tls.as_ref() == Some(tls));
    alike.map_or_else(|| tls::settings(tls).map(Some), |way| Ok(way.settings.clone()))
}

/// All problems of a target's transport.
pub(crate) fn problems(target: &Target) -> Vec<String> {
    let mut problems = target.transport.proxy.as_ref().map(tunnel::problems).unwrap_or_default();
    if let Some(tls) = &target.transport.tls {
        problems.extend(tls::settings(tls).err().unwrap_or_default());
    }
    problems
}

impl Link {
    pub fn reset(&mut self) {
        *self = Link { epoch: self.epoch.wrapping_add(1), ..Link::default() };
    }
}
