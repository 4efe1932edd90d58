//! The page, asked as any program may ask: bytes over a socket.

#![allow(clippy::disallowed_methods, reason = "tests may")]

mod asking;
mod chinese;
mod limits;
mod live;
mod made;
mod names;
mod outside;
mod pages;
mod refused;
