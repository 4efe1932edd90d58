//! The sentences that the stored formats hold: findings, notes of checks, why a trial did not pass. They are written
//! where a record is made or read, below the report; another language replaces this module beside the report's.

use crate::schema::{Cause, CheckName, CheckOutcome, FitnessCheck};
use proofload_language::{Kept, kept, kept_word};
use proofload_stats::Perturbation;

/// Why there is no ceiling: nobody wanted one.
pub(crate) const CEILING_NOT_ASKED: Kept = Kept("kept-ceiling-not-asked");
/// Why there is no ceiling.
pub const ANSWERS_TOO_LONG: Kept = Kept("kept-answers-too-long");
/// Why there is no ceiling.
pub(crate) const CEILING_NOT_RECORDED: Kept = Kept("kept-ceiling-not-recorded");

/// What a rate is held against.
pub(crate) fn of_ceiling(per_s: f64, most_per_s: f64) -> String {
    kept!("kept-of-ceiling", per_s = grouped(per_s), most_per_s = grouped(most_per_s))
}

/// `19,475`.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digit.is_ascii_digit() && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// There is no ceiling to hold a rate against.
pub(crate) fn no_ceiling(why: &str) -> String {
    kept!("kept-no-ceiling", why)
}

/// The check of several slices.
pub(crate) fn median_of(slices: usize) -> String {
    kept!("kept-median-of", slices)
}

/// How the machine disturbed a block.
pub fn disturbance(causes: &[Cause]) -> String {
    let steal = |share: f64, whose: &str| {
        kept!("kept-disturbance-steal-the-hypervisor-took", share = format!("{:.1}", share * 100.0), whose)
    };
    let sentences = causes.iter().map(|cause| match *cause {
        Cause::GeneratorSteal(share) => steal(share, kept_word!("kept-disturbance-generators")),
        Cause::SubjectSteal(share) => steal(share, kept_word!("kept-disturbance-subjects")),
        Cause::Slower(drop) => {
            kept!("kept-disturbance-the-cpus-were-over", drop = format!("{:.0}", drop * 100.0))
        }
    });
    sentences.collect::<Vec<_>>().join("; ")
}

/// What pairs of slices with once and twice the threads came to; `of_all` where those of all variants were needed.
pub(crate) fn perturbation(check: &CheckName, found: &Perturbation, pairs: usize, of_all: bool) -> String {
    let what = if *check == CheckName::PerturbedP99 { "p99" } else { "throughput" };
    let whose = if of_all { kept_word!("kept-perturbation-of-all-variants") } else { "" };
    let pairs = kept!("kept-perturbation-pairs-of-slices", pairs, whose);
    match found {
        Perturbation::Unresolved { ratio: None, .. } => {
            kept_word!("kept-perturbation-perturbation-not-measured-no").to_string()
        }
        Perturbation::Unresolved { .. } => {
            kept!("kept-perturbation-could-not-check-whether", pairs)
        }
        Perturbation::Meaningless { .. } => {
            kept!("kept-perturbation-in-the-threads-share", what, pairs)
        }
        Perturbation::Within { .. } | Perturbation::Beyond { .. } => {
            kept!("kept-perturbation-in", what, pairs)
        }
    }
}

/// What a failed check says among the findings; `None` for one that did not fail.
pub fn finding(check: &FitnessCheck) -> Option<String> {
    let (found, limit) = (check.found?, check.limit?);
    if check.outcome != CheckOutcome::Failed {
        return None;
    }
    Some(match check.check {
        CheckName::Ceiling | CheckName::CeilingTail => kept!(
            "kept-finding-the-generator-ran-at",
            found = format!("{:.1}", found * 100.0),
            limit = format!("{:.0}", limit * 100.0),
            note = check.note
        ),
        CheckName::Hiccups => kept!(
            "kept-finding-generator-stalls-p99-ms",
            found = format!("{:.3}", found / 1e6),
            limit = format!("{:.2}", limit / 1e6),
            noted = noted(check)
        ),
        CheckName::LengthenedMean | CheckName::LengthenedP99 | CheckName::LengthenedP999 => kept!(
            "kept-finding-the-generators-own-delays",
            lengthened = lengthened(&check.check),
            found = format!("{:.0}", found * 100.0),
            limit = format!("{:.0}", limit * 100.0),
            noted = noted(check)
        ),
        CheckName::SendDelayTail => kept!(
            "kept-finding-late-sends-p99-ms",
            found = format!("{:.3}", found / 1e6),
            limit = format!("{:.3}", limit / 1e6),
            noted = noted(check)
        ),
        _ => kept!(
            "kept-finding-with-twice-the-threads",
            change = change(found),
            limit = format!("{:.0}", limit * 100.0),
            note = check.note
        ),
    })
}

/// A finding with where it was made.
pub(crate) fn finding_at(finding: &str, place: &str) -> String {
    kept!("kept-finding-at", finding, place)
}

/// A variant at a load point, in a slice.
pub(crate) fn in_slice(place: &str, block: u32, cycle: u32) -> String {
    kept!("kept-in-slice", place, block, cycle)
}

/// The same in a block.
pub(crate) fn in_block(place: &str, block: u32) -> String {
    kept!("kept-in-block", place, block)
}

/// The measure that a check is about.
fn lengthened(check: &CheckName) -> &'static str {
    match check {
        CheckName::LengthenedMean => kept_word!("kept-lengthened"),
        CheckName::LengthenedP99 => "p99",
        _ => "p99.9",
    }
}

fn noted(check: &FitnessCheck) -> String {
    if check.note.is_empty() { String::new() } else { kept!("kept-noted", note = check.note) }
}

fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// Of the requests of a trial.
pub(crate) const SENT: Kept = Kept("kept-sent");

/// Of the requests of a trial.
pub(crate) const CARRIED: Kept = Kept("kept-carried");

/// The server did not outlive the trial.
pub(crate) const SERVER_GONE: Kept = Kept("kept-server-gone");

/// A measure of a trial without a value.
pub(crate) fn no_value(measure: &str) -> String {
    kept!("kept-no-value", measure)
}

/// A term of the objective.
pub(crate) fn does_not_hold(term: &str) -> String {
    kept!("kept-does-not-hold", term)
}

/// Requests that are in no quantile of a term.
pub(crate) fn unended(term: &str, unended: u64, of: u64) -> String {
    kept!("kept-unended-of-requests-never-came", term, unended, of)
}

/// A trial without a request.
pub(crate) const NOTHING_DUE: Kept = Kept("kept-nothing-due");

/// Less than was to be: `only 97.2 % of the planned requests were sent`.
pub(crate) fn only(share: f64, what: &str) -> String {
    kept!("kept-only", share = format!("{:.1}", share * 100.0), what)
}

/// A check without a finding of its own.
pub(crate) fn check_failed(check: &CheckName) -> String {
    kept!("kept-check-failed", check = check.name())
}

/// The connections were the limit.
pub(crate) fn connections_busy(most: u32) -> String {
    kept!("kept-connections-busy-all-connections-were-busy", most)
}

/// Why a sitting is over that left no word of its end.
pub(crate) const ENDED_WITHOUT_A_WORD: Kept = Kept("kept-ended-without-a-word");

/// Why a block is not whole.
pub(crate) const EVERY_VARIANT_LOST: Kept = Kept("kept-every-variant-lost");

/// Why a block is not whole.
pub(crate) fn too_few_slices(found: usize, expected: usize) -> String {
    kept!("kept-too-few-slices", found, expected)
}

/// Why a block is not read to its end.
pub(crate) fn line_unreadable(number: usize, why: &impl std::fmt::Display) -> String {
    kept!("kept-line-unreadable", number, why = why.to_string())
}

/// Why a block is not read to its end.
pub(crate) fn line_cut_off(number: usize) -> String {
    kept!("kept-line-cut-off", number)
}

/// Why a block is not read to its end.
pub(crate) fn too_many_lines(most: usize) -> String {
    kept!("kept-too-many-lines", most)
}
