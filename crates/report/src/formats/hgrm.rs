//! HdrHistogram's percentile distribution as text, which wrk2 and `HistogramLogProcessor` print and its plotter draws.

use super::error::ExportError;
use super::error::decoded;
use hdrhistogram::Histogram;
use proofload_measure::LatencyHistogram;
use proofload_store::schema::{RunResult, Slice};
use std::collections::BTreeSet;

/// Lines for each halving of the distance to 100 %, as HdrHistogram's own tools have it.
const TICKS_PER_HALVING: f64 = 5.0;
/// Values are nanoseconds, and are shown in milliseconds.
const NS_PER_MS: f64 = 1e6;
/// Longest part of a file's name that one name of a study makes.
const NAME_PART_MAX: usize = 60;

/// The percentiles of one variant at one load point, of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hgrm {
    /// A part for the name of a file, of letters, digits and `._-`: `VARIANT-POINT`, with streams
    /// `VARIANT-STREAM-POINT`. No other of the same result has it.
    pub name: String,
    /// The distribution of response times, in milliseconds.
    pub text: String,
}

/// The distribution of response times of each variant at each load point, of each stream by itself, in the order of the
/// record. A condensed record has them, too.
///
/// # Errors
/// If nothing was measured, or a stored histogram cannot be read.
pub fn hgrm(result: &RunResult, slices: &[&Slice]) -> Result<Vec<Hgrm>, ExportError> {
    let mut groups: Vec<Group> = Vec::new();
    for slice in slices.iter().copied().filter(|slice| result.counts(slice)) {
        let response_time = decoded(slice, &slice.histograms.response_time)?;
        let unended = slice.measured.response_time_ns.unended;
        match groups.iter_mut().find(|group| group.first.label() == slice.label()) {
            Some(group) => {
                group.response_time.merge(&response_time);
                group.unended = group.unended.saturating_add(unended);
            }
            None => groups.push(Group { first: slice, response_time, unended }),
        }
    }
    if groups.is_empty() {
        return Err(ExportError::Nothing);
    }
    let mut names = BTreeSet::new();
    Ok(groups
        .iter()
        .map(|group| Hgrm { name: file_name(group.first, &mut names), text: text(group) })
        .collect())
}

struct Group<'a> {
    first: &'a Slice,
    response_time: LatencyHistogram,
    unended: u64,
}

fn text(group: &Group<'_>) -> String {
    let mut histogram =
        Histogram::<u64>::new_with_bounds(1, proofload_measure::MAX_NS, proofload_measure::DIGITS)
            .expect("the bounds are constants that the library accepts");
    group.response_time.counts().for_each(|(ns, n)| histogram.saturating_record_n(ns, n));
    let mut out =
        format!("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    steps(&histogram).iter().for_each(|step| out.push_str(&step.line()));
    out.push_str(&footer(&histogram));
    if group.unended > 0 {
        out.push_str(&format!(
            "#[Without an end = {}: unsent, timeout, unanswered; in none of the lines]\n",
            group.unended
        ));
    }
    out
}

/// A line of the distribution.
struct PercentileLine {
    ns: u64,
    percent: f64,
    seen: u64,
}

impl PercentileLine {
    fn line(&self) -> String {
        let share = self.percent / 100.0;
        // Java rounds halves up, Rust to even: what is added decides halves alone.
        let rounded = share + if self.percent < 100.0 { 1e-15 } else { 0.0 };
        let line = format!("{:>12} {rounded:.12} {:>10}", milliseconds(self.ns), self.seen);
        if self.percent < 100.0 {
            format!("{line} {:>14.2}\n", 1.0 / (1.0 - share))
        } else {
            format!("{line}\n")
        }
    }
}

/// The steps that HdrHistogram's Java takes, in per cent and in its order of operations: the library's own iterator counts
/// in shares of 1, and where a count meets a step exactly it may be one value further.
fn steps(histogram: &Histogram<u64>) -> Vec<PercentileLine> {
    let all = histogram.len();
    let (mut steps, mut seen, mut percent) = (Vec::new(), 0_u64, 0.0_f64);
    for bucket in histogram.iter_recorded() {
        seen = seen.saturating_add(bucket.count_at_value());
        let ns = bucket.value_iterated_to();
        while 100.0 * seen as f64 / all as f64 >= percent {
            steps.push(PercentileLine { ns, percent, seen });
            if seen == all {
                steps.push(PercentileLine { ns, percent: 100.0, seen });
                break;
            }
            let halvings = ((100.0 / (100.0 - percent)).ln() / 2.0_f64.ln()) as i32;
            percent += 100.0 / (TICKS_PER_HALVING * 2.0_f64.powi(halvings + 1));
        }
    }
    steps
}

fn footer(histogram: &Histogram<u64>) -> String {
    let (mean, deviation) = (histogram.mean() / NS_PER_MS, histogram.stdev() / NS_PER_MS);
    let sub_buckets = 2 * 10_u64.pow(proofload_measure::DIGITS.into());
    format!(
        "#[Mean    = {mean:>12.3}, StdDeviation   = {deviation:>12.3}]\n\
         #[Max     = {:>12}, Total count    = {:>12}]\n\
         #[Buckets = {:>12}, SubBuckets     = {:>12}]\n",
        milliseconds(histogram.max()),
        histogram.len(),
        histogram.buckets(),
        sub_buckets.next_power_of_two(),
    )
}

/// Three decimals, halves rounded up as Java does.
fn milliseconds(ns: u64) -> String {
    let us = ns.saturating_add(500) / 1_000;
    format!("{}.{:03}", us / 1_000, us % 1_000)
}

/// File name that every file system accepts, and that no two groups share.
fn file_name(slice: &Slice, taken: &mut BTreeSet<String>) -> String {
    let measured = &slice.measured;
    let parts = [&measured.variant, &measured.stream, &measured.point];
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| part.chars().take(NAME_PART_MAX).map(plain).collect())
        .collect();
    let name = parts.join("-");
    let again = (2..).map(|n: u32| format!("{name}-{n}"));
    let free = std::iter::once(name.clone()).chain(again).find(|name| taken.insert(name.clone()));
    free.unwrap_or(name)
}
