//! Records of which a file is anything: read and drawn, or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::product::record(input));
