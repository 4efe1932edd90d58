//! The client's session of Java RMI: every split gives the same events, each exchange ends exactly once.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::rmi::client(input));
