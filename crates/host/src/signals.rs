//! SIGINT, SIGTERM and SIGHUP become a flag that everything long looks at.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// What the handler sets; handed to everybody who has to stop.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// How many stop signals arrived.
static ARRIVED: AtomicU32 = AtomicU32::new(0);
/// The first that arrived; 0 before.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// Handles SIGINT, SIGTERM and SIGHUP from now on: the first of them sets the flag, which is never reset. A
/// second call returns the same flag.
///
/// SIGHUP that was ignored at the start stays ignored: that is how `nohup` works. SIGINT is handled even then,
/// because shells ignore it in background jobs, and a measurement must be stoppable.
///
/// # Errors
/// When the kernel refuses a handler.
pub fn install() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::clone(STOP.get_or_init(|| Arc::new(AtomicBool::new(false))));
    for signal in [libc::SIGINT, libc::SIGTERM] {
        handle(signal)?;
    }
    if !is_ignored(libc::SIGHUP)? {
        handle(libc::SIGHUP)?;
    }
    Ok(stop)
}

/// How many stop signals arrived so far. At the second one may leave at once: the keeper ends the subjects.
pub fn count() -> u32 {
    ARRIVED.load(Ordering::Relaxed)
}

/// Number of the first stop signal; `None` when none arrived.
pub fn first() -> Option<i32> {
    Some(FIRST.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// Runs in the middle of anything: atomic operations only.
extern "C" fn on_signal(signal: libc::c_int) {
    ARRIVED.fetch_add(1, Ordering::Relaxed);
    // Loses against an earlier signal, as it should.
    let _ = FIRST.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    if let Some(stop) = STOP.get() {
        stop.store(true, Ordering::Relaxed);
    }
}

fn handle(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is a valid value: default action, empty mask, no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
    // Whoever waits looks at the flag; nobody's file operation needs to be cut short for it.
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: `action` is initialised and outlives the call; the handler does atomic operations only.
    match unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn is_ignored(signal: libc::c_int) -> io::Result<bool> {
    // SAFETY: an all-zero sigaction is a valid value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: asks only; `action` outlives the call.
    match unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) } {
        0 => Ok(action.sa_sigaction == libc::SIG_IGN),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const CHILD: &str = "PROOFLOAD_TEST_SIGNALS";

    /// Signals concern a whole process, so each case runs in a process of its own: this test binary again.
    fn in_a_child(case: &str) {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "signals::tests::the_child_of_the_other_tests", "--test-threads=1"])
            .env(CHILD, case)
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    }

    fn raise(signal: libc::c_int) {
        // SAFETY: sends a signal to the calling thread; it is handled before raise returns.
        assert_eq!(unsafe { libc::raise(signal) }, 0);
    }

    #[test]
    fn the_child_of_the_other_tests() {
        match std::env::var(CHILD).as_deref() {
            Ok("flag") => {
                // SAFETY: sets a disposition, touches no memory. Whoever runs the tests under nohup has it ignored.
                unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
                let stop = install().unwrap();
                assert_eq!((count(), first()), (0, None));
                raise(libc::SIGTERM);
                assert!(stop.load(Ordering::Relaxed));
                raise(libc::SIGINT);
                raise(libc::SIGHUP);
                assert_eq!((count(), first()), (3, Some(libc::SIGTERM)));
                assert!(Arc::ptr_eq(&stop, &install().unwrap()));
            }
            Ok("ignored") => {
                for signal in [libc::SIGHUP, libc::SIGINT] {
                    // SAFETY: sets a disposition, touches no memory.
                    unsafe { libc::signal(signal, libc::SIG_IGN) };
                }
                install().unwrap();
                raise(libc::SIGHUP);
                assert_eq!(count(), 0, "nohup is respected");
                raise(libc::SIGINT);
                assert_eq!(first(), Some(libc::SIGINT), "a background job can be stopped");
            }
            _ => {}
        }
    }

    #[test]
    fn the_first_signal_sets_the_flag_and_all_are_counted() {
        in_a_child("flag");
    }

    #[test]
    fn a_hang_up_that_nohup_ignores_stays_ignored() {
        in_a_child("ignored");
    }
}
