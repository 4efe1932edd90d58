//! The floor: writes the same request and reads the same bytes over the same connections as a load tester would, and
//! looks at nothing: no parsing, no clock, no record. What a load tester costs beyond it is its own.
//!
//! ```text
//! bare_loop --url http://127.0.0.1:8080/ --connections 64 --seconds 1 --events 64
//! ```

use anyhow::{Context, ensure};
use proofload_benches::flags::Flags;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

const BUFFER_BYTES: usize = 64 * 1024;
const EVENTS: usize = 64;
const EVENTS_MAX: usize = 256;

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--url", "--connections", "--seconds", "--events"])?;
    let url = flags.text("--url").context("--url is needed")?;
    let (host, path) = url.trim_start_matches("http://").split_once('/').context("--url has no path")?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: proofload/0.1.0\r\n\r\n");
    let connections: usize = flags.get("--connections", 64)?;
    let seconds: u64 = flags.get("--seconds", 1)?;
    ensure!((1..=60).contains(&seconds), "at most 60 s");
    let answer_bytes = ask_once(host, request.as_bytes())?;
    let streams = connect(host, connections)?;
    let events: usize = flags.get("--events", EVENTS)?;
    ensure!((1..=EVENTS_MAX).contains(&events), "1 to {EVENTS_MAX} events");
    let time = Duration::from_secs(seconds);
    let (answers, waits) = turn(&streams, request.as_bytes(), answer_bytes, events, time)?;
    println!("{answers} requests of {answer_bytes} bytes answered in {waits} waits");
    Ok(())
}

/// Length of the answer: all bytes until nothing comes for a while.
fn ask_once(host: &str, request: &[u8]) -> anyhow::Result<usize> {
    let mut stream = TcpStream::connect(host).with_context(|| host.to_owned())?;
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    stream.write_all(request)?;
    let mut buffer = [0; BUFFER_BYTES];
    let mut all = 0;
    while let Ok(got @ 1..) = stream.read(&mut buffer) {
        all += got;
    }
    ensure!(all > 0, "{host} did not answer");
    Ok(all)
}

fn connect(host: &str, connections: usize) -> anyhow::Result<Vec<TcpStream>> {
    let streams = (0..connections).map(|_| {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(stream)
    });
    streams.collect()
}

/// Keeps one request in flight on each connection; returns how many were answered, and how often was waited.
fn turn(
    streams: &[TcpStream],
    request: &[u8],
    answer_bytes: usize,
    most: usize,
    time: Duration,
) -> anyhow::Result<(u64, u64)> {
    // SAFETY: takes a flag and returns a descriptor.
    let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
    ensure!(epoll >= 0, "epoll_create1");
    for (at, stream) in streams.iter().enumerate() {
        let mut event = libc::epoll_event { events: (libc::EPOLLIN | libc::EPOLLET) as u32, u64: at as u64 };
        // SAFETY: both descriptors are open and the event outlives the call.
        let added =
            unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, stream.as_raw_fd(), &raw mut event) };
        ensure!(added == 0, "epoll_ctl");
        let mut stream = stream;
        stream.write_all(request)?;
    }
    let mut left = vec![answer_bytes; streams.len()];
    let mut buffer = vec![0; BUFFER_BYTES];
    let (mut answers, mut waits) = (0, 0);
    let end = Instant::now() + time;
    // SAFETY: all zeros are valid events.
    let mut events: [libc::epoll_event; EVENTS_MAX] = unsafe { std::mem::zeroed() };
    // The clock is read once in a thousand answers, which is not to be seen.
    while answers % 1_024 > most as u64 || Instant::now() < end {
        // SAFETY: the array holds at least `most` events and outlives the call.
        let got = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), most as i32, 100) };
        waits += 1;
        for event in &events[..got.max(0) as usize] {
            let at = event.u64 as usize;
            let mut stream = &streams[at];
            let Ok(got) = stream.read(&mut buffer) else { continue };
            ensure!(got > 0 && got <= left[at], "{got} bytes where {} were due", left[at]);
            left[at] -= got;
            if left[at] == 0 {
                left[at] = answer_bytes;
                answers += 1;
                ensure!(stream.write(request)? == request.len(), "a short write");
            }
        }
    }
    // SAFETY: the descriptor is ours and not used again.
    unsafe { libc::close(epoll) };
    Ok((answers, waits))
}
