//! Credentials never reach the plan, the record or a report.
//!
//! What counts as a credential is decided by its name: a header, a variable, a parameter or a flag. Values
//! are replaced in place, the rest of the text stays byte for byte.

use super::problem::Sink;
use super::yaml::{self, Node, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

pub use proofload_store::{REDACTED, is_sensitive};

/// The text of a study without its credentials.
pub(crate) fn text(text: &str, tree: &Rc<Node>) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cuts: Vec<(Range<usize>, String)> = Vec::new();
    collect_study(tree, text, &mut cuts);
    cut(text, cuts)
}

/// The text of one value without its credentials; `name` is that of its key.
pub(crate) fn value(text: &str, tree: &Rc<Node>, name: &str) -> String {
    let mut cuts = Vec::new();
    collect(tree, text, is_sensitive(name), &mut cuts);
    cut(text, cuts)
}

/// A setting as it is recorded: without credentials.
pub(super) fn setting(setting: &str) -> String {
    let (key, value) = split_setting(setting);
    let value = value.unwrap_or_default();
    let value = match yaml::parse(value, &Sink::new("--set")) {
        Some(tree) => self::value(value, &tree, key),
        None => String::new(),
    };
    format!("{key}={value}")
}

/// Key and value, parted by the first `=` outside quotes.
pub(super) fn split_setting(setting: &str) -> (&str, Option<&str>) {
    let mut quoted = false;
    for (at, letter) in setting.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '=' if !quoted => return (setting[..at].trim(), Some(&setting[at + 1..])),
            _ => {}
        }
    }
    (setting.trim(), None)
}

fn cut(text: &str, mut cuts: Vec<(Range<usize>, String)>) -> String {
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

/// Only credentials, subjects and the workload hold values that are sent or started; the names and texts of claims do
/// not.
fn collect_study(tree: &Node, text: &str, cuts: &mut Vec<(Range<usize>, String)>) {
    let Value::Map(entries) = &tree.value else { return };
    for auth in entries.iter().filter(|entry| entry.key == "auth") {
        collect(&auth.node, text, true, cuts);
    }
    for entry in entries.iter().filter(|entry| entry.key == "subjects" || entry.key == "workload") {
        let Value::Map(named) = &entry.node.value else { continue };
        for named in named {
            collect(&named.node, text, false, cuts);
        }
    }
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
        Value::Scalar { .. } => {
            // The bytes of a block scalar go on to the next key.
            let written = text.get(node.bytes.clone()).unwrap_or("").trim_end();
            if written.is_empty() {
                return;
            }
            let bytes = node.bytes.start..node.bytes.start + written.len();
            match argument(written) {
                _ if sensitive => cuts.push((bytes, REDACTED.to_string())),
                Cow::Owned(without) => cuts.push((bytes, without)),
                Cow::Borrowed(_) => {}
            }
        }
    }
}

/// Flags of Proofload whose whole value is a credential, whatever is in it.
const CREDENTIAL_FLAGS: [&str; 3] = ["--basic", "--bearer", "--proxy-user"];

/// Arguments of Proofload itself without their credentials. What only names the file of a credential stays, so that a
/// run can go on.
pub fn own_arguments(args: &[String]) -> Vec<String> {
    let mut redacted = arguments(args);
    for (at, arg) in args.iter().enumerate() {
        let after = at.checked_sub(1).and_then(|before| args.get(before));
        if after.is_some_and(|flag| CREDENTIAL_FLAGS.contains(&flag.as_str())) {
            redacted[at] = credential(arg);
        } else if let Some((flag, value)) = arg.split_once('=')
            && CREDENTIAL_FLAGS.contains(&flag)
        {
            redacted[at] = format!("{flag}={}", credential(value));
        } else if let Some(at_value) = glued_header(arg) {
            let (flag, header) = arg.split_at(at_value);
            redacted[at] = format!("{flag}{}", argument(header));
        }
    }
    redacted
}

/// `@FILE` and `user:@FILE` name no credential; anything else is one.
fn credential(value: &str) -> String {
    let secret = value.split_once(':').map_or(value, |(_, password)| password);
    if value.starts_with('@') || secret.starts_with('@') { value.to_string() } else { REDACTED.to_string() }
}

/// Where the header begins in `-HCookie: x`, also behind other short flags.
fn glued_header(arg: &str) -> Option<usize> {
    let letters = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let at = letters.find('H')?;
    letters[..at].bytes().all(|b| b.is_ascii_lowercase()).then_some(at + 2)
}

/// Arguments of a command without their credentials.
pub fn arguments(args: &[String]) -> Vec<String> {
    let (mut after_flag, mut after_set) = (false, false);
    args.iter()
        .map(|arg| {
            let out = match arg.strip_prefix("--set=") {
                _ if after_flag => REDACTED.to_string(),
                // The whole value of a setting belongs to its key, spaces and all.
                _ if after_set => self::setting(arg),
                Some(setting) => format!("--set={}", self::setting(setting)),
                None => argument(arg).into_owned(),
            };
            after_flag = is_sensitive_flag(arg);
            after_set = arg == "--set";
            out
        })
        .collect()
}

/// `--password`, whose value is the next argument.
fn is_sensitive_flag(arg: &str) -> bool {
    arg.starts_with('-') && !arg.contains('=') && !arg.contains(char::is_whitespace) && is_sensitive(arg)
}

/// One text without credentials in it: `--token=x`, `Authorization: x`, `?api_key=x&…`, `{"password":"x"}`,
/// `http://user:x@host`.
pub fn argument(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut at = 0;
    for (separator_at, separator) in text.match_indices(['=', ':']) {
        let from = separator_at + separator.len();
        if separator_at < at {
            continue;
        }
        let secret = if text[separator_at..].starts_with("://") {
            user_of_address(text, separator_at + 3)
        } else if is_sensitive(name_before(&text[..separator_at])) {
            match separator.starts_with('=') && is_whole_name(&text[..separator_at]) {
                true => Some(rest_after(text, from)),
                false => Some(value_after(text, from, separator)),
            }
        } else {
            None
        };
        if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
            out.push_str(&text[at..secret.start]);
            out.push_str(REDACTED);
            at = secret.end;
        }
    }
    if at == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Whether an argument is nothing but a name so far, as in `--password=`, `-Ddb.password=` and `--env=DB_PASSWORD=`: then
/// all that follows is its value, whatever is in it.
fn is_whole_name(before: &str) -> bool {
    let name = before.trim_start_matches(['"', '\'']);
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.=".contains(&b))
}

/// All that follows, but for the quote that the text began with.
fn rest_after(text: &str, from: usize) -> Range<usize> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let end = quote.and_then(|quote| text[from..].rfind(quote)).map_or(text.len(), |length| from + length);
    from..end
}

/// The word that ends here, quotes around it aside.
fn name_before(text: &str) -> &str {
    let text = text.trim_end_matches(['"', '\'', '\\', ' ']);
    let start = text.rfind(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
    // What rfind names is one character, of whatever length.
    let start = start.map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    &text[start..]
}

/// A header's value runs to the end of its quotes, a query's to the next parameter.
fn value_after(text: &str, from: usize, separator: &str) -> Range<usize> {
    let opening = text[from..].len() - text[from..].trim_start_matches([' ', '"', '\'', '\\']).len();
    let start = from + opening;
    let ends: &[char] =
        if separator == "=" { &['&', ' ', ',', ';', '"', '\'', '\n'] } else { &['"', '\'', '\\', '\n'] };
    let end = text[start..].find(ends).map_or(text.len(), |length| start + length);
    start..end
}

/// The user and password of an address whose host begins at `from`.
fn user_of_address(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = &text[from..];
    let end = rest.find(['/', '?', '#', ' ', '"', '\'']).unwrap_or(rest.len());
    let at = rest[..end].rfind('@')?;
    Some(from..from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_arguments_are_replaced_and_nothing_else() {
        for (given, left) in [
            ("--password=hunter2", "--password=[redacted]"),
            ("--password=one two&three", "--password=[redacted]"),
            ("'--password=one \"two\"; three'", "'--password=[redacted]'"),
            ("--env=DB_PASSWORD=one, two", "--env=DB_PASSWORD=[redacted]"),
            ("DB_PASSWORD=one two", "DB_PASSWORD=[redacted]"),
            ("\"PGPASSWORD=a=b c\"", "\"PGPASSWORD=[redacted]\""),
            ("-Ddb.password=hunter2", "-Ddb.password=[redacted]"),
            ("Authorization: Bearer abc def", "Authorization: [redacted]"),
            (r#"{"user":"me","password":"s3","x":"y"}"#, r#"{"user":"me","password":"[redacted]","x":"y"}"#),
            (r#"{\"password\":\"s3\"}"#, r#"{\"password\":\"[redacted]\"}"#),
            ("http://host/?ü=1&token=é&x=1", "http://host/?ü=1&token=[redacted]&x=1"),
            ("/a?token=abc&x=1", "/a?token=[redacted]&x=1"),
            ("http://me:abc@host/", "http://[redacted]@host/"),
            ("--heap=256m", "--heap=256m"),
            ("http://host:80/@me", "http://host:80/@me"),
        ] {
            assert_eq!(argument(given), left);
        }
        let args = ["--token".to_string(), "abc".to_string(), "x".to_string()];
        assert_eq!(arguments(&args), ["--token", "[redacted]", "x"]);
        let set = "workload.page.headers.Authorization=Bearer hunter2";
        let args = ["--set".to_string(), set.to_string(), format!("--set={set}"), "--set=seed=7".to_string()];
        let left = "workload.page.headers.Authorization=[redacted]";
        assert_eq!(arguments(&args), ["--set", left, &format!("--set={left}"), "--set=seed=7"]);
    }

    #[test]
    fn credentials_of_proofloads_own_flags_are_replaced_and_names_of_files_stay() {
        let given = [
            "compare",
            "--basic",
            "me:pw",
            "--basic=me:pw",
            "--bearer",
            "abc",
            "--bearer=abc",
            "--proxy-user",
            "tls:pw",
            "--proxy-user=tls:pw",
            "--proxy",
            "http://u:p@h:1",
            "-kqHCookie: a=b",
            "-HAccept: x",
            "-H",
            "Cookie: a=b",
            "--basic",
            "me:@f",
            "--bearer=@f",
            "--proxy-user",
            "tls:@f",
            "-c",
            "2",
        ];
        let left = [
            "compare",
            "--basic",
            "[redacted]",
            "--basic=[redacted]",
            "--bearer",
            "[redacted]",
            "--bearer=[redacted]",
            "--proxy-user",
            "[redacted]",
            "--proxy-user=[redacted]",
            "--proxy",
            "http://[redacted]@h:1",
            "-kqHCookie: [redacted]",
            "-HAccept: x",
            "-H",
            "Cookie: [redacted]",
            "--basic",
            "me:@f",
            "--bearer=@f",
            "--proxy-user",
            "tls:@f",
            "-c",
            "2",
        ];
        assert_eq!(own_arguments(&given.map(str::to_string)), left);
    }

    #[test]
    fn the_text_of_a_study_keeps_everything_but_credentials() {
        let given = concat!(
            "claims:\n  token cost: p99(a) < 1s\nworkload: # keep\n  page:\n",
            "    headers: { Authorization: \"Basic abc\", Accept: x }\n    cookie: |\n      k=v\n      l=w\n",
            "    with:\n      db_password: s3\n      command: [run, --token, t0, 'url?secret=xyz']\nend: 1\n"
        );
        let sink = super::super::problem::Sink::new("x");
        let tree = super::super::yaml::parse(given, &sink).unwrap();
        let left = text(given, &tree);
        for secret in ["Basic", "abc", "k=v", "l=w", "s3", "t0", "xyz"] {
            assert!(!left.contains(secret), "{secret} in {left}");
        }
        for kept in
            ["# keep", "Accept: x", "--token", "url?secret=[redacted]", "\nend: 1\n", "with:\n", "p99(a)"]
        {
            assert!(left.contains(kept), "{kept} in {left}");
        }
        assert!(super::super::yaml::parse(&left, &sink).is_some(), "{left}");
    }
}
