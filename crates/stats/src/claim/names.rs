//! What a claim refers to: variants by their levels, points by their labels; and what was probably meant.

use super::{Names, Selector};

/// Most candidates that a message lists.
const LISTED_MAX: usize = 12;

impl Names {
    /// The variant that `text` selects: its name, a level where that is unambiguous, or `key=level` pairs
    /// that only one variant has.
    ///
    /// # Errors
    /// A message with what to write instead.
    pub fn variant(&self, text: &str) -> Result<usize, String> {
        let text = text.trim();
        if let Some(index) = self.variants.iter().position(|variant| variant.name == text) {
            return Ok(index);
        }
        if text.is_empty() {
            return Err(format!("a variant is missing between the parentheses; {}", self.known_variants()));
        }
        let pieces: Vec<&str> = text.split(',').map(str::trim).collect();
        let fits = |variant: &Selector| pieces.iter().all(|piece| has_level(variant, piece));
        let found: Vec<usize> =
            (0..self.variants.len()).filter(|&index| fits(&self.variants[index])).collect();
        match found[..] {
            [index] => Ok(index),
            [] => Err(format!(
                "no variant is called `{text}`{}; {}",
                meant(text, self.selectors().iter().map(String::as_str)),
                self.known_variants()
            )),
            _ => {
                let names: Vec<String> =
                    found.iter().map(|&index| format!("`{}`", self.variants[index].name)).collect();
                Err(format!("`{text}` fits {} variants; write one of {}", found.len(), listed(&names)))
            }
        }
    }

    /// The point with that label.
    ///
    /// # Errors
    /// A message with the points there are.
    pub fn point(&self, label: &str) -> Result<usize, String> {
        self.points.iter().position(|point| point == label).ok_or_else(|| {
            let known: Vec<String> = self.points.iter().map(|point| format!("`{point}`")).collect();
            format!(
                "no load point is called `{label}`{}; the points are {}",
                meant(label, self.points.iter().map(String::as_str)),
                listed(&known)
            )
        })
    }

    /// The stream of that name.
    ///
    /// # Errors
    /// A message with the streams there are.
    pub fn stream(&self, name: &str) -> Result<usize, String> {
        let name = name.trim();
        self.streams.iter().position(|stream| stream == name).ok_or_else(|| {
            if self.streams.is_empty() {
                return format!("this study has no streams; leave out `[{name}]`");
            }
            let known: Vec<String> = self.streams.iter().map(|stream| format!("`{stream}`")).collect();
            format!(
                "no stream is called `{name}`{}; the streams are {}",
                meant(name, self.streams.iter().map(String::as_str)),
                listed(&known)
            )
        })
    }

    fn known_variants(&self) -> String {
        let names: Vec<String> = self.variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
        format!("the variants are {}", listed(&names))
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

fn has_level(variant: &Selector, piece: &str) -> bool {
    variant.levels.iter().any(|(key, level)| {
        level == piece
            || piece
                .split_once('=')
                .is_some_and(|(wanted, value)| wanted.trim() == key && value.trim() == level)
    })
}

pub(super) fn listed(all: &[String]) -> String {
    match all.len() {
        0 => "none".to_string(),
        count if count > LISTED_MAX => {
            format!("{} and {} more", all[..LISTED_MAX].join(", "), count - LISTED_MAX)
        }
        _ => all.join(", "),
    }
}

/// `; did you mean …?` when one of the known is close, else nothing.
pub(super) fn meant<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> String {
    let far = (text.chars().count() / 3).max(1);
    let nearest = known.map(|candidate| (distance(text, candidate), candidate)).min();
    match nearest {
        Some((edits, candidate)) if edits <= far => format!(", did you mean `{candidate}`?"),
        _ => String::new(),
    }
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
