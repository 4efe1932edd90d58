//! Placeholders within a text: `${feeder}`, `${feeder.column}`, `${env.NAME}`; `$${` is a literal `${`.

use proofload_facts::Mistake;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPart<'t> {
    Text(&'t str),
    /// A value of a feeder.
    Value {
        name: &'t str,
        column: Option<&'t str>,
    },
    /// A variable of the environment.
    Variable(&'t str),
}

/// The parts of a text, in order.
///
/// # Errors
/// The mistake, and what to write instead.
pub(super) fn parts(text: &str) -> Result<Vec<TextPart<'_>>, Mistake> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if before.ends_with('$') {
            // One `$` less is `${` itself.
            parts.extend([TextPart::Text(&before[..at - 1]), TextPart::Text(&rest[at..at + 2])]);
            rest = after;
            continue;
        }
        parts.push(TextPart::Text(before));
        let Some((name, after)) = after.split_once('}') else {
            return Err(Mistake::OpenPlaceholder);
        };
        parts.push(match name.split_once('.') {
            Some(("env", variable)) => TextPart::Variable(variable),
            Some((name, column)) => TextPart::Value { name, column: Some(column) },
            None => TextPart::Value { name, column: None },
        });
        rest = after;
    }
    parts.push(TextPart::Text(rest));
    parts.retain(|part| *part != TextPart::Text(""));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_parts_in_order() {
        let value = |name, column| TextPart::Value { name, column };
        for (text, expected) in [
            ("", vec![]),
            ("a$b", vec![TextPart::Text("a$b")]),
            ("${t}", vec![value("t", None)]),
            (
                "a-${t.c}-${env.HOME}",
                vec![
                    TextPart::Text("a-"),
                    value("t", Some("c")),
                    TextPart::Text("-"),
                    TextPart::Variable("HOME"),
                ],
            ),
            ("$${t}$", vec![TextPart::Text("${"), TextPart::Text("t}$")]),
            ("é$${${t}", vec![TextPart::Text("é"), TextPart::Text("${"), value("t", None)]),
        ] {
            assert_eq!(parts(text).as_deref(), Ok(expected.as_slice()), "{text}");
        }
        assert_eq!(parts("a${b"), Err(Mistake::OpenPlaceholder));
    }
}
