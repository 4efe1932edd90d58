//! Asking a running server to end: from another thread, or by SIGTERM and SIGINT.

use crate::ReferenceError;
use rustix::event::{EventfdFlags, eventfd};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};

/// A request to end that wakes every worker at once. Clones are the same request.
#[derive(Clone, Debug)]
pub struct Stop {
    // Readable once the end was asked for, and never read, so every worker's epoll sees it.
    bell: Arc<OwnedFd>,
}

static SIGNAL_BELL: AtomicI32 = AtomicI32::new(-1);
static SIGNAL_STOP: OnceLock<Stop> = OnceLock::new();

impl Stop {
    /// A request that has not been made yet.
    ///
    /// # Errors
    /// [`ReferenceError::Kernel`] if no descriptor is available.
    pub fn new() -> Result<Self, ReferenceError> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|e| ReferenceError::kernel("eventfd", e))?;
        Ok(Stop { bell: Arc::new(bell) })
    }

    /// The request that SIGTERM and SIGINT make from now on; there is one per process.
    ///
    /// # Errors
    /// [`ReferenceError::Kernel`] when the handlers cannot be installed.
    pub fn on_signals() -> Result<Self, ReferenceError> {
        let fresh = Stop::new()?;
        let stop = SIGNAL_STOP.get_or_init(|| fresh).clone();
        SIGNAL_BELL.store(stop.bell.as_raw_fd(), Ordering::SeqCst);
        for signal in [libc::SIGTERM, libc::SIGINT] {
            // SAFETY: `action` is a valid, fully initialised sigaction; `ring` only makes async-signal-safe
            // calls.
            let result = unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = ring as extern "C" fn(libc::c_int) as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, std::ptr::null_mut())
            };
            if result != 0 {
                return Err(ReferenceError::kernel("sigaction", std::io::Error::last_os_error()));
            }
        }
        Ok(stop)
    }

    /// Asks for the end; more than once does no harm.
    pub fn request(&self) {
        // The counter of an eventfd is full after 2^64 - 2 requests; until then this cannot fail.
        let _already_ringing = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

extern "C" fn ring(_signal: libc::c_int) {
    let one = 1u64;
    // SAFETY: write(2) is async-signal-safe; the descriptor lives as long as the process, in SIGNAL_STOP. The
    // interrupted code must find errno as it left it.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        libc::write(SIGNAL_BELL.load(Ordering::SeqCst), (&raw const one).cast(), 8);
        *errno = before;
    }
}
