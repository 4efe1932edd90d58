//! Every sentence that a report says, in one place, so that another language can stand beside English.
//!
//! Messages take values and return text without markup; escaping is the renderer's duty.

use crate::number;
use proofload_stats::{Judged, Names, Reason, Source};
use proofload_store::schema::{Estimate, Point};

/// Heading of the verdicts.
pub const VERDICTS: &str = "Verdicts";
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
        let decimals = number::ratio_decimals(high - low);
        return format!("{:.decimals$} [{low:.decimals$}, {high:.decimals$}]", estimate.point);
    }
    number::with_ends(estimate.point, low, high, &estimate.unit)
}

/// `6 blocks`.
pub fn blocks(n: u32) -> String {
    if n == 1 { "1 block".into() } else { format!("{n} blocks") }
}

/// The last line: how many times as many requests one serves as the other.
pub fn headline_throughput(over: &str, under: &str, point: Option<&str>, ratio: &str, n: u32) -> String {
    let at = point.map(|point| format!(" @ {point}")).unwrap_or_default();
    let (verb, rest) = tense(ratio);
    let verb = if verb { "serves" } else { "served" };
    format!("{over} {verb} {} times as many requests as {under}{at}{rest}, {}", first(ratio), blocks(n))
}

/// The last line where the first claim compares something else.
pub fn headline_measure(
    measure: &str,
    over: &str,
    under: &str,
    point: Option<&str>,
    ratio: &str,
    n: u32,
) -> String {
    let at = point.map(|point| format!(" @ {point}")).unwrap_or_default();
    let (verb, rest) = tense(ratio);
    let verb = if verb { "is" } else { "was" };
    format!("{measure} of {over} {verb} {} times that of {under}{at}{rest}, {}", first(ratio), blocks(n))
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

/// Why a verdict is what it is.
pub fn reasons(judged: &Judged, names: &Names, seconds_per_block: f64) -> Vec<String> {
    let mut said: Vec<String> = judged.reasons.iter().map(|reason| why(reason, names)).collect();
    if let Some(projection) = judged.projection.filter(|_| judged.reasons.iter().any(is_few)) {
        let minutes = f64::from(projection.blocks) * seconds_per_block / 60.0;
        let basis = if projection.assumed {
            "if the spread between blocks is usual"
        } else {
            "at the spread seen so far"
        };
        said.push(format!(
            "±{:.0} % would take about {}, {minutes:.0} minutes, {basis}",
            projection.resolution * 100.0,
            blocks(projection.blocks),
        ));
    }
    said
}

fn is_few(reason: &Reason) -> bool {
    matches!(reason, Reason::TooFewBlocks { .. } | Reason::NoData)
}

fn why(reason: &Reason, names: &Names) -> String {
    let variant = |index: &usize| names.variants.get(*index).map_or("?", |variant| variant.name.as_str());
    match reason {
        Reason::NoData => "no complete block: nothing to judge".into(),
        Reason::TooFewBlocks { have: 1, .. } => {
            "one block: a single start of the servers decides nothing".into()
        }
        Reason::TooFewBlocks { have, need } => {
            format!("{} so far, the next look is at {need}", blocks(*have))
        }
        Reason::IntervalCrosses { resolution, more_blocks } => {
            let more = match more_blocks {
                Some(n) => format!("about {} more would settle it", blocks(*n)),
                None => "no number of blocks in reach would settle it".into(),
            };
            format!("the interval allows both; the resolution is ±{}; {more}", number::percent(*resolution))
        }
        Reason::ClientLimited { what } => format!("client-limited: {what}"),
        Reason::Errors { variant: index, share } => format!(
            "{} of the exchanges of {} failed; above 0.1 % no claim about speed is judged",
            number::percent(*share),
            variant(index)
        ),
        Reason::SignsDisagree => "the Hodges–Lehmann estimate points the other way".into(),
        Reason::BlocksLost { lost, of } => format!("{lost} of {} were lost", blocks(*of)),
        Reason::NotMeasured { measure, variant: index, point, stream, blocks: n } => format!(
            "{}{}({}) @ {} has no value in {}{}",
            measure.name(),
            stream.and_then(|at| names.streams.get(at)).map_or_else(String::new, |name| format!("[{name}]")),
            variant(index),
            names.points.get(*point).map_or("?", String::as_str),
            blocks(*n),
            needs(measure.source())
        ),
        Reason::Constant => "constant over all blocks, compared exactly".into(),
        Reason::OneMeasurement => "one measurement, no interval: says only what was seen".into(),
        Reason::SeenOnly { exchanges, upper } => format!(
            "holds for the {} exchanges seen; the true share is below {} with 95 % confidence",
            number::count(*exchanges),
            number::percent(*upper)
        ),
        _ => "for a reason that this version has no words for".into(),
    }
}

/// What a subject must have to have a value.
fn needs(source: Source) -> &'static str {
    match source {
        Source::Process => ": it needs processes that Proofload started and may look into",
        Source::Sockets | Source::Machine => ": it needs a subject that Proofload started",
        Source::Backend => {
            ": no connection between the subject's own processes was seen, or too many of them came and went between two looks"
        }
        Source::Jvm => {
            ": it comes from a JVM's performance data, and no such JVM is among the subject's processes"
        }
        Source::Collections => ": it needs a JVM in which there was a garbage collection",
        Source::Generations => ": it needs a JVM whose collector has generations",
        Source::Locks => ": it needs a JVM that counts contended locks, as JDK 17 does and JDK 25 does not",
        _ => "",
    }
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

/// Ages of the servers while they were measured.
pub fn young_servers(from_s: f64, to_s: f64) -> String {
    format!(
        "young servers, {from_s:.0} to {to_s:.0} s after start; a JVM may not have reached its steady state"
    )
}

/// Nothing was restarted.
pub const PROCESSES: &str =
    "a verdict between these two running processes, not between the setups: nothing was restarted";
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
    format!("{n} of {of} slices are marked: {first}")
}

/// What the preset left out.
pub fn not_tested(what: &str) -> String {
    format!("not tested: {what}")
}

/// Something about the machine.
pub fn machine(what: &str) -> String {
    format!("machine: {what}")
}

/// Who asked, where: `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place(point: &Point) -> String {
    match point.stream.as_str() {
        "" => format!("{} @ {}", point.variant, point.point),
        stream => format!("{} [{stream}] @ {}", point.variant, point.point),
    }
}

/// The generator passed its checks.
pub const FIT: &str = "generator fit";
/// It did not.
pub const CLIENT_LIMITED: &str = "client-limited: these are the generator's figures, not the server's";
/// Nothing was answered.
pub const NOTHING_ANSWERED: &str = "nothing was answered";

/// Intended and not sent.
pub fn unsent(n: u64, of: u64) -> String {
    format!(
        "{} of {} intended requests were never sent: the connections were too few or the server too slow for this rate",
        number::count(n),
        number::count(of)
    )
}

/// In flight at the end.
pub fn abandoned(n: u64) -> String {
    format!("{} requests were in flight at the end and are in no latency", number::count(n))
}
