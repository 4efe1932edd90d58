//! A small HTTP/1.1 server for live tests: one thread for each connection, counts, and a switch that holds
//! all answers back.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;

const REQUEST_MAX: usize = 4096;
/// Stack of a connection's thread, which holds little more than that; thousands must fit.
const STACK_BYTES: usize = 128 * 1024;
/// Connections that may wait to be accepted; the kernel allows no more by default (`net.core.somaxconn`).
const LISTEN_QUEUE: i32 = 4096;

/// The server. It ends with the process; a test needs no other end.
#[derive(Debug)]
pub struct HttpPeer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    accepted: AtomicU64,
    answered: AtomicU64,
    /// Answering needs it for reading; who holds it for writing stalls the server.
    gate: RwLock<()>,
    refusing: AtomicBool,
}

impl HttpPeer {
    /// Listens on a free port of the loopback address and answers every request with a body of that size.
    ///
    /// # Errors
    /// If no port is free or no thread can be started.
    pub fn start(body_bytes: usize) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        // With the standard library's queue of 128 places, connections turned away try again after seconds, at
        // last after half a minute.
        rustix::net::listen(&listener, LISTEN_QUEUE)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let peer = HttpPeer { address, shared: Arc::clone(&shared) };
        let answers: [Arc<[u8]>; 2] =
            [answer("keep-alive", body_bytes).into(), answer("close", body_bytes).into()];
        thread::Builder::new().spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                shared.accepted.fetch_add(1, Ordering::Relaxed);
                let (shared, answers) = (Arc::clone(&shared), answers.clone());
                let serving = move || serve(stream, &shared, &answers);
                // Without a thread the connection is dropped, which the other side will notice.
                drop(thread::Builder::new().stack_size(STACK_BYTES).spawn(serving));
            }
        })?;
        Ok(peer)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn accepted(&self) -> u64 {
        self.shared.accepted.load(Ordering::Relaxed)
    }

    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }

    /// Answers every request with status 503 from now on.
    pub fn refuse(&self) {
        self.shared.refusing.store(true, Ordering::Relaxed);
    }

    /// Holds all answers back while `meanwhile` runs.
    pub fn stall(&self, meanwhile: impl FnOnce()) {
        let held = self.shared.gate.write();
        meanwhile();
        drop(held);
    }
}

fn answer(connection: &str, body_bytes: usize) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {body_bytes}\r\nConnection: {connection}\r\n\r\n");
    let mut bytes = head.into_bytes();
    bytes.resize(bytes.len() + body_bytes, b'x');
    bytes
}

/// Answers on one connection until it ends, without allocating.
fn serve(mut stream: TcpStream, shared: &Shared, answers: &[Arc<[u8]>; 2]) {
    let mut buffer = [0; REQUEST_MAX];
    let mut filled = 0;
    if stream.set_nodelay(true).is_err() {
        return;
    }
    loop {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) | Err(_) => return,
            Ok(n) => filled += n,
        }
        if !buffer[..filled].ends_with(b"\r\n\r\n") {
            continue;
        }
        let closes = buffer[..filled].windows(17).any(|w| w.eq_ignore_ascii_case(b"connection: close"));
        filled = 0;
        let open = shared.gate.read();
        drop(open);
        // Counted before it is sent: a client that has the answer must find it counted.
        shared.answered.fetch_add(1, Ordering::Relaxed);
        let refusal: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
        let refusing = shared.refusing.load(Ordering::Relaxed);
        let bytes = if refusing { refusal } else { &answers[usize::from(closes)] };
        if stream.write_all(bytes).is_err() || closes {
            return;
        }
    }
}
