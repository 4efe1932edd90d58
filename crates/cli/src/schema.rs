//! `proofload schema`: what editors and programs check files against.

use crate::args::SchemaArgs;
use crate::exit::{Exit, leave};

/// Names with the files of `schema/`.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../schema/", $name, ".schema.json")))),*]
    };
}

/// Every schema by its name.
const SCHEMAS: [(&str, &str); 16] = files![
    "study",
    "result",
    "plan",
    "slice",
    "environment",
    "status",
    "subjects",
    "slicing",
    "warm-up",
    "ceiling",
    "network",
    "noise",
    "tune",
    "history",
    "diff",
    "sittings",
];

/// The verb.
pub fn schema(args: &SchemaArgs) -> anyhow::Result<Exit> {
    let text = of(&args.name).ok_or_else(|| {
        let names: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
        leave(Exit::Usage, format!("{} is no schema; write one of {}", args.name, names.join(", ")))
    })?;
    crate::output::print(text)?;
    Ok(Exit::Done)
}

/// The schema of study files.
pub fn of_studies() -> &'static str {
    SCHEMAS[0].1
}

fn of(name: &str) -> Option<&'static str> {
    SCHEMAS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
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
        let mut known: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
        known.sort_unstable();
        assert_eq!(known, names);
        assert!(of_studies().contains("Proofload study"));
    }
}
