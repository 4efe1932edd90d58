//! Every verb with its options.

use super::{WRITTEN, cell};
use crate::args;
use crate::exit;
use clap::{Arg, Command};
use std::fmt::Write;

const HEAD: &str = "\
Every verb and every option, as `proofload --help` and `proofload VERB --help` tell them. `proofload man DIR` writes the same as
manual pages. What a command needs most is in the how-tos; here is the rest.
";

pub fn page() -> String {
    let root = args::built();
    let mut text = format!("# The command line\n\n{WRITTEN}\n\n{HEAD}\n| command | |\n| --- | --- |\n");
    let mut commands = Vec::new();
    collect(&root, "", &mut commands);
    for (path, command) in &commands {
        let anchor = path.replace(' ', "-").to_lowercase();
        let _ = writeln!(text, "| [`{path}`](#{anchor}) | {} |", cell(&about(command)));
    }
    for (path, command) in &commands {
        section(path, command, &mut text);
    }
    text.push_str("\n## Exit codes\n\n| code | |\n| --- | --- |\n");
    for (code, says) in exit::table() {
        let _ = writeln!(text, "| {code} | {} |", cell(says));
    }
    text
}

fn collect<'a>(of: &'a Command, before: &str, found: &mut Vec<(String, &'a Command)>) {
    let path = format!("{before}{}", of.get_name());
    let shown = if before.is_empty() { format!("{path} URL") } else { path.clone() };
    found.push((shown, of));
    of.get_subcommands().for_each(|verb| collect(verb, &format!("{path} "), found));
}

/// Purpose of a command. The text of the program itself is about all of it, and its section about one of its
/// uses.
fn about(command: &Command) -> String {
    match command.get_name() {
        "proofload" => "Measure one endpoint, or several mixed".to_string(),
        _ => command.get_about().map(ToString::to_string).unwrap_or_default(),
    }
}

fn section(path: &str, command: &Command, text: &mut String) {
    let usage = command.clone().render_usage().to_string();
    let usage: Vec<&str> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
    let _ = write!(text, "\n## `{path}`\n\n{}.\n\n```text\n{}\n```\n", about(command), usage.join("\n"));
    let shown: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()))
        .collect();
    let mut headings: Vec<Option<&str>> = Vec::new();
    for arg in &shown {
        if !headings.contains(&arg.get_help_heading()) {
            headings.push(arg.get_help_heading());
        }
    }
    for heading in headings {
        let own: Vec<_> = shown.iter().filter(|arg| arg.get_help_heading() == heading).collect();
        let title = match own.iter().all(|arg| arg.is_positional()) {
            true => "Argument",
            false => heading.unwrap_or("Option"),
        };
        let _ = write!(text, "\n| {} | default | |\n| --- | --- | --- |\n", title);
        own.iter().for_each(|arg| row(arg, text));
    }
    let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let examples = after.unwrap_or_default();
    let _ = write!(text, "\n```\n{}\n```\n", args::examples_in(&examples).join("\n"));
}

fn row(arg: &Arg, text: &mut String) {
    let takes_value = arg.get_num_args().is_some_and(|number| number.takes_values());
    let value = arg.get_value_names().map(|names| names.join(" ")).filter(|_| takes_value);
    let names =
        [arg.get_short().map(|short| format!("-{short}")), arg.get_long().map(|long| format!("--{long}"))];
    let names: Vec<String> = names.into_iter().flatten().collect();
    let shown = match (names.is_empty(), value) {
        (true, value) => value.unwrap_or_else(|| arg.get_id().to_string()),
        (false, Some(value)) => format!("{} {value}", names.join(", ")),
        (false, None) => names.join(", "),
    };
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = match takes_value && !defaults.is_empty() {
        true => format!("`{}`", defaults.join(",")),
        false => String::new(),
    };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut says = cell(&help);
    let values = arg.get_possible_values();
    if takes_value && !values.is_empty() && !arg.is_hide_possible_values_set() {
        let each = values.iter().map(|value| match value.get_help() {
            Some(help) => format!("`{}`: {}", value.get_name(), cell(&help.to_string())),
            None => format!("`{}`", value.get_name()),
        });
        let _ = write!(says, ". {}", each.collect::<Vec<_>>().join("; "));
    }
    let _ = writeln!(text, "| `{}` | {default} | {says} |", shown.replace('|', "\\|"));
}
