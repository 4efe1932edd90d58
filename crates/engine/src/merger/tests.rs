//! Whatever shares tell in whatever order, the sum is the same, and each stretch is told once.

use super::*;
use proofload_measure::{ExchangeTimes, Recorder};
use proptest::prelude::*;

const SECONDS: u64 = 6;

fn plan(seconds: u64) -> LoadPlan {
    LoadPlan { extent: crate::Extent::DurationNs(seconds * SECOND_NS), ..crate::health::tests::plan() }
}

/// What a share saw of the seconds `first` to `last`: an answer in each.
fn seen(share: u64, first: u64, last: u64) -> Snapshot {
    let window = Window { start_ns: first * SECOND_NS, end_ns: (last + 1) * SECOND_NS };
    let mut recorder = Recorder::new(window);
    for second in first..=last {
        let intended_ns = second * SECOND_NS + share;
        let end_ns = intended_ns + (share + 1) * 1_000_000;
        let (sent_ns, first_byte_ns) = (Some(intended_ns), Some(end_ns));
        recorder.record(&ExchangeTimes { intended_ns, sent_ns, first_byte_ns, end_ns }, Outcome::Answered);
    }
    recorder.finish()
}

/// Of each share, the seconds with which the stretches end that it tells.
fn stretches() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let ends = proptest::collection::btree_set(0..SECONDS, 0..6);
    let ends = ends.prop_map(|ends| ends.into_iter().chain([SECONDS]).collect());
    proptest::collection::vec(ends, 1..6)
}

/// The stretches that no share tells across: found by looking at every second, not at one message after the other.
fn whole(shares: &[Vec<u64>]) -> Vec<(u64, u64)> {
    let mut first = 0;
    let mut found = Vec::new();
    for last in 0..=SECONDS {
        if shares.iter().all(|ends| ends.contains(&last)) {
            found.push((first, last));
            first = last + 1;
        }
    }
    found
}

proptest! {
    #[test]
    fn any_order_tells_the_same_stretches_and_comes_to_the_same_sum(
        shares in stretches(),
        order in proptest::collection::vec(0usize..6, 0..40),
    ) {
        let (plans, watch) = ([plan(SECONDS)], Watch::default());
        let mut merger = Merger::new(&plans, &watch, shares.len() as u32);
        let mut told: Vec<(u64, u64, Snapshot)> = Vec::new();
        let mut tell = |s: &Stretch<'_>| told.push((s.first, s.last, s.snapshot.clone()));
        let mut turns: Vec<_> = shares.iter().map(|ends| (0, ends.iter())).collect();
        // In that order, then what is left of each.
        let rest = (0..shares.len()).flat_map(|share| [share; SECONDS as usize + 2]);
        for share in order.into_iter().filter(|share| *share < shares.len()).chain(rest) {
            let (owed, ends) = &mut turns[share];
            match ends.next() {
                Some(last) => {
                    merger.add(share as u32, 0, *last, &seen(share as u64, *owed, *last).sparse());
                    *owed = last + 1;
                }
                None => merger.end(share as u32, Vec::new()),
            }
            merger.collect(&mut tell);
        }
        prop_assert!(merger.collect(&mut tell));
        let lengths: Vec<(u64, u64)> = told.iter().map(|(first, last, _)| (*first, *last)).collect();
        prop_assert_eq!(lengths, whole(&shares));
        for (first, last, snapshot) in &told {
            let mut expected = seen(0, *first, *last);
            (1..shares.len() as u64).for_each(|share| expected.merge(&seen(share, *first, *last)));
            prop_assert_eq!(snapshot, &expected);
        }
        prop_assert_eq!(watch.answered.into_inner(), (SECONDS + 1) * shares.len() as u64);
    }
}

#[test]
fn one_who_is_far_behind_costs_the_others_their_seconds_and_no_memory() {
    let seconds = 3 * APART_MAX as u64;
    let (plans, watch) = ([plan(seconds)], Watch::default());
    let mut merger = Merger::new(&plans, &watch, 2);
    let mut told = Vec::new();
    for second in 0..=seconds {
        merger.add(0, 0, second, &seen(0, second, second).sparse());
        assert!(!merger.collect(&mut |_| panic!("the other has told nothing")));
        assert!(merger.loads[0].open.len() <= APART_MAX);
    }
    for second in 0..=seconds {
        merger.add(1, 0, second, &seen(1, second, second).sparse());
        merger.collect(&mut |s| told.push((s.first, s.last, s.snapshot.answered_in_window)));
    }
    let apart = APART_MAX as u64 - 1;
    let mut expected: Vec<_> = (0..apart).map(|second| (second, second, 2)).collect();
    expected.push((apart, seconds, 2 * (seconds + 1 - apart)));
    assert_eq!(told, expected);
}

#[test]
fn what_a_lost_share_told_counts_and_is_in_its_seconds() {
    let (plans, watch) = ([plan(4)], Watch::default());
    let mut merger = Merger::new(&plans, &watch, 3);
    let mut told = Vec::new();
    let mut tell = |s: &Stretch<'_>| told.push((s.last, s.snapshot.answered_in_window));
    // The second tells of two seconds at once, and is lost; so is the last, before it has told anything.
    merger.add(0, 0, 0, &seen(0, 0, 0).sparse());
    merger.add(1, 0, 1, &seen(1, 0, 1).sparse());
    merger.lose(2);
    merger.lose(1);
    for second in 1..=4 {
        assert!(!merger.collect(&mut tell));
        merger.add(0, 0, second, &seen(0, second, second).sparse());
    }
    // What comes too late, or of no load and no share, is nobody's.
    merger.add(1, 0, 4, &seen(1, 2, 4).sparse());
    merger.add(0, 7, 4, &seen(1, 2, 4).sparse());
    merger.add(9, 0, 4, &seen(1, 2, 4).sparse());
    merger.end(0, Vec::new());
    assert!(merger.collect(&mut tell));
    assert_eq!(told, [(1, 4), (2, 1), (3, 1), (4, 1)]);
    assert_eq!(merger.finish()[0].per_second, [0, 4, 1, 1, 1]);
}

#[test]
fn answers_that_were_told_and_never_handed_over_are_entered_once() {
    let entered = |per_second: &[u64], answered: &[u64]| {
        let mut per_second = per_second.to_vec();
        enter_untold(&mut per_second, answered);
        per_second
    };
    assert_eq!(entered(&[5, 5, 5], &[5, 5, 5]), [5, 5, 5]);
    assert_eq!(entered(&[5, 5, 5], &[8, 5, 6]), [8, 5, 6]);
    // Two seconds that were told as one, of which the others' counts are known.
    assert_eq!(entered(&[5, 5, 5], &[0, 13, 5]), [5, 8, 5]);
    assert_eq!(entered(&[5, 5], &[5, 5, 0, 2]), [5, 5, 0, 2]);
    assert_eq!(entered(&[], &[u64::MAX, 1]), [u64::MAX]);
}

#[test]
fn a_share_that_tells_of_no_second_there_is_breaks_nothing() {
    let (plans, watch) = ([plan(2)], Watch::default());
    let mut merger = Merger::new(&plans, &watch, 1);
    let mut told = Vec::new();
    for last in [u64::MAX, 0, u64::MAX] {
        merger.add(0, 0, last, &seen(0, 0, 0).sparse());
        merger.collect(&mut |s| told.push((s.first, s.last)));
    }
    assert_eq!(told, [(0, 2), (3, 3), (4, 4)]);
}
