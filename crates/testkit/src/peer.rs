//! A peer whose every move is written down beforehand.

use rustix::net::sockopt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A test that waits for longer than this has failed; reads give up then.
const PATIENCE: Duration = Duration::from_secs(20);

/// One step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptStep {
    /// Reads until this many bytes have come since the last such step.
    Await(usize),
    /// Reads until another whole HTTP/1.1 request has come: its head, and a body of the length in that head.
    AwaitRequest,
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends bytes one by one, with a pause after each.
    Drip(Vec<u8>, Duration),
    /// Sends the bytes over and over, until the other side has enough of them.
    Flood(Vec<u8>),
    Pause(Duration),
    /// Ends the connection with FIN; what comes after it is still read.
    Fin,
    /// Closes the connection: with FIN, or with a reset when something unread is left.
    Close,
    Reset,
}

/// End of a connection, as the peer saw it after its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The other side closed it.
    Closed,
    /// The other side reset it.
    Reset,
    /// The script closed or reset it.
    ByScript,
    /// Nothing came for a long time.
    Lingering,
}

/// Result of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// All bytes received.
    pub received: Vec<u8>,
    pub ending: Ending,
}

/// A listening socket that plays one script for each connection, in the order in which they are accepted.
#[derive(Debug)]
pub struct ScriptedPeer {
    address: SocketAddr,
    stage: JoinHandle<io::Result<Vec<Play>>>,
}

/// A peer that lasts as long as the process.
#[derive(Debug)]
pub struct Lasting {
    pub address: SocketAddr,
    accepted: Arc<AtomicU64>,
}

impl Lasting {
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }
}

impl ScriptedPeer {
    /// Listens on a free port of the loopback address.
    ///
    /// # Errors
    /// If there is none.
    pub fn start(scripts: Vec<Vec<ScriptStep>>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let stage = thread::spawn(move || {
            let mut actors = Vec::new();
            for script in scripts {
                let (stream, _) = listener.accept()?;
                actors.push(thread::spawn(move || play(stream, script)));
            }
            actors
                .into_iter()
                .map(|actor| actor.join().map_err(|_| io::Error::other("a script panicked"))?)
                .collect()
        });
        Ok(ScriptedPeer { address, stage })
    }

    /// Listens on a free port for as long as the process lives. The first connection gets the first script,
    /// the next the next, and all further ones the last.
    ///
    /// # Errors
    /// If no port is free.
    pub fn start_lasting(scripts: Vec<Vec<ScriptStep>>) -> io::Result<Lasting> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let lasting = Lasting { address: listener.local_addr()?, accepted: Arc::default() };
        let accepted = Arc::clone(&lasting.accepted);
        thread::spawn(move || {
            let mut scripts = scripts.into_iter().peekable();
            let mut last = Vec::new();
            while let Ok((stream, _)) = listener.accept() {
                accepted.fetch_add(1, Ordering::Relaxed);
                last = scripts.next().unwrap_or(last);
                let script = last.clone();
                thread::spawn(move || play(stream, script));
            }
        });
        Ok(lasting)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until all scripts were played and their connections have ended.
    ///
    /// # Errors
    /// If accepting or setting up a connection failed.
    pub fn finish(self) -> io::Result<Vec<Play>> {
        self.stage.join().map_err(|_| io::Error::other("the peer panicked"))?
    }
}

/// Holds the port at which connections are refused: no other process gets it while this is kept.
pub struct Refusing {
    _socket: std::os::fd::OwnedFd,
}

/// An address of this machine at which nothing listens.
///
/// # Errors
/// If no port is free.
pub fn refusing_address() -> io::Result<(SocketAddr, Refusing)> {
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    Ok((SocketAddr::try_from(getsockname(&socket)?)?, Refusing { _socket: socket }))
}

/// An address of this machine whose listen queue is full and stays so: a client that connects gets no answer.
///
/// # Errors
/// If no socket can be opened.
pub fn deaf_address() -> io::Result<(SocketAddr, Deaf)> {
    use rustix::net::{AddressFamily, SocketType, bind, connect, getsockname, listen, socket};
    let listener = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    bind(&listener, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    // One connection fits a queue of length 0.
    listen(&listener, 0)?;
    let address = SocketAddr::try_from(getsockname(&listener)?)?;
    let guest = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    connect(&guest, &address)?;
    Ok((address, Deaf { _sockets: [listener, guest] }))
}

/// Keeps a listen queue full for as long as it lives.
#[derive(Debug)]
pub struct Deaf {
    _sockets: [OwnedFd; 2],
}

/// State of a script.
struct Stage {
    stream: TcpStream,
    received: Vec<u8>,
    /// Number of received bytes that have been awaited.
    awaited: usize,
    /// End of the last whole request that was awaited.
    asked: usize,
}

fn play(stream: TcpStream, script: Vec<ScriptStep>) -> io::Result<Play> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut stage = Stage { stream, received: Vec::new(), awaited: 0, asked: 0 };
    for step in script {
        if let Err(ending) = stage.perform(step)? {
            return Ok(Play { received: stage.received, ending });
        }
    }
    loop {
        if let Err(ending) = read_some(&mut stage.stream, &mut stage.received)? {
            return Ok(Play { received: stage.received, ending });
        }
    }
}

impl Stage {
    /// One step; the inner error is how the connection ended with it.
    fn perform(&mut self, step: ScriptStep) -> io::Result<Result<(), Ending>> {
        let Stage { stream, received, awaited, asked } = self;
        match step {
            ScriptStep::Await(wanted) => {
                while received.len() - *awaited < wanted {
                    if let Err(ending) = read_some(stream, received)? {
                        return Ok(Err(ending));
                    }
                }
                *awaited += wanted;
            }
            ScriptStep::AwaitRequest => loop {
                if let Some(len) = request_len(&received[*asked..]) {
                    *asked += len;
                    *awaited = (*asked).max(*awaited);
                    break;
                }
                if let Err(ending) = read_some(stream, received)? {
                    return Ok(Err(ending));
                }
            },
            ScriptStep::Send(bytes) => {
                if stream.write_all(&bytes).is_err() {
                    return Ok(Err(Ending::Reset));
                }
            }
            ScriptStep::Drip(bytes, pause) => {
                for byte in bytes {
                    if stream.write_all(&[byte]).is_err() {
                        return Ok(Err(Ending::Reset));
                    }
                    thread::sleep(pause);
                }
            }
            ScriptStep::Flood(bytes) => while stream.write_all(&bytes).is_ok() {},
            ScriptStep::Pause(time) => thread::sleep(time),
            ScriptStep::Fin => stream.shutdown(std::net::Shutdown::Write)?,
            ScriptStep::Close => return Ok(Err(Ending::ByScript)),
            ScriptStep::Reset => {
                sockopt::set_socket_linger(&*stream, Some(Duration::ZERO))?;
                return Ok(Err(Ending::ByScript));
            }
        }
        Ok(Ok(()))
    }
}

/// Length of the request that these bytes begin with, when all of it is there.
fn request_len(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    let body = length.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(0);
    (bytes.len() >= head + body).then_some(head + body)
}

/// Reads what is there; the inner error is how the connection ended.
fn read_some(stream: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Result<usize, Ending>> {
    let mut buffer = [0; 16 * 1024];
    let read = loop {
        match stream.read(&mut buffer) {
            // A process that is stopped and goes on: reads with a time limit end then, and are not begun anew.
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    match read {
        Ok(0) => Ok(Err(Ending::Closed)),
        Ok(n) => {
            received.extend_from_slice(&buffer[..n]);
            Ok(Ok(n))
        }
        Err(e) if e.kind() == io::ErrorKind::ConnectionReset => Ok(Err(Ending::Reset)),
        Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            Ok(Err(Ending::Lingering))
        }
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_played_and_what_came_is_kept() {
        let script = vec![ScriptStep::Await(4), ScriptStep::Send(b"pong".to_vec()), ScriptStep::Fin];
        let peer = ScriptedPeer::start(vec![script]).unwrap();
        let mut stream = TcpStream::connect(peer.address()).unwrap();
        stream.write_all(b"ping").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        stream.write_all(b"bye").unwrap();
        drop(stream);
        assert_eq!(answer, b"pong");
        assert_eq!(peer.finish().unwrap(), [Play { received: b"pingbye".to_vec(), ending: Ending::Closed }]);
    }

    #[test]
    fn a_request_is_awaited_with_its_body() {
        let script = vec![
            ScriptStep::AwaitRequest,
            ScriptStep::Drip(b"ok".to_vec(), Duration::ZERO),
            ScriptStep::Close,
        ];
        let peer = ScriptedPeer::start_lasting(vec![script]).unwrap();
        for _ in 0..2 {
            let mut stream = TcpStream::connect(peer.address).unwrap();
            stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab").unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            assert!(stream.read(&mut [0; 8]).is_err(), "the body is not whole");
            stream.write_all(b"c").unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert_eq!(answer, "ok");
        }
        assert_eq!(peer.accepted(), 2);
    }

    #[test]
    fn a_deaf_address_does_not_answer() {
        let (address, _kept) = deaf_address().unwrap();
        let error = TcpStream::connect_timeout(&address, Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_reset_is_one() {
        let peer = ScriptedPeer::start(vec![vec![ScriptStep::Await(1), ScriptStep::Reset]]).unwrap();
        let mut stream = TcpStream::connect(peer.address()).unwrap();
        stream.write_all(b"x").unwrap();
        let error = stream.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(peer.finish().unwrap()[0].ending, Ending::ByScript);
    }
}
