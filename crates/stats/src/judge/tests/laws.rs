//! Laws that hold for any observations, however odd.

use super::*;
use proptest::prelude::*;

const TEXTS: [&str; 10] = [
    FASTER,
    "p99(a) < 50ms",
    "errors(a) == 0",
    "error_share(b) < 0.1%",
    "error_share(a) < error_share(b)",
    "throughput(a) ~ throughput(b) within 5%",
    "ratio(throughput, a, b) @ 400c > ratio(throughput, a, b) @ 64c",
    "p99(a) ~ 1ns within 5%",
    "rss(a) == rss(b)",
    "1.1 * cpu_per_request(a) <= 0.9 * cpu_per_request(b)",
];

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 900.0..1100.0_f64,
        1 => prop::sample::select(vec![
            0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 1e-300, 5.0,
        ]),
    ]
}

fn cell() -> impl Strategy<Value = Cell> {
    let measure = prop::sample::select(vec![
        Measure::Throughput,
        Measure::ResponseQuantile(9900),
        Measure::Errors,
        Measure::ErrorShare,
        Measure::Rss,
        Measure::CpuPerRequest,
    ]);
    let place = (1..14_u32, 0..2_usize, 0..2_usize, measure);
    let counts = prop_oneof![
        5 => (Just(0_u64), 1..100_000_u64),
        1 => (any::<u64>(), any::<u64>())
    ];
    let values = (prop::collection::vec(prop::option::of(value()), 0..4), prop::option::of(value()));
    (place, values, counts, prop::bool::weighted(0.02)).prop_map(
        |((block, variant, point, measure), (cycles, merged), (errors, finished), unfit)| Cell {
            block,
            variant,
            point,
            measure,
            cycles,
            merged,
            finished,
            errors,
            unfit: if unfit { vec![Finding::Unfit] } else { Vec::new() },
            unfit_reach: [Reach::ANY, Reach::AT_LEAST, Reach::AT_MOST][block as usize % 3],
            ..Cell::default()
        },
    )
}

fn first(observations: &Observations, blocks: usize) -> Observations {
    let kept = &observations.blocks[..blocks.min(observations.blocks.len())];
    Observations {
        blocks: kept.to_vec(),
        cells: observations.cells.iter().filter(|cell| kept.contains(&cell.block)).cloned().collect(),
        ..observations.clone()
    }
}

/// True of reasons that may take back observed errors: missing blocks, or errors of the generator's own.
fn hides_errors(reason: &Reason) -> bool {
    matches!(reason, Reason::BlocksLost { .. } | Reason::LostUnevenly { .. } | Reason::OwnErrors { .. })
}

proptest! {
    #[test]
    fn any_observations_are_judged_without_panic_and_settled_claims_stay(
        cells in prop::collection::vec(cell(), 0..160),
        lost in prop::collection::vec(1..14_u32, 0..3),
        excluded in prop_oneof![Just(0), 0..4_u32, Just(u32::MAX)],
    ) {
        let blocks: Vec<u32> = (1..14).filter(|block| !lost.contains(block)).collect();
        let observations =
            Observations { cells, blocks, excluded_blocks: excluded, ..Observations::default() };
        let claims = claims(&TEXTS);
        let mut before: Option<Judgement> = None;
        for blocks in 0..=observations.blocks.len() {
            let now = judge(&claims, &first(&observations, blocks), &Design::quick());
            prop_assert_eq!(now.claims.len(), claims.len());
            for (index, claim) in now.claims.iter().enumerate() {
                if let Some(estimate) = claim.estimate {
                    prop_assert!(estimate.point.is_finite() || estimate.point > 0.0, "{:?}", claim);
                    prop_assert!(!estimate.low.is_nan() && !estimate.high.is_nan(), "{:?}", claim);
                    prop_assert!(estimate.low <= estimate.high, "{:?}", claim);
                }
                if claim.verdict != Verdict::Undecided {
                    // An error that was seen is one, however few the blocks.
                    let enough = claim.blocks >= 4 || claims[index].is_of_a_count();
                    prop_assert!(claim.estimate.is_some() && enough, "{:?}", claim);
                } else {
                    prop_assert!(!claim.reasons.is_empty(), "{:?}", claim);
                }
                if let Some(earlier) = before.as_ref().map(|before| &before.claims[index])
                    && earlier.settled
                {
                    prop_assert_eq!(claim, earlier, "settled at {} blocks", blocks - 1);
                }
                let stood = before.as_ref().is_some_and(|before| before.claims[index].verdict == Verdict::Supported);
                if claims[index].is_of_a_count() && stood && claim.verdict == Verdict::Undecided {
                    prop_assert!(claim.reasons.iter().any(hides_errors), "{:?}", claim);
                }
            }
            before = Some(now);
        }
    }
}

/// The same of what an exchange costs, the other way round.
fn inverted(cell: &Cell) -> Cell {
    let invert = |value: &Option<f64>| value.map(|ns| 1e9 / ns);
    Cell {
        measure: Measure::ThroughputPerCpu,
        cycles: cell.cycles.iter().map(invert).collect(),
        merged: invert(&cell.merged),
        moved: cell.moved.inverse(),
        unfit_reach: cell.unfit_reach.inverse(),
        ..cell.clone()
    }
}

fn cost() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![8 => (900.0..1100.0_f64).prop_map(Some), 1 => Just(Some(0.0)), 1 => Just(None)]
}

/// Over all slices there is a value where one of them has one.
fn merged(cycles: &[Option<f64>]) -> Option<f64> {
    cycles.iter().copied().flatten().reduce(f64::max)
}

fn costs() -> impl Strategy<Value = Cell> {
    let place = (1..9_u32, 0..2_usize, 0.8..1.0_f64);
    let values = prop::collection::vec(cost(), 1..4);
    let reach = (0.0..0.05_f64, 0.0..0.2_f64).prop_map(|(below, above)| Reach { below, above });
    let unfit =
        (prop::bool::weighted(0.1), prop::sample::select(vec![Reach::ANY, Reach::AT_LEAST, Reach::NONE]));
    let errors = prop_oneof![9 => Just(0_u64), 1 => Just(500_u64)];
    (place, values, reach, unfit, errors).prop_map(
        |((block, variant, less), cycles, moved, (unfit, unfit_reach), errors)| {
            let scaled = |value: Option<f64>| value.map(|ns| if variant == 0 { ns * less } else { ns });
            Cell {
                block,
                variant,
                measure: Measure::CpuPerRequest,
                cycles: cycles.iter().copied().map(scaled).collect(),
                merged: scaled(merged(&cycles)),
                finished: 100_000,
                errors,
                moved,
                unfit: if unfit { vec![Finding::Unfit] } else { Vec::new() },
                unfit_reach,
                ..Cell::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn more_requests_of_a_cpu_are_judged_as_less_cpu_for_a_request(
        sown in prop::collection::vec(costs(), 60..160),
    ) {
        let mut cells: Vec<Cell> = Vec::new();
        for cell in sown {
            if !cells.iter().any(|known| (known.block, known.variant) == (cell.block, cell.variant)) {
                cells.push(cell);
            }
        }
        let blocks: Vec<u32> = (1..9).collect();
        let turned = cells.iter().map(inverted).collect();
        let seen = |cells| Observations { cells, blocks: blocks.clone(), ..Observations::default() };
        let per_request = seen(cells);
        let per_cpu = seen(turned);
        for (less, more) in [
            ("cpu_per_request(a) < cpu_per_request(b)", "throughput_per_cpu(a) > throughput_per_cpu(b)"),
            ("cpu_per_request(a) ~ cpu_per_request(b) within 5%", "throughput_per_cpu(b) ~ throughput_per_cpu(a) within 5%"),
            ("cpu_per_request(a) < 1us", "throughput_per_cpu(a) > 1M/s"),
        ] {
            let of = |text: &str, seen: &Observations| judge(&claims(&[text]), seen, &Design::quick()).claims.remove(0);
            let (less, more) = (of(less, &per_request), of(more, &per_cpu));
            prop_assert_eq!(less.verdict, more.verdict, "{:?} {:?}", less, more);
            prop_assert_eq!((less.blocks, less.settled), (more.blocks, more.settled));
            let kinds = |judged: &Judged| judged.reasons.iter().map(std::mem::discriminant).collect::<Vec<_>>();
            prop_assert_eq!(kinds(&less), kinds(&more));
            prop_assert_eq!(less.estimate.is_some(), more.estimate.is_some());
        }
        let of = |text: &str, seen: &Observations| judge(&claims(&[text]), seen, &Design::quick()).claims.remove(0);
        let less = of("cpu_per_request(a) < cpu_per_request(b)", &per_request).estimate;
        let more = of("throughput_per_cpu(a) > throughput_per_cpu(b)", &per_cpu).estimate;
        if let Some((less, more)) = less.zip(more) {
            for (one, other) in [(less.point, more.point), (less.low, more.high), (less.high, more.low)] {
                let alike = (one.ln() + other.ln()).abs() < 1e-9 || one == 1.0 / other;
                prop_assert!(alike, "{:?} {:?}", less, more);
            }
        }
    }
}
