//! Hessian: the serializations 1.0 and 2.0, and calls that carry them over HTTP.
//!
//! Sources: Hessian 1.0.2 Specification, Hessian 2.0 Serialization Protocol, Hessian 2.0 Web Services Protocol (Caucho
//! Technology). Where Caucho's Java library departs from them, values are written as the library does, for servers read
//! that:
//!
//! - Lengths of texts are UTF-16 code units, and a character beyond U+FFFF is two surrogates of three bytes each.
//! - `0x5f` is a double in thousandths, not a 32-bit float.

mod call;
mod chars;
mod describe;
mod read;
mod reply;
mod text;
mod told;
mod tree;
pub mod v1;
pub mod v2;
mod walk;

pub use crate::scan::Fed;
pub use call::{Version, call_body, encode};
pub(crate) use chars::Chars;
pub use describe::describe;
pub use reply::Reply;
pub(crate) use text::{Dialect, length, write};
pub use tree::Tree;

/// Deepest nesting of a value; deeper nesting is a fault.
pub const DEPTH_MAX: usize = 64;

/// Most class definitions of one message.
pub const CLASSES_MAX: usize = 1024;

/// Most fields of one class.
pub const FIELDS_MAX: usize = 4096;

/// The class that sets have here, which lists name before their elements.
const SET: &str = "java.util.HashSet";

/// A byte that no value can have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its index in the bytes that were handed in.
    pub at: usize,
}
