//! `expect:` is ranges given before the run and judged by it; `reference:` is published figures, which are only shown
//! beside those of the run.

use super::claims::{CLAIMS_MAX, Known};
use super::conclusions::{CONCLUSIONS, Conclusion, check_conclusions};
use super::field::{Field, line, pairs};
use super::keys::{ARGUMENT, Kind, WORD, keys, kinds};
use super::problem::shown;
use super::yaml::{Entry, Kind as Written, Value};
use proofload_facts::{Expected, Mistake, Thing};
use proofload_stats::{ClaimError, parse_expectation, parse_published};

/// Most references of a study.
pub(super) const REFERENCES_MAX: usize = 16;

/// Most figures of one reference.
const FIGURES_MAX: usize = 200;

keys! {
    /// A range, and the author of the expectation.
    RANGE_WITH_SOURCE {
        /// `8000/s..14000/s`, `8000/s..` or `..50ms`.
        required range: RANGE_TEXT,
        /// Author of the expectation, and the reason for it.
        optional source: WORD,
    }

    /// Figures published elsewhere, and the conclusions from them; at least one of the two.
    REFERENCE some(figures, conclusions) {
        /// Publisher and date.
        required source: WORD,
        /// Its address.
        optional url: Kind::Text(r"^https?://\S+$"),
        /// `p99(a) @ 64c: 101ms`.
        optional figures: Kind::Names(&ARGUMENT, 1, FIGURES_MAX),
        /// Conclusions, each with the claims that test it.
        optional conclusions: CONCLUSIONS,
    }
}

kinds! {
    /// Ranges by quantity.
    EXPECTATIONS = Kind::Either(&[&Kind::Names(&RANGE, 1, usize::MAX), &Kind::List(&EXPECTATION, 1, usize::MAX)]);
    /// `throughput(a) @ 64c: 8000/s..14000/s`.
    EXPECTATION = Kind::Names(&RANGE, 1, 1);
    /// `8000/s..14000/s`, `8000/s..` or `..50ms`; with its source in a map.
    RANGE = Kind::Either(&[&RANGE_TEXT, &Kind::Map(&[&RANGE_WITH_SOURCE])]);
}

const RANGE_TEXT: Kind = Kind::Text(r"\.\.");

const FORM: &str = "- throughput(a) @ 64c: 8000/s..14000/s";

/// A row of the table of expectations, as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedRow {
    /// The quantity: `throughput(nio) @ 64c`.
    pub quantity: String,
    /// Expected range: `8000/s..14000/s`.
    pub range: String,
    /// Author of the expectation, and the reason; empty when none is named.
    pub source: String,
}

/// Figures that were published elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Publisher and date.
    pub source: String,
    /// Its address; empty if there is none.
    pub url: String,
    /// Quantities with their values: `p99(ajp) @ 100c` and `101ms`.
    pub figures: Vec<(String, String)>,
    /// Conclusions from the figures.
    pub conclusions: Vec<Conclusion>,
}

/// Checks the rows of `expect`. Without names of variants and points only their shape is checked.
pub(super) fn check_expect(field: &Field<'_>, known: &Known) -> Option<Vec<ExpectedRow>> {
    let mut rows: Vec<ExpectedRow> = Vec::new();
    let mut whole = true;
    let mut tested = 0;
    for (quantity, value) in pairs(field, FORM)? {
        let Some((range, source)) = range_and_source(&value) else {
            whole = false;
            continue;
        };
        if rows.iter().any(|row| row.quantity == quantity.key.trim()) {
            value.problem(Mistake::twice(Thing::Quantity, shown(quantity.key.trim())));
        }
        match parse_expectation(&quantity.key, &range, &known.names) {
            Ok(read) => tested += read.iter().map(|row| row.claims.len()).sum::<usize>(),
            Err(errors) => {
                whole = false;
                tell(&value, quantity, errors, known);
            }
        }
        rows.push(ExpectedRow { quantity: quantity.key.trim().to_string(), range, source });
    }
    if tested > CLAIMS_MAX {
        field.problem(Mistake::TooManyClaims { found: tested as u64, most: CLAIMS_MAX as u64 });
        return None;
    }
    whole.then_some(rows)
}

fn range_and_source(value: &Field<'_>) -> Option<(String, String)> {
    const FORM: &str = "8000/s..14000/s, 8000/s.., ..50ms";
    match &value.node.value {
        Value::Map(_) => {
            let map = value.map(FORM)?;
            let range = map.required("range", FORM);
            let source = map.optional("source");
            map.close();
            let source = source.map_or(Some(String::new()), |field| line(&field, "source: who expected it"));
            Some((range?.text(FORM)?.trim().to_string(), source?))
        }
        // A number without an end is not a range either, so its quotes do not matter.
        Value::Scalar { text, .. }
            if matches!(value.node.kind(), Some(Written::Integer | Written::Number)) =>
        {
            Some((text.trim().to_string(), String::new()))
        }
        _ => Some((value.text(FORM)?.trim().to_string(), String::new())),
    }
}

/// Mistakes in a quantity at its place, those in its value at that.
fn tell(value: &Field<'_>, quantity: &Entry, errors: Vec<ClaimError>, known: &Known) {
    for error in errors.into_iter().filter(|error| known.tells(&error.mistake)) {
        let behind = error.at > quantity.key.trim().len();
        let place = if behind { value.node.place } else { quantity.place };
        value.sink.add(place, &value.path, error.mistake);
    }
}

/// Checks `reference`: sources with their figures and conclusions. `claims` are the names of all claims; without them only
/// the shape of conclusions is checked.
pub(super) fn check_references(
    field: &Field<'_>,
    known: &Known,
    claims: Option<&[&str]>,
) -> Option<Vec<Reference>> {
    const FORM: &str = "- { source: Some report, figures: { p99(a) @ 64c: 101ms } }";
    let items = field.items(FORM)?;
    field.at_most(items.len(), REFERENCES_MAX, Thing::Reference)?;
    let checked: Vec<Option<Reference>> = items.iter().map(|item| reference(item, known, claims)).collect();
    checked.into_iter().collect()
}

fn reference(item: &Field<'_>, known: &Known, claims: Option<&[&str]>) -> Option<Reference> {
    let map = item.map("{ source: Some report, figures: { p99(a) @ 64c: 101ms } }")?;
    let source = map.required("source", "source: Some report");
    let url = map.optional("url");
    let conclusions = map.optional("conclusions");
    let figures = match &conclusions {
        // Words without a figure can be tested all the same.
        Some(_) => map.optional("figures").map(Some),
        None => map.required("figures", "figures: { p99(a) @ 64c: 101ms }").map(Some),
    };
    let figures = figures.or_else(|| conclusions.as_ref().map(|_| None));
    map.close();
    let source = source.and_then(|field| line(&field, "source: Some report"));
    let url = url.map_or(Some(String::new()), |field| address(&field));
    let figures = figures.and_then(|field| match field {
        Some(field) => check_figures(&field, known),
        None => Some(Vec::new()),
    });
    let conclusions = conclusions.map_or(Some(Vec::new()), |field| check_conclusions(&field, claims));
    Some(Reference { source: source?, url: url?, figures: figures?, conclusions: conclusions? })
}

/// An address that a report may link to.
fn address(field: &Field<'_>) -> Option<String> {
    let text = line(field, "https://…")?;
    let web = text.starts_with("http://") || text.starts_with("https://");
    if !web || text.contains(char::is_whitespace) {
        field.wrong(Expected::WebAddress, "https://…");
        return None;
    }
    Some(text)
}

fn check_figures(field: &Field<'_>, known: &Known) -> Option<Vec<(String, String)>> {
    const FORM: &str = "figures: { p99(a) @ 64c: 101ms }";
    let entries = pairs(field, FORM)?;
    if entries.len() > FIGURES_MAX {
        field.problem(Mistake::too_many(Thing::Figure, entries.len(), FIGURES_MAX));
        return None;
    }
    let mut figures: Vec<(String, String)> = Vec::new();
    let mut whole = true;
    for (quantity, value) in entries {
        let Some(text) = value.parameter_value(false) else {
            whole = false;
            continue;
        };
        if let Err(errors) = parse_published(&quantity.key, text, &known.names) {
            whole = false;
            tell(&value, quantity, errors, known);
        }
        let name = quantity.key.trim();
        if figures.iter().any(|(other, _)| other == name) {
            value.problem(Mistake::twice(Thing::Figure, shown(name)));
        }
        figures.push((name.to_string(), text.trim().to_string()));
    }
    whole.then_some(figures)
}

#[cfg(test)]
mod tests;
