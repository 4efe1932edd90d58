//! View of a result, units already chosen. Renderers do no arithmetic on measurements.

pub(crate) mod capacity;
mod conclusions;
mod exploratory;
mod factors;
mod fitness;
pub(crate) mod requests;
mod scalability;
mod steady;
mod trends;

use crate::escape::shell;
use crate::headline::shown;
use crate::lead::{self, Lead};
use crate::shown::{Bar, Table, Tone, VerdictView, told_all};
use crate::{messages, number};
use proofload_analysis::figures::outcome;
use proofload_language::facts::told;
use proofload_language::{Columns, named, tr};
use proofload_store::schema::{
    BadAnswer, Baseline, BaselineFigure, ClaimResult, Durations, ExpectationOutcome, ExpectationResult,
    Model, Negotiated, Point, PublishedFigure, RunResult, RunState, TlsTerms, Transport, Verdict,
};

/// A result, ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The first lines: what went wrong, what is open, or that all is well.
    pub lead: Vec<Lead>,
    /// Name of the study, or the address.
    pub title: String,
    /// Its question; empty for a single measurement.
    pub question: String,
    /// Reason for the end, or that it has not ended.
    pub ended: String,
    pub verdicts: Vec<VerdictView>,
    /// One for each row of the table of expectations; their verdicts are `met`, `not met` and `undecided`.
    pub expectations: Vec<VerdictView>,
    /// One for each published conclusion; their verdicts are `reproduced`, `not reproduced`, `undecided here` and
    /// `not tested`.
    pub conclusions: Vec<VerdictView>,
    /// Published figures that contradict themselves, a sentence each.
    pub contradictions: Vec<String>,
    /// One for each series of a soak; their verdicts are `leak`, `growth`, `no growth`, `filling`, `undecided`.
    pub trends: Vec<VerdictView>,
    pub tables: Vec<Table>,
    /// Number of them that come before the charts: the figures, and the tables they are compared with.
    pub first_tables: usize,
    /// Limits of the test; warnings.
    pub limits: Vec<String>,
    pub bad_answers: Vec<BadAnswer>,
    /// Commands that measure the same again, or draw the record again.
    pub again: Vec<String>,
    pub parameters: Vec<(String, String)>,
    pub environment: Vec<(String, String)>,
    /// True for a single measurement.
    pub single: bool,
    pub headline: String,
}

impl View {
    /// The first lines of a page, and the last line where none of them has it. Where nothing outranks the claims their
    /// answer comes before their count.
    pub fn page_lead(&self) -> (Vec<Lead>, Option<&str>) {
        let mut lines = self.lead.clone();
        let is_said = |lead: &Lead| lead.text == self.headline || lead.line() == self.headline;
        if self.headline.is_empty() || lines.iter().any(is_said) {
            return (lines, None);
        }
        match lines
            .first()
            .filter(|first| first.word.is_empty() && first.tone < Tone::Bad && !self.single)
            .cloned()
        {
            Some(first) => {
                lines.insert(0, Lead { text: self.headline.clone(), ..first });
                (lines, None)
            }
            None => (lines, Some(&self.headline)),
        }
    }
}

/// The view of a result.
pub fn view(result: &RunResult) -> View {
    let single = result.plan.is_none();
    let title = match single {
        true => result.points.first().map(|point| point.variant.clone()).unwrap_or_default(),
        false => result.study.clone(),
    };
    let mut tables = match single {
        true => result.points.iter().map(latencies).collect(),
        false if !result.capacities.is_empty() => capacity::tables(result),
        false => vec![crate::figures::table(result)],
    };
    tables.extend(result.baseline.as_ref().map(against_baseline));
    let steps = requests::steps(result);
    let of_users = steps.is_some();
    tables.extend(steps);
    let first_tables = tables.len();
    tables.extend(exploratory::table(result));
    tables.extend(factors::table(result));
    tables.extend(scalability::table(result));
    tables.extend(published(result));
    // A search has a point for each trial; its table shows what went wrong.
    let points = if result.capacities.is_empty() { result.points.as_slice() } else { &[] };
    if !of_users {
        tables.extend(requests::table(points, single));
    }
    tables.extend(outcomes(points));
    tables.extend(handshakes(points));
    tables.extend(addresses(points));
    tables.extend(steady::tables(result));
    tables.extend(fitness::table(result));
    let limits = proofload_analysis::limits::of_result(result).iter().map(told).collect();
    View {
        lead: lead::lead(result),
        title,
        question: result.question.clone(),
        ended: match &result.status.state {
            RunState::Finished if lead::ended_early(result).is_none() => {
                result.status.why.as_ref().map(told).unwrap_or_default()
            }
            state @ RunState::Running => messages::ended(state, result.status.why.as_ref()),
            // The first lines have it.
            _ => String::new(),
        },
        verdicts: verdicts(result, single),
        expectations: result.expectations.iter().map(expectation).collect(),
        conclusions: result.conclusions.iter().map(conclusions::view).collect(),
        contradictions: result
            .contradictions
            .iter()
            .map(|found| tr!("labelled", label = found.source, what = told(&found.what)))
            .collect(),
        trends: trends::views(&result.trends),
        tables,
        first_tables,
        limits,
        bad_answers: result.points.iter().flat_map(|point| &point.bad_answers).map(with_entry).collect(),
        again: run_again(result),
        parameters: parameters(result),
        environment: environment(result),
        single,
        headline: lead::last(result),
    }
}

/// The commands that measure or draw it again; none where nothing was kept.
fn run_again(result: &RunResult) -> Vec<String> {
    let words = |arguments: &[String]| arguments.iter().map(|it| shell(it)).collect::<Vec<_>>().join(" ");
    match &result.load {
        Some(load) => vec![format!("proofload {}", words(&load.arguments))],
        None if result.run.is_empty() => Vec::new(),
        None => {
            let run = shell(&result.run);
            vec![format!("proofload rerun {run}"), format!("proofload report {run} --verbose")]
        }
    }
}

/// A bad answer that says which entry of a mix it belongs to.
fn with_entry(bad: &BadAnswer) -> BadAnswer {
    match bad.request.as_str() {
        "" => bad.clone(),
        entry => BadAnswer { outcome: tr!("labelled", label = entry, what = bad.outcome), ..bad.clone() },
    }
}

fn expectation(row: &ExpectationResult) -> VerdictView {
    VerdictView {
        verdict: named(row.outcome.name()).to_string(),
        tone: match row.outcome {
            ExpectationOutcome::Met => Tone::Good,
            ExpectationOutcome::NotMet => Tone::Bad,
            _ => Tone::Open,
        },
        name: row.quantity.clone(),
        text: messages::expected(&row.range, &row.source),
        amount: row.estimate.as_ref().map(messages::interval).unwrap_or_default(),
        rests_on: messages::rests_on(row.estimate.as_ref(), row.confidence, row.blocks, false),
        reasons: row.reasons.iter().map(told).collect(),
        ..VerdictView::default()
    }
}

/// Published figures beside those found.
pub(crate) fn published(result: &RunResult) -> Option<Table> {
    let row = |figure: &PublishedFigure| {
        vec![
            figure.quantity.clone(),
            number::with_unit(figure.published, &figure.unit),
            figure.found.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval),
            figure.ratio.map_or_else(|| messages::NONE.to_string(), |ratio| format!("{ratio:.2}")),
            messages::published_in(&figure.source, &figure.url),
        ]
    };
    Table::of(messages::PUBLISHED, Columns::<5>("published-columns"), result.published.iter().map(row))
}

/// The claims; of a comparison both ways the answers.
fn verdicts(result: &RunResult, single: bool) -> Vec<VerdictView> {
    let shown = shown(result);
    let bars = crate::bars::bars_of(result.plan.as_ref(), &shown);
    let plan = result.plan.as_ref();
    let answers = plan.filter(|plan| plan.two_sided).map_or(0, |plan| plan.claims.len().div_ceil(2));
    let is_running = result.status.state == RunState::Running;
    let is_check = plan.is_some_and(|plan| plan.timing.looks == [1]);
    let drawn = shown.iter().zip(bars).enumerate().map(|(at, (claim, bar))| {
        let mut drawn = verdict(claim, bar, single);
        if at < answers && claim.verdict != Verdict::Undecided {
            drawn.verdict = messages::screen::answer_word(claim).to_string();
            drawn.tone = Tone::Good;
        }
        if is_running && claim.verdict == Verdict::Undecided {
            drawn.verdict = messages::OPEN.to_string();
        }
        if is_check && claim.verdict == Verdict::Undecided {
            // That one restart decides nothing is shown once.
            drawn.sentence = claim.found.clone();
            drawn.reasons = drawn.further_reasons().cloned().collect();
            drawn.reason_in_sentence = None;
        }
        drawn
    });
    drawn.collect()
}

/// A claim with its verdict, ready to be drawn.
pub(crate) fn verdict(claim: &ClaimResult, bar: Option<Bar>, single: bool) -> VerdictView {
    let rests_on = messages::rests_on(claim.estimate.as_ref(), claim.confidence, claim.blocks, single);
    let borrowed = claim.borrowed.as_ref().map(messages::borrowed);
    let rests_on = std::iter::once(rests_on).chain(borrowed).collect::<Vec<_>>().join(tr!("between-parts"));
    let (name, text) = match is_named_by_text(claim) {
        true => (claim.text.clone(), String::new()),
        false => (claim.name.clone(), claim.text.clone()),
    };
    VerdictView {
        verdict: named(claim.verdict.name()).to_string(),
        tone: match claim.verdict {
            Verdict::Supported => Tone::Good,
            Verdict::Refuted => Tone::Bad,
            _ => Tone::Open,
        },
        name,
        text,
        amount: messages::screen::amount(claim),
        rests_on,
        found: claim.found.clone(),
        sentence: claim.sentence.clone(),
        reason_in_sentence: claim.reason_in_sentence,
        reasons: claim.reasons.iter().map(told).collect(),
        bar,
    }
}

/// A threshold is named by its text, which at one of several load points holds more. A name that a text happens to
/// begin with, as `cpu` does `cpu_per_request(a) < 1ms`, is something else.
fn is_named_by_text(claim: &ClaimResult) -> bool {
    let at = claim.text.strip_prefix(&claim.name);
    let compares = || claim.name.contains(['<', '>', '=', '~']);
    at.is_some_and(|rest| rest.is_empty() || (rest.starts_with(" @ ") && compares()))
}

fn against_baseline(baseline: &Baseline) -> Table {
    let row = |figure: &BaselineFigure| {
        vec![
            format!("{}({}) @ {}", figure.measure, figure.variant, figure.point),
            figure.ratio.as_ref().map_or_else(|| messages::NONE.to_string(), messages::interval),
            number::percent(figure.confidence),
            format!("{} / {}", figure.blocks, figure.baseline_blocks),
            messages::against_baseline(&figure.verdict).to_string(),
            told_all(&figure.reasons),
        ]
    };
    let title = tr!("baseline-title", run = baseline.run, tolerance = number::percent(baseline.tolerance));
    Table::with(title, Columns::<6>("baseline-columns"), baseline.figures.iter().map(row))
}

fn latencies(point: &Point) -> Table {
    let row = |name: &str, durations: &Durations| {
        let cell = |ns: Option<f64>, q: f64| {
            let shown = |ns| messages::bounded(durations.is_at_least(q), number::duration(ns));
            ns.map_or_else(|| messages::NONE.to_string(), shown)
        };
        let at = |ns: Option<u64>, q| cell(ns.map(|ns| ns as f64), q);
        vec![
            name.to_string(),
            number::count(durations.count),
            // Each exchange without an end lengthens the mean, as it does the largest.
            cell(durations.mean, 1.0),
            at(durations.p50, 0.5),
            at(durations.p90, 0.9),
            at(durations.p99, 0.99),
            at(durations.p999, 0.999),
            at(durations.max, 1.0),
        ]
    };
    let none = |name: &str| {
        let mut cells = vec![messages::NONE.to_string(); 8];
        cells[0] = name.to_string();
        cells
    };
    let rows = [
        row(tr!("response-time"), &point.response_time_ns),
        row(tr!("service-time"), &point.service_time_ns),
        row(tr!("first-byte"), &point.first_byte_ns),
        match point.model {
            // Nothing is due before it is sent.
            Model::Closed => none(tr!("send-delay")),
            _ => row(tr!("send-delay"), &point.send_delay_ns),
        },
    ];
    let title = tr!("loop-of", point = point.point, model = named(point.model.name()));
    Table::with(title, Columns::<8>("latency-columns"), rows.into_iter())
}

/// Outcomes that were seen, other than answers; nothing when every exchange was answered.
fn outcomes(points: &[Point]) -> Option<Table> {
    let mut kinds: Vec<&str> = Vec::new();
    for point in points {
        for (kind, n) in &point.outcomes {
            if *n > 0 && kind != "answered" && !kinds.contains(&kind.as_str()) {
                kinds.push(kind);
            }
        }
    }
    if kinds.is_empty() {
        return None;
    }
    let mut header = vec![tr!("variant").to_string(), tr!("answered-column").to_string()];
    header.extend(kinds.iter().map(ToString::to_string));
    let rows = points.iter().map(|point| {
        let mut row = vec![messages::place(point)];
        row.push(number::count(outcome(point, "answered")));
        row.extend(kinds.iter().map(|kind| number::count(outcome(point, kind))));
        row
    });
    Some(Table { title: tr!("outcomes").to_string(), header, rows: rows.collect() })
}

/// TLS handshakes of each point; nothing without TLS.
fn handshakes(points: &[Point]) -> Option<Table> {
    let cell =
        |ns: Option<u64>| ns.map_or_else(|| messages::NONE.to_string(), |ns| number::duration(ns as f64));
    let row = |point: &Point| {
        let found = point.handshakes.as_ref()?;
        let mut row = vec![messages::place(point)];
        for kind in [&found.full, &found.resumed] {
            row.extend([number::count(kind.count), cell(kind.p50), cell(kind.p99), cell(kind.max)]);
        }
        row.push(negotiated(&found.negotiated));
        Some(row)
    };
    Table::of(tr!("handshakes"), Columns::<10>("handshake-columns"), points.iter().filter_map(row))
}

/// Connections by address; nothing of servers at one address that always accepted.
fn addresses(points: &[Point]) -> Option<Table> {
    let rows = points.iter().flat_map(|point| {
        point.addresses.iter().map(|of| {
            let counts =
                [of.connections, of.refused, of.timed_out, of.failed, of.exchanges].map(number::count);
            [vec![messages::place(point), of.address.clone()], counts.to_vec()].concat()
        })
    });
    Table::of(tr!("addresses"), Columns::<7>("address-columns"), rows)
}

/// Name and value for what connections passed through.
fn passage(transport: Option<&Transport>) -> Vec<(String, String)> {
    let Some(transport) = transport else { return Vec::new() };
    let Transport { proxy, no_proxy, .. } = transport;
    let proxy = match (proxy.as_str(), no_proxy.as_str()) {
        ("", "") => None,
        ("", _) => Some(tr!("proxy-not-used", no_proxy)),
        _ if transport.forwards => Some(tr!("proxy-forwards", proxy)),
        _ => Some(proxy.clone()),
    };
    let proxy = proxy.map(|proxy| (tr!("proxy").to_string(), proxy));
    let tls = transport.tls.as_ref().map(|tls| (tr!("tls").to_string(), tls_text(tls)));
    proxy.into_iter().chain(tls).collect()
}

fn parameters(result: &RunResult) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push((name.to_string(), value));
    if let Some(plan) = &result.plan {
        for variant in &plan.variants {
            add(&variant.name, variant.description.clone());
            for (what, value) in passage(variant.transport.as_ref()) {
                add(&format!("{}: {what}", variant.name), value);
            }
        }
        add(tr!("workload"), plan.workload.join("; "));
        match &plan.capacity {
            Some(search) => add(tr!("capacity-search"), capacity::capacity_search(search, plan)),
            None => add(tr!("preset-preset"), steady::preset(plan)),
        }
        if !plan.mode.is_empty() && plan.capacity.is_none() {
            add(tr!("mode"), messages::mode(&plan.mode, plan.mode_reason.as_ref()));
        }
        if let Some(chosen) = &result.slicing {
            steady::slices(chosen).into_iter().for_each(|said| add(tr!("slices"), said));
            let held =
                result.slice_length.as_ref().map(|found| steady::held_against_long(found, &plan.timing));
            held.into_iter().for_each(|said| add(tr!("slices"), said));
            add(tr!("cycles"), steady::slicing(chosen));
            steady::worth_of_turns(chosen).into_iter().for_each(|said| add(tr!("turns"), said));
        }
        add(tr!("blocks-word"), messages::complete_and_excluded(result.blocks, result.excluded_blocks));
        add(tr!("cpus"), messages::cpus(&plan.generator_cpus, &plan.subject_cpus));
        if !plan.agents.is_empty() {
            add(tr!("places-agents"), messages::places::agents(&plan.agents));
        }
        let network = result.network.iter().map(messages::places::network);
        network.for_each(|said| add(tr!("places-network"), said));
        messages::conditions(plan).into_iter().for_each(|said| add(tr!("conditions"), said));
    }
    if let Some(load) = &result.load {
        add(tr!("workload"), messages::asked(load));
    }
    for point in result.points.iter().filter(|_| result.plan.is_none()) {
        add(tr!("generator"), messages::generator(point));
        passage(point.transport.as_ref()).into_iter().for_each(|(what, value)| add(&what, value));
        add(
            tr!("bytes"),
            tr!(
                "sent-and-received",
                sent = number::bytes(point.bytes_sent as f64),
                received = number::bytes(point.bytes_received as f64)
            ),
        );
    }
    rows
}

fn environment(result: &RunResult) -> Vec<(String, String)> {
    let environment = &result.environment;
    let mut rows = vec![
        (tr!("proofload").to_string(), environment.proofload.clone()),
        (tr!("kernel").to_string(), environment.kernel.clone()),
        (tr!("cpu-model").to_string(), environment.cpu_model.clone()),
        (tr!("cpus").to_string(), format!("{:?}", environment.cpus)),
        (tr!("memory").to_string(), number::bytes(environment.memory_bytes as f64)),
    ];
    rows.retain(|(_, value)| !value.is_empty());
    rows.extend(environment.facts.iter().map(|(name, value)| (name.clone(), value.clone())));
    rows
}

fn tls_text(terms: &TlsTerms) -> String {
    tr!(
        "tls-with",
        versions = terms.versions.join(tr!("between-choices")),
        server_name = terms.server_name,
        trusts = (!terms.insecure).then_some(&terms.trusts),
        client_certificate = terms.client_certificate,
        resumption = terms.resumption
    )
}

fn negotiated(found: &[Negotiated]) -> String {
    let one = |found: &Negotiated| {
        let alpn = if found.alpn.is_empty() { tr!("negotiated-no-alpn") } else { found.alpn.as_str() };
        tr!("negotiated-tls", version = found.version, cipher_suite = found.cipher_suite, alpn)
    };
    found.iter().map(one).collect::<Vec<_>>().join(tr!("between-sentences"))
}
