//! The performance-data file of a HotSpot JVM: what its compilers and collectors did, read from outside.
//!
//! `/tmp/hsperfdata_<user>/<pid>` is a piece of the JVM's memory: a header, then entries, each with a name and a
//! value that the JVM changes in place (format 2.0, `perfMemory.hpp` and `PerfDataPrologue` of OpenJDK). Reading
//! costs the JVM nothing. Entries never move and are never removed; new ones are added at the end, and may be
//! read half written. Names are looked up once, then eight bytes are read for each counter.
//!
//! The file is read, not mapped: a map of a file that its owner shortens kills the reader.

mod offsets;

use super::JvmUse;
use offsets::Offsets;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// First four bytes of the file, in this order on every machine.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// Bytes of the header.
const HEADER_BYTES: usize = 32;
/// Bytes of an entry before its name.
const ENTRY_BYTES: usize = 20;
/// Most bytes of a file that are read; a JVM makes 32 KiB unless `-XX:PerfDataMemorySize` is set otherwise.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Byte order of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

impl Order {
    fn i32(self, bytes: [u8; 4]) -> i32 {
        match self {
            Order::Big => i32::from_be_bytes(bytes),
            Order::Little => i32::from_le_bytes(bytes),
        }
    }

    fn i64(self, bytes: [u8; 8]) -> i64 {
        match self {
            Order::Big => i64::from_be_bytes(bytes),
            Order::Little => i64::from_le_bytes(bytes),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    order: Order,
    accessible: bool,
    used: usize,
    /// Ticks at which an entry was last added.
    changed: i64,
    first: usize,
    entries: usize,
}

/// A counter of eight bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// `sun.gc.collector.0.time`.
    pub name: String,
    pub at: usize,
    /// Its value when the file was read.
    pub value: i64,
}

/// The counters of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Those of eight bytes, in the file's order.
    pub list: Vec<Counter>,
    /// Texts by name, such as `sun.gc.collector.0.name`.
    pub texts: Vec<(String, String)>,
    /// True if every entry that the header announces could be read.
    pub complete: bool,
    order: Order,
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}

fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok()
}

fn parse_header(bytes: &[u8]) -> Option<Header> {
    let head = bytes.get(..HEADER_BYTES).filter(|head| head[..4] == MAGIC && head[5] == 2)?;
    let order = match head[4] {
        0 => Order::Big,
        1 => Order::Little,
        _ => return None,
    };
    let size = |at| usize::try_from(order.i32(four(head, at)?)).ok();
    Some(Header {
        order,
        accessible: head[7] != 0,
        used: size(8)?,
        changed: order.i64(eight(head, 16)?),
        first: size(24)?,
        entries: size(28)?,
    })
}

/// Reads a whole file. Entries after one that cannot be read are left out: their beginning is not known.
///
/// # Errors
/// If the header is wrong, or tells readers to wait.
pub fn parse(bytes: &[u8]) -> Option<Counters> {
    let header = parse_header(bytes).filter(|header| header.accessible)?;
    let bytes = &bytes[..bytes.len().min(header.used)];
    let mut counters = Counters { list: Vec::new(), texts: Vec::new(), complete: false, order: header.order };
    let mut at = header.first;
    let mut read = 0;
    // Every round moves on by at least the fixed part of an entry.
    while read < header.entries {
        let Some((length, entry)) = parse_entry(bytes, at, header.order) else { return Some(counters) };
        match entry {
            Entry::Counter(counter) => counters.list.push(counter),
            Entry::Text(name, text) => counters.texts.push((name, text)),
            Entry::Other => {}
        }
        at += length;
        read += 1;
    }
    counters.complete = true;
    Some(counters)
}

enum Entry {
    Counter(Counter),
    Text(String, String),
    Other,
}

/// Length of the entry that begins at `at`, and what it is. `None` when it is not whole.
fn parse_entry(bytes: &[u8], at: usize, order: Order) -> Option<(usize, Entry)> {
    let number = |offset: usize| {
        let bytes = four(bytes, at.checked_add(offset)?)?;
        usize::try_from(order.i32(bytes)).ok()
    };
    let (length, name_at, items, value_at) = (number(0)?, number(4)?, number(8)?, number(16)?);
    let entry = bytes.get(at..at.checked_add(length)?)?;
    if length < ENTRY_BYTES || name_at < ENTRY_BYTES {
        return None;
    }
    let name = entry.get(name_at..)?;
    let name = std::str::from_utf8(&name[..name.iter().position(|&byte| byte == 0)?]).ok()?;
    // `J` is the type of a Java long, `B` that of a byte; no items means a single one.
    let found = match (entry[12], items) {
        (b'J', 0) => {
            let value = order.i64(eight(entry, value_at)?);
            Entry::Counter(Counter { name: name.to_string(), at: at + value_at, value })
        }
        (b'B', 1..) => {
            let text = entry.get(value_at..value_at.checked_add(items)?)?;
            let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
            Entry::Text(name.to_string(), String::from_utf8_lossy(&text[..end]).into_owned())
        }
        _ => Entry::Other,
    };
    Some((length, found))
}

/// The performance data of one running JVM.
#[derive(Debug)]
pub struct JvmFile {
    file: File,
    order: Order,
    offsets: Offsets,
    /// Entries and time of the last change when names were looked up; `None` to look them up again.
    resolved: Option<(usize, i64)>,
    bytes: Vec<u8>,
}

impl JvmFile {
    /// Opens the file, which must be a plain one of the JVM's user: every user can write to `/tmp`. `None` also while
    /// the JVM starts.
    pub fn open(path: &Path, owner: u32) -> Option<JvmFile> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = open(path, flags, Mode::empty()).ok()?;
        let found = fstat(&file).ok()?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile || found.st_uid != owner {
            return None;
        }
        let mut jvm = JvmFile {
            file: File::from(file),
            order: Order::Little,
            offsets: Offsets::default(),
            resolved: None,
            bytes: Vec::new(),
        };
        jvm.resolve()?;
        Some(jvm)
    }

    /// The JVM's counts so far; `None` when the file has become unreadable.
    pub fn read(&mut self) -> Option<JvmUse> {
        let mut head = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut head, 0).ok()?;
        let header = parse_header(&head)?;
        if self.resolved != Some((header.entries, header.changed)) {
            self.resolve()?;
        }
        // One read of some 32 KiB costs less than one for each counter.
        self.bytes.resize(self.offsets.end(), 0);
        self.file.read_exact_at(&mut self.bytes, 0).ok()?;
        let value = |at: usize| {
            let value = eight(&self.bytes, at).map_or(0, |bytes| self.order.i64(bytes));
            u64::try_from(value).unwrap_or(0)
        };
        Some(self.offsets.read(value))
    }

    /// Texts by name, such as the JVM's version and arguments.
    pub fn texts(&mut self) -> Option<BTreeMap<String, String>> {
        Some(parse(&self.whole()?)?.texts.into_iter().collect())
    }

    fn whole(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.rewind().ok()?;
        (&self.file).take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn resolve(&mut self) -> Option<()> {
        let bytes = self.whole()?;
        let (header, counters) = (parse_header(&bytes)?, parse(&bytes)?);
        self.order = counters.order;
        self.offsets = Offsets::find(&counters);
        // With a half written entry the names are looked up again at the next read.
        self.resolved = counters.complete.then_some((header.entries, header.changed));
        Some(())
    }
}

#[cfg(test)]
mod tests;
