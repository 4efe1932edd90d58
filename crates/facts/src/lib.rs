//! Facts: what Proofload found, as codes and numbers. Sentences are made of them where they are shown: the message whose
//! identifier is the code (`language/locales`), with the fields as variables.
//!
//! Each fact has a stable code (its variant's name, as `worker-busy`), numbers whose names end in their unit (`_ns`,
//! `_share`, `_bytes`, `_per_s`, `_s`), a [`Severity`], and as its subject the fields `variant`, `point`, `stream`, `block`,
//! `claim` and `agent` where it has them. The first paragraph of its doc comment says what it means, the second what to do;
//! `docs/reference/codes.md` is made of both.

#![forbid(unsafe_code)]

mod finding;
mod limit;
mod mistake;
mod reason;

pub use finding::{Check, Finding};
pub use limit::{Cause, Limit};
pub use mistake::{Expected, Mistake, Syntax, Thing, Unquoted};
pub use reason::{Amount, AtLevel, Interval, Needs, Reason};

use serde::Serialize;
use std::cell::Cell;

thread_local! {
    static CODED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `saying` so that messages of the catalogue become their code and fields as JSON: what a record keeps of an error
/// does not depend on the language of the one who made it.
pub fn coded<T>(saying: impl FnOnce() -> T) -> T {
    let before = CODED.replace(true);
    let said = saying();
    CODED.set(before);
    said
}

/// True if this thread is within [`coded`].
pub fn is_coded() -> bool {
    CODED.get()
}

/// Importance of a fact to someone who acts on the result. Orders a list of facts: the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A request was not carried out: figures do not mean what they seem to.
    Failure,
    /// Some verdict or figure is limited by it.
    Warning,
    /// Worth a line on the screen, after all else.
    Notice,
    /// In the full report only.
    Note,
}

impl Severity {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Failure => "failure",
            Severity::Warning => "warning",
            Severity::Notice => "notice",
            Severity::Note => "note",
        }
    }
}

/// A fact as the documents list it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The variant's name, of which the code is made.
    pub name: &'static str,
    pub severity: Severity,
    /// Its doc comment.
    pub doc: &'static str,
    /// Its fields.
    pub fields: &'static [&'static str],
}

impl Known {
    /// The code: `WorkerBusy` is `worker-busy`, as serde makes it.
    pub fn code(&self) -> String {
        let mut code = String::new();
        for (at, letter) in self.name.char_indices() {
            if letter.is_uppercase() && at > 0 {
                code.push('-');
            }
            code.push(letter.to_ascii_lowercase());
        }
        code
    }
}

/// Properties of all facts.
pub trait Fact: Serialize {
    fn severity(&self) -> Severity;
}

/// Every fact, by the enum that has it.
pub fn known() -> impl Iterator<Item = (&'static str, &'static Known)> {
    let of = |of: &'static str, known: &'static [Known]| known.iter().map(move |known| (of, known));
    let stored =
        of("Finding", Finding::KNOWN).chain(of("Limit", Limit::KNOWN)).chain(of("Reason", Reason::KNOWN));
    stored.chain(of("Mistake", Mistake::KNOWN))
}

/// The severity of a code; `None` for an unknown one.
pub fn severity_of(code: &str) -> Option<Severity> {
    known().find(|(_, known)| known.code() == code).map(|(_, known)| known.severity)
}

/// Declares an enum of facts: each variant with its doc comment, its severity and its fields.
///
/// `stored` ones are read back from records, and have `Legacy` for the sentences of formats 1 and 2.
#[macro_export]
macro_rules! facts {
    (
        $(#[$outer:meta])*
        stored $name:ident {
            $( $(#[doc = $doc:literal])+ $severity:ident $variant:ident $({ $($field:ident : $type:ty),* $(,)? })? ),* $(,)?
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(tag = "code", rename_all = "kebab-case")]
        pub enum $name {
            $( $(#[doc = $doc])+ $variant $({ $($field: $type),* })?, )*
            /// A sentence of a record of format 1 or 2.
            #[serde(untagged)]
            Legacy(String),
            /// A fact with a code that this version does not know.
            #[serde(untagged)]
            Newer(::serde_json::Map<String, ::serde_json::Value>),
        }

        impl $crate::Fact for $name {
            fn severity(&self) -> $crate::Severity {
                match self {
                    $( Self::$variant { .. } => $crate::Severity::$severity, )*
                    Self::Legacy(_) | Self::Newer(_) => $crate::Severity::Warning,
                }
            }
        }

        // Spelt out, all facts would be in each schema.
        impl ::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({
                    "description": "A fact by its code, with its numbers; a sentence in records of format 1 or 2.",
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {"code": {"description": "One of docs/reference/codes.md.", "type": "string"}},
                            "required": ["code"]
                        },
                        {"type": "string"}
                    ]
                })
            }
        }

        $crate::facts!(@known $name { $( $($doc)+ $severity $variant $({ $($field),* })? ),* });
    };
    (
        $(#[$outer:meta])*
        told $name:ident {
            $( $(#[doc = $doc:literal])+ $severity:ident $variant:ident $({ $($field:ident : $type:ty),* $(,)? })? ),* $(,)?
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize)]
        #[serde(tag = "code", rename_all = "kebab-case")]
        pub enum $name {
            $( $(#[doc = $doc])+ $variant $({ $($field: $type),* })?, )*
        }

        impl $crate::Fact for $name {
            fn severity(&self) -> $crate::Severity {
                match self { $( Self::$variant { .. } => $crate::Severity::$severity, )* }
            }
        }

        $crate::facts!(@known $name { $( $($doc)+ $severity $variant $({ $($field),* })? ),* });
    };
    (@known $name:ident { $( $($doc:literal)+ $severity:ident $variant:ident $({ $($field:ident),* })? ),* }) => {
        impl $name {
            /// All of them, as the documents list them.
            pub const KNOWN: &'static [$crate::Known] = &[
                $( $crate::Known {
                    name: stringify!($variant),
                    severity: $crate::Severity::$severity,
                    doc: concat!($($doc, "\n"),+),
                    fields: &[$($(stringify!($field)),*)?],
                } ),*
            ];
        }
    };
}

/// Reads a fact that may be absent: formats 1 and 2 have an empty sentence there.
///
/// # Errors
/// Fails if it is neither a fact nor a sentence.
pub fn or_nothing<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Finding>, D::Error> {
    let found: Option<Finding> = serde::Deserialize::deserialize(from)?;
    Ok(found.filter(|found| !matches!(found, Finding::Legacy(sentence) if sentence.is_empty())))
}
