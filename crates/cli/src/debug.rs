//! `--debug`: one request or one journey, and both sides of it in full.

mod journey;
mod lines;

use crate::args::RunArgs;
use crate::checked::Checked;
use crate::exit::{Exit, leave};
use crate::output;
use crate::run::{run_error, say, warn_insecure};
use proofload_engine::debug::{Once, TapEvent, Transcript, debug as execute};
use proofload_engine::{LoadPlan, LoadResult};
use proofload_lab::debug::on_first_variant;
use proofload_lab::study_run::RunError;
use proofload_measure::Outcome;
use proofload_report::escape;
use proofload_study::Study;
use proofload_subject::SubjectError;

/// Choices of the users are these, unless another seed is given.
const SEED: u64 = 1;

/// Outcomes of requests for which there was no connection.
const CONNECTS: [Outcome; 4] =
    [Outcome::ConnectRefused, Outcome::ConnectTimeout, Outcome::ConnectFailed, Outcome::LocalExhausted];

/// `proofload URL --debug`: sends the first request and prints what passed.
pub fn debug(plan: &LoadPlan) -> anyhow::Result<Exit> {
    entry(plan, 0)
}

/// `proofload run STUDY --debug`: the journeys of the first variant, once each, or without any the entries of its workload.
pub fn study(args: &RunArgs, checked: &Checked) -> anyhow::Result<Exit> {
    let (study, quiet) = (&checked.study, args.output.quiet);
    if let Some(variant) = study.variants.first().filter(|variant| variant.passage.is_insecure()) {
        warn_insecure(&variant.name);
    }
    let seed = args.seed.or(study.seed).unwrap_or(SEED);
    let looked = on_first_variant(study, checked.sources(), seed, &|line| say(quiet, line), |plans| {
        look(study, plans)
    });
    looked.map_err(|error| match error {
        RunError::Keeper(error @ SubjectError::NoAnswer { .. }) => leave(Exit::Failure, error),
        error => run_error(error),
    })?
}

fn look(study: &Study, plans: &[LoadPlan]) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let mut note = |of_one: Exit| exit = if of_one == Exit::Done { exit } else { of_one };
    if let (Some(journeys), Some(plan)) = (&study.journeys, plans.first()) {
        for (at, name) in journeys.names.iter().enumerate() {
            let transcript = execute(plan, Once::Journey(at)).map_err(|error| leave(Exit::Usage, error))?;
            output::print(&journey::text(study, plan, at, &transcript.notes))?;
            let outcome = journey::outcome(&transcript.notes);
            note(exit_of(&transcript.result, outcome, &format!("{name}: "))?);
        }
        return Ok(exit);
    }
    let entries = plans.iter().flat_map(|plan| (0..plan.mix.len()).map(move |at| (plan, at)));
    for (named, (plan, at)) in study.workload.iter().zip(entries) {
        output::print(&format!("{}\n", escape::line(&named.name)))?;
        note(entry(plan, at)?);
    }
    Ok(exit)
}

fn entry(plan: &LoadPlan, at: usize) -> anyhow::Result<Exit> {
    let transcript = execute(plan, Once::Entry(at)).map_err(|error| leave(Exit::Usage, error))?;
    let outcomes = &transcript.result.snapshot.outcomes;
    let outcome = Outcome::ALL.into_iter().find(|outcome| outcomes.get(*outcome) > 0);
    output::print(&text(plan, at, &transcript, outcome))?;
    exit_of(&transcript.result, outcome, "")
}

fn text(plan: &LoadPlan, at: usize, transcript: &Transcript, outcome: Option<Outcome>) -> String {
    let Transcript { notes, result } = transcript;
    let target = plan.mix.get(at).and_then(|entry| plan.targets.get(entry.target));
    let mut lines = lines::Lines::new(target, notes.heard.first().map_or(0, |heard| heard.at_ns));
    let (mut sent_at, mut first_at, mut end_at) = (None, None, None);
    for heard in &notes.heard {
        match heard.what {
            TapEvent::Sent(_) => sent_at = sent_at.or(Some(heard.at_ns)),
            TapEvent::Received(_) => {
                first_at = first_at.or(Some(heard.at_ns));
                end_at = Some(heard.at_ns);
            }
            _ => {}
        }
        lines.hear(heard);
    }
    lines.left_out(notes);
    for (name, at) in [("request sent", sent_at), ("first byte of the answer", first_at), ("end", end_at)] {
        if let Some(at) = at {
            lines.note(at, name);
        }
    }
    let why = result.bad_answers.first().map(|bad| bad.what.as_str());
    lines.say(&format!("outcome: {}{}", outcome.map_or("none", |outcome| outcome.name()), lines::told(why)));
    lines.take()
}

/// The exit code of what came to that outcome.
fn exit_of(result: &LoadResult, outcome: Option<Outcome>, named: &str) -> anyhow::Result<Exit> {
    if let Some(outcome) = outcome.filter(|outcome| CONNECTS.contains(outcome)) {
        let bad = result.bad_answers.iter().find(|bad| bad.outcome == outcome);
        let what = bad.map_or("there was no connection", |bad| &bad.what);
        let remedy = "start the server, or check the address";
        return Err(leave(Exit::Failure, format!("{named}{}; {remedy}", escape::line(what))));
    }
    Ok(if outcome == Some(Outcome::Answered) { Exit::Done } else { Exit::Invalid })
}
