//! The client's session of Dubbo: every split gives the same events, each exchange ends exactly once.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::dubbo::client(input));
