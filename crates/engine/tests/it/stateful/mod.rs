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

fn search(config: Config, canary: Canary) -> Result<(), TestError<Vec<u8>>> {
    let config = Config { failure_persistence: None, ..config };
    TestRunner::new(config)
        .run(&inputs(), |input| run(&input, canary).map(|_| ()).map_err(TestCaseError::fail))
}

#[test]
fn whatever_is_chosen_nothing_hangs_and_the_books_agree_with_the_witness() {
    let config = Config { max_shrink_iters: 200, ..Config::default() };
    let seed = config.rng_seed;
    if let Err(error) = search(config, Canary::Well) {
        panic!("PROPTEST_RNG_SEED={seed}: {error}");
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
        let config =
            Config { cases: 100, rng_seed: RngSeed::Fixed(7), max_shrink_iters: 0, ..Config::default() };
        let found = search(config, canary);
        assert!(matches!(found, Err(TestError::Fail(..))), "{canary:?} was not found: {found:?}");
    }
}
