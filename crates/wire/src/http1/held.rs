//! The body of a request that waits until the server wants it (RFC 9110 section 10.1.1).

use crate::{Filling, Outbox, Request};

/// Longest wait for the server's word; then the body is sent all the same, for not every server says it.
pub(super) const CONTINUE_NS: u64 = 1_000_000_000;

/// A body that is kept back, in a buffer that is used again.
#[derive(Debug, Default)]
pub(super) struct Held {
    body: Outbox,
    /// End of the wait.
    pub until_ns: Option<u64>,
}

impl Held {
    /// Sends the head of a request and keeps its body.
    pub fn begin(&mut self, request: &Request, filling: &Filling<'_>, out: &mut Outbox) {
        const END: &[u8] = b"\r\n\r\n";
        self.forget();
        request.places.write_to(&request.bytes, filling, &mut self.body);
        // The head is in memory, whatever the body is.
        let end = self.body.pending().windows(END.len()).position(|four| four == END);
        self.body.pass(end.map_or(0, |at| at + END.len()) as u64, out);
        self.until_ns = Some(filling.now_ns.saturating_add(CONTINUE_NS));
    }

    /// Sends the body.
    pub fn release(&mut self, out: &mut Outbox) {
        self.body.pass(u64::MAX, out);
    }

    /// Forgets the body, keeps the memory.
    pub fn forget(&mut self) {
        self.body.clear();
        self.until_ns = None;
    }
}
