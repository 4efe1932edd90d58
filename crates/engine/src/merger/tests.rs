//! Shares that are lost, and what is entered of them.

use super::*;
use proofload_measure::{ExchangeTimes, Recorder};

/// Snapshot of a share for the seconds `first` to `last`: an answer in each.
fn seen(first: u64, last: u64) -> SparseSnapshot {
    let window = Window { start_ns: first * SECOND_NS, end_ns: (last + 1) * SECOND_NS };
    let mut recorder = Recorder::with_parts(window, 2);
    for intended_ns in (first..=last).map(|second| second * SECOND_NS) {
        let (sent_ns, end_ns) = (Some(intended_ns), intended_ns + 1_000_000);
        let times = ExchangeTimes { intended_ns, sent_ns, first_byte_ns: Some(end_ns), end_ns };
        recorder.record(&times, Outcome::Answered);
        recorder.record_of_part(1, &times, Outcome::Answered);
    }
    recorder.finish().sparse()
}

#[test]
fn what_a_lost_share_told_counts_and_is_in_its_seconds() {
    let extent = crate::Extent::DurationNs(4 * SECOND_NS);
    let (plans, watch) = ([LoadPlan { extent, ..crate::health::tests::plan() }], Watch::default());
    let mut merger = Merger::new(&plans, &watch, 3);
    let mut told = Vec::new();
    let mut tell = |s: &Stretch<'_>| told.push((s.first, s.last, s.snapshot.answered_in_window));
    // The second reports two seconds at once, and is lost; so is the last, before it has reported anything.
    merger.add(0, 0, 0, &seen(0, 0));
    merger.add(1, 0, 1, &seen(0, 1));
    merger.lose(2);
    merger.lose(1);
    for second in 1..=4 {
        assert!(!merger.collect(&mut tell));
        merger.add(0, 0, second, &seen(second, second));
    }
    // Reports that are too late, or of no load and no share, are ignored.
    merger.add(1, 0, 4, &seen(2, 4));
    merger.add(0, 7, 4, &seen(2, 4));
    merger.add(9, 0, 4, &seen(2, 4));
    merger.end(0, Vec::new());
    assert!(merger.collect(&mut tell));
    assert_eq!(told, [(0, 1, 4), (2, 2, 1), (3, 3, 1), (4, 4, 1)]);
    assert_eq!(watch.answered.load(Ordering::Relaxed), 7);
    let result = merger.finish().remove(0);
    assert_eq!(result.per_second, [0, 4, 1, 1, 1]);
    assert_eq!(result.snapshot.parts.iter().map(|part| part.answered_in_window).collect::<Vec<_>>(), [0, 7]);
    assert!(result.snapshot.parts_add_up());
}
