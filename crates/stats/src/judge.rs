//! From claims and observations to verdicts.
//!
//! The blocks are replayed in order. Each claim counts those that are usable for it, and is looked at when their number comes
//! to one of the design's looks, at its share of the error rate (Holm: alpha over the number of open claims). A claim that
//! settles is frozen with the interval it settled on and leaves its share to the others, which are tested again at their own last
//! looks until none settles. What is known between looks is shown, and decides nothing. A study that its budget ended has one
//! look more, at the blocks that there are, which spends what is left of the error rate.
//!
//! With blocks of several sittings, the looks count sittings, and the interval is that of the sittings' means.

mod decide;
mod depends;
mod estimated;
mod evaluate;
mod evaluation;
mod fact;
mod figure;
mod flaws;
mod guard;
mod lent;
mod observed;
mod outlook;
mod regression;
mod seen;
mod series;
mod units;

pub use figure::{figure_of, sitting_values_of_figure};
pub use flaws::reach_in;
pub use guard::{ERROR_SHARE_MAX, share_of_errors};
pub use observed::{first_values, sitting_values};
pub use outlook::outlook;
pub use seen::judge_seen;
pub(crate) use series::{log_ratio, middle, of_block};
pub use series::{slice_length, slice_pairs};

use crate::design::{Bounds, CONSTANT_BLOCKS_MIN};
use crate::{Claim, Design, Judged, Judgement, Lent, Observations, Reason, Verdict};
pub use regression::{Counterpart, judge_regressions};

use evaluate::evaluate;
use evaluation::{Evaluation, Progress};
use series::{Index, Series};
use units::Units;

/// Judges every claim. Replays the looks in order, so that the last live verdict equals the one recomputed
/// later, and a claim that has settled stays as it settled whatever comes later.
///
/// Values that are missing, not finite, or zero where that means that nothing was measured leave their block out for the claims
/// they concern.
pub fn judge(claims: &[Claim], observations: &Observations, design: &Design) -> Judgement {
    replay(claims, observations, design, |replay, have| replay.close(have))
}

/// Takes all looks that there are blocks for, or sittings, and hands the state after them to `then`, with the number of
/// complete blocks.
fn replay<T>(
    claims: &[Claim],
    observations: &Observations,
    design: &Design,
    then: impl FnOnce(Replay<'_>, u32) -> T,
) -> T {
    let mut blocks = observations.blocks.clone();
    blocks.sort_unstable();
    blocks.dedup();
    let index = Index::of(observations, design.method == 0);
    let cases: Vec<Series<'_>> = claims.iter().map(|claim| Series::new(claim, &index, &blocks)).collect();
    let mut replay = Replay {
        cases,
        index: &index,
        design,
        units: Units::of(observations, &blocks),
        bounds: Bounds::new(design),
        looked_at: vec![None; claims.len()],
        lent: vec![None; claims.len()],
        settled: vec![None; claims.len()],
        given_up: vec![false; claims.len()],
        lost: Lost {
            blocks: &blocks,
            begun: excluded_and_complete(observations, &blocks),
            disturbed: &observations.disturbed,
        },
    };
    (1..=replay.units.have()).for_each(|unit| replay.step(unit));
    let have = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
    if observations.out_of_budget && design.method > 0 && !replay.units.are_sittings() {
        replay.spend_the_rest(have);
    }
    then(replay, have)
}

/// Blocks that were begun in all, as far as is known.
fn excluded_and_complete(observations: &Observations, blocks: &[u32]) -> u32 {
    let counted =
        u32::try_from(blocks.len()).unwrap_or(u32::MAX).saturating_add(observations.excluded_blocks);
    counted.max(blocks.last().copied().unwrap_or(0))
}

/// Blocks begun and disturbed up to a complete one.
struct Lost<'a> {
    blocks: &'a [u32],
    begun: u32,
    disturbed: &'a [u32],
}

impl Lost<'_> {
    /// Blocks begun until the `complete`-th complete one, which itself is counted.
    fn begun_until(&self, complete: u32) -> u32 {
        let number = (complete as usize).checked_sub(1).and_then(|last| self.blocks.get(last)).copied();
        number.unwrap_or(0).max(complete)
    }

    /// Blocks that were disturbed before the `complete`-th complete one; without one, all so far.
    fn disturbed_until(&self, complete: u32) -> u32 {
        self.disturbed.iter().filter(|before| **before < complete.max(1)).count() as u32
    }

    /// All that were disturbed, those behind the last complete one, too.
    fn disturbed(&self) -> u32 {
        u32::try_from(self.disturbed.len()).unwrap_or(u32::MAX)
    }
}

/// State of the claims after the looks so far.
struct Replay<'a> {
    cases: Vec<Series<'a>>,
    index: &'a Index<'a>,
    design: &'a Design,
    units: Units,
    bounds: Bounds<'a>,
    /// Complete blocks at the last look that was taken at each claim.
    looked_at: Vec<Option<u32>>,
    /// The spread that was lent to each claim at its first look; nothing more is lent later.
    lent: Vec<Option<Lent>>,
    settled: Vec<Option<Judged>>,
    /// Claims that were closed undecided. They keep their share of the error rate: what was given up was not proven, and hands
    /// nothing on.
    given_up: Vec<bool>,
    lost: Lost<'a>,
}

impl Replay<'_> {
    /// Goes on to that many blocks, or sittings, and takes the looks that are due then.
    fn step(&mut self, unit: u32) {
        let blocks = self.units.blocks(unit);
        let due: Vec<usize> = self.open().filter(|&case| self.is_due(case, unit)).collect();
        self.look_at(&due, blocks);
        self.settle(&due, false);
        let last = self.design.last();
        for &case in &due {
            let is_last = self.units.usable(&self.cases[case], unit) >= last;
            self.give_up(case, is_last, false);
        }
        if !due.is_empty() || self.design.looks.contains(&unit) {
            self.settle_facts(blocks, unit >= last);
        }
    }

    /// Takes a look at claims; at the first one they borrow their spread. That of sittings' means is their own.
    fn look_at(&mut self, due: &[usize], blocks: u32) {
        for &case in due {
            if self.looked_at[case].is_none() && !self.units.are_sittings() {
                // The number of claims of the plan, which does not change: else Holm's rule could not pass on what one leaves.
                let claims = self.cases.iter().filter(|case| !case.is_fact()).count() as u32;
                let is_worth = self.design.is_worth_borrowing(claims);
                let lent = || lent::lent(&self.cases[case], self.index, blocks, self.design);
                self.lent[case] = is_worth.then(lent).flatten();
            }
            self.looked_at[case] = Some(blocks);
        }
    }

    /// True if the usable blocks of a claim, or the sittings, have just come to a look.
    fn is_due(&self, case: usize, unit: u32) -> bool {
        let usable = |unit| self.units.usable(&self.cases[case], unit);
        let (before, now) = (usable(unit - 1), usable(unit));
        self.design.looks.iter().any(|look| (before + 1..=now).contains(look))
    }

    /// The look at the end of a budget that was fixed before the first block, at the blocks that there are.
    fn spend_the_rest(&mut self, have: u32) {
        let open: Vec<usize> = self.open().collect();
        let enough = |case: &usize| self.units.usable(&self.cases[*case], have) >= CONSTANT_BLOCKS_MIN;
        let due: Vec<usize> = open.iter().copied().filter(enough).collect();
        self.look_at(&due, have);
        self.settle(&due, true);
        due.iter().for_each(|&case| self.give_up(case, true, true));
        self.settle_facts(have, true);
    }

    /// Tests the claims that are due, and whenever one settles all that are open, which have a larger share then.
    fn settle(&mut self, due: &[usize], spends_the_rest: bool) {
        let mut tested = due.to_vec();
        loop {
            let evaluated: Vec<(usize, Evaluation)> = tested
                .iter()
                .filter_map(|&case| Some((case, self.at_its_look(case, spends_the_rest)?)))
                .filter(|(_, evaluation)| evaluation.decided.is_some())
                .collect();
            if evaluated.is_empty() {
                return;
            }
            for (case, evaluation) in evaluated {
                self.settled[case] = Some(judged(evaluation, true));
            }
            tested = self.open().collect();
        }
    }

    /// Evaluation of a claim at the last look that was taken at it.
    fn at_its_look(&mut self, case: usize, spends_the_rest: bool) -> Option<Evaluation> {
        let blocks = self.looked_at[case]?;
        let begun = self.lost.begun_until(blocks);
        Some(self.evaluate_beside(self.lost.disturbed_until(blocks), case, blocks, begun, spends_the_rest))
    }

    /// Closes an open claim that no look is to come for, that the last one would hardly settle, or that more blocks cannot.
    fn give_up(&mut self, case: usize, is_last: bool, spends_the_rest: bool) {
        if self.settled[case].is_some() {
            return;
        }
        let Some(mut evaluation) = self.at_its_look(case, spends_the_rest) else { return };
        let futile = evaluation.futile.take().filter(|_| self.design.futility && !is_last);
        if is_last || evaluation.is_hopeless || futile.is_some() {
            evaluation.reasons.splice(0..0, futile);
            self.settled[case] = Some(judged(evaluation, true));
            self.given_up[case] = true;
        }
    }

    /// A count over the exchanges seen is a fact, not an estimate. One that more exchanges could overturn
    /// waits for the study's end: until every estimate is settled.
    fn settle_facts(&mut self, blocks: u32, is_last: bool) {
        let all_estimates_settled = self.open().next().is_none();
        let begun = self.lost.begun_until(blocks);
        for case in 0..self.cases.len() {
            if self.settled[case].is_some() || !self.cases[case].is_fact() {
                continue;
            }
            let evaluation = self.evaluate(case, blocks, begun);
            let is_final = all_estimates_settled && (is_last || evaluation.decided.is_some());
            if is_final || evaluation.permanent {
                self.settled[case] = Some(judged(evaluation, true));
            }
        }
    }

    /// Claims that need their share of the error rate still.
    fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.cases.len()).filter(|&case| self.settled[case].is_none() && !self.cases[case].is_fact())
    }

    /// Over how many claims the error rate is shared now.
    fn sharing(&self) -> u32 {
        let given_up = self.given_up.iter().filter(|given_up| **given_up).count();
        u32::try_from(self.open().count() + given_up).unwrap_or(u32::MAX).max(1)
    }

    fn evaluate(&mut self, case: usize, blocks: u32, begun: u32) -> Evaluation {
        self.evaluate_beside(self.lost.disturbed_until(blocks), case, blocks, begun, false)
    }

    fn evaluate_beside(
        &mut self,
        disturbed: u32,
        case: usize,
        blocks: u32,
        begun: u32,
        spends_the_rest: bool,
    ) -> Evaluation {
        let open = self.sharing();
        let lent = self.lent[case];
        let progress = Progress { blocks, begun, disturbed, open, spends_the_rest, lent };
        evaluate(&self.cases[case], &mut self.bounds, self.design, progress)
    }

    /// Settled claims, and the state of the others after all blocks.
    fn close(mut self, have: u32) -> Judgement {
        let (begun, disturbed) = (self.lost.begun, self.lost.disturbed());
        let claims: Vec<Judged> = (0..self.cases.len())
            .map(|case| match self.settled[case].clone() {
                Some(settled) => settled,
                None => {
                    let evaluation = self.evaluate_beside(disturbed, case, have, begun, false);
                    self.standing(case, have, evaluation)
                }
            })
            .collect();
        let settled = !claims.is_empty() && claims.iter().all(|claim| claim.settled);
        let spoiled = self.open().map(|case| self.cases[case].replaced()).max_by_key(Vec::len);
        Judgement { claims, settled, left: None, to_replace: spoiled.unwrap_or_default() }
    }

    /// A claim that is open: undecided, but for facts about what was seen.
    fn standing(&self, case: usize, blocks: u32, mut evaluation: Evaluation) -> Judged {
        let decided = evaluation.decided.is_some();
        let first = self.design.looks.first().copied().unwrap_or(u32::MAX);
        let stands = evaluation.permanent || (self.cases[case].is_fact() && blocks >= first);
        if decided && !stands {
            evaluation.decided = None;
            let usable = self.units.usable(&self.cases[case], self.units.have());
            evaluation.reasons.insert(0, self.too_few(usable));
        }
        judged(evaluation, false)
    }

    fn too_few(&self, usable: u32) -> Reason {
        match self.units.are_sittings() {
            true => guard::too_few_sittings(self.design, usable),
            false => Reason::TooFewBlocks {
                have: usable,
                need: crate::next_look(self.design, usable).unwrap_or(usable),
            },
        }
    }
}

fn judged(evaluation: Evaluation, settled: bool) -> Judged {
    let verdict = match evaluation.decided {
        Some(true) => Verdict::Supported,
        Some(false) => Verdict::Refuted,
        None => Verdict::Undecided,
    };
    Judged {
        verdict,
        estimate: evaluation.estimate,
        confidence: evaluation.confidence,
        blocks: evaluation.blocks,
        reasons: evaluation.reasons,
        settled,
        projection: evaluation.projection,
        scope: evaluation.scope,
        borrowed: evaluation.borrowed,
    }
}

#[cfg(test)]
mod tests;
