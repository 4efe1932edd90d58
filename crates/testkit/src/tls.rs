//! TLS for tests: authorities and certificates made when they are needed, and the server's side.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

pub use rustls::version::{TLS12, TLS13};

/// A certificate with its key, DER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its certificate, and those up to an authority.
    pub chain: Vec<Vec<u8>>,
    /// Its private key, PKCS #8.
    pub key: Vec<u8>,
}

#[derive(Debug)]
pub struct Authority {
    pub certificate: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

/// Validity of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Good {
    Now,
    /// It was, up to the year 2001.
    Before,
    /// It will be, from the year 2999.
    Later,
}

fn params(names: &[&str], good: Good) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("the names of a test are names");
    let (from, to) = match good {
        Good::Now => (1990, 4000),
        Good::Before => (1990, 2001),
        Good::Later => (2999, 4000),
    };
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(to, 1, 1);
    params
}

fn key() -> KeyPair {
    KeyPair::generate().expect("the system has randomness")
}

impl Default for Authority {
    fn default() -> Self {
        let mut params = params(&[], Good::Now);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Authorities of one name would be taken for each other, up to the signature.
        static MADE: AtomicU64 = AtomicU64::new(0);
        let name = format!("authority {}", MADE.fetch_add(1, Ordering::Relaxed));
        params.distinguished_name.push(DnType::CommonName, name);
        let key = key();
        let certificate = params.self_signed(&key).expect("a certificate can be made").der().to_vec();
        Authority { certificate, issuer: Issuer::new(params, key) }
    }
}

impl Authority {
    /// A server's certificate for these names and addresses.
    pub fn server(&self, names: &[&str], good: Good) -> Identity {
        self.sign(params(names, good), ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub fn client(&self, good: Good) -> Identity {
        self.sign(params(&["client"], good), ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, mut params: CertificateParams, purpose: ExtendedKeyUsagePurpose) -> Identity {
        params.extended_key_usages = vec![purpose];
        let key = key();
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate can be made");
        Identity { chain: vec![certificate.der().to_vec()], key: key.serialize_der() }
    }
}

/// A server's certificate that is its own authority, as `openssl req -x509` makes them.
pub fn self_signed(names: &[&str], good: Good) -> Identity {
    let mut params = params(names, good);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = key();
    let certificate = params.self_signed(&key).expect("a certificate can be made");
    Identity { chain: vec![certificate.der().to_vec()], key: key.serialize_der() }
}

/// TLS configuration of a server.
#[derive(Clone, Debug)]
pub struct Speaks {
    pub versions: Vec<&'static SupportedProtocolVersion>,
    /// Protocols that it picks from.
    pub alpn: Vec<Vec<u8>>,
    /// CA that must have signed a client's certificate, if it wants one.
    pub clients_of: Option<Vec<u8>>,
    /// True if sessions can be resumed.
    pub resumes: bool,
    /// Most bytes of its records, head included.
    pub record_max: Option<usize>,
}

impl Default for Speaks {
    fn default() -> Self {
        Speaks {
            versions: vec![&TLS13, &TLS12],
            alpn: Vec::new(),
            clients_of: None,
            resumes: true,
            record_max: None,
        }
    }
}

impl Speaks {
    /// The configuration of a server with that identity.
    pub fn config(&self, identity: &Identity) -> Arc<ServerConfig> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&self.versions)
            .expect("the versions of a test exist");
        let builder = match &self.clients_of {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots
                    .add(CertificateDer::from(authority.clone()))
                    .expect("an authority of a test can be read");
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                builder.with_client_cert_verifier(verifier.expect("it has an authority"))
            }
        };
        let chain = identity.chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
        let key = PrivateKeyDer::try_from(identity.key.clone()).expect("the key of a test can be read");
        let mut config = builder.with_single_cert(chain, key).expect("the key is that of the certificate");
        config.alpn_protocols.clone_from(&self.alpn);
        config.max_fragment_size = self.record_max;
        if self.resumes {
            config.session_storage = ServerSessionMemoryCache::new(1024);
        } else {
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Arc::new(config)
    }
}

/// The server's side of one connection, without I/O.
#[derive(Debug)]
pub struct ServerSide(ServerConnection);

impl ServerSide {
    /// A connection at its beginning.
    pub fn new(config: &Arc<ServerConfig>) -> Self {
        ServerSide(ServerConnection::new(Arc::clone(config)).expect("the configuration of a test is good"))
    }

    /// Takes received bytes; returns what they hold for the server, or the error as text.
    ///
    /// # Errors
    /// If the client broke TLS or refused. Bytes to send to it are in [`ServerSide::out`].
    pub fn receive(&mut self, mut bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut plain = Vec::new();
        while !bytes.is_empty() {
            self.0.read_tls(&mut bytes).map_err(|error| error.to_string())?;
            let state = self.0.process_new_packets().map_err(|error| error.to_string())?;
            let begin = plain.len();
            plain.resize(begin + state.plaintext_bytes_to_read(), 0);
            self.0.reader().read_exact(&mut plain[begin..]).map_err(|error| error.to_string())?;
        }
        Ok(plain)
    }

    /// Encrypts what is to be sent.
    pub fn send(&mut self, plain: &[u8]) {
        self.0.set_buffer_limit(None);
        self.0.writer().write_all(plain).expect("the buffer has no limit");
    }

    /// Sends with new keys from now on, and asks the client for the same (TLS 1.3).
    pub fn change_keys(&mut self) {
        self.0.refresh_traffic_keys().expect("the handshake is done");
    }

    /// Announces that nothing more will be sent.
    pub fn say_goodbye(&mut self) {
        self.0.send_close_notify();
    }

    /// Bytes to send to the client.
    pub fn out(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while self.0.wants_write() {
            self.0.write_tls(&mut out).expect("a vector takes everything");
        }
        out
    }

    /// True during the handshake.
    pub fn is_handshaking(&self) -> bool {
        self.0.is_handshaking()
    }
}

/// An HTTP/1.1 server over TLS: one thread for each connection. It ends with the process.
#[derive(Debug)]
pub struct HttpsPeer {
    address: SocketAddr,
    accepted: Arc<AtomicU64>,
    answered: Arc<AtomicU64>,
}

/// Text behind the version in the answer to a head.
type Says = dyn Fn(&str) -> String + Send + Sync;

/// End of a connection after the last answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parting {
    /// With `close_notify` and FIN.
    Proper,
    Truncated,
}

impl HttpsPeer {
    /// Listens on a free port of the loopback address and answers every request with a body of that size.
    ///
    /// # Errors
    /// If no port is free or no thread can be started.
    pub fn start(config: Arc<ServerConfig>, body_bytes: usize, parting: Parting) -> io::Result<Self> {
        HttpsPeer::start_noted(config, body_bytes, parting, || ())
    }

    /// The same with answers of 2 bytes and the status that `says` gives for the head of a request: code, reason,
    /// and any fields behind them.
    ///
    /// # Errors
    /// As [`HttpsPeer::start`].
    pub fn saying(
        config: Arc<ServerConfig>,
        says: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> io::Result<Self> {
        HttpsPeer::serving(config, 2, Parting::Proper, || (), Arc::new(says))
    }

    /// The same; `note` is called on each of its threads as it begins.
    ///
    /// # Errors
    /// As [`HttpsPeer::start`].
    pub fn start_noted(
        config: Arc<ServerConfig>,
        body_bytes: usize,
        parting: Parting,
        note: fn(),
    ) -> io::Result<Self> {
        HttpsPeer::serving(config, body_bytes, parting, note, Arc::new(|_: &str| "200 OK".to_owned()))
    }

    fn serving(
        config: Arc<ServerConfig>,
        body_bytes: usize,
        parting: Parting,
        note: fn(),
        says: Arc<Says>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (accepted, answered) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let peer = HttpsPeer { address, accepted: Arc::clone(&accepted), answered: Arc::clone(&answered) };
        let body: Arc<[u8]> = vec![b'x'; body_bytes].into();
        thread::Builder::new().spawn(move || {
            note();
            while let Ok((stream, _)) = listener.accept() {
                accepted.fetch_add(1, Ordering::Relaxed);
                let (config, answered, body, says) =
                    (Arc::clone(&config), Arc::clone(&answered), Arc::clone(&body), Arc::clone(&says));
                let serving = move || {
                    note();
                    let mut side = ServerSide::new(&config);
                    // How a connection ends is the client's to judge.
                    let _ended = serve(stream, &mut side, &answered, (&*says, &body), parting);
                };
                drop(thread::Builder::new().spawn(serving));
            }
        })?;
        Ok(peer)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }
}

/// Answers on one connection until it ends.
fn serve(
    mut stream: TcpStream,
    side: &mut ServerSide,
    answered: &AtomicU64,
    (says, body): (&Says, &[u8]),
    parting: Parting,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 16 * 1024];
    let mut request = Vec::new();
    loop {
        let got = stream.read(&mut buffer)?;
        if got == 0 {
            return Ok(());
        }
        let received = side.receive(&buffer[..got]);
        request.extend_from_slice(received.as_deref().unwrap_or_default());
        let mut closes = received.is_err();
        if request.ends_with(b"\r\n\r\n") {
            closes = request.windows(17).any(|part| part.eq_ignore_ascii_case(b"connection: close"));
            let status = says(&String::from_utf8_lossy(&request));
            request.clear();
            let connection = if closes { "close" } else { "keep-alive" };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
                body.len()
            );
            answered.fetch_add(1, Ordering::Relaxed);
            side.send(head.as_bytes());
            side.send(body);
        }
        if closes && received.is_ok() && parting == Parting::Proper {
            side.say_goodbye();
        }
        stream.write_all(&side.out())?;
        if closes {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, ClientConnection, StreamOwned};

    #[test]
    fn a_client_of_the_library_is_answered() {
        let authority = Authority::default();
        let config = Speaks::default().config(&authority.server(&["localhost"], Good::Now));
        let peer = HttpsPeer::start(config, 5, Parting::Proper).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(authority.certificate.clone())).unwrap();
        let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(client), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(peer.address()).unwrap());
        stream.write_all(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("\r\n\r\nxxxxx"), "{answer}");
        assert_eq!((peer.accepted(), peer.answered()), (1, 1));
    }
}
