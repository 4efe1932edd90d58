//! Warm-ups, as recorded.

use super::Steadiness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Warm-up of one variant in a block: an entry of `blocks/NNNN.warm-up.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmUp {
    /// The variant's name.
    pub variant: String,
    /// Reason for its end: `steady` by the rule; `cap` at its longest time, for others; `still_warming` at its
    /// longest time, while its compilers were at work or it changed as all variants did; `no_steady_state` at its
    /// longest time, while the variant went another way than the others; `not_measured` where neither its CPU per
    /// exchange nor its throughput tells anything; `fixed` where the preset or the user fixes the time.
    pub ended: Steadiness,
    /// From the first turn's beginning to the last one's end, the other variants' turns included.
    pub took_ns: u64,
    /// Length of the last turns; 0 where it was not recorded, which is taken for half a second.
    #[serde(default)]
    pub turn_ns: u64,
    /// True if its threads (of a JVM its compilers) could use the generator's CPUs until it ended.
    #[serde(default)]
    pub every_cpu: bool,
    /// Share of a core that the JIT compilers used over the last twenty turns; `null` without a JVM.
    pub jit_share: Option<f64>,
    /// Turns of each window below.
    #[serde(default)]
    pub window_turns: u32,
    /// CPU time per answered exchange in each window, from the first to the last; `null` where it is not known.
    #[serde(default)]
    pub windows_cpu_ns_per_exchange: Vec<Option<f64>>,
    /// The last window against the one before: 0.02 is 2 % more.
    pub change: Option<f64>,
    /// Largest such change that counts as none.
    pub change_allowed: Option<f64>,
    /// The same beyond what the others did.
    pub change_between: Option<f64>,
    /// Largest such change that counts as none.
    pub change_between_allowed: Option<f64>,
    /// The throughput of the last window against the one before; `null` where the load fixes it.
    pub throughput_change: Option<f64>,
    /// The same beyond what the others did.
    pub throughput_change_between: Option<f64>,
    /// Speed-up that was still going on, per ten seconds, by its throughput, else by its CPU: 0.02 is 2 %.
    pub slope_per_10s: Option<f64>,
    /// The same beyond what the others did.
    pub slope_between_per_10s: Option<f64>,
}

/// A variant's way to its steady state, over the complete blocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyState {
    /// The variant's name.
    pub variant: String,
    /// Its starts, in order.
    pub starts: Vec<SteadyStart>,
}

/// One start of a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyStart {
    /// The block.
    pub block: u32,
    /// `steady`; `cap`, `still_warming`, `no_steady_state` or `not_measured` as the warm-up ended; `late_step` where
    /// the warm-up ended well and the variant moved another way than the others while it was measured.
    pub found: Steadiness,
    /// The warm-up.
    pub warm_up: WarmUp,
    /// CPU time per answered exchange of each cycle, all load points together (geometric mean).
    pub cycles_cpu_ns_per_exchange: Vec<Option<f64>>,
    /// Cycles before the point that best divides them into an earlier and a later stretch. `null` when too little is
    /// known.
    pub step_after_cycles: Option<u32>,
    /// The later stretch against the earlier one: 0.02 is 2 % more.
    pub step: Option<f64>,
    /// The same beyond what the others did.
    pub step_between: Option<f64>,
    /// Largest such step that counts as none.
    pub step_allowed: Option<f64>,
}
