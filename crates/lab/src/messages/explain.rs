//! The text of an explained plan: `run --explain`. Lengths are in seconds.

use proofload_stats::{Design, projected_blocks};
use proofload_store::condition_in_words;
use proofload_store::schema::{
    LoadPoint, Looking, Plan, PlannedCapacity, PlannedCondition, Replication, Timing, TlsTerms, Transport,
};
use proofload_study::Conclusion;

/// Headings.
pub const VARIANTS: &str = "Variants";
pub const WORKLOAD: &str = "Workload";
pub const LOAD_POINTS: &str = "Load points";
pub const EXPECTED: &str = "Expected";
pub const PUBLISHED: &str = "Published elsewhere";
pub const OBJECTIVE: &str = "Objective";
pub const FIRST_ORDER: &str = "Order in block 1";
pub const CPUS: &str = "CPUs";
pub const CONDITIONS: &str = "Conditions of measuring";
pub const NOT_TESTED: &str = "Not tested";

/// Where a subject listens that is given its port.
pub const FREE_PORT: &str = "address: 127.0.0.1, a free port chosen at each start ({port})";
/// The length of the slices is chosen later.
pub const SLICES_ADAPT: &str = "shorter slices in more cycles where the answers of the first warm-up allow it: 20 times \
                                their p99, at least 0.2 s (0.05 s before it are discarded)";
/// The number of cycles is chosen later.
pub const CYCLES_ADAPT: &str = "after the first look as many cycles as the spread between slices and between starts makes \
                                worthwhile, 2 to 60";
/// Claims may be closed.
pub const FUTILITY: &str = "a claim that the last look would hardly settle is closed as undecided before it";
/// Variants may be skipped.
pub const SKIPPING: &str = "what no open claim needs is not measured any more";

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// What is asked.
pub fn study(plan: &Plan) -> String {
    format!("Study {}: {}", plan.study, plan.question)
}

/// When an exchange is given up.
pub fn time_outs(connect_ns: u64, response_ns: u64) -> String {
    format!("time-outs: connect {} s, response {} s", seconds(connect_ns), seconds(response_ns))
}

/// Heading of the claims.
pub fn claims(count: usize, alpha: f64) -> String {
    format!("Claims ({count} at all load points, error rate {alpha} over all of them)")
}

/// A source of published figures.
pub fn figures(source: &str, figures: usize) -> String {
    format!("{source}: {figures} figures")
}

/// What a source concluded, and what tests that.
pub fn conclusion(conclusion: &Conclusion) -> String {
    let was = match conclusion.was.as_str() {
        "" => String::new(),
        was => format!(" (was {was})"),
    };
    let tested = match conclusion.not_tested.as_str() {
        "" => format!("tested by {}", conclusion.claims.join(", ")),
        why => format!("not tested: {why}"),
    };
    format!("{}{was}: {tested}", conclusion.says)
}

/// CPUs of the generator and of the subjects.
pub fn cpus(generator: &[usize], subjects: &[usize]) -> [String; 2] {
    let list = |cpus: &[usize]| match cpus {
        [] => "not pinned".to_string(),
        cpus => cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    [format!("generator: {}", list(generator)), format!("subjects: {}", list(subjects))]
}

/// A condition with its levels.
pub fn condition(condition: &PlannedCondition) -> String {
    let words = condition.levels.iter().map(|level| condition_in_words(&condition.name, level));
    let levels = words.collect::<Vec<_>>().join(" | ");
    match condition.why.as_str() {
        "" => format!("{}: {levels}", condition.name),
        why => format!("{}: {levels} ({why})", condition.name),
    }
}

/// What it means that conditions vary, or do not.
pub fn conditions_vary(plan: &Plan) -> String {
    if !proofload_store::conditions_vary(plan) {
        return "none of them varies: verdicts hold for this manner of asking".to_string();
    }
    let usual = blocks_for(SPREAD);
    let dependent = blocks_for(SPREAD.hypot(DEPENDENCE.ln_1p() / 2.0));
    format!(
        "they vary over the blocks, evenly: an interval holds for all of them. That costs no block where the servers compare \
         alike under each; a ratio that is 10 % higher under one level takes {dependent} for ±5 % instead of {usual}, and \
         is told"
    )
}

/// What conditions are said to cost is said for this spread between blocks,
const SPREAD: f64 = 0.03;
/// and this difference between the levels of one.
const DEPENDENCE: f64 = 0.10;

fn blocks_for(spread: f64) -> String {
    let found = projected_blocks(&Design::quick(), 1, spread, 0.05_f64.ln_1p());
    found.map_or_else(|| "many blocks".to_string(), |blocks| format!("{blocks} blocks"))
}

/// Heading of what takes how long.
pub fn time(plan: &Plan) -> String {
    format!("Time ({})", plan.preset)
}

/// The trials of a search.
pub fn search(search: &PlannedCapacity, discard_ns: u64) -> String {
    format!(
        "search: at most {} trials of {} s for each variant ({} s before it are discarded), then the confirmation of both ends",
        search.trials_max,
        seconds(search.trial_ns),
        seconds(discard_ns)
    )
}

/// A block of a search.
pub fn search_block(plan: &Plan) -> String {
    let start = match plan.replication {
        Replication::Start => "a fresh start",
        _ => "new connections",
    };
    let warm_up_s = seconds(plan.timing.warm_up_ns);
    format!("block: {start}, a fixed warm-up of {warm_up_s} s, at most 8 trials")
}

/// What a search takes.
pub fn search_length(plan: &Plan) -> String {
    let (most, budget) = (length(plan.estimated_seconds), length(seconds(plan.timing.budget_ns)));
    format!("at most: {most}; budget {budget}")
}

fn length(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.1} min", seconds / 60.0) }
}

/// What chance is drawn from.
pub fn seed(seed: u64) -> String {
    format!("seed: {seed}")
}

/// What is started.
pub fn command(line: &str) -> String {
    format!("command: {line}")
}

/// Where a subject listens.
pub fn address(port: u16) -> String {
    format!("address: 127.0.0.1:{port}")
}

/// A file with its digest.
pub fn digest(file: &str, digest: &str) -> String {
    format!("{file}: sha256 {digest}")
}

/// What connections pass through, a line each.
pub fn transport(transport: &Transport) -> Vec<String> {
    let mut lines = Vec::new();
    if !transport.proxy.is_empty() {
        lines.push(format!("proxy: {}, asked for a tunnel (CONNECT)", transport.proxy));
    }
    lines.extend(transport.tls.iter().flat_map(tls).map(|line| format!("TLS: {line}")));
    lines
}

fn tls(tls: &TlsTerms) -> Vec<String> {
    let offers = if tls.alpn.is_empty() { "nothing".to_string() } else { tls.alpn.join(", ") };
    let sessions = if tls.resumption { "resumed" } else { "never resumed" };
    let versions = tls.versions.join(" or ");
    let mut lines =
        vec![format!("{versions} with {}, offers {offers}, sessions {sessions}", tls.server_name)];
    lines.push(match tls.insecure {
        true => "NOT CHECKED: anybody may be the server (insecure)".to_string(),
        false => format!("trusts {}", tls.trusts),
    });
    if tls.client_certificate {
        lines.push("has a client certificate".to_string());
    }
    lines.extend(tls.digests.iter().map(|(file, of)| digest(file, of)));
    lines
}

/// A load point; `sending` says over how many connections.
pub fn load_point(point: &LoadPoint, sending: &str) -> String {
    let label = &point.label;
    if point.rate_per_s.is_none() && !point.streams.is_empty() {
        let streams = point.streams.iter().map(|load| format!("{} {}", load.stream, load.profile));
        return format!("{label}: {}", streams.collect::<Vec<_>>().join("; "));
    }
    let arrival = point.arrival.as_deref().unwrap_or("constant");
    let base = match point.rate_per_s {
        Some(rate) => format!("{label}: open, {rate} requests a second, {arrival} arrivals, {sending}"),
        None => format!("{label}: {}, {sending}", point.model),
    };
    let shape = match point.profile.as_str() {
        "" => String::new(),
        shape if point.whole => format!(", {shape}, carried out whole"),
        shape => format!(", {shape}"),
    };
    let think = match point.think.as_str() {
        "" if point.think_ns > 0 => format!(", think time {} s", seconds(point.think_ns)),
        "" => String::new(),
        think => format!(", think time {think}"),
    };
    format!("{base}{shape}{think}, keep-alive {}", point.keep_alive)
}

/// How the variants take turns, and why so.
pub fn mode(plan: &Plan) -> String {
    format!("mode: {}, {}", plan.mode, plan.mode_reason)
}

/// What a block begins with; `reckoned_s` is what its warm-up is taken for.
pub fn block(plan: &Plan, serial: bool, reckoned_s: f64) -> String {
    let block = match plan.replication {
        Replication::Start => "fresh start of every variant",
        _ => "a stretch of time",
    };
    let warm_up_s = seconds(plan.timing.warm_up_ns);
    let warm_up = match plan.timing.warm_up_cap_ns {
        0 => format!("a fixed warm-up of {warm_up_s} s"),
        cap_ns => format!(
            "a warm-up until they are steady, at most {} s (reckoned with {reckoned_s:.1} s; {warm_up_s} s where \
             nothing can be told)",
            seconds(cap_ns)
        ),
    };
    let turns = match serial {
        true => "one after the other, each with its share",
        false => "that they share in turns",
    };
    format!("block: {block}, {warm_up} {turns},")
}

/// What a block goes on with; `whole` when a load is carried out whole.
pub fn cycles(timing: &Timing, serial: bool, whole: bool) -> String {
    let each = if serial { "for it" } else { "on every variant" };
    let slices = match whole {
        true => format!("every load point {each} as long as it takes"),
        false => format!(
            "for every load point, {} s {each} ({} s before it are discarded)",
            seconds(timing.slice_ns),
            seconds(timing.discard_ns)
        ),
    };
    let cycles = if timing.cycles == 1 { "cycle" } else { "cycles" };
    format!("then {} {cycles}; in each, {slices}", timing.cycles)
}

/// When the claims are judged; `None` for a single time.
pub fn looks(timing: &Timing) -> Option<String> {
    let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
    let (first, last) = (timing.looks.first()?, timing.looks.last()?);
    if timing.looking == Looking::Anytime {
        return Some(format!(
            "looks: after every block from {first} to {last} (--keep-going); bounds that hold at all of them"
        ));
    }
    let looks = looks.join(", ");
    (*last > 1).then(|| format!("looks: after {looks} blocks; it ends early when every claim is settled"))
}

/// What the blocks take together.
pub fn blocks(plan: &Plan, blocks: u32) -> String {
    let until = if plan.timing.warm_up_cap_ns > 0 { "up to the last look" } else { "at most" };
    let counted = if blocks == 1 { "1 block".to_string() } else { format!("{blocks} blocks") };
    format!(
        "{until}: {counted} of about {:.0} s, {}; budget {}",
        plan.estimated_seconds / f64::from(blocks.max(1)),
        length(plan.estimated_seconds),
        length(seconds(plan.timing.budget_ns))
    )
}

/// Whose turn it is, one after the other.
pub fn cycle(number: usize, variants: &[&str]) -> String {
    format!("cycle {number}: {}", variants.join(", "))
}
