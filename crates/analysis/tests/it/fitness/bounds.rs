//! A generator that was busy, lost CPU time or was held up: the bounds of what it moved.

use super::*;

/// Sets the CPU time of each request, in nanoseconds.
fn used(mut lines: Vec<Slice>, each_ns: u64) -> Vec<Slice> {
    for line in &mut lines {
        line.measured.subject.as_mut().unwrap().cpu_ns = Some(line.answered_in_window * each_ns);
    }
    lines
}

/// A block whose worker was busy nearly all the time, and in which `nio2` takes `cpu` times the CPU time of a
/// request.
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
        // All connections are in use: 64 of them, at that many answers per second.
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

/// A slice of either variant with the full length of the plan, with `ratio` times the ratio of the others.
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
