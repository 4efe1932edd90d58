//! What every decoder must hold ([`laws`]), and what HTTP/1.1 is.

mod ajp;
mod hessian;
mod http1;
mod json;
mod laws;
mod outbox;
pub(crate) mod work;
