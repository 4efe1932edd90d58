//! What a pace decides: what is due, and what a connection that has become free does.

use crate::LoadPlan;
use crate::connection::Connection;
use crate::driver::Conn;
use crate::load::{Mix, Share};

/// An exchange that is due, and the connection that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub conn: Conn,
    /// Which entry of the mix.
    pub entry: usize,
    pub intended_ns: u64,
    /// Since when the generator could have sent it, if its delay is the generator's doing.
    pub sendable_ns: Option<u64>,
}

/// What a connection that has become free does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It carries an exchange of this entry of the mix, intended now.
    Begin(usize),
    /// It carries what is due in this queue.
    Serve(usize),
    /// It waits.
    Wait,
    /// It is closed.
    Part,
}

/// An instant of a load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub now: u64,
    /// Nothing intended at or after this instant begins.
    pub end_ns: u64,
    /// By when the worker meant to be back from waiting.
    pub wake_ns: u64,
}

/// For each target the choice among its entries, for connections that belong to it.
#[derive(Debug)]
pub(super) struct TargetMixes {
    mixes: Vec<Mix>,
    /// Keeps the connections of all workers apart in the choices.
    first: u64,
}

impl TargetMixes {
    pub fn new(plan: &LoadPlan, share: Share) -> Self {
        let of_target = |target| {
            let entries = plan.mix.iter().enumerate().filter(move |(_, entry)| entry.target == target);
            Mix::new(entries.map(|(at, entry)| (at, entry.weight)), plan.seed, target as u64)
        };
        TargetMixes { mixes: (0..plan.targets.len()).map(of_target).collect(), first: share.k << 48 }
    }

    /// The entry that a connection asks next; each connection has its own part of the random stream.
    #[inline]
    pub fn choose(&self, conn: Conn, connection: &Connection) -> usize {
        let stream = self.first ^ (u64::from(conn) << 24);
        self.mixes[connection.target as usize].choose(stream.wrapping_add(connection.begun))
    }
}
