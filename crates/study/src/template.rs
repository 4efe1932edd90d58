//! Placeholders within a text: `${feeder}`, `${feeder.column}`, `${variable}`, `${env.NAME}`, each perhaps with the form that its
//! value takes: `${feeder.column|json}`. `$${` is a literal `${`.

use super::suggest::not_one_of;
use proofload_engine::feed::Filter;
use proofload_facts::Mistake;

/// Forms that a value can be given.
const FILTERS: [(&str, Filter); 6] = [
    ("json", Filter::Json),
    ("form", Filter::Form),
    ("url", Filter::Url),
    ("raw", Filter::Raw),
    ("base64", Filter::Base64),
    ("sha256", Filter::Sha256),
];

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPart<'t> {
    Text(&'t str),
    /// A value of a feeder, or what a user has captured.
    Value {
        name: &'t str,
        column: Option<&'t str>,
        /// None: the filter of the place.
        filter: Option<Filter>,
    },
    /// A variable of the environment.
    Variable {
        name: &'t str,
        filter: Option<Filter>,
    },
}

/// The mistake of a filter that is none of these.
pub(super) fn no_filter(found: &str, takes: impl Fn(Filter) -> bool) -> Mistake {
    let known: Vec<&str> =
        FILTERS.iter().filter(|(_, filter)| takes(*filter)).map(|(name, _)| *name).collect();
    not_one_of(found, &known)
}

/// The name of a filter, as it is written.
pub(super) fn name_of(filter: Filter) -> &'static str {
    FILTERS.iter().find(|(_, known)| *known == filter).map_or("", |(name, _)| name)
}

/// `name|json` taken apart.
fn filtered(text: &str) -> Result<(&str, Option<Filter>), Mistake> {
    let Some((name, filter)) = text.rsplit_once('|') else { return Ok((text, None)) };
    let filter = filter.trim();
    let known = FILTERS.iter().find(|(known, _)| *known == filter);
    let (_, filter) = known.ok_or_else(|| no_filter(filter, |_| true))?;
    Ok((name.trim_end(), Some(*filter)))
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
        let (name, filter) = filtered(name)?;
        parts.push(match name.split_once('.') {
            Some(("env", name)) => TextPart::Variable { name, filter },
            Some((name, column)) => TextPart::Value { name, column: Some(column), filter },
            None => TextPart::Value { name, column: None, filter },
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
        let value = |name, column| TextPart::Value { name, column, filter: None };
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
                    TextPart::Variable { name: "HOME", filter: None },
                ],
            ),
            ("$${t}$", vec![TextPart::Text("${"), TextPart::Text("t}$")]),
            ("é$${${t}", vec![TextPart::Text("é"), TextPart::Text("${"), value("t", None)]),
        ] {
            assert_eq!(parts(text).as_deref(), Ok(expected.as_slice()), "{text}");
        }
        assert_eq!(parts("a${b"), Err(Mistake::OpenPlaceholder));
    }

    #[test]
    fn a_filter_stands_behind_the_name() {
        for (name, filter) in FILTERS {
            let filter = Some(filter);
            let value = [TextPart::Value { name: "t", column: Some("c|d"), filter }];
            assert_eq!(parts(&format!("${{t.c|d | {name} }}")).as_deref(), Ok(&value[..]));
            let variable = [TextPart::Variable { name: "A", filter }];
            assert_eq!(parts(&format!("${{env.A|{name}}}")).as_deref(), Ok(&variable[..]));
        }
        for (text, found) in [("${t|jsn}", "jsn"), ("${t|}", ""), ("${t|JSON}", "JSON")] {
            let mistake = parts(text).unwrap_err();
            assert!(
                matches!(&mistake, Mistake::NotOneOf { found: it, choices, .. } if it == found && choices.len() == 6),
                "{mistake:?}"
            );
        }
    }
}
