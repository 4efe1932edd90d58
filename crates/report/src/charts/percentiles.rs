//! Response times by percentile.

use super::left_out::LeftOut;
use super::{Axis, Cell, Chart, Drawn, Scale, rank, series};
use proofload_language::{Columns, tr};
use proofload_measure::LatencyHistogram;
use proofload_store::schema::{RunResult, Slice};

/// Steps between one nine and the next: 0 %, …, 90 %, …, 99 %, …
const STEPS: u32 = 10;
/// Nines that are drawn at most: 99.99999 %.
const NINES_MAX: u32 = 7;

struct Curve {
    variant: String,
    point: String,
    histogram: LatencyHistogram,
    /// Waiting times of exchanges that never ended: they rank above all that did, as in the figures.
    unended: LatencyHistogram,
}

/// Response times of all slices of a variant and load point on which figures rest, together: one curve for each. A
/// stored histogram that cannot be read is left out, as everywhere: the figures above report it.
pub fn chart(slices: &[&Slice], left_out: &LeftOut<'_>, result: &RunResult) -> Chart {
    let mut curves: Vec<Curve> = Vec::new();
    let counts = |slice: &&&Slice| slice.trial.is_none() && left_out.counts(slice);
    for slice in slices.iter().filter(counts) {
        let stored = &slice.histograms;
        let Ok(histogram) = LatencyHistogram::decode(&stored.response_time) else { continue };
        // Empty where every exchange ended.
        let unended = LatencyHistogram::decode(&stored.unended).unwrap_or_else(|_| LatencyHistogram::new());
        let measured = &slice.measured;
        let same = |curve: &&mut Curve| curve.variant == measured.variant && curve.point == measured.point;
        match curves.iter_mut().find(same) {
            Some(curve) => {
                curve.histogram.merge(&histogram);
                curve.unended.merge(&unended);
            }
            None => curves.push(Curve {
                variant: measured.variant.clone(),
                point: measured.point.clone(),
                histogram,
                unended,
            }),
        }
    }
    curves.sort_by_key(|curve| rank(result, &curve.variant));
    let points = result.plan.as_ref().map_or(1, |plan| plan.points.len());
    Chart {
        id: "percentiles".to_string(),
        drawn: Drawn::Lines,
        title: tr!("chart-percentiles").to_string(),
        says: tr!("chart-percentiles-says").to_string(),
        x: Axis { name: tr!("chart-percentile").to_string(), unit: "share", scale: Scale::Quantile },
        y: Axis { name: tr!("response-time").to_string(), unit: "ns", scale: Scale::Log },
        group: "",
        columns: Columns::<4>("chart-percentile-columns").map(str::to_string).to_vec(),
        units: vec!["", "share", "ns", "count"],
        rows: curves.iter().flat_map(|curve| rows(curve, points)).collect(),
    }
}

fn rows(curve: &Curve, points: usize) -> Vec<Vec<Cell>> {
    let count = curve.histogram.count().saturating_add(curve.unended.count());
    let mut rows = Vec::new();
    for step in 0..=NINES_MAX * STEPS {
        let beyond_share = 10_f64.powf(-f64::from(step) / f64::from(STEPS));
        let quantile = 1.0 - beyond_share;
        let beyond = (count as f64 * beyond_share).floor();
        if beyond < 1.0 {
            break;
        }
        rows.push(vec![
            series(&curve.variant, &curve.point, points),
            Cell::Number(quantile),
            Cell::of(
                curve.histogram.quantile_beside(&curve.unended, quantile).map(|found| found.value as f64),
            ),
            Cell::Number(beyond),
        ]);
    }
    rows
}
