//! The reason why nothing was answered, or nothing but redirects: found by a few exchanges of other kinds, after the load.
//!
//! They go the way of the load, through the same generator, one connection at a time, and take less than 2 s in all. What
//! they send is the beginning of a handshake, or a GET of `/`, and none of the user's headers; only where every answer
//! is a redirect the request is sent once more as it was.

use proofload_engine::transport::{Tls, Transport, client_hello};
use proofload_engine::{
    Address, Asking, BadAnswer, Expect, Extent, Follow, Generator, KeepAlive, Launch, LoadPlan, LoadResult,
    MixEntry, Profile, Shortage, Target, Timeouts, Watch,
};
use proofload_facts::Finding;
use proofload_measure::Outcome;
use proofload_store::redact;
use proofload_wire::http1::{Parts, RequestSpec, is_redirect};
use proofload_wire::{Protocol, Request, Spoken, spoken};
use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// Time for an exchange, of which there are three at most, and for either of its parts: until it is connected, and until
/// the answer is there.
const EXCHANGE_NS: u64 = 600_000_000;
const PART_NS: u64 = 400_000_000;
/// Most letters of an address that a server names.
const SHOWN_MAX: usize = 200;
/// The first bytes of a client of HTTP/2 with empty settings (RFC 9113 section 3.4).
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Outcome and first bytes of one exchange.
struct Heard {
    outcome: Outcome,
    received: Vec<u8>,
}

/// The outcome that asks for a reason: the most frequent one where nothing was answered as it was asked for, and `answered`
/// where all answers are redirects that were not followed.
pub fn wanted(result: &LoadResult) -> Option<Outcome> {
    let snapshot = &result.snapshot;
    match snapshot.outcomes.get(Outcome::Answered) {
        0 if snapshot.discarded.get(Outcome::Answered) > 0 => None,
        0 => {
            let errors = snapshot.outcomes.iter().filter(|(outcome, n)| outcome.is_error() && *n > 0);
            errors.max_by_key(|(_, n)| *n).map(|(outcome, _)| outcome)
        }
        answered => {
            let codes = snapshot.codes.iter();
            let redirects: u64 = codes.filter(|(code, _)| is_redirect(*code)).map(|(_, n)| n).sum();
            (answered == redirects && snapshot.redirects == 0).then_some(Outcome::Answered)
        }
    }
}

/// The reason, if it shows. `authority` is the name and port of the first target.
pub fn cause(
    generator: &dyn Generator,
    plan: &LoadPlan,
    result: &LoadResult,
    authority: &str,
) -> Option<Finding> {
    let most = wanted(result)?;
    let sample = result.bad_answers.iter().find(|bad| bad.outcome == most);
    let entry = plan.mix.get(sample.map_or(0, |bad| bad.mix_entry))?;
    let address = plan.targets[entry.target].addresses.first.to_string();
    let authority = if entry.target == 0 { authority } else { &address };
    let peer = Peer { generator, plan, entry, authority, heard: Cell::default() };
    match (most, peer.target().protocol) {
        (Outcome::Answered, _) => peer.location(),
        (_, Protocol::Http1) => peer.of_another_kind(result, most).or_else(|| peer.silent(result, most)),
        _ => peer.silent(result, most),
    }
}

struct Peer<'a> {
    generator: &'a dyn Generator,
    plan: &'a LoadPlan,
    entry: &'a MixEntry,
    authority: &'a str,
    /// True if an exchange after the load brought anything back.
    heard: Cell<bool>,
}

impl Peer<'_> {
    /// A server that speaks something else than HTTP/1.1 in the way it was asked.
    fn of_another_kind(&self, result: &LoadResult, most: Outcome) -> Option<Finding> {
        let same = |bad: &&BadAnswer| self.plan.mix[bad.mix_entry].target == self.entry.target;
        let seen = result.bad_answers.iter().filter(same).find_map(|bad| spoken(&bad.received));
        match (seen, self.tls().is_some()) {
            (Some(Spoken::Tls), false) => Some(self.speaks_tls()),
            (Some(Spoken::Tls | Spoken::Http1), _) => None,
            (Some(other), _) => self.speaks(other),
            (None, true) => self.behind_tls(most),
            (None, false) => self.in_plain(most),
        }
    }

    /// A server that takes connections, and from which nothing came, neither in the load nor after it. Of what is behind a
    /// proxy the silence may be the proxy's.
    fn silent(&self, result: &LoadResult, most: Outcome) -> Option<Finding> {
        let Target { addresses, transport, .. } = self.target();
        let was_silent = most == Outcome::Timeout && result.snapshot.bytes_received == 0;
        (was_silent && !self.heard.get() && transport.proxy.is_none()).then(|| Finding::SaysNothing {
            address: addresses.first.to_string(),
            within_ns: self.plan.timeouts.response_ns,
        })
    }

    fn target(&self) -> &Target {
        &self.plan.targets[self.entry.target]
    }

    fn tls(&self) -> Option<&Arc<Tls>> {
        self.target().transport.tls.as_ref()
    }

    /// A load in plain text failed like that.
    fn in_plain(&self, most: Outcome) -> Option<Finding> {
        // A proxy that takes the requests themselves speaks for the server.
        if self.target().transport.proxy.as_ref().is_some_and(|proxy| !proxy.tunnels) {
            return None;
        }
        match most {
            Outcome::ConnectRefused => self.elsewhere(),
            Outcome::ResetFresh | Outcome::ClosedEarly | Outcome::Timeout | Outcome::Unanswered => {
                let name = host_of(self.authority);
                let tls = Tls { verify: false, resumption: false, ..Tls::new(name, Vec::new()) };
                match self.spoken(self.plainly(), client_hello(&tls)?) {
                    Some(Spoken::Tls) => Some(self.speaks_tls()),
                    Some(other) => self.speaks(other),
                    None => self.speaks(self.spoken(self.plainly(), HTTP2.to_vec())?),
                }
            }
            _ => None,
        }
    }

    /// A load in TLS failed like that.
    fn behind_tls(&self, most: Outcome) -> Option<Finding> {
        match most {
            Outcome::ConnectRefused => self.elsewhere(),
            Outcome::ConnectFailed | Outcome::ConnectTimeout | Outcome::ResetFresh if self.is_harmless() => {
                match self.spoken(self.plainly(), self.get()?.bytes) {
                    Some(Spoken::Http1) => {
                        Some(Finding::SpeaksNoTls { authority: self.authority.to_owned() })
                    }
                    Some(Spoken::Tls) | None => self.refuses_http1().then_some(Finding::SpeaksHttp2),
                    Some(other) => self.speaks(other),
                }
            }
            // The handshake was done.
            Outcome::ClosedEarly | Outcome::Timeout | Outcome::Unanswered => {
                self.speaks(self.spoken(self.target().clone(), HTTP2.to_vec())?)
            }
            _ => None,
        }
    }

    /// True if a handshake that offers HTTP/1.1 is refused by an alert, and one that offers HTTP/2 goes on.
    fn refuses_http1(&self) -> bool {
        let offered = |protocol: &[u8]| {
            let tls = Tls { alpn: vec![protocol.to_vec()], ..Tls::clone(self.tls()?) };
            Some(*self.send(self.plainly(), client_hello(&tls)?)?.received.first()?)
        };
        const ALERT: u8 = 0x15;
        const HANDSHAKE: u8 = 0x16;
        offered(b"http/1.1") == Some(ALERT) && offered(b"h2") == Some(HANDSHAKE)
    }

    /// Nobody listens here: perhaps at the other address that this machine has for itself.
    fn elsewhere(&self) -> Option<Finding> {
        let Target { addresses, transport, .. } = self.target();
        let is_own = |here: &SocketAddr| {
            here.ip().is_loopback() && transport.proxy.is_none() && addresses.others.is_empty()
        };
        let here = addresses.tcp().filter(is_own)?;
        let other: IpAddr = match here {
            SocketAddr::V4(_) => Ipv6Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv4Addr::LOCALHOST.into(),
        };
        let listens = SocketAddr::new(other, here.port());
        let target = Target { addresses: Address::Tcp(listens).into(), ..self.plainly() };
        let outcome = self.send(target, HTTP2.to_vec())?.outcome;
        let none = matches!(
            outcome,
            Outcome::ConnectRefused
                | Outcome::ConnectTimeout
                | Outcome::ConnectFailed
                | Outcome::LocalExhausted
                | Outcome::Unsent
        );
        (!none).then(|| Finding::ListensElsewhere { address: here.to_string(), listens: listens.to_string() })
    }

    /// Where the request is redirected to.
    fn location(&self) -> Option<Finding> {
        let request = &self.entry.closing_request;
        if !self.is_harmless() || !request.goes_as_encoded() {
            return None;
        }
        let received = self.exchange(self.target().clone(), Arc::clone(request))?.received;
        let received = String::from_utf8_lossy(&received);
        let to = header(&received, "location")?;
        Some(Finding::RedirectsTo { to: redact::text(to).chars().take(SHOWN_MAX).collect() })
    }

    /// True if the user's request only reads.
    fn is_harmless(&self) -> bool {
        let bytes = &self.entry.request.bytes;
        Parts::of(bytes).is_some_and(|parts| matches!(parts.method(bytes), "GET" | "HEAD"))
    }

    fn speaks_tls(&self) -> Finding {
        Finding::SpeaksTls { authority: self.authority.to_owned() }
    }

    fn speaks(&self, what: Spoken) -> Option<Finding> {
        match what {
            Spoken::Http2 => Some(Finding::SpeaksHttp2),
            Spoken::Other(protocol) => Some(Finding::SpeaksOther {
                address: self.target().addresses.first.to_string(),
                protocol: protocol.to_owned(),
            }),
            Spoken::Tls | Spoken::Http1 => None,
        }
    }

    /// The target without TLS; a proxy stays.
    fn plainly(&self) -> Target {
        let target = self.target();
        Target { transport: Transport { tls: None, ..target.transport.clone() }, ..target.clone() }
    }

    /// A request that says nothing of the user's.
    fn get(&self) -> Option<Request> {
        RequestSpec { close: true, ..RequestSpec::get(self.authority, "/") }.encode().ok()
    }

    fn spoken(&self, target: Target, bytes: Vec<u8>) -> Option<Spoken> {
        spoken(&self.send(target, bytes)?.received)
    }

    /// Sends these bytes in place of a request.
    fn send(&self, target: Target, bytes: Vec<u8>) -> Option<Heard> {
        self.exchange(target, Arc::new(Request { bytes, ..self.get()? }))
    }

    /// Asks on a new connection; the first of what comes back. `None` where the generator cannot.
    fn exchange(&self, target: Target, request: Arc<Request>) -> Option<Heard> {
        let entry = MixEntry {
            weight: 1,
            target: 0,
            closing_request: Arc::clone(&request),
            request,
            // No answer has so many, so that the beginning of each is kept.
            expect: Expect { bytes: Some(u64::MAX..=u64::MAX), ..Expect::default() },
            follow: Follow::default(),
            digest: None,
        };
        let plan = LoadPlan {
            targets: vec![target],
            mix: vec![entry],
            profile: Profile::Closed { think_ns: 0.into() },
            connections: 1,
            in_flight: 1,
            keep_alive: KeepAlive::On,
            timeouts: Timeouts { connect_ns: PART_NS, response_ns: PART_NS },
            discard_ns: 0,
            extent: Extent::Requests { count: 1, cap_ns: EXCHANGE_NS },
            drain_ns: EXCHANGE_NS,
            workers: 1,
            cpus: Vec::new(),
            asking: Asking { bind: self.plan.asking.bind.clone(), ..Asking::default() },
            shortage: Shortage::default(),
            ..self.plan.clone()
        };
        let mut results =
            self.generator.launch(Launch::new(std::slice::from_ref(&plan), &Watch::default())).ok()?;
        let result = results.pop()?;
        let outcome = result.snapshot.outcomes.iter().find(|(_, n)| *n > 0).map(|(outcome, _)| outcome)?;
        let received = result.bad_answers.into_iter().find(|bad| bad.outcome == outcome);
        let received = received.map_or_else(Vec::new, |bad| bad.received);
        self.heard.set(self.heard.get() || !received.is_empty());
        Some(Heard { outcome, received })
    }
}

/// A host without its port.
fn host_of(authority: &str) -> &str {
    let with_port = authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
    let host = with_port.map_or(authority, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The first value of that header in an answer of HTTP.
fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let head = answer.split_once("\r\n\r\n").map_or(answer, |(head, _)| head);
    let fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    let mut values = fields.filter(|(of, _)| of.eq_ignore_ascii_case(name));
    values.next().map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests;
