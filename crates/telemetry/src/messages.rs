//! The sentences about what was not measured, which a record keeps; another language replaces this module.

use proofload_language::{Kept, kept};
use std::fmt::Display;

/// Of connections to back ends.
pub(super) const NO_BACKEND: Kept = Kept("kept-no-backend");
/// Of connections to back ends.
pub(super) const BACKEND_LATE: Kept = Kept("kept-backend-late");

/// Of connections to back ends.
pub(super) fn backend_lost(lost: u64, of: u64) -> String {
    kept!("kept-backend-lost", lost, of)
}

/// Of connections to back ends.
pub(super) fn no_backend_dump(why: &impl Display) -> String {
    kept!("kept-no-backend-dump", why = why.to_string())
}

/// Of listening sockets.
pub(super) fn no_queue_dump(why: &impl Display) -> String {
    kept!("kept-no-queue-dump", why = why.to_string())
}

/// Of all sockets.
pub(super) fn no_diagnosis(why: &impl Display) -> String {
    kept!("kept-no-diagnosis", why = why.to_string())
}

/// Of all that processes use.
pub(super) const NO_PROCESS: Kept = Kept("kept-no-process-found");

/// Of threads.
pub(super) fn too_many_threads(most: usize) -> String {
    kept!("kept-too-many-threads-context-switches-and-threads", most)
}

/// Of a histogram of classes.
pub(super) const NO_TOTAL: Kept = Kept("kept-no-total");

/// Of what lives in a JVM's heap.
pub(super) fn not_asked(why: &str) -> String {
    kept!("kept-not-asked", why)
}
