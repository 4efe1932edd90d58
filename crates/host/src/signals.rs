//! SIGINT, SIGTERM and SIGHUP become a flag that everything long looks at; a second one ends the program at once, whatever it
//! waits for.

use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Flag that the handler sets; shared with every part that has to stop.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
/// Number of stop signals that arrived.
static ARRIVED: AtomicU32 = AtomicU32::new(0);
/// The first that arrived; 0 before.
static FIRST: AtomicI32 = AtomicI32::new(0);
/// Its instant by the monotonic clock.
static FIRST_NS: AtomicU64 = AtomicU64::new(0);
/// Terminals, shells and service managers send several for one wish; the second wish comes later than that.
const ONE_WISH_NS: u64 = 200_000_000;
/// The exit code of a program that was stopped by a signal.
const STOPPED: i32 = 130;
/// Process groups that end with this process: as many as there are agents, and a few more. 0 is none.
static GROUPS: [AtomicI32; 10_240] = [const { AtomicI32::new(0) }; 10_240];
/// Last words at a second signal.
static LAST_WORDS: AtomicPtr<String> = AtomicPtr::new(null_mut());

/// A process group that a second signal ends.
#[derive(Debug)]
pub(crate) struct Group {
    leader: i32,
    place: Option<usize>,
}

impl Group {
    pub(crate) fn enter(leader: i32) -> Group {
        let take = |place: &AtomicI32| {
            place.compare_exchange(0, leader, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        Group { leader, place: GROUPS.iter().position(take) }
    }

    /// Of a group whose leader has not been waited for.
    pub(crate) fn ask_to_end(&self) {
        signal_group(self.leader, libc::SIGTERM);
    }

    /// The same, and it has no choice.
    pub(crate) fn kill(&self) {
        signal_group(self.leader, libc::SIGKILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.place.iter().for_each(|place| GROUPS[*place].store(0, Ordering::Relaxed));
    }
}

/// Sets the last words at a second signal; none where it is empty.
pub fn last_words(text: &str) {
    let text = if text.is_empty() { null_mut() } else { Box::into_raw(Box::new(format!("{text}\n"))) };
    // Those before stay: the handler may be reading them.
    LAST_WORDS.store(text, Ordering::Release);
}

/// Handles SIGINT, SIGTERM and SIGHUP from now on: the first of them sets the flag, which is never reset. A
/// second call returns the same flag.
///
/// SIGHUP that was ignored at the start stays ignored: that is how `nohup` works. SIGINT is handled even then,
/// because shells ignore it in background jobs, and a measurement must be stoppable.
///
/// # Errors
/// If the kernel refuses a handler.
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

/// Number of stop signals so far.
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
    let now_ns = crate::clock::monotonic_ns();
    let first_ns = FIRST_NS.compare_exchange(0, now_ns, Ordering::Relaxed, Ordering::Relaxed).err();
    if first_ns.is_some_and(|first_ns| now_ns.saturating_sub(first_ns) > ONE_WISH_NS) {
        leave();
    }
    // Loses against an earlier signal, as it should.
    let _ = FIRST.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    if let Some(stop) = STOP.get() {
        stop.store(true, Ordering::Relaxed);
    }
}

/// Ends the started programs, and this process: the keeper, which notices that it is gone, ends the subjects.
fn leave() -> ! {
    GROUPS
        .iter()
        .map(|group| group.load(Ordering::Relaxed))
        .filter(|group| *group != 0)
        .for_each(|group| signal_group(group, libc::SIGKILL));
    // SAFETY: none or a text that is never freed; `write` and `_exit` may be called here.
    unsafe {
        if let Some(words) = LAST_WORDS.load(Ordering::Acquire).as_ref() {
            libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len());
        }
        libc::_exit(STOPPED)
    }
}

fn signal_group(leader: i32, signal: libc::c_int) {
    // SAFETY: touches no memory; may be called in a handler.
    unsafe { libc::kill(-leader, signal) };
}

fn handle(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is a valid value: default action, empty mask, no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
    // A part that waits looks at the flag; no file operation needs to be cut short for it.
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
                // SAFETY: sets a disposition, touches no memory. Under nohup it is ignored.
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
            Ok("twice") => {
                install().unwrap();
                let mut started = Command::new("sleep");
                let started = crate::started::Started::start(started.arg("1000")).expect("it starts");
                last_words("objects may be there");
                raise(libc::SIGTERM);
                raise(libc::SIGTERM);
                println!("started {}", std::mem::ManuallyDrop::new(started).id());
                crate::clock::sleep_ns(ONE_WISH_NS + 1_000_000);
                raise(libc::SIGINT);
                unreachable!("it has left");
            }
            _ => {}
        }
    }

    #[test]
    fn a_second_wish_ends_the_program_at_once_and_what_it_started() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "signals::tests::the_child_of_the_other_tests", "--test-threads=1"]);
        let told = command.arg("--nocapture").env(CHILD, "twice").output().unwrap();
        assert_eq!(told.status.code(), Some(STOPPED), "{told:?}");
        assert_eq!(String::from_utf8_lossy(&told.stderr), "objects may be there\n");
        let said = String::from_utf8_lossy(&told.stdout).into_owned();
        let pid = said.split("started ").nth(1).and_then(|rest| rest.lines().next()).expect("its number");
        // It was killed, and ends when the kernel comes to it.
        let is_there = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
            status.is_ok_and(|status| !status.contains("State:\tZ"))
        };
        for _ in 0..1000 {
            if !is_there() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{pid} is still there");
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
