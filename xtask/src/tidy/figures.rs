//! Figures that may not grow unless somebody says why.

use super::code::RustFile;
use super::ratchet::{Accepted, Written};
use super::sizes::functions_of;
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

const FUNCTION_LINES: usize = 40;
const FILE_LINES: usize = 300;
const PARAMETERS: usize = 6;
const TUPLE_PARTS: usize = 3;

/// A figure of the product, by crate.
pub struct Figure {
    name: &'static str,
    instead: &'static str,
    by_crate: BTreeMap<String, usize>,
    /// What is counted: the crate, and the place with its name.
    items: Vec<(String, String)>,
}

/// Every figure of the workspace.
pub fn figures(files: &[RustFile]) -> Vec<Figure> {
    let counts = [
        ("functions above 40 lines", "part it by its steps"),
        ("files above 300 lines", "part it by its ideas"),
        ("functions with more than 6 parameters", "hand over what belongs together as a struct"),
        ("parameters in tuples", "make them parameters, or a struct with names"),
        ("comparisons with string literals", "compare an enum"),
    ];
    let mut figures: Vec<Figure> = counts
        .map(|(name, instead)| Figure { name, instead, by_crate: BTreeMap::new(), items: Vec::new() })
        .into();
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.product_lines() > 0) {
        let folder = file.crate_folder();
        *lines.entry(folder.to_owned()).or_default() += file.product_lines();
        let mut add = |figure: usize, text: String| figures[figure].items.push((folder.to_owned(), text));
        if file.product_lines() > FILE_LINES {
            add(1, format!("{}: {} lines", file.path, file.product_lines()));
        }
        for function in functions_of(file).into_iter().filter(|function| !file.is_test(function.at)) {
            let place = format!("{}:{}: {}", file.path, function.at, function.name);
            if function.lines > FUNCTION_LINES {
                add(0, format!("{place}, {} lines", function.lines));
            }
            if function.parameters.len() > PARAMETERS {
                add(2, format!("{place}, {} parameters", function.parameters.len()));
            }
            for _ in function.parameters.iter().filter(|parameter| is_bundle(parameter)) {
                add(3, place.clone());
            }
        }
        let mut comparisons = Comparisons::default();
        comparisons.visit_file(&file.syntax);
        for at in comparisons.0.into_iter().filter(|at| !file.is_test(*at)) {
            add(4, format!("{}:{at}", file.path));
        }
    }
    for figure in &mut figures {
        for (folder, _) in &figure.items {
            *figure.by_crate.entry(folder.clone()).or_default() += 1;
        }
    }
    let by_crate = lines.into_iter().map(|(folder, lines)| (folder, lines.div_ceil(100))).collect();
    let instead = "take out what is no longer needed";
    figures.push(Figure { name: "hundreds of product lines", instead, by_crate, items: Vec::new() });
    figures
}

/// What differs from what was written down: grown, shrunk, or new.
pub fn compare(figures: &[Figure], written: &Written) -> Vec<String> {
    figures.iter().filter_map(|figure| figure.compare(written.get(figure.name))).collect()
}

/// Writes figures down: those that shrank or are new, and with a reason those that grew too.
pub fn write(figures: &[Figure], written: &mut Written, reason: Option<&str>) -> Vec<Accepted> {
    let mut accepted = Vec::new();
    written.retain(|name, _| figures.iter().any(|figure| figure.name == name));
    for figure in figures {
        let from = written.get(figure.name).map(|by_crate| by_crate.values().sum());
        let (figure_name, to) = (figure.name.to_owned(), figure.total());
        match (from, reason) {
            (Some(from), None) if to > from => continue,
            (Some(from), Some(reason)) if to > from => {
                accepted.push(Accepted { figure: figure_name.clone(), from, to, reason: reason.to_owned() });
            }
            _ => {}
        }
        written.insert(figure_name, figure.by_crate.clone());
    }
    accepted
}

impl Figure {
    fn total(&self) -> usize {
        self.by_crate.values().sum()
    }

    fn compare(&self, written: Option<&BTreeMap<String, usize>>) -> Option<String> {
        let Some(before) = written else {
            return Some(format!(
                "xtask/ratchet.json lacks `{}`: `cargo xtask tidy --fix` writes it",
                self.name
            ));
        };
        let (from, to) = (before.values().sum::<usize>(), self.total());
        if to < from {
            return Some(format!(
                "{}: {to}, and {from} are written down: `cargo xtask tidy --fix` writes down the progress",
                self.name
            ));
        }
        (to > from).then(|| {
            let grown = |folder: &str| self.by_crate.get(folder) > before.get(folder);
            let mut text = format!(
                "{}: {to}, and {from} were written down: {}, or say why: `cargo xtask tidy --accept \"reason\"`",
                self.name, self.instead
            );
            for (folder, now) in self.by_crate.iter().filter(|(folder, _)| grown(folder)) {
                let was = before.get(folder).copied().unwrap_or(0);
                text.push_str(&format!("\n    {folder}: {was} became {now}"));
            }
            for (_, item) in self.items.iter().filter(|(folder, _)| grown(folder)) {
                text.push_str(&format!("\n    {item}"));
            }
            text
        })
    }
}

/// Whether several parameters are written as one: a tuple that is taken apart, or one of three parts and more.
fn is_bundle(parameter: &syn::PatType) -> bool {
    let inner = match &*parameter.ty {
        syn::Type::Reference(reference) => &reference.elem,
        other => other,
    };
    matches!(*parameter.pat, syn::Pat::Tuple(_))
        || matches!(inner, syn::Type::Tuple(tuple) if tuple.elems.len() >= TUPLE_PARTS)
}

/// Lines of comparisons with string literals.
#[derive(Default)]
struct Comparisons(Vec<usize>);

impl<'a> Visit<'a> for Comparisons {
    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        let is_text = |side: &syn::Expr| matches!(side, syn::Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_)));
        let compares = matches!(binary.op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_));
        if compares && (is_text(&binary.left) || is_text(&binary.right)) {
            self.0.push(binary.op.span().start().line);
        }
        visit::visit_expr_binary(self, binary);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn figures_of(text: &str) -> Vec<Figure> {
        let source = Source { path: "crates/x/src/a.rs".into(), text: text.into() };
        figures(&[RustFile::parse(&source).expect("parses")])
    }

    fn count(text: &str, name: &str) -> usize {
        figures_of(text).iter().find(|figure| figure.name == name).map_or(0, Figure::total)
    }

    #[test]
    fn each_figure_counts_what_it_names() {
        let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(39));
        assert_eq!(count(&long, "functions above 40 lines"), 1);
        assert_eq!(count(&"const A: u8 = 1;\n".repeat(301), "files above 300 lines"), 1);
        let many = "fn f(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8) {}";
        assert_eq!(count(&format!("impl A {{ {many} }}"), "functions with more than 6 parameters"), 1);
        let smuggled = "fn f((a, b): (u8, u8), c: (u8, u8), d: &(u8, u8, u8)) {}";
        assert_eq!(count(smuggled, "parameters in tuples"), 2);
        let compared = "fn f(a: &str) -> bool { a == \"x\" || \"y\" != a || a == NAME }";
        assert_eq!(count(compared, "comparisons with string literals"), 2);
        assert_eq!(count(&"const A: u8 = 1;\n".repeat(101), "hundreds of product lines"), 2);
    }

    #[test]
    fn a_figure_that_grew_says_where_and_is_written_down_with_a_reason_only() {
        let (less, more) =
            (figures_of("fn f(a: (u8, u8, u8)) {}"), figures_of("fn f(a: (u8, u8, u8), b: (u8, u8, u8)) {}"));
        let mut written = Written::new();
        assert_eq!(compare(&less, &written).len(), less.len());
        assert!(write(&less, &mut written, None).is_empty());
        assert!(compare(&less, &written).is_empty());
        let grown = compare(&more, &written);
        assert_eq!(grown.len(), 1);
        assert!(grown[0].contains("crates/x: 1 became 2\n    crates/x/src/a.rs:1: f"), "{grown:?}");
        assert!(write(&more, &mut written, None).is_empty());
        assert_eq!(compare(&more, &written), grown);
        let accepted = write(&more, &mut written, Some("a matrix"));
        assert_eq!((accepted[0].from, accepted[0].to, accepted[0].reason.as_str()), (1, 2, "a matrix"));
        assert!(compare(&more, &written).is_empty());
        assert!(compare(&less, &written)[0].contains("writes down the progress"));
    }
}
