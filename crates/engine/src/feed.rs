//! Values that fill requests: rows of tables, counters, random numbers and text, and what a user has captured.
//!
//! A value of a feeder is a function of the seed and of a number that no other exchange of the load has, over all
//! workers and shares. Values of tables are escaped for where they go before the load begins.

mod column;
mod filter;
mod made;

pub use column::{Column, ReadColumn};
pub use filter::Filter;
pub use made::TimeForm;

use crate::load::{Distribution, Draws, Random, Share};
use proofload_language::tr;
use proofload_wire::{Request, Values};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most sources of values in one load.
pub const FEEDERS_MAX: usize = 64;

/// Most bytes of a number, a time or an identifier.
const NUMBER_BYTES: usize = 36;

/// Bytes of a captured value for which room is made before the load.
const VARIABLE_BYTES: usize = 64;

/// Order in which rows are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Order {
    /// One after the other over all workers; after the last comes the first.
    Sequential,
    /// Any row at any time (seeded).
    Random,
    /// One after the other over all workers, none twice: an exchange without one is `internal`.
    Unique,
}

/// A source of values. Each exchange that uses it takes the next of its numbers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Feeder {
    /// Rows of a table, at least one.
    Rows { rows: u64, order: Order },
    /// `from`, `from + step`, …: no value twice in a load.
    Counter {
        from: u64,
        /// From one to the next; at least 1.
        step: u64,
    },
    /// Whole numbers, each as likely as any other.
    Number {
        from: u64,
        /// Highest; at least `from`.
        to: u64,
    },
    /// Random text whose length is drawn: the beginning of one text that is made before the load.
    Payload {
        /// Length in bytes.
        sizes: Distribution,
        /// Longest; larger draws are cut to it.
        most_bytes: u32,
        /// Time for which a length is held, for all users alike, from the first instant of the load on; by the intended
        /// time of the exchange. 0 draws one for each exchange.
        redraw_ns: u64,
    },
    /// Random letters, digits, `-` and `_`.
    Text { length: u32 },
    /// A random identifier (RFC 9562, version 4).
    Uuid,
    /// Intended time of the exchange.
    Time(TimeForm),
}

/// A value that requests use, named by its index in [`Feed::draws`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Draw {
    /// From one source.
    Value {
        /// Index into [`Feed::feeders`].
        feeder: usize,
        column: Option<Arc<Column>>,
        /// Form of the value; [`Filter::Raw`] for a column, whose texts have theirs.
        filter: Filter,
    },
    /// A value that the user has captured; empty where he has not, and without users.
    Variable {
        /// Index into the user's variables.
        variable: u16,
        filter: Filter,
    },
    /// A text with values in it, for places that need the whole of it because its length precedes it.
    Text(Vec<Piece>),
}

/// A piece of a text with values in it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Piece {
    /// The same in each exchange.
    Fixed(String),
    /// A [`Draw::Value`] or [`Draw::Variable`], by its index in [`Feed::draws`].
    Drawn(u16),
}

/// All sources of values of a load.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Feed {
    pub feeders: Vec<Feeder>,
    /// Those that each user draws from once, for all of his exchanges; without users they are as all others.
    pub per_user: Vec<usize>,
    /// Values taken from them.
    pub draws: Vec<Draw>,
}

impl Feed {
    /// Appends its problems, a sentence each; `mix` are the requests that will draw from it.
    pub(crate) fn problems<'a>(&self, mix: impl Iterator<Item = &'a Request>, problems: &mut Vec<String>) {
        if self.feeders.len() > FEEDERS_MAX {
            problems.push(format!("feeders: {}; at most {FEEDERS_MAX} are possible", self.feeders.len()));
        }
        for (at, feeder) in self.feeders.iter().enumerate() {
            let wrong = match feeder {
                Feeder::Rows { rows: 0, .. } => "has no row",
                Feeder::Counter { step: 0, .. } => "counts by 0",
                Feeder::Number { from, to } if from > to => "ends before it begins",
                Feeder::Text { length: 0 } | Feeder::Payload { most_bytes: 0, .. } => "is empty",
                Feeder::Payload { sizes, .. } if sizes.problem().is_some() => {
                    "has sizes that are no distribution"
                }
                _ => continue,
            };
            problems.push(format!("feeders[{at}]: {wrong}"));
        }
        if self.per_user.iter().any(|feeder| *feeder >= self.feeders.len()) {
            problems.push("per_user: names a feeder that does not exist".to_string());
        }
        for (at, draw) in self.draws.iter().enumerate() {
            match draw {
                Draw::Value { feeder, column, .. } if !self.fits(*feeder, column.as_deref()) => {
                    problems.push(format!("draws[{at}]: is not of its feeder"));
                }
                Draw::Text(pieces) if !pieces.iter().all(|piece| self.has(piece)) => {
                    problems.push(format!("draws[{at}]: has a piece that is no value"));
                }
                _ => {}
            }
        }
        let known = |draw: &u16| usize::from(*draw) < self.draws.len();
        for (at, request) in mix.enumerate() {
            if !request.places.draws().iter().all(known) {
                problems.push(format!("mix[{at}]: draws a value that no feeder has"));
            }
        }
    }

    /// Fewest rows of a feeder that gives none twice and that each of these requests takes a row of.
    pub(crate) fn unique_rows<'a>(&self, mix: impl Iterator<Item = &'a Request> + Clone) -> Option<u64> {
        let feeders = self.feeders.iter().enumerate().filter(|(at, _)| !self.per_user.contains(at));
        let unique = feeders.filter_map(|(at, feeder)| match feeder {
            Feeder::Rows { rows, order: Order::Unique } => Some((at, *rows)),
            _ => None,
        });
        let is_taken = |at: usize| mix.clone().all(|request| self.sources(request).any(|it| it == at));
        unique.filter(|(at, _)| is_taken(*at)).map(|(_, rows)| rows).min()
    }

    fn fits(&self, feeder: usize, column: Option<&Column>) -> bool {
        match (self.feeders.get(feeder), column) {
            (Some(Feeder::Rows { rows, .. }), Some(column)) => column.rows() == *rows,
            (Some(Feeder::Rows { .. }) | None, _) => false,
            (Some(_), column) => column.is_none(),
        }
    }

    fn has(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Fixed(_) => true,
            Piece::Drawn(draw) => {
                let drawn = self.draws.get(usize::from(*draw));
                matches!(drawn, Some(Draw::Value { .. } | Draw::Variable { .. }))
            }
        }
    }

    /// Bytes that the values of one request can have; captured values may be longer.
    pub(crate) fn room(&self) -> usize {
        self.draws.iter().map(|draw| self.longest(draw)).sum()
    }

    /// Bytes that the values of these draws can have together; captured values may be longer.
    pub(crate) fn room_of(&self, draws: impl Iterator<Item = u16>) -> usize {
        draws.filter_map(|draw| self.draws.get(usize::from(draw))).map(|draw| self.longest(draw)).sum()
    }

    fn longest(&self, draw: &Draw) -> usize {
        match draw {
            Draw::Value { feeder, column, filter } => filter.most(match (&self.feeders[*feeder], column) {
                (_, Some(column)) => column.longest(),
                (Feeder::Text { length }, None) => *length as usize,
                (Feeder::Payload { most_bytes, .. }, None) => *most_bytes as usize,
                _ => NUMBER_BYTES,
            }),
            Draw::Variable { filter, .. } => filter.most(VARIABLE_BYTES),
            Draw::Text(pieces) => {
                let longest = |piece: &Piece| match piece {
                    Piece::Fixed(text) => text.len(),
                    Piece::Drawn(draw) => self.longest(&self.draws[usize::from(*draw)]),
                };
                pieces.iter().map(longest).sum()
            }
        }
    }

    /// Each source that the request draws from, once for each value of it.
    fn sources<'a>(&'a self, request: &'a Request) -> impl Iterator<Item = usize> + 'a {
        request.places.draws().iter().flat_map(|draw| self.sources_of(*draw))
    }

    fn sources_of(&self, draw: u16) -> impl Iterator<Item = usize> + '_ {
        let (own, pieces) = match &self.draws[usize::from(draw)] {
            Draw::Value { feeder, .. } => (Some(*feeder), &[][..]),
            Draw::Variable { .. } => (None, &[][..]),
            Draw::Text(pieces) => (None, pieces.as_slice()),
        };
        let within = pieces.iter().filter_map(|piece| match piece {
            Piece::Drawn(draw) => match &self.draws[usize::from(*draw)] {
                Draw::Value { feeder, .. } => Some(*feeder),
                Draw::Variable { .. } | Draw::Text(_) => None,
            },
            Piece::Fixed(_) => None,
        });
        own.into_iter().chain(within)
    }
}

/// Names the random streams of feeders, apart from those of timetable and mix.
const FEEDERS: u64 = 0x6665_6564 << 16;

/// Progress of one worker in all sources.
#[derive(Debug)]
pub(crate) struct Feeding<'a> {
    sources: Sources<'a>,
    /// The next number of each feeder; they go on by `step`, so that no two workers share one.
    next: Vec<u64>,
    step: u64,
    start_ns: u64,
    values: Values,
    /// A value before it takes its form.
    plain: Values,
    room: Room,
}

/// Room for a value that is read.
#[derive(Debug, Default)]
struct Room {
    text: Vec<u8>,
    /// Reason that there was no value.
    lack: Option<String>,
}

/// Values by the numbers of exchanges.
#[derive(Debug)]
struct Sources<'a> {
    feed: &'a Feed,
    streams: Vec<Random>,
    /// The sizes of each payload, and the text of which each is the beginning.
    payloads: Vec<Option<(Draws, Vec<u8>)>>,
    /// Nanoseconds since 1970 at the beginning of the axis of time.
    unix_ns: i64,
}

impl<'a> Feeding<'a> {
    /// For a share of a load with that seed.
    pub fn new(feed: &'a Feed, seed: u64, share: Share) -> Self {
        let streams = (0..feed.feeders.len() as u64).map(|at| Random::new(seed, FEEDERS | at)).collect();
        let mut values = Values::default();
        values.reserve(feed.draws.len(), feed.room());
        let payload = |(at, feeder): (u64, &Feeder)| match feeder {
            Feeder::Payload { sizes, most_bytes, .. } => {
                let draws = Draws::new(sizes.clone(), seed, FEEDERS | at);
                let mut text = Vec::with_capacity(*most_bytes as usize);
                letters(Random::new(!seed, FEEDERS | at), *most_bytes as usize, |some| {
                    text.extend_from_slice(some);
                });
                Some((draws, text))
            }
            _ => None,
        };
        let payloads = (0..).zip(&feed.feeders).map(payload).collect();
        let mut plain = Values::default();
        let takes_form = |draw: &Draw| matches!(draw, Draw::Value { filter, .. } if *filter != Filter::Raw);
        if feed.draws.iter().any(takes_form) {
            plain.reserve(1, feed.room());
        }
        let mut room = Room::default();
        let columns = feed.draws.iter().filter_map(|draw| match draw {
            Draw::Value { column: Some(column), .. } => Some(column.longest()),
            _ => None,
        });
        room.text.reserve(columns.max().unwrap_or(0));
        Feeding {
            sources: Sources { feed, streams, payloads, unix_ns: 0 },
            next: vec![share.k; feed.feeders.len()],
            step: share.n,
            start_ns: 0,
            values,
            plain,
            room,
        }
    }

    /// The load begins at that instant; the axis of time began `unix_ns` nanoseconds after 1970.
    pub fn begin_at(&mut self, start_ns: u64, unix_ns: i64) {
        self.start_ns = start_ns;
        self.sources.unix_ns = unix_ns;
    }

    /// The numbers of the exchange that asks next, for the feeders that its request draws from. `intended_ns` is when
    /// it was intended; `user` are the numbers of the user whose exchange it is.
    #[inline]
    pub fn number(&mut self, request: &Request, intended_ns: u64, numbers: &mut [u64], user: Option<&[u64]>) {
        let feed = self.sources.feed;
        for feeder in feed.sources(request) {
            numbers[feeder] = u64::MAX;
        }
        for feeder in feed.sources(request) {
            match user.filter(|_| feed.per_user.contains(&feeder)) {
                Some(user) => numbers[feeder] = user[feeder],
                None if numbers[feeder] == u64::MAX => numbers[feeder] = self.next(feeder, intended_ns),
                None => {}
            }
        }
    }

    /// The numbers of a user who begins at that instant, for the feeders that users draw from.
    pub fn number_user(&mut self, intended_ns: u64, numbers: &mut [u64]) {
        let feed = self.sources.feed;
        for feeder in &feed.per_user {
            numbers[*feeder] = self.next(*feeder, intended_ns);
        }
    }

    #[inline]
    fn next(&mut self, feeder: usize, intended_ns: u64) -> u64 {
        match self.sources.feed.feeders[feeder] {
            Feeder::Payload { redraw_ns: held_ns @ 1.., .. } => {
                return intended_ns.saturating_sub(self.start_ns) / held_ns;
            }
            Feeder::Time(_) => return intended_ns,
            _ => {}
        }
        let number = self.next[feeder];
        self.next[feeder] += self.step;
        number
    }

    /// The values of an exchange with those numbers, of a user with those variables.
    #[inline]
    pub fn draw(&mut self, request: &Request, numbers: &[u64], variables: &[Vec<u8>]) {
        self.values.clear();
        for draw in request.places.draws() {
            let feed = self.sources.feed;
            match &feed.draws[usize::from(*draw)] {
                Draw::Text(pieces) => {
                    for piece in pieces {
                        match piece {
                            Piece::Fixed(text) => self.values.append(text.as_bytes()),
                            Piece::Drawn(draw) => {
                                self.append(&feed.draws[usize::from(*draw)], numbers, variables);
                            }
                        }
                    }
                }
                draw => self.append(draw, numbers, variables),
            }
            self.values.end();
        }
    }

    /// Appends a single value to the one that is made.
    #[inline]
    fn append(&mut self, draw: &Draw, numbers: &[u64], variables: &[Vec<u8>]) {
        let (values, room) = (&mut self.values, &mut self.room);
        match draw {
            Draw::Value { feeder, column, filter: Filter::Raw } => {
                self.sources.write(*feeder, column.as_deref(), numbers[*feeder], room, values);
            }
            Draw::Value { feeder, column, filter } => {
                self.plain.clear();
                self.sources.write(*feeder, column.as_deref(), numbers[*feeder], room, &mut self.plain);
                self.plain.end();
                filter.apply(self.plain.get(0), |piece| values.append(piece));
            }
            Draw::Variable { variable, filter } => {
                let value = variables.get(usize::from(*variable)).map_or(&[][..], Vec::as_slice);
                filter.apply(value, |piece| values.append(piece));
            }
            // A text has no texts as pieces.
            Draw::Text(_) => {}
        }
    }

    /// The values of tables in an exchange with those numbers.
    pub fn rows(&self, request: &Request, numbers: &[u64]) -> Vec<Vec<u8>> {
        let feed = self.sources.feed;
        let draws = request.places.draws().iter().map(|draw| &feed.draws[usize::from(*draw)]);
        let values = draws.flat_map(|draw| match draw {
            Draw::Text(pieces) => pieces.iter().filter_map(|piece| drawn(feed, piece)).collect(),
            draw => vec![draw],
        });
        let texts = values.filter_map(|draw| match draw {
            Draw::Value { feeder, column: Some(column), .. } => {
                let row = self.sources.row(*feeder, numbers[*feeder])?;
                column.get(row, &mut Vec::new()).ok().map(<[u8]>::to_vec)
            }
            _ => None,
        });
        texts.collect()
    }

    /// Reason that a value of the exchange that was drawn last is missing; it must not be sent then.
    pub fn lack(&mut self) -> Option<String> {
        self.room.lack.take()
    }

    pub fn values(&self) -> &Values {
        &self.values
    }
}

fn drawn<'a>(feed: &'a Feed, piece: &Piece) -> Option<&'a Draw> {
    match piece {
        Piece::Fixed(_) => None,
        Piece::Drawn(draw) => feed.draws.get(usize::from(*draw)),
    }
}

impl Sources<'_> {
    /// The row of a table that has that number; `None` behind the last of those that come once.
    #[inline]
    fn row(&self, feeder: usize, number: u64) -> Option<u64> {
        match &self.feed.feeders[feeder] {
            Feeder::Rows { rows, order: Order::Sequential } => Some(number % rows),
            Feeder::Rows { rows, order: Order::Random } => {
                Some(crate::load::scaled(self.streams[feeder].at(number), *rows))
            }
            Feeder::Rows { rows, order: Order::Unique } => Some(number).filter(|number| number < rows),
            _ => None,
        }
    }

    /// Appends the value that has that number.
    #[inline]
    fn write(&self, feeder: usize, column: Option<&Column>, number: u64, room: &mut Room, into: &mut Values) {
        let random = &self.streams[feeder];
        match &self.feed.feeders[feeder] {
            Feeder::Rows { rows, .. } => match (column, self.row(feeder, number)) {
                (Some(column), Some(row)) => match column.get(row, &mut room.text) {
                    Ok(text) => into.append(text),
                    Err(error) => room.lack = Some(error.to_string()),
                },
                _ => room.lack = Some(tr!("feed-used-up", rows)),
            },
            Feeder::Uuid => made::uuid(Random::new(random.at(number), FEEDERS), into),
            Feeder::Time(form) => form.write(self.unix_ns.saturating_add_unsigned(number), into),
            Feeder::Counter { from, step } => {
                into.append_number(from.wrapping_add(step.wrapping_mul(number)));
            }
            Feeder::Number { from, to } => {
                let span = (to - from).checked_add(1);
                let drawn = random.at(number);
                into.append_number(from + span.map_or(drawn, |span| crate::load::scaled(drawn, span)));
            }
            Feeder::Payload { .. } => {
                let payload = self.payloads[feeder].as_ref();
                let text = payload.map_or(&[][..], |(sizes, text)| {
                    let bytes = usize::try_from(sizes.at(number)).unwrap_or(usize::MAX);
                    &text[..bytes.min(text.len())]
                });
                into.append(text);
            }
            Feeder::Text { length } => {
                let own = Random::new(random.at(number), FEEDERS);
                letters(own, *length as usize, |some| into.append(some));
            }
        }
    }
}

/// Characters that are allowed in a path, a header and a body alike: the alphabet of base64url.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Letters that are made before they are passed on: one at a time, a text of 50 KB would take longer than its exchange.
const LETTERS_AT_ONCE: usize = 640;
/// Letters of six bits each in a random number.
const LETTERS_OF_NUMBER: usize = 10;

/// Passes on `length` random letters.
fn letters(mut random: Random, length: usize, mut pass_on: impl FnMut(&[u8])) {
    let mut some = [0; LETTERS_AT_ONCE];
    let mut left = length;
    while left > 0 {
        let now = &mut some[..left.min(LETTERS_AT_ONCE)];
        for letters in now.chunks_mut(LETTERS_OF_NUMBER) {
            let mut bits = random.next_u64();
            for letter in letters {
                *letter = LETTERS[(bits & 63) as usize];
                bits >>= 6;
            }
        }
        pass_on(now);
        left -= now.len();
    }
}

#[cfg(test)]
mod tests;
