//! The laboratory: from a checked study to a record. Plans, the runner, searches, the noise audit and the ceiling.

pub mod cause;
pub mod ceiling;
mod checks;
pub mod debug;
pub mod endpoint;
pub mod generator_settings;
mod messages;
mod network;
pub mod noise;
pub mod plan;
mod registry;
pub mod runner;
pub mod spreads;
pub mod study_run;
pub mod tune;

#[cfg(test)]
mod tests;
