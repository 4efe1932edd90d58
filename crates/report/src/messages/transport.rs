//! What is said of TLS and proxies.

use proofload_language::{Columns, Phrase, say, word};
use proofload_store::schema::{Negotiated, TlsTerms};

pub const HANDSHAKES: Phrase = Phrase("handshakes");
pub const HANDSHAKE_COLUMNS: Columns<10> = Columns("handshake-columns");
pub const TLS: Phrase = Phrase("tls");
pub const PROXY: Phrase = Phrase("proxy");

pub fn tls(terms: &TlsTerms) -> String {
    say!(
        "tls-with",
        versions = terms.versions.join(word!("between-choices")),
        server_name = terms.server_name,
        trusts = (!terms.insecure).then_some(&terms.trusts),
        client_certificate = terms.client_certificate,
        resumption = terms.resumption
    )
}

pub fn negotiated(found: &[Negotiated]) -> String {
    let one = |found: &Negotiated| {
        let alpn = if found.alpn.is_empty() { word!("negotiated-no-alpn") } else { found.alpn.as_str() };
        say!("negotiated-tls", version = found.version, cipher_suite = found.cipher_suite, alpn)
    };
    found.iter().map(one).collect::<Vec<_>>().join(word!("between-sentences"))
}
