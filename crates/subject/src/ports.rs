//! Free ports, holders of listening sockets, and probes.

#![allow(
    clippy::disallowed_methods,
    reason = "it probes whether a port is free, and whether a server is ready"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proofload_engine::Address;
use proofload_host::clock::{monotonic_ns, sleep_ns};

use super::SubjectError;
use super::keeper::tree::Process;

/// Ports that are given to subjects: below the range that Linux takes outgoing ports from (32768 by
/// default), so that no connection of the generator can sit on a subject's port before it listens.
const FIRST_PORT: u16 = 20_000;
const LAST_PORT: u16 = 32_700;

/// Time for a port to be free after its process has gone.
const FREE_WITHIN_NS: u64 = 2_000_000_000;
/// Interval between checks of that.
const CHECK_EVERY_NS: u64 = 10_000_000;

/// Most bytes of an answer that a probe reads: the status line is at its beginning.
const PROBE_BYTES_MAX: u64 = 4096;

/// Characters of a command line that name its process.
const COMMAND_COLUMNS: usize = 60;

/// Ports given out so far: none is given twice by one process, since a subject may take a while to listen.
static GIVEN: AtomicU32 = AtomicU32::new(0);

/// A port of this address without a listener on any address.
pub(crate) fn free_port(address: IpAddr) -> Result<u16, SubjectError> {
    let count = u32::from(LAST_PORT - FIRST_PORT) + 1;
    // Different processes begin at different places, so that two of them seldom try the same port at once.
    let begin = std::process::id().wrapping_mul(97);
    for _ in 0..count {
        let offset = begin.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % count;
        let port = FIRST_PORT + u16::try_from(offset).unwrap_or(0);
        if TcpListener::bind((address, port)).is_ok() && listeners(port).is_ok_and(|l| l.is_empty()) {
            return Ok(port);
        }
    }
    Err(SubjectError::NoPort { address, first: FIRST_PORT, last: LAST_PORT })
}

/// Inodes of all sockets that listen on a port, on any address.
pub(crate) fn listeners(port: u16) -> io::Result<BTreeSet<u64>> {
    let mut found = BTreeSet::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        match fs::File::open(table) {
            Ok(file) => collect_listeners(BufReader::new(file), port, &mut found)?,
            // A kernel without IPv6 has no second table.
            Err(why) if why.kind() == io::ErrorKind::NotFound && table.ends_with('6') => {}
            Err(why) => return Err(why),
        }
    }
    Ok(found)
}

/// Lines as in proc(5): `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`. All that listen come
/// first (the kernel's proc_net_tcp.rst); to read on through tens of thousands of connections takes it a fifth of a second.
fn collect_listeners(table: impl BufRead, port: u16, found: &mut BTreeSet<u64>) -> io::Result<()> {
    const LISTEN: &str = "0A";
    let wanted = format!(":{port:04X}");
    for line in table.lines().skip(1) {
        let line = line?;
        let mut fields = line.split_ascii_whitespace().skip(1);
        let local = fields.next().unwrap_or("");
        if fields.nth(1) != Some(LISTEN) {
            return Ok(());
        }
        if !local.ends_with(&wanted) {
            continue;
        }
        if let Some(inode) = fields.nth(5).and_then(|inode| inode.parse().ok()) {
            found.insert(inode);
        }
    }
    Ok(())
}

/// True if a port has no listener any more, within a while after its process has gone.
pub(crate) fn becomes_free(port: u16) -> bool {
    let deadline_ns = monotonic_ns() + FREE_WITHIN_NS;
    loop {
        if listeners(port).is_ok_and(|listeners| listeners.is_empty()) {
            return true;
        }
        if monotonic_ns() >= deadline_ns {
            return false;
        }
        sleep_ns(CHECK_EVERY_NS);
    }
}

/// Sockets of these that are held by one of these processes.
pub(crate) fn held_by(processes: &[Process], sockets: &BTreeSet<u64>) -> BTreeSet<u64> {
    let held = |inode: &u64| processes.iter().any(|process| holds(process.pid, *inode));
    sockets.iter().copied().filter(held).collect()
}

fn holds(pid: u32, inode: u64) -> bool {
    let wanted = format!("socket:[{inode}]");
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    entries
        .flatten()
        .any(|entry| fs::read_link(entry.path()).is_ok_and(|link| link.as_os_str() == wanted.as_str()))
}

/// Names the holder of one of these sockets, as far as this user may read it.
pub(crate) fn name_holder(all: &[Process], sockets: &BTreeSet<u64>) -> String {
    let holder = all.iter().find(|process| sockets.iter().any(|inode| holds(process.pid, *inode)));
    match holder {
        Some(process) => {
            let name = fs::read_to_string(format!("/proc/{}/comm", process.pid)).unwrap_or_default();
            let command = fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            // Secrets are further behind, if anywhere.
            let shown: String = command.trim().chars().take(COMMAND_COLUMNS).collect();
            format!("process {} ({}: {})", process.pid, name.trim().escape_debug(), shown.escape_debug())
        }
        None => "a process of another user".into(),
    }
}

/// Reason why a probe failed, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProbeError {
    /// A connection was taken, and no answer came in time.
    Silent(String),
    /// No connection, or an answer that is none.
    Other(String),
}

impl std::fmt::Display for ProbeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ProbeError::Silent(what) | ProbeError::Other(what)) = self;
        f.write_str(what)
    }
}

/// Checks that something answers: a connection, and with a path an HTTP status from 200 to 399.
///
/// # Errors
/// The missing part.
pub(crate) fn probe(address: &Address, path: Option<&str>, within: Duration) -> Result<(), ProbeError> {
    let refused = |why| ProbeError::Other(format!("no connection: {why}"));
    let mut stream = match address {
        Address::Tcp(address) => TcpStream::connect_timeout(address, within).map_err(refused)?,
        // Only servers that run already have one, and for those a connection is enough.
        Address::Unix(path) => return UnixStream::connect(path).map(drop).map_err(refused),
    };
    let Some(path) = path else { return Ok(()) };
    let failed = |why: io::Error| match why.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            let seconds = within.as_secs_f64();
            ProbeError::Silent(format!("it takes connections, and GET {path} has no answer for {seconds} s"))
        }
        _ => ProbeError::Other(format!("no answer to GET {path}: {why}")),
    };
    stream
        .set_read_timeout(Some(within))
        .and_then(|()| stream.set_write_timeout(Some(within)))
        .map_err(failed)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    // Unlike a bare read, it goes on where the process was stopped meanwhile and continued.
    let mut line = Vec::new();
    BufReader::new(stream).take(PROBE_BYTES_MAX).read_until(b'\n', &mut line).map_err(failed)?;
    let line = String::from_utf8_lossy(&line);
    let line = line.lines().next().unwrap_or("");
    match line
        .strip_prefix("HTTP/1.")
        .and_then(|rest| rest.get(2..5))
        .and_then(|code| code.parse::<u16>().ok())
    {
        Some(200..=399) => Ok(()),
        Some(code) => Err(ProbeError::Other(format!("GET {path} is answered with status {code}"))),
        None => Err(ProbeError::Other(format!("GET {path} is not answered with HTTP"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listeners_of_the_port_are_collected() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4244 1 0 100 0 0 10 0\n\
            1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0 100 0 0 10 0\n\
            2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0 20 4 30 10 -1\n";
        struct Further;
        impl Read for Further {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("read on behind the listeners"))
            }
        }
        let mut found = BTreeSet::new();
        let table = table.as_bytes().chain(BufReader::new(Further));
        collect_listeners(table, 8080, &mut found).unwrap();
        assert_eq!(found, BTreeSet::from([4242]));
        let garbage = "sl local_address\n 0: garbage\n 1: 0100007F:1F90 00000000:0000 0A\n\n";
        collect_listeners(garbage.as_bytes(), 8080, &mut found).unwrap();
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_listener_of_this_process_is_seen_and_known_as_ours() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let sockets = listeners(port).unwrap();
        assert_eq!(sockets.len(), 1);
        let me = super::super::keeper::tree::find(std::process::id()).unwrap();
        assert_eq!(held_by(&[me], &sockets), sockets);
        assert!(held_by(&[], &sockets).is_empty());
        assert!(name_holder(&[me], &sockets).starts_with(&format!("process {}", me.pid)));
    }

    #[test]
    fn free_ports_differ_and_are_free() {
        let own = IpAddr::from([127, 0, 0, 1]);
        let (a, b) = (free_port(own).unwrap(), free_port(own).unwrap());
        assert_ne!(a, b);
        assert!(listeners(a).unwrap().is_empty());
    }

    #[test]
    fn a_probe_tells_an_error_page_from_an_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            for answer in ["HTTP/1.1 503 Busy\r\n\r\n", "HTTP/1.1 204 \r\n\r\n", "SSH-2.0\r\n"] {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0_u8; 1024]).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let ask = || probe(&address.into(), Some("/"), Duration::from_secs(20));
        assert!(ask().unwrap_err().to_string().contains("503"));
        ask().unwrap();
        assert!(ask().unwrap_err().to_string().contains("not answered with HTTP"));
        server.join().unwrap();
    }

    /// Set in a process of its own for the next test: the port that it probes.
    const CHILD: &str = "PROOFLOAD_TEST_PROBE";

    #[test]
    fn the_child_of_the_next_test() {
        let Some(port) = std::env::var_os(CHILD) else { return };
        let port = port.to_str().and_then(|port| port.parse().ok()).expect("a port");
        probe(&Address::Tcp(([127, 0, 0, 1], port).into()), Some("/"), Duration::from_secs(20)).unwrap();
    }

    #[test]
    fn a_probe_goes_on_when_its_process_was_stopped_and_continued() {
        use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ports::tests::the_child_of_the_next_test", "--test-threads=1"])
            .env(CHILD, listener.local_addr().unwrap().port().to_string())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0_u8; 1024]).unwrap();
        // Some of them while it waits for the answer.
        for _ in 0..5 {
            std::thread::sleep(Duration::from_millis(20));
            for (signal, until) in
                [(Signal::STOP, WaitIdOptions::STOPPED), (Signal::CONT, WaitIdOptions::CONTINUED)]
            {
                kill_process(pid, signal).unwrap();
                let or_gone = until | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                waitid(WaitId::Pid(pid), or_gone).unwrap();
            }
        }
        // The child may have given up on it already.
        let _ = stream.write_all(b"HTTP/1.1 204 \r\n\r\n");
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
