//! All sentences of the laboratory: what records keep as text, and what a plan says of itself. The rest of the crate
//! hands figures to it; another language replaces this module.

pub mod explain;
pub mod noise;
pub mod plan;
pub mod tune;
