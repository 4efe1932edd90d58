//! The text of an explained plan: `run --explain`. Lengths are in seconds.

use proofload_language as language;
use proofload_language::facts::told;
use proofload_language::{Phrase, named, say, word};
use proofload_stats::{Design, projected_blocks};
use proofload_store::schema::{
    LoadPoint, Looking, Plan, PlannedCapacity, PlannedCondition, Replication, Timing, TlsTerms, Transport,
};
use proofload_study::Conclusion;

/// Headings.
pub const VARIANTS: Phrase = Phrase("explain-variants");
pub const WORKLOAD: Phrase = Phrase("explain-workload");
pub const LOAD_POINTS: Phrase = Phrase("explain-load-points");
pub const EXPECTED: Phrase = Phrase("explain-expected");
pub const PUBLISHED: Phrase = Phrase("explain-published");
pub const OBJECTIVE: Phrase = Phrase("explain-objective");
pub const FIRST_ORDER: Phrase = Phrase("explain-first-order");
pub const CPUS: Phrase = Phrase("explain-cpus");
pub const CONDITIONS: Phrase = Phrase("explain-conditions");
pub const NOT_TESTED: Phrase = Phrase("explain-not-tested");

/// Where a subject listens that is given its port.
pub const FREE_PORT: Phrase = Phrase("explain-free-port");
/// The length of the slices is chosen later.
pub const SLICES_ADAPT: Phrase = Phrase("explain-slices-adapt");
/// The number of cycles is chosen later.
pub const CYCLES_ADAPT: Phrase = Phrase("explain-cycles-adapt");
/// Claims may be closed.
pub const FUTILITY: Phrase = Phrase("explain-futility");
/// Variants may be skipped.
pub const SKIPPING: Phrase = Phrase("explain-skipping");

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// What is asked.
pub fn study(plan: &Plan) -> String {
    say!("explain-study", study = plan.study, question = plan.question)
}

/// When an exchange is given up.
pub fn time_outs(connect_ns: u64, response_ns: u64) -> String {
    say!("explain-time-outs", seconds = seconds(connect_ns), seconds2 = seconds(response_ns))
}

/// Heading of the claims.
pub fn claims(count: usize, alpha: f64) -> String {
    say!("explain-claims", count, alpha)
}

/// A source of published figures.
pub fn figures(source: &str, figures: usize) -> String {
    say!("explain-figures", source, figures)
}

/// What a source concluded, and what tests that.
pub fn conclusion(conclusion: &Conclusion) -> String {
    let was = match conclusion.was.as_str() {
        "" => String::new(),
        was => say!("explain-conclusion-was", was),
    };
    let tested = match conclusion.not_tested.as_str() {
        "" => {
            say!("explain-conclusion-tested-by", conclusion = conclusion.claims.join(word!("between-items")))
        }
        why => say!("explain-conclusion-not-tested", why),
    };
    say!("explain-conclusion-whole", says = conclusion.says, was, tested)
}

/// CPUs of the generator and of the subjects.
pub fn cpus(generator: &[usize], subjects: &[usize]) -> [String; 2] {
    let list = |cpus: &[usize]| match cpus {
        [] => word!("explain-cpus-not-pinned").to_string(),
        cpus => cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(word!("between-items")),
    };
    [
        say!("explain-cpus-generator", list = list(generator)),
        say!("explain-cpus-subjects", list = list(subjects)),
    ]
}

/// A condition with its levels.
pub fn condition(condition: &PlannedCondition) -> String {
    let words = condition.levels.iter().map(|level| language::condition(&condition.name, level));
    let levels = words.collect::<Vec<_>>().join(" | ");
    match &condition.why {
        None => say!("explain-condition-levels", condition = condition.name, levels),
        Some(why) => say!("explain-condition", condition = condition.name, levels, why = told(why)),
    }
}

/// What it means that conditions vary, or do not.
pub fn conditions_vary(plan: &Plan) -> String {
    if !proofload_analysis::conditions_vary(plan) {
        return word!("explain-conditions-vary-none-of-them-varies").to_string();
    }
    let usual = blocks_for(SPREAD);
    let dependent = blocks_for(SPREAD.hypot(DEPENDENCE.ln_1p() / 2.0));
    say!("explain-conditions-vary-they-vary-over-the", dependent, usual)
}

/// What conditions are said to cost is said for this spread between blocks,
const SPREAD: f64 = 0.03;
/// and this difference between the levels of one.
const DEPENDENCE: f64 = 0.10;

fn blocks_for(spread: f64) -> String {
    let found = projected_blocks(&Design::quick(), 1, spread, 0.05_f64.ln_1p());
    found.map_or_else(
        || word!("explain-blocks-for-many-blocks").to_string(),
        |blocks| say!("explain-blocks-for-blocks", blocks),
    )
}

/// Heading of what takes how long.
pub fn time(plan: &Plan) -> String {
    say!("explain-time", preset = named(plan.preset.name()))
}

/// The trials of a search.
pub fn search(search: &PlannedCapacity, discard_ns: u64) -> String {
    say!(
        "explain-search",
        trials_max = search.trials_max,
        seconds = seconds(search.trial_ns),
        seconds2 = seconds(discard_ns)
    )
}

/// A block of a search.
pub fn search_block(plan: &Plan) -> String {
    let start = match plan.replication {
        Replication::Start => word!("explain-search-block-a-fresh-start"),
        _ => word!("explain-search-block-new-connections"),
    };
    let warm_up_s = seconds(plan.timing.warm_up_ns);
    say!("explain-search-block-block-a-fixed-warm", start, warm_up_s)
}

/// What a search takes.
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

/// What chance is drawn from.
pub fn seed(seed: u64) -> String {
    say!("explain-seed", seed)
}

/// What is started.
pub fn command(line: &str) -> String {
    say!("explain-command", line)
}

/// Where a subject listens.
pub fn address(port: u16) -> String {
    say!("explain-address", port)
}

/// A file with its digest.
pub fn digest(file: &str, digest: &str) -> String {
    say!("explain-digest", file, digest)
}

/// What connections pass through, a line each.
pub fn transport(transport: &Transport) -> Vec<String> {
    let mut lines = Vec::new();
    if !transport.proxy.is_empty() {
        lines.push(say!("explain-transport-proxy-asked-for-a", proxy = transport.proxy));
    }
    lines.extend(transport.tls.iter().flat_map(tls).map(|line| say!("explain-transport-tls", line)));
    lines
}

fn tls(tls: &TlsTerms) -> Vec<String> {
    let offers = if tls.alpn.is_empty() {
        word!("explain-tls-nothing").to_string()
    } else {
        tls.alpn.join(word!("between-items"))
    };
    let sessions =
        if tls.resumption { word!("explain-tls-resumed") } else { word!("explain-tls-never-resumed") };
    let versions = tls.versions.join(word!("explain-tls-or"));
    let mut lines = vec![say!(
        "explain-tls-with-offers-sessions",
        versions,
        server_name = tls.server_name,
        offers,
        sessions
    )];
    lines.push(match tls.insecure {
        true => word!("explain-tls-not-checked-anybody-may").to_string(),
        false => say!("explain-tls-trusts", trusts = tls.trusts),
    });
    if tls.client_certificate {
        lines.push(word!("explain-tls-has-a-client-certificate").to_string());
    }
    lines.extend(tls.digests.iter().map(|(file, of)| digest(file, of)));
    lines
}

/// A load point; `sending` says over how many connections.
pub fn load_point(point: &LoadPoint, sending: &str) -> String {
    let label = &point.label;
    if point.rate_per_s.is_none() && !point.streams.is_empty() {
        let streams = point.streams.iter().map(|load| format!("{} {}", load.stream, load.profile));
        return say!(
            "explain-load-point-streams",
            label,
            streams = streams.collect::<Vec<_>>().join(word!("between-sentences"))
        );
    }
    let arrival = point.arrival.as_deref().unwrap_or(word!("explain-load-point-constant"));
    let base = match point.rate_per_s {
        Some(rate) => say!("explain-load-point-open-requests-a-second", label, rate, arrival, sending),
        None => say!("explain-load-point", label, model = named(point.model.name()), sending),
    };
    let shape = match point.profile.as_str() {
        "" => String::new(),
        shape if point.whole => say!("explain-load-point-carried-out-whole", shape),
        shape => say!("explain-load-point-2", shape),
    };
    let think = match point.think.as_str() {
        "" if point.think_ns > 0 => {
            say!("explain-load-point-think-time-s", seconds = seconds(point.think_ns))
        }
        "" => String::new(),
        think => say!("explain-load-point-think-time", think),
    };
    say!("explain-load-point-keep-alive", base, shape, think, keep_alive = point.keep_alive)
}

/// How the variants take turns, and why so.
pub fn mode(plan: &Plan) -> String {
    say!(
        "explain-mode",
        mode = named(plan.mode.name()),
        mode_reason = plan.mode_reason.as_ref().map(told).unwrap_or_default()
    )
}

/// What a block begins with; `reckoned_s` is what its warm-up is taken for.
pub fn block(plan: &Plan, serial: bool, reckoned_s: f64) -> String {
    let block = match plan.replication {
        Replication::Start => word!("explain-block-fresh-start-of-every"),
        _ => word!("explain-block-a-stretch-of-time"),
    };
    let warm_up_s = seconds(plan.timing.warm_up_ns);
    let warm_up = match plan.timing.warm_up_cap_ns {
        0 => say!("explain-block-a-fixed-warm-up", warm_up_s),
        cap_ns => say!(
            "explain-block-a-warm-up-until",
            seconds = seconds(cap_ns),
            reckoned_s = format!("{reckoned_s:.1}"),
            warm_up_s
        ),
    };
    let turns = match serial {
        true => word!("explain-block-one-after-the-other"),
        false => word!("explain-block-that-they-share-in"),
    };
    say!("explain-block-block", block, warm_up, turns)
}

/// What a block goes on with; `whole` when a load is carried out whole.
pub fn cycles(timing: &Timing, serial: bool, whole: bool) -> String {
    let each = if serial { word!("explain-cycles-for-it") } else { word!("explain-cycles-on-every-variant") };
    let slices = match whole {
        true => say!("explain-cycles-every-load-point-as", each),
        false => say!(
            "explain-cycles-for-every-load-point",
            seconds = seconds(timing.slice_ns),
            each,
            seconds2 = seconds(timing.discard_ns)
        ),
    };
    let cycles = say!("explain-cycles-cycles", cycles = timing.cycles);
    say!("explain-cycles-then-in-each", cycles = timing.cycles, cycles2 = cycles, slices)
}

/// When the claims are judged; `None` for a single time.
pub fn looks(timing: &Timing) -> Option<String> {
    let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
    let (first, last) = (timing.looks.first()?, timing.looks.last()?);
    if timing.looking == Looking::Anytime {
        return Some(say!("explain-looks-looks-after-every-block", first, last));
    }
    let looks = looks.join(word!("between-items"));
    (*last > 1).then(|| say!("explain-looks-looks-after-blocks-it", looks))
}

/// What the blocks take together.
pub fn blocks(plan: &Plan, blocks: u32) -> String {
    let until = if plan.timing.warm_up_cap_ns > 0 {
        word!("explain-blocks-up-to-the-last")
    } else {
        word!("explain-blocks-at-most")
    };
    let counted = say!("explain-blocks-blocks", blocks);
    say!(
        "explain-blocks-of-about-s-budget",
        until,
        counted,
        plan = format!("{:.0}", plan.estimated_seconds / f64::from(blocks.max(1))),
        length = length(plan.estimated_seconds),
        length2 = length(seconds(plan.timing.budget_ns))
    )
}

/// Whose turn it is, one after the other.
pub fn cycle(number: usize, variants: &[&str]) -> String {
    say!("explain-cycle", number, variants = variants.join(word!("between-items")))
}
