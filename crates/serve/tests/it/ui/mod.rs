//! The page, asked as any program may ask: bytes over a socket.

mod asking;
mod chinese;
mod limits;
mod live;
mod made;
mod names;
mod outside;
mod pages;
mod refused;
