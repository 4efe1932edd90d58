//! `proofload man`: manual pages, made of the same commands as the help.

use crate::args;
use crate::exit::{self, Exit};
use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::Write;
use std::path::Path;

/// The verb: writes a page for each command.
///
/// # Errors
/// A page cannot be written.
pub fn man(folder: &Path) -> anyhow::Result<Exit> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let pages = pages()?;
    for (name, text) in &pages {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let said = format!(
        "wrote {} pages; read one with `man -l {}`\n",
        pages.len(),
        folder.join("proofload.1").display()
    );
    crate::output::print(&said)?;
    Ok(Exit::Done)
}

/// Names of files, and their text.
fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut commands = Vec::new();
    collect(&args::built(), &mut commands);
    let names: Vec<String> = commands.iter().map(name_of).collect();
    commands.into_iter().map(|command| page(command, &names)).collect()
}

fn collect(of: &Command, found: &mut Vec<Command>) {
    found.push(of.clone());
    of.get_subcommands().for_each(|verb| collect(verb, found));
}

/// Name of its page: `proofload-subjects-check`.
fn name_of(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_string()
}

fn page(mut command: Command, all: &[String]) -> std::io::Result<(String, Vec<u8>)> {
    let name = name_of(&command);
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_string();
    let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    // An option that the short help leaves out would have no text here.
    let command = command.override_usage(usage).mut_args(|arg| arg.hide_short_help(false));
    let has_options = command.get_arguments().next().is_some();
    let has_verbs = command.has_subcommands();
    let version = concat!("proofload ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command);
    // clap_mangen leaves out an empty date, and what follows would be taken for it.
    let title = format!(".TH {} 1 \"\" \"{version}\" \"Proofload\"\n", name.to_uppercase());
    let mut text = title.into_bytes();
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if has_options {
        man.render_options_section(&mut text)?;
    }
    if has_verbs {
        man.render_subcommands_section(&mut text)?;
    }
    text.write_all(end(&name, after.as_deref().unwrap_or_default(), all).as_bytes())?;
    Ok((format!("{name}.1"), text))
}

/// Examples, exit codes, and what else to read.
fn end(name: &str, after: &str, all: &[String]) -> String {
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in args::examples_in(after) {
        roff.text([roman(line)]);
    }
    roff.control("fi", []).control("SH", ["EXIT STATUS"]);
    for (code, says) in exit::table() {
        roff.control("TP", []).text([bold(code)]).text([roman(says)]);
    }
    roff.control("SH", ["SEE ALSO"]);
    let others: Vec<String> =
        all.iter().filter(|other| *other != name).map(|other| format!("{other}(1)")).collect();
    roff.text([roman(others.join(", "))]);
    roff.to_roff()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(page: &str) -> String {
        let pages = pages().expect("rendered");
        let found = pages.into_iter().find(|(name, _)| name == page).unwrap_or_else(|| panic!("no {page}"));
        String::from_utf8(found.1).expect("UTF-8")
    }

    #[test]
    fn every_verb_has_a_page_with_options_examples_and_exit_codes() {
        let run = text_of("proofload-run.1");
        for part in [
            ".TH PROOFLOAD-RUN 1 \"\" \"proofload ",
            "\\fBproofload run\\fR [OPTIONS] <STUDY>",
            "\\fB\\-\\-driver\\fR",
            "Kernel interface: epoll",
            "proofload run study.yaml \\-\\-quick",
            ".SH \"EXIT STATUS\"",
            "proofload\\-subjects\\-check(1)",
        ] {
            assert!(run.contains(part), "no {part} in\n{run}");
        }
        let check = text_of("proofload-subjects-check.1");
        assert!(check.contains("proofload subjects check tomcat"), "{check}");
        assert!(text_of("proofload.1").contains("proofload\\-run(1)"));
    }

    #[test]
    fn no_option_is_without_its_text() {
        for (name, text) in pages().expect("rendered") {
            let text = String::from_utf8(text).expect("UTF-8");
            let lines: Vec<&str> = text.lines().collect();
            for three in lines.windows(3).filter(|three| three[0] == ".TP") {
                assert!(!three[2].is_empty() && !three[2].starts_with('.'), "{name}: {three:?}");
            }
        }
    }
}
