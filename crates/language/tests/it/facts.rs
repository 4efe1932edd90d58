//! Every code has a sentence, of its own fields.

use crate::catalogue::messages;
use proofload_facts::known;
use proofload_language::ENGLISH_FILES;
use std::collections::BTreeSet;

#[test]
fn every_code_has_a_sentence_of_its_fields() {
    let (english, _) = messages(ENGLISH_FILES);
    let mut mistakes = Vec::new();
    for (of, known) in known() {
        let code = known.code();
        let Some(message) = english.get(&code) else {
            mistakes.push(format!("{of}: {code} has no message"));
            continue;
        };
        let fields: BTreeSet<String> = known.fields.iter().map(ToString::to_string).collect();
        let unknown: Vec<String> = message.variables().difference(&fields).cloned().collect();
        if !unknown.is_empty() {
            mistakes.push(format!("{of}: {code} has no field {unknown:?}"));
        }
    }
    assert_eq!(mistakes, Vec::<String>::new());
}

#[test]
fn no_two_facts_have_the_same_code() {
    let codes: Vec<String> = known().map(|(_, known)| known.code()).collect();
    let different: BTreeSet<&String> = codes.iter().collect();
    let twice = codes.iter().filter(|code| codes.iter().filter(|other| other == code).count() > 1);
    assert_eq!(different.len(), codes.len(), "{:?}", twice.collect::<Vec<_>>());
}
