//! JSON (RFC 8259): the arguments of a call as the body of a POST, and calls of JSON-RPC 2.0.

mod reply;
mod text;
mod told;
mod write;

pub use reply::Reply;
pub(crate) use text::{Dialect, write};
pub(crate) use told::{Told, is_whole};
pub(crate) use write::Writer;
pub use write::{Body, call_body, encode};
