//! `proofload schema`: what editors and programs check files against.

use crate::args::SchemaArgs;
use crate::exit::{Exit, leave};
use flate2::read::ZlibDecoder;
use std::sync::LazyLock;

/// Every schema: its name and its text, each with a zero byte behind it. `build.rs` packs them.
static SCHEMAS: LazyLock<String> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas.zlib"));
    std::io::read_to_string(ZlibDecoder::new(packed)).expect("what the build packed can be unpacked")
});

/// Every schema with its name, that of studies first.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut parts = SCHEMAS.split('\0');
    std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
}

pub fn schema(args: &SchemaArgs) -> anyhow::Result<Exit> {
    let text = of(&args.name).ok_or_else(|| {
        let names: Vec<&str> = all().map(|(name, _)| name).collect();
        leave(Exit::Usage, format!("{} is no schema; write one of {}", args.name, names.join(", ")))
    })?;
    crate::output::print(text)?;
    Ok(Exit::Done)
}

/// The schema of study files.
pub fn of_studies() -> &'static str {
    of("study").unwrap_or_default()
}

fn of(name: &str) -> Option<&'static str> {
    all().find(|(known, _)| *known == name).map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_of_the_folder_is_there() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .filter_map(|name| name.strip_suffix(".schema.json").map(str::to_string))
            .collect();
        names.sort();
        let mut known: Vec<&str> = all().map(|(name, _)| name).collect();
        known.sort_unstable();
        assert_eq!(known, names);
        assert!(of_studies().contains("Proofload study"));
    }
}
