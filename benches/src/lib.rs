//! Shared parts of the programs that measure Proofload itself: a subject, clients, paired runs, a canary.
//!
//! The protocol: client on CPU 0, subject on CPU 1, each figure the median over pairs of the ratio of the two clients'
//! figures, the order swapped in every other pair, with a bootstrap 95 % interval of that median. CPU is user and system
//! time of the whole client process (`wait4`), start-up and connecting included, over answered requests.

pub mod canary;
pub mod child;
pub mod clients;
pub mod flags;
pub mod fleet;
pub mod merged;
pub mod pairs;
pub mod played;
pub mod series;
pub mod subject;
pub mod usage;

/// CPU of clients.
pub const CLIENT_CPU: usize = 0;
/// CPU of the subject.
pub const SUBJECT_CPU: usize = 1;
