//! Bytes that a session wants to send, bounded, with marks that show which exchange a byte belongs to.

use crate::{ExchangeId, Streamed};
use std::collections::VecDeque;
use std::io::{self, Write};

/// Bytes on their way to the kernel.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    /// Number of `bytes` that the kernel took.
    taken: usize,
    /// High-water mark: above it `push` is still accepted, but `is_full` returns true.
    limit: usize,
    /// Offset in `bytes` of the first byte of an exchange that the kernel has not begun to take.
    marks: VecDeque<(usize, ExchangeId)>,
    /// Limit on the waiting bytes that belong to no exchange, or were asked for by the peer.
    control: usize,
    /// Parts that are read while they are sent, in their order.
    insets: VecDeque<Inset>,
}

/// Most bytes that wait and belong to no exchange. A peer that makes us send and does not read would have no end.
pub const CONTROL_MAX: usize = 64 << 10;

/// Most pieces of sources that wait because a peer asked for them.
const INSETS_MAX: usize = 256;

/// Bytes of a source that go between those of an outbox.
#[derive(Debug)]
struct Inset {
    /// Index in `bytes` before which they go.
    at: usize,
    source: Streamed,
    /// The first that the kernel has not taken, and the one behind the last.
    from: u64,
    to: u64,
}

impl Outbox {
    /// An empty outbox whose high-water mark is `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Outbox { limit, ..Outbox::default() }
    }

    /// True if a session must answer `Full` rather than start an exchange.
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

    /// Appends bytes that belong to no exchange (an answer to a ping). `false`: too many of them wait, because the peer
    /// asks and does not read; nothing was appended then.
    #[must_use]
    pub fn push_control(&mut self, bytes: &[u8]) -> bool {
        let waiting = self.control + bytes.len();
        if waiting <= CONTROL_MAX {
            self.control = waiting;
            self.bytes.extend_from_slice(bytes);
        }
        waiting <= CONTROL_MAX
    }

    /// Appends bytes `from` to `to` of a source, which are read when they are sent.
    pub fn push_streamed(&mut self, source: &Streamed, from: u64, to: u64) {
        if from < to {
            self.insets.push_back(Inset { at: self.bytes.len(), source: source.clone(), from, to });
        }
    }

    /// Bytes that the kernel has not taken yet, up to what is [read when it is sent](Self::push_streamed).
    #[inline]
    pub fn pending(&self) -> &[u8] {
        &self.bytes[self.taken..self.insets.front().map_or(self.bytes.len(), |inset| inset.at)]
    }

    /// True once the kernel has taken everything.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.taken == self.bytes.len() && self.insets.is_empty()
    }

    /// True if a part of the bytes that it has not taken is to be read first.
    #[inline]
    pub fn is_streamed(&self) -> bool {
        !self.insets.is_empty()
    }

    /// True if a peer asked for too many pieces: so many that it cannot have read the earlier ones.
    pub(crate) fn is_overrun(&self) -> bool {
        self.insets.len() >= INSETS_MAX || self.control >= CONTROL_MAX
    }

    /// Appends bytes that the peer asked for.
    pub(crate) fn push_asked<T>(&mut self, push: impl FnOnce(&mut Outbox) -> T) -> T {
        let before = self.bytes.len();
        let pushed = push(self);
        self.control += self.bytes.len() - before;
        pushed
    }

    /// Number of bytes that the kernel has not taken.
    pub fn left(&self) -> u64 {
        let streamed: u64 = self.insets.iter().map(|inset| inset.to - inset.from).sum();
        (self.bytes.len() - self.taken) as u64 + streamed
    }

    /// Copies the bytes that the kernel has not taken to `into`, as far as there is room; returns how many.
    ///
    /// # Errors
    /// A source could not be read.
    pub fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let room = into.len();
        let (mut at, mut left) = (self.taken, into);
        for inset in &self.insets {
            let _as_fits = left.write(&self.bytes[at..inset.at])?;
            at = inset.at;
            if left.is_empty() {
                return Ok(room);
            }
            let came = (inset.to - inset.from).min(left.len() as u64) as usize;
            let (piece, rest) = std::mem::take(&mut left).split_at_mut(came);
            inset.source.read(inset.from, piece)?;
            left = rest;
        }
        let _as_fits = left.write(&self.bytes[at..])?;
        Ok(room - left.len())
    }

    /// Moves the next bytes, at most `most` of them, to the end of another outbox.
    pub(crate) fn pass(&mut self, mut most: u64, out: &mut Outbox) {
        while most > 0 && !self.is_empty() {
            let pending = self.pending();
            let passed = match self.insets.front() {
                Some(Inset { source, from, to, .. }) if pending.is_empty() => {
                    let passed = most.min(to - from);
                    out.push_streamed(source, *from, from + passed);
                    passed
                }
                _ => {
                    let passed = most.min(pending.len() as u64);
                    out.push_more(&pending[..passed as usize]);
                    passed
                }
            };
            self.take(passed as usize, |_| {});
            most -= passed;
        }
    }

    /// The kernel took `n` bytes; calls `sent` for each exchange whose first byte was among them.
    pub fn take(&mut self, n: usize, mut sent: impl FnMut(ExchangeId)) {
        debug_assert!(n as u64 <= self.left());
        let mut n = n;
        while let Some(inset) = self.insets.front_mut() {
            let before = n.min(inset.at - self.taken);
            let within = ((n - before) as u64).min(inset.to - inset.from);
            self.taken += before;
            inset.from += within;
            n -= before + within as usize;
            if inset.from < inset.to {
                break;
            }
            self.insets.pop_front();
        }
        self.taken += n;
        while let Some((offset, id)) = self.marks.front().copied() {
            if offset >= self.taken {
                break;
            }
            sent(id);
            self.marks.pop_front();
        }
        self.control = self.control.min(self.bytes.len() - self.taken);
        if self.is_empty() {
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
        self.insets.iter_mut().for_each(|inset| inset.at -= self.taken);
        self.taken = 0;
    }

    /// Bytes for which it has room, waiting or not.
    pub fn held(&self) -> usize {
        self.bytes.capacity()
    }

    /// Removes the marks of an exchange's bytes that the kernel has not begun to take; the bytes still go to it.
    pub fn unmark(&mut self, id: ExchangeId) {
        self.marks.retain(|(_, of)| *of != id);
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.taken, self.control) = (0, 0);
        self.marks.clear();
        self.insets.clear();
    }
}
