//! Values for people to read: built of what there is, even if it is cut or wrong.

use std::fmt::Write;

/// A value as it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// `null`.
    Null,
    Bool(bool),
    /// A 32-bit number.
    Int(i32),
    /// A 64-bit number.
    Long(i64),
    Double(f64),
    /// An instant, in milliseconds since 1970.
    Date(i64),
    Text(String),
    Bytes(Vec<u8>),
    /// A list, of this type or of none.
    List(String, Vec<Tree>),
    /// A map, of this type or of none.
    Map(String, Vec<(Tree, Tree)>),
    /// An object of a class, and its fields.
    Object(String, Vec<(String, Tree)>),
    /// A value that came before: the list, map or object with this index.
    Reference(i32),
    /// Bytes that are missing, or are not a value, or more of them than is shown.
    Missing,
}

/// Most lines of [`Tree::describe`].
const LINES_MAX: usize = 1_000;

/// Most characters of a text that are shown.
const SHOWN_MAX: usize = 200;

impl Tree {
    /// True if bytes are missing at its end.
    pub fn is_cut(&self) -> bool {
        match self {
            Tree::Missing => true,
            Tree::List(_, values) => values.last().is_some_and(Tree::is_cut),
            Tree::Map(_, entries) => {
                entries.last().is_some_and(|(key, value)| key.is_cut() || value.is_cut())
            }
            Tree::Object(_, fields) => fields.last().is_some_and(|(_, value)| value.is_cut()),
            _ => false,
        }
    }

    /// Indented lines, a thousand at most.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.lines("", 0, &mut lines);
        lines
    }

    fn lines(&self, name: &str, depth: usize, lines: &mut Vec<String>) {
        if lines.len() >= LINES_MAX {
            return;
        }
        lines.push(format!("{:1$}{name}{2}", "", depth * 2, self.head()));
        match self {
            Tree::List(_, values) => {
                for (index, value) in values.iter().enumerate() {
                    value.lines(&format!("[{index}]: "), depth + 1, lines);
                }
            }
            Tree::Map(_, entries) => {
                for (key, value) in entries {
                    value.lines(&format!("{} = ", key.head()), depth + 1, lines);
                }
            }
            Tree::Object(_, fields) => {
                for (name, value) in fields {
                    value.lines(&format!("{}: ", shown(name)), depth + 1, lines);
                }
            }
            _ => {}
        }
    }

    fn head(&self) -> String {
        match self {
            Tree::Null => "null".to_owned(),
            Tree::Bool(truth) => truth.to_string(),
            Tree::Int(number) => number.to_string(),
            Tree::Long(number) => format!("{number}L"),
            Tree::Double(number) => format!("{number:?}"),
            Tree::Date(millis) => format!("date {millis} ms"),
            Tree::Text(text) => format!("\"{}\"", shown(text)),
            Tree::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Tree::List(class, values) => {
                format!("list of {} {}", values.len(), shown(class)).trim_end().to_owned()
            }
            Tree::Map(class, entries) => {
                format!("map of {} {}", entries.len(), shown(class)).trim_end().to_owned()
            }
            Tree::Object(class, _) => shown(class),
            Tree::Reference(index) => format!("reference to {index}"),
            Tree::Missing => "(no more)".to_owned(),
        }
    }

    /// Text of an exception: its class and its message, as `java.lang.IllegalStateException: closed`. `None` if it is
    /// not an exception.
    pub fn exception(&self) -> Option<String> {
        let message = self.member("detailMessage")?;
        let (Tree::Object(class, _) | Tree::Map(class, _)) = self else { return None };
        match message {
            Tree::Text(message) => Some(format!("{class}: {message}")),
            _ => Some(class.clone()),
        }
    }

    /// The field with that name, or what a map has for it.
    pub fn member(&self, name: &str) -> Option<&Tree> {
        match self {
            Tree::Object(_, fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            Tree::Map(_, entries) => {
                let named = |key: &Tree| matches!(key, Tree::Text(text) if text == name);
                entries.iter().find(|(key, _)| named(key)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Text of a fault: that of its exception, or its code and message.
    pub(super) fn fault(&self) -> Option<String> {
        let text = |name| match self.member(name) {
            Some(Tree::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let exception = self.member("detail").and_then(Tree::exception);
        exception.or_else(|| match (text("code"), text("message")) {
            (Some(code), Some(message)) => Some(format!("{code}: {message}")),
            (one, other) => one.or(other).map(str::to_owned),
        })
    }
}

/// A text without control characters, cut where it is long.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (index, char) in text.chars().enumerate() {
        if index == SHOWN_MAX {
            let _ = write!(shown, "... ({} bytes)", text.len());
            break;
        }
        shown.extend(char.escape_debug());
    }
    shown
}
