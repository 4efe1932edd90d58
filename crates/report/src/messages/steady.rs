//! Sentences about steady states.

use super::blocks;
use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_store::schema::{
    CheckOutcome, Looking, Plan, Replication, SliceLength, Slicing, Steadiness, Timing,
};

/// Heading of the starts and how they went.
pub const STEADY_STATE: Phrase = Phrase("steady-state");
/// Columns of the starts and how they went.
pub const STEADY_STATE_COLUMNS: Columns<8> = Columns("steady-state-columns");
/// Heading of the starts without a steady state.
pub const UNSTEADY: Phrase = Phrase("unsteady");
/// Columns of the starts without a steady state.
pub const UNSTEADY_COLUMNS: Columns<4> = Columns("unsteady-columns");

/// What a start without a steady state showed.
pub fn unsteady_found(found: &Steadiness, after_cycles: Option<u32>) -> String {
    match (found, after_cycles) {
        (Steadiness::LateStep, Some(cycles)) => say!("unsteady-found-a-step-after-cycle", cycles),
        (Steadiness::StillWarming, _) => word!("unsteady-found-still-warming-at-the").to_string(),
        _ => word!("unsteady-found-still-changing-at-the").to_string(),
    }
}

/// A change beyond that of the others, or one that they share, and what of it would be none.
pub fn change_of_start(change: f64, allowed: f64, shared: bool) -> String {
    let (change, allowed) = (number::signed_percent(change), number::percent(allowed));
    say!("change-of-start", change, shared, allowed)
}

/// Preset and timing in one line.
pub fn preset(plan: &Plan) -> String {
    let Plan { preset: name, timing, replication, seed, .. } = plan;
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
    say!(
        "preset",
        name = named(name.name()),
        warm_up = seconds(timing.warm_up_ns),
        warm_up_cap = (timing.warm_up_cap_ns > 0).then(|| seconds(timing.warm_up_cap_ns)),
        cycles = timing.cycles,
        seconds = seconds(timing.slice_ns),
        looking = if timing.looking == Looking::Anytime { "anytime" } else { "looks" },
        first = timing.looks.first(),
        last = timing.looks.last(),
        looks = looks.join(word!("between-items")),
        restarted = *replication != Replication::Process,
        seed
    )
}

/// Name of the row that says how long the slices are.
pub const SLICES: Phrase = Phrase("slices");

/// How long the slices are, and why; `None` where they are as the plan has them.
pub fn slices(chosen: &Slicing) -> Option<String> {
    let time = |ns: u64| number::duration(ns as f64);
    (chosen.slice_ns > 0).then(|| {
        say!(
            "slices-chosen",
            slice = time(chosen.slice_ns),
            discard = time(chosen.discard_ns),
            p99 = time(chosen.slices_p99_ns)
        )
    })
}

/// What long slices showed beside the short ones.
pub fn held_against_long(found: &SliceLength, timing: &Timing) -> String {
    say!(
        "held-against-long",
        slice = number::duration(timing.slice_ns as f64),
        blocks = blocks(found.blocks),
        claim = found.claim,
        change = found.ratio.map(|ratio| number::signed_percent(ratio - 1.0)),
        outcome = match found.outcome {
            CheckOutcome::Passed => "passed",
            CheckOutcome::Failed => "failed",
            _ => "unresolved",
        }
    )
}

/// Name of the row that says how many cycles the blocks have.
pub const CYCLES: Phrase = Phrase("cycles");

/// How many cycles the blocks have, and why.
pub fn slicing(chosen: &Slicing) -> String {
    let percent = |sd: f64| number::percent(sd.exp_m1());
    if chosen.blocks == 0 {
        return say!("slicing-at-first", cycles = chosen.cycles);
    }
    say!(
        "slicing-after-look",
        cycles = chosen.cycles,
        after_block = chosen.after_block,
        claim = chosen.claim,
        slice_sd = percent(chosen.slice_sd),
        start_sd = percent(chosen.start_sd),
        start_seconds = format!("{:.0}", chosen.start_seconds),
        cycle_seconds = format!("{:.1}", chosen.cycle_seconds)
    )
}

/// Name of the row that says what taking turns was worth.
pub const TURNS: Phrase = Phrase("turns");

/// What taking turns was worth.
pub fn worth_of_turns(chosen: &Slicing) -> Option<String> {
    let (removed, blocks) = chosen.turns_removed.zip(chosen.serial_blocks)?;
    Some(match removed > 0.0 {
        true => {
            say!("turns-removed", removed = number::short_percent(removed), blocks = format!("{blocks:.1}"))
        }
        false => word!("turns-removed-nothing").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_before_the_first_look_says_nothing_of_a_spread() {
        let chosen = Slicing {
            slice_ns: 200_000_000,
            discard_ns: 50_000_000,
            slices_p99_ns: 3_000_000,
            first_cycles: 12,
            cycles: 12,
            ..Slicing::default()
        };
        let said = slices(&chosen).unwrap();
        assert!(
            said.starts_with("200 ms, 50.0 ms before each discarded") && said.contains("3.00 ms"),
            "{said}"
        );
        assert_eq!(slicing(&chosen), "12 in each block, about as long as all else in it");
        assert_eq!(slices(&Slicing::default()), None);
    }

    #[test]
    fn what_long_slices_showed_is_told_with_what_it_means() {
        let timing = Timing { slice_ns: 1_000_000_000, ..Timing::default() };
        let told = |ratio: f64, outcome| {
            let claim = "throughput(a) > throughput(b)".to_string();
            held_against_long(&SliceLength { claim, blocks: 6, ratio: Some(ratio), outcome }, &timing)
        };
        assert_eq!(
            told(0.98, CheckOutcome::Unresolved),
            "held against slices of 1.00 s in 6 blocks: the ratio of \"throughput(a) > throughput(b)\" is -2.0 % in these \
             (1 % not resolved)"
        );
        assert!(told(1.001, CheckOutcome::Passed).ends_with("+0.1 % in these (alike within 1 %)"));
        assert!(told(1.05, CheckOutcome::Failed).ends_with("(another one by more than 1 %)"));
    }

    #[test]
    fn what_turns_were_worth_is_told_either_way() {
        let chosen = |removed, blocks| Slicing {
            turns_removed: Some(removed),
            serial_blocks: Some(blocks),
            ..Slicing::default()
        };
        let said = worth_of_turns(&chosen(0.71, 3.41)).unwrap();
        assert!(said.contains("removed 71 %") && said.contains("3.4 times"), "{said}");
        assert!(worth_of_turns(&chosen(-0.1, 0.9)).unwrap().contains("serial would do as well"));
        assert_eq!(worth_of_turns(&Slicing::default()), None, "serial has no turns");
    }
}
