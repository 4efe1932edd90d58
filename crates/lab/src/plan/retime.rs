//! Other lengths than the preset's: for studies that are over in seconds.

use proofload_facts::{Expected, Finding, Mistake};
use proofload_store::schema::Plan;
use proofload_study::not_one_of;
use proofload_study::quantity::duration;

/// Replaces lengths of a plan by those in `list`: `warm-up=100ms,slice=50ms,discard=10ms,cycles=2`. Cycles can only
/// become fewer, by twos: the second of each pair is the first reversed. Replaced lengths are entered as not tested.
///
/// # Errors
/// The mistake in the list.
pub fn retime(plan: &mut Plan, list: &str) -> Result<(), Mistake> {
    for part in list.split(',') {
        let (name, value) =
            part.split_once('=').ok_or_else(|| Mistake::not(part, Expected::Pair, "slice=50ms"))?;
        let length = || duration(value).map_err(|mistake| mistake.at(name));
        match name {
            // A given length is exact, without a cap.
            "warm-up" => (plan.timing.warm_up_ns, plan.timing.warm_up_cap_ns) = (length()?, 0),
            "slice" => {
                plan.timing.slice_ns = length()?;
                plan.timing.perturbation_ns = plan.timing.perturbation_ns.min(plan.timing.slice_ns);
            }
            "discard" => plan.timing.discard_ns = length()?,
            "cycles" => {
                let most = plan.timing.cycles;
                let cycles = value.parse::<u32>().ok().filter(|n| (2..=most).contains(n) && n % 2 == 0);
                let cycles = cycles.ok_or_else(|| {
                    Mistake::not(value, Expected::EvenNumber, format!("2..{most}")).at(name)
                })?;
                plan.timing.cycles = cycles;
                plan.order.iter_mut().for_each(|block| block.truncate(cycles as usize));
            }
            _ => return Err(not_one_of(name, &["warm-up", "slice", "discard", "cycles"])),
        }
    }
    if plan.timing.slice_ns == 0 {
        return Err(Mistake::TakesNoTime.at("slice"));
    }
    plan.timing.cycles_adapt = false;
    plan.not_tested.push(Finding::OtherLengths { lengths: list.to_string() });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::Timing;

    #[test]
    fn lengths_are_replaced_and_it_is_said() {
        let timing =
            Timing { cycles: 6, slice_ns: 5, warm_up_cap_ns: 9, cycles_adapt: true, ..Timing::default() };
        let mut plan = Plan { timing, order: vec![vec![vec![0, 1]; 6]; 3], ..Plan::default() };
        retime(&mut plan, "warm-up=100ms,slice=50ms,discard=0s,cycles=2").expect("good");
        let timing = &plan.timing;
        assert_eq!((timing.warm_up_ns, timing.slice_ns, timing.cycles), (100_000_000, 50_000_000, 2));
        assert_eq!(timing.warm_up_cap_ns, 0, "a length that is given is fixed");
        assert!(!timing.cycles_adapt, "whoever gives lengths means them for all blocks");
        assert!(plan.order.iter().all(|block| block.len() == 2));
        assert_eq!(plan.not_tested.len(), 1);
        for wrong in ["", "slice", "slice=", "slice=0s", "cycles=3", "cycles=8", "drain=1s"] {
            assert!(retime(&mut plan, wrong).is_err(), "{wrong}");
        }
    }
}
