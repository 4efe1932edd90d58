//! `proofload resume` and `proofload rerun`: the run of a record, continued or repeated.

use crate::args::{Cli, ExportArgs, FleetArgs, OutputArgs, RerunArgs, ResumeArgs, RunArgs, Verb};
use crate::exit::{Exit, leave};
use crate::fleet::with_agents;
use crate::run::{Request, execute, timed};
use crate::{args, capacity, compare, run};
use proofload_analysis::counting_blocks;
use proofload_facts::Finding;
use proofload_host::clock;
use proofload_lab::plan::{self, Mode};
use proofload_lab::study_run::{Begin, StudyRun};
use proofload_language::tr;
use proofload_store::Run;
use proofload_store::redact::REDACTED;
use proofload_store::schema::{Looking, Plan, RunState};
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};
use std::path::{Path, PathBuf};

/// The verb.
pub fn resume(args: &ResumeArgs) -> anyhow::Result<Exit> {
    let path = match &args.run {
        Some(run) => run.clone(),
        None => match latest_unfinished(&args.dir)? {
            Some(run) => run,
            None => {
                run::say(
                    args.output.quiet,
                    &format!("all runs in {} are finished", args.dir.join("runs").display()),
                );
                return Ok(Exit::Done);
            }
        },
    };
    let record = Run::open(&path).map_err(|error| leave(Exit::Usage, error))?;
    if record.is_running() {
        let what = format!("{} is being conducted by another process; wait for it", record.path().display());
        return Err(leave(Exit::Busy, what));
    }
    if args.keep_going && record.plan().timing.looking != Looking::Anytime {
        let looks = &record.plan().timing.looks;
        let what = format!(
            "{} was planned with looks at {looks:?} blocks, and its bounds hold at these alone: to go on beyond them \
             because of what they showed would find differences where there are none; resume it without \
             --keep-going, or begin a new run with it",
            record.path().display()
        );
        return Err(leave(Exit::Usage, what));
    }
    if record.status().why == Some(Finding::OutOfBudget) && record.plan().method > 0 {
        let what = tr!("resume-out-of-budget", run = record.path().display().to_string());
        return Err(leave(Exit::Usage, what));
    }
    if record.status().state == RunState::Finished {
        run::say(
            args.output.quiet,
            &format!("{} is finished; there is nothing to resume", record.path().display()),
        );
        return Ok(Exit::Done);
    }
    say_another_sitting(&record, args.output.quiet);
    let begin = Begin::Resume { run: &record, anyway: args.anyway };
    again(&record, begin, &args.dir, args.no_wait, &args.export, &args.output)
}

/// Reports the effect of a long pause on the verdicts of a run.
fn say_another_sitting(record: &Run, quiet: bool) {
    if counting_blocks(record).is_empty() || !record.would_be_another_sitting(clock::unix_ns()) {
        return;
    }
    run::say(quiet, tr!("resume-another-sitting"));
}

/// The verb.
pub fn rerun(args: &RerunArgs) -> anyhow::Result<Exit> {
    let record = Run::open(&args.run).map_err(|error| leave(Exit::Usage, error))?;
    let begin = Begin::Repeat { run: &record, anyway: args.anyway };
    again(&record, begin, &args.dir, args.no_wait, &args.export, &args.output)
}

/// The command line of a record.
fn command_of(arguments: &[String]) -> Result<Cli, clap::Error> {
    let words = std::iter::once("proofload").chain(arguments.iter().map(String::as_str));
    args::read_again(words.map(Into::into))
}

/// True if a run is a part of something larger, which begins anew as a whole: a heat of a search, a noise audit.
fn is_part(arguments: &[String]) -> bool {
    let verb = command_of(arguments).ok().and_then(|cli| cli.verb);
    matches!(verb, Some(Verb::Tune(_) | Verb::Doctor(_) | Verb::Replicate(_)))
}

/// The latest run of those that can go on, are not finished, and that no process conducts; `None` without any.
fn latest_unfinished(dir: &Path) -> anyhow::Result<Option<PathBuf>> {
    let runs = proofload_store::runs(dir, None)?;
    if runs.is_empty() {
        let what = format!("there are no runs in {}; name one, or give --dir", dir.join("runs").display());
        return Err(leave(Exit::Usage, what));
    }
    for path in runs.into_iter().rev() {
        let Ok(run) = Run::open(&path) else { continue };
        let goes_on = !is_part(&run.plan().arguments);
        if goes_on && run.status().state != RunState::Finished && !run.is_running() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Reads the command line of the record again and conducts the same study.
fn again(
    record: &Run,
    begin: Begin<'_>,
    dir: &Path,
    no_wait: bool,
    export: &ExportArgs,
    output: &OutputArgs,
) -> anyhow::Result<Exit> {
    let plan = record.plan();
    let place = record.path().join("plan.json");
    let mistake = |what: String| leave(Exit::Usage, format!("{}: {what}", place.display()));
    if plan.arguments.is_empty() {
        return Err(mistake("it does not say how the run was begun; run the study anew".to_string()));
    }
    if plan.arguments.iter().any(|word| word.contains(REDACTED)) {
        let what = "credentials on its command line were not recorded; run the study anew";
        return Err(mistake(what.to_string()));
    }
    let cli = command_of(&plan.arguments)
        .map_err(|error| mistake(format!("its command line is not understood by this Proofload: {error}")))?;
    let base = PathBuf::from(&plan.working_directory);
    let mut offline = false;
    let fleet;
    let (mut study, catalogue, preset, workers, baseline) = match &cli.verb {
        Some(Verb::Run(args)) => {
            let args = below(args, &base);
            if !plan.subjects_address.is_empty() || plan.agents.iter().any(|agent| !agent.is_here) {
                let what = "its servers or agents were on other machines; run the study anew";
                return Err(mistake(what.to_string()));
            }
            // The study may have asked for them.
            let agents = (!plan.agents.is_empty()).then_some(plan.agents.len() as u32);
            fleet = FleetArgs { agents, tolerance: args.tolerance.clone() };
            offline = args.offline;
            let catalogue = run::catalogue(&args)?;
            let study = study_of(&args, &catalogue, plan)?;
            (study, catalogue, args.preset, None, Some(args.baseline))
        }
        Some(Verb::Compare(args)) => {
            let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
            let study = within(&base, || compare::study_of(args))?;
            fleet = args.fleet.clone();
            (study, catalogue, args.preset.clone(), None, None)
        }
        Some(Verb::Capacity(args)) => {
            let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
            let study = within(&base, || capacity::study_of(args))?;
            fleet = args.fleet.clone();
            (study, catalogue, capacity::preset(args), None, None)
        }
        Some(Verb::Tune(_) | Verb::Doctor(_) | Verb::Replicate(_)) => {
            let what = "it is a part of something larger, which begins anew as a whole";
            return Err(mistake(what.to_string()));
        }
        _ => return Err(mistake("its command line is none of run, compare and capacity".to_string())),
    };
    if let Begin::Resume { .. } = begin {
        plan::keep_most_connections(&mut study, plan);
    }
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(offline);
    with_agents(&fleet, output.quiet, |generator| {
        let run = StudyRun {
            mode: Mode::from_name(plan.mode.name()),
            seed: Some(plan.seed),
            workers,
            begin,
            generator,
            ..timed(StudyRun::new(&study, &catalogue, &cache, dir), &preset)?
        };
        execute(&Request {
            no_wait,
            baseline: baseline.as_ref(),
            base: &base,
            export: Some(export),
            ..Request::new(run, output)
        })
    })
}

/// Reads arguments in the directory in which they were given. Files are named in the midst of many of them, and the
/// plan has their names as given.
fn within<T>(base: &Path, read: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    if base.as_os_str().is_empty() {
        return read();
    }
    let mistake = |error: std::io::Error, what: &str| leave(Exit::Usage, format!("{what}: {error}"));
    let here = std::env::current_dir().map_err(|error| mistake(error, "the working directory is gone"))?;
    let gone = format!("the run was begun in {}, which is needed again; restore it", base.display());
    std::env::set_current_dir(base).map_err(|error| mistake(error, &gone))?;
    let done = read();
    let lost = format!("cannot return to {}", here.display());
    std::env::set_current_dir(&here).map_err(|error| mistake(error, &lost))?;
    done
}

/// The same arguments, paths from where they were given.
fn below(args: &RunArgs, base: &Path) -> RunArgs {
    let mut args = args.clone();
    args.study = base.join(&args.study);
    args.catalogue = args.catalogue.map(|catalogue| base.join(catalogue));
    args
}

/// The study of the record. The file is read for the credentials that were not recorded; when it is another
/// one now, or gone, the recorded text is what counts.
fn study_of(args: &RunArgs, catalogue: &Catalogue, plan: &Plan) -> anyhow::Result<Study> {
    let options = run::options(args);
    if let Ok(study) = study::load(&args.study, &options, catalogue)
        && study.text == plan.study_text
    {
        return Ok(study);
    }
    if plan.study_text.contains(REDACTED) {
        let what = format!(
            "{} is not the study of the record any more, and its credentials were not recorded; restore the file",
            args.study.display()
        );
        return Err(leave(Exit::Usage, what));
    }
    let name = args.study.display().to_string();
    let said =
        format!("{name} is another one than when the run began; the study of the record is what counts");
    crate::around::error_line(said);
    // What was set on the command line is in the recorded text already.
    let options = study::Options { set: Vec::new(), ..options };
    let directory = args.study.parent().unwrap_or(Path::new("."));
    let mut study = study::parse(&plan.study_text, "the study of the record", directory, &options, catalogue)
        .map_err(|problems| leave(Exit::Usage, problems))?;
    study.settings.clone_from(&plan.settings);
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::is_part;

    #[test]
    fn an_interrupted_audit_or_heat_hides_no_study_that_can_go_on() {
        let of = |line: &str| is_part(&line.split(' ').map(str::to_string).collect::<Vec<_>>());
        assert!(of("tune study.yaml --budget 60m") && of("--lang zh-CN doctor --noise"));
        assert!(!of("run study.yaml --quick") && !of("compare http://a/ http://b/"));
        assert!(!of("capacity http://a/ --slo p99<50ms") && !of("no such verb"));
    }
}
