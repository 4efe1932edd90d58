//! Feeders: tables from files, counters, random numbers and text; read whole before anything starts.

use super::json_body::is_json;
use super::name::{bad_name, is_plain_name};
use super::named::read_named;
use super::problem::shown;
use super::suggest::unknown;
use super::template::{name_of, no_filter};
use proofload_engine::feed::{Column, Draw, FEEDERS_MAX, Feed, Feeder, Filter, Order, Piece};
use proofload_facts::{Expected, Mistake, Thing};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file that is read for a request: a feeder's table, a body, a part of a form. It lies in memory.
pub(super) const FILE_MAX: u64 = 64 * 1024 * 1024;

/// Most rows of a table.
const ROWS_MAX: usize = 1_000_000;

/// Most columns of a table.
const COLUMNS_MAX: usize = 256;

/// Longest value that a header or a path is filled with: the limit of a head in common servers.
const HEAD_VALUE_MAX: usize = 8 * 1024;

/// Most letters of random text.
pub(super) const LETTERS_MAX: u64 = 64 * 1024;

/// A feeder as the study requests it.
#[derive(Clone, Debug, PartialEq)]
pub enum FeederSpec {
    /// Rows of a CSV file; its first row names the columns.
    Csv {
        path: PathBuf,
        order: Order,
    },
    /// Lines of a file, each a JSON object; its keys are the columns.
    JsonLines {
        path: PathBuf,
        order: Order,
    },
    Made(Feeder),
}

/// Place of a value, which decides the form that it takes unless another one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Within the path or the query.
    Target,
    /// At the beginning of the path, behind its `/`: the value has all of it.
    WholeTarget,
    Header,
    /// In a body, or an argument of a call.
    Body,
    /// Within a string of a body of JSON.
    JsonString,
    /// Outside of strings in a body of JSON.
    JsonValue,
    /// In an application/x-www-form-urlencoded body.
    Urlencoded,
}

/// Form of a value in its place, and what it must be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Writing {
    filter: Filter,
    /// True in the head of a request, where lengths are limited.
    in_head: bool,
    /// True if the value must be JSON by itself.
    is_json: bool,
}

impl Context {
    /// The form of a value here, where `asked` is written.
    pub(super) fn writing(self, asked: Option<Filter>) -> Result<Writing, Mistake> {
        let (in_path, is_form) =
            (matches!(self, Context::Target | Context::WholeTarget), self == Context::Urlencoded);
        let takes = |filter| !(in_path || is_form) || !matches!(filter, Filter::Json | Filter::Base64);
        if let Some(filter) = asked.filter(|filter| !takes(*filter)) {
            return Err(no_filter(name_of(filter), takes));
        }
        let filter = match (self, asked) {
            (Context::Target, None) => Filter::Url,
            (Context::Target, Some(Filter::Raw)) => Filter::Encoded,
            (Context::WholeTarget, None | Some(Filter::Raw)) => Filter::Target,
            (Context::Header, None | Some(Filter::Raw)) => Filter::Line,
            (Context::JsonString, None | Some(Filter::Json)) => Filter::JsonText,
            (Context::Urlencoded, None) => Filter::Form,
            (_, asked) => asked.unwrap_or_default(),
        };
        let is_json = self == Context::JsonValue && asked.is_none();
        Ok(Writing { filter, in_head: in_path || self == Context::Header, is_json })
    }
}

impl Writing {
    /// The value in this form; `name` is what it is written as, without braces.
    pub(super) fn of(self, value: &[u8], name: &str) -> Result<Vec<u8>, Mistake> {
        if self.in_head && value.len() > HEAD_VALUE_MAX {
            return Err(Mistake::TooLong { length: value.len() as u64, most: "8 KiB".to_string() });
        }
        if self.filter == Filter::Line && value.iter().any(|&byte| is_control(byte)) {
            return Err(Mistake::ControlCharacter);
        }
        if self.is_json && !is_json(value) {
            return Err(Mistake::NotJson { name: shown(name) });
        }
        let mut written = Vec::with_capacity(value.len());
        self.filter.apply(value, |piece| written.extend_from_slice(piece));
        Ok(written)
    }
}

/// All feeders of a study or a command line, and the values that the requests take from them.
#[derive(Debug, Default)]
pub struct Feeders {
    names: Vec<String>,
    feed: Feed,
    /// The table of each feeder that has one.
    tables: Vec<Option<Table>>,
    /// What users capture.
    variables: Vec<String>,
    draws: HashMap<(Source, Writing), u16>,
}

/// Source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    /// A feeder, and its column; without one the whole line, or what is made.
    Feeder(usize, Option<usize>),
    Variable(u16),
}

#[derive(Debug)]
struct Table {
    file: String,
    columns: Vec<String>,
    texts: Vec<Arc<Column>>,
    /// Line of each row in the file.
    lines: Vec<u64>,
    /// The whole lines, of JSON lines.
    whole: Option<Arc<Column>>,
}

const PAYLOAD_MAX: u64 = 16 * 1024 * 1024;

/// Examples of payload sizes.
const SIZES: &str = "uniform:20..200KiB, lognormal:2KiB,p99=64KiB";

/// Checks the sizes of a payload and the time for which a size is held.
pub(super) fn payload(sizes: &str, most: Option<&str>, redraw_ns: u64) -> Result<Feeder, Mistake> {
    let sizes = super::distribution::distribution(sizes, super::quantity::size, SIZES)?;
    let most = match (most, sizes.most()) {
        (Some(most), _) => super::quantity::size(most)?,
        (None, Some(most)) => most,
        (None, None) => return Err(Mistake::NoLargest),
    };
    if most == 0 || most > PAYLOAD_MAX {
        return Err(Mistake::beyond(most, 1, "16MiB"));
    }
    Ok(Feeder::Payload { sizes, most_bytes: most as u32, redraw_ns })
}

pub(super) fn feeder_name(name: &str) -> Result<(), Mistake> {
    match name {
        "env" => Err(Mistake::ReservedName { name: name.to_string() }),
        name if !is_plain_name(name) || name.contains('.') => {
            Err(bad_name(Thing::Feeder, name, "A-Z a-z 0-9 _ -"))
        }
        _ => Ok(()),
    }
}

/// Checks the numbers of a feeder that is made up.
pub(super) fn checked(feeder: Feeder) -> Result<Feeder, Mistake> {
    match feeder {
        Feeder::Counter { step: 0, .. } => Err(Mistake::beyond(0, 1, u64::MAX)),
        Feeder::Number { from, to } if from > to => {
            Err(Mistake::EndsBeforeItBegins { found: format!("{from}..{to}") })
        }
        Feeder::Text { length } if length == 0 || u64::from(length) > LETTERS_MAX => {
            Err(Mistake::beyond(length, 1, LETTERS_MAX))
        }
        feeder => Ok(feeder),
    }
}

impl Feeders {
    /// Reads a feeder with its file.
    ///
    /// # Errors
    /// The mistake, with file and line, and what to do.
    pub fn add(&mut self, name: &str, spec: &FeederSpec) -> Result<(), Mistake> {
        if self.names.iter().any(|known| known == name) {
            return Err(Mistake::twice(Thing::Feeder, name));
        }
        if self.names.len() == FEEDERS_MAX {
            return Err(Mistake::too_many(Thing::Feeder, FEEDERS_MAX + 1, FEEDERS_MAX));
        }
        // A feeder whose file is wrong keeps its name, so that its uses are not reported as well.
        let (table, order) = match spec {
            FeederSpec::Csv { path, order } => (Some(read_csv(path)), *order),
            FeederSpec::JsonLines { path, order } => (Some(read_json_lines(path)), *order),
            FeederSpec::Made(_) => (None, Order::Sequential),
        };
        let (table, problem) = match table {
            Some(Ok(table)) => (Some(table), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        let feeder = match (spec, &table) {
            (FeederSpec::Made(feeder), _) => feeder.clone(),
            (_, table) => {
                Feeder::Rows { rows: table.as_ref().map_or(1, |table| table.lines.len() as u64), order }
            }
        };
        self.names.push(name.to_string());
        self.feed.feeders.push(feeder);
        self.tables.push(table);
        problem.map_or(Ok(()), Err)
    }

    /// A feeder that is wrong and was reported: its uses are not reported as well.
    pub fn add_unknown(&mut self, name: &str) {
        self.names.push(name.to_string());
        self.feed.feeders.push(Feeder::Rows { rows: 1, order: Order::Sequential });
        self.tables.push(None);
    }

    /// Declares what users capture under that name; the same name again is the same variable.
    ///
    /// # Errors
    /// A name that a feeder has, or that nothing can have.
    pub fn add_variable(&mut self, name: &str) -> Result<u16, Mistake> {
        feeder_name(name)?;
        if self.names.iter().any(|known| known == name) {
            return Err(Mistake::twice(Thing::Feeder, name));
        }
        let at = self.variables.iter().position(|known| known == name).unwrap_or_else(|| {
            self.variables.push(name.to_string());
            self.variables.len() - 1
        });
        u16::try_from(at).map_err(|_| Mistake::too_many(Thing::Variable, at + 1, usize::from(u16::MAX)))
    }

    /// The variable of that name, if users capture one.
    pub fn variable(&self, name: &str) -> Option<u16> {
        self.variables.iter().position(|known| known == name).map(|at| at as u16)
    }

    /// Names of all variables.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Lets each user draw once from every feeder, for all of his exchanges.
    pub fn draw_per_user(&mut self) {
        self.feed.per_user = (0..self.feed.feeders.len()).collect();
    }

    /// The value of `${name|filter}` or `${name.column|filter}` in that context.
    pub(crate) fn draw(
        &mut self,
        name: &str,
        column: Option<&str>,
        filter: Option<Filter>,
        context: Context,
    ) -> Result<u16, Mistake> {
        let writing = context.writing(filter)?;
        let source = self.source(name, column, writing)?;
        let Some(source) = source else { return Ok(0) };
        if let Some(draw) = self.draws.get(&(source, writing)) {
            return Ok(*draw);
        }
        let draw = match source {
            Source::Variable(variable) => Draw::Variable { variable, filter: writing.filter },
            Source::Feeder(feeder, column) => match &self.tables[feeder] {
                Some(table) => {
                    let texts = table.texts(name, column, writing)?;
                    Draw::Value { feeder, column: Some(texts), filter: Filter::Raw }
                }
                None => Draw::Value { feeder, column: None, filter: as_made(writing.filter) },
            },
        };
        let at = self.feed.draws.len();
        let number =
            u16::try_from(at).map_err(|_| Mistake::too_many(Thing::Value, at + 1, usize::from(u16::MAX)))?;
        self.feed.draws.push(draw);
        self.draws.insert((source, writing), number);
        Ok(number)
    }

    /// The source that a placeholder names; `None` for a file that could not be read, which was reported.
    fn source(&self, name: &str, column: Option<&str>, writing: Writing) -> Result<Option<Source>, Mistake> {
        let no_columns =
            |column: &str| Mistake::NoColumns { feeder: name.to_string(), column: shown(column) };
        if let Some(variable) = self.variables.iter().position(|known| known == name) {
            let source = Source::Variable(variable as u16);
            return column.map_or(Ok(Some(source)), |column| Err(no_columns(column)));
        }
        let Some(feeder) = self.names.iter().position(|known| known == name) else {
            let known: Vec<&str> = self.names.iter().chain(&self.variables).map(String::as_str).collect();
            return Err(Mistake::UnknownFeeder { found: shown(name), known: known.join(", ") });
        };
        let column = match (&self.feed.feeders[feeder], &self.tables[feeder], column) {
            (Feeder::Rows { .. }, Some(table), column) => table.column(name, column)?,
            (Feeder::Rows { .. }, None, _) => return Ok(None),
            (Feeder::Payload { .. }, ..) if writing.in_head => {
                return Err(Mistake::DrawnSize { feeder: name.to_string() });
            }
            (_, _, Some(column)) => return Err(no_columns(column)),
            (Feeder::Payload { .. } | Feeder::Text { .. }, ..) if writing.is_json => {
                return Err(Mistake::NotJson { name: name.to_string() });
            }
            (_, _, None) => None,
        };
        Ok(Some(Source::Feeder(feeder, column)))
    }

    /// The text of these pieces as one value, which is drawn whole.
    pub(crate) fn joined(&mut self, pieces: Vec<Piece>) -> u16 {
        let text = Draw::Text(pieces);
        let draws = &mut self.feed.draws;
        let at = draws.iter().position(|known| *known == text).unwrap_or_else(|| {
            draws.push(text);
            draws.len() - 1
        });
        at.min(usize::from(u16::MAX)) as u16
    }

    /// The feeders, ready for the engine.
    pub fn into_feed(self) -> Feed {
        self.feed
    }
}

impl Table {
    /// Index of a column; `None` for the whole line.
    fn column(&self, name: &str, column: Option<&str>) -> Result<Option<usize>, Mistake> {
        let known: Vec<String> = self.columns.iter().take(8).map(|column| shown(column)).collect();
        match column {
            None if self.whole.is_some() => Ok(None),
            None => Err(Mistake::WhichColumn { feeder: name.to_string(), known: known.join(", ") }),
            Some(column) => match self.columns.iter().position(|known| known == column) {
                Some(index) => Ok(Some(index)),
                None => Err(unknown(Thing::Column, column, &known).at(&self.file)),
            },
        }
    }

    /// The texts of a column in that form; `name` is that of the feeder.
    fn texts(&self, name: &str, column: Option<usize>, writing: Writing) -> Result<Arc<Column>, Mistake> {
        let raw = match (column, &self.whole) {
            (Some(column), _) => &self.texts[column],
            (None, Some(whole)) => whole,
            (None, None) => return Ok(Arc::default()),
        };
        if writing == Writing::default() {
            return Ok(Arc::clone(raw));
        }
        let column = column.map(|at| &self.columns[at]);
        let name = column.map_or(name.to_string(), |column| format!("{name}.{column}"));
        let mut texts = Column::default();
        for row in 0..raw.rows() {
            texts.push(&writing.of(raw.get(row), &name).map_err(|mistake| {
                let column = column.map_or(String::new(), |column| format!(": {}", shown(column)));
                mistake.at(format!("{}:{}{column}", self.file, self.lines[row]))
            })?);
        }
        Ok(Arc::new(texts))
    }
}

/// The form of a value that is made: what it has is allowed everywhere but for quotes.
fn as_made(filter: Filter) -> Filter {
    match filter {
        Filter::Json | Filter::Base64 | Filter::Sha256 => filter,
        _ => Filter::Raw,
    }
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f
}

/// Reads a file that goes into requests.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    read_named(path, &path.display().to_string(), FILE_MAX, "64 MiB")
}

fn read_csv(path: &Path) -> Result<Table, Mistake> {
    parse_csv(&path.display().to_string(), &read_file(path)?)
}

/// The line of a quote that takes all the rest of the file for one value, which the CSV reader would let pass.
fn open_quote(bytes: &[u8]) -> Option<u64> {
    let (mut line, mut opened, mut begins) = (1, None, true);
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        match (opened, byte) {
            (Some(_), b'"') if rest.peek() == Some(&&b'"') => drop(rest.next()),
            (Some(_), b'"') => opened = None,
            (None, b'"') if begins => opened = Some(line),
            _ => {}
        }
        line += u64::from(byte == b'\n');
        begins = opened.is_none() && matches!(byte, b',' | b'\n' | b'\r');
    }
    opened
}

fn parse_csv(file: &str, bytes: &[u8]) -> Result<Table, Mistake> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(line) = open_quote(bytes) {
        return Err(Mistake::OpenQuote.at(format!("{file}:{line}")));
    }
    let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
    let columns: Vec<String> =
        reader.headers().map_err(|error| csv_problem(file, &error))?.iter().map(str::to_string).collect();
    check_columns(file, &columns)?;
    let mut texts = vec![Column::default(); columns.len()];
    let mut lines = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| csv_problem(file, &error))? {
        let line = record.position().map_or(0, csv::Position::line);
        if lines.len() == ROWS_MAX {
            return Err(Mistake::too_many(Thing::Row, ROWS_MAX + 1, ROWS_MAX).at(format!("{file}:{line}")));
        }
        lines.push(line);
        texts.iter_mut().zip(&record).for_each(|(column, text)| column.push(text.as_bytes()));
    }
    table(file, columns, texts, lines, None)
}

fn table(
    file: &str,
    columns: Vec<String>,
    texts: Vec<Column>,
    lines: Vec<u64>,
    whole: Option<Arc<Column>>,
) -> Result<Table, Mistake> {
    if lines.is_empty() {
        return Err(Mistake::NoRows { file: file.to_string() });
    }
    let texts = texts.into_iter().map(Arc::new).collect();
    Ok(Table { file: file.to_string(), columns, texts, lines, whole })
}

fn check_columns(file: &str, columns: &[String]) -> Result<(), Mistake> {
    let first_line = |mistake: Mistake| mistake.at(format!("{file}:1"));
    if columns.len() > COLUMNS_MAX {
        return Err(first_line(Mistake::too_many(Thing::Column, columns.len(), COLUMNS_MAX)));
    }
    for (at, column) in columns.iter().enumerate() {
        if column.trim().is_empty() || column.contains('}') {
            return Err(first_line(Mistake::UnnamedColumn { column: at as u64 + 1 }));
        }
        if columns[..at].contains(column) {
            return Err(first_line(Mistake::twice(Thing::Column, shown(column))));
        }
    }
    Ok(())
}

fn csv_problem(file: &str, error: &csv::Error) -> Mistake {
    let line = error.position().map_or(1, csv::Position::line);
    let mistake = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            Mistake::RaggedRow { columns: *len, first: *expected_len }
        }
        csv::ErrorKind::Utf8 { .. } => Mistake::NotUtf8,
        _ => Mistake::BadFormat { expected: Expected::Csv, error: error.to_string() },
    };
    mistake.at(format!("{file}:{line}"))
}

fn read_json_lines(path: &Path) -> Result<Table, Mistake> {
    parse_json_lines(&path.display().to_string(), &read_file(path)?)
}

fn parse_json_lines(file: &str, bytes: &[u8]) -> Result<Table, Mistake> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Mistake::NotUtf8.at(format!("{file}:{line}"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut columns, mut texts, mut lines) = (Vec::<String>::new(), Vec::<Column>::new(), Vec::new());
    let mut whole = Column::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = number as u64 + 1;
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|error| {
                let mistake = Mistake::BadFormat { expected: Expected::JsonObject, error: error.to_string() };
                mistake.at(format!("{file}:{number}:{}", error.column()))
            })?;
        if lines.is_empty() {
            columns = object.keys().cloned().collect();
            check_columns(file, &columns)?;
            texts = vec![Column::default(); columns.len()];
        }
        if lines.len() == ROWS_MAX {
            return Err(Mistake::too_many(Thing::Row, ROWS_MAX + 1, ROWS_MAX).at(format!("{file}:{number}")));
        }
        lines.push(number);
        whole.push(line.trim().as_bytes());
        for (name, column) in columns.iter().zip(&mut texts) {
            match object.get(name) {
                Some(serde_json::Value::String(text)) => column.push(text.as_bytes()),
                Some(serde_json::Value::Null) => column.push(b""),
                Some(value) => column.push(value.to_string().as_bytes()),
                None => {
                    let mistake = Mistake::NoField { field: shown(name) };
                    return Err(mistake.at(format!("{file}:{number}")));
                }
            }
        }
    }
    table(file, columns, texts, lines, Some(Arc::new(whole)))
}

#[cfg(test)]
mod tests;
