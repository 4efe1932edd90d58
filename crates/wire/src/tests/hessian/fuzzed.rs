//! Code that the fuzz targets of Hessian run on each input, and the tests on recorded values and on random bytes.

use super::laws;
use proofload_wire::hessian::{self, Fed, Tree, Version, Wrong, v1, v2};
use proofload_wire::http1::{RequestSpec, Template};
use proofload_wire::{Call, Close, Event, Protocol, Session, json};

/// Values one after the other, as a walker finds them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Walked {
    pub ends: Vec<usize>,
    /// The first byte that cannot be there.
    pub wrong: Option<usize>,
}

/// Result of a walker for pieces of these lengths.
pub fn walk<'a>(
    mut feed: impl FnMut(&[u8]) -> Result<Fed, Wrong>,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Walked {
    let (mut walked, mut at) = (Walked::default(), 0);
    for piece in pieces {
        let mut pos = 0;
        while pos < piece.len() {
            match feed(&piece[pos..]) {
                Ok(fed) => {
                    assert!(fed.consumed > 0 && fed.consumed <= piece.len() - pos, "{fed:?}");
                    assert!(fed.done || fed.consumed == piece.len() - pos, "{fed:?}");
                    pos += fed.consumed;
                    if fed.done {
                        walked.ends.push(at + pos);
                    }
                }
                Err(wrong) => {
                    assert!(wrong.at < piece.len() - pos, "{wrong:?}");
                    walked.wrong = Some(at + pos + wrong.at);
                    return walked;
                }
            }
        }
        at += piece.len();
    }
    walked
}

/// Result of the walker of a version for pieces of these lengths.
pub fn walk_version<'a>(version: u8, pieces: impl IntoIterator<Item = &'a [u8]>) -> Walked {
    let (mut first, mut second) = (v1::Walker::new(), v2::Walker::new());
    if version == 1 {
        walk(|input| first.feed(input), pieces)
    } else {
        walk(|input| second.feed(input), pieces)
    }
}

/// The walkers of both versions: the first byte chooses which; however the bytes come, it finds the same.
pub fn walker(input: &[u8]) {
    let Some((how, bytes)) = input.split_first() else { return };
    let version = how % 2 + 1;
    let whole = walk_version(version, [bytes]);
    assert_eq!(walk_version(version, bytes.chunks(1)), whole, "{}", bytes.escape_ascii());
    assert_eq!(
        walk_version(version, bytes.chunks(usize::from(how / 2) + 1)),
        whole,
        "{}",
        bytes.escape_ascii()
    );
    read(version, bytes, &whole);
}

/// The reader builds as many values as the walker passed over, and none of them is cut.
fn read(version: u8, bytes: &[u8], walked: &Walked) {
    let trees: Vec<Tree> =
        if version == 1 { v1::Reader::new(bytes).collect() } else { v2::Reader::new(bytes).collect() };
    trees.iter().for_each(|tree| drop(tree.describe()));
    drop(hessian::describe(bytes));
    let whole = trees.iter().take_while(|tree| !tree.is_cut()).count();
    assert!(whole >= walked.ends.len(), "{walked:?} but {trees:?} of {}", bytes.escape_ascii());
}

/// The sessions of Hessian and JSON-RPC: the first bytes choose the protocol, how much is kept, the status, how the body
/// is framed, the splits and how the connection ends; the rest is the body.
pub fn session(input: &[u8]) {
    let Some(([how, seed], body)) = input.split_first_chunk::<2>() else { return };
    let call = Call { method: "m".to_owned(), ..Call::default() };
    let spec = RequestSpec { keep_body: usize::from(how >> 1 & 1) * 60, ..RequestSpec::get("h", "/") };
    let (protocol, request) = if how & 1 == 0 {
        (Protocol::Hessian, hessian::encode(Version::V2, &call, &spec, &Template::default()))
    } else {
        (Protocol::JsonRpc, json::encode(json::Body::Rpc, &call, &spec, &Template::default()))
    };
    let request = request.expect("the request is right");
    let status = if how & 4 == 0 { 200 } else { 500 };
    let framing = how >> 3 & 3;
    let answer = framed(status, framing, body);
    let close = [Close::Fin, Close::Reset][usize::from(how >> 5 & 1)];
    let make = || Session::new(protocol, 1);

    let whole = laws::outcome(make(), &request, [answer.as_slice()], close);
    laws::ends_exactly_once(&whole, &[laws::ID]);
    laws::same_in_pieces_of(make, &request, &answer, close, &whole, |_| 1);
    laws::same_in_pieces_of(make, &request, &answer, close, &whole, |_| usize::from(*seed));
    for event in &whole {
        if let Event::Answered { code, body: said, .. } = event {
            let of_200 = matches!(code, 1..=3 | 200);
            assert!(framing == 3 || if status == 200 { of_200 } else { *code == status }, "{event:?}");
            assert!(said.as_ref().is_none_or(|said| said.len() <= 300), "{event:?}");
            assert!(*code != 200 || said.as_deref().is_none_or(laws::is_value), "{event:?}");
            assert_eq!(said.is_some(), *code != 200 || request.keep_body > 0, "{event:?}");
        }
    }
}

/// An answer with that body: by length, in chunks, until the close, or the bytes as they are.
fn framed(status: u16, how: u8, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} \r\n");
    match how {
        0 => [format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat(),
        1 => {
            let mut answer = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
            for chunk in body.chunks(7) {
                answer.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                answer.extend_from_slice(chunk);
                answer.extend_from_slice(b"\r\n");
            }
            [answer.as_slice(), b"0\r\n\r\n"].concat()
        }
        2 => [head.as_bytes(), b"\r\n", body].concat(),
        _ => body.to_vec(),
    }
}
