//! All sentences of the laboratory: texts of records, and texts of a plan about itself. The rest of the crate
//! hands figures to it; another language replaces this module.

pub mod explain;
pub mod noise;
pub mod plan;
pub mod tune;
