//! The catalogue's Tomcat, loaded by AJP 1.3 (the protocol's reference in the documentation of Tomcat Connectors).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use proofload_engine::Addresses;
use proofload_study::SubjectSpec;
use proofload_subject::{Keeper, Prepared};

use crate::Bench;

const PING: &[u8] = &[10];
const PONG: &[u8] = &[9];

fn text(text: &str) -> Vec<u8> {
    let mut bytes = u16::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.push(0);
    bytes
}

/// GET /echo, with a secret if there is one.
fn get(secret: Option<&str>) -> Vec<u8> {
    let mut packet = vec![2, 2];
    for part in ["HTTP/1.1", "/echo", "127.0.0.1", "127.0.0.1", "x"] {
        packet.extend(text(part));
    }
    // Port 80, no TLS, one header: Host.
    packet.extend([0, 80, 0, 0, 1, 0xA0, 0x0B]);
    packet.extend(text("x"));
    if let Some(secret) = secret {
        packet.push(0x0C);
        packet.extend(text(secret));
    }
    packet.push(0xFF);
    packet
}

/// The first packet that is answered to one.
fn ask(address: SocketAddr, packet: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut sent = vec![0x12, 0x34];
    sent.extend(u16::try_from(packet.len()).unwrap().to_be_bytes());
    sent.extend(packet);
    stream.write_all(&sent).unwrap();
    let mut head = [0; 4];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(head[..2], *b"AB");
    let mut answer = vec![0; usize::from(u16::from_be_bytes([head[2], head[3]]))];
    stream.read_exact(&mut answer).unwrap();
    answer
}

fn status(answer: &[u8]) -> u16 {
    assert_eq!(answer[0], 4, "the head of an answer");
    u16::from_be_bytes([answer[1], answer[2]])
}

/// Every version with every AJP connector that it has, beside one of HTTP in the same process.
pub fn every_tomcat_speaks_ajp_beside_http() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    for (version, connectors) in [
        ("6.0.53", &["nio", "ajp-bio"][..]),
        ("7.0.109", &["nio", "ajp-bio", "ajp-nio", "ajp-apr"]),
        ("8.5.100", &["nio", "ajp-nio", "ajp-nio2", "ajp-apr"]),
        ("9.0.110", &["nio", "ajp-nio", "ajp-nio2", "ajp-apr"]),
        ("10.1.56", &["nio", "ajp-nio", "ajp-nio2"]),
        ("11.0.21", &["nio", "ajp-nio", "ajp-nio2"]),
    ] {
        for secret in ["", "known"] {
            let spec = |connector: &&str| {
                let with = [("version", version), ("connector", connector), ("ajp_secret", secret)];
                let with = with.into_iter().chain([("ajp_packet_size", "65536"), ("compression", "true")]);
                let with = with.map(|(name, value)| (name.to_string(), value.to_string())).collect();
                SubjectSpec::Catalogue { folder: "tomcat".into(), with }
            };
            let specs: Vec<SubjectSpec> = connectors.iter().map(spec).collect();
            let say = |line: &str| println!("  {line}");
            let prepared =
                Prepared::prepare_shared("it", &specs, &bench.catalogue, &bench.cache, &say).unwrap();
            let temp = keeper.temp().join(format!("{version}{secret}"));
            let running = prepared.start(&keeper, &[], &bench.log(), &temp).unwrap();
            running.wait_ready(&Default::default()).unwrap();
            running.answers().unwrap();
            let addresses = running.addresses().iter().filter_map(Addresses::tcp);
            for (address, connector) in addresses.zip(connectors).skip(1) {
                let told = format!("Tomcat {version} {connector} {secret}");
                assert_eq!(ask(address, PING), PONG, "{told}");
                assert_eq!(status(&ask(address, &get(Some("known")))), 200, "{told}");
                let without = if secret.is_empty() { 200 } else { 403 };
                assert_eq!(status(&ask(address, &get(None))), without, "{told}");
            }
            running.stop().unwrap();
        }
    }
}
