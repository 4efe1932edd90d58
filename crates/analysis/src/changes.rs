//! Change points in a history: comparable runs, one series for each figure, and where its level changed.

use crate::compare;
use crate::error::AnalysisError;
use crate::judged::measures_of;
use crate::planned::restore;
use crate::points::place_of;
use crate::reasons::reason;
use crate::series::comparable_series;
use proofload_facts::Limit;
use proofload_stats::change::{Change, Rule, changes};
use proofload_stats::{FigureOf, Measure, Names, Observations, figure_of};
use proofload_store::Run;
use proofload_store::schema::{
    Difference, Environment, Estimate, HistoryChange, HistoryEntry, HistorySeries, Plan,
};
use std::collections::{BTreeMap, BTreeSet};

/// Measures compared between runs: each further one takes its share of the error rate from the others.
pub const COMPARED: [Measure; 4] = [
    Measure::Throughput,
    Measure::ResponseQuantile(5000),
    Measure::ResponseQuantile(9900),
    Measure::CpuPerRequest,
];

/// A change of less than this share is one of the last digits, not of a server.
const ROUNDING: f64 = 1e-6;

/// A measure of one variant at one load point, of one stream or (empty) of all, by names: their indexes differ from
/// plan to plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    variant: String,
    point: String,
    stream: String,
    measure: Measure,
}

/// Contribution of a run to a series.
pub(crate) struct Member {
    /// Its place in the history.
    entry: usize,
    plan: Plan,
    environment: Environment,
    values: BTreeMap<Key, f64>,
}

impl Member {
    /// Figures of a run that are fit for use, and for each other one the reason why it is left out; `None` when no
    /// block counts.
    ///
    /// # Errors
    /// Fails if its plan holds a claim that cannot be read.
    pub(crate) fn of(
        run: &Run,
        observations: &Observations,
        entry: usize,
    ) -> Result<Option<(Member, Vec<Limit>)>, AnalysisError> {
        if observations.blocks.is_empty() {
            return Ok(None);
        }
        let (names, claims, _) = restore(run.plan())?;
        let mut measures = COMPARED.to_vec();
        measures.extend(measures_of(&claims).into_iter().filter(|measure| !COMPARED.contains(measure)));
        let (mut values, mut left_out) = (BTreeMap::new(), Vec::new());
        // Its earlier blocks were measured under other conditions than its later ones.
        let mixed = run.status().sittings.iter().flat_map(|sitting| &sitting.differences).next();
        if let Some(what) = mixed {
            left_out.push(Limit::ResumedElsewhere { what: what.clone() });
        } else {
            for of in figures(&names, &measures) {
                match figure_of(observations, of) {
                    Ok(Some(value)) => {
                        values.insert(key(&names, of), value);
                    }
                    Ok(None) => {}
                    Err(found) => {
                        let why = reason(&found, &names, "ratio");
                        let said = Limit::FigureLeftOut { place: key(&names, of).place(), why };
                        // One reason holds for most measures of a trial.
                        if !left_out.contains(&said) {
                            left_out.push(said);
                        }
                    }
                }
            }
        }
        let (plan, environment) = (run.plan().clone(), run.environment().clone());
        Ok(Some((Member { entry, plan, environment, values }, left_out)))
    }

    /// Its study; of what the command line made, which all have one name, the servers, too.
    fn compared(&self, study: &str) -> Vec<String> {
        let servers = self.plan.variants.iter().filter(|_| matches!(study, "compare" | "capacity"));
        let servers = servers.map(|it| format!("{} {} {:?}", it.name, it.description, it.command));
        std::iter::once(study.to_string()).chain(servers).collect()
    }

    fn conditions(&self) -> (&Plan, &Environment) {
        (&self.plan, &self.environment)
    }
}

impl Key {
    /// `nio @ 64c`, `nio [fast] @ 64c`.
    fn place(&self) -> String {
        place_of(&self.variant, &self.stream, &self.point)
    }
}

fn figures(names: &Names, measures: &[Measure]) -> Vec<FigureOf> {
    let mut all = Vec::new();
    for point in 0..names.points.len() {
        for variant in 0..names.variants.len() {
            for stream in names.parts() {
                let known = measures.iter().filter(|measure| stream.is_none() || measure.is_of_exchanges());
                all.extend(known.map(|&measure| FigureOf { measure, variant, point, stream }));
            }
        }
    }
    all
}

fn key(names: &Names, of: FigureOf) -> Key {
    Key {
        variant: names.name_of(of.variant),
        point: names.point_of(of.point),
        stream: names.stream_of(of.stream),
        measure: of.measure,
    }
}

/// Enters series and change points in the lines of the runs.
pub(crate) fn enter(entries: &mut [HistoryEntry], members: &[Member], least_change: f64) {
    let mut studies: BTreeMap<Vec<String>, Vec<&Member>> = BTreeMap::new();
    for member in members {
        studies.entry(member.compared(&entries[member.entry].study)).or_default().push(member);
    }
    for runs in studies.values() {
        let conditions: Vec<(&Plan, &Environment)> = runs.iter().map(|run| run.conditions()).collect();
        for series in comparable_series(&conditions) {
            let of: Vec<&Member> = series.members.iter().map(|at| runs[*at]).collect();
            enter_series(entries, &of, &series.differs, least_change);
        }
    }
}

fn enter_series(entries: &mut [HistoryEntry], members: &[&Member], differs: &[Difference], least: f64) {
    let needs = Rule::default().needs();
    let keys: BTreeSet<&Key> = members.iter().flat_map(|member| member.values.keys()).collect();
    let mut looked_through = 0;
    for key in keys {
        let known: Vec<(&Member, f64)> =
            members.iter().filter_map(|member| Some((*member, *member.values.get(key)?))).collect();
        let (scale, rule) = scale_of(&known, least);
        let Ok(found) = changes(&scale, &rule) else { continue };
        looked_through += 1;
        for change in found {
            let (here, before) = (known[change.at].0, known[change.at - 1].0);
            let previous = entries[before.entry].id.clone();
            let suspects = compare::suspects(before.conditions(), here.conditions());
            entries[here.entry].changes.push(HistoryChange {
                variant: key.variant.clone(),
                point: key.point.clone(),
                stream: key.stream.clone(),
                measure: key.measure.name(),
                change: estimate(&change, &known, key.measure),
                confidence: 1.0 - rule.tail,
                p: change.p,
                runs_before: change.before as u32,
                runs_after: change.after as u32,
                previous,
                differences: suspects.iter().map(Difference::finding).collect(),
            });
        }
    }
    let began = members.first().map_or_else(String::new, |first| entries[first.entry].id.clone());
    for (place, member) in members.iter().enumerate() {
        let first = if place == 0 { differs } else { &[] };
        entries[member.entry].series = Some(HistorySeries {
            began: began.clone(),
            place: place as u32 + 1,
            runs: members.len() as u32,
            needs: needs as u32,
            figures: looked_through,
            differences: first.iter().map(Difference::finding).collect(),
        });
    }
}

fn are_positive(known: &[(&Member, f64)]) -> bool {
    known.iter().all(|(_, value)| *value > 0.0)
}

/// The values as they are looked through: logarithms, unless one is zero.
fn scale_of(known: &[(&Member, f64)], least: f64) -> (Vec<f64>, Rule) {
    let plain = known.iter().map(|(_, value)| *value);
    if !are_positive(known) {
        return (plain.collect(), Rule::default());
    }
    let step_min = (1.0 + least.max(ROUNDING)).ln();
    (plain.map(f64::ln).collect(), Rule { step_min, ..Rule::default() })
}

fn estimate(change: &Change, known: &[(&Member, f64)], measure: Measure) -> Estimate {
    let ratios = are_positive(known);
    let back = |value: f64| if ratios { value.exp() } else { value };
    let finite = |value: f64| Some(back(value)).filter(|value| value.is_finite());
    Estimate {
        point: back(change.step),
        low: finite(change.low),
        high: finite(change.high),
        unit: if ratios { "ratio".to_string() } else { format!("{}_difference", measure.unit()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Histories of one figure: for each run its study and the value, if it has one.
    fn history(measure: Measure, runs: &[(&str, Option<f64>)], least: f64) -> Vec<HistoryEntry> {
        let key = Key { variant: "nio".into(), point: "64c".into(), stream: String::new(), measure };
        let member = |(entry, (_, value)): (usize, &(&str, Option<f64>))| Member {
            entry,
            plan: Plan::default(),
            environment: Environment::default(),
            values: value.iter().map(|value| (key.clone(), *value)).collect(),
        };
        let members: Vec<Member> = runs.iter().enumerate().map(member).collect();
        let entry = |(at, (study, _)): (usize, &(&str, Option<f64>))| HistoryEntry {
            study: study.to_string(),
            id: format!("run {at}"),
            ..HistoryEntry::default()
        };
        let mut entries: Vec<HistoryEntry> = runs.iter().enumerate().map(entry).collect();
        enter(&mut entries, &members, least);
        entries
    }

    fn changed(entries: &[HistoryEntry]) -> Vec<(usize, &HistoryChange)> {
        let changes = entries.iter().enumerate();
        changes.flat_map(|(at, entry)| entry.changes.iter().map(move |change| (at, change))).collect()
    }

    #[test]
    fn a_figure_with_zeros_changes_by_a_difference() {
        let shares =
            [0.0, 0.001, 0.0, 0.001, 0.0, 0.101, 0.1, 0.1, 0.101, 0.1].map(|share| ("a", Some(share)));
        let entries = history(Measure::ErrorShare, &shares, 0.0);
        let changes = changed(&entries);
        assert_eq!(changes.len(), 1, "{changes:?}");
        let (at, change) = changes[0];
        assert_eq!((at, change.change.unit.as_str()), (5, "share_difference"));
        assert!((change.change.point - 0.1).abs() < 1e-9, "{change:?}");
        assert_eq!((change.runs_before, change.runs_after, change.previous.as_str()), (5, 5, "run 4"));
    }

    #[test]
    fn runs_without_a_value_are_passed_over() {
        let levels = [100.0, 101.0, 99.0, 100.5, 120.0, 121.0, 119.0, 120.5];
        let mut runs: Vec<(&str, Option<f64>)> = levels.map(|level| ("a", Some(level))).to_vec();
        runs.insert(4, ("a", None));
        let entries = history(Measure::Throughput, &runs, 0.0);
        let changes = changed(&entries);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!((changes[0].0, changes[0].1.previous.as_str()), (5, "run 3"));
        assert_eq!(entries[0].series.as_ref().map(|series| (series.runs, series.figures)), Some((9, 1)));
        // By less than a half.
        assert!(changed(&history(Measure::Throughput, &runs, 0.5)).is_empty());
    }

    #[test]
    fn studies_are_followed_apart() {
        // In one row they would have a change.
        let runs: Vec<(&str, Option<f64>)> =
            (0..12).map(|at| if at < 6 { ("a", Some(100.0)) } else { ("b", Some(200.0)) }).collect();
        let entries = history(Measure::Throughput, &runs, 0.0);
        assert!(changed(&entries).is_empty());
        assert_eq!(entries[6].series.as_ref().map(|series| (series.place, series.runs)), Some((1, 6)));
        // Rounding in the last digits of a number is not a change.
        let wobble = |at: u32| ("a", Some(if at < 6 { 100.0 } else { 100.000_000_1 }));
        let runs: Vec<(&str, Option<f64>)> = (0..12).map(wobble).collect();
        assert!(changed(&history(Measure::Throughput, &runs, 0.0)).is_empty());
    }
}
