//! The client's session of HTTP/1.1: every split gives the same events, each exchange ends exactly once.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::http1::client(input));
