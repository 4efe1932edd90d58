//! TLS on one connection, without I/O: received bytes in, plaintext and bytes to send out.

use super::tls::Settings;
use super::{Negotiated, TlsVersion};
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, InsufficientSizeError, UnbufferedStatus,
};
use rustls::{Error, HandshakeKind, ProtocolVersion};

/// Most plaintext of one record.
const RECORD_BYTES: usize = 16 * 1024;
/// Most that a record is longer than its plaintext: head, nonce, padding, tag.
const RECORD_EXTRA: usize = 64;

/// Length of the head of every record: type, version, length.
const RECORD_HEAD: usize = 5;
/// Buffers of connections that wait for the rest of a record, kept for the next ones.
const SPARE_MAX: usize = 16;

/// Buffers that all connections of a worker share.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub plain: Vec<u8>,
    pub out: Vec<u8>,
    spare: Vec<Vec<u8>>,
}

impl Buffers {
    fn lend(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    fn give_back(&mut self, mut buffer: Vec<u8>) {
        if self.spare.len() < SPARE_MAX {
            buffer.clear();
            self.spare.push(buffer);
        }
    }
}

pub(super) struct Stream {
    connection: UnbufferedClientConnection,
    /// The beginning of a record that is not whole.
    carry: Vec<u8>,
    /// Length that `carry` must reach for a next step.
    wanted: usize,
    /// True once the handshake is done on this side, so that requests can be sent.
    pub established: bool,
    /// True once the peer has announced that it sends no more.
    pub peer_closed: bool,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Stream");
        shown
            .field("established", &self.established)
            .field("peer_closed", &self.peer_closed)
            .finish_non_exhaustive()
    }
}

impl Stream {
    /// A stream at its beginning; its first message is appended to `out`.
    ///
    /// # Errors
    /// If no randomness or no common way to offer was found.
    pub fn new(settings: &Settings, out: &mut Vec<u8>) -> Result<Self, Error> {
        let connection =
            UnbufferedClientConnection::new(settings.config.clone(), settings.server_name.clone())?;
        let mut stream =
            Stream { connection, carry: Vec::new(), wanted: 0, established: false, peer_closed: false };
        stream.advance(&mut [], &mut Vec::new(), out).1?;
        Ok(stream)
    }

    /// Takes received bytes; appends the user's bytes that they hold to `plain` and the bytes to be sent to `out`.
    ///
    /// # Errors
    /// If the peer broke the protocol, refused, or is not who it must be. Plaintext that came before was appended,
    /// and so was the alert that tells the peer.
    pub fn receive(&mut self, bytes: &[u8], buffers: &mut Buffers) -> Result<(), Error> {
        let mut incoming = if self.carry.is_empty() {
            let mut incoming = buffers.lend();
            incoming.extend_from_slice(bytes);
            incoming
        } else {
            let mut incoming = std::mem::take(&mut self.carry);
            incoming.extend_from_slice(bytes);
            // Byte by byte a record would be scanned as often as it has bytes.
            if incoming.len() < self.wanted {
                self.carry = incoming;
                return Ok(());
            }
            incoming
        };
        let (consumed, result) = self.advance(&mut incoming, &mut buffers.plain, &mut buffers.out);
        if result.is_err() {
            self.say_why(&mut incoming[consumed..], &mut buffers.out);
        } else if consumed < incoming.len() {
            incoming.drain(..consumed);
            self.wanted = self.wanted_of(&incoming);
            self.carry = incoming;
            return Ok(());
        }
        buffers.give_back(incoming);
        result
    }

    /// Appends the library's message to the peer about an error. It is asked for no more than it has: it would go on
    /// reading.
    fn say_why(&mut self, rest: &mut [u8], out: &mut Vec<u8>) {
        while self.connection.wants_write() {
            match self.connection.process_tls_records(rest).state {
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                _ => return,
            }
        }
    }

    /// Number of bytes needed, with these, for a next step.
    fn wanted_of(&self, rest: &[u8]) -> usize {
        match rest {
            // Parts of a handshake may lie over several records.
            _ if !self.established => 0,
            [_, _, _, high, low, ..] => RECORD_HEAD + usize::from(u16::from_be_bytes([*high, *low])),
            _ => RECORD_HEAD,
        }
    }

    /// Goes on with these bytes as far as they reach; returns how many are of no more use. The library must be
    /// shown the rest at each call, for it remembers where in it things are.
    fn advance(
        &mut self,
        bytes: &mut [u8],
        plain: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> (usize, Result<(), Error>) {
        let mut at = 0;
        loop {
            let UnbufferedStatus { discard, state } = self.connection.process_tls_records(&mut bytes[at..]);
            let mut more = 0;
            let mut waits = false;
            match state {
                Err(error) => return (at + discard, Err(error)),
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(Ok(record)) = traffic.next_record() {
                        more += record.discard;
                        plain.extend_from_slice(record.payload);
                    }
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => self.peer_closed = true,
                Ok(ConnectionState::WriteTraffic(_)) => {
                    self.established = true;
                    waits = true;
                }
                Ok(_) => waits = true,
            }
            at += discard + more;
            if waits {
                return (at, Ok(()));
            }
        }
    }

    /// Appends the records that carry these bytes to `out`.
    ///
    /// # Errors
    /// If nothing may be sent (any more).
    pub fn encrypt(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let room = bytes.len() + (bytes.len() / RECORD_BYTES + 1) * RECORD_EXTRA;
        self.write(out, room, Some(bytes))
    }

    /// Appends the news that nothing more will be sent.
    pub fn say_goodbye(&mut self, out: &mut Vec<u8>) {
        // If it cannot be sent, so be it.
        let _sent = self.write(out, RECORD_EXTRA, None);
    }

    /// Appends records of these bytes, or the goodbye, which take about so much room.
    fn write(&mut self, out: &mut Vec<u8>, mut room: usize, bytes: Option<&[u8]>) -> Result<(), Error> {
        loop {
            let UnbufferedStatus { discard, state } = self.connection.process_tls_records(&mut self.carry);
            match state? {
                // Messages of the library itself, an answer to a change of keys, go before.
                ConnectionState::EncodeTlsData(mut data) => encode(&mut data, out),
                ConnectionState::TransmitTlsData(data) => data.done(),
                ConnectionState::PeerClosed => self.peer_closed = true,
                ConnectionState::WriteTraffic(mut traffic) => {
                    let begin = out.len();
                    out.resize(begin + room, 0);
                    let written = match bytes {
                        Some(bytes) => traffic.encrypt(bytes, &mut out[begin..]),
                        None => traffic.queue_close_notify(&mut out[begin..]),
                    };
                    out.truncate(begin + written.as_ref().unwrap_or(&0));
                    match written {
                        Ok(_) => return Ok(()),
                        Err(EncryptError::InsufficientSize(InsufficientSizeError { required_size }))
                            if required_size > room =>
                        {
                            room = required_size;
                        }
                        Err(_) => return Err(Error::EncryptError),
                    }
                }
                _ => return Err(Error::HandshakeNotComplete),
            }
            self.carry.drain(..discard);
        }
    }

    /// Parameters that were agreed on, and true if a session was resumed; `offered` is the list offered by ALPN.
    pub fn agreed(&self, offered: &[Vec<u8>]) -> (Negotiated, bool) {
        let version = match self.connection.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => TlsVersion::V1_2,
            _ => TlsVersion::V1_3,
        };
        let suite = self.connection.negotiated_cipher_suite();
        let picked = self.connection.alpn_protocol();
        let alpn = picked.and_then(|picked| offered.iter().position(|name| name == picked));
        let negotiated = Negotiated {
            version,
            cipher_suite: suite.and_then(|suite| suite.suite().as_str()).unwrap_or("unknown"),
            alpn: alpn.map(|at| at as u8),
        };
        (negotiated, self.connection.handshake_kind() == Some(HandshakeKind::Resumed))
    }
}

/// Appends the library's own messages to `out`.
fn encode(data: &mut EncodeTlsData<'_, ClientConnectionData>, out: &mut Vec<u8>) {
    let Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) = data.encode(&mut [])
    else {
        return;
    };
    let begin = out.len();
    out.resize(begin + required_size, 0);
    let written = data.encode(&mut out[begin..]).unwrap_or(0);
    out.truncate(begin + written);
}
