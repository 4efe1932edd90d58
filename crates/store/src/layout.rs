//! Names of files and directories of a run.

use crate::StoreError;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Decisions made before the first start; a single measurement has none.
pub const PLAN: &str = "plan.json";
pub(crate) const ENVIRONMENT: &str = "environment.json";
pub(crate) const STATUS: &str = "status.json";
pub(crate) const NETWORK: &str = "network.json";
pub(crate) const CEILINGS: &str = "ceilings.json";
pub(crate) const SLICING: &str = "slicing.json";
/// Result of a run when it ended.
pub const RESULT: &str = "result.json";
pub(crate) const NOTICED: &str = "noticed.txt";
/// The folder of the blocks of a run.
pub const BLOCKS: &str = "blocks";
pub(crate) const LOGS: &str = "logs";
pub(crate) const LATEST: &str = "latest";
/// The folder of all runs, with a folder of each study.
pub const RUNS: &str = "runs";
pub(crate) const LOCK: &str = "lock";
const WHOLE: &str = ".jsonl";
const PARTIAL: &str = ".partial.jsonl";
const PACKED: &str = ".jsonl.gz";

/// Longest name of a file made of a person's words, in bytes.
const COMPONENT_MAX: usize = 80;

/// One path component that cannot leave its directory, hide, or be taken for an option.
///
/// Letters and digits of any script stay; so do `.`, `_`, `-`, `=`, `,` and `+`, but not at the start.
/// Everything else becomes a hyphen.
pub(crate) fn component(words: &str) -> String {
    let kept = words.chars().map(|c| match c {
        c if c.is_alphanumeric() => c,
        '.' | '_' | '-' | '=' | ',' | '+' => c,
        _ => '-',
    });
    let mut name = String::new();
    for c in kept.skip_while(|c| !c.is_alphanumeric()) {
        if name.len() + c.len_utf8() > COMPONENT_MAX {
            break;
        }
        name.push(c);
    }
    if name.is_empty() { "unnamed".to_string() } else { name }
}

/// As [`component`], with a digest of the words where they had to be changed, so that two names stay two.
pub(crate) fn distinct_component(words: &str) -> String {
    let name = component(words);
    if name == words {
        return name;
    }
    // FNV-1a, 64 bit.
    let digest = words.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{name}-{:08x}", digest >> 32)
}

/// The id of a run: UTC to the millisecond, so that names sort by time, and a suffix that tells runs of one
/// moment apart.
pub(crate) fn run_id(unix_ns: u64, suffix: u32) -> String {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ns));
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let ((year, month, day), (hour, minute, second)) = (at.to_calendar_date(), at.to_hms());
    let (month, milli, suffix) = (u8::from(month), at.millisecond(), suffix & 0x00ff_ffff);
    format!("{year}{month:02}{day:02}T{hour:02}{minute:02}{second:02}.{milli:03}Z-{suffix:06x}")
}

pub(crate) fn whole_block(run: &Path, number: u32) -> PathBuf {
    run.join(BLOCKS).join(format!("{number:04}{WHOLE}"))
}

/// A whole block of a condensed record.
pub(crate) fn packed_block(run: &Path, number: u32) -> PathBuf {
    run.join(BLOCKS).join(format!("{number:04}{PACKED}"))
}

pub(crate) fn partial_block(run: &Path, number: u32) -> PathBuf {
    run.join(BLOCKS).join(format!("{number:04}{PARTIAL}"))
}

pub(crate) fn subjects_of(run: &Path, number: u32) -> PathBuf {
    run.join(BLOCKS).join(format!("{number:04}.subjects.json"))
}

pub(crate) fn warm_up_of(run: &Path, number: u32) -> PathBuf {
    run.join(BLOCKS).join(format!("{number:04}.warm-up.json"))
}

/// Highest number of a block: each takes seconds, and there is always one more.
const BLOCKS_MAX: u32 = 99_999_999;

/// Number of the block in a file of that name, and whether the file was renamed to its whole name.
pub fn block_of(file_name: &str) -> Option<(u32, bool)> {
    let (digits, whole) = match file_name.strip_suffix(PARTIAL) {
        Some(digits) => (digits, false),
        None => (file_name.strip_suffix(WHOLE).or_else(|| file_name.strip_suffix(PACKED))?, true),
    };
    let plain = digits.len() >= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|number| *number <= BLOCKS_MAX && plain)?;
    Some((number, whole))
}

/// A file name for the run directory itself.
pub(crate) fn plain_name(name: &str) -> Result<&str, StoreError> {
    if component(name) == name { Ok(name) } else { Err(StoreError::Name { name: name.to_string() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_become_one_harmless_component() {
        for (words, expected) in [
            ("tomcat-connectors", "tomcat-connectors"),
            ("../../etc/passwd", "etc-passwd"),
            ("/etc", "etc"),
            ("..", "unnamed"),
            ("", "unnamed"),
            (".hidden", "hidden"),
            ("-rf", "rf"),
            ("a\0b\nc", "a-b-c"),
            ("连接器", "连接器"),
            ("a\u{202e}b", "a-b"),
        ] {
            assert_eq!(component(words), expected, "{words:?}");
        }
        assert!(component(&"é".repeat(500)).len() <= COMPONENT_MAX);
    }

    #[test]
    fn two_names_stay_two() {
        assert_eq!(distinct_component("connector=nio,heap=256m"), "connector=nio,heap=256m");
        assert_ne!(distinct_component("a/b"), distinct_component("a:b"));
    }

    #[test]
    fn ids_sort_by_time() {
        let early = run_id(1_769_860_800_123_456_789, 0xab_cdef);
        assert_eq!(early, "20260131T120000.123Z-abcdef");
        assert!(early < run_id(1_769_860_800_124_000_000, 0));
    }

    #[test]
    fn only_block_files_are_blocks() {
        assert_eq!(block_of("0001.jsonl"), Some((1, true)));
        assert_eq!(block_of("0012.partial.jsonl"), Some((12, false)));
        assert_eq!(block_of("12345.jsonl"), Some((12_345, true)));
        assert_eq!(block_of("0001.jsonl.gz"), Some((1, true)));
        for other in [
            "1.jsonl",
            "0001.json",
            ".jsonl",
            "+001.jsonl",
            "0001.partial.jsonl.new",
            "0001.partial.jsonl.gz",
            "99999999999.jsonl",
            "4294967295.jsonl",
        ] {
            assert_eq!(block_of(other), None, "{other}");
        }
    }
}
