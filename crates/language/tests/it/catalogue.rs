//! Every language has the same messages with the same variables.

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use proofload_language::{CHINESE_FILES, ENGLISH_FILES};
use std::collections::{BTreeMap, BTreeSet};

/// A message as the checks see it.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// The file that has it.
    pub file: String,
    /// Variables that are seen in the text.
    pub shown: BTreeSet<String>,
    /// Variables that choose between texts.
    pub choosing: BTreeSet<String>,
    /// Other messages that are part of it.
    pub parts: BTreeSet<String>,
    /// Its literal texts, one after the other.
    pub text: String,
}

impl Message {
    /// All that has to be given.
    pub fn variables(&self) -> BTreeSet<String> {
        self.shown.union(&self.choosing).cloned().collect()
    }

    fn read(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => self.text.push_str(value),
                PatternElement::Placeable { expression: Expression::Inline(inline) } => self.inline(inline),
                PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                    if let InlineExpression::VariableReference { id } = selector {
                        self.choosing.insert(id.name.to_string());
                    }
                    variants.iter().for_each(|variant| {
                        // Texts of which one is chosen are not beside each other.
                        self.text.push('\n');
                        self.read(&variant.value);
                    });
                    self.text.push('\n');
                }
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.shown.insert(id.name.to_string());
                self.text.push('\u{fffc}');
            }
            InlineExpression::MessageReference { id, .. } => {
                self.parts.insert(id.name.to_string());
            }
            InlineExpression::StringLiteral { value } => self.text.push_str(value),
            _ => {}
        }
    }
}

/// The messages of some files, and what is wrong with these.
pub fn messages(files: &[(&str, &str)]) -> (BTreeMap<String, Message>, Vec<String>) {
    let (mut found, mut mistakes) = (BTreeMap::new(), Vec::new());
    for (file, text) in files {
        let resource = fluent_syntax::parser::parse(*text).unwrap_or_else(|(read, errors)| {
            mistakes.extend(errors.iter().map(|error| format!("{file}: {error}")));
            read
        });
        for entry in &resource.body {
            let Entry::Message(message) = entry else { continue };
            let mut read = Message { file: (*file).to_string(), ..Message::default() };
            match &message.value {
                Some(pattern) => read.read(pattern),
                None => mistakes.push(format!("{file}: {} has no text", message.id.name)),
            }
            if found.insert(message.id.name.to_string(), read).is_some() {
                mistakes.push(format!("{file}: {} stands twice", message.id.name));
            }
        }
    }
    (found, mistakes)
}

/// Differences of another language from English.
fn differences(english: &[(&str, &str)], other: &[(&str, &str)]) -> Vec<String> {
    let ((english, mut mistakes), (other, wrong)) = (messages(english), messages(other));
    mistakes.extend(wrong);
    for (id, message) in &english {
        let Some(same) = other.get(id) else {
            mistakes.push(format!("{id} is missing"));
            continue;
        };
        if message.file != same.file {
            mistakes.push(format!("{id} is in {} and in {}", message.file, same.file));
        }
        // A number that English needs only to choose a plural, another language may do without.
        if !same.variables().is_subset(&message.variables()) || !message.shown.is_subset(&same.variables()) {
            mistakes.push(format!("{id} has {:?}, in English {:?}", same.variables(), message.variables()));
        }
        let columns = |message: &Message| message.text.matches(" | ").count();
        if columns(message) != columns(same) {
            mistakes.push(format!("{id} has another number of columns"));
        }
    }
    mistakes.extend(
        other.keys().filter(|id| !english.contains_key(*id)).map(|id| format!("{id} is one too many")),
    );
    mistakes
}

#[test]
fn chinese_has_every_message_with_the_variables_that_english_has() {
    assert_eq!(differences(ENGLISH_FILES, CHINESE_FILES), Vec::<String>::new());
}

#[test]
fn what_is_missing_too_many_or_other_is_found() {
    let of = |english: &str, other: &str| differences(&[("a.ftl", english)], &[("a.ftl", other)]);
    assert_eq!(of("one = One\n", ""), ["one is missing"]);
    assert_eq!(of("", "one = 一\n"), ["one is one too many"]);
    assert_eq!(of("one = { $a }\n", "one = { $b }\n").len(), 1);
    assert_eq!(of("one = { $a }\n", "one = 一\n").len(), 1);
    assert_eq!(of("one = a | b\n", "one = 一\n"), ["one has another number of columns"]);
    assert_eq!(of("one = One\none = Two\n", "one = 一\n"), ["a.ftl: one stands twice"]);
    assert!(!of("one = { $a\n", "").is_empty(), "what cannot be read");
    let plural = "one = { $n ->\n    [one] a\n   *[other] { $n } as\n}\n";
    assert_eq!(of(plural, "one = { $n } 个\n"), Vec::<String>::new());
    let chooses = "one = { $n ->\n    [one] a\n   *[other] as\n}\n";
    assert_eq!(of(chooses, "one = 一\n"), Vec::<String>::new(), "it only chooses a plural");
}

#[test]
fn words_of_stored_fields_are_themselves_in_english() {
    let words = include_str!("../../../store/src/schema/words.rs");
    let (english, _) = messages(ENGLISH_FILES);
    for (id, message) in english.iter().filter(|(id, _)| id.starts_with("named-")) {
        let stored = [message.text.clone(), message.text.replace(' ', "_")];
        assert_eq!(*id, format!("named-{}", message.text.replace(' ', "-")));
        assert!(
            stored.iter().any(|word| words.contains(&format!("\"{word}\""))),
            "no stored field holds {id}"
        );
    }
}

/// Enumerations of stored words all of which a reader sees.
const SEEN: [&str; 7] =
    ["Verdict", "ExpectationOutcome", "ConclusionOutcome", "Model", "Mode", "Preset", "RunState"];

#[test]
fn every_word_of_a_stored_field_that_readers_see_is_in_the_catalogue() {
    let sources = include_str!("../../../store/src/schema/words.rs");
    let (english, _) = messages(ENGLISH_FILES);
    for name in SEEN {
        let (_, rest) =
            sources.split_once(&format!("\n    {name} {{\n")).unwrap_or_else(|| panic!("no {name}"));
        let (body, _) = rest.split_once("\n    }\n").expect("its end");
        let words: Vec<&str> = body
            .lines()
            .filter_map(|line| line.trim().split('"').nth(1))
            .filter(|word| !word.is_empty())
            .collect();
        assert!(words.len() > 1, "{name}: {words:?}");
        for word in words {
            let id = format!("named-{}", word.replace([' ', '_'], "-"));
            assert!(english.contains_key(&id), "{name} holds {word:?}, and {id} is not in named.ftl");
        }
    }
}
