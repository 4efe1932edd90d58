//! HTTP/1.1 (RFC 9112), the client's side.

/// The session of one HTTP/1.x connection. (Built by the wire author.)
#[derive(Debug)]
pub struct Http1 {}

/// What is asked, before it is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSpec {
    /// Method, a token.
    pub method: String,
    /// Path and query, as they go into the request line.
    pub target: String,
    /// `host:port` for the Host header, unless `headers` has one.
    pub authority: String,
    /// Further headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
    /// Whether to announce that the connection closes after this exchange.
    pub close: bool,
    /// How many bytes of the answer's body to keep for a content check.
    pub keep_body: usize,
}

/// Limits of a session; what exceeds them is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest head, and largest trailer section, in bytes.
    pub head_max: usize,
    /// Largest body in bytes.
    pub body_max: u64,
}
