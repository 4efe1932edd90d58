//! The sessions of Hessian and JSON-RPC: every split gives the same events, each exchange ends exactly once.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::hessian::session(input));
