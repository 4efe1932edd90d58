//! Figures of the variants at each load point, over their starts: the figures of a result.

use crate::cells::{CellKey, Cells, answered};
use crate::judged::measures_of;
use crate::points::place_of;
use proofload_facts::Limit;
use proofload_measure::Outcome;
use proofload_stats::{
    Cell, Claim, Measure, Names, Observations, Published, Source, Spread, TAIL_EXCHANGES_MIN, fewest_beyond,
    mean_over_blocks, spread,
};
use proofload_store::schema::{Estimate, Figure, Point};

/// The intervals of tables miss with this probability; they are not verdicts.
pub const TABLE_TAIL: f64 = 0.05;
/// Most places that are named in one limit.
const PLACES_TOLD_MAX: usize = 3;

/// Measures that every table of figures has.
pub const TABLE: [Measure; 6] = [
    Measure::Throughput,
    Measure::ResponseQuantile(5000),
    Measure::ResponseQuantile(9000),
    Measure::ResponseQuantile(9900),
    Measure::ResponseQuantile(9990),
    Measure::CpuPerRequest,
];

/// Measures that a table of figures has as well, where some variant has a value.
pub const TABLE_IF_MEASURED: [Measure; 2] = [Measure::Rss, Measure::GcTimeShare];

/// The measures of which there are figures: those of the table, the share of errors, those that claims speak of, and
/// whatever was seen of the subjects.
pub fn figured(claims: &[Claim], published: &[Published]) -> Vec<Measure> {
    let mut measures = TABLE.to_vec();
    let published = published.iter().map(|figure| figure.measure);
    let seen = Measure::all().filter(|measure| measure.source() != Source::Generator);
    let errors = [Measure::ErrorShare];
    let others = TABLE_IF_MEASURED.into_iter().chain(errors);
    for measure in others.chain(measures_of(claims)).chain(seen).chain(published) {
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    measures
}

/// The figures of all variants at all load points.
pub fn figures(observations: &Observations, names: &Names) -> Vec<Figure> {
    let mut measures: Vec<Measure> = Vec::new();
    for cell in &observations.cells {
        let is_known = cell.merged.is_some() || TABLE.contains(&cell.measure);
        if is_known && !measures.contains(&cell.measure) {
            measures.push(cell.measure);
        }
    }
    if observations.cells.is_empty() {
        measures = TABLE.to_vec();
    }
    let cells = Cells::of(observations);

    let mut figures = Vec::new();
    for (point, label) in names.points.iter().enumerate() {
        for (variant, selector) in names.variants.iter().enumerate() {
            for stream in names.parts() {
                let known = measures.iter().filter(|measure| stream.is_none() || measure.is_of_exchanges());
                figures.extend(known.map(|&measure| Figure {
                    variant: selector.name.clone(),
                    point: label.clone(),
                    stream: names.stream_of(stream),
                    ..figure(&cells, (variant, point, stream), measure)
                }));
            }
        }
    }
    figures
}

/// A measure of one variant at one load point, of one stream or of all.
pub fn figure(all: &Cells<'_>, place: CellKey, measure: Measure) -> Figure {
    let cells: Vec<Option<&Cell>> =
        all.blocks.iter().map(|block| all.in_block(*block, place, measure)).collect();
    let per_block: Vec<Option<f64>> = cells.iter().map(|cell| cell.and_then(|cell| cell.merged)).collect();
    let seen: Vec<f64> = per_block.iter().copied().flatten().collect();
    let each = || cells.iter().flatten().map(|cell| answered(cell));
    let in_tail = fewest_beyond(measure, cells.iter().copied().flatten());
    let rough = in_tail.is_some_and(|n| n < TAIL_EXCHANGES_MIN);
    let spread = spread_of(&cells, measure);
    // Averaged as they are, where some are zero, the interval of what is never negative would reach below zero.
    let floor = if seen.iter().all(|value| *value >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
    Figure {
        measure: measure.name(),
        estimate: mean_over_blocks(&seen, TABLE_TAIL).map(|mean| {
            let ends = mean.ends.filter(|_| !rough).map(|(low, high)| (low.max(floor), high));
            Estimate::new(mean.mean, ends, measure.unit())
        }),
        confidence: 1.0 - TABLE_TAIL,
        per_block,
        starts: seen.len() as u32,
        exchanges: each().fold(0, u64::saturating_add),
        beyond: in_tail,
        rough,
        at_least: cells.iter().flatten().any(|cell| cell.at_least),
        between_starts: spread.map(|spread| spread.between_starts),
        within_start: spread.map(|spread| spread.within_start),
        ..Figure::default()
    }
}

/// Cycles are stretches of equal load within a start. `None` for a quantile that a start has hardly seen.
fn spread_of(cells: &[Option<&Cell>], measure: Measure) -> Option<Spread> {
    measure.quantile()?;
    let start = |cell: &&Cell| Some((cell.merged?, cell.cycles.iter().copied().flatten().collect()));
    spread(&cells.iter().flatten().filter_map(start).collect::<Vec<(f64, Vec<f64>)>>())
}

/// Quantiles that are not resolvable, and those that longer starts would sharpen.
pub fn limits(figures: &[Figure]) -> Vec<Limit> {
    let mut limits = Vec::new();
    let mut measures: Vec<&str> = Vec::new();
    for figure in figures.iter().filter(|figure| figure.beyond.is_some()) {
        if !measures.contains(&figure.measure.as_str()) {
            measures.push(&figure.measure);
        }
    }
    for measure in measures {
        let of = || figures.iter().filter(|figure| figure.measure == measure);
        let rough = of().filter(|figure| figure.rough).filter_map(|figure| figure.beyond).min();
        limits.extend(rough.map(|beyond| Limit::QuantileNotResolvable {
            measure: measure.to_string(),
            beyond,
            need: TAIL_EXCHANGES_MIN,
        }));
        let short = of().filter(|figure| !figure.rough && wants_longer_starts(figure));
        let place = |figure: &Figure| place_of(&figure.variant, &figure.stream, &figure.point);
        let short: Vec<String> = short.map(place).collect();
        if !short.is_empty() {
            limits.push(Limit::LongerStarts {
                measure: measure.to_string(),
                more: short.len().saturating_sub(PLACES_TOLD_MAX) as u32,
                places: short.into_iter().take(PLACES_TOLD_MAX).collect(),
            });
        }
    }
    limits
}

fn wants_longer_starts(figure: &Figure) -> bool {
    match (figure.between_starts, figure.within_start) {
        (Some(between_starts), Some(within_start)) => {
            Spread { between_starts, within_start }.wants_longer_starts()
        }
        _ => false,
    }
}

/// True if most answers took markedly longer than their first bytes did, both from sending: by half, and by 1 ms.
pub fn first_byte_is_apart(point: &Point) -> bool {
    let both = point.service_time_ns.p50.zip(point.first_byte_ns.p50);
    both.is_some_and(|(whole, first)| {
        let later = whole.saturating_sub(first);
        later >= first / 2 && later >= 1_000_000
    })
}

pub fn outcome(point: &Point, kind: &str) -> u64 {
    point.outcomes.get(kind).copied().unwrap_or(0)
}

pub fn errors(point: &Point) -> u64 {
    // A name that this version does not know is not an answer.
    let is_error = |kind: &String| Outcome::from_name(kind).is_none_or(Outcome::is_error);
    let errors = point.outcomes.iter().filter(|(kind, _)| is_error(kind));
    errors.fold(0, |sum, (_, n)| sum.saturating_add(*n))
}

/// Figures of one measurement: each of one start, without an interval.
pub fn of_one(point: &Point) -> Vec<Figure> {
    let times = &point.response_time_ns;
    let ns = |value: Option<u64>| value.map(|ns| ns as f64);
    let answered = outcome(point, "answered");
    let cpu_ns = point.subject.as_ref().and_then(|used| used.cpu_ns).filter(|_| answered > 0);
    let errors = errors(point);
    let finished = answered.saturating_add(errors);
    let share = (finished > 0).then(|| errors as f64 / finished as f64);
    let found = [
        (Measure::Throughput, point.throughput_per_s, 0.0),
        (Measure::ResponseMean, times.mean, 1.0),
        (Measure::ResponseQuantile(5000), ns(times.p50), 0.5),
        (Measure::ResponseQuantile(9000), ns(times.p90), 0.9),
        (Measure::ResponseQuantile(9900), ns(times.p99), 0.99),
        (Measure::ResponseQuantile(9990), ns(times.p999), 0.999),
        (Measure::ResponseMax, ns(times.max), 1.0),
        (Measure::CpuPerRequest, cpu_ns.map(|cpu_ns| cpu_ns as f64 / answered as f64), 0.0),
        (Measure::ErrorShare, share, 0.0),
    ];
    let figure = |(measure, value, rank): (Measure, Option<f64>, f64)| Figure {
        variant: point.variant.clone(),
        point: point.point.clone(),
        stream: point.stream.clone(),
        measure: measure.name(),
        estimate: value.map(|point| Estimate::new(point, None, measure.unit())),
        per_block: vec![value],
        starts: u32::from(value.is_some()),
        exchanges: answered,
        at_least: rank > 0.0 && times.is_at_least(rank),
        ..Figure::default()
    };
    found.into_iter().filter(|(_, value, _)| value.is_some()).map(figure).collect()
}
