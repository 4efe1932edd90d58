//! Whether the method errs as rarely as it says.

mod capacity;
mod change;
mod golden;
mod intervals;
mod regression;
mod replay;
mod trend;
