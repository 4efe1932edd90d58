//! Analysis of a record: observations for the judge, checks of the generator and the machine, searches, soaks, steady
//! states, comparisons of runs.
//!
//! Everything is a function of a [`Run`](proofload_store::Run), or of its plan.

#![forbid(unsafe_code)]

pub mod compare;
pub mod figures;
pub mod limits;

mod capacities;
mod capacity;
mod cells;
mod changes;
mod checks;
mod claims;
mod conclusions;
mod conditions;
mod error;
mod estimate;
mod expected;
mod exploratory;
mod factors;
mod fitness;
mod guard;
mod hints;
mod judged;
mod merge;
mod observe;
mod own;
mod planned;
mod points;
mod pooled;
mod reasons;
mod requests;
mod result;
mod runs;
mod scalability;
mod series;
mod sittings;
mod slicing;
mod soak;
mod steady;
mod streams;
mod threshold;
mod trends;
mod unfit;

pub use capacity::{SeenTrial, searches, trial_slices};
pub use cells::{CellKey, Cells, answered_over};
pub use changes::COMPARED;
pub use checks::{ANSWER_CLASSES, answer_bytes, answer_class, check_ceiling, finding, lacks_agents_only};
pub use claims::{Judgements, allows_both, is_early, reason_in_sentence};
pub use conditions::{conditions_vary, fixed_conditions, level_of, levels_of};
pub use error::AnalysisError;
pub use estimate::stored;
pub use expected::reported_measures;
pub use fitness::{counting_blocks, disturbances, left_out};
pub use hints::hints;
pub use judged::{RunJudge, all_told, is_told, judged, measures_of};
pub use observe::{condense, observations, observations_of};
pub use planned::{PlanError, design_of, restore};
pub use points::{enter_checks, points};
pub use pooled::{conditions_of, earlier_sittings, pooled};
pub use reasons::{reason, reasons};
pub use result::{Analysed, Overall, of_run, overall};
pub use runs::{baseline, diff, diff_of, history};
pub use sittings::{overall_of_sittings, sittings};
pub use slicing::{Answers, FirstBlock, choose_slicing, first_slicing};
pub use steady::steady_states;
pub use threshold::{judged_on_one, names_of_one, of_run_with, thresholds};
