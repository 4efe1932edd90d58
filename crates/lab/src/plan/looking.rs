//! Length of a study, and its looks.

use super::S;
use super::reckon::Reckoning;
use proofload_facts::Mistake;
use proofload_stats::Design;
use proofload_store::schema::{Looking, Plan, Replication, Timing};
use proofload_study::Study;

/// Most blocks of a study that keeps going.
pub const KEEP_GOING_BLOCKS_MAX: u32 = 200;

/// Time that a study may take that keeps going and was given none: a day.
const KEEP_GOING_BUDGET_NS: u64 = 24 * 60 * 60 * S;

/// Factor between a sufficient time and the estimated time: a busy machine does everything a little later.
const ENOUGH: f64 = 1.1;

/// Length of a study; by default that of the preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length {
    /// Time for the whole study, if given on the command line.
    pub budget_ns: Option<u64>,
    /// Goes on until every claim is settled, with a look after every block.
    pub keep_going: bool,
}

impl From<Option<u64>> for Length {
    /// So much time, or the preset's.
    fn from(budget_ns: Option<u64>) -> Length {
        Length { budget_ns, keep_going: false }
    }
}

impl Length {
    /// Enters it in the timing of a preset.
    pub(super) fn enter(self, timing: &mut Timing) {
        if self.keep_going {
            timing.looks = Design::anytime(KEEP_GOING_BLOCKS_MAX).looks;
            timing.looking = Looking::Anytime;
            // There is no last look that could be in vain.
            timing.futility = false;
            timing.budget_ns = KEEP_GOING_BUDGET_NS;
        }
        timing.budget_ns = self.budget_ns.unwrap_or(timing.budget_ns);
    }
}

/// True if the budget has room for the first look. A soak is run for its trends, which one block shows.
pub fn has_room(study: &Study, plan: &Plan) -> bool {
    let is_soak = plan.points.iter().any(|point| point.checkpoint_ns > 0);
    is_soak || needed_s(study, plan) <= plan.timing.budget_ns as f64 / S as f64
}

/// Seconds of the blocks up to the first look.
fn needed_s(study: &Study, plan: &Plan) -> f64 {
    Reckoning::of(study, plan).seconds(&plan.timing, plan.timing.looks.first().copied().unwrap_or(1))
}

/// The mistake of a budget that is too short for any verdict, with one that is not; `None` where the first look fits.
/// `make` is the plan with another budget.
pub fn too_short(study: &Study, plan: &Plan, make: impl Fn(u64) -> Plan) -> Option<Mistake> {
    let first = *plan.timing.looks.first().filter(|_| plan.timing.looks != [1])?;
    if has_room(study, plan) {
        return None;
    }
    let (needed_s, given_s) = (needed_s(study, plan), plan.timing.budget_ns as f64 / S as f64);
    // With more time rounds may become longer, so the plan with the named budget gives their time.
    let enough_s = |plan: &Plan| {
        let first = plan.timing.looks.first().copied().unwrap_or(first);
        ENOUGH * Reckoning { slowest: true, ..Reckoning::of(study, plan) }.seconds(&plan.timing, first)
    };
    let mut budget_s = round_up(enough_s(plan));
    while enough_s(&make(budget_s * S)) > budget_s as f64 {
        budget_s = round_up(budget_s as f64 * 1.05);
    }
    let budget = in_words(budget_s);
    let rounds = plan.replication == Replication::Process;
    Some(Mistake::BudgetTooShort { given_s, first, needed_s: needed_s.ceil(), rounds, budget })
}

/// A budget, as it is given, that is enough for that estimated time.
pub(crate) fn enough(ns: u64) -> String {
    in_words(round_up(ENOUGH * ns as f64 / S as f64))
}

fn in_words(seconds: u64) -> String {
    match seconds {
        seconds if seconds < 120 => format!("{seconds}s"),
        seconds => format!("{}m", seconds / 60),
    }
}

/// Whole seconds, or of more than two minutes whole minutes.
fn round_up(seconds: f64) -> u64 {
    match seconds.ceil() as u64 {
        short if short < 120 => short,
        long => long.div_ceil(60) * 60,
    }
}

/// Lets a run that goes on, or is repeated, do so by the rules with which it was begun: a record that was planned
/// before a rule existed is conducted and judged without it.
pub fn keep_rules(plan: &mut Plan, begun: &Plan) {
    plan.method = begun.method;
    plan.timing.futility = begun.timing.futility;
    plan.timing.cycles_adapt = begun.timing.cycles_adapt;
    plan.lent.clone_from(&begun.lent);
    if plan.earlier_sittings.is_none() {
        plan.earlier_sittings.clone_from(&begun.earlier_sittings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::{EarlierSittings, LentSpread};

    #[test]
    fn a_record_from_before_a_rule_goes_on_without_it() {
        let timing = Timing { futility: true, cycles_adapt: true, ..Timing::default() };
        let mut plan = Plan { timing, ..Plan::default() };
        keep_rules(&mut plan, &Plan::default());
        assert!(!plan.timing.futility && !plan.timing.cycles_adapt);
    }

    #[test]
    fn a_run_that_goes_on_or_is_repeated_borrows_what_it_borrowed() {
        let lent = |runs: &str| vec![LentSpread { runs: vec![runs.to_string()], ..LentSpread::default() }];
        for begun in [lent("then"), Vec::new()] {
            let mut plan = Plan { lent: lent("now"), ..Plan::default() };
            keep_rules(&mut plan, &Plan { lent: begun.clone(), ..Plan::default() });
            assert_eq!(plan.lent, begun);
        }
    }

    #[test]
    fn a_run_that_goes_on_knows_of_earlier_sittings_what_it_knew() {
        let known =
            |run: &str| Some(EarlierSittings { runs: vec![run.to_string()], ..EarlierSittings::default() });
        let begun = Plan { earlier_sittings: known("then"), ..Plan::default() };
        let mut resumed = Plan::default();
        keep_rules(&mut resumed, &begun);
        assert_eq!(resumed.earlier_sittings, known("then"));
        let mut repeated = Plan { earlier_sittings: known("now"), ..Plan::default() };
        keep_rules(&mut repeated, &begun);
        assert_eq!(repeated.earlier_sittings, known("now"));
    }
}
