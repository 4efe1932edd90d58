//! Studies: checked or refused, with mistakes that a terminal can show.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::product::study(input));
