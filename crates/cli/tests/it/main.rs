//! The executable, as a person runs it.

#![allow(clippy::disallowed_methods, clippy::print_stderr, clippy::unwrap_used, reason = "tests may")]

mod adding;
mod agents;
mod bad_input;
mod calls;
mod capacity;
mod command_line;
mod corpus;
mod docs;
mod drivers;
mod examples;
mod exports;
mod failures;
mod families;
mod fitness;
mod formats;
mod history;
mod init;
mod language;
mod lifecycle;
mod live;
mod loads;
mod measure;
mod missing;
mod noise;
mod open_loop;
mod places;
mod processes;
mod records;
mod replicate;
mod reproductions;
mod requests;
mod secrets;
mod security;
mod soak;
mod spreads;
mod study;
mod subjects;
mod support;
mod tls;
mod truth;
mod ui;
mod untrusted;
mod workflows;
