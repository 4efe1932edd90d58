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
use proofload_language::{say, word};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use thiserror::Error;

/// First four bytes of the file, in this order on every machine.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// Bytes of the header.
const HEADER_BYTES: usize = 32;
/// Bytes of an entry before its name.
const ENTRY_BYTES: usize = 20;
/// Most bytes of a file that are read; a JVM makes 32 KiB unless `-XX:PerfDataMemorySize` says otherwise.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Why a file cannot be used. While a JVM starts, try again later.
#[derive(Debug, Error)]
pub enum HsperfError {
    /// Cannot be opened or read.
    #[error("{}", say!("hsperf-io", source = .0))]
    Io(#[from] io::Error),
    /// A link, a device, or a file of another user.
    #[error("{}", say!("hsperf-not-the-jvms", what = .0))]
    NotTheJvms(&'static str),
    #[error("{}", say!("hsperf-malformed", what, at))]
    Malformed { what: &'static str, at: usize },
    /// The JVM has not finished its header.
    #[error("{}", word!("hsperf-not-yet"))]
    NotYet,
}

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
    /// Whether every entry that the header announces could be read.
    pub complete: bool,
    order: Order,
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}

fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok()
}

fn parse_header(bytes: &[u8]) -> Result<Header, HsperfError> {
    let short = HsperfError::Malformed { what: word!("hsperf-ends"), at: bytes.len() };
    let Some(head) = bytes.get(..HEADER_BYTES) else { return Err(short) };
    if head[..4] != MAGIC {
        return Err(HsperfError::Malformed { what: word!("hsperf-magic"), at: 0 });
    }
    let order = match head[4] {
        0 => Order::Big,
        1 => Order::Little,
        _ => return Err(HsperfError::Malformed { what: word!("hsperf-byte-order"), at: 4 }),
    };
    if head[5] != 2 {
        return Err(HsperfError::Malformed { what: word!("hsperf-version"), at: 5 });
    }
    let number = |at| four(head, at).map_or(-1, |bytes| order.i32(bytes));
    let size = |at| {
        let negative = HsperfError::Malformed { what: word!("hsperf-size"), at };
        usize::try_from(number(at)).map_err(|_| negative)
    };
    Ok(Header {
        order,
        accessible: head[7] != 0,
        used: size(8)?,
        changed: eight(head, 16).map_or(0, |bytes| order.i64(bytes)),
        first: size(24)?,
        entries: size(28)?,
    })
}

/// Reads a whole file. Entries after one that cannot be read are left out: where they begin is not known.
///
/// # Errors
/// When the header is wrong, or says that readers have to wait.
pub fn parse(bytes: &[u8]) -> Result<Counters, HsperfError> {
    let header = parse_header(bytes)?;
    if !header.accessible {
        return Err(HsperfError::NotYet);
    }
    let bytes = &bytes[..bytes.len().min(header.used)];
    let mut counters = Counters { list: Vec::new(), texts: Vec::new(), complete: false, order: header.order };
    let mut at = header.first;
    let mut read = 0;
    // Every round moves on by at least the fixed part of an entry.
    while read < header.entries {
        let Some((length, entry)) = parse_entry(bytes, at, header.order) else { return Ok(counters) };
        match entry {
            Entry::Counter(counter) => counters.list.push(counter),
            Entry::Text(name, text) => counters.texts.push((name, text)),
            Entry::Other => {}
        }
        at += length;
        read += 1;
    }
    counters.complete = true;
    Ok(counters)
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

/// The texts of a file by name, such as the JVM's version and arguments.
///
/// # Errors
/// When the header is wrong, or says that readers have to wait.
pub fn texts(bytes: &[u8]) -> Result<BTreeMap<String, String>, HsperfError> {
    Ok(parse(bytes)?.texts.into_iter().collect())
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
    /// Opens the file, which must belong to the JVM's user: `/tmp` is everybody's.
    ///
    /// # Errors
    /// See [`HsperfError`]; worth another try later while the JVM starts.
    pub fn open(path: &Path, owner: u32) -> Result<JvmFile, HsperfError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = open(path, flags, Mode::empty()).map_err(io::Error::from)?;
        let found = fstat(&file).map_err(io::Error::from)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(HsperfError::NotTheJvms(word!("hsperf-not-plain")));
        }
        if found.st_uid != owner {
            return Err(HsperfError::NotTheJvms(word!("hsperf-of-another")));
        }
        let mut jvm = JvmFile {
            file: File::from(file),
            order: Order::Little,
            offsets: Offsets::default(),
            resolved: None,
            bytes: Vec::new(),
        };
        jvm.resolve()?;
        Ok(jvm)
    }

    /// What the JVM has counted so far; `None` for what it does not count.
    ///
    /// # Errors
    /// When the file has become unreadable.
    pub fn read(&mut self) -> Result<JvmUse, HsperfError> {
        let mut head = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut head, 0)?;
        let header = parse_header(&head)?;
        if self.resolved != Some((header.entries, header.changed)) {
            self.resolve()?;
        }
        // One read of some 32 KiB costs less than one for each counter.
        self.bytes.resize(self.offsets.end(), 0);
        self.file.read_exact_at(&mut self.bytes, 0)?;
        let value = |at: usize| {
            let value = eight(&self.bytes, at).map_or(0, |bytes| self.order.i64(bytes));
            u64::try_from(value).unwrap_or(0)
        };
        Ok(self.offsets.read(value))
    }

    /// The texts that the JVM keeps there; see [`texts`].
    ///
    /// # Errors
    /// When the file has become unreadable.
    pub fn texts(&mut self) -> Result<BTreeMap<String, String>, HsperfError> {
        use std::io::{Read, Seek};
        let mut bytes = Vec::new();
        self.file.rewind()?;
        (&self.file).take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        texts(&bytes)
    }

    fn resolve(&mut self) -> Result<(), HsperfError> {
        use std::io::{Read, Seek};
        let mut bytes = Vec::new();
        self.file.rewind()?;
        (&self.file).take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        let header = parse_header(&bytes)?;
        let counters = parse(&bytes)?;
        self.order = counters.order;
        self.offsets = Offsets::find(&counters);
        // With a half written entry the names are looked up again at the next read.
        self.resolved = counters.complete.then_some((header.entries, header.changed));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
