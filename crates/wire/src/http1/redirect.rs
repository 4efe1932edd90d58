//! Redirects: the Location, and the request that follows it (RFC 9110 section 15.4, RFC 3986 section 5).

use super::request::{RequestSpec, is_authority, not_in_target};
use super::template::{RequestPart, Template};

/// Longest Location, and longest path with query that it leads to, in bytes; longer ones are not followed.
pub const LOCATION_MAX: usize = 8 * 1024;

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
    /// `http` or `https`.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

/// Origin to which a Location leads; path and query are in `out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads<'a> {
    /// To the same origin.
    Here,
    /// To another host or port, or by the other scheme.
    Elsewhere(Origin<'a>),
    /// Nowhere: it is not a reference (RFC 3986), of another scheme, or too long.
    Nowhere,
}

/// Server that a request was sent to.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Scheme of the connection.
    pub scheme: Scheme,
    /// Host, and port unless it is the scheme's own.
    pub authority: &'a [u8],
}

impl<'a> Origin<'a> {
    /// Host, an IPv6 address in brackets, and port; `None` when it has none, or a user.
    pub fn host_and_port(self) -> Option<(&'a [u8], u16)> {
        let Origin { scheme, authority } = self;
        let bracket = authority.iter().rposition(|&byte| byte == b']').unwrap_or(0);
        let (host, port) = match authority[bracket..].iter().position(|&byte| byte == b':') {
            Some(at) => (&authority[..bracket + at], &authority[bracket + at + 1..]),
            None => (authority, &b""[..]),
        };
        let port = match port {
            b"" => scheme.port(),
            digits if digits.iter().all(u8::is_ascii_digit) => {
                std::str::from_utf8(digits).ok()?.parse().ok()?
            }
            _ => return None,
        };
        (!host.is_empty() && !host.contains(&b'@')).then_some((host, port))
    }
}

impl PartialEq for Origin<'_> {
    /// Host names in any letters, and the scheme's own port named or not.
    fn eq(&self, other: &Self) -> bool {
        self.scheme == other.scheme
            && match (self.host_and_port(), other.host_and_port()) {
                (Some((host, port)), Some((other, as_well))) => {
                    host.eq_ignore_ascii_case(other) && port == as_well
                }
                (mine, others) => mine == others,
            }
    }
}

impl Eq for Origin<'_> {}

/// Resolves a Location against the request that it answers, which was sent to `here`; `base` is its path and query. A
/// fragment is dropped, and characters that a request cannot have are percent-encoded, as browsers do.
pub fn resolve<'a>(location: &'a [u8], base: &[u8], here: Origin<'_>, out: &mut Vec<u8>) -> Leads<'a> {
    out.clear();
    if location.len() > LOCATION_MAX || location.iter().any(u8::is_ascii_control) {
        return Leads::Nowhere;
    }
    let reference = before(location, b'#');
    let (scheme, rest) = split_scheme(reference);
    let is = |scheme: Scheme, name: &[u8]| name.eq_ignore_ascii_case(scheme.name().as_bytes());
    let known = |name| [Scheme::Http, Scheme::Https].into_iter().find(|scheme| is(*scheme, name));
    let mut leads = Leads::Here;
    let rest = match (scheme.map(known), rest.strip_prefix(b"//")) {
        (Some(None), _) | (Some(_), None) => return Leads::Nowhere,
        (scheme, Some(after)) => {
            let end = after.iter().position(|byte| b"/?".contains(byte)).unwrap_or(after.len());
            let scheme = scheme.flatten().unwrap_or(here.scheme);
            let there = Origin { scheme, authority: &after[..end] };
            if there.host_and_port().is_none() || !is_authority(there.authority) {
                return Leads::Nowhere;
            }
            if there != here {
                leads = Leads::Elsewhere(there);
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
    let from_base = out.is_empty() && !path.starts_with(b"/");
    if from_base {
        let kept = match path {
            b"" => base_path.len(),
            _ => base_path.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1),
        };
        out.extend_from_slice(&base_path[..kept]);
    }
    put_encoded(path, out);
    remove_dots(out);
    let query = if from_base && path.is_empty() { query.or(base_query) } else { query };
    if let Some(query) = query {
        out.push(b'?');
        put_encoded(query, out);
    }
    if out.len() > LOCATION_MAX || !out.starts_with(b"/") { Leads::Nowhere } else { leads }
}

/// Appends a part of a target; characters that it cannot have are percent-encoded.
fn put_encoded(part: &[u8], out: &mut Vec<u8>) {
    for &byte in part {
        if not_in_target(byte) {
            let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value)];
            out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 15)]);
        } else {
            out.push(byte);
        }
    }
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
        let (spec, template) = self.without(template, of_body);
        let slots = template.slots.into_iter().filter(|slot| slot.part != RequestPart::Body).collect();
        let Template { cookies, digest, .. } = template;
        let template = Template { slots, cookies, digest, ..Template::default() };
        (RequestSpec { method: "GET".to_owned(), body: Vec::new(), ..spec }, template)
    }

    /// The same request for another origin, without the credentials that are this one's, and what changes in it: the
    /// second step where it leads elsewhere (as curl takes it). `None` if it has none.
    pub fn as_stranger(&self, template: &Template) -> Option<(RequestSpec, Template)> {
        let own = |name: &str| {
            let own = ["authorization", "cookie", "proxy-authorization"];
            own.iter().any(|own| name.eq_ignore_ascii_case(own))
        };
        self.headers.iter().any(|(name, _)| own(name)).then(|| self.without(template, own))
    }

    /// The same without some of its headers.
    fn without(&self, template: &Template, goes: impl Fn(&str) -> bool) -> (RequestSpec, Template) {
        let mut moved = Vec::with_capacity(self.headers.len());
        let mut headers = Vec::new();
        for header in &self.headers {
            moved.push((!goes(&header.0)).then_some(headers.len()));
            if !goes(&header.0) {
                headers.push(header.clone());
            }
        }
        let slots = template.slots.iter().filter_map(|slot| {
            let part = match slot.part {
                RequestPart::Header(index) => RequestPart::Header((*moved.get(index)?)?),
                other => other,
            };
            Some(super::template::Slot { part, ..*slot })
        });
        let template = Template { slots: slots.collect(), ..template.clone() };
        (RequestSpec { headers, ..self.clone() }, template)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http1::Slot;
    use proptest::prelude::*;

    const HERE: Origin<'_> = Origin { scheme: Scheme::Http, authority: b"A.test:8080" };

    fn led<'a>(location: &'a str, base: &str) -> Result<String, Leads<'a>> {
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
            ("/a b|c/\\?\"ü\"#<", "/a%20b%7Cc/%5C?%22%C3%BC%22"),
            ("x{y}", "/b/c/x%7By%7D"),
            ("/%7c[1]%", "/%7c[1]%"),
        ] {
            assert_eq!(led(location, "/b/c/d;p?q").as_deref(), Ok(expected), "{location}");
        }
    }

    #[test]
    fn another_origin_is_told_with_the_path_there() {
        for (location, scheme, authority, path) in [
            ("https://a.test:8080/", Scheme::Https, "a.test:8080", "/"),
            ("http://a.test/", Scheme::Http, "a.test", "/"),
            ("HTTP://b.test:8080?q#f", Scheme::Http, "b.test:8080", "/?q"),
            ("//b.test/x/../y z", Scheme::Http, "b.test", "/y%20z"),
            ("https://[::1]:8443", Scheme::Https, "[::1]:8443", "/"),
        ] {
            let mut out = Vec::new();
            let there = Leads::Elsewhere(Origin { scheme, authority: authority.as_bytes() });
            assert_eq!(resolve(location.as_bytes(), b"/base", HERE, &mut out), there, "{location}");
            assert_eq!(String::from_utf8_lossy(&out), path, "{location}");
        }
    }

    #[test]
    fn what_is_no_reference_or_of_another_scheme_leads_nowhere() {
        let long = format!("/{}", "x".repeat(LOCATION_MAX));
        for location in [
            "http:g",
            "http://",
            "https:///x",
            "http://me@a.test:8080/",
            "http://me@b.test/",
            "http://a.test:x/",
            "http://a.test:65536/",
            "http://b test/",
            "http://bü.test/",
            "mailto:me@a.test",
            "ftp://a.test:8080/",
            "x-app://a.test:8080/",
            "/\r\nX: y",
            "/\u{7f}",
            &long,
        ] {
            assert_eq!(led(location, "/"), Err(Leads::Nowhere), "{location}");
        }
        let base = format!("/{}/x", "y".repeat(LOCATION_MAX - 2));
        assert_eq!(led("zz", &base), Err(Leads::Nowhere));
        assert_eq!(led(&format!("/{}", "ü".repeat(LOCATION_MAX / 3)), "/"), Err(Leads::Nowhere), "encoded");
    }

    #[test]
    fn the_usual_port_of_the_scheme_need_not_be_said() {
        let mut out = Vec::new();
        for (location, scheme, authority, stays) in [
            ("http://a/x", Scheme::Http, "a:80", true),
            ("http://a:80/x", Scheme::Http, "a", true),
            ("http://[::1]/x", Scheme::Http, "[::1]:80", true),
            ("https://a/x", Scheme::Https, "a:443", true),
            ("HTTPS://A:443/x", Scheme::Https, "a", true),
            ("https://a:8443/x", Scheme::Https, "a:8443", true),
            ("//a/x", Scheme::Https, "a:443", true),
            ("//a:80/x", Scheme::Https, "a", false),
            ("https://a/x", Scheme::Https, "a:80", false),
            ("http://a:443/x", Scheme::Https, "a:443", false),
            ("http://a/x", Scheme::Https, "a", false),
            ("https://a/x", Scheme::Http, "a", false),
        ] {
            let found = resolve(
                location.as_bytes(),
                b"/",
                Origin { scheme, authority: authority.as_bytes() },
                &mut out,
            );
            assert_eq!(found == Leads::Here, stays, "{location} from {scheme:?} {authority}");
            assert!(found != Leads::Nowhere && out == b"/x", "{location}");
        }
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

    #[test]
    fn another_origin_gets_the_request_without_credentials() {
        let names = ["AUTHORIZATION", "X-User", "Cookie", "Proxy-Authorization", "Content-Type"];
        let spec = RequestSpec {
            method: "PUT".to_owned(),
            headers: names.map(|name| (name.to_owned(), "v".to_owned())).to_vec(),
            body: b"a=".to_vec(),
            ..RequestSpec::get("a.test", "/")
        };
        let slot = |part, draw| Slot { part, at: 1, draw };
        let slots = [RequestPart::Target, RequestPart::Header(0), RequestPart::Header(4), RequestPart::Body];
        let slots = slots.into_iter().zip(0..).map(|(part, draw)| slot(part, draw)).collect();
        let (bare, template) = spec.as_stranger(&Template { slots, ..Template::default() }).unwrap();
        let left = [(RequestPart::Target, 0), (RequestPart::Header(1), 2), (RequestPart::Body, 3)];
        assert_eq!(template.slots, left.map(|(part, draw)| slot(part, draw)));
        let text = String::from_utf8(bare.encode().unwrap().bytes).unwrap();
        let expected =
            "PUT / HTTP/1.1\r\nHost: a.test\r\nX-User: v\r\nContent-Type: v\r\nContent-Length: 2\r\n\r\na=";
        assert_eq!(text, expected);
        assert_eq!(bare.as_stranger(&template), None, "it has none any more");
    }

    proptest! {
        #[test]
        fn whatever_a_server_says_the_next_request_stays_one_request(
            location in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..40),
                "(https?:)?//[a-z:@,<\\[0-9]{0,6}/.{0,9}".prop_map(String::into_bytes),
            ],
            base in "/[a-z./?]{0,20}",
        ) {
            let mut out = Vec::new();
            let here = Origin { scheme: Scheme::Http, authority: b"a" };
            let authority = match resolve(&location, base.as_bytes(), here, &mut out) {
                Leads::Here => Some("a"),
                Leads::Elsewhere(there) => Some(std::str::from_utf8(there.authority).unwrap()),
                Leads::Nowhere => None,
            };
            if let Some(authority) = authority {
                let spec = RequestSpec::get(authority, std::str::from_utf8(&out).unwrap());
                prop_assert!(spec.encode().is_ok(), "{:?}", String::from_utf8_lossy(&out));
                let path = out.split(|&byte| byte == b'?').next().unwrap();
                prop_assert!(!path.split(|&byte| byte == b'/').any(|part| part == b".." || part == b"."));
            }
        }
    }
}
