//! Texts with placeholders: `-Xmx{heap}`. Braces around anything but a small word stand for themselves.

/// After the name of a duration, a placeholder of it as a whole number, in units of so many nanoseconds.
pub(crate) const UNITS: [(&str, u64); 2] = [("_ms", 1_000_000), ("_ns", 1)];

/// Before the number of an endpoint, a placeholder of its port; only in what is written for each endpoint.
pub(crate) const ENDPOINT_PORT: &str = "endpoint_port_";

/// A template with every placeholder replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filled {
    pub(crate) text: String,
    /// One of its placeholders was empty.
    pub(crate) lacks: bool,
}

/// Names of all placeholders, in order; `{port.NAME}` is one too.
pub(crate) fn placeholders(template: &str) -> Vec<&str> {
    pieces(template)
        .filter_map(|piece| if let Piece::Placeholder(name) = piece { Some(name) } else { None })
        .collect()
}

/// Replaces placeholders once; what a value brings in is not looked at again. What `value` does not know
/// stays as it is.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> Filled {
    let mut filled = Filled { text: String::new(), lacks: false };
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => filled.text.push_str(text),
            Piece::Placeholder(name) => match value(name) {
                Some(value) => {
                    filled.lacks |= value.is_empty();
                    filled.text.push_str(&value);
                }
                None => filled.text.push_str(&format!("{{{name}}}")),
            },
        }
    }
    filled
}

enum Piece<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(name) = leading_placeholder(rest) {
            rest = &rest[name.len() + 2..];
            return Some(Piece::Placeholder(name));
        }
        let next = rest.char_indices().skip(1).find(|(_, c)| *c == '{').map_or(rest.len(), |(at, _)| at);
        let (text, after) = rest.split_at(next);
        rest = after;
        Some(Piece::Text(text))
    })
}

fn leading_placeholder(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let name = &inside[..inside.find('}')?];
    let process = name.strip_prefix("port.").is_some_and(is_process_name);
    (is_word(name) || process).then_some(name)
}

/// Whether a parameter may have this name.
pub(crate) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether a process of a subject may have this name; its port is `{port.NAME}`.
pub(crate) fn is_process_name(name: &str) -> bool {
    !name.is_empty() && name.split('-').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_once_and_other_braces_stay() {
        let value = |name: &str| match name {
            "a" => Some("{b}".to_string()),
            "b" => Some("B".to_string()),
            "none" => Some(String::new()),
            _ => None,
        };
        let check = |template: &str, text: &str, lacks: bool| {
            assert_eq!(fill(template, value), Filled { text: text.into(), lacks }, "{template}");
        };
        check("-X{a}{b}", "-X{b}B", false);
        check("{\"json\": {}} {", "{\"json\": {}} {", false);
        check("x{none}", "x", true);
        check("{port}{{b}é", "{port}{Bé", false);
        assert_eq!(placeholders("{a} {B} {c_1}"), ["a", "c_1"]);
        assert_eq!(placeholders("{port.back-end} {port.} {catalina.base}"), ["port.back-end"]);
    }
}
