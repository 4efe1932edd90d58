//! The `proofload` command: arguments in, exit code out; [`run`] is the whole of it, within what is around it.

mod args;
mod around;
mod baseline;
mod capacity;
mod checked;
mod compare;
mod debug;
mod doctor;
mod exit;
mod exports;
mod flags;
mod fleet;
mod init;
mod known_noise;
mod man;
mod measure;
mod mistakes;
mod noise;
mod output;
#[cfg(test)]
mod pages;
mod progress;
mod reference;
mod remote;
mod replicate;
mod report;
mod reproductions;
mod resume;
mod run;
mod runs;
mod schema;
mod subjects;
mod tune;
mod ui;

pub use around::{Console, Surroundings};
pub use reference::reference_server;

use exit::Exit;
use std::ffi::OsString;
use std::sync::Arc;

/// Runs the command line within those surroundings. Returns the exit code.
pub fn run(around: Surroundings) -> u8 {
    Arc::new(around).within(|| said(Surroundings::here().words.clone()) as u8)
}

/// Parses the command line without carrying it out; `false` for a mistake.
pub fn takes(words: Vec<OsString>) -> bool {
    args::read(words.into_iter()).is_ok()
}

fn said(words: Vec<OsString>) -> Exit {
    proofload_study::redact::know_own_arguments(&around::arguments());
    let first = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let ended = remote::started_from_elsewhere(first).unwrap_or_else(|| {
        args::read(words.into_iter()).and_then(|cli| cli.language().within(|| dispatch(cli)))
    });
    ended.unwrap_or_else(|error| {
        match error.downcast_ref::<clap::Error>() {
            Some(said) => around::show(said),
            None => {
                let text = format!("proofload: {error:#}");
                around::error_line(text);
            }
        }
        exit::of(&error)
    })
}

fn dispatch(cli: args::Cli) -> anyhow::Result<Exit> {
    match cli.verb {
        None => measure::measure(&cli.measure),
        Some(args::Verb::Compare(args)) => compare::compare(&args),
        Some(args::Verb::Capacity(args)) => capacity::capacity(&args),
        Some(args::Verb::Run(args)) => remote::run(&args),
        Some(args::Verb::Coordinator(args)) => remote::coordinator(&args),
        Some(args::Verb::Manifest(args)) => remote::print(&args),
        Some(args::Verb::Agent(args)) => remote::agent(&args),
        Some(args::Verb::Replicate(args)) => replicate::replicate(&args),
        Some(args::Verb::Resume(args)) => resume::resume(&args),
        Some(args::Verb::Rerun(args)) => resume::rerun(&args),
        Some(args::Verb::History(args)) => runs::history(&args),
        Some(args::Verb::Diff(args)) => runs::diff(&args),
        Some(args::Verb::Ui(args)) => ui::ui(&args),
        Some(args::Verb::Tune(args)) => tune::tune(&args),
        Some(args::Verb::Report(args)) => report::report(&args),
        Some(args::Verb::Condense(args)) => reproductions::condense(&args),
        Some(args::Verb::Reproductions(args)) => reproductions::reproductions(&args),
        Some(args::Verb::Subjects(args)) => subjects::subjects(&args),
        Some(args::Verb::ReferenceServer(args)) => reference::serve(&args),
        Some(args::Verb::Init(args)) => init::init(&args),
        Some(args::Verb::Doctor(args)) => doctor::doctor(&args),
        Some(args::Verb::Schema(args)) => schema::schema(&args),
        Some(args::Verb::Completions { shell }) => {
            let mut command = args::command(true);
            clap_complete::generate(shell, &mut command, "proofload", &mut around::Output);
            Ok(Exit::Done)
        }
        Some(args::Verb::Man { dir }) => man::man(&dir),
    }
}
