//! The serialization of Hessian 1.0.2.

mod walk;
mod write;

pub use walk::Walker;
pub use write::Writer;
