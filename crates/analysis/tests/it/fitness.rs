//! What forbids a verdict though every slice was fit: the ceiling, the perturbation, a machine that did not keep
//! still. Each is planted in a record.

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

/// Slices of a block as a generator writes them that tells its checks.
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

/// How the claim comes out, with its reasons.
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

/// Each request takes so many nanoseconds of CPU time.
fn used(mut lines: Vec<Slice>, each_ns: u64) -> Vec<Slice> {
    for line in &mut lines {
        line.measured.subject.as_mut().unwrap().cpu_ns = Some(line.answered_in_window * each_ns);
    }
    lines
}

/// A block whose worker was busy nearly all the time, and in which `nio2` takes so many times the CPU time of a request.
fn busy(number: u32, cpu: f64) -> Vec<Slice> {
    let mut lines = block(number);
    for line in lines.iter_mut().filter(|line| line.phase == Phase::Measure) {
        let check = FitnessCheck { check: "at_work".into(), outcome: "failed".into(), ..Default::default() };
        line.measured.generator.checks = vec![check];
        (line.measured.generator.fit, line.measured.generator.findings) = (false, vec![Finding::Unfit]);
        let per_request = if line.measured.variant == "nio2" { 20_000.0 * cpu } else { 20_000.0 };
        let used = line.measured.subject.as_mut().unwrap();
        used.cpu_ns = Some((line.answered_in_window as f64 * per_request) as u64);
    }
    lines
}

#[test]
fn a_busy_generator_costs_claims_about_speed_and_by_the_older_rules_widens_those_about_cpu() {
    let root = tempfile::tempdir().unwrap();
    let of = |cpu: f64, claim: &str| {
        let blocks: Vec<Vec<Slice>> = (1..=4).map(|number| busy(number, cpu)).collect();
        verdict(&record(root.path(), &plan(), &blocks, &[]), claim)
    };
    const DEARER: &str = "cpu_per_request(nio2) > cpu_per_request(nio) @ 64c";
    let (found, reasons) = of(1.5, DEARER);
    assert_eq!(found, Verdict::Supported, "{reasons:?}");
    assert!(reasons.iter().any(|reason| matches!(reason, Reason::Widened { .. })), "{reasons:?}");
    let (found, reasons) = of(1.15, DEARER);
    assert_eq!(found, Verdict::Undecided, "a difference that it may have made: {reasons:?}");
    let (found, reasons) = of(1.5, FASTER);
    assert!(found == Verdict::Undecided && client_limited(&reasons), "{reasons:?}");
    assert_eq!(of(1.5, "errors(nio) == 0 @ 64c").0, Verdict::Supported, "what it saw, it saw");
}

#[test]
fn a_generator_that_was_kept_from_its_cpu_costs_claims_about_cpu() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks: Vec<Vec<Slice>> = (1..=4).map(|number| busy(number, 1.5)).collect();
    for line in blocks.iter_mut().flatten() {
        line.measured.generator.checks.iter_mut().for_each(|check| check.check = CheckName::Away);
    }
    let run = record(root.path(), &plan(), &blocks, &[]);
    let (found, reasons) = verdict(&run, "cpu_per_request(nio2) > cpu_per_request(nio) @ 64c");
    assert!(found == Verdict::Undecided && client_limited(&reasons), "{reasons:?}");
    assert_eq!(verdict(&run, "errors(nio) == 0 @ 64c").0, Verdict::Supported);
}

#[test]
fn throughput_of_a_cpu_is_the_inverse_of_cpu_per_request_in_every_cell() {
    let root = tempfile::tempdir().unwrap();
    let fit = four();
    let at_work: Vec<Vec<Slice>> = (1..=4).map(|number| busy(number, 1.5)).collect();
    let mut failing = four();
    failing.iter_mut().flatten().for_each(|line| {
        line.measured.outcomes.insert("rejected".to_string(), 1_000);
    });
    let lost = |beside| lost_cpu(0.06, beside);
    let records = [fit, at_work, failing, lost(""), lost("at_work"), lost("littles_law")];
    for blocks in records {
        let run = record(root.path(), &Plan { method: 1, ..plan() }, &blocks, &[]);
        let of = |measure| observations(&run, &[measure]).unwrap().cells;
        let (costs, carried) = (of(Measure::CpuPerRequest), of(Measure::ThroughputPerCpu));
        assert!(!costs.is_empty() && costs.len() == carried.len());
        for (cost, carried) in costs.into_iter().zip(carried) {
            let inverted = |value: Option<f64>| value.map(|ns| 1e9 / ns);
            assert_eq!(carried.merged, inverted(cost.merged));
            assert_eq!(carried.cycles, cost.cycles.iter().copied().map(inverted).collect::<Vec<_>>());
            assert_eq!(carried.moved, cost.moved.inverse());
            assert_eq!(carried.unfit_reach, cost.unfit_reach.inverse());
            let same = Cell { measure: cost.measure, merged: cost.merged, ..carried };
            let same = Cell { cycles: cost.cycles.clone(), moved: cost.moved, ..same };
            assert_eq!(Cell { unfit_reach: cost.unfit_reach, ..same }, cost);
        }
    }
}

/// The limits of a record that offer what is the servers' own.
fn offered(run: &Run) -> Vec<Limit> {
    let limits = of_run(run).unwrap().result.limits;
    limits.into_iter().filter(|limit| matches!(limit, Limit::ServersOwn { .. })).collect()
}

#[test]
fn where_the_generator_was_the_limit_the_servers_own_is_offered_and_what_would_claim_it() {
    let root = tempfile::tempdir().unwrap();
    let of = |blocks: &[Vec<Slice>], claim: &str| {
        let claims = vec![PlannedClaim { name: "more".into(), text: claim.into() }];
        offered(&record(root.path(), &Plan { method: 1, claims, ..plan() }, blocks, &[]))
    };
    let at_work: Vec<Vec<Slice>> = (1..=4).map(|number| busy(number, 1.5)).collect();
    let offers = of(&at_work, FASTER);
    let [Limit::ServersOwn { over, under, point, cost, over_per_s, under_per_s, declare }] = &offers[..]
    else {
        panic!("{offers:?}")
    };
    assert_eq!((over.as_str(), under.as_str(), point.as_str()), ("nio2", "nio", "64c"));
    assert!((cost.point - 1.5).abs() < 1e-3 && cost.low < 1.5 && cost.high > 1.5, "{cost:?}");
    assert!(cost.low < 1.5 / 1.2, "what a busy generator may have moved is within it: {cost:?}");
    assert!((over_per_s / 33_333.3 - 1.0).abs() < 1e-3 && (under_per_s / 50_000.0 - 1.0).abs() < 1e-3);
    assert_eq!(declare, "throughput_per_cpu(nio2) > throughput_per_cpu(nio) @ 64c");
    let turned = of(&at_work, "throughput(nio) > 1.1 * throughput(nio2) @ 64c");
    let [Limit::ServersOwn { over, cost: less, declare, .. }] = &turned[..] else { panic!("{turned:?}") };
    assert!(over == "nio" && (less.point * cost.point - 1.0).abs() < 1e-9, "{less:?}");
    assert!((less.low * cost.high - 1.0).abs() < 1e-9, "{less:?}");
    assert_eq!(declare, "throughput_per_cpu(nio) > 1.1 * throughput_per_cpu(nio2) @ 64c");

    assert_eq!(of(&four(), FASTER), [], "the generator was fit");
    assert_eq!(of(&at_work, "throughput(nio2) > 10/s @ 64c"), [], "one variant");
    assert_eq!(of(&at_work, "p99(nio2) < p99(nio) @ 64c"), [], "no claim about throughput");
    assert_eq!(of(&lost_cpu(0.06, "littles_law"), FASTER), [], "nothing of it is the servers' own");
    assert_eq!(of(&lost_cpu(0.06, ""), FASTER).len(), 1, "lost CPU may account for it");
    assert_eq!(of(&lost_cpu(0.021, ""), FASTER), [], "decided");
    let mut open = at_work.clone();
    open.iter_mut().flatten().for_each(|line| line.measured.model = Model::Open);
    let points = vec![LoadPoint { model: Model::Open, ..plan().points[0].clone() }];
    let run = record(root.path(), &Plan { method: 1, points, ..plan() }, &open, &[]);
    assert_eq!(offered(&run), [], "an open loop asks what it was to ask");
}

#[test]
fn a_generator_that_lost_count_costs_claims_about_cpu_and_shares_of_errors_but_not_what_was_seen() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks: Vec<Vec<Slice>> = (1..=4).map(|number| busy(number, 1.5)).collect();
    for line in blocks.iter_mut().flatten() {
        line.measured.generator.checks.iter_mut().for_each(|check| check.check = CheckName::LittlesLaw);
    }
    let run = record(root.path(), &plan(), &blocks, &[]);
    for claim in ["cpu_per_request(nio2) > cpu_per_request(nio) @ 64c", "error_share(nio) < 50% @ 64c"] {
        let (found, reasons) = verdict(&run, claim);
        assert!(found == Verdict::Undecided && client_limited(&reasons), "{claim}: {reasons:?}");
    }
    assert_eq!(verdict(&run, "errors(nio) == 0 @ 64c").0, Verdict::Supported);
}

#[test]
fn no_errors_stays_supported_when_twice_the_threads_show_a_limit_at_last() {
    let root = tempfile::tempdir().unwrap();
    const NONE: &str = "errors(nio) == 0 @ 64c";
    let perturbed = record(root.path(), &perturbing(), &with_pairs(1.3), &[]);
    assert_eq!(verdict(&perturbed, FASTER).0, Verdict::Undecided);
    assert_eq!(verdict(&perturbed, NONE).0, Verdict::Supported);
}

/// Blocks in whose slices the worker lost that share of its CPU, and the mean was made longer by as much.
fn lost_cpu(share: f64, beside: &str) -> Vec<Vec<Slice>> {
    let check = |name: &str, found: f64, limit: f64| FitnessCheck {
        check: name.into(),
        outcome: if found > limit { "failed" } else { "passed" }.into(),
        found: Some(found),
        limit: Some(limit),
        ..Default::default()
    };
    let mut blocks = four();
    for line in blocks.iter_mut().flatten() {
        let checks = &mut line.measured.generator.checks;
        checks.push(check("away", share, 0.02));
        checks.push(check("lengthened_mean", share, 0.10));
        checks.push(check("lengthened_p99", share, 0.10));
        if !beside.is_empty() {
            checks.push(check(beside, 1.0, 0.95));
        }
        (line.measured.generator.fit, line.measured.generator.findings) = (false, vec![Finding::Unfit]);
        // All connections are in use: 64 of them, at so many answers per second.
        line.measured.connections = 64;
        line.measured.service_time_ns.mean = line.measured.throughput_per_s.map(|per_s| 64e9 / per_s);
    }
    blocks
}

#[test]
fn lost_cpu_time_of_the_generator_keeps_open_what_it_may_account_for_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let of = |method: u32, share: f64, beside: &str, claim: &str| {
        let plan = Plan { method, ..plan() };
        verdict(&record(root.path(), &plan, &lost_cpu(share, beside), &[]), claim)
    };
    // nio2 serves a tenth more; of a generator that lost 2.1 %, either may serve 4.2 % more than was seen.
    let (found, reasons) = of(1, 0.021, "", FASTER);
    assert_eq!(found, Verdict::Supported, "{reasons:?}");
    assert!(reasons.iter().any(|reason| matches!(reason, Reason::Widened { .. })), "{reasons:?}");
    let (found, reasons) = of(1, 0.06, "", FASTER);
    let [Reason::MayAccountFor { share, margin }] = reasons[..] else { panic!("{reasons:?}") };
    assert!(found == Verdict::Undecided && (0.119..0.121).contains(&share) && margin < share, "{reasons:?}");
    assert_eq!(of(1, 0.06, "", "throughput(nio2) < 1.2 * throughput(nio) @ 64c").0, Verdict::Undecided);
    assert_eq!(of(1, 0.06, "", "throughput(nio2) < 2 * throughput(nio) @ 64c").0, Verdict::Supported);
    assert_eq!(of(1, 0.5, "", "p99(nio2) < 10s @ 64c").0, Verdict::Supported);
    assert_eq!(of(1, 0.021, "", "p50(nio2) < 10s @ 64c").0, Verdict::Supported);
    for (method, beside) in [(0, ""), (1, "at_work"), (1, "littles_law"), (1, "unsent")] {
        let (found, reasons) = of(method, 0.021, beside, FASTER);
        assert!(found == Verdict::Undecided && client_limited(&reasons), "{method} {beside}: {reasons:?}");
    }
}

#[test]
fn how_much_faster_a_server_is_than_a_busy_generator_nobody_knows_and_it_is_hardly_slower() {
    let root = tempfile::tempdir().unwrap();
    let of = |method: u32, claim: &str| {
        let plan = Plan { method, ..plan() };
        verdict(&record(root.path(), &plan, &lost_cpu(0.0, "at_work"), &[]), claim).0
    };
    let per_s = observations(&record(root.path(), &plan(), &four(), &[]), &[Measure::Throughput]);
    let slowest = per_s.unwrap().cells.iter().filter_map(|cell| cell.merged).fold(f64::MAX, f64::min);
    let more_than = |share: f64| format!("throughput(nio) > {:.0}/s @ 64c", slowest * share);
    assert_eq!(of(1, &more_than(0.85)), Verdict::Supported);
    assert_eq!(of(1, &more_than(0.95)), Verdict::Undecided, "its server may be a tenth slower");
    assert_eq!(of(1, "throughput(nio) < 1000000/s @ 64c"), Verdict::Undecided);
    for measure in ["p50", "p99", "mean"] {
        let less = format!("{measure}(nio2) < 10s @ 64c");
        assert_eq!(of(1, &less), Verdict::Supported, "{measure}");
        assert_eq!(of(0, &less), Verdict::Undecided, "{measure}, by the older rules");
        assert_eq!(of(1, &format!("{measure}(nio2) > 1ns @ 64c")), Verdict::Undecided, "{measure}");
    }
    // Asked less, a server takes more CPU time for a request, or hardly less.
    const CPU: &str = "cpu_per_request(nio)";
    for (limit, expected) in [("23us", Verdict::Supported), ("21us", Verdict::Undecided)] {
        let blocks: Vec<Vec<Slice>> =
            lost_cpu(0.0, "at_work").into_iter().map(|lines| used(lines, 20_000)).collect();
        let run = record(root.path(), &Plan { method: 1, ..plan() }, &blocks, &[]);
        assert_eq!(verdict(&run, &format!("{CPU} < {limit} @ 64c")).0, expected);
        assert_eq!(verdict(&run, &format!("{CPU} > 1us @ 64c")).0, Verdict::Undecided);
    }
}

#[test]
fn what_asks_for_no_bound_hears_of_an_unfit_generator_all_the_same() {
    let root = tempfile::tempdir().unwrap();
    let plan = Plan { method: 1, ..plan() };
    let seen =
        observations(&record(root.path(), &plan, &lost_cpu(0.5, ""), &[]), &[Measure::Throughput]).unwrap();
    assert!(seen.cells.iter().all(|cell| !cell.unfit.is_empty() && cell.reach() == cell.reach().bounded()));
}

/// A slice of either variant that is as long as the plan has them, with a ratio so many times that of the others.
fn long(number: u32, ratio: f64) -> Vec<Slice> {
    let of = |line: usize, position: u32, ratio: f64| {
        let mut line = slices(number)[line].clone();
        (line.phase, line.cycle, line.position) = (Phase::Long, 4, position);
        line.answered_in_window = (line.answered_in_window as f64 * ratio) as u64;
        line.measured.throughput_per_s = line.measured.throughput_per_s.map(|rate| rate * ratio);
        line
    };
    vec![of(2, 1, 1.0), of(3, 2, ratio)]
}

fn with_long(ratio: f64) -> Vec<Vec<Slice>> {
    (1..=4).map(|number| [block(number), long(number, ratio)].concat()).collect()
}

#[test]
fn long_slices_that_show_another_ratio_forbid_a_verdict_and_are_in_no_figure() {
    let root = tempfile::tempdir().unwrap();
    let run = |blocks: &[Vec<Slice>]| record(root.path(), &plan(), blocks, &[]);
    assert_eq!(verdict(&run(&with_long(1.0)), FASTER).0, Verdict::Supported);
    let (found, reasons) = verdict(&run(&with_long(1.2)), FASTER);
    assert_eq!(found, Verdict::Undecided);
    assert!(reasons.iter().any(|reason| matches!(reason, Reason::SliceLength { .. })), "{reasons:?}");
    let merged = |run: &Run| {
        let seen = observations(run, &[Measure::Throughput]).unwrap();
        seen.cells.iter().map(|cell| cell.merged).collect::<Vec<_>>()
    };
    assert_eq!(merged(&run(&with_long(1.2))), merged(&run(&four())));
    let condensed = root.path().join("condensed");
    proofload_analysis::condense(&run(&with_long(1.2)), &[Measure::Throughput], &condensed).unwrap();
    assert_eq!(verdict(&Run::open(&condensed).unwrap(), FASTER), (found, reasons), "in a small copy, too");
}

const STOLEN: Conditions = Conditions {
    generator_steal_share: Some(0.0),
    subject_steal_share: Some(0.05),
    frequency_hz: None,
    canary_ns: None,
};

#[test]
fn a_block_of_which_the_hypervisor_took_time_is_left_out_for_all_and_not_counted_as_lost() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks: Vec<Vec<Slice>> = (1..=5).map(block).collect();
    blocks[1] = under(block(2), &STOLEN);
    let run = record(root.path(), &plan(), &blocks, &[]);
    assert_eq!((left_out(&run), run.blocks().len(), counting_blocks(&run).len()), (vec![2], 5, 4));
    let [Finding::StealFromServers { steal_share }] = disturbances(&run)[0].causes[..] else {
        panic!("one cause")
    };
    assert!((steal_share - 0.05).abs() < 1e-9, "{steal_share}");
    let seen = observations(&run, &[Measure::Throughput]).unwrap();
    assert_eq!((seen.blocks, seen.excluded_blocks, seen.disturbed), (vec![1, 2, 3, 4], 0, vec![1]));
    assert_eq!(verdict(&run, FASTER).0, Verdict::Supported);
    let quiet = record(root.path(), &plan(), &(1..=5).map(block).collect::<Vec<_>>(), &[]);
    let answered = |run: &Run| points(run).unwrap()[0].outcomes["answered"];
    assert!(answered(&run) < answered(&quiet), "in no figure either");
}

/// Its worker wakes late by this share of the time, in blocks whose CPUs may sleep or all are kept awake.
fn woken_late(root: &Path, share: f64, level: &str) -> Run {
    let mut blocks = four();
    for line in blocks.iter_mut().flatten().filter(|line| line.phase == Phase::Measure) {
        let check = FitnessCheck {
            check: CheckName::Away,
            outcome: CheckOutcome::Failed,
            found: Some(share),
            ..FitnessCheck::default()
        };
        line.measured.generator.checks = vec![check];
        (line.measured.generator.fit, line.measured.generator.findings) = (false, vec![Finding::Unfit]);
    }
    let condition = PlannedCondition {
        name: "cpus_awake".into(),
        levels: vec![level.into()],
        ..PlannedCondition::default()
    };
    let plan = Plan { conditions: vec![condition], condition_order: vec![vec![0]; 4], ..plan() };
    record(root, &plan, &blocks, &[])
}

#[test]
fn a_worker_may_wake_late_where_cpus_sleep_and_nowhere_else() {
    let root = tempfile::tempdir().unwrap();
    let found = |share, level| verdict(&woken_late(root.path(), share, level), FASTER).0;
    assert_eq!(found(0.08, "false"), Verdict::Supported);
    assert_eq!((found(0.12, "false"), found(0.08, "true")), (Verdict::Undecided, Verdict::Undecided));
}

/// A CPU that sleeps waits for the hypervisor whenever it is woken: left out, no block would have slept.
#[test]
fn where_cpus_may_sleep_the_hypervisor_may_take_more() {
    let root = tempfile::tempdir().unwrap();
    let left_out = |share: f64| {
        let stolen = Conditions { subject_steal_share: Some(share), ..STOLEN.clone() };
        let blocks: Vec<Vec<Slice>> = (1..=4).map(|number| under(block(number), &stolen)).collect();
        let plan = Plan {
            conditions: vec![PlannedCondition {
                name: "cpus_awake".into(),
                levels: vec!["true".into(), "false".into()],
                ..PlannedCondition::default()
            }],
            condition_order: vec![vec![0], vec![1], vec![1], vec![0]],
            ..plan()
        };
        left_out(&record(root.path(), &plan, &blocks, &[]))
    };
    assert_eq!(left_out(0.019), Vec::<u32>::new());
    assert_eq!(left_out(0.03), [1, 4]);
    assert_eq!(left_out(0.11), [1, 2, 3, 4]);
}

#[test]
fn a_run_of_which_most_blocks_were_disturbed_is_undecided_for_that_reason() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks: Vec<Vec<Slice>> = (1..=5).map(|number| under(block(number), &STOLEN)).collect();
    blocks.extend((6..=9).map(block));
    let run = record(root.path(), &plan(), &blocks, &[]);
    let (found, reasons) = verdict(&run, FASTER);
    assert_eq!((found, reasons), (Verdict::Undecided, vec![Reason::Disturbed { blocks: 5, of: 9 }]));
}

#[test]
fn a_verdict_that_was_given_stays_whatever_the_machine_does_later() {
    let root = tempfile::tempdir().unwrap();
    let mut blocks = four();
    let early = verdict(&record(root.path(), &plan(), &blocks, &[]), FASTER);
    assert_eq!(early.0, Verdict::Supported);
    blocks.extend((5..=14).map(|number| under(block(number), &STOLEN)));
    assert_eq!(verdict(&record(root.path(), &plan(), &blocks, &[]), FASTER), early);
}

#[test]
fn a_block_on_slower_cpus_than_those_before_it_is_left_out() {
    let root = tempfile::tempdir().unwrap();
    let at = |hz: f64| Conditions { frequency_hz: Some(hz), ..Conditions::default() };
    let working = |ns: u64| Conditions { canary_ns: Some(ns), ..Conditions::default() };
    let left_out = |conditions: [Conditions; 5]| {
        let blocks: Vec<Vec<Slice>> =
            (1..=5).zip(&conditions).map(|(number, seen)| under(block(number), seen)).collect();
        left_out(&record(root.path(), &plan(), &blocks, &[]))
    };
    assert_eq!(left_out([3.0e9, 3.0e9, 2.7e9, 2.95e9, 3.0e9].map(at)), [3]);
    assert_eq!(left_out([400_000, 401_000, 399_000, 460_000, 400_000].map(working)), [4]);
    assert_eq!(left_out([400_000; 5].map(working)), [0_u32; 0]);
    // A slice that is too short for the clock to be read has the fixed work alone.
    let both = |hz, ns| Conditions { frequency_hz: Some(hz), canary_ns: Some(ns), ..Conditions::default() };
    let mixed = [both(3.0e9, 400_000), working(400_000), both(3.0e9, 400_000), working(400_000), at(3.0e9)];
    assert_eq!(left_out(mixed), [0_u32; 0]);
    let worse =
        [both(3.0e9, 400_000), working(400_000), both(3.0e9, 460_000), both(2.7e9, 400_000), at(3.0e9)];
    assert_eq!(left_out(worse), [3, 4], "either kind tells");
}

#[test]
fn a_variant_that_is_missing_makes_no_block_slower() {
    let root = tempfile::tempdir().unwrap();
    // The clock under load is that of the load.
    let clocked = |number: u32, without: &str| {
        let mut lines = block(number);
        lines.retain(|line| line.measured.variant != without);
        for line in lines.iter_mut().filter(|line| line.phase == Phase::Measure) {
            let hz = if line.measured.variant == "nio" { 3.0e9 } else { 2.0e9 };
            line.conditions = Some(Conditions { frequency_hz: Some(hz), ..Conditions::default() });
        }
        lines
    };
    let mut blocks: Vec<Vec<Slice>> = (1..=5).map(|number| clocked(number, "")).collect();
    blocks[3] = clocked(4, "nio");
    let run = record(root.path(), &plan(), &blocks, &[]);
    assert_eq!(disturbances(&run), []);
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

#[test]
fn a_smoke_run_leaves_nothing_out() {
    let root = tempfile::tempdir().unwrap();
    let mut smoke = plan();
    smoke.timing.looks = vec![1];
    let run = record(root.path(), &smoke, &[under(block(1), &STOLEN)], &[]);
    assert_eq!((left_out(&run).len(), disturbances(&run).len()), (0, 1));
}

/// The judge leaves out both streams of a trial at the ceiling; the points of the streams say so too.
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
