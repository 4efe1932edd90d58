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

/// A start: variant and block.
pub fn start_of(variant: &str, block: u32) -> String {
    say!("start-of", variant, block)
}

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
    let of =
        if shared { word!("change-of-start-as-all") } else { word!("change-of-start-beyond-the-others") };
    say!(
        "change-of-start-allowed",
        signed_percent = number::signed_percent(change),
        of,
        allowed = number::percent(allowed)
    )
}

/// Too many starts without a steady state; `per_10s` is how much faster they still became.
pub fn no_steady_state(n: u32, of: &str, per_10s: Option<f64>) -> String {
    let slope = per_10s.map_or_else(String::new, |slope| {
        say!("no-steady-state-there-by-within-s", signed_percent = number::signed_percent(slope))
    });
    say!("no-steady-state-still-warming-in-of", n, of, slope)
}

/// Starts without a steady state that do not turn the verdict, even if they changed by `share` more.
pub fn beyond_warm_up(n: u32, of: &str, share: f64) -> String {
    say!("beyond-warm-up", n, of, share = number::percent(share))
}

/// Starts of which nothing can be said.
pub fn steadiness_not_measured(variant: &str) -> String {
    say!("steadiness-not-measured", variant)
}

/// Warm-up in one line: `30 s`, or `until steady, at most 180 s`.
pub fn warm_up(fixed_ns: u64, cap_ns: u64) -> String {
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    match cap_ns {
        0 => say!("warm-up-s", seconds = seconds(fixed_ns)),
        _ => say!("warm-up-until-steady-at-most", seconds = seconds(cap_ns)),
    }
}

/// Preset and timing in one line.
pub fn preset(plan: &Plan) -> String {
    let Plan { preset: name, timing, replication, seed, .. } = plan;
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    say!(
        "preset",
        name = named(name.name()),
        warm_up = warm_up(timing.warm_up_ns, timing.warm_up_cap_ns),
        timing = say!("preset-cycles", cycles = timing.cycles),
        seconds = seconds(timing.slice_ns),
        looks = looks(
            timing,
            if *replication == Replication::Process { word!("preset-turn") } else { word!("preset-restart") }
        ),
        seed
    )
}

/// When claims are judged.
fn looks(timing: &Timing, what: &str) -> String {
    match (timing.looking == Looking::Anytime, timing.looks.first(), timing.looks.last()) {
        (true, Some(first), Some(last)) => say!("looks-judged-after-every-from", what, first, last),
        (_, Some(1), Some(1)) => say!("looks-judged-after", what),
        _ => {
            let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
            say!("looks-judged-after-s", looks = looks.join(word!("between-items")), what)
        }
    }
}

/// Name of the row that says how long the slices are.
pub const SLICES: Phrase = Phrase("slices");

/// How long the slices are, and why; `None` where they are as the plan has them.
pub fn slices(chosen: &Slicing) -> Option<String> {
    let time = |ns: u64| number::duration(ns as f64);
    (chosen.slice_ns > 0).then(|| {
        say!(
            "slices-before-each-discarded-for",
            time = time(chosen.slice_ns),
            time2 = time(chosen.discard_ns),
            time3 = time(chosen.slices_p99_ns)
        )
    })
}

/// What long slices showed beside the short ones.
pub fn held_against_long(found: &SliceLength, timing: &Timing) -> String {
    say!(
        "held-against-long",
        timing = number::duration(timing.slice_ns as f64),
        blocks = blocks(found.blocks),
        claim = format!("{:?}", found.claim),
        found = found.ratio.map_or_else(
            || word!("held-against-long-not-known").to_string(),
            |ratio| number::signed_percent(ratio - 1.0)
        ),
        found2 = match found.outcome {
            CheckOutcome::Passed => word!("held-against-long-alike-within"),
            CheckOutcome::Failed => word!("held-against-long-another-one-by-more"),
            _ => word!("held-against-long-not-resolved"),
        }
    )
}

/// A ratio that long slices show otherwise than short ones.
pub fn slice_length(ratio: f64, blocks: &str) -> String {
    say!(
        "slice-length-long-slices-show-a",
        ratio = match ratio >= 1.0 {
            true => say!("slice-length-higher", ratio = number::percent(ratio - 1.0)),
            false => say!("slice-length-lower", ratio = number::percent(1.0 - ratio)),
        },
        blocks
    )
}

/// Name of the row that says how many cycles the blocks have.
pub const CYCLES: Phrase = Phrase("cycles");

/// How many cycles the blocks have, and why.
pub fn slicing(chosen: &Slicing) -> String {
    let percent = |sd: f64| number::percent(sd.exp_m1());
    if chosen.blocks == 0 {
        return say!("slicing-in-each-block-about", cycles = chosen.cycles);
    }
    say!(
        "slicing-in-each-block-after",
        cycles = chosen.cycles,
        after_block = chosen.after_block,
        claim = format!("{:?}", chosen.claim),
        percent = percent(chosen.slice_sd),
        percent2 = percent(chosen.start_sd),
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
        true => say!(
            "worth-of-turns-taking-turns-removed-of",
            removed = format!("{:.0}", removed * 100.0),
            blocks = format!("{blocks:.1}")
        ),
        false => word!("worth-of-turns-taking-turns-removed-nothing").into(),
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
