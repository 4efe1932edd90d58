//! HTTP/1.1 and 1.0 (RFC 9112, RFC 9110): the client's session, the encoder of requests, and the
//! parser of requests for a server.
//!
//! A measuring client takes the strict choice where the RFCs leave one, for a server whose framing must
//! be guessed cannot be measured:
//!
//! - `Transfer-Encoding` beside `Content-Length` is malformed (RFC 9112 section 6.3 calls it an error).
//! - The only transfer coding is a single `chunked`; none may come in an HTTP/1.0 message (6.1).
//! - Repeated or listed `Content-Length` values are accepted when they are all the same number (6.3).
//! - Lines of a head or of trailers may end in a bare LF (2.2); lines of the chunked coding may not.
//! - A folded line (obs-fold, 5.2) is skipped in an answer, except behind a field that frames the
//!   message or the connection, where it is malformed; in a request it is always refused.
//! - Control bytes other than HTAB are malformed anywhere in a head, and so is space before a colon.
//! - After `Expect: 100-continue` the body waits for a 100, at most a second. An answer that comes before it ends the
//!   exchange, and the connection with it: the body was announced and is not sent.
//! - Other interim answers (1xx) are skipped; 101 is malformed, since a request with `Upgrade` is not encoded.
//! - An answer to HEAD, and a 204 or 304, ends with its head, whatever length it claims.
//! - Bytes that come while no exchange is in flight are malformed and end the connection.

pub(crate) mod body;
mod client;
mod cookie_date;
mod cookies;
mod digest;
mod fields;
mod forward;
mod held;
pub(crate) mod kept;
pub(crate) mod lines;
mod redirect;
mod request;
pub mod server;
mod template;

use std::ops::RangeInclusive;

pub use client::Http1;
pub(crate) use cookies::name_and_value;
pub use cookies::{COOKIE_BYTES_MAX, COOKIES_MAX, Jar, Now};
pub use digest::{Credentials, Digest};
pub use forward::through_proxy;
pub use redirect::{LOCATION_MAX, Leads, Origin, Scheme, becomes_get, is_redirect, resolve};
pub use request::{EncodeError, Parts, RequestSpec, first_wrong};
pub use template::{RequestPart, Slot, Template};

/// Codes that count as success when no other is expected: success and redirection.
pub(crate) const GOOD_CODES: RangeInclusive<u16> = 200..=399;

/// Default of [`Limits::head_max`]: far more than servers send by default (Tomcat and httpd stop at 8 KiB to 16 KiB). Only an
/// unfinished line of a head is carried from one read to the next, so hardly a connection ever holds as much.
pub const HEAD_MAX_DEFAULT: usize = 1024 * 1024;

/// Default of [`Limits::body_max`], no limit: bodies are counted, and only as much of them is kept as a request asks for. An
/// answer that never ends is ended by its time-out.
pub const BODY_MAX_DEFAULT: u64 = u64::MAX;

/// Limits of one message; the excess is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest head (interim answers before it included), largest trailer section, and largest size
    /// line of a chunk, each in bytes.
    pub head_max: usize,
    /// Largest body in bytes, after transfer decoding.
    pub body_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { head_max: HEAD_MAX_DEFAULT, body_max: BODY_MAX_DEFAULT }
    }
}
