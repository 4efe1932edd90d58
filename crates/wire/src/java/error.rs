//! Errors of writing a call.

/// Reason for which a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A value does not fit the type that its parameter or field has.
    #[error("{value} cannot be written as {ty}")]
    Type {
        /// The type, as Java's source has it.
        ty: String,
        value: &'static str,
    },
    /// A name of a class or field has more bytes than its length can hold.
    #[error("the name {0:.40}… is longer than 65535 bytes")]
    NameTooLong(String),
    /// A class has more fields than their count can hold.
    #[error("{0} has more than 65535 fields")]
    TooManyFields(String),
    /// A list, a map or an array of bytes has more elements than their count can hold.
    #[error("more than 2147483647 elements")]
    TooManyElements,
}
