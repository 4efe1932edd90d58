//! Circles between the files of a crate: each of them uses, over others or directly, what another defines. What a file
//! takes from the modules around it is free, as a part may know its whole.

use super::code::{RustFile, attributes, is_test_only};
use super::modules::{Found, Module, Modules, leaves};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};

/// Files that use each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The paths of the files, in order.
    pub files: Vec<String>,
    /// Which file takes which names from which.
    ties: Vec<String>,
}

impl std::fmt::Display for Circle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: a circle of {} files; move what both sides need below both:",
            self.files[0],
            self.files.len()
        )?;
        self.ties.iter().try_for_each(|tie| write!(f, "\n    {tie}"))
    }
}

/// Names that a file uses from another: from, to, names.
type Uses = BTreeMap<(usize, usize), BTreeSet<String>>;

/// The circles of one library or program.
pub fn circles(files: &[RustFile], modules: &Modules) -> Vec<Circle> {
    let uses = uses(modules);
    let mut reach: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(from, _) in uses.keys() {
        reach.entry(from).or_insert_with(|| reachable(&uses, from));
    }
    let both_ways =
        |a: usize, b: usize| reach[&a].contains(&b) && reach.get(&b).is_some_and(|r| r.contains(&a));
    let mut found = Vec::new();
    let mut done = BTreeSet::new();
    for &file in reach.keys() {
        if done.contains(&file) || !reach[&file].contains(&file) {
            continue;
        }
        let members: BTreeSet<usize> =
            reach[&file].iter().copied().filter(|&other| both_ways(file, other)).collect();
        let ties = uses.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
        let ties = ties.map(|((from, to), names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{} uses {} of {}", files[*from].path, names.join(", "), files[*to].path)
        });
        let ties = ties.collect();
        found.push(Circle { files: members.iter().map(|&file| files[file].path.clone()).collect(), ties });
        done.extend(members);
    }
    found
}

fn reachable(uses: &Uses, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for &(_, to) in uses.range((file, 0)..=(file, usize::MAX)).map(|(ends, _)| ends) {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

fn uses(modules: &Modules) -> Uses {
    let mut uses = Uses::new();
    for (index, module) in modules.all().iter().enumerate() {
        for path in paths(module) {
            for found in modules.resolve(index, &path) {
                match found {
                    Found::Item { file, name, .. } if !modules.around(index).any(|around| around == file) => {
                        uses.entry((module.file, file)).or_default().insert(name);
                    }
                    _ => {}
                }
            }
        }
    }
    uses
}

/// Every path that is written in the items of a module, those that it only hands on left out.
pub fn paths(module: &Module) -> BTreeSet<Vec<String>> {
    let mut paths = Paths::default();
    module.items.iter().for_each(|item| paths.visit_item(item));
    paths.0
}

/// Collects paths.
#[derive(Default)]
struct Paths(BTreeSet<Vec<String>>);

impl Paths {
    /// What looks like a path in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut after_colons, mut before) = (false, ' ');
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if !after_colons {
                        self.0.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                    }
                    // A field or a method is no path.
                    if after_colons || before != '.' {
                        path.push(ident.to_string());
                    }
                    (after_colons, before) = (false, ' ');
                }
                TokenTree::Punct(punct) => {
                    after_colons = punct.as_char() == ':' && before == ':' && !path.is_empty();
                    if punct.as_char() != ':' {
                        self.0.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                    }
                    before = punct.as_char();
                }
                TokenTree::Group(group) => {
                    self.0.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                    self.tokens(group.stream());
                    (after_colons, before) = (false, ' ');
                }
                TokenTree::Literal(_) => (after_colons, before) = (false, ' '),
            }
        }
        self.0.extend((!path.is_empty()).then_some(path));
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, _: &'a syn::ItemMod) {}

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !is_test_only(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    // What is only handed on is no use: who takes it from here uses the file that defines it.
    fn visit_item_use(&mut self, used: &'a syn::ItemUse) {
        if used.leading_colon.is_none() && matches!(used.vis, syn::Visibility::Inherited) {
            self.0.extend(leaves(&used.tree).into_iter().filter_map(|(path, name)| name.map(|_| path)));
        }
    }

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            self.0.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        visit::visit_macro(self, called);
        self.tokens(called.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
        let parse = |(path, text): &(&str, &str)| {
            RustFile::parse(&Source { path: (*path).into(), text: (*text).into() }).expect("parses")
        };
        let files: Vec<RustFile> = files.iter().map(parse).collect();
        let modules = Modules::from_root(&files, 0);
        circles(&files, &modules).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn two_files_that_use_each_other_are_found_with_what_ties_them() {
        let found = circles_of(&[
            ("crates/x/src/lib.rs", "mod a; mod b;"),
            ("crates/x/src/a.rs", "use crate::b::B; pub struct A(B);"),
            ("crates/x/src/b.rs", "pub struct B; fn f(_: &super::a::A) {}"),
        ]);
        assert_eq!(
            found,
            ["crates/x/src/a.rs: a circle of 2 files; move what both sides need below both:\n    \
             crates/x/src/a.rs uses B of crates/x/src/b.rs\n    \
             crates/x/src/b.rs uses A of crates/x/src/a.rs"]
        );
    }

    #[test]
    fn a_circle_through_a_re_export_and_a_macro_is_found() {
        let found = circles_of(&[
            ("crates/x/src/lib.rs", "mod a; mod b; pub use b::deep::C;"),
            ("crates/x/src/a.rs", "pub const A: u8 = crate::C;"),
            ("crates/x/src/b/mod.rs", "pub mod deep; pub fn b() -> u8 { crate::a::A }"),
            ("crates/x/src/b/deep.rs", "pub const C: u8 = 1; fn d() { assert_eq!(crate::a::A, 1); }"),
        ]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/x/src/a.rs: a circle of 2 files"), "{}", found[0]);
    }

    #[test]
    fn a_function_with_the_name_of_its_module_is_no_tie_to_what_else_is_there() {
        let found = circles_of(&[
            ("crates/x/src/lib.rs", "mod a; mod b; pub use a::{a, part::Part};"),
            ("crates/x/src/a.rs", "pub mod part; use crate::b::B; pub fn a() {}"),
            ("crates/x/src/a/part.rs", "pub struct Part;"),
            ("crates/x/src/b.rs", "pub struct B(crate::Part);"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn declarations_re_exports_and_tests_make_no_circle() {
        let found = circles_of(&[
            ("crates/x/src/lib.rs", "mod a; pub use a::A; pub struct B;"),
            ("crates/x/src/a.rs", "pub struct A(crate::B); #[cfg(test)] mod tests { use crate::c; }"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_part_may_know_its_whole_and_others_may_not_know_both() {
        let mut files = vec![
            ("crates/x/src/lib.rs", "mod a; mod b;"),
            ("crates/x/src/a.rs", "mod part; use part::*; pub struct A; type C = Part;"),
            ("crates/x/src/a/part.rs", "use super::A; pub struct Part(A);"),
            ("crates/x/src/b.rs", "pub struct B(crate::a::A);"),
        ];
        assert!(circles_of(&files).is_empty());
        files[2].1 = "use super::A; pub struct Part(A, crate::b::B);";
        assert!(circles_of(&files)[0].starts_with("crates/x/src/a.rs: a circle of 3 files"));
    }
}
