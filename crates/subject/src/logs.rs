//! Logs of subjects and tools, as they are shown.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Lines of a log that an error shows.
const TAIL_LINES: usize = 20;
/// Bytes at the end of a log that are searched for them.
const TAIL_BYTES: u64 = 16 << 10;
/// Bytes at the end of a log that are searched for a reason.
const REASON_BYTES: u64 = 256 << 10;
/// Characters of a line that are shown.
const TAIL_COLUMNS: usize = 300;

fn tail(log: &Path, bytes_max: u64) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = fs::File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(bytes_max)))?;
        let mut bytes = Vec::new();
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// The last lines of a log, fit for a terminal.
pub(crate) fn last_lines(log: &Path) -> Vec<String> {
    let text = proofload_store::redact::text(&tail(log, TAIL_BYTES));
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].to_vec()
}

/// True if a JVM logged that it has no memory left.
pub(crate) fn says_out_of_memory(log: &Path) -> bool {
    tail(log, REASON_BYTES).contains("java.lang.OutOfMemoryError")
}

fn printable(line: &str) -> String {
    let shown = line.chars().take(TAIL_COLUMNS);
    shown
        .map(|c| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_log_is_short_and_harmless() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let mut text: String = (0..5000).map(|n| format!("line {n}\n")).collect();
        text.push_str("\u{1b}[31mred\n");
        fs::write(&log, text).unwrap();
        let lines = last_lines(&log);
        assert_eq!(lines.len(), TAIL_LINES);
        assert_eq!(lines[TAIL_LINES - 2], "line 4999");
        assert_eq!(lines[TAIL_LINES - 1], "\u{fffd}[31mred");
        assert!(last_lines(&directory.path().join("none")).is_empty());
    }
}
