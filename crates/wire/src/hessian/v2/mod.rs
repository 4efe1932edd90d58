//! Hessian 2.0 Serialization Protocol.

mod read;
mod walk;
mod write;

pub use read::Reader;
pub use walk::Walker;
pub use write::Writer;
