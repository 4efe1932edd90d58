//! Sentences of a run on its way: why something was left out, was lost or ended.

use proofload_language::{Kept, kept, kept_word};
use proofload_store::schema::Phase;

/// Why a block leaves a variant out at a load point.
pub const NO_OPEN_CLAIM: Kept = Kept("kept-no-open-claim");
/// A variant that is to be loaded does not run.
pub const NOT_STARTED: Kept = Kept("kept-not-started");
/// A variant without a process, for no reason that is known.
pub const NO_PROCESS: Kept = Kept("kept-no-process");
/// A load of a number of requests was cut off.
pub const COUNT_NOT_REACHED: Kept = Kept("kept-count-not-reached");
/// Somebody ended the run.
pub const BY_A_SIGNAL: Kept = Kept("kept-by-a-signal");
/// The run ended before its last look.
pub const OUT_OF_BUDGET: Kept = Kept("kept-out-of-budget");

/// A bench that loads only as planned.
pub const NO_RATES: Kept = Kept("kept-no-rates");
/// A bench that measures no ceiling.
pub const NO_NULL_SERVER: Kept = Kept("kept-no-null-server");

/// A note: something was noticed in a block.
pub fn noticed(block: u32, what: &str) -> String {
    kept!("kept-noticed", block, what)
}

/// A note: the machine disturbed a block.
pub fn disturbed(block: u32, why: &str) -> String {
    kept!("kept-disturbed-block-was-disturbed", block, why)
}

/// A note: a variant failed in a block.
pub fn lost(variant: &str, why: &str) -> String {
    kept!("kept-lost", variant, why)
}

/// A note: a variant is not started again.
pub fn given_up(variant: &str, why: &str) -> String {
    kept!("kept-given-up", variant, why)
}

/// A mark: a variant that has nothing to do uses CPU.
pub fn not_idle(variant: &str, share: f64, allowed: f64) -> String {
    kept!(
        "kept-not-idle",
        variant,
        share = format!("{:.0}", share * 100.0),
        allowed = format!("{:.0}", allowed * 100.0)
    )
}

/// Something noticed: a variant that warms up on its own CPUs alone.
pub fn not_spread(variant: &str, why: &str) -> String {
    kept!("kept-not-spread", variant, why)
}

/// A variant that was lent the generator's CPUs and stays on them.
pub fn not_gathered(why: &str) -> String {
    kept!("kept-not-gathered", why)
}

/// A server that takes requests and answers none; `whole` for a load that is not sliced.
pub fn hangs(requests: u64, whole: bool) -> String {
    let remedy = match whole {
        true => kept_word!("kept-hangs-if-its-answers-take"),
        false => kept_word!("kept-hangs-if-its-answers-take-longer-than"),
    };
    kept!("kept-hangs-hangs-it-took-requests", requests, remedy)
}

/// Where in a run something happened to a variant; cycle 0 is the warm-up.
pub fn in_cycle(block: u32, cycle: u32, variant: &str, what: &str) -> String {
    match cycle {
        0 => kept!("kept-in-cycle-block-warm-up", block, variant, what),
        cycle => kept!("kept-in-cycle-block-cycle", block, cycle, variant, what),
    }
}

/// The same in a search, which has no cycles.
pub fn in_warm_up(block: u32, variant: &str, what: &str) -> String {
    kept!("kept-in-warm-up", block, variant, what)
}

/// The same where a variant is started.
pub fn in_start(block: u32, variant: &str, what: &str) -> String {
    kept!("kept-in-start", block, variant, what)
}

/// A start is tried again.
pub fn once_more(why: &str) -> String {
    kept!("kept-once-more", why)
}

/// What happened to a slice that is in no figure.
pub fn beside(phase: &Phase, variant: &str, point: &str, what: &str) -> String {
    let how = if *phase == Phase::Long {
        kept_word!("kept-beside-in-a-long-slice")
    } else {
        kept_word!("kept-beside-with-other-threads")
    };
    kept!("kept-beside-at", variant, point, how, what)
}

/// The first trial of a search reached nobody; `mostly` is the outcome that its requests had.
pub fn nothing_answered(rate: &str, mostly: Option<&str>) -> String {
    let mostly = mostly.unwrap_or(kept_word!("kept-nothing-answered-nothing"));
    kept!("kept-nothing-answered-nothing-was-answered-at", rate, mostly)
}
