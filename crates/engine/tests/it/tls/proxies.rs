//! Tunnels through proxies of every kind.

use super::*;
use proofload_testkit::{HttpPeer, ScriptStep, ScriptedPeer};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// Requests to a proxy, and the address where it listens.
struct TunnelProxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

/// A proxy that opens tunnels to wherever it is asked, and sends its answer byte by byte or whole.
fn tunnel_proxy(byte_by_byte: bool) -> TunnelProxy {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let proxy = TunnelProxy { address: listener.local_addr().unwrap(), asked: Arc::default() };
    let asked = Arc::clone(&proxy.asked);
    thread::spawn(move || {
        while let Ok((client, _)) = listener.accept() {
            let asked = Arc::clone(&asked);
            thread::spawn(move || open(client, &asked, byte_by_byte));
        }
    });
    proxy
}

fn open(mut client: TcpStream, asked: &Mutex<Vec<String>>, byte_by_byte: bool) {
    client.set_nodelay(true).unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let authority = head.split(' ').nth(1).unwrap().to_owned();
    asked.lock().unwrap().push(head);
    let server = TcpStream::connect(authority).unwrap();
    let piece = if byte_by_byte { 1 } else { ESTABLISHED.len() };
    for piece in ESTABLISHED.chunks(piece) {
        client.write_all(piece).unwrap();
        thread::sleep(Duration::from_micros(if byte_by_byte { 200 } else { 0 }));
    }
    let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || pass(&mut from, &mut to));
    pass(&mut { server }, &mut client);
}

fn pass(from: &mut TcpStream, to: &mut TcpStream) {
    let _ended = std::io::copy(from, to);
    let _gone = to.shutdown(Shutdown::Write);
}

fn through(proxy: SocketAddr, server: SocketAddr, tls: Option<Tls>) -> Target {
    let authorization = Some(b"Basic eDp5".to_vec());
    let proxied = Proxy { authority: server.to_string(), tunnels: true, authorization };
    Target { transport: Transport { proxy: Some(proxied), tls: tls.map(Arc::new) }, ..proxy.into() }
}

#[test]
fn exchanges_go_through_a_tunnel_with_tls_and_without() {
    for byte_by_byte in [false, true] {
        let proxy = tunnel_proxy(byte_by_byte);
        let (plain, secured) = (HttpPeer::start(64).unwrap(), server(&Speaks::default()));
        let result = load(&plan(through(proxy.address, plain.address(), None), 100));
        assert_eq!((count(&result, Outcome::Answered), plain.answered()), (100, 100));
        assert_eq!(result.snapshot.handshakes_full.count(), 0);
        let mut each = plan(through(proxy.address, secured.address(), Some(tls())), 20);
        each.keep_alive = KeepAlive::Off;
        let result = load(&each);
        assert_eq!((count(&result, Outcome::Answered), secured.answered()), (20, 20));
        assert!(result.snapshot.handshakes_resumed.count() > 0);
        let asked = proxy.asked.lock().unwrap();
        let expected = format!(
            "CONNECT {0} HTTP/1.1\r\nHost: {0}\r\nProxy-Authorization: Basic eDp5\r\n\r\n",
            secured.address()
        );
        assert_eq!(asked.last(), Some(&expected));
    }
}

#[test]
fn a_proxy_that_refuses_is_quoted() {
    let server = SocketAddr::from(([127, 0, 0, 1], 9));
    let says = |answer: &str| vec![ScriptStep::Await(1), ScriptStep::Send(answer.as_bytes().to_vec())];
    let cases = [
        (
            says("HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n"),
            "answered 407 to CONNECT 127.0.0.1:9: it does not take this user",
        ),
        (says("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "answered 502 to CONNECT 127.0.0.1:9"),
        (
            says("220 smtp.test ESMTP\r\n"),
            "is no HTTP proxy: its answer to CONNECT 127.0.0.1:9 begins with \"2\"",
        ),
        (vec![ScriptStep::Await(1), ScriptStep::Fin], "closed the connection when asked for 127.0.0.1:9"),
        (
            vec![
                ScriptStep::Await(1),
                ScriptStep::Flood([b"HTTP/1.1 200 OK\r\n".as_slice(), &[b'x'; 4096]].concat()),
            ],
            "a head of more than 1 MiB",
        ),
    ];
    for (script, expected) in cases {
        let peer = ScriptedPeer::start_lasting(vec![script]).unwrap();
        for tls in [None, Some(tls())] {
            let what = refused(through(peer.address, server, tls));
            assert!(what.contains(expected), "{what}");
            assert!(!what.contains("eDp5"), "{what}");
        }
    }
    let resets = ScriptedPeer::start_lasting(vec![vec![ScriptStep::Await(1), ScriptStep::Reset]]).unwrap();
    let result = load(&plan(through(resets.address, server, None), 2));
    assert!(
        complaint(&result, Outcome::ResetFresh).contains("reset the connection when asked for 127.0.0.1:9")
    );
}

#[test]
fn a_silent_proxy_is_a_timeout_of_the_connection() {
    let peer = ScriptedPeer::start_lasting(vec![vec![ScriptStep::Pause(Duration::from_secs(10))]]).unwrap();
    let mut silent = plan(through(peer.address, peer.address, None), 2);
    silent.timeouts.connect_ns = 50 * MS;
    let result = load(&silent);
    assert!(complaint(&result, Outcome::ConnectTimeout).contains("did not answer in time when asked for"));
}

#[test]
fn a_proxy_that_is_not_there_refuses() {
    let (nobody, _kept) = proofload_testkit::refusing_address().unwrap();
    let result = load(&plan(through(nobody, nobody, Some(tls())), 2));
    assert!(complaint(&result, Outcome::ConnectRefused).contains("refused the connection"));
}
