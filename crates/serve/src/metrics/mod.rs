//! Figures of a run while it goes on: a page that Prometheus scrapes, and pushes by OTLP.
//!
//! A load reports its progress to a [`Hub`], without waiting. Both exporters have a thread of their own, off the
//! generator's CPUs, and make both formats of the same [`Figures`].

mod catalogue;
mod figures;
mod hub;
mod load;
mod otlp;
mod prometheus;
mod protobuf;
mod push;
mod scrape;
mod settings;
mod sheet;
mod state;

pub use catalogue::{ALL, About, Kind, Unit};
pub use figures::{Cost, Own};
pub use hub::Hub;
pub use otlp::{Moment, otlp};
pub use prometheus::Format;
pub use push::Push;
pub use scrape::Server;
pub use settings::{Mistake, OtlpSettings, address};
pub use sheet::{Family, Figures, Sample, Times, Value};
pub use state::{Doing, State};
