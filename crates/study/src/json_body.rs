//! Places of values in a body of JSON.

use super::template::TextPart;
use super::writing::Context;
use serde::de::IgnoredAny;

/// Context of each placeholder of a body, in order. A text is JSON if it is that with any values in its places; it begins with
/// a bracket or a quote, so that a body which is one value alone is whatever that value is.
pub(super) fn contexts(parts: &[TextPart<'_>]) -> Option<Vec<Context>> {
    let begins = match parts.first()? {
        TextPart::Text(text) => text.trim_ascii_start().starts_with(['{', '[', '"']),
        _ => false,
    };
    if !begins || !parts.iter().any(|part| !matches!(part, TextPart::Text(_))) {
        return None;
    }
    let (mut filled, mut contexts) = (String::new(), Vec::new());
    let (mut in_string, mut escaped) = (false, false);
    for part in parts {
        match part {
            TextPart::Text(text) => {
                filled.push_str(text);
                for byte in text.bytes() {
                    in_string ^= byte == b'"' && !escaped;
                    escaped = in_string && byte == b'\\' && !escaped;
                }
            }
            _ if in_string => contexts.push(Context::JsonString),
            _ => {
                // Any value, and a key as well.
                filled.push_str("\"\"");
                contexts.push(Context::JsonValue);
            }
        }
    }
    serde_json::from_str::<IgnoredAny>(&filled).is_ok().then_some(contexts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::parts;

    #[test]
    fn a_place_is_within_a_string_or_outside() {
        let (within, outside) = (Context::JsonString, Context::JsonValue);
        for (text, expected) in [
            (r#"{"a":"${t}"}"#, Some(vec![within])),
            (r#" ["x${t}y", ${t}, {"${t}": ${env.A}}]"#, Some(vec![within, outside, within, outside])),
            (r#"{${t}: "\"${t}\\", "b": "\\"}"#, Some(vec![outside, within])),
            (r#""$${x} ${t}""#, Some(vec![within])),
            (r#"[${t}${t}]"#, None),
            (r#"[1${t}]"#, None),
            (r#"["\${t}"]"#, None),
            (r#"{"a": "${t}}"#, None),
            ("{}", None),
            ("", None),
            ("${t}", None),
            ("<a b=\"${t}\"/>", None),
            ("{name: ${t}}", None),
        ] {
            assert_eq!(contexts(&parts(text).unwrap()), expected, "{text}");
        }
    }
}
