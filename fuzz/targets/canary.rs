//! A planted fault, by which it shows that faults are found.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::product::canary(input));
