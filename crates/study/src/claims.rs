//! Claims by name.

use super::field::Field;
use super::keys::{Kind, WORD, kinds};
use super::problem::shown;
use super::yaml::Value;
use proofload_facts::{Mistake, Thing};
use proofload_stats::{Claim, Names, parse_claim};

/// Most claims after those without `@` became one for each load point: the error rate is shared among them,
/// and the table of bounds ends here.
pub(crate) const CLAIMS_MAX: usize = 20;

/// Longest name of a claim; it is shown in tables and in the last line.
const CLAIM_NAME_MAX: usize = 120;

kinds! {
    /// `throughput(a) > 1.1 * throughput(b) @ 64c`.
    CLAIM = WORD;
    /// One claim with its name.
    NAMED_CLAIM = Kind::Names(&CLAIM, 1, 1);
    /// Claims by name.
    CLAIMS = Kind::Either(&[&Kind::Names(&CLAIM, 1, usize::MAX), &Kind::List(&NAMED_CLAIM, 1, usize::MAX)]);
}

/// Names that claims can use, as far as they could be read.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) names: Names,
    /// True if these are all names; otherwise no name is reported as unknown.
    pub(super) complete: bool,
}

impl Known {
    /// True for a mistake that does not depend on the names that could not be read.
    pub(super) fn tells(&self, mistake: &Mistake) -> bool {
        let of_names = matches!(
            mistake,
            Mistake::UnknownName { what: Thing::Variant | Thing::Point | Thing::Stream | Thing::Entry, .. }
                | Mistake::NoPoints
                | Mistake::NoStreams { .. }
                | Mistake::WhichVariant { .. }
                | Mistake::Ambiguous { .. }
                | Mistake::FigureOfWhichPoint
        );
        self.complete || !of_names
    }
}

const FORM: &str = "- serves more: throughput(a) > throughput(b)";

/// Claims as declared, and at definite load points.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    pub(super) declared: Vec<(String, String)>,
    pub(super) expanded: Vec<Claim>,
}

/// Checks claims. Without names of variants and points only their shape is checked, and nothing is
/// returned.
pub(super) fn check_claims(field: &Field<'_>, known: &Known) -> Option<Claims> {
    let mut claims = Claims::default();
    let mut whole = true;
    for (name, field) in named(field)? {
        if name.trim().is_empty()
            || name.chars().count() > CLAIM_NAME_MAX
            || name.chars().any(char::is_control)
        {
            field.problem(Mistake::NotASentence { most: CLAIM_NAME_MAX as u64 });
        }
        if claims.declared.iter().any(|(other, _)| *other == name) {
            field.problem(Mistake::twice(Thing::Claim, shown(&name)));
        }
        let Some(text) = field.text("throughput(a) > throughput(b)") else {
            whole = false;
            continue;
        };
        match parse_claim(&name, text, &known.names) {
            Ok(expanded) => claims.expanded.extend(expanded),
            Err(errors) => {
                whole = false;
                for error in errors.into_iter().filter(|error| known.tells(&error.mistake)) {
                    let mut place = field.node.place;
                    place.column += text.get(..error.at).map_or(0, |before| before.chars().count());
                    field.sink.add(place, &field.path, error.mistake);
                }
            }
        }
        claims.declared.push((name, text.trim().to_string()));
    }
    if claims.expanded.len() > CLAIMS_MAX {
        let found = claims.expanded.len() as u64;
        field.problem(Mistake::TooManyClaims { found, most: CLAIMS_MAX as u64 });
        return None;
    }
    (whole && known.complete).then_some(claims)
}

/// Names with their texts, from a map or from a list of maps of one entry.
fn named<'a>(field: &Field<'a>) -> Option<Vec<(String, Field<'a>)>> {
    if !matches!(field.node.value, Value::List(_)) {
        let entries = field.entries(FORM)?;
        return Some(entries.into_iter().map(|(entry, field)| (entry.key.clone(), field)).collect());
    }
    let mut out = Vec::new();
    for item in field.items(FORM)? {
        if let Some(text) = item.written() {
            item.problem(Mistake::UnnamedClaim { text: shown(text) });
            continue;
        }
        let Some(entries) = item.entries(FORM) else { continue };
        if entries.len() > 1 {
            let second = &entries[1];
            second.1.problem(Mistake::TwoInOneItem);
        }
        // The position adds nothing once the name is there.
        out.extend(entries.into_iter().map(|(entry, mut inner)| {
            inner.path = format!("{}.{}", field.path, shown(&entry.key));
            (entry.key.clone(), inner)
        }));
    }
    Some(out)
}
