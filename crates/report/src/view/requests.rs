//! The table of the entries of mixes.

use crate::shown::Table;
use crate::{messages, number};
use proofload_language::{Columns, tr};
use proofload_measure::OutcomeCounts;
use proofload_store::counts_of;
use proofload_store::schema::{Durations, Point, RequestFigures, RunResult};
use std::cmp::Reverse;

/// Entries of one mix that have a row; those with most exchanges. The others have one together.
const ROWS_MAX: usize = 20;

/// A row for each step of users, and for each of their journeys; `None` without any.
pub(crate) fn steps(result: &RunResult) -> Option<Table> {
    let has_journeys = result.plan.as_ref().is_some_and(|plan| !plan.journeys.is_empty());
    let table = if has_journeys { table(&result.points, result.points.len() == 1) } else { None };
    table.map(|table| Table { title: tr!("steps").to_string(), ..table })
}

/// A row for each entry of the mix of each point; `None` without a mix.
pub(crate) fn table(points: &[Point], single: bool) -> Option<Table> {
    let rows = points.iter().flat_map(|point| {
        let named = |name: &str| match single {
            true => name.to_string(),
            false => tr!("labelled", label = messages::place(point), what = name),
        };
        let exchanges = |at: &usize| counts_of(&point.requests[*at].outcomes).total();
        let mut shown: Vec<usize> = (0..point.requests.len()).collect();
        shown.sort_by_key(|at| Reverse(exchanges(at)));
        let others = shown.split_off(shown.len().min(ROWS_MAX));
        shown.sort_unstable();
        let mut rows: Vec<Vec<String>> =
            shown.iter().map(|at| row(named(&point.requests[*at].name), &[&point.requests[*at]])).collect();
        if !others.is_empty() {
            let name = named(&tr!("requests-others", n = others.len()));
            rows.push(row(name, &others.iter().map(|at| &point.requests[*at]).collect::<Vec<_>>()));
        }
        rows
    });
    Table::of(tr!("requests"), Columns::<6>("request-columns"), rows)
}

/// The figures of one entry, or the sums of several.
fn row(name: String, of: &[&RequestFigures]) -> Vec<String> {
    let mut counts = OutcomeCounts::default();
    of.iter().for_each(|request| counts.merge(&counts_of(&request.outcomes)));
    let per_s = of.iter().filter_map(|request| request.throughput_per_s).reduce(|a, b| a + b);
    let at = |ns: fn(&Durations) -> Option<u64>, q: f64| match of {
        [one] => ns(&one.response_time_ns)
            .map(|ns| messages::bounded(one.response_time_ns.is_at_least(q), number::duration(ns as f64))),
        _ => None,
    };
    let or_none = |told: Option<String>| told.unwrap_or_else(|| messages::NONE.to_string());
    vec![
        name,
        number::count(counts.total()),
        or_none(per_s.map(|per_s| number::with_unit(per_s, "per_s"))),
        or_none(at(|times| times.p50, 0.5)),
        or_none(at(|times| times.p99, 0.99)),
        messages::screen::errors_of(counts.errors(), counts.finished()),
    ]
}
