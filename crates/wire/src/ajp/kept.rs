//! The part of a request's body that waits until the container asks for it.

use super::codes::TO_CONTAINER;
use super::{BODY_FRAME, Note};
use crate::{Filling, MalformedKind, Outbox, Request};

/// Number of times that a container may ask for more of a request's body after it was told that there is no more.
/// The answers wait in the outbox, which must not grow without bound while the container does not read.
const ASKED_IN_VAIN_MAX: u32 = 16;

/// The part of a request's body that waits until the container asks for it.
#[derive(Debug, Default)]
pub(super) struct Kept {
    rest: Outbox,
    /// Most bytes that fit into a packet.
    most: usize,
    asked_in_vain: u32,
}

impl Kept {
    /// Forgets the bytes, keeps the memory.
    pub fn forget(&mut self) {
        self.rest.clear();
        self.most = 0;
        self.asked_in_vain = 0;
    }

    /// Sends the head of a request and the first packet of its body, if it has one, and keeps back the rest.
    pub fn begin(&mut self, request: &Request, filling: &Filling<'_>, out: &mut Outbox) {
        self.forget();
        let Note { packet_bytes, .. } = request.expectation.into();
        if packet_bytes == 0 {
            return request.places.write_to(&request.bytes, filling, out);
        }
        request.places.write_to(&request.bytes, filling, &mut self.rest);
        // Head and frame are in memory, whatever the body is.
        let bytes = self.rest.pending();
        let size = bytes.get(2..4).map_or(0, |size| usize::from(u16::from_be_bytes([size[0], size[1]])));
        let head = (TO_CONTAINER.len() + 2 + size).min(bytes.len());
        self.rest.pass(head as u64, out);
        self.most = (packet_bytes as usize).saturating_sub(BODY_FRAME);
        // The lengths in the body's frame are those of a body that fits into one packet.
        self.rest.take(BODY_FRAME.min(self.rest.pending().len()), |_| {});
        self.push_piece(self.most, out);
    }

    /// Sends the next packet of the body, of at most `asked` bytes, or an empty one if there is no more.
    pub fn send(&mut self, asked: usize, out: &mut Outbox) -> Result<(), MalformedKind> {
        if out.is_overrun() {
            return Err(MalformedKind::Unread);
        }
        if !out.push_asked(|out| self.push_piece(asked, out)) {
            self.asked_in_vain += 1;
            if self.asked_in_vain > ASKED_IN_VAIN_MAX {
                return Err(MalformedKind::Packet);
            }
            let [first, second] = TO_CONTAINER;
            out.push_more(&[first, second, 0, 0]);
        }
        Ok(())
    }

    /// Sends a packet with the next piece of the body, of at most `asked` bytes; returns true if there was one.
    fn push_piece(&mut self, asked: usize, out: &mut Outbox) -> bool {
        let piece = self.rest.left().min(asked.min(self.most) as u64);
        if piece == 0 {
            return false;
        }
        let [first, second] = TO_CONTAINER;
        let ([high, low], [size, size_low]) =
            ((piece as u16).to_be_bytes(), (piece as u16 + 2).to_be_bytes());
        out.push_more(&[first, second, size, size_low, high, low]);
        self.rest.pass(piece, out);
        true
    }
}
