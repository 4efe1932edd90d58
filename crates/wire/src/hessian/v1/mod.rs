//! The serialization of Hessian 1.0.2.

mod walk;
mod write;

pub use walk::Walker;
pub use write::Writer;

/// Reads the values of one message as trees, one after the other.
pub type Reader<'a> = super::read::Reader<'a, Walker>;
