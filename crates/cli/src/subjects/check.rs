//! `proofload subjects check`: is a folder right, and does it start, answer and end?

use super::{find, open_cache, pairs, print, print_json, say};
use crate::args::CheckArgs;
use crate::exit::{Exit, leave};
use crate::run::subject_error;
use proofload_host::signals;
use proofload_study::SubjectSpec;
use proofload_subject::{
    self as subject, Cache, Catalogue, Choice, Choices, Keeper, Prepared, SubjectError, Tried,
};
use serde_json::{Value, json};

pub fn check(args: &CheckArgs) -> anyhow::Result<Exit> {
    let (catalogue, cache) = (find(args.catalogue.as_deref())?, open_cache(args.offline)?);
    let folders: Vec<String> = match &args.subject {
        Some(folder) => vec![folder.clone()],
        None => catalogue.subjects().map(|(name, _)| name.to_string()).collect(),
    };
    let text = args.format == "text";
    let mut mistakes = Vec::new();
    for folder in &folders {
        match subject::check(&catalogue, folder, &cache) {
            Ok(()) if text => print(&format!("{folder}: declared right\n")).map(drop)?,
            Ok(()) => {}
            Err(found) => mistakes.extend(found),
        }
    }
    if !mistakes.is_empty() {
        return Err(leave(Exit::Usage, mistakes.join("\n")));
    }
    let mut started = Vec::new();
    if args.start {
        signals::install()?;
        for folder in &folders {
            started.extend(try_all(args, &catalogue, folder, &cache)?);
        }
    }
    if !text {
        print_json(&json!({ "declared_right": folders, "starts": started }))?;
    }
    let failed = started.iter().filter(|one| one["result"] == "failed").count();
    match failed {
        0 => Ok(Exit::Done),
        failed => {
            let of = started.iter().filter(|one| one["result"] != "not started").count();
            let which = folders.join(", ");
            Err(leave(Exit::FailedStart, format!("{failed} of {of} choices of {which} failed, see above")))
        }
    }
}

fn chosen(args: &CheckArgs, catalogue: &Catalogue, folder: &str) -> anyhow::Result<Choices> {
    let usage = |error| leave(Exit::Usage, error);
    if args.all {
        return subject::every_choice(catalogue, folder).map_err(usage);
    }
    if args.with.is_empty() && args.times.is_none() {
        return subject::choices(catalogue, folder).map_err(usage);
    }
    let with = pairs(&args.with)?;
    Ok(Choices { apply: vec![with], rest: Vec::new() })
}

/// Starts every choice, also when others fail; returns the outcome of each.
fn try_all(
    args: &CheckArgs,
    catalogue: &Catalogue,
    folder: &str,
    cache: &Cache,
) -> anyhow::Result<Vec<Value>> {
    let stop = signals::install()?;
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let Choices { apply, rest } = chosen(args, catalogue, folder)?;
    let times = args.times.unwrap_or(1);
    let mut all = Vec::new();
    for choice in &apply {
        let log = keeper.temp().join("log");
        let spec = SubjectSpec::Catalogue { folder: folder.to_string(), with: choice.clone() };
        let tried = Prepared::prepare(folder, &spec, catalogue, cache, &say)
            .and_then(|prepared| subject::try_starts(&prepared, times, &keeper, &log, &stop));
        let (told, one) = match tried {
            Err(error @ SubjectError::Interrupted) => return Err(subject_error(error)),
            Ok(tried) => went_well(&tried),
            Err(error) => {
                (format!("failed: {error}"), json!({ "result": "failed", "why": error.to_string() }))
            }
        };
        all.push(entered(args, folder, choice, &told, one)?);
    }
    for (choice, why) in &rest {
        let one = json!({ "result": "not started", "why": why });
        all.push(entered(args, folder, choice, &format!("not started: {why}"), one)?);
    }
    Ok(all)
}

fn went_well(tried: &[Tried]) -> (String, Value) {
    let (answers, ready): (Vec<_>, Vec<_>) =
        tried.iter().map(|one| (one.answers.as_slice(), one.ready_ms)).unzip();
    let answers = answers.first().copied().unwrap_or_default();
    let mut told = "starts, answers, ends".to_string();
    if let ([first, ..], [_, .., _]) = (ready.as_slice(), ready.as_slice()) {
        let (least, most) = ready.iter().fold((*first, *first), |(a, b), ms| (a.min(*ms), b.max(*ms)));
        told.push_str(&format!(", {} times in a row; ready after {least} to {most} ms", ready.len()));
    }
    (told, json!({ "result": "ended clean", "ready_ms": ready, "answers": answers }))
}

/// Prints a line unless the whole is printed at the end.
fn entered(
    args: &CheckArgs,
    folder: &str,
    choice: &Choice,
    told: &str,
    mut one: Value,
) -> anyhow::Result<Value> {
    if args.format == "text" {
        print(&format!("{folder} {}: {told}\n", named(choice)))?;
    }
    one["subject"] = folder.into();
    one["with"] = json!(choice);
    Ok(one)
}

fn named(choice: &Choice) -> String {
    if choice.is_empty() {
        return "with its defaults".to_string();
    }
    let pairs: Vec<String> = choice.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(" ")
}
