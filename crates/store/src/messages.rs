//! The sentences that the stored formats hold: findings, notes of checks, why a trial did not pass. They are written
//! where a record is made or read, below the report; another language replaces this module beside the report's.

use crate::schema::{Cause, CheckName, CheckOutcome, FitnessCheck};
use proofload_stats::Perturbation;

/// Why there is no ceiling: nobody wanted one.
pub(crate) const CEILING_NOT_ASKED: &str = "--no-ceiling was given";
/// Why there is no ceiling.
pub const ANSWERS_TOO_LONG: &str = "the answers are longer than those of the server that does nothing";
/// Why there is no ceiling.
pub(crate) const CEILING_NOT_RECORDED: &str = "no ceiling of this setting is on record";

/// What a rate is held against.
pub(crate) fn of_ceiling(per_s: f64, most_per_s: f64) -> String {
    format!("{per_s:.0} of {most_per_s:.0} exchanges/s, which it reaches against a server that does nothing")
}

/// There is no ceiling to hold a rate against.
pub(crate) fn no_ceiling(why: &str) -> String {
    format!("ceiling not measured: {why}")
}

/// The check of several slices.
pub(crate) fn median_of(slices: usize) -> String {
    format!("median of {slices} slices")
}

/// How the machine disturbed a block.
pub fn disturbance(causes: &[Cause]) -> String {
    let steal = |share: f64, whose: &str| {
        format!("steal: the hypervisor took {:.1} % of the {whose} CPUs", share * 100.0)
    };
    let sentences = causes.iter().map(|cause| match *cause {
        Cause::GeneratorSteal(share) => steal(share, "generator's"),
        Cause::SubjectSteal(share) => steal(share, "subjects'"),
        Cause::Slower(drop) => format!("the CPUs were over {:.0} % slower than before", drop * 100.0),
    });
    sentences.collect::<Vec<_>>().join("; ")
}

/// What pairs of slices with once and twice the threads came to; `of_all` where those of all variants were needed.
pub(crate) fn perturbation(check: &CheckName, found: &Perturbation, pairs: usize, of_all: bool) -> String {
    let what = if *check == CheckName::PerturbedP99 { "p99" } else { "throughput" };
    let whose = if of_all { " of all variants" } else { "" };
    let pairs = format!("{pairs} pairs of slices{whose}");
    match found {
        Perturbation::Unresolved { ratio: None, .. } => {
            "perturbation not measured: no pair of slices".to_string()
        }
        Perturbation::Unresolved { .. } => {
            format!("could not check whether a second thread helps: {pairs} were too few")
        }
        Perturbation::Meaningless { .. } => {
            format!("{what} in {pairs}: the threads share CPUs, which costs it")
        }
        Perturbation::Within { .. } | Perturbation::Beyond { .. } => format!("{what} in {pairs}"),
    }
}

/// What a failed check says among the findings; `None` for one that did not fail.
pub fn finding(check: &FitnessCheck) -> Option<String> {
    let (found, limit) = (check.found?, check.limit?);
    if check.outcome != CheckOutcome::Failed {
        return None;
    }
    Some(match check.check {
        CheckName::Ceiling | CheckName::CeilingTail => format!(
            "the generator ran at {:.1} % of its ceiling, {:.0} % allowed ({}); use more workers, more CPUs or \
             another machine",
            found * 100.0,
            limit * 100.0,
            check.note
        ),
        CheckName::Hiccups => format!(
            "generator stalls: p99.9 = {:.3} ms (limit {:.2} ms{}); give it CPUs of its own, or more workers",
            found / 1e6,
            limit / 1e6,
            noted(check)
        ),
        CheckName::LengthenedMean | CheckName::LengthenedP99 | CheckName::LengthenedP999 => format!(
            "the generator's own delays lengthen {} by up to {:.0} % ({:.0} % allowed{}); give it CPUs of its own, or lower the \
             load",
            lengthened(&check.check),
            found * 100.0,
            limit * 100.0,
            noted(check)
        ),
        CheckName::SendDelayTail => format!(
            "late sends: p99 = {:.3} ms caused by the generator itself (limit {:.3} ms{}); lower the load, or give it CPUs \
             of its own",
            found / 1e6,
            limit / 1e6,
            noted(check)
        ),
        _ => format!(
            "{} with twice the threads, more than ±{:.0} %: {}",
            change(found),
            limit * 100.0,
            check.note
        ),
    })
}

/// The measure that a check is about.
fn lengthened(check: &CheckName) -> &'static str {
    match check {
        CheckName::LengthenedMean => "the mean",
        CheckName::LengthenedP99 => "p99",
        _ => "p99.9",
    }
}

fn noted(check: &FitnessCheck) -> String {
    if check.note.is_empty() { String::new() } else { format!(", {}", check.note) }
}

fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// Of the requests of a trial.
pub(crate) const SENT: &str = "of the planned requests were sent";

/// Of the requests of a trial.
pub(crate) const CARRIED: &str = "of the requests that were due came to an end in time";

/// The server did not outlive the trial.
pub(crate) const SERVER_GONE: &str = "the server was gone after it";

/// A measure of a trial without a value.
pub(crate) fn no_value(measure: &str) -> String {
    format!("{measure} has no value: nothing came to an end")
}

/// A term of the objective.
pub(crate) fn does_not_hold(term: &str) -> String {
    format!("{term} does not hold")
}

/// Requests that are in no quantile of a term.
pub(crate) fn unended(term: &str, unended: u64, of: u64) -> String {
    format!("{term}: {unended} of {of} requests never came to an end")
}

/// A trial without a request.
pub(crate) const NOTHING_DUE: &str = "no request was due in it";

/// Less than was to be: `only 97.2 % of the planned requests were sent`.
pub(crate) fn only(share: f64, what: &str) -> String {
    format!("only {:.1} % {what}", share * 100.0)
}

/// A check without a finding of its own.
pub(crate) fn check_failed(check: &CheckName) -> String {
    format!("the check {check} failed")
}

/// The connections were the limit.
pub(crate) fn connections_busy(most: u32) -> String {
    format!(
        "all {most} connections were busy, and the server answered each in time: more connections might carry more"
    )
}

/// Why a sitting is over that left no word of its end.
pub(crate) const ENDED_WITHOUT_A_WORD: &str = "it ended without a word";

/// Why a block is not whole.
pub(crate) const EVERY_VARIANT_LOST: &str = "every variant was lost in it";

/// Why a block is not whole.
pub(crate) fn too_few_slices(found: usize, expected: usize) -> String {
    format!("it has {found} of {expected} measured slices")
}

/// Why a block is not read to its end.
pub(crate) fn line_unreadable(number: usize, why: &impl std::fmt::Display) -> String {
    format!("line {number}: {why}")
}

/// Why a block is not read to its end.
pub(crate) fn line_cut_off(number: usize) -> String {
    format!("line {number} is cut off")
}

/// Why a block is not read to its end.
pub(crate) fn too_many_lines(most: usize) -> String {
    format!("it has more than {most} lines")
}
