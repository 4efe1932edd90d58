//! How long things may get, and what they may be called.

use super::{Source, tests_begin};

/// Lines of a file, its tests left out.
const FILE_LINES_MAX: usize = 600;
/// Lines of a function, from its first to its last.
const FUNCTION_LINES_MAX: usize = 70;
/// Names that say nothing.
const EMPTY_NAMES: [&str; 6] = ["manager", "helper", "helpers", "util", "utils", "common"];

/// Checks one Rust file.
pub fn check(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    let product = &source.text[..tests_begin(source)];
    let lines = product.lines().count();
    if lines > FILE_LINES_MAX {
        found.push(format!(
            "{}: {lines} lines, at most {FILE_LINES_MAX}: which rooms are in it?",
            source.path
        ));
    }
    for part in source.path.split('/') {
        if EMPTY_NAMES.contains(&part.trim_end_matches(".rs")) {
            found.push(format!("{}: `{part}` says nothing; name what it is", source.path));
        }
    }
    found.extend(long_functions(source));
    found
}

/// Functions are found by their indentation, as rustfmt leaves it: a line that begins with `fn`, and the next line
/// of the same indentation that begins with a brace.
fn long_functions(source: &Source) -> Vec<String> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let is_function = code.split_whitespace().take(6).any(|word| word == "fn") && !code.starts_with("//");
        if !is_function || code.ends_with(';') || code.ends_with('}') {
            continue;
        }
        let end = lines[first + 1..].iter().position(|line| {
            let code = line.trim_start();
            line.len() - code.len() == indent && (code.starts_with('}') || code.ends_with("};"))
        });
        let length = end.map_or(0, |end| end + 2);
        if length > FUNCTION_LINES_MAX {
            found.push(format!(
                "{}:{}: {length} lines in one function, at most {FUNCTION_LINES_MAX}",
                source.path,
                first + 1
            ));
        }
    }
    found
}

/// The changelog begins with what is not released yet.
pub fn changelog(text: &str) -> Vec<String> {
    let first = text.lines().find(|line| line.starts_with("## "));
    match first {
        Some(line) if line.starts_with("## [Unreleased]") => Vec::new(),
        _ => vec!["CHANGELOG.md: the first section must be `## [Unreleased]`".to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: String) -> Source {
        Source { path: path.into(), text }
    }

    #[test]
    fn a_function_that_does_not_fit_a_screen_is_found() {
        let function = |lines: usize| format!("fn long() {{\n{}}}\n", "    step();\n".repeat(lines));
        assert_eq!(check(&source("crates/x/src/a.rs", function(69))).len(), 1);
        assert!(check(&source("crates/x/src/a.rs", function(68))).is_empty());
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let long = "const A: u8 = 1;\n".repeat(601);
        assert_eq!(check(&source("crates/x/src/a.rs", long.clone())).len(), 1);
        assert!(
            check(&source("crates/x/src/a.rs", format!("#[cfg(test)]\nmod tests {{\n{long}"))).is_empty()
        );
    }

    #[test]
    fn a_name_that_says_nothing_is_found() {
        assert_eq!(check(&source("crates/x/src/utils.rs", String::new())).len(), 1);
    }

    #[test]
    fn the_changelog_begins_with_what_is_unreleased() {
        assert!(changelog("# Changelog\n\n## [Unreleased]\n").is_empty());
        assert_eq!(changelog("# Changelog\n\n## [1.0]\n").len(), 1);
    }
}
