//! Claims by name.

use super::field::Field;
use super::keys::{Kind, WORD, kinds};
use super::problem::shown;
use super::yaml::Value;
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

const REMEDY: &str = "write a list: - serves more: throughput(a) > throughput(b)";

/// Claims as declared, and at definite load points.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    pub(super) declared: Vec<(String, String)>,
    pub(super) expanded: Vec<Claim>,
}

/// Checks claims. Without names of variants and points only their shape is checked, and nothing is
/// returned.
pub(super) fn check_claims(field: &Field<'_>, names: Option<&Names>) -> Option<Claims> {
    let mut claims = Claims::default();
    let mut whole = true;
    for (name, field) in named(field)? {
        if name.trim().is_empty()
            || name.chars().count() > CLAIM_NAME_MAX
            || name.chars().any(char::is_control)
        {
            field.problem(
                "cannot name a claim",
                format!("write a short sentence, at most {CLAIM_NAME_MAX} letters"),
            );
        }
        if claims.declared.iter().any(|(other, _)| *other == name) {
            field.problem("a second claim of this name", "name it otherwise");
        }
        let Some(text) = field.text("write a claim: throughput(a) > throughput(b)") else {
            whole = false;
            continue;
        };
        match names.map_or_else(|| Ok(Vec::new()), |names| parse_claim(&name, text, names)) {
            Ok(expanded) => claims.expanded.extend(expanded),
            Err(errors) => {
                whole = false;
                for error in errors {
                    let mut place = field.node.place;
                    place.column += text.get(..error.at).map_or(0, |before| before.chars().count());
                    field.sink.add_joined(place, &field.path, &error.message);
                }
            }
        }
        claims.declared.push((name, text.trim().to_string()));
    }
    if claims.expanded.len() > CLAIMS_MAX {
        let what = format!("{} claims at all load points together are too many", claims.expanded.len());
        field.problem(what, format!("write at most {CLAIMS_MAX}; an @ keeps a claim to one point"));
        return None;
    }
    names.filter(|_| whole).map(|_| claims)
}

/// Names with their texts, from a map or from a list of maps of one entry.
fn named<'a>(field: &Field<'a>) -> Option<Vec<(String, Field<'a>)>> {
    if !matches!(field.node.value, Value::List(_)) {
        let entries = field.entries(REMEDY)?;
        return Some(entries.into_iter().map(|(entry, field)| (entry.key.clone(), field)).collect());
    }
    let mut out = Vec::new();
    for item in field.items(REMEDY)? {
        if let Some(text) = item.written() {
            item.problem(
                "a claim without a name",
                format!("write its name before it: name: {}", shown(text)),
            );
            continue;
        }
        let Some(entries) = item.entries(REMEDY) else { continue };
        if entries.len() > 1 {
            let second = &entries[1];
            second.1.problem("two claims in one item of the list", "begin each with its own -");
        }
        // The position says nothing more once the name is there.
        out.extend(entries.into_iter().map(|(entry, mut inner)| {
            inner.path = format!("{}.{}", field.path, shown(&entry.key));
            (entry.key.clone(), inner)
        }));
    }
    Some(out)
}
