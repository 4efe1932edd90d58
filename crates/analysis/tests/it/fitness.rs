//! Guards against a verdict though every slice was fit: the ceiling, the perturbation, a machine that did not keep
//! still. Each is planted in a record.

mod bounds;
mod machine;

use crate::fixture::{environment, plan, slices};
use proofload_analysis::{counting_blocks, disturbances, judged, left_out, observations, of_run, points};
use proofload_facts::{Finding, Limit};
use proofload_stats::{Cell, Design, Measure, Names, Reason, Selector, Verdict, parse_claim};
use proofload_store::schema::{
    Ceiling, CheckName, CheckOutcome, Conditions, FitnessCheck, LoadPoint, Model, Phase, Plan, PlannedClaim,
    PlannedCondition, Slice, StreamLoad,
};
use proofload_store::{Run, RunWriter};
use std::path::Path;

/// Slices of a block as written by a generator that reports its checks.
fn block(number: u32) -> Vec<Slice> {
    let mut lines = slices(number);
    for line in &mut lines {
        longer(line);
        let check = FitnessCheck { check: "at_work".into(), outcome: "passed".into(), ..Default::default() };
        line.measured.generator.checks.push(check);
        // More errors than a claim of speed allows.
        line.measured.outcomes.insert("rejected".to_string(), 0);
    }
    lines
}

/// Ten seconds of the same: claims about p99 take 10,000 exchanges of each start.
fn longer(line: &mut Slice) {
    line.measured.seconds *= 10.0;
    line.measured.bytes_received *= 10;
    line.answered_in_window *= 10;
    line.measured.outcomes.values_mut().for_each(|count| *count *= 10);
}

/// Gives every measured slice these conditions.
fn under(mut lines: Vec<Slice>, conditions: &Conditions) -> Vec<Slice> {
    for line in lines.iter_mut().filter(|line| line.phase == Phase::Measure) {
        line.conditions = Some(conditions.clone());
    }
    lines
}

/// A pair with once and with twice the threads, whose throughputs have this ratio.
fn pair(number: u32, ratio: f64) -> Vec<Slice> {
    pair_of(number, 2, ratio)
}

/// The same of another line of the fixture: that of nio is line 2, that of nio2 line 3.
fn pair_of(number: u32, line: usize, ratio: f64) -> Vec<Slice> {
    let (once, twice) = (slices(number)[line].clone(), slices(number)[line].clone());
    let of = |mut line: Slice, position: u32, perturbed: bool, ratio: f64| {
        (line.phase, line.cycle, line.position) = (Phase::Perturbation, 3, position);
        line.answered_in_window = (line.answered_in_window as f64 * ratio) as u64;
        line.measured.throughput_per_s = line.measured.throughput_per_s.map(|rate| rate * ratio);
        line.perturbed = perturbed;
        line
    };
    vec![of(once, 1, false, 1.0), of(twice, 2, true, ratio)]
}

fn record(root: &Path, plan: &Plan, blocks: &[Vec<Slice>], ceilings: &[Ceiling]) -> Run {
    let mut writer = RunWriter::create(root, plan, &environment(), 1).unwrap();
    for (at, lines) in blocks.iter().enumerate() {
        let mut block = writer.begin_block(at as u32 + 1).unwrap();
        lines.iter().for_each(|line| block.append(line).unwrap());
        block.finish().unwrap();
    }
    if !ceilings.is_empty() {
        writer.write_ceilings(ceilings).unwrap();
    }
    Run::open(writer.path()).unwrap()
}

/// The fixture answers 1,101 and 1,001 a second with 1,000 bytes each.
fn ceiling(exchanges_per_s: f64) -> Ceiling {
    Ceiling {
        format: 1,
        point: "64c".into(),
        answer_bytes: 1024,
        exchanges_per_s: Some(exchanges_per_s),
        ..Ceiling::default()
    }
}

/// Verdict on the claim, with its reasons.
fn verdict(run: &Run, claim: &str) -> (Verdict, Vec<Reason>) {
    let selector = |name: &str| Selector { name: name.into(), levels: Vec::new() };
    let names = Names {
        variants: vec![selector("nio"), selector("nio2")],
        points: vec!["64c".into()],
        ..Names::default()
    };
    let claims = parse_claim("claim", claim, &names).unwrap();
    let design = Design::at(&run.plan().timing.looks);
    let claim = judged(run, &claims, &design).unwrap().claims.remove(0);
    (claim.verdict, claim.reasons)
}

const FASTER: &str = "throughput(nio2) > throughput(nio) @ 64c";
const TAIL: &str = "p99(nio2) < p99(nio) @ 64c";

fn client_limited(reasons: &[Reason]) -> bool {
    matches!(reasons, [Reason::ClientLimited { .. }, ..])
}

fn four() -> Vec<Vec<Slice>> {
    (1..=4).map(block).collect()
}

#[test]
fn a_rate_far_below_the_ceiling_carries_verdicts_and_one_near_it_does_not() {
    let root = tempfile::tempdir().unwrap();
    let far = record(root.path(), &plan(), &four(), &[ceiling(10_000.0)]);
    assert_eq!((verdict(&far, FASTER).0, verdict(&far, TAIL).0), (Verdict::Supported, Verdict::Supported));
    let near = record(root.path(), &plan(), &four(), &[ceiling(1_200.0)]);
    let (found, reasons) = verdict(&near, FASTER);
    assert!(found == Verdict::Undecided && client_limited(&reasons), "{reasons:?}");
    let Reason::ClientLimited { what } = &reasons[0] else { panic!("{reasons:?}") };
    assert!(matches!(what.innermost(), Finding::NearCeiling { allowed_share: 0.7, .. }), "{what:?}");
    let points = points(&near).unwrap();
    assert!(points.iter().all(|point| !point.generator.fit && !point.generator.findings.is_empty()));
}

#[test]
fn between_half_and_seven_tenths_only_the_tail_is_forbidden() {
    let root = tempfile::tempdir().unwrap();
    let run = record(root.path(), &plan(), &four(), &[ceiling(1_900.0)]);
    assert_eq!(verdict(&run, FASTER).0, Verdict::Supported);
    let (found, reasons) = verdict(&run, TAIL);
    assert!(found == Verdict::Undecided && client_limited(&reasons), "{reasons:?}");
    assert!(points(&run).unwrap().iter().all(|point| point.generator.fit));
}

#[test]
fn a_record_without_a_ceiling_says_so_in_its_points() {
    let root = tempfile::tempdir().unwrap();
    let outcome = |plan: &Plan, why: Finding| {
        let run = record(root.path(), plan, &four(), &[]);
        let points = points(&run).unwrap();
        let checks = points[0].generator.checks.clone();
        let found = checks.iter().find(|check| check.check == CheckName::Ceiling).unwrap().clone();
        assert_eq!(
            (found.outcome, found.note),
            (CheckOutcome::NotMeasured, Some(Finding::NoCeiling { why: Box::new(why) }))
        );
        assert_eq!(verdict(&run, FASTER).0, Verdict::Supported);
    };
    outcome(&plan(), Finding::CeilingNotRecorded);
    outcome(&Plan { no_ceiling: true, ..plan() }, Finding::CeilingNotAsked);
}

/// Blocks in which the generator was away from its sockets for 3 ms or more in a thousandth of the time.
fn with_hiccups_in(blocks: &[u32]) -> Vec<Vec<Slice>> {
    with_failed("hiccups", blocks)
}

/// Blocks in all of whose slices that check failed.
fn with_failed(check: &str, blocks: &[u32]) -> Vec<Vec<Slice>> {
    let away = |number: u32| {
        let mut lines = block(number);
        let ms = if blocks.contains(&number) { 3.0 } else { 0.01 };
        let check = FitnessCheck {
            check: check.into(),
            outcome: if ms > 1.0 { "failed" } else { "passed" }.into(),
            found: Some(ms * 1e6),
            limit: Some(1e6),
            unit: "ns".into(),
            ..Default::default()
        };
        lines.iter_mut().for_each(|line| line.measured.generator.checks.push(check.clone()));
        lines
    };
    (1..=4).map(away).collect()
}

#[test]
fn hiccups_in_most_blocks_forbid_the_tail_alone() {
    let root = tempfile::tempdir().unwrap();
    let rare = record(root.path(), &plan(), &with_hiccups_in(&[1]), &[]);
    assert_eq!((verdict(&rare, FASTER).0, verdict(&rare, TAIL).0), (Verdict::Supported, Verdict::Supported));
    let run = record(root.path(), &plan(), &with_hiccups_in(&[1, 2, 4]), &[]);
    assert_eq!(verdict(&run, FASTER).0, Verdict::Supported);
    let (found, reasons) = verdict(&run, TAIL);
    assert!(found == Verdict::Undecided && client_limited(&reasons), "{reasons:?}");
    let Reason::ClientLimited { what } = &reasons[0] else { panic!("{reasons:?}") };
    assert_eq!(*what.innermost(), Finding::GeneratorStalls { p999_ns: 3e6, allowed_ns: 1e6 });
    let generator = &points(&run).unwrap()[0].generator;
    assert!(
        generator.fit
            && generator.checks.iter().filter(|check| check.check == CheckName::Hiccups).count() == 1
    );
}

#[test]
fn sends_that_are_late_in_most_blocks_forbid_the_tail_and_the_mean() {
    const MEAN: &str = "mean(nio2) < mean(nio) @ 64c";
    let root = tempfile::tempdir().unwrap();
    let rare = record(root.path(), &plan(), &with_failed("send_delay_p99", &[1]), &[]);
    assert_eq!((verdict(&rare, MEAN).0, verdict(&rare, TAIL).0), (Verdict::Supported, Verdict::Supported));
    let run = record(root.path(), &plan(), &with_failed("send_delay_p99", &[1, 2, 4]), &[]);
    assert_eq!(verdict(&run, FASTER).0, Verdict::Supported);
    for claim in [TAIL, MEAN] {
        let (found, reasons) = verdict(&run, claim);
        assert!(found == Verdict::Undecided && client_limited(&reasons), "{claim}: {reasons:?}");
        let Reason::ClientLimited { what } = &reasons[0] else { panic!("{reasons:?}") };
        assert_eq!(*what.innermost(), Finding::TailSentLate { p99_ns: 3e6, allowed_ns: 1e6 });
    }
    let away = record(root.path(), &plan(), &with_hiccups_in(&[1, 2, 4]), &[]);
    assert_eq!(verdict(&away, MEAN).0, Verdict::Supported);
}

#[test]
fn of_streams_the_one_whose_sends_are_late_counts() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks = with_failed("send_delay_p99", &[]);
    for line in blocks.iter_mut().flatten() {
        line.measured.stream = "fast".into();
    }
    let late = with_failed("send_delay_p99", &[1, 2, 3, 4]);
    for (block, late) in blocks.iter_mut().zip(late) {
        block.extend(late.into_iter().map(|mut line| {
            line.measured.stream = "slow".into();
            line
        }));
    }
    let mut plan = plan();
    plan.streams = vec!["fast".into(), "slow".into()];
    let run = record(root.path(), &plan, &blocks, &[]);
    let points = points(&run).unwrap();
    let check =
        points[0].generator.checks.iter().find(|check| check.check == CheckName::SendDelayTail).unwrap();
    assert_eq!((check.found, check.outcome.name()), (Some(3e6), "failed"));
}

fn with_pairs(ratio: f64) -> Vec<Vec<Slice>> {
    (1..=4).map(|number| [block(number), pair(number, ratio)].concat()).collect()
}

fn perturbing() -> Plan {
    let mut plan = plan();
    plan.timing.perturbation_ns = 1_000_000_000;
    plan
}

#[test]
fn twice_the_threads_that_serve_more_show_that_the_generator_was_the_limit() {
    let root = tempfile::tempdir().unwrap();
    let same = record(root.path(), &perturbing(), &with_pairs(1.0), &[]);
    assert_eq!(verdict(&same, FASTER).0, Verdict::Supported);
    let more = record(root.path(), &perturbing(), &with_pairs(1.3), &[]);
    let (found, reasons) = verdict(&more, FASTER);
    assert!(found == Verdict::Undecided && client_limited(&reasons), "{reasons:?}");
    let Reason::ClientLimited { what } = &reasons[0] else { panic!("{reasons:?}") };
    let Finding::ThreadsMatter { ratio, .. } = what.innermost() else { panic!("{what:?}") };
    assert!((ratio - 1.299).abs() < 0.001, "{ratio}");
    let limited: Vec<bool> = points(&more).unwrap().iter().map(|point| point.generator.fit).collect();
    assert_eq!(limited, [false, false], "the pairs were those of nio, and the generator is the same");
}

/// The pairs' threads: one, and two on the fixture's one CPU.
fn on_one_cpu(mut blocks: Vec<Vec<Slice>>) -> Vec<Vec<Slice>> {
    for line in blocks.iter_mut().flatten().filter(|line| line.phase == Phase::Perturbation) {
        line.measured.generator.threads = if line.perturbed { 2 } else { 1 };
    }
    blocks
}

fn throughput_check(run: &Run) -> FitnessCheck {
    let checks = &points(run).unwrap()[0].generator.checks;
    checks.iter().find(|check| check.check == CheckName::PerturbedThroughput).unwrap().clone()
}

#[test]
fn threads_that_share_a_cpu_show_a_limit_by_what_they_gain_and_not_by_what_they_cost() {
    let root = tempfile::tempdir().unwrap();
    let slower = record(root.path(), &perturbing(), &on_one_cpu(with_pairs(0.96)), &[]);
    assert_eq!(verdict(&slower, FASTER).0, Verdict::Supported, "{:?}", throughput_check(&slower));
    let found = throughput_check(&slower);
    assert!(
        found.outcome == CheckOutcome::Unresolved
            && matches!(found.note, Some(Finding::ThreadsShareCpus { .. })),
        "{found:?}"
    );
    let faster = record(root.path(), &perturbing(), &on_one_cpu(with_pairs(1.3)), &[]);
    assert_eq!(verdict(&faster, FASTER).0, Verdict::Undecided);
    let mut roomy = perturbing();
    roomy.generator_cpus = vec![0, 1];
    let slower = record(root.path(), &roomy, &on_one_cpu(with_pairs(0.96)), &[]);
    assert_eq!(verdict(&slower, FASTER).0, Verdict::Undecided, "each had a CPU of its own");
}

#[test]
fn pairs_of_all_variants_settle_what_those_of_one_cannot() {
    let root = tempfile::tempdir().unwrap();
    let turns = |ratios: [f64; 4]| -> Vec<Vec<Slice>> {
        let block = |(number, ratio): (u32, f64)| {
            [block(number), pair_of(number, if number % 2 == 0 { 3 } else { 2 }, ratio)].concat()
        };
        (1..=4).zip(ratios).map(block).collect()
    };
    let limited = record(root.path(), &perturbing(), &turns([1.3, 1.3, 1.3, 1.3]), &[]);
    assert_eq!(verdict(&limited, FASTER).0, Verdict::Undecided);
    let measure = "throughput".to_string();
    let expected = Finding::ThreadPairs { measure, pairs: 4, all_variants: true };
    assert_eq!(throughput_check(&limited).note, Some(expected));
    let apart = record(root.path(), &perturbing(), &turns([1.3, 1.0, 1.3, 1.0]), &[]);
    assert_eq!(throughput_check(&apart).outcome, CheckOutcome::Unresolved);
}

#[test]
fn pairs_are_in_no_figure() {
    let root = tempfile::tempdir().unwrap();
    let throughput = |blocks: &[Vec<Slice>]| {
        let run = record(root.path(), &perturbing(), blocks, &[]);
        let seen = observations(&run, &[Measure::Throughput]).unwrap();
        seen.cells.iter().map(|cell| cell.merged).collect::<Vec<_>>()
    };
    assert_eq!(throughput(&with_pairs(5.0)), throughput(&four()));
}

#[test]
fn a_ceiling_is_of_the_variants_that_it_names_and_of_several_settings_the_lowest_counts() {
    let root = tempfile::tempdir().unwrap();
    let of = |variants: &[&str], exchanges_per_s: f64| Ceiling {
        variants: variants.iter().map(ToString::to_string).collect(),
        ..ceiling(exchanges_per_s)
    };
    let fits = |ceilings: &[Ceiling]| {
        let run = record(root.path(), &plan(), &four(), ceilings);
        let fit = |name: &str| points(&run).unwrap().iter().any(|p| p.variant == name && p.generator.fit);
        [fit("nio"), fit("nio2")]
    };
    assert_eq!(fits(&[of(&["nio"], 10_000.0), of(&["nio2"], 1_200.0)]), [true, false]);
    assert_eq!(fits(&[of(&["nio", "nio2"], 10_000.0), of(&["nio"], 1_200.0)]), [false, true]);
    assert_eq!(fits(&[of(&[], 1_200.0)]), [false, false], "one without names is of all");
}

/// The judge leaves out both streams of a trial at the ceiling; the points of the streams show it too.
#[test]
fn streams_share_the_checks_of_the_load_that_they_are() {
    let root = tempfile::tempdir().unwrap();
    let load = |stream: &str| StreamLoad { stream: stream.to_string(), ..StreamLoad::default() };
    let mut plan = Plan { streams: vec!["fast".to_string(), "slow".to_string()], ..plan() };
    plan.points[0].streams = vec![load("fast"), load("slow")];
    let of = |line: &Slice, stream: &str| {
        let mut line = line.clone();
        line.measured.stream = stream.to_string();
        line
    };
    let lines = block(1).iter().flat_map(|line| [of(line, "fast"), of(line, "slow")]).collect();
    let run = record(root.path(), &plan, &[lines], &[ceiling(2_500.0)]);
    let points = points(&run).unwrap();
    assert_eq!(
        points.iter().map(|point| point.stream.as_str()).collect::<Vec<_>>(),
        ["", "fast", "slow"].repeat(2)
    );
    for point in &points {
        let generator = &point.generator;
        assert!(
            !generator.fit && matches!(generator.findings[0], Finding::NearCeiling { .. }),
            "{generator:?}"
        );
        let names: Vec<&str> = generator.checks.iter().map(|check| check.check.name()).collect();
        assert_eq!(names, ["at_work", "ceiling", "ceiling_tail"], "[{}]", point.stream);
    }
}
