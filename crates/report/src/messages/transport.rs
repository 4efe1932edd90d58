//! What is said of TLS and proxies.

use proofload_store::schema::{Negotiated, TlsTerms};

/// Heading of the handshakes.
pub const HANDSHAKES: &str = "TLS handshakes";
/// Columns of the handshakes.
pub const HANDSHAKE_COLUMNS: [&str; 10] =
    ["", "full", "p50", "p99", "max", "resumed", "p50", "p99", "max", "settled on"];
/// What connections pass through.
pub const TLS: &str = "TLS";
/// What connections pass through.
pub const PROXY: &str = "proxy";

/// Nobody was checked.
pub fn insecure(who: &str) -> String {
    format!("{who}: TLS WAS NOT CHECKED (insecure): anybody could have been the server")
}

/// How TLS was spoken.
pub fn tls(terms: &TlsTerms) -> String {
    let mut text = format!("{} with {}", terms.versions.join(" or "), terms.server_name);
    text.push_str(&match terms.insecure {
        true => ", NOT CHECKED".to_string(),
        false => format!(", trusts {}", terms.trusts),
    });
    if terms.client_certificate {
        text.push_str(", with a client certificate");
    }
    if !terms.resumption {
        text.push_str(", sessions never resumed");
    }
    text
}

/// What handshakes settled on.
pub fn negotiated(found: &[Negotiated]) -> String {
    let one = |found: &Negotiated| {
        let alpn = if found.alpn.is_empty() { "no ALPN" } else { found.alpn.as_str() };
        format!("TLS {} {} {alpn}", found.version, found.cipher_suite)
    };
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}
