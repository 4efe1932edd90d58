//! Words that the glossary retired.

use super::Source;
use super::calls::stands_alone;
use super::ratchet::Violation;

/// The heading of the glossary's section with the words.
const HEADING: &str = "## Retired words";

/// A word that is not used any more.
struct Retired {
    /// A name in code when it stood in backticks, else words of a sentence.
    word: String,
    is_name: bool,
    instead: String,
    /// The folder where it is retired, where other folders need it; else empty.
    only_in: String,
}

/// Every use of a retired word.
pub fn check(glossary: &Source, sources: &[Source]) -> Vec<Violation> {
    let words = read(&glossary.text);
    let mut found = Vec::new();
    if words.is_empty() {
        let text = format!("{}: no table follows `{HEADING}`", glossary.path);
        found.push(Violation { name: HEADING.to_owned(), text });
    }
    for source in
        sources.iter().filter(|source| !source.path.ends_with(".toml") && source.path != "CHANGELOG.md")
    {
        let text = match source.path == glossary.path {
            true => source.text.split(HEADING).next().unwrap_or_default(),
            false => &source.text,
        };
        let words = words.iter().filter(|word| source.path.starts_with(&word.only_in));
        let words: Vec<&Retired> =
            words.filter(|word| !word.is_name || source.path.ends_with(".rs")).collect();
        for (at, line) in text.lines().enumerate() {
            let small = line.to_lowercase();
            for word in &words {
                if stands_alone(if word.is_name { line } else { &small }, &word.word) {
                    let text = format!(
                        "{}:{}: `{}` is retired; say {}",
                        source.path,
                        at + 1,
                        word.word,
                        word.instead
                    );
                    found.push(Violation { name: word.word.clone(), text });
                }
            }
        }
    }
    found
}

fn read(glossary: &str) -> Vec<Retired> {
    let section = glossary.split_once(HEADING).map_or("", |(_, section)| section);
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(2);
    rows.filter_map(|row| {
        let mut cells = row.trim_matches('|').split(" | ").map(str::trim);
        let (word, instead, place) = (cells.next()?, cells.next()?, cells.next().unwrap_or_default());
        Some(Retired {
            word: word.trim_matches('`').to_owned(),
            is_name: word.starts_with('`'),
            instead: instead.to_owned(),
            only_in: place.trim_matches('`').to_owned(),
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str = "# Glossary\n\nGizmos are kept.\n\n## Retired words\n\n\
        | retired | say | only in |\n| --- | --- | --- |\n\
        | `Gizmo` | `Record` | |\n| ever so much | how much | |\n| `Rows` | `Queue` | `crates/engine` |\n";

    fn found(path: &str, text: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let found = check(&source("docs/glossary.md", GLOSSARY), &[source(path, text)]);
        found.into_iter().map(|violation| violation.text).collect()
    }

    #[test]
    fn a_retired_name_is_found_with_what_to_say() {
        assert_eq!(
            found("crates/x/src/a.rs", "fn a() {}\nstruct Gizmo;\n"),
            ["crates/x/src/a.rs:2: `Gizmo` is retired; say `Record`"]
        );
        assert!(found("crates/x/src/a.rs", "struct OldGizmo;\nlet gizmo = 1;\n").is_empty());
        assert!(found("docs/a.md", "Gizmo\n").is_empty());
    }

    #[test]
    fn retired_words_are_found_in_comments_and_documents() {
        assert_eq!(found("crates/x/src/a.rs", "// Ever so much of it.\n").len(), 1);
        assert_eq!(found("docs/a.md", "Users that ask ever so much\n").len(), 1);
    }

    #[test]
    fn a_word_that_is_retired_in_one_folder_is_fine_elsewhere() {
        assert_eq!(found("crates/engine/src/a.rs", "struct Rows;\n").len(), 1);
        assert!(found("crates/wire/src/a.rs", "struct Rows;\n").is_empty());
    }

    #[test]
    fn the_glossary_may_name_what_it_retired_in_its_table_alone() {
        let glossary = Source {
            path: "docs/glossary.md".into(),
            text: GLOSSARY.replace("Gizmos are", "ever so much is"),
        };
        assert_eq!(check(&glossary, std::slice::from_ref(&glossary)).len(), 1);
    }
}
