//! Checks what a claim refers to, so that all mistakes are reported at once, and expands it.

use super::grammar::{Piece, RawClaim, RawSide, RawTerm, error, never_closed, read};
use super::names::unknown;
use super::quantity::in_base_unit;
use super::{Claim, ClaimError, Comparison, Measure, Names, Side, Term};
use proofload_facts::{Mistake, Thing};

/// Longest text of a claim in bytes.
const TEXT_MAX: usize = 1024;

/// Reads a claim and expands it: without `@` it becomes one claim for each load point.
///
/// # Errors
/// Every mistake that was found, each with what to write instead; a mistake of grammar ends the search.
pub fn parse_claim(name: &str, text: &str, names: &Names) -> Result<Vec<Claim>, Vec<ClaimError>> {
    if text.len() > TEXT_MAX {
        let (length, most) = (text.len() as u64, TEXT_MAX.to_string());
        return Err(vec![error(TEXT_MAX, Mistake::TooLong { length, most })]);
    }
    let raw = read(text, names).map_err(|error| vec![error])?;
    Checker { names, errors: Vec::new() }.check(name, text, &raw)
}

/// Properties in which both sides must agree.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Of(Measure),
    Ratio,
}

struct Checker<'a> {
    names: &'a Names,
    errors: Vec<ClaimError>,
}

impl Checker<'_> {
    fn check(mut self, name: &str, text: &str, raw: &RawClaim<'_>) -> Result<Vec<Claim>, Vec<ClaimError>> {
        let left = self.term(&raw.left);
        let right = self.term(&raw.right);
        let points = self.points(raw);
        if let (Some(left), Some(right)) = (&left, &right) {
            self.agree(left, right, raw);
        }
        let constant = self.constant(&left, &right, raw);
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let side = |raw: &RawSide<'_>, term: &Option<Term>, point: usize| match term {
            Some(term) => Side::Measured { factor: raw.factor, term: term.clone(), point },
            None => Side::Constant(constant.unwrap_or(0.0)),
        };
        let (left, right) = (left.flatten(), right.flatten());
        let claims = points.iter().map(|&(left_point, right_point)| {
            let text = match points.len() {
                1 => text.trim().to_string(),
                _ => format!("{} @ {}", text.trim(), self.names.points[left_point]),
            };
            let (left, right) = (side(&raw.left, &left, left_point), side(&raw.right, &right, right_point));
            measured_left(name, text, left, raw.comparison, right)
        });
        Ok(claims.collect())
    }

    /// The term of a side; `Some(None)` is a constant, `None` is a mistake that was noted.
    fn term(&mut self, side: &RawSide<'_>) -> Option<Option<Term>> {
        match &side.what {
            RawTerm::Constant { .. } => Some(None),
            RawTerm::Measure { name, stream, variant } => {
                let measure = self.measure(*name);
                let (stream, variant) = match (stream, variant) {
                    (None, Some(variant)) if self.is_request(variant.text) => (Some(*variant), None),
                    given => (*given.0, *given.1),
                };
                let stream = self.stream_of(measure, stream);
                let stream = stream.and_then(|stream| self.journey_of(*name, stream));
                let variant = self.variant_of(*name, variant);
                Some(Some(Term::Of { measure: measure?, variant: variant?, stream: stream? }))
            }
            RawTerm::Ratio { arguments } => self.ratio(*arguments).map(Some),
        }
    }

    fn note<T>(&mut self, at: usize, result: Result<T, Mistake>) -> Option<T> {
        result.map_err(|mistake| self.add(at, mistake)).ok()
    }

    /// The same mistake on both sides is one.
    fn add(&mut self, at: usize, mistake: Mistake) {
        if self.errors.iter().all(|known| known.mistake != mistake) {
            self.errors.push(error(at, mistake));
        }
    }

    /// The journey that a measure of journeys is about: the one that is named, or the only one.
    fn journey_of(&mut self, name: Piece<'_>, stream: Option<usize>) -> Option<Option<usize>> {
        let names = self.names;
        if measure_of_journeys(name.text.trim()).is_none() || names.journeys.is_empty() {
            return Some(stream);
        }
        let is_journey = |part: Option<usize>| {
            names.part(part).is_some_and(|part| names.journeys.iter().any(|known| known == part))
        };
        match (stream, &names.journeys[..]) {
            (Some(_), _) if is_journey(stream) => Some(stream),
            (None, [only]) => {
                let found = names.stream(only);
                self.note(name.at, found).map(Some)
            }
            (_, known) => {
                let (measure, known) = (name.text.trim().to_string(), known.join(", "));
                self.note(name.at, Err(Mistake::WhichJourney { measure, known }))
            }
        }
    }

    fn measure(&mut self, name: Piece<'_>) -> Option<Measure> {
        let text = name.text.trim();
        let of_journeys = measure_of_journeys(text).filter(|_| !self.names.journeys.is_empty());
        let text = of_journeys.unwrap_or(text);
        let at = name.at;
        let known = Measure::parse(text).ok_or_else(|| {
            let meant = if text == "p100" { "max" } else { text };
            unknown(Thing::Measure, text, meant, &Measure::names().collect::<Vec<_>>())
        });
        self.note(at, known)
    }

    /// True if what stands in the place of the only variant is an entry of the mix, or meant as one.
    fn is_request(&self, text: &str) -> bool {
        let Names { variants, requests, .. } = self.names;
        variants.len() == 1 && !requests.is_empty() && self.names.variant(text).is_err()
    }

    /// `Some(None)` where no stream is named, `None` is a mistake that was noted.
    fn stream_of(&mut self, measure: Option<Measure>, stream: Option<Piece<'_>>) -> Option<Option<usize>> {
        let Some(stream) = stream else { return Some(None) };
        let found = self.names.stream(stream.text).and_then(|found| match measure {
            Some(measure) if !measure.is_of_exchanges() => {
                Err(Mistake::NotOfStreams { measure: measure.name(), stream: stream.text.to_string() })
            }
            Some(measure) if found >= self.names.streams.len() && !measure.is_of_entries() => {
                Err(Mistake::NotOfRequests { measure: measure.name(), request: stream.text.to_string() })
            }
            _ => Ok(found),
        });
        self.note(stream.at, found).map(Some)
    }

    fn variant_of(&mut self, name: Piece<'_>, variant: Option<Piece<'_>>) -> Option<usize> {
        match variant {
            Some(variant) => {
                let found = self.names.variant(variant.text);
                self.note(variant.at, found)
            }
            None if self.names.variants.len() == 1 => Some(0),
            None => {
                let (measure, known) = (name.text.to_string(), self.names.known_variants());
                self.note(name.at, Err(Mistake::WhichVariant { measure, known }))
            }
        }
    }

    fn ratio(&mut self, arguments: Piece<'_>) -> Option<Term> {
        let Some((measure, variants)) = arguments.text.split_once(',') else {
            return self.note(arguments.at, Err(Mistake::RatioForm));
        };
        let variants_at = arguments.at + measure.len() + 1;
        let (measure, stream) = match measure.split_once('[') {
            None => (measure, None),
            Some((measure, rest)) => {
                let at = arguments.at + measure.len() + 1;
                match rest.trim_end().strip_suffix(']') {
                    Some(name) => (measure, Some(Piece { text: name, at })),
                    None => return self.note(at, Err(never_closed(measure, "]"))),
                }
            }
        };
        let measure = self.measure(Piece { text: measure, at: arguments.at });
        let stream = self.stream_of(measure, stream);
        let pair = self.pair(variants);
        let (over, under) = self.note(variants_at, pair)?;
        if over == under {
            self.errors.push(error(variants_at, Mistake::RatioOfSame));
        }
        Some(Term::Ratio { measure: measure?, over, under, stream: stream? })
    }

    /// Two variants parted by one of the commas; a variant may itself have commas, so all are tried.
    fn pair(&self, text: &str) -> Result<(usize, usize), Mistake> {
        let mut found = Vec::new();
        for (comma, _) in text.match_indices(',') {
            let (over, under) = (self.names.variant(&text[..comma]), self.names.variant(&text[comma + 1..]));
            if let (Ok(over), Ok(under)) = (over, under) {
                found.push((over, under));
            }
        }
        found.dedup();
        match found[..] {
            [pair] => Ok(pair),
            [] => {
                let (over, under) = text.split_once(',').ok_or(Mistake::RatioForm)?;
                let first = self.names.variant(over).err();
                let second = || self.names.variant(under).err();
                Err(first.or_else(second).unwrap_or(Mistake::RatioForm))
            }
            _ => Err(Mistake::Ambiguous { found: text.to_string(), known: self.names.known_variants() }),
        }
    }

    /// The points of both sides, one pair for each claim that this one becomes.
    fn points(&mut self, raw: &RawClaim<'_>) -> Vec<(usize, usize)> {
        let sides = [raw.left.point, raw.right.point];
        let trailing = match (raw.point, sides) {
            (Some(trailing), [Some(_), _]) | (Some(trailing), [_, Some(_)]) => {
                self.errors.push(error(trailing.at, Mistake::PointTwice));
                return Vec::new();
            }
            (trailing, _) => trailing,
        };
        let mut resolve = |piece: Option<Piece<'_>>| {
            piece.map(|piece| {
                let found = self.names.point(piece.text);
                self.note(piece.at, found)
            })
        };
        let left = resolve(sides[0]);
        let right = resolve(sides[1]);
        let all = resolve(trailing);
        match (all, left, right) {
            (Some(point), _, _) | (None, Some(point), None) | (None, None, Some(point)) => {
                point.map(|point| (point, point)).into_iter().collect()
            }
            (None, Some(left), Some(right)) => left.zip(right).into_iter().collect(),
            (None, None, None) => {
                if self.names.points.is_empty() {
                    self.errors.push(error(0, Mistake::NoPoints));
                }
                (0..self.names.points.len()).map(|point| (point, point)).collect()
            }
        }
    }

    /// Both sides must be comparable, and not the same.
    fn agree(&mut self, left: &Option<Term>, right: &Option<Term>, raw: &RawClaim<'_>) {
        let (Some(left), Some(right)) = (left, right) else {
            if left.is_none() && right.is_none() {
                self.errors.push(error(raw.left.at, Mistake::TwoConstants));
            }
            return;
        };
        let unit = |sort: Sort| match sort {
            Sort::Of(measure) => measure.unit(),
            Sort::Ratio => "ratio",
        };
        let (left_sort, right_sort) = (sort_of(left), sort_of(right));
        if unit(left_sort) != unit(right_sort) {
            let (left, right) = (sort_name(left_sort), sort_name(right_sort));
            self.errors.push(error(raw.right.at, Mistake::DifferentUnits { left, right }));
        }
        let same_point = match (raw.left.point, raw.right.point) {
            (Some(left), Some(right)) => left.text == right.text,
            _ => true,
        };
        if left == right && same_point {
            self.errors.push(error(raw.right.at, Mistake::SameSides));
        }
    }

    /// The value of the constant side, in the unit of the other one.
    fn constant(
        &mut self,
        left: &Option<Option<Term>>,
        right: &Option<Option<Term>>,
        raw: &RawClaim<'_>,
    ) -> Option<f64> {
        for (side, other) in [(&raw.left, right), (&raw.right, left)] {
            if let (RawTerm::Constant { number, suffix }, Some(Some(term))) = (&side.what, other) {
                let measure = match sort_of(term) {
                    Sort::Of(measure) => Some(measure),
                    Sort::Ratio => None,
                };
                return self.note(side.at, in_base_unit(*number, suffix, measure));
            }
        }
        None
    }
}

fn sort_of(term: &Term) -> Sort {
    match term {
        Term::Of { measure, .. } => Sort::Of(*measure),
        Term::Ratio { .. } => Sort::Ratio,
    }
}

fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Of(measure) => measure.name(),
        Sort::Ratio => "ratio".to_string(),
    }
}

/// The claim with a measured left side: `50ms > p99(a)` is `p99(a) < 50ms`.
fn measured_left(name: &str, text: String, left: Side, comparison: Comparison, right: Side) -> Claim {
    let (left, comparison, right) = match left {
        Side::Measured { .. } => (left, comparison, right),
        Side::Constant(_) => {
            let mirrored = match comparison {
                Comparison::Greater => Comparison::Less,
                Comparison::AtLeast => Comparison::AtMost,
                Comparison::Less => Comparison::Greater,
                Comparison::AtMost => Comparison::AtLeast,
                same => same,
            };
            (right, mirrored, left)
        }
    };
    Claim { name: name.to_string(), text, left, comparison, right }
}
/// The measure that a name of journeys alone stands for: `completed` counts those that were whole, and `journey_p99` is of the
/// time from the arrival of a user to the end.
fn measure_of_journeys(name: &str) -> Option<&str> {
    match name {
        "completed" => Some("throughput"),
        name => name.strip_prefix("journey_"),
    }
}
