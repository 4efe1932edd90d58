//! State shared by the workers of a server.

use crate::arrivals::LogFile;
use crate::clock::now_ns;
use crate::counts::{Cells, Counts};
use crate::{Config, ReferenceError};
use rustix::event::{EventfdFlags, eventfd};
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug)]
pub(crate) struct Shared {
    pub config: Config,
    pub connections_max: usize,
    pub started_ns: u64,
    pub listener: OwnedFd,
    pub open: AtomicUsize,
    pub cells: Vec<Arc<Cells>>,
    pub inboxes: Vec<Inbox>,
    pub log: Option<Arc<LogFile>>,
    pub tls: Option<Arc<rustls::ServerConfig>>,
}

impl Shared {
    pub fn counts(&self) -> Counts {
        Counts::sum(self.cells.iter().map(|cells| &**cells), self.started_ns, now_ns())
    }
}

/// Connections on their way from the accepting worker to the one that will serve them. Never longer than the
/// number of connections allowed.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub bell: OwnedFd,
    dealt: Mutex<Vec<(OwnedFd, u64)>>,
}

impl Inbox {
    pub fn new() -> Result<Self, ReferenceError> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|e| ReferenceError::kernel("eventfd", e))?;
        Ok(Inbox { bell, dealt: Mutex::new(Vec::new()) })
    }

    pub fn put(&self, fd: OwnedFd, number: u64) {
        self.dealt.lock().unwrap_or_else(PoisonError::into_inner).push((fd, number));
        // Full only after 2^64 - 2 writes without a read; then it rings already.
        let _ringing = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    pub fn take(&self) -> Vec<(OwnedFd, u64)> {
        // The bell is silenced first, so that what is put meanwhile rings again.
        let _silent = rustix::io::read(&self.bell, &mut [0u8; 8]);
        std::mem::take(&mut *self.dealt.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
