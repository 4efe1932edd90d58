//! `proofload subjects`: what the catalogue offers, whether it is right, and what is added to it.

use crate::args::{ShownArgs, SubjectsAction, SubjectsArgs};
use crate::exit::{Exit, leave};
use crate::output;
use crate::run::subject_error;
use proofload_harness::host::signals;
use proofload_harness::subject::{self, Cache, Catalogue, Choice, Keeper, SubjectError};
use std::path::Path;

/// The verb.
pub fn subjects(args: &SubjectsArgs) -> anyhow::Result<Exit> {
    match (&args.action, &args.subject) {
        (None, None) => list(&args.shown),
        (None, Some(subject)) => show(&args.shown, subject),
        (Some(SubjectsAction::List { shown }), _) => list(shown),
        (Some(SubjectsAction::Show { subject, shown }), _) => show(shown, subject),
        (Some(SubjectsAction::Check { subject, start, offline, catalogue }), _) => {
            check(catalogue.as_deref(), subject.as_deref(), *start, *offline)
        }
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
    eprintln!("{}", proofload_report::escape::terminal(line));
}

fn open_cache(offline: bool) -> anyhow::Result<Cache> {
    Ok(Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(offline))
}

fn check(catalogue: Option<&Path>, folder: Option<&str>, start: bool, offline: bool) -> anyhow::Result<Exit> {
    let (catalogue, cache) = (find(catalogue)?, open_cache(offline)?);
    let folders: Vec<String> = match folder {
        Some(folder) => vec![folder.to_string()],
        None => catalogue.subjects().map(|(name, _)| name.to_string()).collect(),
    };
    let mut mistakes = Vec::new();
    for folder in &folders {
        match subject::check(&catalogue, folder, &cache) {
            Ok(()) => print(&format!("{folder}: declared right\n")).map(drop)?,
            Err(found) => mistakes.extend(found),
        }
    }
    if !mistakes.is_empty() {
        return Err(leave(Exit::Usage, mistakes.join("\n")));
    }
    if start {
        for folder in &folders {
            try_all(&catalogue, folder, &cache)?;
        }
    }
    Ok(Exit::Done)
}

/// Starts every choice, also when others fail.
fn try_all(catalogue: &Catalogue, folder: &str, cache: &Cache) -> anyhow::Result<()> {
    let stop = signals::install()?;
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let subject::Choices { apply, rest } =
        subject::choices(catalogue, folder).map_err(|error| leave(Exit::Usage, error))?;
    let mut failed = 0;
    for choice in &apply {
        let log = keeper.temp().join("log");
        let tried = subject::try_choice(catalogue, (folder, choice), cache, (&keeper, &log), &stop, &say);
        match tried {
            Ok(()) => print(&format!("{folder} {}: starts, answers, ends\n", named(choice))).map(drop)?,
            Err(error @ SubjectError::Interrupted) => return Err(subject_error(error)),
            Err(error) => {
                failed += 1;
                print(&format!("{folder} {}: failed: {error}\n", named(choice))).map(drop)?;
            }
        }
        // The next one's log begins empty.
        let _ = std::fs::remove_file(&log);
    }
    for (choice, why) in &rest {
        print(&format!("{folder} {}: not started: {why}\n", named(choice))).map(drop)?;
    }
    match failed {
        0 => Ok(()),
        failed => {
            let of = apply.len();
            Err(leave(Exit::FailedStart, format!("{failed} of {of} choices of {folder} failed, see above")))
        }
    }
}

fn named(choice: &Choice) -> String {
    match choice.iter().next() {
        None => "with its defaults".to_string(),
        Some((name, value)) => format!("{name}={value}"),
    }
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
