//! The reference server over loopback.

mod live;
