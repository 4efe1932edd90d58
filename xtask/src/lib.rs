//! The tasks of the gate, and what those of `labs/` share with them.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tasks start programs, time them and print; only labs/ uses them"
)]

pub mod budget;
pub mod ci;
pub mod gates;
pub mod kills;
pub mod lines;
pub mod processes;
pub mod python;
pub mod real;
pub mod reference;
pub mod tests;
pub mod tidy;
pub mod tools;
pub mod web;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}
