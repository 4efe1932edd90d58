//! Counts while a slice goes on, and when it is on record.

use super::support::{SECOND, begun, count, family, figures, second, slice};
use proofload_measure::Outcome::{Answered, Rejected, Timeout};
use proofload_serve::metrics::{Doing, Figures, State, Value};
use proofload_store::schema::{Phase, Plan, Slice, SubjectUse};

const EXCHANGES: &str = "proofload_exchanges_total";

/// All counters, without those that only a record has.
fn counters(figures: &Figures) -> Vec<(String, Vec<String>, String)> {
    const OF_RECORDS: [&str; 3] = ["slices", "generator_cpu", "generator_checks"];
    let added = figures.families.iter().filter(|family| {
        let about = family.about;
        about.labels.contains(&"phase")
            && !OF_RECORDS.contains(&about.name)
            && !about.name.starts_with("subject")
    });
    added
        .flat_map(|family| {
            let name = family.about.in_prometheus();
            family
                .samples
                .iter()
                .map(move |sample| (name.clone(), sample.labels.clone(), format!("{:?}", sample.value)))
        })
        .collect()
}

#[test]
fn the_record_of_a_slice_counts_exactly_what_its_seconds_counted() {
    let seconds = [
        second(0, &[(3_000, Answered), (77_777, Answered), (5_000_000, Rejected)]),
        second(1, &[]),
        second(2, &[(123_456_789, Answered), (900_000_000, Timeout)]),
    ];
    let mut whole = seconds[0].clone();
    seconds[1..].iter().for_each(|second| whole.merge(second));

    let mut state = begun("s");
    state.begins("nio", "8c");
    seconds.iter().for_each(|seen| state.second(0, seen));
    let meanwhile = figures(&state);
    assert_eq!(count(&meanwhile, EXCHANGES, "answered"), 3);
    assert_eq!(count(&meanwhile, "proofload_response_time_seconds", "nio"), 3);
    assert_eq!(count(&meanwhile, "proofload_slices_total", "nio"), 0);

    state.slice(&slice("nio", "8c", "", &whole));
    let recorded = figures(&state);
    assert_eq!(counters(&meanwhile), counters(&recorded));
    assert_eq!(count(&recorded, "proofload_slices_total", "nio"), 1);
}

#[test]
fn slices_add_up_by_variant_point_stream_and_phase_and_a_slice_that_goes_on_is_beside_them() {
    let seen = second(0, &[(1_000_000, Answered)]);
    let mut state = begun("s");
    for _ in 0..2 {
        state.slice(&slice("nio", "8c", "", &seen));
    }
    state.slice(&slice("apr", "8c", "", &seen));
    state.begins("apr", "8c");
    state.second(0, &seen);
    let now = figures(&state);
    assert_eq!((count(&now, EXCHANGES, "nio"), count(&now, EXCHANGES, "apr")), (2, 2));
    state.does(Doing::WarmingUp);
    state.begins("apr", "8c");
    state.second(0, &seen);
    assert_eq!(count(&figures(&state), EXCHANGES, "warm-up"), 1);
}

#[test]
fn slices_that_come_on_record_together_take_the_place_of_those_that_went_on_in_their_order() {
    let [one, two] = [second(0, &[(1_000_000, Answered)]), second(0, &[(1_000_000, Answered); 2])];
    let mut state = begun("s");
    for seen in [&one, &two] {
        state.begins("nio", "8c");
        state.second(0, seen);
    }
    assert_eq!(count(&figures(&state), EXCHANGES, "nio"), 3);
    state.slice(&slice("nio", "8c", "", &one));
    assert_eq!(count(&figures(&state), EXCHANGES, "nio"), 3, "the second still goes on");
    state.slice(&slice("nio", "8c", "", &two));
    assert_eq!(count(&figures(&state), EXCHANGES, "nio"), 3);
}

#[test]
fn each_stream_of_a_slice_counts_for_itself() {
    let [reads, writes] = [second(0, &[(1_000_000, Answered)]), second(0, &[(1_000_000, Answered); 2])];
    let mut state = State::default();
    let streams = vec!["reads".to_string(), "writes".to_string()];
    state.begun(&Plan { streams, ..Plan::default() }, &[], 0);
    state.does(Doing::Measuring);
    state.begins("nio", "8c");
    state.second(1, &writes);
    state.second(0, &reads);
    let of = |state: &State| ["reads", "writes"].map(|stream| count(&figures(state), EXCHANGES, stream));
    assert_eq!(of(&state), [1, 2]);
    state.slice(&slice("nio", "8c", "reads", &reads));
    assert_eq!(of(&state), [1, 2], "the other still goes on");
    state.slice(&slice("nio", "8c", "writes", &writes));
    assert_eq!(of(&state), [1, 2]);
}

#[test]
fn a_slice_that_never_came_on_record_is_forgotten_with_its_block() {
    let mut state = begun("s");
    state.begins("nio", "8c");
    state.second(0, &second(0, &[(1_000_000, Answered)]));
    state.lost("nio");
    state.block(2, 4);
    assert!(figures(&state).families.iter().all(|family| family.about.in_prometheus() != EXCHANGES));
    assert_eq!(count(&figures(&state), "proofload_variants_lost_total", "nio"), 1);
}

#[test]
fn a_slice_beside_the_figures_has_its_phase_before_it_is_on_record() {
    let seen = second(0, &[(1_000_000, Answered)]);
    let recorded = |phase| Slice { phase, ..slice("nio", "8c", "", &seen) };
    let of = |state: &State| ["perturbation", "long"].map(|phase| count(&figures(state), EXCHANGES, phase));
    let mut state = begun("s");
    state.checks(Phase::Perturbation);
    state.begins("nio", "8c");
    state.second(0, &seen);
    assert_eq!(of(&state), [1, 0]);
    state.slice(&recorded(Phase::Perturbation));
    state.checks(Phase::Long);
    for number in 1..=2 {
        state.begins("nio", "8c");
        state.second(0, &seen);
        assert_eq!(of(&state), [1, number]);
    }
    for _ in 0..2 {
        state.slice(&recorded(Phase::Long));
        assert_eq!(of(&state), [1, 2]);
    }
}

#[test]
fn a_pair_that_was_dropped_is_forgotten_when_the_next_phase_begins_and_takes_nothing_with_it() {
    let seen = second(0, &[(1_000_000, Answered)]);
    let mut state = begun("s");
    state.slice(&slice("nio", "8c", "", &seen));
    state.checks(Phase::Perturbation);
    state.begins("nio", "8c");
    state.second(0, &seen);
    // The second load failed.
    state.begins("nio", "8c");
    state.checks(Phase::Long);
    assert_eq!(count(&figures(&state), EXCHANGES, "perturbation"), 0);
    state.begins("nio", "8c");
    state.second(0, &seen);
    state.slice(&Slice { phase: Phase::Long, ..slice("nio", "8c", "", &seen) });
    assert_eq!(["measure", "long"].map(|phase| count(&figures(&state), EXCHANGES, phase)), [1, 1]);
}

#[test]
fn what_a_subject_uses_counts_while_the_window_lasts_and_as_the_record_has_it_after() {
    let seen = second(0, &[(1_000_000, Answered)]);
    let mut state = begun("s");
    state.begins("nio", "8c");
    let used = |cpu_ns| SubjectUse { cpu_ns: Some(cpu_ns), threads: Some(7), ..SubjectUse::default() };
    state.used(&used(SECOND));
    state.used(&used(2 * SECOND));
    let cpu = |state: &State| match family(&figures(state), "proofload_subject_cpu_seconds_total").samples[0]
        .value
    {
        Value::Number(seconds) => seconds,
        ref other => panic!("{other:?}"),
    };
    assert_eq!(cpu(&state), 2.0);
    state.second(0, &seen);
    state.slice(&slice("nio", "8c", "", &seen));
    assert_eq!(cpu(&state), 3.0, "the record's own");
    assert_eq!(count(&figures(&state), "proofload_subject_threads", "nio"), 7, "the record does not say");
    state.slice(&slice("nio", "8c", "", &seen));
    assert_eq!(cpu(&state), 6.0);
    state.begins("nio", "8c");
    state.used(&used(4 * SECOND));
    assert_eq!(cpu(&state), 10.0);
    state.slice(&slice("nio", "8c", "", &seen));
    assert_eq!(cpu(&state), 10.0, "3 s on record, but 4 s were shown");
}

#[test]
fn a_slice_without_answers_has_every_bound() {
    let mut state = begun("s");
    let mut nothing = slice("nio", "8c", "", &second(0, &[]));
    nothing.histograms = proofload_store::schema::Histograms::default();
    state.slice(&nothing);
    let now = figures(&state);
    let Value::Times(times) = &family(&now, "proofload_response_time_seconds").samples[0].value else {
        panic!("durations")
    };
    assert_eq!((times.counts.len(), times.count()), (22, 0));
}

#[test]
fn one_state_is_1_and_the_first_end_counts() {
    let mut state = begun("s");
    let doing = |state: &State| {
        let now = figures(state);
        let mut of =
            family(&now, "proofload_run_state").samples.iter().filter(|s| s.value == Value::Count(1));
        (of.next().map(|sample| sample.labels[0].clone()), of.count())
    };
    assert_eq!(doing(&state), (Some("measuring".to_string()), 0));
    state.ends(Doing::Interrupted);
    state.ends(Doing::Finished);
    assert_eq!(doing(&state), (Some("interrupted".to_string()), 0));
}
