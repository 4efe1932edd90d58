//! `proofload run`: a whole study, from file to exit code.

use crate::args::{OutputArgs, PresetArgs, RunArgs};
use crate::exit::{Exit, leave};
use crate::output;
use crate::progress::Live;
use proofload_harness::host::lock::{LockError, MeasuringLock};
use proofload_harness::host::{self, clock, cpus, signals};
use proofload_harness::plan::{self, Preset};
use proofload_harness::runner::{Behind, Ending, LiveBench, LiveTerms, Progress, Runner};
use proofload_harness::study::{self, Study};
use proofload_harness::subject::{Cache, Catalogue, Keeper, Prepared, SubjectError};
use proofload_report::Overall;
use proofload_store::schema::{Plan, RunResult};
use proofload_store::{Run, RunWriter};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a study is conducted, whatever it came from.
pub struct Conduct<'a> {
    /// The checked study.
    pub study: &'a Study,
    /// How much time it takes.
    pub preset: &'a PresetArgs,
    /// The catalogue its subjects come from.
    pub catalogue: &'a Catalogue,
    /// Where fetched and built subjects are kept.
    pub cache: &'a Cache,
    /// Directory in which `runs/` is made.
    pub dir: &'a Path,
    /// Seed, or one from the clock.
    pub seed: Option<u64>,
    /// Threads of the generator; as many as it has CPUs by default.
    pub workers: Option<u32>,
    /// Leave rather than wait for another measuring run.
    pub no_wait: bool,
    /// Print the plan and start nothing.
    pub explain: bool,
    /// The output.
    pub output: &'a OutputArgs,
}

/// The verb.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(args.offline);
    let catalogue = Catalogue::find(args.catalogue.as_deref(), args.study.parent())
        .map_err(|error| leave(Exit::Usage, error))?;
    let options = study::Options {
        quick: preset(&args.preset).shortens(),
        set: args.set.clone(),
        only: args.only.clone(),
    };
    let study =
        study::load(&args.study, &options, &catalogue).map_err(|problems| leave(Exit::Usage, problems))?;
    conduct(&Conduct {
        study: &study,
        preset: &args.preset,
        catalogue: &catalogue,
        cache: &cache,
        dir: &args.dir,
        seed: args.seed,
        workers: None,
        no_wait: args.no_wait,
        explain: args.explain,
        output: &args.output,
    })
}

/// Plans, prepares, runs, judges and reports a study.
pub fn conduct(conduct: &Conduct<'_>) -> anyhow::Result<Exit> {
    let stop = signals::install()?;
    let preset = preset(conduct.preset);
    let budget = conduct.preset.budget.as_deref().map(study::quantity::duration).transpose();
    let budget_ns = budget.map_err(|why| leave(Exit::Usage, format!("--budget {why}")))?;
    let environment = host::environment();
    let share = cpus::share(&environment.cpus);
    let seed = conduct.seed.or(conduct.study.seed).unwrap_or_else(clock::unix_ns);
    let mut plan = plan::make(conduct.study, preset, seed, budget_ns, &share.generator, &share.subject);
    let say = |line: &str| {
        if !conduct.output.quiet {
            eprintln!("{}", proofload_report::escape::terminal(line));
        }
    };
    let prepared = prepare(conduct, &mut plan, &say)?;
    if conduct.explain {
        output::print(&plan::explain(conduct.study, &plan))?;
        return Ok(Exit::Done);
    }
    let _lock =
        MeasuringLock::acquire(&plan.study, !conduct.no_wait, &stop, |holder| say(&holder.to_string()))
            .map_err(lock_error)?;
    let minutes = plan.estimated_seconds / 60.0;
    say(&format!("{}: at most {minutes:.1} minutes, seed {seed}", plan.study));
    if conduct.study.claims.is_empty() && conduct.study.expectations.is_empty() {
        say("no claim is left: figures only, no verdict");
    }
    let mut record = RunWriter::create(conduct.dir, &plan, &environment, clock::unix_ns())?;
    let ending = blocks(conduct, &plan, &prepared, &mut record, &stop)?;
    finish(conduct, &mut record, &ending)
}

/// The error of a subject that cannot be prepared.
pub fn subject_error(error: SubjectError) -> anyhow::Error {
    let exit = match error {
        SubjectError::Interrupted => Exit::Interrupted,
        SubjectError::Parameter { .. } | SubjectError::Unpinned { .. } => Exit::Usage,
        _ => Exit::FailedStart,
    };
    leave(exit, error)
}

/// The error of somebody who did not get the lock.
pub fn lock_error(error: LockError) -> anyhow::Error {
    let exit = match error {
        LockError::Stopped(_) => Exit::Interrupted,
        LockError::Held(_) => Exit::Busy,
        _ => Exit::Failure,
    };
    leave(exit, error)
}

fn preset(args: &PresetArgs) -> Preset {
    match args {
        PresetArgs { smoke: true, .. } => Preset::Smoke,
        PresetArgs { quick: true, .. } => Preset::Quick,
        PresetArgs { thorough: true, .. } => Preset::Thorough,
        _ => Preset::Default,
    }
}

/// Fetches, builds and verifies every subject before anything is measured, and enters their commands in the plan.
fn prepare(conduct: &Conduct<'_>, plan: &mut Plan, say: &dyn Fn(&str)) -> anyhow::Result<Vec<Prepared>> {
    let mut prepared = Vec::new();
    for (variant, planned) in conduct.study.variants.iter().zip(&mut plan.variants) {
        // An explanation fetches and builds nothing.
        let subject = match conduct.explain {
            true => Prepared::resolve(&variant.name, &variant.subject, conduct.catalogue, conduct.cache),
            false => {
                Prepared::prepare(&variant.name, &variant.subject, conduct.catalogue, conduct.cache, say)
            }
        };
        let subject = subject.map_err(subject_error)?;
        subject.describe(planned);
        planned.command = plan::redact_arguments(&planned.command);
        prepared.push(subject);
    }
    Ok(prepared)
}

/// Runs the blocks under a keeper that ends everything, whatever happens to this process.
fn blocks(
    conduct: &Conduct<'_>,
    plan: &Plan,
    prepared: &[Prepared],
    record: &mut RunWriter,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<Ending> {
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let mut bench = LiveBench::new(LiveTerms {
        study: conduct.study,
        prepared,
        keeper: &keeper,
        workers: conduct.workers.unwrap_or(plan.generator_cpus.len().max(1) as u32),
        generator_cpus: plan.generator_cpus.clone(),
        subject_cpus: plan.subject_cpus.clone(),
        stop: Arc::clone(stop),
    });
    let (_, claims, design) = proofload_report::restore(plan)?;
    let looking = proofload_report::Looking::of(plan)?;
    let claim_names = claims.iter().map(|claim| claim.name.clone()).collect();
    let mut live = Live::new(plan, claim_names, conduct.output.quiet);
    let mut noticed = String::new();
    let ending = Runner {
        plan,
        design: &design,
        bench: &mut bench,
        record,
        look: &mut |path| looking.look(&Run::open(path)?),
        progress: &mut |step| {
            live.show(&step);
            match step {
                Progress::Noticed { block, what } => noticed.push_str(&format!("block {block}: {what}\n")),
                Progress::Lost { block, why } => {
                    noticed.push_str(&format!("block {block} was lost: {why}\n"))
                }
                _ => {}
            }
        },
        stop,
        behind: Behind::default(),
    }
    .run();
    live.end();
    if !noticed.is_empty() {
        record.write_text("noticed.txt", &noticed)?;
    }
    Ok(ending?)
}

/// Draws everything from the record on disk, as `proofload report` would.
fn finish(conduct: &Conduct<'_>, record: &mut RunWriter, ending: &Ending) -> anyhow::Result<Exit> {
    let status = ending.status();
    record.set_status(&status.state, &status.why, clock::unix_ns())?;
    let result = proofload_report::of_run(&Run::open(record.path())?)?;
    record.write_result(&result)?;
    record.write_text("report.md", &proofload_report::markdown(&result))?;
    record.write_text("report.html", &proofload_report::html(&result))?;
    output::write(&result, conduct.output)?;
    if !conduct.output.quiet {
        eprintln!("kept in {}", record.path().display());
    }
    match ending {
        Ending::Interrupted => Ok(Exit::Interrupted),
        Ending::Failed(why) => Err(leave(Exit::FailedStart, why)),
        Ending::Finished | Ending::OutOfBudget => Ok(exit_of(&result)),
    }
}

/// The exit code that a result leads to.
pub fn exit_of(result: &RunResult) -> Exit {
    match proofload_report::overall(result) {
        Overall::AllSupported => Exit::Done,
        Overall::Refuted => Exit::Refuted,
        Overall::Undecided => Exit::Undecided,
        Overall::Invalid => Exit::Invalid,
    }
}
