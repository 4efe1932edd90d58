//! Whether the servers were warm: how their starts went, and the figures of those without a steady state.

use crate::shown::Table;
use crate::{messages, number};
use proofload_language::say;
use proofload_stats::sample::median;
use proofload_store::schema::{RunResult, Steadiness, SteadyStart, SteadyState};

/// Most starts whose figures are shown; JSON has all.
const PICTURES_MAX: usize = 6;
/// Most windows of one start that are shown, the last ones.
const WINDOWS_MAX: usize = 8;

/// One row for each variant, and the figures of starts without a steady state; nothing where warm-ups were fixed.
pub(crate) fn tables(result: &RunResult) -> Vec<Table> {
    let states = &result.steady_states;
    if states.is_empty() {
        return Vec::new();
    }
    let mut tables = vec![Table {
        title: messages::STEADY_STATE.to_string(),
        header: messages::STEADY_STATE_COLUMNS.map(str::to_string).to_vec(),
        rows: states.iter().map(row).collect(),
    }];
    let starts = states.iter().flat_map(|state| state.starts.iter().map(|start| (&state.variant, start)));
    let unsteady = starts.filter(|(_, start)| start.found.is_unsteady()).take(PICTURES_MAX);
    let pictures: Vec<Vec<String>> = unsteady.map(|(variant, start)| picture(variant, start)).collect();
    if !pictures.is_empty() {
        tables.push(Table {
            title: messages::UNSTEADY.to_string(),
            header: messages::UNSTEADY_COLUMNS.map(str::to_string).to_vec(),
            rows: pictures,
        });
    }
    tables
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
        say!("start-of", variant, block = start.block),
        messages::unsteady_found(&start.found, start.step_after_cycles),
        change.zip(allowed).map_or_else(
            || messages::NONE.to_string(),
            |(change, allowed)| messages::change_of_start(change, allowed, shared),
        ),
        shown.join(", "),
    ]
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
