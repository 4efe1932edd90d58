//! `proofload run`: a whole study, from file to exit code.

use crate::args::{BaselineArgs, OutputArgs, PresetArgs, RunArgs};
use crate::baseline::Baseline;
use crate::exit::{Exit, leave};
use crate::progress::Live;
use crate::{noise, output};
use proofload_engine::driver;
use proofload_host::lock::{LockError, MeasuringLock};
use proofload_host::{self as host, clock, cpus, signals};
use proofload_lab::plan::{self, Mode, Preset};
use proofload_lab::runner::{
    self, Behind, CapacityRunner, Ending, Hosts, LiveBench, LiveTerms, Preparing, Progress, Runner,
    Unprepared,
};
use proofload_report::Overall;
use proofload_store::schema::{Difference, Environment, Plan, RunResult};
use proofload_store::{Run, RunJudge, RunWriter, StoreError, compare};
use proofload_study::{self as study, Study, Variant};
use proofload_subject::{Cache, Catalogue, Keeper, SubjectError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a study is conducted, whatever it came from.
#[derive(Clone, Copy)]
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
    /// How the variants take turns, when the command line says so.
    pub mode: Option<Mode>,
    /// Seed, or one from the clock.
    pub seed: Option<u64>,
    /// Threads of the generator; as many as it has CPUs by default.
    pub workers: Option<u32>,
    /// Leave rather than wait for another measuring run.
    pub no_wait: bool,
    /// Print the plan and start nothing.
    pub explain: bool,
    /// With which earlier run figures are compared.
    pub baseline: Option<&'a BaselineArgs>,
    /// Where the path of the baseline begins.
    pub base: &'a Path,
    /// Whether this is a new run.
    pub begin: Begin<'a>,
    /// When this is a part of something larger, which then tells what came of it.
    pub part: Option<Part<'a>>,
    /// The output.
    pub output: &'a OutputArgs,
}

/// What a run is that is a part of something larger.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// How the plan differs from that of a study of its own.
    pub shape: &'a dyn Fn(&mut Plan),
    /// The right to measure, held from the first part to the last: nobody comes between them.
    pub held: &'a MeasuringLock,
}

/// What a run begins with.
#[derive(Clone, Copy)]
pub enum Begin<'a> {
    /// With nothing.
    New,
    /// With an earlier run, which goes on.
    Resume {
        /// Its record.
        run: &'a Run,
        /// Although servers or machine have changed.
        anyway: bool,
    },
    /// With an earlier run, which is repeated.
    Repeat {
        /// Its record.
        run: &'a Run,
        /// Although the servers are not the same.
        anyway: bool,
    },
}

/// The verb.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(args.offline);
    let catalogue = catalogue(args)?;
    let study = study::load(&args.study, &options(args), &catalogue)
        .map_err(|problems| leave(Exit::Usage, problems))?;
    conduct(&Conduct {
        study: &study,
        preset: &args.preset,
        catalogue: &catalogue,
        cache: &cache,
        dir: &args.dir,
        mode: args.mode.as_deref().and_then(Mode::from_name),
        seed: args.seed,
        workers: None,
        no_wait: args.no_wait,
        explain: args.explain,
        baseline: Some(&args.baseline),
        base: Path::new(""),
        begin: Begin::New,
        part: None,
        output: &args.output,
    })
}

/// The catalogue that the arguments lead to.
pub fn catalogue(args: &RunArgs) -> anyhow::Result<Catalogue> {
    Catalogue::find(args.catalogue.as_deref(), args.study.parent()).map_err(|error| leave(Exit::Usage, error))
}

/// How the arguments want the study to be read.
pub fn options(args: &RunArgs) -> study::Options {
    study::Options {
        quick: preset(&args.preset).shortens(),
        set: args.set.clone(),
        driver: args.driver.map(Into::into),
        only: args.only.clone(),
    }
}

/// Plans, prepares, runs, judges and reports a study.
pub fn conduct(conduct: &Conduct<'_>) -> anyhow::Result<Exit> {
    Ok(carry_out(conduct)?.0)
}

/// As [`conduct`]; tells where the record lies too, if one was made.
pub fn carry_out(conduct: &Conduct<'_>) -> anyhow::Result<(Exit, Option<PathBuf>)> {
    output::check(conduct.output)?;
    let stop = signals::install()?;
    let preset = preset(conduct.preset);
    let budget_ns = budget_ns(conduct)?;
    if !conduct.explain {
        driver::probe(conduct.study.driver).map_err(|error| leave(Exit::Usage, error))?;
    }
    let say = |line: &str| {
        if !conduct.output.quiet {
            eprintln!("{}", proofload_report::escape::terminal(line));
        }
    };
    // An explanation fetches and builds nothing.
    let how = if conduct.explain { Preparing::Resolve } else { Preparing::Whole(&say) };
    let (hosts, left) = prepare(conduct.study, (conduct.catalogue, conduct.cache, how), &say)?;
    let conduct = &Conduct { study: left.as_ref().unwrap_or(conduct.study), ..*conduct };
    let environment = host::environment();
    let share = cpus::share(&environment.cpus);
    let seed = conduct.seed.or(conduct.study.seed).unwrap_or_else(clock::unix_ns);
    let mode = plan::choose_mode(conduct.study, conduct.mode, host::memory_available_bytes())
        .map_err(|why| leave(Exit::Usage, why))?;
    let length = plan::Length { budget_ns, keep_going: conduct.preset.keep_going };
    let mut plan = plan::make(conduct.study, preset, seed, length, mode, &share.generator, &share.subject);
    if let Some(list) = &conduct.preset.timing {
        plan::retime(&mut plan, list).map_err(|why| leave(Exit::Usage, format!("--timing {why}")))?;
    }
    plan.no_ceiling = conduct.preset.no_ceiling;
    conduct.part.iter().for_each(|part| (part.shape)(&mut plan));
    describe(&hosts, &mut plan);
    warn_insecure(conduct.study);
    let doubts = match &conduct.part {
        None => noise::doubts(conduct, &plan, &environment),
        Some(_) => Vec::new(),
    };
    if conduct.explain {
        output::print(&format!("{}{}", plan::explain(conduct.study, &plan), noise::section(&doubts)))?;
        return Ok((Exit::Done, None));
    }
    let baseline = match conduct.baseline {
        Some(args) => Baseline::open(args, conduct.base, &plan, &environment)?,
        None => None,
    };
    let accepted = accepted(conduct, &mut plan, &environment)?;
    let own;
    let _held = match &conduct.part {
        Some(part) => part.held,
        None => {
            own = right_to_measure(&plan.study, conduct.no_wait, conduct.output.quiet)?;
            &own
        }
    };
    let minutes = plan.estimated_seconds / 60.0;
    let (mut record, behind) = record(conduct, &plan, &environment, accepted)?;
    let judged_nothing = conduct.study.claims.is_empty() && conduct.study.expectations.is_empty();
    if judged_nothing && conduct.part.is_none() && plan.capacity.is_none() {
        say("no claim is left: figures only, no verdict");
    }
    match behind.last_block {
        0 => say(&format!("{}: at most {minutes:.1} minutes, seed {seed}", plan.study)),
        last => say(&format!("{}: goes on after block {last}, {} complete", plan.study, behind.complete)),
    }
    doubts.iter().for_each(|doubt| say(doubt));
    let place = Place { environment: &environment, hosts: &hosts, stop: &stop };
    let conducted = if plan.capacity.is_some() { trials } else { blocks };
    let done = conducted(conduct, &plan, &place, &mut record, behind)
        .and_then(|ending| finish(conduct, &mut record, &ending, baseline.as_ref()));
    let path = record.path().to_path_buf();
    done.map(|exit| (exit, Some(path))).map_err(|error| unkept(error, &mut record))
}

/// The most time that the study may take, where the command line says it.
fn budget_ns(conduct: &Conduct<'_>) -> anyhow::Result<Option<u64>> {
    let budget = conduct.preset.budget.as_deref().map(study::quantity::duration).transpose();
    budget.map_err(|why| leave(Exit::Usage, format!("--budget {why}")))
}

/// Where the command line was given, for the record; empty where the system does not say.
pub fn working_directory() -> String {
    std::env::current_dir().map(|dir| dir.display().to_string()).unwrap_or_default()
}

/// Holds the plan against the record that it goes on with or repeats. Returns what differs and was accepted.
fn accepted(
    conduct: &Conduct<'_>,
    plan: &mut Plan,
    environment: &Environment,
) -> anyhow::Result<Vec<String>> {
    let (run, anyway, verb) = match conduct.begin {
        Begin::New => {
            let words = std::env::args().skip(1).collect::<Vec<_>>();
            plan.arguments = plan::redact_own_arguments(&words);
            plan.working_directory = working_directory();
            return Ok(Vec::new());
        }
        Begin::Resume { run, anyway } => (run, anyway, "resumed"),
        Begin::Repeat { run, anyway } => (run, anyway, "repeated"),
    };
    plan.arguments.clone_from(&run.plan().arguments);
    plan::keep_rules(plan, run.plan());
    plan.working_directory.clone_from(&run.plan().working_directory);
    let (never, mut perhaps) = compare::continuation((run.plan(), run.environment()), (&*plan, environment));
    let lines = |found: &[Difference]| -> String {
        found.iter().map(|difference| format!("\n  {}", difference.sentence())).collect()
    };
    let path = run.path().display();
    if !never.is_empty() {
        let what = format!("{path} cannot be {verb}: it is another study now:{}", lines(&never));
        return Err(leave(Exit::Usage, what));
    }
    let sentences: Vec<String> = perhaps.iter().map(Difference::sentence).collect();
    if let Begin::Repeat { .. } = conduct.begin {
        // Another machine is what a repetition may be for; other servers are another experiment.
        plan.repeats = path.to_string();
        plan.repeat_differences.clone_from(&sentences);
        perhaps.retain(|difference| difference.what.starts_with("variant "));
    }
    if !perhaps.is_empty() && !anyway {
        let what = format!(
            "{path} cannot be {verb}: this has changed:{}\nrun the study anew, or give --anyway: the result is then \
             marked",
            lines(&perhaps)
        );
        return Err(leave(Exit::Usage, what));
    }
    Ok(sentences)
}

/// The record, new or opened again, and what it has behind it.
fn record(
    conduct: &Conduct<'_>,
    plan: &Plan,
    environment: &Environment,
    accepted: Vec<String>,
) -> anyhow::Result<(RunWriter, Behind)> {
    let Begin::Resume { run, .. } = conduct.begin else {
        let record = RunWriter::create(conduct.dir, plan, environment, clock::unix_ns())?;
        return Ok((record, Behind::default()));
    };
    let (record, run) =
        RunWriter::reopen(run.path(), clock::unix_ns(), accepted).map_err(|error| match error {
            StoreError::InUse { .. } => leave(Exit::Busy, error),
            error => error.into(),
        })?;
    let behind = Behind {
        last_block: run.last_block(),
        complete: run.counting_blocks().len() as u32,
        disturbed: run.left_out().len() as u32,
        spent_ns: run.measured_ns(),
    };
    Ok((record, behind))
}

/// A record that could not be written ends a run as a signal does. What is whole stays, and it is said how to go
/// on.
fn unkept(error: anyhow::Error, record: &mut RunWriter) -> anyhow::Error {
    if error.downcast_ref::<StoreError>().is_none() {
        return error;
    }
    // Where nothing can be written this cannot be either; whoever resumes finds a sitting that was cut off.
    let _perhaps = record.set_status("interrupted", &error.to_string(), clock::unix_ns());
    let path = record.path().display();
    leave(
        Exit::Failure,
        format!(
            "{error}\nall servers are stopped; what was measured until then is kept: read it with proofload report \
             {path}, go on with proofload resume {path}"
        ),
    )
}

/// The error of a study of which nothing can be started: the exit code is that of its first reason.
fn unprepared(error: Unprepared) -> anyhow::Error {
    let exit = error.0.first().map_or(Exit::FailedStart, exit_of_subject);
    leave(exit, error)
}

/// The error of a subject that cannot be prepared.
pub fn subject_error(error: SubjectError) -> anyhow::Error {
    leave(exit_of_subject(&error), error)
}

fn exit_of_subject(error: &SubjectError) -> Exit {
    match error {
        SubjectError::Interrupted => Exit::Interrupted,
        SubjectError::Parameter { .. }
        | SubjectError::NotApplicable { .. }
        | SubjectError::Unpinned { .. } => Exit::Usage,
        _ => Exit::FailedStart,
    }
}

/// Waits until nobody else measures on this machine, and says whom for.
pub fn right_to_measure(who: &str, no_wait: bool, quiet: bool) -> anyhow::Result<MeasuringLock> {
    let stop = signals::install()?;
    let say = |line: &str| {
        if !quiet {
            eprintln!("{}", proofload_report::escape::terminal(line));
        }
    };
    MeasuringLock::acquire(who, !no_wait, &stop, |holder| say(&holder.to_string())).map_err(lock_error)
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

pub fn preset(args: &PresetArgs) -> Preset {
    match args {
        PresetArgs { smoke: true, .. } => Preset::Smoke,
        PresetArgs { quick: true, .. } => Preset::Quick,
        PresetArgs { thorough: true, .. } => Preset::Thorough,
        _ => Preset::Default,
    }
}

/// Fetches, builds and verifies every subject before anything is planned. Comes with the study that is left when some
/// variants are not applicable here.
pub fn prepare(
    study: &Study,
    (catalogue, cache, how): (&Catalogue, &Cache, Preparing<'_>),
    say: &dyn Fn(&str),
) -> anyhow::Result<(Hosts, Option<Study>)> {
    let of = |study: &Study| runner::hosts(study, catalogue, cache, how).map_err(unprepared);
    let tell = |variants: &[Variant], left_out: &[(usize, String)], what: &str| {
        for (variant, why) in left_out {
            say(&format!("{} {what}: {why}", variants[*variant].name));
        }
    };
    let mut hosts = of(study)?;
    let mut left = None;
    if !hosts.not_applicable.is_empty() {
        tell(&study.variants, &hosts.not_applicable, "is left out");
        let fewer = study.without(&hosts.not_applicable);
        hosts = of(&fewer)?;
        left = Some(fewer);
    }
    let study = left.as_ref().unwrap_or(study);
    tell(&study.variants, &hosts.missing, "cannot be measured; the others are");
    Ok((hosts, left))
}

fn warn_insecure(study: &Study) {
    let insecure = study.variants.iter().filter(|variant| variant.passage.is_insecure());
    insecure.for_each(|variant| crate::transport::warn_insecure(&variant.name));
}

/// Enters what is started into the plan.
fn describe(hosts: &Hosts, plan: &mut Plan) {
    for host in &hosts.ready {
        for &variant in &host.variants {
            let planned = &mut plan.variants[variant];
            host.prepared.describe(planned);
            planned.command = plan::redact_arguments(&planned.command);
        }
    }
}

/// Where the blocks run.
struct Place<'a> {
    environment: &'a Environment,
    hosts: &'a Hosts,
    stop: &'a Arc<AtomicBool>,
}

/// The bench of the real world.
fn bench<'a>(conduct: &Conduct<'a>, plan: &Plan, place: &'a Place<'_>, keeper: &'a Keeper) -> LiveBench<'a> {
    LiveBench::new(LiveTerms {
        study: conduct.study,
        hosts: place.hosts,
        keeper,
        workers: conduct.workers.unwrap_or(plan.generator_cpus.len().max(1) as u32),
        generator_cpus: plan.generator_cpus.clone(),
        subject_cpus: plan.subject_cpus.clone(),
        cache: conduct.cache,
        environment: place.environment,
        stop: Arc::clone(place.stop),
    })
}

/// What is noticed on the way goes into the record at once.
struct Notes {
    run: PathBuf,
    /// Why the first line that could not be written was not.
    failed: Option<StoreError>,
}

impl Notes {
    fn of(record: &RunWriter) -> Notes {
        Notes { run: record.path().to_path_buf(), failed: None }
    }

    fn enter(&mut self, step: &Progress<'_>) {
        let line = match step {
            Progress::Noticed { block, what } => format!("block {block}: {what}"),
            Progress::Disturbed { block, why } => format!("block {block} was disturbed: {why}"),
            Progress::Lost { variant, why, .. } => format!("{variant} was lost: {why}"),
            Progress::GivenUp { variant, why, .. } => format!("{variant} was given up: {why}"),
            _ => return,
        };
        if let Err(error) = proofload_store::note(&self.run, &line) {
            self.failed.get_or_insert(error);
        }
    }

    fn end(self, ending: Ending) -> anyhow::Result<Ending> {
        self.failed.map_or(Ok(ending), |error| Err(error.into()))
    }
}

/// Runs the trials of a search, as [`blocks`] does those of a comparison.
fn trials(
    conduct: &Conduct<'_>,
    plan: &Plan,
    place: &Place<'_>,
    record: &mut RunWriter,
    behind: Behind,
) -> anyhow::Result<Ending> {
    let Some(capacity) = &plan.capacity else { unreachable!("only a search comes here") };
    let _kept = cpus::KeptOff::these(&plan.generator_cpus);
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let mut live = Live::new(plan, Vec::new(), behind.spent_ns, conduct.output.quiet);
    let mut notes = Notes::of(record);
    let ending = CapacityRunner {
        plan,
        capacity,
        bench: &mut bench(conduct, plan, place, &keeper),
        record,
        progress: &mut |step| {
            live.show(&step);
            notes.enter(&step);
        },
        stop: place.stop,
        last_block: behind.last_block,
        spent_ns: behind.spent_ns,
    }
    .run();
    live.end();
    notes.end(ending?)
}

/// Runs the blocks under a keeper that ends everything, whatever happens to this process.
fn blocks(
    conduct: &Conduct<'_>,
    plan: &Plan,
    place: &Place<'_>,
    record: &mut RunWriter,
    behind: Behind,
) -> anyhow::Result<Ending> {
    let _kept = cpus::KeptOff::these(&plan.generator_cpus);
    let keeper = Keeper::start().map_err(|error| leave(Exit::FailedStart, error))?;
    let mut bench = bench(conduct, plan, place, &keeper);
    let (_, claims, design) = proofload_store::restore(plan)?;
    let judge = RunJudge::of(plan)?;
    let claim_names = claims.iter().map(|claim| claim.name.clone()).collect();
    let mut live = Live::new(plan, claim_names, behind.spent_ns, conduct.output.quiet);
    let mut notes = Notes::of(record);
    let ending = Runner {
        plan,
        design: &design,
        claims: &judge.claims(),
        bench: &mut bench,
        record,
        look: &mut |path| judge.judge(&Run::open(path)?),
        progress: &mut |step| {
            live.show(&step);
            notes.enter(&step);
        },
        stop: place.stop,
        behind,
    }
    .run();
    live.end();
    notes.end(ending?)
}

/// Draws everything from the record on disk, as `proofload report` would.
fn finish(
    conduct: &Conduct<'_>,
    record: &mut RunWriter,
    ending: &Ending,
    baseline: Option<&Baseline>,
) -> anyhow::Result<Exit> {
    let status = ending.status();
    record.set_status(&status.state, &status.why, clock::unix_ns())?;
    let run = Run::open(record.path())?;
    let mut result = proofload_report::of_run(&run)?;
    if let Some(baseline) = baseline {
        baseline.compare(&run, &mut result)?;
    }
    record.write_result(&result)?;
    record.write_text("report.md", &proofload_report::markdown(&result))?;
    record.write_text("report.html", &proofload_report::html(&result))?;
    if conduct.part.is_none() {
        output::write(&result, &output::slices(&run), conduct.output)?;
    }
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
        Overall::Regressed => Exit::Regressed,
        Overall::Undecided => Exit::Undecided,
        Overall::Invalid => Exit::Invalid,
    }
}
