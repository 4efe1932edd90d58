//! The session of AJP: every split gives the same events, each exchange ends exactly once, and only packets are sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::ajp::client(input));
