//! HTTP above single requests: cookies that are kept and sent back, redirects that are followed, and challenges of Digest
//! authentication that are answered.
//!
//! No other file of the engine knows the protocol. An exchange that takes several requests stays one exchange: intended
//! once, sent when its first request was, over when its last answer is whole. Only the last answer is judged.

use crate::{LoadPlan, MixEntry};
use proofload_wire::http1::{
    Credentials, Digest, Jar, Leads, Origin, Parts, Scheme, becomes_get, is_redirect, resolve,
};
use proofload_wire::{Filling, Replacement, Request, Session, Values};

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

fn follows(plan: &LoadPlan) -> bool {
    plan.mix.iter().any(|entry| entry.follow.most > 0)
}

fn proves(plan: &LoadPlan) -> bool {
    plan.mix.iter().any(|entry| entry.digest.is_some())
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
    /// It would, but has followed as many redirects as it may.
    TooMany,
}

/// Most challenges that one request answers: the server's, and again where it says that its nonce is too old.
const CHALLENGES_MAX: u32 = 3;

/// Cookies, redirects and challenges of one connection, over all the times that it is made anew.
#[derive(Debug)]
pub(crate) struct HttpState {
    scheme: Scheme,
    /// Cookies, where they are kept.
    jar: Option<Jar>,
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
    /// Path and query of the next request, while they are found out.
    next: Vec<u8>,
}

impl HttpState {
    /// For a connection to this target; its session will keep what is read here. `None` where the plan neither
    /// keeps cookies nor follows redirects, or the target speaks another protocol. There is room for the
    /// [longest path](longest_target) from the beginning.
    pub fn new(plan: &LoadPlan, target: usize, longest: usize, session: &mut Session) -> Option<Box<Self>> {
        let Session::Http1(http1) = session else { return None };
        let (cookies, follows) = (plan.asking.cookies, follows(plan));
        if cookies {
            http1.keep_set_cookies();
        }
        if follows {
            http1.keep_location();
        }
        let proves = proves(plan);
        if proves {
            http1.keep_challenges();
        }
        let tls = plan.targets[target].transport.tls.is_some();
        let scheme = if tls { Scheme::Https } else { Scheme::Http };
        (cookies || follows || proves).then(|| {
            Box::new(HttpState {
                scheme,
                jar: cookies.then(|| Jar::new(scheme)),
                target: Vec::with_capacity(longest),
                lines: Vec::new(),
                digest: Digest::default(),
                challenged: 0,
                followed: 0,
                as_get: false,
                // Where a redirect is followed, the two change places.
                next: Vec::with_capacity(if follows { longest } else { 0 }),
            })
        })
    }

    pub fn begin(&mut self) {
        self.followed = 0;
        self.challenged = 0;
        self.as_get = false;
    }

    /// True if the present request is not the first of its exchange.
    pub fn is_following(&self) -> bool {
        self.followed > 0 || self.challenged > 0
    }

    /// The present request, and the same as the last one of its connection.
    pub fn requests<'a>(&self, entry: &'a MixEntry) -> [&'a Request; 2] {
        match &entry.follow.as_get {
            Some([request, closing]) if self.as_get => [request, closing],
            _ => [&entry.request, &entry.closing_request],
        }
    }

    /// Values that fill the present request.
    #[inline(never)]
    pub fn fill<'a>(
        &'a mut self,
        request: &Request,
        credentials: Option<&Credentials>,
        values: &'a Values,
        now_ns: u64,
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
        if let Some(jar) = &self.jar {
            jar.write_header(&self.target, now_ns, &mut self.lines);
        }
        if let Some(credentials) = credentials {
            self.digest.write_header(
                credentials,
                parts.method(&request.bytes),
                &self.target,
                &mut self.lines,
            );
        }
        let replacement = self.is_following().then(|| Replacement { stretch, bytes: &self.target });
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

    /// Takes the cookies of a whole answer, and decides whether the exchange goes on.
    pub fn answered(&mut self, session: &Session, entry: &MixEntry, code: u16, now_ns: u64) -> Next {
        let Session::Http1(http1) = session else { return Next::Done };
        if let Some(jar) = &mut self.jar {
            http1.set_cookies().for_each(|line| jar.take(line, &self.target, now_ns));
        }
        if entry.digest.is_some() && self.is_challenged(code, http1.challenges()) {
            return Next::Prove;
        }
        if entry.follow.most == 0 || !is_redirect(code) {
            return Next::Done;
        }
        let bytes = &entry.request.bytes;
        let (Some(location), Some(parts)) = (http1.location(), Parts::of(bytes)) else { return Next::Done };
        let here = Origin { scheme: self.scheme, authority: &bytes[parts.host.clone()] };
        if resolve(location, &self.target, here, &mut self.next) != Leads::Here {
            return Next::Done;
        }
        if self.followed >= entry.follow.most {
            return Next::TooMany;
        }
        std::mem::swap(&mut self.target, &mut self.next);
        self.followed += 1;
        self.challenged = 0;
        self.as_get |= becomes_get(code, parts.method(bytes));
        Next::Follow
    }

    /// The sentence about an exchange that was redirected more than `most` times.
    pub fn too_many(&self, most: u32) -> String {
        let shown = String::from_utf8_lossy(&self.next[..self.next.len().min(SHOWN_BYTES)]);
        let dots = if self.next.len() > SHOWN_BYTES { "..." } else { "" };
        let plural = if most == 1 { "" } else { "s" };
        format!("more than {most} redirect{plural}, the last to {shown}{dots}")
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
