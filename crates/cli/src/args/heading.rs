//! Headings of the help.

/// Requests that are sent, and their times.
pub const LOAD: &str = "Load";
/// Content of a request, and conditions on its answer.
pub const REQUESTS: &str = "Requests";
/// Opening and keeping of connections.
pub const CONNECTIONS: &str = "Connections";
/// Measurement and judgement.
pub const MEASUREMENT: &str = "Measurement";
/// Time that it takes.
pub const TIME: &str = "Time";
/// Machines that it runs on.
pub const PLACES: &str = "Places";
/// The search of a capacity.
pub const SEARCH: &str = "Search";
/// The comparison with an earlier run.
pub const BASELINE: &str = "Baseline";
/// The audit of the noise.
pub const NOISE: &str = "Noise audit";
/// TLS of the reference server.
pub const TLS: &str = "TLS";
/// Destinations of results.
pub const OUTPUT: &str = "Output";
