//! Lines that stay: what a person should still be able to read when the run is over, and where it stands, where there is no
//! terminal to draw on.

use super::board::Round;
use super::rows::{ClaimRow, WIDE, is_ratio};
use proofload_lab::runner::Progress;
use proofload_language::{again, named, say, word};
use proofload_report::number;
use proofload_stats::{Judgement, Measure};
use proofload_store::SeenTrial;
use proofload_store::schema::Ceiling;

/// What is to be said of a step; `None` for one that leaves nothing to read. A block is a restart or a round.
pub fn of(progress: &Progress<'_>, round: Round) -> Option<String> {
    Some(match progress {
        Progress::Disturbed { block, why } => {
            say!("live-of-is-left-out-for", round = round.name(), block, why = again(why))
        }
        Progress::Tried { variant, number, trial } => trial_line(variant, *number, trial),
        Progress::Skipped { skipped } => {
            say!("live-of-left-out-from-now", skipped = skipped.join(word!("between-items")))
        }
        Progress::Noticed { block, what } => {
            say!("live-of-noticed", round = round.name(), block, what = again(what))
        }
        Progress::Lost { variant, why, .. } => {
            say!("live-of-is-lost", variant, in_this = round.in_this(), why = again(why))
        }
        Progress::GivenUp { variant, why, .. } => say!("live-of-is-given-up", variant, why = again(why)),
        _ => return None,
    })
}

/// What was measured or chosen on the way, by which the run goes on.
pub fn chosen(progress: &Progress<'_>, round: Round) -> Option<String> {
    Some(match progress {
        Progress::Network { found } => {
            say!("live-network", found = proofload_report::said_of_network(found))
        }
        // One that was measured before is no news.
        Progress::Ceiling { point, found: Some(found) } if !found.cached => ceiling_line(point, found),
        Progress::Slices { slicing } => say!(
            "live-chosen-turns-of-s-of",
            length = format!("{:.2}", slicing.slice_ns as f64 / 1e9),
            cycles = slicing.cycles,
            in_one = round.in_one(),
            p99 = format!("{:.1}", slicing.slices_p99_ns as f64 / 1e6)
        ),
        // What stays as it was planned is no news.
        Progress::Cycles { planned, slicing } if slicing.cycles == *planned => return None,
        Progress::Cycles { planned, slicing } => say!(
            "live-chosen-turns-of-each-server",
            in_one = round.in_one(),
            cycles = slicing.cycles,
            planned
        ),
        _ => return None,
    })
}

/// The claims as they stand after so many restarts or rounds, in a line.
pub fn look(
    claims: &[ClaimRow],
    blocks: u32,
    round: Round,
    judgement: &Judgement,
    time_left: &str,
) -> String {
    let interval = |claim: &ClaimRow| match &claim.estimate {
        Some(e) if is_ratio(e) && e.high / e.low < WIDE => {
            say!(
                "live-look-interval",
                claim = claim.name,
                verdict = named(claim.verdict.name()),
                point = format!("{:.2}", e.point),
                low = format!("{:.2}", e.low),
                high = format!("{:.2}", e.high)
            )
        }
        _ => say!("live-look-open", claim = claim.name, verdict = named(claim.verdict.name())),
    };
    let intervals: Vec<String> = claims.iter().map(interval).collect();
    let counted = round.counted(blocks);
    let left = judgement.left.map_or(String::new(), |_| say!("live-look-left", time_left));
    say!("live-look-after", counted, intervals = intervals.join(word!("between-sentences")), left)
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
                || word!("live-trial-line-nothing").to_string(),
                |value| number::with_unit(value, unit),
            );
            format!("{name} {value}")
        })
        .collect();
    let fresh = if shown.fresh { word!("live-trial-line-fresh") } else { "" };
    say!(
        "live-trial-line-trial",
        variant,
        number,
        stage = named(shown.stage.name()),
        fresh,
        rate = number::with_unit(shown.rate_per_s, "per_s"),
        outcome = named(&shown.outcome.name().replace('_', "-")),
        values = values.join(word!("between-items"))
    )
}

/// What was found of a ceiling, in a line.
pub fn ceiling_line(point: &str, found: &Ceiling) -> String {
    let kib = found.answer_bytes >> 10;
    match found.exchanges_per_s {
        Some(rate) => {
            say!("live-ceiling-line-the-generators-ceiling-at", point, kib, rate = number::plain(rate))
        }
        None => say!("live-ceiling-line-the-generators-ceiling-at-is-not", point, why = again(&found.why)),
    }
}
