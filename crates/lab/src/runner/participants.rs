//! Variants that still take part: a server that fails costs its own claims, not those of the others; one that no open
//! claim needs is left alone.

use proofload_facts::Finding;
use proofload_stats::{Claim, Judged, Judgement};
use proofload_subject::Exit;
use std::collections::BTreeSet;

/// Blocks that a variant may be lost in one after the other before it is given up.
const LOST_IN_A_ROW_MAX: u32 = 2;

/// State of each variant, by its index in the plan.
#[derive(Clone, Debug)]
pub(super) struct Participants {
    members: Vec<Member>,
    /// Variants at load points that are left out, because no open claim needs them.
    skipped: BTreeSet<(usize, usize)>,
    points: usize,
}

/// Loss of a variant that did not get through a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fate {
    pub why: Finding,
    /// With what its process ended under load, if it did.
    pub died: Option<Exit>,
}

#[derive(Clone, Debug, Default)]
struct Member {
    /// Its loss in the present block.
    lost: Option<Fate>,
    lost_in_a_row: u32,
    /// The reason why it is not started any more.
    given_up: Option<Finding>,
}

impl Participants {
    pub fn new(variants: usize) -> Participants {
        Participants { members: vec![Member::default(); variants], skipped: BTreeSet::new(), points: 0 }
    }

    /// Leaves out of the blocks to come everything that no open claim needs any more: a variant at a load point about
    /// which there were claims, all of them settled. Variants without any claim go on, for their figures. A count over
    /// observations needs nothing of its own, and a claim on a variant that was given up nothing any more. Returns true
    /// if more is left out than before.
    pub fn skip_settled(&mut self, claims: &[Claim], judgement: &Judgement, points: usize) -> bool {
        self.points = points;
        let estimates = || claims.iter().zip(&judgement.claims).filter(|(claim, _)| !claim.is_of_a_count());
        let is_open = |(claim, judged): &(&Claim, &Judged)| !judged.settled && !self.cannot_settle(claim);
        let needed: BTreeSet<(usize, usize)> =
            estimates().filter(is_open).flat_map(|(claim, _)| claim.trials()).collect();
        let claimed = estimates().flat_map(|(claim, _)| claim.trials());
        let skipped: BTreeSet<(usize, usize)> = match needed.is_empty() {
            true => BTreeSet::new(),
            false => claimed.filter(|trial| !needed.contains(trial)).collect(),
        };
        let more = !skipped.is_subset(&self.skipped);
        self.skipped = skipped;
        more
    }

    /// True if a variant is measured at any load point.
    fn is_needed(&self, variant: usize) -> bool {
        self.skipped.is_empty() || (0..self.points).any(|point| !self.skipped.contains(&(variant, point)))
    }

    /// True if a variant is measured at this load point in the present block.
    pub fn takes_part_at(&self, variant: usize, point: usize) -> bool {
        self.takes_part(variant) && !self.skipped.contains(&(variant, point))
    }

    /// Variants at load points that the blocks leave out, but for those of variants that are lost.
    pub fn skipped(&self) -> Vec<(usize, usize)> {
        self.skipped.iter().copied().filter(|(variant, _)| self.members[*variant].lost.is_none()).collect()
    }

    /// Number of variants that are measured at any load point; those that are lost are among them.
    pub fn needed(&self) -> usize {
        (0..self.members.len()).filter(|variant| self.is_needed(*variant)).count()
    }

    /// A new block: every variant that was not given up takes part again.
    pub fn begin_block(&mut self) {
        for member in &mut self.members {
            let why = member.given_up.as_ref().map(|why| Finding::GivenUp { why: vec![why.clone()] });
            member.lost = why.map(|why| Fate { why, died: None });
        }
    }

    pub fn takes_part(&self, variant: usize) -> bool {
        self.members[variant].lost.is_none() && self.is_needed(variant)
    }

    /// The variant does not get through this block.
    pub fn lose(&mut self, variant: usize, fate: Fate) {
        self.members[variant].lost.get_or_insert(fate);
    }

    /// The variant is not started again in this study.
    pub fn give_up(&mut self, variant: usize, why: Finding) {
        self.members[variant].given_up.get_or_insert(why.clone());
        self.lose(variant, Fate { why, died: None });
    }

    /// The variants that did not get through the present block, and how.
    pub fn lost(&self) -> Vec<(usize, &Fate)> {
        let members = self.members.iter().enumerate();
        members.filter_map(|(variant, member)| Some((variant, member.lost.as_ref()?))).collect()
    }

    /// True if any variant gets through the present block.
    pub fn anyone(&self) -> bool {
        (0..self.members.len()).any(|variant| self.takes_part(variant))
    }

    /// Ends a block: variants that were lost too often in a row are given up. Returns them, with the reason.
    pub fn end_block(&mut self) -> Vec<(usize, Finding)> {
        let mut fresh = Vec::new();
        let needed: Vec<bool> = (0..self.members.len()).map(|variant| self.is_needed(variant)).collect();
        for (variant, member) in self.members.iter_mut().enumerate().filter(|(variant, _)| needed[*variant]) {
            match (&member.lost, &member.given_up) {
                (Some(Fate { why, .. }), None) => {
                    member.lost_in_a_row += 1;
                    if member.lost_in_a_row >= LOST_IN_A_ROW_MAX {
                        member.given_up = Some(why.clone());
                        fresh.push((variant, why.clone()));
                    }
                }
                (None, _) => member.lost_in_a_row = 0,
                (Some(_), Some(_)) => {}
            }
        }
        fresh
    }

    /// True if this claim rests on a variant that was given up.
    pub fn cannot_settle(&self, claim: &Claim) -> bool {
        claim.variants().any(|variant| self.members.get(variant).is_some_and(|m| m.given_up.is_some()))
    }

    /// The reason why the study is hopeless: no variant is left, or every claim rests on one that was given up.
    pub fn hopeless(&self, claims: &[Claim]) -> Option<Finding> {
        let beyond = !claims.is_empty() && claims.iter().all(|claim| self.cannot_settle(claim));
        let nobody = self.members.iter().all(|member| member.given_up.is_some());
        (beyond || nobody).then(|| {
            let why = self.members.iter().filter_map(|member| member.given_up.clone()).collect();
            Finding::GivenUp { why }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_given_up_after_two_lost_blocks_in_a_row_and_not_before() {
        let mut participants = Participants::new(2);
        for (lost, given_up) in [(true, false), (false, false), (true, false), (true, true)] {
            participants.begin_block();
            if lost {
                participants.lose(1, Fate { why: Finding::failed("died"), died: Some(Exit::Code(1)) });
            }
            assert_eq!(participants.end_block().len(), usize::from(given_up));
        }
        participants.begin_block();
        assert!(participants.takes_part(0) && !participants.takes_part(1));
        assert!(participants.end_block().is_empty(), "it is told once");
    }
}
