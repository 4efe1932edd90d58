//! Every sentence that a report says, in one place, so that another language can stand beside English.
//!
//! Messages take values and return text without markup; escaping is the renderer's duty.

mod capacity;
mod changes;
mod conclusions;
mod conditions;
mod doctor;
mod exploratory;
mod factors;
mod figures;
mod fitness;
pub mod lead;
mod noise;
pub mod places;
mod reproductions;
mod runs;
mod scalability;
pub mod screen;
mod single;
mod sittings;
mod steady;
mod transport;
mod trends;
mod verdict;

pub use capacity::*;
pub use changes::*;
pub use conclusions::*;
pub(crate) use conditions::*;
pub use doctor::*;
pub use exploratory::*;
pub use factors::*;
pub use figures::*;
pub use fitness::*;
pub use noise::*;
pub use reproductions::*;
pub use runs::*;
pub use scalability::*;
pub use single::*;
pub use sittings::*;
pub use steady::*;
pub use transport::*;
pub use trends::*;
pub use verdict::*;

use crate::number;
use proofload_facts::Finding;
use proofload_language::facts::told;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_store::schema::{
    BorrowedSpread, ClaimResult, Durations, Estimate, Lender, Mode, Model, Point, RunState, SingleLoad,
    Verdict,
};

pub const VERDICTS: Phrase = Phrase("verdicts");
/// What the sentences about claims are called where there is no room for them.
pub const SENTENCES: Phrase = Phrase("sentences");
pub const EXPECTATIONS: Phrase = Phrase("expectations");
/// Heading of the published figures.
pub const PUBLISHED: Phrase = Phrase("published-elsewhere");
/// Columns of the published figures.
pub const PUBLISHED_COLUMNS: Columns<5> = Columns("published-columns");
pub const FIGURES: Phrase = Phrase("figures");
/// Heading of the outcomes that are not answers.
pub const OUTCOMES: Phrase = Phrase("outcomes");
pub const ENVIRONMENT: Phrase = Phrase("environment");
pub const PARAMETERS: Phrase = Phrase("parameters");
/// What is folded below a verdict.
pub const DETAILS: Phrase = Phrase("details");
/// Heading of what limits the test.
pub const LIMITS: Phrase = Phrase("limits");
/// Heading of the first bad answers.
pub const BAD_ANSWERS: Phrase = Phrase("bad-answers");

/// Ends that are so many times apart tell nothing: they are of two or three blocks, fewer than a look takes.
const WIDE: f64 = 10_000.0;

/// Whether an interval is too wide to be shown. What can be zero has no such ends.
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
        (Some(low), Some(high)) if low == high => say!("bar-at", low),
        (Some(low), Some(high)) => say!("bar-from-to", low, high),
        (Some(low), None) => say!("bar-above", low),
        (None, Some(high)) => say!("bar-below", high),
        (None, None) => word!("bar-everywhere").to_string(),
    };
    say!("bar-on-a-logarithmic-scale", interval, from, to, holds)
}

/// `6 blocks`.
pub fn blocks(n: u32) -> String {
    say!("blocks", n)
}

/// The last line: how many times as many requests one serves as the other. `end` is what to say instead of the
/// point estimate; `basis` what it rests on.
pub fn headline_throughput(
    over: &str,
    under: &str,
    point: Option<&str>,
    (ratio, end): (&str, Option<&str>),
    basis: &str,
) -> String {
    let at = point.map(|point| format!(" @ {point}")).unwrap_or_default();
    let (verb, rest) = tense(ratio);
    let verb = if verb { word!("headline-throughput-serves") } else { word!("headline-throughput-served") };
    let times = end.map_or_else(|| exactly(first(ratio)), str::to_string);
    say!("headline-throughput-times-as-many-requests", over, verb, times, under, at, rest, basis)
}

/// The last line where the first claim compares something else.
pub fn headline_measure(
    measure: &str,
    over: &str,
    under: &str,
    point: Option<&str>,
    (ratio, end): (&str, Option<&str>),
    basis: &str,
) -> String {
    let at = point.map(|point| format!(" @ {point}")).unwrap_or_default();
    let (verb, rest) = tense(ratio);
    let verb = if verb { word!("headline-measure-is") } else { word!("headline-measure-was") };
    let times = end.map_or_else(|| exactly(first(ratio)), str::to_string);
    say!("headline-measure-of-times-that-of", measure, over, verb, times, under, at, rest, basis)
}

/// The last line where the claim that two are alike is supported; the measure is named unless it is the throughput.
pub fn headline_alike(
    measure: Option<&str>,
    [over, under]: [&str; 2],
    point: Option<&str>,
    band: f64,
    (ratio, basis): (&str, &str),
) -> String {
    let at = point.map(|point| format!(" @ {point}")).unwrap_or_default();
    let (band, (_, rest)) = (number::plain_percent(band), tense(ratio));
    match measure {
        None => say!("headline-alike", over, under, band, at, rest, basis),
        Some(measure) => say!("headline-alike-measure", measure, over, under, band, at, rest, basis),
    }
}

/// The last line where neither server is shown to be faster, nor both to be alike.
pub fn headline_open([over, under]: [&str; 2], point: Option<&str>, ratio: &str, basis: &str) -> String {
    let at = point.map(|point| format!(" @ {point}")).unwrap_or_default();
    say!("headline-open", over, under, at, ratio, basis)
}

/// What `compare` claims of a pair.
pub fn claim_both_ways(first: &str, other: &str, alike: bool) -> String {
    if alike { say!("claim-serve-alike", first, other) } else { say!("claim-serves-more", first, other) }
}

/// The end of an interval of ratios that a study that stopped early is quoted by, with the decimals of the interval.
pub fn at_least(ratio: f64, decimals: usize) -> String {
    say!("at-least-ratio", ratio = format!("{ratio:.decimals$}"))
}

/// The same, from above.
pub fn at_most(ratio: f64, decimals: usize) -> String {
    say!("at-most-ratio", ratio = format!("{ratio:.decimals$}"))
}

/// A last line on which nobody should act yet.
pub fn headline_undecided(line: &str) -> String {
    say!("headline-undecided", line)
}

fn exactly(ratio: &str) -> String {
    format!("{}{ratio}", word!("exactly"))
}

fn first(interval: &str) -> &str {
    interval.split_once(" [").map_or(interval, |(point, _)| point)
}

/// What has an interval is said of the setups; what has none only of what was seen.
fn tense(interval: &str) -> (bool, String) {
    match interval.split_once(" [") {
        Some((_, ends)) => (true, format!(" [{ends}")),
        None => (false, word!("headline-no-interval").to_string()),
    }
}

/// What was expected, and by whom.
pub fn expected(range: &str, source: &str) -> String {
    if source.is_empty() { say!("expected-range", range) } else { say!("expected-from", range, source) }
}

/// Who published a figure, and where.
pub fn published_in(source: &str, url: &str) -> String {
    if url.is_empty() { source.to_string() } else { format!("{source}{}{url}", word!("between-items")) }
}

/// A claim: its name, and its text where that says more.
pub fn claimed(name: &str, text: &str) -> String {
    if text.is_empty() { name.to_string() } else { say!("labelled", label = name, what = text) }
}

/// How the variants took turns.
pub fn mode(mode: &Mode, reason: Option<&Finding>) -> String {
    let reason = reason.map(told).unwrap_or_default();
    say!("labelled", label = named(mode.name()), what = reason)
}

/// Who asked, where: `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place(point: &Point) -> String {
    place_of(&point.variant, &point.stream, &point.point)
}

/// What a verdict is about.
pub const CLAIM: Phrase = Phrase("claim");
/// What a verdict is about.
pub const EXPECTATION: Phrase = Phrase("expectation");
/// Columns of verdicts about that.
pub fn verdict_columns(what: &str) -> [&str; 4] {
    [word!("verdict-columns-verdict"), what, word!("verdict-columns-based-on"), word!("verdict-columns-why")]
}
/// Heading of what else is said of the verdicts.
pub const REASONS: Phrase = Phrase("reasons");
/// What the facts of the machine begin with, where they stand among others.
pub const MACHINE: &str = "machine";
/// A sentence among the limits.
pub const LIMIT: &str = "limit";
/// The run as a whole, in a list of claims.
pub const THE_RUN: Phrase = Phrase("the-run");
pub const VARIANT: Phrase = Phrase("variant");
pub const ANSWERED: Phrase = Phrase("answered-column");
pub const ERRORS: Phrase = Phrase("errors");
/// Stands where nothing was measured.
pub const NONE: &str = "–";
/// Columns of latencies; the first names the clock.
pub const LATENCY_COLUMNS: Columns<8> = Columns("latency-columns");
pub const RESPONSE_TIME: Phrase = Phrase("response-time");
pub const SERVICE_TIME: Phrase = Phrase("service-time");
pub const FIRST_BYTE: Phrase = Phrase("first-byte");
pub const SEND_DELAY: Phrase = Phrase("send-delay");
pub const WORKLOAD: Phrase = Phrase("workload");
pub const PRESET: Phrase = Phrase("preset-preset");
/// How the variants took turns.
pub const MODE: Phrase = Phrase("mode");
pub const BLOCKS: Phrase = Phrase("blocks-word");
pub const CONDITIONS: Phrase = Phrase("conditions");
/// A parameter, and a fact of the machine.
pub const CPUS: Phrase = Phrase("cpus");
pub const GENERATOR: Phrase = Phrase("generator");
pub const BYTES: Phrase = Phrase("bytes");
/// A fact of the machine.
pub const PROOFLOAD: Phrase = Phrase("proofload");
/// A fact of the machine.
pub const KERNEL: Phrase = Phrase("kernel");
/// A fact of the machine.
pub const CPU_MODEL: Phrase = Phrase("cpu-model");
/// A fact of the machine.
pub const MEMORY: Phrase = Phrase("memory");

/// Heading of a single measurement's latencies.
pub fn loop_of(point: &str, model: &Model) -> String {
    say!("loop-of", point, model = named(model.name()))
}

/// `interrupted: by a signal`.
pub fn ended(state: &RunState, why: Option<&Finding>) -> String {
    let state = named(state.name());
    why.map_or_else(|| state.to_string(), |why| say!("labelled", label = state, what = told(why)))
}

/// What a verdict rests on: `1.034 [0.97, 1.09], 95 %, 6 blocks`. A single measurement has no blocks.
pub fn rests_on(estimate: Option<&Estimate>, confidence: f64, n: u32, single: bool) -> String {
    let Some(found) = estimate else { return String::new() };
    // Counts, and what was the same in every block: there is nothing to be sure of by so many per cent.
    let exact = found.high == Some(found.point) && found.low == found.high;
    let value = if exact { number::with_unit(found.point, &found.unit) } else { interval(found) };
    let confidence = (found.high.is_some() && !exact).then(|| number::confidence(confidence));
    let blocks = (found.high.is_some() || !single).then(|| blocks(n));
    let parts: Vec<String> = [Some(value), confidence, blocks].into_iter().flatten().collect();
    parts.join(word!("between-parts"))
}

/// The spread that an interval rests on beside its own, its lender, and the interval without it.
pub fn borrowed(it: &BorrowedSpread) -> String {
    let (spread, own) = (number::percent(it.spread), number::percent(it.own_spread));
    let (plain, earlier) = (interval(&it.plain), it.from == Lender::EarlierRuns);
    say!("rests-on-borrowed", used = it.used, spread, own, relatives = it.relatives, earlier, plain)
}

/// What a single measurement asked for.
pub fn asked(load: &SingleLoad) -> String {
    let shape = Some(load.point.profile.as_str()).filter(|shape| !shape.is_empty());
    let workload = load
        .workload
        .iter()
        .map(String::as_str)
        .chain(shape)
        .collect::<Vec<_>>()
        .join(word!("between-sentences"));
    say!("asked", workload, seed = load.seed)
}

/// Blocks that count, and those that do not.
pub fn complete_and_excluded(complete: u32, excluded: u32) -> String {
    say!("complete-and-excluded", complete, excluded)
}

pub fn cpus(generator: &[usize], subjects: &[usize]) -> String {
    say!("cpus-generator-subjects", generator = format!("{generator:?}"), subjects = format!("{subjects:?}"))
}

/// What the generator spent, and whether it was fit.
pub fn generator(point: &Point) -> String {
    let of = &point.generator;
    let cost = of.cpu_ns_per_exchange.map_or_else(|| NONE.to_string(), number::duration);
    let fit = match point.outcomes.get("answered").copied().unwrap_or(0) {
        0 => word!("generator-nothing-was-answered"),
        _ if of.fit => word!("generator-fit"),
        _ => word!("generator-not-fit"),
    };
    let threads = say!("generator-threads", threads = of.threads);
    let threads = of.agents.map_or(threads.clone(), |of| format!("{threads}, {}", agents(of)));
    say!("generator-of-cpu-per-exchange", cost, threads, driver = of.driver, fit)
}

/// Traffic of a single measurement.
pub fn sent_and_received(sent: u64, received: u64) -> String {
    say!("sent-and-received", sent = number::bytes(sent as f64), received = number::bytes(received as f64))
}

/// The last line of a single measurement.
pub fn headline_single(per_s: Option<f64>, seconds: f64, times: &Durations, errors: u64) -> String {
    let quantile = |ns: Option<u64>, q: f64| {
        let shown = |ns: u64| bounded(times.is_at_least(q), number::duration(ns as f64));
        ns.map_or_else(|| NONE.to_string(), shown)
    };
    say!(
        "headline-single",
        per_s = per_s.map_or_else(|| NONE.to_string(), number::plain),
        seconds = number::plain(seconds),
        quantile = quantile(times.p50, 0.5),
        quantile2 = quantile(times.p99, 0.99),
        errors = number::count(errors)
    )
}

/// How many claims came out how, worst first: `1 refuted, 2 supported`; empty without claims.
pub fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> String {
    let verdicts: Vec<&Verdict> = verdicts.collect();
    let count = |word: &Verdict| verdicts.iter().filter(|verdict| **verdict == word).count();
    let words = [Verdict::Refuted, Verdict::Undecided, Verdict::Supported];
    let said = words
        .iter()
        .filter(|word| count(word) > 0)
        .map(|word| say!("tally-of", n = count(word), word = named(word.name())));
    said.collect::<Vec<_>>().join(word!("between-items"))
}

/// The same while a run goes on: what is not settled is open.
pub fn tally_open(claims: &[ClaimResult]) -> String {
    let settled = claims.iter().map(|claim| &claim.verdict).filter(|verdict| **verdict != Verdict::Undecided);
    let open = claims.len() - settled.clone().count();
    let open = (open > 0).then(|| say!("tally-of", n = open, word = OPEN.text()));
    open.into_iter()
        .chain(Some(tally(settled)).filter(|text| !text.is_empty()))
        .collect::<Vec<_>>()
        .join(word!("between-items"))
}

/// The rest of a list that was cut.
pub fn more_lines(n: usize) -> String {
    say!("more-lines", n)
}

/// What a report had no room for.
pub fn left_out(sections: &[&str]) -> String {
    say!("left-out-for-length", sections = sections.join(word!("between-sentences")))
}

/// What a run that counts came to.
pub fn answered(n: &str) -> String {
    say!("answered", n)
}
