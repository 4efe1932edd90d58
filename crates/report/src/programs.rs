//! Results for programs: each fact with its severity and its English sentence beside code and numbers.

use proofload_facts::severity_of;
use proofload_language::{Language, facts};
use serde::Serialize;
use serde_json::Value;

/// A value as JSON, facts with `severity` and `sentence`.
///
/// # Errors
/// If it cannot be serialised: maps whose keys are not texts.
pub fn for_programs(value: &impl Serialize) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(value)?;
    Language::English.within(|| enter(&mut value));
    Ok(value)
}

fn enter(value: &mut Value) {
    let code = value.get("code").and_then(Value::as_str);
    if let Some(severity) = code.and_then(severity_of)
        && let Some(sentence) = facts::of_json(value)
        && let Value::Object(fields) = value
    {
        fields.insert("severity".to_string(), severity.name().into());
        fields.insert("sentence".to_string(), sentence.into());
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(enter),
        Value::Object(fields) => fields.values_mut().for_each(enter),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_facts::{Finding, Limit};
    use serde_json::json;

    #[test]
    fn a_fact_has_its_code_its_severity_its_numbers_and_its_sentence() {
        let limit = Limit::Machine { what: Finding::TwoCpus };
        let found = Language::Chinese.within(|| for_programs(&vec![limit]).expect("plain fields"));
        let [found] = found.as_array().expect("a list").as_slice() else { panic!("{found}") };
        assert_eq!((&found["code"], &found["severity"]), (&json!("machine"), &json!("notice")));
        assert_eq!(found["what"]["code"], "two-cpus");
        let sentence = found["sentence"].as_str().expect("a sentence");
        assert!(sentence.starts_with("machine: two CPUs"), "{sentence}");
    }

    #[test]
    fn a_sentence_of_an_older_record_stays_one_and_other_codes_are_let_be() {
        let value = json!({"limits": ["it was slow"], "codes": {"code": 200}, "code": "unheard-of"});
        assert_eq!(for_programs(&value).expect("plain fields"), value);
    }
}
