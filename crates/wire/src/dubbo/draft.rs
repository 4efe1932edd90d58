//! A request of Dubbo that is being written, and what the serializations have in common.

use crate::{Call, Placeholders, Value};
use thiserror::Error;

/// Deepest nesting of values within an argument.
pub(super) const DEPTH_MAX: usize = 64;

/// Reason for which a call cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// As many types as arguments are needed.
    #[error("{types} parameter types for {arguments} arguments")]
    Arguments {
        /// Number of types.
        types: usize,
        /// Number of arguments.
        arguments: usize,
    },
    /// The serialization cannot carry such a value there.
    #[error("{serialization} cannot write {what} as {ty}")]
    Value {
        serialization: &'static str,
        /// Kind of the value.
        what: &'static str,
        /// The type of the parameter or field.
        ty: String,
    },
    /// An argument is nested too deeply.
    #[error("an argument nests values more than {DEPTH_MAX} deep")]
    TooDeep,
    /// The call is larger than a frame can be.
    #[error("the call takes more than 4 GiB")]
    TooLong,
}

/// Content of a request's body.
pub(super) struct Content<'a> {
    /// Dubbo's version, the service's path and version, the method, and the descriptors of its parameters.
    pub head: [&'a str; 5],
    pub call: &'a Call,
    pub attachments: Vec<(String, String)>,
}

impl Content<'_> {
    /// The arguments and the types of their parameters.
    pub fn arguments(&self) -> impl Iterator<Item = (&Value, &String)> {
        self.call.arguments.iter().zip(&self.call.parameter_types)
    }

    /// The attachments as a value.
    pub fn attachments(&self) -> Value {
        let text = |text: &String| Value::from(text.as_str());
        Value::Map(self.attachments.iter().map(|(name, value)| (text(name), text(value))).collect())
    }
}

/// A request that is being written.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub bytes: Vec<u8>,
    pub places: Placeholders,
}
