//! Searches for a capacity, drawn from their record.

use crate::facts::told;
use crate::made::busy;
use proofload_analysis::{Overall, overall, searches};
use proofload_facts::{Finding, Limit, Reason};
use proofload_measure::{ExchangeTimes, Outcome, Recorder, Window};
use proofload_report::{Terminal, Undecided, csv, html, json, junit, markdown, of_run, screen, text};
use proofload_stats::capacity::{NextTrial, Request, Stage};
use proofload_store::schema::{
    CapacityAnswer, Conditions, Environment, FORMAT_VERSION, FitnessCheck, Generator, LoadPoint, Plan,
    PlannedCapacity, Point, RunResult, RunState, Slice, Timing, TrialTerms, Variant,
};
use proofload_store::{Run, RunWriter, histograms_of, point_of};

const SECOND: u64 = 1_000_000_000;

/// A record of a whole search of a server that answers in 1 ms up to `capacity_per_s`, and in 100 ms beyond; the generator is
/// fit up to `fit_per_s`.
fn searched(capacity_per_s: f64, fit_per_s: f64, most_trials: usize) -> RunResult {
    search(most_trials, &|request| {
        let mut slice = server(request, capacity_per_s);
        if request.rate_per_s > fit_per_s {
            be_unfit(&mut slice);
        }
        slice
    })
}

fn server(request: &Request, capacity_per_s: f64) -> Slice {
    let carries = request.rate_per_s <= capacity_per_s;
    trial(request, 0, if carries { SECOND / 1_000 } else { SECOND / 10 })
}

fn be_unfit(slice: &mut Slice) {
    let check = FitnessCheck { check: "ports".into(), outcome: "failed".into(), ..FitnessCheck::default() };
    slice.measured.generator.checks.push(check);
    slice.measured.generator.findings.push(busy());
}

/// A record of a whole search whose trials are made so.
fn search(most_trials: usize, made: &dyn Fn(&Request) -> Slice) -> RunResult {
    search_for("p99 < 50ms", most_trials, made)
}

fn search_for(objective: &str, most_trials: usize, made: &dyn Fn(&Request) -> Slice) -> RunResult {
    let root = tempfile::tempdir().expect("a directory");
    let plan = Plan {
        format: FORMAT_VERSION,
        study: "capacity".into(),
        question: "How much?".into(),
        preset: "default".into(),
        replication: "process".into(),
        variants: vec![Variant { name: "<b>server</b>".into(), kind: "url".into(), ..Variant::default() }],
        points: vec![LoadPoint { label: "50/s..5k/s".into(), model: "open".into(), ..LoadPoint::default() }],
        timing: Timing { looks: vec![1], slice_ns: SECOND, ..Timing::default() },
        capacity: Some(PlannedCapacity {
            slo: vec![objective.into(), "errors <= 0.1%".into()],
            from_per_s: 50.0,
            to_per_s: 5_000.0,
            trial_ns: SECOND,
            trials_max: 30,
        }),
        ..Plan::default()
    };
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1_790_000_000 * SECOND)
        .expect("a record");
    let mut writer = record.begin_block(1).expect("a block");
    for _ in 0..most_trials {
        let mut searches = searches(&Run::open(record.path()).expect("a run")).expect("searches");
        let NextTrial::Trial(request) = searches[0].0.step() else { break };
        let rate_per_s = request.rate_per_s;
        let mut slice = made(&request);
        let (stage, fresh) = (request.stage.name().into(), request.fresh);
        slice.trial = Some(TrialTerms { rate_per_s, stage, fresh, died: false });
        writer.append(&slice).expect("written");
    }
    writer.finish().expect("whole");
    record.set_status(RunState::Interrupted, None, 1_790_000_100 * SECOND).expect("written");
    let path = record.path().to_path_buf();
    drop(record);
    let changed = vec![newer_kernel()];
    let (mut record, _) = RunWriter::reopen(&path, 1_790_000_200 * SECOND, changed).expect("a sitting more");
    record.set_status(RunState::Finished, None, 1_790_000_300 * SECOND).expect("written");
    of_run(&Run::open(&path).expect("a run")).expect("a result")
}

fn newer_kernel() -> Finding {
    Finding::Differs { what: "kernel".into(), then: "6.1".into(), now: "6.2".into() }
}

/// Requests that wait before they are sent, and take so long then.
fn trial(request: &Request, waits_ns: u64, took_ns: u64) -> Slice {
    let mut recorder = Recorder::new(Window { start_ns: 0, end_ns: 10 * SECOND });
    for i in 0..1_000 {
        let intended_ns = i * 1_000_000;
        let sent_ns = intended_ns + waits_ns;
        let end_ns = sent_ns + took_ns;
        let times = ExchangeTimes { intended_ns, sent_ns: Some(sent_ns), first_byte_ns: None, end_ns };
        recorder.record(&times, Outcome::Answered);
    }
    let snapshot = recorder.finish();
    Slice {
        format: FORMAT_VERSION,
        block: 1,
        phase: "measure".into(),
        measured: Point {
            variant: "<b>server</b>".into(),
            point: format!("{}/s", request.rate_per_s),
            model: "open".into(),
            generator: Generator { fit: true, ..Generator::default() },
            ..point_of(&snapshot)
        },
        histograms: histograms_of(&snapshot),
        answered_in_window: snapshot.answered_in_window,
        ..Slice::default()
    }
}

#[test]
fn a_capacity_is_drawn_in_every_format() {
    let result = searched(800.0, 1e9, 100);
    let found = &result.capacities[0];
    assert_eq!((found.answer.name(), overall(&result)), ("found", Overall::AllSupported));
    let estimate = found.estimate.as_ref().expect("an estimate");
    let (low, high) = (estimate.low.expect("an end"), estimate.high.expect("an end"));
    assert!(low <= 800.0 && 800.0 < high && high / low < 1.12, "{estimate:?}");
    assert_eq!(result.points.len(), found.trials.len());
    let last = text(&result, false);
    let last = last.trim_end().lines().last().expect("a line");
    assert!(last.contains("carries") && last.contains("p99 < 50ms, errors <= 0.1%"), "{last}");
    assert!(last.contains("this running process"), "{last}");
    for (drawn, safe) in [
        (text(&result, false), "<b>server</b>"),
        (markdown(&result), "confirm low"),
        (html(&result, &[]), "&lt;b&gt;server&lt;/b&gt;"),
        (json(&result), "\"capacities\""),
        (csv(&result), "capacity,per_s"),
        (junit(&result, Undecided::Skip), "carries"),
    ] {
        assert!(drawn.contains(safe), "{safe}: {drawn}");
    }
    assert!(!html(&result, &[]).contains("<b>server</b>"));
    let figure = &result.figures[0];
    assert_eq!((figure.measure.as_str(), figure.estimate.as_ref()), ("capacity", found.estimate.as_ref()));
}

#[test]
fn each_answer_leads_to_its_own_outcome() {
    for (result, answer, all, said) in [
        (
            searched(10.0, 1e9, 100),
            "below_range",
            Overall::Refuted,
            "does not hold at its lowest rate, 50.0/s",
        ),
        (searched(1e9, 1e9, 100), "above_range", Overall::AllSupported, "at least 5,000/s"),
        (searched(800.0, 300.0, 100), "client_limited", Overall::Invalid, "client-limited at"),
        (searched(800.0, 10.0, 100), "client_limited", Overall::Invalid, "nothing can be said"),
        (
            searched(800.0, 1e9, 5),
            "not_settled",
            Overall::Undecided,
            "capacity not settled: most trials passed at",
        ),
        (searched(800.0, 1e9, 0), "not_settled", Overall::Undecided, "capacity not settled"),
    ] {
        let found = &result.capacities[0];
        assert_eq!((found.answer.name(), overall(&result)), (answer, all));
        assert!(found.sentence.contains(said), "{}", found.sentence);
        assert!(found.estimate.is_none() && found.confidence == 0.0);
        let (failures, skipped) = match all {
            Overall::AllSupported => (0, 0),
            Overall::Refuted => (1, 0),
            _ => (0, 1),
        };
        let drawn = junit(&result, Undecided::Skip);
        let counted = format!("tests=\"2\" failures=\"{failures}\"");
        assert!(drawn.contains(&counted) && drawn.contains(&format!("skipped=\"{skipped}\"")), "{drawn}");
        let failed = junit(&result, Undecided::Fail).contains("<failure");
        assert_eq!(failed, all != Overall::AllSupported);
        assert!(text(&result, false).contains(said));
    }
}

#[test]
fn a_search_that_went_on_elsewhere_says_so() {
    let limits = searched(800.0, 1e9, 100).limits;
    for expected in [Limit::Resumed { times: 1, cut: None }, Limit::ResumedElsewhere { what: newer_kernel() }]
    {
        assert!(limits.contains(&expected), "{expected:?} is not among {limits:?}");
    }
    let said = told(&limits).join("\n");
    for part in ["resumed once", "kernel: 6.1 then, 6.2 now"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}

#[test]
fn a_client_that_was_the_limit_says_what_to_do() {
    let result = searched(800.0, 300.0, 100);
    let found = &result.capacities[0];
    let at_least = found.at_least_per_s.expect("it held somewhere");
    assert!((200.0..=300.0).contains(&at_least), "{at_least}");
    assert!(found.reasons.contains(&Reason::MoreGenerator), "{:?}", found.reasons);
    let said = told(&found.reasons).join("\n");
    assert!(said.contains("worker 0 was busy") && said.contains("give the generator more workers"), "{said}");
}

/// An unfit generator early on, and later connections that were wanting: only these were the limit.
#[test]
fn the_limit_is_told_by_a_trial_of_its_own_kind() {
    let seen = std::cell::Cell::new(0);
    let result = search(100, &|request| {
        if request.rate_per_s > 300.0 {
            // A hundred answers a second of 10 ms each keep the one connection busy.
            let mut waits = trial(request, SECOND / 5, SECOND / 100);
            (waits.measured.connections, waits.measured.connections_most) = (1, 1);
            return waits;
        }
        let mut slice = trial(request, 0, SECOND / 1_000);
        seen.set(seen.get() + 1);
        if seen.get() == 2 {
            be_unfit(&mut slice);
        }
        slice
    });
    let found = &result.capacities[0];
    let outcomes: Vec<&str> = found.trials.iter().map(|trial| trial.outcome.name()).collect();
    assert!(outcomes.contains(&"client_limited"), "{outcomes:?}");
    assert_eq!(found.answer, CapacityAnswer::ConnectionLimited);
    let said = told(&found.reasons).join("\n");
    assert!(said.contains("the only connection was busy") && !said.contains("worker 0 was busy"), "{said}");
}

#[test]
fn what_the_machine_did_meanwhile_is_among_the_limits() {
    let disturbed = |result: &RunResult| {
        let is_it =
            |limit: &Limit| matches!(limit, Limit::BlockDisturbed { .. } | Limit::BlockLeftOut { .. });
        result.limits.iter().any(is_it)
    };
    assert!(!disturbed(&searched(800.0, 1e9, 100)));
    let stolen = search(100, &|request| Slice {
        conditions: Some(Conditions { subject_steal_share: Some(0.1), ..Conditions::default() }),
        ..trial(request, 0, SECOND / 1_000)
    });
    assert!(disturbed(&stolen), "{:?}", stolen.limits);
}

#[test]
fn passes_that_nothing_confirmed_are_told_as_such() {
    let result = search(100, &|request| {
        let mut slice = server(request, 800.0);
        if request.stage == Stage::ConfirmLow {
            be_unfit(&mut slice);
        }
        slice
    });
    let found = &result.capacities[0];
    assert_eq!((found.answer.name(), found.at_least_per_s), ("client_limited", None));
    assert!(found.sentence.contains("most trials passed at 200/s, which was not confirmed"), "{found:?}");
}

/// Trials of 1,000 requests: ten lie beyond p99, one beyond p99.9.
#[test]
fn a_quantile_that_trials_hardly_see_is_among_the_limits() {
    let of =
        |objective| told(&search_for(objective, 100, &|request| server(request, 800.0)).limits).join("\n");
    assert!(!of("p99 < 50ms").contains("is based on little"));
    let said = of("p999 < 50ms");
    assert!(said.contains("p999 is based on little: a trial had 1,000 requests, 1 of which"), "{said}");
}

#[test]
fn a_search_fits_one_screen_with_a_row_for_each_rate() {
    let result = searched(800.0, 1e9, 100);
    let drawn = screen(&result, &[], Terminal { colour: false, columns: 80 });
    insta::assert_snapshot!("capacity.screen.txt", drawn.replace(&result.run, "RUN"));
    assert!(drawn.lines().count() <= 24, "{drawn}");
    assert!(drawn.contains(" of ") && drawn.contains("pass") && drawn.contains("fail"), "{drawn}");
}
