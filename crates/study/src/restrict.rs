//! Parts of a study that remain under its `quick:` block and under `--only`; dropped parts are reported.

use super::claims::Claims;
use super::expectations::{ExpectedRow, Reference};
use super::field::Field;
use super::hold;
use super::keys::{Kind, WORD, keys, kinds};
use super::model::{Study, Variant};
use super::problem::{Location, Sink, shown};
use super::quantity::DURATION;
use super::shape::LoadPoint;
use super::suggest::unknown;
use proofload_facts::{Finding, Mistake, Thing};
use proofload_stats::{Claim, Names, Side, Term, parse_claim, parse_expectation};
use std::collections::BTreeMap;

keys! {
    /// Parts of the study that remain under --smoke and --quick; dropped parts are listed as not tested.
    QUICK {
        /// Labels of the load points that are left.
        optional points: Kind::List(&Kind::Text(""), 1, usize::MAX),
        /// Names of the claims that are left.
        optional claims: Kind::List(&Kind::Text(""), 1, usize::MAX),
        /// Variants that are left: `heap=1g` keeps all with this level.
        optional variants: Kind::List(&LEVEL_OR_VARIANT, 1, usize::MAX),
        /// Time for which connections stay that join and stay (`for:` of a closed load).
        optional for: DURATION,
    }
}

kinds! {
    /// `heap=1g`, `connector=nio,heap=1g`, or a level.
    LEVEL_OR_VARIANT = Kind::Either(&[&WORD, &Kind::Integer(0, u64::MAX), &Kind::Switch]);
}

/// Parts of a study that can be restricted.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) variants: Vec<Variant>,
    pub(super) points: Vec<LoadPoint>,
    pub(super) names: Names,
    pub(super) claims: Claims,
    pub(super) expectations: Vec<ExpectedRow>,
    pub(super) references: Vec<Reference>,
    /// Dropped parts, a sentence each.
    pub(super) not_tested: Vec<Finding>,
}

/// Parts that are kept, by their indexes.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    variants: Vec<bool>,
    points: Vec<bool>,
    claims: Vec<bool>,
    expectations: bool,
    /// Time for which connections stay that join and stay, overriding the study.
    held_ns: Option<u64>,
    /// Reasons why variants are not kept, where there is more to report than that.
    why: BTreeMap<usize, String>,
}

impl Kept {
    fn all(parts: &Parts) -> Kept {
        Kept {
            variants: vec![true; parts.variants.len()],
            points: vec![true; parts.points.len()],
            claims: vec![true; parts.claims.declared.len()],
            expectations: true,
            held_ns: None,
            why: BTreeMap::new(),
        }
    }
}

impl Study {
    /// The study without some of its variants, each with a sentence about it; claims that lose a side by it are left
    /// out, which is reported under `not_tested`. Ratios between the variants that are left stay as they are.
    pub fn without(&self, left_out: &[(usize, String)]) -> Study {
        let mut parts = Parts {
            variants: self.variants.clone(),
            points: self.points.clone(),
            names: self.names.clone(),
            claims: Claims { declared: self.declared_claims.clone(), expanded: self.claims.clone() },
            expectations: self.expectations.clone(),
            references: self.references.clone(),
            not_tested: self.not_tested.clone(),
        };
        let mut kept = Kept::all(&parts);
        for (variant, why) in left_out {
            kept.variants[*variant] = false;
            kept.why.insert(*variant, why.clone());
        }
        parts.claims.expanded.clear();
        parts.restrict(&kept);
        Study {
            variants: parts.variants,
            points: parts.points,
            names: parts.names,
            claims: parts.claims.expanded,
            declared_claims: parts.claims.declared,
            expectations: parts.expectations,
            references: parts.references,
            not_tested: parts.not_tested,
            ..self.clone()
        }
    }
}

impl Parts {
    /// Drops parts that are not kept, and claims that lose a side by it.
    pub(super) fn restrict(&mut self, kept: &Kept) {
        let variants = Renumbered::of(&kept.variants);
        let points = Renumbered::of(&kept.points);
        let all = std::mem::take(&mut self.names);
        let dropped = |kept: &[bool]| (0..kept.len()).filter(|i| !kept[*i]).collect::<Vec<usize>>();
        let variant = |i: usize| Finding::VariantLeftOut {
            variant: all.variants[i].name.clone(),
            why: kept.why.get(&i).map(ToString::to_string).unwrap_or_default(),
        };
        self.not_tested.extend(dropped(&kept.variants).into_iter().map(variant));
        let point = |i: usize| Finding::PointLeftOut { point: all.points[i].clone() };
        self.not_tested.extend(dropped(&kept.points).into_iter().map(point));
        self.names = Names {
            variants: variants.left(&all.variants),
            points: points.left(&all.points),
            streams: all.streams.clone(),
            requests: all.requests.clone(),
            journeys: all.journeys.clone(),
            ..Names::default()
        };
        self.variants = variants.left(&self.variants);
        self.points = points.left(&self.points);
        if let Some(for_ns) = kept.held_ns {
            let own_ns = self.points.iter_mut().filter_map(|point| hold::hold_for(point, for_ns)).max();
            let seconds = |ns: u64| ns as f64 / 1e9;
            let other = |own_ns| Finding::OtherLength { own_s: seconds(own_ns), instead_s: seconds(for_ns) };
            self.not_tested.extend(own_ns.map(other));
        }
        let claims = std::mem::take(&mut self.claims);
        for (index, (name, text)) in claims.declared.into_iter().enumerate() {
            let before = parse_claim(&name, &text, &all).unwrap_or_default();
            let wanted: Vec<Claim> =
                before.iter().filter_map(|claim| moved(claim, &variants, &points)).collect();
            // A text that would now mean something else is not kept either.
            let after = parse_claim(&name, &text, &self.names).unwrap_or_default();
            let same =
                wanted.len() == after.len() && wanted.iter().zip(&after).all(|(a, b)| says_the_same(a, b));
            if kept.claims[index] && !wanted.is_empty() && same {
                self.claims.declared.push((name, text));
                self.claims.expanded.extend(after);
            } else {
                let lost_side = kept.claims[index];
                self.not_tested.push(Finding::ClaimLeftOut { claim: name, text, lost_side });
            }
        }
        self.restrict_expectations(kept, &all, &variants, &points);
    }

    /// Drops rows of the table of expectations and published figures whose subject is gone. The latter are not tests,
    /// so they are not reported.
    fn restrict_expectations(
        &mut self,
        kept: &Kept,
        all: &Names,
        variants: &Renumbered,
        points: &Renumbered,
    ) {
        let still = |quantity: &str, range: &str, names: &Names| {
            let claims = |names: &Names| -> Vec<Claim> {
                let rows = parse_expectation(quantity, range, names).unwrap_or_default();
                rows.into_iter().flat_map(|row| row.claims).collect()
            };
            let before = claims(all);
            let wanted: Vec<Claim> =
                before.iter().filter_map(|claim| moved(claim, variants, points)).collect();
            let after = claims(names);
            let same =
                wanted.len() == after.len() && wanted.iter().zip(&after).all(|(a, b)| says_the_same(a, b));
            !wanted.is_empty() && same
        };
        for row in std::mem::take(&mut self.expectations) {
            if kept.expectations && still(&row.quantity, &row.range, &self.names) {
                self.expectations.push(row);
            } else {
                let (quantity, range) = (row.quantity, row.range);
                self.not_tested.push(Finding::ExpectationLeftOut { quantity, range });
            }
        }
        for reference in &mut self.references {
            let names = &self.names;
            reference.figures.retain(|(quantity, value)| still(quantity, &format!("{value}.."), names));
        }
        // A conclusion stays where its claim is gone: it is reported as not tested.
        self.references
            .retain(|reference| !reference.figures.is_empty() || !reference.conclusions.is_empty());
    }
}

/// New indexes of the kept parts.
pub(super) struct Renumbered(Vec<Option<usize>>);

impl Renumbered {
    fn of(kept: &[bool]) -> Renumbered {
        let mut next = 0;
        let number = |kept: &bool| {
            kept.then(|| {
                next += 1;
                next - 1
            })
        };
        Renumbered(kept.iter().map(number).collect())
    }

    fn left<T: Clone>(&self, all: &[T]) -> Vec<T> {
        all.iter().zip(&self.0).filter(|(_, new)| new.is_some()).map(|(item, _)| item.clone()).collect()
    }

    fn get(&self, old: usize) -> Option<usize> {
        self.0.get(old).copied().flatten()
    }
}

/// The claim with new indexes; `None` when a side is gone.
fn moved(claim: &Claim, variants: &Renumbered, points: &Renumbered) -> Option<Claim> {
    let side = |side: &Side| {
        Some(match side {
            Side::Constant(value) => Side::Constant(*value),
            Side::Measured { factor, term, point } => {
                let term = match term {
                    Term::Of { measure, variant, stream } => {
                        Term::Of { measure: *measure, variant: variants.get(*variant)?, stream: *stream }
                    }
                    Term::Ratio { measure, over, under, stream } => Term::Ratio {
                        measure: *measure,
                        over: variants.get(*over)?,
                        under: variants.get(*under)?,
                        stream: *stream,
                    },
                };
                Side::Measured { factor: *factor, term, point: points.get(*point)? }
            }
        })
    };
    Some(Claim { left: side(&claim.left)?, right: side(&claim.right)?, ..claim.clone() })
}

fn says_the_same(one: &Claim, other: &Claim) -> bool {
    (&one.left, one.comparison, &one.right) == (&other.left, other.comparison, &other.right)
}

/// Checks a `quick:` block: the parts that remain under it.
pub(super) fn check_quick(field: &Field<'_>, parts: &Parts) -> Option<Kept> {
    let map = field.map("quick: { points: [64c], claims: [names] }")?;
    let mut kept = Kept::all(parts);
    let labels: Vec<&str> = parts.names.points.iter().map(String::as_str).collect();
    let names: Vec<&str> = parts.claims.declared.iter().map(|(name, _)| name.as_str()).collect();
    let points = map.optional("points").map(|field| chosen(&field, Thing::Point, &labels));
    let claims = map.optional("claims").map(|field| chosen(&field, Thing::Claim, &names));
    let variants = map.optional("variants").map(|field| chosen_variants(&field, &parts.names));
    if let Some(field) = map.optional("for") {
        kept.held_ns = Some(hold::check_shorter(&field, &parts.points)?);
    }
    map.close();
    for (chosen, kept) in
        [(points, &mut kept.points), (claims, &mut kept.claims), (variants, &mut kept.variants)]
    {
        if let Some(chosen) = chosen {
            *kept = chosen?;
        }
    }
    let mut left = parts.clone();
    left.restrict(&kept);
    if left.claims.declared.is_empty() && left.expectations.is_empty() {
        field.problem(Mistake::LeavesNone { what: Thing::Claim });
        return None;
    }
    Some(kept)
}

/// Known words that were chosen, as flags.
fn chosen(field: &Field<'_>, what: Thing, known: &[&str]) -> Option<Vec<bool>> {
    let mut kept = vec![false; known.len()];
    let mut whole = true;
    for item in field.items(&format!("[{}]", known.join(", ")))? {
        let Some(word) = item.text(known.first().unwrap_or(&"…")) else {
            whole = false;
            continue;
        };
        match known.iter().position(|other| *other == word) {
            Some(index) => kept[index] = true,
            None => {
                whole = false;
                item.problem(unknown(what, word, known));
            }
        }
    }
    whole.then_some(kept)
}

fn chosen_variants(field: &Field<'_>, names: &Names) -> Option<Vec<bool>> {
    let mut selection = Selection::default();
    let mut whole = true;
    for item in field.items(&format!("[{}]", selectors(names).join(", ")))? {
        // A level may be a number, as it may where it is varied.
        let Some(word) = item.parameter_value(true) else {
            whole = false;
            continue;
        };
        whole &= item.take(selection.take(word, names)).is_some();
    }
    whole.then(|| selection.variants(names))
}

/// Words that select variants: `connector=nio`, `connector=nio,heap=1g`, `nio`. Several levels of one factor
/// add up; different factors must all fit.
#[derive(Debug, Default)]
struct Selection {
    /// By factor, with the levels; words that name more than one factor are under none.
    groups: Vec<(Option<String>, Vec<Vec<usize>>)>,
}

impl Selection {
    fn take(&mut self, word: &str, names: &Names) -> Result<(), Mistake> {
        let pairs: Vec<&str> = word.split(',').map(str::trim).collect();
        let exact = names.variants.iter().position(|variant| variant.name == word);
        let found: Vec<usize> = match exact {
            Some(index) => vec![index],
            None => {
                let fits = |index: &usize| pairs.iter().all(|pair| has_level(names, *index, pair));
                (0..names.variants.len()).filter(fits).collect()
            }
        };
        if found.is_empty() {
            return Err(unknown(Thing::Variant, word, &selectors(names)));
        }
        let factor = match (exact, pairs.as_slice()) {
            (None, [pair]) => pair.split_once('=').map(|(factor, _)| factor.trim().to_string()),
            _ => None,
        };
        match self.groups.iter_mut().find(|(name, _)| *name == factor) {
            Some((_, sets)) => sets.push(found),
            None => self.groups.push((factor, vec![found])),
        }
        Ok(())
    }

    fn variants(&self, names: &Names) -> Vec<bool> {
        let fits = |index: usize| {
            self.groups.iter().all(|(_, sets)| sets.iter().any(|found| found.contains(&index)))
        };
        (0..names.variants.len()).map(fits).collect()
    }
}

fn has_level(names: &Names, index: usize, word: &str) -> bool {
    let levels = &names.variants[index].levels;
    match word.split_once('=') {
        Some((factor, level)) => {
            levels.iter().any(|(key, value)| key == factor.trim() && value == level.trim())
        }
        None => levels.iter().any(|(_, value)| value == word),
    }
}

/// Words that may select a variant, each once.
fn selectors(names: &Names) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for variant in &names.variants {
        let pairs = variant.levels.iter().map(|(factor, level)| format!("{factor}={level}"));
        for word in pairs.chain([variant.name.clone()]) {
            if !known.contains(&word) {
                known.push(word);
            }
        }
    }
    known
}

/// Checks what `--only` leaves: `connector=nio`, `64c`, `claim:NAME`. Mistakes name it as their place.
pub(super) fn check_only(only: &[String], parts: &Parts, sink: &Sink) -> Option<Kept> {
    let mut kept = Kept::all(parts);
    let mut selection = Selection::default();
    let (mut points, mut claims) = (Vec::new(), Vec::new());
    let labels: Vec<&str> = parts.names.points.iter().map(String::as_str).collect();
    let names: Vec<&str> = parts.claims.declared.iter().map(|(name, _)| name.as_str()).collect();
    let told = sink.len();
    for word in only.iter().map(|word| word.trim()) {
        let problem = |mistake: Mistake| {
            let source = sink.source(&format!("--only {}", shown(word)));
            sink.add(Location { source, line: 0, column: 0 }, "", mistake);
        };
        if let Some(name) = word.strip_prefix("claim:").map(str::trim) {
            match names.iter().position(|known| *known == name) {
                Some(index) => claims.push(index),
                None => problem(unknown(Thing::Claim, name, &names)),
            }
        } else if let Some(index) = labels.iter().position(|label| *label == word) {
            points.push(index);
        } else if selection.take(word, &parts.names).is_err() {
            let of_labels = labels.iter().map(ToString::to_string);
            let known: Vec<String> = of_labels.chain(selectors(&parts.names)).collect();
            problem(unknown(Thing::PointOrVariant, word, &known));
        }
    }
    let keep = |kept: &mut Vec<bool>, chosen: &[usize]| {
        if !chosen.is_empty() {
            kept.iter_mut().enumerate().for_each(|(index, kept)| *kept = chosen.contains(&index));
        }
    };
    keep(&mut kept.points, &points);
    keep(&mut kept.claims, &claims);
    // A selected claim does not select the table.
    kept.expectations = claims.is_empty();
    kept.variants = selection.variants(&parts.names);
    let mut left = parts.clone();
    left.restrict(&kept);
    if sink.len() == told {
        let nothing = match (left.variants.is_empty(), claims.is_empty() || !left.claims.declared.is_empty())
        {
            (true, _) => Some(Thing::Variant),
            (_, false) => Some(Thing::Claim),
            _ => None,
        };
        if let Some(what) = nothing {
            let source = sink.source(&format!("--only {}", shown(&only.join(" --only "))));
            sink.add(Location { source, line: 0, column: 0 }, "", Mistake::LeavesNone { what });
        }
    }
    (sink.len() == told).then_some(kept)
}

#[cfg(test)]
mod tests;
