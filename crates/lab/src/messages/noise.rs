//! Sentences about the noise of a machine.

use proofload_language::tr;

/// An audit that is old.
pub fn not_of_the_last(days: u64) -> String {
    tr!("noise-not-of-the-last", days)
}

/// An audit of another kernel.
pub fn other_kernel(then: &str) -> String {
    tr!("noise-other-kernel", then)
}
