//! HTTP above single requests: cookies that are kept and sent back, redirects that are followed, and challenges of Digest
//! authentication that are answered.
//!
//! No other file of the engine knows the protocol. An exchange that takes several requests stays one exchange: intended
//! once, sent when its first request was, over when its last answer is whole. Only the last answer is judged.

use crate::elsewhere::{Elsewhere, Named, ORIGINS_MAX};
use crate::{LoadPlan, MixEntry};
use proofload_measure::Outcome;
use proofload_wire::http1::{Digest, Leads, Now, Origin, Parts, Scheme, becomes_get, is_redirect, resolve};
use proofload_wire::{Filling, Replacement, Request, Session, Values};

pub(crate) use proofload_wire::http1::Jar;

/// Most of a path that a sentence shows.
const SHOWN_BYTES: usize = 200;

/// Most bytes that path and query of a request can have with the values in them, where connections keep them.
pub(crate) fn longest_target(plan: &LoadPlan) -> usize {
    if !plan.asking.cookies && !follows(plan) && !proves(plan) {
        return 0;
    }
    let longest = |entry: &MixEntry| {
        let Request { bytes, places, .. } = &*entry.request;
        let stretch = Parts::of(bytes)?.target;
        Some(stretch.len() + plan.asking.feed.room_of(places.filled_in(stretch)))
    };
    plan.mix.iter().filter_map(longest).max().unwrap_or(0)
}

pub(crate) fn follows(plan: &LoadPlan) -> bool {
    plan.mix.iter().any(|entry| entry.follow.most > 0)
}

fn proves(plan: &LoadPlan) -> bool {
    plan.mix.iter().any(|entry| entry.digest.is_some())
}

/// Lets a session keep what is read here of its answers.
fn keep(plan: &LoadPlan, session: &mut Session) {
    let Session::Http1(http1) = session else { return };
    if plan.asking.cookies {
        http1.keep_set_cookies();
    }
    if follows(plan) {
        http1.keep_location();
    }
    if proves(plan) {
        http1.keep_challenges();
    }
}

/// Hosts that the requests of a plan name, each with the index of its target.
pub(crate) fn hosts(plan: &LoadPlan) -> Vec<(String, usize)> {
    let host = |entry: &MixEntry| {
        let bytes = &entry.request.bytes;
        let origin = Origin { scheme: Scheme::Http, authority: &bytes[Parts::of(bytes)?.host] };
        Some((String::from_utf8_lossy(origin.host_and_port()?.0).into_owned(), entry.target))
    };
    plan.mix.iter().filter(|entry| entry.follow.most > 0).filter_map(host).collect()
}

/// True for `https`, with host and port.
fn origin_of(origin: Origin<'_>) -> Option<(bool, &[u8], u16)> {
    let (host, port) = origin.host_and_port()?;
    Some((origin.scheme == Scheme::Https, host, port))
}

/// True if a redirect may ask for a GET of this request that the entry does not have.
pub(crate) fn lacks_get(entry: &MixEntry) -> bool {
    let bytes = &entry.request.bytes;
    let method = Parts::of(bytes).map_or_else(String::new, |parts| parts.method(bytes).to_owned());
    entry.follow.most > 0 && entry.follow.as_get.is_none() && becomes_get(303, &method)
}

/// Next step after a whole answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing: it is the answer of the exchange.
    Done,
    /// The exchange sends another request.
    Follow,
    /// The exchange sends its request again, now that it knows the server's challenge.
    Prove,
    /// It would, but redirects have led too far: `rejected` after as many as it may follow, `beyond_limit` to as many other
    /// origins as a worker goes to.
    Over(Outcome),
}

/// Most challenges that one request answers: the server's, and again where it says that its nonce is too old.
const CHALLENGES_MAX: u32 = 3;

/// Redirects and challenges of one connection, over all the times that it is made anew.
#[derive(Debug)]
pub(crate) struct HttpState {
    scheme: Scheme,
    /// Path and query of the present request.
    target: Vec<u8>,
    /// Headers that are added to the present request, line ends included.
    lines: Vec<u8>,
    /// The server's latest challenge.
    digest: Digest,
    /// Challenges that the present request has answered.
    challenged: u32,
    /// Redirects that the present exchange has followed.
    followed: u32,
    /// True if a redirect made a GET of the request.
    as_get: bool,
    /// The other origin to which the next request goes; `None` for the first one's.
    away: Option<usize>,
    /// Path and query of the next request, while they are found out.
    next: Vec<u8>,
    /// Target and host of the present request at another origin, in place of its own.
    replaced: Vec<u8>,
}

impl HttpState {
    /// For a connection to this target; its session will keep what is read here. `None` where the plan keeps no
    /// cookies, follows no redirects and answers no challenges, the target speaks another protocol, or is another
    /// origin. There is room for the [longest path](longest_target) from the beginning.
    pub fn new(plan: &LoadPlan, target: usize, longest: usize, session: &mut Session) -> Option<Box<Self>> {
        let Session::Http1(_) = session else { return None };
        keep(plan, session);
        let (cookies, follows, proves) = (plan.asking.cookies, follows(plan), proves(plan));
        let tls = plan.targets.get(target)?.transport.tls.is_some();
        let scheme = if tls { Scheme::Https } else { Scheme::Http };
        (cookies || follows || proves).then(|| {
            Box::new(HttpState {
                scheme,
                target: Vec::with_capacity(longest),
                lines: Vec::new(),
                digest: Digest::default(),
                challenged: 0,
                followed: 0,
                as_get: false,
                away: None,
                replaced: Vec::new(),
                // Where a redirect is followed, the two change places.
                next: Vec::with_capacity(if follows { longest } else { 0 }),
            })
        })
    }

    pub fn begin(&mut self) {
        self.followed = 0;
        self.challenged = 0;
        self.as_get = false;
        self.away = None;
    }

    /// The other origin to which the next request goes; `None` for the one of the exchange.
    pub fn away(&self) -> Option<usize> {
        self.away
    }

    /// True if the present request is not the first of its exchange.
    pub fn is_following(&self) -> bool {
        self.followed > 0 || self.challenged > 0
    }

    /// The present request, and the same as the last one of its connection.
    pub fn requests<'a>(&self, entry: &'a MixEntry) -> [&'a Request; 2] {
        let [request, closing] = match (&entry.follow.elsewhere, &entry.follow.as_get) {
            (Some([_, get]), _) if self.as_get && self.away.is_some() => get,
            (Some([bare, _]), _) if self.away.is_some() => bare,
            (_, Some(get)) if self.as_get => get,
            _ => return [&entry.request, &entry.closing_request],
        };
        [request, closing]
    }

    /// Origin of the present request.
    fn here<'a>(&self, entry: &'a MixEntry, parts: &Parts, elsewhere: &'a Elsewhere<'_>) -> Origin<'a> {
        match self.away.map(|other| elsewhere.authority(other)) {
            None => Origin { scheme: self.scheme, authority: &entry.request.bytes[parts.host.clone()] },
            Some((true, authority)) => Origin { scheme: Scheme::Https, authority: authority.as_bytes() },
            Some((false, authority)) => Origin { scheme: Scheme::Http, authority: authority.as_bytes() },
        }
    }

    /// Values that fill the present request, with the cookies of the jar that go there.
    #[inline(never)]
    pub fn fill<'a>(
        &'a mut self,
        (entry, request): (&MixEntry, &Request),
        values: &'a Values,
        now_ns: u64,
        (jar, elsewhere): (Option<&Jar>, &Elsewhere<'_>),
    ) -> Filling<'a> {
        let Some(parts) = Parts::of(&request.bytes) else {
            return Filling::of(values);
        };
        let stretch = parts.target.clone();
        if !self.is_following() {
            self.target.clear();
            request.places.write_stretch(&request.bytes, stretch.clone(), values, &mut self.target);
        }
        self.lines.clear();
        if let Some(jar) = jar
            && let Some(of_entry) = Parts::of(&entry.request.bytes)
        {
            let here = self.here(entry, &of_entry, elsewhere);
            jar.write_header(here, &self.target, now_ns, &mut self.lines);
        }
        // Only the origin of the exchange gets them.
        if let Some(credentials) = entry.digest.as_deref().filter(|_| self.away.is_none()) {
            let method = parts.method(&request.bytes);
            self.digest.write_header(credentials, method, &self.target, &mut self.lines);
        }
        let replacement = match self.away.map(|other| elsewhere.authority(other)) {
            _ if !self.is_following() => None,
            None => Some(Replacement { stretch, bytes: &self.target }),
            Some((_, authority)) => {
                let forwards = self.away.and_then(|other| elsewhere.forwards(other));
                self.replaced.clear();
                if forwards.is_some() {
                    self.replaced.extend([b"http://", authority.as_bytes()].concat());
                }
                parts.write_at(&request.bytes, &self.target, authority, &mut self.replaced);
                if let Some(authorization) = forwards.and_then(|proxy| proxy.authorization.as_deref()) {
                    self.replaced.extend([b"\r\nProxy-Authorization: ", authorization].concat());
                }
                Some(Replacement { stretch: stretch.start..parts.host.end, bytes: &self.replaced })
            }
        };
        Filling { addition: &self.lines, replacement, ..Filling::of(values) }
    }

    /// True if the request is to be sent again, for an answer with this code challenges it (RFC 9110 section 11.6.1). The
    /// second challenge in a row means that user or password are wrong.
    fn is_challenged<'a>(&mut self, code: u16, challenges: impl Iterator<Item = &'a [u8]>) -> bool {
        const UNAUTHORIZED: u16 = 401;
        if code != UNAUTHORIZED {
            return false;
        }
        let Some(is_stale) = self.digest.take(challenges) else { return false };
        let answers = self.challenged == 0 || is_stale && self.challenged < CHALLENGES_MAX;
        self.challenged += u32::from(answers);
        answers
    }

    /// Puts the cookies of a whole answer into the jar, and decides whether the exchange goes on.
    pub fn answered(
        &mut self,
        session: &Session,
        entry: &MixEntry,
        code: u16,
        (now_ns, unix_ns): (u64, i64),
        (jar, elsewhere): (Option<&mut Jar>, &mut Elsewhere<'_>),
    ) -> Next {
        let Session::Http1(http1) = session else { return Next::Done };
        let bytes = &entry.request.bytes;
        let Some(parts) = Parts::of(bytes) else { return Next::Done };
        let here = self.here(entry, &parts, elsewhere);
        if let Some(jar) = jar {
            let now = Now { ns: now_ns, unix_s: unix_ns.div_euclid(1_000_000_000) };
            http1.set_cookies().for_each(|line| jar.take(line, here, &self.target, now));
        }
        if entry.digest.is_some() && self.away.is_none() && self.is_challenged(code, http1.challenges()) {
            return Next::Prove;
        }
        if entry.follow.most == 0 || !is_redirect(code) {
            return Next::Done;
        }
        let Some(location) = http1.location() else { return Next::Done };
        let there = match resolve(location, &self.target, here, &mut self.next) {
            Leads::Here => None,
            Leads::Elsewhere(there) => Some(there),
            Leads::Nowhere => return Next::Done,
        };
        if self.followed >= entry.follow.most {
            self.tell_whole(there);
            return Next::Over(Outcome::Rejected);
        }
        if let Some(there) = there {
            let home = Origin { scheme: self.scheme, authority: &bytes[parts.host.clone()] };
            let other = if there == home { None } else { origin_of(there) };
            self.away = match other.map(|other| elsewhere.index_of(other, entry.target)) {
                None => None,
                Some(Some(other)) => Some(other),
                Some(None) => {
                    self.tell_whole(Some(there));
                    return Next::Over(Outcome::BeyondLimit);
                }
            };
        }
        std::mem::swap(&mut self.target, &mut self.next);
        self.followed += 1;
        self.challenged = 0;
        self.as_get |= becomes_get(code, parts.method(bytes));
        Next::Follow
    }

    /// Puts the origin before the path of the request that is not sent, for a sentence.
    fn tell_whole(&mut self, there: Option<Origin<'_>>) {
        if let Some(there) = there.and_then(origin_of) {
            self.next.splice(0..0, Named::new(there).url().into_bytes());
        }
    }

    /// The sentence about an exchange that was redirected too far, with `most` redirects at most.
    pub fn why_over(&self, outcome: Outcome, most: u32) -> String {
        let shown = String::from_utf8_lossy(&self.next[..self.next.len().min(SHOWN_BYTES)]);
        let dots = if self.next.len() > SHOWN_BYTES { "..." } else { "" };
        let plural = if most == 1 { "" } else { "s" };
        match outcome {
            Outcome::Rejected => format!("more than {most} redirect{plural}, the last to {shown}{dots}"),
            _ => format!(
                "redirected to {shown}{dots}: each worker goes to {ORIGINS_MAX} other origins; this limit cannot be raised"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Files under `folder` whose product code names HTTP's module of `wire`.
    fn naming(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                naming(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let is_test =
                path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
            if !is_test && product.contains("http1") {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }

    #[test]
    fn only_this_file_of_the_engine_knows_http() {
        let mut found = Vec::new();
        naming(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert_eq!(found, ["http.rs"], "the worker must not depend on the protocol of a session");
    }
}
