//! Claims and observations to verdicts.
//!
//! The looks of the design are replayed in order. At each, every open claim is tested at its share of the
//! error rate (Holm: alpha over the number of open claims); a claim that settles is frozen with the
//! interval it settled on and leaves its share to the others, which are tested again at the same look until
//! none settles. What is known between looks is shown, and decides nothing.
//!
//! Where the blocks are of several sittings, the looks count sittings, and the interval is that of the sittings' means.

mod decide;
mod depends;
mod estimated;
mod evaluate;
mod evaluation;
mod fact;
mod figure;
mod flaws;
mod guard;
mod observed;
mod outlook;
mod regression;
mod seen;
mod series;
mod units;

pub use figure::{figure_of, sitting_values_of_figure};
pub use guard::ERROR_SHARE_MAX;
pub use observed::sitting_values;
pub use outlook::outlook;
pub use seen::judge_seen;
pub(crate) use series::{log_ratio, middle, of_block};
pub use series::{slice_length, slice_pairs};

use crate::design::Bounds;
use crate::{Claim, Design, Judged, Judgement, Observations, Reason, Verdict};
pub use regression::{Counterpart, judge_regressions};

use evaluate::evaluate;
use evaluation::{Evaluation, Progress};
use series::{Index, Series};
use units::Units;

/// Judges every claim. Replays the looks in order, so that the last live verdict equals the one recomputed
/// later, and a claim that has settled stays as it settled whatever comes later.
///
/// Blocks beyond the last look are not looked at. Values that are missing, not finite, or zero where that
/// means that nothing was measured leave their block out for the claims they concern.
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
    let index = Index::new(observations);
    let cases: Vec<Series<'_>> = claims.iter().map(|claim| Series::new(claim, &index, &blocks)).collect();
    let mut replay = Replay {
        cases,
        design,
        units: Units::of(observations, &blocks),
        bounds: Bounds::new(design),
        settled: vec![None; claims.len()],
        given_up: vec![false; claims.len()],
        lost: Lost {
            blocks: &blocks,
            begun: excluded_and_complete(observations, &blocks),
            disturbed: &observations.disturbed,
        },
    };
    let have = replay.units.have();
    for &look in design.looks.iter().filter(|&&look| look <= have) {
        replay.look(look);
    }
    then(replay, u32::try_from(blocks.len()).unwrap_or(u32::MAX))
}

/// Blocks that were begun in all, as far as is known.
fn excluded_and_complete(observations: &Observations, blocks: &[u32]) -> u32 {
    let counted =
        u32::try_from(blocks.len()).unwrap_or(u32::MAX).saturating_add(observations.excluded_blocks);
    counted.max(blocks.last().copied().unwrap_or(0))
}

/// Which blocks were lost up to when.
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

/// Where the claims stand after the looks so far.
struct Replay<'a> {
    cases: Vec<Series<'a>>,
    design: &'a Design,
    units: Units,
    bounds: Bounds<'a>,
    settled: Vec<Option<Judged>>,
    /// Claims that were closed because nothing was to be expected of the last look.
    given_up: Vec<bool>,
    lost: Lost<'a>,
}

impl Replay<'_> {
    /// Takes the look at that many blocks, or sittings.
    fn look(&mut self, look: u32) {
        let blocks = self.units.blocks(look);
        let begun = self.lost.begun_until(blocks);
        while self.settle_some(blocks, begun) {}
        if self.design.futility && look < self.design.last() {
            self.give_up_some(blocks, begun);
        }
        self.settle_facts(blocks, begun);
        if self.design.looks.last() == Some(&look) {
            self.settle_the_rest(blocks, begun);
        }
    }

    /// After the last look: what is open stays undecided. All are evaluated before any is settled, for a
    /// claim that is given up leaves its share to nobody.
    fn settle_the_rest(&mut self, look: u32, begun: u32) {
        let rest: Vec<usize> = (0..self.cases.len()).filter(|&case| self.settled[case].is_none()).collect();
        let evaluations: Vec<Evaluation> =
            rest.iter().map(|&case| self.evaluate(case, look, begun)).collect();
        for (case, evaluation) in rest.into_iter().zip(evaluations) {
            self.settled[case] = Some(judged(evaluation, true));
        }
    }

    /// Tests the open claims once; returns whether any settled, so that the others have a larger share now.
    fn settle_some(&mut self, look: u32, begun: u32) -> bool {
        let open: Vec<usize> = self.open().collect();
        let evaluations: Vec<Evaluation> =
            open.iter().map(|&case| self.evaluate(case, look, begun)).collect();
        let mut any = false;
        for (case, evaluation) in open.into_iter().zip(evaluations) {
            if evaluation.decided.is_some() {
                self.settled[case] = Some(judged(evaluation, true));
                any = true;
            }
        }
        any
    }

    /// Closes the open claims that the last look would hardly settle. They keep their share of the error rate: what
    /// was given up was not proven, and hands nothing on.
    fn give_up_some(&mut self, look: u32, begun: u32) {
        for case in self.open().collect::<Vec<usize>>() {
            let mut evaluation = self.evaluate(case, look, begun);
            if let Some(why) = evaluation.futile.take() {
                evaluation.reasons.insert(0, why);
                self.settled[case] = Some(judged(evaluation, true));
                self.given_up[case] = true;
            }
        }
    }

    /// A count over the exchanges seen is a fact, not an estimate. One that more exchanges could overturn
    /// waits for the study's end: until every estimate is settled.
    fn settle_facts(&mut self, look: u32, begun: u32) {
        let all_estimates_settled = self.open().next().is_none();
        for case in 0..self.cases.len() {
            if self.settled[case].is_some() || !self.cases[case].is_fact() {
                continue;
            }
            let evaluation = self.evaluate(case, look, begun);
            if evaluation.decided.is_some() && (all_estimates_settled || evaluation.permanent) {
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
        self.evaluate_beside(self.lost.disturbed_until(blocks), case, blocks, begun)
    }

    fn evaluate_beside(&mut self, disturbed: u32, case: usize, blocks: u32, begun: u32) -> Evaluation {
        let open = self.sharing();
        let progress = Progress { blocks, begun, disturbed, open };
        evaluate(&self.cases[case], &mut self.bounds, self.design, progress)
    }

    /// What is settled, and the state of the others after all blocks.
    fn close(mut self, have: u32) -> Judgement {
        let looked_at = self.design.looks.last().map_or(have, |&last| self.units.blocks(last));
        let usable = have.min(looked_at);
        let (begun, disturbed) = match usable == have {
            true => (self.lost.begun, self.lost.disturbed()),
            false => (self.lost.begun_until(usable), self.lost.disturbed_until(usable)),
        };
        let claims: Vec<Judged> = (0..self.cases.len())
            .map(|case| match self.settled[case].clone() {
                Some(settled) => settled,
                None => {
                    let evaluation = self.evaluate_beside(disturbed, case, usable, begun);
                    self.standing(case, usable, evaluation)
                }
            })
            .collect();
        let settled = !claims.is_empty() && claims.iter().all(|claim| claim.settled);
        Judgement { claims, settled, left: None }
    }

    /// A claim that is open: undecided, but for facts about what was seen.
    fn standing(&self, case: usize, blocks: u32, mut evaluation: Evaluation) -> Judged {
        let decided = evaluation.decided.is_some();
        let first = self.design.looks.first().copied().unwrap_or(u32::MAX);
        let stands = evaluation.permanent || (self.cases[case].is_fact() && blocks >= first);
        if decided && !stands {
            evaluation.decided = None;
            evaluation.reasons.insert(0, self.too_few(blocks));
        }
        judged(evaluation, false)
    }

    fn too_few(&self, blocks: u32) -> Reason {
        match self.units.are_sittings() {
            true => guard::too_few_sittings(self.design, self.units.have()),
            false => Reason::TooFewBlocks {
                have: blocks,
                need: crate::next_look(self.design, blocks).unwrap_or(blocks),
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
    }
}

#[cfg(test)]
mod tests;
