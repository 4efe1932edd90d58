//! The table of settings that matter.

use crate::messages;
use crate::shown::Table;
use proofload_store::schema::{FactorEffect, RunResult};

/// A row for each effect; nothing where nothing was looked at.
pub(crate) fn table(result: &RunResult) -> Option<Table> {
    let factors = result.factors.as_ref().filter(|factors| !factors.effects.is_empty())?;
    let row = |effect: &FactorEffect| {
        vec![
            messages::changes(&effect.changes),
            messages::measured_at(&effect.measure, &effect.point),
            messages::interval(&effect.estimate),
            messages::finding(&effect.finding, effect.changes.len() > 1).to_string(),
            messages::combinations(effect.matched, effect.combinations, effect.blocks),
        ]
    };
    Some(Table {
        title: messages::FACTORS.to_string(),
        header: messages::FACTOR_COLUMNS.map(str::to_string).to_vec(),
        rows: factors.effects.iter().map(row).collect(),
    })
}
