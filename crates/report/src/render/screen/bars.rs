//! A distribution in a few lines, and a series in one.

use crate::number;
use proofload_measure::LatencyHistogram;

/// Most lines of a distribution.
const BINS_MAX: usize = 5;
/// Columns of the longest bar.
const BAR: usize = 20;
/// Most columns of a series.
const SERIES: usize = 30;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Longer durations are not distinguished from one another.
const LONGEST_NS: u64 = 1_000_000_000_000;

/// A stretch of durations; 0 and `u64::MAX` mean no edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bin {
    from_ns: u64,
    to_ns: u64,
    count: u64,
}

/// A name, a bar and a share for each of a few stretches; nothing where one stretch holds all.
pub(super) fn distribution(times: &LatencyHistogram) -> Vec<(String, String, f64)> {
    let bins = bins(times);
    let all = times.count().max(1) as f64;
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1) as f64;
    if bins.len() < 2 {
        return Vec::new();
    }
    let line = |bin: &Bin| {
        let filled = (bin.count as f64 / most * BAR as f64).round() as usize;
        let bar = if filled == 0 { "▏".to_string() } else { "█".repeat(filled) };
        (name(bin), bar, bin.count as f64 / all)
    };
    bins.iter().map(line).collect()
}

/// Between edges of 1, 2 and 5: those that hold something, the smallest neighbours joined until they are few.
fn bins(times: &LatencyHistogram) -> Vec<Bin> {
    let mut bins: Vec<Bin> = Vec::new();
    let (mut from_ns, mut below) = (0, 0);
    for to_ns in edges().chain(std::iter::once(u64::MAX)) {
        let upto = if to_ns == u64::MAX { times.count() } else { times.count_below(to_ns) };
        if upto > below {
            bins.push(Bin { from_ns, to_ns, count: upto - below });
        }
        (from_ns, below) = (to_ns, upto);
    }
    while bins.len() > BINS_MAX {
        let apart = |pair: &[Bin]| pair[0].to_ns != pair[1].from_ns;
        let smallest = bins
            .windows(2)
            .enumerate()
            .min_by_key(|(_, pair)| (apart(pair), pair[0].count.saturating_add(pair[1].count)));
        let Some((at, _)) = smallest else { break };
        let next = bins.remove(at + 1);
        bins[at] = Bin { to_ns: next.to_ns, count: bins[at].count + next.count, ..bins[at] };
    }
    // The first and the last are open where nothing lies beyond.
    if let Some(first) = bins.first_mut() {
        first.from_ns = 0;
    }
    if let [_, .., last] = &mut bins[..] {
        last.to_ns = u64::MAX;
    }
    bins
}

fn edges() -> impl Iterator<Item = u64> {
    let decades = std::iter::successors(Some(1_000_u64), |decade| Some(decade * 10));
    decades.take_while(|decade| *decade < LONGEST_NS).flat_map(|decade| [decade, 2 * decade, 5 * decade])
}

/// `<2 ms`, `2–20 ms`, `>100 ms`.
fn name(bin: &Bin) -> String {
    let edge = |ns: u64| {
        let (scale, unit) = [(1_000_000_000, "s"), (1_000_000, "ms")]
            .into_iter()
            .find(|(scale, _)| ns >= *scale)
            .unwrap_or((1_000, "µs"));
        (ns / scale, unit)
    };
    let ((from, from_unit), (to, unit)) = (edge(bin.from_ns), edge(bin.to_ns));
    match (bin.from_ns, bin.to_ns) {
        (0, _) => format!("<{to} {unit}"),
        (_, u64::MAX) => format!(">{from} {from_unit}"),
        _ if from_unit == unit => format!("{from}–{to} {unit}"),
        _ => format!("{from} {from_unit}–{to} {unit}"),
    }
}

/// The rate over time: of each second, or of several where there are many. Nothing for less than three.
pub(super) fn sparkline(per_second: &[u64], seconds: f64) -> String {
    // The last second may be a part of one.
    let whole = &per_second[..per_second.len().min(seconds.max(0.0) as usize)];
    if whole.len() < 3 {
        return String::new();
    }
    let width = whole.len().div_ceil(SERIES);
    let means: Vec<f64> =
        whole.chunks(width).map(|part| part.iter().sum::<u64>() as f64 / part.len() as f64).collect();
    let most = means.iter().copied().fold(1.0, f64::max);
    let level = |mean: &f64| LEVELS[((mean / most * 8.0).ceil() as usize).clamp(1, 8) - 1];
    means.iter().map(level).collect()
}

/// Quantiles in one unit where that keeps them short, else each in its own: `p50 1.67`, …, `max 209 ms`. The unit is that of
/// `longest`, or of the longest of them.
pub(super) fn in_one_unit(values: &[(&str, Option<u64>, bool)], longest: Option<u64>) -> Vec<String> {
    const UNITS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    let fits = |scale: f64| values.iter().all(|(_, ns, _)| ns.is_some_and(|ns| ns as f64 / scale >= 0.1));
    let own = values.iter().filter_map(|(_, ns, _)| *ns).max();
    let units = [longest, own].into_iter().flatten();
    let mut units = units.filter_map(|ns| UNITS.into_iter().find(|(scale, _)| ns as f64 >= *scale));
    let unit = units.find(|(scale, _)| fits(*scale));
    let last = values.len().saturating_sub(1);
    let part = |(at, (name, ns, at_least)): (usize, &(&str, Option<u64>, bool))| {
        let bound = if *at_least { "≥ " } else { "" };
        let shown = match (ns, unit) {
            (None, _) => crate::messages::NONE.to_string(),
            (Some(ns), Some((scale, _))) if at < last => number::plain(*ns as f64 / scale),
            (Some(ns), Some((scale, name))) => format!("{} {name}", number::plain(*ns as f64 / scale)),
            (Some(ns), None) => number::duration(*ns as f64),
        };
        format!("{name} {bound}{shown}")
    };
    values.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;
    const MS: u64 = 1_000_000;

    fn drawn(parts: &[(u64, u64)]) -> Vec<String> {
        let mut times = LatencyHistogram::new();
        parts.iter().for_each(|(ns, n)| times.record_many(*ns, *n));
        distribution(&times).into_iter().map(|(name, _, share)| format!("{name} {share:.2}")).collect()
    }

    #[test]
    fn a_distribution_has_few_bins_with_plain_edges_and_every_answer_in_one() {
        let found = drawn(&[(1_500 * US, 61), (3 * MS, 10), (8 * MS, 15), (15 * MS, 6), (150 * MS, 8)]);
        assert_eq!(found, ["<2 ms 0.61", "2–5 ms 0.10", "5–10 ms 0.15", "10–20 ms 0.06", ">100 ms 0.08"]);
        let wide: Vec<(u64, u64)> = (0..30).map(|n| (700 * (3_u64.pow(n / 2) + 1), 10)).collect();
        let found = drawn(&wide);
        assert_eq!(found.len(), BINS_MAX, "{found:?}");
        let sum: f64 = found.iter().filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum();
        assert!((sum - 1.0).abs() < 0.04, "{found:?}");
        assert_eq!(drawn(&[(150 * US, 7)]), Vec::<String>::new());
        assert_eq!(drawn(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_nothing() {
        let mut times = LatencyHistogram::new();
        times.record_many(MS + 1, 1_000);
        times.record_many(30 * MS, 500);
        times.record_many(300 * MS, 1);
        let bars: Vec<String> = distribution(&times).into_iter().map(|(_, bar, _)| bar).collect();
        assert_eq!(bars, ["█".repeat(20), "█".repeat(10), "▏".to_string()]);
    }

    #[test]
    fn a_series_shows_its_dips_and_leaves_out_a_second_that_was_cut() {
        assert_eq!(sparkline(&[100, 100, 13, 100, 2], 4.5), "██▂█");
        assert_eq!(sparkline(&[100, 100], 2.0), "");
        assert_eq!(sparkline(&[0, 0, 0], 3.0), "▁▁▁");
        assert_eq!(sparkline(&vec![5; 3_600], 3_600.0).chars().count(), SERIES);
    }

    #[test]
    fn quantiles_share_a_unit_unless_they_are_far_apart() {
        let beside =
            |p50, max, longest| in_one_unit(&[("p50", Some(p50), false), ("max", Some(max), true)], longest);
        let shown = |p50, max| beside(p50, max, None);
        assert_eq!(shown(1_670 * US, 209 * MS), ["p50 1.67", "max ≥ 209 ms"]);
        assert_eq!(shown(41 * US, 209 * MS), ["p50 41.0 µs", "max ≥ 209 ms"]);
        assert_eq!(beside(120 * MS, 209 * MS, Some(2_000 * MS)), ["p50 0.120", "max ≥ 0.209 s"]);
        assert_eq!(beside(20 * MS, 209 * MS, Some(2_000 * MS)), ["p50 20.0", "max ≥ 209 ms"]);
        assert_eq!(in_one_unit(&[("p50", None, false)], None), ["p50 –"]);
    }
}
