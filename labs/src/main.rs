//! Tasks that the gate does not need: `cargo xtask full`, and what people ask for by its name.

mod benches;
mod book;
mod deb;
mod explore;
mod full;
mod fuzz;
mod hostile;
mod image;
mod lab;
mod mutate;
mod picture;
mod readers;
mod repeat;
mod scrape;
mod subjects;
mod tests;
mod truth;

use std::process::ExitCode;
use xtask::{ci, gates, kills, root, tools, web};

/// `cargo xtask help` describes them.
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (root, rest) = (root(), args.get(1..).unwrap_or_default());
    let done = match args.first().map(String::as_str) {
        Some("full") => full::run(&root, rest),
        Some("repeat") => repeat::run(&root, rest),
        Some("book") => book::run(&root, rest),
        Some("picture") => picture::run(&root, rest),
        Some("lab") => lab::run(&root, rest),
        Some("readers") => readers::run(&root),
        Some("benches") => benches::run(&root),
        Some("explore") => explore::run(&root, rest),
        Some("scrape") => scrape::run(&root),
        Some("hostile") => hostile::run(&root, rest),
        Some("hostile-peer") => hostile::peer::serve(rest),
        Some("fuzz") => fuzz::run(&root, rest),
        Some("deb") => deb::run(&root, rest),
        Some("image") => image::run(&root, rest),
        Some("truth") => truth::run(&root, rest),
        Some("mutate") => mutate::run(&root, rest),
        Some("subjects-all") => subjects::run(&root),
        task => Err(anyhow::anyhow!("{task:?}: no such task; `cargo xtask help` names them")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod checks {
    #[test]
    fn the_version_is_that_of_the_product() {
        let manifest = std::fs::read_to_string(crate::root().join("Cargo.toml")).expect("there");
        let version = format!("\nversion = \"{}\"\n", env!("CARGO_PKG_VERSION"));
        assert!(manifest.contains(&version), "labs/Cargo.toml has{version}");
    }
}
