//! Values of answers: those that are compared with what was expected, and those that become variables of users.

use crate::journey::Test;
use proofload_extract::{Pick, Selector};
use serde::{Deserialize, Serialize};

/// Longest value that is captured.
pub const VALUE_MAX: usize = 8 * 1024;

/// Place of a value in an answer.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub enum Source {
    /// The code of the answer.
    Status,
    /// The first header of this name, in any case.
    Header(String),
    /// The value of this cookie, as the user has it after the answer.
    Cookie(String),
    /// The body without its content coding, as far as it is kept; of a call its reply as JSON.
    Body(Selector),
}

/// A value of an answer that passes a test.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Requirement {
    /// The place as a person wrote it.
    pub written: String,
    pub from: Source,
    pub test: Test,
}

/// A value of an answer that becomes a variable of the user.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Capture {
    /// Index of the variable.
    pub variable: usize,
    /// Its name.
    pub name: String,
    pub from: Source,
    pub pick: Pick,
    /// Value where there is none; without one the exchange fails.
    pub otherwise: Option<String>,
}

impl Capture {
    /// Names by which the value may be known as a credential: its variable's, and that of its place.
    pub fn names(&self) -> Vec<String> {
        let place = match &self.from {
            Source::Cookie(_) => Some("Cookie".to_owned()),
            Source::Header(name) => Some(name.clone()),
            Source::Body(Selector::JsonPath(path)) => {
                let mut words =
                    path.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-');
                words.rfind(|word| !word.is_empty()).map(str::to_owned)
            }
            _ => None,
        };
        std::iter::once(self.name.clone()).chain(place).collect()
    }
}
