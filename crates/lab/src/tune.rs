//! The search for the best of many variants: heats that drop the worse ones, then fresh blocks of the best against the
//! default.
//!
//! The rule by which variants drop out is [`proofload_stats::tune`]; here are the studies of its heats, and the results
//! from their records.

use crate::messages::tune as messages;
use crate::plan::{self, Mode, Preset};
use proofload_analysis::observations;
use proofload_facts::{Expected, Finding, Mistake, Thing};
use proofload_host::cpus::CpuShare;
use proofload_stats::tune::{Heat, Race, Standing};
use proofload_stats::{CellKey, Claim, Measure, Side, Term, block_log_ratios, parse_claim};
use proofload_store::schema::{FORMAT_VERSION, Plan, TuneHeat, TuneResult, TuneStanding};
use proofload_store::{Run, StoreError};
use proofload_study::Study;
use proofload_study::{told, unknown};

/// Most variants that are searched: that many servers at once are a study of something else.
pub const VARIANTS_MAX: usize = 64;

/// Figure to be made best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    measure: Measure,
    stream: Option<usize>,
    /// Index into the study's points.
    point: usize,
    maximize: bool,
}

impl Goal {
    /// `throughput @ 64c`, `p99[reads]`: the load point may be left out of a study that has one.
    ///
    /// # Errors
    /// The mistake in the text, and what to write.
    pub fn read(text: &str, maximize: bool, study: &Study) -> Result<Goal, Mistake> {
        let (what, point) = match text.split_once('@') {
            Some((what, label)) => (what, study.names.point(label.trim())?),
            None if study.points.len() == 1 => (text, 0),
            None => {
                let form = format!("'{text} @ {}'", study.names.points[0]);
                return Err(Mistake::not(text, Expected::MeasureAtPoint, form));
            }
        };
        let (name, stream) = match what.trim().strip_suffix(']').and_then(|what| what.split_once('[')) {
            Some((name, stream)) => (name, Some(study.names.stream(stream)?)),
            None => (what, None),
        };
        let measure = Measure::parse(name.trim()).ok_or_else(|| {
            let known: Vec<&str> = Measure::names().collect();
            unknown(Thing::Measure, name.trim(), &known)
        })?;
        Goal { measure, stream, point, maximize }.checked()
    }

    /// Figure of a claim; `None` for a claim without a measure.
    ///
    /// # Errors
    /// A measure that a search cannot compare.
    pub fn of_claim(claim: Option<&Claim>) -> Result<Option<Goal>, Mistake> {
        let Some(Claim { left: Side::Measured { term, point, .. }, .. }) = claim else { return Ok(None) };
        let (Term::Of { measure, stream, .. } | Term::Ratio { measure, stream, .. }) = term;
        let maximize = measure.more_is_better();
        Goal { measure: *measure, stream: *stream, point: *point, maximize }.checked().map(Some)
    }

    fn checked(self) -> Result<Goal, Mistake> {
        match self.measure {
            Measure::Errors | Measure::ErrorShare => {
                Err(Mistake::NotSearched { measure: self.measure.name() })
            }
            _ => Ok(self),
        }
    }

    fn sign(&self) -> f64 {
        if self.maximize { 1.0 } else { -1.0 }
    }
}

/// A search through all variants of a study, at its goal's load point alone.
pub struct Search {
    study: Study,
    goal: Goal,
    default: usize,
    preset: Preset,
    /// Other lengths than the preset's, as [`plan::retime`] reads them.
    timing: Option<String>,
    seed: u64,
    /// Result so far.
    pub result: TuneResult,
}

impl Search {
    /// A search for the goal among the variants of a study; `default` is the one that the best is compared with.
    ///
    /// # Errors
    /// A goal that cannot be claimed of these variants.
    pub fn new(
        whole: &Study,
        goal: Goal,
        default: usize,
        preset: Preset,
        timing: Option<String>,
        seed: u64,
    ) -> Result<Search, String> {
        let mut study = whole.clone();
        study.points = vec![whole.points[goal.point].clone()];
        study.names.points = vec![whole.names.points[goal.point].clone()];
        study.claims.clear();
        study.declared_claims.clear();
        study.expectations.clear();
        study.references.clear();
        let result = TuneResult {
            format: FORMAT_VERSION,
            study: whole.name.clone(),
            goal: if goal.maximize { "maximize" } else { "minimize" }.to_string(),
            measure: goal.measure.name(),
            stream: whole.names.stream_of(goal.stream),
            point: whole.names.points[goal.point].clone(),
            default: whole.names.variants[default].name.clone(),
            ..TuneResult::default()
        };
        let search = Search { study, goal, default, preset, timing, seed, result };
        // A goal that cannot be claimed fails now, not after the search.
        search.confirmation(usize::from(default == 0))?;
        Ok(search)
    }

    /// The study of all variants.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// Index of the variant that the best is compared with.
    pub fn default_variant(&self) -> usize {
        self.default
    }

    /// Seed of the next part: each has its own.
    pub fn part_seed(&self) -> u64 {
        self.seed.wrapping_add(self.result.heats.len() as u64)
    }

    /// The plan of a study of all variants: for what its blocks take.
    fn template(&self) -> Result<Plan, String> {
        let mode = (Mode::Cycles, Finding::SideBySide);
        let mut plan =
            plan::make(&self.study, self.preset, self.seed, Some(u64::MAX), mode, &CpuShare::default());
        if let Some(list) = &self.timing {
            plan::retime(&mut plan, list).map_err(|mistake| told(&mistake))?;
        }
        Ok(plan)
    }

    /// Number of blocks that confirm the result of the search, and their seconds.
    ///
    /// # Errors
    /// The mistake in the other lengths that were given.
    pub fn confirming(&self) -> Result<(u32, f64), String> {
        let template = self.template()?;
        let blocks = template.timing.looks.last().copied().unwrap_or(1);
        Ok((blocks, f64::from(blocks) * plan::seconds_per_block(&self.study, &template, 2)))
    }

    /// The heats that there is room for in a budget, beside the blocks that confirm their result.
    ///
    /// # Errors
    /// The mistake in the other lengths that were given; or, within, the whole minutes of the shortest search.
    pub fn race(&self, budget_s: f64) -> Result<Result<Race, f64>, String> {
        let template = self.template()?;
        let (_, confirming_s) = self.confirming()?;
        let seconds_of = |variants: usize| plan::seconds_per_block(&self.study, &template, variants);
        let variants = self.study.variants.len();
        let race = Race::new(variants, self.default, self.seed, budget_s - confirming_s, &seconds_of);
        Ok(race.map_err(|shortest_s| ((shortest_s + confirming_s) / 60.0).ceil() + 1.0))
    }

    /// A study of some of the variants, in that order.
    fn part(&self, variants: &[usize], name: &str, question: String) -> Study {
        let mut part = self.study.clone();
        part.variants = variants.iter().map(|&index| self.study.variants[index].clone()).collect();
        part.names.variants = variants.iter().map(|&i| self.study.names.variants[i].clone()).collect();
        part.only = part.variants.iter().map(|variant| variant.name.clone()).collect();
        Study { name: format!("{}-{name}", self.study.name), question, ..part }
    }

    /// The study of a heat.
    pub fn heat_study(&self, heat: &Heat) -> Study {
        let question = messages::heat_question(heat.number);
        self.part(&heat.configurations, "tune", question)
    }

    /// Makes the plan of a heat's study that of a heat, which has `left_ns` at most.
    pub fn shape_heat(plan: &mut Plan, study: &Study, heat: &Heat, left_ns: u64) {
        plan::reshape(plan, study, &[heat.blocks], left_ns);
        plan.timing.perturbation_ns = 0;
        plan.not_tested.push(Finding::HeatsJudgeNothing);
    }

    /// Enters the record of a heat in the race and in the result. False when no block of it can be compared.
    ///
    /// # Errors
    /// A record that cannot be read.
    pub fn enter(&mut self, race: &mut Race, heat: &Heat, run: &Run) -> Result<bool, StoreError> {
        let observations = observations(run, &[self.goal.measure])?;
        let place = CellKey { measure: self.goal.measure, point: 0, stream: self.goal.stream };
        let mut any = false;
        for (at, &configuration) in heat.configurations.iter().enumerate().skip(1) {
            let ratios = block_log_ratios(&observations, place, at, 0).into_iter().flatten();
            let differences: Vec<f64> = ratios.map(|ratio| self.goal.sign() * ratio).collect();
            any |= !differences.is_empty();
            race.enter(configuration, &differences);
        }
        if any {
            self.result.heats.push(TuneHeat {
                variants: heat.configurations.iter().map(|&index| self.name_of(index)).collect(),
                blocks: observations.blocks.len() as u32,
                run: run.path().display().to_string(),
            });
        }
        Ok(any)
    }

    /// Name of the measure that is made best.
    pub fn measure(&self) -> String {
        self.goal.measure.name()
    }

    fn name_of(&self, variant: usize) -> String {
        self.study.variants[variant].name.clone()
    }

    /// Enters the order in which variants ended.
    pub fn enter_standings(&mut self, race: &Race, winner: usize) {
        let standing = |standing: Standing| TuneStanding {
            variant: self.name_of(standing.configuration),
            search_ratio: standing.mean.map(|mean| (self.goal.sign() * mean).exp()),
            blocks: standing.blocks,
            out_after: standing.out_after,
        };
        self.result.standings = race.standings().into_iter().map(standing).collect();
        self.result.winner = self.name_of(winner);
    }

    /// The study of a variant against the default, with its one claim.
    ///
    /// # Errors
    /// A goal that cannot be claimed of them.
    pub fn confirmation(&self, winner: usize) -> Result<Study, String> {
        let (name, default) = (self.name_of(winner), self.name_of(self.default));
        let question = messages::confirmation_question(&name, &default);
        let mut study = self.part(&[winner, self.default], "tuned", question);
        let measure = match study.names.part(self.goal.stream) {
            Some(part) => format!("{}[{part}]", self.goal.measure.name()),
            None => self.goal.measure.name(),
        };
        let sign = if self.goal.maximize { '>' } else { '<' };
        let text = format!("{measure}({name}) {sign} {measure}({default}) @ {}", study.names.points[0]);
        let claim = messages::BETTER_THAN_THE_DEFAULT.to_string();
        study.claims = parse_claim(&claim, &text, &study.names)
            .map_err(|errors| errors.first().map(|error| told(&error.mistake)).unwrap_or_default())?;
        study.declared_claims = vec![(claim, text)];
        Ok(study)
    }

    /// Enters in the plan of the confirmation the search that found its variant.
    pub fn shape_confirmation(plan: &mut Plan) {
        plan.not_tested.push(Finding::WinnerOfSearch);
    }
}
