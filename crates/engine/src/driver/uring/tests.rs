//! A kernel that is busy for a while.

use super::*;
use crate::driver::{DialFault, Dialed, Pushed, Sent, probe};
use std::io::Read;
use std::net::TcpListener;

#[derive(Debug, Default)]
struct Counts {
    sent: usize,
    others: usize,
}

impl Handler<UringNet> for Counts {
    fn dialed(&mut self, _: &mut UringNet, _: Conn, _: Result<(), DialFault>) {}
    fn received(&mut self, _: &mut UringNet, _: Conn, _: &[u8]) {
        self.others += 1;
    }
    fn sent(&mut self, _: &mut UringNet, _: Conn, _: Sent) {
        self.sent += 1;
    }
    fn writable(&mut self, _: &mut UringNet, _: Conn) {
        self.others += 1;
    }
    fn closed(&mut self, _: &mut UringNet, _: Conn, _: Close) {
        self.others += 1;
    }
}

#[test]
fn a_busy_kernel_ends_no_load_and_gets_what_was_queued_for_closed_sockets_later() {
    if let Err(refused) = probe(DriverChoice::IoUring) {
        return eprintln!("skipped, because this machine {refused}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = listener.local_addr().unwrap().into();
    // More entries than the queue has room for: each connection is armed, and sends.
    let conns = ENTRIES;
    let mut driver = Uring::new(conns, GeneratorSettings::EVENTS).unwrap();
    driver.net.refusals = u32::MAX;
    let mut peers = Vec::new();
    for conn in 0..conns {
        assert_eq!(driver.net().dial(conn, &to, None), Dialed::Established);
        peers.push(listener.accept().unwrap().0);
        if conn % 2 == 0 {
            assert_eq!(driver.net().send(conn, b"hello"), Pushed::Queued);
        }
    }
    assert!(!driver.net.late.is_empty());
    for conn in 0..conns / 2 {
        driver.net().close(conn);
    }
    assert_eq!(driver.net.named.len(), conns as usize / 2);
    let mut counts = Counts::default();
    let turn = |driver: &mut Uring, counts: &mut Counts| {
        driver.poll(Wake { at_ns: clock::monotonic_ns() + 1_000_000, exact: false }, counts).unwrap();
    };
    driver.net.refusals = 2;
    for _ in 0..8 {
        turn(&mut driver, &mut counts);
    }
    let left = (driver.net.named.len(), driver.net.late.len(), driver.net.refusals);
    assert_eq!(left, (0, 0, 0));
    assert_eq!((counts.sent, counts.others), (conns as usize / 4, 0));
    for (conn, peer) in peers.iter_mut().enumerate().filter(|(conn, _)| conn % 2 == 0) {
        let mut got = [0; 5];
        peer.read_exact(&mut got).unwrap();
        assert_eq!(&got, b"hello", "connection {conn}");
    }
}

#[test]
fn with_its_driver_a_connection_ends() {
    if let Err(refused) = probe(DriverChoice::IoUring) {
        return eprintln!("skipped, because this machine {refused}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut driver = Uring::new(1, GeneratorSettings::EVENTS).unwrap();
    assert_eq!(driver.net().dial(0, &listener.local_addr().unwrap().into(), None), Dialed::Established);
    let mut peer = listener.accept().unwrap().0;
    let wake = Wake { at_ns: clock::monotonic_ns() + 1_000_000, exact: false };
    driver.poll(wake, &mut Counts::default()).unwrap();
    drop(driver);
    // Nothing that is armed holds the socket any more.
    peer.set_nonblocking(true).unwrap();
    assert_eq!(peer.read(&mut [0]).unwrap(), 0);
}
