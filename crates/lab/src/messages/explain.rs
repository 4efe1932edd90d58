//! The text of an explained plan: `run --explain`. Lengths are in seconds.

use proofload_language as language;
use proofload_language::facts::told;
use proofload_language::{named, tr};
use proofload_stats::{Design, projected_blocks};
use proofload_store::schema::{
    LoadPoint, Looking, Plan, PlannedCapacity, PlannedCondition, Replication, Timing, TlsTerms, Transport,
};
use proofload_study::Conclusion;

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

pub fn study(plan: &Plan) -> String {
    tr!("explain-study", study = plan.study, question = plan.question)
}

/// Time-outs of an exchange.
pub fn time_outs(connect_ns: u64, response_ns: u64) -> String {
    tr!("explain-time-outs", connect = seconds(connect_ns), response = seconds(response_ns))
}

pub fn claims(count: usize, alpha: f64) -> String {
    tr!("explain-claims", count, alpha)
}

/// A source of published figures.
pub fn figures(source: &str, figures: usize) -> String {
    tr!("explain-figures", source, figures)
}

/// Conclusion of a source, and the claims that test it.
pub fn conclusion(conclusion: &Conclusion) -> String {
    let Conclusion { says, was, not_tested, .. } = conclusion;
    let was = (!was.is_empty()).then_some(was);
    match not_tested.as_str() {
        "" => {
            let claims = conclusion.claims.join(tr!("between-items"));
            tr!("explain-conclusion", says, was, claims)
        }
        why => tr!("explain-conclusion-not-tested", says, was, why),
    }
}

/// CPUs of the generator and of the subjects.
pub fn cpus(generator: &[usize], subjects: &[usize]) -> [String; 2] {
    let list = |cpus: &[usize]| {
        let cpus: Vec<String> = cpus.iter().map(usize::to_string).collect();
        (!cpus.is_empty()).then(|| cpus.join(tr!("between-items")))
    };
    [
        tr!("explain-cpus-generator", cpus = list(generator)),
        tr!("explain-cpus-subjects", cpus = list(subjects)),
    ]
}

/// A condition with its levels.
pub fn condition(condition: &PlannedCondition) -> String {
    let words = condition.levels.iter().map(|level| language::condition(&condition.name, level));
    let levels = words.collect::<Vec<_>>().join(" | ");
    match &condition.why {
        None => tr!("labelled", label = condition.name, what = levels),
        Some(why) => tr!("labelled", label = condition.name, what = format!("{levels} ({})", told(why))),
    }
}

/// Effect of conditions that vary, or do not.
pub fn conditions_vary(plan: &Plan) -> String {
    if !proofload_analysis::conditions_vary(plan) {
        return tr!("explain-conditions-vary-none-of-them-varies").to_string();
    }
    let usual = blocks_for(SPREAD);
    let dependent = blocks_for(SPREAD.hypot(DEPENDENCE.ln_1p() / 2.0));
    tr!("explain-conditions-vary", dependent, usual)
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
    tr!("explain-time", preset = named(plan.preset.name()))
}

/// The trials of a search.
pub fn search(search: &PlannedCapacity, discard_ns: u64) -> String {
    let (trial, discarded) = (seconds(search.trial_ns), seconds(discard_ns));
    tr!("explain-search", trials_max = search.trials_max, trial, discarded)
}

/// A block of a search.
pub fn search_block(plan: &Plan) -> String {
    let restarted = plan.replication == Replication::Start;
    tr!("explain-search-block", restarted, warm_up = seconds(plan.timing.warm_up_ns))
}

pub fn search_length(plan: &Plan) -> String {
    let (most, budget) = (length(plan.estimated_seconds), length(seconds(plan.timing.budget_ns)));
    tr!("explain-search-length", most, budget)
}

fn length(seconds: f64) -> String {
    if seconds < 90.0 {
        tr!("explain-length-s", seconds = format!("{seconds:.0}"))
    } else {
        tr!("explain-length-min", seconds = format!("{:.1}", seconds / 60.0))
    }
}

/// Seed of the random numbers.
pub fn seed(seed: u64) -> String {
    tr!("explain-seed", seed)
}

pub fn command(line: &str) -> String {
    tr!("explain-command", line)
}

pub fn address(port: u16) -> String {
    tr!("explain-address", port)
}

/// A file with its digest.
pub fn digest(file: &str, digest: &str) -> String {
    tr!("explain-digest", file, digest)
}

/// TLS and proxy of connections, a line each.
pub fn transport(transport: &Transport) -> Vec<String> {
    let mut lines = Vec::new();
    let Transport { proxy, no_proxy, .. } = transport;
    match (proxy.as_str(), transport.forwards) {
        ("", _) => {}
        (_, false) => lines.push(tr!("explain-transport-proxy-asked-for-a", proxy)),
        (_, true) => lines.push(tr!("explain-transport-proxy-forwards", proxy)),
    }
    if !no_proxy.is_empty() {
        lines.push(tr!("explain-transport-no-proxy", no_proxy, used = !proxy.is_empty()));
    }
    lines.extend(transport.tls.iter().flat_map(tls).map(|line| tr!("explain-transport-tls", line)));
    lines
}

fn tls(tls: &TlsTerms) -> Vec<String> {
    let offers = (!tls.alpn.is_empty()).then(|| tls.alpn.join(tr!("between-items")));
    let versions = tls.versions.join(tr!("between-choices"));
    let server_name = &tls.server_name;
    let mut lines = vec![tr!("explain-tls", versions, server_name, offers, resumed = tls.resumption)];
    lines.push(match tls.insecure {
        true => tr!("explain-tls-not-checked").to_string(),
        false => tr!("explain-tls-trusts", trusts = tls.trusts),
    });
    if tls.client_certificate {
        lines.push(tr!("explain-tls-has-a-client-certificate").to_string());
    }
    lines.extend(tls.digests.iter().map(|(file, of)| digest(file, of)));
    lines
}

/// A load point; `sending` gives its connections. Where it is of users, its rate is of those who arrive.
pub fn load_point(point: &LoadPoint, sending: &str, of_users: bool) -> String {
    let label = &point.label;
    if point.rate_per_s.is_none() && !point.streams.is_empty() {
        let streams = point.streams.iter().map(|load| format!("{} {}", load.stream, load.profile));
        let streams = streams.collect::<Vec<_>>().join(tr!("between-sentences"));
        return tr!("labelled", label, what = streams);
    }
    let mut parts = vec![match point.rate_per_s {
        Some(rate) => {
            let arrival = point.arrival.as_deref().unwrap_or("constant");
            match of_users {
                true => tr!("explain-load-point-users", label, rate, arrival),
                false => tr!("explain-load-point-open", label, rate, arrival),
            }
        }
        None => tr!("labelled", label, what = named(point.model.name())),
    }];
    parts.push(sending.to_string());
    if !point.profile.is_empty() {
        parts.push(tr!("explain-load-point-shape", shape = point.profile, whole = point.whole));
    }
    match point.think.as_str() {
        "" if point.think_ns > 0 => {
            parts.push(tr!("explain-load-point-think-time-s", seconds = seconds(point.think_ns)));
        }
        "" => {}
        think => parts.push(tr!("explain-load-point-think-time", think)),
    }
    parts.push(format!("keep-alive {}", point.keep_alive));
    parts.join(tr!("between-parts"))
}

/// Order of measuring the variants, and the reason for it.
pub fn mode(plan: &Plan) -> String {
    tr!(
        "explain-mode",
        mode = named(plan.mode.name()),
        mode_reason = plan.mode_reason.as_ref().map(told).unwrap_or_default()
    )
}

/// Start of a block; `reckoned_s` is the assumed length of its warm-up.
pub fn block(plan: &Plan, serial: bool, reckoned_s: f64) -> String {
    let Timing { warm_up_ns, warm_up_cap_ns, .. } = plan.timing;
    tr!(
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
    tr!("explain-cycles", cycles = timing.cycles, serial, whole, slice, discarded)
}

/// Times at which the claims are judged; `None` for a single time.
pub fn looks(timing: &Timing) -> Option<String> {
    let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
    let (first, last) = (timing.looks.first()?, timing.looks.last()?);
    if timing.looking == Looking::Anytime {
        return Some(tr!("explain-looks-anytime", first, last));
    }
    let looks = looks.join(tr!("between-items"));
    (*last > 1).then(|| tr!("explain-looks", looks))
}

/// Time of all blocks together.
pub fn blocks(plan: &Plan, blocks: u32) -> String {
    tr!(
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
    tr!("explain-cycle", number, variants = variants.join(tr!("between-items")))
}
