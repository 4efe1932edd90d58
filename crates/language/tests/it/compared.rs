//! No decision is made by the words of a message: a better sentence changes nothing that the program does.

use crate::asked::sources_of_crates;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Methods that find, compare or take apart a text.
const READING: [&str; 13] = [
    "starts_with",
    "ends_with",
    "contains",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "split",
    "find",
    "rfind",
    "replace",
    "eq",
    "trim_start_matches",
];
/// Macros that make a sentence.
const MACROS: [&str; 1] = ["tr"];
/// Functions that make one of a fact.
const FUNCTIONS: [&str; 2] = ["told", "in_english"];

fn text(tree: Option<&TokenTree>) -> String {
    tree.map(ToString::to_string).unwrap_or_default()
}

/// True if a sentence is made at this place: `tr!(…)`, `told(…)`.
fn makes_sentence(trees: &[TokenTree], at: usize) -> bool {
    let called = |at: usize| matches!(trees.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    let name = text(trees.get(at));
    let is_macro = MACROS.contains(&name.as_str()) && text(trees.get(at + 1)) == "!" && called(at + 2);
    is_macro || (FUNCTIONS.contains(&name.as_str()) && called(at + 1))
}

fn holds_sentence(group: &Group) -> bool {
    let trees: Vec<TokenTree> = group.stream().into_iter().collect();
    (0..trees.len()).any(|at| makes_sentence(&trees, at))
}

/// Places at which a sentence is looked for, compared or taken apart.
fn compared(stream: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let is = |back: usize, what: &str| at.checked_sub(back).is_some_and(|at| text(trees.get(at)) == what);
        if let TokenTree::Group(group) = tree {
            let method = at.checked_sub(1).map(|before| text(trees.get(before))).unwrap_or_default();
            let is_call = group.delimiter() == Delimiter::Parenthesis && is(2, ".");
            if is_call && READING.contains(&method.as_str()) && holds_sentence(group) {
                found.push(format!(".{method}{group}"));
            }
            compared(group.stream(), found);
        }
        let is_comparison = is(1, "=") && (is(2, "=") || is(2, "!"));
        if is_comparison && makes_sentence(&trees, at) {
            found.push(format!("== {}", text(trees.get(at))));
        }
        // `told(…) == `, `tr!(…) != `, `told(…).starts_with(…)`
        if makes_sentence(&trees, at) {
            let behind = if text(trees.get(at + 1)) == "!" { at + 3 } else { at + 2 };
            let next = [text(trees.get(behind)), text(trees.get(behind + 1))];
            let is_equation = matches!([next[0].as_str(), next[1].as_str()], ["=" | "!", "="]);
            if is_equation || (next[0] == "." && READING.contains(&next[1].as_str())) {
                found.push(format!("{} {}{}", text(trees.get(at)), next[0], next[1]));
            }
        }
    }
}

#[test]
fn nothing_compares_with_a_message() {
    let mut found = Vec::new();
    for (path, source) in sources_of_crates() {
        // Tests are behind the code of a file, and may compare.
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        if path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs") {
            continue;
        }
        let mut here = Vec::new();
        // A file that is cut within braces is read as far as it goes: its items before are whole.
        compared(code.parse().unwrap_or_default(), &mut here);
        found.extend(here.into_iter().map(|what| format!("{}: {what}", path.display())));
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn each_way_of_comparing_is_found() {
    let of = |source: &str| {
        let mut found = Vec::new();
        compared(source.parse().expect("tokens"), &mut found);
        found.len()
    };
    for source in [
        "fn f() { limit.starts_with(tr!(\"begins\")) }",
        "fn f() { limit.contains(&tr!(\"within\", n)) }",
        "fn f() { text == told(&limit) }",
        "fn f() { if tr!(\"none\") != text { } }",
        "fn f() { told(&limit).split_once(\": \") }",
        "fn f() { let rest = line.strip_prefix(in_english(&finding)); }",
    ] {
        assert_eq!(of(source), 1, "{source}");
    }
    assert_eq!(
        of("fn f() { let text = tr!(\"a\", b = x == y); out.push_str(tr!(\"b\")); list.join(tr!(\"c\")) }"),
        0
    );
}
