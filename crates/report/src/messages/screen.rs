//! Words of the one screen that a result is shown on.

use super::{NONE, interval};
use crate::number;
use crate::replicates::{replicates, words_of};
use crate::shown::{Tone, VerdictView};
use proofload_facts::{Cause, Fact, Limit, Reason, Severity};
use proofload_language::facts::told;
use proofload_language::{Phrase, named, tr};
use proofload_store::schema::{ClaimResult, Exploratory, Mode, Model, Plan, RunResult, Sitting, Verdict};
use std::mem::discriminant;

/// Published conclusions, in a line that counts them.
pub const PUBLISHED: Phrase = Phrase("screen-published");
/// Series of a soak, in a line that counts them.
pub const TRENDS: Phrase = Phrase("screen-trends");

/// `×1.20 [1.19, 1.21]`, `48.2 ms [47.0, 49.5]`; a count without ends.
pub fn amount(judged: &ClaimResult) -> String {
    let Some(estimate) = &judged.estimate else { return NONE.to_string() };
    // A count, or what was the same in every block, has no ends of its own.
    if estimate.low == Some(estimate.point) && estimate.high == estimate.low {
        return number::with_unit(estimate.point, &estimate.unit);
    }
    let told = interval(estimate);
    if estimate.unit == "ratio" { format!("×{told}") } else { told }
}

/// Line below a claim: its finding, or the reason why nothing was decided.
pub fn below(judged: &ClaimResult, plan: &Plan) -> String {
    // That one restart decides nothing is shown once.
    if judged.verdict != Verdict::Undecided || plan.timing.looks == [1] {
        return judged.found.clone();
    }
    let why = judged.reasons.get(judged.reason_in_sentence.unwrap_or(0)).or(judged.reasons.first());
    why.map(|why| in_short(why, plan)).unwrap_or_default()
}

/// Finding of a verdict, or the reason why nothing was decided.
pub fn in_one_sentence(verdict: &VerdictView) -> String {
    let found = verdict.found.as_str();
    let why =
        verdict.reasons.get(verdict.reason_in_sentence.unwrap_or(0)).filter(|_| verdict.tone == Tone::Open);
    match (found, why) {
        ("", None) => String::new(),
        ("", Some(why)) => why.clone(),
        (found, None) => found.to_string(),
        (found, Some(why)) => tr!("labelled", label = found, what = why),
    }
}

/// A reason in a line: of an interval that is too wide what would settle it.
fn in_short(why: &Reason, plan: &Plan) -> String {
    let (one, many) = words_of(plan);
    match why {
        Reason::IntervalCrosses { more_blocks: Some(1), .. } => tr!("screen-one-more", one),
        Reason::IntervalCrosses { more_blocks: Some(n), .. } => tr!("screen-more", n, many),
        other => told(other),
    }
}

/// Result of a comparison both ways, with its mark.
pub fn answer(judged: &ClaimResult) -> String {
    let mark = if is_alike(judged) { "=" } else { "✔" };
    format!("{mark} {}", answer_word(judged))
}

/// The same without.
pub fn answer_word(judged: &ClaimResult) -> &'static str {
    if is_alike(judged) { tr!("answer-alike") } else { tr!("answer-faster") }
}

fn is_alike(judged: &ClaimResult) -> bool {
    judged.text.contains('~')
}

/// Another ratio of two servers, where nothing speaks against its interval.
pub fn beside(found: &Exploratory) -> Option<String> {
    let ratio = found.ratio.as_ref().filter(|ratio| ratio.low.is_some() && ratio.high.is_some())?;
    let Exploratory { measure, over, under, .. } = found;
    let told = interval(ratio);
    found.reasons.is_empty().then(|| tr!("beside", measure, over, told, under))
}

/// The limit that names figures of the servers alone, where the generator was the bottleneck; of several pairs the
/// first.
pub fn servers_own(result: &RunResult) -> Option<String> {
    result.limits.iter().find(|limit| matches!(limit, Limit::ServersOwn { .. })).map(told)
}

/// Claims that have no room on the screen.
pub fn more_claims(left: usize, [supported, refuted, undecided]: [usize; 3]) -> String {
    tr!("more-claims", left, supported, refuted, undecided)
}

/// `expectations: 5 met, 1 not met, 0 undecided`.
pub fn counted(title: Phrase, good: usize, bad: usize, open: usize) -> String {
    let words = match title {
        PUBLISHED => {
            [tr!("counted-reproduced"), tr!("counted-not-reproduced"), tr!("counted-undecided-here-or-not")]
        }
        TRENDS => [tr!("counted-without-growth"), tr!("counted-growing"), tr!("counted-undecided")],
        _ => [tr!("counted-met"), tr!("counted-not-met"), tr!("counted-undecided")],
    };
    tr!("counted-line", title, good, words = words[0], bad, words2 = words[1], open, words3 = words[2])
}

/// Rows of the table that have no room.
pub fn more_rows(left: usize) -> String {
    tr!("more-rows", left)
}

/// `0`, `176 (1.0 %)`.
pub fn errors_of(errors: u64, all: u64) -> String {
    match errors {
        0 => "0".to_string(),
        errors => format!(
            "{} ({})",
            number::count(errors),
            number::short_percent(errors as f64 / all.max(1) as f64)
        ),
    }
}

/// Arrival of the requests, and what that means for response times.
pub fn load(plan: &Plan) -> String {
    match plan.points.as_slice() {
        [one] => match &one.model {
            Model::Closed if one.think_ns == 0 && one.profile.is_empty() => {
                tr!("load-connections-closed-loop-response", connections = one.connections)
            }
            Model::Open => {
                tr!("load-open-loop-at-response", label = one.label)
            }
            model => tr!("load-loop", model = named(model.name()), label = one.label),
        },
        several => {
            let labels: Vec<&str> = several.iter().map(|point| point.label.as_str()).collect();
            tr!("load-loads", labels = labels.join(tr!("between-items")))
        }
    }
}

/// `6 restarts of each, 28 s; generator fit`.
pub fn based_on(result: &RunResult, plan: &Plan) -> String {
    let sittings = &result.status.sittings;
    let spent =
        |it: &Sitting| it.ended_unix_ns.map_or(0, |ended_ns| ended_ns.saturating_sub(it.began_unix_ns));
    let spent_ns: u64 = sittings.iter().map(spent).sum();
    let time = if spent_ns > 0 { tr!("based-on-in", length = length(spent_ns)) } else { String::new() };
    let what = replicates(result.blocks, plan);
    let turns = if plan.mode == Mode::Serial {
        tr!("based-on-one-server-after-the")
    } else {
        tr!("based-on-the-servers-taking-turns")
    };
    let mut generators = result.points.iter().map(|point| &point.generator);
    let fit = generators.all(|generator| generator.fit || proofload_analysis::lacks_agents_only(generator));
    let fitness = if fit { tr!("based-on-generator-fit") } else { tr!("based-on-generator-at-its-limit") };
    tr!("based-on-line", what, time, turns, fitness)
}

fn length(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    if seconds < 120.0 {
        tr!("length-s", seconds = format!("{seconds:.0}"))
    } else {
        tr!("length-min", seconds = format!("{:.0}", seconds / 60.0))
    }
}

/// Warnings, the most severe first, each with its remedy: one of each kind, and one of each cause. Notes are in the
/// text of `--verbose`.
pub fn warnings(limits: &[Limit]) -> Vec<String> {
    // What failed is in the first lines.
    let in_lead =
        |limit: &Limit| matches!(limit, Limit::ExchangesFailed { .. } | Limit::NothingAnswered { .. });
    let is_shown = |limit: &&Limit| limit.severity() < Severity::Note && !in_lead(limit);
    let mut shown: Vec<&Limit> = limits.iter().filter(is_shown).collect();
    shown.sort_by_key(|limit| limit.severity());
    let mut kept: Vec<&Limit> = Vec::new();
    for limit in shown {
        let is_known = |known: &&Limit| {
            let one_cause = limit.cause() != Cause::Own && known.cause() == limit.cause();
            // The same warning at another load point is not shown again.
            one_cause || (discriminant(*known) == discriminant(limit) && !is_listed(limit))
        };
        if !kept.iter().any(is_known) {
            kept.push(limit);
        }
    }
    kept.into_iter().map(told).collect()
}

/// Of what may be several different things each is shown.
fn is_listed(limit: &Limit) -> bool {
    matches!(
        limit,
        Limit::Machine { .. }
            | Limit::VariantLost { .. }
            | Limit::TlsUnchecked { .. }
            | Limit::RedirectsElsewhere { .. }
            | Limit::Legacy(_)
    )
}

pub fn more(run: &str, limits: usize) -> String {
    tr!("more", limits, run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_facts::{Check, Finding};
    use proofload_language::Language;

    fn at(finding: Finding) -> Limit {
        Limit::GeneratorLimited { variant: "nio".into(), point: "64c".into(), tails: false, what: finding }
    }

    #[test]
    fn what_is_most_severe_comes_first_and_notes_are_left_out() {
        let limits = [
            Limit::Machine { what: Finding::TwoCpus },
            Limit::YoungServers { from_s: 20.0, to_s: 90.0, jvm: true },
            Limit::Saturated,
            Limit::Loopback,
            Limit::Overloaded {
                variant: "a".into(),
                point: "5k/s".into(),
                stream: String::new(),
                completed_share: 0.8,
            },
            Limit::VariantLost { variant: "a".into(), blocks: 2, given_up: false, first: Finding::NoProcess },
        ];
        let shown = warnings(&limits);
        let begins =
            ["a failed in 2 blocks", "overloaded: a @ 5k/s completed", "machine: two CPUs", "young servers"];
        assert_eq!(shown.len(), begins.len(), "{shown:?}");
        for (line, begin) in shown.iter().zip(begins) {
            assert!(line.starts_with(begin), "{shown:?}");
        }
        let chinese = Language::Chinese.within(|| warnings(&limits));
        assert_eq!(chinese.len(), begins.len(), "{chinese:?}");
    }

    #[test]
    fn one_cause_is_one_warning() {
        let delays = |from| Limit::GeneratorDelays {
            variant: "nio".into(),
            point: "64c".into(),
            from,
            longer_share: 2.0,
            allowed_share: 0.1,
        };
        let held_up = Limit::GeneratorHeldUp {
            unfit: 180,
            slices: 624,
            least_share: 0.02,
            most_share: 0.06,
            allowed_share: 0.02,
        };
        let shown = warnings(&[delays(Check::P99), at(Finding::Unfit), held_up]);
        let [line] = shown.as_slice() else { panic!("{shown:?}") };
        assert!(line.starts_with("p50 of nio @ 64c is the server's; p99 and above"), "{line}");
    }
}
