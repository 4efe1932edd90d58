//! Series of comparable runs in a history: figures are followed over such runs alone.

use crate::compare;
use proofload_store::schema::{Difference, Environment, Plan};
use std::collections::BTreeSet;

/// Runs that are comparable with each other, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSeries {
    pub members: Vec<usize>,
    /// Differences between its first run and the run before, because of which it began a series of its own; empty for
    /// the first series.
    pub differs: Vec<Difference>,
}

/// Sorts runs, oldest first, into series. A run joins the series whose last run is the latest among those with which
/// it is comparable, so that runs under two conditions in turn make two series; else it begins one.
pub fn comparable_series(runs: &[(&Plan, &Environment)]) -> Vec<RunSeries> {
    let mut all: Vec<RunSeries> = Vec::new();
    for at in 0..runs.len() {
        let mut latest: Option<(usize, usize)> = None;
        let mut differs: Option<(usize, Vec<Difference>)> = None;
        for (place, series) in all.iter().enumerate() {
            let last = series.members.last().copied().unwrap_or(0);
            let found = hindrance(series, runs, at);
            if found.is_empty() {
                latest = latest.max(Some((last, place)));
            } else if differs.as_ref().is_none_or(|(other, _)| last > *other) {
                differs = Some((last, found));
            }
        }
        match latest {
            Some((_, place)) => all[place].members.push(at),
            None => {
                let differs = differs.map(|(_, found)| found).unwrap_or_default();
                all.push(RunSeries { members: vec![at], differs });
            }
        }
    }
    all
}

/// Differences that keep a run out of a series.
fn hindrance(series: &RunSeries, runs: &[(&Plan, &Environment)], at: usize) -> Vec<Difference> {
    let mut members = series.members.iter().rev().map(|member| runs[*member]);
    let Some(last) = members.next() else { return Vec::new() };
    let found = compare::comparability(last, runs[at]);
    // A load point or variant that the last run lacks may be another one in a run before it.
    if !found.is_empty() || parts(last.0) == parts(runs[at].0) {
        return found;
    }
    let mut others = members.map(|member| compare::comparability(member, runs[at]));
    others.find(|found| !found.is_empty()).unwrap_or_default()
}

/// Names of what two runs are only compared in where both have it.
fn parts(plan: &Plan) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let points = plan.points.iter().map(|point| point.label.as_str()).collect();
    (points, plan.variants.iter().map(|variant| variant.name.as_str()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::LoadPoint;

    fn plan(points: &[(&str, u32)]) -> Plan {
        let point = |(label, connections): &(&str, u32)| LoadPoint {
            label: label.to_string(),
            connections: *connections,
            ..LoadPoint::default()
        };
        Plan { points: points.iter().map(point).collect(), ..Plan::default() }
    }

    fn members(plans: &[Plan], kernels: &[&str]) -> Vec<Vec<usize>> {
        let machines: Vec<Environment> = kernels
            .iter()
            .map(|kernel| Environment { kernel: kernel.to_string(), ..Environment::default() })
            .collect();
        let runs: Vec<(&Plan, &Environment)> = plans.iter().zip(&machines).collect();
        comparable_series(&runs).into_iter().map(|series| series.members).collect()
    }

    #[test]
    fn another_machine_begins_another_series_and_the_first_goes_on_after_it() {
        let same = plan(&[("64c", 64)]);
        let plans = vec![same.clone(); 5];
        assert_eq!(members(&plans, &["1", "1", "2", "1", "2"]), [vec![0, 1, 3], vec![2, 4]]);
        let (here, there) = (
            Environment { kernel: "1".into(), ..Environment::default() },
            Environment { kernel: "2".into(), ..Environment::default() },
        );
        let all = comparable_series(&[(&same, &here), (&same, &there)]);
        assert_eq!(all[0].differs, []);
        let differs = &all[1].differs[0];
        assert_eq!((differs.left.as_deref(), differs.right.as_deref()), (Some("1"), Some("2")));
    }

    #[test]
    fn a_load_point_that_was_left_out_for_a_while_is_still_the_same_or_not() {
        let (long, short) = (plan(&[("a", 1), ("b", 2)]), plan(&[("a", 1)]));
        let other = plan(&[("a", 1), ("b", 3)]);
        let plans = [long.clone(), short.clone(), long, other, short];
        assert_eq!(members(&plans, &["1"; 5]), [vec![0, 1, 2], vec![3, 4]]);
    }

    #[test]
    fn no_runs_make_no_series() {
        assert_eq!(comparable_series(&[]), []);
    }
}
