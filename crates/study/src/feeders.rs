//! Feeders: tables from files, counters, random numbers and text; files are read whole before anything starts.

use super::name::{bad_name, is_plain_name};
use super::problem::shown;
use super::table::{Table, TableKind};
use super::writing::{Context, Writing};
use proofload_engine::feed::{Draw, FEEDERS_MAX, Feed, Feeder, Filter, Order, Piece, TimeForm};
use proofload_facts::{Mistake, Thing};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Most letters of random text.
pub(super) const LETTERS_MAX: u64 = 64 * 1024;

/// A feeder as the study requests it.
#[derive(Clone, Debug, PartialEq)]
pub enum FeederSpec {
    /// Rows of a file.
    Table {
        kind: TableKind,
        path: PathBuf,
        order: Order,
    },
    Made(Feeder),
}

/// Frequency of draws from a feeder, where there are users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Once, for all that the user asks.
    User,
    Request,
}

/// All feeders of a study or a command line, and the values that the requests take from them.
#[derive(Debug, Default)]
pub struct Feeders {
    names: Vec<String>,
    feed: Feed,
    /// The table of each feeder that has one.
    tables: Vec<Option<Table>>,
    /// Scope of each feeder's draws, if written.
    per: Vec<Option<Per>>,
    /// Names of captured values.
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
    pub fn add(&mut self, name: &str, spec: &FeederSpec, per: Option<Per>) -> Result<(), Mistake> {
        if self.names.iter().any(|known| known == name) {
            return Err(Mistake::twice(Thing::Feeder, name));
        }
        if self.names.len() == FEEDERS_MAX {
            return Err(Mistake::too_many(Thing::Feeder, FEEDERS_MAX + 1, FEEDERS_MAX));
        }
        match spec {
            FeederSpec::Made(feeder) => self.push(name, feeder.clone(), None, per),
            FeederSpec::Table { kind, path, order } => match Table::read(path, *kind) {
                Ok(table) => {
                    let feeder = Feeder::Rows { rows: table.rows, order: *order };
                    self.push(name, feeder, Some(table), per);
                }
                Err(mistake) => {
                    self.add_unknown(name);
                    return Err(mistake);
                }
            },
        }
        Ok(())
    }

    /// A feeder that is wrong and was reported: its uses are not reported as well.
    pub fn add_unknown(&mut self, name: &str) {
        self.push(name, Feeder::Rows { rows: 1, order: Order::Sequential }, None, None);
    }

    fn push(&mut self, name: &str, feeder: Feeder, table: Option<Table>, per: Option<Per>) {
        self.names.push(name.to_string());
        self.feed.feeders.push(feeder);
        self.tables.push(table);
        self.per.push(per);
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

    /// Lets each user draw once, for all of his exchanges, from every feeder for which nothing else is written; a time
    /// and a size that is held are those of the exchange.
    pub fn draw_per_user(&mut self) {
        let own =
            |feeder: &Feeder| matches!(feeder, Feeder::Time(_) | Feeder::Payload { redraw_ns: 1.., .. });
        let feeders = self.feed.feeders.iter().zip(&self.per).enumerate();
        let users = feeders.filter(|(_, (feeder, per))| match per {
            Some(per) => *per == Per::User,
            None => !own(feeder),
        });
        self.feed.per_user = users.map(|(at, _)| at).collect();
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
                    let texts = Arc::new(table.texts(name, column, writing)?);
                    Draw::Value { feeder, column: Some(texts), filter: Filter::Raw }
                }
                None => {
                    let filter = as_made(&self.feed.feeders[feeder], writing.filter);
                    Draw::Value { feeder, column: None, filter }
                }
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
            (
                Feeder::Payload { .. } | Feeder::Text { .. } | Feeder::Uuid | Feeder::Time(TimeForm::Iso),
                ..,
            ) if writing.is_json => {
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

/// The form of a value that is made: but for the colons of a time, what it has is allowed everywhere without quotes.
fn as_made(feeder: &Feeder, filter: Filter) -> Filter {
    match (feeder, filter) {
        (_, Filter::Json | Filter::Base64 | Filter::Sha256) | (Feeder::Time(TimeForm::Iso), _) => filter,
        _ => Filter::Raw,
    }
}

#[cfg(test)]
mod tests;
