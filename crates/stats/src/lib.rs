//! Numbers in, verdicts out: estimates, claims, bounds. Pure and seeded; takes slices, returns values.
//!
//! [`judge`] is the only door to a verdict (and [`judge_seen`] to one about a single measurement): the runner (when to
//! stop), the report and the exit code all call it on the observations that the store yields.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod capacity;
pub mod change;
pub mod chi_square;
mod claim;
pub mod components;
mod dependence;
mod design;
mod expectation;
mod factors;
mod fitness;
pub mod hodges_lehmann;
mod interval;
mod judge;
pub mod noise;
mod observation;
mod pairs;
mod published_consistency;
pub mod rng;
pub mod sample;
mod scalability;
mod sittings;
mod spread;
pub mod steady;
pub mod student;
pub mod trend;
pub mod tune;
mod verdict;

pub use claim::{
    Claim, ClaimError, Comparison, ConditionNames, FigureOf, Measure, Names, Selector, Side, Source, Term,
    parse_claim,
};
pub use design::{A_PRIORI_SPREAD, Design, Kind, KnownSpread, LentSpread, next_look, projected_blocks};
pub use expectation::{Expectation, Outcome, Published, parse_expectation, parse_published, reasons_of};
pub use factors::{Change, Combination, Contrast, Effect, Effects, Finding, Grid, effects};
pub use fitness::{Counts, Perturbation, Speeds, is_slower, perturbation};
pub use interval::{
    MeanInterval, RatioInterval, Spread, TAIL_EXCHANGES_MIN, beyond, fewest_beyond, mean_over_blocks,
    ratio_unpaired, spread,
};
pub use judge::{
    Counterpart, ERROR_SHARE_MAX, figure_of, first_values, judge, judge_regressions, judge_seen, outlook,
    reach_in, share_of_errors, sitting_values, sitting_values_of_figure, slice_length, slice_pairs,
};
pub use observation::{Cell, LostStart, Observations, Reach, Replication, SeenErrors, Unsteady};
pub use pairs::{CellKey, block_log_ratios};
pub use published_consistency::{Contradiction, InFlight, SLACK, contradictions};
pub use scalability::{
    Fitted, Ladder, NoKnee, NoLadder, NoPeak, PlateauFrom, Rung, Scalability, scalability,
};
pub use sittings::{Between, EARLIER_SITTINGS_MIN, Heterogeneity, SITTING_BLOCKS_MIN, Sittings};
pub use spread::{common_spread, pooled_between};
pub use verdict::{
    Borrowed, Estimate, Judged, Judgement, Lender, Lent, Outlook, OverSittings, Projection, Reason, Scope,
    Verdict,
};
