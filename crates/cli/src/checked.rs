//! A study that was checked, and runs where it is placed.

use crate::args::RunArgs;
use crate::around::Surroundings;
use crate::exit::{Exit, leave};
use crate::fleet;
use crate::run::{Request, catalogue, execute, options, run_error, timed};
use proofload_engine::Generator;
use proofload_lab::plan::Mode;
use proofload_lab::runner::Preparing;
use proofload_lab::study_run::StudyRun;
use proofload_remote::agents::AgentPool;
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};
use std::net::{IpAddr, Ipv4Addr};

/// A study without mistakes, and where what it needs comes from.
pub struct Checked {
    pub study: Study,
    catalogue: Catalogue,
    cache: Cache,
}

#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// The agents that carry its loads out; none where this process does.
    pub fleet: Option<&'a AgentPool>,
    pub address: IpAddr,
    /// The arguments and the working directory that it was asked for with, where that was elsewhere.
    pub given: Option<(&'a [String], &'a str)>,
}

impl Default for Placed<'_> {
    fn default() -> Self {
        Placed { fleet: None, address: Ipv4Addr::LOCALHOST.into(), given: None }
    }
}

impl Checked {
    /// Catalogue of its servers.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Sources of servers: the catalogue, and the cache of downloads.
    pub fn sources(&self) -> (&Catalogue, &Cache) {
        (&self.catalogue, &self.cache)
    }

    /// The study that the arguments name. A command that needs agents checks it before they are started or waited
    /// for.
    pub fn of(args: &RunArgs) -> anyhow::Result<Checked> {
        let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(args.offline);
        let catalogue = catalogue(args)?;
        let study = study::load(&args.study, &options(args), &catalogue)
            .map_err(|problems| leave(Exit::Usage, problems))?;
        Ok(Checked { study, catalogue, cache })
    }

    /// Finds mistakes of the plan before any agent is waited for. Nothing is fetched.
    pub fn foresee(&self, args: &RunArgs) -> anyhow::Result<()> {
        let run = self.study_run(args, &Placed::default())?;
        run.prepare(Preparing::Resolve).map(drop).map_err(run_error)
    }

    /// Runs it in its places. A run that lost more agents than it tolerates is invalid.
    pub fn run(&self, args: &RunArgs, placed: &Placed<'_>) -> anyhow::Result<Exit> {
        let ended = self.run_by(args, placed);
        placed.fleet.iter().for_each(|fleet| fleet::say_losses(fleet, args.output.quiet));
        match placed.fleet {
            Some(fleet) => fleet::unless_lost(fleet, ended),
            None => ended,
        }
    }

    fn study_run<'a>(&'a self, args: &'a RunArgs, placed: &Placed<'a>) -> anyhow::Result<StudyRun<'a>> {
        let Checked { study, catalogue, cache } = self;
        Ok(StudyRun {
            mode: args.mode.as_deref().and_then(Mode::from_name),
            seed: args.seed,
            address: placed.address,
            given: placed.given,
            ..timed(StudyRun::new(study, catalogue, cache, &args.dir), &args.preset)?
        })
    }

    fn run_by(&self, args: &RunArgs, placed: &Placed<'_>) -> anyhow::Result<Exit> {
        let around = Surroundings::here();
        let generator = placed.fleet.map_or(&*around.generator as &dyn Generator, |fleet| fleet);
        let run = StudyRun { generator, ..self.study_run(args, placed)? };
        execute(&Request {
            no_wait: args.no_wait,
            explain: args.explain,
            baseline: Some(&args.baseline),
            export: Some(&args.export),
            brought_home: placed.given.is_some(),
            ..Request::new(run, &args.output)
        })
    }
}
