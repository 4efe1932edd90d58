//! The part of a request's body that waits until the container asks for it.

use super::codes::TO_CONTAINER;
use super::{BODY_FRAME, Note};
use crate::{MalformedKind, Outbox, Request};

/// How often a container may ask for more of a request's body after it was told that there is no more. The answers
/// wait in the outbox, which must not grow without bound while the container does not read.
const ASKED_IN_VAIN_MAX: u32 = 16;

/// The part of a request's body that waits until the container asks for it.
#[derive(Debug, Default)]
pub(super) struct Kept {
    bytes: Vec<u8>,
    sent: usize,
    /// Most bytes that fit into a packet.
    most: usize,
    asked_in_vain: u32,
}

impl Kept {
    /// Forgets the bytes, keeps the memory.
    pub fn forget(&mut self) {
        self.bytes.clear();
        self.sent = 0;
        self.most = 0;
        self.asked_in_vain = 0;
    }

    /// Keeps back what of the request is not sent now; how many of its encoded bytes are.
    pub fn keep(&mut self, request: &Request) -> usize {
        self.forget();
        let Note { body_packet, .. } = request.expectation.into();
        // The first packet of the body is as large as all that follow may be, and says how large that is.
        let size = request.bytes.get(body_packet + 2..body_packet + 4).filter(|_| body_packet > 0);
        let Some(&[high, low]) = size else { return request.bytes.len() };
        let packet = TO_CONTAINER.len() + 2 + usize::from(u16::from_be_bytes([high, low]));
        let now = (body_packet + packet).min(request.bytes.len());
        self.most = packet.saturating_sub(BODY_FRAME);
        self.bytes.extend_from_slice(&request.bytes[now..]);
        now
    }

    /// Sends the next packet of the body, of at most `asked` bytes, or one that says that there is no more.
    pub fn send(&mut self, asked: usize, out: &mut Outbox) -> Result<(), MalformedKind> {
        let rest = &self.bytes[self.sent..];
        let piece = &rest[..rest.len().min(asked).min(self.most)];
        let [first, second] = TO_CONTAINER;
        if piece.is_empty() {
            self.asked_in_vain += 1;
            if self.asked_in_vain > ASKED_IN_VAIN_MAX {
                return Err(MalformedKind::Packet);
            }
            out.push_more(&[first, second, 0, 0]);
            return Ok(());
        }
        let ([high, low], [size, size_low]) =
            ((piece.len() as u16).to_be_bytes(), (piece.len() as u16 + 2).to_be_bytes());
        out.push_more(&[first, second, size, size_low, high, low]);
        out.push_more(piece);
        self.sent += piece.len();
        Ok(())
    }
}
