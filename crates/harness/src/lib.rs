//! Other people's processes: subjects, telemetry, host audit, studies, plans and the runner.

pub mod host;
pub mod plan;
pub mod study;
pub mod subject;
pub mod telemetry;
