//! `proofload capacity`: the highest rate at which an objective holds.

use crate::args::{CapacityArgs, LoadArgs, PresetArgs};
use crate::exit::{Exit, leave};
use crate::fleet::with_agents;
use crate::load;
use crate::mistakes::Mistakes;
use crate::run::{Request, execute, timed};
use proofload_engine::Arrival;
use proofload_facts::Mistake;
use proofload_lab::study_run::StudyRun;
use proofload_study::overflow::Sending;
use proofload_study::{self as study, CapacityLoad, Study, capacity_point};
use proofload_subject::{Cache, Catalogue};

pub fn capacity(args: &CapacityArgs) -> anyhow::Result<Exit> {
    let study = study_of(args)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    let preset = preset(args);
    with_agents(&args.fleet, args.output.quiet, |generator| {
        let run = StudyRun {
            seed: args.load.seed,
            workers: args.load.workers,
            generator,
            ..timed(StudyRun::new(&study, &catalogue, &cache, &args.dir), &preset)?
        };
        execute(&Request {
            no_wait: args.no_wait,
            export: Some(&args.export),
            ..Request::new(run, &args.output)
        })
    })
}

/// How much time the search takes.
pub fn preset(args: &CapacityArgs) -> PresetArgs {
    PresetArgs {
        smoke: false,
        quick: false,
        thorough: false,
        keep_going: false,
        wait_for_quiet: None,
        budget: Some(args.budget.clone()),
        no_ceiling: args.no_ceiling,
        timing: None,
    }
}

/// The study that the arguments make.
pub fn study_of(args: &CapacityArgs) -> anyhow::Result<Study> {
    let mut mistakes = Mistakes::default();
    let searched = CapacityLoad::read(&args.slo, Some(&args.from), Some(&args.to), Some(&args.trial))
        .map_err(|found| {
            found.into_iter().for_each(|(key, mistake)| mistakes.add(&format!("--{key}"), mistake));
        });
    if args.load.rate.is_some() {
        mistakes.add("-r", Mistake::NoMeaningBeside { beside: "--from, --to".to_owned() });
    }
    if args.load.think.is_some() {
        mistakes.add("--think", Mistake::OpenThinks);
    }
    // An open load of any rate has the connections, the reuse and the overflow of that which is searched.
    let open = LoadArgs {
        connections: args.load.connections.clone().or(Some("auto".to_string())),
        rate: Some("1/s".to_string()),
        poisson: true,
        think: None,
        ..args.load.clone()
    };
    let point = load::point(&open, &mut mistakes);
    let request = load::request(&args.load, &mut mistakes);
    mistakes.check()?;
    let Ok(searched) = searched else { unreachable!("its mistakes were told") };
    let (connections, coalesce_ns, open) = (point.connections, point.profile.coalesce_ns(), point.open);
    let sending = Sending { connections, coalesce_ns, open };
    let point = capacity_point(&searched, Arrival::Poisson, point.keep_alive, sending);
    let study = study::searched(&args.url, &request, point, searched);
    let study = study.map_err(|problems| leave(Exit::Usage, problems))?;
    Ok(Study { conditions: args.load.conditions(), ..study })
}
