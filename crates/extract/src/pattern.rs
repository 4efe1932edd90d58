//! Regular expressions over bytes.

use crate::selector::{Found, Pick, SelectorError, counted};
use regex::bytes::{Captures, Regex, RegexBuilder};

/// Bytes that a compiled expression may take.
const MOST: usize = 1 << 20;

pub fn compile(text: &str) -> Result<Regex, SelectorError> {
    let made = RegexBuilder::new(text).size_limit(MOST).build();
    made.map_err(|error| SelectorError::new(error.to_string(), None))
}

pub fn find(regex: &Regex, text: &[u8], pick: Pick, random: u64, out: &mut Vec<u8>) -> Found {
    let mut all = regex.captures_iter(text);
    let found: Option<Captures> = match pick {
        Pick::Nth(number) => (number as usize).checked_sub(1).and_then(|index| all.nth(index)),
        Pick::Last => all.last(),
        Pick::Any => pick.of(regex.find_iter(text).count(), random).and_then(|index| all.nth(index)),
        Pick::Count => {
            counted(regex.find_iter(text).count(), out);
            return Found::Yes;
        }
    };
    let Some(value) = found.and_then(|found| found.get(1).or_else(|| found.get(0))) else {
        return Found::No;
    };
    out.extend_from_slice(value.as_bytes());
    Found::Yes
}
