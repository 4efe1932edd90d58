//! References of a claim: variants by their levels, points by their labels; and suggestions for unknown ones.

use super::{Names, Selector};
use proofload_facts::{Mistake, Thing};

/// Most candidates that a message lists.
const LISTED_MAX: usize = 12;

impl Names {
    /// The variant that `text` selects: its name, a level where that is unambiguous, or `key=level` pairs
    /// that only one variant has.
    ///
    /// # Errors
    /// The text to write instead.
    pub fn variant(&self, text: &str) -> Result<usize, Mistake> {
        let text = text.trim();
        if let Some(index) = self.variants.iter().position(|variant| variant.name == text) {
            return Ok(index);
        }
        if text.is_empty() {
            return Err(Mistake::Empty { form: self.known_variants() });
        }
        let pieces: Vec<&str> = text.split(',').map(str::trim).collect();
        let fits = |variant: &Selector| pieces.iter().all(|piece| has_level(variant, piece));
        let found: Vec<usize> =
            (0..self.variants.len()).filter(|&index| fits(&self.variants[index])).collect();
        match found[..] {
            [index] => Ok(index),
            [] => {
                let selectors = self.selectors();
                let similar = similar_to(text, selectors.iter().map(String::as_str));
                let (found, known) = (text.to_string(), self.known_variants());
                Err(Mistake::UnknownName { what: Thing::Variant, found, similar, known })
            }
            _ => {
                let names: Vec<&str> =
                    found.iter().map(|&index| self.variants[index].name.as_str()).collect();
                Err(Mistake::Ambiguous { found: text.to_string(), known: listed(&names) })
            }
        }
    }

    /// The point with that label.
    ///
    /// # Errors
    /// The points there are.
    pub fn point(&self, label: &str) -> Result<usize, Mistake> {
        self.points
            .iter()
            .position(|point| point == label)
            .ok_or_else(|| unknown(Thing::Point, label, label, &self.points))
    }

    /// The stream, or the entry of a mix, of that name.
    ///
    /// # Errors
    /// Those there are.
    pub fn stream(&self, name: &str) -> Result<usize, Mistake> {
        let name = name.trim();
        self.streams.iter().chain(&self.requests).position(|part| part == name).ok_or_else(|| {
            match (&self.streams[..], &self.requests[..]) {
                ([], []) => Mistake::NoStreams { stream: name.to_string() },
                ([], requests) => unknown(Thing::Entry, name, name, requests),
                (streams, _) => unknown(Thing::Stream, name, name, streams),
            }
        })
    }

    pub(super) fn known_variants(&self) -> String {
        let names: Vec<&str> = self.variants.iter().map(|variant| variant.name.as_str()).collect();
        listed(&names)
    }

    /// Everything that may select a variant: names, levels, pairs.
    fn selectors(&self) -> Vec<String> {
        let mut all = Vec::new();
        for variant in &self.variants {
            all.push(variant.name.clone());
            for (key, level) in &variant.levels {
                all.push(level.clone());
                all.push(format!("{key}={level}"));
            }
        }
        all
    }
}

/// The mistake for an unknown name; `meant` is the text that it is compared with.
pub(super) fn unknown(what: Thing, found: &str, meant: &str, known: &[impl AsRef<str>]) -> Mistake {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let similar = similar_to(meant, known.iter().copied());
    Mistake::UnknownName { what, found: found.to_string(), similar, known: listed(&known) }
}

fn has_level(variant: &Selector, piece: &str) -> bool {
    variant.levels.iter().any(|(key, level)| {
        level == piece
            || piece
                .split_once('=')
                .is_some_and(|(wanted, value)| wanted.trim() == key && value.trim() == level)
    })
}

fn listed(all: &[&str]) -> String {
    let shown = all[..all.len().min(LISTED_MAX)].join(", ");
    if all.len() > LISTED_MAX { format!("{shown}, … ({})", all.len()) } else { shown }
}

/// The one that was probably meant.
fn similar_to<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let far = (text.chars().count() / 3).max(1);
    let nearest = known.map(|candidate| (distance(text, candidate), candidate)).min();
    nearest.filter(|(edits, _)| *edits <= far).map(|(_, candidate)| candidate.to_string())
}

/// Edits from one word to another: letters put in, taken out, replaced, or two neighbours swapped.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                let swapped = match i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                    true => rows[i - 2][j - 2] + 1,
                    false => usize::MAX,
                };
                replaced.min(swapped).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[from.len()][to.len()]
}
