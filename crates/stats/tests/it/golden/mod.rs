//! Against golden.txt: values that SciPy and NumPy computed, with none of this crate's code (golden.py).

use proofload_stats::bounds::{EFFECT_VARIANCE, Spending, TABLE_ALPHA, anytime, compute};
use proofload_stats::components::components;
use proofload_stats::trend::{Fold, TrendRule, TrendValue, trend};
use proofload_stats::{
    Cell, Design, Measure, Names, Observations, Replication, Selector, judge, parse_claim,
};
use proofload_stats::{hodges_lehmann, mean_over_blocks, ratio_unpaired, student};

const GOLDEN: &str = include_str!("golden.txt");

/// Inputs and outputs of every line of that kind; there must be some.
fn lines(what: &str) -> Vec<(Vec<f64>, Vec<f64>)> {
    let numbers = |text: &str| {
        text.split_whitespace().map(|word| word.parse().expect("a number")).collect::<Vec<f64>>()
    };
    let parts = |line: &str| -> Option<(Vec<f64>, Vec<f64>)> {
        let [kind, inputs, outputs] = line.split(" | ").collect::<Vec<_>>()[..] else { return None };
        (kind == what).then(|| (numbers(inputs), numbers(outputs)))
    };
    let found: Vec<_> = GOLDEN.lines().filter_map(parts).collect();
    assert!(!found.is_empty(), "golden.txt has no {what}");
    found
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let allowed = tolerance * expected.abs().max(1e-12);
    assert!((found - expected).abs() <= allowed, "{what}: {found}, golden {expected}");
}

/// Two halves of inputs that begin with the length of the first.
fn halves(inputs: &[f64]) -> (&[f64], &[f64]) {
    inputs[1..].split_at(inputs[0] as usize)
}

#[test]
fn tails_and_critical_values_of_student_are_those_of_scipy() {
    for (inputs, outputs) in lines("student_tail") {
        close(student::two_sided_tail(inputs[0], inputs[1] as u32), outputs[0], 1e-9, "tail");
    }
    for (inputs, outputs) in lines("student_critical") {
        close(student::critical(inputs[0], inputs[1] as u32), outputs[0], 1e-9, "critical");
    }
}

#[test]
fn means_and_unpaired_ratios_have_the_intervals_of_scipy() {
    for (inputs, outputs) in lines("mean") {
        let found = mean_over_blocks(&inputs, 0.05).expect("values");
        let (low, high) = found.ends.expect("more than one");
        for (found, expected) in [found.mean, low, high].into_iter().zip(outputs) {
            close(found, expected, 1e-9, "mean");
        }
    }
    for (inputs, outputs) in lines("welch") {
        let (left, right) = halves(&inputs);
        let found = ratio_unpaired(left, right, 0.05).expect("values");
        for (found, expected) in [found.point, found.low, found.high].into_iter().zip(outputs) {
            close(found, expected, 1e-9, "welch");
        }
    }
}

#[test]
fn hodges_lehmann_and_its_exact_interval_agree() {
    for (inputs, outputs) in lines("hodges_lehmann") {
        close(hodges_lehmann::estimate(&inputs).expect("values"), outputs[0], 1e-9, "estimate");
    }
    for (inputs, outputs) in lines("hodges_lehmann_interval") {
        let (low, high) = hodges_lehmann::interval(&inputs, 0.95).expect("enough values");
        close(low, outputs[0], 1e-9, "low");
        close(high, outputs[1], 1e-9, "high");
    }
}

/// A study with one look is a paired t test on logarithms: through the judge, from its cells.
#[test]
fn a_study_with_one_look_has_the_paired_t_interval_of_scipy() {
    let variant = |name: &str| Selector { name: name.into(), levels: Vec::new() };
    let names =
        Names { variants: vec![variant("a"), variant("b")], points: vec!["1c".into()], ..Names::default() };
    let claims = parse_claim("claim", "throughput(a) > throughput(b)", &names).expect("a claim");
    for (inputs, outputs) in lines("paired_t") {
        let (left, right) = halves(&inputs);
        let cell = |(at, variant, value): (usize, usize, f64)| Cell {
            block: at as u32 + 1,
            variant,
            point: 0,
            measure: Measure::Throughput,
            cycles: vec![Some(value)],
            merged: Some(value),
            finished: 10_000,
            ..Cell::default()
        };
        let sides = [left, right].into_iter().enumerate();
        let cells = sides.flat_map(|(variant, values)| {
            values.iter().enumerate().map(move |(at, value)| (at, variant, *value))
        });
        let blocks: Vec<u32> = (1..=left.len() as u32).collect();
        let design = Design::at(&[left.len() as u32]);
        let observations = Observations {
            cells: cells.map(cell).collect(),
            blocks,
            excluded_blocks: 0,
            disturbed: Vec::new(),
            replication: Replication::Start,
            ..Observations::default()
        };
        let judged = judge(&claims, &observations, &design).claims.remove(0);
        let estimate = judged.estimate.expect("everything was measured");
        for (found, expected) in [estimate.point, estimate.low, estimate.high].into_iter().zip(outputs) {
            close(found, expected, 1e-4, "paired t");
        }
    }
}

/// Four million simulated paths: the first bounds rest on few crossings, so they are known to 1.5 %.
#[test]
fn bounds_of_the_looks_are_those_of_simulated_paths() {
    for (inputs, outputs) in lines("bounds") {
        let looks: Vec<u32> = inputs[1..].iter().map(|look| *look as u32).collect();
        let found = compute(&looks, Spending::late(TABLE_ALPHA / inputs[0])).expect("a plan");
        assert_eq!(found.len(), outputs.len());
        for (found, expected) in found.iter().zip(outputs) {
            close(*found, expected, 0.015, &format!("{looks:?}, {} claims", inputs[0]));
        }
    }
}

/// SciPy integrates the noncentral t densities over the mixture and solves for t; the program has a formula.
#[test]
fn the_anytime_bound_is_where_the_mixture_is_likely_enough() {
    for (inputs, outputs) in lines("anytime") {
        assert_eq!(inputs[2], EFFECT_VARIANCE);
        close(anytime(inputs[0] as u32, inputs[1]), outputs[0], 1e-6, &format!("{inputs:?}"));
    }
}

/// A trend that leaves nothing out and has a block for each value is the line through the values.
#[test]
fn lines_through_series_are_those_of_scipy() {
    let slope = |inputs: &[f64]| {
        let (x, y) = halves(inputs);
        let value = |(x, y): (&f64, &f64)| TrendValue { hours: *x, exchanges: 0.0, value: *y };
        let values: Vec<TrendValue> = x.iter().zip(y).map(value).collect();
        let rule = TrendRule { dropped: 0.0, blocks: values.len(), ..TrendRule::default() };
        trend(&values, None, Fold::Mean, &rule).expect("enough values").per_hour
    };
    for (inputs, outputs) in lines("least_squares") {
        let found = slope(&inputs);
        for (found, expected) in [found.point, found.low, found.high].into_iter().zip(outputs) {
            close(found, expected, 1e-9, "least squares");
        }
    }
    for (inputs, outputs) in lines("theil_sen") {
        close(slope(&inputs).median, outputs[0], 1e-9, "Theil and Sen");
    }
}

#[test]
fn variances_of_slices_and_starts_are_those_of_numpy() {
    for (inputs, outputs) in lines("components") {
        let starts: Vec<Vec<f64>> = inputs[2..].chunks(inputs[1] as usize).map(<[f64]>::to_vec).collect();
        assert_eq!(starts.len(), inputs[0] as usize);
        let found = components(&starts).expect("several starts");
        close(found.slices, outputs[0], 1e-9, "slices");
        close(found.starts, outputs[1], 1e-9, "starts");
    }
}

#[test]
fn every_kind_of_line_is_read_by_a_test() {
    let tests = include_str!("mod.rs");
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        let (kind, _) = line.split_once(" | ").expect("a kind");
        assert!(tests.contains(&format!("lines(\"{kind}\")")), "no test reads {kind}");
    }
}
