//! The walkers and readers of Hessian 1.0 and 2.0: however the bytes come, the values end at the same places.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofload_fuzz::hessian::walker(input));
