//! The reference server over loopback.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests may")]

mod live;
