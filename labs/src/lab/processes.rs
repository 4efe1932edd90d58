//! Processes of this machine, found by a mark or by their control groups.

use super::cgroups;
pub use xtask::processes::{Process, found, marked};

/// Processes with this mark, and those in control groups whose names begin so.
pub fn marked_or_within(mark: &str, groups: &str) -> anyhow::Result<Vec<Process>> {
    found(|read, command| {
        command.contains(mark)
            || cgroups::is_within(&read("cgroup"), groups)
            || read("environ").contains(mark)
    })
}
