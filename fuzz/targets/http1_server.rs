//! The server's parser of HTTP/1.1: every split gives the same requests and the same error.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::http1::server(input));
