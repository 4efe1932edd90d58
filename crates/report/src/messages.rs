//! Every sentence that a report says, in one place, so that another language can stand beside English.
//!
//! Messages take values and return text without markup; escaping is the renderer's duty.

mod capacity;
mod changes;
mod charts;
mod conclusions;
mod conditions;
mod doctor;
mod exploratory;
mod factors;
mod figures;
mod fitness;
mod noise;
mod reasons;
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
pub use charts::*;
pub use conclusions::*;
pub(crate) use conditions::*;
pub use doctor::*;
pub use exploratory::*;
pub use factors::*;
pub use figures::*;
pub use fitness::*;
pub use noise::*;
pub use reasons::*;
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
use proofload_store::schema::{Durations, Estimate, Mode, Model, Point, RunState, SingleLoad, Verdict};

/// Heading of the verdicts.
pub const VERDICTS: &str = "Verdicts";
/// What the sentences about claims are called where there is no room for them.
pub const SENTENCES: &str = "What was found of each claim";
/// Heading of the expectations.
pub const EXPECTATIONS: &str = "Expected and found";
/// Heading of the published figures.
pub const PUBLISHED: &str =
    "Published elsewhere, on other machines; shown beside what was found here, never judged";
/// Columns of the published figures.
pub const PUBLISHED_COLUMNS: [&str; 5] = ["quantity", "published", "found", "found / published", "source"];
/// Heading of the figures.
pub const FIGURES: &str = "Figures";
/// Heading of the outcomes that are not answers.
pub const OUTCOMES: &str = "Outcomes";
/// Heading of the machine.
pub const ENVIRONMENT: &str = "Environment";
/// Heading of the parameters.
pub const PARAMETERS: &str = "Parameters";
/// Heading of what limits the test.
pub const LIMITS: &str = "Limits of this test";
/// Heading of the first bad answers.
pub const BAD_ANSWERS: &str = "First bad answers";

/// `1.034 [0.970, 1.098]`, in the unit of the estimate; without ends where nothing bounds it.
pub fn interval(estimate: &Estimate) -> String {
    let (Some(low), Some(high)) = (estimate.low, estimate.high) else {
        return number::with_unit(estimate.point, &estimate.unit);
    };
    if estimate.unit == "ratio" {
        let decimals = number::ratio_decimals_of(estimate.point, high - low);
        let [low, high] = [low, high].map(|end| number::ratio_end(end, decimals));
        return format!("{:.decimals$} [{low}, {high}]", estimate.point);
    }
    number::with_ends(estimate.point, low, high, &estimate.unit)
}

/// A bar in words: its interval, its scale, and where the claim holds.
pub fn bar(interval: &str, scale: [&str; 2], holds: [Option<&str>; 2]) -> String {
    let [from, to] = scale;
    let holds = match holds.into() {
        (Some(low), Some(high)) if low == high => format!("at {low}"),
        (Some(low), Some(high)) => format!("from {low} to {high}"),
        (Some(low), None) => format!("above {low}"),
        (None, Some(high)) => format!("below {high}"),
        (None, None) => "everywhere".to_string(),
    };
    format!("{interval} on a logarithmic scale from {from} to {to}; the claim holds {holds}")
}

/// `6 blocks`.
pub fn blocks(n: u32) -> String {
    if n == 1 { "1 block".into() } else { format!("{n} blocks") }
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
    let verb = if verb { "serves" } else { "served" };
    let times = end.unwrap_or(first(ratio));
    format!("{over} {verb} {times} times as many requests as {under}{at}{rest}, {basis}")
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
    let verb = if verb { "is" } else { "was" };
    let times = end.unwrap_or(first(ratio));
    format!("{measure} of {over} {verb} {times} times that of {under}{at}{rest}, {basis}")
}

/// The end of an interval of ratios that a study that stopped early is quoted by, with the decimals of the interval.
pub fn at_least(ratio: f64, decimals: usize) -> String {
    format!("at least {ratio:.decimals$}")
}

/// The same, from above.
pub fn at_most(ratio: f64, decimals: usize) -> String {
    format!("at most {ratio:.decimals$}")
}

/// A last line on which nobody should act yet.
pub fn headline_undecided(line: &str) -> String {
    format!("{line} (undecided)")
}

fn first(interval: &str) -> &str {
    interval.split_once(" [").map_or(interval, |(point, _)| point)
}

/// What has an interval is said of the setups; what has none only of what was seen.
fn tense(interval: &str) -> (bool, String) {
    match interval.split_once(" [") {
        Some((_, ends)) => (true, format!(" [{ends}")),
        None => (false, ", no interval".to_string()),
    }
}

/// What was expected, and by whom.
pub fn expected(range: &str, source: &str) -> String {
    if source.is_empty() { format!("expected {range}") } else { format!("expected {range} ({source})") }
}

/// Who published a figure, and where.
pub fn published_in(source: &str, url: &str) -> String {
    if url.is_empty() { source.to_string() } else { format!("{source}, {url}") }
}

/// What the telemetry's own thread used, in cores.
pub fn telemetry_cost(cores: f64) -> String {
    format!("looking at the servers' processes took {} of a core beside them", number::percent(cores))
}

/// Subjects at a `url:`.
pub const NO_PROCESSES: &str = "the processes behind a url: are not Proofload's to look into: no CPU, memory, sockets or collector figures of them";

/// A number that the telemetry could not get.
pub fn not_measured(what: &str) -> String {
    format!("not measured: {what}")
}

/// Ages of the servers while they were measured; `jvm` says whether one of them is a JVM.
pub fn young_servers(from_s: f64, to_s: f64, jvm: bool) -> String {
    let warns = if jvm { "; a JVM may not have reached its steady state" } else { "" };
    format!("young servers, {from_s:.0} to {to_s:.0} s after start{warns}")
}

/// An open loop asked for more than a server gave.
pub fn overloaded(variant: &str, point: &str, stream: &str, share: f64) -> String {
    let stream = if stream.is_empty() { String::new() } else { format!(" [{stream}]") };
    format!(
        "overloaded: {variant}{stream} @ {point} completed only {} of scheduled requests; latencies grow with run \
         length. Lower the rate.",
        number::percent(share)
    )
}

/// Nothing was restarted.
pub const PROCESSES: &str =
    "a verdict between these two running processes, not between the setups: nothing was restarted";
/// One variant after the other.
pub const SERIAL: &str = "serial: the variants ran one after the other, so what drifts within a block stays in the \
                          comparison; their order is balanced over the blocks";
/// Variants of one process.
pub const SHARED: &str =
    "shared: the variants share one process, so each also pays for what the others left behind";

/// A variant that did not get through some of the blocks; `given_up` when it was not started any more after them.
pub fn lost(variant: &str, n: usize, given_up: bool, first: &str) -> String {
    // What the log said stands in noticed.txt.
    let first = first.lines().next().unwrap_or_default().trim_end_matches(':');
    let given_up = if given_up { " and was given up" } else { "" };
    format!("{variant} did not get through {}{given_up}: {first}", blocks(n as u32))
}

/// A variant at a load point that later blocks left out.
pub fn spared(variant: &str, point: &str, n: u32) -> String {
    format!("{variant} @ {point} was left out of {}: every claim about it was settled by then", blocks(n))
}

/// A claim: its name, and its text where that says more.
pub fn claimed(name: &str, text: &str) -> String {
    if text.is_empty() { name.to_string() } else { format!("{name}: {text}") }
}

/// How the variants took turns.
pub fn mode(mode: &Mode, reason: &str) -> String {
    format!("{mode}: {reason}")
}

/// Closed loop without think time.
pub const SATURATED: &str = "closed loop without think time: latencies are those of a saturated server and follow from its throughput (N/X)";
/// Both ends on one machine.
pub const LOOPBACK: &str = "generator and servers share this machine; on loopback the kernel charges part of a server's \
                            TCP work to whoever sends";
/// The warm-up was a fixed time.
pub const FIXED_WARM_UP: &str = "the warm-up was a fixed time; steady state was not checked";

/// A preset of one block.
pub const SMOKE: &str = "one block: a check that everything works, not a measurement";

/// Blocks that do not count.
pub fn excluded(n: u32) -> String {
    format!("{} begun and not finished: on record, not judged", blocks(n))
}

/// Slices with an unfit generator.
pub fn unfit(n: usize, of: usize, first: &str) -> String {
    format!("client-limited in {n} of {of} slices: {first}")
}

/// Slices that something disturbed.
pub fn marked(n: usize, of: usize, first: &str) -> String {
    format!("{n} of {of} slices are marked, and their cycles left out for all variants alike: {first}")
}

/// A line of what a plan takes out. Records made earlier have other words.
pub fn taken_out(line: &str) -> String {
    line.replace(", which lost a side", ", one of its variants or load points was not run")
}

/// What the preset left out.
pub fn not_tested(what: &str) -> String {
    format!("not tested: {}", taken_out(what))
}

/// Something about the machine.
pub fn machine(what: &str) -> String {
    format!("machine: {what}")
}

/// Who asked, where: `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place(point: &Point) -> String {
    place_of(&point.variant, &point.stream, &point.point)
}

/// It did not.
pub const CLIENT_LIMITED: &str = "client-limited: these are the generator's figures, not the server's";

/// Intended and not sent.
pub fn unsent(n: u64, of: u64) -> String {
    format!(
        "overloaded: {} of {} intended requests were never sent, the connections were too few or the server too slow for \
         this rate; times are lower ends",
        number::count(n),
        number::count(of)
    )
}

/// Dropped because no connection was free; said louder where it was more than a hundredth.
pub fn dropped(n: u64, of: u64) -> String {
    let share = n as f64 / of.max(1) as f64;
    let what = format!(
        "{} of {} intended requests were dropped: no connection was free",
        number::count(n),
        number::count(of)
    );
    match share > 0.01 {
        true => format!(
            "only {:.1} % of the planned load was offered: {what}; times are lower ends",
            (1.0 - share) * 100.0
        ),
        false => what,
    }
}

/// More connections than at first.
pub fn grown(began: u32, peak: u32, most: u32) -> String {
    let limit = if peak >= most { "as many as allowed".to_string() } else { format!("{most} allowed") };
    format!("connections were opened while none was free: {began} at first, {peak} in the end ({limit})")
}

/// Answers that lead elsewhere, of which so many were followed.
pub fn redirects(n: u64, followed: u64) -> String {
    let (all, on) = (number::count(n), number::count(followed));
    match followed {
        0 => format!("{all} answers were redirects; none was followed"),
        _ => format!("{all} answers were redirects; {on} were followed, as part of their exchanges"),
    }
}

/// In flight when the load had ended and the time to drain was over.
pub fn unanswered(n: u64) -> String {
    format!(
        "{} requests were still unanswered at the end: errors, and longer than any time that is known",
        number::count(n)
    )
}

/// What a verdict is about.
pub const CLAIM: &str = "claim";
/// What a verdict is about.
pub const EXPECTATION: &str = "expectation";
/// Columns of verdicts about that.
pub fn verdict_columns(what: &str) -> [&str; 4] {
    ["verdict", what, "based on", "why"]
}
/// Heading of what else is said of the verdicts.
pub const REASONS: &str = "More on the verdicts";
/// What the facts of the machine begin with, where they stand among others.
pub const MACHINE: &str = "machine";
/// A sentence among the limits.
pub const LIMIT: &str = "limit";
/// The run as a whole, in a list of claims.
pub const THE_RUN: &str = "the run";
/// Column of variants.
pub const VARIANT: &str = "variant";
/// Column of answers.
pub const ANSWERED: &str = "answered";
/// Column of errors.
pub const ERRORS: &str = "errors";
/// Stands where nothing was measured.
pub const NONE: &str = "–";
/// Columns of latencies; the first names the clock.
pub const LATENCY_COLUMNS: [&str; 8] = ["", "count", "mean", "p50", "p90", "p99", "p99.9", "max"];
/// A clock.
pub const RESPONSE_TIME: &str = "response time";
/// A clock.
pub const SERVICE_TIME: &str = "service time";
/// A clock.
pub const FIRST_BYTE: &str = "first byte";
/// A clock.
pub const SEND_DELAY: &str = "send delay";
/// A parameter.
pub const WORKLOAD: &str = "workload";
/// A parameter.
pub const PRESET: &str = "preset";
/// How the variants took turns.
pub const MODE: &str = "mode";
/// A parameter.
pub const BLOCKS: &str = "blocks";
/// A parameter.
pub const CONDITIONS: &str = "conditions";
/// A parameter, and a fact of the machine.
pub const CPUS: &str = "CPUs";
/// A parameter.
pub const GENERATOR: &str = "generator";
/// A parameter.
pub const BYTES: &str = "bytes";
/// A fact of the machine.
pub const PROOFLOAD: &str = "proofload";
/// A fact of the machine.
pub const KERNEL: &str = "kernel";
/// A fact of the machine.
pub const CPU_MODEL: &str = "CPU";
/// A fact of the machine.
pub const MEMORY: &str = "memory";

/// Heading of a single measurement's latencies.
pub fn loop_of(point: &str, model: &Model) -> String {
    format!("{point}, {model} loop")
}

/// `interrupted: by a signal`.
pub fn ended(state: &RunState, why: &str) -> String {
    if why.is_empty() { state.to_string() } else { format!("{state}: {why}") }
}

/// What a verdict rests on: `1.034 [0.97, 1.09], 95 %, 6 blocks`. A single measurement has no blocks.
pub fn rests_on(estimate: Option<&Estimate>, confidence: f64, n: u32, single: bool) -> String {
    let confidence = (confidence * 1000.0).round() / 10.0;
    match estimate {
        // Counts, and what was the same in every block: there is nothing to be sure of by so many per cent.
        Some(found) if found.high == Some(found.point) && found.low == found.high => {
            format!("{}, {}", number::with_unit(found.point, &found.unit), blocks(n))
        }
        Some(found) if found.high.is_some() => format!("{}, {confidence} %, {}", interval(found), blocks(n)),
        Some(found) if single => interval(found),
        Some(found) => format!("{}, {}", interval(found), blocks(n)),
        None => String::new(),
    }
}

/// What a single measurement asked for.
pub fn asked(load: &SingleLoad) -> String {
    let shape = Some(load.point.profile.as_str()).filter(|shape| !shape.is_empty());
    let workload = load.workload.iter().map(String::as_str).chain(shape).collect::<Vec<_>>().join("; ");
    format!("{workload}; seed {}", load.seed)
}

/// Blocks that count, and those that do not.
pub fn complete_and_excluded(complete: u32, excluded: u32) -> String {
    format!("{complete} complete, {excluded} excluded")
}

/// Who ran where.
pub fn cpus(generator: &[usize], subjects: &[usize]) -> String {
    format!("generator {generator:?}, subjects {subjects:?}")
}

/// What the generator spent, and whether it was fit.
pub fn generator(point: &Point) -> String {
    let of = &point.generator;
    let cost = of.cpu_ns_per_exchange.map_or_else(|| NONE.to_string(), number::duration);
    let fit = match point.outcomes.get("answered").copied().unwrap_or(0) {
        0 => "nothing was answered",
        _ if of.fit => "generator fit",
        _ => "not fit",
    };
    let threads = if of.threads == 1 { "1 thread".to_string() } else { format!("{} threads", of.threads) };
    format!("{cost} of CPU per exchange, {threads}, {}, {fit}", of.driver)
}

/// Traffic of a single measurement.
pub fn sent_and_received(sent: u64, received: u64) -> String {
    format!("{} sent, {} received", number::bytes(sent as f64), number::bytes(received as f64))
}

/// The last line of a single measurement.
pub fn headline_single(per_s: Option<f64>, seconds: f64, times: &Durations, errors: u64) -> String {
    let quantile = |ns: Option<u64>, q: f64| {
        let shown = |ns: u64| bounded(times.is_at_least(q), number::duration(ns as f64));
        ns.map_or_else(|| NONE.to_string(), shown)
    };
    format!(
        "{} answered per second over {} s, p50 {}, p99 {}, {} errors",
        per_s.map_or_else(|| NONE.to_string(), number::plain),
        number::plain(seconds),
        quantile(times.p50, 0.5),
        quantile(times.p99, 0.99),
        number::count(errors)
    )
}

/// How many claims came out how, worst first: `1 refuted, 2 supported`; empty without claims.
pub fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> String {
    let verdicts: Vec<&Verdict> = verdicts.collect();
    let count = |word: &Verdict| verdicts.iter().filter(|verdict| **verdict == word).count();
    let words = [Verdict::Refuted, Verdict::Undecided, Verdict::Supported];
    let said = words.iter().filter(|word| count(word) > 0).map(|word| format!("{} {word}", count(word)));
    said.collect::<Vec<_>>().join(", ")
}

/// The rest of a list that was cut.
pub fn more_lines(n: usize) -> String {
    format!("… and {n} more")
}

/// What a report had no room for.
pub fn left_out(sections: &[&str]) -> String {
    format!("Left out for length: {}.", sections.join("; "))
}

/// No verdict can rest on a run.
pub const INVALID: &str =
    "no verdict can be based on it: the generator was the limit, or nothing was answered";

/// What a run that counts came to.
pub fn answered(n: &str) -> String {
    format!("{n} exchanges answered")
}
