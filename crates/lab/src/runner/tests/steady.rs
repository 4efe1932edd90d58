//! Warm-ups that last until the variants are steady, in virtual time.

use super::*;
use proofload_analysis::{left_out, observations, steady_states};
use proofload_stats::steady::{Pace, Turn, Watch};
use proofload_stats::{Reason, Verdict};
use proofload_store::schema::{Phase, Steadiness};

fn is_no_steady_state(reason: &Reason) -> bool {
    matches!(reason, Reason::NoSteadyState { blocks, of, .. } if blocks == of)
}

/// Two variants with a warm-up of at most 180 s, then six cycles of slices that are this long.
fn adaptive(looks: &[u32], slice_ns: u64) -> Plan {
    let mut plan = plan(looks);
    plan.timing.warm_up_ns = 12 * SECOND;
    plan.timing.warm_up_cap_ns = 180 * SECOND;
    plan.timing.slice_ns = slice_ns;
    plan.timing.cycles = 6;
    plan.timing.budget_ns = 100_000 * SECOND;
    plan.order
        .iter_mut()
        .for_each(|block| *block = [[1, 0], [0, 1]].repeat(3).iter().map(|c| c.to_vec()).collect());
    plan
}

fn run_of(plan: &Plan, nature: fn(usize, f64) -> Nature) -> (Run, tempfile::TempDir) {
    run_on(plan, FakeBench { nature: Some(nature), ..FakeBench::new() })
}

fn run_on(plan: &Plan, mut bench: FakeBench) -> (Run, tempfile::TempDir) {
    let (ending, path, root) = conduct(plan, &mut bench, 99, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    (Run::open(&path).expect("readable"), root)
}

/// The claim that the second variant serves more, judged on the record.
fn judged(run: &Run) -> proofload_stats::Judged {
    let design = Design::at(&run.plan().timing.looks);
    proofload_analysis::judged(run, &claims_of(run.plan()), &design).expect("readable").claims.remove(0)
}

/// Throughput of b over a.
fn ratio(run: &Run) -> f64 {
    judged(run).estimate.expect("it was measured").point
}

/// States of the starts of each variant, block after block.
fn found(run: &Run) -> Vec<Vec<String>> {
    let states = steady_states(run).expect("readable");
    states.iter().map(|state| state.starts.iter().map(|start| start.found.to_string()).collect()).collect()
}

fn longest_warm_up_s(run: &Run) -> f64 {
    let starts = steady_states(run).expect("readable").into_iter().flat_map(|state| state.starts);
    starts.map(|start| start.warm_up.took_ns as f64 / 1e9).fold(0.0, f64::max)
}

/// From -0.5 to 0.5, the same on every run (the finaliser of SplitMix64).
pub(super) fn waver(variant: usize, now_ns: u64) -> f64 {
    let mut bits = (now_ns / 1_000_000 + ((variant as u64) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// A JVM with quiet compilers that does `speed` times as much as it usually does, at as much less CPU each.
fn at_speed(speed: f64) -> Nature {
    Nature { exchanges: (1_000.0 * speed).round() as u64, cpu_ns: 50_000.0 / speed, jit_s: Some(0.0) }
}

/// The same of a program that compiles nothing.
fn plain_at_speed(speed: f64) -> Nature {
    Nature { jit_s: None, ..at_speed(speed) }
}

/// A tenth slower until this age.
fn late(variant: usize, age_s: f64, until_s: f64) -> Nature {
    at_speed(if variant == 0 && age_s < until_s { 0.9 } else { 1.0 })
}

#[test]
fn truth_07_a_late_step_is_waited_out_or_marked() {
    let fixed = |nature| {
        let mut plan = adaptive(&[2], SECOND);
        plan.timing.warm_up_cap_ns = 0;
        ratio(&run_of(&plan, nature).0)
    };
    let naive = fixed(|variant, age_s| late(variant, age_s, 25.0));
    let plan = adaptive(&[2], SECOND);
    let (plain, _kept) = run_of(&plan, |variant, age_s| late(variant, age_s, 25.0));
    let jvms: [fn(usize, f64) -> Nature; 2] = [
        |variant, age_s| compiled_until(variant, age_s, 25.0),
        |variant, age_s| compiled_until(variant, age_s, 60.0),
    ];
    let jvms = jvms.map(|nature| run_of(&plan, nature));
    println!(
        "truth 07 | a tenth slower until 25 s (60 s) of age, then not | throughput within 1 % of the settled one | \
         {:+.1} % after {:.0} s, as JVM {:+.1} % after {:.0} s ({:+.1} % after {:.0} s); a fixed warm-up of 12 s: \
         {:+.1} %",
        100.0 * (ratio(&plain) - 1.0),
        longest_warm_up_s(&plain),
        100.0 * (ratio(&jvms[0].0) - 1.0),
        longest_warm_up_s(&jvms[0].0),
        100.0 * (ratio(&jvms[1].0) - 1.0),
        longest_warm_up_s(&jvms[1].0),
        100.0 * (naive - 1.0)
    );
    for run in [&plain, &jvms[0].0, &jvms[1].0] {
        assert!((ratio(run) - 1.0).abs() < 0.01, "{}", ratio(run));
        assert!(found(run).iter().flatten().all(|found| found == "steady"), "{:?}", found(run));
    }
    assert!((naive - 1.0).abs() > 0.05, "the naive method passes: {naive}");
}

fn compiled_until(variant: usize, age_s: f64, until_s: f64) -> Nature {
    Nature { jit_s: Some(0.2 * age_s.min(until_s)), ..late(variant, age_s, until_s) }
}

/// A step at any age: waited for, or seen among the slices, or too late or too early to matter to their median.
#[test]
fn a_step_in_the_middle_of_what_is_measured_is_marked() {
    let plan = adaptive(&[2], SECOND);
    let steps: [fn(usize, f64) -> Nature; 4] = [
        |variant, age_s| late(variant, age_s, 20.0),
        |variant, age_s| late(variant, age_s, 35.0),
        |variant, age_s| late(variant, age_s, 39.0),
        |variant, age_s| late(variant, age_s, 37.0),
    ];
    let mut marked = 0;
    for nature in steps {
        let (run, _kept) = run_of(&plan, nature);
        let judged = judged(&run);
        let is_marked = judged.reasons.iter().any(is_no_steady_state);
        assert!(is_marked || (ratio(&run) - 1.0).abs() < 0.01, "{} {:?}", ratio(&run), found(&run));
        if is_marked {
            marked += 1;
            assert_eq!(judged.verdict, Verdict::Undecided);
            assert_eq!(found(&run)[0], ["late_step"; 2], "the one that moved");
            assert_eq!(found(&run)[1], ["steady"; 2], "the one that did not");
        }
    }
    assert!(marked >= 1, "no step fell among the slices");
}

#[test]
fn truth_07_a_square_wave_of_one_variant_never_settles() {
    let waves: [fn(usize, f64) -> Nature; 2] = [|v, s| wave(v, s, 20.0), |v, s| wave(v, s, 40.0)];
    let runs = waves.map(|nature| run_of(&adaptive(&[2], SECOND), nature));
    let unsteady = |run: &Run| found(run)[0].iter().filter(|found| *found == "no_steady_state").count();
    println!(
        "truth 07 | a square wave of ±5 %, period 20 s (40 s), in one of two variants | no steady state | no steady \
         state in {} (and {}) of 2 starts, {}",
        unsteady(&runs[0].0),
        unsteady(&runs[1].0),
        judged(&runs[0].0).verdict.name()
    );
    for (run, _kept) in &runs {
        assert_eq!(found(run), [["no_steady_state"; 2], ["cap"; 2]], "the other waited for it");
        let judged = judged(run);
        assert_eq!(judged.verdict, Verdict::Undecided);
        assert!(judged.reasons.iter().any(is_no_steady_state), "{:?}", judged.reasons);
        assert_eq!(longest_warm_up_s(run), 180.0);
    }
}

fn wave(variant: usize, age_s: f64, period_s: f64) -> Nature {
    let high = variant == 0 && (age_s / period_s).fract() < 0.5;
    at_speed(if variant == 1 {
        1.0
    } else if high {
        1.05
    } else {
        0.95
    })
}

/// The number that a block would have is that of the next one that counts.
#[test]
fn a_block_that_is_left_out_makes_no_other_one_unsteady() {
    let plan = adaptive(&[2], SECOND);
    // 180 s of warm-up in turns of half a second, a closing round, and six cycles of two slices.
    let stolen_until_load = 2 * 180 + 2 + 12;
    let wavy = FakeBench { nature: Some(|v, s| wave(v, s, 20.0)), stolen_until_load, ..FakeBench::new() };
    let (run, _kept) = run_on(&plan, wavy);
    assert_eq!((left_out(&run), run.blocks().len()), (vec![1], 3));
    assert_eq!(found(&run)[0], ["no_steady_state"; 3], "each is told of");
    let seen = observations(&run, &[proofload_stats::Measure::Throughput]).expect("readable");
    let blocks: Vec<u32> = seen.unsteady.iter().map(|unsteady| unsteady.block).collect();
    assert_eq!(blocks, seen.blocks, "each block that counts once");
}

/// The machine gets faster by half within two minutes: both variants with it.
fn shared_drift(_variant: usize, age_s: f64) -> Nature {
    at_speed(1.0 + 0.5 * (age_s / 120.0).min(1.0))
}

#[test]
fn truth_07_a_drift_that_all_share_is_a_steady_state() {
    let (run, _kept) = run_of(&adaptive(&[4], SECOND), shared_drift);
    // The naive rule: each variant's throughput alone, of the last 15 s within 1 % of the 15 s before.
    let mean = |from_s: f64, to_s: f64| {
        let turns = (from_s as u32..to_s as u32).map(|s| shared_drift(0, f64::from(s)).exchanges as f64);
        turns.sum::<f64>() / (to_s - from_s)
    };
    let is_met = |end: f64| (mean(end - 15.0, end) / mean(end - 30.0, end - 15.0) - 1.0).abs() < 0.01;
    let naive_s = (30..300).map(f64::from).find(|end| is_met(*end)).expect("it ends at last");
    println!(
        "truth 07 | both variants get half as fast again within 120 s | steady: pairing removes it | steady after \
         {:.0} s, ratio {:+.1} %; a rule on each one's throughput: after {naive_s:.0} s",
        longest_warm_up_s(&run),
        100.0 * (ratio(&run) - 1.0)
    );
    assert!(found(&run).iter().flatten().all(|found| found == "steady"), "{:?}", found(&run));
    assert!(longest_warm_up_s(&run) < 40.0);
    assert!((ratio(&run) - 1.0).abs() < 0.01, "{}", ratio(&run));
    assert!(naive_s > 100.0, "the naive rule passes: {naive_s}");
}

#[test]
fn all_are_as_old_when_one_is_waited_for() {
    let mut bench = FakeBench { nature: Some(|v, s| late(v, s, 50.0)), ..FakeBench::new() };
    let (_, path, _root) = conduct(&adaptive(&[1], SECOND), &mut bench, 99, &AtomicBool::new(false));
    let run = Run::open(&path).expect("readable");
    let turns = |name: &str| {
        let slices = run.blocks()[0].slices.iter();
        slices.filter(|slice| slice.phase == Phase::WarmUp && slice.measured.variant == name).count()
    };
    assert_eq!(turns("a"), turns("b"));
}

#[test]
fn serial_variants_are_warmed_each_for_itself() {
    let (run, _kept) = run_of(&serial_six(adaptive(&[2], SECOND)), |v, s| compiled_until(v, s, 25.0));
    let warm_ups = run.warm_ups().expect("readable").remove(0).1;
    assert_eq!(warm_ups.len(), 2);
    assert!(
        warm_ups.iter().all(|it| it.ended == Steadiness::Steady && it.took_ns > 30 * SECOND),
        "{warm_ups:?}"
    );
    let (run, _kept) = run_of(&serial_six(adaptive(&[2], SECOND)), |v, s| wave(v, s, 20.0));
    assert_eq!(found(&run), [["no_steady_state"; 2], ["steady"; 2]]);
}

fn serial_six(mut plan: Plan) -> Plan {
    plan.mode = proofload_store::schema::Mode::Serial;
    plan.order.iter_mut().for_each(|block| *block = vec![vec![1, 0]; 6]);
    plan
}

#[test]
fn a_fixed_warm_up_is_on_record_and_guards_nothing() {
    let (run, _kept) = run_of(&plan(&[4]), |v, s| wave(v, s, 20.0));
    let warm_ups = run.warm_ups().expect("readable").remove(0).1;
    assert!(warm_ups.len() == 2 && warm_ups.iter().all(|it| it.ended == Steadiness::Fixed), "{warm_ups:?}");
    assert!(steady_states(&run).expect("readable").is_empty());
    assert!(judged(&run).reasons.iter().all(|reason| !matches!(reason, Reason::NoSteadyState { .. })));
}

#[test]
fn where_nothing_can_be_told_the_warm_up_has_its_shortest_length_and_says_so() {
    let mut plan = adaptive(&[1], SECOND);
    plan.timing.warm_up_ns = 30 * SECOND;
    // At a fixed rate the throughput shows nothing, and there are no processes to observe.
    plan.points[0].model = "open".into();
    let (ending, path, _root) = conduct(&plan, &mut FakeBench::new(), 99, &AtomicBool::new(false));
    assert_eq!(ending, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert_eq!(found(&run), [["not_measured"], ["not_measured"]]);
    assert!((30.0..31.0).contains(&longest_warm_up_s(&run)), "{}", longest_warm_up_s(&run));
}

#[test]
fn what_compiles_nothing_is_measured_within_half_a_second_of_load() {
    let (run, _kept) = run_of(&adaptive(&[4], SECOND), |_, _| plain_at_speed(1.0));
    assert!(found(&run).iter().flatten().all(|found| found == "steady"), "{:?}", found(&run));
    let warm_ups = run.warm_ups().expect("readable").remove(0).1;
    assert!(warm_ups.iter().all(|it| it.took_ns <= SECOND && it.turn_ns == SECOND / 20), "{warm_ups:?}");
}

/// JVMs whose throughput doubles in the twenty seconds in which they compile, and which compile on a little: a quick plan
/// begins when they are quiet, and neither at a fixed time nor at its cap.
#[test]
fn truth_07_a_jvm_is_not_measured_while_it_compiles() {
    fn compiling(variant: usize, age_s: f64) -> Nature {
        let until_s = if variant == 0 { 26.0 } else { 20.0 };
        let speed = 0.5 + 0.5 * (age_s / until_s).min(1.0);
        Nature { jit_s: Some(0.8 * age_s.min(until_s) + 0.002 * age_s), ..at_speed(speed) }
    }
    let mut plan = adaptive(&[4], SECOND);
    plan.timing.warm_up_cap_ns = 90 * SECOND;
    let (run, _kept) = run_of(&plan, compiling);
    let began_s = run.blocks()[0].slices.iter().find(|slice| slice.phase == Phase::Measure);
    let began_s = began_s.expect("it was measured").started_unix_ns as f64 / 1e9;
    plan.timing.warm_up_cap_ns = 0;
    let naive = ratio(&run_of(&plan, compiling).0);
    println!(
        "truth 07 | JVMs that compile for 20 s and 26 s and double their throughput | measured when both are quiet: ratio \
         +0.0 % | measured from {began_s:.0} s, ratio {:+.1} %; a fixed warm-up of 12 s: {:+.1} %",
        100.0 * (ratio(&run) - 1.0),
        100.0 * (naive - 1.0)
    );
    assert!(found(&run).iter().flatten().all(|found| found == "steady"), "{:?}", found(&run));
    assert!((28.0..50.0).contains(&began_s), "{began_s}");
    assert!((ratio(&run) - 1.0).abs() < 0.01, "{}", ratio(&run));
    assert!(naive > 1.03, "the naive method passes: {naive}");
}

#[test]
fn compilers_at_work_at_the_cap_hold_back_absolute_values_and_no_ratio() {
    fn compiling(_variant: usize, age_s: f64) -> Nature {
        Nature { jit_s: Some(0.3 * age_s), ..at_speed((0.004 * age_s).exp()) }
    }
    let mut plan = adaptive(&[4], SECOND);
    plan.timing.warm_up_cap_ns = 60 * SECOND;
    let (run, _kept) = run_of(&plan, compiling);
    assert!(found(&run).iter().flatten().all(|found| found == "still_warming"), "{:?}", found(&run));
    assert!(!judged(&run).reasons.iter().any(is_no_steady_state), "{:?}", judged(&run).reasons);
    let names = proofload_analysis::restore(run.plan()).expect("readable").0;
    let design = Design::at(&run.plan().timing.looks);
    let more_than = |per_s: f64| {
        let text = format!("throughput(a) > {per_s:.0}/s");
        let claims = proofload_stats::parse_claim("fast", &text, &names).expect("a claim");
        proofload_analysis::judged(&run, &claims, &design).expect("readable").claims.remove(0)
    };
    // No compiler makes of it what would turn this.
    let far = more_than(1.0);
    let allowed = |reason: &Reason| matches!(reason, Reason::BeyondWarmUp { blocks: 4, of: 4, .. });
    assert!(far.verdict == Verdict::Supported && far.reasons.iter().any(allowed), "{:?}", far.reasons);
    let absolute = more_than(0.9 * far.estimate.expect("it was measured").point);
    let slope = absolute.reasons.iter().find_map(|reason| match reason {
        Reason::NoSteadyState { blocks: 4, of: 4, per_10s } => *per_10s,
        _ => None,
    });
    assert_eq!(absolute.verdict, Verdict::Undecided);
    assert!(slope.is_some_and(|slope| (slope - 0.04).abs() < 0.01), "{slope:?} {:?}", absolute.reasons);
}

#[test]
fn the_generators_cpus_are_lent_until_the_variants_are_warm_and_no_longer() {
    let nature: fn(usize, f64) -> Nature = |_, _| plain_at_speed(1.0);
    let mut bench = FakeBench { nature: Some(nature), lends: Some(Lending::Works), ..FakeBench::new() };
    let (_, path, _root) = conduct(&adaptive(&[1], SECOND), &mut bench, 99, &AtomicBool::new(false));
    let at = |what: &str| bench.done.iter().position(|done| done.starts_with(what)).expect("it was done");
    let last = |what: &str| bench.done.iter().rposition(|done| done.starts_with(what)).expect("it was done");
    assert!(last("start ") < at("spread 0") && last("spread ") < at("load "), "{:?}", bench.done);
    let measured = bench.done.iter().position(|done| done.ends_with(" 1000ms")).expect("it was measured");
    assert!(last("gather ") < measured, "{:?}", bench.done);
    // One round on their own CPUs before the first slice.
    assert_eq!(measured - last("gather ") - 1, 2, "{:?}", bench.done);
    let warm_ups = Run::open(&path).expect("readable").warm_ups().expect("readable").remove(0).1;
    assert!(warm_ups.iter().all(|it| it.every_cpu), "{warm_ups:?}");
}

#[test]
fn cpus_that_cannot_be_lent_are_no_loss_and_those_that_are_kept_cost_the_block() {
    let nature: fn(usize, f64) -> Nature = |_, _| plain_at_speed(1.0);
    let with = |lends| FakeBench { nature: Some(nature), lends: Some(lends), ..FakeBench::new() };
    let (run, _kept) = run_on(&adaptive(&[1], SECOND), with(Lending::Refused));
    assert!(
        run.warm_ups()
            .expect("readable")
            .remove(0)
            .1
            .iter()
            .all(|it| !it.every_cpu && it.ended == Steadiness::Steady)
    );
    let plan = adaptive(&[2], SECOND);
    let (ending, ..) = conduct(&plan, &mut with(Lending::Kept), 99, &AtomicBool::new(false));
    let Ending::Failed(why) = ending else { panic!("{ending:?}") };
    let Finding::GivenUp { why } = why else { panic!("{why:?}") };
    assert!(why.iter().all(|why| matches!(why.innermost(), Finding::NotGathered { .. })), "{why:?}");
}

#[test]
fn slices_become_short_where_answers_are_quick_and_all_blocks_have_them() {
    let mut plan = adaptive(&[4], SECOND);
    plan.timing.cycles_adapt = true;
    let (run, _kept) = run_of(&plan, |_, _| plain_at_speed(1.0));
    let chosen = run.slicing().expect("it was chosen").clone();
    // A thousand answers in a turn of 50 ms, each within a microsecond.
    assert_eq!((chosen.slice_ns, chosen.discard_ns, chosen.first_cycles), (SECOND / 5, SECOND / 20, 4));
    assert_eq!((chosen.blocks, chosen.after_block), (0, 0), "before the first look");
    let slices = run.blocks().iter().flat_map(|block| &block.slices);
    let mut lengths: Vec<f64> =
        slices.filter(|slice| slice.phase == Phase::Measure).map(|slice| slice.measured.seconds).collect();
    lengths.dedup();
    assert_eq!(lengths, [0.2]);
    plan.timing.cycles_adapt = false;
    assert_eq!(run_of(&plan, |_, _| plain_at_speed(1.0)).0.slicing(), None);
}

#[test]
fn turns_that_see_hardly_an_answer_become_longer() {
    fn slow(_variant: usize, _age_s: f64) -> Nature {
        Nature { exchanges: 60, ..plain_at_speed(1.0) }
    }
    let (run, _kept) = run_of(&adaptive(&[1], SECOND), slow);
    let warm_ups = run.warm_ups().expect("readable").remove(0).1;
    assert!(
        warm_ups.iter().all(|it| it.turn_ns == SECOND / 2 && it.ended == Steadiness::Steady),
        "{warm_ups:?}"
    );
}

/// The runner follows the rule: the watch alone, on the same turns.
#[test]
fn the_rule_alone_ends_where_the_runner_does() {
    let (run, _kept) = run_of(&adaptive(&[1], SECOND), |v, s| late(v, s, 40.0));
    let mut watch = Watch::new(2, 1, Pace { turn_ns: SECOND / 2, plain: false });
    let block = &run.blocks()[0];
    let mut rounds = 0;
    let mut met = 0;
    for slice in block.slices.iter().filter(|slice| slice.phase == Phase::WarmUp) {
        let used = slice.measured.subject.as_ref().and_then(|used| used.cpu_ns).expect("known");
        let cpu_ns_per_exchange = Some(used as f64 / slice.answered_in_window as f64);
        let variant = usize::from(slice.measured.variant == "b");
        let answered_per_s = Some(slice.answered_in_window as f64 * 2.0);
        watch.enter(variant, Turn { ended_ns: 0, cpu_ns_per_exchange, answered_per_s, jit_ns: None });
        if slice.position == 2 {
            rounds += 1;
            met += u32::from(watch.end_round());
        }
    }
    assert!(rounds > 25 && met == 2, "the last one, and the closing round: {met} of {rounds}");
}

/// Number of cycles of each block, as far as its slices show.
fn cycles_of(run: &Run) -> Vec<u32> {
    let cycles = |block: &proofload_store::Block| {
        block.slices.iter().filter(|slice| slice.phase == Phase::Measure).map(|slice| slice.cycle).max()
    };
    run.blocks().iter().filter_map(cycles).collect()
}

/// Ten percent of noise in each slice, and starts that do not differ: slices are cheap.
fn noisy() -> FakeBench {
    FakeBench { nature: Some(|_, _| at_speed(1.0)), noise: 0.2, ..FakeBench::new() }
}

#[test]
fn after_the_first_look_blocks_have_as_many_cycles_as_the_spread_asks_for() {
    let mut plan = adaptive(&[4, 6], SECOND);
    plan.timing.warm_up_cap_ns = 0;
    plan.timing.cycles_adapt = true;
    let (run, _kept) = run_on(&plan, noisy());
    let chosen = run.slicing().expect("it was chosen").clone();
    assert_eq!((chosen.after_block, chosen.blocks), (4, 4));
    assert!(chosen.cycles > 6, "{chosen:?}");
    assert_eq!(cycles_of(&run), [6, 6, 6, 6, chosen.cycles, chosen.cycles]);
    // Two starts, warm-up and a block's cycles in virtual time.
    assert!(
        (13.0..16.0).contains(&chosen.start_seconds) && (2.0..2.4).contains(&chosen.cycle_seconds),
        "{chosen:?}"
    );
    let turns = |block: usize, cycle: u32| {
        let slices = run.blocks()[block]
            .slices
            .iter()
            .filter(|slice| slice.phase == Phase::Measure && slice.cycle == cycle);
        slices.map(|slice| slice.measured.variant.clone()).collect::<Vec<_>>()
    };
    assert_eq!((turns(4, 7), turns(4, 8)), (turns(4, 1), turns(4, 2)), "reversed as ever");
    plan.timing.cycles_adapt = false;
    let (fixed, _kept) = run_on(&plan, noisy());
    assert_eq!((cycles_of(&fixed), fixed.slicing()), (vec![6; 6], None));
}

#[test]
fn a_choice_outlives_the_sitting_and_a_block_that_lacks_its_cycles_does_not_count() {
    let mut plan = adaptive(&[4, 6], SECOND);
    plan.timing.warm_up_cap_ns = 0;
    plan.timing.cycles_adapt = true;
    let root = tempfile::tempdir().expect("a temporary directory");
    let mut record = RunWriter::create(root.path(), &plan, &Environment::default(), 1).expect("a record");
    let path = record.path().to_path_buf();
    let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let mut bench = FakeBench { stop_at_load: Some((170, stop)), ..noisy() };
    let ended = go_on(&plan, &mut bench, 99, stop, &mut record, Behind::default());
    assert_eq!(ended, Ending::Interrupted);
    let run = Run::open(&path).expect("readable");
    let chosen = run.slicing().expect("it was chosen").clone();
    assert_eq!(run.blocks().len(), 4, "cut off in the fifth");
    let behind = Behind { last_block: 5, complete: 4, disturbed: 0, spent_ns: 0 };
    let mut bench = FakeBench { now_ns: 1_000 * SECOND, ..noisy() };
    let ended = go_on(&plan, &mut bench, 99, &AtomicBool::new(false), &mut record, behind);
    assert_eq!(ended, Ending::Finished);
    let run = Run::open(&path).expect("readable");
    assert_eq!(run.slicing(), Some(&chosen), "once for all sittings");
    assert_eq!(cycles_of(&run), [6, 6, 6, 6, chosen.cycles, chosen.cycles]);
    let block = path.join("blocks/0006.jsonl");
    let text = std::fs::read_to_string(&block).expect("a block");
    let cut = text.trim_end().rfind('\n').expect("many lines");
    std::fs::write(&block, &text[..=cut]).expect("it can be written");
    assert_eq!(Run::open(&path).expect("readable").blocks().len(), 5);
}

#[test]
fn a_budget_without_room_allows_no_more_cycles_than_planned() {
    let mut plan = adaptive(&[4, 6], SECOND);
    plan.timing.warm_up_cap_ns = 0;
    plan.timing.cycles_adapt = true;
    // Six blocks of 27 s.
    plan.timing.budget_ns = 175 * SECOND;
    let (run, _kept) = run_on(&plan, noisy());
    let chosen = run.slicing().expect("it was chosen");
    assert!(chosen.cycles_most <= 8 && run.blocks().len() == 6, "{chosen:?} {}", run.blocks().len());
}

/// A plan whose slices become shorter than a second, and are compared with slices of a second.
fn with_long_slices(blocks: u32) -> Plan {
    let mut plan = adaptive(&[blocks], SECOND);
    plan.timing.cycles_adapt = true;
    plan.timing.long_cycles = 1;
    plan
}

fn plain(variant: usize, _age_s: f64) -> Nature {
    Nature { exchanges: 2_000 + 20 * variant as u64, cpu_ns: 10_000.0, jit_s: None }
}

#[test]
fn short_slices_are_held_against_a_long_one_of_each_variant_in_every_block() {
    let (run, _root) = run_of(&with_long_slices(2), plain);
    let measured = |block: &proofload_store::Block| {
        let slices = block.slices.iter().filter(|slice| slice.is_measured());
        slices.map(|slice| slice.measured.seconds).fold(0.0, f64::max)
    };
    assert!(run.blocks().iter().all(|block| measured(block) < 0.3), "the slices are short");
    let long = |block: &proofload_store::Block| -> Vec<(String, f64)> {
        let slices = block.slices.iter().filter(|slice| slice.phase == Phase::Long);
        slices.map(|slice| (slice.measured.variant.clone(), slice.measured.seconds)).collect()
    };
    let of = |first: &str, second: &str| vec![(first.to_string(), 1.0), (second.to_string(), 1.0)];
    let found: Vec<_> = run.blocks().iter().map(long).collect();
    assert_eq!(found, [of("a", "b"), of("b", "a")], "in turn");
    let cells = observations(&run, &[proofload_stats::Measure::Throughput]).expect("readable").cells;
    assert!(cells.iter().all(|cell| cell.long.len() == 1 && cell.cycles.len() >= 4), "{cells:?}");
}

#[test]
fn slices_of_the_plans_own_length_need_no_long_ones() {
    let plan = adaptive(&[2], SECOND);
    let (run, _root) =
        run_of(&Plan { timing: Timing { long_cycles: 1, ..plan.timing.clone() }, ..plan }, plain);
    assert!(run.blocks().iter().all(|block| block.slices.iter().all(|slice| slice.phase != Phase::Long)));
}

#[test]
fn a_server_that_fails_in_a_long_slice_costs_the_long_slices_alone() {
    // What lasts a second is a long slice.
    let bench = FakeBench { nature: Some(plain), always_dies: Some(1), ..FakeBench::new() };
    let (run, _root) = run_on(&with_long_slices(2), bench);
    assert_eq!((run.blocks().len(), run.excluded().len()), (2, 0));
    let slices = || run.blocks().iter().flat_map(|block| &block.slices);
    assert!(slices().all(|slice| slice.phase != Phase::Long), "none is kept of one alone");
    assert!(slices().any(|slice| slice.is_measured() && slice.measured.variant == "b"));
}
