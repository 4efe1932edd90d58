//! Sentences read back into the message that they were made of, and said again in another language.

use crate::{Language, Value, catalogue};
use fluent_syntax::ast::{Expression, InlineExpression, PatternElement};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Sentences within sentences are said again this deep.
pub(crate) const DEPTH_MAX: u32 = 6;
/// A message with fewer letters of its own is in too many texts to be told by them.
const LETTERS_MIN: usize = 5;
/// What stands between sentences that were joined, in English.
const BETWEEN: &str = "between-sentences";

enum Part {
    Literal(&'static str),
    Variable(&'static str),
}

/// A message as it is read: what must be there, and what lies between.
struct Form {
    id: &'static str,
    parts: Vec<Part>,
    letters: usize,
}

/// What was filled in, in the order of the text.
type Found<'a> = Vec<(&'static str, &'a str)>;

impl Form {
    /// Of a message that makes no choice.
    fn of(id: &'static str, language: Language) -> Option<Form> {
        let part = |element: &'static PatternElement<&'static str>| match element {
            PatternElement::TextElement { value } => Some(Part::Literal(value)),
            PatternElement::Placeable { expression: Expression::Inline(inline) } => match inline {
                InlineExpression::StringLiteral { value } => Some(Part::Literal(value)),
                InlineExpression::VariableReference { id } => Some(Part::Variable(id.name)),
                _ => None,
            },
            PatternElement::Placeable { .. } => None,
        };
        let elements = &catalogue::pattern(language, id)?.elements;
        let parts: Vec<Part> = elements.iter().map(part).collect::<Option<_>>()?;
        let letters = |part: &Part| match part {
            Part::Literal(text) => text.chars().filter(|c| c.is_alphabetic()).count(),
            Part::Variable(_) => 0,
        };
        let letters = parts.iter().map(letters).sum();
        Some(Form { id, parts, letters })
    }

    fn read<'a>(&self, sentence: &'a str) -> Option<Found<'a>> {
        let mut rest = sentence;
        let mut open: Option<&'static str> = None;
        let mut found: Found<'a> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            match part {
                Part::Variable(name) => open = Some(name),
                Part::Literal(text) => {
                    let is_last = at + 1 == self.parts.len();
                    let place = match open {
                        None => rest.starts_with(text).then_some(0),
                        Some(_) if is_last => rest.ends_with(text).then(|| rest.len() - text.len()),
                        Some(_) => rest.find(text),
                    }?;
                    found.extend(open.take().map(|name| (name, &rest[..place])));
                    rest = &rest[place + text.len()..];
                }
            }
        }
        match open {
            Some(name) => found.push((name, rest)),
            None if !rest.is_empty() => return None,
            None => {}
        }
        Some(found)
    }
}

/// What was filled in for the variables of a message in some language; `None` where the sentence is none of it.
pub(crate) fn read<'a>(language: Language, id: &str, sentence: &'a str) -> Option<Found<'a>> {
    let id = catalogue::known(id)?;
    Form::of(id, language)?.read(sentence)
}

/// The files of sentences that records keep: what lab and store write, findings of the machine, hints on one endpoint.
const KEPT: [&str; 3] = ["kept.ftl", "doctor.ftl", "single.ftl"];

/// Every English message of these that is told by its own words, those of most letters first.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let kept = KEPT.iter().flat_map(|file| catalogue::ids_of(file));
    let mut forms: Vec<Form> = kept.filter_map(|id| Form::of(id, Language::English)).collect();
    forms.retain(|form| form.letters >= LETTERS_MIN);
    forms.sort_by(|a, b| b.letters.cmp(&a.letters).then(a.id.cmp(b.id)));
    forms
});

/// See [`crate::again`].
pub(crate) fn again(language: Language, sentence: &str, depth: u32) -> Cow<'_, str> {
    if depth == 0 || !sentence.contains(|c: char| c.is_ascii_alphabetic()) {
        return Cow::Borrowed(sentence);
    }
    if let Some(told) = at_its_place(language, sentence, depth) {
        return Cow::Owned(told);
    }
    // A note behind something else.
    if let Some(rest) = sentence.strip_prefix(", ") {
        return match again(language, rest, depth - 1) {
            Cow::Owned(note) => {
                Cow::Owned(catalogue::formatted(language, "kept-noted", &[("note", Value::from(note))]))
            }
            Cow::Borrowed(_) => Cow::Borrowed(sentence),
        };
    }
    let between = catalogue::text(Language::English, BETWEEN);
    let made = |form: &'static Form| form.read(sentence).map(|found| (form, found));
    // What joins sentences is in some of them, too.
    let is_one = |(_, found): &(&Form, Found<'_>)| found.iter().all(|(_, value)| !value.contains(between));
    if let Some((form, found)) = FORMS.iter().filter_map(made).find(is_one) {
        return Cow::Owned(filled(language, form, found, depth));
    }
    let parts: Vec<&str> = sentence.split(between).collect();
    let each: Vec<Cow<'_, str>> = match parts.as_slice() {
        [_] => Vec::new(),
        parts => parts.iter().map(|part| again(language, part, depth - 1)).collect(),
    };
    if each.iter().any(|part| matches!(part, Cow::Owned(_))) {
        return Cow::Owned(each.join(catalogue::text(language, BETWEEN)));
    }
    match FORMS.iter().find_map(made) {
        Some((form, found)) => Cow::Owned(filled(language, form, found, depth)),
        None => Cow::Borrowed(sentence),
    }
}

/// A finding with the place where it was made, in brackets: that has no words of its own to be told by.
fn at_its_place(language: Language, sentence: &str, depth: u32) -> Option<String> {
    let (finding, place) = sentence.strip_suffix(')')?.rsplit_once(" (")?;
    let place = again(language, place, depth - 1);
    let arguments =
        [("finding", Value::from(again(language, finding, depth - 1))), ("place", Value::from(&*place))];
    matches!(place, Cow::Owned(_)).then(|| catalogue::formatted(language, "kept-finding-at", &arguments))
}

fn filled(language: Language, form: &Form, found: Found<'_>, depth: u32) -> String {
    let within: Vec<(&'static str, Cow<'_, str>)> =
        found.into_iter().map(|(name, value)| (name, again(language, value, depth - 1))).collect();
    let arguments: Vec<(&'static str, Value<'_>)> =
        within.iter().map(|(name, value)| (*name, Value::from(&**value))).collect();
    catalogue::formatted(language, form.id, &arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{again as said_again, kept};

    fn in_chinese(sentence: &str) -> String {
        Language::Chinese.within(|| said_again(sentence).into_owned())
    }

    #[test]
    fn what_a_record_keeps_is_said_again_with_all_that_was_filled_in() {
        let why = kept!(
            "kept-in-cycle-block-cycle",
            block = 3,
            cycle = 2,
            variant = "nio",
            what = "it was stopped"
        );
        assert_eq!(why, "block 3, cycle 2, nio: it was stopped");
        let said = in_chinese(&why);
        assert!(
            ["3", "2", "nio"].iter().all(|part| said.contains(part)) && !said.contains("stopped"),
            "{said}"
        );
        let at = kept!("kept-in-slice", place = "nio @ 64c", block = 3, cycle = 2);
        let placed = kept!("kept-finding-at", finding = kept!("kept-not-started"), place = at);
        assert_eq!(in_chinese(&placed), "没有启动（nio @ 64c，区组 3，循环 2）");
        let two =
            format!("{}; {}", kept!("kept-median-of", slices = 7), kept!("kept-not-sliced", load = "9c"));
        let said = in_chinese(&two);
        assert!(
            said.contains('；') && said.contains('7') && said.contains("9c") && !said.contains("slices"),
            "{said}"
        );
    }

    #[test]
    fn a_strangers_text_stays_as_it_is() {
        for text in [
            "",
            "nio @ 64c",
            "{ $n }",
            "服务器",
            "a: b",
            "java.lang.OutOfMemoryError: heap",
            "\u{202e}evil; x",
        ] {
            assert_eq!(in_chinese(text), text);
            assert_eq!(said_again(text), text);
        }
    }
}
