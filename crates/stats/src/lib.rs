//! Numbers in, verdicts out: estimates, claims, bounds. Pure and seeded; takes slices, returns values.
//!
//! [`judge`] is the only door to a verdict: the runner (when to stop), the report and the exit code all
//! call it on the observations that the store yields.

#![forbid(unsafe_code)]

mod claim;
mod observation;
mod verdict;

pub use claim::{Claim, ClaimError, Comparison, Measure, Names, Selector, Side, Term};
pub use observation::{Cell, Observations, Replication};
pub use verdict::{Design, Estimate, Judged, Judgement, Reason, Verdict, judge};
