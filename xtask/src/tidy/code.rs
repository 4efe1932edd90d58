//! The Rust files of the workspace, parsed: which lines are product and which are tests.

use super::Source;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A Rust file.
pub struct RustFile {
    /// Path from the root, with forward slashes.
    pub path: String,
    /// What is in it.
    pub syntax: syn::File,
    /// Whether a line belongs to a test, in the order of the lines.
    in_test: Vec<bool>,
    lines: Vec<String>,
}

impl RustFile {
    /// Parses a file. A file of a folder of tests is a test as a whole; what only test builds reach is marked later.
    ///
    /// # Errors
    ///
    /// Text that is no Rust, with its place.
    pub fn parse(source: &Source) -> Result<Self, String> {
        let syntax = syn::parse_file(&source.text)
            .map_err(|error| format!("{}:{}: {error}", source.path, error.span().start().line))?;
        let lines: Vec<String> = source.text.lines().map(str::to_owned).collect();
        let mut tests = TestLines::default();
        tests.visit_file(&syntax);
        let mut in_test = vec![is_test_file(&source.path); lines.len()];
        for lines in tests.0 {
            in_test[*lines.start() - 1..*lines.end()].fill(true);
        }
        Ok(Self { path: source.path.clone(), lines, syntax, in_test })
    }

    /// Marks the whole file as a test: no module of the product is in it.
    pub fn mark_as_test(&mut self) {
        self.in_test.fill(true);
    }

    /// The lines with their numbers, and whether they belong to a test.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let lines = self.lines.iter().zip(&self.in_test).enumerate();
        lines.map(|(at, (line, in_test))| (at + 1, line.as_str(), *in_test))
    }

    /// Whether a line belongs to a test.
    pub fn is_test(&self, line: usize) -> bool {
        self.in_test[line - 1]
    }

    /// Lines that are no test.
    pub fn product_lines(&self) -> usize {
        self.in_test.iter().filter(|test| !**test).count()
    }

    /// The folder of the crate: `crates/wire` of `crates/wire/src/lib.rs`.
    pub fn crate_folder(&self) -> &str {
        let folder = self.path.split_once("/src/").or_else(|| self.path.rsplit_once('/'));
        folder.map_or("", |(folder, _)| folder)
    }

    /// Whether the file is the root of a library or a program.
    pub fn is_root(&self) -> bool {
        let place = self.path.split_once("/src/").map_or("", |(_, place)| place);
        place == "lib.rs" || place == "main.rs" || place.starts_with("bin/")
    }
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/examples/") || path.starts_with("fuzz/")
}

/// Whether attributes say that only test builds have what follows.
pub fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// The attributes of an item.
pub fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Collects the lines of items that only test builds have.
#[derive(Default)]
struct TestLines(Vec<RangeInclusive<usize>>);

impl<'a> Visit<'a> for TestLines {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if is_test_only(attributes(item)) {
            self.0.push(item.span().start().line..=item.span().end().line);
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if is_test_only(&item.attrs) {
            self.0.push(item.span().start().line..=item.span().end().line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> RustFile {
        RustFile::parse(&Source { path: path.into(), text: text.into() }).expect("parses")
    }

    #[test]
    fn lines_of_tests_are_told_from_lines_of_the_product() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let file = file("crates/x/src/a.rs", text);
        assert_eq!(file.product_lines(), 2);
        let product: Vec<usize> = file.lines().filter(|(_, _, test)| !test).map(|(at, ..)| at).collect();
        assert_eq!(product, [1, 6]);
    }

    #[test]
    fn a_method_for_tests_is_a_test() {
        let text = "impl A {\n    #[cfg(test)]\n    fn b() {}\n    fn c() {}\n}\n";
        assert_eq!(file("crates/x/src/a.rs", text).product_lines(), 3);
    }

    #[test]
    fn a_file_in_a_folder_of_tests_is_a_test() {
        assert_eq!(file("crates/x/tests/a.rs", "fn a() {}\n").product_lines(), 0);
    }

    #[test]
    fn what_is_no_rust_is_found_with_its_line() {
        let broken = Source { path: "crates/x/src/a.rs".into(), text: "fn a() {}\nfn {}\n".into() };
        assert!(
            RustFile::parse(&broken).err().is_some_and(|error| error.starts_with("crates/x/src/a.rs:2: "))
        );
    }
}
