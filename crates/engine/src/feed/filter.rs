//! Forms that a value takes for the place where it goes.

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Form of a value in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Filter {
    /// As it is.
    #[default]
    Raw,
    /// Percent-encoded, all but unreserved characters (RFC 3986, section 2.3): it never ends a segment or a parameter.
    Url,
    /// As in application/x-www-form-urlencoded: letters, digits and `*-._` as they are, a space as `+`, all else
    /// percent-encoded.
    Form,
    /// Part of a path or a query that is encoded already: only what these cannot have is percent-encoded.
    Encoded,
    /// A whole path with its query, or an address with them, behind the first `/` of the path. Encoded like
    /// [`Filter::Encoded`]; without a fragment.
    Target,
    /// In a header: control characters are spaces.
    Line,
    /// A string of JSON, quoted.
    Json,
    /// The inside of a string of JSON.
    JsonText,
    Base64,
    /// In hexadecimal digits.
    Sha256,
}

const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";
const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";

/// Bytes that are encoded in base64 at once.
const BASE64_INPUT: usize = 48;

impl Filter {
    /// Hands over the value in this form, piece by piece.
    pub fn apply(self, value: &[u8], mut put: impl FnMut(&[u8])) {
        match self {
            Filter::Raw => put(value),
            Filter::Url => replaced(value, |byte| !is_unreserved(byte), percent, put),
            Filter::Form => {
                let other = |byte: u8| !(byte.is_ascii_alphanumeric() || b"*-._".contains(&byte));
                let coded = |byte, put: &mut _| if byte == b' ' { plus(put) } else { percent(byte, put) };
                replaced(value, other, coded, put);
            }
            Filter::Encoded => encoded(value, put),
            Filter::Target => encoded(behind_slash(value), put),
            Filter::Line => {
                replaced(value, |byte| byte.is_ascii_control() && byte != b'\t', |_, put| put(b" "), put);
            }
            Filter::Json => {
                put(b"\"");
                json(value, &mut put);
                put(b"\"");
            }
            Filter::JsonText => json(value, &mut put),
            Filter::Base64 => {
                let mut coded = [0; BASE64_INPUT / 3 * 4];
                for piece in value.chunks(BASE64_INPUT) {
                    let coded = &mut coded[..piece.len().div_ceil(3) * 4];
                    BASE64.encode_mut(piece, coded);
                    put(coded);
                }
            }
            Filter::Sha256 => {
                Sha256::digest(value).iter().for_each(|byte| put(&hex(*byte, HEX_LOWER)));
            }
        }
    }

    /// Most bytes that a value of that length takes in this form.
    pub(super) fn most(self, length: usize) -> usize {
        match self {
            Filter::Raw | Filter::Line => length,
            Filter::Url | Filter::Form | Filter::Encoded | Filter::Target => 3 * length,
            Filter::Json | Filter::JsonText => 6 * length + 2,
            Filter::Base64 => length.div_ceil(3) * 4,
            Filter::Sha256 => 64,
        }
    }
}

/// Hands over a value in which the bytes that are `other` are written by `write`.
fn replaced<P: FnMut(&[u8])>(
    value: &[u8],
    other: impl Fn(u8) -> bool,
    write: impl Fn(u8, &mut P),
    mut put: P,
) {
    let mut rest = value;
    while let Some(at) = rest.iter().position(|byte| other(*byte)) {
        put(&rest[..at]);
        write(rest[at], &mut put);
        rest = &rest[at + 1..];
    }
    put(rest);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn hex(byte: u8, digits: &[u8; 16]) -> [u8; 2] {
    [digits[usize::from(byte >> 4)], digits[usize::from(byte & 0xf)]]
}

fn percent(byte: u8, put: &mut impl FnMut(&[u8])) {
    let [high, low] = hex(byte, HEX_UPPER);
    put(&[b'%', high, low]);
}

fn plus(put: &mut impl FnMut(&[u8])) {
    put(b"+");
}

fn encoded(value: &[u8], put: impl FnMut(&[u8])) {
    // Reserved characters of RFC 3986, section 2.2, and the percent sign of what is encoded.
    let other = |byte: u8| !is_unreserved(byte) && !b":/?#[]@!$&'()*+,;=%".contains(&byte);
    replaced(value, |byte| other(byte) || byte == b'#', percent, put);
}

/// The rest behind the first `/` of the path.
fn behind_slash(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    let value = value.split(|byte| *byte == b'#').next().unwrap_or_default();
    let authority = [&b"http://"[..], b"https://"].iter().find_map(|scheme| {
        let (found, rest) = value.split_at_checked(scheme.len())?;
        found.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    let path = authority.map_or(value, |rest| {
        &rest[rest.iter().position(|byte| b"/?".contains(byte)).unwrap_or(rest.len())..]
    });
    path.strip_prefix(b"/").unwrap_or(path)
}

/// The inside of a string of JSON; bytes that are not UTF-8 become U+FFFD, as a reader would see them.
fn json(value: &[u8], put: &mut impl FnMut(&[u8])) {
    // DEL needs no escape in JSON, but no header may have it.
    let other = |byte: u8| byte.is_ascii_control() || matches!(byte, b'"' | b'\\');
    for chunk in value.utf8_chunks() {
        replaced(chunk.valid().as_bytes(), other, escape, &mut *put);
        if !chunk.invalid().is_empty() {
            put("\u{fffd}".as_bytes());
        }
    }
}

fn escape(byte: u8, put: &mut impl FnMut(&[u8])) {
    match byte {
        b'"' | b'\\' => put(&[b'\\', byte]),
        b'\n' => put(b"\\n"),
        b'\r' => put(b"\\r"),
        b'\t' => put(b"\\t"),
        _ => {
            put(b"\\u00");
            put(&hex(byte, HEX_LOWER));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Filter; 10] = [
        Filter::Raw,
        Filter::Url,
        Filter::Form,
        Filter::Encoded,
        Filter::Target,
        Filter::Line,
        Filter::Json,
        Filter::JsonText,
        Filter::Base64,
        Filter::Sha256,
    ];

    fn of(filter: Filter, value: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        filter.apply(value, |piece| out.extend_from_slice(piece));
        out
    }

    #[track_caller]
    fn gives(filter: Filter, cases: &[(&str, &str)]) {
        for (value, expected) in cases {
            assert_eq!(String::from_utf8(of(filter, value.as_bytes())).unwrap(), *expected, "{value:?}");
        }
    }

    #[test]
    fn each_form_at_its_boundaries() {
        gives(Filter::Url, &[("", ""), ("aZ9-._~", "aZ9-._~"), ("*/ é\0", "%2A%2F%20%C3%A9%00")]);
        gives(Filter::Form, &[("a b+c", "a+b%2Bc"), ("*-._~&=", "*-._%7E%26%3D")]);
        gives(Filter::Encoded, &[("a%2Fb/c?d=[é|]&x#", "a%2Fb/c?d=[%C3%A9%7C]&x%23")]);
        gives(Filter::Line, &[("a\r\nb\tc\u{7f}", "a  b\tc ")]);
        gives(Filter::Json, &[("", "\"\""), ("é\"\\\n\r\t\u{1}/", "\"é\\\"\\\\\\n\\r\\t\\u0001/\"")]);
        gives(Filter::JsonText, &[("\u{1f}\u{7f}", "\\u001f\\u007f")]);
        gives(Filter::Base64, &[("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj")]);
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        gives(Filter::Sha256, &[("", empty)]);
        assert_eq!(of(Filter::JsonText, b"a\xffb"), "a\u{fffd}b".as_bytes());
    }

    #[test]
    fn a_target_is_what_follows_the_first_slash_of_its_path() {
        gives(
            Filter::Target,
            &[
                ("/", ""),
                ("", ""),
                ("/a%2Fb?q=x%20y#top", "a%2Fb?q=x%20y"),
                ("//a", "/a"),
                ("a b", "a%20b"),
                ("https://h", ""),
                ("HTTP://h:1/p?u=http://x/", "p?u=http://x/"),
                ("http://h?q", "?q"),
                ("/go?to=http://x", "go?to=http://x"),
                (" /a\r", "a"),
            ],
        );
    }

    proptest! {
        #[test]
        fn no_form_is_longer_than_it_says_or_breaks_its_place(value: Vec<u8>) {
            for filter in ALL {
                prop_assert!(of(filter, &value).len() <= filter.most(value.len()), "{filter:?}");
            }
            for filter in [Filter::Url, Filter::Form, Filter::Encoded, Filter::Target] {
                prop_assert!(of(filter, &value).iter().all(u8::is_ascii_graphic));
            }
            for filter in [Filter::Line, Filter::Json, Filter::JsonText] {
                prop_assert!(!of(filter, &value).iter().any(|byte| byte.is_ascii_control() && *byte != b'\t'));
            }
            prop_assert_eq!(BASE64.decode(&of(Filter::Base64, &value)), Ok(value));
        }
    }
}
