//! A client that blocks, gives up after a while, and reports truthfully the outcome of each exchange.

use proofload_measure::Outcome;
use proofload_reference::{Config, Running};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// No test waits longer for a byte that must come; reaching it is a failure, not a measurement.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: reference\r\n\r\n";

pub fn start(config: Config) -> Running {
    Running::start(config).expect("the kernel chooses a free port")
}

/// Waits for what must happen, however busy the machine.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < PATIENCE, "waited in vain for: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn closes(&self) -> bool {
        self.head.contains("\r\nConnection: close\r\n")
    }
}

pub struct Client {
    pub socket: TcpStream,
    buffer: Vec<u8>,
    exchanges: u32,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Client {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_nodelay(true).unwrap();
        Client { socket, buffer: Vec::new(), exchanges: 0 }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).unwrap();
    }

    /// Bytes that came behind the last answer.
    pub fn surplus(&self) -> &[u8] {
        &self.buffer
    }

    /// The next answer, or how the connection ended before it was whole.
    pub fn answer(&mut self, head_only: bool) -> Result<Answer, Outcome> {
        self.exchanges += 1;
        let head_end = loop {
            if let Some(at) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            self.read()?;
        };
        let head =
            String::from_utf8(self.buffer.drain(..head_end).collect()).map_err(|_| Outcome::Malformed)?;
        let status = head.get(9..12).and_then(|code| code.parse().ok()).ok_or(Outcome::Malformed)?;
        let length = head.split("\r\nContent-Length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let length: usize = length.and_then(|n| n.parse().ok()).ok_or(Outcome::Malformed)?;
        let length = if head_only { 0 } else { length };
        while self.buffer.len() < length {
            self.read()?;
        }
        let body = self.buffer.drain(..length).collect();
        Ok(Answer { status, head, body })
    }

    pub fn get(&mut self) -> Result<Answer, Outcome> {
        match self.socket.write_all(GET) {
            Ok(()) => self.answer(false),
            Err(_) => Err(Outcome::SendFailed),
        }
    }

    fn read(&mut self) -> Result<(), Outcome> {
        let mut piece = [0; 16 * 1024];
        match self.socket.read(&mut piece) {
            Ok(0) => Err(Outcome::ClosedEarly),
            Ok(n) => {
                self.buffer.extend_from_slice(&piece[..n]);
                Ok(())
            }
            Err(error) => Err(match error.kind() {
                ErrorKind::ConnectionReset if self.exchanges == 1 => Outcome::ResetFresh,
                ErrorKind::ConnectionReset => Outcome::ResetReused,
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Outcome::Timeout,
                // Stopped and gone on: a read with a time limit ends then.
                ErrorKind::Interrupted => return self.read(),
                _ => Outcome::Internal,
            }),
        }
    }

    /// Everything until the end of the connection, and whether a reset was that end.
    pub fn rest(mut self) -> (Vec<u8>, bool) {
        loop {
            match self.read() {
                Ok(()) => {}
                Err(Outcome::ClosedEarly) => return (self.buffer, false),
                Err(Outcome::ResetFresh | Outcome::ResetReused) => return (self.buffer, true),
                Err(other) => panic!("neither FIN nor RST: {}", other.name()),
            }
        }
    }
}

/// Outcome of a whole answer.
pub fn judge(answer: &Answer) -> Outcome {
    if (200..400).contains(&answer.status) { Outcome::Answered } else { Outcome::Rejected }
}

/// Reads a number out of the JSON of the counts.
pub fn number(json: &str, name: &str) -> u64 {
    let rest = json.split(&format!("\"{name}\":")).nth(1).unwrap_or_else(|| panic!("no {name} in {json}"));
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}
