//! What every decoder must hold ([`laws`]), and what each protocol is.

mod ajp;
mod dubbo;
mod hessian;
mod corpus;
mod http1;
mod json;
mod java;
mod laws;
mod outbox;
mod rmi;
pub(crate) mod work;
