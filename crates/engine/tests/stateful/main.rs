//! Whole loads chosen by random bytes: a bounded number of cases here, for ever under the fuzz target `worker`.

mod chaos;
mod witness;

use chaos::run;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use witness::Canary;

fn inputs() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..400)
}

fn search(cases: u32, seed: u64, canary: Canary) -> Result<(), TestError<Vec<u8>>> {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: if canary == Canary::Well { 200 } else { 0 },
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&inputs(), |input| run(&input, canary).map(|_| ()).map_err(TestCaseError::fail))
}

#[test]
fn whatever_is_chosen_nothing_hangs_and_the_books_agree_with_the_witness() {
    let seed = std::env::var("PROOFLOAD_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let cases = std::env::var("PROOFLOAD_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    if let Err(error) = search(cases, seed, Canary::Well) {
        panic!("PROOFLOAD_SEED={seed}: {error}");
    }
}

/// Thirteen connections, each answered before its request has come whole, and then again byte by byte.
#[test]
fn answers_without_end_to_requests_without_pause_are_bounded() {
    run(&[0x2a, 0xff], Canary::Well).expect("the books agree");
}

#[test]
fn planted_faults_are_found_within_few_cases() {
    for canary in [
        Canary::LosesBytes(50),
        Canary::DoublesBytes(50),
        Canary::ForgetsClose(50),
        Canary::SwallowsSend(50),
        Canary::ForgetsTick,
        Canary::SettlesTwice,
    ] {
        let found = search(100, 7, canary);
        assert!(matches!(found, Err(TestError::Fail(..))), "{canary:?} was not found: {found:?}");
    }
}
