//! A simulated HTTP/1.1 server: service times, stalls, faults by probability, and exact counts.

use super::peer::{Accept, Peer, Reply};
use proofload_engine::load::Random;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// Name of the random stream of a server.
const SERVES: u64 = 0x7365_7276;

/// Service time of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service {
    /// Always as long.
    Constant(u64),
    /// Exponentially distributed with that mean.
    Exponential(u64),
}

/// All answers that fall into a stall leave at its end; where threads are counted, none begins with a request in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// From one beginning to the next; the first comes after half of this.
    pub every_ns: u64,
    pub for_ns: u64,
}

impl Stall {
    /// `at_ns`, or the end of the stall that it falls into.
    pub(super) fn over_ns(&self, at_ns: u64) -> u64 {
        let within = (at_ns + self.every_ns / 2) % self.every_ns;
        if within < self.for_ns { at_ns + self.for_ns - within } else { at_ns }
    }
}

/// Faults of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Refuse,
    /// Never answers a connection request.
    SilentConnect,
    ResetBefore,
    ResetWithin,
    /// Resets right after the answer.
    ResetAfter,
    /// Ends the connection instead of answering.
    CloseBefore,
    /// Ends the connection within the answer.
    CloseWithin,
    /// Ends the connection right after the answer, unannounced.
    CloseAfter,
    /// Ends the connection after an answer that announces it.
    CloseAnnounced,
    /// Status 500.
    Error,
    /// Bytes that are not HTTP.
    Garbage,
    /// Never answers.
    Silence,
    /// Sends the answer byte by byte, this many nanoseconds apart.
    Drip(u64),
}

/// A path that leads elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Path and query that are asked for.
    pub from: &'static str,
    pub code: u16,
    /// The Location; empty for none.
    pub to: &'static str,
    /// True if the connection ends with the answer.
    pub closes: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Service time of a request.
    pub service: Service,
    /// Requests that are served at once; the others queue in order of arrival. 0 is any number.
    pub threads: usize,
    pub stall: Option<Stall>,
    /// Bytes of each body.
    pub body_bytes: usize,
    /// Faults, each with its probability; the sum is at most 1. Faults of connections and faults of requests are
    /// drawn apart.
    pub faults: Vec<(Fault, f64)>,
    /// True if it leaves connections open that the request asked to close.
    pub never_closes: bool,
    pub redirects: Vec<Redirect>,
    /// Time that a path takes beside that of every request, from the first character of its path on.
    pub slower: Vec<(&'static str, Service)>,
    /// True if a POST of `/login` gives a token (JSON and cookie), without one of which `/private…` is 401.
    pub gives_tokens: bool,
}

impl Default for Server {
    fn default() -> Self {
        Server {
            service: Service::Constant(50_000),
            threads: 0,
            stall: None,
            body_bytes: 100,
            faults: Vec::new(),
            never_closes: false,
            redirects: Vec::new(),
            slower: Vec::new(),
            gives_tokens: false,
        }
    }
}

/// Work of servers, as they know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Connections accepted, refused, and left without an answer.
    pub accepted: u64,
    pub refused: u64,
    pub unanswered_dials: u64,
    pub requests: u64,
    pub answered: u64,
    /// Redirects sent whole, which count as good answers too.
    pub redirected: u64,
    pub gets: u64,
    /// Answers with status 500.
    pub errors: u64,
    /// Answers that are not HTTP.
    pub garbage: u64,
    /// Requests left without an answer.
    pub silent: u64,
    /// Requests whose connection was ended before or within the answer.
    pub cut: u64,
    /// Requests whose connection was reset before or within the answer: the first of a connection.
    pub reset_fresh: u64,
    pub reset_reused: u64,
    /// Requests that came, whole or in part, on a connection that had been ended.
    pub lost_to_close: u64,
    /// Requests that came, whole or in part, on a connection that had been reset.
    pub lost_to_reset: u64,
    /// Heads of the first requests, at most 100.
    pub heads: Vec<String>,
    /// Requests answered whole and well, by path.
    pub paths: BTreeMap<String, u64>,
    /// Answers that asked for a token first.
    pub unauthorized: u64,
    /// Tokens given.
    pub tokens: u64,
    /// Most connections of one worker at once.
    pub most_links: u64,
}

/// A server at work for one worker.
#[derive(Debug)]
pub(super) struct Serving {
    server: Server,
    random: Random,
    links: HashMap<u64, Inbox>,
    /// Instant at which each thread is free again.
    threads: Vec<u64>,
    served: Arc<Mutex<Served>>,
}

#[derive(Debug, Default)]
struct Inbox {
    bytes: Vec<u8>,
    requests: u64,
}

/// One request found in received bytes.
struct Asked {
    closes: bool,
    line: String,
    head: String,
}

impl Serving {
    pub fn new(server: Server, seed: u64, served: Arc<Mutex<Served>>) -> Self {
        let threads = vec![0; server.threads];
        Serving { server, random: Random::new(seed, SERVES), links: HashMap::new(), threads, served }
    }

    fn count(&self, change: impl FnOnce(&mut Served)) {
        if let Ok(mut served) = self.served.lock() {
            change(&mut served);
        }
    }

    /// Draws one of the faults: of connections if `of_dial`, else of requests.
    fn fault(&mut self, of_dial: bool) -> Option<Fault> {
        let mut point = self.random.unit();
        for (fault, probability) in &self.server.faults {
            if matches!(fault, Fault::Refuse | Fault::SilentConnect) != of_dial {
                continue;
            }
            point -= probability;
            if point <= 0.0 {
                return Some(*fault);
            }
        }
        None
    }

    /// Instant at which the answer to a request that came at `now_ns` leaves.
    fn leaves_at(&mut self, path: &str, now_ns: u64) -> u64 {
        let slower = self.server.slower.iter().find(|(start, _)| path.starts_with(start));
        let slower = slower.map(|(_, service)| *service);
        let service_ns =
            [Some(self.server.service), slower].into_iter().flatten().map(|service| match service {
                Service::Constant(ns) => ns,
                Service::Exponential(mean) => (self.random.exponential() * mean as f64) as u64,
            });
        let service_ns: u64 = service_ns.sum();
        let done_ns = match self.threads.iter_mut().min() {
            // A thread does no work in a stall, so what came meanwhile is worked off after it.
            Some(free_ns) => {
                let begins_ns = (*free_ns).max(now_ns);
                *free_ns = self.server.stall.map_or(begins_ns, |stall| stall.over_ns(begins_ns)) + service_ns;
                *free_ns
            }
            None => now_ns + service_ns,
        };
        self.server.stall.map_or(done_ns, |stall| stall.over_ns(done_ns))
    }

    /// Status, with further headers, and body of an answer that has to do with tokens.
    fn token(&self, asked: &Asked, path: &str, fault: Option<Fault>) -> Option<(String, String)> {
        if !self.server.gives_tokens || fault.is_some() {
            return None;
        }
        let mut served = self.served.lock().ok()?;
        if asked.line.starts_with("POST /login") {
            served.tokens += 1;
            let token = served.tokens;
            let status = format!("200 OK\r\nX-Token: h{token}\r\nSet-Cookie: sid=c{token}");
            return Some((status, format!("{{\"ok\": true, \"token\": \"t{token}\"}}")));
        }
        let is_known =
            |number: &str| number.parse().is_ok_and(|number: u64| (1..=served.tokens).contains(&number));
        let shows = asked.head.lines().any(|line| {
            let bearer = line.strip_prefix("Authorization: Bearer t").or(line.strip_prefix("Cookie: sid=c"));
            bearer.is_some_and(is_known)
        });
        let wrong = path.starts_with("/private") && !shows;
        wrong.then(|| ("401 Unauthorized".to_owned(), "who are you".to_owned()))
    }

    fn answer(&mut self, asked: &Asked, first: bool, now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let path = asked.line.split(' ').nth(1).unwrap_or_default();
        let at_ns = self.leaves_at(path, now_ns);
        let fault = self.fault(false);
        let redirect = self.server.redirects.iter().find(|redirect| redirect.from == path);
        let redirect = redirect.filter(|_| fault.is_none()).cloned();
        let announced = asked.closes
            || fault == Some(Fault::CloseAnnounced)
            || redirect.as_ref().is_some_and(|redirect| redirect.closes);
        let status = match &redirect {
            Some(Redirect { code, to: "", .. }) => format!("{code} Moved"),
            Some(Redirect { code, to, .. }) => format!("{code} Moved\r\nLocation: {to}"),
            None if fault == Some(Fault::Error) => "500 Internal Server Error".to_owned(),
            None => "200 OK".to_owned(),
        };
        let (status, body) = match self.token(asked, path, fault) {
            Some((status, body)) => (status, body.into_bytes()),
            None => (status, (0..self.server.body_bytes).map(|i| b"0123456789abcdef"[i % 16]).collect()),
        };
        let is_private = status.starts_with("401");
        let whole = encode(&status, announced, &body);
        let cut = self.random.below(whole.len() as u64 - 1) as usize + 1;
        let part = whole[..cut].to_vec();
        let bytes = |bytes: Vec<u8>| (at_ns, Reply::Bytes(bytes));
        match fault {
            Some(Fault::ResetBefore) => replies.push((at_ns, Reply::Reset)),
            Some(Fault::ResetWithin) => replies.extend([bytes(part), (at_ns, Reply::Reset)]),
            Some(Fault::CloseBefore) => replies.push((at_ns, Reply::Fin)),
            Some(Fault::CloseWithin) => replies.extend([bytes(part), (at_ns, Reply::Fin)]),
            Some(Fault::ResetAfter) => replies.extend([bytes(whole), (at_ns, Reply::Reset)]),
            Some(Fault::CloseAfter) => replies.extend([bytes(whole), (at_ns, Reply::Fin)]),
            Some(Fault::Garbage) => replies.push(bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
            Some(Fault::Silence) => {}
            Some(Fault::Drip(gap_ns)) => {
                let drops = (0u64..).zip(whole);
                replies.extend(drops.map(|(i, byte)| (at_ns + i * gap_ns, Reply::Bytes(vec![byte]))));
            }
            None | Some(_) => replies.push(bytes(whole)),
        }
        let last_ns = replies.last().map_or(at_ns, |(ns, _)| *ns);
        let ended = matches!(replies.last(), Some((_, Reply::Fin | Reply::Reset)));
        if announced && !ended && !self.server.never_closes && fault != Some(Fault::Silence) {
            replies.push((last_ns, Reply::Fin));
        }
        self.count(|served| {
            let before = served.answered;
            count_answer(served, fault, first);
            served.unauthorized += u64::from(is_private);
            if served.answered > before && !is_private {
                *served.paths.entry(path.to_owned()).or_default() += 1;
            }
            served.redirected += u64::from(redirect.is_some());
            if served.heads.len() < 100 {
                served.heads.push(asked.head.clone());
            }
            served.gets += u64::from(asked.line.starts_with("GET "));
        });
    }
}

fn count_answer(served: &mut Served, fault: Option<Fault>, first: bool) {
    served.requests += 1;
    match fault {
        Some(Fault::ResetBefore | Fault::ResetWithin) if first => served.reset_fresh += 1,
        Some(Fault::ResetBefore | Fault::ResetWithin) => served.reset_reused += 1,
        Some(Fault::CloseBefore | Fault::CloseWithin) => served.cut += 1,
        Some(Fault::Error) => served.errors += 1,
        Some(Fault::Garbage) => served.garbage += 1,
        Some(Fault::Silence) => served.silent += 1,
        None | Some(_) => served.answered += 1,
    }
}

fn encode(status: &str, closes: bool, body: &[u8]) -> Vec<u8> {
    let connection = if closes { "close" } else { "keep-alive" };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: {connection}\r\n\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Takes one whole request out of the inbox.
fn next_request(inbox: &mut Vec<u8>) -> Option<Asked> {
    let head_len = inbox.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let written = String::from_utf8_lossy(&inbox[..head_len]);
    let line = written.lines().next().unwrap_or_default().to_owned();
    let (head, written) = (written.to_ascii_lowercase(), written.into_owned());
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let length = field("content-length:").and_then(|value| value.parse::<usize>().ok()).unwrap_or(0);
    if inbox.len() < head_len + length {
        return None;
    }
    let closes = field("connection:").is_some_and(|value| value == "close");
    inbox.drain(..head_len + length);
    Some(Asked { closes, line, head: written })
}

impl Peer for Serving {
    fn dialed(&mut self, link: u64) -> Accept {
        match self.fault(true) {
            Some(Fault::Refuse) => {
                self.count(|served| served.refused += 1);
                Accept::Refuse
            }
            Some(_) => {
                self.count(|served| served.unanswered_dials += 1);
                Accept::Silence
            }
            None => {
                self.links.insert(link, Inbox::default());
                let links = self.links.len() as u64;
                self.count(|served| {
                    served.accepted += 1;
                    served.most_links = served.most_links.max(links);
                });
                Accept::Yes
            }
        }
    }

    fn received(&mut self, link: u64, bytes: &[u8], now_ns: u64, replies: &mut Vec<(u64, Reply)>) {
        let Some(mut inbox) = self.links.remove(&link) else { return };
        inbox.bytes.extend_from_slice(bytes);
        while let Some(asked) = next_request(&mut inbox.bytes) {
            self.answer(&asked, inbox.requests == 0, now_ns, replies);
            inbox.requests += 1;
        }
        self.links.insert(link, inbox);
    }

    fn lost(&mut self, link: u64, _bytes: &[u8], reset: bool) {
        // One exchange at a time: however many pieces come, they are of one request.
        if self.links.remove(&link).is_some() {
            self.count(|served| match reset {
                true => served.lost_to_reset += 1,
                false => served.lost_to_close += 1,
            });
        }
    }

    fn closed(&mut self, link: u64) {
        self.links.remove(&link);
    }
}
