//! Cookies of one virtual user (RFC 6265), kept within stated limits.
//!
//! Kept and sent back by name, value, host (`Domain`), path and end. `Max-Age` goes before `Expires`; one that has
//! ended deletes the cookie. A `Domain` that the host is not in, or of one label, is not kept, and neither are `Secure` cookies of a
//! connection that is not, nor control characters (RFC 6265bis, 5.6). Other attributes change nothing.

use super::cookie_date::unix_seconds;
use super::redirect::{Origin, Scheme};
use std::net::IpAddr;

/// Most cookies of one user; further ones are not kept.
pub const COOKIES_MAX: usize = 32;

/// Longest name and value together, and longest path, in bytes; longer ones are not kept.
pub const COOKIE_BYTES_MAX: usize = 4096;

/// Most bytes of Set-Cookie lines that are kept of one answer.
pub(super) const SET_COOKIES_MAX: usize = 16 * 1024;

/// An instant on the axis of a load, and by the calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    pub ns: u64,
    /// Seconds since 1970 (UTC).
    pub unix_s: i64,
}

/// The cookies of one user.
#[derive(Clone, Debug, Default)]
pub struct Jar {
    /// Those with longer paths first, as they are sent.
    cookies: Vec<Cookie>,
}

#[derive(Clone, Debug)]
struct Cookie {
    /// `name=value`.
    pair: Vec<u8>,
    name_len: usize,
    host: Vec<u8>,
    /// True if it also goes to hosts below that one.
    below: bool,
    path: Vec<u8>,
    secure: bool,
    ends_ns: u64,
}

/// Attributes of a cookie, each the last of its kind that can be read.
#[derive(Default)]
struct Attributes<'a> {
    domain: &'a [u8],
    path: &'a [u8],
    secure: bool,
    max_age_s: Option<i64>,
    expires_s: Option<i64>,
}

impl<'a> Attributes<'a> {
    fn read(parts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut found = Attributes::default();
        for part in parts {
            let (name, value) = split_pair(part).unwrap_or((part, &[]));
            let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
            match () {
                () if is(b"domain") && !value.is_empty() => {
                    found.domain = value.strip_prefix(b".").unwrap_or(value)
                }
                () if is(b"path") => found.path = value,
                () if is(b"secure") => found.secure = true,
                () if is(b"max-age") => found.max_age_s = max_age(value).or(found.max_age_s),
                () if is(b"expires") => found.expires_s = unix_seconds(value).or(found.expires_s),
                () => {}
            }
        }
        found
    }

    /// End of the cookie; 0 if it is over.
    fn ends_ns(&self, now: Now) -> u64 {
        let expires = || self.expires_s.map(|at_s| at_s.saturating_sub(now.unix_s));
        let Some(seconds) = self.max_age_s.or_else(expires) else { return u64::MAX };
        match u64::try_from(seconds).unwrap_or(0).saturating_mul(1_000_000_000) {
            0 => 0,
            ns => now.ns.saturating_add(ns),
        }
    }
}

/// Digits, with `-` before them or not; a number beyond all bounds is as good as the greatest.
fn max_age(value: &[u8]) -> Option<i64> {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let fits = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let seconds = || std::str::from_utf8(digits).ok()?.parse().ok();
    fits.then(|| if digits.len() < value.len() { 0 } else { seconds().unwrap_or(i64::MAX) })
}

/// Name and value around the first `=`, without space around them.
fn split_pair(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = part.iter().position(|&byte| byte == b'=')?;
    Some((part[..at].trim_ascii(), part[at + 1..].trim_ascii()))
}

/// Name and value of the cookie that the value of a Set-Cookie header sets.
pub(crate) fn name_and_value(set_cookie: &[u8]) -> Option<(&[u8], &[u8])> {
    split_pair(set_cookie.split(|&byte| byte == b';').next()?)
}

impl Jar {
    /// Takes the value of a Set-Cookie header that answered a request to `from` for `target` (path and query).
    pub fn take(&mut self, set_cookie: &[u8], from: Origin<'_>, target: &[u8], now: Now) {
        if set_cookie.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()) {
            return;
        }
        // What has ended leaves its place to others.
        self.cookies.retain(|cookie| cookie.ends_ns > now.ns);
        let mut parts = set_cookie.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
        let pair = parts.next().and_then(split_pair).filter(|(name, _)| !name.is_empty());
        let (Some(pair), Some((host, _))) = (pair, from.host_and_port()) else { return };
        let found = Attributes::read(parts);
        let below = !found.domain.is_empty() && !found.domain.eq_ignore_ascii_case(host);
        let is_in = !below || is_below(host, found.domain) && found.domain.contains(&b'.');
        if !is_in || found.secure && from.scheme == Scheme::Http {
            return;
        }
        // A Domain equal to the host includes the hosts below it; an address has none.
        let below = !found.domain.is_empty() && !is_address(host);
        let host = if below { found.domain } else { host };
        let path = if found.path.starts_with(b"/") { found.path } else { directory(path_of(target)) };
        self.put(pair, (host, below), path, found.secure, found.ends_ns(now));
    }

    fn put(
        &mut self,
        (name, value): (&[u8], &[u8]),
        (host, below): (&[u8], bool),
        path: &[u8],
        secure: bool,
        ends_ns: u64,
    ) {
        let is_same = |cookie: &Cookie| {
            cookie.pair[..cookie.name_len] == *name
                && cookie.host.eq_ignore_ascii_case(host)
                && cookie.path == path
        };
        let pair_len = name.len() + 1 + value.len();
        let known = self.cookies.iter().position(is_same);
        match known {
            Some(at) if ends_ns == 0 => drop(self.cookies.remove(at)),
            _ if ends_ns == 0 || pair_len > COOKIE_BYTES_MAX || path.len() > COOKIE_BYTES_MAX => {}
            Some(at) => {
                let cookie = &mut self.cookies[at];
                cookie.pair.truncate(cookie.name_len + 1);
                cookie.pair.extend_from_slice(value);
                (cookie.below, cookie.secure, cookie.ends_ns) = (below, secure, ends_ns);
            }
            None if self.cookies.len() < COOKIES_MAX => {
                let at = self.cookies.partition_point(|cookie| cookie.path.len() >= path.len());
                let (pair, name_len) = ([name, value].join(&b'='), name.len());
                let (host, path) = (host.to_vec(), path.to_vec());
                // Most users have one, and there may be many thousands of them.
                self.cookies.reserve_exact(usize::from(self.cookies.is_empty()));
                self.cookies.insert(at, Cookie { pair, name_len, host, below, path, secure, ends_ns });
            }
            None => {}
        }
    }

    /// The value of the cookie of that name; of several that of the longest path.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let cookie = self.cookies.iter().find(|cookie| &cookie.pair[..cookie.name_len] == name.as_bytes())?;
        Some(&cookie.pair[cookie.name_len + 1..])
    }

    /// Appends the Cookie header of a request to `to` for `target`, line end included; nothing when no cookie goes there.
    pub fn write_header(&self, to: Origin<'_>, target: &[u8], now_ns: u64, out: &mut Vec<u8>) {
        let Some((host, _)) = to.host_and_port() else { return };
        let path = path_of(target);
        let before = out.len();
        let goes = |cookie: &&Cookie| {
            cookie.ends_ns > now_ns
                && (!cookie.secure || to.scheme == Scheme::Https)
                && (cookie.host.eq_ignore_ascii_case(host) || cookie.below && is_below(host, &cookie.host))
                && covers(&cookie.path, path)
        };
        for cookie in self.cookies.iter().filter(goes) {
            out.extend_from_slice(if out.len() == before { b"Cookie: " } else { b"; " });
            out.extend_from_slice(&cookie.pair);
        }
        if out.len() > before {
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// True if the host is a name below that domain (RFC 6265, 5.1.3).
fn is_below(host: &[u8], domain: &[u8]) -> bool {
    let Some((above, end)) = host.len().checked_sub(domain.len()).map(|at| host.split_at(at)) else {
        return false;
    };
    above.ends_with(b".") && end.eq_ignore_ascii_case(domain) && !is_address(host)
}

fn is_address(host: &[u8]) -> bool {
    host.starts_with(b"[") || std::str::from_utf8(host).is_ok_and(|host| host.parse::<IpAddr>().is_ok())
}

/// The path of a target, without its query.
fn path_of(target: &[u8]) -> &[u8] {
    target.split(|&byte| byte == b'?').next().unwrap_or_default()
}

/// Path of a cookie that names none (RFC 6265, 5.1.4).
fn directory(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        None | Some(0) => b"/",
        Some(end) => &path[..end],
    }
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

    const SECOND: u64 = 1_000_000_000;
    /// 1994-11-06 08:49:37.
    const THEN_S: i64 = 784_111_777;
    const HERE: Origin<'_> = Origin { scheme: Scheme::Http, authority: b"shop.a.test:8080" };

    fn at(ns: u64) -> Now {
        Now { ns, unix_s: THEN_S + (ns / SECOND) as i64 }
    }

    fn sent_to(jar: &Jar, to: (Scheme, &str), target: &str, now_ns: u64) -> String {
        let mut out = Vec::new();
        let to = Origin { scheme: to.0, authority: to.1.as_bytes() };
        jar.write_header(to, target.as_bytes(), now_ns, &mut out);
        let sent = String::from_utf8(out).unwrap();
        let cookies = sent.strip_prefix("Cookie: ").and_then(|sent| sent.strip_suffix("\r\n"));
        assert!(sent.is_empty() || cookies.is_some(), "{sent:?}");
        cookies.unwrap_or_default().to_owned()
    }

    fn sent(jar: &Jar, target: &str, now_ns: u64) -> String {
        sent_to(jar, (Scheme::Http, "SHOP.a.test"), target, now_ns)
    }

    fn taken(lines: &[&str]) -> Jar {
        let mut jar = Jar::default();
        lines.iter().for_each(|line| jar.take(line.as_bytes(), HERE, b"/a/b?c=/d", at(0)));
        jar
    }

    proptest! {
        #[test]
        fn whatever_a_server_sets_what_is_sent_stays_one_line_within_the_limits(
            lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..50),
            dates in proptest::collection::vec("[0-9a-z:, -]{0,40}", 0..8),
            target in "/[a-z/?]{0,8}",
        ) {
            let mut jar = Jar::default();
            for line in &lines {
                jar.take(line, HERE, target.as_bytes(), at(0));
                jar.take(&[b"k=", line.as_slice()].concat(), HERE, target.as_bytes(), at(0));
            }
            for date in &dates {
                jar.take(format!("d=1; Expires={date}; Max-Age={date}").as_bytes(), HERE, b"/", at(0));
            }
            let mut out = Vec::new();
            jar.write_header(HERE, target.as_bytes(), 1, &mut out);
            let out = out.strip_suffix(b"\r\n").unwrap_or(&out);
            let most = "Cookie: ".len() + COOKIES_MAX * (COOKIE_BYTES_MAX + 2);
            prop_assert!(jar.cookies.len() <= COOKIES_MAX && out.len() <= most);
            prop_assert!(!out.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()), "{out:?}");
        }
    }

    #[test]
    fn cookies_that_have_ended_make_room() {
        let mut jar = Jar::default();
        for n in 0..COOKIES_MAX {
            jar.take(format!("k{n}=1; Max-Age=1").as_bytes(), HERE, b"/", at(0));
        }
        jar.take(b"late=1", HERE, b"/", at(0));
        assert!(!sent(&jar, "/", 1).contains("late"), "it is full");
        jar.take(b"late=1", HERE, b"/", at(2 * SECOND));
        assert_eq!(sent(&jar, "/", 2 * SECOND), "late=1");
    }

    #[test]
    fn a_cookie_goes_where_its_path_reaches_and_the_longest_path_first() {
        let jar = taken(&["own=1", "all=2; Path=/", "deep=3; PATH=/a/b/", "odd=4; path=/x; path=x"]);
        assert_eq!(sent(&jar, "/a/b?x", 1), "own=1; odd=4; all=2");
        assert_eq!(sent(&jar, "/a/b/c", 1), "deep=3; own=1; odd=4; all=2");
        assert_eq!(sent(&jar, "/ab", 1), "all=2");
        assert_eq!(sent(&jar, "/", 1), "all=2");
    }

    #[test]
    fn a_cookie_goes_to_its_host_and_below_a_domain_that_holds_it() {
        let jar = taken(&[
            "own=1",
            "up=2; Domain=.A.test",
            "self=3; Domain=shop.a.test",
            "other=4; Domain=b.test",
            "deeper=5; Domain=x.shop.a.test",
            "top=6; Domain=test",
            "half=7; Domain=op.a.test",
            "both=8; Domain=a.test; Domain=",
        ]);
        let to = |host| sent_to(&jar, (Scheme::Http, host), "/a/b", 1);
        assert_eq!(to("shop.a.test"), "own=1; up=2; self=3; both=8");
        assert_eq!(to("shop.a.test:9"), "own=1; up=2; self=3; both=8", "ports share cookies");
        assert_eq!(to("x.shop.a.test"), "up=2; self=3; both=8");
        assert_eq!(to("a.test"), "up=2; both=8");
        assert_eq!((to("b.test"), to("xa.test"), to("test")), (String::new(), String::new(), String::new()));
        let mut jar = Jar::default();
        let from = Origin { scheme: Scheme::Http, authority: b"10.0.0.1" };
        for line in ["own=1", "same=2; Domain=10.0.0.1", "net=3; Domain=0.0.1"] {
            jar.take(line.as_bytes(), from, b"/", at(0));
        }
        assert_eq!(sent_to(&jar, (Scheme::Http, "10.0.0.1:81"), "/", 1), "own=1; same=2");
        assert_eq!(sent_to(&jar, (Scheme::Http, "9.10.0.0.1"), "/", 1), "");
    }

    #[test]
    fn a_cookie_is_replaced_and_deleted_by_name_and_path() {
        let jar =
            taken(&["a=1; Path=/", "a=2; Path=/", "a=3; Path=/a", "b=1; Path=/", "b=; Path=/; Max-Age=0"]);
        assert_eq!(sent(&jar, "/a", 1), "a=3; a=2");
        let jar = taken(&["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
        assert_eq!(sent(&jar, "/a/b", 1), "");
        let jar = taken(&["a=1; Max-Age=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=1; Max-Age=-1"]);
        assert_eq!((sent(&jar, "/a/b", 1), sent(&jar, "/a/b", 2 * SECOND)), ("a=1".into(), String::new()));
        let jar = taken(&["a = x=y= ; Comment=\"bye\"; Version=1; Partitioned"]);
        assert_eq!(sent(&jar, "/a/b", 1), "a=x=y=");
    }

    #[test]
    fn a_date_ends_a_cookie_at_its_second_and_one_that_cannot_be_read_does_not() {
        for (attributes, lasts_s) in [
            ("Expires=Sun, 06 Nov 1994 08:49:40 GMT", Some(3)),
            ("Expires=Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Expires=Sun, 06 Nov 1994 08:49:36 GMT", Some(0)),
            ("Expires=Sun, 06 Nov 1994 08:49:40 GMT; Max-Age=5", Some(5)),
            ("Max-Age=5; Expires=Sun, 06 Nov 1994 08:49:40 GMT", Some(5)),
            ("Max-Age=+5; Expires=Sun, 06 Nov 1994 08:49:40 GMT", Some(3)),
            ("Expires=Sun, 06 Nov 1994 08:49:40 GMT; Expires=soon", Some(3)),
            ("Expires=Sun, 06 Nov 9999 08:49:40 GMT", None),
            ("Max-Age=99999999999999999999", None),
            ("Expires=tomorrow", None),
            ("Expires", None),
        ] {
            let jar = taken(&["a=0", &format!("a=1; {attributes}")]);
            let shown = |ns| sent(&jar, "/a/b", ns) == "a=1";
            match lasts_s {
                None => assert!(shown(9_000_000 * SECOND), "{attributes}"),
                Some(0) => assert_eq!(sent(&jar, "/a/b", 1), "", "{attributes}"),
                Some(s) => assert!(shown(s * SECOND - 1) && !shown(s * SECOND), "{attributes}"),
            }
        }
    }

    #[test]
    fn what_cannot_be_kept_is_left_out_and_the_jar_stays_within_its_limits() {
        assert_eq!(sent(&taken(&["", "=x", "novalue", "s=1; Secure", "; Path=/"]), "/a/b", 1), "");
        let mut jar = Jar::default();
        jar.take(b"s=1; Secure", Origin { scheme: Scheme::Https, ..HERE }, b"/a/b", at(0));
        assert_eq!(sent_to(&jar, (Scheme::Https, "shop.a.test"), "/a/b", 1), "s=1");
        assert_eq!(sent(&jar, "/a/b", 1), "", "it does not leave in plain");
        let mut jar = taken(&[&format!("long={}", "x".repeat(COOKIE_BYTES_MAX))]);
        for number in 0..2 * COOKIES_MAX {
            jar.take(format!("c{number}=1").as_bytes(), HERE, b"/", at(0));
        }
        assert_eq!(sent(&jar, "/", 1).split("; ").count(), COOKIES_MAX);
    }
}
