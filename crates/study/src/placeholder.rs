//! `{name}` in the arguments and variables of a command.

use super::name::is_plain_name;
use std::collections::BTreeMap;

/// Names of the placeholders `{name}` in a text. Other braces are text.
pub(super) fn placeholders_of(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        is_plain_name(name).then_some(name)
    })
}

/// Fills in what is known; `{port}` is not, and stays.
pub(super) fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let known = from[1..].split_once('}').and_then(|(name, after)| Some((values.get(name)?, after)));
        match known {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_braces_are_placeholders() {
        let found: Vec<&str> = placeholders_of("{a}{b c} {} {\"json\": {d}} {e").collect();
        assert_eq!(found, ["a", "d"]);
    }

    #[test]
    fn what_is_known_is_filled_in_once_and_the_rest_stays() {
        let values =
            BTreeMap::from([("a".to_string(), "{b}".to_string()), ("b".to_string(), "2".to_string())]);
        assert_eq!(fill("x{a}y{b}{port}{", &values), "x{b}y2{port}{");
    }
}
