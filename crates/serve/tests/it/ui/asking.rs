//! Raw HTTP.

use proofload_serve::ui::Server;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// Longest silence before a test fails.
const SILENCE: Duration = Duration::from_secs(100);

/// A page that is served until the tests end.
pub struct Served {
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// `/TOKEN/`.
    pub base: String,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Serves `runs/` of a folder.
pub fn serve(dir: &Path) -> Served {
    let server = Server::bind(dir, 0).expect("a port");
    let url = server.url();
    let (host, base) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
    let served = Served { host: host.to_string(), base: format!("/{base}") };
    std::thread::spawn(move || server.serve());
    served
}

impl Served {
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(SILENCE)).expect("set");
        stream
    }

    /// Sends these bytes, with TOKEN and HOST filled in, and reads to the end.
    pub fn raw(&self, request: &str) -> Option<Answer> {
        let token = self.base.trim_matches('/');
        let request = request.replace("TOKEN", token).replace("HOST", &self.host);
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        // Refused before it was read, a request may end in a reset.
        let _ = stream.read_to_end(&mut answer);
        read(&String::from_utf8(answer).expect("text"))
    }

    /// GET of a path behind the token.
    pub fn get(&self, path: &str) -> Answer {
        self.get_if(path, None)
    }

    /// The same unless it is that page.
    pub fn get_if(&self, path: &str, known: Option<&str>) -> Answer {
        let known = known.map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default();
        self.raw(&format!("GET {}{path} HTTP/1.1\r\nHost: HOST\r\n{known}\r\n", self.base))
            .expect("an answer")
    }
}

fn read(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| {
        line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_string()))
    };
    Some(Answer { status, headers: lines.filter_map(header).collect(), body: body.to_string() })
}

/// The text between two others, first found.
pub fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from} in {text}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no {to} in {rest}")).0
}
