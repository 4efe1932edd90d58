//! Archives: nothing leaves the folder.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::product::tar(input));
