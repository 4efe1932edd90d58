//! `conclusions:` of a reference — what its author concluded, and which claims of this study test that.

use super::field::{Field, Map, line, pairs};
use super::keys::{Kind, WORD, keys, kinds};
use super::problem::shown;
use super::suggest::unknown;
use super::yaml::Kind as Written;
use proofload_facts::{Mistake, Thing};

/// Most conclusions of one reference.
const CONCLUSIONS_MAX: usize = 50;

keys! {
    /// Claims that test a conclusion, or the reason why none does.
    CONCLUSION exactly_one(claim, not_tested) {
        /// Name of a claim of this study, or several.
        optional claim: NAMES,
        /// The figure that it rested on: `1.10`, `+11 %`.
        optional was: FIGURE,
        /// Reason why that figure is not evidence, or weaker than it seems.
        optional beware: WORD,
        /// Reason why this study does not test it.
        optional not_tested: WORD,
    }
}

kinds! {
    /// Conclusions by their sentence.
    CONCLUSIONS = Kind::Either(&[
        &Kind::Names(&Kind::Map(&[&CONCLUSION]), 1, CONCLUSIONS_MAX),
        &Kind::List(&NAMED_CONCLUSION, 1, CONCLUSIONS_MAX),
    ]);
    /// One conclusion with what tests it.
    NAMED_CONCLUSION = Kind::Names(&Kind::Map(&[&CONCLUSION]), 1, 1);
    /// A name, or several.
    NAMES = Kind::Either(&[&WORD, &Kind::List(&Kind::Text(""), 1, usize::MAX)]);
    /// A figure as it was written.
    FIGURE = Kind::Either(&[&WORD, &Kind::Number(r#"{"type": "number"}"#)]);
}

const FORM: &str = "- A serves more: { claim: name of a claim, was: 1.10 }";

/// A conclusion from published figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// The conclusion, a sentence.
    pub says: String,
    /// Names of the claims that test it; empty when nothing does.
    pub claims: Vec<String>,
    /// The figure that it rested on; empty if there is none.
    pub was: String,
    /// Reason why that figure is not evidence, or weaker than it seems; empty if there is none.
    pub beware: String,
    /// Reason why the study does not test it; empty when it does.
    pub not_tested: String,
}

/// Checks the conclusions of a reference. `claims` are the names of all claims of the study; without them only the shape is
/// checked.
pub(super) fn check_conclusions(field: &Field<'_>, claims: Option<&[&str]>) -> Option<Vec<Conclusion>> {
    let rows = pairs(field, FORM)?;
    if rows.len() > CONCLUSIONS_MAX {
        field.problem(Mistake::too_many(Thing::Conclusion, rows.len(), CONCLUSIONS_MAX));
        return None;
    }
    let mut conclusions: Vec<Conclusion> = Vec::new();
    let mut whole = true;
    for (entry, value) in rows {
        let says = entry.key.trim();
        if says.is_empty() || says.chars().any(char::is_control) {
            value.problem(Mistake::NotASentence { most: 300 });
        }
        if conclusions.iter().any(|other| other.says == says) {
            value.problem(Mistake::twice(Thing::Conclusion, shown(says)));
        }
        match conclusion(says, &value, claims) {
            Some(conclusion) => conclusions.push(conclusion),
            None => whole = false,
        }
    }
    whole.then_some(conclusions)
}

fn conclusion(says: &str, value: &Field<'_>, claims: Option<&[&str]>) -> Option<Conclusion> {
    let map = value.map("{ claim: name of a claim, was: 1.10 }")?;
    let tested = map.exactly_one("claim: name of a claim, not_tested: it takes fifty hours");
    let was = map.optional("was").map_or(Some(String::new()), |field| figure(&field));
    let beware = words(&map, "beware", "beware: measured on one machine");
    map.close();
    let (tested, not_tested) = match tested? {
        ("claim", field) => (names(&field, claims), Some(String::new())),
        (_, field) => (Some(Vec::new()), line(&field, "not_tested: it takes fifty hours")),
    };
    Some(Conclusion {
        says: says.to_string(),
        claims: tested?,
        was: was?,
        beware: beware?,
        not_tested: not_tested?,
    })
}

fn words(map: &Map<'_>, key: &str, remedy: &str) -> Option<String> {
    map.optional(key).map_or(Some(String::new()), |field| line(&field, remedy))
}

/// A figure is shown as it is written, so its quotes do not matter.
fn figure(field: &Field<'_>) -> Option<String> {
    match (field.written(), field.node.kind()) {
        (Some(text), Some(Written::Integer | Written::Number)) => Some(text.trim().to_string()),
        _ => line(field, "was: 1.10"),
    }
}

fn names(field: &Field<'_>, claims: Option<&[&str]>) -> Option<Vec<String>> {
    const FORM: &str = "claim: name of a claim";
    let mut names: Vec<String> = Vec::new();
    let mut whole = true;
    for item in field.one_or_many(FORM)? {
        let Some(name) = item.text(FORM) else {
            whole = false;
            continue;
        };
        if let Some(known) = claims.filter(|known| !known.contains(&name)) {
            item.problem(unknown(Thing::Claim, name, known));
            whole = false;
        }
        if names.iter().any(|other| other == name) {
            item.problem(Mistake::twice(Thing::Claim, shown(name)));
        }
        names.push(name.to_string());
    }
    whole.then_some(names)
}
