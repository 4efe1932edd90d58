//! The serialization of Hessian 1.0.2.

mod read;
mod walk;
mod write;

pub use read::Reader;
pub use walk::Walker;
pub use write::Writer;
