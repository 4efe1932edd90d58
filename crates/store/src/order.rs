//! The order of the variants in the blocks of a plan.

use crate::schema::{Plan, Slicing};

/// The order of the variants in a block: the plan's, begun anew beyond its last block. Where another number of cycles was
/// chosen it is cut, or goes on with its own first cycles.
pub fn order_of(plan: &Plan, slicing: Option<&Slicing>, number: u32) -> Vec<Vec<usize>> {
    let planned = plan.order.len().max(1);
    let order = plan.order.get((number.max(1) as usize - 1) % planned).map_or(&[][..], Vec::as_slice);
    match slicing.and_then(|slicing| slicing.cycles_of(number)) {
        Some(cycles) => order.iter().cycle().take(cycles as usize).cloned().collect(),
        None => order.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_cut_or_begun_anew_after_the_block_of_the_choice() {
        let block = vec![vec![0, 1], vec![1, 0], vec![1, 0], vec![0, 1]];
        let mirrored: Vec<Vec<usize>> =
            block.iter().map(|cycle| cycle.iter().rev().copied().collect()).collect();
        let plan = Plan { order: vec![block.clone(), mirrored.clone()], ..Plan::default() };
        let chosen = |cycles| Slicing { after_block: 2, cycles, ..Slicing::default() };
        assert_eq!(order_of(&plan, None, 3), block);
        assert_eq!(order_of(&plan, Some(&chosen(2)), 2), mirrored, "not yet");
        assert_eq!(order_of(&plan, Some(&chosen(2)), 3), block[..2]);
        assert_eq!(order_of(&plan, Some(&chosen(6)), 4), [&mirrored[..], &mirrored[..2]].concat());
        assert!(order_of(&Plan::default(), Some(&chosen(6)), 4).is_empty());
        let twice = Slicing { first_cycles: 2, ..chosen(6) };
        assert_eq!(order_of(&plan, Some(&twice), 2), mirrored[..2], "chosen before the first block");
        assert_eq!(order_of(&plan, Some(&twice), 4).len(), 6, "and again after the first look");
    }
}
