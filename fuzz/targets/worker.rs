//! A whole load in virtual time: plan, network and servers chosen by the input; the books agree with a witness.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Err(broken) = proofload_fuzz::chaos::run(input, proofload_fuzz::witness::Canary::Well) {
        panic!("{broken}");
    }
});
