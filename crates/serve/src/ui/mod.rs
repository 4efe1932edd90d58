//! A local web page over `runs/`: the list of runs, a run's report, two runs side by side, the running study as it goes on.
//!
//! It listens on the loopback address alone, answers only who knows the token in the address that it prints, and reads
//! `runs/` and nothing else. While nobody asks it does nothing; see `docs/ui.md` for what asking costs a measurement.

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
