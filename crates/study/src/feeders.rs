//! Feeders: tables from files, counters, random numbers and text; read whole before anything starts.

use super::name::{bad_name, is_plain_name};
use super::named::read_named;
use super::problem::shown;
use super::suggest::unknown;
use proofload_engine::feed::{Column, Draw, FEEDERS_MAX, Feed, Feeder, Order, Piece};
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

/// Place of a value, which decides how it is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Context {
    /// In the path or the query: percent-encoded.
    Target,
    /// In a header: as it is, without control characters.
    Header,
    /// In the body: as it is.
    Body,
}

/// All feeders of a study or a command line, and the values that the requests take from them.
#[derive(Debug, Default)]
pub struct Feeders {
    names: Vec<String>,
    feed: Feed,
    /// The table of each feeder that has one.
    tables: Vec<Option<Table>>,
    draws: HashMap<(usize, Option<usize>, Context), u16>,
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

    /// The value of `${name}` or `${name.column}` in that context.
    pub(crate) fn draw(
        &mut self,
        name: &str,
        column: Option<&str>,
        context: Context,
    ) -> Result<u16, Mistake> {
        let Some(feeder) = self.names.iter().position(|known| known == name) else {
            return Err(Mistake::UnknownFeeder { found: shown(name), known: self.names.join(", ") });
        };
        let column = match (&self.feed.feeders[feeder], &self.tables[feeder], column) {
            (Feeder::Rows { .. }, Some(table), column) => table.column(name, column)?,
            // Its file could not be read, which was reported.
            (Feeder::Rows { .. }, None, _) => return Ok(0),
            (Feeder::Payload { .. }, ..) if context != Context::Body => {
                return Err(Mistake::DrawnSize { feeder: name.to_string() });
            }
            (_, _, Some(column)) => {
                return Err(Mistake::NoColumns { feeder: name.to_string(), column: shown(column) });
            }
            (_, _, None) => None,
        };
        let texts = match (&self.tables[feeder], column) {
            (Some(table), column) => Some(table.texts(column, context)?),
            (None, _) => None,
        };
        let next = self.feed.draws.len();
        let draw =
            *self.draws.entry((feeder, column, context)).or_insert(next.min(usize::from(u16::MAX)) as u16);
        if usize::from(draw) == next {
            self.feed.draws.push(Draw::Value { feeder, column: texts });
        }
        Ok(draw)
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

    /// The texts of a column as they are written in that context.
    fn texts(&self, column: Option<usize>, context: Context) -> Result<Arc<Column>, Mistake> {
        let raw = match (column, &self.whole) {
            (Some(column), _) => &self.texts[column],
            (None, Some(whole)) => whole,
            (None, None) => return Ok(Arc::default()),
        };
        if context == Context::Body {
            return Ok(Arc::clone(raw));
        }
        let mut texts = Column::default();
        for row in 0..raw.rows() {
            let text = raw.get(row);
            let place = || {
                let column = column.map_or(String::new(), |at| format!(": {}", shown(&self.columns[at])));
                format!("{}:{}{column}", self.file, self.lines[row])
            };
            if text.len() > HEAD_VALUE_MAX {
                let most = "8 KiB".to_string();
                return Err(Mistake::TooLong { length: text.len() as u64, most }.at(place()));
            }
            match context {
                Context::Target => texts.push(percent_encoded(text).as_bytes()),
                _ if text.iter().any(|&byte| is_control(byte)) => {
                    return Err(Mistake::ControlCharacter.at(place()));
                }
                _ => texts.push(text),
            }
        }
        Ok(Arc::new(texts))
    }
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f
}

/// Everything but unreserved characters (RFC 3986, 2.3) as `%XX`: a value never ends a segment or a parameter.
pub(super) fn percent_encoded(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
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
