//! Study files: text, then a tree with places, then a checked [`Study`] that cannot be wrong.
//!
//! [`load`] reports every mistake at once, each with its file, line, key and remedy; everything after this
//! module relies on what was checked here. [`study_schema`] is the same format for editors.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start and time what they need"))]

mod answers;
mod bind;
mod body_file;
mod call;
mod capacity;
mod claims;
mod combinations;
mod command;
mod conclusions;
mod conditions;
mod declarations;
pub mod distribution;
pub mod encode;
mod expectations;
mod feeders;
pub mod field;
mod flags;
mod hold;
mod include;
mod journeys;
mod json_body;
pub mod keys;
mod load;
mod mix;
mod mode;
mod model;
mod name;
mod named;
pub mod overflow;
mod parse;
pub mod placeholder;
mod places;
mod points;
pub mod problem;
mod protocol;
pub mod quantity;
pub mod redact;
mod request;
mod request_defaults;
mod restrict;
mod schema;
mod set;
mod shape;
mod soak;
mod source;
mod split;
pub mod stages;
mod streams;
mod subjects;
mod suggest;
mod table;
mod template;
pub mod trace;
pub mod transport;
mod url;
mod write;
mod writing;
pub mod yaml;

pub use bind::local_address;
pub use capacity::{FROM as CAPACITY_FROM, TO as CAPACITY_TO};
pub use conclusions::Conclusion;
pub use conditions::{Condition, Conditions};
pub use declarations::{Declarations, Parameter, ParameterKind};
pub use encode::FOLLOW_MAX;
pub use expectations::{ExpectedRow, Reference};
pub use flags::{Draft, Said};
pub use load::{CAP_NS, IN_FLIGHT_MAX};
pub use mode::Mode;
pub use model::{CapacityLoad, Journeys, Server, Stream, Study, SubjectSpec, Variant, WorkloadEntry};
pub use name::is_level;
pub use named::read_named;
pub use parse::{Options, load, parse};
pub use places::StudyPlaces;
pub use points::think;
pub use problem::{Problem, Problems, told};
pub use protocol::{SPEAKS_TEXTS, Speaks};
pub use quantity::{duration, header, keep_alive, rate, size};
pub use request::{Asked, Auth, Body, FormPart, FormValue, Shown};
pub use schema::study_schema;
pub use shape::{LoadPoint, LoadRole, OpenTerms};
pub use soak::CHECKPOINTS_MAX;
pub use source::memory_bytes;
pub use suggest::{nearest, not_one_of, unknown};
pub use transport::{Passage, ProxyOptions};
pub use url::{ParsedUrl, parse_url, parse_url_unresolved};

#[cfg(test)]
pub(crate) mod tests;
