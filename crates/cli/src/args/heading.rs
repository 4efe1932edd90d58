//! Headings of the help.

/// What is sent, and when.
pub const LOAD: &str = "Load";
/// What a request holds, and what its answer must.
pub const REQUESTS: &str = "Requests";
/// How connections are made and kept.
pub const CONNECTIONS: &str = "Connections";
/// How it is measured and judged.
pub const MEASUREMENT: &str = "Measurement";
/// How much time it takes.
pub const TIME: &str = "Time";
/// Where it runs.
pub const PLACES: &str = "Places";
/// The search of a capacity.
pub const SEARCH: &str = "Search";
/// The comparison with an earlier run.
pub const BASELINE: &str = "Baseline";
/// The audit of the noise.
pub const NOISE: &str = "Noise audit";
/// TLS of the reference server.
pub const TLS: &str = "TLS";
/// Where results go.
pub const OUTPUT: &str = "Output";
