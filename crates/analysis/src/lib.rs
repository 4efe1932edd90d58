//! What a record says: observations that the judge reads, checks of the generator and the machine, searches, soaks, steady
//! states, comparisons of runs.
//!
//! Everything is a function of a [`Run`](proofload_store::Run), or of its plan.

#![forbid(unsafe_code)]

pub mod compare;

mod capacity;
mod checks;
mod conditions;
mod fitness;
mod joined;
mod judged;
mod merge;
mod observe;
mod planned;
mod points;
mod reasons;
mod series;
mod slicing;
mod soak;
mod steady;
mod streams;

pub use capacity::{SeenTrial, search_terms, searches, trial_of, trial_slices};
pub use checks::{
    ANSWER_CLASSES, answer_bytes, answer_class, check_ceiling, concerns_tails_only, finding,
    lacks_agents_only,
};
pub use conditions::{conditions_vary, fixed_conditions, level_of, levels_of};
pub use fitness::{Disturbance, counting_blocks, disturbances, left_out};
pub use joined::{conditions_of, earlier_sittings, joined, judged_over, runs_alike, sitting_cost};
pub use judged::{RunJudge, is_told, judged, measures_of};
pub use observe::{condense, observations, observations_of};
pub use planned::{PlanError, design_of, expectations_of, published_figures, restore};
pub use points::{enter_checks, points};
pub use reasons::{reason, reasons};
pub use series::{RunSeries, comparable_series};
pub use slicing::{Answers, FirstBlock, choose_slicing, first_slicing};
pub use soak::{SoakMeasure, SoakSeries, soak_series, soaks};
pub use steady::steady_states;
