//! `proofload capacity`: the highest rate at which an objective holds.

use crate::args::{CapacityArgs, FleetArgs, PresetArgs};
use crate::exit::{Exit, leave};
use crate::flags;
use crate::fleet::with_agents;
use crate::run::{Request, execute, timed};
use proofload_facts::Mistake;
use proofload_lab::study_run::StudyRun;
use proofload_study::{Draft, Study, is_level};
use proofload_subject::{Cache, Catalogue};

pub fn capacity(args: &CapacityArgs) -> anyhow::Result<Exit> {
    if let Some(path) = &args.asked.save {
        return flags::save(draft(args), path);
    }
    let study = study_of(args)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?;
    let catalogue = Catalogue::find(None, None).map_err(|error| leave(Exit::Usage, error))?;
    let preset = preset(args);
    let fleet = if args.asked.explain { &FleetArgs::default() } else { &args.fleet };
    with_agents(fleet, args.output.quiet, |generator| {
        let run =
            StudyRun { generator, ..timed(StudyRun::new(&study, &catalogue, &cache, &args.dir), &preset)? };
        execute(&Request {
            no_wait: args.no_wait,
            explain: args.asked.explain,
            export: Some(&args.export),
            ..Request::new(run, &args.output)
        })
    })
}

/// Time limit of the search, as a preset.
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
///
/// # Errors
/// Every mistake of the arguments.
pub fn study_of(args: &CapacityArgs) -> anyhow::Result<Study> {
    flags::checked(draft(args))
}

/// The study that the flags describe.
pub fn draft(args: &CapacityArgs) -> Draft {
    let mut draft = flags::draft("capacity", "");
    let Some(asked) = flags::address(&mut draft, &args.url) else { return draft };
    let name = if is_level(&asked.url.name) { &asked.url.name } else { "a" };
    let question = format!("At which rate does {} still hold {}?", asked.url.name, args.slo.join(", "));
    draft.put("", &["question"], &question);
    flags::server(&mut draft, &["subjects", name], &asked, &args.load, true);
    flags::entry(&mut draft, "request", &asked.url, &args.load);
    flags::shared(&mut draft, &args.load);
    args.slo.iter().for_each(|text| draft.push("--slo", &["load", "capacity", "slo"], text));
    for (flag, key, text) in
        [("--from", "from", &args.from), ("--to", "to", &args.to), ("--trial", "trial", &args.trial)]
    {
        draft.put(flag, &["load", "capacity", key], text);
    }
    flags::open(&mut draft, &args.load, "capacity");
    if args.load.rate.is_some() {
        draft.add("-r", Mistake::NoMeaningBeside { beside: "--from, --to".to_owned() });
    }
    draft
}
