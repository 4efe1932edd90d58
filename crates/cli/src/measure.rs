//! `proofload URL`: one endpoint, measured.

use crate::args::{LoadArgs, MeasureArgs};
use crate::around::{self, Surroundings};
use crate::exit::{Exit, leave};
use crate::exports::Exports;
use crate::fleet;
use crate::output::Localized;
use crate::run::{Request, execute};
use crate::{flags, mistakes};
use crate::{output, progress, run};
use proofload_engine::{
    DriverChoice, Extent, Generator, Launch, LoadPlan, LoadResult, Stretch, Timeouts, Watch,
};
use proofload_facts::{Expected, Finding, Mistake};
use proofload_host::lock::MeasuringLock;
use proofload_host::{self as host, clock, signals};
use proofload_lab::cause;
use proofload_lab::ceiling::{self, Setting};
use proofload_lab::endpoint::{self, Terms};
use proofload_lab::generator_settings::{GeneratorSettings, check_cpus, pinned};
use proofload_lab::plan::Preset;
use proofload_lab::plan::redact_own_arguments;
use proofload_lab::runner::{Listener as _, record};
use proofload_lab::study_run::StudyRun;
use proofload_language::facts::told;
use proofload_language::{Language, tr};
use proofload_stats::Side;
use proofload_store::schema::{
    Ceiling, Environment, FORMAT_VERSION, Phase, Point, RunResult, RunState, SingleLoad, Slice, Status,
};
use proofload_store::{SingleWriter, StoreError, histograms_of, redact};
use proofload_study::{Condition, Draft, Passage, Study, SubjectSpec, is_level, quantity, stages};
use proofload_subject::{Cache, Catalogue};
use std::sync::atomic::{AtomicBool, Ordering};

/// Duration, when neither time nor number is given.
const DURATION_NS: u64 = 10_000_000_000;
/// Time in which exchanges in flight at the end may finish; they are `unanswered` after that.
const DRAIN_NS: u64 = 1_000_000_000;

/// Most addresses in a mix.
const URLS_MAX: usize = 64;

/// Longest name of an address of a mix, in letters.
const NAME_MAX: usize = 80;

/// Longest time that a number of requests may take.
const COUNT_CAP_NS: u64 = 24 * 3600 * 1_000_000_000;

pub fn measure(args: &MeasureArgs) -> anyhow::Result<Exit> {
    output::check(&args.output)?;
    output::try_files(&args.output)?;
    let mut draft = draft(args);
    if let Some(path) = &args.asked.save {
        repeatable(&mut draft, args);
        if args.duration.is_some() || args.warm_up != "0s" {
            around::error_line(tr!("save-lengths"));
        }
        return flags::save(draft, path);
    }
    let (study, terms, tolerated) = checked(args, draft)?;
    if args.asked.explain {
        return explain(args, &study);
    }
    let plan = flags::load_plan(&study, &terms)?;
    let point = &study.points[0];
    let name = redact_own_arguments(&args.urls).join(" ");
    let names = proofload_analysis::names_of_one(&name, &point.label, &study.names.requests);
    if study.passages().any(Passage::is_insecure) {
        run::warn_insecure(&name);
    }
    if args.debug {
        return crate::debug::debug(&plan);
    }
    // A folder that was not named may be read-only: the figures are printed, and that no record was kept.
    let is_named = args.dir != std::path::Path::new(".");
    if !args.no_record && is_named {
        SingleWriter::prepare(&args.dir).map_err(|error| {
            leave(Exit::Usage, format!("--dir: {error}; name another folder, or give --no-record"))
        })?;
    }
    let stop = signals::install()?;
    let exports = Exports::start(&args.export, &stop, args.output.quiet)?;
    let exports = exports.as_ref();
    let _lock =
        MeasuringLock::acquire("one endpoint", !args.no_wait, &stop, |holder| around::error_line(holder))
            .map_err(run::lock_error)?;
    if let Some(exports) = exports {
        exports.endpoint(&name, &point.label, terms.seed);
    }
    let title = format!("{name} @ {}", point.label);
    let cpus = study.conditions.cpus(Condition::ServerCpus);
    let _pinned = pinned(&study, &plan.targets[0].addresses.first, &cpus)
        .map_err(|why| leave(Exit::FailedStart, format!("--server-cpus: {}", told(&why))))?;
    let agents = args.fleet.agents.map(|agents| fleet::start(agents, tolerated, &stop)).transpose()?;
    let around = Surroundings::here();
    let generator = agents.as_ref().map_or(&*around.generator as &dyn Generator, |agents| agents);
    let loaded = watched(&title, generator, &plan, &stop, args.output.quiet, exports)?;
    let cause = cause_of(&study, generator, &plan, &loaded, &stop);
    agents.iter().for_each(|agents| fleet::say_losses(agents, args.output.quiet));
    drop(agents);
    let environment = host::environment();
    let mut measured = record::point(&name, point, &loaded, &study.names.requests);
    measured.cause = cause;
    // A certificate that is not checked is reported before anything else.
    let unchecked = study.passages().find(|passage| passage.is_insecure());
    measured.transport = unchecked.into_iter().chain(study.passages()).find_map(Passage::recorded);
    let load = given(endpoint::recorded(&study, &terms, &plan));
    let ceiling = held_against_ceiling(left_out(args), &plan, &environment, &mut measured);
    let slice = single_slice(measured, &loaded);
    if let Some(exports) = exports {
        exports.measured(&slice, loaded.stopped_early);
    }
    // What was cut off is not the measurement that was asked for.
    let whole = (!loaded.stopped_early).then_some(&slice);
    let ceilings: Vec<Ceiling> = ceiling.into_iter().collect();
    let result = Localized::new(|| {
        Ok(RunResult {
            claims: proofload_analysis::judged_on_one(&study.claims, &names, whole)?,
            environment: environment.clone(),
            load: Some(load.clone()),
            limits: proofload_analysis::hints(&slice),
            ceilings: ceilings.clone(),
            ..result(slice.measured.clone(), loaded.stopped_early)
        })
    })?;
    let (result, is_kept) = recorded(args, result, &slice);
    output::write(&result, &output::Slices::of_one(&slice), &args.output)?;
    Ok(match stop.load(Ordering::Relaxed) {
        true => Exit::Interrupted,
        false if !is_kept && is_named => Exit::Failure,
        false => run::exit_of(result.english()),
    })
}

/// Reason why nothing was answered as it was asked for. Who stopped the load waits for nothing more.
fn cause_of(
    study: &Study,
    generator: &dyn Generator,
    plan: &LoadPlan,
    loaded: &LoadResult,
    stop: &AtomicBool,
) -> Option<Finding> {
    let SubjectSpec::Url { authority, .. } = &study.variants.first()?.subject else { return None };
    (!stop.load(Ordering::Relaxed)).then(|| cause::cause(generator, plan, loaded, authority))?
}

/// The study, how it is measured, and how many agents may be lost.
fn checked(args: &MeasureArgs, mut draft: Draft) -> anyhow::Result<(Study, Terms, u32)> {
    let terms = Terms {
        discard_ns: draft.keep("--warm-up", quantity::duration(&args.warm_up)).unwrap_or_default(),
        extent: extent(args, &mut draft),
        drain_ns: DRAIN_NS,
        workers: args.load.workers.unwrap_or(1),
        driver: args.load.driver(),
        seed: args.load.seed.unwrap_or_else(clock::unix_ns),
    };
    if args.debug && terms.driver != DriverChoice::default() {
        draft.add("--driver", Mistake::NoMeaningBeside { beside: "--debug".to_owned() });
    }
    let tolerated =
        draft.keep("--tolerate-lost", args.fleet.tolerance.of(args.fleet.agents)).unwrap_or_default();
    let study = flags::checked(draft)?;
    let compared = study.claims.iter().find(|claim| !matches!(claim.right, Side::Constant(_)));
    if let Some(claim) = compared {
        return Err(mistakes::wrong(&format!("--fail {}", claim.name), Mistake::ThresholdConstant));
    }
    check_cpus(&study).map_err(|mistake| mistakes::all(vec![mistake]))?;
    let terms = Terms { drain_ns: drain_ns(args, &study.timeouts), ..terms };
    Ok((study, terms, tolerated))
}

/// Adds the parts that a study needs and one measurement does not: a claim, and where its load ends.
fn repeatable(draft: &mut Draft, args: &MeasureArgs) {
    if args.fail.is_empty() {
        flags::claims(draft, "--fail", &["errors == 0".to_owned()]);
    }
    if let (Some(count), None, true) = (args.requests, &args.load.rate, args.stages.is_empty()) {
        draft.put("-n", &["load", "closed", "requests"], count);
    }
}

/// Prints what would be asked: the plan of one block without warm-up, as long as the measurement.
fn explain(args: &MeasureArgs, study: &Study) -> anyhow::Result<Exit> {
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    let window_ns =
        args.duration.as_deref().and_then(|text| quantity::duration(text).ok()).unwrap_or(DURATION_NS);
    // A block has two turns at least.
    let timing = format!("slice={}ns,cycles=2,warm-up={}", window_ns / 2, args.warm_up);
    let run = StudyRun {
        preset: Preset::Smoke,
        timing: Some(&timing),
        no_ceiling: true,
        ..StudyRun::new(study, &catalogue, &cache, &args.dir)
    };
    execute(&Request { explain: true, ..Request::new(run, &args.output) })
}

/// Time to wait for exchanges under way when the load ends.
fn drain_ns(args: &MeasureArgs, timeouts: &Timeouts) -> u64 {
    match args.requests.is_some() || args.users.is_some() {
        // Every one of a number of requests comes to its end: by an answer or by its time-out, which begins when the
        // connection is open and is checked a little after it has passed.
        true => timeouts.connect_ns.saturating_add(timeouts.response_ns).saturating_add(DRAIN_NS),
        false => DRAIN_NS,
    }
}

/// The result with the path of its record, and true if that is as it was asked for. A record that could not be written
/// is reported, and spoils nothing else.
fn recorded(args: &MeasureArgs, result: Localized, slice: &Slice) -> (Localized, bool) {
    if args.no_record {
        return (result, true);
    }
    let record = || -> Result<Localized, StoreError> {
        let writer = SingleWriter::create(&args.dir, slice.started_unix_ns)?;
        let path = writer.path().strip_prefix(".").unwrap_or(writer.path());
        let result = result.clone().changed(|result| result.run = path.display().to_string());
        writer.write(result.english(), slice)?;
        writer.write_text("report.md", &proofload_report::markdown(result.spoken()))?;
        writer.write_text("report.html", &proofload_report::html(result.spoken(), &[slice]))?;
        Ok(result)
    };
    match record() {
        Ok(result) => (result, true),
        Err(error) => {
            around::error_line(tr!("no-record-kept", error = error.to_string()));
            (result, false)
        }
    }
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

/// Reason why the rate is not compared with the generator's ceiling.
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
    // A load without an answer shows nothing about the generator.
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

fn extent(args: &MeasureArgs, draft: &mut Draft) -> Extent {
    match (args.requests, args.duration.as_deref()) {
        (Some(0), _) => {
            draft.add("-n", Mistake::AsksNothing);
            Extent::DurationNs(0)
        }
        (Some(count), _) => Extent::Requests { count, cap_ns: COUNT_CAP_NS },
        (None, Some(text)) => {
            Extent::DurationNs(draft.keep("-d", quantity::duration(text)).unwrap_or_default())
        }
        (None, None) => Extent::DurationNs(DURATION_NS),
    }
}

/// The study that the flags describe.
pub fn draft(args: &MeasureArgs) -> Draft {
    let mut draft = flags::draft("url", &redact_own_arguments(&args.urls).join(" "));
    asked(&mut draft, &args.urls, &args.load);
    flags::shared(&mut draft, &args.load);
    shape(&mut draft, args);
    flags::claims(&mut draft, "--fail", &args.fail);
    draft
}

/// Requests to these addresses, each perhaps with its weight before it: the first server is the study's subject, the
/// others are named by the entries that are asked of them.
pub fn asked(draft: &mut Draft, urls: &[String], load: &LoadArgs) {
    if urls.is_empty() || urls.len() > URLS_MAX {
        draft.add("URL", Mistake::beyond(urls.len(), 1, URLS_MAX));
    }
    let asked: Vec<(u64, flags::Asked)> = urls.iter().filter_map(|text| weighted(draft, text)).collect();
    let any_tls = asked.iter().any(|(_, asked)| asked.url.secure);
    let mut entries: Vec<String> = Vec::new();
    for (weight, one) in &asked {
        let (url, base) = (&one.url, name_among(one, &asked));
        let (tls, numbered) = (url.secure || !any_tls, format!("{base} "));
        let name =
            match entries.iter().filter(|known| **known == base || known.starts_with(&numbered)).count() {
                0 => base,
                before => format!("{numbered}{}", before + 1),
            };
        if entries.is_empty() {
            let subject = if is_level(&url.name) { &url.name } else { "server" };
            flags::server(draft, &["subjects", subject], one, load, tls);
        } else if one.server != asked[0].1.server {
            flags::server(draft, &["workload", &name, "at"], one, load, tls);
        }
        flags::entry(draft, &name, url, load);
        if *weight > 1 {
            draft.put("URL", &["workload", &name, "weight"], *weight);
        }
        entries.push(name);
    }
}

/// Name of an address: that of its server where it is the only one, else its path as it is written. Where others have that
/// path its query follows, and where they have that, too, its server comes first.
fn name_among(one: &flags::Asked, all: &[(u64, flags::Asked)]) -> String {
    if all.len() < 2 {
        return one.url.name.clone();
    }
    let path = |of: &flags::Asked| of.url.target.split('?').next().unwrap_or_default().to_owned();
    let ways: [&dyn Fn(&flags::Asked) -> String; 2] = [&path, &|of| of.url.target.clone()];
    let is_same = |other: &flags::Asked| (&other.server, &other.url.target) == (&one.server, &one.url.target);
    let others = || all.iter().map(|(_, other)| other).filter(|other| !is_same(other));
    let alone = ways.into_iter().find(|way| others().all(|other| way(other) != way(one)));
    let name = alone.map_or_else(|| format!("{}{}", one.url.name, one.url.target), |way| way(one));
    redact::word(&name).chars().take(NAME_MAX).collect()
}

/// `3*http://…` is an address with weight 3.
fn weighted(draft: &mut Draft, text: &str) -> Option<(u64, flags::Asked)> {
    let (weight, url) = match text.split_once('*') {
        Some((weight, url)) if weight.bytes().all(|b| b.is_ascii_digit()) => {
            (weight.parse().unwrap_or(0), url)
        }
        _ => (1, text),
    };
    if weight == 0 {
        draft.add("URL", Mistake::not(text, Expected::Weight, "3*http://host:port/path"));
        return None;
    }
    Some((weight, flags::address(draft, url)?))
}

/// The load: one that stays as it is, stages, a trace, or users.
fn shape(draft: &mut Draft, args: &MeasureArgs) {
    let load = &args.load;
    if args.trace.is_none() && args.users.is_none() && args.stages.is_empty() {
        return flags::load(draft, load);
    }
    if !matches!(quantity::duration(&args.warm_up), Ok(0)) {
        draft.add("--warm-up", Mistake::NoMeaningBeside { beside: "--stage, --users, --trace".to_owned() });
    }
    let is_rate = args.stages.iter().any(|text| stages::is_rate(text));
    if let Some(path) = &args.trace {
        draft.put("--trace", &["load", "open", "trace", "file"], &path.display().to_string());
        if args.speed != "1x" {
            draft.put("--speed", &["load", "open", "trace", "speed"], &args.speed);
        }
        if args.repeat != 1 {
            draft.put("--repeat", &["load", "open", "trace", "repeat"], u64::from(args.repeat));
        }
        if let Some(time) = &args.duration {
            draft.put("-d", &["load", "open", "trace", "for"], time);
        }
        flags::open(draft, load, "open");
    } else if let Some(users) = args.users {
        draft.put("--users", &["load", "users", "users"], u64::from(users));
        draft.put("--loops", &["load", "users", "loops"], u64::from(args.loops.unwrap_or(1)));
        if let Some(ramp) = &args.ramp {
            draft.put("--ramp", &["load", "users", "ramp"], ramp);
        }
        draft.put("--users", &["load", "users", "cap"], "24h");
        flags::closed(draft, load, "users");
    } else if is_rate {
        args.stages.iter().for_each(|text| draft.push("--stage", &["load", "open", "stages"], text));
        flags::open(draft, load, "open");
        if load.poisson {
            draft.put("--poisson", &["load", "open", "arrival"], "poisson");
        }
    } else {
        args.stages.iter().for_each(|text| draft.push("--stage", &["load", "closed", "stages"], text));
        flags::closed(draft, load, "closed");
        if load.poisson {
            draft.add("--poisson", Mistake::NoMeaningWithout { needs: "--stage 'hold 5k/s 30s'".to_owned() });
        }
        if load.connections.is_some() {
            draft.add("-c", Mistake::NoMeaningBeside { beside: "--stage".to_owned() });
        }
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
