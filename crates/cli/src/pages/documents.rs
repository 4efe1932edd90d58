//! Commands that documents show are commands that the program takes.

use crate::args;
use std::path::{Path, PathBuf};

/// Operators of a shell that end the words of a command.
const OPERATORS: [&str; 6] = [">", "|", "&&", "&", "||", ";"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md and every page of docs/.
fn documents() -> Vec<PathBuf> {
    let mut found =
        vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("subjects/README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == "md") => found.push(path),
                false => {}
            }
        }
    }
    found
}

/// Lines of fences without a language that call the program, each with its number.
fn calls(text: &str) -> Vec<(usize, &str)> {
    let mut is_shell = None;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        is_shell = match (line.strip_prefix("```"), is_shell) {
            (Some(language), None) => Some(language.is_empty()),
            (Some(_), Some(_)) => None,
            (None, state) => state,
        };
        let call =
            ["proofload ", "cargo run --release -- "].into_iter().find_map(|start| line.strip_prefix(start));
        found.extend(call.filter(|_| is_shell == Some(true)).map(|call| (at + 1, call)));
    }
    found
}

/// Error of a call that would be refused.
fn refusal(call: &str) -> Option<String> {
    let Some(words) = shlex::split(call) else { return Some("a quote is not closed".to_string()) };
    let words = words.into_iter().take_while(|word| !OPERATORS.contains(&word.as_str()));
    let words: Vec<String> = std::iter::once("proofload".to_string()).chain(words).collect();
    args::refusal(&words)
}

#[test]
fn every_command_of_the_documents_is_one_that_is_taken() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        for (line, call) in calls(&text) {
            seen += 1;
            wrong.extend(refusal(call).map(|why| format!("{}:{line}: {call}\n{why}", path.display())));
        }
    }
    assert!(seen > 120, "only {seen} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_that_is_not_taken_is_told() {
    for call in ["run", "run a.yaml --qick", "rnu a.yaml", "a.yaml", "localhost --no-such", "localhost 'a"] {
        assert!(refusal(call).is_some(), "{call}");
    }
    assert_eq!(refusal("schema > a.json   # writes it"), None);
    assert_eq!(calls("```\nproofload a\n```\n```text\nproofload b\n```\nproofload c"), [(2, "a")]);
}
