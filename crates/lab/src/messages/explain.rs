//! The text of an explained plan: `run --explain`. Lengths are in seconds.

use proofload_language as language;
use proofload_language::facts::told;
use proofload_language::{named, say, word};
use proofload_stats::{Design, projected_blocks};
use proofload_store::schema::{
    LoadPoint, Looking, Plan, PlannedCapacity, PlannedCondition, Replication, Timing, TlsTerms, Transport,
};
use proofload_study::Conclusion;

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

pub fn study(plan: &Plan) -> String {
    say!("explain-study", study = plan.study, question = plan.question)
}

/// Time-outs of an exchange.
pub fn time_outs(connect_ns: u64, response_ns: u64) -> String {
    say!("explain-time-outs", connect = seconds(connect_ns), response = seconds(response_ns))
}

pub fn claims(count: usize, alpha: f64) -> String {
    say!("explain-claims", count, alpha)
}

/// A source of published figures.
pub fn figures(source: &str, figures: usize) -> String {
    say!("explain-figures", source, figures)
}

/// Conclusion of a source, and the claims that test it.
pub fn conclusion(conclusion: &Conclusion) -> String {
    let Conclusion { says, was, not_tested, .. } = conclusion;
    let was = (!was.is_empty()).then_some(was);
    match not_tested.as_str() {
        "" => {
            let claims = conclusion.claims.join(word!("between-items"));
            say!("explain-conclusion", says, was, claims)
        }
        why => say!("explain-conclusion-not-tested", says, was, why),
    }
}

/// CPUs of the generator and of the subjects.
pub fn cpus(generator: &[usize], subjects: &[usize]) -> [String; 2] {
    let list = |cpus: &[usize]| {
        let cpus: Vec<String> = cpus.iter().map(usize::to_string).collect();
        (!cpus.is_empty()).then(|| cpus.join(word!("between-items")))
    };
    [
        say!("explain-cpus-generator", cpus = list(generator)),
        say!("explain-cpus-subjects", cpus = list(subjects)),
    ]
}

/// A condition with its levels.
pub fn condition(condition: &PlannedCondition) -> String {
    let words = condition.levels.iter().map(|level| language::condition(&condition.name, level));
    let levels = words.collect::<Vec<_>>().join(" | ");
    match &condition.why {
        None => say!("labelled", label = condition.name, what = levels),
        Some(why) => say!("labelled", label = condition.name, what = format!("{levels} ({})", told(why))),
    }
}

/// Effect of conditions that vary, or do not.
pub fn conditions_vary(plan: &Plan) -> String {
    if !proofload_analysis::conditions_vary(plan) {
        return word!("explain-conditions-vary-none-of-them-varies").to_string();
    }
    let usual = blocks_for(SPREAD);
    let dependent = blocks_for(SPREAD.hypot(DEPENDENCE.ln_1p() / 2.0));
    say!("explain-conditions-vary", dependent, usual)
}

/// The cost of conditions is given for this spread between blocks,
const SPREAD: f64 = 0.03;
/// and this difference between the levels of one.
const DEPENDENCE: f64 = 0.10;

fn blocks_for(spread: f64) -> Option<u32> {
    projected_blocks(&Design::quick(), 1, spread, 0.05_f64.ln_1p())
}

/// Heading of the table of times.
pub fn time(plan: &Plan) -> String {
    say!("explain-time", preset = named(plan.preset.name()))
}

/// The trials of a search.
pub fn search(search: &PlannedCapacity, discard_ns: u64) -> String {
    let (trial, discarded) = (seconds(search.trial_ns), seconds(discard_ns));
    say!("explain-search", trials_max = search.trials_max, trial, discarded)
}

/// A block of a search.
pub fn search_block(plan: &Plan) -> String {
    let restarted = plan.replication == Replication::Start;
    say!("explain-search-block", restarted, warm_up = seconds(plan.timing.warm_up_ns))
}

pub fn search_length(plan: &Plan) -> String {
    let (most, budget) = (length(plan.estimated_seconds), length(seconds(plan.timing.budget_ns)));
    say!("explain-search-length", most, budget)
}

fn length(seconds: f64) -> String {
    if seconds < 90.0 {
        say!("explain-length-s", seconds = format!("{seconds:.0}"))
    } else {
        say!("explain-length-min", seconds = format!("{:.1}", seconds / 60.0))
    }
}

/// Seed of the random numbers.
pub fn seed(seed: u64) -> String {
    say!("explain-seed", seed)
}

pub fn command(line: &str) -> String {
    say!("explain-command", line)
}

pub fn address(port: u16) -> String {
    say!("explain-address", port)
}

/// A file with its digest.
pub fn digest(file: &str, digest: &str) -> String {
    say!("explain-digest", file, digest)
}

/// TLS and proxy of connections, a line each.
pub fn transport(transport: &Transport) -> Vec<String> {
    let mut lines = Vec::new();
    if !transport.proxy.is_empty() {
        lines.push(say!("explain-transport-proxy-asked-for-a", proxy = transport.proxy));
    }
    lines.extend(transport.tls.iter().flat_map(tls).map(|line| say!("explain-transport-tls", line)));
    lines
}

fn tls(tls: &TlsTerms) -> Vec<String> {
    let offers = (!tls.alpn.is_empty()).then(|| tls.alpn.join(word!("between-items")));
    let versions = tls.versions.join(word!("between-choices"));
    let server_name = &tls.server_name;
    let mut lines = vec![say!("explain-tls", versions, server_name, offers, resumed = tls.resumption)];
    lines.push(match tls.insecure {
        true => word!("explain-tls-not-checked").to_string(),
        false => say!("explain-tls-trusts", trusts = tls.trusts),
    });
    if tls.client_certificate {
        lines.push(word!("explain-tls-has-a-client-certificate").to_string());
    }
    lines.extend(tls.digests.iter().map(|(file, of)| digest(file, of)));
    lines
}

/// A load point; `sending` gives its connections.
pub fn load_point(point: &LoadPoint, sending: &str) -> String {
    let label = &point.label;
    if point.rate_per_s.is_none() && !point.streams.is_empty() {
        let streams = point.streams.iter().map(|load| format!("{} {}", load.stream, load.profile));
        let streams = streams.collect::<Vec<_>>().join(word!("between-sentences"));
        return say!("labelled", label, what = streams);
    }
    let mut parts = vec![match point.rate_per_s {
        Some(rate) => {
            let arrival = point.arrival.as_deref().unwrap_or("constant");
            say!("explain-load-point-open", label, rate, arrival)
        }
        None => say!("labelled", label, what = named(point.model.name())),
    }];
    parts.push(sending.to_string());
    if !point.profile.is_empty() {
        parts.push(say!("explain-load-point-shape", shape = point.profile, whole = point.whole));
    }
    match point.think.as_str() {
        "" if point.think_ns > 0 => {
            parts.push(say!("explain-load-point-think-time-s", seconds = seconds(point.think_ns)));
        }
        "" => {}
        think => parts.push(say!("explain-load-point-think-time", think)),
    }
    parts.push(format!("keep-alive {}", point.keep_alive));
    parts.join(word!("between-parts"))
}

/// Order of measuring the variants, and the reason for it.
pub fn mode(plan: &Plan) -> String {
    say!(
        "explain-mode",
        mode = named(plan.mode.name()),
        mode_reason = plan.mode_reason.as_ref().map(told).unwrap_or_default()
    )
}

/// Start of a block; `reckoned_s` is the assumed length of its warm-up.
pub fn block(plan: &Plan, serial: bool, reckoned_s: f64) -> String {
    let Timing { warm_up_ns, warm_up_cap_ns, .. } = plan.timing;
    say!(
        "explain-block",
        restarted = plan.replication == Replication::Start,
        warm_up = seconds(warm_up_ns),
        warm_up_cap = (warm_up_cap_ns > 0).then(|| seconds(warm_up_cap_ns)),
        reckoned = format!("{reckoned_s:.1}"),
        serial
    )
}

/// Cycles of a block; `whole` when a load is carried out whole.
pub fn cycles(timing: &Timing, serial: bool, whole: bool) -> String {
    let (slice, discarded) = (seconds(timing.slice_ns), seconds(timing.discard_ns));
    say!("explain-cycles", cycles = timing.cycles, serial, whole, slice, discarded)
}

/// Times at which the claims are judged; `None` for a single time.
pub fn looks(timing: &Timing) -> Option<String> {
    let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
    let (first, last) = (timing.looks.first()?, timing.looks.last()?);
    if timing.looking == Looking::Anytime {
        return Some(say!("explain-looks-anytime", first, last));
    }
    let looks = looks.join(word!("between-items"));
    (*last > 1).then(|| say!("explain-looks", looks))
}

/// Time of all blocks together.
pub fn blocks(plan: &Plan, blocks: u32) -> String {
    say!(
        "explain-blocks",
        steady = plan.timing.warm_up_cap_ns > 0,
        blocks,
        each = format!("{:.0}", plan.estimated_seconds / f64::from(blocks.max(1))),
        all = length(plan.estimated_seconds),
        budget = length(seconds(plan.timing.budget_ns))
    )
}

/// Whose turn it is, one after the other.
pub fn cycle(number: usize, variants: &[&str]) -> String {
    say!("explain-cycle", number, variants = variants.join(word!("between-items")))
}
