//! One connection's bytes: as they are, or through TLS.

use super::TlsFault;
use crate::counts::{Cells, Count};
use crate::ending::Gone;
use crate::shared::Shared;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, sendmsg};
use rustls::{HandshakeKind, IoState, ServerConnection};
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::os::fd::OwnedFd;

/// Bytes of TLS received at once. With a record of which all but a byte had come before, the plain text
/// still fits the buffer of a receive.
pub(crate) const CIPHER: usize = 32 * 1024;

/// The first byte of a TLS handshake (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// Parts of a worker that a connection borrows to receive.
pub(crate) struct Receiving<'a> {
    pub shared: &'a Shared,
    pub cells: &'a Cells,
    /// The connection's, from 1 in order of acceptance.
    pub number: u64,
    /// Buffer of plain bytes; larger than `CIPHER` by more than a record of TLS.
    pub buffer: &'a mut [u8],
    /// Buffer of received TLS bytes: `CIPHER` of them.
    pub cipher: &'a mut [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// This many bytes are in the buffer; perhaps none.
    Bytes {
        n: usize,
        /// True if there may be more to read now.
        more: bool,
    },
    /// TLS failed, and the client was sent why as far as it can be: the connection is to be closed.
    Failed,
    /// The client is kept waiting for ever.
    Stalled,
}

/// Path of bytes between the socket and the server.
#[derive(Debug)]
pub(crate) enum Line {
    Plain,
    /// Through TLS as soon as the client begins with it.
    Expected,
    Tls(Box<Tls>),
}

/// The state of TLS on one connection.
#[derive(Debug)]
pub(crate) struct Tls {
    session: ServerConnection,
    fault: Option<TlsFault>,
    /// Bytes of the server that are encrypted and not all with the kernel yet.
    on_the_way: usize,
    counted: bool,
}

impl Line {
    pub fn new(shared: &Shared) -> Self {
        if shared.tls.is_some() { Line::Expected } else { Line::Plain }
    }

    /// Receives into the buffer. Knows when the socket is empty without asking twice: a receive that
    /// fills less than was asked for has emptied it (epoll(7)), unless the end follows, as when the client
    /// `hung` up.
    pub fn receive(&mut self, fd: &OwnedFd, hung: bool, receiving: Receiving<'_>) -> Result<Received, Gone> {
        let into = if matches!(self, Line::Plain) { &mut *receiving.buffer } else { &mut *receiving.cipher };
        let room = into.len();
        let Some(n) = receive_some(fd, into)? else { return Ok(Received::Bytes { n: 0, more: false }) };
        let more = n == room || hung;
        match self {
            Line::Plain => Ok(Received::Bytes { n, more }),
            Line::Expected => self.begin(fd, n, more, receiving),
            Line::Tls(tls) => tls.take(fd, n, more, receiving),
        }
    }

    /// The first bytes of a connection that ought to speak TLS. One that does not may ask about the server
    /// itself; any other is refused.
    fn begin(
        &mut self,
        fd: &OwnedFd,
        n: usize,
        more: bool,
        receiving: Receiving<'_>,
    ) -> Result<Received, Gone> {
        let Some((config, settings)) = receiving.shared.tls.clone().zip(receiving.shared.config.tls.as_ref())
        else {
            return Err(Gone::ServerFin);
        };
        if receiving.cipher[0] != HANDSHAKE {
            *self = Line::Plain;
            if receiving.cipher[..n].starts_with(b"GET /__") {
                receiving.buffer[..n].copy_from_slice(&receiving.cipher[..n]);
                return Ok(Received::Bytes { n, more });
            }
            receiving.cells.add(Count::HandshakesFailed, 1);
            return Ok(send_and_close(fd, NOT_TLS));
        }
        let fault = settings.faults.draw(receiving.shared.config.seed, receiving.number);
        if let Some(fault) = fault {
            receiving.cells.harmed(fault);
        }
        if fault == Some(TlsFault::Stall) {
            return Ok(Received::Stalled);
        }
        if let Some(bytes) = fault.and_then(TlsFault::answer) {
            *self = Line::Plain;
            return Ok(send_and_close(fd, bytes));
        }
        let session = ServerConnection::new(config).map_err(|_| Gone::ServerFin)?;
        let mut tls = Box::new(Tls { session, fault, on_the_way: 0, counted: false });
        let received = tls.take(fd, n, more, receiving);
        *self = Line::Tls(tls);
        received
    }

    /// Sends these pieces, or as much of them as can leave now: what was not taken must be offered again,
    /// the same bytes first.
    pub fn send(&mut self, fd: &OwnedFd, pieces: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
        match self {
            Line::Tls(tls) => tls.send(fd, pieces),
            Line::Plain | Line::Expected => {
                sendmsg(fd, pieces, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
            }
        }
    }

    /// Gives the kernel the pending bytes of TLS, as far as it has room.
    pub fn flush(&mut self, fd: &OwnedFd) {
        if let Line::Tls(tls) = self {
            // What is wrong with the socket shows at the next receive or send too.
            let _later = tls.flush(fd);
        }
    }

    /// Sends a few bytes between answers; those that find no room are lost.
    pub fn interject(&mut self, fd: &OwnedFd, bytes: &[u8]) -> rustix::io::Result<()> {
        let sent = match self {
            Line::Tls(tls) => match tls.session.writer().write_all(bytes) {
                Ok(()) => tls.flush(fd),
                Err(_) => Err(Errno::PIPE),
            },
            Line::Plain | Line::Expected => rustix::net::send(fd, bytes, SendFlags::NOSIGNAL).map(drop),
        };
        match sent {
            Err(Errno::AGAIN) => Ok(()),
            sent => sent,
        }
    }

    /// Announces that nothing more will come.
    pub fn say_goodbye(&mut self, fd: &OwnedFd) {
        if let Line::Tls(tls) = self
            && tls.fault != Some(TlsFault::NoCloseNotify)
        {
            tls.session.send_close_notify();
            let _or_it_left = tls.flush(fd);
        }
    }
}

const NOT_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 28\r\n\
    Connection: close\r\n\r\nthis port speaks TLS: https\n";

impl Tls {
    /// Takes in the first `n` bytes of TLS, and puts their plain bytes into the buffer.
    fn take(
        &mut self,
        fd: &OwnedFd,
        n: usize,
        more: bool,
        receiving: Receiving<'_>,
    ) -> Result<Received, Gone> {
        let mut cipher = &receiving.cipher[..n];
        let mut filled = 0;
        let mut closed = false;
        while !cipher.is_empty() && !closed {
            let Some(state) = self.step(&mut cipher) else {
                receiving.cells.add(Count::HandshakesFailed, u64::from(!self.counted));
                // The alert with the reason.
                let _or_it_left = self.flush(fd);
                return Ok(Received::Failed);
            };
            closed = state.peer_has_closed();
            // It ends with an error when there is nothing yet.
            while let Ok(n @ 1..) = self.session.reader().read(&mut receiving.buffer[filled..]) {
                filled += n;
            }
        }
        self.count_handshake(receiving.cells);
        // Without room it leaves when there is some.
        let _later = self.flush(fd);
        match closed && filled == 0 {
            true => Err(Gone::ClientFin),
            false => Ok(Received::Bytes { n: filled, more: more || closed }),
        }
    }

    fn step(&mut self, cipher: &mut &[u8]) -> Option<IoState> {
        self.session.read_tls(cipher).ok()?;
        self.session.process_new_packets().ok()
    }

    fn count_handshake(&mut self, cells: &Cells) {
        if self.counted || self.session.is_handshaking() {
            return;
        }
        self.counted = true;
        match self.session.handshake_kind() {
            Some(HandshakeKind::Resumed) => cells.add(Count::HandshakesResumed, 1),
            _ => cells.add(Count::HandshakesFull, 1),
        }
    }

    fn send(&mut self, fd: &OwnedFd, pieces: &[IoSlice<'_>]) -> rustix::io::Result<usize> {
        self.flush(fd)?;
        if self.on_the_way == 0 {
            self.on_the_way = self.session.writer().write_vectored(pieces).map_err(|_| Errno::PIPE)?;
        }
        self.flush(fd)?;
        Ok(std::mem::take(&mut self.on_the_way))
    }

    fn flush(&mut self, fd: &OwnedFd) -> rustix::io::Result<()> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Socket(fd)) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
            }
        }
        Ok(())
    }
}

/// Sends what comes instead of TLS.
fn send_and_close(fd: &OwnedFd, bytes: &[u8]) -> Received {
    if !bytes.is_empty() {
        let _or_it_left = rustix::net::send(fd, bytes, SendFlags::NOSIGNAL);
    }
    Received::Failed
}

/// The socket as something to write to.
struct Socket<'a>(&'a OwnedFd);

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(rustix::net::send(self.0, bytes, SendFlags::NOSIGNAL)?)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> std::io::Result<usize> {
        Ok(sendmsg(self.0, pieces, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Receives the bytes that are there; `None` when there are none now.
pub(crate) fn receive_some(fd: &OwnedFd, buffer: &mut [u8]) -> Result<Option<usize>, Gone> {
    match recv(fd, &mut *buffer, RecvFlags::empty()) {
        Ok((0, _)) => Err(Gone::ClientFin),
        Ok((n, _)) => Ok(Some(n)),
        Err(Errno::AGAIN) => Ok(None),
        Err(Errno::INTR) => receive_some(fd, buffer),
        Err(_) => Err(Gone::ClientReset),
    }
}
