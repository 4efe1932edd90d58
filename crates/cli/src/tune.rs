//! `proofload tune`: heats of a search, then fresh blocks of the best variant against the default.

use crate::args::{LengthsArg, ListFormat, TuneArgs};
use crate::exit::{Exit, leave};
use crate::fleet::{tolerated, with_agents};
use crate::mistakes::wrong;
use crate::noise::output_of_part;
use crate::output;
use crate::run::{self, Request, execute, execute_recorded};
use crate::runs::print_json;
use proofload_engine::Generator;
use proofload_host::clock;
use proofload_host::lock::MeasuringLock;
use proofload_lab::plan::{Length, Preset};
use proofload_lab::runner::Preparing;
use proofload_lab::study_run::{StudyRun, applicable};
use proofload_lab::tune::{Goal, Search, VARIANTS_MAX};
use proofload_language::tr;
use proofload_stats::tune::{Heat, Race};
use proofload_store::Run;
use proofload_store::schema::Plan;
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};
use std::path::PathBuf;

struct Tuning<'a> {
    args: &'a TuneArgs,
    search: Search,
    catalogue: Catalogue,
    cache: Cache,
    preset: Preset,
    /// Held from the first heat to the confirmation, so that no other process measures between them.
    held: MeasuringLock,
    /// End of the budget, on the monotonic clock.
    until_ns: u64,
    generator: &'a dyn Generator,
}

pub fn tune(args: &TuneArgs) -> anyhow::Result<Exit> {
    let budget_ns = study::quantity::duration(&args.budget).map_err(|mistake| wrong("--budget", mistake))?;
    tolerated(&args.fleet.tolerance, args.fleet.agents)?;
    let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(args.offline);
    let catalogue = Catalogue::find(args.catalogue.as_deref(), args.study.parent())
        .map_err(|error| leave(Exit::Usage, error))?;
    let preset = match args.lengths {
        LengthsArg::Quick => Preset::Quick,
        LengthsArg::Thorough => Preset::Thorough,
        _ => Preset::Default,
    };
    let search = search(args, &catalogue, &cache, preset)?;
    let mut race = race(args, &search, budget_ns)?;
    if args.explain {
        let (variants, heats) = (search.study().variants.len(), race.heats().len());
        output::print(&format!("{}\n\n", tr!("tune-explain", variants, heats, budget = args.budget)))?;
        let run = StudyRun {
            preset,
            timing: args.timing.as_deref(),
            no_ceiling: args.no_ceiling,
            seed: args.seed,
            ..StudyRun::new(search.study(), &catalogue, &cache, &args.dir)
        };
        let output = output_of_part(args.quiet);
        return execute(&Request { explain: true, ..Request::new(run, &output) });
    }
    let held = run::right_to_measure(&search.study().name, args.no_wait, args.quiet)?;
    let until_ns = clock::monotonic_ns().saturating_add(budget_ns);
    with_agents(&args.fleet, args.quiet, |generator| {
        Tuning { args, search, catalogue, cache, preset, held, until_ns, generator }.finish(&mut race)
    })
}

/// The search that the arguments ask for.
fn search(args: &TuneArgs, catalogue: &Catalogue, cache: &Cache, preset: Preset) -> anyhow::Result<Search> {
    let options = study::Options {
        quick: false,
        set: args.cpus.and(&args.set),
        driver: args.driver.map(Into::into),
        only: args.only.clone(),
    };
    let whole =
        study::load(&args.study, &options, catalogue).map_err(|problems| leave(Exit::Usage, problems))?;
    // The goal is that of the study, also where its first claim is left out with a variant.
    let goal = goal(args, &whole)?;
    let whole = applicable_here(&whole, args, catalogue, cache)?;
    let default = match &args.default {
        None => 0,
        Some(text) => {
            let found = whole.names.variant(text);
            found.map_err(|mistake| wrong("--default", mistake))?
        }
    };
    if !(2..=VARIANTS_MAX).contains(&whole.variants.len()) {
        let n = whole.variants.len();
        let what = format!(
            "{n} variants: a search chooses from 2 to {VARIANTS_MAX}; vary something, or --only less"
        );
        return Err(leave(Exit::Usage, what));
    }
    let seed = args.seed.or(whole.seed).unwrap_or_else(clock::unix_ns);
    Search::new(&whole, goal, default, preset, args.timing.clone(), seed)
        .map_err(|why| leave(Exit::Usage, why))
}

/// Goal of the search, from the flags or else from the first claim.
fn goal(args: &TuneArgs, study: &Study) -> anyhow::Result<Goal> {
    let (flag, text, maximize) = match (&args.maximize, &args.minimize) {
        (Some(text), _) => ("--maximize", text, true),
        (None, Some(text)) => ("--minimize", text, false),
        (None, None) => {
            let what =
                "the study claims nothing to make best; give --maximize or --minimize, as 'throughput @ 64c'";
            let found = Goal::of_claim(study.claims.first());
            let found = found.map_err(|mistake| wrong("--maximize, --minimize", mistake))?;
            return found.ok_or_else(|| leave(Exit::Usage, what));
        }
    };
    Goal::read(text, maximize, study).map_err(|mistake| wrong(flag, mistake))
}

/// The study without the variants that are not applicable here, before it is counted by their places.
fn applicable_here(
    study: &Study,
    args: &TuneArgs,
    catalogue: &Catalogue,
    cache: &Cache,
) -> anyhow::Result<Study> {
    let say = |line: &str| run::say(args.quiet, line);
    let how = if args.explain { Preparing::Resolve } else { Preparing::Whole(&say) };
    let left = applicable(study, catalogue, cache, how).map_err(run::run_error)?;
    run::say_left_out(&left.left_out, args.quiet);
    let first =
        |study: &Study| study.variants.first().map(|variant| variant.name.clone()).unwrap_or_default();
    if args.default.is_none() && first(&left.study) != first(study) {
        let what = format!(
            "{} is not applicable here, and the others were to be compared with it; name another by --default",
            first(study)
        );
        return Err(leave(Exit::Usage, what));
    }
    Ok(left.study.into_owned())
}

/// The heats that the budget has room for, beside the blocks that confirm what they find.
fn race(args: &TuneArgs, search: &Search, budget_ns: u64) -> anyhow::Result<Race> {
    let found = search.race(budget_ns as f64 / 1e9).map_err(timing_error)?;
    let (confirming, _) = search.confirming().map_err(timing_error)?;
    found.map_err(|minutes| {
        let what = format!(
            "--budget {}: the shortest search among {} variants, with {confirming} blocks that confirm what it finds, \
             takes about {minutes} minutes; give --budget {minutes}m, or --only less",
            args.budget,
            search.study().variants.len()
        );
        leave(Exit::Usage, what)
    })
}

fn timing_error(why: String) -> anyhow::Error {
    leave(Exit::Usage, format!("--timing {why}"))
}

impl Tuning<'_> {
    fn finish(mut self, race: &mut Race) -> anyhow::Result<Exit> {
        if self.heats(race)? == Exit::Interrupted {
            return Ok(Exit::Interrupted);
        }
        let winner = race.winner();
        self.search.enter_standings(race, winner);
        let confirmed = match winner == self.search.default_variant() {
            // As a study of which no claim is left: nothing was found to be better, and nothing was judged.
            true => Ok(Exit::Undecided),
            false => self.confirm(winner),
        };
        // The result of the search is printed whatever the outcome of its confirmation.
        match self.args.format {
            ListFormat::Json => print_json(&self.search.result)?,
            ListFormat::Text => {
                let on = output::standard_output();
                output::print(&proofload_report::tune_text(&self.search.result, on, self.args.verbose))?;
            }
        }
        confirmed
    }

    /// Runs all heats, and enters the result of each.
    fn heats(&mut self, race: &mut Race) -> anyhow::Result<Exit> {
        let heats = race.heats().len();
        while let Some(heat) = race.next_heat() {
            let (variants, blocks) = (heat.configurations.len(), heat.blocks);
            self.say(&tr!("tune-heat", heat = heat.number, heats, variants, blocks));
            if self.heat(race, &heat)? == Exit::Interrupted {
                return Ok(Exit::Interrupted);
            }
            race.close_heat();
        }
        Ok(Exit::Done)
    }

    /// One that takes longer than was reckoned is cut, so that those after it and the confirmation have their time.
    fn heat(&mut self, race: &mut Race, heat: &Heat) -> anyhow::Result<Exit> {
        let study = self.search.heat_study(heat);
        let (_, confirming_s) = self.search.confirming().map_err(timing_error)?;
        let left_ns = self.left_ns().saturating_sub((confirming_s * 1e9) as u64);
        let shape = |plan: &mut Plan| Search::shape_heat(plan, &study, heat, left_ns);
        let (exit, record) = self.part(&study, Length::default(), &shape)?;
        if exit == Exit::Interrupted {
            return Ok(exit);
        }
        if !self.search.enter(race, heat, &Run::open(&record)?)? {
            let what = format!(
                "heat {}: no block has a {} of the default and of another variant that could be compared; see {}",
                heat.number,
                self.search.measure(),
                record.display()
            );
            return Err(leave(Exit::Invalid, what));
        }
        Ok(exit)
    }

    /// Fresh blocks of the winner against the default, judged like any study.
    fn confirm(&mut self, winner: usize) -> anyhow::Result<Exit> {
        let study = self.search.confirmation(winner).map_err(|why| leave(Exit::Usage, why))?;
        self.say(&tr!("tune-leads-to", variant = study.variants[0].name));
        let left_s = (self.left_ns() / 1_000_000_000).max(1);
        let length = Length { budget_ns: Some(left_s * 1_000_000_000), keep_going: false };
        let (exit, record) = self.part(&study, length, &Search::shape_confirmation)?;
        let record = Run::open(&record)?;
        let judged = self.args.format.language().within(|| proofload_report::of_run(&record));
        self.search.result.confirmation = Some(judged?);
        Ok(exit)
    }

    fn left_ns(&self) -> u64 {
        self.until_ns.saturating_sub(clock::monotonic_ns())
    }

    fn say(&self, line: &str) {
        run::say(self.args.quiet, line);
    }

    fn part(
        &self,
        study: &Study,
        length: Length,
        shape: &dyn Fn(&mut Plan),
    ) -> anyhow::Result<(Exit, PathBuf)> {
        let run = StudyRun {
            preset: self.preset,
            length,
            timing: self.args.timing.as_deref(),
            no_ceiling: self.args.no_ceiling,
            seed: Some(self.search.part_seed()),
            shape: Some(shape),
            generator: self.generator,
            ..StudyRun::new(study, &self.catalogue, &self.cache, &self.args.dir)
        };
        let output = output_of_part(self.args.quiet);
        let request = Request { held: Some(&self.held), ..Request::new(run, &output) };
        let (exit, record) = execute_recorded(&request)?;
        Ok((exit, record.unwrap_or_default()))
    }
}
