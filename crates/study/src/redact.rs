//! Credentials in the structure of a study and of a command line, where names of keys are known.
//!
//! Values are replaced in place, the rest of the text stays byte for byte.

use super::problem::Sink;
use super::yaml::{self, Node, Value};
use std::ops::Range;
use std::rc::Rc;

use proofload_store::redact;
pub use proofload_store::redact::{REDACTED, is_sensitive};

/// The text of a study without its credentials.
pub(crate) fn text(text: &str, tree: &Rc<Node>) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cuts: Vec<(Range<usize>, String)> = Vec::new();
    each_value(tree, &mut |value| cut_of(value, text, &mut cuts));
    cut(text, cuts)
}

/// The text of a study in which variables of the environment replace its credentials.
pub(crate) fn as_variables(text: &str, tree: &Rc<Node>) -> String {
    let mut cuts: Vec<(Range<usize>, String)> = Vec::new();
    each_value(tree, &mut |value| {
        let mut found = Vec::new();
        cut_of(value, text, &mut found);
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let name: String = value.name.unwrap_or("secret").chars().map(letter).collect();
        let variable = format!("${{env.{name}}}");
        cuts.extend(found.into_iter().map(|(bytes, without)| match value.sensitive {
            true => (bytes, format!("\"{variable}\"")),
            false => (bytes, without.replace(REDACTED, &variable)),
        }));
    });
    cut(text, cuts)
}

/// The text of one value without its credentials; `name` is that of its key.
pub(crate) fn value(text: &str, tree: &Rc<Node>, name: &str) -> String {
    let mut cuts = Vec::new();
    let value = At { name: Some(name), node: tree, sensitive: is_sensitive(name) };
    below(value, &mut |value| cut_of(value, text, &mut cuts));
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

/// Takes note of the credentials of a study.
pub(crate) fn know(tree: &Node) {
    each_value(tree, &mut |value| {
        let Value::Scalar { text, .. } = &value.node.value else { return };
        match value.name.filter(|_| value.sensitive) {
            Some(name) if is_sensitive(name) => redact::know_named(name, text),
            // Within what has such a name.
            Some(_) => redact::know_named("password", text),
            None => redact::know_in(text),
        }
    });
}

/// Takes note of the credentials in a setting.
pub(crate) fn know_setting(setting: &str) {
    let (key, value) = split_setting(setting);
    if let Some(tree) = value.and_then(|value| yaml::parse(value, &Sink::new("--set"))) {
        let value = At { name: Some(key), node: &tree, sensitive: is_sensitive(key) };
        below(value, &mut |value| {
            let Value::Scalar { text, .. } = &value.node.value else { return };
            redact::know_named(if value.sensitive { "password" } else { value.name.unwrap_or("") }, text);
        });
    }
}

/// A value of a study.
#[derive(Clone, Copy)]
struct At<'a> {
    /// Its key, or that of the list it is in.
    name: Option<&'a str>,
    node: &'a Node,
    /// True if it is under the name of a credential.
    sensitive: bool,
}

/// Only credentials, subjects and the workload hold values that are sent or started; the names and texts of claims do
/// not.
fn each_value(tree: &Node, act: &mut dyn FnMut(At<'_>)) {
    let Value::Map(entries) = &tree.value else { return };
    for entry in entries {
        match entry.key.as_str() {
            "auth" => below(At { name: Some("basic"), node: &entry.node, sensitive: true }, act),
            "subjects" | "workload" => {
                let Value::Map(named) = &entry.node.value else { continue };
                for named in named {
                    below(At { name: None, node: &named.node, sensitive: false }, act);
                }
            }
            _ => {}
        }
    }
}

fn below(at: At<'_>, act: &mut dyn FnMut(At<'_>)) {
    match &at.node.value {
        Value::Map(entries) => {
            for entry in entries {
                let sensitive = at.sensitive || is_sensitive(&entry.key);
                below(At { name: Some(&entry.key), node: &entry.node, sensitive }, act);
            }
        }
        Value::List(items) => {
            let mut after_flag = false;
            for item in items {
                below(At { node: item, sensitive: at.sensitive || after_flag, ..at }, act);
                after_flag = matches!(&item.value, Value::Scalar { text, .. } if is_sensitive_flag(text));
            }
        }
        Value::Scalar { .. } => act(at),
    }
}

/// Adds the cuts in a value's text.
fn cut_of(at: At<'_>, text: &str, cuts: &mut Vec<(Range<usize>, String)>) {
    // The bytes of a block scalar go on to the next key.
    let written = text.get(at.node.bytes.clone()).unwrap_or("").trim_end();
    // The name of a subject in the catalogue is not a credential.
    if written.is_empty() || at.name == Some("use") {
        return;
    }
    let bytes = at.node.bytes.start..at.node.bytes.start + written.len();
    let without = match at.sensitive {
        true => redact::named("password", written),
        false => redact::word(written),
    };
    if without != written {
        cuts.push((bytes, without));
    }
}

/// Flags of Proofload whose whole value is a credential, with any content.
const CREDENTIAL_FLAGS: [&str; 5] = ["--basic", "--bearer", "--digest", "--pass", "--proxy-user"];

/// Arguments of Proofload itself without their credentials. What only names the file of a credential stays, so that a
/// run can go on.
pub fn own_arguments(args: &[String]) -> Vec<String> {
    let mut redacted = arguments(args);
    for (at, arg) in args.iter().enumerate() {
        let after = at.checked_sub(1).and_then(|before| args.get(before));
        if after.is_some_and(|flag| CREDENTIAL_FLAGS.contains(&flag.as_str())) && !is_flag(arg) {
            redacted[at] = credential(arg);
        } else if let Some((flag, value)) = arg.split_once('=')
            && CREDENTIAL_FLAGS.contains(&flag)
        {
            redacted[at] = format!("{flag}={}", credential(value));
        } else if let Some(at_value) = glued_header(arg) {
            let (flag, header) = arg.split_at(at_value);
            redacted[at] = format!("{flag}{}", redact::word(header));
        }
    }
    redacted
}

/// Takes note of the credentials in arguments of Proofload itself.
pub fn know_own_arguments(args: &[String]) {
    know_arguments(args);
    for (at, arg) in args.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| args.get(before)).map_or("", String::as_str);
        match arg.split_once('=') {
            _ if CREDENTIAL_FLAGS.contains(&before) && !is_flag(arg) => know_credential(arg),
            _ if before == "--set" => know_setting(arg),
            Some(("--set", setting)) => know_setting(setting),
            Some((flag, value)) if CREDENTIAL_FLAGS.contains(&flag) => know_credential(value),
            _ => {
                let header = &arg[glued_header(arg).unwrap_or(0)..];
                if let Some((name, value)) = header.split_once(':') {
                    redact::know_named(name, value);
                }
            }
        }
    }
}

fn know_credential(value: &str) {
    if credential(value) == REDACTED {
        redact::know_named("password", value);
    }
}

/// `@FILE` and `user:@FILE` name no credential; anything else is one.
fn credential(value: &str) -> String {
    let secret = value.split_once(':').map_or(value, |(_, password)| password);
    if value.starts_with('@') || secret.starts_with('@') { value.to_string() } else { REDACTED.to_string() }
}

/// Start of the header in `-HCookie: x`, also behind other short flags.
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
                _ if after_flag && !is_flag(arg) => REDACTED.to_string(),
                // The whole value of a setting belongs to its key, with its spaces.
                _ if after_set => self::setting(arg),
                Some(setting) => format!("--set={}", self::setting(setting)),
                None => redact::word(arg),
            };
            after_flag = is_sensitive_flag(arg);
            after_set = arg == "--set";
            out
        })
        .collect()
}

/// Takes note of the credentials in arguments of a command.
pub fn know_arguments(args: &[String]) {
    for (at, arg) in args.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| args.get(before));
        match before.filter(|flag| is_sensitive_flag(flag) && !is_flag(arg)) {
            Some(flag) => redact::know_named(flag, arg),
            None => redact::know_in(arg),
        }
    }
}

/// An option of its own: the one before it has no value.
fn is_flag(arg: &str) -> bool {
    arg.starts_with("--") && arg.len() > 2
}

/// `--password`, whose value is the next argument.
fn is_sensitive_flag(arg: &str) -> bool {
    arg.starts_with('-') && !arg.contains('=') && !arg.contains(char::is_whitespace) && is_sensitive(arg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_after_a_flag_and_that_of_a_setting_are_replaced() {
        let args = ["--token".to_string(), "abc".to_string(), "x".to_string()];
        assert_eq!(arguments(&args), ["--token", "[redacted]", "x"]);
        let args = ["--token".to_string(), "--verbose".to_string()];
        know_own_arguments(&args);
        know_own_arguments(&["--bearer".to_string(), "--quick".to_string()]);
        assert_eq!(arguments(&args), ["--token", "--verbose"], "an option is no credential");
        assert_eq!(redact::hide("--verbose --quick"), "--verbose --quick");
        let set = "workload.page.headers.Authorization=Bearer hunter2";
        let args = ["--set".to_string(), set.to_string(), format!("--set={set}"), "--set=seed=7".to_string()];
        let left = "workload.page.headers.Authorization=Bearer [redacted]";
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
        for secret in ["abc", "k=v", "l=w", "s3", "t0", "xyz"] {
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
