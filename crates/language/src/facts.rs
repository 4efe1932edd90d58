//! Facts as sentences: the message whose identifier is the fact's code, with its fields as variables.
//!
//! The end of a field's name says how it is drawn: `_ns` as a duration, `_s` in seconds, `_share` in per cent, `_bytes` in
//! binary units, `_per_s` as a rate, `ratio` with two decimals. Other whole numbers choose between singular and plural. A
//! fact within a fact is drawn as its own sentence; what has no value is `none`, which a message can choose by.

use crate::{Language, catalogue, number, text};
use fluent_bundle::FluentValue;
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// Text for a field without a value.
const NONE: &str = "none";
/// Whole numbers from here on are drawn with their thousands apart, and choose the plural.
const GROUPED_FROM: u64 = 1_000;

/// A fact in the language that is spoken.
pub fn told(fact: &impl Serialize) -> String {
    sentence(Language::spoken(), fact)
}

/// A fact in English, as files for programs have it.
pub fn in_english(fact: &impl Serialize) -> String {
    sentence(Language::English, fact)
}

fn sentence(language: Language, fact: &impl Serialize) -> String {
    // Facts are plain fields with text keys, which serde_json always takes.
    language.within(|| serde_json::to_value(fact).map(|fact| drawn("", &fact)).unwrap_or_default())
}

/// The sentence of a serialised fact that has a code; `None` for anything else, or a code without a message.
pub fn of_json(fact: &Json) -> Option<String> {
    let fields = fact.as_object()?;
    let code = fields.get("code")?.as_str()?;
    catalogue::known(code).map(|code| of_fields(code, fields))
}

fn of_fields(code: &'static str, fields: &Map<String, Json>) -> String {
    let fields = fields.iter().filter(|(name, _)| *name != "code");
    let arguments = fields.map(|(name, value)| (name.clone(), argument(name, value)));
    catalogue::filled(Language::spoken(), code, arguments)
}

/// A field as a message takes it.
fn argument(name: &str, value: &Json) -> FluentValue<'static> {
    match value.as_u64().filter(|_| unit(name).is_none()) {
        Some(count) if count < GROUPED_FROM => FluentValue::from(count),
        _ => FluentValue::from(drawn(name, value)),
    }
}

/// The unit in the end of a field's name.
fn unit(name: &str) -> Option<&'static str> {
    const ENDS: [(&str, &str); 6] = [
        ("_per_s", "per_s"),
        ("_ns", "ns"),
        ("_s", "s"),
        ("_share", "share"),
        ("_bytes", "bytes"),
        ("ratio", "ratio"),
    ];
    ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, unit)| *unit)
}

fn drawn(name: &str, value: &Json) -> String {
    match value {
        Json::Null => NONE.to_string(),
        Json::String(text) if text.is_empty() => NONE.to_string(),
        Json::String(text) => of_text(text),
        Json::Bool(is) => is.to_string(),
        Json::Number(number) => of_number(name, number.as_f64().unwrap_or(f64::NAN), number.as_u64()),
        Json::Array(items) if items.is_empty() => NONE.to_string(),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| drawn(name, item)).collect();
            // Names of variants have commas of their own.
            let has_commas = items.iter().any(|item| item.contains(','));
            let between = text(if has_commas { "between-sentences" } else { "between-items" });
            match items.split_last() {
                Some((last, rest)) if name == "choices" && !rest.is_empty() => {
                    [&rest.join(between), last.as_str()].join(text("between-choices"))
                }
                _ => items.join(between),
            }
        }
        Json::Object(fields) => of_object(value, fields),
    }
}

/// A message as its code and fields, in which a record keeps an error.
pub(crate) fn as_code(id: &str, arguments: &[(&'static str, crate::Value<'_>)]) -> String {
    let field = |value: &crate::Value<'_>| match value {
        FluentValue::String(text) => Json::from(text.as_ref()),
        FluentValue::Number(number) => Json::from(number.value as i64),
        _ => Json::Null,
    };
    let fields = arguments.iter().map(|(name, value)| ((*name).to_string(), field(value)));
    let fact: Map<String, Json> = [("code".to_string(), Json::from(id))].into_iter().chain(fields).collect();
    Json::Object(fact).to_string()
}

/// A text, whose lines can be errors as their codes.
fn of_text(text: &str) -> String {
    let line = |line: &str| {
        let fact = line.starts_with("{\"code\":").then(|| serde_json::from_str(line).ok()).flatten();
        fact.and_then(|fact| of_json(&fact)).unwrap_or_else(|| line.to_string())
    };
    match text.contains("{\"code\":") {
        true => text.split('\n').map(line).collect::<Vec<_>>().join("\n"),
        false => text.to_string(),
    }
}

fn of_number(name: &str, value: f64, whole: Option<u64>) -> String {
    match (unit(name), whole) {
        (Some("s"), _) => crate::tr!("fact-seconds", seconds = number::short(value, "count")),
        (Some("share"), _) => of_share(value),
        (Some(unit), _) => number::with_unit(value, unit),
        (None, Some(count)) => number::count(count),
        (None, None) => number::short(value, "count"),
    }
}

/// In per cent: from 10 % on without decimals. Below that digits matter: what is allowed is often not much less.
fn of_share(value: f64) -> String {
    match value {
        _ if value < 0.0 => format!("−{}", of_share(-value)),
        _ if value < 0.099_5 => number::short(value, "share"),
        _ => number::short_percent(value),
    }
}

/// A fact that this version has no message for: its code.
fn unknown(fields: &Map<String, Json>) -> String {
    fields.get("code").and_then(Json::as_str).unwrap_or_default().to_string()
}

/// A fact, or an amount with its unit, or a quantity at a level of a condition.
fn of_object(value: &Json, fields: &Map<String, Json>) -> String {
    let number = |name: &str| fields.get(name).and_then(Json::as_f64);
    let unit = fields.get("unit").and_then(Json::as_str).unwrap_or_default();
    match (number("value"), number("point"), number("low").zip(number("high"))) {
        (Some(value), ..) => number::with_unit(value, unit),
        (_, Some(point), Some((low, high))) => at_level(fields, number::interval(point, low, high, unit)),
        (_, Some(point), None) => number::with_unit(point, unit),
        _ => of_json(value).unwrap_or_else(|| unknown(fields)),
    }
}

/// A quantity, with the level of the condition that it was measured at, where it has one.
fn at_level(fields: &Map<String, Json>, interval: String) -> String {
    let text = |name: &str| fields.get(name).and_then(Json::as_str);
    match text("condition").zip(text("level")) {
        Some((name, level)) => {
            crate::tr!("fact-at-level", interval, condition = crate::condition(name, level))
        }
        None => interval,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fact_of_a_newer_version_is_kept_and_told_by_its_code() {
        let newer = json!({"code": "of-tomorrow", "share": 0.5});
        let read: proofload_facts::Limit = serde_json::from_value(newer.clone()).expect("a fact");
        assert_eq!(in_english(&read), "of-tomorrow");
        assert_eq!(serde_json::to_value(&read).expect("plain fields"), newer);
    }

    #[test]
    fn an_error_is_kept_as_its_code_and_drawn_in_any_language() {
        let keeper = || crate::tr!("subject-no-keeper", why = "it died");
        let error = || crate::tr!("subject-not-started", subject = "a", program = "./b", why = keeper());
        let kept = proofload_facts::Finding::failed(Language::Chinese.within(error));
        assert!(in_english(&kept).contains("无法"), "a text that was drawn before stays");
        struct Error<F>(F);
        impl<F: Fn() -> String> std::fmt::Display for Error<F> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&(self.0)())
            }
        }
        let kept = Language::Chinese.within(|| proofload_facts::Finding::failed(Error(error)));
        assert!(in_english(&kept).contains("`./b` could not be started: the keeper"), "{kept:?}");
        assert!(
            Language::Chinese.within(|| told(&kept)).contains("无法启动 `./b`：无法启动被测服务"),
            "{kept:?}"
        );
    }

    #[test]
    fn a_number_to_be_copied_has_no_separators() {
        let limit = proofload_facts::Limit::EndsConnections {
            variant: String::new(),
            connections: 1_200,
            exchanges: 1_000,
            failed: 1,
            keep_alive: "1000".to_string(),
        };
        let told = in_english(&limit);
        assert!(told.starts_with("the server ended 1,200 connections after 1,000 exchanges each"), "{told}");
        assert!(
            told.ends_with("1 exchange failed for it: --keep-alive 1000 measures it without errors"),
            "{told}"
        );
    }

    #[test]
    fn a_field_is_drawn_by_the_end_of_its_name() {
        for (name, value, expected) in [
            ("p90_ns", json!(3_216_000), "3.22 ms"),
            ("busy_share", json!(0.985), "98 %"),
            ("allowed_share", json!(0.05), "5 %"),
            ("error_share", json!(0.001_4), "0.14 %"),
            ("faster_share", json!(-0.03), "−3 %"),
            ("upper_share", json!(0.0000342), "0.00342 %"),
            ("names", json!(["a,1", "b,1"]), "a,1; b,1"),
            ("needed_bytes", json!(2_147_483_648_u64), "2.00 GiB"),
            ("most_per_s", json!(12_345.6), "12,346/s"),
            ("from_s", json!(20), "20 s"),
            ("ratio", json!(1.054), "1.05"),
            ("hours", json!(24.0), "24"),
            ("quota", json!(1.5), "1.5"),
            ("errors", json!(124_292), "124,292"),
            ("why", json!(null), "none"),
            ("names", json!(["a", "b"]), "a, b"),
            ("first", json!({"value": 2e6, "unit": "ns"}), "2.00 ms"),
        ] {
            assert_eq!(drawn(name, &value), expected, "{name}");
        }
    }
}
