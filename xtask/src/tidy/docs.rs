//! What one crate uses of another has a doc comment: types and traits with their public functions, functions, constants.
//! Fields, variants and what stays within a crate need one only where their names do not say enough.

use super::circles::paths;
use super::code::RustFile;
use super::modules::{Found, Modules, defined_name};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// How the crates of the workspace call each other in code.
const PREFIX: &str = "proofload_";

/// Items of libraries that other crates use, without a doc comment.
pub fn check(files: &[RustFile], targets: &[Modules]) -> Vec<String> {
    let library = |target: &&Modules| target.root().path.ends_with("/src/lib.rs");
    let libraries: BTreeMap<String, &Modules> =
        targets.iter().filter(library).map(|target| (lib_name(target.root()), target)).collect();
    let mut used: BTreeSet<(usize, String)> = BTreeSet::new();
    for target in targets {
        for (index, module) in target.all().iter().enumerate() {
            let written = paths(module);
            for path in written.iter().filter_map(|path| target.outside(index, path)) {
                let Some(library) = libraries.get(&path[0]).filter(|_| path[0].starts_with(PREFIX)) else {
                    continue;
                };
                used.extend(library.resolve(0, &path[1..]).into_iter().filter_map(|found| match found {
                    Found::Item { file, name, .. } => Some((file, name)),
                    Found::Module(_) => None,
                }));
            }
        }
    }
    let mut found = Vec::new();
    for (file, name) in &used {
        let folder = files[*file].crate_folder();
        for (index, other) in files.iter().enumerate().filter(|(_, other)| other.crate_folder() == folder) {
            let has_its_own = |item: &syn::Item| defined_name(item).is_some_and(|defined| defined == name);
            if index != *file && other.syntax.items.iter().any(has_its_own) {
                continue;
            }
            let mut bare = Undocumented { name, defined_here: index == *file, found: Vec::new() };
            bare.visit_file(&other.syntax);
            let lines = bare.found.into_iter().filter(|(at, _)| !other.is_test(*at));
            found.extend(lines.map(|(at, what)| {
                format!("{}:{at}: another crate uses `{name}`: {what} needs a doc comment", other.path)
            }));
        }
    }
    found
}

fn lib_name(root: &RustFile) -> String {
    let folder = root.crate_folder();
    format!("{PREFIX}{}", folder.rsplit('/').next().unwrap_or(folder))
}

/// Finds what lacks a doc comment of one item and its public functions.
struct Undocumented<'a> {
    name: &'a str,
    defined_here: bool,
    found: Vec<(usize, String)>,
}

impl Undocumented<'_> {
    fn item(&mut self, name: &syn::Ident, attributes: &[syn::Attribute]) {
        if self.defined_here && name == self.name {
            self.part(name, attributes);
        }
    }

    fn part(&mut self, name: &syn::Ident, attributes: &[syn::Attribute]) {
        if !attributes.iter().any(|attribute| attribute.path().is_ident("doc")) {
            self.found.push((name.span().start().line, format!("`{name}`")));
        }
    }
}

impl<'a> Visit<'a> for Undocumented<'_> {
    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.item(&item.ident, &item.attrs);
    }

    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        self.item(&item.ident, &item.attrs);
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.item(&item.sig.ident, &item.attrs);
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.item(&item.ident, &item.attrs);
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.item(&item.ident, &item.attrs);
    }

    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        self.item(&item.ident, &item.attrs);
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        self.item(&item.ident, &item.attrs);
        if self.defined_here && item.ident == self.name {
            for part in &item.items {
                if let syn::TraitItem::Fn(function) = part {
                    self.part(&function.sig.ident, &function.attrs);
                }
            }
        }
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let is_of_name = matches!(&*item.self_ty, syn::Type::Path(of)
            if of.path.segments.last().is_some_and(|last| last.ident == self.name));
        if item.trait_.is_none() && is_of_name {
            for part in &item.items {
                if let syn::ImplItem::Fn(function) = part
                    && matches!(function.vis, syn::Visibility::Public(_))
                {
                    self.part(&function.sig.ident, &function.attrs);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn found(library: &str) -> Vec<String> {
        let user = "use proofload_x::{A, part}; fn f() { part::run(); A::new(); }";
        let parse = |path: &str, text: &str| {
            RustFile::parse(&Source { path: path.into(), text: text.into() }).expect("parses")
        };
        let files = [
            parse("crates/x/src/lib.rs", "pub mod part; pub use part::A;"),
            parse("crates/x/src/part.rs", library),
            parse("crates/y/src/main.rs", user),
        ];
        check(&files, &[Modules::from_root(&files, 0), Modules::from_root(&files, 2)])
    }

    #[test]
    fn what_another_crate_uses_needs_a_doc_comment() {
        let bare =
            "pub struct A; impl A {\npub fn new() -> A { A } fn own() {} }\npub fn run() {} pub fn own() {}";
        assert_eq!(
            found(bare),
            [
                "crates/x/src/part.rs:1: another crate uses `A`: `A` needs a doc comment",
                "crates/x/src/part.rs:2: another crate uses `A`: `new` needs a doc comment",
                "crates/x/src/part.rs:3: another crate uses `run`: `run` needs a doc comment",
            ]
        );
    }

    #[test]
    fn fields_and_what_stays_inside_need_none() {
        let fine = "/// A.\npub struct A { pub length: u8 }\nimpl A {\n/// New.\npub fn new() -> A { A }\n}\n\
            /// Runs.\npub fn run() {}\npub struct Own;";
        assert!(found(fine).is_empty());
    }
}
