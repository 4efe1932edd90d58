//! `proofload init`: a study to begin with.

use crate::args::{InitArgs, Template};
use crate::around::error_line;
use crate::exit::{Exit, leave};
use proofload_report::escape::terminal;
use std::io::Write;
use std::path::Path;

/// The line of a template that names the study.
const NAME_LINE: &str = "study: my-study\n";

/// The schema's name beside the study.
const SCHEMA_FILE: &str = "study.schema.json";

/// The first line of a study, by which editors find the schema.
const MODELINE: &str = "# yaml-language-server: $schema=study.schema.json\n";

pub fn init(args: &InitArgs) -> anyhow::Result<Exit> {
    let text = template(args.from).replacen(NAME_LINE, &format!("study: {}\n", name_of(&args.file)), 1);
    let text = format!("{MODELINE}{text}");
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    match args.force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let shown = args.file.display();
    let mut file = options.open(&args.file).map_err(|error| {
        let remedy = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "name another file, or replace it with --force",
            std::io::ErrorKind::NotFound => "make its folder first",
            _ => "check the path and its permissions",
        };
        leave(Exit::Usage, format!("{shown}: {error}; {remedy}"))
    })?;
    file.write_all(text.as_bytes())?;
    write_schema(&args.file.with_file_name(SCHEMA_FILE));
    let said = format!("wrote {shown}; with --explain the command only says what it would do");
    error_line(said);
    crate::output::print(&terminal(&format!("proofload run {shown}\n")))?;
    Ok(Exit::Done)
}

/// Writes the schema for editors; one that is there stays. The study is good without it.
fn write_schema(path: &Path) {
    let schema = crate::schema::of_studies();
    let shown = path.display();
    let there = proofload_host::files::read_text(path, 16 << 20);
    let said = match (&there, std::fs::OpenOptions::new().write(true).create_new(true).open(path)) {
        (_, Ok(mut file)) => match file.write_all(schema.as_bytes()) {
            Ok(()) => format!("wrote {shown}, by which editors complete and check studies"),
            Err(error) => format!("cannot write {shown}: {error}; editors will not check the study"),
        },
        (Ok(there), _) if there == schema => return,
        (Ok(_), _) => {
            format!("{shown} is another version's and stays; replace it: proofload schema > {shown}")
        }
        (Err(_), Err(error)) => format!("cannot write {shown}: {error}; editors will not check the study"),
    };
    error_line(said);
}

fn template(from: Template) -> &'static str {
    match from {
        Template::Reference => include_str!("../templates/reference.yaml"),
        Template::Tomcat => include_str!("../templates/tomcat.yaml"),
        Template::Command => include_str!("../templates/command.yaml"),
        Template::Url => include_str!("../templates/url.yaml"),
    }
}

/// The file's name as that of a study: small letters, digits and `-`.
fn name_of(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = stem.chars().map(fits).take(64).collect();
    let name = name.trim_start_matches('-');
    if name.is_empty() { "my-study".to_string() } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_is_called_like_its_file() {
        for (file, name) in [
            ("studies/Ajp vs HTTP.yaml", "ajp-vs-http"),
            ("__x.yaml", "x"),
            ("é.yaml", "my-study"),
            ("a.b.yaml", "a-b"),
        ] {
            assert_eq!(name_of(Path::new(file)), name);
        }
    }

    #[test]
    fn the_first_line_names_the_schema_that_is_written() {
        assert!(MODELINE.contains(&format!("$schema={SCHEMA_FILE}")));
    }

    #[test]
    fn every_template_has_the_line_that_is_replaced() {
        for from in [Template::Reference, Template::Tomcat, Template::Command, Template::Url] {
            assert!(template(from).contains(NAME_LINE), "{from:?}");
        }
    }
}
