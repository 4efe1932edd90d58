//! Warm-up of the servers: the course of their starts, and the figures of those without a steady state.

use crate::messages::blocks;
use crate::shown::Table;
use crate::{messages, number};
use proofload_language::{Columns, named, tr};
use proofload_stats::sample::median;
use proofload_store::schema::{
    CheckOutcome, Looking, Plan, Replication, RunResult, SliceLength, Slicing, Steadiness, SteadyStart,
    SteadyState, Timing,
};

/// Most starts whose figures are shown; JSON has all.
const PICTURES_MAX: usize = 6;
/// Most windows of one start that are shown, the last ones.
const WINDOWS_MAX: usize = 8;

/// One row for each variant, and the figures of starts without a steady state; nothing where warm-ups were fixed.
pub(crate) fn tables(result: &RunResult) -> Vec<Table> {
    let states = &result.steady_states;
    let counts = Table::of(tr!("steady-state"), Columns::<8>("steady-state-columns"), states.iter().map(row));
    let starts = states.iter().flat_map(|state| state.starts.iter().map(|start| (&state.variant, start)));
    let unsteady = starts.filter(|(_, start)| start.found.is_unsteady()).take(PICTURES_MAX);
    let pictures = unsteady.map(|(variant, start)| picture(variant, start));
    let pictures = Table::of(tr!("unsteady"), Columns::<4>("unsteady-columns"), pictures);
    counts.into_iter().chain(pictures).collect()
}

fn row(state: &SteadyState) -> Vec<String> {
    let count = |is_it: &dyn Fn(&SteadyStart) -> bool| {
        number::count(state.starts.iter().filter(|start| is_it(start)).count() as u64)
    };
    let took: Vec<f64> = state.starts.iter().map(|start| start.warm_up.took_ns as f64).collect();
    vec![
        state.variant.clone(),
        count(&|_| true),
        count(&|start| start.found == Steadiness::Steady),
        count(&|start| start.found == Steadiness::Cap),
        count(&|start| start.found == Steadiness::StillWarming),
        count(&|start| start.found.is_unsteady() && !start.found.is_shared()),
        count(&|start| start.found == Steadiness::NotMeasured),
        median(&took).map_or_else(|| messages::NONE.to_string(), number::duration),
    ]
}

fn picture(variant: &str, start: &SteadyStart) -> Vec<String> {
    let late = start.found == Steadiness::LateStep;
    let shared = start.found.is_shared();
    let warm_up = &start.warm_up;
    let (change, allowed, windows) = match late {
        true => (start.step_between, start.step_allowed, &start.cycles_cpu_ns_per_exchange),
        false if shared => (warm_up.change, warm_up.change_allowed, &warm_up.windows_cpu_ns_per_exchange),
        false => {
            (warm_up.change_between, warm_up.change_between_allowed, &warm_up.windows_cpu_ns_per_exchange)
        }
    };
    let cell = |ns: &Option<f64>| ns.map_or_else(|| messages::NONE.to_string(), number::duration);
    let shown: Vec<String> = windows[windows.len().saturating_sub(WINDOWS_MAX)..].iter().map(cell).collect();
    vec![
        tr!("start-of", variant, block = start.block),
        unsteady_found(&start.found, start.step_after_cycles),
        change.zip(allowed).map_or_else(
            || messages::NONE.to_string(),
            |(change, allowed)| change_of_start(change, allowed, shared),
        ),
        shown.join(", "),
    ]
}

/// Finding on a start without a steady state.
fn unsteady_found(found: &Steadiness, after_cycles: Option<u32>) -> String {
    match (found, after_cycles) {
        (Steadiness::LateStep, Some(cycles)) => tr!("unsteady-found-a-step-after-cycle", cycles),
        (Steadiness::StillWarming, _) => tr!("unsteady-found-still-warming-at-the").to_string(),
        _ => tr!("unsteady-found-still-changing-at-the").to_string(),
    }
}

/// A change beyond that of the others, or one that they share, and what of it would be none.
fn change_of_start(change: f64, allowed: f64, shared: bool) -> String {
    let (change, allowed) = (number::signed_percent(change), number::percent(allowed));
    tr!("change-of-start", change, shared, allowed)
}

/// Preset and timing in one line.
pub(crate) fn preset(plan: &Plan) -> String {
    let Plan { preset: name, timing, replication, seed, .. } = plan;
    let seconds = |ns: u64| number::plain(ns as f64 / 1e9);
    let looks: Vec<String> = timing.looks.iter().map(u32::to_string).collect();
    tr!(
        "preset",
        name = named(name.name()),
        warm_up = seconds(timing.warm_up_ns),
        warm_up_cap = (timing.warm_up_cap_ns > 0).then(|| seconds(timing.warm_up_cap_ns)),
        cycles = timing.cycles,
        seconds = seconds(timing.slice_ns),
        looking = if timing.looking == Looking::Anytime { "anytime" } else { "looks" },
        first = timing.looks.first(),
        last = timing.looks.last(),
        looks = looks.join(tr!("between-items")),
        restarted = *replication != Replication::Process,
        seed
    )
}

/// Length of the slices, and its reason; `None` where they are as the plan has them.
pub(crate) fn slices(chosen: &Slicing) -> Option<String> {
    let time = |ns: u64| number::duration(ns as f64);
    (chosen.slice_ns > 0).then(|| {
        tr!(
            "slices-chosen",
            slice = time(chosen.slice_ns),
            discard = time(chosen.discard_ns),
            p99 = time(chosen.slices_p99_ns)
        )
    })
}

/// Comparison of long slices with short ones.
pub(crate) fn held_against_long(found: &SliceLength, timing: &Timing) -> String {
    tr!(
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

/// Number of cycles of the blocks, and its reason.
pub(crate) fn slicing(chosen: &Slicing) -> String {
    let percent = |sd: f64| number::percent(sd.exp_m1());
    if chosen.blocks == 0 {
        return tr!("slicing-at-first", cycles = chosen.cycles);
    }
    tr!(
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

/// Spread that taking turns removed, and the blocks it saved.
pub(crate) fn worth_of_turns(chosen: &Slicing) -> Option<String> {
    let (removed, blocks) = chosen.turns_removed.zip(chosen.serial_blocks)?;
    Some(match removed > 0.0 {
        true => {
            tr!("turns-removed", removed = number::short_percent(removed), blocks = format!("{blocks:.1}"))
        }
        false => tr!("turns-removed-nothing").into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::WarmUp;

    fn start(block: u32, found: &str, took_s: u64) -> SteadyStart {
        let warm_up = WarmUp {
            took_ns: took_s * 1_000_000_000,
            windows_cpu_ns_per_exchange: vec![Some(50_000.0), Some(55_000.0)],
            change_between: Some(0.095),
            change_between_allowed: Some(0.01),
            ..WarmUp::default()
        };
        SteadyStart { block, found: found.into(), warm_up, ..SteadyStart::default() }
    }

    #[test]
    fn starts_are_counted_and_those_without_a_steady_state_are_shown_in_figures() {
        let late = SteadyStart {
            cycles_cpu_ns_per_exchange: vec![Some(40_000.0), Some(44_000.0)],
            step_after_cycles: Some(1),
            step_between: Some(0.1),
            step_allowed: Some(0.02),
            ..start(3, "late_step", 40)
        };
        let starts =
            vec![start(1, "steady", 30), start(2, "no_steady_state", 180), late, start(4, "cap", 180)];
        let states = vec![SteadyState { variant: "a".into(), starts }];
        let result = RunResult { steady_states: states, ..RunResult::default() };
        let [counts, pictures] = &tables(&result)[..] else { panic!("two tables") };
        assert_eq!(counts.rows, [["a", "4", "1", "1", "0", "2", "0", "110 s"]]);
        assert_eq!(
            pictures.rows,
            [
                [
                    "a, block 2",
                    "still changing at the longest warm-up",
                    "+9.5 % beyond the others, ±1.00 % allowed",
                    "50.0 µs, 55.0 µs"
                ],
                [
                    "a, block 3",
                    "a step after cycle 1, while it was measured",
                    "+10.0 % beyond the others, ±2.00 % allowed",
                    "40.0 µs, 44.0 µs"
                ],
            ]
        );
        assert!(tables(&RunResult::default()).is_empty(), "of fixed warm-ups nothing is shown");
    }
}

#[cfg(test)]
mod worded {
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
