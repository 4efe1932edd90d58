//! The catalogue against itself, against the sources that ask for its messages, and against how Chinese is set.

mod asked;
mod catalogue;
mod chinese;
mod compared;
mod facts;
mod whole;
