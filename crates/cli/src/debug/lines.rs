//! Lines of what passed: `>` sent, `<` received, `*` everything else.

use proofload_engine::Target;
use proofload_engine::debug::{Heard, Notes, TapEvent};
use proofload_report::escape;
use proofload_store::redact;

/// Most bytes of a body that are shown.
const BODY_MAX: usize = 64 * 1024;

/// Lines of exchanges that follow each other.
pub struct Lines<'a> {
    /// Server of which they are.
    pub target: Option<&'a Target>,
    /// Instant from which times are told.
    start_ns: u64,
    text: String,
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub fn new(target: Option<&'a Target>, start_ns: u64) -> Self {
        Lines { target, start_ns, text: String::new(), sent: Vec::new(), received: Vec::new() }
    }

    /// Adds a line without an instant.
    pub fn say(&mut self, what: &str) {
        self.text.push_str(&format!("* {what}\n"));
    }

    /// Adds a line of what happened then.
    pub fn note(&mut self, at_ns: u64, what: &str) {
        let ms = at_ns.saturating_sub(self.start_ns) as f64 / 1e6;
        self.say(&format!("{ms:.3} ms  {what}"));
    }

    /// Takes note of an event of a connection.
    pub fn hear(&mut self, heard: &Heard) {
        let line = match &heard.what {
            TapEvent::Dialing(address) => {
                let proxy = self.target.and_then(|target| target.transport.proxy.as_ref());
                let by_way = match proxy.is_some_and(|proxy| !proxy.tunnels) {
                    true => ", a proxy that is sent the request in absolute form",
                    false => "",
                };
                format!("connecting to {address}{by_way}")
            }
            TapEvent::Connected => "connected".to_owned(),
            TapEvent::Tunnelled => "the proxy made a tunnel".to_owned(),
            TapEvent::Secured(handshake) => {
                let settled = handshake.negotiated;
                format!("TLS {} with {}", settled.version.number(), settled.cipher_suite)
            }
            TapEvent::Sent(bytes) => {
                if !self.received.is_empty() {
                    self.flush();
                }
                return self.sent.extend_from_slice(bytes);
            }
            TapEvent::Received(bytes) => return self.received.extend_from_slice(bytes),
            _ => return,
        };
        self.flush();
        self.note(heard.at_ns, &line);
    }

    /// Tells how much was not kept.
    pub fn left_out(&mut self, notes: &Notes) {
        self.flush();
        let (mut sent, mut received) = (notes.sent, notes.received);
        for heard in &notes.heard {
            match &heard.what {
                TapEvent::Sent(bytes) => sent -= bytes.len() as u64,
                TapEvent::Received(bytes) => received -= bytes.len() as u64,
                _ => {}
            }
        }
        for (how, more) in [("sent", sent), ("received", received)] {
            if more > 0 {
                self.say(&format!("{more} more bytes were {how} and are not shown"));
            }
        }
    }

    /// All lines.
    pub fn take(mut self) -> String {
        self.flush();
        self.text
    }

    /// Adds both sides of an exchange.
    fn flush(&mut self) {
        for (mark, bytes) in
            [('>', std::mem::take(&mut self.sent)), ('<', std::mem::take(&mut self.received))]
        {
            let described = self.target.and_then(|target| target.protocol.describe(mark == '>', &bytes));
            if let Some(lines) = described {
                lines.iter().for_each(|line| self.line(mark, &redact::text(line)));
                continue;
            }
            let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
            let (head, body) = bytes.split_at(head);
            let shown = &body[..body.len().min(BODY_MAX)];
            for part in [head, shown] {
                let text = redact::text(&String::from_utf8_lossy(part));
                text.lines().for_each(|line| self.line(mark, line.trim_end_matches('\r')));
            }
            if body.len() > shown.len() {
                self.say(&format!("{} more bytes of the body are not shown", body.len() - shown.len()));
            }
        }
    }

    fn line(&mut self, mark: char, line: &str) {
        self.text.push_str(&format!("{mark} {}\n", escape::line(line)));
    }
}

/// `: ` and the reason, if there is one.
pub fn told(why: Option<&str>) -> String {
    why.map_or(String::new(), |why| format!(": {}", escape::line(&redact::text(why))))
}
