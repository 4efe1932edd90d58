use super::super::{DialFault, Dialed};
use super::*;
use std::io::Write;
use std::net::TcpListener;

struct Events(Vec<usize>);

impl Handler<EpollNet> for Events {
    fn dialed(&mut self, _: &mut EpollNet, _: Conn, result: Result<(), DialFault>) {
        assert_eq!(result, Ok(()));
    }
    fn received(&mut self, _: &mut EpollNet, conn: Conn, bytes: &[u8]) {
        self.0[conn as usize] += bytes.len();
    }
    fn writable(&mut self, _: &mut EpollNet, _: Conn) {}
    fn closed(&mut self, _: &mut EpollNet, _: Conn, how: Close) {
        panic!("{how:?}");
    }
}

#[test]
fn whoever_was_silent_while_the_others_spoke_is_heard_when_it_speaks() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = listener.local_addr().unwrap().into();
    let mut driver = Epoll::new(8, GeneratorSettings::EVENTS).unwrap();
    let mut dial = |conn| {
        assert!(!matches!(driver.net().dial(conn, &target, None), Dialed::Failed(_)));
        listener.accept().unwrap().0
    };
    let mut peers: Vec<_> = (0..8).map(&mut dial).collect();
    let (silent, others) = peers.split_last_mut().unwrap();
    let mut heard = Events(vec![0; 8]);
    let mut until = |heard: &mut Events, so: &dyn Fn(&[usize]) -> bool| {
        for _ in 0..1_000 {
            if so(&heard.0) {
                return;
            }
            let wake = Wake { at_ns: clock::monotonic_ns() + 20_000_000, exact: false };
            driver.poll(wake, heard).unwrap();
        }
        panic!("did not come: {:?}", heard.0);
    };
    for round in 1..=100 {
        others.iter_mut().for_each(|peer| peer.write_all(b"x").unwrap());
        until(&mut heard, &|of| of[..7].iter().all(|&bytes| bytes == round));
    }
    silent.write_all(b"x").unwrap();
    until(&mut heard, &|of| of[7] == 1);
}

#[test]
fn without_nanoseconds_a_wait_ends_at_its_instant_too_and_not_before() {
    struct Nobody;
    impl Handler<EpollNet> for Nobody {
        fn dialed(&mut self, _: &mut EpollNet, _: Conn, _: Result<(), DialFault>) {}
        fn received(&mut self, _: &mut EpollNet, _: Conn, _: &[u8]) {}
        fn writable(&mut self, _: &mut EpollNet, _: Conn) {}
        fn closed(&mut self, _: &mut EpollNet, _: Conn, _: Close) {}
    }
    let mut driver = Epoll { coarse: true, ..Epoll::new(1, GeneratorSettings::EVENTS).unwrap() };
    for (after_ns, exact) in [(2_300_000, true), (2_300_000, false), (300_000, true), (0, false)] {
        let began = clock::monotonic_ns();
        let polled = driver.poll(Wake { at_ns: began + after_ns, exact }, &mut Nobody).unwrap();
        let took = clock::monotonic_ns() - began;
        assert!(took >= after_ns && polled.waited_ns <= took, "{took} of {after_ns}");
    }
}

#[test]
fn this_machine_allows_some_of_everything() {
    let allowance = EpollDrivers::default().allowance();
    assert!(allowance.ports > 0 && allowance.descriptors != Some(0));
    assert!(EpollDrivers::default().peak_rss_bytes() > 0);
}
