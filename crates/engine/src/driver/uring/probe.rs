//! Test that this kernel does what the driver needs, before any load.

use super::memory::{Buffers, GROUP};
use crate::{DriverChoice, EngineError};
use io_uring::{IoUring, cqueue, opcode, types};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType};
use std::io;
use std::os::fd::AsRawFd;

/// Time that the kernel may take to hand over a byte that is there.
const PATIENCE: types::Timespec = types::Timespec::new().sec(1);

/// A ring as the driver uses it.
///
/// # Errors
/// If the kernel refuses it, for any reason.
pub(super) fn ring(entries: u32, completions: u32) -> io::Result<IoUring> {
    // Completions are made when this thread asks for them, and it alone asks; a flag in shared memory tells
    // that there are some. Without these a request costs more than through epoll.
    IoUring::builder()
        .setup_single_issuer()
        .setup_coop_taskrun()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .setup_submit_all()
        .setup_cqsize(completions)
        .setup_clamp()
        .build(entries)
}

/// Dropped in this order, for the kernel must not write to memory that is gone.
struct Rig {
    ring: IoUring,
    buffers: Buffers,
}

/// Receives one byte from a socket pair in the way in which answers are received.
///
/// # Errors
/// The kernel's error for the step that it refuses.
pub(super) fn attempt() -> io::Result<()> {
    let ring = ring(4, 8)?;
    let buffers = Buffers::register(&ring, 1)?;
    let Rig { ring, buffers } = &mut Rig { ring, buffers };
    let (here, there) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
        None,
    )?;
    let receive = opcode::RecvMulti::new(types::Fd(here.as_raw_fd()), GROUP).build();
    // SAFETY: the socket and the buffers live until the end of this function, as does the ring.
    unsafe { ring.submission().push(&receive) }.map_err(io::Error::other)?;
    ring.submit()?;
    rustix::net::send(&there, b"?", SendFlags::NOSIGNAL)?;
    ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&PATIENCE))?;
    let Some(done) = ring.completion().next() else {
        return Err(io::Error::other("a byte that was there was not handed over"));
    };
    if done.result() < 0 {
        return Err(io::Error::from_raw_os_error(-done.result()));
    }
    let whole = match cqueue::buffer_select(done.flags()) {
        Some(id) => buffers.received(id, done.result() as usize) == b"?" && cqueue::more(done.flags()),
        None => false,
    };
    whole.then_some(()).ok_or_else(|| io::Error::other("received otherwise than was asked for"))
}

/// Turns the result of an attempt into an error of the engine.
pub(super) fn judged(attempt: io::Result<()>) -> Result<(), EngineError> {
    let Err(error) = attempt else { return Ok(()) };
    let why = match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no io_uring".to_owned(),
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is forbidden, by the setting kernel.io_uring_disabled or by the filter of a container"
                .to_owned()
        }
        Some(libc::EINVAL | libc::EOPNOTSUPP | libc::EBADRQC) => {
            format!("this kernel's io_uring lacks what is needed, Linux 6.1 has it ({error})")
        }
        Some(libc::ENOMEM) => {
            format!(
                "there is no memory for it, or the limit of locked memory (`ulimit -l`) is too low ({error})"
            )
        }
        _ => format!("the kernel refuses a first receive ({error})"),
    };
    Err(EngineError::Driver { driver: DriverChoice::IoUring.name(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_says_why_and_what_to_do() {
        let said = |errno| judged(Err(io::Error::from_raw_os_error(errno))).unwrap_err().to_string();
        for (errno, why) in [
            (libc::ENOSYS, "has no io_uring"),
            (libc::EPERM, "kernel.io_uring_disabled"),
            (libc::EINVAL, "Linux 6.1"),
            (libc::ENOMEM, "ulimit -l"),
            (libc::EMFILE, "refuses a first receive (Too many open files"),
        ] {
            let said = said(errno);
            assert!(said.contains(why) && said.ends_with("use the epoll driver"), "{said}");
        }
        assert!(judged(Ok(())).is_ok());
    }

    /// Forbids this thread to make a ring, as the filter of a container does.
    fn forbid_rings() {
        const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
        const JUMP_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
        const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
        let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
        // The number of the system call is the first word of what a filter sees.
        let mut steps = [
            step(LOAD, 0, 0, 0),
            step(JUMP_EQUAL, 0, 1, libc::SYS_io_uring_setup as u32),
            step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
            step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
        // SAFETY: the arguments are those of prctl(2), and the program outlives the calls.
        unsafe {
            assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
            assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
        }
    }

    #[test]
    fn a_filter_that_forbids_rings_is_told_before_any_load() {
        let probed = std::thread::spawn(|| {
            forbid_rings();
            crate::driver::probe(DriverChoice::IoUring).map_err(|refused| refused.to_string())
        });
        let refused = probed.join().unwrap().unwrap_err();
        assert!(
            refused.contains("io_uring is forbidden") && refused.contains("use the epoll driver"),
            "{refused}"
        );
    }
}
