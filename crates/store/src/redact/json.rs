//! Texts of others in what we write as JSON.

use super::{find::string_end, hide};

/// Keys whose values come from outside, or repeat text from outside. All other values are numbers, and names and
/// words of ours.
const TEXTS: [&str; 9] =
    ["error", "lines", "mostly", "now", "received", "sentence", "sentences", "then", "what"];

/// The same JSON without values that are known, in the texts of others alone: numbers, keys and names of ours stay.
pub fn json(text: String) -> String {
    if hide(&text) == text {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let (mut key, mut at) = ("", 0);
    while let Some(quote) = text[at..].find('"').map(|n| at + n) {
        let end = string_end(&text, quote + 1);
        let inner = &text[quote + 1..end];
        out.push_str(&text[at..=quote]);
        match text[end..].starts_with("\":") {
            true => {
                key = inner;
                out.push_str(inner);
            }
            false if TEXTS.contains(&key) => out.push_str(&hide(inner)),
            false => out.push_str(inner),
        }
        at = end;
        if at < text.len() {
            out.push('"');
            at += 1;
        }
    }
    out.push_str(&text[at..]);
    out
}
