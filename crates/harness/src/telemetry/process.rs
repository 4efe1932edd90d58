//! One process, as /proc and its CPU clock show it.

use rustix::param::{clock_ticks_per_second, page_size};
use std::fs::{self, File};
use std::io::Read;

/// Most bytes of one file of /proc that are read.
const TEXT_BYTES_MAX: u64 = 16 << 10;
/// Most descriptors that are counted one by one.
const DESCRIPTORS_MAX: usize = 1 << 20;

/// The part of `/proc/PID/stat` that telemetry needs (proc_pid_stat(5)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub parent: u32,
    pub session: u32,
    /// CPU time of all threads, ended ones included, in whole clock ticks (10 ms).
    pub own_ns: u64,
    /// CPU time of children that ended and were waited for, with theirs, in whole clock ticks.
    pub children_ns: u64,
    pub threads: u64,
    /// Clock ticks from boot to its start: tells it from a later process of the same number.
    pub start_ticks: u64,
    /// Ended, and not waited for yet.
    pub zombie: bool,
}

impl Stat {
    /// A live process, or one that waits to be reaped.
    pub(crate) fn read(pid: u32) -> Option<Stat> {
        parse_stat(&read_text(&format!("/proc/{pid}/stat"))?, clock_ticks_per_second())
    }
}

/// The program's name stands in parentheses and may hold any character, parentheses too.
fn parse_stat(text: &str, ticks_per_second: u64) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    // The state is field 3 of the manual, and word 0 here.
    let field = |number: usize| words.get(number - 3).copied();
    let number = |at: usize| field(at)?.parse::<u64>().ok();
    let to_ns = |ticks: u64| ticks.saturating_mul(1_000_000_000 / ticks_per_second.max(1));
    Some(Stat {
        zombie: matches!(field(3)?, "Z" | "X" | "x"),
        parent: field(4)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        own_ns: to_ns(number(14)?.saturating_add(number(15)?)),
        children_ns: to_ns(number(16)?.saturating_add(number(17)?)),
        threads: number(20)?,
        start_ticks: number(22)?,
    })
}

fn read_text(path: &str) -> Option<String> {
    let mut text = Vec::with_capacity(1024);
    File::open(path).ok()?.take(TEXT_BYTES_MAX).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Resident memory in bytes.
pub(crate) fn rss_bytes(pid: u32) -> Option<u64> {
    parse_statm(&read_text(&format!("/proc/{pid}/statm"))?, page_size() as u64)
}

fn parse_statm(text: &str, page_bytes: u64) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(page_bytes)
}

/// Open descriptors; `None` when we may not look.
pub(crate) fn descriptors(pid: u32) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let path = format!("/proc/{pid}/fd");
    // Since Linux 6.2 the folder's size is their number; reading 20,000 names takes milliseconds.
    match fs::metadata(&path).ok()?.size() {
        0 => Some(fs::read_dir(&path).ok()?.take(DESCRIPTORS_MAX).count() as u64),
        count => Some(count),
    }
}

/// The user a process runs as.
pub(crate) fn user(pid: u32) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}

/// Numbers of all processes that we may see.
pub(crate) fn all_pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::clock::CpuClock;
    use proptest::prelude::*;

    const JAVA: &str = include_str!("../../testdata/proc/process/java.stat");

    #[test]
    fn a_captured_line_is_read() {
        let stat = parse_stat(JAVA, 100).unwrap();
        let expected = Stat {
            parent: 5248,
            session: 9076,
            own_ns: (16 + 7) * 10_000_000,
            children_ns: (2 + 1) * 10_000_000,
            threads: 20,
            start_ticks: 567_036,
            zombie: false,
        };
        assert_eq!(stat, expected);
    }

    #[test]
    fn a_program_may_be_named_like_the_rest_of_the_line() {
        let text = JAVA.replacen("(java)", "(a) Z 1 1 (b)", 1);
        assert_eq!(parse_stat(&text, 100), parse_stat(JAVA, 100));
    }

    #[test]
    fn a_zombie_is_told_from_the_living() {
        let text = JAVA.replacen(") S ", ") Z ", 1);
        assert!(parse_stat(&text, 100).unwrap().zombie);
    }

    #[test]
    fn memory_is_counted_in_pages() {
        assert_eq!(parse_statm("765 404 376 5 0 123 0\n", 4096), Some(404 * 4096));
        assert_eq!(parse_statm("765", 4096), None);
        assert_eq!(parse_statm(&format!("1 {}", u64::MAX), 4096), None);
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let pid = std::process::id();
        let stat = Stat::read(pid).unwrap();
        assert!(!stat.zombie && stat.threads >= 1);
        assert!(CpuClock::of(pid).unwrap().read_ns().unwrap() > 0);
        assert!(rss_bytes(pid).unwrap() > 100_000);
        assert!(descriptors(pid).unwrap() >= 3);
        assert!(all_pids().any(|found| found == pid));
    }

    #[test]
    fn a_process_that_is_not_there_has_nothing() {
        // Above the kernel's highest process number, 2^22.
        let pid = 5_000_000;
        assert_eq!((Stat::read(pid), rss_bytes(pid), descriptors(pid)), (None, None, None));
        assert!(CpuClock::of(pid).and_then(CpuClock::read_ns).is_none());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[ ()SZ0-9a-z-]{0,200}", cut in 0_usize..400) {
            let _ = parse_stat(&text, 100);
            let _ = parse_stat(JAVA.get(..cut).unwrap_or(JAVA), 0);
        }
    }
}
