//! Laws that every decoder must hold ([`laws`]), and tests of each protocol.

mod ajp;
mod corpus;
mod dubbo;
mod hessian;
mod http1;
mod java;
mod json;
mod laws;
mod outbox;
mod rmi;
mod streamed;
mod values;
pub(crate) mod work;
