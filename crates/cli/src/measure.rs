//! `proofload URL`: one endpoint, measured.

use crate::args::MeasureArgs;
use crate::around::{self, Surroundings};
use crate::exit::Exit;
use crate::exports::Exports;
use crate::fleet;
use crate::load;
use crate::mistakes::Mistakes;
use crate::output::Told;
use crate::{output, progress, run};
use proofload_engine::{
    DriverChoice, Extent, Generator, Launch, LoadPlan, LoadResult, Stretch, Timeouts, Watch,
};
use proofload_facts::{Finding, Mistake};
use proofload_host::lock::MeasuringLock;
use proofload_host::{self as host, clock, signals};
use proofload_lab::ceiling::{self, Setting};
use proofload_lab::endpoint;
use proofload_lab::generator_settings::GeneratorSettings;
use proofload_lab::plan::redact_own_arguments;
use proofload_lab::runner::{Listener as _, record};
use proofload_language::{Language, say};
use proofload_store::schema::{
    Ceiling, Environment, FORMAT_VERSION, Phase, Point, RunResult, RunState, SingleLoad, Slice, Status,
};
use proofload_store::{SingleWriter, StoreError, histograms_of};
use proofload_study::{Passage, quantity};
use proofload_subject::Cache;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long, when neither time nor number is given.
const DURATION_NS: u64 = 10_000_000_000;
/// How long what is in flight at the end may take to end; it is `unanswered` after that.
const DRAIN_NS: u64 = 1_000_000_000;

pub fn measure(args: &MeasureArgs) -> anyhow::Result<Exit> {
    output::check(&args.output)?;
    let mut mistakes = Mistakes::default();
    let point = load::shaped(args, &mut mistakes);
    let request = load::request(&args.load, &mut mistakes);
    let terms = endpoint::Terms {
        discard_ns: mistakes.take("--warm-up", quantity::duration(&args.warm_up)),
        extent: extent(args, &mut mistakes),
        drain_ns: drain_ns(args, &request.timeouts),
        workers: args.load.workers.unwrap_or(1),
        driver: args.load.driver(),
        seed: args.load.seed.unwrap_or_else(clock::unix_ns),
    };
    if args.debug && terms.driver != DriverChoice::default() {
        mistakes.add("--driver", Mistake::NoMeaningBeside { beside: "--debug".to_owned() });
    }
    let plan = endpoint::load_plan(&args.urls, &request, &point, &terms);
    let plan = mistakes.all(plan);
    let name = redact_own_arguments(&args.urls).join(" ");
    let names = proofload_analysis::names_of_one(&name, &point.label);
    let thresholds = mistakes.all(proofload_analysis::thresholds(&args.fail, &names)).unwrap_or_default();
    let tolerated = mistakes.take("--tolerate-lost", args.fleet.tolerance.of(args.fleet.agents));
    mistakes.check()?;
    let Some(plan) = plan else { unreachable!("its mistakes were told") };
    let passage = endpoint::passage(&args.urls, &request);
    if passage.as_ref().is_some_and(Passage::is_insecure) {
        crate::transport::warn_insecure(&name);
    }
    if args.debug {
        return crate::debug::debug(&plan);
    }
    let stop = signals::install()?;
    let exports = Exports::start(&args.export, &stop, args.output.quiet)?;
    let exports = exports.as_ref();
    let _lock = MeasuringLock::acquire("one endpoint", true, &stop, |holder| around::error_line(holder))
        .map_err(run::lock_error)?;
    if let Some(exports) = exports {
        exports.endpoint(&name, &point.label, terms.seed);
    }
    let title = format!("{name} @ {}", point.label);
    let agents = args.fleet.agents.map(|agents| fleet::start(agents, tolerated, &stop)).transpose()?;
    let around = Surroundings::here();
    let generator = agents.as_ref().map_or(&*around.generator as &dyn Generator, |agents| agents);
    let loaded = watched(&title, generator, &plan, &stop, args.output.quiet, exports)?;
    agents.iter().for_each(|agents| fleet::say_losses(agents, args.output.quiet));
    drop(agents);
    let environment = host::environment();
    let mut measured = record::point(&name, &point, &loaded);
    measured.transport = passage.and_then(|passage| passage.recorded());
    let load = given(endpoint::recorded(&args.urls, &request, &point, &terms, &plan));
    let ceiling = held_against_ceiling(left_out(args), &plan, &environment, &mut measured);
    let slice = single_slice(measured, &loaded);
    if let Some(exports) = exports {
        exports.measured(&slice, loaded.stopped_early);
    }
    // What was cut off is not the measurement that was asked for.
    let whole = (!loaded.stopped_early).then_some(&slice);
    let ceilings: Vec<Ceiling> = ceiling.into_iter().collect();
    let result = Told::new(|| {
        Ok(RunResult {
            claims: proofload_analysis::judged_on_one(&thresholds, &names, whole)?,
            environment: environment.clone(),
            load: Some(load.clone()),
            limits: proofload_analysis::hints(&slice),
            ceilings: ceilings.clone(),
            ..result(slice.measured.clone(), loaded.stopped_early)
        })
    })?;
    let result = recorded(args, result, &slice);
    output::write(&result, &output::Slices::of_one(&slice), &args.output)?;
    Ok(match stop.load(Ordering::Relaxed) {
        true => Exit::Interrupted,
        false => run::exit_of(result.english()),
    })
}

/// How long is waited for what is under way when the load ends.
fn drain_ns(args: &MeasureArgs, timeouts: &Timeouts) -> u64 {
    match args.requests.is_some() || args.users.is_some() {
        // Every one of a number of requests comes to its end: by an answer or by its time-out, which begins when the
        // connection stands and is looked at a little after it has passed.
        true => timeouts.connect_ns.saturating_add(timeouts.response_ns).saturating_add(DRAIN_NS),
        false => DRAIN_NS,
    }
}

/// The result with the place of its record. That none could be written is said, and spoils nothing else.
fn recorded(args: &MeasureArgs, result: Told, slice: &Slice) -> Told {
    if args.no_record {
        return result;
    }
    let record = || -> Result<Told, StoreError> {
        let writer = SingleWriter::create(&args.dir, slice.started_unix_ns)?;
        let path = writer.path().strip_prefix(".").unwrap_or(writer.path());
        let result = result.clone().changed(|result| result.run = path.display().to_string());
        writer.write(result.english(), slice)?;
        writer.write_text("report.md", &proofload_report::markdown(result.spoken()))?;
        writer.write_text("report.html", &proofload_report::html(result.spoken(), &[slice]))?;
        Ok(result)
    };
    record().unwrap_or_else(|error| {
        let said = say!("no-record-kept", error = error.to_string());
        around::error_line(said);
        result
    })
}

/// The load with the command line that asked for it.
fn given(load: SingleLoad) -> SingleLoad {
    let words = around::arguments();
    SingleLoad {
        arguments: redact_own_arguments(&words),
        working_directory: host::working_directory(),
        ..load
    }
}

/// Why the rate is not held against the generator's ceiling.
fn left_out(args: &MeasureArgs) -> Option<Finding> {
    match args.fleet.agents {
        _ if args.no_ceiling => Some(Finding::CeilingNotAsked),
        Some(_) => Some(Finding::CeilingOfAgents),
        None => None,
    }
}

/// Enters what the rate is of the generator's ceiling, where the cache knows one for this setting. It is not
/// measured here: that would take longer than many a measurement.
fn held_against_ceiling(
    left_out: Option<Finding>,
    plan: &LoadPlan,
    environment: &Environment,
    measured: &mut Point,
) -> Option<Ceiling> {
    // What nobody answered says nothing of the generator.
    if measured.outcomes.get("answered").is_none_or(|answered| *answered == 0) {
        return None;
    }
    let class = proofload_analysis::answer_bytes(measured).and_then(proofload_analysis::answer_class);
    let (ceiling, why) = match class {
        _ if left_out.is_some() => (None, left_out.clone()),
        None => (None, Some(Finding::AnswersTooLong)),
        Some(answer_bytes) => {
            let setting = Setting::new(vec![plan.clone()], answer_bytes, &[measured.connections_peak]);
            match known_ceiling(&setting, environment) {
                Ok(ceiling) => (Some(ceiling), None),
                Err(why) => (None, Some(why)),
            }
        }
    };
    let why = why.unwrap_or(Finding::CeilingNotRecorded);
    let checks =
        proofload_analysis::check_ceiling(&[&*measured], plan.profile.is_shaped(), ceiling.as_ref(), &why);
    proofload_analysis::enter_checks(&mut measured.generator, checks.to_vec());
    ceiling.map(|ceiling| Ceiling { point: measured.point.clone(), ..ceiling })
}

/// The ceiling in the cache, or why there is none, and what to do.
fn known_ceiling(setting: &Setting, environment: &Environment) -> Result<Ceiling, Finding> {
    let cache = Cache::open().map_err(Finding::failed)?;
    ceiling::cached(&cache, setting, environment, &GeneratorSettings::default()).map_err(
        |(why, can_be_measured)| {
            let connections = setting.connections();
            match can_be_measured {
                true => Finding::CeilingCanBeMeasured { why: Box::new(why), connections },
                false => why,
            }
        },
    )
}

/// The measurement as the one slice that it is, for the formats that are made of slices.
fn single_slice(measured: Point, loaded: &LoadResult) -> Slice {
    let ago_ns = clock::monotonic_ns().saturating_sub(loaded.window_start_ns);
    Slice {
        format: FORMAT_VERSION,
        block: 1,
        phase: Phase::Measure,
        cycle: 1,
        position: 1,
        started_unix_ns: clock::unix_ns().saturating_sub(ago_ns),
        measured,
        histograms: histograms_of(&loaded.snapshot),
        answered_in_window: loaded.snapshot.answered_in_window,
        ..Slice::default()
    }
}

fn extent(args: &MeasureArgs, mistakes: &mut Mistakes) -> Extent {
    match (args.requests, args.duration.as_deref()) {
        (Some(0), _) => {
            mistakes.add("-n", Mistake::AsksNothing);
            Extent::DurationNs(0)
        }
        (Some(count), _) => Extent::Requests { count, cap_ns: load::COUNT_CAP_NS },
        (None, Some(text)) => Extent::DurationNs(mistakes.take("-d", quantity::duration(text))),
        (None, None) => Extent::DurationNs(DURATION_NS),
    }
}

/// Runs the engine beside a thread that draws and listens for the end.
fn watched(
    title: &str,
    generator: &dyn Generator,
    plan: &LoadPlan,
    stop: &AtomicBool,
    quiet: bool,
    exports: Option<&Exports>,
) -> anyhow::Result<LoadResult> {
    let watch = Watch::default();
    let done = AtomicBool::new(false);
    let loaded = std::thread::scope(|scope| {
        let (language, around) = (Language::spoken(), Surroundings::here());
        let view = || progress::endpoint(title, plan, &watch, stop, &done, quiet);
        let view = scope.spawn(move || around.within(|| language.within(view)));
        let mut tell = |stretch: &Stretch<'_>| exports.iter().for_each(|exports| exports.second(stretch));
        let each_second: Option<&mut dyn FnMut(&Stretch<'_>)> = exports.is_some().then_some(&mut tell as _);
        let how = Launch { each_second, ..Launch::new(std::slice::from_ref(plan), &watch) };
        let loaded = generator.launch(how);
        done.store(true, Ordering::Relaxed);
        view.thread().unpark();
        loaded
    });
    Ok(loaded.map_err(fleet::failed)?.remove(0))
}

fn result(point: Point, stopped_early: bool) -> RunResult {
    RunResult {
        format: FORMAT_VERSION,
        status: Status {
            state: if stopped_early { RunState::Interrupted } else { RunState::Finished },
            ..Status::default()
        },
        points: vec![point],
        ..RunResult::default()
    }
}
