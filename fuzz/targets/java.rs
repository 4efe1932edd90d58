//! Java's object serialization: every split of a stream ends the same, and whatever it is can be told.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::java::stream(input));
