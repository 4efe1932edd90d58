//! The modules of a crate, and which file defines what a path names.

use super::code::{RustFile, attributes, is_test_only};
use std::collections::{HashMap, HashSet};
use syn::{Item, UseTree};

/// The product modules of one library or program, without what only test builds have.
pub struct Modules<'a> {
    files: &'a [RustFile],
    all: Vec<Module<'a>>,
}

/// One module.
pub struct Module<'a> {
    /// The file that it is written in, as an index into the files.
    pub file: usize,
    /// What is written in it.
    pub items: Vec<&'a Item>,
    /// The module that declares it; `None` for the root.
    parent: Option<usize>,
    names: HashMap<String, Vec<Meaning>>,
    globs: Vec<Vec<String>>,
}

/// What a name means in a module.
enum Meaning {
    /// Defined there: a type or a trait, which paths go through to its variants and functions, or else.
    Defined {
        is_type: bool,
    },
    Module(usize),
    Use(Vec<String>),
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Found {
    /// An item.
    Item {
        /// The index of its file.
        file: usize,
        /// Its name.
        name: String,
        /// Whether it is a type or a trait.
        is_type: bool,
    },
    /// A module, by its index.
    Module(usize),
}

impl<'a> Modules<'a> {
    /// Follows `mod` declarations from a root such as `src/lib.rs`.
    pub fn from_root(files: &'a [RustFile], root: usize) -> Self {
        let path = &files[root].path;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut modules = Self { files, all: Vec::new() };
        modules.add(root, None, &files[root].syntax.items, &folder);
        modules
    }

    /// Every module.
    pub fn all(&self) -> &[Module<'a>] {
        &self.all
    }

    /// The file of a module and those of the modules around it, from the inside out.
    pub fn around(&self, module: usize) -> impl Iterator<Item = usize> {
        let modules = std::iter::successors(Some(module), |&inner| self.all[inner].parent);
        modules.map(|module| self.all[module].file)
    }

    /// The file of the root.
    pub fn root(&self) -> &'a RustFile {
        &self.files[self.all[0].file]
    }

    /// A path as it begins outside of this crate, when a `use` of the module shortened it; else as it is written.
    pub fn outside(&self, module: usize, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let used =
            self.all[module].names.get(first).into_iter().flatten().find_map(|meaning| match meaning {
                Meaning::Use(whole) => Some(whole),
                _ => None,
            });
        let mut whole = used.cloned().unwrap_or_else(|| vec![first.clone()]);
        whole.extend_from_slice(rest);
        Some(whole)
    }

    fn add(&mut self, file: usize, parent: Option<usize>, items: &'a [Item], folder: &str) -> usize {
        let this = self.all.len();
        let items: Vec<&Item> = items.iter().filter(|item| !is_test_only(attributes(item))).collect();
        let (names, globs) = (HashMap::new(), Vec::new());
        self.all.push(Module { file, items: items.clone(), parent, names, globs });
        for item in items {
            match item {
                Item::Mod(declared) => {
                    let name = declared.ident.to_string();
                    let below = format!("{folder}/{name}");
                    let index = match &declared.content {
                        Some((_, items)) => Some(self.add(file, Some(this), items, &below)),
                        None => {
                            let files = self.files;
                            self.file_of(&below)
                                .map(|file| self.add(file, Some(this), &files[file].syntax.items, &below))
                        }
                    };
                    if let Some(index) = index {
                        self.name(this, &name, Meaning::Module(index));
                    }
                }
                Item::Use(used) if used.leading_colon.is_none() => {
                    for (path, name) in leaves(&used.tree) {
                        match name {
                            Some(name) => self.name(this, &name, Meaning::Use(path)),
                            None => self.all[this].globs.push(path),
                        }
                    }
                }
                Item::ExternCrate(named) if named.ident == "self" => {
                    let name = named.rename.as_ref().map_or(&named.ident, |(_, name)| name).to_string();
                    self.name(this, &name, Meaning::Module(0));
                }
                _ => {
                    if let Some(name) = defined_name(item) {
                        let is_type = matches!(
                            item,
                            Item::Enum(_) | Item::Struct(_) | Item::Trait(_) | Item::Type(_) | Item::Union(_)
                        );
                        self.name(this, &name.to_string(), Meaning::Defined { is_type });
                    }
                }
            }
        }
        this
    }

    fn file_of(&self, stem: &str) -> Option<usize> {
        let (file, folder) = (format!("{stem}.rs"), format!("{stem}/mod.rs"));
        self.files.iter().position(|known| known.path == file || known.path == folder)
    }

    fn name(&mut self, module: usize, name: &str, meaning: Meaning) {
        self.all[module].names.entry(name.to_owned()).or_default().push(meaning);
    }

    /// What a path leads to as it is written in a module; empty for what other crates define, and for local names.
    pub fn resolve(&self, module: usize, path: &[String]) -> HashSet<Found> {
        self.resolve_once(module, path, &mut HashSet::new())
    }

    fn resolve_once(
        &self,
        module: usize,
        path: &[String],
        seen: &mut HashSet<(usize, Vec<String>)>,
    ) -> HashSet<Found> {
        let Some((first, rest)) = path.split_first() else {
            return HashSet::from([Found::Module(module)]);
        };
        if !seen.insert((module, path.to_vec())) {
            return HashSet::new();
        }
        match first.as_str() {
            "crate" => return self.resolve_once(0, rest, seen),
            "self" => return self.resolve_once(module, rest, seen),
            "super" => {
                let parent = self.all[module].parent.unwrap_or(module);
                return self.resolve_once(parent, rest, seen);
            }
            _ => {}
        }
        let mut found = HashSet::new();
        for start in self.lookup(module, first, seen) {
            match start {
                Found::Module(below) => found.extend(self.resolve_once(below, rest, seen)),
                // A function has no parts: what the path means is a module of the same name.
                Found::Item { is_type: false, .. } if !rest.is_empty() => {}
                item @ Found::Item { .. } => {
                    found.insert(item);
                }
            }
        }
        found
    }

    fn lookup(&self, module: usize, name: &str, seen: &mut HashSet<(usize, Vec<String>)>) -> HashSet<Found> {
        let here = &self.all[module];
        if let Some(meanings) = here.names.get(name) {
            let found = meanings.iter().flat_map(|meaning| match meaning {
                Meaning::Defined { is_type } => {
                    HashSet::from([Found::Item { file: here.file, name: name.to_owned(), is_type: *is_type }])
                }
                Meaning::Module(index) => HashSet::from([Found::Module(*index)]),
                Meaning::Use(path) => self.resolve_once(module, path, seen),
            });
            return found.collect();
        }
        let mut found = HashSet::new();
        for glob in &here.globs {
            for source in self.resolve_once(module, glob, &mut HashSet::new()) {
                if let Found::Module(source) = source
                    && source != module
                    && seen.insert((source, vec![String::from("*"), name.to_owned()]))
                {
                    found.extend(self.lookup(source, name, seen));
                }
            }
        }
        found
    }
}

/// Every path of a `use`, with the name under which it is known; `None` for `*`.
pub fn leaves(tree: &UseTree) -> Vec<(Vec<String>, Option<String>)> {
    match tree {
        UseTree::Path(path) => {
            let below = leaves(&path.tree).into_iter();
            below
                .map(|(mut rest, name)| {
                    rest.insert(0, path.ident.to_string());
                    match rest.last() {
                        // `use a::b::{self}` names `b`.
                        Some(last) if last == "self" && rest.len() > 1 => {
                            rest.pop();
                            let name = name.filter(|name| name != "self").or_else(|| rest.last().cloned());
                            (rest, name)
                        }
                        _ => (rest, name),
                    }
                })
                .collect()
        }
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], Some(name.ident.to_string()))],
        UseTree::Rename(renamed) => {
            vec![(vec![renamed.ident.to_string()], Some(renamed.rename.to_string()))]
        }
        UseTree::Glob(_) => vec![(Vec::new(), None)],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// The name that an item defines.
pub fn defined_name(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}
