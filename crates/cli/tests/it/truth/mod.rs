//! Whole studies whose right answer is known: the real runner, record and judge, over servers that are simulated in
//! virtual time or misbehave on purpose. Each prints the line that `cargo xtask truth` collects.

mod answers;
mod assembled;
mod bench;
mod generator;
mod mm1;

#[path = "../../../../stats/tests/it/replay/recorded.rs"]
mod recorded;

use crate::support;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
