//! Lines that stay: text that a person should still be able to read when the run is over, and the state of the run
//! where there is no terminal to draw on.

use super::board::Round;
use super::rows::{ClaimRow, WIDE, is_ratio};
use proofload_analysis::SeenTrial;
use proofload_lab::runner::Progress;
use proofload_language::facts::told;
use proofload_language::{named, tr};
use proofload_report::number;
use proofload_stats::{Judgement, Measure};
use proofload_store::schema::Ceiling;

/// Line about a step; `None` for one that leaves nothing to read. A block is a restart or a round.
pub fn of(progress: &Progress<'_>, round: Round) -> Option<String> {
    Some(match progress {
        Progress::Disturbed { block, causes } => {
            let why = causes.iter().map(told).collect::<Vec<_>>().join(tr!("between-items"));
            tr!("live-left-out", restart = round.is_restart(), block, why)
        }
        Progress::Tried { variant, number, trial } => trial_line(variant, *number, trial),
        Progress::Skipped { skipped } => {
            tr!("live-skipped", skipped = skipped.join(tr!("between-items")))
        }
        Progress::Noticed { block, what } => {
            tr!("live-noticed", restart = round.is_restart(), block, what = told(what))
        }
        Progress::Lost { variant, why, .. } => {
            tr!("live-lost", variant, restart = round.is_restart(), why = told(why))
        }
        Progress::GivenUp { variant, why, .. } => tr!("live-given-up", variant, why = told(why)),
        _ => return None,
    })
}

/// Line about a value that was measured or chosen on the way, and that the run uses from then on.
pub fn chosen(progress: &Progress<'_>, round: Round) -> Option<String> {
    Some(match progress {
        Progress::Network { found } => {
            tr!("live-network", found = proofload_report::said_of_network(found))
        }
        // One that was measured before is not reported.
        Progress::Ceiling { point, found: Some(found) } if !found.cached => ceiling_line(point, found),
        Progress::Slices { slicing } => tr!(
            "live-slices",
            length = format!("{:.2}", slicing.slice_ns as f64 / 1e9),
            cycles = slicing.cycles,
            restart = round.is_restart(),
            p99 = format!("{:.1}", slicing.slices_p99_ns as f64 / 1e6)
        ),
        // A plan that stays as it was is not reported.
        Progress::Cycles { planned, slicing } if slicing.cycles == *planned => return None,
        Progress::Cycles { planned, slicing } => {
            tr!("live-cycles", restart = round.is_restart(), cycles = slicing.cycles, planned)
        }
        _ => return None,
    })
}

/// The claims after that many restarts or rounds, in a line.
pub fn look(
    claims: &[ClaimRow],
    blocks: u32,
    round: Round,
    judgement: &Judgement,
    time_left: &str,
) -> String {
    let interval = |claim: &ClaimRow| match &claim.estimate {
        Some(e) if is_ratio(e) && e.high / e.low < WIDE => {
            let verdict = named(claim.verdict.name());
            let what = format!("{verdict} {:.2} [{:.2}, {:.2}]", e.point, e.low, e.high);
            tr!("labelled", label = claim.name, what)
        }
        _ => tr!("labelled", label = claim.name, what = named(claim.verdict.name())),
    };
    let intervals: Vec<String> = claims.iter().map(interval).collect();
    let counted = round.counted(blocks);
    let left = judgement.left.map(|_| time_left);
    tr!("live-look", counted, intervals = intervals.join(tr!("between-sentences")), left)
}

/// A trial of a search, in a line.
fn trial_line(variant: &str, number: usize, seen: &SeenTrial) -> String {
    let shown = &seen.shown;
    let values: Vec<String> = shown
        .values
        .iter()
        .map(|(name, value)| {
            let unit = Measure::parse(name).map_or("count", Measure::unit);
            let value = value.map_or_else(
                || tr!("live-trial-nothing").to_string(),
                |value| number::with_unit(value, unit),
            );
            format!("{name} {value}")
        })
        .collect();
    tr!(
        "live-trial",
        variant,
        number,
        stage = named(shown.stage.name()),
        fresh = shown.fresh,
        rate = number::with_unit(shown.rate_per_s, "per_s"),
        outcome = named(&shown.outcome.name().replace('_', "-")),
        values = values.join(tr!("between-items"))
    )
}

/// Finding of a ceiling, in a line.
pub fn ceiling_line(point: &str, found: &Ceiling) -> String {
    let kib = found.answer_bytes >> 10;
    match found.exchanges_per_s {
        Some(rate) => {
            tr!("live-ceiling", point, kib, rate = number::plain(rate))
        }
        None => tr!("live-no-ceiling", point, why = found.why.as_ref().map(told).unwrap_or_default()),
    }
}
