//! An HTTP proxy that makes tunnels, or refuses them with a reason.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest head that is read.
const HEAD_MAX: usize = 16 * 1024;

/// A proxy on the loopback address, for as long as the process lives.
#[derive(Debug)]
pub struct TunnelProxy {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl TunnelProxy {
    /// A proxy that makes every tunnel; with `authorization` only for clients that send that value.
    ///
    /// # Errors
    /// If there is no port.
    pub fn start(authorization: Option<&str>) -> io::Result<Self> {
        let wanted = authorization.map(|value| format!("\r\nProxy-Authorization: {value}\r\n"));
        Self::answering(move |head| match &wanted {
            Some(line) if !head.contains(line) => Some("407 Proxy Authentication Required"),
            _ => None,
        })
    }

    /// A proxy that refuses every tunnel with this status.
    ///
    /// # Errors
    /// If there is no port.
    pub fn refusing(status: &'static str) -> io::Result<Self> {
        Self::answering(move |_| Some(status))
    }

    fn answering(refuses: impl Fn(&str) -> Option<&'static str> + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (address, heads) = (listener.local_addr()?, Arc::<Mutex<Vec<String>>>::default());
        let (kept, refuses) = (Arc::clone(&heads), Arc::new(refuses));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (kept, refuses) = (Arc::clone(&kept), Arc::clone(&refuses));
                // A tunnel that breaks is its client's to notice.
                std::thread::spawn(move || serve(client, &kept, &*refuses).unwrap_or_default());
            }
        });
        Ok(TunnelProxy { address, heads })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Heads of the requests so far.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(
    mut client: TcpStream,
    heads: &Mutex<Vec<String>>,
    refuses: &dyn Fn(&str) -> Option<&'static str>,
) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    // Byte by byte, so that what follows the head stays for the tunnel.
    while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD_MAX {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    heads.lock().unwrap_or_else(PoisonError::into_inner).push(head.clone());
    if let Some(status) = refuses(&head) {
        return client.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes());
    }
    let authority = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()).unwrap_or("");
    let server = TcpStream::connect(authority)?;
    server.set_nodelay(true)?;
    client.set_nodelay(true)?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let (from, to) = (client.try_clone()?, server.try_clone()?);
    let up = std::thread::spawn(move || pump(from, to));
    pump(server, client);
    let _ended = up.join();
    Ok(())
}

/// Carries bytes one way until their end, and the end too.
fn pump(mut from: TcpStream, mut to: TcpStream) {
    let _broken = io::copy(&mut from, &mut to);
    let _gone = to.shutdown(Shutdown::Write);
}
