//! Placeholders within a text: `${feeder}`, `${feeder.column}`, `${env.NAME}`; `$${` is a literal `${`.

use proofload_facts::Mistake;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
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
pub(super) fn parts(text: &str) -> Result<Vec<Part<'_>>, Mistake> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if before.ends_with('$') {
            // One `$` less is `${` itself.
            parts.extend([Part::Text(&before[..at - 1]), Part::Text(&rest[at..at + 2])]);
            rest = after;
            continue;
        }
        parts.push(Part::Text(before));
        let Some((name, after)) = after.split_once('}') else {
            return Err(Mistake::OpenPlaceholder);
        };
        parts.push(match name.split_once('.') {
            Some(("env", variable)) => Part::Variable(variable),
            Some((name, column)) => Part::Value { name, column: Some(column) },
            None => Part::Value { name, column: None },
        });
        rest = after;
    }
    parts.push(Part::Text(rest));
    parts.retain(|part| *part != Part::Text(""));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_its_parts_in_order() {
        let value = |name, column| Part::Value { name, column };
        for (text, expected) in [
            ("", vec![]),
            ("a$b", vec![Part::Text("a$b")]),
            ("${t}", vec![value("t", None)]),
            (
                "a-${t.c}-${env.HOME}",
                vec![Part::Text("a-"), value("t", Some("c")), Part::Text("-"), Part::Variable("HOME")],
            ),
            ("$${t}$", vec![Part::Text("${"), Part::Text("t}$")]),
            ("é$${${t}", vec![Part::Text("é"), Part::Text("${"), value("t", None)]),
        ] {
            assert_eq!(parts(text).as_deref(), Ok(expected.as_slice()), "{text}");
        }
        assert_eq!(parts("a${b"), Err(Mistake::OpenPlaceholder));
    }
}
