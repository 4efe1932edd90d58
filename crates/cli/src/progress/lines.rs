//! Lines that stay: what a person should still be able to read when the run is over, and where it stands, where there is no
//! terminal to draw on.

use super::rows::{ClaimRow, WIDE, is_ratio};
use proofload_lab::runner::Progress;
use proofload_report::number;
use proofload_stats::{Judgement, Measure};
use proofload_store::SeenTrial;
use proofload_store::schema::Ceiling;

/// What is to be said of a step; `None` for one that leaves nothing to read. A block is a `restart` or a `round`.
pub fn of(progress: &Progress<'_>, replicate: &str) -> Option<String> {
    Some(match progress {
        Progress::Disturbed { block, why } => {
            format!("{replicate} {block} is left out for all variants: {why}")
        }
        Progress::Tried { variant, number, trial } => trial_line(variant, *number, trial),
        Progress::Skipped { skipped } => {
            format!("left out from now on, every claim about it is settled: {}", skipped.join(", "))
        }
        Progress::Noticed { block, what } => format!("{replicate} {block}: {what}"),
        Progress::Lost { variant, why, .. } => format!("{variant} is lost for this {replicate}: {why}"),
        Progress::GivenUp { variant, why, .. } => format!("{variant} is given up: {why}"),
        _ => return None,
    })
}

/// What was measured or chosen on the way, by which the run goes on.
pub fn chosen(progress: &Progress<'_>, replicate: &str) -> Option<String> {
    Some(match progress {
        Progress::Ceiling { point, found: Some(found) } => ceiling_line(point, found),
        Progress::Slices { slicing } => format!(
            "turns of {:.2} s, {} of each server in a {replicate}: 99 % of the answers come within {:.1} ms",
            slicing.slice_ns as f64 / 1e9,
            slicing.cycles,
            slicing.slices_p99_ns as f64 / 1e6
        ),
        Progress::Cycles { planned, slicing } => format!(
            "turns of each server in a {replicate} from now on: {} instead of {planned}, by the spread seen so far",
            slicing.cycles
        ),
        _ => return None,
    })
}

/// The claims as they stand after so many restarts or rounds, in a line.
pub fn look(
    claims: &[ClaimRow],
    blocks: u32,
    replicate: &str,
    judgement: &Judgement,
    time_left: &str,
) -> String {
    let interval = |claim: &ClaimRow| match &claim.estimate {
        Some(e) if is_ratio(e) && e.high / e.low < WIDE => {
            format!("{}: {} {:.2} [{:.2}, {:.2}]", claim.name, claim.verdict.name(), e.point, e.low, e.high)
        }
        _ => format!("{}: {}", claim.name, claim.verdict.name()),
    };
    let intervals: Vec<String> = claims.iter().map(interval).collect();
    let counted = format!("{blocks} {replicate}{}", if blocks == 1 { "" } else { "s" });
    let left = judgement.left.map_or(String::new(), |_| format!("; {time_left}"));
    format!("after {counted}: {}{left}", intervals.join("; "))
}

/// A trial of a search, in a line.
fn trial_line(variant: &str, number: usize, seen: &SeenTrial) -> String {
    let shown = &seen.shown;
    let values: Vec<String> = shown
        .values
        .iter()
        .map(|(name, value)| {
            let unit = Measure::parse(name).map_or("count", Measure::unit);
            let value = value.map_or_else(|| "nothing".to_string(), |value| number::with_unit(value, unit));
            format!("{name} {value}")
        })
        .collect();
    let fresh = if shown.fresh { ", fresh" } else { "" };
    format!(
        "{variant}, trial {number} ({}{fresh}): {} {}, {}",
        shown.stage,
        number::with_unit(shown.rate_per_s, "per_s"),
        shown.outcome.name().replace('_', "-"),
        values.join(", ")
    )
}

/// What was found of a ceiling, in a line.
pub fn ceiling_line(point: &str, found: &Ceiling) -> String {
    let kib = found.answer_bytes >> 10;
    match found.exchanges_per_s {
        Some(rate) => {
            let from = if found.cached { ", from the cache" } else { "" };
            format!(
                "the generator's ceiling at {point}, answers up to {kib} KiB: {rate:.0} exchanges/s{from}"
            )
        }
        None => format!("the generator's ceiling at {point} is not measured: {}", found.why),
    }
}
