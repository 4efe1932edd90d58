//! A whole study: prepared, planned, and carried out block by block into a record.
//!
//! [`StudyRun::prepare`] starts only the fetching and building of subjects; [`PreparedRun::execute`] starts servers.
//! Messages to a person go through [`Observer`].

mod error;
mod execute;
mod placed;

pub use error::{Changed, RunError};
pub use execute::{Executed, keep_interrupted};

use crate::generator_settings::check_cpus;
use crate::plan::{self, Length, Machine, Mode, Preset};
use crate::runner::{self, Behind, Benches, Hosts, Listener, LiveBenches, Preparing, Progress};
use crate::spreads;
use proofload_analysis::{compare, earlier_sittings};
use proofload_engine::{Generator, Here};
use proofload_facts::{Finding, Mistake};
use proofload_host::{self as host, clock};
use proofload_stats::Claim;
use proofload_store::Run;
use proofload_store::schema::{self, Environment, Plan};
use proofload_study::Study;
use proofload_study::told;
use proofload_subject::{Cache, Catalogue};
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

/// A study to run, and the terms of the run.
#[derive(Clone, Copy)]
pub struct StudyRun<'a> {
    pub study: &'a Study,
    pub preset: Preset,
    /// Other time than the preset's.
    pub length: Length,
    /// Other lengths than the preset's, as [`plan::retime`] reads them.
    pub timing: Option<&'a str>,
    /// Skip the measurement of the generator's ceiling.
    pub no_ceiling: bool,
    /// Longest wait in all for a machine that other programs leave alone; no wait when `None`.
    pub wait_for_quiet_ns: Option<u64>,
    /// The catalogue its subjects come from.
    pub catalogue: &'a Catalogue,
    /// Directory of fetched and built subjects.
    pub cache: &'a Cache,
    /// Directory in which `runs/` is made.
    pub dir: &'a Path,
    /// Order of measuring the variants; chosen by [`plan::choose_mode`] when `None`.
    pub mode: Option<Mode>,
    /// Seed; the study's, or one from the clock, when `None`.
    pub seed: Option<u64>,
    /// Threads of the generator; as many as it has CPUs when `None`.
    pub workers: Option<u32>,
    /// Start of the run: new, resumed or repeated.
    pub begin: Begin<'a>,
    /// Changes to the plan of a study of its own, when this run is part of a search or an audit.
    pub shape: Option<&'a dyn Fn(&mut Plan)>,
    pub benches: &'a dyn Benches,
    /// Generator of its loads.
    pub generator: &'a dyn Generator,
    /// Address on which its servers listen, one of this machine's: the loopback address unless they are loaded from
    /// elsewhere.
    pub address: IpAddr,
    /// The arguments and the working directory of its command; this process's own where there are none.
    pub given: Option<(&'a [String], &'a str)>,
    /// Listener to its loads while they last.
    pub listener: Option<&'a dyn Listener>,
}

/// Start of a run.
#[derive(Clone, Copy)]
pub enum Begin<'a> {
    New,
    /// With an earlier run, which goes on.
    Resume {
        run: &'a Run,
        /// Although servers or machine have changed.
        anyway: bool,
    },
    /// With an earlier run, which is repeated.
    Repeat {
        run: &'a Run,
        /// Although the servers are not the same.
        anyway: bool,
    },
}

/// Hears what happens in a run.
pub trait Observer {
    /// The record exists and the first block is about to begin. `claims` are empty in a search for a capacity.
    fn begun(&mut self, plan: &Plan, claims: &[Claim], behind: Behind);

    /// A step of the run.
    fn step(&mut self, step: &Progress<'_>);
}

/// Variants that are left out of a study, with the reason for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// They are about a setting that their JVM does not have; the study goes on without them.
    NotApplicable { variant: String, why: String },
    /// They cannot be measured on this machine; their claims stay undecided.
    Missing { variant: String, why: String },
}

/// The processes of a study, and the study that is left without the variants that are not applicable here.
pub struct Applicable<'a> {
    /// The study, or the part of it that is left.
    pub study: Cow<'a, Study>,
    pub hosts: Hosts,
    pub left_out: Vec<LeftOut>,
}

/// Fetches, builds and verifies every subject of a study.
///
/// # Errors
/// No variant can be started.
pub fn applicable<'a>(
    study: &'a Study,
    catalogue: &Catalogue,
    cache: &Cache,
    how: Preparing<'_>,
) -> Result<Applicable<'a>, RunError> {
    let mut hosts = runner::hosts(study, catalogue, cache, how)?;
    let mut study = Cow::Borrowed(study);
    let mut left_out = Vec::new();
    let name = |study: &Study, variant: usize| study.variants[variant].name.clone();
    if !hosts.not_applicable.is_empty() {
        let of = |(variant, why): &(usize, String)| LeftOut::NotApplicable {
            variant: name(&study, *variant),
            why: why.clone(),
        };
        left_out.extend(hosts.not_applicable.iter().map(of));
        let fewer = study.without(&hosts.not_applicable);
        hosts = runner::hosts(&fewer, catalogue, cache, how)?;
        study = Cow::Owned(fewer);
    }
    left_out.extend(
        hosts
            .missing
            .iter()
            .map(|(variant, why)| LeftOut::Missing { variant: name(&study, *variant), why: why.clone() }),
    );
    Ok(Applicable { study, hosts, left_out })
}

/// A study whose subjects are prepared and whose plan is made. Nothing has been started.
pub struct PreparedRun<'a> {
    run: StudyRun<'a>,
    /// The study, without the variants that are not applicable here.
    pub study: Cow<'a, Study>,
    pub hosts: Hosts,
    /// Variants that are left out.
    pub left_out: Vec<LeftOut>,
    pub environment: Environment,
    pub plan: Plan,
    /// Changes since the record that this run goes on with or repeats, accepted.
    accepted: Vec<Finding>,
}

impl<'a> StudyRun<'a> {
    /// A new run of a study at the default preset, whose record will be below `dir`.
    pub fn new(study: &'a Study, catalogue: &'a Catalogue, cache: &'a Cache, dir: &'a Path) -> Self {
        StudyRun {
            study,
            preset: Preset::Default,
            length: Length::default(),
            timing: None,
            no_ceiling: false,
            wait_for_quiet_ns: None,
            catalogue,
            cache,
            dir,
            mode: None,
            seed: None,
            workers: None,
            begin: Begin::New,
            shape: None,
            benches: &LiveBenches,
            generator: &Here,
            address: Ipv4Addr::LOCALHOST.into(),
            given: None,
            listener: None,
        }
    }

    /// Prepares the subjects and makes the plan.
    ///
    /// # Errors
    /// No variant can be started, or the mode or the lengths cannot be those that were requested.
    pub fn prepare(self, how: Preparing<'_>) -> Result<PreparedRun<'a>, RunError> {
        let agents = self.generator.agents();
        placed::check(self.study, &agents, how)?;
        let Applicable { study, hosts, left_out } = applicable(self.study, self.catalogue, self.cache, how)?;
        let environment = host::environment();
        if agents.is_empty() {
            check_cpus(&study).map_err(|wrong| RunError::Usage(told(&wrong)))?;
        }
        let share = placed::share(&environment.cpus, &agents);
        let seed = self.seed.or(study.seed).unwrap_or_else(clock::unix_ns);
        let mode = plan::choose_mode(&study, self.mode, host::memory_available_bytes())
            .map_err(|wrong| usage(wrong, "mode"))?;
        let make = |preset, budget_ns| {
            let machine = Machine::here(&share, &environment);
            let length = Length { budget_ns, ..self.length };
            let plan = plan::make(&study, preset, seed, length, mode.clone(), machine);
            Plan { no_ceiling: self.no_ceiling, ..plan }
        };
        let is_judged =
            study.capacity.is_none() && !study.declared_claims.is_empty() && self.preset != Preset::Smoke;
        let is_own =
            self.timing.is_none() && self.shape.is_none() && !matches!(self.begin, Begin::Resume { .. });
        // A plan that is only explained reports itself that its preset has no room for a verdict.
        let is_asked = self.length.budget_ns.is_some() || !matches!(how, Preparing::Resolve);
        let mut plan = match is_judged && is_own && is_asked {
            true => self.within_budget(&study, make)?,
            false => make(self.preset, self.length.budget_ns),
        };
        if let Some(list) = self.timing {
            plan::retime(&mut plan, list).map_err(|wrong| usage(wrong, "--timing"))?;
        }
        placed::enter(&mut plan, &agents, self.address);
        if let Some(shape) = self.shape {
            shape(&mut plan);
        }
        describe(&hosts, &mut plan);
        self.look_back(&mut plan, &study, &environment)?;
        let run = StudyRun { workers: self.workers.or(placed::workers(&agents)), ..self };
        Ok(PreparedRun { run, study, hosts, left_out, environment, plan, accepted: Vec::new() })
    }
}

impl StudyRun<'_> {
    /// The plan, or a shorter one where the time that was given has no room for its first look. A run that goes on was planned.
    fn within_budget(
        &self,
        study: &Study,
        make: impl Fn(Preset, Option<u64>) -> Plan,
    ) -> Result<Plan, RunError> {
        let chosen = |given_ns: Option<u64>| {
            let plan = make(self.preset, given_ns);
            match given_ns {
                Some(_) if !plan::has_room(study, &plan) => make(Preset::Quick, given_ns),
                _ => plan,
            }
        };
        let plan = chosen(self.length.budget_ns);
        match plan::too_short(study, &plan, |budget_ns| chosen(Some(budget_ns))) {
            Some(wrong) => Err(usage(wrong, "--budget")),
            None => Ok(plan),
        }
    }

    /// Enters in the plan the results of earlier sittings of the study, and the spreads that earlier runs of this
    /// machine lend, before the first block: the record alone must yield the verdict again, even if those change. A
    /// part of something larger is judged with its other parts, and a run that goes on has it from its beginning.
    fn look_back(&self, plan: &mut Plan, study: &Study, environment: &Environment) -> Result<(), RunError> {
        let is_new = self.shape.is_none() && !matches!(self.begin, Begin::Resume { .. });
        let is_judged = plan.capacity.is_none() && !plan.claims.is_empty();
        if is_new && is_judged && plan.preset != schema::Preset::Smoke {
            plan.earlier_sittings =
                earlier_sittings(self.dir, plan, environment).map_err(RunError::Record)?;
            spreads::lend(plan, study, environment, &spreads::read(self.cache, clock::unix_ns()));
        }
        Ok(())
    }
}

fn usage(wrong: Mistake, place: &str) -> RunError {
    RunError::Usage(told(&wrong.at(place)))
}

/// Enters the started programs into the plan.
fn describe(hosts: &Hosts, plan: &mut Plan) {
    for host in &hosts.ready {
        for &variant in &host.variants {
            let planned = &mut plan.variants[variant];
            host.prepared.describe(planned);
            planned.command = plan::redact_arguments(&planned.command);
        }
    }
}

impl PreparedRun<'_> {
    /// Enters in the plan the command of the run; compares it with the record that it goes on with or repeats.
    ///
    /// # Errors
    /// The changes since that record, unless they may be and are accepted.
    pub fn compare_with_record(&mut self) -> Result<(), RunError> {
        let plan = &mut self.plan;
        let (run, anyway, resumed) = match self.run.begin {
            Begin::New => {
                let (words, directory) = match self.run.given {
                    Some((words, directory)) => (words.to_vec(), directory.to_owned()),
                    None => (std::env::args().skip(1).collect(), host::working_directory()),
                };
                plan.arguments = plan::redact_own_arguments(&words);
                plan.working_directory = directory;
                return Ok(());
            }
            Begin::Resume { run, anyway } => (run, anyway, true),
            Begin::Repeat { run, anyway } => (run, anyway, false),
        };
        plan.arguments.clone_from(&run.plan().arguments);
        plan::keep_rules(plan, run.plan());
        plan.working_directory.clone_from(&run.plan().working_directory);
        let recorded = (run.plan(), run.environment());
        let (never, mut perhaps) = compare::continuation(recorded, (&*plan, &self.environment));
        let changed = |differences, is_another_study| Changed {
            path: run.path().to_path_buf(),
            resumed,
            differences,
            is_another_study,
        };
        if !never.is_empty() {
            return Err(RunError::Changed(changed(never, true)));
        }
        self.accepted = perhaps.iter().map(proofload_store::schema::Difference::finding).collect();
        if !resumed {
            // A repetition may be meant for another machine; other servers are another experiment.
            plan.repeats = run.path().display().to_string();
            if compare::machine_of(recorded.0, recorded.1) != compare::machine_of(plan, &self.environment) {
                plan.lent.clear();
            }
            plan.repeat_differences.clone_from(&self.accepted);
            perhaps.retain(|difference| difference.what.starts_with("variant "));
        }
        match perhaps.is_empty() || anyway {
            true => Ok(()),
            false => Err(RunError::Changed(changed(perhaps, false))),
        }
    }
}
