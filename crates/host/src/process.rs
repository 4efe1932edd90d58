//! One process, as /proc and its CPU clock show it.

use rustix::param::{clock_ticks_per_second, page_size};
use std::fs::{self, File};
use std::io::Read;

/// Most bytes of one file of /proc that are read.
const TEXT_BYTES_MAX: u64 = 16 << 10;
/// Most descriptors that are counted one by one.
const DESCRIPTORS_MAX: usize = 1 << 20;

/// The part of `/proc/PID/stat` that telemetry needs (proc_pid_stat(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// At most 15 bytes.
    pub name: String,
    /// Process id of the parent.
    pub parent: u32,
    /// Process id of the session's leader.
    pub session: u32,
    /// CPU time of all threads, ended ones included, in whole clock ticks (10 ms).
    pub own_ns: u64,
    /// CPU time of children that ended and were waited for, with theirs, in whole clock ticks.
    pub children_ns: u64,
    pub threads: u64,
    /// Page faults that needed no disk, ended threads included.
    pub minor_faults: u64,
    /// Page faults that waited for a disk, ended threads included.
    pub major_faults: u64,
    /// Clock ticks from boot to its start: tells it from a later process of the same number.
    pub start_ticks: u64,
    /// Ended, and not waited for yet.
    pub zombie: bool,
}

impl Stat {
    /// A live process, or one that waits to be reaped.
    pub fn read(pid: u32) -> Option<Stat> {
        parse_stat(&read_text(&format!("/proc/{pid}/stat"))?, clock_ticks_per_second())
    }
}

/// The program's name is in parentheses and may hold any character, parentheses too.
fn parse_stat(text: &str, ticks_per_second: u64) -> Option<Stat> {
    let (before, rest) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_string();
    let words: Vec<&str> = rest.split_whitespace().collect();
    // The state is field 3 of the manual, and word 0 here.
    let field = |number: usize| words.get(number - 3).copied();
    let number = |at: usize| field(at)?.parse::<u64>().ok();
    let to_ns = |ticks: u64| ticks.saturating_mul(1_000_000_000 / ticks_per_second.max(1));
    Some(Stat {
        name,
        zombie: matches!(field(3)?, "Z" | "X" | "x"),
        parent: field(4)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        own_ns: to_ns(number(14)?.saturating_add(number(15)?)),
        children_ns: to_ns(number(16)?.saturating_add(number(17)?)),
        threads: number(20)?,
        minor_faults: number(10)?,
        major_faults: number(12)?,
        start_ticks: number(22)?,
    })
}

/// A file of /proc, at most 16 KiB of it; `None` when it cannot be read.
pub fn read_text(path: &str) -> Option<String> {
    let mut text = Vec::with_capacity(1024);
    File::open(path).ok()?.take(TEXT_BYTES_MAX).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Resident memory in bytes.
pub fn rss_bytes(pid: u32) -> Option<u64> {
    parse_statm(&read_text(&format!("/proc/{pid}/statm"))?, page_size() as u64)
}

fn parse_statm(text: &str, page_bytes: u64) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(page_bytes)
}

/// Bytes fetched from disks and bytes on their way there, since the process began; `None` when we may not look.
pub fn disk_bytes(pid: u32) -> Option<(u64, u64)> {
    parse_io(&read_text(&format!("/proc/{pid}/io"))?)
}

fn parse_io(text: &str) -> Option<(u64, u64)> {
    Some((field(text, "read_bytes:")?, field(text, "write_bytes:")?))
}

/// The number after a name at the beginning of a line.
pub fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Memory that is this process's share, and memory that is its alone, in bytes. The kernel walks all of its
/// pages for it: milliseconds for a large one.
pub fn own_bytes(pid: u32) -> Option<(u64, u64)> {
    parse_rollup(&read_text(&format!("/proc/{pid}/smaps_rollup"))?)
}

fn parse_rollup(text: &str) -> Option<(u64, u64)> {
    let bytes = |name| field(text, name)?.checked_mul(1024);
    Some((bytes("Pss:")?, bytes("Private_Clean:")?.checked_add(bytes("Private_Dirty:")?)?))
}

/// Inodes of the sockets that a process holds. Costs a microsecond or two for each of its descriptors.
pub fn socket_inodes(pid: u32) -> impl Iterator<Item = u64> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.take(DESCRIPTORS_MAX).filter_map(|entry| {
        let link = fs::read_link(entry.path()).ok()?;
        link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    })
}

/// Open descriptors; `None` when we may not look.
pub fn descriptors(pid: u32) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let path = format!("/proc/{pid}/fd");
    // Since Linux 6.2 the folder's size is their number; reading 20,000 names takes milliseconds.
    match fs::metadata(&path).ok()?.size() {
        0 => Some(fs::read_dir(&path).ok()?.take(DESCRIPTORS_MAX).count() as u64),
        count => Some(count),
    }
}

/// The user a process runs as.
pub fn user(pid: u32) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}

/// True if the process of this number still lives, and not a later one.
pub fn lives(pid: u32, start_ticks: u64) -> bool {
    Stat::read(pid).is_some_and(|stat| stat.start_ticks == start_ticks && !stat.zombie)
}

/// Numbers of all processes that we may see.
pub fn all_pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::CpuClock;
    use proptest::prelude::*;

    const JAVA: &str = include_str!("../testdata/proc/process/java.stat");

    #[test]
    fn a_captured_line_is_read() {
        let stat = parse_stat(JAVA, 100).unwrap();
        let expected = Stat {
            name: "java".to_string(),
            parent: 5248,
            session: 9076,
            own_ns: (16 + 7) * 10_000_000,
            children_ns: (2 + 1) * 10_000_000,
            threads: 20,
            minor_faults: 15_422,
            major_faults: 16,
            start_ticks: 567_036,
            zombie: false,
        };
        assert_eq!(stat, expected);
    }

    #[test]
    fn a_program_may_be_named_like_the_rest_of_the_line() {
        let text = JAVA.replacen("(java)", "(a) Z 1 1 (b)", 1);
        let expected = parse_stat(JAVA, 100).map(|stat| Stat { name: "a) Z 1 1 (b".into(), ..stat });
        assert_eq!(parse_stat(&text, 100), expected);
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
    fn traffic_with_disks_is_not_what_passed_through_calls() {
        let text = include_str!("../testdata/proc/process/java.io");
        assert_eq!(parse_io(text), Some((0, 49_152)));
        assert_eq!(parse_io("rchar: 1\nread_bytes: x\nwrite_bytes: 2\n"), None);
    }

    #[test]
    fn own_memory_is_what_nobody_shares() {
        let text = include_str!("../testdata/proc/process/java.smaps_rollup");
        let kib = |line: &str| field(text, line).unwrap() * 1024;
        let expected = (kib("Pss:"), kib("Private_Clean:") + kib("Private_Dirty:"));
        assert!(expected.1 > 20 << 20 && expected.1 <= expected.0 && expected.0 <= kib("Rss:"));
        assert_eq!(parse_rollup(text), Some(expected));
        assert_eq!(parse_rollup(""), None);
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let pid = std::process::id();
        let stat = Stat::read(pid).unwrap();
        assert!(!stat.zombie && stat.threads >= 1);
        assert!(CpuClock::of(pid).unwrap().read_ns().unwrap() > 0);
        assert!(rss_bytes(pid).unwrap() > 100_000);
        assert!(descriptors(pid).unwrap() >= 3);
        let (pss, uss) = own_bytes(pid).unwrap();
        assert!(uss > 100_000 && uss <= pss, "{uss} of {pss}");
        assert!(disk_bytes(pid).is_some());
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        assert!(socket_inodes(pid).count() >= 1);
        drop(socket);
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
