//! JSON Schemas of everything that is written.

use crate::schema::{
    Ceiling, Environment, HistoryEntry, KeptSpreads, Network, NoiseAudit, Plan, RunDiff, RunResult,
    SittingsResult, Slice, Slicing, Status, SubjectFacts, TuneResult, WarmUp,
};
use schemars::schema_for;
use serde_json::Value;

/// File name and JSON Schema (2020-12) of every stored format, for `schema/`; in alphabetical order, whatever order the types have.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("result.schema.json", schema_for!(RunResult).to_value()),
        ("plan.schema.json", schema_for!(Plan).to_value()),
        ("slice.schema.json", schema_for!(Slice).to_value()),
        ("environment.schema.json", schema_for!(Environment).to_value()),
        ("status.schema.json", schema_for!(Status).to_value()),
        ("subjects.schema.json", schema_for!(SubjectFacts).to_value()),
        ("slicing.schema.json", schema_for!(Slicing).to_value()),
        ("warm-up.schema.json", schema_for!(WarmUp).to_value()),
        ("ceiling.schema.json", schema_for!(Ceiling).to_value()),
        ("network.schema.json", schema_for!(Network).to_value()),
        ("noise.schema.json", schema_for!(NoiseAudit).to_value()),
        ("spreads.schema.json", schema_for!(KeptSpreads).to_value()),
        ("tune.schema.json", schema_for!(TuneResult).to_value()),
        ("history.schema.json", schema_for!(HistoryEntry).to_value()),
        ("diff.schema.json", schema_for!(RunDiff).to_value()),
        ("sittings.schema.json", schema_for!(SittingsResult).to_value()),
    ];
    all.iter_mut().for_each(|(_, schema)| schema.sort_all_objects());
    all
}
