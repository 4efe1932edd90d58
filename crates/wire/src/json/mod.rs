//! JSON (RFC 8259): the arguments of a call as the body of a POST, and calls of JSON-RPC 2.0.

mod reply;
mod text;
mod write;

pub use reply::Reply;
pub(crate) use text::{length, write};
pub use write::{Body, call_body, encode};

/// Counts bytes that a decoder looked at, for tests of its cost.
#[inline]
fn count_work(_bytes: usize) {
    #[cfg(test)]
    crate::tests::work::add(_bytes);
}
