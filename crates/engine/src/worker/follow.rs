//! Redirects: an exchange that goes on with another request, within its origin.
//!
//! It stays one exchange: intended once, sent when its first request was, over when its last answer is whole. Each
//! answer's code is counted; only the last is judged.

use super::Worker;
use crate::driver::{Conn, Net};
use proofload_measure::Outcome;
use proofload_wire::State;
use proofload_wire::http1::{Leads, becomes_get, is_redirect, resolve};

/// Most of a path that a sentence shows.
const SHOWN_BYTES: usize = 200;

/// What an answer says of where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leading {
    /// It is the answer: no redirect, or one that is not followed.
    Answer,
    /// To the next request, which stands in the slot.
    On,
    /// Further than is followed; where to stands in the slot.
    TooFar,
}

impl Worker<'_> {
    /// Counts an answer's code and decides whether the exchange goes on.
    #[inline]
    pub(super) fn leads_on(&mut self, conn: Conn, code: u16) -> Leading {
        let slot = &mut self.slots[conn as usize];
        let intended_ns = slot.times.intended_ns;
        self.books.recorder.record_code(intended_ns, code);
        let entry = &self.plan.mix[slot.entry as usize];
        if entry.follow.most == 0 || !is_redirect(code) {
            return Leading::Answer;
        }
        let Some(user) = &mut slot.user else { return Leading::Answer };
        let Some(location) = slot.session.location() else { return Leading::Answer };
        let request = &entry.request;
        let scheme = self.plan.targets[slot.target as usize].transport.scheme();
        let here = (scheme, request.places.authority(&request.bytes));
        if resolve(location, &user.target, here, &mut user.next) != Leads::Here {
            return Leading::Answer;
        }
        if user.steps >= entry.follow.most {
            return Leading::TooFar;
        }
        std::mem::swap(&mut user.target, &mut user.next);
        user.steps += 1;
        user.as_get |= becomes_get(code, request.places.method(&request.bytes));
        slot.carried += 1;
        self.books.recorder.record_redirect(intended_ns);
        if let Some(sample) = &mut slot.sample {
            sample.clear();
        }
        Leading::On
    }

    /// The outcome of an exchange that was sent on too often.
    pub(super) fn too_far(&mut self, conn: Conn, bytes: &[u8]) -> Outcome {
        let slot = &self.slots[conn as usize];
        let most = self.plan.mix[slot.entry as usize].follow.most;
        let next = slot.user.as_ref().map_or(&[][..], |user| &user.next);
        let received = (slot.sample.as_deref().unwrap_or_default(), bytes);
        self.books.keep_bad(Outcome::Rejected, slot.entry as usize, received, || {
            let shown = String::from_utf8_lossy(&next[..next.len().min(SHOWN_BYTES)]);
            let dots = if next.len() > SHOWN_BYTES { "..." } else { "" };
            let plural = if most == 1 { "" } else { "s" };
            format!("more than {most} redirect{plural}, the last to {shown}{dots}")
        });
        Outcome::Rejected
    }

    /// Sends the next request of an exchange, on a new connection when this one ends.
    pub(super) fn go_on<N: Net>(&mut self, net: &mut N, conn: Conn, now: u64) {
        let slot = &self.slots[conn as usize];
        let ready_ns = slot.ready_ns;
        // A rest of the last request that has not left would stand before this one.
        if matches!(slot.session.state(), State::Ready(1..)) && slot.backlog.is_none() {
            return self.ask(net, conn, ready_ns, now);
        }
        // Who waits for the answer does not wait for the server to close first.
        self.hang_up(net, conn, now);
        self.dial(net, conn, now);
    }

    /// The time-out runs from the first request, whatever came in between.
    pub(super) fn keep_deadline(&mut self, conn: Conn, now: u64) {
        let response_ns = self.plan.timeouts.response_ns;
        let since_ns = self.slots[conn as usize].times.sent_ns.unwrap_or(now);
        self.deadlines.set_at(conn, since_ns.saturating_add(response_ns));
    }
}
