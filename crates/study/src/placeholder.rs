//! `{name}` in texts. Braces around anything that is not a name are literal.

/// A part of a text.
enum Piece<'t> {
    Text(&'t str),
    Name(&'t str),
}

fn pieces(text: &str, is_name: fn(&str) -> bool) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let inside = rest.strip_prefix('{').and_then(|inside| Some(inside.split_once('}')?.0));
        if let Some(name) = inside.filter(|name| is_name(name)) {
            rest = &rest[name.len() + "{}".len()..];
            return Some(Piece::Name(name));
        }
        let begins = first.len_utf8();
        let next = rest[begins..].find('{').map_or(rest.len(), |at| begins + at);
        let (text, after) = rest.split_at(next);
        rest = after;
        Some(Piece::Text(text))
    })
}

/// Names of the placeholders in a text, in order.
pub fn placeholders_of(text: &str, is_name: fn(&str) -> bool) -> Vec<&str> {
    let name = |piece| if let Piece::Name(name) = piece { Some(name) } else { None };
    pieces(text, is_name).filter_map(name).collect()
}

/// Replaces placeholders once; inserted values are not searched again. A name that `value` does not know is left as it
/// is.
pub fn fill(text: &str, is_name: fn(&str) -> bool, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let piece = |piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Name(name) => value(name).unwrap_or_else(|| format!("{{{name}}}")),
    };
    pieces(text, is_name).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::is_plain_name;
    use std::collections::BTreeMap;

    #[test]
    fn only_names_in_braces_are_placeholders() {
        let found: Vec<&str> = placeholders_of("{a}{b c} {} {\"json\": {d}} {e", is_plain_name);
        assert_eq!(found, ["a", "d"]);
    }

    #[test]
    fn what_is_known_is_filled_in_once_and_the_rest_stays() {
        let values =
            BTreeMap::from([("a".to_string(), "{b}".to_string()), ("b".to_string(), "2".to_string())]);
        assert_eq!(fill("x{a}y{b}{port}{", is_plain_name, |name| values.get(name).cloned()), "x{b}y2{port}{");
    }
}
