//! Sentences about steady states.

use super::blocks;
use crate::number;
use proofload_store::schema::{
    CheckOutcome, Looking, Plan, Replication, SliceLength, Slicing, Steadiness, Timing,
};

/// Heading of the starts and how they went.
pub const STEADY_STATE: &str = "Steady state";
/// Columns of the starts and how they went.
pub const STEADY_STATE_COLUMNS: [&str; 8] = [
    "",
    "starts",
    "steady",
    "at the cap",
    "still warming",
    "no steady state",
    "not measured",
    "warm-up, median",
];
/// Heading of the starts without a steady state.
pub const UNSTEADY: &str = "Without a steady state, in CPU per answered exchange";
/// Columns of the starts without a steady state.
pub const UNSTEADY_COLUMNS: [&str; 4] = ["start", "found", "change", "windows, in order"];

/// A start: variant and block.
pub fn start_of(variant: &str, block: u32) -> String {
    format!("{variant}, block {block}")
}

/// What a start without a steady state showed.
pub fn unsteady_found(found: &Steadiness, after_cycles: Option<u32>) -> String {
    match (found, after_cycles) {
        (Steadiness::LateStep, Some(cycles)) => format!("a step after cycle {cycles}, while it was measured"),
        (Steadiness::StillWarming, _) => "still warming at the longest warm-up, as all".to_string(),
        _ => "still changing at the longest warm-up".to_string(),
    }
}

/// A change beyond that of the others, or one that they share, and what of it would be none.
pub fn change_of_start(change: f64, allowed: f64, shared: bool) -> String {
    let of = if shared { "as all" } else { "beyond the others" };
    format!("{} {of}, ±{} allowed", signed_percent(change), number::percent(allowed))
}

/// Too many starts without a steady state; `per_10s` is how much faster they still became.
pub fn no_steady_state(n: u32, of: &str, per_10s: Option<f64>) -> String {
    let slope = per_10s.map_or_else(String::new, |slope| {
        format!(", there by {} within 10 s (the median of these starts)", signed_percent(slope))
    });
    format!(
        "still warming in {n} of {of}: a variant's speed still changed when its warm-up had to end{slope}, or took a step \
         while it was measured; more than a quarter is too many"
    )
}

/// Starts without a steady state that do not turn the verdict, even if they changed by `share` more.
pub fn beyond_warm_up(n: u32, of: &str, share: f64) -> String {
    format!(
        "still warming in {n} of {of}, which does not turn it: it would stand if what is compared changed by {} more, either way",
        number::percent(share)
    )
}

fn signed_percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

/// Starts of which nothing can be said.
pub fn steadiness_not_measured(variant: &str) -> String {
    format!(
        "steady state of {variant}: not measured, for neither its CPU per exchange nor its throughput tells anything"
    )
}

/// Warm-up in one line: `30 s`, or `until steady, at most 180 s`.
pub fn warm_up(fixed_ns: u64, cap_ns: u64) -> String {
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    match cap_ns {
        0 => format!("{} s", seconds(fixed_ns)),
        _ => format!("until steady, at most {} s", seconds(cap_ns)),
    }
}

/// Preset and timing in one line.
pub fn preset(plan: &Plan) -> String {
    let Plan { preset: name, timing, replication, seed, .. } = plan;
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    format!(
        "{name}: warm-up {}, {} of {} s slices, {}, seed {seed}",
        warm_up(timing.warm_up_ns, timing.warm_up_cap_ns),
        if timing.cycles == 1 { "1 cycle".to_string() } else { format!("{} cycles", timing.cycles) },
        seconds(timing.slice_ns),
        looks(timing, if *replication == Replication::Process { "turn" } else { "restart" }),
    )
}

/// When claims are judged.
fn looks(timing: &Timing, what: &str) -> String {
    match (timing.looking == Looking::Anytime, timing.looks.first(), timing.looks.last()) {
        (true, Some(first), Some(last)) => format!("judged after every {what} from {first} to {last}"),
        (_, Some(1), Some(1)) => format!("judged after 1 {what}"),
        _ => {
            let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
            format!("judged after {} {what}s", looks.join(", "))
        }
    }
}

/// Name of the row that says how long the slices are.
pub const SLICES: &str = "Slices";

/// How long the slices are, and why; `None` where they are as the plan has them.
pub fn slices(chosen: &Slicing) -> Option<String> {
    let time = |ns: u64| number::duration(ns as f64);
    (chosen.slice_ns > 0).then(|| {
        format!(
            "{}, {} before each discarded, for 99 % of the answers came within {} when the first warm-up ended",
            time(chosen.slice_ns),
            time(chosen.discard_ns),
            time(chosen.slices_p99_ns)
        )
    })
}

/// What long slices showed beside the short ones.
pub fn held_against_long(found: &SliceLength, timing: &Timing) -> String {
    format!(
        "held against slices of {} in {}: the ratio of {:?} is {} in these ({})",
        number::duration(timing.slice_ns as f64),
        blocks(found.blocks),
        found.claim,
        found.ratio.map_or_else(|| "not known".to_string(), |ratio| signed_percent(ratio - 1.0)),
        match found.outcome {
            CheckOutcome::Passed => "alike within 1 %",
            CheckOutcome::Failed => "another one by more than 1 %",
            _ => "1 % not resolved",
        }
    )
}

/// A ratio that long slices show otherwise than short ones.
pub fn slice_length(ratio: f64, blocks: &str) -> String {
    format!(
        "long slices show a ratio that is {} than that of short ones, in {blocks}: in these it is felt that the load went from \
         one server to the other; fix longer ones (--timing slice=1s,discard=100ms)",
        match ratio >= 1.0 {
            true => format!("{} higher", number::percent(ratio - 1.0)),
            false => format!("{} lower", number::percent(1.0 - ratio)),
        }
    )
}

/// Name of the row that says how many cycles the blocks have.
pub const CYCLES: &str = "Cycles";

/// How many cycles the blocks have, and why.
pub fn slicing(chosen: &Slicing) -> String {
    let percent = |sd: f64| number::percent(sd.exp_m1());
    if chosen.blocks == 0 {
        return format!("{} in each block, about as long as all else in it", chosen.cycles);
    }
    format!(
        "{} in each block after block {}: for {:?} pairs of slices spread by {}, starts by {}; a block costs {:.0} s \
         and each cycle {:.1} s",
        chosen.cycles,
        chosen.after_block,
        chosen.claim,
        percent(chosen.slice_sd),
        percent(chosen.start_sd),
        chosen.start_seconds,
        chosen.cycle_seconds
    )
}

/// Name of the row that says what taking turns was worth.
pub const TURNS: &str = "Turns";

/// What taking turns was worth.
pub fn worth_of_turns(chosen: &Slicing) -> Option<String> {
    let (removed, blocks) = chosen.turns_removed.zip(chosen.serial_blocks)?;
    Some(match removed > 0.0 {
        true => format!(
            "taking turns removed {:.0} % of the variance within starts; one after the other the variants would need \
             at least {blocks:.1} times the blocks",
            removed * 100.0
        ),
        false => {
            "taking turns removed nothing of the variance within starts: serial would do as well here".into()
        }
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
        let why = slice_length(0.95, "6 blocks");
        assert!(why.contains("5.00 % lower") && why.contains("--timing slice=1s"), "{why}");
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
