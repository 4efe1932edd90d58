//! Parts of a report's sections: tables, and lines with a verdict.

use proofload_analysis::Overall;
use proofload_language::facts::told;
use proofload_language::{Columns, tr};

/// A claim with its verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictView {
    /// `supported`, `refuted` or `undecided`, or a word in their place where no claim was judged.
    pub verdict: String,
    pub tone: Tone,
    pub name: String,
    /// Its text; empty when the name is the same.
    pub text: String,
    /// `×1.03 [0.97, 1.09]`; empty where nothing was measured.
    pub amount: String,
    /// `1.034 [0.97, 1.09], 95 %, 6 blocks`; empty when nothing was measured.
    pub rests_on: String,
    /// Finding, without what it rests on; empty where there is none, and for expectations.
    pub found: String,
    /// Finding, in a sentence; empty where there is none, and for expectations.
    pub sentence: String,
    /// Index of the reason that the sentence holds.
    pub reason_in_sentence: Option<usize>,
    pub reasons: Vec<String>,
    /// Its interval beside the range claimed; `None` where there is no interval, or it reaches zero.
    pub bar: Option<Bar>,
}

impl VerdictView {
    /// The reasons that are not in the sentence.
    pub fn further_reasons(&self) -> impl Iterator<Item = &String> {
        self.reasons
            .iter()
            .enumerate()
            .filter(|(at, _)| self.reason_in_sentence != Some(*at))
            .map(|(_, reason)| reason)
    }
}

/// Good, open or bad: is an outcome what was hoped for?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    Good,
    #[default]
    Open,
    Bad,
}

impl Tone {
    /// Tone of a result as a whole; no first line is greener.
    pub const fn of(overall: Overall) -> Tone {
        match overall {
            Overall::AllSupported | Overall::Checked => Tone::Good,
            Overall::Undecided => Tone::Open,
            Overall::Refuted | Overall::Regressed | Overall::Invalid => Tone::Bad,
        }
    }

    /// The sign before a line.
    pub const fn mark(self) -> &'static str {
        match self {
            Tone::Good => "✔",
            Tone::Open => "?",
            Tone::Bad => "✘",
        }
    }

    /// The class of its elements in a page.
    pub const fn class(self) -> &'static str {
        match self {
            Tone::Good => "supported",
            Tone::Open => "undecided",
            Tone::Bad => "refuted",
        }
    }
}

/// An interval on a logarithmic scale, beside what is claimed. Places are from 0 to 1. All ratios of a result share a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub low: f64,
    pub point: f64,
    pub high: f64,
    /// Range in which the claim holds: to the end of the scale where it has one boundary, a band where it is `within`.
    pub holds: (f64, f64),
    /// Place of the ratio 1; `None` for an estimate that is not a ratio.
    pub one: Option<f64>,
    /// Labels of the scale, far enough apart.
    pub marks: Vec<Mark>,
    pub told: String,
}

/// A label of a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Position, from 0 to 1.
    pub place: f64,
    pub label: String,
}

/// A table with a heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn with<const N: usize>(
        title: impl Into<String>,
        columns: Columns<N>,
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Table {
        let header = columns.map(str::to_string).to_vec();
        Table { title: title.into(), header, rows: rows.collect() }
    }

    /// A table of these rows, if there are any.
    pub(crate) fn of<const N: usize>(
        title: impl Into<String>,
        columns: Columns<N>,
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Option<Table> {
        Some(Table::with(title, columns, rows)).filter(|table| !table.rows.is_empty())
    }

    /// True if a column holds words: the first one does, and each with a cell that begins with a letter.
    pub fn is_text(&self, column: usize) -> bool {
        let begins = |row: &Vec<String>| row.get(column).and_then(|cell| cell.chars().next());
        column == 0 || self.rows.iter().filter_map(begins).any(char::is_alphabetic)
    }
}

pub(crate) fn told_all<'a, F: serde::Serialize + 'a>(facts: impl IntoIterator<Item = &'a F>) -> String {
    facts.into_iter().map(told).collect::<Vec<_>>().join(tr!("between-sentences"))
}
