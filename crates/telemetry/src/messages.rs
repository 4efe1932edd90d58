//! The sentences about what was not measured, which a record keeps; another language replaces this module.

use std::fmt::Display;

/// Of connections to back ends.
pub(super) const NO_BACKEND: &str = "back-end bytes: no connection to a back-end port was seen";
/// Of connections to back ends.
pub(super) const BACKEND_LATE: &str = "back-end bytes: the looks at the connections came too late";

/// Of connections to back ends.
pub(super) fn backend_lost(lost: u64, of: u64) -> String {
    format!(
        "back-end bytes: too many connections to the back end ended between two looks, {lost} of {of} in one slice, or \
         were never seen"
    )
}

/// Of connections to back ends.
pub(super) fn no_backend_dump(why: &impl Display) -> String {
    format!("back-end bytes: {why}")
}

/// Of listening sockets.
pub(super) fn no_queue_dump(why: &impl Display) -> String {
    format!("accept queues: {why}")
}

/// Of all sockets.
pub(super) fn no_diagnosis(why: &impl Display) -> String {
    format!("sockets: the kernel's socket diagnosis cannot be opened: {why}")
}

/// Of threads.
pub(super) fn too_many_threads(most: usize) -> String {
    format!("context switches and threads by name: there are more than {most} threads")
}

/// Of a histogram of classes.
pub(super) const NO_TOTAL: &str = "its class histogram has no total";

/// Of what lives in a JVM's heap.
pub(super) fn not_asked(why: &str) -> String {
    format!("live set: a JVM could not be asked: {why}")
}
