//! Sentences about sittings: the number behind an interval, the spread between them, the range expected of the next
//! one.

use super::blocks;
use crate::number;
use proofload_language::tr;
use proofload_stats::{Between, OverSittings, Scope};
use proofload_store::schema::{ClaimResult, Plan, Scope as Stored, SittingsResult};

/// `6 sittings`.
pub fn sittings(n: u32) -> String {
    tr!("sittings", n)
}

/// Basis of a last line: `12 blocks in this sitting`.
pub fn rests_on_sittings(judged: &ClaimResult, plan: &Plan) -> String {
    let blocks = crate::replicates::replicates(judged.blocks, plan);
    match (&judged.scope, judged.sittings) {
        (Stored::ThisSitting, _) | (_, 0 | 1) => blocks,
        (_, n) => tr!("rests-on-sittings", blocks, sittings = sittings(n)),
    }
}

/// Part of an interval's basis about the sittings of its blocks.
pub(crate) fn of_sittings(scope: &Scope) -> Option<String> {
    match scope {
        Scope::ThisSitting => None,
        Scope::Widened(Between { tau, sittings: n, .. }) => {
            Some(tr!("of-sittings-with-the-of-between", tau = number::percent(*tau), n))
        }
        Scope::Sittings(over) => Some(tr!("of-sittings-means-of", sittings = sittings(over.found.means.n))),
    }
}

/// Spread between sittings, the test whether chance explains it, and the range expected of the next one.
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
    let (low, high) = (told(prediction.low), told(prediction.high));
    let Some((between, within)) = over.found.between.zip(over.found.within) else {
        return tr!("spread-of-single-blocks", low, high);
    };
    let tau = (between.tau > 0.0).then(|| amount(between.tau));
    let within = amount(within);
    let test = over.found.heterogeneity;
    let q = test.map(|test| format!("{:.1}", test.q));
    let freedom = test.map(|test| test.freedom);
    let p =
        test.map(|test| if test.p < 0.0001 { "< 0.0001".to_string() } else { format!("= {:.4}", test.p) });
    let worth = blocks_advised.map(blocks);
    tr!("spread-of-sittings", tau, within, q, freedom, p, low, high, worth)
}

/// Numbers of runs, sittings and blocks that a result rests on.
pub fn made_of_sittings(result: &SittingsResult) -> String {
    tr!(
        "made-of-sittings",
        runs = result.runs.len(),
        sittings = sittings(result.sittings),
        blocks = blocks(result.blocks),
        looks = format!("{:?}", result.looks)
    )
}

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
