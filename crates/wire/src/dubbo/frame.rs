//! The header of a frame.

/// Bytes of a header.
pub(super) const HEADER: usize = 16;

/// First bytes of a frame.
pub(super) const MAGIC: [u8; 2] = [0xda, 0xbb];

/// Flag: a request, not a reply.
const REQUEST: u8 = 0x80;
/// Flag of a request: a reply is wanted.
pub(super) const TWO_WAY: u8 = 0x40;
/// Flag: an event, such as a heartbeat, not a call.
pub(super) const EVENT: u8 = 0x20;
/// The serialization's number among the flags.
const SERIALIZATION: u8 = 0x1f;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub flags: u8,
    pub status: u8,
    pub id: u64,
    pub length: u32,
}

impl Header {
    pub fn of(bytes: &[u8; HEADER]) -> Header {
        let [_, _, flags, status, a, b, c, d, e, f, g, h, l1, l2, l3, l4] = *bytes;
        Header {
            flags,
            status,
            id: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            length: u32::from_be_bytes([l1, l2, l3, l4]),
        }
    }

    pub fn bytes(self) -> [u8; HEADER] {
        let [a, b, c, d, e, f, g, h] = self.id.to_be_bytes();
        let [l1, l2, l3, l4] = self.length.to_be_bytes();
        [MAGIC[0], MAGIC[1], self.flags, self.status, a, b, c, d, e, f, g, h, l1, l2, l3, l4]
    }

    pub fn is_request(self) -> bool {
        self.flags & REQUEST != 0
    }

    pub fn is_event(self) -> bool {
        self.flags & EVENT != 0
    }

    pub fn wants_reply(self) -> bool {
        self.is_request() && self.flags & TWO_WAY != 0
    }

    pub fn serialization(self) -> u8 {
        self.flags & SERIALIZATION
    }

    /// An event that wants a reply.
    pub fn heartbeat(serialization: u8, id: u64, length: u32) -> Header {
        Header { flags: REQUEST | TWO_WAY | EVENT | serialization, status: 0, id, length }
    }
}
