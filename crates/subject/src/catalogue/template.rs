//! Texts with placeholders: `-Xmx{heap}`. Braces around anything but a small word are literal.

use proofload_study::placeholder::{self, placeholders_of};

/// After the name of a duration, a placeholder of it as a whole number, in units of that many nanoseconds.
pub(crate) const UNITS: [(&str, u64); 2] = [("_ms", 1_000_000), ("_ns", 1)];

/// Before the number of an endpoint, a placeholder of its port; only in texts written for each endpoint.
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
    placeholders_of(template, is_placeholder)
}

/// Replaces placeholders once; a name that `value` does not know is left as it is.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> Filled {
    let mut lacks = false;
    let text = placeholder::fill(template, is_placeholder, |name| {
        let value = value(name)?;
        lacks |= value.is_empty();
        Some(value)
    });
    Filled { text, lacks }
}

fn is_placeholder(name: &str) -> bool {
    is_word(name) || name.strip_prefix("port.").is_some_and(is_process_name)
}

/// True for a name that a parameter may have.
pub(crate) fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// True for a name that a process of a subject may have; its port is `{port.NAME}`.
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
