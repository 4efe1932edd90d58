//! Redirects: the Location, and the request that follows it (RFC 9110 section 15.4, RFC 3986 section 5).

use super::request::RequestSpec;
use super::template::{RequestPart, Template};

/// Longest Location, and longest path with query that it leads to, in bytes; longer ones are not followed.
pub const LOCATION_MAX: usize = 8 * 1024;

/// The Location of the present answer.
#[derive(Debug, Default)]
pub(super) struct Location {
    value: Vec<u8>,
    /// Fields of that name so far.
    fields: u32,
    /// True if the line before was one: a folded line would go on with it.
    open: bool,
    broken: bool,
}

impl Location {
    pub fn clear(&mut self) {
        *self = Location { value: std::mem::take(&mut self.value), ..Location::default() };
        self.value.clear();
    }

    /// Keeps a line of a head if it is a Location.
    pub fn keep(&mut self, line: &[u8]) {
        const NAME: &[u8] = b"location:";
        self.broken |= self.open && line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        self.open = false;
        let Some((name, value)) = line.split_at_checked(NAME.len()) else { return };
        if !name.eq_ignore_ascii_case(NAME) {
            return;
        }
        let value = value.trim_ascii();
        self.fields += 1;
        self.open = true;
        self.broken |= value.len() > LOCATION_MAX;
        if self.fields == 1 && !self.broken {
            self.value.extend_from_slice(value);
        }
    }

    /// Its value, if it is there once, whole.
    pub fn get(&self) -> Option<&[u8]> {
        (self.fields == 1 && !self.broken && !self.value.is_empty()).then_some(&*self.value)
    }
}

/// True if an answer with this code sends the client elsewhere: 304 and 300 do not.
pub fn is_redirect(code: u16) -> bool {
    matches!(code, 301 | 302 | 303 | 307 | 308)
}

/// True if a redirect with this code is followed with GET and without a body: 303 always, 301 and 302 after a POST,
/// as all browsers do. HEAD stays HEAD.
pub fn becomes_get(code: u16, method: &str) -> bool {
    match code {
        303 => !matches!(method, "GET" | "HEAD"),
        301 | 302 => method == "POST",
        _ => false,
    }
}

/// Scheme of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http`, port 80 unless another is named.
    Http,
    /// `https`, port 443 unless another is named.
    Https,
}

impl Scheme {
    fn name(self) -> &'static [u8] {
        match self {
            Scheme::Http => b"http",
            Scheme::Https => b"https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To the same origin; path and query are in `out`.
    Here,
    /// To another scheme, host or port.
    Elsewhere,
    /// Nowhere: it is not a reference (RFC 3986), or too long.
    Nowhere,
}

/// Server that a request was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Scheme of the connection.
    pub scheme: Scheme,
    pub authority: &'a [u8],
}

/// Resolves a Location against the request that it answers, which was sent to `here`; `base` is its path and query. A
/// fragment is dropped.
pub fn resolve(location: &[u8], base: &[u8], here: Origin<'_>, out: &mut Vec<u8>) -> Leads {
    let Origin { scheme: ours, authority } = here;
    out.clear();
    if location.len() > LOCATION_MAX || !location.iter().all(u8::is_ascii_graphic) {
        return Leads::Nowhere;
    }
    let reference = before(location, b'#');
    let (scheme, rest) = split_scheme(reference);
    let rest = match (scheme, rest.strip_prefix(b"//")) {
        (Some(scheme), _) if !scheme.eq_ignore_ascii_case(ours.name()) => return Leads::Elsewhere,
        (Some(_), None) => return Leads::Nowhere,
        (_, Some(after)) => {
            let end = after.iter().position(|byte| b"/?".contains(byte)).unwrap_or(after.len());
            match (origin(&after[..end], ours), origin(authority, ours)) {
                (None, _) => return Leads::Nowhere,
                (there, here) if there != here => return Leads::Elsewhere,
                _ => {}
            }
            // An empty path of an address is that of its root.
            match &after[end..] {
                path if path.starts_with(b"/") => path,
                query => {
                    out.push(b'/');
                    query
                }
            }
        }
        (None, None) => rest,
    };
    let (path, query) = split_query(rest);
    let (base_path, base_query) = split_query(base);
    let kept_query = match (path, query) {
        _ if !out.is_empty() => query,
        (b"", None) => {
            out.extend_from_slice(base_path);
            base_query
        }
        (b"", Some(_)) => {
            out.extend_from_slice(base_path);
            query
        }
        (path, _) if path.starts_with(b"/") => {
            out.extend_from_slice(path);
            query
        }
        (path, _) => {
            let directory = base_path.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
            out.extend_from_slice(&base_path[..directory]);
            out.extend_from_slice(path);
            query
        }
    };
    remove_dots(out);
    if let Some(query) = kept_query {
        out.push(b'?');
        out.extend_from_slice(query);
    }
    if out.len() > LOCATION_MAX || !out.starts_with(b"/") { Leads::Nowhere } else { Leads::Here }
}

fn before(text: &[u8], mark: u8) -> &[u8] {
    text.split(|&byte| byte == mark).next().unwrap_or_default()
}

fn split_query(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&byte| byte == b'?') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// A scheme ends at the first colon, before any slash.
fn split_scheme(reference: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let end = reference.iter().position(|&byte| !fits(byte)).unwrap_or(reference.len());
    let begins = reference.first().is_some_and(u8::is_ascii_alphabetic);
    match reference.get(end) {
        Some(b':') if begins => (Some(&reference[..end]), &reference[end + 1..]),
        _ => (None, reference),
    }
}

/// Host, in any letters, and port of an authority; `None` when it has none, or a user.
fn origin(authority: &[u8], scheme: Scheme) -> Option<(Host<'_>, u16)> {
    let bracket = authority.iter().rposition(|&byte| byte == b']').unwrap_or(0);
    let (host, port) = match authority[bracket..].iter().position(|&byte| byte == b':') {
        Some(at) => (&authority[..bracket + at], &authority[bracket + at + 1..]),
        None => (authority, &b""[..]),
    };
    let port = match port {
        b"" => scheme.port(),
        digits if digits.iter().all(u8::is_ascii_digit) => std::str::from_utf8(digits).ok()?.parse().ok()?,
        _ => return None,
    };
    (!host.is_empty() && !host.contains(&b'@')).then_some((Host(host), port))
}

/// A host's name, whose letters' case means nothing.
struct Host<'a>(&'a [u8]);

impl PartialEq for Host<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

/// Takes `.` and `..` out of a path that begins with a slash, in place (RFC 3986 section 5.2.4).
fn remove_dots(path: &mut Vec<u8>) {
    let (mut from, mut to) = (0, 0);
    while path.get(from) == Some(&b'/') {
        let start = from + 1;
        let end = path[start..].iter().position(|&byte| byte == b'/').map_or(path.len(), |at| start + at);
        let last = end == path.len();
        match &path[start..end] {
            b"." | b".." => {
                if end - start == 2 {
                    to = path[..to].iter().rposition(|&byte| byte == b'/').unwrap_or(0);
                }
                if last {
                    path[to] = b'/';
                    to += 1;
                }
            }
            _ => {
                path.copy_within(from..end, to);
                to += end - from;
            }
        }
        from = end;
    }
    path.truncate(to);
}

impl RequestSpec {
    /// The same request as a GET without a body, and what changes in it: the second step of a form that was sent.
    /// Headers that speak of a body go with it.
    pub fn as_get(&self, template: &Template) -> (RequestSpec, Template) {
        let of_body = |name: &str| {
            let name = name.to_ascii_lowercase();
            name.starts_with("content-") || name == "expect"
        };
        let mut moved = Vec::with_capacity(self.headers.len());
        let mut headers = Vec::new();
        for header in &self.headers {
            moved.push((!of_body(&header.0)).then_some(headers.len()));
            if !of_body(&header.0) {
                headers.push(header.clone());
            }
        }
        let slots = template.slots.iter().filter_map(|slot| {
            let part = match slot.part {
                RequestPart::Target => RequestPart::Target,
                RequestPart::Header(index) => RequestPart::Header((*moved.get(index)?)?),
                RequestPart::Body => return None,
            };
            Some(super::template::Slot { part, ..*slot })
        });
        let Template { cookies, digest, .. } = *template;
        let template = Template { slots: slots.collect(), cookies, digest, ..Template::default() };
        let spec = RequestSpec { method: "GET".to_owned(), headers, body: Vec::new(), ..self.clone() };
        (spec, template)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http1::Slot;
    use proptest::prelude::*;

    const HERE: Origin<'_> = Origin { scheme: Scheme::Http, authority: b"A.test:8080" };

    fn led(location: &str, base: &str) -> Result<String, Leads> {
        let mut out = b"left over".to_vec();
        match resolve(location.as_bytes(), base.as_bytes(), HERE, &mut out) {
            Leads::Here => Ok(String::from_utf8(out).unwrap()),
            other => Err(other),
        }
    }

    #[test]
    fn references_are_resolved_as_the_rfc_says() {
        // RFC 3986 section 5.4, with `a.test:8080` for `a`, fragments dropped.
        for (location, expected) in [
            ("g", "/b/c/g"),
            ("./g", "/b/c/g"),
            ("g/", "/b/c/g/"),
            ("/g", "/g"),
            ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"),
            ("#s", "/b/c/d;p?q"),
            ("g#s", "/b/c/g"),
            ("g?y#s", "/b/c/g?y"),
            (";x", "/b/c/;x"),
            ("g;x?y#s", "/b/c/g;x?y"),
            (".", "/b/c/"),
            ("./", "/b/c/"),
            ("..", "/b/"),
            ("../", "/b/"),
            ("../g", "/b/g"),
            ("../..", "/"),
            ("../../", "/"),
            ("../../g", "/g"),
            ("../../../g", "/g"),
            ("../../../../g", "/g"),
            ("/./g", "/g"),
            ("/../g", "/g"),
            ("g.", "/b/c/g."),
            (".g", "/b/c/.g"),
            ("g..", "/b/c/g.."),
            ("..g", "/b/c/..g"),
            ("./../g", "/b/g"),
            ("./g/.", "/b/c/g/"),
            ("g/./h", "/b/c/g/h"),
            ("g/../h", "/b/c/h"),
            ("g;x=1/./y", "/b/c/g;x=1/y"),
            ("g;x=1/../y", "/b/c/y"),
            ("g?y/./x", "/b/c/g?y/./x"),
            ("g?y/../x", "/b/c/g?y/../x"),
            ("http://a.test:8080", "/"),
            ("HTTP://A.TEST:8080?x", "/?x"),
            ("http://a.test:8080/x/../y?z#f", "/y?z"),
            ("//a.test:8080/x", "/x"),
            ("/a//b", "/a//b"),
        ] {
            assert_eq!(led(location, "/b/c/d;p?q").as_deref(), Ok(expected), "{location}");
        }
    }

    #[test]
    fn another_origin_and_what_is_no_reference_lead_nowhere_here() {
        for location in [
            "https://a.test:8080/",
            "http://a.test/",
            "http://b.test:8080/",
            "//b.test/x",
            "mailto:me@a.test",
            "x-app://a.test:8080/",
        ] {
            assert_eq!(led(location, "/"), Err(Leads::Elsewhere), "{location}");
        }
        let long = format!("/{}", "x".repeat(LOCATION_MAX));
        for location in [
            "http:g",
            "http://",
            "http://me@a.test:8080/",
            "http://a.test:x/",
            "/a b",
            "/\r\nX: y",
            "/ü",
            &long,
        ] {
            assert_eq!(led(location, "/"), Err(Leads::Nowhere), "{location}");
        }
        let base = format!("/{}/x", "y".repeat(LOCATION_MAX - 2));
        assert_eq!(led("zz", &base), Err(Leads::Nowhere));
    }

    #[test]
    fn the_usual_port_of_the_scheme_need_not_be_said() {
        let mut out = Vec::new();
        for (location, scheme, authority, leads) in [
            ("http://a/x", Scheme::Http, "a:80", Leads::Here),
            ("http://a:80/x", Scheme::Http, "a", Leads::Here),
            ("http://[::1]/x", Scheme::Http, "[::1]:80", Leads::Here),
            ("https://a/x", Scheme::Https, "a:443", Leads::Here),
            ("HTTPS://A:443/x", Scheme::Https, "a", Leads::Here),
            ("https://a:8443/x", Scheme::Https, "a:8443", Leads::Here),
            ("//a/x", Scheme::Https, "a:443", Leads::Here),
            ("//a:80/x", Scheme::Https, "a", Leads::Elsewhere),
            ("https://a/x", Scheme::Https, "a:80", Leads::Elsewhere),
            ("http://a:443/x", Scheme::Https, "a:443", Leads::Elsewhere),
            ("http://a/x", Scheme::Https, "a", Leads::Elsewhere),
            ("https://a/x", Scheme::Http, "a", Leads::Elsewhere),
        ] {
            let found = resolve(
                location.as_bytes(),
                b"/",
                Origin { scheme, authority: authority.as_bytes() },
                &mut out,
            );
            assert_eq!(found, leads, "{location} from {scheme:?} {authority}");
            assert!(found != Leads::Here || out == b"/x", "{location}");
        }
    }

    #[test]
    fn a_location_counts_when_it_stands_there_once_and_whole() {
        let kept = |lines: &[&str]| {
            let mut location = Location::default();
            lines.iter().for_each(|line| location.keep(line.as_bytes()));
            location.get().map(|value| String::from_utf8_lossy(value).into_owned())
        };
        assert_eq!(kept(&["Server: x", "LOCATION:  /a ", "X: y"]).as_deref(), Some("/a"));
        assert_eq!(kept(&["Content-Location: /a", "Locations: /b", "Location"]), None);
        assert_eq!(kept(&["Location: /a", "Location: /a"]), None);
        assert_eq!(kept(&["Location: /a", " b"]), None);
        assert_eq!(kept(&["Location:"]), None);
        assert_eq!(kept(&[&format!("Location: /{}", "x".repeat(LOCATION_MAX))]), None);
    }

    #[test]
    fn a_form_is_followed_by_a_get_without_what_speaks_of_the_body() {
        let headers =
            [("Content-Type", "text/x"), ("X-User", ""), ("Expect", "100-continue"), ("Accept", "*/*")];
        let spec = RequestSpec {
            method: "POST".to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            body: b"a=".to_vec(),
            ..RequestSpec::get("a.test", "/")
        };
        let slot = |part, draw| Slot { part, at: 0, draw };
        let slots = vec![
            slot(RequestPart::Header(0), 4),
            slot(RequestPart::Header(1), 5),
            slot(RequestPart::Body, 6),
        ];
        let (get, template) = spec.as_get(&Template { slots, cookies: true, ..Template::default() });
        assert_eq!(
            template,
            Template { slots: vec![slot(RequestPart::Header(0), 5)], cookies: true, ..Template::default() }
        );
        let bytes = get.encode().unwrap().bytes;
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text, "GET / HTTP/1.1\r\nHost: a.test\r\nX-User: \r\nAccept: */*\r\n\r\n");
        let table = [301, 302, 303, 307, 308]
            .map(|code| ["POST", "PUT", "HEAD"].map(|method| becomes_get(code, method)));
        let (form, always, never) = ([true, false, false], [true, true, false], [false; 3]);
        assert_eq!(table, [form, form, always, never, never]);
    }

    proptest! {
        #[test]
        fn whatever_a_server_says_the_next_request_stays_one_request(
            location in proptest::collection::vec(any::<u8>(), 0..40),
            base in "/[a-z./?]{0,20}",
        ) {
            let mut out = Vec::new();
            if resolve(&location, base.as_bytes(), Origin { scheme: Scheme::Http, authority: b"a" }, &mut out) == Leads::Here {
                let spec = RequestSpec::get("a", std::str::from_utf8(&out).unwrap());
                prop_assert!(spec.encode().is_ok(), "{:?}", String::from_utf8_lossy(&out));
                let path = out.split(|&byte| byte == b'?').next().unwrap();
                prop_assert!(!path.split(|&byte| byte == b'/').any(|part| part == b".." || part == b"."));
            }
        }
    }
}
