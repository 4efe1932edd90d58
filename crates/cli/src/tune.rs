//! `proofload tune`: heats of a search, then fresh blocks of where it led against the default.

use crate::args::{LengthsArg, ListFormat, PresetArgs, TuneArgs};
use crate::exit::{Exit, leave};
use crate::noise::output_of_part;
use crate::output;
use crate::run::{self, Begin, Conduct, Part, carry_out};
use crate::runs::print_json;
use proofload_host::clock;
use proofload_host::lock::MeasuringLock;
use proofload_lab::plan::{self, Mode};
use proofload_lab::runner::Preparing;
use proofload_stats::tune::{Heat, Race};
use proofload_stats::{Claim, Measure, Place, Side, Term, block_log_ratios, parse_claim};
use proofload_store::Run;
use proofload_store::schema::{FORMAT_VERSION, Plan, TuneHeat, TuneResult, TuneStanding};
use proofload_study::{self as study, Study};
use proofload_subject::{Cache, Catalogue};
use std::path::{Path, PathBuf};

/// Most variants that are searched: so many servers at once are a study of something else.
const VARIANTS_MAX: usize = 64;

/// What is to be made best.
struct Goal {
    measure: Measure,
    stream: Option<usize>,
    /// Index into the study's points.
    point: usize,
    maximize: bool,
}

/// Everything that a search needs.
struct Tuning<'a> {
    args: &'a TuneArgs,
    /// All variants, at the goal's load point alone, nothing claimed.
    study: Study,
    goal: Goal,
    default: usize,
    preset: PresetArgs,
    catalogue: Catalogue,
    cache: Cache,
    seed: u64,
    /// Time for all of it.
    budget_ns: u64,
    /// When that is used up, on the monotonic clock: it begins with the right to measure.
    until_ns: u64,
    result: TuneResult,
}

/// The verb.
pub fn tune(args: &TuneArgs) -> anyhow::Result<Exit> {
    let mut tuning = Tuning::new(args)?;
    let mut race = tuning.race()?;
    let held = run::right_to_measure(&tuning.study.name, args.no_wait, args.quiet)?;
    tuning.until_ns = clock::monotonic_ns().saturating_add(tuning.budget_ns);
    let heats = race.heats().len();
    while let Some(heat) = race.next_heat() {
        let (variants, blocks) = (heat.configurations.len(), heat.blocks);
        tuning.say(&format!("heat {} of {heats}: {variants} variants, {blocks} blocks", heat.number));
        if tuning.heat(&mut race, &heat, &held)? == Exit::Interrupted {
            return Ok(Exit::Interrupted);
        }
        race.close_heat();
    }
    let winner = race.winner();
    tuning.enter_standings(&race, winner);
    let confirmed = match winner == tuning.default {
        // As a study of which no claim is left: nothing was found to be better, and nothing was judged.
        true => Ok(Exit::Undecided),
        false => tuning.confirm(winner, &held),
    };
    // What the search came to is told whatever became of its confirmation.
    match args.format {
        ListFormat::Json => print_json(&tuning.result)?,
        ListFormat::Text => output::print(&proofload_report::tune_text(&tuning.result))?,
    }
    confirmed
}

impl<'a> Tuning<'a> {
    fn new(args: &'a TuneArgs) -> anyhow::Result<Self> {
        let budget_ns = study::quantity::duration(&args.budget)
            .map_err(|why| leave(Exit::Usage, format!("--budget {why}")))?;
        let cache = Cache::open().map_err(|error| leave(Exit::FailedStart, error))?.offline(args.offline);
        let catalogue = Catalogue::find(args.catalogue.as_deref(), args.study.parent())
            .map_err(|error| leave(Exit::Usage, error))?;
        let options = study::Options {
            quick: false,
            set: args.set.clone(),
            driver: args.driver.map(Into::into),
            only: args.only.clone(),
        };
        let whole = study::load(&args.study, &options, &catalogue)
            .map_err(|problems| leave(Exit::Usage, problems))?;
        // What is made best is what the study says, also where its first claim is left out with a variant.
        let goal = goal(args, &whole)?;
        let whole = applicable(whole, args, &catalogue, &cache)?;
        let default = match &args.default {
            None => 0,
            Some(text) => {
                let found = whole.names.variant(text);
                found.map_err(|why| leave(Exit::Usage, format!("--default: {why}")))?
            }
        };
        if !(2..=VARIANTS_MAX).contains(&whole.variants.len()) {
            let n = whole.variants.len();
            let what = format!(
                "{n} variants: a search chooses from 2 to {VARIANTS_MAX}; vary something, or --only less"
            );
            return Err(leave(Exit::Usage, what));
        }
        let study = bare(&whole, &goal);
        let mut result = TuneResult {
            format: FORMAT_VERSION,
            study: whole.name.clone(),
            goal: if goal.maximize { "maximize" } else { "minimize" }.to_string(),
            measure: goal.measure.name(),
            point: whole.names.points[goal.point].clone(),
            default: whole.names.variants[default].name.clone(),
            ..TuneResult::default()
        };
        result.stream = goal.stream.map(|stream| whole.names.streams[stream].clone()).unwrap_or_default();
        let preset = PresetArgs {
            quick: args.lengths == LengthsArg::Quick,
            thorough: args.lengths == LengthsArg::Thorough,
            no_ceiling: args.no_ceiling,
            timing: args.timing.clone(),
            ..PresetArgs::default()
        };
        let tuning = Tuning {
            args,
            goal,
            default,
            preset,
            catalogue,
            cache,
            seed: args.seed.or(study.seed).unwrap_or_else(clock::unix_ns),
            budget_ns,
            until_ns: u64::MAX,
            result,
            study,
        };
        // Whether the goal can be claimed at all shows now, not after the search.
        tuning.claimed(usize::from(default == 0)).map_err(|why| leave(Exit::Usage, why))?;
        Ok(tuning)
    }

    fn say(&self, line: &str) {
        if !self.args.quiet {
            eprintln!("{}", proofload_report::escape::terminal(line));
        }
    }

    /// The plan of a study of all variants: for what its blocks take.
    fn template(&self) -> anyhow::Result<Plan> {
        let mode = (Mode::Cycles, String::new());
        let mut plan =
            plan::make(&self.study, run::preset(&self.preset), self.seed, Some(u64::MAX), mode, &[], &[]);
        if let Some(list) = &self.preset.timing {
            plan::retime(&mut plan, list).map_err(|why| leave(Exit::Usage, format!("--timing {why}")))?;
        }
        Ok(plan)
    }

    /// How many blocks confirm what the search finds, and their seconds.
    fn confirming(&self, template: &Plan) -> (u32, f64) {
        let blocks = template.timing.looks.last().copied().unwrap_or(1);
        (blocks, f64::from(blocks) * plan::seconds_per_block(&self.study, template, 2))
    }

    /// What is left of the budget for the search.
    fn left_ns(&self) -> anyhow::Result<u64> {
        let (_, confirming_s) = self.confirming(&self.template()?);
        let left_ns = self.until_ns.saturating_sub(clock::monotonic_ns());
        Ok(left_ns.saturating_sub((confirming_s * 1e9) as u64))
    }

    /// The search that the budget has room for, beside the blocks that confirm what it finds.
    fn race(&self) -> anyhow::Result<Race> {
        let template = self.template()?;
        let seconds_of = |variants: usize| plan::seconds_per_block(&self.study, &template, variants);
        let (confirming, confirming_s) = self.confirming(&template);
        let budget_s = self.budget_ns as f64 / 1e9;
        let variants = self.study.variants.len();
        let race = Race::new(variants, self.default, self.seed, budget_s - confirming_s, &seconds_of);
        race.map_err(|shortest_s| {
            let minutes = ((shortest_s + confirming_s) / 60.0).ceil() + 1.0;
            let what = format!(
                "--budget {}: the shortest search among {variants} variants, with {confirming} blocks that confirm what \
                 it finds, takes about {minutes} minutes; give --budget {minutes}m, or --only less",
                self.args.budget
            );
            leave(Exit::Usage, what)
        })
    }

    /// A study of some of the variants, in that order.
    fn part(&self, variants: &[usize], name: &str, question: String) -> Study {
        let mut part = self.study.clone();
        part.variants = variants.iter().map(|&index| self.study.variants[index].clone()).collect();
        part.names.variants = variants.iter().map(|&i| self.study.names.variants[i].clone()).collect();
        part.only = part.variants.iter().map(|variant| variant.name.clone()).collect();
        Study { name: format!("{}-{name}", self.study.name), question, ..part }
    }

    fn run(&self, study: &Study, preset: &PresetArgs, part: Part<'_>) -> anyhow::Result<(Exit, PathBuf)> {
        let (exit, record) = carry_out(&Conduct {
            study,
            preset,
            catalogue: &self.catalogue,
            cache: &self.cache,
            dir: &self.args.dir,
            mode: None,
            seed: Some(self.seed.wrapping_add(self.result.heats.len() as u64)),
            workers: None,
            no_wait: self.args.no_wait,
            explain: false,
            baseline: None,
            base: Path::new(""),
            begin: Begin::New,
            part: Some(part),
            output: &output_of_part(self.args.quiet),
        })?;
        Ok((exit, record.unwrap_or_default()))
    }

    /// Runs a heat, and enters what it says. One that takes longer than was reckoned is cut, so that those after it and
    /// the confirmation have their time.
    fn heat(&mut self, race: &mut Race, heat: &Heat, held: &MeasuringLock) -> anyhow::Result<Exit> {
        let question = format!("Heat {} of a search: who stays?", heat.number);
        let study = self.part(&heat.configurations, "tune", question);
        let left_ns = self.left_ns()?;
        let shape = |plan: &mut Plan| {
            plan::reshape(plan, &study, &[heat.blocks], left_ns);
            plan.timing.perturbation_ns = 0;
            plan.not_tested.push("any claim: these blocks search, and judge nothing".to_string());
        };
        let (exit, record) = self.run(&study, &self.preset, Part { shape: &shape, held })?;
        if exit == Exit::Interrupted {
            return Ok(exit);
        }
        let run = Run::open(&record)?;
        let observations = run.observations(&[self.goal.measure])?;
        let place = Place { measure: self.goal.measure, point: 0, stream: self.goal.stream };
        let sign = if self.goal.maximize { 1.0 } else { -1.0 };
        let mut any = false;
        for (at, &configuration) in heat.configurations.iter().enumerate().skip(1) {
            let ratios = block_log_ratios(&observations, place, at, 0).into_iter().flatten();
            let differences: Vec<f64> = ratios.map(|ratio| sign * ratio).collect();
            any |= !differences.is_empty();
            race.enter(configuration, &differences);
        }
        if !any {
            let what = format!(
                "heat {}: no block has a {} of the default and of another variant that could be compared; see {}",
                heat.number,
                self.goal.measure.name(),
                record.display()
            );
            return Err(leave(Exit::Invalid, what));
        }
        self.result.heats.push(TuneHeat {
            variants: study.variants.iter().map(|variant| variant.name.clone()).collect(),
            blocks: observations.blocks.len() as u32,
            run: record.display().to_string(),
        });
        Ok(exit)
    }

    fn enter_standings(&mut self, race: &Race, winner: usize) {
        let name = |index: usize| self.study.variants[index].name.clone();
        let sign = if self.goal.maximize { 1.0 } else { -1.0 };
        let standing = |standing: proofload_stats::tune::Standing| TuneStanding {
            variant: name(standing.configuration),
            search_ratio: standing.mean.map(|mean| (sign * mean).exp()),
            blocks: standing.blocks,
            out_after: standing.out_after,
        };
        self.result.winner = name(winner);
        self.result.standings = race.standings().into_iter().map(standing).collect();
    }

    /// The study of a variant against the default, with its one claim.
    fn claimed(&self, winner: usize) -> Result<Study, String> {
        let (name, default) = (&self.study.variants[winner].name, &self.study.variants[self.default].name);
        let question = format!("Is {name} better than the default, {default}?");
        let mut study = self.part(&[winner, self.default], "tuned", question);
        let measure = match self.goal.stream {
            Some(stream) => format!("{}[{}]", self.goal.measure.name(), study.names.streams[stream]),
            None => self.goal.measure.name(),
        };
        let sign = if self.goal.maximize { '>' } else { '<' };
        let text = format!("{measure}({name}) {sign} {measure}({default}) @ {}", study.names.points[0]);
        let claim = "better than the default".to_string();
        study.claims = parse_claim(&claim, &text, &study.names)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        study.declared_claims = vec![(claim, text)];
        Ok(study)
    }

    /// Fresh blocks of the winner against the default, judged like any study.
    fn confirm(&mut self, winner: usize, held: &MeasuringLock) -> anyhow::Result<Exit> {
        let study = self.claimed(winner).map_err(|why| leave(Exit::Usage, why))?;
        self.say(&format!("the search leads to {}; fresh blocks tell", study.variants[0].name));
        let left_s = self.until_ns.saturating_sub(clock::monotonic_ns()) / 1_000_000_000;
        let preset = PresetArgs { budget: Some(format!("{}s", left_s.max(1))), ..self.preset.clone() };
        let shape = |plan: &mut Plan| {
            let found =
                "how the winner was found: it is the best of a search, whose figures are in no figure here";
            plan.not_tested.push(found.to_string());
        };
        let (exit, record) = self.run(&study, &preset, Part { shape: &shape, held })?;
        self.result.confirmation = Some(proofload_report::of_run(&Run::open(&record)?)?);
        Ok(exit)
    }
}

/// The study at the goal's load point alone, with nothing to judge.
fn bare(whole: &Study, goal: &Goal) -> Study {
    let mut study = whole.clone();
    study.points = vec![whole.points[goal.point].clone()];
    study.names.points = vec![whole.names.points[goal.point].clone()];
    study.claims.clear();
    study.declared_claims.clear();
    study.expectations.clear();
    study.references.clear();
    study
}

/// What is to be made best, from the flags or else from the first claim.
fn goal(args: &TuneArgs, study: &Study) -> anyhow::Result<Goal> {
    let (flag, text, maximize) = match (&args.maximize, &args.minimize) {
        (Some(text), _) => ("--maximize", text, true),
        (None, Some(text)) => ("--minimize", text, false),
        (None, None) => return goal_of_claim(study.claims.first()),
    };
    let mistake = |what: String| leave(Exit::Usage, format!("{flag} '{text}': {what}"));
    let (what, point) = match text.split_once('@') {
        Some((what, label)) => (what, study.names.point(label.trim()).map_err(mistake)?),
        None if study.points.len() == 1 => (text.as_str(), 0),
        None => {
            let known = study.names.points.join(", ");
            return Err(mistake(format!(
                "write the load point too, as '{text} @ {}'; there are {known}",
                study.names.points[0]
            )));
        }
    };
    let (name, stream) = match what.trim().strip_suffix(']').and_then(|what| what.split_once('[')) {
        Some((name, stream)) => (name, Some(study.names.stream(stream).map_err(mistake)?)),
        None => (what, None),
    };
    let measure = Measure::parse(name.trim()).ok_or_else(|| {
        mistake(format!("{} is no measure; write one such as throughput or p99", name.trim()))
    })?;
    checked(Goal { measure, stream, point, maximize }).map_err(|why| mistake(why.to_string()))
}

fn goal_of_claim(claim: Option<&Claim>) -> anyhow::Result<Goal> {
    let Some(Claim { left: Side::Measured { term, point, .. }, .. }) = claim else {
        let what =
            "the study claims nothing to make best; give --maximize or --minimize, as 'throughput @ 64c'";
        return Err(leave(Exit::Usage, what));
    };
    let (Term::Of { measure, stream, .. } | Term::Ratio { measure, stream, .. }) = term;
    // More is better of throughput alone; of all else that a claim may be about, less.
    let maximize = *measure == Measure::Throughput;
    let goal = Goal { measure: *measure, stream: *stream, point: *point, maximize };
    checked(goal)
        .map_err(|why| leave(Exit::Usage, format!("the first claim: {why}; give --maximize or --minimize")))
}

fn checked(goal: Goal) -> Result<Goal, &'static str> {
    match goal.measure {
        Measure::Errors | Measure::ErrorShare => {
            Err("errors are 0 where all is well, and a search compares ratios")
        }
        _ => Ok(goal),
    }
}

/// The study without the variants that are not applicable here, before it is counted by their places.
fn applicable(study: Study, args: &TuneArgs, catalogue: &Catalogue, cache: &Cache) -> anyhow::Result<Study> {
    let say = |line: &str| {
        if !args.quiet {
            eprintln!("{}", proofload_report::escape::terminal(line));
        }
    };
    let (_, left) = run::prepare(&study, (catalogue, cache, Preparing::Whole(&say)), &say)?;
    let Some(left) = left else { return Ok(study) };
    let first =
        |study: &Study| study.variants.first().map(|variant| variant.name.clone()).unwrap_or_default();
    if args.default.is_none() && first(&left) != first(&study) {
        let what = format!(
            "{} is not applicable here, and the others were to be compared with it; name another by --default",
            first(&study)
        );
        return Err(leave(Exit::Usage, what));
    }
    Ok(left)
}
