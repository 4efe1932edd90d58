//! A local web page over `runs/`: the list of runs, a run's report, two runs side by side, the running study as it goes on.
//!
//! It listens on the loopback address alone, answers only requests with the token of the address that it prints, and
//! reads `runs/` and nothing else. Without requests it does nothing; see `docs/ui.md` for the cost of a request to a
//! measurement.

mod compare;
mod error;
mod frame;
mod gate;
mod kept;
mod list;
mod live;
mod messages;
mod records;
mod report;
mod route;
mod rows;
mod server;
mod site;
mod token;

pub use error::UiError;
pub use server::Server;
