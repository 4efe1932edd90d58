//! Every format in which a result can be had, in one table: what is drawn for people, and files that other programs read.

mod csv;
mod error;
mod hgrm;
mod hlog;
mod jtl;
mod junit;
mod parquet;
pub(crate) mod series;

pub use csv::{csv, csv_series};
pub use error::ExportError;
pub use hgrm::{Hgrm, hgrm};
pub use hlog::hlog;
pub use jtl::{JTL_LINES_MAX, Jtl};
pub use junit::{Undecided, junit};
pub use parquet::parquet;

use crate::render::{charts, html, json, markdown};
use proofload_language::Language;
use proofload_store::schema::{RunResult, Slice};
use std::io::Write;

/// A format of results.
pub struct Format {
    pub name: &'static str,
    /// Endings of files that choose it.
    pub endings: &'static [&'static str],
    pub help: &'static str,
    /// True if it shows the course of single slices, which a condensed record does not have.
    pub of_slices: bool,
    make: for<'a> fn(&Exported<'a>) -> Result<Made<'a>, ExportError>,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A result, and all that formats make of it.
pub struct Exported<'a> {
    /// In English, for programs.
    pub english: &'a RunResult,
    /// In the language that is spoken, for people.
    pub spoken: &'a RunResult,
    /// Slices of variants that got through their block.
    pub slices: &'a [&'a Slice],
    /// With those of variants that did not, which the page draws.
    pub all: &'a [&'a Slice],
    pub undecided: Undecided,
    /// For a terminal, which the renderers do not know.
    pub text: &'a dyn Fn() -> String,
}

/// A result in a format, ready to be written: what can be refused has been.
pub enum Made<'a> {
    Text(String),
    /// One file for each.
    Texts(Vec<Hgrm>),
    /// Written piece by piece; whether it is text.
    Stream(bool, Writer<'a>),
}

type Writer<'a> = Box<dyn FnOnce(&mut (dyn Write + Send)) -> Result<(), ExportError> + 'a>;

macro_rules! formats {
    ($($name:literal [$($ending:literal)*] $of_slices:literal $help:literal $make:expr;)+) => {
        /// All formats; the first is the usual one.
        pub static FORMATS: &[Format] = &[$(Format {
            name: $name,
            endings: &[$($ending),*],
            help: $help,
            of_slices: $of_slices,
            make: $make,
        }),+];
    };
}

formats! {
    "text" [] false "For a terminal"
        |it| Ok(Made::Text((it.text)()));
    "json" ["json"] false "For programs; schema/result.schema.json"
        |it| Ok(Made::Text(json(it.english)));
    "markdown" ["md"] false "For pull requests"
        |it| Ok(Made::Text(markdown(it.spoken)));
    "html" ["html" "htm"] false "One self-contained page"
        |it| Ok(Made::Text(html(it.spoken, it.all)));
    "junit" ["xml"] false "JUnit XML for continuous integration: one test case per claim"
        |it| Ok(Made::Text(junit(it.spoken, it.undecided)));
    "csv" ["csv"] false "Figures and counts, one per line"
        |it| Ok(Made::Text(csv(it.english)));
    "csv-series" [] true "Answers per second and telemetry samples, one per line"
        |it| Ok(Made::Text(csv_series(it.slices)));
    "charts" [] false "The tables that the page draws, as JSON"
        |it| Ok(Made::Text(Language::English.within(|| charts(it.english, it.all))));
    "hlog" ["hlog"] true "HdrHistogram log: response and service times of each slice"
        |it| Ok(Made::Text(hlog(it.slices)));
    "hgrm" ["hgrm"] false
        "HdrHistogram's percentiles of response time; with several servers or loads a file for each"
        |it| Ok(Made::Texts(hgrm(it.english, it.slices)?));
    "parquet" ["parquet"] true
        "Apache Parquet for notebooks: every value of every slice, second and sample, one per row"
        |it| {
            let (result, slices) = (it.english, it.slices);
            Ok(Made::Stream(false, Box::new(move |to| parquet(result, slices, to))))
        };
    "jtl" ["jtl"] true
        "JMeter's CSV results, a line per exchange: counts and times as recorded, their order within a slice made up"
        |it| {
            let lines = Jtl::of(it.english, it.slices)?;
            Ok(Made::Stream(true, Box::new(move |mut to| lines.write(&mut to))))
        };
}

impl Format {
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format that a file's ending names; the first one where it names none.
    pub fn of_ending(ending: &str) -> &'static Format {
        let named = |format: &&Format| format.endings.iter().any(|known| ending.eq_ignore_ascii_case(known));
        FORMATS.iter().find(named).unwrap_or(&FORMATS[0])
    }

    /// The result in this format.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make<'a>(&self, of: &Exported<'a>) -> Result<Made<'a>, ExportError> {
        (self.make)(of)
    }
}
