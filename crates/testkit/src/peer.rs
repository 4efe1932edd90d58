//! A peer whose every move is written down beforehand.

use rustix::net::sockopt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A test that waits for longer than this has failed; reads give up then.
const PATIENCE: Duration = Duration::from_secs(20);

/// One step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reads until so many bytes have come since the last such step.
    Await(usize),
    /// Sends bytes.
    Send(Vec<u8>),
    /// Lets time pass.
    Pause(Duration),
    /// Ends the connection with FIN; what comes after it is still read.
    Fin,
    /// Resets the connection.
    Reset,
}

/// How a connection ended, as the peer saw it after its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The other side closed it.
    Closed,
    /// The other side reset it.
    Reset,
    /// The script reset it.
    ByScript,
    /// Nothing came for a long time.
    Lingering,
}

/// What a connection came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// All bytes received.
    pub received: Vec<u8>,
    /// How it ended.
    pub ending: Ending,
}

/// A listening socket that plays one script for each connection, in the order in which they are accepted.
#[derive(Debug)]
pub struct ScriptedPeer {
    address: SocketAddr,
    stage: JoinHandle<io::Result<Vec<Play>>>,
}

impl ScriptedPeer {
    /// Listens on a free port of the loopback address.
    ///
    /// # Errors
    /// When there is none.
    pub fn start(scripts: Vec<Vec<Step>>) -> io::Result<Self> {
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until all scripts were played and their connections have ended.
    ///
    /// # Errors
    /// When accepting or setting up a connection failed.
    pub fn finish(self) -> io::Result<Vec<Play>> {
        self.stage.join().map_err(|_| io::Error::other("the peer panicked"))?
    }
}

/// An address of this machine at which nobody listens, as far as can be known.
///
/// # Errors
/// When no port is free.
pub fn refusing_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

fn play(mut stream: TcpStream, script: Vec<Step>) -> io::Result<Play> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut received = Vec::new();
    let mut unread = 0;
    for step in script {
        match step {
            Step::Await(wanted) => {
                while unread < wanted {
                    match read_some(&mut stream, &mut received)? {
                        Ok(more) => unread += more,
                        Err(ending) => return Ok(Play { received, ending }),
                    }
                }
                unread -= wanted;
            }
            Step::Send(bytes) => {
                if stream.write_all(&bytes).is_err() {
                    return Ok(Play { received, ending: Ending::Reset });
                }
            }
            Step::Pause(time) => thread::sleep(time),
            Step::Fin => stream.shutdown(std::net::Shutdown::Write)?,
            Step::Reset => {
                sockopt::set_socket_linger(&stream, Some(Duration::ZERO))?;
                return Ok(Play { received, ending: Ending::ByScript });
            }
        }
    }
    loop {
        if let Err(ending) = read_some(&mut stream, &mut received)? {
            return Ok(Play { received, ending });
        }
    }
}

/// Reads what is there; the inner error is how the connection ended.
fn read_some(stream: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Result<usize, Ending>> {
    let mut buffer = [0; 16 * 1024];
    match stream.read(&mut buffer) {
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
        let script = vec![Step::Await(4), Step::Send(b"pong".to_vec()), Step::Fin];
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
    fn a_reset_is_one() {
        let peer = ScriptedPeer::start(vec![vec![Step::Await(1), Step::Reset]]).unwrap();
        let mut stream = TcpStream::connect(peer.address()).unwrap();
        stream.write_all(b"x").unwrap();
        let error = stream.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(peer.finish().unwrap()[0].ending, Ending::ByScript);
    }
}
