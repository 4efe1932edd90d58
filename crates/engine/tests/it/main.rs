//! The engine through its public door.

mod drivers;
mod live;
mod misbehaviour;
mod sim;
mod stateful;
mod tls;
