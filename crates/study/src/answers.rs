//! Values of answers: those that are captured for later steps, and those that are compared with what is expected.

use super::field::Field;
use super::keys::{ARGUMENT, Kind, WORD, keys, kinds};
use super::problem::shown;
use super::request_defaults::Shared;
use super::suggest::not_one_of;
use proofload_engine::journey::Test;
use proofload_engine::reading::{Capture, Requirement, Source};
use proofload_extract::{Finder, Pick, Selector};
use proofload_facts::{Expected, Mistake};
use proofload_store::redact;

/// Most captures of one answer.
const CAPTURES_MAX: usize = 64;

keys! {
    /// A value of an answer that later steps use as `${name}`.
    CAPTURE exactly_one(json, regex, css, xpath, header, cookie, status) {
        /// JSONPath in the body, or in the reply of a call: `$.user.id`.
        optional json: WORD,
        /// Regular expression; the first group if there is one, else the whole match.
        optional regex: WORD,
        /// CSS selector in an HTML page: its text, or an `attribute`.
        optional css: WORD,
        /// XPath in a page or an XML document.
        optional xpath: WORD,
        /// Header of the answer.
        optional header: WORD,
        /// Cookie that the user has after the answer.
        optional cookie: WORD,
        /// The status of the answer.
        optional status: Kind::Switch,
        /// Attribute of what `css` finds, instead of its text.
        optional attribute: WORD,
        /// Of several matches the one with this number, the `last`, `any` of them, or their `count`; the first by default.
        optional pick: PICK,
        /// Value where there is none; without it the exchange and the journey fail.
        optional otherwise: ARGUMENT,
    }

    /// Comparison of a value.
    TEST exactly_one(is, is_not, below, at_most, above, at_least, present) {
        /// This text or number.
        optional is: SCALAR,
        /// Anything else.
        optional is_not: SCALAR,
        /// A number below this one.
        optional below: NUMBER,
        /// This number or one below.
        optional at_most: NUMBER,
        /// A number above this one.
        optional above: NUMBER,
        /// This number or one above.
        optional at_least: NUMBER,
        /// There is one, or none.
        optional present: Kind::Switch,
    }
}

kinds! {
    /// Values that later steps use, by name: a JSONPath that begins with `$`, or another place.
    CAPTURES = Kind::Names(&CAPTURED, 1, CAPTURES_MAX);
    /// Values of an answer, by their place: a text, a number, `true`, or a comparison.
    VALUES = Kind::Names(&Kind::Either(&[&SCALAR, &Kind::Map(&[&TEST])]), 1, CAPTURES_MAX);
}

const CAPTURED: Kind = Kind::Either(&[&Kind::Text(r"^\$"), &Kind::Map(&[&CAPTURE])]);
const PICK: Kind = Kind::Either(&[
    &Kind::Integer(1, 1_000_000),
    &Kind::Words(&[("last", "The last."), ("any", "Any of them (seeded)."), ("count", "Their number.")]),
]);
const SCALAR: Kind = Kind::Number(r#"{"type": ["string", "number", "boolean"]}"#);
const NUMBER: Kind = Kind::Number(r#"{"type": "number"}"#);
const FORM: &str = "capture: { token: $.token, csrf: { css: \"input[name=_csrf]\", attribute: value } }";

/// Reads `capture:` of a step; its variables were declared before.
pub(super) fn check_captures(field: &Field<'_>, shared: &Shared<'_>) -> Option<Vec<Capture>> {
    let entries = field.entries(FORM)?;
    let checked: Vec<Option<Capture>> = entries
        .iter()
        .map(|(entry, field)| {
            let (from, pick, otherwise) = check_capture(field)?;
            otherwise.iter().for_each(|value| redact::know_named(&entry.key, value));
            let variable = shared.feeders.borrow_mut().add_variable(&entry.key);
            let variable = usize::from(field.take(variable)?);
            Some(Capture { variable, name: entry.key.clone(), from, pick, otherwise })
        })
        .collect();
    checked.into_iter().collect()
}

fn check_capture(field: &Field<'_>) -> Option<(Source, Pick, Option<String>)> {
    if !field.is_map() {
        let path = field.text("$.token")?;
        let from = selected(field, Selector::JsonPath(path.trim().to_string()))?;
        return Some((from, Pick::Nth(1), None));
    }
    let map = field.map(FORM)?;
    let found = map.exactly_one("json: $.token");
    let attribute = map.optional("attribute");
    let pick = map.optional("pick").map_or(Some(Pick::Nth(1)), |field| check_pick(&field));
    let otherwise = map.optional("otherwise").map_or(Some(None), |field| scalar(&field).map(Some));
    map.close();
    let (key, place) = found?;
    if let Some(attribute) = attribute.as_ref().filter(|_| key != "css") {
        attribute.problem(Mistake::NoMeaningWithout { needs: "css".to_string() });
    }
    let attribute =
        attribute.map_or(Some(None), |field| field.text("value").map(|text| Some(text.to_string())));
    let from = match key {
        "status" if place.boolean()? => Source::Status,
        "status" => {
            place.wrong(Expected::TrueOrFalse, "true");
            return None;
        }
        _ => source(&place, key, attribute?)?,
    };
    Some((from, pick?, otherwise?))
}

/// The place of a value that a key names, except the status.
fn source(place: &Field<'_>, key: &str, attribute: Option<String>) -> Option<Source> {
    let text = place.text("$.token")?.trim().to_string();
    let selector = match key {
        "header" => return Some(Source::Header(text)),
        "cookie" => return Some(Source::Cookie(text)),
        "json" => Selector::JsonPath(text),
        "regex" => Selector::Regex(text),
        "xpath" => Selector::XPath(text),
        _ => Selector::Css { selector: text, attribute },
    };
    selected(place, selector)
}

/// A selector that can be used.
fn selected(field: &Field<'_>, selector: Selector) -> Option<Source> {
    field.take(readable(selector))
}

fn readable(selector: Selector) -> Result<Source, Mistake> {
    match Finder::new(&selector) {
        Ok(_) => Ok(Source::Body(selector)),
        Err(error) => {
            let (found, expected) = match &selector {
                Selector::JsonPath(text) => (text, Expected::JsonPath),
                Selector::Regex(text) => (text, Expected::Regex),
                Selector::Css { selector, .. } => (selector, Expected::CssSelector),
                Selector::XPath(text) => (text, Expected::Xpath),
            };
            Err(Mistake::BadFormat { expected, error: error.to_string() }.at(shown(found)))
        }
    }
}

fn check_pick(field: &Field<'_>) -> Option<Pick> {
    match field.written() {
        Some("last") => Some(Pick::Last),
        Some("any") => Some(Pick::Any),
        Some("count") => Some(Pick::Count),
        _ => field.integer().map(|number| Pick::Nth(number as u32)),
    }
}

/// A text, number or truth value as it was written.
fn scalar(field: &Field<'_>) -> Option<String> {
    match field.written() {
        Some(text) if text.contains("${") => {
            field.problem(Mistake::NotFilled);
            None
        }
        Some(text) if field.node.kind().is_some() => Some(text.to_string()),
        _ => {
            field.wrong(Expected::Text, "value, 5, true");
            None
        }
    }
}

/// Values of an answer that `json`, `regex`, `css`, `xpath` or `header` of `expect:` name.
pub(super) fn check_values(field: &Field<'_>, key: &str) -> Option<Vec<Requirement>> {
    if !field.is_map() {
        // A place alone: something is there.
        let places = field.one_or_many("[one, other]")?;
        let one = |field: &Field<'_>| {
            if key == "json" {
                return field.take(requirement(field.text("$.ok == true")?));
            }
            let from = source(field, key, None)?;
            Some(Requirement { written: field.written()?.to_string(), from, test: Test::Present })
        };
        return places.iter().map(one).collect();
    }
    let checked: Vec<Option<Requirement>> = field
        .entries("{ $.ok: true }")?
        .iter()
        .map(|(entry, field)| {
            let selector = match key {
                "header" => Ok(Source::Header(entry.key.clone())),
                "json" => readable(Selector::JsonPath(entry.key.clone())),
                "regex" => readable(Selector::Regex(entry.key.clone())),
                "xpath" => readable(Selector::XPath(entry.key.clone())),
                _ => readable(Selector::Css { selector: entry.key.clone(), attribute: None }),
            };
            let from = selector.map_err(|mistake| field.sink.add(entry.place, &field.path, mistake)).ok()?;
            field.written().iter().for_each(|value| redact::know_named(last_word(&entry.key), value));
            Some(Requirement { written: entry.key.clone(), from, test: check_test(field)? })
        })
        .collect();
    checked.into_iter().collect()
}

/// The name at the end of a place: `$.user.token` is a token.
fn last_word(place: &str) -> &str {
    let mut words = place.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-');
    words.rfind(|word| !word.is_empty()).unwrap_or_default()
}

fn check_test(field: &Field<'_>) -> Option<Test> {
    if !field.is_map() {
        return scalar(field).map(Test::Is);
    }
    let map = field.map("{ at_least: 1 }")?;
    let found = map.exactly_one("is: ok");
    map.close();
    let (key, value) = found?;
    let number = || {
        let number = value.written().and_then(|text| text.trim().parse::<f64>().ok());
        if number.is_none() {
            value.wrong(Expected::Number, "5, 0.5");
        }
        number
    };
    Some(match key {
        "is" => Test::Is(scalar(&value)?),
        "is_not" => Test::IsNot(scalar(&value)?),
        "below" => Test::Below(number()?),
        "at_most" => Test::AtMost(number()?),
        "above" => Test::Above(number()?),
        "at_least" => Test::AtLeast(number()?),
        _ if value.boolean()? => Test::Present,
        _ => Test::Absent,
    })
}

/// A comparison on one line, its left side and its test: `$.ok == true`, `${pages} > 3`; a left side alone is
/// [`Test::Present`].
pub(super) fn comparison(text: &str) -> Result<(&str, Test), Mistake> {
    const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
    let found =
        OPERATORS.iter().filter_map(|operator| Some((text.rfind(&format!(" {operator} "))?, *operator)));
    let Some((at, operator)) = found.max() else {
        return Ok((text.trim(), Test::Present));
    };
    let (left, right) = (text[..at].trim(), text[at + operator.len() + 2..].trim());
    let unquoted = right.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    if right.contains("${") {
        return Err(Mistake::NotFilled);
    }
    let word = unquoted.unwrap_or(right).to_string();
    let number = || right.parse::<f64>().map_err(|_| Mistake::not(shown(right), Expected::Number, "5, 0.5"));
    let test = match operator {
        "==" => Test::Is(word),
        "!=" => Test::IsNot(word),
        "<" => Test::Below(number()?),
        "<=" => Test::AtMost(number()?),
        ">" => Test::Above(number()?),
        _ => Test::AtLeast(number()?),
    };
    Ok((left, test))
}

/// A requirement on one line: `$.ok == true`.
fn requirement(text: &str) -> Result<Requirement, Mistake> {
    let (left, test) = comparison(text)?;
    if !left.starts_with('$') {
        return Err(not_one_of(left, &["$.ok == true"]));
    }
    Ok(Requirement { written: left.to_string(), from: readable(Selector::JsonPath(left.to_string()))?, test })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_split_at_its_last_operator() {
        let of = |text: &'static str| comparison(text).unwrap();
        assert_eq!(of("$.ok == true"), ("$.ok", Test::Is("true".into())));
        assert_eq!(of("$[?(@.a == 1)].n >= 2.5"), ("$[?(@.a == 1)].n", Test::AtLeast(2.5)));
        assert_eq!(of("${role} != 'a b'"), ("${role}", Test::IsNot("a b".into())));
        assert_eq!(of(" ${more} "), ("${more}", Test::Present));
        assert_eq!(of("${n} < 3").1, Test::Below(3.0));
        assert!(comparison("${n} > many").is_err());
    }
}
