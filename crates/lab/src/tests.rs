//! Helpers that tests of several modules share.

use proofload_study::{Declarations, Parameter, ParameterKind};

#[path = "../../study/src/tests/catalogue.rs"]
mod catalogue;

pub(crate) use catalogue::{SMALL, TestCatalogue};
