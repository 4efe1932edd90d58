//! Hessian 2.0 Serialization Protocol.

mod walk;
mod write;

pub use walk::Walker;
pub use write::Writer;
