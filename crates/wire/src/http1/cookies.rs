//! Cookies of one virtual user (RFC 6265), kept within stated limits.
//!
//! Kept and sent back by name, value and path. `Max-Age` of 0 or less deletes a cookie, a longer one ends it in
//! time; `Expires` is not read but for the year 1970, which servers delete with. `Secure` cookies are kept
//! where the connection is secure; those with control characters never (RFC 6265bis, 5.6). `Domain` is not
//! compared: everything goes to the one server that set it.

use super::redirect::Scheme;

/// Most cookies of one user; further ones are not kept.
pub const COOKIES_MAX: usize = 32;

/// Longest name and value together, and longest path, in bytes; longer ones are not kept.
pub const COOKIE_BYTES_MAX: usize = 4096;

/// Most bytes of Set-Cookie lines that are kept of one answer.
pub(super) const SET_COOKIES_MAX: usize = 16 * 1024;

/// The cookies of one user.
#[derive(Clone, Debug)]
pub struct Jar {
    scheme: Scheme,
    cookies: Vec<Cookie>,
}

#[derive(Clone, Debug)]
struct Cookie {
    /// `name=value`.
    pair: Vec<u8>,
    name_len: usize,
    path: Vec<u8>,
    ends_ns: u64,
}

impl Jar {
    /// An empty one, of a user who is spoken to in that way.
    pub fn new(scheme: Scheme) -> Self {
        Jar { scheme, cookies: Vec::new() }
    }

    /// Takes the value of a Set-Cookie header that answered a request for `target` (path and query).
    pub fn take(&mut self, set_cookie: &[u8], target: &[u8], now_ns: u64) {
        if set_cookie.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()) {
            return;
        }
        // What has ended leaves its place to others.
        self.cookies.retain(|cookie| cookie.ends_ns > now_ns);
        let mut parts = set_cookie.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
        let pair = parts.next().unwrap_or_default();
        let Some(name_len) = pair.iter().position(|&byte| byte == b'=').filter(|&at| at > 0) else { return };
        let request_path = path_of(target);
        let end = request_path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let mut path = if end == 0 { &b"/"[..] } else { &request_path[..end] };
        let (mut ends_ns, mut lasts) = (u64::MAX, None);
        for part in parts {
            let at = part.iter().position(|&byte| byte == b'=').unwrap_or(part.len());
            let (name, value) =
                (part[..at].trim_ascii(), part.get(at + 1..).unwrap_or_default().trim_ascii());
            if name.eq_ignore_ascii_case(b"path") && value.starts_with(b"/") {
                path = value;
            } else if name.eq_ignore_ascii_case(b"max-age") {
                lasts = std::str::from_utf8(value).ok().and_then(|text| text.parse::<i64>().ok()).or(lasts);
            } else if name.eq_ignore_ascii_case(b"expires") && value.windows(4).any(|year| year == b"1970") {
                ends_ns = 0;
            } else if name.eq_ignore_ascii_case(b"secure") && self.scheme == Scheme::Http {
                return;
            }
        }
        if let Some(seconds) = lasts {
            let ns = u64::try_from(seconds).unwrap_or(0).saturating_mul(1_000_000_000);
            ends_ns = if ns == 0 { 0 } else { now_ns.saturating_add(ns) };
        }
        self.put(pair, name_len, path, ends_ns);
    }

    fn put(&mut self, pair: &[u8], name_len: usize, path: &[u8], ends_ns: u64) {
        let same =
            |cookie: &Cookie| cookie.pair[..cookie.name_len] == pair[..name_len] && cookie.path == path;
        let known = self.cookies.iter().position(same);
        match known {
            Some(at) if ends_ns == 0 => drop(self.cookies.swap_remove(at)),
            _ if ends_ns == 0 || pair.len() > COOKIE_BYTES_MAX || path.len() > COOKIE_BYTES_MAX => {}
            Some(at) => {
                let cookie = &mut self.cookies[at];
                cookie.pair.clear();
                cookie.pair.extend_from_slice(pair);
                cookie.ends_ns = ends_ns;
            }
            None if self.cookies.len() < COOKIES_MAX => {
                self.cookies.push(Cookie { pair: pair.to_vec(), name_len, path: path.to_vec(), ends_ns });
            }
            None => {}
        }
    }

    /// Appends the Cookie header of a request for `target`, line end included; nothing when no cookie goes there.
    pub fn write_header(&self, target: &[u8], now_ns: u64, out: &mut Vec<u8>) {
        let before = out.len();
        out.extend_from_slice(b"Cookie: ");
        let begin = out.len();
        self.write(target, now_ns, out);
        match out.len() == begin {
            true => out.truncate(before),
            false => out.extend_from_slice(b"\r\n"),
        }
    }

    /// Appends the text behind `Cookie: `.
    fn write(&self, target: &[u8], now_ns: u64, out: &mut Vec<u8>) {
        let path = path_of(target);
        let before = out.len();
        for cookie in
            self.cookies.iter().filter(|cookie| cookie.ends_ns > now_ns && covers(&cookie.path, path))
        {
            if out.len() > before {
                out.extend_from_slice(b"; ");
            }
            out.extend_from_slice(&cookie.pair);
        }
    }
}

/// The path of a target, without its query.
fn path_of(target: &[u8]) -> &[u8] {
    target.split(|&byte| byte == b'?').next().unwrap_or_default()
}

/// True if a cookie of that path goes with a request for this one (RFC 6265, 5.1.4).
fn covers(cookie: &[u8], path: &[u8]) -> bool {
    path.strip_prefix(cookie).is_some_and(|rest| rest.is_empty() || cookie.ends_with(b"/") || rest[0] == b'/')
}

/// Keeps the value of a line of a head if it begins so: `set-cookie:`.
pub(super) fn keep(line: &[u8], begin: &[u8], kept: &mut Vec<u8>) {
    let Some((name, value)) = line.split_at_checked(begin.len()) else { return };
    if name.eq_ignore_ascii_case(begin) && kept.len() + value.len() < SET_COOKIES_MAX {
        kept.extend_from_slice(value);
        kept.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_a_server_sets_what_is_sent_stays_one_line_within_the_limits(
            lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..50),
            target in "/[a-z/?]{0,8}",
        ) {
            let mut jar = Jar::new(Scheme::Http);
            for line in &lines {
                jar.take(line, target.as_bytes(), 0);
                jar.take(&[b"k=", line.as_slice()].concat(), target.as_bytes(), 0);
            }
            let mut out = Vec::new();
            jar.write(target.as_bytes(), 1, &mut out);
            prop_assert!(jar.cookies.len() <= COOKIES_MAX && out.len() <= COOKIES_MAX * (COOKIE_BYTES_MAX + 2));
            prop_assert!(!out.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()), "{out:?}");
        }
    }

    #[test]
    fn cookies_that_have_ended_make_room() {
        let mut jar = Jar::new(Scheme::Http);
        for n in 0..COOKIES_MAX {
            jar.take(format!("k{n}=1; Max-Age=1").as_bytes(), b"/", 0);
        }
        jar.take(b"late=1", b"/", 0);
        assert!(!sent(&jar, "/", 1).contains("late"), "it is full");
        jar.take(b"late=1", b"/", 2 * SECOND);
        assert_eq!(sent(&jar, "/", 2 * SECOND), "late=1");
    }

    const SECOND: u64 = 1_000_000_000;

    #[track_caller]
    fn sent(jar: &Jar, target: &str, now_ns: u64) -> String {
        let mut out = Vec::new();
        jar.write(target.as_bytes(), now_ns, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn taken(lines: &[&str]) -> Jar {
        let mut jar = Jar::new(Scheme::Http);
        lines.iter().for_each(|line| jar.take(line.as_bytes(), b"/a/b?c=/d", 0));
        jar
    }

    #[test]
    fn a_cookie_goes_where_its_path_reaches() {
        let jar = taken(&["own=1", "all=2; Path=/", "deep=3; PATH=/a/b/", "odd=4; path=x"]);
        assert_eq!(sent(&jar, "/a/b?x", 1), "own=1; all=2; odd=4");
        assert_eq!(sent(&jar, "/a/b/c", 1), "own=1; all=2; deep=3; odd=4");
        assert_eq!(sent(&jar, "/ab", 1), "all=2");
        assert_eq!(sent(&jar, "/", 1), "all=2");
    }

    #[test]
    fn a_cookie_is_replaced_and_deleted_by_name_and_path() {
        let jar =
            taken(&["a=1; Path=/", "a=2; Path=/", "a=3; Path=/a", "b=1; Path=/", "b=; Path=/; Max-Age=0"]);
        assert_eq!(sent(&jar, "/a", 1), "a=2; a=3");
        let jar = taken(&["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
        assert_eq!(sent(&jar, "/a/b", 1), "");
        let jar = taken(&["a=1; Max-Age=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=1; Max-Age=-1"]);
        assert_eq!((sent(&jar, "/a/b", 1), sent(&jar, "/a/b", 2 * SECOND)), ("a=1".into(), String::new()));
    }

    #[test]
    fn what_cannot_be_kept_is_left_out_and_the_jar_stays_within_its_limits() {
        assert_eq!(sent(&taken(&["", "=x", "novalue", "s=1; Secure", "; Path=/"]), "/a/b", 1), "");
        let mut jar = Jar::new(Scheme::Https);
        jar.take(b"s=1; Secure", b"/a/b", 0);
        assert_eq!(sent(&jar, "/a/b", 1), "s=1");
        let mut jar = taken(&[&format!("long={}", "x".repeat(COOKIE_BYTES_MAX))]);
        for number in 0..2 * COOKIES_MAX {
            jar.take(format!("c{number}=1").as_bytes(), b"/", 0);
        }
        assert_eq!(sent(&jar, "/", 1).split("; ").count(), COOKIES_MAX);
    }
}
