//! The sum of the seconds is the whole, in any order of arrival, and with any worker late.

use super::*;
use proofload_measure::{ExchangeTimes, LatencyHistogram, Outcome};
use proptest::prelude::*;

const WINDOW: Window = Window { start_ns: 7_000, end_ns: 7_000 + 4 * SECOND_NS + SECOND_NS / 2 };

/// An exchange: when it was intended, after the window's beginning or before it, how long it took, what became of it.
type Case = (i64, u64, usize);

fn cases() -> impl Strategy<Value = Vec<Case>> {
    let second = SECOND_NS as i64;
    proptest::collection::vec((-second / 2..5 * second, 0..2 * SECOND_NS, 0usize..16), 1..80)
}

fn exchange(recorder: &mut Recorder, (intended, took_ns, outcome): Case) {
    let intended_ns = WINDOW.start_ns.saturating_add_signed(intended);
    let times = ExchangeTimes {
        intended_ns,
        sent_ns: Some(intended_ns + took_ns / 3),
        first_byte_ns: Some(intended_ns + took_ns / 2),
        end_ns: intended_ns + took_ns,
    };
    recorder.record(&times, Outcome::ALL[outcome]);
    recorder.record_of_part(outcome % PARTS, &times, Outcome::ALL[outcome]);
    recorder.record_answer_of_part(outcome % PARTS, intended_ns, 200 + outcome as u16, took_ns);
    recorder.record_bytes(times.end_ns, took_ns, 2 * took_ns);
    recorder.record_code(intended_ns, 200 + outcome as u16);
    recorder.record_connect(times.end_ns, took_ns);
}

/// Named parts of the load, by outcome.
const PARTS: usize = 2;

/// In the order of their ends, as a worker sees them.
fn by_end(mut cases: Vec<Case>) -> Vec<Case> {
    cases.sort_by_key(|(intended, took, _)| intended + *took as i64);
    cases
}

/// Snapshot that one recorder would have of them all.
fn whole(workers: &[Vec<Case>]) -> Snapshot {
    let mut recorder = Recorder::with_parts(WINDOW, PARTS);
    workers.iter().flatten().for_each(|case| exchange(&mut recorder, *case));
    recorder.finish()
}

/// Everything of a snapshot that is stored, as it is stored.
fn bytes(snapshot: &Snapshot) -> Vec<String> {
    let s = snapshot;
    let histograms =
        [&s.response_time, &s.service_time, &s.first_byte, &s.send_delay, &s.connects, &s.handshakes_full];
    let mut all: Vec<String> = histograms.into_iter().map(LatencyHistogram::encode).collect();
    all.push(format!("{:?} {:?} {:?} {:?}", s.outcomes, s.discarded, s.codes, s.parts));
    all.push(format!("{} {} {}", s.answered_in_window, s.bytes_sent, s.bytes_received));
    all
}

/// Plays workers whose turns come in that order; the collector looks where the order has `None`.
fn play(workers: &[Vec<Case>], order: &[Option<usize>]) -> (Collected, Vec<Snapshot>, Vec<u64>) {
    let count = workers.len() as u32;
    let (mut collector, giving) = Collector::new(0, WINDOW, (count, PARTS), &std::thread::current(), false);
    let mut playing: Vec<_> = giving
        .into_iter()
        .zip(workers)
        .map(|(giving, cases)| {
            (Seconds::new(WINDOW, giving), Recorder::with_parts(WINDOW, PARTS), cases.iter())
        })
        .collect();
    let mut stretches = Vec::new();
    let mut tell = |stretch: &Stretch<'_>| stretches.push(stretch.snapshot.clone());
    for turn in order {
        match turn.map(|worker| &mut playing[worker % workers.len()]) {
            None => assert!(!collector.collect(&mut tell)),
            Some((seconds, recorder, cases)) => {
                let Some(case) = cases.next() else { continue };
                let end_ns = WINDOW.start_ns.saturating_add_signed(case.0) + case.1;
                seconds.advance_to(end_ns, recorder);
                exchange(recorder, *case);
            }
        }
    }
    let mut counts = Vec::new();
    for (mut seconds, mut recorder, cases) in playing {
        for case in cases {
            seconds.advance_to(WINDOW.start_ns.saturating_add_signed(case.0) + case.1, &mut recorder);
            exchange(&mut recorder, *case);
        }
        let (mine, service_sum_ns) = seconds.finish(WINDOW.end_ns, recorder);
        assert!(service_sum_ns <= workers.iter().flatten().map(|case| case.1).sum());
        add_counts(&mut counts, &mine);
        collector.collect(&mut tell);
    }
    assert!(collector.collect(&mut tell));
    (collector.finish(), stretches, counts)
}

proptest! {
    #[test]
    fn the_seconds_add_up_to_the_whole_byte_for_byte_whatever_the_order(
        workers in proptest::collection::vec(cases().prop_map(by_end), 1..5),
        order in proptest::collection::vec(proptest::option::weighted(0.8, 0usize..4), 0..200),
        shuffled in any::<u64>(),
    ) {
        let (collected, mut stretches, counts) = play(&workers, &order);
        let whole = whole(&workers);
        prop_assert_eq!(&collected.snapshot, &whole);
        prop_assert_eq!(bytes(&collected.snapshot), bytes(&whole));
        prop_assert_eq!(counts.iter().sum::<u64>(), whole.answered_in_window);
        stretches.sort_by_key(|s| (s.window.start_ns ^ shuffled).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut sum = stretches.pop().unwrap();
        stretches.iter().for_each(|stretch| sum.merge(stretch));
        prop_assert_eq!(bytes(&sum), bytes(&whole));
        prop_assert_eq!(sum.window, WINDOW);
    }
}

#[test]
fn a_second_has_the_quantiles_of_all_workers_together() {
    // One worker is ten times as slow as the other: what either of them saw is not what both saw.
    let at = |ms: i64, took_ms: u64| (ms * 1_000_000, took_ms * 1_000_000, Outcome::Answered as usize);
    let quick: Vec<Case> = (0..90).map(|i| at(i, 1)).collect();
    let slow: Vec<Case> = (0..10).map(|i| at(100 + i, 100)).chain([at(1_500, 7)]).collect();
    let (collected, stretches, counts) = play(&[quick, slow], &[]);
    let near = |ns: u64, ms: u64| ns.abs_diff(ms * 1_000_000) <= ms * 1_000;
    let [Some(first), Some(second), None, None, None] = collected.quantiles[..] else {
        panic!("{:?}", collected.quantiles)
    };
    assert!(near(first.p50_ns, 1) && near(first.p99_ns, 100), "{first:?}");
    assert!(near(second.p50_ns, 7), "{second:?}");
    assert_eq!(counts, [100, 1, 0, 0, 0]);
    let lengths = stretches.iter().map(|s| s.window.end_ns - s.window.start_ns).collect::<Vec<_>>();
    // The later ones were not taken in time.
    assert_eq!(lengths, [SECOND_NS, SECOND_NS, 5 * SECOND_NS / 2]);
}

#[test]
fn seconds_of_which_nobody_took_the_snapshots_are_counted_apart_and_told_together() {
    let (mut collector, mut giving) = Collector::new(0, WINDOW, (1, PARTS), &std::thread::current(), false);
    let (mut seconds, mut recorder) =
        (Seconds::new(WINDOW, giving.remove(0)), Recorder::with_parts(WINDOW, PARTS));
    let mut answer = |seconds: &mut Seconds, at_ms: i64| {
        let case = (at_ms * 1_000_000, 1_000_000, Outcome::Answered as usize);
        seconds.advance_to(WINDOW.start_ns + (at_ms as u64 + 1) * 1_000_000, &mut recorder);
        exchange(&mut recorder, case);
    };
    // Two snapshots are spare, so the third second's goes on into the fourth.
    [100, 1_100, 2_100, 2_200, 3_100].into_iter().for_each(|ms| answer(&mut seconds, ms));
    let mut told = Vec::new();
    let mut tell = |s: &Stretch<'_>| told.push((s.first, s.last, s.snapshot.answered_in_window));
    assert!(!collector.collect(&mut tell));
    answer(&mut seconds, 4_100);
    assert!(!collector.collect(&mut tell));
    let (counts, _) = seconds.finish(WINDOW.end_ns, recorder);
    assert!(collector.collect(&mut tell));
    assert_eq!(told, [(0, 0, 1), (1, 1, 1), (2, 3, 3), (4, 4, 1), (5, 5, 0)]);
    assert_eq!(counts, [1, 1, 2, 1, 1]);
    let known: Vec<bool> = collector.finish().quantiles.iter().map(Option::is_some).collect();
    assert_eq!(known, [true, true, false, false, true]);
}

#[test]
fn a_cut_ends_the_series_and_what_ends_later_is_no_throughput() {
    let (mut collector, mut giving) = Collector::new(0, WINDOW, (1, PARTS), &std::thread::current(), false);
    let (mut seconds, mut recorder) =
        (Seconds::new(WINDOW, giving.remove(0)), Recorder::with_parts(WINDOW, PARTS));
    exchange(&mut recorder, (0, 1_000_000, Outcome::Answered as usize));
    seconds.cut(WINDOW.start_ns + 300_000_000, &mut recorder);
    recorder.cut();
    seconds.advance_to(WINDOW.start_ns + 2 * SECOND_NS, &mut recorder);
    exchange(&mut recorder, (200_000_000, 2 * SECOND_NS, Outcome::Answered as usize));
    let (counts, _) = seconds.finish(WINDOW.start_ns + 300_000_000, recorder);
    assert!(collector.collect(&mut |_| ()));
    let Collected { snapshot, .. } = collector.finish();
    assert_eq!((counts, snapshot.answered_in_window, snapshot.intended()), (vec![1], 1, 2));
    assert_eq!(snapshot.window.end_ns, WINDOW.start_ns + 300_000_000);
}
