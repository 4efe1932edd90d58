//! The claim grammar: text to a checked claim.
//!
//! ```text
//! claim      = side op side [ "within" percent ] [ "@" point ]      (a point may also follow each side)
//! side       = [ factor "*" ] term [ "*" factor ] | quantity        quantity: 50ms, 50 ms, 1.2, 5k/s, 10%, 3MiB
//! factor     = number [ "%" ]
//! term       = what "(" variant ")" | "ratio" "(" what "," variant "," variant ")" | what
//! what       = measure [ "[" part "]" ]                              part: a stream, or an entry of a mix
//! op         = ">" | ">=" | "<" | "<=" | "==" | "~"
//! variant    = level | key "=" level { "," key "=" level }
//! ```
//!
//! A measure without a part is that of the whole load. A measure without a variant is allowed where the study has one variant
//! only; there an entry may stand in the place of the variant: `p99(/buy)`. A point after the whole claim or after one side
//! counts for both; a claim without a point becomes one claim for each load point.

use proofload_facts::Mistake;

mod grammar;
mod measure;
mod names;
mod parse;
mod quantity;
#[cfg(test)]
mod tests;

pub use measure::{Measure, Source};
pub use parse::parse_claim;

/// One measured quantity of one variant, or a ratio of two.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// `throughput(nio2)`; the variant is an index into [`Names::variants`].
    Of {
        measure: Measure,
        variant: usize,
        /// Stream, an index into [`Names::streams`]; `None` is all of them together.
        stream: Option<usize>,
    },
    /// `ratio(throughput, ajp, http)`.
    Ratio {
        measure: Measure,
        over: usize,
        under: usize,
        /// Stream, an index into [`Names::streams`]; `None` is all of them together.
        stream: Option<usize>,
    },
}

/// One side of a comparison: `factor * term @ point`, or a constant (in the base unit of the measure).
#[derive(Clone, Debug, PartialEq)]
pub enum Side {
    Measured {
        /// The product of the constants before and behind it, 1 without.
        factor: f64,
        term: Term,
        /// Index into [`Names::points`].
        point: usize,
    },
    /// A constant: nanoseconds, per second, share, bytes or a plain number.
    Constant(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `==`, for measures that are constant.
    Equal,
    /// `~ … within x`: equivalent within the factor 1 + x either way.
    Within(f64),
}

/// A claim at definite load points; a declared claim without `@` becomes one of these for each point.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The name it was declared under.
    pub name: String,
    /// Text as written, with ` @ point` appended when it was expanded.
    pub text: String,
    /// Left side; always measured.
    pub left: Side,
    pub comparison: Comparison,
    pub right: Side,
}

/// A measure of one variant at one load point, by the indexes of the plan's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureOf {
    pub measure: Measure,
    pub variant: usize,
    pub point: usize,
    /// Stream; `None` is all of them together.
    pub stream: Option<usize>,
}

impl Claim {
    /// Measures that it is about, each with its variant's index in [`Names::variants`]; one may come more than once.
    pub fn measured(&self) -> impl Iterator<Item = (Measure, usize)> + '_ {
        self.figures().map(|of| (of.measure, of.variant))
    }

    /// All that it rests on; one may come more than once.
    pub fn figures(&self) -> impl Iterator<Item = FigureOf> + '_ {
        [&self.left, &self.right].into_iter().flat_map(|side| {
            let Side::Measured { term, point, .. } = side else { return Vec::new() };
            let (measure, stream, variants) = match term {
                Term::Of { measure, variant, stream } => (*measure, *stream, vec![*variant]),
                Term::Ratio { measure, over, under, stream } => (*measure, *stream, vec![*over, *under]),
            };
            let figure = |variant| FigureOf { measure, variant, point: *point, stream };
            variants.into_iter().map(figure).collect()
        })
    }

    /// The variants that it speaks of with the load points, by index into [`Names::variants`] and [`Names::points`];
    /// one may come more than once.
    pub fn trials(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.figures().map(|of| (of.variant, of.point))
    }

    /// True if it is about a count over all exchanges seen, which is a fact, not an estimate: `errors(x) == 0`.
    pub fn is_of_a_count(&self) -> bool {
        let counted =
            matches!(&self.left, Side::Measured { term: Term::Of { measure: Measure::Errors, .. }, .. });
        counted && matches!(self.right, Side::Constant(_))
    }

    /// The variants that it speaks of, by index into [`Names::variants`]; one may come more than once.
    pub fn variants(&self) -> impl Iterator<Item = usize> + '_ {
        self.measured().map(|(_, variant)| variant)
    }
}

/// Naming of variants in claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The variant's canonical name: `connector=nio` or `connector=nio,heap=256m`; a plain name without
    /// factors.
    pub name: String,
    pub levels: Vec<(String, String)>,
}

/// Names that a claim may refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub variants: Vec<Selector>,
    /// Labels of the load points in order: `64c`, `5k/s`.
    pub points: Vec<String>,
    /// Names of the streams that run at once, in order; empty without streams.
    pub streams: Vec<String>,
    /// Names of the entries of a mix, in order; empty where no figures are kept of each. Their indexes follow those of the
    /// streams.
    pub requests: Vec<String>,
    /// Those of them that are journeys of users.
    pub journeys: Vec<String>,
    /// Conditions of measuring, each with the names of its levels; empty where none is known.
    pub conditions: Vec<ConditionNames>,
}

impl Names {
    /// Empty where none is known.
    pub fn name_of(&self, variant: usize) -> String {
        self.variants.get(variant).map(|known| known.name.clone()).unwrap_or_default()
    }

    /// Empty where none is known.
    pub fn point_of(&self, point: usize) -> String {
        self.points.get(point).cloned().unwrap_or_default()
    }

    /// Empty for the whole.
    pub fn stream_of(&self, stream: Option<usize>) -> String {
        self.part(stream).unwrap_or_default().to_string()
    }

    /// Name of a stream, or of an entry of a mix; `None` for the whole.
    pub fn part(&self, at: Option<usize>) -> Option<&str> {
        self.streams.iter().chain(&self.requests).nth(at?).map(String::as_str)
    }

    /// The whole, then each stream.
    pub fn parts(&self) -> impl Iterator<Item = Option<usize>> + Clone + use<> {
        std::iter::once(None).chain((0..self.streams.len()).map(Some))
    }
}

/// Names of a condition of measuring and of its levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionNames {
    /// The condition: `driver`.
    pub name: String,
    /// Its levels: `epoll`, `io_uring`.
    pub levels: Vec<String>,
}

/// Fault in a claim's text, and its remedy.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimError {
    /// Fault and remedy.
    pub mistake: Mistake,
    /// Byte offset in the text where it was noticed.
    pub at: usize,
}
