//! The table of settings that matter.

use crate::messages;
use crate::messages::blocks;
use crate::shown::Table;
use proofload_language::{Columns, tr};
use proofload_store::schema::{FactorEffect, LevelChange, RunResult};

/// A row for each effect; nothing where nothing was looked at.
pub(crate) fn table(result: &RunResult) -> Option<Table> {
    let factors = result.factors.as_ref().filter(|factors| !factors.effects.is_empty())?;
    let row = |effect: &FactorEffect| {
        vec![
            changes(&effect.changes),
            messages::at(&effect.measure, &effect.point),
            messages::interval(&effect.estimate),
            finding(&effect.finding, effect.changes.len() > 1).to_string(),
            combinations(effect.matched, effect.combinations, effect.blocks),
        ]
    };
    Some(Table::with(tr!("factors"), Columns::<5>("factor-columns"), factors.effects.iter().map(row)))
}

/// `heap: 256m → 1g`; of an interaction both.
fn changes(changes: &[LevelChange]) -> String {
    let said = changes
        .iter()
        .map(|it| tr!("labelled", label = it.factor, what = format!("{} → {}", it.from, it.to)));
    said.collect::<Vec<_>>().join(tr!("between-changes"))
}

/// Finding of an interval about a setting.
fn finding(finding: &str, together: bool) -> &'static str {
    match (finding, together) {
        ("matters", false) => tr!("chart-matters"),
        ("matters", true) => tr!("finding-matters-each-depends-on"),
        ("practically equal", false) => tr!("finding-equal-within"),
        ("practically equal", true) => tr!("finding-depends-on-the-other"),
        _ => tr!("finding-not-told-apart"),
    }
}

/// Over how much of the grid an effect is the mean.
fn combinations(matched: u32, of: u32, n: u32) -> String {
    tr!("combinations", all = matched == of, matched, of, blocks = blocks(n))
}
