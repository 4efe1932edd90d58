//! Pages over HTTP of this machine: records in a browser, and figures of a run while it goes on.

#![forbid(unsafe_code)]

mod answer;
pub mod metrics;
pub mod ui;
