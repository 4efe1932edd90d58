//! Reads claims: first the shape (`RawClaim`), then what it refers to, so that all mistakes are told at once.

use super::names::{listed, meant};
use super::quantity::in_base_unit;
use super::{Claim, ClaimError, Comparison, Measure, Names, Side, Term};

/// Longest text of a claim in bytes.
const TEXT_MAX: usize = 1024;

/// Reads a claim and expands it: without `@` it becomes one claim for each load point.
///
/// # Errors
/// Every mistake that was found, each with what to write instead; a mistake of grammar ends the search.
pub fn parse_claim(name: &str, text: &str, names: &Names) -> Result<Vec<Claim>, Vec<ClaimError>> {
    if text.len() > TEXT_MAX {
        return Err(vec![error(
            TEXT_MAX,
            format!("a claim has at most {TEXT_MAX} bytes; write several claims"),
        )]);
    }
    let raw = Reader { text, at: 0 }.claim(names).map_err(|error| vec![error])?;
    Checker { names, errors: Vec::new() }.check(name, text, &raw)
}

fn error(at: usize, message: impl Into<String>) -> ClaimError {
    ClaimError { message: message.into(), at }
}

/// A piece of the text and where it stands.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    at: usize,
}

struct RawClaim<'a> {
    left: RawSide<'a>,
    comparison: Comparison,
    right: RawSide<'a>,
    point: Option<Piece<'a>>,
}

struct RawSide<'a> {
    factor: f64,
    what: RawTerm<'a>,
    point: Option<Piece<'a>>,
    at: usize,
}

enum RawTerm<'a> {
    Constant { number: f64, suffix: &'a str },
    Measure { name: Piece<'a>, stream: Option<Piece<'a>>, variant: Option<Piece<'a>> },
    Ratio { arguments: Piece<'a> },
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, wanted: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> Piece<'a> {
        let rest = self.rest();
        let length = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        let piece = Piece { text: &rest[..length], at: self.at };
        self.at += length;
        piece
    }

    fn claim(mut self, names: &Names) -> Result<RawClaim<'a>, ClaimError> {
        let left = self.side(names)?;
        let operator = self.operator()?;
        let right = self.side(names)?;
        let comparison = self.comparison(operator)?;
        let point = self.point(names)?;
        self.skip_space();
        if !self.rest().is_empty() {
            return Err(error(
                self.at,
                format!(
                    "`{}` is left over; a claim is `measure(variant) > measure(variant) @ point`, \
                     with one comparison",
                    self.rest()
                ),
            ));
        }
        Ok(RawClaim { left, comparison, right, point })
    }

    fn operator(&mut self) -> Result<&'static str, ClaimError> {
        for operator in [">=", "<=", "==", ">", "<", "~"] {
            if self.eat(operator) {
                return Ok(operator);
            }
        }
        let found: String = self.rest().chars().take(12).collect();
        let found = if found.is_empty() { "the end".to_string() } else { format!("`{found}`") };
        Err(error(self.at, format!("a comparison is expected at {found}; write one of > >= < <= == ~")))
    }

    fn comparison(&mut self, operator: &str) -> Result<Comparison, ClaimError> {
        self.skip_space();
        let at = self.at;
        let within = self.eat("within");
        match (operator, within) {
            ("~", false) => Err(error(
                self.at,
                "`~` needs to know how close is close; add `within 5%` after the right side",
            )),
            ("~", true) => self.within(),
            (_, true) => {
                Err(error(at, format!("`within` belongs to `~`; write `~` instead of `{operator}`")))
            }
            (">", _) => Ok(Comparison::Greater),
            (">=", _) => Ok(Comparison::AtLeast),
            ("<", _) => Ok(Comparison::Less),
            ("<=", _) => Ok(Comparison::AtMost),
            _ => Ok(Comparison::Equal),
        }
    }

    fn within(&mut self) -> Result<Comparison, ClaimError> {
        self.skip_space();
        let at = self.at;
        let percent = self.number().filter(|percent| *percent > 0.0 && *percent <= 100.0);
        match percent {
            Some(percent) if self.eat("%") => Ok(Comparison::Within(percent / 100.0)),
            _ => {
                Err(error(at, "`within` takes a percentage above 0% and up to 100%, for example `within 5%`"))
            }
        }
    }

    /// Digits with at most one dot; a sign or an exponent is not part of the grammar.
    fn number(&mut self) -> Option<f64> {
        let digits = self.take_while(|letter| letter.is_ascii_digit() || letter == '.');
        digits.text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn side(&mut self, names: &Names) -> Result<RawSide<'a>, ClaimError> {
        self.skip_space();
        let at = self.at;
        let mut factor = 1.0;
        let begins_with_number =
            self.rest().starts_with(|letter: char| letter.is_ascii_digit() || letter == '.');
        if begins_with_number {
            let number =
                self.number().ok_or_else(|| error(at, "this is not a number; write 50ms, 1.2 or 5k/s"))?;
            let suffix =
                self.take_while(|letter| letter.is_alphabetic() || letter == '/' || letter == '%').text;
            if !suffix.is_empty() || !self.eat("*") {
                return Ok(RawSide { factor, what: RawTerm::Constant { number, suffix }, point: None, at });
            }
            if number <= 0.0 {
                return Err(error(at, "a factor must be above zero"));
            }
            factor = number;
        }
        let what = self.term()?;
        let point = self.point(names)?;
        Ok(RawSide { factor, what, point, at })
    }

    fn term(&mut self) -> Result<RawTerm<'a>, ClaimError> {
        self.skip_space();
        let name = self.take_while(|letter| letter.is_alphanumeric() || letter == '_');
        if name.text.is_empty() {
            return Err(error(
                name.at,
                "a measure or a number is expected here; write `throughput(variant)` or `50ms`",
            ));
        }
        let stream = self.stream(name)?;
        let arguments = self.arguments(name)?;
        match (name.text, arguments) {
            ("ratio", Some(arguments)) if stream.is_none() => Ok(RawTerm::Ratio { arguments }),
            ("ratio", Some(_)) => {
                let message = "the stream belongs to the measure: `ratio(measure[stream], variant, variant)`";
                Err(error(name.at, message))
            }
            ("ratio", None) => Err(error(name.at, "`ratio` is written `ratio(measure, variant, variant)`")),
            (_, variant) => Ok(RawTerm::Measure { name, stream, variant }),
        }
    }

    fn stream(&mut self, name: Piece<'a>) -> Result<Option<Piece<'a>>, ClaimError> {
        if !self.eat("[") {
            return Ok(None);
        }
        let inside = self.take_while(|letter| letter != ']');
        match self.eat("]") {
            true => Ok(Some(inside)),
            false => {
                let message = format!("the bracket after `{}` is never closed; add `]`", name.text);
                Err(error(name.at, message))
            }
        }
    }

    fn arguments(&mut self, name: Piece<'a>) -> Result<Option<Piece<'a>>, ClaimError> {
        if !self.eat("(") {
            return Ok(None);
        }
        let inside = self.take_while(|letter| letter != ')');
        if !self.eat(")") {
            return Err(error(
                name.at,
                format!("the parenthesis after `{}` is never closed; add `)`", name.text),
            ));
        }
        Ok(Some(inside))
    }

    /// `@ label`. Labels may hold any letters, so the known ones are tried before the text is cut at a
    /// space or an operator.
    fn point(&mut self, names: &Names) -> Result<Option<Piece<'a>>, ClaimError> {
        if !self.eat("@") {
            return Ok(None);
        }
        self.skip_space();
        let (rest, at) = (self.rest(), self.at);
        let ends = |length: usize| {
            rest[length..].chars().next().is_none_or(|next| next.is_whitespace() || "<>=~".contains(next))
        };
        let known = names.points.iter().map(String::as_str).filter(|label| rest.starts_with(label));
        let longest = known.map(str::len).filter(|&length| length > 0 && ends(length)).max();
        let text = match longest {
            Some(length) => &rest[..length],
            None => {
                rest.split(|next: char| next.is_whitespace() || "<>=~".contains(next)).next().unwrap_or("")
            }
        };
        if text.is_empty() {
            return Err(error(at, "a load point is expected after `@`"));
        }
        self.at += text.len();
        Ok(Some(Piece { text, at }))
    }
}

/// What both sides must agree in.
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
                let stream = self.stream_of(measure, *stream);
                let variant = self.variant_of(*name, *variant);
                Some(Some(Term::Of { measure: measure?, variant: variant?, stream: stream? }))
            }
            RawTerm::Ratio { arguments } => self.ratio(*arguments).map(Some),
        }
    }

    fn note<T>(&mut self, at: usize, result: Result<T, String>) -> Option<T> {
        result.map_err(|message| self.errors.push(error(at, message))).ok()
    }

    fn measure(&mut self, name: Piece<'_>) -> Option<Measure> {
        let text = name.text.trim();
        let at = name.at;
        let known = Measure::parse(text).ok_or_else(|| {
            let meant = match text {
                "p100" => ", did you mean `max`?".to_string(),
                "p0" | "p00" | "min" => ", and the smallest time is not kept".to_string(),
                _ => meant(text, Measure::names()),
            };
            let known: Vec<String> = Measure::names().map(ToString::to_string).collect();
            format!(
                "the measure `{text}` is not known{meant}; known are {} (docs/measures.md)",
                listed(&known)
            )
        });
        self.note(at, known)
    }

    /// `Some(None)` where no stream is named, `None` is a mistake that was noted.
    fn stream_of(&mut self, measure: Option<Measure>, stream: Option<Piece<'_>>) -> Option<Option<usize>> {
        let Some(stream) = stream else { return Some(None) };
        let found = self.names.stream(stream.text).and_then(|found| match measure {
            Some(measure) if !measure.is_of_exchanges() => Err(format!(
                "{} belongs to processes, which serve all streams; leave out `[{}]`",
                measure.name(),
                stream.text
            )),
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
                let names: Vec<String> =
                    self.names.variants.iter().map(|known| format!("`{}`", known.name)).collect();
                let message = format!(
                    "`{0}` of which variant? Write `{0}(…)` with one of {1}",
                    name.text,
                    listed(&names)
                );
                self.note(name.at, Err(message))
            }
        }
    }

    fn ratio(&mut self, arguments: Piece<'_>) -> Option<Term> {
        let Some((measure, variants)) = arguments.text.split_once(',') else {
            let message = "`ratio` takes a measure and two variants: `ratio(throughput, this, that)`";
            return self.note(arguments.at, Err(message.to_string()));
        };
        let variants_at = arguments.at + measure.len() + 1;
        let (measure, stream) = match measure.split_once('[') {
            None => (measure, None),
            Some((measure, rest)) => {
                let at = arguments.at + measure.len() + 1;
                match rest.trim_end().strip_suffix(']') {
                    Some(name) => (measure, Some(Piece { text: name, at })),
                    None => {
                        let message = format!("the bracket after `{measure}` is never closed; add `]`");
                        return self.note(at, Err(message));
                    }
                }
            }
        };
        let measure = self.measure(Piece { text: measure, at: arguments.at });
        let stream = self.stream_of(measure, stream);
        let pair = self.pair(variants);
        let (over, under) = self.note(variants_at, pair)?;
        if over == under {
            self.errors.push(error(variants_at, "both variants of the ratio are the same; name two"));
        }
        Some(Term::Ratio { measure: measure?, over, under, stream: stream? })
    }

    /// Two variants parted by one of the commas; a variant may itself have commas, so all are tried.
    fn pair(&self, text: &str) -> Result<(usize, usize), String> {
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
                match text.split_once(',') {
                    None => Err("`ratio` takes a measure and two variants: `ratio(throughput, this, that)`"
                        .to_string()),
                    Some((over, under)) => {
                        let first = self.names.variant(over).err();
                        let second = || self.names.variant(under).err();
                        Err(first
                            .or_else(second)
                            .unwrap_or_else(|| format!("`{text}` does not name two variants")))
                    }
                }
            }
            _ => Err(format!("`{text}` can be read as several pairs of variants; write their full names")),
        }
    }

    /// The points of both sides, one pair for each claim that this one becomes.
    fn points(&mut self, raw: &RawClaim<'_>) -> Vec<(usize, usize)> {
        let sides = [raw.left.point, raw.right.point];
        let trailing = match (raw.point, sides) {
            (Some(trailing), [Some(_), _]) | (Some(trailing), [_, Some(_)]) => {
                let message =
                    "the load point is given twice; write it once at the end, or once after each side";
                self.errors.push(error(trailing.at, message));
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
                    self.errors.push(error(0, "there is no load point that this claim could be about"));
                }
                (0..self.names.points.len()).map(|point| (point, point)).collect()
            }
        }
    }

    /// Both sides must be comparable, and not the same.
    fn agree(&mut self, left: &Option<Term>, right: &Option<Term>, raw: &RawClaim<'_>) {
        let (Some(left), Some(right)) = (left, right) else {
            if left.is_none() && right.is_none() {
                let message = "both sides are constants; a claim compares at least one measure";
                self.errors.push(error(raw.left.at, message));
            }
            return;
        };
        let unit = |sort: Sort| match sort {
            Sort::Of(measure) => measure.unit(),
            Sort::Ratio => "ratio",
        };
        let (left_sort, right_sort) = (sort_of(left), sort_of(right));
        if unit(left_sort) != unit(right_sort) {
            let message = format!(
                "{} cannot be compared with {}: they have different units",
                sort_name(left_sort),
                sort_name(right_sort)
            );
            self.errors.push(error(raw.right.at, message));
        }
        let same_point = match (raw.left.point, raw.right.point) {
            (Some(left), Some(right)) => left.text == right.text,
            _ => true,
        };
        if left == right && same_point {
            self.errors.push(error(raw.right.at, "both sides are the same measure of the same variant"));
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
        Sort::Ratio => "a ratio".to_string(),
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
