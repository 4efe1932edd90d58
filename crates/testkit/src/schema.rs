//! Validation of a value by a JSON Schema, as much of it as the schemas here use; any other keyword panics. Python's
//! `jsonschema` is asked the same in `cargo xtask scrape`.

use regex_lite::Regex;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU32, Ordering};

/// Names a folder to which every question is written with its answer, for another validator.
const CASES: &str = "PROOFLOAD_SCHEMA_CASES";

/// Violations of a schema by a value: a line for each place and keyword.
pub fn schema_complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    Validator { root: schema }.check(schema, value, "", &mut complaints);
    if let Some(folder) = std::env::var_os(CASES) {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        let name = format!("{}-{}.json", std::process::id(), ASKED.fetch_add(1, Ordering::Relaxed));
        let case = serde_json::json!({ "schema": schema, "value": value, "complaints": complaints });
        std::fs::write(std::path::Path::new(&folder).join(name), case.to_string())
            .expect("a case is written");
    }
    complaints
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut complaints = Vec::new();
        self.check(schema, value, "", &mut complaints);
        complaints.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, complaints: &mut Vec<String>) {
        let Some(rules) = schema.as_object() else {
            if schema == false {
                complaints.push(format!("{at}: nothing may be here"));
            }
            return;
        };
        for (keyword, rule) in rules {
            match value {
                Value::Object(object) => self.object(rules, keyword, rule, object, at, complaints),
                Value::Array(items) => self.array(rules, keyword, rule, items, at, complaints),
                _ => {}
            }
            if !self.holds(rules, keyword, rule, value, at, complaints) {
                complaints.push(format!("{at}: {value} breaks {keyword} {rule}"));
            }
        }
    }

    /// Checks a keyword on a whole value.
    fn holds(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        at: &str,
        complaints: &mut Vec<String>,
    ) -> bool {
        let all = || rule.as_array().into_iter().flatten();
        let fitting = || all().filter(|schema| self.fits(schema, value)).count();
        match keyword {
            "$ref" => {
                let pointer =
                    rule.as_str().and_then(|to| to.strip_prefix('#')).expect("a place in this schema");
                self.check(self.root.pointer(pointer).expect(pointer), value, at, complaints);
                true
            }
            "type" => {
                rule.as_str().into_iter().chain(all().filter_map(Value::as_str)).any(|kind| is_a(kind, value))
            }
            "const" => same(rule, value),
            "enum" => all().any(|one| same(one, value)),
            "anyOf" => fitting() > 0,
            "oneOf" => fitting() == 1,
            "not" => !self.fits(rule, value),
            "if" => {
                let branch = if self.fits(rule, value) { "then" } else { "else" };
                rules.get(branch).is_none_or(|schema| self.fits(schema, value))
            }
            "properties" | "required" | "additionalProperties" | "items" | "prefixItems" => true,
            "$schema" | "$id" | "$defs" | "definitions" | "kinds" | "title" | "description" | "default"
            | "format" | "then" | "else" => true,
            _ => within(keyword, rule, value)
                .unwrap_or_else(|| panic!("{at}: a keyword that is not known here: {keyword}")),
        }
    }

    fn object(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        object: &Map<String, Value>,
        at: &str,
        complaints: &mut Vec<String>,
    ) {
        let known = |key: &str| rules.get("properties").and_then(|properties| properties.get(key));
        match keyword {
            "properties" => {
                for (key, value) in object {
                    known(key)
                        .inspect(|schema| self.check(schema, value, &format!("{at}/{key}"), complaints));
                }
            }
            "additionalProperties" => {
                for (key, value) in object.iter().filter(|(key, _)| known(key).is_none()) {
                    self.check(rule, value, &format!("{at}/{key}"), complaints);
                }
            }
            "required" => {
                let keys = rule.as_array().into_iter().flatten().filter_map(Value::as_str);
                let missing = keys.filter(|key| !object.contains_key(*key));
                complaints.extend(missing.map(|key| format!("{at}: {key} is missing")));
            }
            _ => {}
        }
    }

    fn array(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        items: &[Value],
        at: &str,
        complaints: &mut Vec<String>,
    ) {
        let first = rules.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (number, item) in items.iter().enumerate() {
            let schema = match keyword {
                "prefixItems" => first.get(number),
                "items" if number >= first.len() => Some(rule),
                _ => None,
            };
            schema.inspect(|schema| self.check(schema, item, &format!("{at}/{number}"), complaints));
        }
    }
}

/// Checks a limit; `None` for any other keyword.
fn within(keyword: &str, rule: &Value, value: &Value) -> Option<bool> {
    let compared = |holds: fn(f64, f64) -> bool| {
        value.as_f64().is_none_or(|number| rule.as_f64().is_some_and(|limit| holds(number, limit)))
    };
    let counted = |count: Option<usize>, holds: fn(u64, u64) -> bool| {
        count.is_none_or(|count| rule.as_u64().is_some_and(|limit| holds(count as u64, limit)))
    };
    let keys = || value.as_object().map(Map::len);
    let items = || value.as_array().map(Vec::len);
    Some(match keyword {
        "minimum" => compared(|number, limit| number >= limit),
        "maximum" => compared(|number, limit| number <= limit),
        "exclusiveMinimum" => compared(|number, limit| number > limit),
        "minItems" => counted(items(), |count, limit| count >= limit),
        "maxItems" => counted(items(), |count, limit| count <= limit),
        "minProperties" => counted(keys(), |count, limit| count >= limit),
        "maxProperties" => counted(keys(), |count, limit| count <= limit),
        "uniqueItems" => rule != true || value.as_array().is_none_or(|items| all_differ(items)),
        "pattern" => {
            let pattern = Regex::new(rule.as_str().expect("a pattern")).expect("a pattern");
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        _ => return None,
    })
}

fn all_differ(items: &[Value]) -> bool {
    let is_new = |(number, item)| !items[..number].iter().any(|before| same(before, item));
    items.iter().enumerate().all(is_new)
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        unknown => panic!("a type that is not known here: {unknown}"),
    }
}

/// 1 is the same as 1.0.
fn same(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && other.is_number() && one.as_f64() == other.as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Valid and invalid values of each schema.
    #[test]
    fn every_keyword_refuses_something() {
        for (schema, good, bad) in [
            (json!(true), json!(1), None),
            (json!({ "type": "integer" }), json!(1.0), Some(json!(1.5))),
            (json!({ "type": ["string", "null"] }), json!(null), Some(json!(1))),
            (json!({ "type": "number" }), json!(1), Some(json!("1"))),
            (json!({ "type": "boolean" }), json!(false), Some(json!(0))),
            (json!({ "const": 1 }), json!(1.0), Some(json!(2))),
            (json!({ "enum": ["a", "b"] }), json!("b"), Some(json!("c"))),
            (json!({ "anyOf": [{ "type": "null" }, { "minimum": 3 }] }), json!(3), Some(json!(2))),
            (json!({ "oneOf": [{ "minimum": 1 }, { "minimum": 3 }] }), json!(2), Some(json!(3))),
            (json!({ "not": { "type": "null" } }), json!(1), Some(json!(null))),
            (
                json!({ "if": { "minimum": 5 }, "then": { "maximum": 6 }, "else": { "maximum": 1 } }),
                json!(6),
                Some(json!(2)),
            ),
            (json!({ "if": { "minimum": 5 }, "then": { "maximum": 6 } }), json!(2), Some(json!(7))),
            (json!({ "minimum": 1 }), json!(1), Some(json!(0.9))),
            (json!({ "maximum": 1 }), json!("many"), Some(json!(2))),
            (json!({ "exclusiveMinimum": 0 }), json!(0.1), Some(json!(0))),
            (json!({ "minItems": 1 }), json!([1]), Some(json!([]))),
            (json!({ "maxItems": 1 }), json!({}), Some(json!([1, 2]))),
            (json!({ "minProperties": 1 }), json!([]), Some(json!({}))),
            (json!({ "maxProperties": 1 }), json!({ "a": 1 }), Some(json!({ "a": 1, "b": 1 }))),
            (json!({ "uniqueItems": true }), json!([1, "1"]), Some(json!([1, 1.0]))),
            (json!({ "pattern": "^[a-z]+$" }), json!(1), Some(json!("a b"))),
            (
                json!({ "properties": { "a": { "type": "null" } } }),
                json!({ "b": 1 }),
                Some(json!({ "a": 1 })),
            ),
            (
                json!({ "additionalProperties": false, "properties": { "a": true } }),
                json!({ "a": 1 }),
                Some(json!({ "b": 1 })),
            ),
            (json!({ "required": ["a"] }), json!({ "a": null }), Some(json!({}))),
            (json!({ "items": { "type": "null" } }), json!([null]), Some(json!([null, 1]))),
            (json!({ "prefixItems": [true], "items": false }), json!([1]), Some(json!([1, 2]))),
            (
                json!({ "$defs": { "a": { "type": "null" } }, "$ref": "#/$defs/a" }),
                json!(null),
                Some(json!(1)),
            ),
        ] {
            assert_eq!(schema_complaints(&schema, &good), Vec::<String>::new(), "{schema}");
            if let Some(bad) = bad {
                assert_eq!(schema_complaints(&schema, &bad).len(), 1, "{schema} takes {bad}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "not known here: minLength")]
    fn a_keyword_that_is_not_known_is_no_silent_yes() {
        schema_complaints(&json!({ "minLength": 1 }), &json!(""));
    }

    #[test]
    fn a_complaint_names_its_place() {
        let schema = json!({ "properties": { "a": { "items": { "required": ["b"] } } } });
        assert_eq!(schema_complaints(&schema, &json!({ "a": [{}] })), ["/a/0: b is missing"]);
    }
}
