//! Work that must not be felt by what is measured on this machine.

use std::io;

/// Lets the calling thread, and threads that it starts, run only where a CPU has nothing else to do (`SCHED_IDLE`). Without
/// rights it cannot be raised again, so it is for threads that end soon.
///
/// # Errors
/// If the kernel refuses.
pub fn enter() -> io::Result<()> {
    // SAFETY: an all-zero sched_param is a valid value, the one that this policy asks for.
    let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: 0 is the calling thread; `parameters` is initialised and outlives the call.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> libc::c_int {
        // SAFETY: 0 is the calling thread.
        unsafe { libc::sched_getscheduler(0) }
    }

    #[test]
    fn a_thread_that_steps_aside_does_so_alone() {
        let before = policy();
        let aside = std::thread::spawn(|| enter().map(|()| policy())).join().expect("it ends");
        assert_eq!(aside.expect("anybody may step aside"), libc::SCHED_IDLE);
        assert_eq!(policy(), before);
    }
}
