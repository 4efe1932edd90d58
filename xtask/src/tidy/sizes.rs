//! How long things may get, and what they may be called.

use super::code::RustFile;
use super::ratchet::{Violation, short};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Lines of a file, its tests left out.
const FILE_LINES_MAX: usize = 500;
/// Lines of a function, from its first to its last.
const FUNCTION_LINES_MAX: usize = 80;
/// Lines of a crate, its tests left out.
const CRATE_LINES_MAX: usize = 12_500;
/// The crate that has a folder for each protocol, none of which rests on more than a few others: its folders count one by one.
const OF_FOLDERS: &str = "crates/wire/src/";
/// Names that say nothing.
const EMPTY_NAMES: [&str; 6] = ["manager", "helper", "helpers", "util", "utils", "common"];

/// Files that are too long.
pub fn files(files: &[RustFile]) -> Vec<Violation> {
    let long = files.iter().filter(|file| file.product_lines() > FILE_LINES_MAX);
    long.map(|file| Violation {
        name: short(&file.path),
        text: format!(
            "{}: {} lines, at most {FILE_LINES_MAX}: which ideas are in it?",
            file.path,
            file.product_lines()
        ),
    })
    .collect()
}

/// Crates that are too long.
pub fn crates(files: &[RustFile]) -> Vec<Violation> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let folder = match file.path.strip_prefix(OF_FOLDERS).and_then(|place| place.split_once('/')) {
            Some((protocol, _)) => &file.path[..OF_FOLDERS.len() + protocol.len()],
            None => file.crate_folder(),
        };
        *lines.entry(folder).or_default() += file.product_lines();
    }
    let long = lines.into_iter().filter(|(_, lines)| *lines > CRATE_LINES_MAX);
    long.map(|(folder, lines)| Violation {
        name: folder.to_owned(),
        text: format!("{folder}: {lines} lines, at most {CRATE_LINES_MAX}: which promises does it make?"),
    })
    .collect()
}

/// Functions that are too long, those of tests too.
pub fn functions(files: &[RustFile]) -> Vec<Violation> {
    let all =
        files.iter().flat_map(|file| functions_of(file).into_iter().map(move |function| (file, function)));
    let long = all.filter(|(_, function)| function.lines > FUNCTION_LINES_MAX);
    long.map(|(file, function)| Violation {
        name: format!("{}::{}", short(&file.path), function.name),
        text: format!(
            "{}:{}: {} lines in one function, at most {FUNCTION_LINES_MAX}: which steps does it have?",
            file.path, function.at, function.lines
        ),
    })
    .collect()
}

/// Files whose names say nothing.
pub fn names(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| EMPTY_NAMES.contains(&part.trim_end_matches(".rs")));
    parts.map(|part| format!("{path}: `{part}` says nothing; name what it is")).collect()
}

/// A function, a method among them.
pub struct Function<'a> {
    /// Its name.
    pub name: String,
    /// The line of its first word.
    pub at: usize,
    /// Lines from its first word to its closing brace.
    pub lines: usize,
    /// Its parameters, without `self`.
    pub parameters: Vec<&'a syn::PatType>,
}

/// Every function of a file.
pub fn functions_of(file: &RustFile) -> Vec<Function<'_>> {
    let mut found = Functions::default();
    found.visit_file(&file.syntax);
    found.0
}

#[derive(Default)]
struct Functions<'a>(Vec<Function<'a>>);

impl<'a> Functions<'a> {
    fn add(&mut self, signature: &'a syn::Signature, body: &'a syn::Block) {
        let (at, end) = (signature.span().start().line, body.span().end().line);
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(parameter) => Some(parameter),
            syn::FnArg::Receiver(_) => None,
        });
        let (name, parameters) = (signature.ident.to_string(), parameters.collect());
        self.0.push(Function { name, at, lines: end - at + 1, parameters });
    }
}

impl<'a> Visit<'a> for Functions<'a> {
    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'a syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
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
    use super::super::Source;
    use super::*;

    fn file(text: &str) -> RustFile {
        let path = "crates/x/src/a.rs".to_owned();
        RustFile::parse(&Source { path, text: text.to_owned() }).expect("parses")
    }

    #[test]
    fn a_function_that_does_not_fit_a_screen_is_found() {
        let function = |lines: usize| file(&format!("fn long() {{\n{}}}\n", "    step();\n".repeat(lines)));
        let found = functions(&[function(79)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "x/a.rs::long");
        assert!(functions(&[function(78)]).is_empty());
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let long = "const A: u8 = 1;\n".repeat(501);
        assert_eq!(files(&[file(&long)]).len(), 1);
        assert!(files(&[file(&format!("#[cfg(test)]\nmod tests {{\n{long}}}\n"))]).is_empty());
    }

    #[test]
    fn a_long_crate_is_found() {
        let part = || file(&"const A: u8 = 1;\n".repeat(CRATE_LINES_MAX / 3 + 1));
        assert_eq!(crates(&[part(), part(), part()])[0].name, "crates/x");
        assert!(crates(&[part(), part()]).is_empty());
        let of = |place: &str| {
            let text = "const A: u8 = 1;\n".repeat(7_000);
            RustFile::parse(&Source { path: place.to_owned(), text }).expect("parses")
        };
        let (one, other) = (of("crates/wire/src/ajp/a.rs"), of("crates/wire/src/rmi/a.rs"));
        assert!(crates(&[one, other]).is_empty(), "each protocol counts by itself");
        let both = [of("crates/wire/src/ajp/a.rs"), of("crates/wire/src/ajp/b.rs")];
        assert_eq!(crates(&both)[0].name, "crates/wire/src/ajp");
    }

    #[test]
    fn contributors_read_the_bounds_that_are_checked() {
        let (thousands, rest) = (CRATE_LINES_MAX / 1_000, CRATE_LINES_MAX % 1_000);
        let bounds = format!(
            "**Files have at most {FILE_LINES_MAX} lines, functions {FUNCTION_LINES_MAX}, crates {thousands},{rest:03}, and"
        );
        assert!(include_str!("../../../CONTRIBUTING.md").contains(&bounds), "CONTRIBUTING.md: {bounds}");
    }

    #[test]
    fn a_name_that_says_nothing_is_found() {
        assert_eq!(names("crates/x/src/utils.rs").len(), 1);
    }

    #[test]
    fn the_changelog_begins_with_what_is_unreleased() {
        assert!(changelog("# Changelog\n\n## [Unreleased]\n").is_empty());
        assert_eq!(changelog("# Changelog\n\n## [1.0]\n").len(), 1);
    }
}
