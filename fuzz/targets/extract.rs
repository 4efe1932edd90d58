//! Expressions and answers: refused, found, not found or unreadable.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::extract::extract(input));
