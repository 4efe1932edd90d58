//! Claims about one measurement: a threshold and a value.
//!
//! Without replication there is no interval, and nothing can be told of the next run. The verdict only tells if the
//! measurement that was made lies on the claimed side. The guards are those of every verdict.

use super::estimated::estimate;
use super::evaluation::not_measured;
use super::flaws::Flaws;
use super::series::{Index, Series};
use super::{decide, fact, guard};
use crate::sample::Moments;
use crate::{Claim, Estimate, Judged, Judgement, Observations, Reach, Reason, Verdict};

/// Compares the value of one measurement with the claimed one, exactly; every such verdict has the reason that it
/// rests on one measurement. Undecided where a value is missing or a guard forbids it (an unfit generator). Refuted
/// where errors are many under a claim about speed: unlike a comparison, a threshold asks for a server that works.
/// Only the first block is looked at; without one nothing is decided.
pub fn judge_seen(claims: &[Claim], observations: &Observations) -> Judgement {
    let index = Index::new(observations);
    let blocks: Vec<u32> = observations.blocks.iter().copied().take(1).collect();
    let claims = claims.iter().map(|claim| seen(&Series::new(claim, &index, &blocks), blocks.len() as u32));
    Judgement { claims: claims.collect(), settled: true, ..Judgement::default() }
}

fn seen(series: &Series<'_>, blocks: u32) -> Judged {
    let mut judged = Judged::undecided(0.0, blocks);
    if blocks == 0 {
        judged.reasons.push(Reason::NoData);
        return judged;
    }
    let flaws = Flaws::of(series, blocks);
    let guards = guard::guards(series, blocks, blocks, 0);
    // The quantile of the exchanges seen is exact for these, however few they are; it holds for no others.
    let holds = |reason: &Reason| !matches!(reason, Reason::BlocksLost { .. } | Reason::NotResolvable { .. });
    judged.reasons.extend(guards.into_iter().filter(holds));
    let sides: Vec<_> = series.sides.iter().flatten().copied().collect();
    let framed = decide::frame(series, &sides).and_then(|frame| {
        let moments = Moments::of(&frame.values)?;
        Some((frame, moments))
    });
    let Some((frame, moments)) = framed else {
        judged.reasons.extend(not_measured(series, blocks));
        judged.reasons.splice(..0, flaws.limits);
        return judged;
    };
    let level = estimate(series, &frame, &moments, 0.0, moments.mean);
    judged.estimate = Some(Estimate { low: f64::NEG_INFINITY, high: f64::INFINITY, ..level });
    // A failing server does not meet a claim about speed; an unbounded flaw of the generator is not the server's
    // failure.
    let failing = judged.reasons.iter().any(|reason| matches!(reason, Reason::Errors { .. }));
    if failing && !flaws.reach.is_any() {
        judged.verdict = Verdict::Refuted;
        judged.reasons = judged.reasons.into_iter().map(forbidding).collect();
    } else if judged.reasons.is_empty() {
        let reach = flaws.reach_on(frame.scale);
        let apart = (reach != Reach::NONE)
            .then(|| frame.decide(moments.mean - reach.below, moments.mean + reach.above));
        let Some(holds) = apart.unwrap_or_else(|| Some(frame.decide_constant(moments.mean))) else {
            judged.reasons = match flaws.limits.is_empty() {
                true => {
                    let margin = frame.margin(moments.mean, moments.mean).exp_m1();
                    vec![Reason::MayAccountFor { share: reach.below.max(reach.above).exp_m1(), margin }]
                }
                false => flaws.limits,
            };
            return judged;
        };
        judged.verdict = if holds { Verdict::Supported } else { Verdict::Refuted };
        judged.reasons.push(Reason::OneMeasurement);
        judged.reasons.extend(flaws.notes);
        if let Some(exchanges) = error_free(series).filter(|_| holds) {
            judged.reasons.push(fact::seen_only(exchanges, 0, 1, 0));
        }
    } else {
        judged.reasons.splice(..0, flaws.limits);
    }
    judged
}

/// Too many errors are what decides.
fn forbidding(reason: Reason) -> Reason {
    match reason {
        Reason::Errors { variant, share } => Reason::FailsTooOften { variant, share },
        other => other,
    }
}

/// The exchanges behind a claim about errors, when none was seen.
fn error_free(series: &Series<'_>) -> Option<u64> {
    let about_errors = |trial: &super::series::Trial| {
        matches!(trial.measure, crate::Measure::Errors | crate::Measure::ErrorShare)
    };
    let cells: Vec<_> = series.cells.iter().flatten().flatten().collect();
    let clean = cells.iter().all(|cell| cell.errors == 0);
    let exchanges = cells.iter().fold(0_u64, |sum, cell| sum.saturating_add(cell.finished));
    (series.trials.iter().all(about_errors) && clean && exchanges > 0).then_some(exchanges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Measure, Names, Replication, Selector, parse_claim};
    use proofload_facts::Finding;

    fn cell(measure: Measure, merged: Option<f64>) -> Cell {
        Cell {
            block: 1,
            variant: 0,
            point: 0,
            measure,
            cycles: vec![merged],
            merged,
            finished: 100_000,
            ..Cell::default()
        }
    }

    fn judged(text: &str, cells: Vec<Cell>) -> Judged {
        let names = Names {
            variants: vec![Selector { name: "url".into(), levels: Vec::new() }],
            points: vec!["64c".into()],
            streams: Vec::new(),
            ..Names::default()
        };
        let claims = parse_claim(text, text, &names).expect("a claim");
        let blocks = if cells.is_empty() { Vec::new() } else { vec![1] };
        let seen = Observations {
            cells,
            blocks,
            excluded_blocks: 0,
            disturbed: Vec::new(),
            replication: Replication::Process,
            ..Observations::default()
        };
        judge_seen(&claims, &seen).claims.remove(0)
    }

    const P99: Measure = Measure::ResponseQuantile(9900);

    #[test]
    fn what_was_seen_is_compared_exactly_and_says_that_it_is_one_measurement() {
        for (text, verdict) in [
            ("p99 < 50ms", Verdict::Supported),
            ("p99 < 40ms", Verdict::Refuted),
            ("p99 <= 40ms", Verdict::Supported),
            ("p99 > 40ms", Verdict::Refuted),
            ("0.5 * p99 < 21ms", Verdict::Supported),
            ("30ms < p99", Verdict::Supported),
            ("p99 ~ 41ms within 5%", Verdict::Supported),
            ("p99 ~ 50ms within 5%", Verdict::Refuted),
        ] {
            let judged = judged(text, vec![cell(P99, Some(40e6))]);
            assert_eq!(
                (judged.verdict, &judged.reasons[..]),
                (verdict, &[Reason::OneMeasurement][..]),
                "{text}"
            );
            let estimate = judged.estimate.expect("what was seen");
            assert!((estimate.point - 40e6).abs() < 1.0 && estimate.unit == "ns", "{text}: {estimate:?}");
            assert!(estimate.low.is_infinite() && estimate.high.is_infinite());
        }
    }

    #[test]
    fn no_value_and_no_measurement_pass_nothing() {
        for value in [None, Some(f64::NAN), Some(0.0)] {
            let judged = judged("p99 < 50ms", vec![cell(P99, value)]);
            assert_eq!(judged.verdict, Verdict::Undecided);
            assert!(matches!(judged.reasons[..], [Reason::NotMeasured { .. }]), "{:?}", judged.reasons);
        }
        let judged = judged("p99 < 50ms", Vec::new());
        assert_eq!((judged.verdict, judged.reasons), (Verdict::Undecided, vec![Reason::NoData]));
    }

    #[test]
    fn a_server_that_fails_too_often_meets_no_threshold_on_speed() {
        let failing = |errors| Cell { errors, ..cell(P99, Some(1e6)) };
        for text in ["p99 < 50ms", "p99 > 50ms", "0.5 * p99 < 50ms"] {
            let judged = judged(text, vec![failing(150)]);
            assert_eq!(judged.verdict, Verdict::Refuted, "{text}");
            assert_eq!(judged.reasons, [Reason::FailsTooOften { variant: 0, share: 0.0015 }], "{text}");
        }
        assert_eq!(judged("p99 < 50ms", vec![failing(100)]).verdict, Verdict::Supported, "0.1 % are allowed");
        let unfit = Cell { unfit: vec![Finding::Unfit], ..failing(150) };
        assert_eq!(
            judged("p99 < 50ms", vec![unfit]).verdict,
            Verdict::Undecided,
            "not sure whose errors these are"
        );
        let none = Cell { errors: 100_000, ..cell(P99, None) };
        assert_eq!(judged("p99 < 50ms", vec![none]).verdict, Verdict::Undecided, "nothing was answered");
    }

    #[test]
    fn an_unfit_generator_forbids_a_verdict_and_errors_decide_one_about_errors() {
        let unfit = Cell { unfit: vec![Finding::Unfit], ..cell(P99, Some(1e6)) };
        assert_eq!(judged("p99 < 50ms", vec![unfit]).verdict, Verdict::Undecided);
        let failing = |measure, value| Cell { errors: 150, ..cell(measure, Some(value)) };
        let share = judged("error_share < 1%", vec![failing(Measure::ErrorShare, 0.0015)]);
        assert_eq!(share.verdict, Verdict::Supported, "a claim about errors is what errors decide");
        assert_eq!(judged("errors == 0", vec![failing(Measure::Errors, 150.0)]).verdict, Verdict::Refuted);
    }

    #[test]
    fn no_error_comes_with_the_number_of_exchanges() {
        let judged = judged("errors == 0", vec![cell(Measure::Errors, Some(0.0))]);
        assert_eq!(judged.verdict, Verdict::Supported);
        let seen = |reason: &Reason| matches!(reason, Reason::SeenOnly { exchanges: 100_000, starts: 1, .. });
        assert!(judged.reasons.iter().any(seen), "{:?}", judged.reasons);
    }
}
