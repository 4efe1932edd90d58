//! Error rates of the method, against the stated ones.

#![allow(clippy::print_stdout, reason = "tests may")]

mod capacity;
mod change;
mod golden;
mod intervals;
mod regression;
mod replay;
mod trend;
