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

/// Names whose value, one word or one quoted string, is a credential: options, attributes, query parameters.
const KEYS: [&str; 9] = [
    "requiredsecret",
    "client_secret",
    "access_token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "api_key",
    "apikey",
];

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
    for key in KEYS {
        let mut from = 0;
        while let Some(at) = value_after(&out.to_ascii_lowercase(), key, from) {
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
