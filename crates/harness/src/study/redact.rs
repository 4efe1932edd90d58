//! Credentials never reach the plan, the record or a report.
//!
//! What counts as a credential is decided by its name: a header, a variable, a parameter or a flag. Values are
//! replaced where they stand, the rest of the text stays byte for byte.

use super::yaml::{Node, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// What stands in the place of a credential.
pub(crate) const REDACTED: &str = "redacted";

/// Whether a value of this name is a credential.
pub(crate) fn is_sensitive(name: &str) -> bool {
    const WHOLE: [&str; 3] = ["cookie", "set_cookie", "auth"];
    const PARTS: [&str; 9] = [
        "authorization",
        "password",
        "passwd",
        "secret",
        "token",
        "api_key",
        "apikey",
        "credential",
        "private_key",
    ];
    let name = name.trim().trim_start_matches('-').to_ascii_lowercase().replace(['-', '.'], "_");
    WHOLE.contains(&name.as_str()) || PARTS.iter().any(|part| name.contains(part))
}

/// The text of a study without its credentials.
pub(crate) fn text(text: &str, tree: &Rc<Node>) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cuts: Vec<(Range<usize>, String)> = Vec::new();
    collect(tree, text, false, &mut cuts);
    cuts.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, instead) in cuts {
        if range.start >= at && range.end <= text.len() {
            out.push_str(&text[at..range.start]);
            out.push_str(&instead);
            at = range.end;
        }
    }
    out.push_str(&text[at..]);
    out
}

fn collect(node: &Node, text: &str, sensitive: bool, cuts: &mut Vec<(Range<usize>, String)>) {
    match &node.value {
        Value::Map(entries) => {
            for entry in entries {
                collect(&entry.node, text, sensitive || is_sensitive(&entry.key), cuts);
            }
        }
        Value::List(items) => {
            let mut after_flag = false;
            for item in items {
                collect(item, text, sensitive || after_flag, cuts);
                after_flag = matches!(&item.value, Value::Scalar { text, .. } if is_sensitive_flag(text));
            }
        }
        Value::Scalar { text: value, .. } => {
            // The bytes of a block scalar go on to the next key.
            let Some(written) = text.get(node.bytes.clone()).map(str::trim_end).filter(|w| !w.is_empty())
            else {
                return;
            };
            let bytes = node.bytes.start..node.bytes.start + written.len();
            let instead = if sensitive {
                Some(REDACTED.to_string())
            } else if let (Cow::Owned(_), Cow::Owned(cut)) = (argument(value), argument(written)) {
                Some(cut)
            } else {
                None
            };
            cuts.extend(instead.map(|instead| (bytes, instead)));
        }
    }
}

/// Arguments of a command without their credentials.
pub(crate) fn arguments(args: &[String]) -> Vec<String> {
    let mut after_flag = false;
    args.iter()
        .map(|arg| {
            let out = if after_flag { REDACTED.to_string() } else { argument(arg).into_owned() };
            after_flag = is_sensitive_flag(arg);
            out
        })
        .collect()
}

/// `--password`, whose value is the next argument.
fn is_sensitive_flag(arg: &str) -> bool {
    arg.starts_with('-') && !arg.contains('=') && !arg.contains(char::is_whitespace) && is_sensitive(arg)
}

/// One text without credentials in it: `--token=x`, `Authorization: x`, `?api_key=x&…`, `http://user:x@host`.
pub(crate) fn argument(text: &str) -> Cow<'_, str> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (at, separator) in text.match_indices(['=', ':']) {
        let name_from = text[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
        let name = &text[name_from.map_or(0, |from| from + 1)..at];
        if name.is_empty()
            || !is_sensitive(name)
            || name.len() == name.trim_start_matches('-').len() && name_is_claim(text)
        {
            continue;
        }
        let start = at + separator.len();
        // A header's value runs to the end, a query's to the next parameter.
        let ends: &[char] = if separator == "=" { &['&', ' ', ',', ';', '"', '\''] } else { &['"', '\''] };
        let end = text[start..].find(ends).map_or(text.len(), |length| start + length);
        cuts.push(start..end);
    }
    if let Some((scheme_end, at)) =
        text.find("://").and_then(|s| Some((s + 3, s + 3 + text[s + 3..].find('@')?)))
    {
        if !text[scheme_end..at].contains('/') {
            cuts.push(scheme_end..at);
        }
    }
    cuts.retain(|cut| !cut.is_empty());
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut out = String::new();
    let mut at = 0;
    for cut in cuts.into_iter() {
        if cut.start < at {
            continue;
        }
        out.push_str(&text[at..cut.start]);
        out.push_str(REDACTED);
        at = cut.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Claims hold `=` too, and no credentials.
fn name_is_claim(text: &str) -> bool {
    text.contains('(') && text.contains(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_arguments_are_replaced_and_nothing_else() {
        for (given, left) in [
            ("--password=hunter2", "--password=redacted"),
            ("-Ddb.password=hunter2", "-Ddb.password=redacted"),
            ("Authorization: Bearer abc def", "Authorization:redacted"),
            ("/a?token=abc&x=1", "/a?token=redacted&x=1"),
            ("http://me:abc@host/", "http://redacted@host/"),
            ("--heap=256m", "--heap=256m"),
            ("http://host:80/@me", "http://host:80/@me"),
        ] {
            assert_eq!(argument(given), left);
        }
        let args = ["--token".to_string(), "abc".to_string(), "x".to_string()];
        assert_eq!(arguments(&args), ["--token", "redacted", "x"]);
    }

    #[test]
    fn the_text_of_a_study_keeps_everything_but_credentials() {
        let given = "a: # keep\n  headers: { Authorization: \"Basic abc\", Accept: x }\n  cookie: |\n    k=v\n    l=w\n  with:\n    db_password: s3\n    command: [run, --token, t0, 'url?secret=xyz']\nend: 1\n";
        let sink = super::super::problem::Sink::new("x");
        let tree = super::super::yaml::parse(given, &sink).unwrap();
        let left = text(given, &tree);
        for secret in ["Basic", "abc", "k=v", "l=w", "s3", "t0", "xyz"] {
            assert!(!left.contains(secret), "{secret} in {left}");
        }
        for kept in ["# keep", "Accept: x", "--token", "url?secret=redacted", "\nend: 1\n", "  with:\n"] {
            assert!(left.contains(kept), "{kept} in {left}");
        }
        assert!(super::super::yaml::parse(&left, &sink).is_some(), "{left}");
    }
}
