//! The laws on a corpus of answers and requests, on what chance makes of it, and on any bytes.

use super::fuzzed;
use crate::tests::corpus::corpus;
use proptest::prelude::*;

/// Pieces that answers are made of; chance strings them together.
const ANSWER_PIECES: &[&str] = &[
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 404 No\r\n",
    "HTTP/1.1 100 \r\n\r\n",
    "HTTP/1.1 204\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 0\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "X: y\r\n",
    " folded\r\n",
    "\r\n",
    "\n",
    "\r",
    "5\r\nhello\r\n",
    "a;x=y\r\n0123456789\r\n",
    "0\r\n",
    "hello",
    "\u{0}",
];

/// Pieces that requests are made of.
const REQUEST_PIECES: &[&str] = &[
    "GET / HTTP/1.1\r\n",
    "POST /x HTTP/1.0\r\n",
    "Host: h\r\n",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Expect: 100-continue\r\n",
    "X: y\r\n",
    "\r\n",
    "\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "hello",
    " ",
];

fn strung(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    let choices = any::<[u8; 2]>();
    (choices, prop::collection::vec(piece, 0..12))
        .prop_map(|(choices, pieces)| [choices.to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_client_holds_the_laws_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzed::client(&bytes);
    }

    #[test]
    fn a_client_holds_the_laws_on_answers_in_disorder(bytes in strung(ANSWER_PIECES)) {
        fuzzed::client(&bytes);
    }

    #[test]
    fn a_server_holds_the_laws_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzzed::server(&bytes);
    }

    #[test]
    fn a_server_holds_the_laws_on_requests_in_disorder(bytes in strung(REQUEST_PIECES)) {
        fuzzed::server(&bytes);
    }
}

#[test]
fn a_client_holds_the_laws_on_the_fuzz_seeds() {
    corpus("http1", fuzzed::client);
}

#[test]
fn a_server_holds_the_laws_on_the_fuzz_seeds() {
    corpus("http1_server", fuzzed::server);
}
