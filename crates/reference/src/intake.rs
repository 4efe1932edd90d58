//! Requests out of a connection's bytes: the parser of `wire`, and what this server makes of a request.

use proofload_wire::http1::Limits;
use proofload_wire::http1::server::{BodyLength, Method, RequestHead, RequestParser, ServerError};

/// Largest head that is read, and largest body that is read and dropped.
const LIMITS: Limits = Limits { head_max: 16 * 1024, body_max: 1 << 30 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `/__counts`: what the server did so far.
    Counts,
    /// `/__ready`: whether it serves.
    Ready,
    /// Anything else: the load.
    Load,
}

/// A request, as far as the answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub target: Target,
    pub head_only: bool,
    /// True if the method is none of GET, HEAD and POST.
    pub refused: bool,
    /// True if the client ends the connection after the answer.
    pub close: bool,
    /// True if the client speaks HTTP/1.0 and must be sent that the connection stays.
    pub old: bool,
    /// Bytes of head and body.
    pub bytes: u64,
}

/// Item at the front of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Not yet a whole request.
    More,
    /// A head whose client waits for `100 Continue`.
    Continue,
    Request(Asked),
    /// No request; the connection cannot go on.
    Bad {
        /// Status of the refusal.
        status: u16,
    },
}

/// Takes requests from the bytes of one connection.
#[derive(Debug)]
pub struct Intake {
    parser: RequestParser,
    /// The request whose body is being read.
    body_of: Option<Asked>,
}

impl Intake {
    pub fn new() -> Self {
        Intake { parser: RequestParser::new(LIMITS), body_of: None }
    }

    /// Reads the bytes not taken yet; the first number returned is how many of them were taken.
    pub fn take(&mut self, input: &[u8]) -> (usize, Taken) {
        self.step(input).unwrap_or_else(|error| (0, Taken::Bad { status: error.status() }))
    }

    fn step(&mut self, input: &[u8]) -> Result<(usize, Taken), ServerError> {
        if let Some(asked) = &mut self.body_of {
            let progress = self.parser.body(input)?;
            asked.bytes += progress.consumed as u64;
            if !progress.done {
                return Ok((progress.consumed, Taken::More));
            }
            let asked = *asked;
            self.body_of = None;
            return Ok((progress.consumed, Taken::Request(asked)));
        }
        let Some(head) = self.parser.head(input)? else { return Ok((0, Taken::More)) };
        let asked = ask(&head, input);
        if head.body == BodyLength::None {
            return Ok((head.consumed, Taken::Request(asked)));
        }
        self.body_of = Some(asked);
        // A client whose body is on its way already does not wait.
        let waits = head.expects_continue && head.consumed == input.len();
        if waits {
            return Ok((head.consumed, Taken::Continue));
        }
        let (n, taken) = self.step(&input[head.consumed..])?;
        Ok((head.consumed + n, taken))
    }
}

fn ask(head: &RequestHead, input: &[u8]) -> Asked {
    let target = match &input[head.target.clone()] {
        b"/__counts" => Target::Counts,
        b"/__ready" => Target::Ready,
        _ => Target::Load,
    };
    Asked {
        target,
        head_only: head.method == Method::Head,
        refused: !matches!(head.method, Method::Get | Method::Head | Method::Post),
        close: !head.keep_alive,
        old: input[head.target.end..].starts_with(b" HTTP/1.0"),
        bytes: head.consumed as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests and refusals out of a stream that arrives in pieces of `step` bytes.
    fn all(stream: &[u8], step: usize) -> Vec<Taken> {
        let (mut intake, mut carry, mut found) = (Intake::new(), Vec::new(), Vec::new());
        for piece in stream.chunks(step) {
            carry.extend_from_slice(piece);
            loop {
                let (n, taken) = intake.take(&carry);
                carry.drain(..n);
                match taken {
                    Taken::More if n == 0 => break,
                    Taken::More | Taken::Continue => {}
                    Taken::Bad { .. } => {
                        found.push(taken);
                        return found;
                    }
                    Taken::Request(_) => found.push(taken),
                }
            }
        }
        found
    }

    const STREAM: &[u8] = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n\
        POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello\
        POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n\
        HEAD /__ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    #[test]
    fn every_step_of_arrival_gives_the_same_requests() {
        let whole = all(STREAM, STREAM.len());
        for step in 1..STREAM.len() {
            assert_eq!(all(STREAM, step), whole, "step {step}");
        }
        let asked: Vec<Asked> = whole
            .iter()
            .map(|taken| match taken {
                Taken::Request(asked) => *asked,
                other => panic!("{other:?}"),
            })
            .collect();
        let targets: Vec<Target> = asked.iter().map(|asked| asked.target).collect();
        assert_eq!(targets, [Target::Load, Target::Load, Target::Load, Target::Ready]);
        assert_eq!(asked.iter().map(|asked| asked.bytes).sum::<u64>(), STREAM.len() as u64);
        assert!(asked[3].head_only && asked[3].close && !asked[0].close && !asked[0].refused);
    }

    #[test]
    fn what_is_no_request_or_too_large_is_refused_with_its_status() {
        let huge = [b"GET / HTTP/1.1\r\nHost: x\r\nA: ".as_slice(), &[b'a'; 20_000]].concat();
        assert_eq!(all(&huge, 1000), [Taken::Bad { status: 431 }]);
        assert_eq!(all(b"\x16\x03\x01 nonsense\r\n\r\n", 5), [Taken::Bad { status: 400 }]);
        let body = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n";
        assert_eq!(all(body, body.len()), [Taken::Bad { status: 413 }]);
    }

    #[test]
    fn a_client_that_waits_is_told_to_go_on_once() {
        let mut intake = Intake::new();
        let head = b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(intake.take(head), (head.len(), Taken::Continue));
        assert!(matches!(intake.take(b"hi"), (2, Taken::Request(_))));
    }

    #[test]
    fn http_1_0_closes_unless_it_asks_to_stay() {
        let asked = |bytes: &[u8]| match Intake::new().take(bytes).1 {
            Taken::Request(asked) => (asked.close, asked.old),
            other => panic!("{other:?}"),
        };
        assert_eq!(asked(b"GET / HTTP/1.0\r\n\r\n"), (true, true));
        assert_eq!(asked(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), (false, true));
        assert_eq!(asked(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), (false, false));
    }
}
