//! Checks of the answers that a subject declares. Servers that are compared must answer the same.

#![allow(clippy::disallowed_methods, reason = "it asks a server what its folder declares")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A wait in the server is exponential with a mean of 200 ms: e^-50 are longer.
const WITHIN: Duration = Duration::from_secs(10);
/// More than the 100 or 1,000 after which servers close by default.
const ON_ONE_CONNECTION: usize = 1_001;
const BODY_BYTES_MAX: usize = 1 << 20;
const HEAD_LINES_MAX: usize = 100;
/// Longest line of a head that is read.
const LINE_BYTES_MAX: u64 = 16 << 10;

/// A part of the contract of the web servers: `answers:` of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Echo,
    /// GET /echo any number of times on one connection.
    KeepAlive,
    Text,
    Body,
    Thread,
    Wait,
}

/// Every part with its word.
const WORDS: [(&str, Answer); 6] = [
    ("echo", Answer::Echo),
    ("keep-alive", Answer::KeepAlive),
    ("text", Answer::Text),
    ("body", Answer::Body),
    ("thread", Answer::Thread),
    ("wait", Answer::Wait),
];

impl Answer {
    pub(crate) fn parse(word: &str) -> Option<Answer> {
        WORDS.iter().find(|(name, _)| *name == word).map(|(_, answer)| *answer)
    }

    pub(crate) fn words() -> Vec<&'static str> {
        WORDS.iter().map(|(word, _)| *word).collect()
    }

    pub(crate) fn word(self) -> &'static str {
        WORDS.iter().find(|(_, answer)| *answer == self).map_or("", |(word, _)| word)
    }

    /// Sends the request and checks the answer.
    ///
    /// # Errors
    /// The answer that came instead.
    pub(crate) fn ask(self, address: SocketAddr) -> Result<(), String> {
        match self {
            Answer::Echo => is_plain(&Connection::open(address)?.get("/echo")?, "GET /echo"),
            Answer::KeepAlive => {
                let mut connection = Connection::open(address)?;
                for nth in 1..=ON_ONE_CONNECTION {
                    let answer = connection.get("/echo");
                    let answer = answer.map_err(|why| format!("request {nth} on one connection: {why}"))?;
                    is_plain(&answer, "GET /echo")?;
                }
                Ok(())
            }
            Answer::Text => {
                let answer = Connection::open(address)?.get("/echo?t=a%20b%C3%A4%2B")?;
                is(&answer, "GET /echo?t=a%20b%C3%A4%2B", "text/plain", "a bä+".as_bytes())
            }
            Answer::Body => {
                let binary: Vec<u8> = (0..=u8::MAX).cycle().take(BODY_BYTES_MAX).collect();
                for body in [&binary[..0], &binary[..3000], &binary[..]] {
                    let answer = Connection::open(address)?.post(body)?;
                    let what = format!("POST /echo with {} bytes", body.len());
                    is(&answer, &what, "application/octet-stream", body)?;
                }
                let longer = vec![b'x'; BODY_BYTES_MAX + 1];
                match Connection::open(address)?.post(&longer)?.status {
                    413 => Ok(()),
                    status => {
                        Err(format!("POST /echo with more than 1 MiB is answered with {status}, not 413"))
                    }
                }
            }
            Answer::Thread => {
                let answer = Connection::open(address)?.get("/thread")?;
                match (answer.status, answer.body.is_empty()) {
                    (200, false) => Ok(()),
                    (status, _) => {
                        Err(format!("GET /thread is answered with {status} and no name of a thread"))
                    }
                }
            }
            Answer::Wait => is_plain(&Connection::open(address)?.get("/wait")?, "GET /wait"),
        }
    }
}

fn is_plain(answer: &Response, what: &str) -> Result<(), String> {
    is(answer, what, "text/plain", &[b'x'; 1024])
}

fn is(answer: &Response, what: &str, kind: &str, body: &[u8]) -> Result<(), String> {
    if answer.status != 200 {
        return Err(format!("{what} is answered with {}, not 200", answer.status));
    }
    if !answer.kind.to_ascii_lowercase().starts_with(kind) {
        return Err(format!("{what} is answered as {:?}, not {kind}", answer.kind));
    }
    if answer.body != body {
        let (found, wanted) = (answer.body.len(), body.len());
        return Err(format!("{what}: {found} bytes that are not the {wanted} wanted"));
    }
    Ok(())
}

struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

struct Response {
    status: u16,
    kind: String,
    body: Vec<u8>,
}

fn told(why: io::Error) -> String {
    match why.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("no answer for {} s", WITHIN.as_secs())
        }
        _ => why.to_string(),
    }
}

impl Connection {
    fn open(address: SocketAddr) -> Result<Connection, String> {
        let stream = TcpStream::connect_timeout(&address, WITHIN).map_err(told)?;
        stream.set_nodelay(true).map_err(told)?;
        stream.set_read_timeout(Some(WITHIN)).map_err(told)?;
        stream.set_write_timeout(Some(WITHIN)).map_err(told)?;
        Ok(Connection { stream: BufReader::new(stream), address })
    }

    fn get(&mut self, path: &str) -> Result<Response, String> {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.stream.get_mut().write_all(head.as_bytes()).map_err(told)?;
        self.response()
    }

    fn post(&mut self, body: &[u8]) -> Result<Response, String> {
        let head = format!(
            "POST /echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/octet-stream\r\n\
             Content-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        // A server that refuses a body answers before it has read it and closes; its answer is what counts.
        let _ = self.stream.get_mut().write_all(head.as_bytes());
        let _ = self.stream.get_mut().write_all(body);
        self.response()
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let read = self.stream.by_ref().take(LINE_BYTES_MAX).read_line(&mut line).map_err(told)?;
        if read == 0 { Err("the connection was closed".into()) } else { Ok(line.trim_end().to_string()) }
    }

    /// An answer with its length; of one without, or of an error, the body is not read.
    fn response(&mut self) -> Result<Response, String> {
        let first = self.line()?;
        let status = first.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
        let status = status.ok_or_else(|| format!("{first:?} is not HTTP"))?;
        let (mut length, mut kind) = (None, String::new());
        for _ in 0..HEAD_LINES_MAX {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse::<usize>().ok(),
                "content-type" => kind = value.trim().to_string(),
                _ => {}
            }
        }
        let mut body = Vec::new();
        if status == 200 {
            let length = length.ok_or("an answer without Content-Length")?;
            if length > BODY_BYTES_MAX {
                return Err(format!("an answer of {length} bytes"));
            }
            body.resize(length, 0);
            self.stream.read_exact(&mut body).map_err(told)?;
        }
        Ok(Response { status, kind, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers each connection with these bytes, for any request.
    fn serving(answer: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                let _ = stream.read(&mut [0_u8; 4096]);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        address
    }

    #[test]
    fn what_is_wrong_with_an_answer_is_told() {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\na bä+";
        Answer::Text.ask(serving(text)).unwrap();
        for (answer, why) in [
            ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\na bä+", "text/html"),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\na b +", "5 bytes"),
            ("HTTP/1.1 404 No\r\n\r\n", "404"),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\na", "without Content-Length"),
            ("SSH-2.0\r\n", "not HTTP"),
            ("", "closed"),
        ] {
            let told = Answer::Text.ask(serving(answer)).unwrap_err();
            assert!(told.contains(why), "{why}: {told}");
        }
    }

    #[test]
    fn a_server_that_closes_after_an_answer_does_not_keep_the_contract() {
        let mut plain =
            String::from("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n");
        plain.push_str(&"x".repeat(1024));
        let told = Answer::KeepAlive.ask(serving(plain.leak())).unwrap_err();
        assert!(told.contains("request 2 on one connection"), "{told}");
    }

    #[test]
    fn every_part_has_a_word_of_its_own() {
        for (word, answer) in WORDS {
            assert_eq!(Answer::parse(word), Some(answer));
            assert_eq!(answer.word(), word);
        }
        assert_eq!(Answer::parse("all"), None);
    }
}
