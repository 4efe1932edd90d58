//! From slices to the trials of a search: which of them passed, failed, or tell nothing about the server.

use crate::checks::{LENGTHENED, check_ceiling, concerns, finding};
use crate::observe::observations_of;
use proofload_facts::Finding;
use proofload_language::facts::told;
use proofload_stats::Measure;
use proofload_stats::capacity::{
    Limit, Outcome, SHORTFALL_MAX, Search, Slo, SloTerm, Stage, Terms, Trial, parse_slo,
};
use proofload_store::schema::{
    CapacityTrial, Ceiling, CheckName, CheckOutcome, PlannedCapacity, Point, Slice, TrialOutcome, TrialTerms,
    Variant,
};
use proofload_store::{Run, StoreError, counts_of, decode, ended_in_window};
use std::path::Path;

/// Checks that show that the load was not as intended, whatever server answered. Unsent requests are not among them:
/// a server that is too slow causes them, and those of the generator's making show in the others.
const CHECKS: [CheckName; 3] = [CheckName::Ports, CheckName::Descriptors, CheckName::Ceiling];
/// Checks of which a failure makes every latency look worse than it is, for it counts from the intended instant. They excuse
/// a trial that fails; one that passes all the same has passed.
const CHECKS_OF_LATENESS: [CheckName; 4] =
    [CheckName::SendDelayEarly, CheckName::SendDelay, CheckName::AtWork, CheckName::Away];
/// The same of the tail alone.
const CHECKS_OF_TAILS: [CheckName; 6] = [
    CheckName::Hiccups,
    CheckName::CeilingTail,
    CheckName::SendDelayTail,
    CheckName::LengthenedMean,
    CheckName::LengthenedP99,
    CheckName::LengthenedP999,
];
/// Share of the connections that are in use on average where they are the limit.
const CONNECTIONS_BUSY: f64 = 0.9;

/// A trial with what it was judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenTrial {
    pub variant: String,
    pub trial: Trial,
    pub shown: CapacityTrial,
}

/// Search terms of a plan.
///
/// # Errors
/// Fails if its objective or its range cannot be read.
pub fn search_terms(planned: &PlannedCapacity) -> Result<(Slo, Terms), String> {
    let slo = parse_slo(&planned.slo)
        .map_err(|mistakes| mistakes.iter().map(told).collect::<Vec<_>>().join("; "))?;
    let PlannedCapacity { from_per_s, to_per_s, trials_max, .. } = *planned;
    let is_range = to_per_s.is_finite() && 0.0 < from_per_s && from_per_s <= to_per_s;
    match is_range {
        true => Ok((slo, Terms { from_per_s, to_per_s, trials_max })),
        false => Err(format!("{from_per_s} to {to_per_s} is no range of rates")),
    }
}

/// The search of each variant as far as it came, with its trials, in the plan's order; none of a run that searches
/// nothing. The runner asks here for the next step of a search, so the last answer of a run is the one that its
/// record yields again.
///
/// # Errors
/// Fails if the plan's objective or a stored histogram cannot be read.
pub fn searches(run: &Run) -> Result<Vec<(Search, Vec<SeenTrial>)>, StoreError> {
    let Some(planned) = &run.plan().capacity else { return Ok(Vec::new()) };
    let (slo, terms) = search_terms(planned).map_err(|why| StoreError::Damaged {
        path: run.path().join(proofload_store::layout::PLAN),
        why: format!("capacity: {why}"),
    })?;
    let mut trials = Vec::new();
    for slice in trial_slices(run) {
        let ceiling = lowest(run.ceilings(), &slice.measured.variant);
        trials.extend(trial_of(slice, &slo, ceiling, run.plan().method, run.path())?);
    }
    let of_variant = |variant: &Variant| {
        let own: Vec<SeenTrial> =
            trials.iter().filter(|trial| trial.variant == variant.name).cloned().collect();
        let mut search = Search::new(terms.clone());
        own.iter().for_each(|trial| search.tell(trial.trial.clone()));
        (search, own)
    };
    Ok(run.plan().variants.iter().map(of_variant).collect())
}

/// The slices of all blocks in order, also of those that were cut off: a trial is whole by itself.
pub fn trial_slices(run: &Run) -> Vec<&Slice> {
    let whole = run.blocks().iter().map(|block| (block.number, &block.slices));
    let partial = run.excluded().iter().map(|block| (block.number, &block.slices));
    let mut blocks: Vec<(u32, &Vec<Slice>)> = whole.chain(partial).collect();
    blocks.sort_by_key(|(number, _)| *number);
    let slices = blocks.into_iter().flat_map(|(_, slices)| slices);
    slices.filter(|slice| slice.trial.is_some()).collect()
}

/// The ceiling that may have been a variant's limit.
fn lowest<'a>(ceilings: &'a [Ceiling], variant: &str) -> Option<&'a Ceiling> {
    let is_of = |of: &&Ceiling| of.variants.is_empty() || of.variants.iter().any(|name| name == variant);
    let known = ceilings.iter().filter(is_of).filter(|ceiling| ceiling.exchanges_per_s.is_some());
    known.min_by(|a, b| a.exchanges_per_s.unwrap_or(0.0).total_cmp(&b.exchanges_per_s.unwrap_or(0.0)))
}

/// A slice as a trial, by the rules of that method; `None` for one that is not a trial. `path` is named in errors.
///
/// # Errors
/// Fails if a histogram cannot be read.
pub fn trial_of(
    slice: &Slice,
    slo: &Slo,
    ceiling: Option<&Ceiling>,
    method: u32,
    path: &Path,
) -> Result<Option<SeenTrial>, StoreError> {
    let Some((terms, stage)) = slice.trial.as_ref().and_then(|terms| Some((terms, stage_of(terms)?))) else {
        return Ok(None);
    };
    let measures: Vec<Measure> = slo.terms.iter().map(|term| term.measure).collect();
    let observed = observations_of(slice, &measures)?;
    let cell = |measure| observed.cells.iter().find(|cell| cell.measure == measure);
    let mut judged = Judged::default();
    for term in &slo.terms {
        let cell = cell(term.measure);
        judged.enter(term, cell.and_then(|cell| cell.merged));
        let bounded = cell.filter(|cell| method > 0 && !cell.unfit.is_empty());
        let shortest = bounded.and_then(|cell| Some(cell.merged? * (-cell.reach().below).exp()));
        judged.fails_for_sure |= shortest.is_some_and(|shortest| !term.holds(shortest));
        if cell.is_some_and(|cell| cell.at_least) {
            judged.unended(term, &slice.measured);
        }
    }
    let (sent_share, carried_share) = shares(slice);
    judged.shortfall(|sent_share| Finding::SentTooFew { sent_share }, sent_share, 0.0);
    judged.shortfall(|carried_share| Finding::CarriedTooFew { carried_share }, carried_share, slack(slice));
    if terms.died {
        judged.fail(Finding::ServerGone);
    }
    let outcome = match judged.why.is_empty() {
        true => limited_by_generator(slice, ceiling, &[]).map_or(Outcome::Pass, |why| judged.limit(why)),
        false => match limited_by_generator(slice, ceiling, &judged.excuses(&measures)) {
            Some(why) => judged.limit(why),
            None if !judged.is_more_than_time && limited_by_connections(slice, slo, path)? => {
                let most = slice.measured.connections_most.max(slice.measured.connections);
                judged.why.insert(0, Finding::ConnectionsBusy { most });
                Outcome::Limited(Limit::Connections)
            }
            None => Outcome::Fail,
        },
    };
    let shown = CapacityTrial {
        rate_per_s: terms.rate_per_s,
        stage: terms.stage.clone(),
        fresh: terms.fresh,
        block: slice.block,
        outcome: outcome_of(outcome),
        values: judged.values.iter().map(|(name, value)| (name.clone(), *value)).collect(),
        sent_share,
        carried_share,
        why: judged.why,
    };
    let trial =
        Trial { rate_per_s: terms.rate_per_s, stage, fresh: terms.fresh, outcome, margin: judged.margin };
    Ok(Some(SeenTrial { variant: slice.measured.variant.clone(), trial, shown }))
}

fn stage_of(terms: &TrialTerms) -> Option<Stage> {
    Stage::from_name(terms.stage.name()).filter(|_| terms.rate_per_s.is_finite() && terms.rate_per_s > 0.0)
}

fn outcome_of(outcome: Outcome) -> TrialOutcome {
    match outcome {
        Outcome::Pass => TrialOutcome::Pass,
        Outcome::Fail => TrialOutcome::Fail,
        Outcome::Limited(Limit::Generator) => TrialOutcome::ClientLimited,
        Outcome::Limited(Limit::Connections) => TrialOutcome::ConnectionLimited,
    }
}

/// A trial while it is being judged.
#[derive(Default)]
struct Judged {
    values: Vec<(String, Option<f64>)>,
    why: Vec<Finding>,
    margin: Option<f64>,
    /// True if something other than time speaks against it.
    is_more_than_time: bool,
    /// True if an objective is missed by more than the generator may have added.
    fails_for_sure: bool,
}

impl Judged {
    fn enter(&mut self, term: &SloTerm, value: Option<f64>) {
        let name = term.measure.name();
        // Without a finished exchange there is no share of errors.
        let is_time = !matches!(term.measure, Measure::Errors | Measure::ErrorShare);
        match value {
            None => self.fail(Finding::NoValue { measure: name.clone() }),
            Some(found) => {
                let margin = (found / term.limit).ln();
                if term.limit > 0.0 && !margin.is_nan() {
                    let margin = margin.clamp(-20.0, 20.0);
                    self.margin = Some(self.margin.map_or(margin, |known| known.max(margin)));
                }
                if !term.holds(found) {
                    self.why.push(Finding::DoesNotHold { term: term.text.clone() });
                    self.is_more_than_time |= !is_time;
                }
            }
        }
        self.values.push((name, value));
    }

    /// A lower end shows of nothing that it is short enough.
    fn unended(&mut self, term: &SloTerm, point: &Point) {
        let unended = counts_of(&point.outcomes).unended();
        let (term, intended) = (term.text.clone(), point.intended);
        self.why.push(Finding::NeverEnded { term, unended, intended });
    }

    fn shortfall(&mut self, what: impl Fn(f64) -> Finding, share: Option<f64>, slack: f64) {
        match share {
            None => self.fail(Finding::NothingDue),
            Some(share) if share < 1.0 - SHORTFALL_MAX - slack => {
                self.why.push(what(share));
            }
            Some(_) => {}
        }
    }

    fn fail(&mut self, why: Finding) {
        self.is_more_than_time = true;
        if !self.why.contains(&why) {
            self.why.push(why);
        }
    }

    /// The checks that excuse a failure of an objective of these measures.
    fn excuses(&self, measures: &[Measure]) -> Vec<CheckName> {
        if self.fails_for_sure {
            return Vec::new();
        }
        let concerned = |check: &CheckName| measures.iter().any(|measure| concerns(check, *measure));
        CHECKS_OF_LATENESS.into_iter().chain(CHECKS_OF_TAILS.into_iter().filter(concerned)).collect()
    }

    fn limit(&mut self, why: Finding) -> Outcome {
        self.why.insert(0, why);
        Outcome::Limited(Limit::Generator)
    }
}

/// Share of the planned requests that was sent, and share of those due in the window that ended in it.
fn shares(slice: &Slice) -> (Option<f64>, Option<f64>) {
    let point = &slice.measured;
    let of_intended = |n: u64| (point.intended > 0).then(|| n as f64 / point.intended as f64);
    (of_intended(point.sent), of_intended(ended_in_window(slice)))
}

/// Chance difference between the exchanges in flight at either end of a window: three times the root of their mean
/// number, as a share of those due.
fn slack(slice: &Slice) -> f64 {
    let point = &slice.measured;
    let in_flight =
        point.throughput_per_s.zip(point.response_time_ns.mean).map_or(0.0, |(x, ns)| x * ns / 1e9);
    3.0 * in_flight.max(1.0).sqrt() / point.intended.max(1) as f64
}

/// Finding of the generator about itself that the server did not cause.
fn limited_by_generator(slice: &Slice, ceiling: Option<&Ceiling>, excuses: &[CheckName]) -> Option<Finding> {
    let generator = &slice.measured.generator;
    let mut of_record =
        check_ceiling(&[&slice.measured], false, ceiling, &Finding::CeilingNotRecorded).to_vec();
    if generator.checks.iter().any(|check| LENGTHENED.contains(&check.check)) {
        of_record.retain(|check| check.check != CheckName::CeilingTail);
    }
    let mut checks = generator.checks.iter().chain(&of_record);
    let counts = |name: &CheckName| CHECKS.contains(name) || excuses.contains(name);
    let failed = checks.find(|check| check.outcome == CheckOutcome::Failed && counts(&check.check))?;
    let said = finding(failed)
        .filter(|_| CHECKS_OF_TAILS.contains(&failed.check) || failed.check == CheckName::Ceiling);
    // The finding of a failed check is in the list; unsent requests follow from it.
    let own = generator.findings.iter().find(|found| !matches!(found, Finding::LoadNotOffered { .. }));
    let check = || Finding::CheckFailed { check: failed.check.name().to_string() };
    Some(said.or_else(|| own.cloned()).unwrap_or_else(check))
}

/// True if the server answered everything in time, once the request was sent, over connections that were all busy.
fn limited_by_connections(slice: &Slice, slo: &Slo, path: &Path) -> Result<bool, StoreError> {
    let point = &slice.measured;
    let most = f64::from(point.connections_most.max(point.connections));
    let in_use = point.throughput_per_s.zip(point.service_time_ns.mean).map(|(x, ns)| x * ns / 1e9);
    if most < 1.0 || in_use.is_none_or(|in_use| in_use < CONNECTIONS_BUSY * most) {
        return Ok(false);
    }
    let service = decode(&slice.histograms.service_time, path)?;
    let first_byte = decode(&slice.histograms.first_byte, path)?;
    let in_time = |term: &SloTerm| {
        let times = if term.measure.is_of_first_byte() { &first_byte } else { &service };
        let found = match term.measure.of_whole() {
            Measure::ResponseQuantile(q) => times.quantile_ns(f64::from(q) / 10_000.0).map(|ns| ns as f64),
            Measure::ResponseMax => times.quantile_ns(1.0).map(|ns| ns as f64),
            Measure::ResponseMean => times.mean_ns(),
            _ => return true,
        };
        found.is_some_and(|found| term.holds(found))
    };
    Ok(slo.terms.iter().all(in_time))
}

#[cfg(test)]
mod tests;
