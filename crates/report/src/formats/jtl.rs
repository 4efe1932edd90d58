//! JMeter's results as CSV: a line for each exchange.
//!
//! A record holds histograms and counts, no single exchanges. So how many there are, how long they took, their outcomes,
//! and how many were answered in each second are real; which of a slice's exchanges came first is not known.

mod lines;

use super::error::ExportError;
use super::error::decoded;
use crate::escape;
use lines::{Lines, Share};
use proofload_measure::Outcome;
use proofload_store::schema::{RunResult, Slice};
use std::collections::BTreeMap;
use std::io::Write;

/// Most lines: about a gigabyte.
pub const JTL_LINES_MAX: u64 = 10_000_000;

/// The columns that JMeter's report asks for, in JMeter's order.
const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,failureMessage,bytes,\
                      sentBytes,grpThreads,allThreads,Latency\n";

/// The exchanges of a result.
pub struct Jtl<'a> {
    slices: Vec<&'a Slice>,
}

impl<'a> Jtl<'a> {
    /// The exchanges of the slices that count.
    ///
    /// # Errors
    /// If there are more than [`JTL_LINES_MAX`], or the record contradicts itself.
    pub fn of(result: &RunResult, slices: &[&'a Slice]) -> Result<Jtl<'a>, ExportError> {
        let mut slices: Vec<&Slice> = slices.iter().copied().filter(|slice| result.counts(slice)).collect();
        slices.sort_by_key(|slice| slice.started_unix_ns);
        let all = slices.iter().flat_map(|slice| slice.measured.outcomes.values());
        let exchanges = all.fold(0, |sum: u64, n| sum.saturating_add(*n));
        if exchanges > JTL_LINES_MAX {
            return Err(ExportError::TooManyLines { exchanges, most: JTL_LINES_MAX });
        }
        slices.iter().try_for_each(|slice| shares(slice).map(drop))?;
        Ok(Jtl { slices })
    }

    /// Writes all lines, slice by slice in order of time.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, to: &mut impl Write) -> Result<(), ExportError> {
        to.write_all(HEADER.as_bytes())?;
        for slice in &self.slices {
            Lines::of(slice, shares(slice)?).write(to)?;
        }
        Ok(())
    }
}

/// The exchanges of a slice, those together that have their line in common but for its time.
fn shares(slice: &Slice) -> Result<Vec<Share>, ExportError> {
    let response_time = decoded(slice, &slice.histograms.response_time)?;
    let unended = decoded(slice, &slice.histograms.unended)?;
    let mut left: Vec<(Outcome, u64)> = outcomes(slice);
    let answered: u64 =
        left.iter().filter(|(outcome, _)| *outcome == Outcome::Answered).map(|(_, n)| n).sum();
    if response_time.count() != answered {
        return Err(ExportError::Contradiction {
            block: slice.block,
            label: escape::line(&slice.label()),
            answered,
            timed: response_time.count(),
        });
    }
    let label = slice.label();
    let codes = codes(slice, &left);
    let text = |outcome: Outcome, label: &str| text(outcome, codes.get(outcome.name()), label);
    let mut shares = Vec::new();
    let answer = text(Outcome::Answered, &label);
    shares.extend(response_time.counts().map(|(ns, n)| Share { n, ns, text: answer.clone() }));
    left.retain(|(outcome, n)| *outcome != Outcome::Answered && *n > 0);
    // How long each of these was waited for in vain is known, and not which of them it was.
    let mut waited: Vec<(u64, u64)> = unended.counts().collect();
    waited.reverse();
    for (outcome, n) in left.iter_mut().filter(|(outcome, _)| outcome.is_unended()) {
        while let Some((ns, there)) = waited.last_mut().filter(|_| *n > 0) {
            let taken = (*n).min(*there);
            shares.push(Share { n: taken, ns: *ns, text: text(*outcome, &label) });
            (*n, *there) = (*n - taken, *there - taken);
            if *there == 0 {
                waited.pop();
            }
        }
    }
    // Nothing is known of how long these took; under a label of their own they make no server look fast.
    let failed = format!("{label}/failed");
    let untimed = left.into_iter().filter(|(_, n)| *n > 0);
    shares.extend(untimed.map(|(outcome, n)| Share { n, ns: 0, text: text(outcome, &failed) }));
    Ok(shares)
}

/// The outcomes of a slice in their order; one that this version does not know is never a success.
fn outcomes(slice: &Slice) -> Vec<(Outcome, u64)> {
    let known = |(name, n): (&String, &u64)| (Outcome::from_name(name).unwrap_or(Outcome::Internal), *n);
    let mut outcomes: Vec<(Outcome, u64)> = slice.measured.outcomes.iter().map(known).collect();
    outcomes.sort();
    outcomes
}

/// The code of each outcome, where counts leave no choice: as many codes as outcomes that have one, each of another
/// number, and no code of a redirect among them.
fn codes(slice: &Slice, outcomes: &[(Outcome, u64)]) -> BTreeMap<&'static str, String> {
    let has_code = |outcome| {
        matches!(outcome, Outcome::Answered | Outcome::Rejected | Outcome::Mismatch | Outcome::NotCaptured)
    };
    let outcomes = || outcomes.iter().filter(|(outcome, n)| has_code(*outcome) && *n > 0);
    let codes = &slice.measured.codes;
    let paired = outcomes().filter_map(|(outcome, n)| {
        let mut same = codes.iter().filter(|(_, of)| *of == n);
        let (code, _) = same.next().filter(|_| same.next().is_none())?;
        Some((outcome.name(), code.clone()))
    });
    let paired: BTreeMap<_, _> = paired.collect();
    let each = outcomes().count() == codes.len() && paired.len() == codes.len();
    if each && slice.measured.redirects == 0 { paired } else { BTreeMap::new() }
}

/// The columns from the label to the message of a failure.
fn text(outcome: Outcome, code: Option<&String>, label: &str) -> String {
    // Some readers take each line by itself.
    let one = |text: &str| escape::csv(&escape::line(text).replace('\t', "\\t"));
    let (label, name) = (one(label), outcome.name());
    let code = code.map_or(name.to_string(), |code| one(code));
    let is_good = outcome == Outcome::Answered;
    let message = if is_good { "" } else { name };
    format!("{label},{code},{name},{label},{is_good},{message}")
}
