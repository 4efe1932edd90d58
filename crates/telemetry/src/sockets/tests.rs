use super::*;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

fn pair() -> (TcpListener, TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    (listener, client, server)
}

#[test]
fn bytes_of_a_connection_are_counted_exactly() {
    let (listener, mut client, mut server) = pair();
    let port = listener.local_addr().unwrap().port();
    client.write_all(&[7; 12_345]).unwrap();
    server.read_exact(&mut [0; 12_345]).unwrap();
    server.write_all(&[8; 54_321]).unwrap();
    client.read_exact(&mut vec![0; 54_321]).unwrap();
    // An answer from the other side acknowledges everything.
    client.write_all(&[9]).unwrap();
    server.read_exact(&mut [0]).unwrap();
    let found = Diagnosis::open().unwrap().dump(CONNECTED, &[port], true).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].bytes, Some((54_321, 12_346)));
    assert_eq!(found[0].remote_port, client.local_addr().unwrap().port());
    assert!(found[0].cookie > 0 && found[0].inode > 0 && found[0].state == ESTABLISHED);
}

#[test]
fn connections_that_nobody_accepts_stand_in_the_queue() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let waiting: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut diagnosis = Diagnosis::open().unwrap();
    let found = diagnosis.dump(LISTENING, &[address.port()], false).unwrap();
    assert_eq!((found.len(), found[0].receive_queue, found[0].state), (1, 5, LISTEN));
    listener.accept().unwrap();
    assert_eq!(diagnosis.dump(LISTENING, &[address.port()], false).unwrap()[0].receive_queue, 4);
    drop(waiting);
}

#[test]
fn the_kernel_filters_by_every_port_it_is_given_and_by_none() {
    let open: Vec<_> = (0..PORTS_MAX + 1).map(|_| pair()).collect();
    let ports: Vec<u16> = open.iter().map(|(listener, ..)| listener.local_addr().unwrap().port()).collect();
    let mut diagnosis = Diagnosis::open().unwrap();
    for count in [1, 2, 3, PORTS_MAX] {
        let found = diagnosis.dump(CONNECTED, &ports[..count], true).unwrap();
        let mut got: Vec<u16> = found.iter().map(|socket| socket.local_port).collect();
        let mut wanted = ports[..count].to_vec();
        got.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(got, wanted);
    }
    for ports in [&[][..], &ports[..]] {
        let found = diagnosis.dump(CONNECTED, ports, false).unwrap();
        assert!(found.len() >= 2 * open.len(), "both sides of all: {}", found.len());
        assert!(found.iter().all(|socket| socket.bytes.is_none()));
    }
}

#[test]
fn both_families_are_seen() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else { return println!("skipped: no IPv6 here") };
    let port = listener.local_addr().unwrap().port();
    assert_eq!(Diagnosis::open().unwrap().dump(LISTENING, &[port], false).unwrap().len(), 1);
}

#[test]
fn a_closed_connection_waits_out_its_time_without_an_owner() {
    let (listener, client, server) = pair();
    let port = listener.local_addr().unwrap().port();
    drop(server);
    drop(client);
    let found = Diagnosis::open().unwrap().dump(1 << TIME_WAIT, &[port], false).unwrap();
    assert_eq!((found.len(), found[0].inode, state_name(found[0].state)), (1, 0, "time_wait"));
}

/// One message about a socket, as the kernel sends it.
fn message(sequence: u32) -> Vec<u8> {
    let mut body = vec![0_u8; SOCKET_BYTES];
    body[1] = ESTABLISHED;
    body[4..6].copy_from_slice(&80_u16.to_be_bytes());
    let mut info = vec![0_u8; INFO_RECEIVED + 8];
    info[INFO_ACKED..INFO_ACKED + 8].copy_from_slice(&5_u64.to_ne_bytes());
    body.extend(((4 + info.len()) as u16).to_ne_bytes());
    body.extend(ATTRIBUTE_INFO.to_ne_bytes());
    body.extend(info);
    let mut out = Vec::new();
    out.extend(((MESSAGE_HEADER + body.len()) as u32).to_ne_bytes());
    out.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    out.extend([0; 2]);
    out.extend(sequence.to_ne_bytes());
    out.extend([0; 4]);
    out.extend(body);
    out
}

#[test]
fn a_refusal_is_an_error_and_an_old_answer_is_passed_over() {
    let mut found = Vec::new();
    assert!(!parse(&message(3), 4, &mut found).unwrap());
    assert!(found.is_empty(), "it answers an earlier question");
    assert!(!parse(&message(4), 4, &mut found).unwrap());
    assert_eq!((found.len(), found[0].bytes, found[0].local_port), (1, Some((5, 0)), 80));
    let mut refusal = message(4);
    refusal[4..6].copy_from_slice(&TYPE_ERROR.to_ne_bytes());
    refusal[16..20].copy_from_slice(&(-1_i32).to_ne_bytes());
    assert_eq!(parse(&refusal, 4, &mut found).unwrap_err().raw_os_error(), Some(1));
}

proptest! {
    #[test]
    fn no_answer_makes_the_parser_panic_or_go_round_for_ever(
        at in 0_usize..100, value: u8, cut in 0_usize..400,
    ) {
        let mut bytes = [message(1), message(1)].concat();
        bytes[at] = value;
        bytes.truncate(cut);
        let mut found = Vec::new();
        let _ = parse(&bytes, 1, &mut found);
        prop_assert!(found.len() <= 2);
    }
}
