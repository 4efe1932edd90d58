//! Whole studies whose right answer is known: the real runner, record and judge, over servers that are simulated in
//! virtual time or misbehave on purpose. Each prints the line that `cargo xtask truth` collects.

mod answers;
mod assembled;
mod bench;
mod generator;
mod mm1;

#[path = "../../../stats/tests/replay/recorded.rs"]
mod recorded;

/// The executable, as a person runs it.
#[path = "../support/mod.rs"]
mod support;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;
