//! Whatever shares tell in whatever order, the sums are the same, and each stretch is handed over once.

use super::*;
use crate::{ExchangeTimes, Outcome, Recorder, SECOND_NS};
use proptest::prelude::*;

const SECONDS: u64 = 6;

/// Snapshot of a share for the seconds `first` to `last`: an answer in each.
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

/// For each share, the last seconds of the stretches that it reports.
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
    fn any_order_of_shares_hands_over_the_same_stretches_with_the_same_sums(
        shares in stretches(),
        order in proptest::collection::vec(0usize..6, 0..40),
    ) {
        let mut merging = Merging::new(SECONDS, shares.len() as u32);
        let mut told: Vec<(u64, Snapshot)> = Vec::new();
        let mut turns: Vec<_> = shares.iter().map(|ends| (0, ends.iter())).collect();
        // In that order, then what is left of each.
        let rest = (0..shares.len()).flat_map(|share| [share; SECONDS as usize + 2]);
        for share in order.into_iter().filter(|share| *share < shares.len()).chain(rest) {
            let (owed, ends) = &mut turns[share];
            match ends.next() {
                Some(last) => {
                    merging.add(share as u32, *last, &seen(share as u64, *owed, *last).sparse());
                    *owed = last + 1;
                }
                None => merging.end(share as u32),
            }
            while let Some((last, sum)) = merging.next_whole() {
                told.push((last, sum.clone()));
                merging.spare(sum);
            }
        }
        prop_assert!(merging.has_ended() && merging.open.is_empty());
        let wanted = whole(&shares);
        prop_assert_eq!(told.iter().map(|(last, _)| *last).collect::<Vec<_>>(), wanted.iter().map(|(_, last)| *last).collect::<Vec<_>>());
        for ((first, last), (_, snapshot)) in wanted.into_iter().zip(&told) {
            let mut expected = seen(0, first, last);
            (1..shares.len() as u64).for_each(|share| expected.merge(&seen(share, first, last)));
            prop_assert_eq!(snapshot, &expected);
        }
    }
}

#[test]
fn one_who_is_far_behind_costs_the_others_their_seconds_and_no_memory() {
    let (seconds, apart) = (3 * APART_MAX as u64, APART_MAX as u64 - 1);
    let mut merging = Merging::new(seconds, 2);
    let mut told = Vec::new();
    for second in 0..=seconds {
        merging.add(0, second, &seen(0, second, second).sparse());
        assert!(merging.next_whole().is_none() && merging.open.len() <= APART_MAX);
    }
    for second in 0..=seconds {
        merging.add(1, second, &seen(1, second, second).sparse());
        while let Some((last, sum)) = merging.next_whole() {
            told.push((last, sum.answered_in_window));
            merging.spare(sum);
        }
        assert!(merging.spares.len() <= SPARES_MAX);
    }
    let mut expected: Vec<_> = (0..apart).map(|second| (second, 2)).collect();
    expected.push((seconds, 2 * (seconds + 1 - apart)));
    assert_eq!(told, expected);
}

#[test]
fn what_a_share_tells_of_no_second_there_is_or_after_its_end_breaks_nothing() {
    let one = seen(0, 0, 0).sparse();
    let mut merging = Merging::new(2, 2);
    merging.add(0, u64::MAX, &one);
    merging.add(7, 0, &one);
    merging.end(7);
    assert!(merging.next_whole().is_none());
    merging.end(1);
    merging.add(1, 2, &one);
    assert_eq!(merging.next_whole().map(|(last, sum)| (last, sum.answered_in_window)), Some((2, 1)));
    // Seconds that it has reported already.
    for last in [0, u64::MAX] {
        merging.add(0, last, &one);
        assert!(merging.next_whole().is_some());
    }
    assert!(!merging.has_ended());
    merging.end(0);
    assert!(merging.has_ended() && merging.next_whole().is_none());
    assert!(Merging::new(2, 0).has_ended());
}

#[test]
fn answers_that_were_told_and_never_handed_over_are_entered_once() {
    let entered = |per_second: &[u64], answered: &[u64]| {
        let mut per_second = per_second.to_vec();
        Merging { answered: answered.to_vec(), ..Merging::new(9, 1) }.enter_untold(&mut per_second);
        per_second
    };
    assert_eq!(entered(&[5, 5, 5], &[5, 5, 5]), [5, 5, 5]);
    assert_eq!(entered(&[5, 5, 5], &[8, 5, 6]), [8, 5, 6]);
    // Two seconds that were told as one, of which the others' counts are known.
    assert_eq!(entered(&[5, 5, 5], &[0, 13, 5]), [5, 8, 5]);
    assert_eq!(entered(&[5, 5], &[5, 5, 0, 2]), [5, 5, 0, 2]);
    assert_eq!(entered(&[], &[u64::MAX, 1]), [u64::MAX]);
}
