//! Messages are whole: no piece of a sentence that only Rust puts in its place, since no translator can order pieces.

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use proofload_language::{CHINESE_FILES, ENGLISH_FILES};

/// Separators between the items of lists, and patterns of figures and labels, which have no words.
const WITHOUT_WORDS: [&str; 6] = ["between-", "labelled", "interval", "ui-verdicts", "tally-of", "exactly"];
/// Facts that hold another one have no words of their own.
const FACTS: [&str; 2] = ["facts.ftl", "mistakes.ftl"];
/// Pieces that are to become sentences.
const PIECES: [&str; 5] = ["fitness.ftl", "screen.ftl", "report.ftl", "figures.ftl", "runs.ftl"];

fn literal<'a>(element: Option<&PatternElement<&'a str>>) -> &'a str {
    match element {
        Some(PatternElement::TextElement { value }) => value,
        Some(PatternElement::Placeable {
            expression: Expression::Inline(InlineExpression::StringLiteral { value }),
        }) => value,
        _ => "",
    }
}

fn has_words(pattern: &Pattern<&str>) -> bool {
    pattern.elements.iter().any(|element| match element {
        PatternElement::Placeable { expression: Expression::Select { variants, .. } } => {
            variants.iter().any(|variant| has_words(&variant.value))
        }
        element => literal(Some(element)).chars().any(char::is_alphabetic),
    })
}

fn pieces(files: &[(&str, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| !PIECES.contains(file)) {
        let resource = fluent_syntax::parser::parse(*text).unwrap_or_else(|(read, _)| read);
        for entry in &resource.body {
            let Entry::Message(message) = entry else { continue };
            let (id, Some(pattern)) = (message.id.name, &message.value) else { continue };
            if WITHOUT_WORDS.iter().any(|known| id.starts_with(known)) {
                continue;
            }
            let mark = |c: char| c.is_whitespace() || ",;，；、".contains(c);
            let (first, last) = (literal(pattern.elements.first()), literal(pattern.elements.last()));
            // The headings of a table's first and last columns can be empty.
            let is_table = pattern.elements.iter().any(|element| literal(Some(element)).contains("| "));
            if !is_table && (first.starts_with(mark) || last.ends_with(mark)) {
                found.push(format!("{file}: {id} begins or ends like a piece"));
            }
            if !FACTS.contains(file) && !has_words(pattern) {
                found.push(format!("{file}: {id} has no words"));
            }
        }
    }
    found
}

#[test]
fn no_message_is_a_piece() {
    assert_eq!(pieces(ENGLISH_FILES), Vec::<String>::new());
    assert_eq!(pieces(CHINESE_FILES), Vec::<String>::new());
}

#[test]
fn pieces_are_found() {
    let of = |text: &str| pieces(&[("a.ftl", text)]);
    assert_eq!(
        of("one = { $a } is one\ntwo = { $a ->\n    [one] one\n   *[other] { $a }\n}\n"),
        Vec::<String>::new()
    );
    assert_eq!(of("one = {\" \"}and more\n").len(), 1);
    assert_eq!(of("one = , and { $a }\n").len(), 1);
    assert_eq!(of("one = { $a } { $b }\n"), ["a.ftl: one has no words"]);
    assert_eq!(of("one = {\" \"}| two | three\nbetween-items = ,{\" \"}\n"), Vec::<String>::new());
}
