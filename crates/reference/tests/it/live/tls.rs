//! TLS, by a client that blocks.

use crate::live::client::{GET, PATIENCE, number, start, wait_until};
use proofload_reference::{
    Config, Counts, Identity, Made, Running, ServiceTime, Size, TlsConfig, TlsFault, TlsFaults, TlsVersion,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, ProtocolVersion, RootCertStore, StreamOwned};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

struct Fixture {
    _directory: tempfile::TempDir,
    made: Made,
    tls: TlsConfig,
}

fn place() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let made = Made::ensure(directory.path()).unwrap();
    let tls = TlsConfig::new(Identity::SelfSigned(directory.path().to_owned()));
    Fixture { _directory: directory, made, tls }
}

fn serve(tls: &TlsConfig, config: Config) -> Running {
    start(Config { tls: Some(tls.clone()), ..config })
}

fn trusting(made: &Made, certificate: bool) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&made.ca).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(rustls::ALL_VERSIONS)
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match certificate {
        false => builder.with_no_client_auth(),
        true => builder
            .with_client_auth_cert(
                vec![CertificateDer::from_pem_file(&made.client).unwrap()],
                PrivateKeyDer::from_pem_file(&made.client_key).unwrap(),
            )
            .unwrap(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

struct Client(StreamOwned<ClientConnection, TcpStream>);

impl Client {
    fn connect(address: SocketAddr, config: &Arc<ClientConfig>) -> Client {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        Client(StreamOwned::new(ClientConnection::new(config.clone(), name).unwrap(), socket))
    }

    /// The body of the answer.
    fn get(&mut self) -> std::io::Result<Vec<u8>> {
        self.0.write_all(GET)?;
        self.answer()
    }

    fn answer(&mut self) -> std::io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            self.0.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let length = head.split("Content-Length: ").nth(1).unwrap().split("\r\n").next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body)?;
        Ok(body)
    }
}

fn stopped(server: Running) -> Counts {
    let counts = server.stop().unwrap().counts;
    assert_eq!(counts.cut_by_stop, 0, "{counts:?}");
    counts
}

#[test]
fn both_versions_are_spoken_and_each_can_be_asked_for() {
    let place = place();
    let client = trusting(&place.made, false);
    for (version, expected) in [
        (None, ProtocolVersion::TLSv1_3),
        (Some(TlsVersion::V1_3), ProtocolVersion::TLSv1_3),
        (Some(TlsVersion::V1_2), ProtocolVersion::TLSv1_2),
    ] {
        let server = serve(&TlsConfig { version, ..place.tls.clone() }, Config::default());
        let mut connection = Client::connect(server.address(), &client);
        for _ in 0..3 {
            assert_eq!(connection.get().unwrap().len(), 1024);
        }
        assert_eq!(connection.0.conn.protocol_version(), Some(expected));
        assert_eq!(connection.0.conn.alpn_protocol(), Some(b"http/1.1".as_slice()));
        drop(connection);
        let counts = stopped(server);
        assert_eq!((counts.handshakes_full, counts.handshakes_resumed, counts.answered), (1, 0, 3));
    }
}

#[test]
fn resumed_handshakes_are_counted_as_such_unless_they_are_refused() {
    let place = place();
    for version in [TlsVersion::V1_2, TlsVersion::V1_3] {
        for resumption in [true, false] {
            let tls = TlsConfig { version: Some(version), resumption, ..place.tls.clone() };
            let server = serve(&tls, Config { close_after: Some(1), ..Config::default() });
            let client = trusting(&place.made, false);
            for turn in 0..4 {
                let mut connection = Client::connect(server.address(), &client);
                assert_eq!(connection.get().unwrap().len(), 1024);
                let resumed = connection.0.conn.handshake_kind() == Some(HandshakeKind::Resumed);
                assert_eq!(resumed, resumption && turn > 0, "{version:?}");
                let mut rest = Vec::new();
                assert_eq!(connection.0.read_to_end(&mut rest).unwrap(), 0, "a goodbye, not a cut");
            }
            let counts = stopped(server);
            let expected = if resumption { (1, 3) } else { (4, 0) };
            assert_eq!((counts.handshakes_full, counts.handshakes_resumed), expected, "{version:?}");
            assert_eq!((counts.handshakes_failed, counts.closed_by_server), (0, 4));
        }
    }
}

#[test]
fn the_null_server_speaks_it_too() {
    let place = place();
    let server = serve(&place.tls, Config { null: true, size: Size::Constant(60_000), ..Config::default() });
    let mut client = Client::connect(server.address(), &trusting(&place.made, false));
    client.0.write_all(&GET.repeat(300)).unwrap();
    for _ in 0..300 {
        assert_eq!(client.answer().unwrap().len(), 60_000);
    }
    drop(client);
    wait_until("the client left", || server.counts().closed_by_client == 1);
    let counts = stopped(server);
    assert_eq!((counts.requests, counts.answered, counts.client_left), (300, 300, 0));
    assert_eq!(counts.bytes_received, 300 * GET.len() as u64);
}

#[test]
fn large_answers_and_bodies_pass_through() {
    let place = place();
    let service = ServiceTime::parse("const:2ms").unwrap();
    let server = serve(&place.tls, Config { service, size: Size::Constant(3_000_000), ..Config::default() });
    let mut client = Client::connect(server.address(), &trusting(&place.made, false));
    let body = vec![b'x'; 1_000_000];
    let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    for _ in 0..3 {
        client.0.write_all(head.as_bytes()).unwrap();
        client.0.write_all(&body).unwrap();
        let answer = client.answer().unwrap();
        assert!(
            answer.len() == 3_000_000
                && answer.iter().all(|byte| b"\nabcdefghijklmnopqrstuvwxyz".contains(byte))
        );
    }
    drop(client);
    let counts = stopped(server);
    assert_eq!(counts.bytes_received, 3 * (head.len() + body.len()) as u64);
    assert_eq!((counts.answered, counts.client_left), (3, 0));
}

#[test]
fn clients_without_the_certificate_asked_for_are_refused() {
    let place = place();
    let tls = TlsConfig { client_ca: Some(place.made.ca.clone()), ..place.tls.clone() };
    let server = serve(&tls, Config::default());
    assert_eq!(Client::connect(server.address(), &trusting(&place.made, true)).get().unwrap().len(), 1024);
    let error = Client::connect(server.address(), &trusting(&place.made, false)).get().unwrap_err();
    assert!(error.to_string().contains("CertificateRequired"), "{error}");
    let counts = stopped(server);
    assert_eq!((counts.handshakes_full, counts.handshakes_failed, counts.requests), (1, 1, 1));
}

#[test]
fn a_client_that_does_not_trust_is_a_failed_handshake() {
    let place = place();
    let server = serve(&place.tls, Config::default());
    let other = self::place();
    let error = Client::connect(server.address(), &trusting(&other.made, false)).get().unwrap_err();
    assert!(error.to_string().contains("UnknownIssuer"), "{error}");
    wait_until("the alert", || server.counts().handshakes_failed == 1);
    assert_eq!(stopped(server).handshakes_full, 0);
}

#[test]
fn each_fault_is_what_it_says() {
    let place = place();
    let client = trusting(&place.made, false);
    let harmed = |name: &str| {
        let tls = TlsConfig { faults: TlsFaults::parse(&format!("{name}=1")).unwrap(), ..place.tls.clone() };
        let server = serve(&tls, Config { close_after: Some(1), ..Config::default() });
        let mut connection = Client::connect(server.address(), &client);
        (server, connection.get(), connection)
    };
    for (fault, says) in [
        (TlsFault::Garbage, "InvalidContentType"),
        (TlsFault::Refuse, "HandshakeFailure"),
        (TlsFault::HangUp, "end of file"),
    ] {
        let (server, answer, _connection) = harmed(fault.name());
        let error = answer.unwrap_err();
        assert!(error.to_string().contains(says), "{}: {error}", fault.name());
        let counts = stopped(server);
        assert_eq!((counts.tls_fault(fault), counts.closed_by_server), (1, 1), "{counts:?}");
        assert_eq!((counts.handshakes_failed, counts.requests), (0, 0), "{counts:?}");
    }
    let (server, answer, mut connection) = harmed("no_close_notify");
    assert_eq!(answer.unwrap().len(), 1024);
    let cut = connection.0.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(cut.kind(), ErrorKind::UnexpectedEof);
    let counts = stopped(server);
    assert_eq!((counts.tls_fault(TlsFault::NoCloseNotify), counts.answered), (1, 1));
}

#[test]
fn a_stall_lasts_until_the_client_hangs_up() {
    let place = place();
    let tls = TlsConfig { faults: TlsFaults::parse("stall=1").unwrap(), ..place.tls.clone() };
    let server = serve(&tls, Config::default());
    let mut client = Client::connect(server.address(), &trusting(&place.made, false));
    client.0.sock.set_read_timeout(Some(std::time::Duration::from_millis(50))).unwrap();
    assert_eq!(client.get().unwrap_err().kind(), ErrorKind::WouldBlock);
    wait_until("the stall", || server.counts().tls_fault(TlsFault::Stall) == 1);
    drop(client);
    wait_until("the client left", || server.counts().closed_by_client == 1);
}

#[test]
fn without_tls_it_can_be_asked_about_itself_and_tells_others_what_it_speaks() {
    let place = place();
    let server = serve(&place.tls, Config::default());
    let ask = |request: &[u8]| {
        let mut socket = TcpStream::connect(server.address()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.write_all(request).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    };
    let counts = ask(b"GET /__counts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(number(&counts, "control"), 1, "{counts}");
    let refusal = ask(GET);
    assert!(
        refusal.starts_with("HTTP/1.1 400 ") && refusal.ends_with("this port speaks TLS: https\n"),
        "{refusal}"
    );
    assert_eq!(stopped(server).handshakes_failed, 1);
}
