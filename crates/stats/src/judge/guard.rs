//! What forbids a verdict however clear the interval is.

use super::series::Series;
use crate::Reason;

/// Error share above which nothing is said about speed: a fast error page is not throughput.
pub const ERROR_SHARE_MAX: f64 = 0.001;

/// Share of the blocks that may be lost.
pub(super) const LOST_SHARE_MAX: f64 = 0.2;

/// Share of the blocks that may be without a steady state.
const UNSTEADY_SHARE_MAX: f64 = 0.25;

/// Most failed checks that are told one by one: every claim on the slice repeats them.
const CHECKS_TOLD_MAX: usize = 1;

/// Every guard that holds the claim back, looking at the first `blocks` complete blocks.
pub(super) fn guards(series: &Series<'_>, blocks: u32, begun: u32) -> Vec<Reason> {
    let mut reasons = unfit(series, blocks);
    if series.is_of_speed() {
        reasons.extend(errors(series, blocks));
    }
    reasons.extend(lost(series, blocks, begun));
    reasons.extend(unsteady(series, blocks));
    reasons
}

/// Blocks in which a variant moved another way than the others while it was measured, or never settled. What is
/// counted over all exchanges does not rest on it.
fn unsteady(series: &Series<'_>, blocks: u32) -> Option<Reason> {
    let found = series.unsteady.iter().take(blocks as usize).filter(|unsteady| **unsteady).count() as u32;
    let too_many = f64::from(found) > UNSTEADY_SHARE_MAX * f64::from(blocks);
    (too_many && !series.is_of_errors()).then_some(Reason::NoSteadyState { blocks: found, of: blocks })
}

/// The messages as they are: each says where it was found.
fn unfit(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let mut seen: Vec<&str> = Vec::new();
    for cell in series.cells.iter().take(blocks as usize).flatten().flatten() {
        for message in &cell.unfit {
            if !seen.contains(&message.as_str()) {
                seen.push(message);
            }
        }
    }
    let more = seen.len().saturating_sub(CHECKS_TOLD_MAX);
    let told =
        seen.into_iter().take(CHECKS_TOLD_MAX).map(|what| Reason::ClientLimited { what: what.to_string() });
    let checks = if more == 1 { "check" } else { "checks" };
    let rest = (more > 0)
        .then(|| Reason::ClientLimited { what: format!("{more} more {checks} of the generator failed") });
    told.chain(rest).collect()
}

fn errors(series: &Series<'_>, blocks: u32) -> Vec<Reason> {
    let mut told: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut reasons = Vec::new();
    for (place, trial) in series.trials.iter().enumerate() {
        if told.contains(&(trial.variant, trial.point, trial.stream)) {
            continue;
        }
        told.push((trial.variant, trial.point, trial.stream));
        let (mut errors, mut finished) = (0_u64, 0_u64);
        for cell in series.cells.iter().take(blocks as usize).filter_map(|cells| cells[place]) {
            errors = errors.saturating_add(cell.errors);
            finished = finished.saturating_add(cell.finished);
        }
        let share = if errors == 0 { 0.0 } else { errors as f64 / finished.max(errors) as f64 };
        if share > ERROR_SHARE_MAX {
            reasons.push(Reason::Errors { variant: trial.variant, share });
        }
    }
    reasons
}

/// Blocks that count for nobody, when they are the most.
pub(super) fn disturbed(blocks: u32, disturbed: u32) -> Option<Reason> {
    let of = blocks.saturating_add(disturbed);
    (disturbed > blocks).then_some(Reason::Disturbed { blocks: disturbed, of })
}

/// Blocks lost to everyone, and those in which this claim has no value.
fn lost(series: &Series<'_>, blocks: u32, begun: u32) -> Option<Reason> {
    let missing = series.sides.iter().take(blocks as usize).filter(|sides| sides.is_none()).count();
    let lost = begun.saturating_sub(blocks).saturating_add(missing as u32);
    let of = begun.max(blocks);
    (f64::from(lost) > LOST_SHARE_MAX * f64::from(of)).then_some(Reason::BlocksLost { lost, of })
}
