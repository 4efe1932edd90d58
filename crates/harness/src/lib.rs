//! Other people's processes: subjects, telemetry, host audit, studies, plans and the runner.

pub mod ceiling;
pub mod endpoint;
pub mod host;
pub mod noise;
pub mod plan;
pub mod runner;
pub mod study;
pub mod subject;
pub mod telemetry;
