//! Digest authentication (RFC 7616): MD5 and SHA-256, with `-sess` or without, `qop=auth`; without `qop` as in RFC 2069.
//!
//! The client's nonce is computed from the server's, so that a load sends the same bytes again. A random one would protect
//! the password from servers that choose their nonce to learn it, which a load test does not meet. `auth-int`, hashed user
//! names and `nextnonce` of Authentication-Info (section 3.5) are not spoken.

use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use std::fmt;
use std::io::Write;

/// User and password.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials([redacted])")
    }
}

/// The latest challenge of a server, and the number of requests that answered it.
#[derive(Debug, Default)]
pub struct Digest {
    challenge: Option<Challenge>,
    count: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hash {
    #[default]
    Md5,
    Sha256,
}

#[derive(Debug, Default)]
struct Challenge {
    realm: Vec<u8>,
    nonce: Vec<u8>,
    opaque: Option<Vec<u8>>,
    /// The algorithm as the server wrote it, which is sent back; `None` is MD5.
    algorithm: Option<Vec<u8>>,
    hash: Hash,
    /// True if the hash of the password is that of a session (`-sess`).
    session: bool,
    /// False as in RFC 2069.
    qop: bool,
    /// True if only the nonce of the request was too old.
    stale: bool,
    client_nonce: Vec<u8>,
}

impl Digest {
    /// Takes the first challenge in the values of WWW-Authenticate that can be answered; true if it says that only the
    /// nonce was too old. `None`: there is none, and nothing has changed.
    pub fn take<'a>(&mut self, values: impl Iterator<Item = &'a [u8]>) -> Option<bool> {
        let challenge = values.flat_map(challenges).find_map(|parameters| Challenge::of(&parameters))?;
        let stale = challenge.stale;
        *self = Digest { challenge: Some(challenge), count: 0 };
        Some(stale)
    }

    /// Appends the header that answers the latest challenge, line end included; nothing before the first.
    pub fn write_header(
        &mut self,
        credentials: &Credentials,
        method: &str,
        target: &[u8],
        out: &mut Vec<u8>,
    ) {
        let Some(challenge) = &self.challenge else { return };
        self.count = self.count.wrapping_add(1);
        let mut count = [0; 8];
        let _it_fits = write!(&mut count[..], "{:08x}", self.count);
        let Challenge { realm, nonce, client_nonce, session, qop, .. } = challenge;
        let response = challenge.response(credentials, method, target, count);
        let quoted = [
            ("Authorization: Digest username", Some(credentials.user.as_bytes())),
            (", realm", Some(realm.as_slice())),
            (", nonce", Some(nonce)),
            (", uri", Some(target)),
            (", response", Some(&response)),
            (", opaque", challenge.opaque.as_deref()),
            (", cnonce", Some(client_nonce.as_slice()).filter(|_| *qop || *session)),
        ];
        for (name, value) in quoted {
            if let Some(value) = value {
                put_quoted(name, value, out);
            }
        }
        if let Some(algorithm) = &challenge.algorithm {
            out.extend_from_slice(b", algorithm=");
            out.extend_from_slice(algorithm);
        }
        if *qop {
            out.extend_from_slice(b", qop=auth, nc=");
            out.extend_from_slice(&count);
        }
        out.extend_from_slice(b"\r\n");
    }
}

impl Challenge {
    /// The challenge with these parameters; `None` where it lacks one, or cannot be answered.
    fn of(parameters: &[(&[u8], Vec<u8>)]) -> Option<Challenge> {
        let get = |name: &str| {
            let found = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
            found.map(|(_, value)| value.clone())
        };
        let algorithm = get("algorithm");
        let named = algorithm.as_deref().unwrap_or(b"MD5").to_ascii_lowercase();
        let (hash, session) = match named.as_slice() {
            b"md5" => (Hash::Md5, false),
            b"md5-sess" => (Hash::Md5, true),
            b"sha-256" => (Hash::Sha256, false),
            b"sha-256-sess" => (Hash::Sha256, true),
            _ => return None,
        };
        let offered = get("qop");
        let is_auth = |word: &[u8]| word.trim_ascii().eq_ignore_ascii_case(b"auth");
        if offered.as_ref().is_some_and(|offered| !offered.split(|&byte| byte == b',').any(is_auth)) {
            return None;
        }
        let nonce = get("nonce")?;
        Some(Challenge {
            client_nonce: hex(hash, &[&nonce])[..16].to_vec(),
            realm: get("realm")?,
            nonce,
            opaque: get("opaque"),
            algorithm,
            hash,
            session,
            qop: offered.is_some(),
            stale: get("stale").is_some_and(|value| value.eq_ignore_ascii_case(b"true")),
        })
    }

    /// The proof that the password is known (RFC 7616 section 3.4.1).
    fn response(&self, credentials: &Credentials, method: &str, target: &[u8], count: [u8; 8]) -> Vec<u8> {
        let Challenge { hash, nonce, client_nonce, .. } = self;
        let hex = |parts: &[&[u8]]| hex(*hash, parts);
        let Credentials { user, password } = credentials;
        let mut secret = hex(&[user.as_bytes(), &self.realm, password.as_bytes()]);
        if self.session {
            secret = hex(&[&secret, nonce, client_nonce]);
        }
        let asked = hex(&[method.as_bytes(), target]);
        match self.qop {
            true => hex(&[&secret, nonce, &count, client_nonce, b"auth", &asked]),
            false => hex(&[&secret, nonce, &asked]),
        }
    }
}

/// Hash of the parts with colons between them, in hexadecimal digits.
fn hex(hash: Hash, parts: &[&[u8]]) -> Vec<u8> {
    let text = parts.join(&b':');
    let digits = |sum: &[u8]| -> Vec<u8> {
        let halves = sum.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        halves.map(|half| b"0123456789abcdef"[usize::from(half)]).collect()
    };
    match hash {
        Hash::Md5 => digits(&md5::Md5::digest(&text)),
        Hash::Sha256 => digits(&sha2::Sha256::digest(&text)),
    }
}

fn put_quoted(name: &str, value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    for &byte in value {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

type Parameters<'a> = Vec<(&'a [u8], Vec<u8>)>;

/// Parameters of each Digest challenge in a value of WWW-Authenticate (RFC 9110 section 11.6.1), where a comma may come
/// between parameters of one challenge as well as between challenges.
fn challenges(value: &[u8]) -> Vec<Parameters<'_>> {
    let mut found: Vec<Parameters<'_>> = Vec::new();
    let mut of_digest = false;
    let mut rest = value;
    loop {
        rest = past(rest, |byte| !is_word(byte));
        let after = past(rest, is_word);
        let word = &rest[..rest.len() - after.len()];
        if word.is_empty() {
            return found;
        }
        rest = past(after, |byte| byte.is_ascii_whitespace());
        let Some(behind) = rest.strip_prefix(b"=") else {
            of_digest = word.eq_ignore_ascii_case(b"digest");
            if of_digest {
                found.push(Vec::new());
            }
            continue;
        };
        let (value, after) = parameter(past(behind, |byte| byte.is_ascii_whitespace()));
        rest = after;
        if let Some(parameters) = found.last_mut().filter(|_| of_digest) {
            parameters.push((word, value));
        }
    }
}

/// The value of a parameter, and what is behind it.
fn parameter(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let Some(mut rest) = text.strip_prefix(b"\"") else {
        let after = past(text, is_word);
        return (text[..text.len() - after.len()].to_vec(), after);
    };
    let mut value = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.split_first()) {
            (b'"', _) => break,
            (b'\\', Some((&escaped, after))) => {
                value.push(escaped);
                rest = after;
            }
            _ => value.push(byte),
        }
    }
    (value, rest)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b",=\";".contains(&byte)
}

/// The text behind the bytes that are `skipped`.
fn past(text: &[u8], skipped: impl Fn(u8) -> bool) -> &[u8] {
    &text[text.iter().position(|&byte| !skipped(byte)).unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn credentials(user: &str, password: &str) -> Credentials {
        Credentials { user: user.to_owned(), password: password.to_owned() }
    }

    fn text(hash: Hash, parts: &[&[u8]]) -> String {
        String::from_utf8(hex(hash, parts)).unwrap()
    }

    fn taken(value: &str) -> Digest {
        let mut digest = Digest::default();
        digest.take([value.as_bytes()].into_iter()).unwrap();
        digest
    }

    fn header(digest: &mut Digest, credentials: &Credentials, target: &str) -> String {
        let mut out = Vec::new();
        digest.write_header(credentials, "GET", target.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    /// The header for a challenge, answered with this nonce of the client.
    fn answered(challenge: &str, client_nonce: &str, user: &Credentials, target: &str) -> String {
        let mut digest = taken(challenge);
        digest.challenge.as_mut().unwrap().client_nonce = client_nonce.as_bytes().to_vec();
        header(&mut digest, user, target)
    }

    #[test]
    fn the_examples_of_the_standards_come_out() {
        // RFC 7616, 3.9.1.
        let both = "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=ALGORITHM, \
                    nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", \
                    opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"";
        let mufasa = credentials("Mufasa", "Circle of Life");
        for (algorithm, response) in [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ] {
            let challenge = both.replace("ALGORITHM", algorithm);
            let nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
            let sent = answered(&challenge, nonce, &mufasa, "/dir/index.html");
            assert!(sent.contains(&format!("response=\"{response}\"")), "{sent}");
            assert!(sent.ends_with(&format!("algorithm={algorithm}, qop=auth, nc=00000001\r\n")), "{sent}");
        }
        // RFC 2617, 3.5, whose algorithm is the default.
        let challenge = "Digest\trealm=\"testrealm@host.com\",qop=\"auth,auth-int\",\
                         nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"";
        let mufasa = credentials("Mufasa", "Circle Of Life");
        let sent = answered(challenge, "0a4f113b", &mufasa, "/dir/index.html");
        assert!(sent.contains("response=\"6629fae49393a05397450978507c4ef1\""), "{sent}");
        assert!(sent.contains("opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"") && !sent.contains("algorithm"));
    }

    #[test]
    fn a_challenge_without_quality_is_answered_as_by_the_first_standard() {
        let md5 = |parts: &[&[u8]]| text(Hash::Md5, parts);
        let (secret, asked) = (md5(&[b"u", b"r", b"p"]), md5(&[b"GET", b"/x?y"]));
        let response = md5(&[secret.as_bytes(), b"n", asked.as_bytes()]);
        let sent = header(&mut taken("Digest realm=r,nonce=n"), &credentials("u", "p"), "/x?y");
        let expected =
            format!("username=\"u\", realm=\"r\", nonce=\"n\", uri=\"/x?y\", response=\"{response}\"");
        assert_eq!(sent, format!("Authorization: Digest {expected}\r\n"));
    }

    #[test]
    fn a_session_hashes_the_nonces_into_the_secret() {
        for (algorithm, hash) in [("md5-SESS", Hash::Md5), ("SHA-256-sess", Hash::Sha256)] {
            let challenge = format!("Digest realm=\"r\", nonce=\"n\", algorithm={algorithm}, qop=auth");
            let hash = |parts: &[&[u8]]| text(hash, parts);
            let secret = hash(&[hash(&[b"u", b"r", b"p"]).as_bytes(), b"n", b"c"]);
            let asked = hash(&[b"GET", b"/"]);
            let response = hash(&[secret.as_bytes(), b"n", b"00000001", b"c", b"auth", asked.as_bytes()]);
            let sent = answered(&challenge, "c", &credentials("u", "p"), "/");
            assert!(sent.contains(&format!("response=\"{response}\"")), "{sent}");
            assert!(sent.contains(&format!("algorithm={algorithm}")), "{sent}");
        }
    }

    #[test]
    fn the_count_goes_on_until_the_next_challenge() {
        let user = credentials("u", "p");
        let mut digest = taken("Digest realm=r, nonce=a, qop=auth");
        assert!(header(&mut digest, &user, "/").contains("nc=00000001"));
        assert!(header(&mut digest, &user, "/").contains("nc=00000002"));
        assert_eq!(
            digest.take([&b"Digest realm=r, nonce=b, qop=auth, stale=TRUE"[..]].into_iter()),
            Some(true)
        );
        let sent = header(&mut digest, &user, "/");
        assert!(sent.contains("nc=00000001") && sent.contains("nonce=\"b\""), "{sent}");
        assert_eq!(header(&mut Digest::default(), &user, "/"), "");
    }

    #[test]
    fn the_first_challenge_that_can_be_answered_is_taken() {
        let user = credentials("a\"b\\", "p");
        let lines = [
            &b"Negotiate dG9rZW4=, Basic realm=\"Digest realm=x\""[..],
            b"Digest realm=r, nonce=n1, algorithm=SHA-512-256, Digest realm=r, nonce=n2, qop=\"auth-int\"",
            b"Digest nonce=n3, DIGEST realm=\"a \\\"b\\\"\" , nonce = \"n4\", stale=false, Digest realm=r, nonce=n5",
        ];
        let mut digest = Digest::default();
        assert_eq!(digest.take(lines.into_iter()), Some(false));
        let sent = header(&mut digest, &user, "/");
        let begin = "Authorization: Digest username=\"a\\\"b\\\\\", realm=\"a \\\"b\\\"\", nonce=\"n4\"";
        assert!(sent.starts_with(begin), "{sent}");
        assert_eq!(digest.take([&b""[..], b"Basic realm=x"].into_iter()), None);
        assert!(header(&mut digest, &user, "/").contains("nc") || digest.count == 2, "the other is kept");
    }

    proptest! {
        #[test]
        fn whatever_a_server_demands_the_answer_is_one_line(
            value in proptest::collection::vec(32..=255_u8, 0..80),
            realm in "[ -~]{0,20}",
        ) {
            let mut digest = Digest::default();
            let line = [b"Digest nonce=n, realm=\"", realm.as_bytes(), b"\", opaque=", &value].concat();
            if digest.take([value.as_slice(), &line].into_iter()).is_some() {
                let mut out = Vec::new();
                digest.write_header(&credentials("u", "p"), "GET", b"/", &mut out);
                let line = out.strip_suffix(b"\r\n").unwrap();
                prop_assert!(!line.iter().any(|byte| *byte < b' '), "{}", out.escape_ascii());
            }
        }
    }
}
