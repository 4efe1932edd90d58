//! Who still takes part: a server that fails costs its own claims, not those of the others.

use proofload_stats::Claim;
use proofload_store::GIVEN_UP;

/// Blocks that a variant may be lost in one after the other before it is given up.
const LOST_IN_A_ROW_MAX: u32 = 2;

/// How each variant fares, by its index in the plan.
#[derive(Clone, Debug)]
pub(super) struct Roll {
    members: Vec<Member>,
}

#[derive(Clone, Debug, Default)]
struct Member {
    /// Why it was lost in the present block.
    lost: Option<String>,
    lost_in_a_row: u32,
    /// Why it is not started any more.
    given_up: Option<String>,
}

impl Roll {
    pub fn new(variants: usize) -> Roll {
        Roll { members: vec![Member::default(); variants] }
    }

    /// A new block: everyone who was not given up takes part again.
    pub fn begin_block(&mut self) {
        for member in &mut self.members {
            member.lost = member.given_up.as_ref().map(|why| format!("{GIVEN_UP}{why}"));
        }
    }

    pub fn takes_part(&self, variant: usize) -> bool {
        self.members[variant].lost.is_none()
    }

    /// The variant does not get through this block.
    pub fn lose(&mut self, variant: usize, why: String) {
        self.members[variant].lost.get_or_insert(why);
    }

    /// The variant is not started again in this study.
    pub fn give_up(&mut self, variant: usize, why: String) {
        self.members[variant].given_up.get_or_insert(why.clone());
        self.lose(variant, why);
    }

    /// The variants that did not get through the present block, and why.
    pub fn lost(&self) -> Vec<(usize, String)> {
        let members = self.members.iter().enumerate();
        members.filter_map(|(variant, member)| Some((variant, member.lost.clone()?))).collect()
    }

    /// Whether anybody gets through the present block.
    pub fn anyone(&self) -> bool {
        self.members.iter().any(|member| member.lost.is_none())
    }

    /// The block is over: who was lost too often in a row is given up. Says who, and why.
    pub fn end_block(&mut self) -> Vec<(usize, String)> {
        let mut fresh = Vec::new();
        for (variant, member) in self.members.iter_mut().enumerate() {
            match (&member.lost, &member.given_up) {
                (Some(why), None) => {
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

    /// Whether this claim rests on a variant that was given up.
    pub fn is_beyond(&self, claim: &Claim) -> bool {
        claim.variants().any(|variant| self.members.get(variant).is_some_and(|m| m.given_up.is_some()))
    }

    /// Why nothing can come of the study any more: no variant is left, or every claim rests on one that was
    /// given up.
    pub fn hopeless(&self, claims: &[Claim]) -> Option<String> {
        let beyond = !claims.is_empty() && claims.iter().all(|claim| self.is_beyond(claim));
        let nobody = self.members.iter().all(|member| member.given_up.is_some());
        (beyond || nobody).then(|| {
            let reasons: Vec<&str> = self.members.iter().filter_map(|m| m.given_up.as_deref()).collect();
            reasons.join("; ")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_given_up_after_two_lost_blocks_in_a_row_and_not_before() {
        let mut roll = Roll::new(2);
        for (lost, given_up) in [(true, false), (false, false), (true, false), (true, true)] {
            roll.begin_block();
            if lost {
                roll.lose(1, "died".into());
            }
            assert_eq!(roll.end_block().len(), usize::from(given_up));
        }
        roll.begin_block();
        assert!(roll.takes_part(0) && !roll.takes_part(1));
        assert!(roll.end_block().is_empty(), "it is told once");
    }
}
