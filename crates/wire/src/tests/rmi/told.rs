//! Text about a connection for the user.

use super::{JDK17, messages, named};
use crate::rmi::describe;

#[test]
fn a_connection_is_told_message_by_message() {
    let sent = messages(include_str!("fixtures/jdk17-registry-sent.hex")).concat();
    assert_eq!(
        describe(true, &sent),
        [
            "JRMI version 2, StreamProtocol",
            "endpoint 127.0.0.1 port 0",
            "call of object 00000000000000000000000000000000000000000000, operation 2, hash 44154dc9d4e63bdf",
            "  \"echo\"",
            "ping",
            "acknowledges remote references of 744cd204000001a1fbd705558002",
        ]
    );
    let received = messages(include_str!("fixtures/jdk17-registry-received.hex")).concat();
    let told = describe(false, &received);
    assert_eq!(
        told[..3],
        [
            "acknowledged; the server sees 127.0.0.1 port 43428",
            "return of a value, 744cd204000001a1fbd705558002",
            "  proxy of lab.EchoRemote",
        ]
    );
    assert_eq!(told.last().map(String::as_str), Some("answer to a ping"));
    let int = describe(false, &named(JDK17, "returns_int"));
    assert_eq!(int.len(), 2);
    assert_eq!(int[1], "  primitives 0000002a");
    assert_eq!(describe(false, b"HTTP/1.1"), ["8 bytes that are no message: HTTP/1.1"]);
    assert_eq!(describe(false, b"\x4f"), ["the protocol is not supported"]);
}

#[test]
fn messages_cut_short_are_told_up_to_there() {
    for (sent, bytes) in [
        (true, messages(include_str!("fixtures/jdk17-object-sent.hex")).concat()),
        (false, messages(include_str!("fixtures/jdk17-object-received.hex")).concat()),
    ] {
        for len in 0..bytes.len().min(1500) {
            let told = describe(sent, &bytes[..len]);
            assert!(told.len() < 1000 && (len == 0 || !told.is_empty()), "cut after {len} bytes");
        }
    }
}
