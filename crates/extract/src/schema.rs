//! JSON Schema: the keywords of draft 2020-12 that stand for themselves, and the older `items: [...]`. Keywords that
//! nobody defined say nothing; those that are defined and not understood here are refused when the schema is read.

use crate::pattern;
use crate::selector::{SelectorError, short};
use regex::bytes::Regex;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashMap;

/// Checks of one text, which references may multiply; and how deep they may lead.
const MOST_CHECKS: u32 = 1_000_000;
const MOST_DEPTH: u32 = 256;
const REFUSED: [&str; 9] = [
    "$dynamicRef",
    "$recursiveRef",
    "$anchor",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];

/// Schema made ready.
#[derive(Clone, Debug)]
pub struct Schema {
    root: Value,
    patterns: HashMap<String, Regex>,
}

/// The fault and its place: a JSON Pointer, written as it is left.
struct Wrong {
    at: String,
    what: String,
}

type Checked = Result<(), Wrong>;

impl Schema {
    pub fn new(text: &str) -> Result<Schema, SelectorError> {
        let root = serde_json::from_str(text)
            .map_err(|error| SelectorError::new(format!("it is no JSON: {error}"), None))?;
        let mut schema = Schema { root: Value::Null, patterns: HashMap::new() };
        schema
            .prepare(&root, &root)
            .map_err(|wrong| SelectorError::new(format!("{}: {}", place(&wrong.at), wrong.what), None))?;
        schema.root = root;
        Ok(schema)
    }

    /// The first breach of the schema in a text: its place and the rule, in some 200 characters.
    pub fn check(&self, text: &[u8]) -> Result<(), String> {
        let value = serde_json::from_slice(text).map_err(|error| format!("it is no JSON: {error}"))?;
        let check = Check { schema: self, left: Cell::new(MOST_CHECKS), depth: Cell::new(0) };
        check
            .value(&self.root, &value)
            .map_err(|wrong| format!("{}: {}", short(&place(&wrong.at)), wrong.what))
    }

    /// Refuses what is not understood, and makes patterns ready.
    fn prepare(&mut self, root: &Value, schema: &Value) -> Checked {
        let rules = match schema {
            Value::Bool(_) => return Ok(()),
            Value::Object(rules) => rules,
            _ => return wrong("it is neither an object nor true nor false"),
        };
        for (keyword, rule) in rules {
            let done = match &**keyword {
                "properties" | "$defs" | "definitions" | "patternProperties" => match rule.as_object() {
                    Some(all) => all.iter().try_for_each(|(name, one)| {
                        if keyword == "patternProperties" {
                            self.pattern(name)?;
                        }
                        self.prepare(root, one).map_err(|wrong| wrong.within(name))
                    }),
                    None => wrong("it is no object"),
                },
                "allOf" | "anyOf" | "oneOf" | "prefixItems" | "items" if rule.is_array() => {
                    let mut all = rule.as_array().into_iter().flatten().enumerate();
                    all.try_for_each(|(number, one)| {
                        self.prepare(root, one).map_err(|wrong| wrong.within(number))
                    })
                }
                "items"
                | "additionalProperties"
                | "propertyNames"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else" => self.prepare(root, rule),
                "pattern" => self.pattern(rule.as_str().unwrap_or("(")),
                "$ref" => match rule.as_str().and_then(|to| root.pointer(to.strip_prefix('#')?)) {
                    Some(_) => Ok(()),
                    None => wrong("only places of this schema can be referred to, as `#/$defs/name`"),
                },
                "type" | "enum" | "required" if !fits(keyword, rule) => wrong("its value is of a wrong kind"),
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
                    if !rule.is_number() =>
                {
                    wrong("it is no number")
                }
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
                | "minContains" | "maxContains"
                    if rule.as_f64().is_none_or(|number| number < 0.0) =>
                {
                    wrong("it is no number from 0")
                }
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => wrong("it is no list"),
                refused if REFUSED.contains(&refused) => wrong("this keyword is not understood"),
                _ => Ok(()),
            };
            done.map_err(|wrong| wrong.within(keyword))?;
        }
        Ok(())
    }

    fn pattern(&mut self, text: &str) -> Checked {
        let regex = pattern::compile(text)
            .map_err(|error| Wrong { at: String::new(), what: short(&error.what.replace('\n', " ")) })?;
        self.patterns.insert(text.to_string(), regex);
        Ok(())
    }
}

fn fits(keyword: &str, rule: &Value) -> bool {
    let kind = |kind: &Value| {
        let known = ["null", "boolean", "string", "array", "object", "number", "integer"];
        kind.as_str().is_some_and(|kind| known.contains(&kind))
    };
    match (keyword, rule) {
        ("type", Value::Array(all)) => all.iter().all(kind),
        ("type", one) => kind(one),
        ("required", Value::Array(all)) => all.iter().all(Value::is_string),
        (_, rule) => rule.is_array(),
    }
}

fn place(at: &str) -> String {
    if at.is_empty() { "/".to_string() } else { at.to_string() }
}

fn wrong(what: impl Into<String>) -> Checked {
    Err(Wrong { at: String::new(), what: what.into() })
}

impl Wrong {
    fn within(mut self, name: impl std::fmt::Display) -> Wrong {
        self.at.insert_str(0, &format!("/{}", short(&name)));
        self
    }
}

/// One check of a text.
struct Check<'s> {
    schema: &'s Schema,
    left: Cell<u32>,
    depth: Cell<u32>,
}

impl Check<'_> {
    fn value(&self, schema: &Value, value: &Value) -> Checked {
        let Value::Object(rules) = schema else {
            return if *schema == false { wrong("nothing may be here") } else { Ok(()) };
        };
        if self.depth.get() >= MOST_DEPTH {
            self.left.set(0);
        }
        self.depth.set(self.depth.get() + 1);
        let all = rules.iter().try_for_each(|(keyword, rule)| {
            self.left.set(self.left.get().saturating_sub(1));
            if self.left.get() == 0 {
                return wrong(format!(
                    "more than {MOST_CHECKS} checks, or {MOST_DEPTH} schemas within each other"
                ));
            }
            match value {
                Value::Object(object) => self.object(rules, keyword, rule, object)?,
                Value::Array(items) => self.array(rules, keyword, rule, items)?,
                _ => {}
            }
            self.rule(rules, keyword, rule, value)
        });
        self.depth.set(self.depth.get() - 1);
        all
    }

    /// True if a value is of a schema; no when nothing is left, which the whole check then says.
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        self.value(schema, value).is_ok()
    }

    /// A keyword that is about any value, or about one that is no container.
    fn rule(&self, rules: &Map<String, Value>, keyword: &str, rule: &Value, value: &Value) -> Checked {
        let all = || rule.as_array().into_iter().flatten();
        let fitting = || all().filter(|schema| self.fits(schema, value)).count();
        let holds = match keyword {
            "$ref" => {
                let to = rule.as_str().and_then(|to| self.schema.root.pointer(to.strip_prefix('#')?));
                return to.map_or(Ok(()), |schema| self.value(schema, value));
            }
            "allOf" => return all().try_for_each(|schema| self.value(schema, value)),
            "if" => {
                let branch = if self.fits(rule, value) { "then" } else { "else" };
                return rules.get(branch).map_or(Ok(()), |schema| self.value(schema, value));
            }
            "type" => {
                rule.as_str().into_iter().chain(all().filter_map(Value::as_str)).any(|kind| is_a(kind, value))
            }
            "const" => same(rule, value),
            "enum" => all().any(|one| same(one, value)),
            "anyOf" => all().any(|schema| self.fits(schema, value)),
            "oneOf" => fitting() == 1,
            "not" => !self.fits(rule, value),
            "pattern" => {
                value.as_str().is_none_or(|text| self.matches(rule.as_str().unwrap_or_default(), text))
            }
            _ => within(keyword, rule, value),
        };
        if self.left.get() == 0 {
            return wrong(format!(
                "more than {MOST_CHECKS} checks, or {MOST_DEPTH} schemas within each other"
            ));
        }
        if holds { Ok(()) } else { wrong(format!("{} breaks {keyword} {}", short(value), short(rule))) }
    }

    fn matches(&self, pattern: &str, text: &str) -> bool {
        self.schema.patterns.get(pattern).is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    fn object(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        object: &Map<String, Value>,
    ) -> Checked {
        let of = |keyword: &str| rules.get(keyword).and_then(Value::as_object);
        let within = |schema: &Value, key: &String, value: &Value| {
            self.value(schema, value).map_err(|wrong| wrong.within(key))
        };
        let matching = |key: &String| {
            let all = of("patternProperties").into_iter().flatten();
            all.filter(|(pattern, _)| self.matches(pattern, key))
                .map(|(_, schema)| schema)
                .collect::<Vec<_>>()
        };
        let named = |key: &String| of("properties").and_then(|all| all.get(key));
        match keyword {
            "properties" => object
                .iter()
                .try_for_each(|(key, value)| named(key).map_or(Ok(()), |schema| within(schema, key, value))),
            "patternProperties" => object.iter().try_for_each(|(key, value)| {
                matching(key).into_iter().try_for_each(|schema| within(schema, key, value))
            }),
            "additionalProperties" => object
                .iter()
                .filter(|(key, _)| named(key).is_none() && matching(key).is_empty())
                .try_for_each(|(key, value)| within(rule, key, value)),
            "propertyNames" => {
                object.keys().try_for_each(|key| within(rule, key, &Value::String(key.clone())))
            }
            "required" => match rule
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .find(|key| !object.contains_key(*key))
            {
                Some(key) => wrong(format!("{} is missing", short(&key))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn array(&self, rules: &Map<String, Value>, keyword: &str, rule: &Value, items: &[Value]) -> Checked {
        let first = rules.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        match (keyword, rule) {
            ("prefixItems" | "items", Value::Array(each)) => {
                each.iter().zip(items).enumerate().try_for_each(|(number, (schema, item))| {
                    self.value(schema, item).map_err(|wrong| wrong.within(number))
                })
            }
            ("items", rule) => {
                items.iter().enumerate().skip(first).try_for_each(|(number, item)| {
                    self.value(rule, item).map_err(|wrong| wrong.within(number))
                })
            }
            ("contains", rule) => {
                let limit = |keyword: &str| rules.get(keyword).and_then(Value::as_f64);
                let found = items.iter().filter(|item| self.fits(rule, item)).count() as f64;
                if found < limit("minContains").unwrap_or(1.0)
                    || limit("maxContains").is_some_and(|most| found > most)
                {
                    return wrong(format!("{found} of its items are as contains asks"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

type Holds = fn(&f64, &f64) -> bool;

/// True if a limit is kept; what it is not about keeps it.
fn within(keyword: &str, rule: &Value, value: &Value) -> bool {
    let limit = rule.as_f64().unwrap_or_default();
    let number = value.as_f64();
    let length = || value.as_str().map(|text| text.chars().count() as f64);
    let items = || value.as_array().map(|items| items.len() as f64);
    let keys = || value.as_object().map(|keys| keys.len() as f64);
    let (size, holds): (Option<f64>, Holds) = match keyword {
        "minimum" => (number, f64::ge),
        "maximum" => (number, f64::le),
        "exclusiveMinimum" => (number, f64::gt),
        "exclusiveMaximum" => (number, f64::lt),
        "multipleOf" => (number, |number, of| (number / of).fract() == 0.0),
        "minLength" => (length(), f64::ge),
        "maxLength" => (length(), f64::le),
        "minItems" => (items(), f64::ge),
        "maxItems" => (items(), f64::le),
        "minProperties" => (keys(), f64::ge),
        "maxProperties" => (keys(), f64::le),
        "uniqueItems" => return *rule != true || value.as_array().is_none_or(|items| all_differ(items)),
        _ => return true,
    };
    size.is_none_or(|size| holds(&size, &limit))
}

/// True if no two items are the same: compared by a text in which they are, or are not, so that it takes no square of
/// their number.
fn all_differ(items: &[Value]) -> bool {
    let mut seen = std::collections::HashSet::new();
    items.iter().all(|item| seen.insert(canonical(item)))
}

/// Text that is equal for values that are the same.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map(|number| (number + 0.0).to_string()).unwrap_or_default(),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(object) => {
            let mut all: Vec<String> =
                object.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value))).collect();
            all.sort();
            format!("{{{}}}", all.join(","))
        }
        other => other.to_string(),
    }
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        _ => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
    }
}

/// 1 is the same as 1.0, and the order of keys is nothing.
fn same(one: &Value, other: &Value) -> bool {
    one == other || canonical(one) == canonical(other)
}
