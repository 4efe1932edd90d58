//! Use of processes and connections so far, as the kernel counts it.

use anyhow::{Context, ensure};
use std::fs;
use std::mem::size_of;
use std::os::fd::RawFd;

/// CPU time of each thread that a process has, in nanoseconds, in the order in which they were made.
///
/// # Errors
/// If the process is gone.
pub fn thread_cpu_ns(pid: u32) -> anyhow::Result<Vec<u64>> {
    let folder = format!("/proc/{pid}/task");
    let entries = fs::read_dir(&folder).with_context(|| folder.clone())?;
    let mut threads: Vec<u32> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    let read = threads.iter().map(|thread| {
        let text = fs::read_to_string(format!("{folder}/{thread}/schedstat"))?;
        first_number(&text).with_context(|| format!("{folder}/{thread}/schedstat: {text:?}"))
    });
    read.collect()
}

/// CPU time of a process, of all threads that it ever had, in nanoseconds.
///
/// # Errors
/// If there is no such process.
pub fn process_cpu_ns(pid: u32) -> anyhow::Result<u64> {
    // SAFETY: both calls write to the places that they are given, which outlive them.
    let (known, time) = unsafe {
        let mut clock: libc::clockid_t = 0;
        let mut time: libc::timespec = std::mem::zeroed();
        let known = libc::clock_getcpuclockid(pid as libc::pid_t, &raw mut clock);
        (known | libc::clock_gettime(clock, &raw mut time), time)
    };
    ensure!(known == 0, "process {pid} is not there");
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// Offsets in `struct tcp_info` of the kernel (uapi/linux/tcp.h, since 4.1) of the bytes that the peer acknowledged and
/// of those that came; the C library's own declaration ends before them.
const ACKNOWLEDGED_AT: usize = 120;
const RECEIVED_AT: usize = 128;
const INFO_BYTES: usize = 136;

/// Bytes that all TCP connections of this process have sent, and received: what TCP carries, without its headers.
///
/// # Errors
/// If the kernel does not report them.
pub fn own_tcp_bytes() -> anyhow::Result<[u64; 2]> {
    let entries = fs::read_dir("/proc/self/fd").context("/proc/self/fd")?;
    let descriptors: Vec<RawFd> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    let mut sums = [0; 2];
    for info in descriptors.into_iter().filter_map(tcp_info) {
        let number = |at: usize| info[at..].first_chunk().map(|bytes| u64::from_ne_bytes(*bytes));
        for (sum, at) in sums.iter_mut().zip([ACKNOWLEDGED_AT, RECEIVED_AT]) {
            *sum += number(at).context("a short answer")?;
        }
    }
    Ok(sums)
}

/// The kernel's data on a TCP connection; `None` for another descriptor.
fn tcp_info(descriptor: RawFd) -> Option<[u8; INFO_BYTES]> {
    let mut info = [0_u8; INFO_BYTES];
    let mut length = size_of::<[u8; INFO_BYTES]>() as libc::socklen_t;
    // SAFETY: writes at most `length` bytes into `info`, and their number; both outlive the call.
    let answer = unsafe {
        libc::getsockopt(
            descriptor,
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    (answer == 0 && length as usize == INFO_BYTES).then_some(info)
}

/// Processes that ran on this machine on average over the last minute.
///
/// # Errors
/// If the kernel does not report it.
pub fn load_average() -> anyhow::Result<f64> {
    let text = fs::read_to_string("/proc/loadavg").context("/proc/loadavg")?;
    let first = text.split_whitespace().next().and_then(|word| word.parse().ok());
    ensure!(first.is_some(), "/proc/loadavg: {text:?}");
    Ok(first.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    #[test]
    fn threads_and_connections_are_counted() {
        assert!(!thread_cpu_ns(std::process::id()).unwrap().is_empty());
        assert!(load_average().unwrap() >= 0.0);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        let before = own_tcp_bytes().unwrap();
        one.write_all(&[7; 1_000]).unwrap();
        other.read_exact(&mut [0; 1_000]).unwrap();
        let [_, received] = own_tcp_bytes().unwrap();
        assert!(received - before[1] >= 1_000);
    }
}
