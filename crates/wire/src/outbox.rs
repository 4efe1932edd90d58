//! What a session wants to send, bounded, with marks that show which exchange a byte belongs to.

use crate::ExchangeId;
use std::collections::VecDeque;

/// Bytes on their way to the kernel.
#[derive(Debug)]
pub struct Outbox {
    bytes: Vec<u8>,
    /// How many of `bytes` the kernel took.
    taken: usize,
    /// High-water mark: above it `push` is still accepted, but `is_full` says so.
    limit: usize,
    /// Offset in `bytes` of the first byte of an exchange that the kernel has not begun to take.
    marks: VecDeque<(usize, ExchangeId)>,
}

impl Outbox {
    /// An empty outbox whose high-water mark is `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Outbox { bytes: Vec::new(), taken: 0, limit, marks: VecDeque::new() }
    }

    /// Whether a session must answer `Full` rather than start an exchange.
    pub fn is_full(&self) -> bool {
        self.pending().len() >= self.limit
    }

    /// Appends the request of an exchange; its first byte is marked.
    pub fn push_exchange(&mut self, id: ExchangeId, bytes: &[u8]) {
        self.marks.push_back((self.bytes.len(), id));
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends further bytes of the exchange that was pushed last.
    pub fn push_more(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends bytes that belong to no exchange (an answer to a ping).
    pub fn push_control(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// What the kernel has not taken yet.
    #[inline]
    pub fn pending(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// The kernel took `n` bytes; calls `sent` for each exchange whose first byte was among them.
    pub fn take(&mut self, n: usize, mut sent: impl FnMut(ExchangeId)) {
        self.taken += n;
        debug_assert!(self.taken <= self.bytes.len());
        while let Some((offset, id)) = self.marks.front().copied() {
            if offset >= self.taken {
                break;
            }
            sent(id);
            self.marks.pop_front();
        }
        if self.taken == self.bytes.len() {
            self.clear();
        } else if self.taken >= self.limit.max(self.bytes.len() - self.taken) {
            self.forget_taken();
        }
    }

    /// Gives back the room of what was taken: several exchanges that take turns may never leave an outbox empty. Each byte
    /// is moved at most once for one that went.
    #[cold]
    fn forget_taken(&mut self) {
        self.bytes.drain(..self.taken);
        self.marks.iter_mut().for_each(|(offset, _)| *offset -= self.taken);
        self.taken = 0;
    }

    /// Bytes for which it has room, waiting or not.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.bytes.capacity()
    }

    /// Forgets whose bytes those of an exchange are that the kernel has not begun to take; they still go to it.
    pub fn unmark(&mut self, id: ExchangeId) {
        self.marks.retain(|(_, of)| *of != id);
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.taken = 0;
        self.marks.clear();
    }
}
