//! The run directory: stored formats, versions, atomic writes; and the observations that the judge reads.
//!
//! A run is written by [`RunWriter`] and read by [`Run`]. Nothing here knows how a load is made, what a
//! sentence of a report says, or what time it is: wall-clock time is handed in. The bytes on disk are
//! described in `docs/formats.md`.

#![forbid(unsafe_code)]

pub mod compare;
pub mod layout;
pub mod schema;

mod atomic;
mod brief;
mod capacity;
mod checks;
mod condense;
mod conditions;
mod convert;
mod document;
mod error;
mod fitness;
mod joined;
mod judged;
mod list;
mod lock;
mod merge;
mod messages;
mod observe;
mod planned;
mod points;
mod redact;
mod run;
mod schemas;
mod series;
mod single;
mod sittings;
mod slicing;
mod soak;
mod steady;
mod streams;
mod writer;

pub use brief::{Brief, kept_baseline};
pub use capacity::{SeenTrial, search_terms, trial_of};
pub use checks::{
    ANSWER_CLASSES, answer_bytes, answer_class, check_ceiling, concerns_tails_only, lacks_agents_only,
};
pub use condense::condense;
pub use conditions::{condition_in_words, conditions_vary, fixed_in_words, level_of, levels_of};
pub use convert::{bad_answer, durations_of, ended_in_window, histograms_of, point_of};
pub use error::StoreError;
pub use fitness::Disturbance;
pub use joined::{conditions_of, earlier_sittings, joined, judged_over, runs_alike, sitting_cost};
pub use judged::{RunJudge, is_told, judged, measures_of};
pub use list::runs;
pub use lock::is_held;
pub use messages::{ANSWERS_TOO_LONG, disturbance, finding};
pub use observe::observations_of;
pub use planned::{PlanError, design_of, expectations_of, order_of, published_figures, restore};
pub use points::enter_checks;
pub use redact::{REDACTED, hide, is_sensitive, redact};
pub use run::{Block, GIVEN_UP, LostVariant, PartialBlock, Run, Spared};
pub use schemas::schemas;
pub use series::{RunSeries, comparable_series};
pub use single::{Single, SingleWriter};
pub use slicing::{Answers, FirstBlock, first_slicing};
pub use soak::{SoakMeasure, SoakSeries};
pub use writer::{BlockWriter, RunWriter, note};
