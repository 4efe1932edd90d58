//! What sections of a report are made of: tables, and lines with a verdict.

/// The intervals of tables miss with this probability; they are no verdicts.
pub(crate) const TABLE_TAIL: f64 = 0.05;

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictView {
    /// `supported`, `refuted` or `undecided`, or what stands for these where no claim was judged.
    pub verdict: String,
    /// What it means to whoever hoped.
    pub tone: Tone,
    /// The claim's name.
    pub name: String,
    /// Its text; empty when the name says it.
    pub text: String,
    /// `1.034 [0.97, 1.09], 95 %, 6 blocks`; empty when nothing was measured.
    pub rests_on: String,
    /// What was found, in a sentence; empty where nothing was, and for expectations.
    pub sentence: String,
    /// Which of the reasons the sentence holds.
    pub reason_in_sentence: Option<usize>,
    /// Why.
    pub reasons: Vec<String>,
    /// Position of low, point and high on a picture from 0 to 1, and of a ratio of 1; ratios only.
    pub bar: Option<Bar>,
}

impl VerdictView {
    /// The reasons that the sentence does not tell.
    pub fn further_reasons(&self) -> impl Iterator<Item = &String> {
        self.reasons
            .iter()
            .enumerate()
            .filter(|(at, _)| self.reason_in_sentence != Some(*at))
            .map(|(_, reason)| reason)
    }
}

/// Whether an outcome is what was hoped for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// It is.
    Good,
    /// It is the opposite.
    Bad,
    /// Neither is known.
    Open,
}

/// An interval of ratios on a logarithmic axis from half to double (or wider).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Lower end, 0 to 1.
    pub low: f64,
    /// Point estimate.
    pub point: f64,
    /// Upper end.
    pub high: f64,
    /// Where the ratio is 1.
    pub one: f64,
}

/// A table with a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Heading.
    pub title: String,
    /// Column names; the first column is text, the others are numbers.
    pub header: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}
