//! Variants of a subject: the product of its factors without the excluded combinations, or the combinations that it
//! lists.

use super::field::{Field, Map};
use super::keys::{Kind, WHOLE, WORD, keys, kinds};
use super::name::{LEVEL_LETTERS, PLAIN, bad_name, is_level, is_plain_name};
use super::problem::shown;
use super::suggest::unknown;
use super::yaml::{Entry, Value};
use proofload_facts::{Mistake, Thing};

keys! {
    /// Combinations that are variants.
    VARIED {
        /// Combinations of vary that are not variants; one that names some factors excludes all that fit it.
        optional exclude: Kind::List(&COMBINATION_OF_LEVELS, 1, EXCLUDED_MAX),
        /// Variants, instead of vary: a list of combinations, or a map that names them.
        optional combinations: COMBINATIONS,
    }
}

kinds! {
    /// A word, a whole number, or true or false where the parameter is a switch. What YAML would read otherwise is in
    /// quotes.
    VALUE = Kind::Either(&[&WORD, &WHOLE, &Kind::Switch]);
    /// A level: letters, digits and . _ - : + %.
    LEVEL = Kind::Either(&[
        &Kind::Text("^[A-Za-z0-9][A-Za-z0-9._:+%-]{0,63}$"),
        &Kind::Integer(0, u64::MAX),
        &Kind::Switch,
    ]);
    /// Levels of a factor.
    LEVELS = Kind::Distinct(&LEVEL, 1, usize::MAX);
    /// A level of each factor.
    COMBINATION_OF_LEVELS = Kind::Names(&LEVEL, 1, usize::MAX);
    /// Combinations without names, which all give the same factors, or with names, which give what they change.
    COMBINATIONS = Kind::Either(&[
        &Kind::List(&COMBINATION_OF_LEVELS, 1, VARIANTS_MAX),
        &Kind::Names(&Kind::Names(&VALUE, 0, usize::MAX), 1, VARIANTS_MAX),
    ]);
}

/// Most variants of a study: they all run at the same time.
pub(super) const VARIANTS_MAX: usize = 32;

/// Most combinations before some are excluded: bounds the work.
const PRODUCT_MAX: usize = 1024;

/// Most rows of `exclude`.
const EXCLUDED_MAX: usize = 256;

/// The factor whose levels are the names of named combinations.
const COMBINATION: &str = "combination";

/// Names of factors that Proofload itself gives.
const RESERVED: [&str; 2] = ["subject", COMBINATION];

/// A factor: name, levels with their places, place.
pub(super) struct Factor<'a> {
    pub(super) name: String,
    pub(super) levels: Vec<(String, Field<'a>)>,
    pub(super) at: Field<'a>,
    /// True if every combination has a level of it.
    everywhere: bool,
}

/// One combination.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    /// Factors with their levels, as claims name them.
    pub(super) levels: Vec<(String, String)>,
    /// Values that are filled in.
    pub(super) values: Vec<(String, String)>,
}

/// Factors and combinations of a subject.
pub(super) struct Varied<'a> {
    pub(super) factors: Vec<Factor<'a>>,
    pub(super) rows: Vec<Row>,
    /// Combinations that it excludes.
    pub(super) excluded: usize,
    /// True if all of it could be read.
    pub(super) complete: bool,
}

impl Varied<'_> {
    /// True if a factor has a level in every combination.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.factors.iter().any(|factor| factor.name == name && factor.everywhere)
    }

    /// Factors that some combinations leave out need a value of their own.
    pub(super) fn check_gaps(&self, has_value: &dyn Fn(&str) -> bool) {
        for factor in self.factors.iter().filter(|factor| !factor.everywhere && !has_value(&factor.name)) {
            factor.at.problem(Mistake::NotInEveryCombination { factor: factor.name.clone() });
        }
    }
}

/// Names with their values; what could not be read is left out.
pub(super) fn assignments<'a>(
    field: &Field<'a>,
    switch: &dyn Fn(&str) -> bool,
) -> Option<Vec<(String, String, Field<'a>)>> {
    let entries = field.entries("with: { heap: 256m }")?;
    let read = |(entry, field): (&Entry, Field<'a>)| {
        let value = field.parameter_value(switch(&entry.key))?;
        Some((entry.key.clone(), value.to_string(), field))
    };
    Some(entries.into_iter().filter_map(read).collect())
}

/// Reads `vary` with `exclude`, or `combinations`. `switch` returns true for factors that take true and false.
pub(super) fn varied<'a>(map: &Map<'a>, switch: &dyn Fn(&str) -> bool) -> Varied<'a> {
    let none = Varied { factors: Vec::new(), rows: vec![Row::default()], excluded: 0, complete: true };
    match (map.optional("vary"), map.optional("combinations"), map.optional("exclude")) {
        (Some(_), Some(listed), _) => {
            listed.problem(Mistake::exclude("vary", "combinations"));
            Varied { complete: false, ..none }
        }
        (None, Some(listed), exclude) => {
            if let Some(exclude) = exclude {
                exclude.problem(Mistake::NoMeaningBeside { beside: "combinations".to_string() });
            }
            let varied = combinations(&listed, switch);
            varied.unwrap_or(Varied { complete: false, ..none })
        }
        (Some(vary), None, exclude) => product_of(&vary, exclude.as_ref(), switch),
        (None, None, Some(exclude)) => {
            exclude.problem(Mistake::ExcludesNothing);
            none
        }
        (None, None, None) => none,
    }
}

fn product_of<'a>(
    vary: &Field<'a>,
    exclude: Option<&Field<'a>>,
    switch: &dyn Fn(&str) -> bool,
) -> Varied<'a> {
    let (factors, complete) = factors(vary, switch);
    let rows = product(&factors);
    if rows.len() > PRODUCT_MAX {
        vary.problem(Mistake::too_many(Thing::Combination, format!("> {PRODUCT_MAX}"), PRODUCT_MAX));
        return Varied { factors, rows: Vec::new(), excluded: 0, complete: false };
    }
    let all = rows.len();
    let rows = match exclude {
        Some(exclude) if complete => without(exclude, rows, &factors, switch),
        _ => rows,
    };
    let excluded = all - rows.len();
    // Without a combination every claim would look wrong.
    let complete = complete && !rows.is_empty();
    Varied { factors, rows, excluded, complete }
}

/// Factors with their levels; true if all levels could be read.
fn factors<'a>(vary: &Field<'a>, switch: &dyn Fn(&str) -> bool) -> (Vec<Factor<'a>>, bool) {
    let Some(entries) = vary.entries("vary: { connector: [nio, nio2] }") else {
        return (Vec::new(), false);
    };
    let mut complete = true;
    let mut factors = Vec::new();
    for (entry, field) in entries {
        complete &= check_factor_name(&entry.key, &Field { node: &entry.node, ..field.clone() }, entry.place);
        let (levels, whole) = levels(&field, switch(&entry.key));
        complete &= whole;
        factors.push(Factor { name: entry.key.clone(), levels, at: field, everywhere: true });
    }
    (factors, complete)
}

fn check_factor_name(name: &str, field: &Field<'_>, place: super::problem::Location) -> bool {
    let reserved = RESERVED.contains(&name);
    if reserved {
        field.sink.add(place, &field.path, Mistake::ReservedName { name: shown(name) });
    } else if !is_plain_name(name) {
        field.sink.add(place, &field.path, bad_name(Thing::Factor, name, PLAIN));
    }
    !reserved && is_plain_name(name)
}

/// Levels that could be read; true if those are all.
fn levels<'a>(field: &Field<'a>, takes_boolean: bool) -> (Vec<(String, Field<'a>)>, bool) {
    let Some(items) = field.items("[nio, nio2]") else {
        return (Vec::new(), false);
    };
    let mut levels: Vec<(String, Field<'a>)> = Vec::new();
    let mut complete = true;
    for item in items {
        match level(&item, takes_boolean) {
            None => complete = false,
            Some(level) if levels.iter().any(|(other, _)| other == level) => {
                item.problem(Mistake::twice(Thing::Level, level));
            }
            Some(level) => levels.push((level.to_string(), item)),
        }
    }
    (levels, complete)
}

fn level<'a>(item: &Field<'a>, takes_boolean: bool) -> Option<&'a str> {
    let level = item.parameter_value(takes_boolean)?;
    check_level(item, level).then_some(level)
}

fn check_level(at: &Field<'_>, level: &str) -> bool {
    if !is_level(level) {
        at.problem(bad_name(Thing::Level, level, LEVEL_LETTERS));
    }
    is_level(level)
}

/// Every combination of levels; the last factor changes fastest.
fn product(factors: &[Factor<'_>]) -> Vec<Row> {
    let mut out = vec![Vec::new()];
    for factor in factors {
        // One more than allowed is enough to be refused, and bounds the work.
        out = out
            .iter()
            .flat_map(|before: &Vec<(String, String)>| {
                factor.levels.iter().map(move |(level, _)| {
                    let mut after = before.clone();
                    after.push((factor.name.clone(), level.clone()));
                    after
                })
            })
            .take(PRODUCT_MAX + 1)
            .collect();
    }
    out.into_iter().map(|levels| Row { values: levels.clone(), levels }).collect()
}

/// The rows that no entry of `exclude` fits.
fn without(
    exclude: &Field<'_>,
    mut rows: Vec<Row>,
    factors: &[Factor<'_>],
    switch: &dyn Fn(&str) -> bool,
) -> Vec<Row> {
    const FORM: &str = "exclude: [{ connector: nio2, heap: 1g }]";
    let Some(items) = exclude.items(FORM) else { return rows };
    if items.len() > EXCLUDED_MAX {
        exclude.problem(Mistake::too_many(Thing::Row, items.len(), EXCLUDED_MAX));
        return rows;
    }
    for item in &items {
        let Some(entries) = item.entries(FORM) else { continue };
        let mut pairs = Vec::new();
        let mut known = true;
        for (entry, field) in entries {
            let level = field.parameter_value(switch(&entry.key));
            match factors.iter().find(|factor| factor.name == entry.key) {
                Some(factor) => match level {
                    Some(level) if factor.levels.iter().any(|(other, _)| other == level) => {
                        pairs.push((factor.name.clone(), level.to_string()));
                    }
                    Some(level) => {
                        let levels: Vec<&str> =
                            factor.levels.iter().map(|(level, _)| level.as_str()).collect();
                        field.problem(unknown(Thing::Level, level, &levels));
                        known = false;
                    }
                    None => known = false,
                },
                None => {
                    let names: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
                    field.problem(unknown(Thing::Factor, &entry.key, &names));
                    known = false;
                }
            }
        }
        let before = rows.len();
        if known {
            rows.retain(|row| !pairs.iter().all(|pair| row.levels.contains(pair)));
            if rows.len() == before {
                item.problem(Mistake::ExcludesNothing);
            }
        }
    }
    if rows.is_empty() {
        exclude.problem(Mistake::LeavesNone { what: Thing::Combination });
    }
    rows
}

/// A row as written: its name where it has one, and its values with their places.
type Listed<'a> = (Option<String>, Vec<(String, String, Field<'a>)>);

/// Rows of a list, or of a map that names them.
fn combinations<'a>(field: &Field<'a>, switch: &dyn Fn(&str) -> bool) -> Option<Varied<'a>> {
    const REMEDY: &str = "combinations: [{ connector: nio, heap: 1g }], combinations: { plain: {} }";
    let mut complete = true;
    let mut listed: Vec<Listed<'a>> = Vec::new();
    match &field.node.value {
        Value::Map(_) => {
            for (entry, inner) in field.entries(REMEDY)? {
                complete &= check_level(&inner, &entry.key);
                let row = row(&inner, switch, true);
                complete &= row.is_some();
                listed.extend(row.map(|row| (Some(entry.key.clone()), row)));
            }
        }
        _ => {
            for item in field.items(REMEDY)? {
                let row = row(&item, switch, false);
                complete &= row.is_some();
                listed.extend(row.map(|row| (None, row)));
            }
            complete &= check_list(field, &listed);
        }
    }
    if listed.len() > VARIANTS_MAX {
        field.problem(Mistake::too_many(Thing::Variant, listed.len(), VARIANTS_MAX));
        return None;
    }
    let mut factors: Vec<Factor<'a>> = Vec::new();
    for (name, value, at) in listed.iter().flat_map(|(_, row)| row) {
        let index = factors.iter().position(|factor| factor.name == *name).unwrap_or_else(|| {
            let everywhere = listed.iter().all(|(_, row)| row.iter().any(|(other, ..)| other == name));
            factors.push(Factor { name: name.clone(), levels: Vec::new(), at: at.clone(), everywhere });
            factors.len() - 1
        });
        if factors[index].levels.iter().all(|(level, _)| level != value) {
            factors[index].levels.push((value.clone(), at.clone()));
        }
    }
    let rows = listed.into_iter().map(|(name, row)| {
        let values: Vec<(String, String)> = row.into_iter().map(|(name, value, _)| (name, value)).collect();
        match name {
            Some(name) => Row { levels: vec![(COMBINATION.to_string(), name)], values },
            None => Row { levels: values.clone(), values },
        }
    });
    Some(Varied { rows: rows.collect(), factors, excluded: 0, complete })
}

/// The values of one row. Those of a named one may be any text, for nothing is named by them.
fn row<'a>(
    field: &Field<'a>,
    switch: &dyn Fn(&str) -> bool,
    named: bool,
) -> Option<Vec<(String, String, Field<'a>)>> {
    const REMEDY: &str = "{ connector: nio, heap: 1g }";
    if named && matches!(&field.node.value, Value::Map(entries) if entries.is_empty()) {
        return Some(Vec::new());
    }
    let mut row = Some(Vec::new());
    for (entry, inner) in field.entries(REMEDY)? {
        let fits = check_factor_name(&entry.key, &inner, entry.place);
        let value = match named {
            true => inner.parameter_value(switch(&entry.key)),
            false => level(&inner, switch(&entry.key)),
        };
        match value.filter(|_| fits) {
            Some(value) => {
                if let Some(row) = &mut row {
                    row.push((entry.key.clone(), value.to_string(), inner));
                }
            }
            None => row = None,
        }
    }
    row
}

/// Rows without names are told apart by their levels, so each must give all of them, and no two the same.
fn check_list(field: &Field<'_>, listed: &[Listed<'_>]) -> bool {
    let Some((_, first)) = listed.first() else { return false };
    let sorted = |row: &[(String, String, Field<'_>)]| {
        let mut pairs: Vec<(String, String)> =
            row.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect();
        pairs.sort();
        pairs
    };
    let names = |row: &[(String, String, Field<'_>)]| {
        sorted(row).into_iter().map(|(name, _)| name).collect::<Vec<String>>()
    };
    let mut whole = true;
    for (index, (_, row)) in listed.iter().enumerate() {
        let at = row.first().map_or(field, |(_, _, at)| at);
        if names(row) != names(first) {
            let factors = names(first).join(", ");
            at.problem(Mistake::OtherFactors { row: index as u64 + 1, factors });
            whole = false;
        } else if listed[..index].iter().any(|(_, other)| sorted(other) == sorted(row)) {
            at.problem(Mistake::twice(Thing::Row, (index + 1).to_string()));
            whole = false;
        }
    }
    whole
}
