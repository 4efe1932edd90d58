//! The few flags that these programs have.

use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Flags with a value each, and words without one.
#[derive(Debug, Default)]
pub struct Flags {
    values: BTreeMap<String, String>,
    /// Arguments that are not flags.
    pub words: Vec<String>,
    /// `--smoke`: only to see whether the program runs, once and briefly; its figures are worth nothing.
    pub smoke: bool,
}

impl Flags {
    /// Reads the arguments; `known` are all flags that there are, with their dashes.
    ///
    /// # Errors
    /// An unknown flag, or one without a value.
    pub fn read(known: &[&str]) -> anyhow::Result<Flags> {
        Flags::of(std::env::args().skip(1), known)
    }

    fn of(args: impl IntoIterator<Item = String>, known: &[&str]) -> anyhow::Result<Flags> {
        let mut flags = Flags::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            if arg == "--smoke" {
                flags.smoke = true;
            } else if known.contains(&arg.as_str()) {
                let value = args.next().with_context(|| format!("{arg} needs a value"))?;
                flags.values.insert(arg, value);
            } else if arg.starts_with('-') {
                bail!("no such flag: {arg}; there are {} --smoke", known.join(" "));
            } else {
                flags.words.push(arg);
            }
        }
        Ok(flags)
    }

    /// The value of a flag, or its default: one for measuring, another for `--smoke`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn or_smoke<T: FromStr>(&self, flag: &str, otherwise: T, smoke: T) -> anyhow::Result<T> {
        self.get(flag, if self.smoke { smoke } else { otherwise })
    }

    /// The value of a flag, or its default.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn get<T: FromStr>(&self, flag: &str, otherwise: T) -> anyhow::Result<T> {
        let Some(value) = self.values.get(flag) else { return Ok(otherwise) };
        value.parse().ok().with_context(|| format!("{flag}: cannot read {value:?}"))
    }

    /// The value of a flag as it was written.
    pub fn text(&self, flag: &str) -> Option<&str> {
        self.values.get(flag).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_words_and_slips_are_told_apart() {
        let read = |line: &str| Flags::of(line.split(' ').map(str::to_owned), &["--pairs"]);
        let flags = read("close --pairs 9").unwrap();
        assert_eq!((flags.get("--pairs", 15).unwrap(), flags.words), (9, vec!["close".to_owned()]));
        let flags = read("--smoke --pairs 9").unwrap();
        assert_eq!(
            (flags.or_smoke("--pairs", 15, 1).unwrap(), flags.or_smoke("--seconds", 10, 2).unwrap()),
            (9, 2)
        );
        assert_eq!(read("close").unwrap().or_smoke("--pairs", 15, 1).unwrap(), 15);
        assert!(read("--pairs").is_err() && read("--pears 9").is_err());
        assert!(read("--pairs x").unwrap().get("--pairs", 1).is_err());
    }
}
