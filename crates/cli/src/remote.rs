//! Studies whose servers or agents are on other machines: `--on` and `--subjects-on`, `proofload coordinator`, `agent` and `manifest`,
//! and the processes that these start there.

use crate::args::{
    self, AgentArgs, CoordinatorArgs, KubernetesArgs, ManifestArgs, ReportArgs, RunArgs, Verb,
};
use crate::around;
use crate::checked::{Checked, Placed};
use crate::exit::{self, Exit, leave};
use crate::fleet::{self, tolerated};
use crate::mistakes::wrong;
use crate::run::say;
use crate::{output, report};
use anyhow::Context as _;
use proofload_engine::execute_share;
use proofload_facts::Finding;
use proofload_host::{Awake, signals};
use proofload_language::facts::told;
use proofload_language::tr;
use proofload_remote::agents::{Joining, Listener, Terms, Token, agent as join, index_from};
use proofload_remote::kubernetes::manifest::{SETTINGS, manifest};
use proofload_remote::kubernetes::spec::{ManifestSpec, Size, StudyFiles};
use proofload_remote::kubernetes::{self, pod_main};
use proofload_remote::pack::{self, CATALOGUE, Carried, STUDY};
use proofload_remote::{
    Conductor, Ended, Notices, Ordered, Placement, RemoteError, RemoteRun, server, slurm,
};
use proofload_store::Arrival;
use proofload_study::{Study, SubjectSpec, local_address, quantity};
use proofload_subject::{Cache, this_program, unpack, unpack_record};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Letters and digits by which the names of a run's objects differ from those of another run.
const OWN_CHARACTERS: usize = 5;

/// `proofload run`.
pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let checked = Checked::of(args)?;
    let args = &with_places(&checked.study, args);
    let asked = &args.places;
    let on = asked.on.as_deref();
    if args.explain || args.debug || (on.is_none() && asked.subjects_on.is_none()) {
        return run_here(args, &checked);
    }
    let (stop, program) = (signals::install()?, this_program());
    if on == Some("kubernetes") {
        return in_cluster(args, &checked, &stop);
    }
    if on == Some("slurm")
        && let Some(exit) =
            slurm::within(&program, &around::arguments(), args.agents.unwrap_or(1) + 1, &stop)?
    {
        return Ok(Exit::from_code(exit));
    }
    let subjects_on = asked.subjects_on.clone();
    let placement = Placement::of(on, subjects_on, args.agents, asked.address, program, &stop)?;
    let tolerated = tolerated(&args.tolerance, Some(placement.count()))?;
    placement.provide(&stop)?;
    if !placement.is_here() {
        let (run, notices) = (remote_run(args, &checked)?, notices(args));
        return placement.run_there(run, tolerated, &notices, &stop, |ended| bring_home(args, ended))?;
    }
    checked.foresee(args)?;
    let address = of_this_machine(placement.own_address(&stop)?)?;
    let pool = placement.gather(address, tolerated, &stop, &mut |line| say(args.output.quiet, line))?;
    checked.run(args, &Placed { fleet: Some(&pool), address, given: None })
}

/// The arguments, completed with the places of the study.
fn with_places(study: &Study, args: &RunArgs) -> RunArgs {
    let mut args = args.clone();
    let said = study.places.clone().unwrap_or_default();
    let asked = &mut args.places;
    asked.on = asked.on.take().or(said.agents_on);
    asked.subjects_on = asked.subjects_on.take().or(said.subjects_on);
    asked.address = asked.address.or(said.address);
    args.agents = args.agents.or(said.agents);
    args
}

fn notices(args: &RunArgs) -> Notices {
    Notices { quiet: args.output.quiet, line: |line| around::error_line(line) }
}

fn of_this_machine(address: IpAddr) -> anyhow::Result<IpAddr> {
    local_address(&address.to_string()).map_err(|mistake| wrong("--address", mistake))
}

/// The run as it goes elsewhere, and the way of its record home.
fn remote_run(args: &RunArgs, checked: &Checked) -> anyhow::Result<RemoteRun> {
    let files = pack::pack(&carried(args, checked)?)?;
    let (root, study) = (args.dir.clone(), checked.study.name.clone());
    let taken = move |from: &mut dyn Read| -> anyhow::Result<PathBuf> {
        let arrival = Arrival::begin(&root, &study)?;
        let id = unpack_record(&mut *from, Path::new("the record"), &arrival.path(), &study)?;
        io::copy(from, &mut io::sink())?;
        Ok(arrival.keep(&id)?)
    };
    let take_in = Arc::new(move |from: &mut dyn Read| taken(from).map_err(|error| format!("{error:#}")));
    Ok(RemoteRun { arguments: around::arguments(), files, take_in })
}

/// The files that go along with a study.
fn carried(args: &RunArgs, checked: &Checked) -> anyhow::Result<Vec<Carried>> {
    let folders = checked.study.variants.iter().filter_map(|variant| match &variant.subject {
        SubjectSpec::Catalogue { folder, .. } => Some(folder),
        _ => None,
    });
    let (catalogue, mut files) = (checked.catalogue(), Vec::new());
    for folder in folders.collect::<BTreeSet<_>>() {
        files.extend(catalogue.files_of(folder).map_err(|error| leave(Exit::Usage, error))?);
    }
    let named = named(&pack::folder_of(&args.study), &checked.study);
    Ok(pack::files_of(&args.study, named, (catalogue.root(), &files), &notices(args))?)
}

/// Files that the study names: by its keys, and among the words of its commands what is a file.
fn named(root: &Path, study: &Study) -> BTreeSet<PathBuf> {
    let mut found = study.files.clone();
    for variant in &study.variants {
        let SubjectSpec::Command { args, env, directory, .. } = &variant.subject else { continue };
        let base = directory.as_deref().unwrap_or(root);
        found.extend(directory.clone());
        let words = args.iter().chain(env.values()).map(String::as_str);
        // `--config=FILE`, and the parts of a class path.
        let words = words.flat_map(|word| {
            let value = word.split_once('=').map(|(_, value)| value);
            std::iter::once(word).chain(value).flat_map(|word| std::iter::once(word).chain(word.split(':')))
        });
        found.extend(
            words.filter(|word| !word.is_empty()).map(|word| base.join(word)).filter(|at| at.is_file()),
        );
    }
    found
}

/// Draws the record as a run here would.
fn bring_home(args: &RunArgs, ended: Ended) -> anyhow::Result<Exit> {
    let Ended { exit, message, record } = ended;
    let exit = Exit::from_code(exit);
    let Some(run) = record else {
        return match (exit, message.as_str()) {
            (Exit::Interrupted, "") => Ok(exit),
            (_, "") => Err(leave(Exit::Failure, tr!("there-no-record"))),
            _ => Err(leave(exit, message)),
        };
    };
    let drawn = report::report(&ReportArgs {
        run: run.clone(),
        fail: Vec::new(),
        baseline: args.baseline.clone(),
        output: args.output.clone(),
    })?;
    say(args.output.quiet, &tr!("kept-in", run = run.display().to_string()));
    match (message.is_empty(), exit) {
        (true, Exit::Interrupted) => Ok(exit),
        (true, _) => Ok(drawn),
        (false, _) => Err(leave(exit, message)),
    }
}

/// `proofload run --on kubernetes`. Names of objects are new in each run: another run of the study may be in the cluster.
fn in_cluster(args: &RunArgs, checked: &Checked, stop: &AtomicBool) -> anyhow::Result<Exit> {
    tolerated(&args.tolerance, Some(args.agents.unwrap_or(1)))?;
    let mut spec = spec(args, &args.places.kubernetes)?;
    spec.name = format!("{}-{}", spec.name, Token::fresh()?.own_name(OWN_CHARACTERS));
    let run = remote_run(args, checked)?;
    let study = &checked.study.name;
    kubernetes::run(&spec, run, study, &notices(args), stop, |ended| bring_home(args, ended))?
}

/// `proofload manifest`.
pub fn print(args: &ManifestArgs) -> anyhow::Result<Exit> {
    let checked = Checked::of(&args.run)?;
    tolerated(&args.run.tolerance, args.run.agents)?;
    let study = study_files(&args.run, &checked)?;
    let spec = ManifestSpec { study: Some(study), ..spec(&args.run, &args.run.places.kubernetes)? };
    output::print(&manifest(&spec)?)?;
    Ok(Exit::Done)
}

/// Specification that the arguments make for a cluster, but for the study.
fn spec(args: &RunArgs, of: &KubernetesArgs) -> anyhow::Result<ManifestSpec> {
    let image = of.image.clone().ok_or_else(|| {
        let why =
            "--image: name an image that has proofload and what the servers need; see docs/container.md";
        leave(Exit::Usage, why)
    })?;
    Ok(ManifestSpec {
        name: of.name.clone().unwrap_or_else(|| name_of(&args.study)),
        namespace: of.namespace.clone().unwrap_or_else(|| "default".to_owned()),
        image,
        agents: args.agents.unwrap_or(1),
        agent: size(&of.agent_size, "--agent-size")?,
        coordinator: size(&of.subjects_size, "--subjects-size")?,
        study: None,
        token: Token::fresh()?.text().to_owned(),
    })
}

/// The study, as it is in the objects.
fn study_files(args: &RunArgs, checked: &Checked) -> anyhow::Result<StudyFiles> {
    let mut files = BTreeMap::new();
    for Carried { name, path, .. } in carried(args, checked)? {
        // The coordinator looks for a catalogue beside its study.
        let inside = match name.strip_prefix(STUDY) {
            Ok(inside) => inside.to_path_buf(),
            Err(_) => Path::new("subjects").join(name.strip_prefix(CATALOGUE).unwrap_or(&name)),
        };
        if path.is_file() {
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            files.insert(inside.to_string_lossy().into_owned(), bytes);
        }
    }
    let file = args.study.file_name().unwrap_or_default().to_string_lossy().into_owned();
    say(args.output.quiet, &tr!("there-manifest-secrets", settings = args.set.len() as u64));
    Ok(StudyFiles { file, files, arguments: passed_on(args), settings: args.set.clone() })
}

/// `2,1Gi`: CPUs and memory.
fn size(text: &str, option: &str) -> anyhow::Result<Size> {
    let (cpu, memory) = text.split_once(',').ok_or_else(|| {
        leave(Exit::Usage, format!("{option} {text}: write CPUs and memory, such as 2,1Gi"))
    })?;
    Ok(Size { cpu: cpu.to_owned(), memory: memory.to_owned() })
}

/// A name for objects, from that of the study's file.
fn name_of(study: &Path) -> String {
    let stem = study.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = format!("proofload-{stem}").chars().map(fits).take(40).collect();
    name.trim_end_matches('-').to_owned()
}

/// The arguments that go along: how the study is read, and how long it takes.
fn passed_on(args: &RunArgs) -> Vec<String> {
    let preset = &args.preset;
    let flags = [
        ("--smoke", preset.smoke),
        ("--quick", preset.quick),
        ("--thorough", preset.thorough),
        ("--keep-going", preset.keep_going),
        ("--no-ceiling", preset.no_ceiling),
        ("--offline", args.offline),
    ];
    let flags = flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
    let driver = args.driver.map(proofload_engine::DriverChoice::from);
    let values = [
        ("--budget", preset.budget.clone()),
        ("--timing", preset.timing.clone()),
        ("--seed", args.seed.map(|seed| seed.to_string())),
        ("--mode", args.mode.clone()),
        ("--tolerate-lost", args.tolerance.tolerate_lost.map(|lost| lost.to_string())),
        ("--driver", driver.map(|driver| driver.name().to_owned())),
    ];
    let values = values.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    let only = args.only.iter().map(|only| format!("--only={only}"));
    flags.chain(values).chain(only).collect()
}

/// `proofload coordinator`.
pub fn coordinator(args: &CoordinatorArgs) -> anyhow::Result<Exit> {
    let run_args = &with_settings(&args.run)?;
    if args.run.explain || args.run.debug {
        return run_here(run_args, &Checked::of(run_args)?);
    }
    if args.run.places.on.is_some() || args.run.places.subjects_on.is_some() {
        return Err(leave(
            Exit::Usage,
            "--on and --subjects-on are for proofload run, which starts what it needs",
        ));
    }
    let address = args.run.places.address.map(of_this_machine).transpose()?;
    let address = address.unwrap_or(Ipv4Addr::LOCALHOST.into());
    let checked = Checked::of(run_args)?;
    checked.foresee(run_args)?;
    let (token, warnings) = Token::read(&args.token_file)?;
    let tolerated = tolerated(&args.run.tolerance, args.run.agents)?;
    let terms = Terms { agents: args.run.agents.unwrap_or(1), wait: wait(&args.wait)?, tolerated };
    let (stop, quiet) = (signals::install()?, args.run.output.quiet);
    let listener = Listener::open(args.listen, &token)?;
    say(quiet, &tr!("agents-waited-for", agents = terms.agents, at = listener.address().to_string()));
    warn(&warnings);
    let pool = listener.gather(&terms, &stop, &mut |line| say(quiet, line))?;
    let exit = checked.run(run_args, &Placed { fleet: Some(&pool), address, given: None });
    for member in pool.members() {
        // Of one without a load no clock was compared.
        let Some(within_ns) = member.clock.within_ns() else { continue };
        let (ahead, within) = (member.clock.ahead_ns as f64 / 1e6, within_ns as f64 / 1e6);
        let (ahead, within) = (format!("{ahead:+.3} ms"), format!("{within:.3} ms"));
        let (index, host, address) = (member.index, member.host, member.address.to_string());
        say(quiet, &tr!("agents-clock", index, host, address, ahead, within));
    }
    exit
}

/// `proofload agent`.
pub fn agent(args: &AgentArgs) -> anyhow::Result<Exit> {
    let (token, warnings) = Token::read(&args.token_file)?;
    warn(&warnings);
    let index =
        args.index.map_or_else(|| index_from(|name| std::env::var(name).ok()), |index| Ok(Some(index)))?;
    let joining = Joining { at: args.join.clone(), token, index, wait: wait(&args.wait)? };
    let stop = signals::install()?;
    let _awake = Awake::keep();
    match join(execute_share, &joining, &stop, &mut |line| say(args.quiet, line)) {
        Ok(()) if stop.load(Ordering::Relaxed) => Ok(Exit::Interrupted),
        Ok(()) => Ok(Exit::Done),
        // Its coordinator reports more, and this one prints nothing.
        Err(RemoteError::Lost(_)) if args.quiet => Ok(Exit::Failure),
        Err(error) => Err(error.into()),
    }
}

/// The arguments with what a manifest sets in the study.
fn with_settings(args: &RunArgs) -> anyhow::Result<RunArgs> {
    let mut args = args.clone();
    if let Some(path) = std::env::var_os(SETTINGS).map(PathBuf::from) {
        let read = || anyhow::Ok(serde_json::from_str::<Vec<String>>(&std::fs::read_to_string(&path)?)?);
        args.set.extend(read().with_context(|| path.display().to_string())?);
    }
    Ok(args)
}

/// Prints warnings about a token, even with `--quiet`.
fn warn(warnings: &[Finding]) {
    warnings.iter().for_each(|warning| say(false, &told(warning)));
}

fn wait(text: &str) -> anyhow::Result<Duration> {
    let wait = quantity::duration(text).map_err(|mistake| wrong("--wait", mistake))?;
    Ok(Duration::from_nanos(wait))
}

/// Orders of commands on other machines, carried out on this one.
struct Lab;

impl Conductor for Lab {
    fn orders(&self) -> Result<PathBuf, RemoteError> {
        let cache = Cache::open().map_err(|error| RemoteError::FailedStart(error.to_string()))?;
        Ok(cache.root().join("places"))
    }

    fn program(&self) -> PathBuf {
        this_program()
    }

    fn unpack(&self, files: &mut dyn Read, into: &Path) -> Result<(), String> {
        unpack(files, Path::new("the files of the study"), into).map_err(|error| error.to_string())
    }

    fn conduct(&self, order: &Ordered<'_>) -> (u8, String) {
        match conducted(order) {
            Ok(exit) => (exit as u8, String::new()),
            Err(error) => (exit::of(&error) as u8, format!("{error:#}")),
        }
    }
}

/// Waits for the agents, runs the study.
fn conducted(of: &Ordered<'_>) -> anyhow::Result<Exit> {
    let (args, at) = (arguments(of)?, of.address()?);
    let address = of_this_machine(at.ip())?;
    let checked = Checked::of(&args)?;
    checked.foresee(&args)?;
    let tolerated = tolerated(&args.tolerance, Some(of.order.agents))?;
    let pool = of.gather(at, tolerated, &mut |line| say(args.output.quiet, line))?;
    let given = (of.order.arguments.as_slice(), of.order.directory.as_str());
    checked.run(&args, &Placed { fleet: Some(&pool), address, given: Some(given) })
}

/// The arguments as they were given there, for the files as they lie here.
fn arguments(of: &Ordered<'_>) -> anyhow::Result<RunArgs> {
    let words = std::iter::once("proofload").chain(of.order.arguments.iter().map(String::as_str));
    let Some(Verb::Run(args)) = args::read(words.map(OsString::from))?.verb else {
        return Err(leave(Exit::Usage, "not the arguments of proofload run"));
    };
    let mut args = *args;
    let files = of.folder.join("files");
    args.study = files.join(STUDY).join(args.study.file_name().unwrap_or_default());
    args.catalogue = Some(files.join(CATALOGUE)).filter(|catalogue| catalogue.is_dir());
    args.dir = of.folder.to_path_buf();
    (args.places, args.agents, args.output.output) = (Default::default(), None, Vec::new());
    // Figures are compared, and shown to others, where the record will be.
    (args.baseline.baseline, args.export) = (None, Default::default());
    Ok(args)
}

/// Task of a process that a command elsewhere starts here, by its first argument.
pub fn started_from_elsewhere(argument: &str) -> Option<anyhow::Result<Exit>> {
    let done = match argument {
        server::ARGUMENT => server::serve(&Lab).map_err(anyhow::Error::from),
        kubernetes::manifest::ATTEND => Lab
            .orders()
            .map_err(anyhow::Error::from)
            .and_then(|orders| Ok(pod_main::attend(&orders, |line| around::error_line(line))?)),
        pod_main::RECORD_ARGUMENT => {
            Lab.orders().and_then(|orders| pod_main::record(&orders)).map_err(anyhow::Error::from)
        }
        _ => return None,
    };
    Some(done.map(|()| Exit::Done))
}

/// Runs a checked study with servers on this machine, by its agents or by this process.
fn run_here(args: &RunArgs, checked: &Checked) -> anyhow::Result<Exit> {
    if args.debug {
        return crate::debug::study(args, checked);
    }
    let tolerated = fleet::tolerated(&args.tolerance, args.agents)?;
    let agents = args.agents.filter(|_| !args.explain);
    agents.map_or(Ok(()), |_| checked.foresee(args))?;
    let start = |agents| anyhow::Ok(fleet::start(agents, tolerated, &*signals::install()?)?);
    let pool = agents.map(start).transpose()?;
    checked.run(args, &Placed { fleet: pool.as_ref(), ..Placed::default() })
}
