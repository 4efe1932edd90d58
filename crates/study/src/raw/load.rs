//! How much is asked, as editors see it.

use super::{RawDuration, RawEntry};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// One of several loads that run at once.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawStream {
    /// What it asks, by name.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 64))]
    workload: BTreeMap<String, RawEntry>,
    /// How much it asks; at most one stream has a ladder.
    load: RawLoad,
}

/// Closed (so many connections, each asks again when it is answered) or open (requests leave at their
/// times).
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawLoad {
    /// So many connections; each asks again when it is answered.
    Closed(RawClosed),
    /// Requests leave at their times, whatever the answers do.
    Open(RawOpen),
    /// Users that start over a ramp, ask so many times, and go.
    Users(RawUsers),
    /// The highest rate at which an objective holds is searched; such a study has no claims.
    Capacity(RawCapacity),
}

/// A search for a capacity.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawCapacity {
    /// What has to hold: `p99 < 50ms, errors < 0.1%`; at most 0.1 % errors where nothing is said of them.
    slo: RawObjective,
    /// Lowest rate that is tried; 100/s without.
    #[schemars(default)]
    from: Option<RawRate>,
    /// Highest rate that is tried; 20k/s without.
    #[schemars(default)]
    to: Option<RawRate>,
    /// Measured time of a trial (100ms to 1h); 20s without, 4s under --quick.
    #[schemars(default)]
    trial: Option<RawDuration>,
    /// Spacing of the intended times; poisson without.
    #[schemars(default)]
    arrival: Option<RawArrival>,
    /// Connections; without, or with `auto`, there are 16 at first and more while none is free.
    #[schemars(default)]
    connections: Option<RawOpenConnections>,
    /// More connections are opened, up to so many, while requests that are due find none free.
    #[schemars(default)]
    max_connections: Option<RawConnections>,
    /// What becomes of a request that finds no free connection; queue without.
    #[schemars(default)]
    overflow: Option<RawOverflow>,
    /// How late requests may be sent together to save CPU time (0s to 100ms); exact without.
    #[schemars(default)]
    coalesce: Option<RawDuration>,
    /// Reuse of connections: true, false, or a number of exchanges for each connection.
    #[schemars(default)]
    keep_alive: Option<RawKeepAlive>,
}

/// Conditions that all have to hold: one text with commas, or a list.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawObjective {
    One(#[schemars(regex(pattern = r"\S"))] String),
    Many(#[schemars(length(min = 1, max = 16))] Vec<RawCondition>),
}

/// `p99 < 50ms`.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub(super) struct RawCondition(#[schemars(regex(pattern = r"\S"))] String);

/// A closed loop.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("oneOf" = [{"required": ["connections"]}, {"required": ["stages"]}]))]
#[allow(dead_code)]
pub(super) struct RawClosed {
    /// Connections, or a ladder of them.
    #[schemars(default)]
    connections: Option<RawLadder>,
    /// So many requests over all connections, and the load is over.
    #[schemars(default, range(min = 1))]
    requests: Option<u64>,
    /// What the requests may take at most; 10m without.
    #[schemars(default)]
    cap: Option<RawDuration>,
    /// How long the load is held, with checkpoints for trends and leaks: `2h`.
    #[schemars(default)]
    soak: Option<RawDuration>,
    /// Time between two checkpoints of a soak; a sixtieth of it without.
    #[schemars(default)]
    checkpoint: Option<RawDuration>,
    /// Over how long the connections join; only with `for`.
    #[schemars(default)]
    ramp: Option<RawDuration>,
    /// How long the connections stay; the load is then carried out whole.
    #[schemars(default)]
    r#for: Option<RawDuration>,
    /// Connections over time, instead of a number of them.
    #[schemars(default, length(min = 1, max = 100))]
    stages: Option<Vec<RawStage>>,
    /// Pause between an answer and the next request; none without.
    #[schemars(default)]
    think: Option<RawThink>,
    /// Reuse of connections: true, false, or a number of exchanges for each connection.
    #[schemars(default)]
    keep_alive: Option<RawKeepAlive>,
}

/// An open loop.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("oneOf" = [
    {"required": ["rate"]}, {"required": ["stages"]}, {"required": ["trace"]}
]))]
#[allow(dead_code)]
pub(super) struct RawOpen {
    /// Intended requests per second, or a ladder of rates: `5k/s`.
    #[schemars(default)]
    rate: Option<RawRates>,
    /// The rate over time, instead of one that stays.
    #[schemars(default, length(min = 1, max = 100))]
    stages: Option<Vec<RawStage>>,
    /// How long the load is held, with checkpoints for trends and leaks: `2h`.
    #[schemars(default)]
    soak: Option<RawDuration>,
    /// Time between two checkpoints of a soak; a sixtieth of it without.
    #[schemars(default)]
    checkpoint: Option<RawDuration>,
    /// Recorded arrivals, instead of a rate.
    #[schemars(default)]
    trace: Option<RawTrace>,
    /// Spacing of the intended times; constant without.
    #[schemars(default)]
    arrival: Option<RawArrival>,
    /// Connections; 64 without. With `auto` there are 16 at first and more while none is free.
    #[schemars(default)]
    connections: Option<RawOpenConnections>,
    /// More connections are opened, up to so many, while requests that are due find none free.
    #[schemars(default)]
    max_connections: Option<RawConnections>,
    /// What becomes of a request that finds no free connection; queue without.
    #[schemars(default)]
    overflow: Option<RawOverflow>,
    /// How late requests may be sent together to save CPU time (0s to 100ms); exact without.
    #[schemars(default)]
    coalesce: Option<RawDuration>,
    /// Reuse of connections: true, false, or a number of exchanges for each connection.
    #[schemars(default)]
    keep_alive: Option<RawKeepAlive>,
}

/// Recorded arrivals: a file in the folder of the study, with a time in seconds on each line.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawTrace {
    File(#[schemars(regex(pattern = r"\S"))] String),
    Played(RawPlayed),
}

/// Recorded arrivals, and how they are played.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawPlayed {
    /// The file, in the folder of the study or below.
    #[schemars(regex(pattern = r"\S"))]
    file: String,
    /// How many times as fast; 1x without.
    #[schemars(default)]
    speed: Option<RawSpeed>,
    /// How often; once without.
    #[schemars(default, range(min = 1, max = 1_000_000))]
    repeat: Option<u32>,
    /// How much of it; all without.
    #[schemars(default, rename = "for")]
    length: Option<RawDuration>,
}

/// `2x`, `0.5`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawSpeed {
    Times(f64),
    Word(#[schemars(regex(pattern = r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*x\s*$"))] String),
}

/// A load of users.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawUsers {
    /// How many, or a ladder; each has a connection of its own.
    users: RawLadder,
    /// Over how long they start; all at once without.
    #[schemars(default)]
    ramp: Option<RawDuration>,
    /// How often each asks.
    #[schemars(range(min = 1, max = 1_000_000))]
    loops: u32,
    /// Pause between an answer and the next request; none without.
    #[schemars(default)]
    think: Option<RawThink>,
    /// Reuse of connections: true, false, or a number of exchanges for each connection.
    #[schemars(default)]
    keep_alive: Option<RawKeepAlive>,
    /// What the load may take at most; 10m without.
    #[schemars(default)]
    cap: Option<RawDuration>,
}

/// A stretch of time.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawStage {
    Ramp(RawRamp),
    Hold(RawHold),
    Ladder(RawSteps),
    Spike(RawSpike),
    Sine(RawSine),
}

/// `{ ramp: 0/s..2k/s, for: 10s }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawRamp {
    /// From one value to another.
    ramp: RawSpan,
    /// How long.
    #[schemars(rename = "for")]
    length: RawDuration,
}

/// `{ hold: 2k/s, for: 30s }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawHold {
    /// One value.
    hold: RawStageValue,
    /// How long.
    #[schemars(rename = "for")]
    length: RawDuration,
}

/// `{ ladder: 100/s..1k/s, steps: 10, each: 30s }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawSteps {
    /// The first step and the last.
    ladder: RawSpan,
    /// How many steps.
    #[schemars(range(min = 2, max = 100))]
    steps: u32,
    /// How long each is held.
    each: RawDuration,
}

/// `{ spike: 100/s..1k/s, at: 10s, lasts: 5s, for: 30s }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawSpike {
    /// The base before and after it, and its peak.
    spike: RawSpan,
    /// When it begins, from the start of the stage.
    at: RawDuration,
    /// How long it lasts.
    lasts: RawDuration,
    /// How long the whole stage is.
    #[schemars(rename = "for")]
    length: RawDuration,
}

/// `{ sine: 1k/s, amplitude: 500/s, period: 1m, for: 10m }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RawSine {
    /// The mean, where it begins, on its way up.
    sine: RawStageValue,
    /// How far it goes from the mean; at most the mean.
    amplitude: RawStageValue,
    /// From one crest to the next.
    period: RawDuration,
    /// How long.
    #[schemars(rename = "for")]
    length: RawDuration,
}

/// Two values: `0/s..2k/s`.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub(super) struct RawSpan(#[schemars(regex(pattern = r"^.+\.\..+$"))] String);

/// A rate such as `2k/s`, or a number of connections; 0 is a pause.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawStageValue {
    Number(#[schemars(range(min = 0))] u64),
    WithUnit(#[schemars(regex(pattern = r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*[kM]?\s*(/s)?\s*$"))] String),
}

/// A duration such as `50ms`, or a distribution of them: `exp:50ms`, `uniform:10ms..90ms`,
/// `lognormal:50ms,p99=1s`, `list:10ms,20ms`.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub(super) struct RawThink(
    #[schemars(regex(
        pattern = r"^\s*((const|exp|uniform|lognormal|list)\s*:)?\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*(ns|us|µs|μs|ms|s|m|min|h)"
    ))]
    String,
);

/// A number of connections.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub(super) struct RawConnections(#[schemars(range(min = 1, max = 100_000))] u32);

/// A number of connections, or `auto`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawOpenConnections {
    Number(RawConnections),
    Auto(RawAuto),
}

/// The tool chooses.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawAuto {
    /// As many as are needed.
    Auto,
}

/// What becomes of a request that finds no free connection.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawOverflow {
    /// It waits for one and keeps its intended time.
    Queue,
    /// It is not sent, and counted.
    Drop,
}

/// One number of connections, or a ladder.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawLadder {
    One(RawConnections),
    Many(#[schemars(length(min = 1, max = 16), extend("uniqueItems" = true))] Vec<RawConnections>),
}

/// One rate, or a ladder.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawRates {
    One(RawRate),
    Many(#[schemars(length(min = 1, max = 16), extend("uniqueItems" = true))] Vec<RawRate>),
}

/// Requests per second: `500`, `5k/s`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawRate {
    PerSecond(#[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100_000_000))] f64),
    WithUnit(#[schemars(regex(pattern = r"^\s*([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*[kM]?\s*(/s)?\s*$"))] String),
}

/// Spacing of intended times.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code)]
pub(super) enum RawArrival {
    /// Equal gaps.
    Constant,
    /// Exponential gaps.
    Poisson,
}

/// Reuse of connections.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(super) enum RawKeepAlive {
    Switch(bool),
    Every(#[schemars(range(min = 1))] u32),
}
