//! Tables of feeders: files that are read row by row, and their columns in the form of a place.
//!
//! A long file is never in memory: its columns go to temporary files without names, from which the load reads.

use super::problem::{cannot_read, shown};
use super::suggest::unknown;
use super::writing::{Writing, read_file};
use proofload_engine::feed::{Column, ReadColumn};
use proofload_facts::{Expected, Mistake, Thing};
use proofload_wire::{Source, Streamed};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Longest file that is kept in memory.
const KEPT_BYTES: u64 = 4 << 20;

/// Bytes that are read at once of a longer one.
const PIECE: usize = 256 * 1024;

/// Most columns of a table.
const COLUMNS_MAX: usize = 256;

/// Kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Its first row names the columns.
    Csv,
    /// Each line is a JSON object; its keys are the columns, and the whole line is a value.
    JsonLines,
    /// Each line is a value.
    Lines,
}

#[derive(Debug)]
pub(super) struct Table {
    file: String,
    kind: TableKind,
    /// The file in memory, or else where it is.
    bytes: Result<Vec<u8>, PathBuf>,
    columns: Vec<String>,
    pub rows: u64,
}

/// A row as it was read.
enum Row<'r> {
    Csv(&'r csv::StringRecord),
    Json(&'r str, &'r serde_json::Map<String, serde_json::Value>),
    Line(&'r str),
}

impl Row<'_> {
    /// The text of a column, without one that of the row.
    fn text(&self, column: Option<(usize, &str)>) -> Result<Cow<'_, str>, Mistake> {
        let value = match (self, column) {
            (Row::Csv(record), column) => {
                return Ok(column.and_then(|(at, _)| record.get(at)).unwrap_or_default().into());
            }
            (Row::Line(line) | Row::Json(line, _), None) => return Ok((*line).into()),
            (Row::Line(_), Some(_)) => return Ok("".into()),
            (Row::Json(_, object), Some((_, name))) => object.get(name),
        };
        match (value, column) {
            (Some(serde_json::Value::String(text)), _) => Ok(text.into()),
            (Some(serde_json::Value::Null), _) => Ok("".into()),
            (Some(value), _) => Ok(value.to_string().into()),
            (None, name) => {
                Err(Mistake::NoField { field: name.map_or(String::new(), |(_, name)| shown(name)) })
            }
        }
    }
}

impl Table {
    /// Reads a file once, and checks all of its rows.
    pub fn read(path: &Path, kind: TableKind) -> Result<Table, Mistake> {
        let file = path.display().to_string();
        let found = std::fs::metadata(path).map_err(|error| cannot_read(file.clone(), &error))?;
        let is_long = found.is_file() && found.len() > KEPT_BYTES;
        let bytes = if is_long { Err(path.to_path_buf()) } else { Ok(read_file(path)?) };
        Table::of(file, bytes, kind)
    }

    pub fn of(file: String, bytes: Result<Vec<u8>, PathBuf>, kind: TableKind) -> Result<Table, Mistake> {
        let mut table = Table { file, kind, bytes, columns: Vec::new(), rows: 0 };
        table.columns = table.heading()?;
        check_columns(&table.file, &table.columns)?;
        let columns: Vec<(usize, &str)> = named(&table.columns).collect();
        let mut rows = 0;
        table.each(|row| {
            rows += 1;
            let is_whole = kind != TableKind::JsonLines;
            if is_whole { Ok(()) } else { columns.iter().try_for_each(|it| row.text(Some(*it)).map(drop)) }
        })?;
        if rows == 0 {
            return Err(Mistake::NoRows { file: table.file });
        }
        Ok(Table { rows, ..table })
    }

    fn open(&self) -> io::Result<Box<dyn BufRead + '_>> {
        let mut reader: Box<dyn BufRead> = match &self.bytes {
            Ok(bytes) => Box::new(bytes.as_slice()),
            Err(path) => Box::new(BufReader::with_capacity(PIECE, File::open(path)?)),
        };
        if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            reader.consume(3);
        }
        Ok(reader)
    }

    /// The names of the columns.
    fn heading(&self) -> Result<Vec<String>, Mistake> {
        let cannot = |error: io::Error| cannot_read(self.file.clone(), &error);
        match self.kind {
            TableKind::Csv => {
                if let Some(line) = open_quote(self.open().map_err(cannot)?).map_err(cannot)? {
                    return Err(Mistake::OpenQuote.at(self.at(line)));
                }
                let mut reader = csv::Reader::from_reader(self.open().map_err(cannot)?);
                let heading = reader.headers().map_err(|error| self.csv_problem(&error))?;
                Ok(heading.iter().map(str::to_string).collect())
            }
            TableKind::JsonLines => {
                let mut columns = None;
                self.lines(&mut |number, line| {
                    columns = Some(self.object(number, line)?.keys().cloned().collect());
                    Ok(false)
                })?;
                Ok(columns.unwrap_or_default())
            }
            TableKind::Lines => Ok(Vec::new()),
        }
    }

    /// Hands over each row; the mistakes of `take` are told with its line.
    fn each(&self, mut take: impl FnMut(Row<'_>) -> Result<(), Mistake>) -> Result<(), Mistake> {
        match self.kind {
            TableKind::Csv => {
                let opened = self.open().map_err(|error| cannot_read(self.file.clone(), &error))?;
                let mut reader = csv::Reader::from_reader(opened);
                // Without that a mistake in the first row is one of the heading.
                reader.headers().map_err(|error| self.csv_problem(&error))?;
                let mut record = csv::StringRecord::new();
                while reader.read_record(&mut record).map_err(|error| self.csv_problem(&error))? {
                    let line = record.position().map_or(0, csv::Position::line);
                    take(Row::Csv(&record)).map_err(|mistake| mistake.at(self.at(line)))?;
                }
                Ok(())
            }
            TableKind::JsonLines => self.lines(&mut |number, line| {
                let object = self.object(number, line)?;
                take(Row::Json(line, &object)).map_err(|mistake| mistake.at(self.at(number)))?;
                Ok(true)
            }),
            TableKind::Lines => self.lines(&mut |number, line| {
                take(Row::Line(line)).map_err(|mistake| mistake.at(self.at(number)))?;
                Ok(true)
            }),
        }
    }

    /// Hands over each line that is not empty, with its number, as long as more are wanted.
    fn lines(&self, take: &mut dyn FnMut(u64, &str) -> Result<bool, Mistake>) -> Result<(), Mistake> {
        let cannot = |error: io::Error| cannot_read(self.file.clone(), &error);
        let (mut reader, mut line) = (self.open().map_err(cannot)?, Vec::new());
        for number in 1.. {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(cannot)? == 0 {
                break;
            }
            let text = std::str::from_utf8(&line).map_err(|_| Mistake::NotUtf8.at(self.at(number)))?.trim();
            if !text.is_empty() && !take(number, text)? {
                break;
            }
        }
        Ok(())
    }

    fn object(&self, line: u64, text: &str) -> Result<serde_json::Map<String, serde_json::Value>, Mistake> {
        serde_json::from_str(text).map_err(|error| {
            let mistake = Mistake::BadFormat { expected: Expected::JsonObject, error: error.to_string() };
            mistake.at(format!("{}:{}", self.at(line), error.column()))
        })
    }

    fn at(&self, line: u64) -> String {
        format!("{}:{line}", self.file)
    }

    fn csv_problem(&self, error: &csv::Error) -> Mistake {
        let mistake = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                Mistake::RaggedRow { columns: *len, first: *expected_len }
            }
            csv::ErrorKind::Utf8 { .. } => Mistake::NotUtf8,
            _ => Mistake::BadFormat { expected: Expected::Csv, error: error.to_string() },
        };
        mistake.at(self.at(error.position().map_or(1, csv::Position::line)))
    }

    /// Index of a column; `None` for the whole line.
    pub fn column(&self, name: &str, column: Option<&str>) -> Result<Option<usize>, Mistake> {
        let known: Vec<String> = self.columns.iter().take(8).map(|column| shown(column)).collect();
        match column {
            None if self.kind != TableKind::Csv => Ok(None),
            None => Err(Mistake::WhichColumn { feeder: name.to_string(), known: known.join(", ") }),
            Some(column) if self.kind == TableKind::Lines => {
                Err(Mistake::NoColumns { feeder: name.to_string(), column: shown(column) })
            }
            Some(column) => match self.columns.iter().position(|known| known == column) {
                Some(index) => Ok(Some(index)),
                None => Err(unknown(Thing::Column, column, &known).at(&self.file)),
            },
        }
    }

    /// The texts of a column in that form; `name` is that of the feeder.
    pub fn texts(&self, name: &str, column: Option<usize>, writing: Writing) -> Result<Column, Mistake> {
        let column = column.and_then(|at| named(&self.columns).nth(at));
        let name = column.map_or(name.to_string(), |(_, column)| format!("{name}.{column}"));
        let mut texts = match self.bytes {
            Ok(_) => Texts::Kept(Column::default()),
            Err(_) => Texts::Written(Written::new()?),
        };
        self.each(|row| {
            let text = row.text(column)?;
            match (writing.of(text.as_bytes(), &name), column) {
                (Ok(text), _) => texts.push(&text),
                // Its line comes before.
                (Err(mistake), Some((_, column))) => Err(mistake.at(shown(column))),
                (Err(mistake), None) => Err(mistake),
            }
        })?;
        let texts = texts.finish()?;
        if texts.rows() != self.rows {
            let error = io::Error::other("it was changed while it was read");
            return Err(cannot_read(self.file.clone(), &error));
        }
        Ok(texts)
    }
}

fn named(columns: &[String]) -> impl Iterator<Item = (usize, &str)> {
    columns.iter().map(String::as_str).enumerate()
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

/// The line of a quote that takes all the rest of the file for one value, which the CSV reader would let pass.
fn open_quote(mut reader: impl BufRead) -> io::Result<Option<u64>> {
    // A quote within quotes ends them, unless another follows: then both are one.
    let (mut line, mut opened, mut ended, mut begins) = (1, None, None, true);
    loop {
        let piece = reader.fill_buf()?;
        if piece.is_empty() {
            return Ok(opened);
        }
        for &byte in piece {
            match (opened, ended.take(), byte) {
                (None, Some(since), b'"') => opened = Some(since),
                (Some(since), _, b'"') => (opened, ended) = (None, Some(since)),
                (None, None, b'"') if begins => opened = Some(line),
                _ => {}
            }
            line += u64::from(byte == b'\n');
            begins = opened.is_none() && matches!(byte, b',' | b'\n' | b'\r');
        }
        let read = piece.len();
        reader.consume(read);
    }
}

/// Texts of a column that is made.
enum Texts {
    Kept(Column),
    Written(Written),
}

impl Texts {
    fn push(&mut self, text: &[u8]) -> Result<(), Mistake> {
        match self {
            Texts::Kept(column) => {
                column.push(text);
                Ok(())
            }
            Texts::Written(written) => written.push(text).map_err(|error| cannot_keep(&error)),
        }
    }

    fn finish(self) -> Result<Column, Mistake> {
        match self {
            Texts::Kept(column) => Ok(column),
            Texts::Written(written) => written.finish().map_err(|error| cannot_keep(&error)),
        }
    }
}

/// Texts in temporary files, and where each ends.
struct Written {
    texts: BufWriter<File>,
    ends: BufWriter<File>,
    bytes: u64,
    longest: usize,
}

impl Written {
    fn new() -> Result<Written, Mistake> {
        let file = || {
            let file = tempfile::tempfile_in(temporary()).map_err(|error| cannot_keep(&error))?;
            Ok(BufWriter::with_capacity(PIECE, file))
        };
        Ok(Written { texts: file()?, ends: file()?, bytes: 0, longest: 0 })
    }

    fn push(&mut self, text: &[u8]) -> io::Result<()> {
        self.bytes += text.len() as u64;
        self.longest = self.longest.max(text.len());
        self.texts.write_all(text)?;
        self.ends.write_all(&self.bytes.to_le_bytes())
    }

    fn finish(self) -> io::Result<Column> {
        let source = |writer: BufWriter<File>| {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            Ok::<_, io::Error>(Streamed::new(Temporary { bytes: file.metadata()?.len(), file }))
        };
        let longest = self.longest;
        Ok(ReadColumn { texts: source(self.texts)?, ends: source(self.ends)?, longest }.into())
    }
}

/// Folder of temporary files on a disk, where `/tmp` may be in memory.
fn temporary() -> PathBuf {
    std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from)
}

fn cannot_keep(error: &io::Error) -> Mistake {
    Mistake::CannotKeep { folder: temporary().display().to_string(), error: error.to_string() }
}

/// A temporary file, which has no name and ends with the process.
#[derive(Debug)]
struct Temporary {
    file: File,
    bytes: u64,
}

impl Source for Temporary {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, at)
    }
}

#[cfg(test)]
mod tests;
