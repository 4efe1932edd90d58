//! Credentials out of texts that are kept.

/// What stands in place of a credential.
pub const REDACTED: &str = "[redacted]";

/// Header fields whose whole value is a credential.
const HEADERS: [&str; 7] = [
    "proxy-authorization",
    "authorization",
    "set-cookie2",
    "set-cookie",
    "cookie",
    "x-api-key",
    "x-auth-token",
];

/// Whatever has one of these in its name is a credential: options, attributes, query parameters, variables. In
/// names `-` and `.` are as good as `_`.
const SENSITIVE: [&str; 10] = [
    "authorization",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "credential",
    "private_key",
];

/// Whether a value of this name is a credential.
pub fn is_sensitive(name: &str) -> bool {
    const WHOLE: [&str; 3] = ["cookie", "set_cookie", "auth"];
    let name = same_letters(name.trim().trim_start_matches('-'));
    WHOLE.contains(&name.as_str()) || SENSITIVE.iter().any(|part| name.contains(part))
}

/// A name as names are compared, byte for byte as long.
fn same_letters(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}

/// What was received, without these secrets, wherever they stand; also without one that the end has cut off.
pub fn hide(bytes: &[u8], secrets: &[String]) -> Vec<u8> {
    let mut secrets: Vec<&[u8]> =
        secrets.iter().map(String::as_bytes).filter(|secret| !secret.is_empty()).collect();
    // One may be part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        let whole = secrets.iter().find(|secret| rest.starts_with(secret)).map(|secret| secret.len());
        let cut = || secrets.iter().any(|secret| rest.len() >= CUT_BYTES_MIN && secret.starts_with(rest));
        match whole.or_else(|| cut().then_some(rest.len())) {
            Some(length) => {
                out.extend_from_slice(REDACTED.as_bytes());
                rest = &rest[length..];
            }
            None => {
                out.push(*first);
                rest = &rest[1..];
            }
        }
    }
    out
}

/// Fewer bytes of a secret at the end say nothing of it.
const CUT_BYTES_MIN: usize = 4;

/// The text with credentials replaced by `[redacted]`: the rest of the line after `Authorization`,
/// `Proxy-Authorization`, cookies and API keys (with folded lines), values of passwords and secrets, and the
/// user part of addresses. Anything that looks like one of these goes; a record that hides too much is better
/// than one that cannot be shown.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut folded = false;
    for line in text.split_inclusive('\n') {
        let (body, end) = split_line_end(line);
        if folded && body.starts_with([' ', '\t']) && !body.trim().is_empty() && !names_a_field(body) {
            out.push_str(&body[..body.len() - body.trim_start().len()]);
            out.push_str(REDACTED);
        } else {
            let (clean, was_header) = redact_header(body);
            out.push_str(&redact_addresses(&redact_keys(&clean)));
            folded = was_header;
        }
        out.push_str(end);
    }
    out
}

fn split_line_end(line: &str) -> (&str, &str) {
    let body = line.trim_end_matches(['\r', '\n']);
    line.split_at(body.len())
}

/// An indented line of its own name, as in YAML, rather than the rest of the field before.
fn names_a_field(body: &str) -> bool {
    let word = body.trim_start().trim_start_matches(['-', '"', '\'', ' ']);
    let name: usize =
        word.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_').count();
    name > 0 && word[name..].trim_start_matches(['"', '\'']).starts_with(':')
}

/// Redacts from the first credential header to the end of the line.
fn redact_header(body: &str) -> (String, bool) {
    let lower = body.to_ascii_lowercase();
    let cut = HEADERS.iter().filter_map(|name| value_after(&lower, name, 0)).min();
    match cut {
        Some(at) if !body[at..].trim().is_empty() => {
            let blank = body[at..].len() - body[at..].trim_start().len();
            (format!("{}{REDACTED}", &body[..at + blank]), true)
        }
        Some(_) => (body.to_string(), true),
        None => (body.to_string(), false),
    }
}

/// Where the value begins after `name`, an optional closing quote, and `:` or `=`.
fn value_after(lower: &str, name: &str, from: usize) -> Option<usize> {
    let mut from = from;
    while let Some(found) = lower[from..].find(name) {
        let end = from + found + name.len();
        let rest = lower[end..].trim_start_matches(['"', '\'', ' ']);
        if rest.starts_with([':', '=']) {
            return Some(lower.len() - rest.len() + 1);
        }
        from = end;
    }
    None
}

fn redact_keys(body: &str) -> String {
    let mut out = body.to_string();
    for key in SENSITIVE {
        let mut from = 0;
        while let Some(at) = value_after(&same_letters(&out), key, from) {
            let (start, end) = value_span(&out, at);
            from = start;
            if start < end && &out[start..end] != REDACTED {
                out.replace_range(start..end, REDACTED);
                from = start + REDACTED.len();
            }
        }
    }
    out
}

/// The span of a value: within quotes, or up to a blank or a separator.
fn value_span(text: &str, at: usize) -> (usize, usize) {
    let rest = text[at..].trim_start_matches(' ');
    let start = text.len() - rest.len();
    match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = start + 1;
            (inner, text[inner..].find(quote).map_or(text.len(), |n| inner + n))
        }
        _ => {
            let stops: &[char] = &[' ', '\t', '&', ';', ',', '"', '\'', '<', '>', '}'];
            (start, rest.find(stops).map_or(text.len(), |n| start + n))
        }
    }
}

/// `scheme://user:password@host` loses its user part.
fn redact_addresses(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let stops: &[char] = &['/', '?', '#', ' ', '\t', '"', '\'', '<', '>'];
        let authority = &after[..after.find(stops).unwrap_or(after.len())];
        match authority.rfind('@') {
            Some(user) => {
                out.push_str(REDACTED);
                rest = &after[user..];
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn secrets_go_wherever_they_stand() {
        let secrets = ["hunter".to_string(), "hunter2!".to_string(), String::new()];
        let hidden = |text: &str| String::from_utf8(hide(text.as_bytes(), &secrets)).unwrap();
        assert_eq!(hidden("X: hunter2!, hunter, hunte"), "X: [redacted], [redacted], [redacted]");
        assert_eq!(hidden("hunhunter hunt hun"), "hun[redacted] hunt hun");
        assert_eq!(hide(b"\xffhunter\xff", &secrets), b"\xff[redacted]\xff");
        assert_eq!(
            redact("{\"token\":\"abc\",\"api-key\":\"d\"}"),
            "{\"token\":\"[redacted]\",\"api-key\":\"[redacted]\"}"
        );
    }

    #[test]
    fn credentials_go_and_the_rest_stays() {
        for (text, expected) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            ),
            ("Authorization: Basic dTpw\r\nHost: a\r\n", "Authorization: [redacted]\r\nHost: a\r\n"),
            ("proxy-AUTHORIZATION:Basic dTpw", "proxy-AUTHORIZATION:[redacted]"),
            ("Set-Cookie: a=b; Path=/\nX: y", "Set-Cookie: [redacted]\nX: y"),
            ("Cookie: a=b\r\n c=d\r\nHost: x", "Cookie: [redacted]\r\n [redacted]\r\nHost: x"),
            ("Cookie:\r\n c=d\r\nHost: x", "Cookie:\r\n [redacted]\r\nHost: x"),
            ("{\"authorization\": \"Bearer t\", \"n\": 1}", "{\"authorization\": [redacted]"),
            (
                "headers:\n  Authorization: Bearer t\n  Accept: text/plain\n",
                "headers:\n  Authorization: [redacted]\n  Accept: text/plain\n",
            ),
            ("GET http://user:pw@host:80/x HTTP/1.1", "GET http://[redacted]@host:80/x HTTP/1.1"),
            ("see http://host/a@b", "see http://host/a@b"),
            ("GET /?password=p%20q&x=1", "GET /?password=[redacted]&x=1"),
            ("<Connector secret=\"s 3\" port=\"8009\"/>", "<Connector secret=\"[redacted]\" port=\"8009\"/>"),
            (
                "-Djavax.net.ssl.keyStorePassword=changeit -Xmx1g",
                "-Djavax.net.ssl.keyStorePassword=[redacted] -Xmx1g",
            ),
            ("the secret of this authorization is none", "the secret of this authorization is none"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_redacted_and_twice_is_once(text in "(?s).{0,200}") {
            let once = redact(&text);
            prop_assert_eq!(redact(&once), once);
        }

        #[test]
        fn the_token_never_survives(
            before in "[a-z \\r\\n]{0,20}",
            name in prop::sample::select(&HEADERS[..]),
        ) {
            let text = format!("{before}\n{name}: zQ9tokenZ\nmore");
            prop_assert!(!redact(&text).contains("zQ9tokenZ"));
        }
    }
}
