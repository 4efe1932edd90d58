use super::*;
use crate::rng::Rng;

const TURN_NS: u64 = 500_000_000;
/// Variants that may be JVMs.
const PACE: Pace = Pace { turn_ns: TURN_NS, plain: false };
const SECOND: f64 = 1e9;

/// CPU per exchange of a variant at an age in seconds, and what its compilers have spent by then, in seconds.
type World<'a> = &'a dyn Fn(usize, f64) -> (Option<f64>, Option<f64>);

/// Lets variants take turns until the rule is met or the cap is reached: how long it took, in seconds, whether it
/// was met, and what was found.
fn warm(variants: usize, points: usize, cap_s: f64, world: World<'_>) -> (f64, bool, Vec<Option<Found>>) {
    warm_at(PACE, variants, points, cap_s, world)
}

/// The same at another pace.
fn warm_at(
    pace: Pace,
    variants: usize,
    points: usize,
    cap_s: f64,
    world: World<'_>,
) -> (f64, bool, Vec<Option<Found>>) {
    let mut watch = Watch::new(variants, points, pace);
    let mut now_ns = 0;
    while (now_ns as f64) < cap_s * SECOND {
        for variant in 0..variants {
            now_ns += pace.turn_ns;
            let (cpu_ns_per_exchange, jit_s) = world(variant, now_ns as f64 / SECOND);
            let jit_ns = jit_s.map(|jit_s| (jit_s * SECOND) as u64);
            watch
                .enter(variant, Turn { ended_ns: now_ns, cpu_ns_per_exchange, jit_ns, answered_per_s: None });
        }
        if watch.end_round() {
            return (now_ns as f64 / SECOND, true, watch.found(true));
        }
    }
    (cap_s, false, watch.found(false))
}

fn warmths(found: &[Option<Found>]) -> Vec<Warmth> {
    found.iter().flatten().map(|found| found.warmth).collect()
}

#[test]
fn what_stays_as_it_is_is_warm_after_three_windows() {
    let (took_s, met, found) = warm(2, 1, 180.0, &|_, _| (Some(50_000.0), None));
    assert!(met && (29.0..33.0).contains(&took_s), "{took_s}");
    let first = found[0].as_ref().expect("it took part");
    assert_eq!((first.warmth, first.jit_share, first.window_turns), (Warmth::Steady, None, 10));
    assert!(first.windows_ns.iter().all(|ns| (ns.expect("known") - 50_000.0).abs() < 1e-6), "{first:?}");
}

#[test]
fn a_jvm_waits_for_its_compilers() {
    // They spend a tenth of a core until second 60.
    let (took_s, met, found) = warm(2, 1, 180.0, &|variant, s| {
        let jit_s = (variant == 0).then_some(0.1 * s.min(60.0));
        (Some(50_000.0), jit_s)
    });
    assert!(met && (68.0..72.0).contains(&took_s), "{took_s}");
    assert!(
        found[0].as_ref().is_some_and(|found| found.jit_share.is_some_and(|share| share < JIT_SHARE_MAX))
    );
}

#[test]
fn a_change_of_one_variant_is_waited_for_and_one_that_all_share_is_not() {
    let falling = |s: f64| 50_000.0 * (1.0 - 0.2 * (s / 100.0).min(1.0));
    let (alone_s, met, _) =
        warm(2, 1, 180.0, &|variant, s| (Some(if variant == 0 { falling(s) } else { 50_000.0 }), None));
    assert!(met && alone_s > 95.0, "{alone_s}");
    for variants in [2, 3, 5] {
        let (shared_s, met, found) = warm(variants, 1, 400.0, &|_, s| (Some(falling(s)), None));
        assert!(met && shared_s < 40.0 * variants as f64 / 2.0, "{variants}: {shared_s}");
        let change = found[0].as_ref().and_then(|found| found.change).expect("it can be told");
        assert!(change.own < -0.01 && change.between.abs() < 0.01, "{change:?}");
    }
    // Most of five move, one does not: it is the odd one.
    let (_, met, found) = warm(5, 1, 60.0, &|variant, s| {
        (Some(50_000.0 * if variant == 3 { 1.0 } else { (0.01 * s).exp() }), None)
    });
    let expected: Vec<Warmth> =
        (0..5).map(|v| if v == 3 { Warmth::NoSteadyState } else { Warmth::StillWarming }).collect();
    assert_eq!((met, warmths(&found)), (false, expected));
}

#[test]
fn a_variant_that_never_settles_has_no_steady_state_and_the_other_has_nothing_to_do_with_it() {
    for period_s in [20.0, 30.0, 40.0] {
        let mut rng = Rng::new(7);
        let rng = std::cell::RefCell::new(&mut rng);
        let (took_s, met, found) = warm(2, 1, 180.0, &|variant, s| {
            let high = variant == 0 && (s / period_s).fract() < 0.5;
            let noise = (0.01 * rng.borrow_mut().normal()).exp();
            (Some(50_000.0 * noise * if high { 1.1 } else { 1.0 }), None)
        });
        assert_eq!((met, took_s), (false, 180.0), "period {period_s}");
        assert_eq!(warmths(&found), [Warmth::NoSteadyState, Warmth::Capped], "period {period_s}");
    }
}

#[test]
fn compilers_that_never_rest_end_at_the_cap_and_are_no_trend() {
    let (took_s, met, found) = warm(2, 1, 60.0, &|_, s| (Some(50_000.0), Some(0.05 * s)));
    assert_eq!((took_s, met), (60.0, false));
    assert_eq!(warmths(&found), [Warmth::StillWarming; 2]);
}

#[test]
fn what_compiles_nothing_is_warm_within_half_a_second_of_load_if_it_is_flat() {
    let plain = Pace { turn_ns: 50_000_000, plain: true };
    let (took_s, met, found) = warm_at(plain, 2, 1, 90.0, &|_, _| (Some(50_000.0), None));
    assert!(met && took_s < 2.0 * 0.5, "{took_s}");
    assert_eq!(warmths(&found), [Warmth::Steady; 2]);
    // A cache that fills for five seconds, in one of them.
    let filling = |variant: usize, s: f64| 50_000.0 * if variant == 0 { 1.0 + (-s).exp() } else { 1.0 };
    let (took_s, met, _) = warm_at(plain, 2, 1, 90.0, &|variant, s| (Some(filling(variant, s)), None));
    assert!(met && (3.0..30.0).contains(&took_s), "{took_s}");
    assert!(filling(0, took_s) < 1.03 * 50_000.0);
    let (took_s, ..) = warm_at(plain, 2, 7, 90.0, &|_, _| (Some(50_000.0), None));
    assert!(took_s < 2.0, "the same points are compared: {took_s}");
}

/// Two variants of which the throughput tells: how it ended, and when.
fn by_throughput(cap_s: f64, per_s: impl Fn(usize, f64) -> f64) -> (f64, Vec<Found>) {
    let mut watch = Watch::new(2, 1, PACE);
    let mut now_ns = 0;
    while (now_ns as f64) < cap_s * SECOND {
        for variant in 0..2 {
            now_ns += TURN_NS;
            let answered_per_s = Some(per_s(variant, now_ns as f64 / SECOND));
            watch.enter(variant, Turn { ended_ns: now_ns, answered_per_s, ..Turn::default() });
        }
        if watch.end_round() {
            return (now_ns as f64 / SECOND, watch.found(true).into_iter().flatten().collect());
        }
    }
    (cap_s, watch.found(false).into_iter().flatten().collect())
}

#[test]
fn a_throughput_that_still_grows_is_waited_for_and_its_slope_is_told() {
    let grows = |until_s: f64| {
        move |variant: usize, s: f64| {
            if variant == 0 { 50_000.0 * (0.01 * s.min(until_s)).exp() } else { 50_000.0 }
        }
    };
    let (took_s, found) = by_throughput(180.0, grows(60.0));
    assert!((60.0..95.0).contains(&took_s), "{took_s}");
    assert!(found.iter().all(|found| found.warmth == Warmth::Steady));
    let (took_s, found) = by_throughput(90.0, grows(1e9));
    assert_eq!((took_s, found[0].warmth), (90.0, Warmth::NoSteadyState));
    let slope = found[0].slope.expect("known");
    assert!((slope.own - 0.1).abs() < 0.01 && (slope.between - 0.1).abs() < 0.01, "{slope:?}");
    // One per cent in a second of both, while the compilers of neither are known: they share it.
    let (took_s, found) = by_throughput(90.0, |_, s| 50_000.0 * (0.01 * s).exp());
    assert!(took_s < 35.0 && found.iter().all(|found| found.warmth == Warmth::Steady));
}

#[test]
fn turns_at_different_load_points_are_not_taken_for_a_change() {
    // Seven load points in turn, each with a cost of its own: two windows of ten turns would differ.
    let turns = std::cell::RefCell::new([0_usize; 2]);
    let (took_s, met, found) = warm(2, 7, 180.0, &|variant, _| {
        let mut turns = turns.borrow_mut();
        turns[variant] += 1;
        (Some(10_000.0 * ((turns[variant] - 1) % 7 + 1) as f64), None)
    });
    assert!(met && took_s < 46.0, "{took_s}");
    assert_eq!(found[0].as_ref().map(|found| found.window_turns), Some(14));
}

#[test]
fn without_figures_nothing_is_said_and_nobody_waits() {
    let (took_s, met, found) = warm(2, 1, 180.0, &|variant, _| ((variant == 0).then_some(50_000.0), None));
    assert!(met && took_s < 35.0);
    assert_eq!(warmths(&found), [Warmth::Steady, Warmth::NotMeasured]);
    let (_, met, found) = warm(2, 1, 10.0, &|_, _| (Some(50_000.0), None));
    assert_eq!((met, warmths(&found)), (false, vec![Warmth::NotMeasured; 2]), "too few turns");
    let mut watch = Watch::new(1, 1, PACE);
    watch.leave(0);
    assert_eq!(watch.found(false), [None]);
}

/// Logarithms of CPU per exchange of two variants, cycle by cycle.
fn two(own: &[f64], other: &[f64]) -> Vec<Vec<Option<f64>>> {
    [own, other].map(|values| values.iter().copied().map(Some).collect()).to_vec()
}

#[test]
fn a_step_within_the_measured_slices_is_seen_where_it_would_move_their_median() {
    let wobble = [0.001, -0.002, 0.0015, -0.001, 0.002, -0.0015];
    for after in 2..=4 {
        let own: Vec<f64> = wobble
            .iter()
            .enumerate()
            .map(|(at, wobble)| wobble - if at < after { 0.1 } else { 0.0 })
            .collect();
        let found = late_steps(&two(&own, &[0.0; 6]));
        let step = found[0].expect("it can be told");
        assert!(step.differs && step.after_cycles == after && (step.own - 0.1).abs() < 0.01, "{step:?}");
        assert!(!found[1].expect("it can be told").differs, "the other did not move");
    }
    // One spoilt slice moves no median; what both do is nothing between them.
    assert!(!late_steps(&two(&[0.1, 0.0, 0.001, -0.001, 0.0, 0.001], &[0.0; 6]))[0].expect("told").differs);
    let drift: Vec<f64> = (0..6).map(|at| 0.03 * f64::from(at)).collect();
    assert!(late_steps(&two(&drift, &drift)).iter().flatten().all(|step| !step.differs));
    assert_eq!(late_steps(&two(&[0.0; 3], &[0.0; 3])), [None, None]);
    assert_eq!(late_steps(&[vec![None; 6], vec![Some(0.0); 6]])[0], None);
}

#[test]
fn cycles_that_are_not_known_of_the_other_move_no_step() {
    let own: Vec<Option<f64>> = (0..8).map(|at| Some(if at < 4 { 0.0 } else { 0.1 })).collect();
    let other = [vec![None; 2], vec![Some(0.0); 6]].concat();
    let found = late_steps(&[own, other])[0].expect("six cycles");
    assert_eq!((found.after_cycles, found.differs), (4, true), "{found:?}");
    assert!((found.own - 0.1).abs() < 1e-12 && (found.between - 0.1).abs() < 1e-12, "{found:?}");
}

#[test]
fn noise_alone_is_seldom_taken_for_a_step() {
    let mut rng = Rng::new(11);
    let mut seen = 0;
    for _ in 0..10_000 {
        let mut six = || (0..6).map(|_| 0.04 * rng.normal()).collect::<Vec<f64>>();
        let (own, other) = (six(), six());
        seen += u32::from(late_steps(&two(&own, &other)).iter().flatten().any(|step| step.differs));
    }
    assert!((20..=140).contains(&seen), "{seen} of 10,000");
}
