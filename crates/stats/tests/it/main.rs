//! Whether the method errs as rarely as it says.

#![allow(clippy::print_stdout, reason = "tests may")]

mod capacity;
mod change;
mod golden;
mod intervals;
mod regression;
mod replay;
mod trend;
