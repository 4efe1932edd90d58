//! Every sentence of a report, in one place, so that other languages can be added beside English.
//!
//! Messages take values and return text without markup; escaping is the renderer's duty.

mod conditions;
pub mod lead;
pub mod places;
pub mod screen;
mod single;
mod sittings;
mod verdict;

pub(crate) use conditions::*;
pub use single::*;
pub use sittings::*;
pub use verdict::*;

use crate::number;
use proofload_facts::Finding;
use proofload_language::facts::told;
use proofload_language::{Phrase, named, tr};
use proofload_store::schema::{
    BorrowedSpread, ClaimResult, Durations, Estimate, FigurePair, Lender, Mode, Point, RunState, SingleLoad,
    Verdict,
};

pub const CONCLUSIONS: Phrase = Phrase("conclusions");
pub const CONTRADICTIONS: Phrase = Phrase("contradictions");
pub const TRENDS: Phrase = Phrase("trends-over-the-soak");
pub const VERDICTS: Phrase = Phrase("verdicts");
pub const EXPECTATIONS: Phrase = Phrase("expectations");
/// Heading of the published figures.
pub const PUBLISHED: Phrase = Phrase("published-elsewhere");
/// Heading of what limits the test.
pub const LIMITS: Phrase = Phrase("limits");
/// Heading of the first bad answers.
pub const BAD_ANSWERS: Phrase = Phrase("bad-answers");

/// Ends with a ratio of this or more show nothing: they are of two or three blocks, fewer than a look takes.
const WIDE: f64 = 10_000.0;

/// True if an interval is too wide to be shown. An estimate that can be zero has no such ends.
pub fn is_wide(low: f64, high: f64) -> bool {
    low > 0.0 && high / low >= WIDE
}

/// `1.034 [0.970, 1.098]`, in the unit of the estimate; without ends where nothing bounds it.
pub fn interval(estimate: &Estimate) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) if !is_wide(low, high) => {
            number::interval(estimate.point, low, high, &estimate.unit)
        }
        _ => number::with_unit(estimate.point, &estimate.unit),
    }
}

/// A bar in words: its interval, its scale, and where the claim holds.
pub fn bar(interval: &str, scale: [&str; 2], holds: [Option<&str>; 2]) -> String {
    let [from, to] = scale;
    let holds = match holds.into() {
        (Some(low), Some(high)) if low == high => tr!("bar-at", low),
        (Some(low), Some(high)) => tr!("bar-from-to", low, high),
        (Some(low), None) => tr!("bar-above", low),
        (None, Some(high)) => tr!("bar-below", high),
        (None, None) => tr!("bar-everywhere").to_string(),
    };
    tr!("bar-on-a-logarithmic-scale", interval, from, to, holds)
}

/// `6 blocks`.
pub fn blocks(n: u32) -> String {
    tr!("blocks", n)
}

/// The last line: ratio of the requests that two servers serve, or of the measure that is named. `end` replaces the
/// point estimate; `basis` is what it rests on.
pub fn headline_ratio(
    measure: Option<&str>,
    [over, under]: [&str; 2],
    point: Option<&str>,
    (ratio, end): (&str, Option<&str>),
    basis: &str,
) -> String {
    let (at, (sure, rest)) = (at_point(point), tense(ratio));
    let times = end.map_or_else(|| exactly(first(ratio)), str::to_string);
    tr!("headline-ratio", measure, over, sure, times, under, at, rest, basis)
}

/// The last line where the claim that two are alike is supported; the measure is named unless it is the throughput.
pub fn headline_alike(
    measure: Option<&str>,
    [over, under]: [&str; 2],
    point: Option<&str>,
    band: f64,
    (ratio, basis): (&str, &str),
) -> String {
    let (band, at, (_, rest)) = (number::plain_percent(band), at_point(point), tense(ratio));
    tr!("headline-alike", measure, over, under, band, at, rest, basis)
}

fn at_point(point: Option<&str>) -> String {
    point.map(|point| format!(" @ {point}")).unwrap_or_default()
}

/// The last line where neither server is shown to be faster, nor both to be alike.
pub fn headline_open([over, under]: [&str; 2], point: Option<&str>, ratio: &str, basis: &str) -> String {
    tr!("headline-open", over, under, at = at_point(point), ratio, basis)
}

/// Claim of `compare` about a pair.
pub fn claim_both_ways(first: &str, other: &str, alike: bool) -> String {
    if alike { tr!("claim-serve-alike", first, other) } else { tr!("claim-serves-more", first, other) }
}

/// The end of an interval of ratios that a study that stopped early is quoted by, with the decimals of the interval.
pub fn at_least(ratio: f64, decimals: usize) -> String {
    tr!("at-least-ratio", ratio = format!("{ratio:.decimals$}"))
}

/// The same, from above.
pub fn at_most(ratio: f64, decimals: usize) -> String {
    tr!("at-most-ratio", ratio = format!("{ratio:.decimals$}"))
}

fn exactly(ratio: &str) -> String {
    format!("{}{ratio}", tr!("exactly"))
}

fn first(interval: &str) -> &str {
    interval.split_once(" [").map_or(interval, |(point, _)| point)
}

/// An estimate with an interval holds for the setups; one without holds only for what was measured.
fn tense(interval: &str) -> (bool, String) {
    match interval.split_once(" [") {
        Some((_, ends)) => (true, format!(" [{ends}")),
        None => (false, tr!("headline-no-interval").to_string()),
    }
}

/// Expected range and its source.
pub fn expected(range: &str, source: &str) -> String {
    if source.is_empty() { tr!("expected-range", range) } else { tr!("expected-from", range, source) }
}

/// Source of a published figure, and its address.
pub fn published_in(source: &str, url: &str) -> String {
    if url.is_empty() { source.to_string() } else { format!("{source}{}{url}", tr!("between-items")) }
}

/// A claim: its name, and its text where that adds something.
pub fn claimed(name: &str, text: &str) -> String {
    if text.is_empty() { name.to_string() } else { tr!("labelled", label = name, what = text) }
}

/// Order in which the variants took turns.
pub fn mode(mode: &Mode, reason: Option<&Finding>) -> String {
    let reason = reason.map(told).unwrap_or_default();
    tr!("labelled", label = named(mode.name()), what = reason)
}

/// Variant, stream and load point: `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place(point: &Point) -> String {
    place_of(&point.variant, &point.stream, &point.point)
}

/// Columns of verdicts about that.
pub fn verdict_columns(what: &str) -> [&str; 4] {
    [tr!("verdict-columns-verdict"), what, tr!("verdict-columns-based-on"), tr!("verdict-columns-why")]
}
/// Prefix of the facts of the machine among other facts.
pub const MACHINE: &str = "machine";
/// A sentence among the limits.
pub const LIMIT: &str = "limit";
/// Shown where nothing was measured.
pub const NONE: &str = "–";

/// `interrupted: by a signal`.
pub fn ended(state: &RunState, why: Option<&Finding>) -> String {
    let state = named(state.name());
    why.map_or_else(|| state.to_string(), |why| tr!("labelled", label = state, what = told(why)))
}

/// Basis of a verdict: `1.034 [0.97, 1.09], 95 %, 6 blocks`. A single measurement has no blocks.
pub fn rests_on(estimate: Option<&Estimate>, confidence: f64, n: u32, single: bool) -> String {
    let Some(found) = estimate else { return String::new() };
    // Counts, and values that were the same in every block: they have no confidence in per cent.
    let exact = found.high == Some(found.point) && found.low == found.high;
    let value = if exact { number::with_unit(found.point, &found.unit) } else { interval(found) };
    let confidence = (found.high.is_some() && !exact).then(|| number::confidence(confidence));
    let blocks = (found.high.is_some() || !single).then(|| blocks(n));
    let parts: Vec<String> = [Some(value), confidence, blocks].into_iter().flatten().collect();
    parts.join(tr!("between-parts"))
}

/// The spread that an interval rests on beside its own, its lender, and the interval without it.
pub fn borrowed(it: &BorrowedSpread) -> String {
    let (spread, own) = (number::percent(it.spread), number::percent(it.own_spread));
    let (plain, earlier) = (interval(&it.plain), it.from == Lender::EarlierRuns);
    tr!("rests-on-borrowed", used = it.used, spread, own, relatives = it.relatives, earlier, plain)
}

/// Load of a single measurement.
pub fn asked(load: &SingleLoad) -> String {
    let shape = Some(load.point.profile.as_str()).filter(|shape| !shape.is_empty());
    let workload = load
        .workload
        .iter()
        .map(String::as_str)
        .chain(shape)
        .collect::<Vec<_>>()
        .join(tr!("between-sentences"));
    tr!("asked", workload, seed = load.seed)
}

/// Blocks that count, and those that do not.
pub fn complete_and_excluded(complete: u32, excluded: u32) -> String {
    tr!("complete-and-excluded", complete, excluded)
}

pub fn cpus(generator: &[usize], subjects: &[usize]) -> String {
    tr!("cpus-generator-subjects", generator = format!("{generator:?}"), subjects = format!("{subjects:?}"))
}

/// Cost of the generator, and its fitness.
pub fn generator(point: &Point) -> String {
    let of = &point.generator;
    let cost = of.cpu_ns_per_exchange.map_or_else(|| NONE.to_string(), number::duration);
    let fit = match point.outcomes.get("answered").copied().unwrap_or(0) {
        0 => tr!("generator-nothing-was-answered"),
        _ if of.fit => tr!("generator-fit"),
        _ => tr!("generator-not-fit"),
    };
    let threads = tr!("generator-threads", threads = of.threads);
    let threads = of.agents.map_or(threads.clone(), |of| format!("{threads}, {}", agents(of)));
    tr!("generator-of-cpu-per-exchange", cost, threads, driver = of.driver, fit)
}

/// The last line of a single measurement.
pub fn headline_single(per_s: Option<f64>, seconds: f64, times: &Durations, errors: u64) -> String {
    let quantile = |ns: Option<u64>, q: f64| {
        let shown = |ns: u64| bounded(times.is_at_least(q), number::duration(ns as f64));
        ns.map_or_else(|| NONE.to_string(), shown)
    };
    tr!(
        "headline-single",
        per_s = per_s.map_or_else(|| NONE.to_string(), number::plain),
        seconds = number::plain(seconds),
        quantile = quantile(times.p50, 0.5),
        quantile2 = quantile(times.p99, 0.99),
        errors = number::count(errors)
    )
}

/// Number of claims of each verdict, worst first: `1 refuted, 2 supported`; empty without claims.
pub fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> String {
    let verdicts: Vec<&Verdict> = verdicts.collect();
    let count = |word: &Verdict| verdicts.iter().filter(|verdict| **verdict == word).count();
    let words = [Verdict::Refuted, Verdict::Undecided, Verdict::Supported];
    let said = words
        .iter()
        .filter(|word| count(word) > 0)
        .map(|word| tr!("tally-of", n = count(word), word = named(word.name())));
    said.collect::<Vec<_>>().join(tr!("between-items"))
}

/// The same while a run goes on: what is not settled is open.
pub fn tally_open(claims: &[ClaimResult]) -> String {
    let settled = claims.iter().map(|claim| &claim.verdict).filter(|verdict| **verdict != Verdict::Undecided);
    let open = claims.len() - settled.clone().count();
    let open = (open > 0).then(|| tr!("tally-of", n = open, word = OPEN.text()));
    open.into_iter()
        .chain(Some(tally(settled)).filter(|text| !text.is_empty()))
        .collect::<Vec<_>>()
        .join(tr!("between-items"))
}

/// The rest of a list that was cut.
pub fn more_lines(n: usize) -> String {
    tr!("more-lines", n)
}

/// Names of the sections left out for lack of room.
pub fn left_out(sections: &[&str]) -> String {
    tr!("left-out-for-length", sections = sections.join(tr!("between-sentences")))
}

/// A figure that may be a lower end.
pub fn bounded(is_lower_end: bool, figure: String) -> String {
    if is_lower_end { format!("≥ {figure}") } else { figure }
}

/// `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place_of(variant: &str, stream: &str, point: &str) -> String {
    match stream {
        "" => format!("{variant} @ {point}"),
        stream => format!("{variant} [{stream}] @ {point}"),
    }
}

/// State of a run that is still going.
pub const OPEN: Phrase = Phrase("ui-still-open");

/// Name of a figure of two runs: `p99[reads](nio) @ 64c`.
pub fn figure_of(pair: &FigurePair) -> String {
    let stream = if pair.stream.is_empty() { String::new() } else { format!("[{}]", pair.stream) };
    format!("{}{stream}({}) @ {}", pair.measure, pair.variant, pair.point)
}

/// Verdict on a figure compared with the baseline's.
pub fn against_baseline(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Supported => tr!("against-baseline-no-regression"),
        Verdict::Refuted => tr!("against-baseline-regression"),
        _ => tr!("against-baseline-undecided"),
    }
}

/// A variant at a load point.
pub fn at(variant: &str, point: &str) -> String {
    format!("{variant} @ {point}")
}
