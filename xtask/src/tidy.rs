//! No files of a crate form a circle: each of them uses, directly or over others, what another defines. Token streams
//! are read, not syntax: code in macros counts like code elsewhere, and what a macro makes is of the module that it is
//! asked of. What a file takes from the modules around it is free, as a part may know its whole, and tests do not
//! count.

use anyhow::{Context, bail, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Checks every library and program.
pub fn run(root: &Path) -> anyhow::Result<()> {
    let mut folders = vec![root.join("xtask"), root.join("labs"), root.join("benches")];
    for entry in fs::read_dir(root.join("crates"))? {
        folders.push(entry?.path());
    }
    folders.sort();
    let roots = folders.iter().flat_map(|folder| ["src/lib.rs", "src/main.rs"].map(|name| folder.join(name)));
    let mut found = Vec::new();
    for path in roots.filter(|path| path.is_file()) {
        found.extend(Crate::read(&path, &|path| fs::read_to_string(path).ok())?.circles());
    }
    let told = found.join("\n").replace(&format!("{}/", root.display()), "");
    ensure!(found.is_empty(), "{} circles; move what both sides need below both:\n{told}", found.len());
    println!("no files of a crate form a circle");
    Ok(())
}

/// The modules of a library or program that its users get, the root first.
#[derive(Default)]
struct Crate {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
}

#[derive(Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// Imports and re-exports by name.
    imports: BTreeMap<String, Names>,
    globs: Vec<Names>,
    items: BTreeSet<String>,
    /// Used paths, as they are written.
    paths: BTreeSet<Names>,
}

type Names = Vec<String>;

/// Target of a path.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Module(usize),
    /// Item of this module's file.
    Item(usize),
}

impl Crate {
    /// Reads all modules from the root's file on; tests have no files.
    fn read(root: &Path, text: &dyn Fn(&Path) -> Option<String>) -> anyhow::Result<Crate> {
        let mut of = Crate::default();
        let folder = root.parent().context("a folder")?;
        let mut open = vec![(root.to_path_buf(), folder.to_path_buf(), None, None)];
        while let Some((path, folder, parent, body)) = open.pop() {
            let (file, tokens) = match body {
                Some(within) => within,
                None => {
                    let text = text(&path).with_context(|| format!("no file {}", path.display()))?;
                    let Ok(tokens) = text.parse() else { bail!("{}: is no Rust", path.display()) };
                    of.files.push(path.clone());
                    (of.files.len() - 1, tokens)
                }
            };
            let (own, mut inner) = (of.modules.len(), Vec::new());
            of.modules.push(Module { file, parent: parent.as_ref().map(|(at, _)| *at), ..Module::default() });
            of.modules[own].tokens(tokens, &mut inner);
            if let Some((parent, name)) = parent {
                of.modules[parent].children.insert(name, own);
            }
            for (name, body) in inner.into_iter().rev() {
                let below = folder.join(&name);
                let beside = folder.join(format!("{name}.rs"));
                let path = if text(&beside).is_some() { beside } else { below.join("mod.rs") };
                open.push((path, below, Some((own, name)), body.map(|body| (file, body))));
            }
        }
        Ok(of)
    }

    /// Target of a path that is written in a module; `None` outside the crate.
    fn resolve(&self, from: usize, path: &[String], depth: u32) -> Option<Target> {
        let (first, mut rest) = path.split_first().filter(|_| depth < 16)?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.modules[from].parent?),
            name => self.named(from, name, rest.is_empty(), depth)?,
        };
        while let (Target::Module(module), Some((name, after))) = (target, rest.split_first()) {
            target = match name.as_str() {
                "super" => Target::Module(self.modules[module].parent?),
                "self" => target,
                _ => self.named(module, name, after.is_empty(), depth).unwrap_or(Target::Item(module)),
            };
            rest = after;
        }
        Some(target)
    }

    /// Target of a name in a module: a child, an item or an import; `None` where a macro may make it.
    fn named(&self, module: usize, name: &str, is_last: bool, depth: u32) -> Option<Target> {
        let of = &self.modules[module];
        let import = || of.imports.get(name).map(|path| self.resolve(module, path, depth + 1));
        if let Some(child) = of.children.get(name) {
            // A function may be called like the module that it comes from.
            let item = import().flatten().filter(|target| is_last && matches!(target, Target::Item(_)));
            return item.or(Some(Target::Module(*child)));
        }
        if of.items.contains(name) {
            return Some(Target::Item(module));
        }
        if let Some(target) = import() {
            return target;
        }
        let globs = of.globs.iter().filter_map(|path| self.resolve(module, path, depth + 1));
        let mut found = globs.filter_map(|glob| match glob {
            Target::Module(glob) if glob != module => self.named(glob, name, is_last, depth + 1),
            _ => None,
        });
        if depth < 16 { found.next() } else { None }
    }

    /// Each circle, with which file takes what from which.
    fn circles(&self) -> Vec<String> {
        let uses = self.uses();
        let reach: Vec<BTreeSet<usize>> = (0..self.files.len()).map(|file| reachable(&uses, file)).collect();
        let circle = |file: usize| -> BTreeSet<usize> {
            reach[file].iter().copied().filter(|other| reach[*other].contains(&file)).collect()
        };
        let found: BTreeSet<BTreeSet<usize>> = (0..reach.len()).map(circle).collect();
        let told = found.iter().filter(|circle| !circle.is_empty()).map(|circle| {
            let mut text = format!("a circle of {} files:", circle.len());
            for ((from, to), names) in &uses {
                if circle.contains(from) && circle.contains(to) {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    let [from, to] = [from, to].map(|file| self.files[*file].display());
                    text += &format!("\n  {from} uses {} of {to}", names.join(", "));
                }
            }
            text
        });
        told.collect()
    }

    /// Names that a file uses of another.
    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (index, module) in self.modules.iter().enumerate() {
            let around = std::iter::successors(Some(index), |at| self.modules[*at].parent);
            let around: Vec<usize> = around.map(|at| self.modules[at].file).collect();
            for path in &module.paths {
                let Some(Target::Item(of)) = self.resolve(index, path, 0) else { continue };
                let to = self.modules[of].file;
                if !around.contains(&to) {
                    uses.entry((module.file, to)).or_default().insert(path.join("::"));
                }
            }
        }
        uses
    }
}

type Uses = BTreeMap<(usize, usize), BTreeSet<String>>;

fn reachable(uses: &Uses, from: usize) -> BTreeSet<usize> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for ((_, to), _) in uses.range((file, 0)..=(file, usize::MAX)) {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

impl Module {
    /// Notes what is defined, brought in and used; hands back the modules within, with their bodies where they have one.
    fn tokens(&mut self, tokens: TokenStream, inner: &mut Vec<(String, Option<TokenStream>)>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            let next = |by: usize| tokens.get(at + by);
            match &tokens[at] {
                TokenTree::Punct(punct) if punct.as_char() == '#' => match next(1) {
                    Some(TokenTree::Group(attribute)) if is_test_only(attribute.stream()) => {
                        at = end_of_item(&tokens, at + 2);
                    }
                    // An attribute, of which nothing is used.
                    Some(TokenTree::Group(_)) => at += 2,
                    _ => at += 1,
                },
                TokenTree::Group(group) => {
                    self.tokens(group.stream(), inner);
                    at += 1;
                }
                TokenTree::Ident(ident) if *ident == "mod" => {
                    if let Some(TokenTree::Ident(name)) = next(1) {
                        let body = next(2).and_then(braced);
                        inner.push((name.to_string(), body));
                    }
                    at += 3;
                }
                // `use<'a>` of a signature brings nothing in.
                TokenTree::Ident(ident) if *ident == "use" && !is_punct(next(1), '<') => {
                    let is_public = at > 0 && is_visibility(&tokens[..at]);
                    let mut leaves = Vec::new();
                    at = use_tree(&tokens, at + 1, &[], &mut leaves);
                    self.bring_in(leaves, is_public);
                }
                TokenTree::Ident(ident) => {
                    let defined = next(1).filter(|_| DEFINING.contains(&&*ident.to_string()));
                    self.items.extend(defined.map(ToString::to_string));
                    at = self.path(&tokens, at);
                }
                _ => at += 1,
            }
        }
    }

    /// Reads the path that begins here; returns where it ends.
    fn path(&mut self, tokens: &[TokenTree], begin: usize) -> usize {
        let (mut at, mut path) = (begin, Vec::new());
        while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
            path.push(ident.to_string());
            at += 1;
            let goes_on = is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':');
            match tokens.get(at + 2) {
                Some(TokenTree::Ident(_)) if goes_on => at += 2,
                _ => break,
            }
        }
        let before = |by: usize| begin.checked_sub(by).and_then(|at| tokens.get(at));
        // A path's arguments may precede it, or a value; `::name` is of another crate.
        let goes_on = is_punct(before(1), '.') || is_punct(before(1), ':') && is_punct(before(2), ':');
        if !goes_on && path.len() > 1 {
            self.paths.insert(path);
        }
        at
    }

    /// A re-export is not a use: a file that imports it uses the defining file.
    fn bring_in(&mut self, leaves: Vec<(Names, Option<String>)>, is_public: bool) {
        for (path, name) in leaves {
            let all = name.is_none().then(|| "*".to_owned());
            if !is_public {
                self.paths.insert(path.iter().cloned().chain(all).collect());
            }
            match name {
                Some(name) => drop(self.imports.insert(name, path)),
                None => self.globs.push(path),
            }
        }
    }
}

/// Words with the name of what they define behind them.
const DEFINING: [&str; 9] =
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules"];

/// The paths of a tree of `use`, and the name that each brings in, none for `*`. Returns where the tree ends.
fn use_tree(
    tokens: &[TokenTree],
    begin: usize,
    before: &[String],
    leaves: &mut Vec<(Names, Option<String>)>,
) -> usize {
    let (mut at, mut path, mut name) = (begin, before.to_vec(), None);
    let is_foreign = is_punct(tokens.get(at), ':');
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) if *word == "as" => {
                name = tokens.get(at + 1).map(ToString::to_string);
                at += 1;
            }
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => {}
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                leaves.push((std::mem::take(&mut path), None));
            }
            token => {
                let Some(inner) = token.and_then(braced) else { break };
                let (inner, mut within): (Vec<TokenTree>, usize) = (inner.into_iter().collect(), 0);
                while within < inner.len() && !is_foreign {
                    within = use_tree(&inner, within, &path, leaves);
                }
                path.clear();
            }
        }
        at += 1;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    if let (Some(last), false) = (path.last().cloned(), is_foreign) {
        leaves.push((path, Some(name.unwrap_or(last))));
    }
    at + 1
}

/// `#[cfg(test)]` and its like.
fn is_test_only(attribute: TokenStream) -> bool {
    let words = attribute.to_string().replace(' ', "");
    words == "test" || words == "cfg(test)" || words.starts_with("cfg(all(test,")
}

/// End of an attribute's item: behind its body, or behind its semicolon or comma.
fn end_of_item(tokens: &[TokenTree], begin: usize) -> usize {
    let is_end = |token: &TokenTree| {
        braced(token).is_some() || [';', ','].iter().any(|end| is_punct(Some(token), *end))
    };
    let end = tokens[begin..].iter().position(is_end).map_or(tokens.len(), |end| begin + end + 1);
    // A tree of `use` goes on.
    end + usize::from(is_punct(tokens.get(end), ';'))
}

/// Content of braces.
fn braced(token: &TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, of: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == of)
}

/// True if `pub` or `pub(…)` ends here.
fn is_visibility(before: &[TokenTree]) -> bool {
    let is_pub = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Ident(word)) if *word == "pub");
    match before {
        [rest @ .., TokenTree::Group(_)] => is_pub(rest.last()),
        all => is_pub(all.last()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let text = |path: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        };
        Crate::read(Path::new("lib.rs"), &text).expect("reads").circles()
    }

    #[test]
    fn two_files_that_use_each_other_are_told_with_what_ties_them() {
        let b = "pub struct B; fn f(_: &super::a::A) {}";
        let found = circles(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::{self, B}; pub struct A(B);"),
            ("b.rs", b),
        ]);
        assert_eq!(
            found,
            ["a circle of 2 files:\n  a.rs uses crate::b::B of b.rs\n  b.rs uses super::a::A of a.rs"]
        );
    }

    #[test]
    fn a_circle_through_a_re_export_and_the_arguments_of_a_macro_is_found() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod inner; pub use inner::A;"),
            ("a/inner.rs", "pub struct A; fn f() { println!(\"{}\", crate::b::two()) }"),
            ("b.rs", "use crate::a; pub fn two() -> u8 { a::A::new() }"),
        ];
        assert_eq!(circles(&files).len(), 1, "{:?}", circles(&files));
    }

    #[test]
    fn a_circle_through_a_constant_that_a_macro_makes_is_found() {
        let files = [
            ("lib.rs", "mod mix; mod model;"),
            ("mix.rs", "use crate::model::Load; kinds! { HEADER = 1 }"),
            ("model.rs", "pub struct Load; macro_rules! all { () => { $crate::mix::HEADER } }"),
        ];
        assert_eq!(circles(&files).len(), 1);
    }

    #[test]
    fn tests_and_the_modules_around_a_file_do_not_count() {
        let a = "use super::Whole; use crate::b::B; #[cfg(test)] mod tests { use crate::b::*; }";
        let b = "pub struct B; #[cfg(test)] use crate::a::{A}; #[cfg(test)] fn t(_: crate::a::A) {} /// [`crate::a`]\nfn f() {}";
        let files = [("lib.rs", "mod a; mod b; pub struct Whole(a::A);"), ("a.rs", a), ("b.rs", b)];
        assert_eq!(circles(&files), [""; 0]);
    }
}
