//! `proofload init`: a study to begin with.

use crate::args::{InitArgs, Template};
use crate::exit::{Exit, leave};
use std::io::Write;
use std::path::Path;

/// The line of a template that names the study.
const NAME_LINE: &str = "study: my-study\n";

/// The verb.
pub fn init(args: &InitArgs) -> anyhow::Result<Exit> {
    let text = template(args.from).replacen(NAME_LINE, &format!("study: {}\n", name_of(&args.file)), 1);
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
    crate::output::print(&format!(
        "{shown}: edit it, then see what it would do: proofload run {shown} --explain\n"
    ))?;
    Ok(Exit::Done)
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
    fn every_template_has_the_line_that_is_replaced() {
        for from in [Template::Reference, Template::Tomcat, Template::Command, Template::Url] {
            assert!(template(from).contains(NAME_LINE), "{from:?}");
        }
    }
}
