use super::*;
use crate::Measure;

fn trial(rate_per_s: f64, outcome: Outcome) -> Trial {
    Trial { rate_per_s, stage: Stage::Search, fresh: false, outcome, margin: None }
}

fn slo(text: &str) -> Result<Slo, Vec<proofload_facts::Mistake>> {
    parse_slo(&[text.to_string()])
}

#[test]
fn objectives_are_read_with_their_units() {
    let read = slo("p99 < 50ms, errors < 0.1%").expect("an objective");
    let terms: Vec<(Measure, f64, bool)> =
        read.terms.iter().map(|term| (term.measure, term.limit, term.inclusive)).collect();
    assert_eq!(terms, [(Measure::ResponseQuantile(9900), 50e6, false), (Measure::ErrorShare, 0.001, false)]);
    assert_eq!(slo("50ms > p99").expect("turned round").terms[0].limit, 50e6);
    assert_eq!(slo("2 * p50 <= 50ms").expect("a factor").terms[0].limit, 25e6);
    let none = &slo("errors == 0").expect("no errors").terms;
    assert!(none.len() == 1 && none[0].holds(0.0) && !none[0].holds(1.0));
}

#[test]
fn errors_are_part_of_every_objective() {
    let read = slo("max <= 1s").expect("an objective");
    assert_eq!(read.texts(), ["max <= 1s", "errors <= 0.1%"]);
    assert!(read.terms[0].holds(1e9) && !read.terms[0].holds(1e9 + 1.0));
    assert_eq!(slo("errors < 5%").expect("said").terms.len(), 1);
}

#[test]
fn what_is_no_objective_says_what_to_write() {
    for (text, said) in [
        ("", "p99 < 50ms"),
        (",", "p99 < 50ms"),
        ("p99", "NoComparison"),
        ("p99 < 50", "WrongUnit"),
        ("p99 > 50ms", "NoUpperLimit"),
        ("p99 == 50ms", "NoUpperLimit"),
        ("throughput < 5k/s", "NotOfObjectives"),
        ("cpu < 1.5", "NotOfObjectives"),
        ("p99 < 0ms", "NeverHolds"),
        ("p99 < p50", "expected: Objective"),
        ("p999 < 50ms errors < 0.1%", "LeftOver"),
        ("nonsense < 1ms", "what: Measure"),
    ] {
        let mistakes = slo(text).expect_err(text);
        assert!(mistakes.iter().any(|mistake| format!("{mistake:?}").contains(said)), "{text}: {mistakes:?}");
    }
    let both = slo("p99 > 1ms, cpu < 1").expect_err("two mistakes");
    assert_eq!(both.len(), 2, "all mistakes at once: {both:?}");
}

#[test]
fn rates_are_rounded_to_what_is_written() {
    for (rate, expected) in [(983.249_1, 983.2), (0.123_456, 0.1235), (19_999.6, 20_000.0), (50.0, 50.0)] {
        assert_eq!(neat(rate), expected);
        assert_eq!(neat(rate).to_string().parse::<f64>(), Ok(neat(rate)));
    }
}

#[test]
fn a_stray_failure_far_below_moves_the_fit_little() {
    let mut trials: Vec<Trial> = [900.0, 950.0, 980.0].iter().map(|r| trial(*r, Outcome::Pass)).collect();
    trials.extend([1_020.0, 1_050.0, 1_100.0].iter().map(|r| trial(*r, Outcome::Fail)));
    let before = fit(&trials).expect("a fit");
    assert!(before.low > 900.0 && before.high < 1_100.0 && before.low < before.point, "{before:?}");
    trials.push(trial(500.0, Outcome::Fail));
    let after = fit(&trials).expect("a fit");
    assert!((after.point / before.point - 1.0).abs() < 0.01, "{before:?} {after:?}");
}

#[test]
fn what_the_client_limited_says_nothing_to_the_fit() {
    assert_eq!(fit(&[trial(100.0, Outcome::Limited(Limit::Generator))]), None);
    assert_eq!(fit(&[]), None);
    let one = fit(&[trial(100.0, Outcome::Pass)]).expect("a trial");
    assert!(one.low.is_finite() && one.high.is_finite());
}

#[test]
fn stages_are_read_back_from_their_names() {
    for stage in [Stage::Search, Stage::ConfirmLow, Stage::ConfirmHigh] {
        assert_eq!(Stage::from_name(stage.name()), Some(stage));
    }
    assert_eq!(Stage::from_name(""), None);
}

#[test]
fn a_rate_with_an_unfit_generator_is_tried_once_more() {
    let mut search = Search::new(Terms { from_per_s: 100.0, to_per_s: 1_000.0, trials_max: TRIALS_MAX });
    let mut rates = Vec::new();
    for outcome in [Outcome::Pass, Outcome::Limited(Limit::Generator), Outcome::Pass, Outcome::Fail] {
        let NextTrial::Trial(request) = search.step() else { panic!("an answer too soon") };
        rates.push(request.rate_per_s);
        search.tell(trial(request.rate_per_s, outcome));
    }
    assert_eq!(rates, [100.0, 200.0, 200.0, 400.0]);
}

#[test]
fn room_to_spare_makes_larger_steps() {
    let mut search = Search::new(Terms { from_per_s: 100.0, to_per_s: 1_000.0, trials_max: TRIALS_MAX });
    search.tell(Trial { margin: Some(-2.0), ..trial(100.0, Outcome::Pass) });
    assert!(matches!(search.step(), NextTrial::Trial(request) if request.rate_per_s == 400.0));
}

/// The answer of a search in which trials come out so, by what they are for, their rate and how many of the kind were made
/// there before.
fn searched(trials_max: u32, outcome: impl Fn(Stage, f64, usize) -> Outcome) -> (Answer, Vec<Trial>) {
    let mut search = Search::new(Terms { from_per_s: 100.0, to_per_s: 1_000.0, trials_max });
    for _ in 0..100 {
        let NextTrial::Trial(Request { rate_per_s, stage, .. }) = search.step() else { break };
        let same = search.trials().iter().filter(|t| t.stage == stage && is_same(t.rate_per_s, rate_per_s));
        let before = same.count();
        search.tell(Trial { stage, ..trial(rate_per_s, outcome(stage, rate_per_s, before)) });
    }
    (search.cut_off(), search.trials().to_vec())
}

fn up_to(capacity: f64, rate: f64) -> Outcome {
    if rate <= capacity { Outcome::Pass } else { Outcome::Fail }
}

const UNFIT: Outcome = Outcome::Limited(Limit::Generator);

/// The first rate at which a lower end was tried.
fn first_low(trials: &[Trial]) -> f64 {
    trials.iter().find(|trial| trial.stage == Stage::ConfirmLow).expect("a confirmation").rate_per_s
}

/// Of six trials two had an unfit generator, and might have failed with a fit one: four of four they are not.
#[test]
fn failures_that_are_excused_make_no_majority_of_passes() {
    let (_, even) = searched(TRIALS_MAX, |_, rate, _| up_to(400.0, rate));
    let tried = first_low(&even);
    let (answer, _) = searched(TRIALS_MAX, |stage, rate, before| match (stage, before) {
        (Stage::ConfirmLow, 1 | 3) if is_same(rate, tried) => UNFIT,
        _ => up_to(400.0, rate),
    });
    let Answer::Found { low, passed, .. } = answer else { panic!("{answer:?}") };
    assert!(is_same(low, neat(tried / 1.05)) && (passed.agreed, passed.of) == (4, 4), "{answer:?}");
    // One may: it is among the five.
    let (answer, _) = searched(TRIALS_MAX, |stage, rate, before| match (stage, before) {
        (Stage::ConfirmLow, 1) if is_same(rate, tried) => UNFIT,
        _ => up_to(400.0, rate),
    });
    let Answer::Found { low, passed, .. } = answer else { panic!("{answer:?}") };
    assert!(is_same(low, tried) && (passed.agreed, passed.of) == (4, 5), "{answer:?}");
}

#[test]
fn a_lower_end_at_which_the_client_is_the_limit_moves_down_like_another() {
    let (_, even) = searched(TRIALS_MAX, |_, rate, _| up_to(400.0, rate));
    let tried = first_low(&even);
    let (answer, _) = searched(TRIALS_MAX, |stage, rate, _| match stage {
        Stage::ConfirmLow if rate > 0.97 * tried => UNFIT,
        _ => up_to(400.0, rate),
    });
    assert!(matches!(answer, Answer::Found { low, .. } if is_same(low, neat(tried / 1.05))), "{answer:?}");
    // However far: then it is not an answer that the server gave, and the result of the search is reported.
    let (answer, _) = searched(TRIALS_MAX, |stage, rate, _| match stage {
        Stage::ConfirmLow => UNFIT,
        _ => up_to(400.0, rate),
    });
    let Answer::ClientLimited { limit: Limit::Generator, at, at_least: None, unconfirmed, .. } = answer
    else {
        panic!("{answer:?}")
    };
    assert!(at < 0.95 * tried && unconfirmed.is_some_and(|rate| rate == 200.0), "{answer:?}");
    // Where the server fails further down, it is not the client.
    let (answer, _) = searched(TRIALS_MAX, |stage, rate, _| match stage {
        Stage::ConfirmLow if rate > 0.97 * tried => UNFIT,
        Stage::ConfirmLow => Outcome::Fail,
        _ => up_to(400.0, rate),
    });
    assert!(matches!(answer, Answer::NotSettled { why: Unsettled::LowNotConfirmed, .. }), "{answer:?}");
}

#[test]
fn a_limit_of_the_client_is_told_though_the_trials_are_used_up() {
    let (answer, trials) = searched(6, |_, rate, _| if rate > 300.0 { UNFIT } else { Outcome::Pass });
    assert_eq!(trials.iter().filter(|trial| trial.stage == Stage::Search).count(), 6, "{trials:?}");
    let Answer::ClientLimited { at, at_least: Some(at_least), unconfirmed: None, .. } = answer else {
        panic!("{answer:?}")
    };
    assert!(at_least <= 300.0 && 300.0 < at, "{answer:?}");
}
