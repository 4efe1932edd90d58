//! `proofload subjects`: what the catalogue offers, whether it is right, and what is added to it.

mod check;
mod start;

use crate::args::{ShownArgs, SubjectsAction, SubjectsArgs};
use crate::exit::{Exit, leave};
use crate::mistakes::wrong;
use crate::output;
use crate::run::subject_error;
use proofload_facts::{Expected, Mistake};
use proofload_host::signals;
use proofload_subject::{self as subject, Cache, Catalogue, Choice};
use std::path::Path;

pub fn subjects(args: &SubjectsArgs) -> anyhow::Result<Exit> {
    match (&args.action, &args.subject) {
        (None, None) => list(&args.shown),
        (None, Some(subject)) => show(&args.shown, subject),
        (Some(SubjectsAction::List { shown }), _) => list(shown),
        (Some(SubjectsAction::Show { subject, shown }), _) => show(shown, subject),
        (Some(SubjectsAction::Check(args)), _) => check::check(args),
        (Some(SubjectsAction::Start(args)), _) => start::start(args),
        (Some(SubjectsAction::Add { coordinates, to, catalogue }), _) => {
            add(catalogue.as_deref(), coordinates, to)
        }
    }
}

fn find(catalogue: Option<&Path>) -> anyhow::Result<Catalogue> {
    Catalogue::find(catalogue, None).map_err(|error| leave(Exit::Usage, error))
}

fn list(shown: &ShownArgs) -> anyhow::Result<Exit> {
    let catalogue = find(shown.catalogue.as_deref())?;
    match shown.format.as_str() {
        "json" => print_json(&catalogue.list_json()),
        _ => print(&catalogue.list()),
    }
}

fn show(shown: &ShownArgs, folder: &str) -> anyhow::Result<Exit> {
    let catalogue = find(shown.catalogue.as_deref())?;
    let usage = |error| leave(Exit::Usage, error);
    match shown.format.as_str() {
        "json" => print_json(&catalogue.show_json(folder).map_err(usage)?),
        _ => print(&catalogue.show(folder).map_err(usage)?),
    }
}

fn print(text: &str) -> anyhow::Result<Exit> {
    output::print(&proofload_report::escape::terminal(text))?;
    Ok(Exit::Done)
}

fn print_json(value: &serde_json::Value) -> anyhow::Result<Exit> {
    output::print(&format!("{}\n", serde_json::to_string_pretty(value)?))?;
    Ok(Exit::Done)
}

fn say(line: &str) {
    crate::around::error_line(line);
}

fn open_cache(offline: bool) -> anyhow::Result<Cache> {
    Ok(Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(offline))
}

fn add(catalogue: Option<&Path>, coordinates: &[String], folder: &str) -> anyhow::Result<Exit> {
    let (catalogue, cache) = (find(catalogue)?, open_cache(false)?);
    signals::install()?;
    let added = subject::add(&catalogue, folder, coordinates, &cache, &say).map_err(subject_error)?;
    let mut text = String::new();
    if added.new {
        text.push_str(&format!("made {}; fill in its subject.yaml\n", added.folder.display()));
    }
    for line in &added.lines {
        text.push_str(&format!("pinned {line}\n"));
    }
    print(&text)
}

/// Parameters as `--with` gives them.
fn pairs(with: &[String]) -> anyhow::Result<Choice> {
    let pair = |one: &String| {
        let (name, value) = one
            .split_once('=')
            .ok_or_else(|| wrong("--with", Mistake::not(one, Expected::Pair, "--with jdk=17")))?;
        Ok((name.to_string(), value.to_string()))
    };
    with.iter().map(pair).collect()
}
