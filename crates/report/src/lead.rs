//! The first lines of every surface: what went wrong, then what is open, then what holds. None is greener than the exit
//! code, for both rest on [`overall`].

use crate::headline::{headline, of_claims};
use crate::messages::{self, lead as words};
use crate::shown::Tone;
use crate::two_sided;
use proofload_analysis::figures::{errors, outcome};
use proofload_analysis::limits::nothing_answered;
use proofload_analysis::restore;
use proofload_analysis::{Overall, all_told, overall};
use proofload_facts::Finding;
use proofload_language::facts::told;
use proofload_language::{named, tr};
use proofload_measure::{Outcome, OutcomeCounts};
use proofload_stats::{Comparison, ERROR_SHARE_MAX};
use proofload_store::counts_of;
use proofload_store::schema::{
    BadAnswer, BaselineFigure, ClaimResult, ExpectationOutcome, Plan, Point, RunResult, RunState, Status,
    Verdict,
};
use std::collections::BTreeMap;

/// Lines of one kind that are shown; more are counted.
const LINES_MAX: usize = 3;
/// Kinds of errors that are named.
const KINDS_MAX: usize = 3;

/// The sign before errors that were accepted.
const WARNING: &str = "⚠";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Good, open or bad news.
    pub tone: Tone,
    /// The sign before it.
    pub mark: &'static str,
    /// `regression`, `undecided`; empty where the text has it.
    pub word: String,
    pub text: String,
    /// The beginning of a bad answer; empty without.
    pub sample: String,
}

impl Lead {
    fn new(tone: Tone, word: &str, text: String) -> Lead {
        Lead { tone, mark: tone.mark(), word: word.to_string(), text, sample: String::new() }
    }

    /// `✘ regression  throughput(a) ×0.71 [0.61, 0.83], 10 % allowed`.
    pub fn line(&self) -> String {
        let mark = self.mark;
        let between = if self.text.is_empty() { "" } else { "  " };
        match self.word.as_str() {
            "" => format!("{mark} {}", self.text),
            word => format!("{mark} {word}{between}{}", self.text),
        }
    }
}

/// The first lines of a result, the worst first; at least one.
pub fn lead(result: &RunResult) -> Vec<Lead> {
    let overall = overall(result);
    let mut lines = urgent(result, overall);
    if result.status.state == RunState::Running {
        // What is settled is settled, and the rest is open.
        lines.push(Lead::new(Tone::Open, &messages::OPEN, messages::tally_open(&result.claims)));
        return lines;
    }
    let is_bad = lines.iter().any(|line| line.tone == Tone::Bad);
    // That claims are open goes without saying then.
    lines.extend(judged(result, overall).into_iter().filter(|line| line.tone == Tone::Bad || !is_bad));
    let tone = Tone::of(overall);
    if !lines.iter().any(|line| line.tone >= tone) {
        lines.push(of_overall(overall, result));
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.tone));
    lines
}

/// The first line for a list of runs; of a comparison both ways in few words.
pub fn brief(result: &RunResult) -> Lead {
    if result.status.state != RunState::Finished {
        // How it ended has a column of its own there.
        let status = Status { state: RunState::Finished, ..result.status.clone() };
        return brief(&RunResult { status, ..result.clone() });
    }
    let first = lead(result).swap_remove(0);
    let answer = result.plan.as_ref().map(|plan| of_claims(plan, &result.claims)).unwrap_or_default();
    if first.tone == Tone::Good && first.word.is_empty() && !answer.is_empty() && first.text != answer {
        let text = [first.text.as_str(), &answer].join(tr!("between-sentences"));
        return Lead { text, ..first };
    }
    let Some(plan) =
        result.plan.as_ref().filter(|plan| plan.two_sided && first.text == answer_text(plan, result))
    else {
        return first;
    };
    let Ok((names, claims, _)) = restore(plan) else { return first };
    let told = crate::names::in_list(plan);
    let answers = two_sided::answers(plan, &names, &claims, &result.claims);
    let said = answers.iter().filter_map(|(claim, judged)| {
        let name = |side| told.get(two_sided::variant_of(side)?);
        let alike = matches!(claim.comparison, Comparison::Within(_));
        Some(words::brief(name(&claim.left)?, name(&claim.right)?, judged, alike))
    });
    let said: Vec<String> = said.take(LINES_MAX).collect();
    Lead { text: said.join(tr!("between-sentences")), ..first }
}

/// The last line, the one to remember: what outranks the claims, where something does.
pub(crate) fn last(result: &RunResult) -> String {
    let plain = headline(result);
    match urgent(result, overall(result)).first() {
        Some(first) if result.plan.is_some() || plain.is_empty() => first.line(),
        _ => plain,
    }
}

/// Lines that outrank all claims: wrong answers, an early end, and the comparison with a baseline.
fn urgent(result: &RunResult, overall: Overall) -> Vec<Lead> {
    let mut lines = failures(result);
    // A user whose claims and expectations are met has accepted these errors.
    let is_accepted =
        overall == Overall::AllSupported && !(result.claims.is_empty() && result.expectations.is_empty());
    if is_accepted {
        lines.iter_mut().for_each(|line| (line.tone, line.mark) = (Tone::Open, WARNING));
    }
    if let Some(tone) = match result.status.state {
        RunState::Finished | RunState::Running => None,
        RunState::Failed => Some(Tone::Bad),
        _ => Some(Tone::Open),
    } {
        lines.push(Lead::new(tone, "", messages::ended(&result.status.state, result.status.why.as_ref())));
    }
    let of_early = |text| Lead::new(Tone::of(overall).max(Tone::Open), words::NO_VERDICT.text(), text);
    lines.extend(ended_early(result).map(of_early));
    lines.extend(against_baseline(result));
    lines
}

/// Reason why a run ended on its own before any verdict was in reach.
pub(crate) fn ended_early(result: &RunResult) -> Option<String> {
    let why = result.status.why.as_ref().filter(|_| result.status.state == RunState::Finished)?;
    let is_early = matches!(
        why,
        Finding::NoVerdictInReach { .. } | Finding::NeverQuiet { .. } | Finding::NoLookInBudget { .. }
    );
    is_early.then(|| told(why))
}

/// A line for each variant of which more than a thousandth of the exchanges failed: above that no speed is judged. At the
/// limit of a capacity some always do.
pub(crate) fn failures(result: &RunResult) -> Vec<Lead> {
    let wholes = || result.points.iter().filter(|point| point.stream.is_empty());
    let answered = wholes().any(|point| outcome(point, "answered") > 0);
    if !result.capacities.is_empty() && answered {
        return Vec::new();
    }
    let mut variants: Vec<&str> = Vec::new();
    for point in wholes() {
        if !variants.contains(&point.variant.as_str()) {
            variants.push(&point.variant);
        }
    }
    let lines = variants.into_iter().filter_map(|variant| {
        let points: Vec<&Point> = wholes().filter(|point| point.variant == variant).collect();
        failed(&points, result.plan.is_none())
    });
    at_most(lines.collect(), Tone::Bad)
}

fn failed(points: &[&Point], single: bool) -> Option<Lead> {
    let sum = |of: &dyn Fn(&Point) -> u64| points.iter().fold(0_u64, |sum, at| sum.saturating_add(of(at)));
    let failed = sum(&|point| errors(point));
    let all = failed.saturating_add(sum(&|point| outcome(point, "answered")));
    if failed == 0 || failed as f64 <= ERROR_SHARE_MAX * all as f64 {
        return None;
    }
    let kinds = kinds(points);
    let mut failed_how = failures_by_entry(points);
    let sample = failed_how.first().and_then(|failure| failure.bad).map(|bad| sample(&bad.received));
    let cause = points.iter().find_map(|point| point.cause.as_ref()).filter(|_| failed == all);
    if cause.is_some() {
        // It says what the samples hint at.
        failed_how.iter_mut().for_each(|failure| failure.bad = None);
    }
    let mut said: Vec<String> = failed_how.iter().take(KINDS_MAX).map(|failure| failure.told(all)).collect();
    let text = match points {
        [point]
            if single
                && failed == all
                && cause.is_none()
                && !kinds.iter().any(|(kind, _)| words::is_explained(kind)) =>
        {
            let unnamed = Point { variant: String::new(), ..(*point).clone() };
            told(&nothing_answered(&unnamed))
        }
        _ => {
            said.splice(0..0, cause.map(told));
            words::failures((!single).then_some(points[0].variant.as_str()), &said)
        }
    };
    Some(Lead { sample: sample.unwrap_or_default(), ..Lead::new(Tone::Bad, "", text) })
}

/// Exchanges that failed in one way, of a whole load or of one entry of its mix.
pub(crate) struct Failure<'a> {
    pub kind: &'a str,
    pub n: u64,
    /// The entry, and how many of its exchanges ended; `None` for all.
    pub of: Option<(&'a str, u64)>,
    pub bad: Option<&'a BadAnswer>,
}

impl Failure<'_> {
    /// `803 of 803 rejected: status 404, expected 200`, `15 of 15 of /gone rejected: …`.
    pub fn told(&self, all: u64) -> String {
        words::failed(self.n, (all, self.of), self.kind, self.bad.map_or("", |bad| &bad.what))
    }
}

/// The kinds of failures, the most frequent first; one that some entries of a mix have, and others have not, for each of
/// those.
pub(crate) fn failures_by_entry<'a>(points: &[&'a Point]) -> Vec<Failure<'a>> {
    let mut entries: BTreeMap<&str, OutcomeCounts> = BTreeMap::new();
    for request in points.iter().flat_map(|point| &point.requests).filter(|request| !request.journey) {
        entries.entry(&request.name).or_default().merge(&counts_of(&request.outcomes));
    }
    let mut failures = Vec::new();
    for (kind, n) in kinds(points) {
        let bad = |entry: Option<&str>| {
            let all = points.iter().flat_map(|point| &point.bad_answers);
            let mut own = all.filter(|bad| bad.outcome == kind);
            own.find(|bad| entry.is_none_or(|entry| bad.request == entry))
        };
        let count = |counts: &OutcomeCounts| Outcome::from_name(kind).map_or(0, |kind| counts.get(kind));
        let (with, without): (Vec<_>, Vec<_>) =
            entries.iter().filter(|(_, counts)| counts.finished() > 0).partition(|(_, of)| count(of) > 0);
        match without.is_empty() || with.is_empty() {
            true => failures.push(Failure { kind, n, of: None, bad: bad(None) }),
            false => failures.extend(with.into_iter().map(|(&entry, counts)| {
                let of = Some((entry, counts.finished()));
                Failure { kind, n: count(counts), of, bad: bad(Some(entry)) }
            })),
        }
    }
    failures.sort_by_key(|failure| std::cmp::Reverse(failure.n));
    failures
}

/// Outcomes of exchanges that were sent and not answered, the most frequent first.
pub(crate) fn kinds<'a>(points: &[&'a Point]) -> Vec<(&'a str, u64)> {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, n) in points.iter().flat_map(|point| &point.outcomes) {
        if *n > 0 && !matches!(kind.as_str(), "answered" | "unsent") {
            let sum = kinds.entry(kind).or_default();
            *sum = sum.saturating_add(*n);
        }
    }
    let mut kinds: Vec<(&str, u64)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    kinds
}

/// Its first line and the beginning of what follows its head.
fn sample(received: &str) -> String {
    let (head, body) = received.split_once("\r\n\r\n").unwrap_or((received, ""));
    let parts = [head.lines().next().unwrap_or_default(), body.lines().next().unwrap_or_default()];
    parts.map(str::trim).into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" … ")
}

/// Figures that are worse than the baseline's, or may be.
fn against_baseline(result: &RunResult) -> Vec<Lead> {
    let Some(baseline) = &result.baseline else { return Vec::new() };
    if baseline.figures.is_empty() {
        return vec![Lead::new(Tone::Open, named("undecided"), words::none_compared(&baseline.run))];
    }
    let several = result.points.iter().any(|point| point.point != result.points[0].point);
    let of = |verdict: Verdict, tone: Tone, word: &str| {
        let line = |figure: &BaselineFigure| {
            let text = words::against_baseline(figure, several, baseline.tolerance);
            Lead::new(tone, word, text)
        };
        let figures = baseline.figures.iter().filter(|figure| figure.verdict == verdict);
        at_most(figures.map(line).collect(), tone)
    };
    let mut lines = of(Verdict::Refuted, Tone::Bad, tr!("lead-regression"));
    lines.extend(of(Verdict::Undecided, Tone::Open, tr!("lead-against-the-baseline")));
    lines
}

/// The first few, and how many more there are.
fn at_most(mut lines: Vec<Lead>, tone: Tone) -> Vec<Lead> {
    let more = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    if more > 0 {
        lines.push(Lead::new(tone, "", messages::more_lines(more)));
    }
    lines
}

/// Claims, expectations and capacities with their results.
fn judged(result: &RunResult, overall: Overall) -> Vec<Lead> {
    if overall == Overall::Checked {
        return vec![of_overall(overall, result)];
    }
    let mut lines: Vec<Lead> = Vec::new();
    let pairs = match &result.plan {
        Some(plan) if plan.two_sided => plan.claims.len().min(result.claims.len()),
        _ => 0,
    };
    if let Some(plan) = result.plan.as_ref().filter(|_| pairs > 0) {
        lines.push(answer(plan, result, pairs));
    }
    let claims = &result.claims[pairs..];
    let any = |verdict: Verdict| claims.iter().any(|claim| claim.verdict == verdict);
    let tone = match () {
        () if any(Verdict::Refuted) => Tone::Bad,
        () if any(Verdict::Undecided) => Tone::Open,
        () => Tone::Good,
    };
    match claims {
        [] => {}
        [only] if pairs == 0 => lines.push(Lead::new(tone, named(only.verdict.name()), only.name.clone())),
        claims => {
            lines.push(Lead::new(tone, "", messages::tally(claims.iter().map(|claim| &claim.verdict))));
        }
    }
    for row in &result.expectations {
        let tone = match row.outcome {
            ExpectationOutcome::Met => continue,
            ExpectationOutcome::NotMet => Tone::Bad,
            _ => Tone::Open,
        };
        let text = messages::claimed(&row.quantity, &messages::expected(&row.range, &row.source));
        lines.push(Lead::new(tone, named(row.outcome.name()), text));
    }
    if !result.capacities.is_empty() || (result.plan.is_none() && overall == Overall::AllSupported) {
        lines.push(Lead::new(Tone::of(overall), "", headline(result)));
    }
    lines
}

/// The faster server, or that both are alike.
fn answer(plan: &Plan, result: &RunResult, pairs: usize) -> Lead {
    let pairs: &[ClaimResult] = &result.claims[..pairs];
    let tone = if all_told(pairs) { Tone::Good } else { Tone::Open };
    Lead::new(tone, "", answer_text(plan, result))
}

fn answer_text(plan: &Plan, result: &RunResult) -> String {
    let text = Some(of_claims(plan, &result.claims)).filter(|text| !text.is_empty());
    text.unwrap_or_else(|| messages::tally(result.claims.iter().map(|claim| &claim.verdict)))
}

fn of_overall(overall: Overall, result: &RunResult) -> Lead {
    let (word, text) = match overall {
        Overall::AllSupported => (named("supported"), ""),
        Overall::Refuted => (named("refuted"), ""),
        Overall::Regressed => (tr!("lead-regression"), ""),
        Overall::Undecided => (named("undecided"), tr!("lead-nothing-judged")),
        Overall::Checked => (tr!("screen-checked"), tr!("lead-everything-works")),
        Overall::Invalid if result.points.iter().all(|point| outcome(point, "answered") == 0) => {
            (words::NO_VERDICT.text(), tr!("generator-nothing-was-answered"))
        }
        Overall::Invalid => (words::NO_VERDICT.text(), tr!("lead-the-generator")),
    };
    Lead::new(Tone::of(overall), word, text.to_string())
}
