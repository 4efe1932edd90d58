//! Memory that the kernel reads and writes on its own: buffers for what comes, and for what is to be sent.

use crate::driver::Conn;
use crate::driver::epoll::system;
use io_uring::IoUring;
use io_uring::types::BufRingEntry;
use rustix::mm::{self, MapFlags, ProtFlags};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

/// Most buffers for receiving: connections in excess of them wait for their turn.
const RECEIVE_MAX: u16 = 1024;
/// Fewest of them, so that a long answer on one connection is not held up.
const RECEIVE_MIN: u16 = 64;
/// All buffers together, where few connections leave each of them more than the least.
const RECEIVE_BYTES: usize = 1024 * 1024;
/// The least that a buffer holds; most answers fit.
const RECEIVE_EACH_MIN: usize = 4096;
/// The only group of buffers there is.
pub(super) const GROUP: u16 = 0;

/// Sends that may be under way in the ring.
const SENDS: u16 = 256;
/// Longest request that is sent through the ring; a longer one is sent by a system call of its own.
pub(super) const SEND_BYTES: usize = 2048;

/// Zeroed memory of its own pages, which cost nothing until they are touched.
#[derive(Debug)]
struct Pages {
    start: NonNull<u8>,
    bytes: usize,
}

impl Pages {
    /// # Errors
    /// If the kernel has no memory to promise.
    fn new(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1);
        // SAFETY: a new mapping, placed by the kernel, has no other owner.
        let start = unsafe {
            mm::mmap_anonymous(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        }
        .map_err(system)?;
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at no address"))?;
        Ok(Pages { start, bytes })
    }

    /// Address of the byte at that offset, which must be within.
    fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset < self.bytes);
        // SAFETY: the offset is within the mapping.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped with this length, and nothing refers to it any more.
        let _unmapped = unsafe { mm::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// Buffers that the kernel fills with whatever comes on whichever connection.
///
/// They must outlive the ring that they are registered with.
#[derive(Debug)]
pub(super) struct Buffers {
    entries: Pages,
    bytes: Pages,
    count: u16,
    each: usize,
    tail: u16,
}

impl Buffers {
    /// Registers as many buffers as `connections` connections need, 64 to 1024 of at least 4 KiB.
    ///
    /// # Errors
    /// If the kernel refuses them.
    pub fn register(ring: &IoUring, connections: u32) -> io::Result<Self> {
        let wanted = u16::try_from(connections).unwrap_or(RECEIVE_MAX).clamp(RECEIVE_MIN, RECEIVE_MAX);
        let count = wanted.next_power_of_two();
        let each = (RECEIVE_BYTES / usize::from(count)).max(RECEIVE_EACH_MIN);
        let entries = Pages::new(usize::from(count) * size_of::<BufRingEntry>())?;
        let bytes = Pages::new(usize::from(count) * each)?;
        // SAFETY: the memory holds `count` entries, begins at a page, and outlives the ring (see above).
        unsafe {
            ring.submitter().register_buf_ring_with_flags(entries.at(0) as u64, count, GROUP, 0)?;
        }
        let mut buffers = Buffers { entries, bytes, count, each, tail: 0 };
        (0..count).for_each(|id| buffers.give_back(id));
        Ok(buffers)
    }

    /// Bytes that the kernel wrote into a buffer that it has handed over and that was not given back.
    pub fn received(&self, id: u16, len: usize) -> &[u8] {
        assert!(id < self.count && len <= self.each, "the kernel named buffer {id} with {len} bytes");
        // SAFETY: within the allocation, initialized from the beginning, and the kernel writes to it no more until
        // it is given back, which takes `&mut self`.
        unsafe { std::slice::from_raw_parts(self.bytes.at(usize::from(id) * self.each), len) }
    }

    /// Lets the kernel fill it again.
    pub fn give_back(&mut self, id: u16) {
        let place = usize::from(self.tail & (self.count - 1));
        let entry = self.entries.at(place * size_of::<BufRingEntry>()).cast::<BufRingEntry>();
        let address = self.bytes.at(usize::from(id) * self.each) as u64;
        // SAFETY: the entry lies within the allocation and is aligned, for it begins at a page; the kernel reads no
        // entry at or behind the tail. No field that is set here is the tail, which lies in the first entry.
        unsafe {
            (*entry).set_addr(address);
            (*entry).set_len(self.each as u32);
            (*entry).set_bid(id);
        }
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the tail lies within the first entry, is aligned, and the kernel only reads it.
        unsafe {
            let tail = BufRingEntry::tail(self.entries.at(0).cast()).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }
}

/// A request on its way: whose it is, and which part of the buffer is still to be sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parcel {
    pub conn: Conn,
    pub epoch: u32,
    pub from: u16,
    pub to: u16,
    /// Instant just before it was handed to the kernel.
    pub at_ns: u64,
}

/// Copies of requests, which the kernel reads when the ring is submitted.
#[derive(Debug)]
pub(super) struct Parcels {
    bytes: Pages,
    parcels: Vec<Parcel>,
    /// The one used last is used first, for it is in the cache.
    free: Vec<u16>,
    /// Those that the kernel has not been handed.
    queued: Vec<u16>,
}

impl Parcels {
    /// # Errors
    /// If there is no memory for them.
    pub fn new() -> io::Result<Self> {
        let bytes = Pages::new(usize::from(SENDS) * SEND_BYTES)?;
        let parcels = vec![Parcel::default(); usize::from(SENDS)];
        let queued = Vec::with_capacity(usize::from(SENDS));
        Ok(Parcels { bytes, parcels, free: (0..SENDS).collect(), queued })
    }

    /// Copies a request of at most [`SEND_BYTES`]; `None` when all are under way.
    pub fn pack(&mut self, conn: Conn, epoch: u32, bytes: &[u8]) -> Option<u16> {
        assert!(bytes.len() <= SEND_BYTES);
        let id = self.free.pop()?;
        self.parcels[usize::from(id)] = Parcel { conn, epoch, from: 0, to: bytes.len() as u16, at_ns: 0 };
        self.queued.push(id);
        let start = self.bytes.at(usize::from(id) * SEND_BYTES);
        // SAFETY: the buffer has room for `SEND_BYTES`, and the kernel is done with it, for it was free.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
        Some(id)
    }

    /// Number of parcels that the kernel has not been handed.
    pub fn waiting(&self) -> usize {
        self.queued.len()
    }

    /// The kernel is about to be handed those that it has not.
    pub fn leave(&mut self, at_ns: u64) {
        for id in &self.queued {
            self.parcels[usize::from(*id)].at_ns = at_ns;
        }
    }

    pub fn have_left(&mut self) {
        self.queued.clear();
    }

    pub fn get(&self, id: u16) -> Parcel {
        self.parcels[usize::from(id)]
    }

    /// Address of its first byte.
    pub fn address(&self, id: u16) -> *const u8 {
        self.bytes.at(usize::from(id) * SEND_BYTES)
    }

    /// Notes that this many more bytes have left.
    pub fn sent(&mut self, id: u16, bytes: u16) {
        let parcel = &mut self.parcels[usize::from(id)];
        parcel.from = parcel.to.min(parcel.from + bytes);
    }

    /// Part of a request that has not left, of one that the kernel has answered for.
    pub fn rest(&self, id: u16) -> &[u8] {
        let Parcel { from, to, .. } = self.get(id);
        // SAFETY: within the buffer, written by `pack`; the kernel only ever reads it.
        unsafe { std::slice::from_raw_parts(self.address(id).add(usize::from(from)), usize::from(to - from)) }
    }

    /// The kernel is done with it.
    pub fn free(&mut self, id: u16) {
        debug_assert!(!self.free.contains(&id));
        self.free.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of a mapping that are there.
    fn resident(pages: &Pages, page: usize) -> usize {
        let mut there = vec![0; pages.bytes.div_ceil(page)];
        // SAFETY: the mapping is whole, and there is a byte for each of its pages.
        let asked = unsafe { libc::mincore(pages.start.as_ptr().cast(), pages.bytes, there.as_mut_ptr()) };
        assert_eq!(asked, 0);
        there.iter().filter(|flags| **flags & 1 == 1).count()
    }

    #[test]
    fn memory_that_nobody_touched_is_not_there() {
        let page = rustix::param::page_size();
        let pages = Pages::new(16 * 1024 * 1024).unwrap();
        assert_eq!(resident(&pages, page), 0);
        // SAFETY: within the mapping.
        unsafe { pages.at(5 * page).write(1) };
        // Where pages are huge it is a whole one of them.
        assert!((1..=2 * 1024 * 1024 / page).contains(&resident(&pages, page)));
    }
}
