//! All messages that the sources use are in the catalogue, with their variables, and no unused one is.

use crate::catalogue::{Message, messages};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use proofload_language::ENGLISH_FILES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A place in the sources that asks for a message.
#[derive(Debug, PartialEq)]
struct Asked {
    id: String,
    given: BTreeSet<String>,
    /// Columns of a table.
    columns: Option<usize>,
}

fn literal(tree: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = tree else { return None };
    let text = literal.to_string();
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_string())
}

/// Names of the variables: the first token after each comma at the top level.
fn given(inner: &[TokenTree]) -> BTreeSet<String> {
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(mark) if mark.as_char() == ',');
    let firsts = inner.split(is_comma).skip(1).filter_map(|part| part.first());
    firsts.map(ToString::to_string).collect()
}

fn asked(stream: TokenStream, found: &mut Vec<Asked>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else { continue };
        let before = |back: usize| at.checked_sub(back).map(|at| trees[at].to_string()).unwrap_or_default();
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let name = if before(1) == "!" { format!("{}!", before(2)) } else { before(1) };
        let id = inner.first().and_then(literal).filter(|_| group.delimiter() == Delimiter::Parenthesis);
        let new = |given, columns, id| Asked { id, given, columns };
        match (name.as_str(), id) {
            ("tr!", Some(id)) => found.push(new(given(&inner), None, id)),
            ("Phrase", Some(id)) => found.push(new(BTreeSet::new(), None, id)),
            // `Columns<5> = Columns("…")`
            ("Columns", Some(id)) => {
                found.push(new(BTreeSet::new(), Some(before(4).parse().unwrap_or(0)), id));
            }
            // `Columns::<5>("…")`
            (">", Some(id)) if before(6) == "Columns" => {
                found.push(new(BTreeSet::new(), Some(before(2).parse().unwrap_or(0)), id));
            }
            _ => {}
        }
        asked(group.stream(), found);
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        match path.extension().and_then(|ending| ending.to_str()) {
            _ if path.is_dir() => sources(&path, found),
            Some("rs") => found.push(path),
            _ => {}
        }
    }
}

/// Every file below `crates/*/src`, with its text.
pub fn sources_of_crates() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for of in std::fs::read_dir(crates).expect("crates").filter_map(Result::ok) {
        let folder = of.path().join("src");
        if folder.is_dir() {
            sources(&folder, &mut files);
        }
    }
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a source");
        (file, text)
    };
    files.into_iter().map(read).collect()
}

fn all() -> Vec<Asked> {
    let mut found = Vec::new();
    for (file, text) in sources_of_crates() {
        asked(text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display())), &mut found);
    }
    found
}

fn mistakes(english: &BTreeMap<String, Message>, asked: &[Asked]) -> Vec<String> {
    let mut mistakes = Vec::new();
    let mut used: BTreeSet<&str> =
        english.values().flat_map(|of| of.parts.iter().map(String::as_str)).collect();
    for Asked { id, given, columns } in asked {
        let Some(message) = english.get(id) else {
            mistakes.push(format!("{id} is not in the catalogue"));
            continue;
        };
        used.insert(id);
        if *given != message.variables() {
            mistakes.push(format!("{id} is given {given:?} and has {:?}", message.variables()));
        }
        let has = message.text.matches(" | ").count() + 1;
        if columns.is_some_and(|columns| columns != has) {
            mistakes.push(format!("{id} has {has} columns, not {columns:?}"));
        }
    }
    let codes: BTreeSet<String> = proofload_facts::known().map(|(_, known)| known.code()).collect();
    used.extend(["fact-seconds", "fact-at-level"]);
    let unused = english.keys().filter(|id| !codes.contains(*id)).filter(|id| {
        !["named-", "measure-"].iter().any(|said_elsewhere| id.starts_with(said_elsewhere))
            && !used.contains(id.as_str())
    });
    mistakes.extend(unused.map(|id| format!("nobody asks for {id}")));
    mistakes
}

#[test]
fn what_is_asked_for_is_there_and_what_is_there_is_asked_for() {
    let (english, _) = messages(ENGLISH_FILES);
    assert_eq!(mistakes(&english, &all()), Vec::<String>::new());
}

#[test]
fn each_kind_of_mistake_is_found() {
    let catalogue = "a = A\nb = { $n } b\nc = x | y\nd = D\nnamed-open = open\n";
    let (english, _) = messages(&[("a.ftl", catalogue)]);
    let of = |source: &str| {
        let mut found = Vec::new();
        asked(source.parse().expect("tokens"), &mut found);
        mistakes(&english, &found)
    };
    let whole = "fn f() { tr!(\"a\"); vec![tr!(\"b\", n = g(1, 2))]; const C: Columns<2> = Columns(\"c\"); Phrase(\"d\") }";
    assert_eq!(of(whole), Vec::<String>::new());
    assert_eq!(of(&whole.replace("\"a\"", "\"e\"")), ["e is not in the catalogue", "nobody asks for a"]);
    assert_eq!(of(&whole.replace("n = g", "m = g")).len(), 1);
    assert_eq!(of(&whole.replace(", n = g(1, 2)", "")).len(), 1);
    assert_eq!(of(&whole.replace("<2>", "<3>")), ["c has 2 columns, not Some(3)"]);
}
