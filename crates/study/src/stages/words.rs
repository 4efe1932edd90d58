//! A stage in words.

use crate::quantity;

/// The words of a stage; a unit behind a space belongs to the number before it: `hold 2k/s 30 s`.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_unit = quantity::is_unit(word);
        match words.last_mut() {
            Some(before) if is_unit && before.ends_with(|c: char| c.is_ascii_digit()) => {
                before.push_str(word)
            }
            _ => words.push(word.to_string()),
        }
    }
    words
}
