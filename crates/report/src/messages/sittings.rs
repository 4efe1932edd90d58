//! Sentences about sittings: how many an interval rests on, how much they differ, where the next one is to be expected.

use super::blocks;
use crate::number;
use proofload_stats::{Between, Judged, OverSittings, Scope};
use proofload_store::schema::{ClaimResult, Plan, Scope as Stored, SittingsResult};

/// `6 sittings`.
pub fn sittings(n: u32) -> String {
    if n == 1 { "1 sitting".into() } else { format!("{n} sittings") }
}

/// What a last line rests on: `12 blocks in this sitting`.
pub fn rests_on_sittings(judged: &ClaimResult, plan: &Plan) -> String {
    let blocks = crate::replicates::replicates(judged.blocks, plan);
    match (&judged.scope, judged.sittings) {
        (Stored::ThisSitting, _) | (_, 0 | 1) => blocks,
        (_, n) => format!("{blocks} in {}", sittings(n)),
    }
}

/// What an interval says beside its blocks of the sittings that they are of.
pub(crate) fn of_sittings(scope: &Scope) -> Option<String> {
    match scope {
        Scope::ThisSitting => None,
        Scope::Widened(Between { tau, sittings: n, .. }) => {
            Some(format!("with the τ of {} between {n} earlier sittings", number::percent(*tau)))
        }
        Scope::Sittings(over) => Some(format!("means of {}", sittings(over.found.means.n))),
    }
}

/// A verdict on blocks of one sitting is one about that sitting.
pub(crate) fn scope_of_verdict(judged: &Judged) -> &'static str {
    if judged.scope == Scope::ThisSitting { " in this sitting" } else { "" }
}

/// How much sittings differ, whether chance explains it, and where the next one is to be expected.
pub(crate) fn spread_of(over: &OverSittings, blocks_advised: Option<u32>) -> String {
    let prediction = &over.prediction;
    let amount = |value: f64| match over.is_log {
        true => number::percent(value),
        false => number::with_unit(value, prediction.unit),
    };
    let told = |value: f64| match prediction.unit {
        "ratio" => format!(
            "{value:.0$}",
            number::ratio_decimals_of(prediction.point, prediction.high - prediction.low)
        ),
        unit => number::with_unit(value, unit),
    };
    let next =
        format!("the next sitting is expected within {} … {}", told(prediction.low), told(prediction.high));
    let Some((between, within)) = over.found.between.zip(over.found.within) else {
        return format!("Each sitting has one block, so its own spread is not known; {next} (95 %).");
    };
    let differ = match between.tau > 0.0 {
        true => format!("Sittings differ by τ = {}, their blocks by {}", amount(between.tau), amount(within)),
        false => format!("Sittings differ no more than their blocks do, by {}", amount(within)),
    };
    let test = over.found.heterogeneity.map_or_else(String::new, |test| {
        format!(" (Q = {:.1} with {} degrees of freedom, p = {})", test.q, test.freedom, probability(test.p))
    });
    let advised = blocks_advised.map_or_else(String::new, |n| format!("; a sitting is worth {}", blocks(n)));
    format!("{differ}{test}; {next} (95 %){advised}.")
}

fn probability(p: f64) -> String {
    if p < 0.0001 { "less than 0.0001".into() } else { format!("{p:.4}") }
}

/// Too few sittings for a look.
pub fn too_few_sittings(have: u32, need: Option<u32>) -> String {
    match need {
        Some(need) => format!(
            "{} so far, and where blocks are of several the looks count them: the next is at {need}; blocks of a sitting share \
             what it had, so their number does not replace sittings",
            sittings(have)
        ),
        None => format!("{}: too few for an interval", sittings(have)),
    }
}

/// The interval of the sittings' means allows both.
pub fn sittings_cross(resolution: f64, more: Option<u32>) -> String {
    let more = match more {
        Some(n) => format!("about {} more would settle it", sittings(n)),
        None => "no number of sittings in reach would settle it".into(),
    };
    format!("the interval allows both; the resolution is ±{}; {more}", number::percent(resolution))
}

/// What earlier sittings differed by makes the interval of this one wider.
pub fn widened_by_sittings(tau: f64, n: u32) -> String {
    format!(
        "{n} earlier sittings differed by τ = {}, so that one sitting says this much of another: more sittings narrow it \
         (proofload replicate)",
        number::percent(tau)
    )
}

/// Headings of the sittings of a study.
pub const SITTINGS: &str = "Sittings";
/// Columns of their table.
pub const SITTING_COLUMNS: [&str; 4] = ["began", "blocks", "seed", "id"];

/// How many runs, sittings and blocks a result rests on.
pub fn made_of_sittings(result: &SittingsResult) -> String {
    let runs = match result.runs.len() {
        1 => "1 run".to_string(),
        n => format!("{n} runs"),
    };
    format!(
        "{runs}, {}, {}, looked at after {:?}",
        sittings(result.sittings),
        blocks(result.blocks),
        result.looks
    )
}

/// The number of sittings was not fixed beforehand.
pub const SITTINGS_NOT_PLANNED: &str = "how many sittings there are was not fixed before the first: the intervals hold if it was not chosen for what they showed";

/// Some sittings were so close together that they are hardly several.
pub fn sittings_close(n: usize) -> String {
    let those = if n == 1 { "1 sitting began".to_string() } else { format!("{n} sittings began") };
    format!(
        "{those} less than 30 minutes after the one before it ended: what changes over hours is hardly within their spread"
    )
}

/// Runs of one study that were not made alike.
pub fn sittings_differ(what: &str) -> String {
    format!("not the same in all sittings: {what}; if it matters, it is within their spread")
}

/// More is said of each run in its own report.
pub const LIMITS_OF_EACH: &str = "what limits each sitting is told in its own report";

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_stats::{Estimate, Sittings};

    fn over(values: &[Vec<f64>]) -> OverSittings {
        let found = Sittings::of(values).expect("sittings");
        let prediction = Estimate { point: 1.0, low: 0.9, high: 1.2, unit: "ratio", hodges_lehmann: 1.0 };
        OverSittings { found, prediction, is_log: true }
    }

    #[test]
    fn a_spread_comes_with_its_test_and_with_the_next_sitting() {
        let differ = over(&[vec![0.0, 0.02], vec![0.1, 0.12], vec![0.2, 0.22]]);
        assert_eq!(
            spread_of(&differ, Some(2)),
            "Sittings differ by τ = 9.95 %, their blocks by 1.41 % (Q = 200.0 with 2 degrees of freedom, p = 0.0018); the \
             next sitting is expected within 0.90 … 1.20 (95 %); a sitting is worth 2 blocks."
        );
        let same = over(&[vec![0.0, 0.02], vec![0.0, 0.02]]);
        assert!(
            spread_of(&same, None)
                .starts_with("Sittings differ no more than their blocks do, by 1.41 % (Q = 0.0")
        );
        let single = over(&[vec![0.0], vec![0.1]]);
        assert!(spread_of(&single, None).starts_with("Each sitting has one block"));
    }

    #[test]
    fn a_last_line_says_of_which_sittings_it_is() {
        let judged = |scope: &str, sittings| {
            rests_on_sittings(
                &ClaimResult { blocks: 12, scope: scope.into(), sittings, ..ClaimResult::default() },
                &Plan::default(),
            )
        };
        assert_eq!(judged("this_sitting", 1), "12 restarts");
        assert_eq!(judged("any_sitting", 6), "12 restarts in 6 sittings");
        assert_eq!((judged("any_sitting", 1), judged("", 0)), ("12 restarts".into(), "12 restarts".into()));
    }
}
