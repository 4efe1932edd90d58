//! Words of the first lines of every surface.

use super::{NONE, interval};
use crate::number;
use crate::shown::told_all;
use proofload_language::{Phrase, tr};
use proofload_measure::Outcome;
use proofload_store::schema::{BaselineFigure, ClaimResult, Verdict};

/// Nothing can be based on it.
pub const NO_VERDICT: Phrase = Phrase("lead-no-verdict");

/// `803 of 803 rejected: status 404, expected 200`; `15 of 15 of /gone rejected: …` of an entry of a mix.
pub fn failed(n: u64, (all, of): (u64, Option<(&str, u64)>), kind: &str, why: &str) -> String {
    let all = match of {
        None => number::count(all),
        Some((entry, all)) => tr!("lead-all-of", all = number::count(all), entry),
    };
    let n = number::count(n);
    match why {
        "" => tr!("lead-failed-how", n, all, kind = tr!("fact-outcome", outcome = kind)),
        why if is_bad_answer(kind) => {
            tr!("lead-failed", n, all, kind = tr!("fact-outcome", outcome = kind), why)
        }
        why => tr!("lead-failed-how", n, all, kind = why),
    }
}

/// True if an answer was not as it should be or could not be read, or if the fault is on our side.
pub fn is_bad_answer(kind: &str) -> bool {
    use Outcome::{BeyondLimit, Internal, Malformed, Mismatch, Rejected};
    matches!(Outcome::from_name(kind), Some(Rejected | Mismatch | Malformed | BeyondLimit | Internal))
}

/// True if its sample says why: that of a bad answer, or of a way to the server that could not be gone.
pub fn is_explained(kind: &str) -> bool {
    is_bad_answer(kind) || Outcome::from_name(kind) == Some(Outcome::ConnectFailed)
}

/// Those of a variant; of a single measurement without its name.
pub fn failures(variant: Option<&str>, failed: &[String]) -> String {
    let said = failed.join(tr!("between-sentences"));
    match variant {
        Some(variant) => tr!("labelled", label = variant, what = said),
        None => said,
    }
}

/// `throughput(a) ×0.71 [0.61, 0.83], 10 % allowed`; with the load point where there are several.
pub fn against_baseline(figure: &BaselineFigure, several: bool, tolerance: f64) -> String {
    let BaselineFigure { measure, variant, point, .. } = figure;
    let what = match several {
        true => format!("{measure}({variant}) @ {point}"),
        false => format!("{measure}({variant})"),
    };
    let allowed = number::plain_percent(tolerance);
    match figure.ratio.as_ref().map(interval) {
        Some(ratio) => tr!("lead-ratio", what, ratio, allowed),
        None => tr!("labelled", label = what, what = told_all(&figure.reasons)),
    }
}

/// A figure that is compared with the baseline's, as the name of a test.
pub fn case_of(figure: &BaselineFigure) -> String {
    let BaselineFigure { measure, variant, point, .. } = figure;
    tr!("lead-case", what = format!("{measure}({variant}) @ {point}"))
}

/// `localhost:8181 faster than 8182, ×1.12 [1.03, 1.21]`.
pub fn brief(first: &str, other: &str, judged: &ClaimResult, alike: bool) -> String {
    let ratio =
        judged.estimate.as_ref().map_or_else(|| NONE.to_string(), |found| format!("×{}", interval(found)));
    match judged.verdict {
        Verdict::Undecided => tr!("lead-brief-open", first, other, ratio),
        _ if alike => tr!("lead-brief-alike", first, other, ratio),
        _ => tr!("lead-brief-faster", first, other, ratio),
    }
}

/// Nothing of the run is in the baseline.
pub fn none_compared(run: &str) -> String {
    tr!("lead-none-compared", run)
}
