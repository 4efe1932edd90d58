//! Asking an HTTP proxy for a tunnel: the request, and its answer in whatever pieces it comes.

use super::Proxy;

/// Longest head of an answer that is read.
const HEAD_MAX: usize = 1024 * 1024;
/// Length shown of an answer that is not HTTP.
const SHOWN_BYTES: usize = 60;

/// The request for a tunnel.
pub(super) fn request(proxy: &Proxy) -> Vec<u8> {
    let authority = &proxy.authority;
    let mut bytes = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    if let Some(authorization) = &proxy.authorization {
        bytes.extend_from_slice(b"Proxy-Authorization: ");
        bytes.extend_from_slice(authorization);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes
}

/// All problems of a proxy's settings.
pub(super) fn problems(proxy: &Proxy) -> Vec<String> {
    let mut problems = Vec::new();
    let port = proxy.authority.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()));
    let visible = proxy.authority.bytes().all(|byte| byte.is_ascii_graphic());
    if !visible || !matches!(port, Some((host, Ok(_))) if !host.is_empty()) {
        problems.push(format!("proxy: {:?} is no host:port to ask it for", proxy.authority));
    }
    if proxy.authorization.iter().flatten().any(|byte| byte.is_ascii_control()) {
        problems.push(
            "proxy: the authorization has control characters, which would break the request".to_owned(),
        );
    }
    problems
}

/// Progress of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Its head is not whole.
    Waits,
    /// The tunnel is made; this many of the bytes given last belong to the answer, what follows came through it.
    Established(usize),
    /// The proxy refused, or is none.
    Failed(TunnelFault),
}

/// Reason for which there is no tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TunnelFault {
    /// The proxy answered with a code other than 200 to 299.
    Code(u16),
    /// It answered with something that is not HTTP; its beginning.
    Garbage(Vec<u8>),
    /// The head of its answer does not end.
    Endless,
}

#[derive(Debug, Default)]
pub(super) struct Answer {
    head: Vec<u8>,
}

impl Answer {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Progress {
        for (at, byte) in bytes.iter().enumerate() {
            self.head.push(*byte);
            if let Some(fault) = self.fault() {
                return Progress::Failed(fault);
            }
            if self.head.ends_with(b"\r\n\r\n") || self.head.ends_with(b"\n\n") {
                match code(&self.head) {
                    // An interim answer; the real one follows.
                    100..200 => self.head.clear(),
                    200..300 => return Progress::Established(at + 1),
                    refused => return Progress::Failed(TunnelFault::Code(refused)),
                }
            }
        }
        Progress::Waits
    }

    /// Problem of the last byte, so that any split of the bytes is judged alike.
    fn fault(&self) -> Option<TunnelFault> {
        // `HTTP/1.1 200`, with a digit for each `d`.
        const STATUS_LINE: &[u8] = b"HTTP/1.d ddd";
        let at = self.head.len() - 1;
        let byte = self.head[at];
        let fits = match STATUS_LINE.get(at) {
            Some(b'd') => byte.is_ascii_digit(),
            Some(expected) => byte == *expected,
            None => true,
        };
        // A refusal is known by its code; what is not an answer is shown up to the first byte that is wrong.
        if !fits {
            let shown = self.head.iter().take(SHOWN_BYTES).copied().collect();
            return Some(TunnelFault::Garbage(shown));
        }
        (self.head.len() > HEAD_MAX).then_some(TunnelFault::Endless)
    }
}

/// The code of a head whose status line fits.
fn code(head: &[u8]) -> u16 {
    let digits = head.get(9..12).unwrap_or_default();
    digits.iter().fold(0, |code, digit| code * 10 + u16::from(digit.wrapping_sub(b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy() -> Proxy {
        let authorization = Some(b"Basic eDp5".to_vec());
        Proxy { authority: "example.org:443".to_owned(), tunnels: true, authorization }
    }

    /// Result of the answer in one piece, in any two, and byte by byte.
    fn every_split(answer: &[u8]) -> (Progress, usize) {
        let in_pieces = |cuts: &[usize]| {
            let (mut reading, mut from) = (Answer::default(), 0);
            for to in cuts.iter().copied().chain([answer.len()]) {
                match reading.feed(&answer[from..to]) {
                    Progress::Waits => {}
                    // Where the tunnel's own bytes begin, whatever piece that was in.
                    Progress::Established(taken) => return (Progress::Established(0), from + taken),
                    failed => return (failed, 0),
                }
                from = to;
            }
            (Progress::Waits, 0)
        };
        let whole = in_pieces(&[]);
        for cut in 0..=answer.len() {
            assert_eq!(in_pieces(&[cut]), whole, "cut at {cut}");
        }
        assert_eq!(in_pieces(&(0..answer.len()).collect::<Vec<_>>()), whole);
        whole
    }

    #[test]
    fn the_request_names_the_target_twice_and_proves_who_asks() {
        let text = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\
                    Proxy-Authorization: Basic eDp5\r\n\r\n";
        assert_eq!(request(&proxy()), text.as_bytes());
        assert!(!format!("{:?}", proxy()).contains("eDp5"));
    }

    #[test]
    fn a_tunnel_established_after_200_and_what_follows_is_the_servers() {
        let answer = b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nSSH-2.0";
        assert_eq!(every_split(answer), (Progress::Established(0), answer.len() - 7));
        assert_eq!(every_split(b"HTTP/1.0 200 \n\n").0, Progress::Established(0));
        assert_eq!(every_split(b"HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 204 x\r\n\r\n").0, Progress::Established(0));
    }

    #[test]
    fn other_codes_are_refusals() {
        for code in [302, 403, 407, 502] {
            let answer = format!("HTTP/1.1 {code} No\r\nContent-Length: 3\r\n\r\nno!");
            assert_eq!(every_split(answer.as_bytes()).0, Progress::Failed(TunnelFault::Code(code)));
        }
    }

    #[test]
    fn what_is_no_http_is_known_at_its_first_wrong_byte() {
        let garbage = |shown: &[u8]| Progress::Failed(TunnelFault::Garbage(shown.to_vec()));
        assert_eq!(every_split(b"SSH-2.0-OpenSSH\r\n").0, garbage(b"S"));
        assert_eq!(every_split(b"HTTP/2 200\r\n\r\n").0, garbage(b"HTTP/2"));
        assert_eq!(every_split(b"\x15\x03\x01\x00\x02\x02\x0a").0, garbage(b"\x15"));
    }

    #[test]
    fn a_head_without_end_is_given_up() {
        let mut answer = b"HTTP/1.1 200 OK\r\n".to_vec();
        answer.resize(3 * HEAD_MAX, b'x');
        assert_eq!(Answer::default().feed(&answer), Progress::Failed(TunnelFault::Endless));
        assert_eq!(Answer::default().feed(&answer[..HEAD_MAX]), Progress::Waits);
    }

    #[test]
    fn what_would_break_the_request_is_a_problem() {
        assert!(problems(&proxy()).is_empty());
        for authority in ["", "example.org", ":80", "a b:80", "a:80\r\nX: y", "a:b"] {
            let authorization = Some(b"x\r\ny".to_vec());
            let proxy = Proxy { authority: authority.to_owned(), tunnels: true, authorization };
            assert_eq!(problems(&proxy).len(), 2, "{authority}");
        }
    }
}
