//! Command lines: taken or refused, never more.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::product::argv(input));
