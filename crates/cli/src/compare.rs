//! `proofload compare`: which of two servers is the faster one, running or started by commands.

use crate::args::CompareArgs;
use crate::exit::{Exit, leave};
use crate::fleet::with_agents;
use crate::load;
use crate::mistakes::Mistakes;
use crate::run::{Request, execute, timed};
use proofload_facts::Mistake;
use proofload_lab::study_run::StudyRun;
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};

pub fn compare(args: &CompareArgs) -> anyhow::Result<Exit> {
    let study = study_of(args)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    with_agents(&args.fleet, args.output.quiet, |generator| {
        let run = StudyRun {
            seed: args.load.seed,
            workers: args.load.workers,
            generator,
            ..timed(StudyRun::new(&study, &catalogue, &cache, &args.dir), &args.preset)?
        };
        execute(&Request { export: Some(&args.export), ..Request::new(run, &args.output) })
    })
}

/// The study that the arguments make.
pub fn study_of(args: &CompareArgs) -> anyhow::Result<Study> {
    let mut mistakes = Mistakes::default();
    let point = load::point(&args.load, &mut mistakes);
    let request = load::request(&args.load, &mut mistakes);
    if args.load.unix.is_some() {
        mistakes.add("--unix", Mistake::OneServer);
    }
    mistakes.check()?;
    let claims: Vec<(String, String)> = args.claims.iter().map(|text| (text.clone(), text.clone())).collect();
    let study = study::comparison(&args.servers, &args.path, request, point, &claims);
    let study = study.map_err(|problems| leave(Exit::Usage, problems))?;
    Ok(Study { conditions: args.load.conditions(), ..study })
}
