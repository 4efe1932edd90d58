//! `proofload run`: a whole study, from file to exit code.

use crate::args::{BaselineArgs, ExportArgs, OutputArgs, PresetArgs, RunArgs};
use crate::around::{self, Surroundings};
use crate::baseline::Baseline;
use crate::exit::{Exit, leave};
use crate::exports::Exports;
use crate::mistakes::wrong;
use crate::output::Localized;
use crate::progress::Live;
use crate::{known_noise, output};
use proofload_analysis::Overall;
use proofload_engine::{EngineError, driver};
use proofload_facts::{Finding, Limit};
use proofload_host::lock::{LockError, MeasuringLock};
use proofload_host::{clock, signals, working_directory};
use proofload_lab::plan::{self, Length, Preset};
use proofload_lab::runner::{Behind, Ending, Listener, Preparing, Progress};
use proofload_lab::study_run::{self, Changed, Executed, LeftOut, Observer, RunError, StudyRun};
use proofload_language::facts::told;
use proofload_language::tr;
use proofload_serve::metrics::Doing;
use proofload_stats::Claim;
use proofload_store::schema::{Difference, Plan, RunResult};
use proofload_store::{Run, StoreError};
use proofload_study as study;
use proofload_subject::{Catalogue, SubjectError};
use std::path::{Path, PathBuf};

/// A run of a study, as the command line asks for it.
pub struct Request<'a> {
    pub run: StudyRun<'a>,
    /// Leave rather than wait for another measuring run.
    pub no_wait: bool,
    /// Print the plan and start nothing.
    pub explain: bool,
    /// With which earlier run figures are compared.
    pub baseline: Option<&'a BaselineArgs>,
    /// Directory that the path of the baseline is relative to.
    pub base: &'a Path,
    /// The lock, when this run is part of a search or an audit, which holds it from its first part to its last and
    /// reports the whole.
    pub held: Option<&'a MeasuringLock>,
    /// Export of figures while it runs.
    pub export: Option<&'a ExportArgs>,
    /// True if the record is for another machine, which reports its path.
    pub brought_home: bool,
    pub output: &'a OutputArgs,
}

impl<'a> Request<'a> {
    /// A run that waits for its turn, is compared with nothing and explains nothing.
    pub fn new(run: StudyRun<'a>, output: &'a OutputArgs) -> Self {
        let base = Path::new("");
        Request {
            run,
            no_wait: false,
            explain: false,
            baseline: None,
            base,
            held: None,
            export: None,
            brought_home: false,
            output,
        }
    }
}

/// The catalogue that the arguments lead to.
pub fn catalogue(args: &RunArgs) -> anyhow::Result<Catalogue> {
    Catalogue::find(args.catalogue.as_deref(), args.study.parent()).map_err(|error| leave(Exit::Usage, error))
}

/// Options for reading the study, from the arguments.
pub fn options(args: &RunArgs) -> study::Options {
    study::Options {
        quick: preset(&args.preset).shortens(),
        set: args.cpus.and(&args.set),
        driver: args.driver.map(Into::into),
        only: args.only.clone(),
    }
}

fn preset(args: &PresetArgs) -> Preset {
    match args {
        PresetArgs { smoke: true, .. } => Preset::Smoke,
        PresetArgs { quick: true, .. } => Preset::Quick,
        PresetArgs { thorough: true, .. } => Preset::Thorough,
        _ => Preset::Default,
    }
}

/// The run with the time that the arguments give it.
pub fn timed<'a>(run: StudyRun<'a>, args: &'a PresetArgs) -> anyhow::Result<StudyRun<'a>> {
    let budget = args.budget.as_deref().map(study::quantity::duration).transpose();
    let budget_ns = budget.map_err(|mistake| wrong("--budget", mistake))?;
    let wait = args.wait_for_quiet.as_deref().map(study::quantity::duration).transpose();
    Ok(StudyRun {
        preset: preset(args),
        length: Length { budget_ns, keep_going: args.keep_going },
        timing: args.timing.as_deref(),
        no_ceiling: args.no_ceiling,
        wait_for_quiet_ns: wait.map_err(|mistake| wrong("--wait-for-quiet", mistake))?,
        ..run
    })
}

/// Plans, prepares, runs, judges and reports a study.
pub fn execute(request: &Request<'_>) -> anyhow::Result<Exit> {
    Ok(execute_recorded(request)?.0)
}

/// As [`execute`], with the path of the record if one was made.
pub fn execute_recorded(request: &Request<'_>) -> anyhow::Result<(Exit, Option<PathBuf>)> {
    output::check(request.output)?;
    output::try_files(request.output)?;
    let stop = signals::install()?;
    if !request.explain {
        let drivers = request.run.study.conditions.drivers();
        drivers.into_iter().try_for_each(driver::probe).map_err(driver_refused)?;
    }
    let quiet = request.output.quiet;
    let say = |line: &str| say(quiet, line);
    let exports = match request.export.filter(|_| !request.explain) {
        Some(args) => Exports::start(args, &stop, quiet)?,
        None => None,
    };
    let exports = exports.as_ref();
    if let Some(exports) = exports {
        exports.tell(|state| state.prepares(&request.run.study.name));
    }
    // An explanation fetches and builds nothing.
    let how = if request.explain { Preparing::Resolve } else { Preparing::Whole(&say) };
    let (around, words, here) = (Surroundings::here(), around::arguments(), working_directory());
    let run = StudyRun {
        listener: exports.map(|it| it as &dyn Listener),
        benches: &*around.benches,
        given: request.run.given.or(Some((&words, &here))),
        ..request.run
    };
    let mut prepared = run.prepare(how).map_err(run_error)?;
    say_left_out(&prepared.left_out, quiet);
    let insecure = prepared.study.variants.iter().filter(|variant| variant.passage.is_insecure());
    insecure.for_each(|variant| warn_insecure(&variant.name));
    let others = prepared
        .study
        .workload
        .iter()
        .filter(|entry| entry.at.as_ref().is_some_and(|at| at.passage.is_insecure()));
    others.for_each(|entry| warn_insecure(&entry.name));
    let mut doubts = match request.held {
        None => known_noise::of(&prepared, request.run.cache),
        Some(_) => Vec::new(),
    };
    doubts.extend(known_noise::shared_cpus(&prepared));
    if request.explain {
        let plan = plan::explain(&prepared.study, &prepared.plan);
        output::print(&format!("{plan}{}", known_noise::section(&doubts)))?;
        return Ok((Exit::Done, None));
    }
    let baseline = match request.baseline {
        Some(args) => Baseline::open(args, request.base, &prepared.plan, &prepared.environment)?,
        None => None,
    };
    prepared.compare_with_record().map_err(run_error)?;
    let own;
    let right = match request.held {
        Some(held) => held,
        None => {
            own = right_to_measure(&prepared.plan.study, request.no_wait, quiet)?;
            &own
        }
    };
    let mut screen =
        Screen { live: None, exports, plan: None, doubts, quiet, is_part: request.held.is_some() };
    let executed = prepared.execute(right, &mut screen, &stop);
    screen.end();
    let mut executed = executed.map_err(|error| unfinished(error, request.brought_home))?;
    if let Some(exports) = exports {
        exports.tell(|state| state.ends(doing_of(&executed.ending)));
    }
    let path = executed.record.path().to_path_buf();
    match finish(request, &mut executed, baseline.as_ref()) {
        Ok(exit) => Ok((exit, Some(path))),
        Err(error) => Err(match error.downcast::<StoreError>() {
            Ok(error) => {
                unfinished(study_run::keep_interrupted(&mut executed.record, error), request.brought_home)
            }
            Err(error) => error,
        }),
    }
}

/// State of a run after that ending.
fn doing_of(ending: &Ending) -> Doing {
    match ending {
        Ending::Finished | Ending::OutOfBudget | Ending::Hopeless(_) => Doing::Finished,
        Ending::Interrupted => Doing::Interrupted,
        Ending::Failed(_) | Ending::Broken(_) => Doing::Failed,
    }
}

/// A driver that this machine does not have, with the flag for another.
fn driver_refused(error: EngineError) -> anyhow::Error {
    match error {
        EngineError::Driver { driver, why } => {
            leave(Exit::Usage, format!("cannot use the {driver} driver: {why}; use --driver epoll"))
        }
        other => leave(Exit::Usage, other),
    }
}

/// Prints a line on standard error.
pub fn say(quiet: bool, line: &str) {
    if !quiet {
        around::error_line(line);
    }
}

/// Reports which variants are left out, and why.
pub fn say_left_out(left_out: &[LeftOut], quiet: bool) {
    for left_out in left_out {
        say(
            quiet,
            &match left_out {
                LeftOut::NotApplicable { variant, why } => tr!("run-left-out", variant, why),
                LeftOut::Missing { variant, why } => tr!("run-missing", variant, why),
            },
        );
    }
}

/// Output of a run on standard error.
struct Screen<'a> {
    live: Option<Live>,
    exports: Option<&'a Exports>,
    /// For the exports, which follow the generator from CPU to CPU.
    plan: Option<Plan>,
    doubts: Vec<String>,
    quiet: bool,
    is_part: bool,
}

impl Screen<'_> {
    fn end(&mut self) {
        self.live.iter_mut().for_each(Live::end);
    }
}

impl Observer for Screen<'_> {
    fn begun(&mut self, plan: &Plan, claims: &[Claim], behind: Behind) {
        let judged_nothing = plan.claims.is_empty() && plan.expectations.is_empty();
        if judged_nothing && !self.is_part && plan.capacity.is_none() {
            say(self.quiet, tr!("run-no-claim"));
        }
        let minutes = plan.estimated_seconds / 60.0;
        say(
            self.quiet,
            &match behind.last_block {
                0 => {
                    tr!("run-begun", study = plan.study, minutes = format!("{minutes:.1}"), seed = plan.seed)
                }
                last => tr!("run-goes-on", study = plan.study, last, complete = behind.complete),
            },
        );
        self.doubts.iter().for_each(|doubt| say(self.quiet, doubt));
        earlier_sittings(plan).iter().for_each(|line| say(self.quiet, line));
        // Only a soak is begun without room for a verdict: it reports its trends.
        let is_open = |it: &&Finding| matches!(it, Finding::NoFirstLook { .. }) && !plan.claims.is_empty();
        plan.not_tested.iter().filter(is_open).for_each(|it| say(self.quiet, &told(it)));
        self.live = Some(Live::new(plan, claims, behind.spent_ns, self.quiet));
        if let Some(exports) = self.exports {
            exports.begun(plan, claims, behind);
            self.plan = Some(plan.clone());
        }
    }

    fn step(&mut self, step: &Progress<'_>) {
        if let Some(live) = &mut self.live {
            live.show(step);
            if let (Some(exports), Some(plan)) = (self.exports, &self.plan) {
                exports.step(plan, step, live.share_done());
            }
        }
    }
}

/// Effect of earlier sittings on the intervals of this one.
fn earlier_sittings(plan: &Plan) -> Option<String> {
    let earlier = plan.earlier_sittings.as_ref()?;
    let widest = earlier.claims.iter().map(|spread| spread.tau).fold(0.0, f64::max);
    let widest = proofload_report::number::percent(widest);
    Some(tr!("run-earlier-sittings", runs = earlier.runs.len(), widest))
}

/// The error of a run that has begun. Where its record is for another machine, no command is named that would look for
/// it here.
fn unfinished(error: RunError, brought_home: bool) -> anyhow::Error {
    match error {
        RunError::Unkept { error, path } => unkept(&error, &path, brought_home),
        error => run_error(error),
    }
}

/// Error of a record that could not be written to its end, with the state of its written part on disk.
fn unkept(error: &StoreError, path: &Path, brought_home: bool) -> anyhow::Error {
    let run = path.display();
    let kept = match (Run::open(path).is_ok(), brought_home) {
        (false, _) => format!("what was measured is lost: {run} is no record any more"),
        (true, true) => "what was measured until then is kept".to_owned(),
        (true, false) => format!(
            "what was measured until then is kept: read it with proofload report {run}, go on with proofload resume {run}"
        ),
    };
    leave(Exit::Failure, format!("{error}\nall servers are stopped; {kept}"))
}

/// The error of a run, with the exit code it leads to.
pub fn run_error(error: RunError) -> anyhow::Error {
    match error {
        RunError::Usage(what) => leave(Exit::Usage, what),
        RunError::Changed(changed) => leave(Exit::Usage, changed_text(&changed)),
        // That of the first reason.
        RunError::Unprepared(error) => {
            leave(error.0.first().map_or(Exit::FailedStart, exit_of_subject), error)
        }
        RunError::Keeper(error) => subject_error(error),
        RunError::Record(error @ StoreError::InUse { .. }) => leave(Exit::Busy, error),
        RunError::Unkept { error, path } => unkept(&error, &path, false),
        error => error.into(),
    }
}

fn changed_text(changed: &Changed) -> String {
    let path = changed.path.display();
    let verb = if changed.resumed { "resumed" } else { "repeated" };
    let line = |difference: &Difference| format!("\n  {}", told(&difference.finding()));
    let lines: String = changed.differences.iter().map(line).collect();
    match changed.is_another_study {
        true => format!("{path} cannot be {verb}: it is another study now:{lines}"),
        false => format!(
            "{path} cannot be {verb}: this has changed:{lines}\nrun the study anew, or give --anyway: the result is \
             then marked"
        ),
    }
}

/// The error of a subject that cannot be prepared.
pub fn subject_error(error: SubjectError) -> anyhow::Error {
    leave(exit_of_subject(&error), error)
}

fn exit_of_subject(error: &SubjectError) -> Exit {
    match error {
        SubjectError::Interrupted => Exit::Interrupted,
        error if error.is_ours() => Exit::Invalid,
        SubjectError::Parameter { .. }
        | SubjectError::NotApplicable { .. }
        | SubjectError::Unpinned { .. } => Exit::Usage,
        _ => Exit::FailedStart,
    }
}

/// Waits until no other process measures on this machine, and reports the holder of the lock.
pub fn right_to_measure(who: &str, no_wait: bool, quiet: bool) -> anyhow::Result<MeasuringLock> {
    let stop = signals::install()?;
    MeasuringLock::acquire(who, !no_wait, &stop, |holder| say(quiet, &holder.to_string())).map_err(lock_error)
}

/// The error of a process that did not get the lock.
pub fn lock_error(error: LockError) -> anyhow::Error {
    let exit = match error {
        LockError::Stopped(_) => Exit::Interrupted,
        LockError::Held(_) => Exit::Busy,
        _ => Exit::Failure,
    };
    leave(exit, error)
}

/// Warns that the certificate is not checked, even with `--quiet`.
pub fn warn_insecure(variant: &str) {
    around::error_line(told(&Limit::TlsUnchecked { variant: variant.to_owned() }));
}

/// Draws everything from the record on disk, as `proofload report` would.
fn finish(
    request: &Request<'_>,
    executed: &mut Executed,
    baseline: Option<&Baseline>,
) -> anyhow::Result<Exit> {
    let Executed { record, ending } = executed;
    let status = ending.status();
    record.set_status(status.state, status.why.as_ref(), clock::unix_ns())?;
    let run = Run::open(record.path())?;
    let result = Localized::new(|| {
        let mut result = proofload_report::of_run(&run)?;
        baseline.map(|baseline| baseline.compare(&run, &mut result)).transpose()?;
        Ok(result)
    })?;
    record.write_result(result.english())?;
    record.write_text("report.md", &proofload_report::markdown(result.spoken()))?;
    record.write_text(
        "report.html",
        &proofload_report::html(result.spoken(), &output::Slices::of(&run).all()),
    )?;
    if request.held.is_none() {
        output::write(&result, &output::Slices::of(&run), request.output)?;
    }
    let run_path = record.path().display().to_string();
    if !request.brought_home {
        say(request.output.quiet, &tr!("kept-in", run = run_path));
    }
    match ending {
        Ending::Interrupted => {
            say(request.brought_home, &tr!("run-interrupted", run = run_path));
            Ok(Exit::Interrupted)
        }
        Ending::Broken(why) => Err(leave(Exit::Invalid, told(&why))),
        // A server that died refutes what was claimed of its errors.
        Ending::Failed(why) => match exit_of(result.english()) {
            Exit::Refuted => Err(leave(Exit::Refuted, told(&why))),
            _ => Err(leave(Exit::FailedStart, told(&why))),
        },
        Ending::Finished | Ending::OutOfBudget | Ending::Hopeless(_) => Ok(exit_of(result.english())),
    }
}

/// The exit code that a result leads to.
pub fn exit_of(result: &RunResult) -> Exit {
    exit_of_overall(proofload_analysis::overall(result))
}

/// The exit code that what a result comes to leads to.
pub fn exit_of_overall(overall: Overall) -> Exit {
    match overall {
        Overall::AllSupported | Overall::Checked => Exit::Done,
        Overall::Refuted => Exit::Refuted,
        Overall::Regressed => Exit::Regressed,
        Overall::Undecided => Exit::Undecided,
        Overall::Invalid => Exit::Invalid,
    }
}
