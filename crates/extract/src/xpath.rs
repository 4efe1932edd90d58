//! XPath 1.0 over trees of markup.

use crate::markup::{Item, Tree};
use crate::selector::{Found, Pick, SelectorError};
use std::cmp::Ordering;
use xpath_eval::{EvaluationContext, ExpandedName, Expr, FilterExpr, NodeKind, PathExpr, PrimaryExpr, Value};

/// Most signs and words that may be operators: each may be one call within another.
const MOST_OPERATORS: usize = 200;

pub fn compile(text: &str) -> Result<Expr, SelectorError> {
    let signs = text.matches(['-', '+', '|', '=', '<', '>', '*']).count();
    let words = text.split_whitespace().filter(|word| matches!(*word, "or" | "and" | "div" | "mod")).count();
    if signs + words > MOST_OPERATORS {
        return Err(SelectorError::new(format!("it has more than {MOST_OPERATORS} operators"), None));
    }
    let parsed = xpath_eval::parse(text);
    let xpath = parsed.map_err(|error| SelectorError::new(error.message, Some(error.position)))?;
    match unknown(&xpath) {
        Some(name) => {
            let at = text.find(name.trim_start_matches('$'));
            Err(SelectorError::new(format!("{name} is unknown"), at))
        }
        None => Ok(xpath),
    }
}

const FUNCTIONS: &str = " last position count id local-name namespace-uri name string concat starts-with contains \
    substring-before substring-after substring string-length normalize-space translate boolean not true false lang \
    number sum floor ceiling round ";

/// A variable or function that there is not.
fn unknown(xpath: &Expr) -> Option<String> {
    let mut left = vec![xpath];
    while let Some(xpath) = left.pop() {
        let (filter, path) = match xpath {
            Expr::Or(one, other)
            | Expr::And(one, other)
            | Expr::Union(one, other)
            | Expr::Equality(one, _, other)
            | Expr::Relational(one, _, other)
            | Expr::Additive(one, _, other)
            | Expr::Multiplicative(one, _, other) => {
                left.extend([&**one, other]);
                continue;
            }
            Expr::Negate(inner) => {
                left.push(inner);
                continue;
            }
            Expr::Path(PathExpr::Location(path)) => (None, Some(path)),
            Expr::Path(PathExpr::Filter(filter)) => (Some(filter), None),
            Expr::Path(PathExpr::FilterLocation(filter, path)) => (Some(filter), Some(path)),
        };
        left.extend(path.iter().flat_map(|path| &path.steps).flat_map(|step| &step.predicates));
        let Some(FilterExpr { primary, predicates }) = filter else { continue };
        left.extend(predicates);
        match primary {
            PrimaryExpr::Variable(name) => return Some(format!("${}", name.local)),
            PrimaryExpr::Parenthesized(inner) => left.push(inner),
            PrimaryExpr::Function(call) => {
                left.extend(&call.args);
                if call.name.prefix.is_some() || !FUNCTIONS.contains(&format!(" {} ", call.name.local)) {
                    return Some(format!("{}()", call.name.local));
                }
            }
            PrimaryExpr::Literal(_) | PrimaryExpr::Number(_) => {}
        }
    }
    None
}

pub fn find(xpath: &Expr, tree: &Tree, pick: Pick, random: u64, out: &mut Vec<u8>) -> Found {
    if tree.deep {
        return Found::Unreadable("its elements are nested deeper than 512");
    }
    let as_written = |prefix: &str| Some(prefix.to_string());
    let mut context = EvaluationContext::new(At { tree, item: 0 });
    context.namespaces = Some(&as_written);
    let value = xpath_eval::evaluate(xpath, &context);
    if tree.left.get() == 0 {
        return Found::Unreadable("it takes more than 2 million steps to search");
    }
    match value {
        Ok(Value::NodeSet(mut nodes)) => {
            nodes.sort_by_key(|node| node.item);
            pick.take(&nodes, random, out, |node, out| {
                out.extend_from_slice(node.tree.value(node.item).as_bytes())
            })
        }
        Ok(value) => pick.take(&[&*value.to_xpath_string()], random, out, |text, out| {
            out.extend_from_slice(text.as_bytes());
        }),
        Err(_) => Found::Unreadable("the XPath hands a function something wrong"),
    }
}

/// Node of a tree; each move takes one of the steps that are left.
#[derive(Clone, Copy)]
struct At<'a> {
    tree: &'a Tree,
    item: usize,
}

impl PartialEq for At<'_> {
    fn eq(&self, other: &At) -> bool {
        self.item == other.item
    }
}

impl Eq for At<'_> {}

impl<'a> At<'a> {
    fn item(self) -> &'a Item {
        &self.tree.items[self.item]
    }

    fn step(self, item: usize) -> Option<At<'a>> {
        self.pay(1).then_some(At { item, ..self })
    }

    fn pay(self, steps: usize) -> bool {
        let left = self.tree.left.get().saturating_sub(steps as u64);
        self.tree.left.set(left);
        left > 0
    }
}

impl<'a> xpath_eval::Node<'a> for At<'a> {
    fn kind(self) -> NodeKind {
        self.item().kind
    }

    fn parent(self) -> Option<At<'a>> {
        if self.item == 0 { None } else { self.step(self.item().parent) }
    }

    fn children(self) -> impl Iterator<Item = At<'a>> + 'a {
        let some = move |item: usize| if item == 0 { None } else { self.step(item) };
        std::iter::successors(some(self.item().first), move |child| some(child.item().next))
    }

    fn attributes(self) -> impl Iterator<Item = At<'a>> + 'a {
        let all = self.item + 1..self.tree.items.len();
        let attributes = all.map_while(move |item| self.step(item));
        attributes
            .take_while(|node| node.item().kind == NodeKind::Attribute)
            .filter(move |node| node.item().parent == self.item)
    }

    fn namespaces(self) -> impl Iterator<Item = At<'a>> + 'a {
        std::iter::empty()
    }

    fn expanded_name(self) -> Option<ExpandedName> {
        let name = self.tree.name(self.item);
        let local_name = name.rsplit(':').next().unwrap_or_default().to_string();
        (!name.is_empty()).then_some(ExpandedName { namespace_uri: None, local_name })
    }

    fn string_value(self) -> String {
        self.with_string_value(str::to_string)
    }

    fn document_order(self, other: At<'a>) -> Ordering {
        self.item.cmp(&other.item)
    }

    fn has_expanded_name(self, prefix: Option<&str>, local: &str) -> bool {
        match (prefix, self.tree.name(self.item).split_once(':')) {
            (None, None) => self.tree.name(self.item) == local,
            (None, Some((_, here))) => here == local,
            (Some(prefix), name) => name == Some((prefix, local)),
        }
    }

    fn with_string_value<R>(self, take: impl FnOnce(&str) -> R) -> R {
        let value = self.tree.value(self.item);
        take(if self.pay(value.len() / 32) { value } else { "" })
    }
}
