use super::*;
use proofload_measure::{ExchangeTimes, Outcome as Ended, Recorder, Window};
use proofload_store::schema::{FitnessCheck, Generator, Phase, Point, TrialStage};
use proofload_store::{histograms_of, point_of};

const SECOND_NS: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

/// A trial of 1,000 requests in a second, of which the last `errors` fail and `unsent` more were never sent; an answer takes
/// `service_ns` after it waited for `wait_ns`.
fn slice(service_ns: u64, wait_ns: u64, errors: u64, unsent: u64) -> Slice {
    let mut recorder = Recorder::new(Window { start_ns: 0, end_ns: 10 * SECOND_NS });
    for i in 0..1_000 {
        let intended_ns = i * MS;
        let sent_ns = intended_ns + wait_ns;
        let times = ExchangeTimes {
            intended_ns,
            sent_ns: Some(sent_ns),
            first_byte_ns: None,
            end_ns: sent_ns + service_ns,
        };
        recorder.record(&times, if i >= 1_000 - errors { Ended::Rejected } else { Ended::Answered });
        recorder.record_bytes(intended_ns, 100, 1_000);
    }
    (0..unsent).for_each(|i| recorder.record_unsent(i * MS, i * MS + 2 * SECOND_NS));
    let snapshot = recorder.finish();
    Slice {
        block: 1,
        phase: Phase::Measure,
        measured: Point {
            variant: "a".to_string(),
            connections: 50,
            connections_peak: 50,
            connections_most: 50,
            generator: Generator { fit: true, ..Generator::default() },
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: snapshot.answered_in_window,
        trial: Some(TrialTerms { rate_per_s: 100.0, stage: TrialStage::Search, fresh: true, died: false }),
        ..Slice::default()
    }
}

fn judged(slice: &Slice, slo: &str, ceiling: Option<&Ceiling>) -> SeenTrial {
    let slo = parse_slo(&[slo.to_string()]).expect("an objective");
    trial_of(slice, &slo, ceiling, 1, Path::new("")).expect("readable").expect("a trial")
}

fn with_check(mut slice: Slice, check: &str, outcome: &str) -> Slice {
    let (found, limit) = (Some(0.9), Some(0.7));
    let (check, outcome) = (check.into(), outcome.into());
    slice.measured.generator.checks.push(FitnessCheck {
        check,
        outcome,
        found,
        limit,
        ..FitnessCheck::default()
    });
    slice
}

const SLO: &str = "p99 < 50ms, errors < 0.1%";

#[test]
fn what_holds_in_every_term_passes() {
    let seen = judged(&slice(10 * MS, 0, 0, 0), SLO, None);
    assert_eq!((seen.trial.outcome, seen.shown.outcome.name()), (Outcome::Pass, "pass"));
    let margin = seen.trial.margin.expect("a value");
    assert!((margin - 0.2_f64.ln()).abs() < 0.01, "{margin}");
    assert_eq!((seen.shown.sent_share, seen.shown.carried_share), (Some(1.0), Some(1.0)));
    assert!(seen.shown.why.is_empty());
}

#[test]
fn each_thing_that_is_wrong_fails_a_trial_and_is_said() {
    let does_not_hold = |term: &str| Finding::DoesNotHold { term: term.to_string() };
    for (slice, why) in [
        (slice(60 * MS, 0, 0, 0), does_not_hold("p99 < 50ms")),
        (slice(10 * MS, 45 * MS, 0, 0), does_not_hold("p99 < 50ms")),
        (slice(10 * MS, 0, 1, 0), does_not_hold("errors < 0.1%")),
        (slice(10 * MS, 0, 0, 20), Finding::SentTooFew { sent_share: 1_000.0 / 1_020.0 }),
        (
            Slice { answered_in_window: 980, ..slice(10 * MS, 0, 0, 0) },
            Finding::CarriedTooFew { carried_share: 0.98 },
        ),
        (
            Slice { measured: Point::default(), histograms: Default::default(), ..slice(1, 0, 0, 0) },
            Finding::NoValue { measure: "p99".to_string() },
        ),
    ] {
        let seen = judged(&slice, SLO, None);
        assert_eq!(seen.trial.outcome, Outcome::Fail, "{why:?}");
        assert!(seen.shown.why.contains(&why), "{why:?}: {:?}", seen.shown.why);
    }
    // A hundredth may be missing.
    assert_eq!(judged(&slice(10 * MS, 0, 0, 9), SLO, None).trial.outcome, Outcome::Pass);
    let mut died = slice(10 * MS, 0, 0, 0);
    died.trial.as_mut().expect("a trial").died = true;
    assert_eq!(judged(&died, SLO, None).trial.outcome, Outcome::Fail);
}

/// A few of a thousand requests hang: they rank above all others, and who knows how long they would have taken.
#[test]
fn what_never_came_to_an_end_is_beyond_every_quantile() {
    let mut hangs = slice(10 * MS, 0, 0, 0);
    hangs.measured.intended += 5;
    hangs.measured.outcomes.insert("unanswered".to_string(), 5);
    for (slo, expected) in [
        ("p99 < 50ms", Outcome::Pass),
        ("p999 < 50ms", Outcome::Fail),
        ("max < 50ms", Outcome::Fail),
        ("mean < 50ms", Outcome::Fail),
        ("p999 < 3s", Outcome::Fail),
    ] {
        let seen = judged(&hangs, &format!("{slo}, errors < 1%"), None);
        assert_eq!(seen.trial.outcome, expected, "{slo}: {:?}", seen.shown.why);
        let never_ended =
            |why: &Finding| matches!(why, Finding::NeverEnded { unended: 5, intended: 1005, .. });
        assert_eq!(seen.shown.why.iter().any(never_ended), expected == Outcome::Fail, "{slo}");
    }
    assert_eq!(judged(&hangs, "p99 < 50ms", None).trial.outcome, Outcome::Fail, "an error as any other");
    assert_eq!(judged(&slice(10 * MS, 0, 0, 2), "p999 < 50ms", None).trial.outcome, Outcome::Fail);
}

#[test]
fn errors_fail_a_trial_though_the_objective_is_silent_about_them() {
    assert_eq!(judged(&slice(10 * MS, 0, 2, 0), "p99 < 50ms", None).trial.outcome, Outcome::Fail);
    assert_eq!(
        judged(&slice(10 * MS, 0, 2, 0), "p99 < 50ms, errors < 1%", None).trial.outcome,
        Outcome::Pass
    );
}

#[test]
fn an_unfit_generator_is_neither_a_pass_nor_a_failure() {
    let outcome = |check: &str, service_ns| {
        let seen = judged(&with_check(slice(service_ns, 0, 0, 0), check, "failed"), SLO, None);
        assert!(seen.trial.outcome == Outcome::Pass || !seen.shown.why.is_empty());
        seen.trial.outcome
    };
    for check in ["ports", "descriptors"] {
        assert_eq!(outcome(check, 10 * MS), Outcome::Limited(Limit::Generator), "{check}");
        assert_eq!(outcome(check, 60 * MS), Outcome::Limited(Limit::Generator), "{check}");
    }
    // Late sends make response times longer: what holds all the same holds.
    for check in ["send_delay", "at_work"] {
        assert_eq!(outcome(check, 10 * MS), Outcome::Pass, "{check}");
        assert_eq!(outcome(check, 60 * MS), Outcome::Limited(Limit::Generator), "{check}");
    }
    let fit = with_check(slice(60 * MS, 0, 0, 0), "at_work", "passed");
    assert_eq!(judged(&fit, SLO, None).trial.outcome, Outcome::Fail);
}

/// A failure by more than its delays may have added at most is the server's.
#[test]
fn an_objective_that_is_missed_by_more_than_the_generator_added_is_missed() {
    let late = |service_ns, method| {
        let mut slice = with_check(slice(service_ns, 0, 0, 0), "lengthened_p99", "failed");
        slice.measured.model = "open".into();
        slice.measured.generator.checks[0].found = Some(0.3);
        let slo = parse_slo(&[SLO.to_string()]).expect("an objective");
        trial_of(&slice, &slo, None, method, Path::new("")).expect("readable").expect("a trial").trial.outcome
    };
    // By 30 % at most, and twice that to be sure: 60 ms may have been 37.5.
    assert_eq!(late(60 * MS, 1), Outcome::Limited(Limit::Generator));
    assert_eq!(late(90 * MS, 1), Outcome::Fail);
    assert_eq!(late(90 * MS, 0), Outcome::Limited(Limit::Generator), "by the older rules");
}

/// Requests that a slow server leaves unsent are its own; those of a generator that fell behind show in its other checks.
#[test]
fn what_the_server_left_unsent_is_the_servers() {
    let slow = with_check(slice(60 * MS, 0, 0, 100), "unsent", "failed");
    assert_eq!(judged(&slow, SLO, None).trial.outcome, Outcome::Fail);
    let behind = with_check(slow, "at_work", "failed");
    assert_eq!(judged(&behind, SLO, None).trial.outcome, Outcome::Limited(Limit::Generator));
}

/// A generator that is away from its sockets makes latencies worse, never better.
#[test]
fn hiccups_excuse_a_failure_and_spoil_no_pass() {
    let hiccups = |service_ns| with_check(slice(service_ns, 0, 0, 0), "hiccups", "failed");
    assert_eq!(judged(&hiccups(10 * MS), SLO, None).trial.outcome, Outcome::Pass);
    assert_eq!(judged(&hiccups(60 * MS), SLO, None).trial.outcome, Outcome::Limited(Limit::Generator));
    assert_eq!(
        judged(&hiccups(60 * MS), "p50 < 50ms", None).trial.outcome,
        Outcome::Fail,
        "no tail is claimed"
    );
}

#[test]
fn a_rate_near_the_generators_ceiling_says_nothing() {
    let ceiling = |exchanges_per_s| Ceiling { exchanges_per_s: Some(exchanges_per_s), ..Ceiling::default() };
    // 1,000 exchanges in 10 s.
    let near = judged(&slice(10 * MS, 0, 0, 0), SLO, Some(&ceiling(120.0)));
    assert_eq!(near.trial.outcome, Outcome::Limited(Limit::Generator));
    assert!(matches!(near.shown.why[0], Finding::NearCeiling { .. }), "{:?}", near.shown.why);
    assert_eq!(judged(&slice(10 * MS, 0, 0, 0), SLO, Some(&ceiling(1e4))).trial.outcome, Outcome::Pass);
}

#[test]
fn a_ceiling_is_that_of_its_own_variant() {
    let of = |variant: &str, exchanges_per_s| Ceiling {
        variants: vec![variant.to_string()],
        exchanges_per_s,
        ..Ceiling::default()
    };
    let known = [of("plain", Some(1e5)), of("tls", Some(1e3)), of("tls", None), of("plain", Some(9e4))];
    let found = |variant| lowest(&known, variant).and_then(|ceiling| ceiling.exchanges_per_s);
    assert_eq!([found("plain"), found("tls"), found("other")], [Some(9e4), Some(1e3), None]);
    let all = Ceiling { exchanges_per_s: Some(1.0), ..Ceiling::default() };
    assert_eq!(lowest(std::slice::from_ref(&all), "plain"), Some(&all));
}

#[test]
fn busy_connections_with_a_server_in_time_are_a_limit_of_their_own() {
    // 100 answers a second of 10 ms each keep one connection busy.
    let mut waits = slice(10 * MS, 60 * MS, 0, 0);
    (waits.measured.connections, waits.measured.connections_most) = (1, 1);
    let seen = judged(&waits, SLO, None);
    assert_eq!(seen.trial.outcome, Outcome::Limited(Limit::Connections));
    assert_eq!(seen.shown.why[0], Finding::ConnectionsBusy { most: 1 });
    // The server is slow itself.
    let mut slow = slice(60 * MS, 60 * MS, 0, 0);
    (slow.measured.connections, slow.measured.connections_most) = (6, 6);
    assert_eq!(judged(&slow, SLO, None).trial.outcome, Outcome::Fail);
    // Fifty connections for one that is in use: they are not the limit.
    assert_eq!(judged(&slice(10 * MS, 60 * MS, 0, 0), SLO, None).trial.outcome, Outcome::Fail);
    // It also refuses: that is not a lack of connections.
    let mut refuses = slice(10 * MS, 60 * MS, 20, 0);
    (refuses.measured.connections, refuses.measured.connections_most) = (1, 1);
    assert_eq!(judged(&refuses, SLO, None).trial.outcome, Outcome::Fail);
}

#[test]
fn a_slice_that_is_no_trial_is_none() {
    let slo = parse_slo(&[SLO.to_string()]).expect("an objective");
    for trial in [
        None,
        Some(TrialTerms { rate_per_s: 1.0, stage: "other".into(), ..TrialTerms::default() }),
        Some(TrialTerms { rate_per_s: f64::NAN, stage: TrialStage::Search, ..TrialTerms::default() }),
    ] {
        let slice = Slice { trial, ..slice(10 * MS, 0, 0, 0) };
        assert_eq!(trial_of(&slice, &slo, None, 1, Path::new("")).expect("readable"), None);
    }
}

#[test]
fn a_plan_with_an_impossible_range_is_told() {
    let planned = |slo: &str, from_per_s, to_per_s| PlannedCapacity {
        slo: vec![slo.to_string()],
        from_per_s,
        to_per_s,
        ..PlannedCapacity::default()
    };
    assert!(search_terms(&planned(SLO, 1.0, 2.0)).is_ok());
    for wrong in [
        planned(SLO, 0.0, 2.0),
        planned(SLO, 3.0, 2.0),
        planned(SLO, 1.0, f64::INFINITY),
        planned("", 1.0, 2.0),
    ] {
        assert!(search_terms(&wrong).is_err(), "{wrong:?}");
    }
}
