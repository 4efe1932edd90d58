//! The shape of a claim, before what it refers to is known.

use super::{ClaimError, Comparison, Names};
use proofload_facts::{Expected, Mistake};

pub(super) fn error(at: usize, mistake: Mistake) -> ClaimError {
    ClaimError { mistake, at }
}

pub(super) fn never_closed(after: &str, close: &'static str) -> Mistake {
    Mistake::NeverClosed { after: after.to_string(), close }
}

/// A piece of the text, and its byte offset.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    pub at: usize,
}

/// A claim as it is written.
pub(super) struct RawClaim<'a> {
    pub left: RawSide<'a>,
    pub comparison: Comparison,
    pub right: RawSide<'a>,
    pub point: Option<Piece<'a>>,
}

pub(super) struct RawSide<'a> {
    pub factor: f64,
    pub what: RawTerm<'a>,
    pub point: Option<Piece<'a>>,
    pub at: usize,
}

pub(super) enum RawTerm<'a> {
    Constant { number: f64, suffix: &'a str },
    Measure { name: Piece<'a>, stream: Option<Piece<'a>>, variant: Option<Piece<'a>> },
    Ratio { arguments: Piece<'a> },
}

/// Reads the shape of a claim. Of `names` it needs the load points, whose labels may hold any letters.
///
/// # Errors
/// The first mistake, with what to write instead.
pub(super) fn read<'a>(text: &'a str, names: &Names) -> Result<RawClaim<'a>, ClaimError> {
    Reader { text, at: 0 }.claim(names)
}

/// A factor, which may be a percentage.
fn above_zero(at: usize, number: f64, percent: &str) -> Result<f64, ClaimError> {
    let factor = if percent.is_empty() { number } else { number / 100.0 };
    if factor > 0.0 {
        Ok(factor)
    } else {
        Err(error(at, Mistake::not(format!("{number}{percent}"), Expected::Factor, "0.9, 90%")))
    }
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
            return Err(error(self.at, Mistake::LeftOver { rest: self.rest().to_string() }));
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
        Err(error(self.at, Mistake::NoComparison { found: Some(found).filter(|found| !found.is_empty()) }))
    }

    fn comparison(&mut self, operator: &str) -> Result<Comparison, ClaimError> {
        self.skip_space();
        let at = self.at;
        let within = self.eat("within");
        match (operator, within) {
            ("~", false) => Err(error(self.at, Mistake::NoWithin)),
            ("~", true) => self.within(),
            (_, true) => Err(error(at, Mistake::WithinOf { comparison: operator.to_string() })),
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
                let found: String = self.text[at..].chars().take(12).collect();
                Err(error(at, Mistake::not(format!("`{found}`"), Expected::Percentage, "`within 5%`")))
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
            let number = self.number().ok_or_else(|| {
                let found: String = self.text[at..].chars().take(12).collect();
                error(at, Mistake::not(format!("`{found}`"), Expected::Number, "50ms, 1.2, 5k/s"))
            })?;
            let suffix = self.suffix();
            if !matches!(suffix, "" | "%") || !self.eat("*") {
                return Ok(RawSide { factor, what: RawTerm::Constant { number, suffix }, point: None, at });
            }
            factor = above_zero(at, number, suffix)?;
        }
        let what = self.term(names)?;
        if self.eat("*") {
            factor *= self.factor()?;
        }
        let point = self.point(names)?;
        Ok(RawSide { factor, what, point, at })
    }

    /// The unit of a number, which may follow a space. The beginning of a measure or `within` is not a unit.
    fn suffix(&mut self) -> &'a str {
        let begin = self.at;
        self.skip_space();
        let unit = self.take_while(|letter| letter.is_alphabetic() || letter == '/' || letter == '%').text;
        let begins_more =
            self.rest().starts_with(|next: char| next.is_ascii_digit() || matches!(next, '(' | '[' | '_'));
        if matches!(unit, "" | "within") || begins_more {
            self.at = begin;
            return "";
        }
        unit
    }

    /// The factor behind a term.
    fn factor(&mut self) -> Result<f64, ClaimError> {
        self.skip_space();
        let at = self.at;
        let number =
            self.number().ok_or_else(|| error(at, Mistake::not("`*`", Expected::Factor, "* 0.9")))?;
        let percent = if self.eat("%") { "%" } else { "" };
        above_zero(at, number, percent)
    }

    fn term(&mut self, names: &Names) -> Result<RawTerm<'a>, ClaimError> {
        self.skip_space();
        let name = self.take_while(|letter| letter.is_alphanumeric() || letter == '_');
        if name.text.is_empty() {
            return Err(error(name.at, Mistake::NoTerm));
        }
        let stream = self.enclosed(name, ["[", "]"], names)?;
        let arguments = self.enclosed(name, ["(", ")"], names)?;
        match (name.text, arguments) {
            ("ratio", Some(arguments)) if stream.is_none() => Ok(RawTerm::Ratio { arguments }),
            ("ratio", _) => Err(error(name.at, Mistake::RatioForm)),
            (_, variant) => Ok(RawTerm::Measure { name, stream, variant }),
        }
    }

    /// What is between brackets. A path may hold them, so the known entries of a mix are tried before the text ends at the
    /// first that closes.
    fn enclosed(
        &mut self,
        name: Piece<'a>,
        [open, close]: [&'static str; 2],
        names: &Names,
    ) -> Result<Option<Piece<'a>>, ClaimError> {
        if !self.eat(open) {
            return Ok(None);
        }
        let (rest, at) = (self.rest(), self.at);
        let ends = |length: &usize| rest[*length..].starts_with(close);
        let known = names.requests.iter().filter(|known| rest.starts_with(known.as_str())).map(String::len);
        let length = known.filter(ends).max().or_else(|| rest.find(close)).unwrap_or(rest.len());
        self.at += length;
        match self.eat(close) {
            true => Ok(Some(Piece { text: &rest[..length], at })),
            false => Err(error(name.at, never_closed(name.text, close))),
        }
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
            return Err(error(at, Mistake::NoPoint));
        }
        self.at += text.len();
        Ok(Some(Piece { text, at }))
    }
}
