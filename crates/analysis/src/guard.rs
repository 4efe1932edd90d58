//! Reasons not to report the speed of a variant at a load point, whatever was measured there.

use proofload_facts::Reason;
use proofload_stats::{Cell, ERROR_SHARE_MAX, share_of_errors};

/// The reason, of one variant's cells of a measure at a load point: the generator was the limit, or too many exchanges
/// failed. `None` where nothing forbids it.
pub(crate) fn against<'a>(cells: impl Iterator<Item = &'a Cell> + Clone) -> Option<Reason> {
    if let Some(finding) = cells.clone().find_map(|cell| cell.unfit.first()) {
        return Some(Reason::ClientLimited { what: finding.clone() });
    }
    let errors = cells.clone().fold(0, |sum: u64, cell| sum.saturating_add(cell.errors));
    let finished = cells.fold(0, |sum: u64, cell| sum.saturating_add(cell.finished));
    let share = share_of_errors(errors, finished);
    (share > ERROR_SHARE_MAX).then_some(Reason::FailedShare { error_share: share })
}
