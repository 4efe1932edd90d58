//! Processes of this machine, found by a mark.

use std::fs;

/// A process that runs.
#[derive(Debug)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its command line.
    pub command: String,
}

/// Processes with this mark in their environment or in their command line. Those that ended and were not waited for are
/// none.
pub fn marked(mark: &str) -> anyhow::Result<Vec<Process>> {
    found(|read, command| command.contains(mark) || read("environ").contains(mark))
}

/// Those of which this is true, for what is in a file of them and for their command line.
pub fn found(is_wanted: impl Fn(&dyn Fn(&str) -> String, &str) -> bool) -> anyhow::Result<Vec<Process>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else { continue };
        let read = |file: &str| {
            let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        let ended = read("stat").rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'));
        let command = read("cmdline");
        if !ended && is_wanted(&read, &command) {
            found.push(Process { pid, command: command.trim_end().to_owned() });
        }
    }
    Ok(found)
}
