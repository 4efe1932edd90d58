//! Credentials in texts of any kind, found by the names before them.

use super::REDACTED;
use super::names::{is_field, is_sensitive, is_sensitive_number};
use std::ops::Range;

/// Form of a text, which decides if more than one word may belong to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An argument, a value, a body: `password=one two` is one credential.
    Word,
    /// A text that people or programs write: a credential ends at the next blank.
    Text,
}

/// Schemes of `Authorization` (IANA, and what some servers invented), which are shown.
const SCHEMES: [&str; 18] = [
    "apikey",
    "aws4-hmac-sha256",
    "basic",
    "bearer",
    "concealed",
    "digest",
    "dpop",
    "gnap",
    "hawk",
    "hoba",
    "key",
    "mac",
    "negotiate",
    "ntlm",
    "oauth",
    "privatetoken",
    "sharedkey",
    "token",
];

/// Longest value without quotes, and longest list of them: a bound on the time that a hostile text can take.
const VALUE_BYTES_MAX: usize = 64 << 10;

const TAG_BYTES_MAX: usize = 2000;

/// Places of credentials in a text, in order and apart.
pub(super) fn find(text: &str, form: Form) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, mark) in text.match_indices(['=', ':', '>']) {
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let name = name_before(&text[..at]);
        let further = match mark {
            ">" => element(text, at),
            _ if text[at..].starts_with("://") => user_of_address(text, at + 3).into_iter().collect(),
            _ if is_sensitive(&text[name.clone()]) => Value { text, name, at, form }.spans(),
            _ => named_beside(text, &text[name], at + 1, form),
        };
        found.extend(further.into_iter().filter(|span| !span.is_empty()));
    }
    found.extend(private_keys(text));
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    found.retain(|span| {
        let apart = span.start >= end;
        end = end.max(span.end);
        apart
    });
    found
}

/// The name that ends here, quotes around it aside.
fn name_before(text: &str) -> Range<usize> {
    let end = text.trim_end_matches(['"', '\'', '\\', ' ']).len();
    let start = text[..end].rfind(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
    // What rfind names is one character, of whatever length.
    let start = start.map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    start..end
}

/// A value after `=` or `:`.
struct Value<'a> {
    text: &'a str,
    name: Range<usize>,
    /// Place of the `=` or `:`.
    at: usize,
    form: Form,
}

impl Value<'_> {
    fn spans(&self) -> Vec<Range<usize>> {
        let name = &self.text[self.name.clone()];
        let is_field = self.text[self.at..].starts_with(':') && is_field(name);
        if self.text[self.at..].starts_with('=') && self.is_whole_name() {
            let rest = self.rest();
            return if is_said(&self.text[rest.clone()]) { Vec::new() } else { vec![rest] };
        }
        let rest = &self.text[self.at + 1..];
        let start = self.at + 1 + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let quote = quote_at(self.text, start);
        match self.text[start..].chars().next() {
            _ if is_field && self.begins_its_line() => self.lines(start),
            _ if self.text[start..].starts_with(REDACTED) => Vec::new(),
            Some('{' | '[') => leaves(self.text, start, is_sensitive_number(name)),
            _ if !quote.is_empty() => {
                let inner = start + quote.len();
                vec![without_scheme(self.text, inner..quote_end(self.text, inner, quote))]
            }
            _ => self.bare(start, is_field),
        }
    }

    /// True if the text is nothing but a name so far, as in `--password=`, `-Ddb.password=` and `--env=DB_PASSWORD=`:
    /// then all that follows is its value, whatever is in it.
    fn is_whole_name(&self) -> bool {
        let before = self.text[..self.at].trim_start_matches(['"', '\'']);
        self.form == Form::Word && before.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.=".contains(&b))
    }

    /// All that follows, but for the quote that the text began with; of a form up to its next field.
    fn rest(&self) -> Range<usize> {
        let from = self.at + 1;
        let quote = self.text.chars().next().filter(|first| matches!(first, '"' | '\''));
        let end =
            quote.and_then(|quote| self.text[from..].rfind(quote)).map_or(self.text.len(), |n| from + n);
        let is_option = self.text.starts_with(['-', '"', '\'']);
        let next = self.text[from..end]
            .match_indices('&')
            .find(|(n, _)| begins_a_field(&self.text[from + n + 1..end]));
        let end = next.filter(|_| !is_option).map_or(end, |(n, _)| from + n);
        without_scheme(self.text, from..end)
    }

    /// The quote before the name, which encloses the value as well.
    fn enclosing(&self) -> &str {
        let before = &self.text[..self.name.start];
        let quote = before.len() - before.trim_end_matches(['"', '\'', '\\']).len();
        // A quote after the name closes what this one opened.
        if self.text[self.name.end..self.at].trim().is_empty() { &before[before.len() - quote..] } else { "" }
    }

    fn begins_its_line(&self) -> bool {
        let before = &self.text[..self.name.start - self.enclosing().len()];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let is_quoted = !self.enclosing().is_empty();
        is_quoted
            || line.chars().all(|c| matches!(c, ' ' | '\t' | '<' | '>' | '-'))
                && self.text[self.name.end..].starts_with(':')
    }

    /// A field of a head, with its folded lines.
    fn lines(&self, start: usize) -> Vec<Range<usize>> {
        let quote = self.enclosing();
        if !quote.is_empty() {
            return vec![without_scheme(self.text, start..quote_end(self.text, start, quote))];
        }
        let mut spans = Vec::new();
        let mut at = start;
        for line in self.text[start..].split_inclusive('\n') {
            let body = line.trim_end_matches(['\r', '\n']);
            let value = body.trim_start_matches([' ', '\t']);
            if at > start && (value.len() == body.len() || value.is_empty() || names_a_field(value)) {
                break;
            }
            let from = at + body.len() - value.len();
            spans.push(without_scheme(self.text, from..from + value.trim_end().len()));
            at += line.len();
        }
        spans
    }

    /// A value without quotes of its own.
    fn bare(&self, start: usize, is_field: bool) -> Vec<Range<usize>> {
        let quote = self.enclosing();
        let most = self.text.floor_char_boundary(start + VALUE_BYTES_MAX);
        let line = self.text[start..most].find('\n').map_or(most, |n| start + n);
        let limit = if quote.is_empty() { line } else { quote_end(self.text, start, quote).min(line) };
        let is_mapped = self.text[self.at..].starts_with(':');
        let end = match (is_field, is_mapped, self.form) {
            (true, ..) => limit,
            (_, true, _) | (_, _, Form::Word) => self.before_next(start..limit),
            _ => {
                let stops = [' ', '\t', '&', ';', ',', '"', '\'', '<', '>', '}', ')', '\\'];
                let next = self.before_next(start..limit);
                start + self.text[start..next].find(stops).unwrap_or(next - start)
            }
        };
        let end = if self.form == Form::Text { self.within_query(start, end, limit) } else { end };
        let value = self.text[start..end].trim_end();
        let is_number = value.bytes().all(|b| b.is_ascii_digit() || b".-+eE".contains(&b));
        let name = &self.text[self.name.clone()];
        if is_said(value) || is_mapped && is_number && !is_field && !is_sensitive_number(name) {
            return Vec::new();
        }
        vec![without_scheme(self.text, start..start + value.len())]
    }

    /// Up to a mark behind which something else is named, a quote, or a bracket that closes.
    fn before_next(&self, span: Range<usize>) -> usize {
        let text = &self.text[span.clone()];
        let ends = |(at, mark): &(usize, char)| match mark {
            '"' | '\'' | '\\' | '<' | '>' | '}' => true,
            ']' => !text[..*at].contains('['),
            '&' | ';' | ',' | '?' | ' ' | '\t' => {
                let rest = text[at + 1..].trim_start();
                begins_a_field(rest) || *mark == ' ' && rest.starts_with('-')
            }
            _ => false,
        };
        text.char_indices().find(ends).map_or(span.end, |(at, _)| span.start + at)
    }

    /// A value with blanks in a query or a form: `password=one two&x=1`.
    fn within_query(&self, start: usize, end: usize, limit: usize) -> usize {
        let Some(next) = self.text[end..limit].find('&').filter(|_| self.text[end..limit].starts_with(' '))
        else {
            return end;
        };
        let is_plain = !self.text[start..end + next].contains(['=', '"', '\'', ':']);
        if is_plain && begins_a_field(&self.text[end + next + 1..limit]) { end + next } else { end }
    }
}

/// True of a word that only states if there is a credential.
fn is_said(value: &str) -> bool {
    matches!(value, "" | "true" | "false" | "null" | "none")
}

/// `name=`, `name: `, `"name":`.
fn begins_a_field(text: &str) -> bool {
    let text = text.trim_start_matches(['"', '\'', '\\']);
    let name = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b)).count();
    name > 0 && text[name..].trim_start_matches(['"', '\'', '\\']).starts_with(['=', ':'])
}

/// An indented line of its own name, as in YAML, rather than the rest of the field before.
fn names_a_field(body: &str) -> bool {
    let word = body.trim_start_matches(['-', '"', '\'', ' ']);
    let name = word.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"-_".contains(b)).count();
    name > 0 && word[name..].trim_start_matches(['"', '\'']).starts_with(':')
}

/// The quote at this place, with the backslashes before it where it is quoted itself.
fn quote_at(text: &str, at: usize) -> &str {
    let strokes = text[at..].bytes().take_while(|b| *b == b'\\').count();
    match text[at + strokes..].starts_with(['"', '\'']) {
        true => &text[at..at + strokes + 1],
        false => "",
    }
}

/// Place of the closing quote; the end of the text without one.
fn quote_end(text: &str, from: usize, quote: &str) -> usize {
    let strokes = quote.len() - 1;
    let same = |at: &usize| {
        let before = text[from..*at].bytes().rev().take_while(|b| *b == b'\\').count();
        // Twice as many strokes and one more quote the quote.
        before <= strokes || before % (2 * (strokes + 1)) == strokes
    };
    let mark = &quote[strokes..];
    let found = text[from..].match_indices(mark).map(|(at, _)| from + at).find(same);
    found.map_or(text.len(), |at| at - strokes.min(at - from))
}

/// A word for a kind of credential.
pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.contains(&word.to_ascii_lowercase().as_str())
}

/// End of the string of JSON that begins there.
pub(super) fn string_end(text: &str, from: usize) -> usize {
    quote_end(text, from, "\"")
}

/// A credential without the word for its kind: `Bearer`.
fn without_scheme(text: &str, span: Range<usize>) -> Range<usize> {
    let value = &text[span.clone()];
    let Some((scheme, rest)) = value.split_once(' ') else { return span };
    if is_scheme(scheme) && !rest.trim().is_empty() {
        span.start + value.len() - rest.trim_start().len()..span.end
    } else {
        span
    }
}

/// The values in a list or a map, whose names stay.
fn leaves(text: &str, from: usize, numbers: bool) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let (mut at, mut depth) = (from, 0_usize);
    let most = from.saturating_add(VALUE_BYTES_MAX);
    while let Some(letter) = text[at..].chars().next().filter(|_| at < most) {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' if depth <= 1 => break,
            ']' | '}' => depth -= 1,
            ',' | ':' => {}
            _ if letter.is_whitespace() => {}
            _ => {
                let quote = quote_at(text, at);
                let start = at + quote.len();
                let end = match quote.is_empty() {
                    true => {
                        start
                            + text[start..]
                                .find([',', ':', ']', '}', '\n', '"'])
                                .unwrap_or(text.len() - start)
                    }
                    false => quote_end(text, start, quote),
                };
                let after = (end + quote.len()).min(text.len());
                let value = &text[start..end];
                let is_plain =
                    quote.is_empty() && (is_said(value) || !numbers && value.parse::<f64>().is_ok());
                if !text[after..].trim_start().starts_with(':') && !is_plain {
                    spans.push(start..end);
                }
                at = after.max(at + letter.len_utf8());
                continue;
            }
        }
        at += letter.len_utf8();
    }
    spans
}

/// `name="password" value="x"`, `{"name":"password","value":"x"}`, `name="password"` in a multipart form: the value
/// is apart from its name.
fn named_beside(text: &str, key: &str, at: usize, form: Form) -> Vec<Range<usize>> {
    if !matches!(key.to_ascii_lowercase().as_str(), "name" | "key" | "property" | "field" | "id") {
        return Vec::new();
    }
    let start = at + text[at..].len() - text[at..].trim_start().len();
    let quote = quote_at(text, start);
    let inner = start + quote.len();
    let end = match quote.is_empty() {
        true => inner + text[inner..].find([',', '}', '\n', ' ', ';', '&']).unwrap_or(text.len() - inner),
        false => quote_end(text, inner, quote),
    };
    if !is_sensitive(&text[inner..end]) || text[inner..end].len() > 100 {
        return Vec::new();
    }
    let after = (end + quote.len()).min(text.len());
    let rest = &text[after..];
    if let Some(head) = rest.find("\r\n\r\n").filter(|head| !rest[..*head].contains("\r\n--")) {
        let body = after + head + 4;
        let end = text[body..].find("\r\n--").map_or(text.len(), |n| body + n);
        return std::iter::once(body..end).collect();
    }
    let near = rest.find(['>', '}', '\n']).unwrap_or(rest.len());
    match rest[..near].find("value").map(|n| after + n + "value".len()) {
        Some(name_end) => {
            let colon = text[name_end..].find(['=', ':']).map(|n| name_end + n);
            let name = name_end - "value".len()..name_end;
            colon.map_or_else(Vec::new, |at| Value { text, name, at, form }.spans())
        }
        None if rest[near..].starts_with('>') => texts_until_close(text, after + near),
        None => Vec::new(),
    }
}

/// Beginning of the tag that ends there.
fn opening(text: &str, at: usize) -> Option<usize> {
    let from = text.ceil_char_boundary(at.saturating_sub(TAG_BYTES_MAX));
    text[from..at].rfind('<').map(|n| from + n)
}

/// `<password>x</password>`: what is in an element of that name; `at` is the end of its opening tag.
fn element(text: &str, at: usize) -> Vec<Range<usize>> {
    let Some(open) = opening(text, at) else { return Vec::new() };
    let tag = &text[open + 1..at];
    let name = tag.split([' ', '\t', '\n', '\r']).next().unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or_default();
    if tag.ends_with('/') || tag.starts_with(['/', '?', '!']) || !is_sensitive(local) {
        return Vec::new();
    }
    texts_until_close(text, at)
}

/// The texts of the element whose opening tag ends here.
fn texts_until_close(text: &str, at: usize) -> Vec<Range<usize>> {
    let Some(open) = opening(text, at) else { return Vec::new() };
    let name = text[open + 1..at].split([' ', '\t', '\n', '\r', '>']).next().unwrap_or_default();
    let inner = at + 1;
    let end = text[inner..].find(&format!("</{name}")).map_or(text.len(), |n| inner + n);
    const CDATA: &str = "<![CDATA[";
    let mut spans = Vec::new();
    let mut from = inner;
    while from < end {
        let marked = text[from..end].find('<').map_or(end, |n| from + n);
        if !text[from..marked].trim().is_empty() {
            spans.push(from..marked);
        }
        let cdata = text[marked..end]
            .strip_prefix(CDATA)
            .map(|rest| marked + CDATA.len()..marked + CDATA.len() + rest.find("]]>").unwrap_or(rest.len()));
        from = match cdata {
            Some(span) => {
                spans.push(span.clone());
                span.end + 3
            }
            None => text[marked..end].find('>').map_or(end, |n| marked + n + 1),
        };
    }
    spans
}

/// The user and password of an address whose host begins at `from`.
fn user_of_address(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = &text[from..];
    let end = rest.find(['/', '?', '#', ' ', '\t', '\n', '"', '\'', '<', '>']).unwrap_or(rest.len());
    let at = rest[..end].rfind('@')?;
    Some(from..from + at)
}

/// Private keys as PEM writes them (RFC 7468).
fn private_keys(text: &str) -> Vec<Range<usize>> {
    const END: &str = "PRIVATE KEY-----";
    let begins = text.match_indices("-----BEGIN ").filter_map(|(at, _)| {
        let line = &text[at..text[at..].find('\n').map_or(text.len(), |n| at + n)];
        line.find(END).map(|n| at + n + END.len())
    });
    begins.map(|start| start..text[start..].find("-----END").map_or(text.len(), |n| start + n)).collect()
}
