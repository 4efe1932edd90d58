//! Protocols of calls, against peers that answer each request, whose length they know, with the same bytes.

use super::*;
use proofload_wire::{Call, Protocol, Request, Streamed, Value, ajp, dubbo, hessian, json, rmi};
use std::net::TcpStream;

const AJP_ANSWER: &[u8] = b"AB\0\x0a\x04\0\xc8\0\x02OK\0\0\0\
                            AB\0\x09\x03\0\x05hello\0AB\0\x02\x05\x01";
const RMI_ANSWER: &[u8] = b"\x51\xac\xed\0\x05\x77\x0f\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x74\0\x05hello";
/// The answer to a greeting of 7 bytes; then the client names itself in 15 bytes.
const RMI_GREETED: &[u8] = b"\x4e\0\x09127.0.0.1\0\0\xd4\x31";
const RMI_HANDSHAKE: usize = 7 + 15;
const DUBBO_ANSWER: &[u8] = b"\xda\xbb\x02\x14\0\0\0\0\0\0\0\0\0\0\0\x07\x91\x05hello";
const HESSIAN_ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nH\x02\0R\x05hello";
const JSON_ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Length: 41\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"hello\"}";

/// Bytes of a body that is read while it is sent.
const STREAMED: usize = 70_000;

/// A protocol, a request of it and the answer.
#[derive(Debug)]
struct Case {
    protocol: Protocol,
    in_flight: u32,
    request: Request,
    /// Bytes of a request on the wire.
    length: usize,
    answer: &'static [u8],
}

fn cases() -> Vec<Case> {
    let call = Call {
        interface: "lab.Echo".to_owned(),
        method: "echo".to_owned(),
        parameter_types: vec!["java.lang.String".to_owned()],
        return_type: "java.lang.String".to_owned(),
        arguments: vec![Value::from("hello")],
        ..Call::default()
    };
    let spec = RequestSpec::get("server.test", "/");
    let case = |protocol, in_flight, request: Request, answer| Case {
        protocol,
        in_flight,
        length: request.bytes.len(),
        request,
        answer,
    };
    let dubbo = || dubbo::encode(&call, &dubbo::Options::default()).unwrap();
    // The length of the body is filled in.
    let longer = |case: Case| Case { length: case.length + 4, ..case };
    // Of more than one piece, read anew for each exchange.
    let streamed = vec![(0, Streamed::new(vec![b'x'; STREAMED]))];
    let upload = RequestSpec { method: "POST".to_owned(), ..spec.clone() };
    let upload = upload.encode_with(&Template { streamed, ..Template::default() }).unwrap();
    let upload = case(Protocol::Http1, 1, upload, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let upload = Case { length: upload.length + STREAMED + STREAMED.to_string().len(), ..upload };
    let ajp = ajp::encode(&spec, &Template::default(), &ajp::Attributes::default()).unwrap();
    let hessian = hessian::encode(hessian::Version::V2, &call, &spec, &Template::default()).unwrap();
    vec![
        upload,
        longer(case(Protocol::Dubbo, 10, dubbo(), DUBBO_ANSWER)),
        longer(case(Protocol::Dubbo, 1, dubbo(), DUBBO_ANSWER)),
        case(Protocol::Ajp, 1, ajp, AJP_ANSWER),
        case(Protocol::Rmi, 1, rmi::encode(&call, &rmi::ObjectId::default()).unwrap(), RMI_ANSWER),
        case(Protocol::Hessian, 1, hessian, HESSIAN_ANSWER),
        case(
            Protocol::JsonRpc,
            1,
            json::encode(json::Body::Rpc, &call, &spec, &Template::default()).unwrap(),
            JSON_ANSWER,
        ),
    ]
}

/// Answers each request on one connection.
fn serve(mut stream: TcpStream, protocol: Protocol, length: usize, answer: &[u8]) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 128 * 1024];
    if protocol == Protocol::Rmi {
        stream.read_exact(&mut buffer[..7])?;
        stream.write_all(RMI_GREETED)?;
        stream.read_exact(&mut buffer[..RMI_HANDSHAKE - 7])?;
    }
    let mut whole = [0; 256];
    let (mut at, whole) = (0, &mut whole[..answer.len()]);
    whole.copy_from_slice(answer);
    loop {
        match stream.read(&mut buffer[at..])? {
            0 => return Ok(()),
            more => at += more,
        }
        let mut begin = 0;
        while at - begin >= length {
            if protocol == Protocol::Dubbo {
                whole[4..12].copy_from_slice(&buffer[begin + 4..begin + 12]);
            }
            stream.write_all(whole)?;
            begin += length;
        }
        buffer.copy_within(begin..at, 0);
        at -= begin;
    }
}

/// A peer that allocates nothing once its connections are established.
fn peer(case: &Case) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (protocol, length, answer) = (case.protocol, case.length, case.answer);
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            // A client that leaves early does not matter for this test.
            thread::spawn(move || serve(stream, protocol, length, answer));
        }
    });
    address
}

#[test]
fn calls_of_no_protocol_allocate_while_they_are_measured() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    for case in cases() {
        let http = cases_of_http().swap_remove(1);
        let plan = plan(peer(&case), &http);
        let closing_request = Arc::new(Request { closes: true, ..case.request.clone() });
        let entry = MixEntry {
            request: Arc::new(case.request.clone()),
            closing_request,
            expect: Expect::default(),
            ..plan.mix[0].clone()
        };
        let targets = vec![proofload_engine::Target { protocol: case.protocol, ..plan.targets[0].clone() }];
        let plan = LoadPlan { targets, mix: vec![entry], in_flight: case.in_flight, connections: 4, ..plan };
        let watch = Watch::default();
        let (before, after, result) = thread::scope(|scope| {
            let load = scope.spawn(|| run(&plan, &watch).unwrap());
            let before = allocations_at(&load, &watch, 500);
            let after = allocations_at(&load, &watch, 5_000);
            watch.stop.store(true, Ordering::Relaxed);
            (before, after, load.join().unwrap())
        });
        let answered = result.snapshot.outcomes.get(Outcome::Answered);
        assert!(answered >= 5_000, "{answered}: {case:?} {:?}", result.bad_answers);
        assert_eq!(result.snapshot.outcomes.errors(), 0, "{case:?} {:?}", result.bad_answers);
        assert_eq!(after - before, 0, "{case:?}");
    }
}
