//! Sentences of a run on its way: why something was left out, was lost or ended.

use proofload_store::schema::Phase;

/// Why a block leaves a variant out at a load point.
pub const NO_OPEN_CLAIM: &str = "no open claim needs it";
/// A variant that is to be loaded does not run.
pub const NOT_STARTED: &str = "was not started";
/// A variant without a process, for no reason that is known.
pub const NO_PROCESS: &str = "no process serves it";
/// A load of a number of requests was cut off.
pub const COUNT_NOT_REACHED: &str =
    "the load did not come to its count in the time that it may take; raise its cap";
/// Somebody ended the run.
pub const BY_A_SIGNAL: &str = "stopped by a signal";
/// The run ended before its last look.
pub const OUT_OF_BUDGET: &str = "the budget was used up before the last look";

/// A bench that loads only as planned.
pub const NO_RATES: &str = "this bench has no rates of its own";
/// A bench that measures no ceiling.
pub const NO_NULL_SERVER: &str = "this bench has no server that does nothing";

/// A note: something was noticed in a block.
pub fn noticed(block: u32, what: &str) -> String {
    format!("block {block}: {what}")
}

/// A note: the machine disturbed a block.
pub fn disturbed(block: u32, why: &str) -> String {
    format!("block {block} was disturbed: {why}")
}

/// A note: a variant failed in a block.
pub fn lost(variant: &str, why: &str) -> String {
    format!("{variant} was lost: {why}")
}

/// A note: a variant is not started again.
pub fn given_up(variant: &str, why: &str) -> String {
    format!("{variant} was given up: {why}")
}

/// A mark: a variant that has nothing to do uses CPU.
pub fn not_idle(variant: &str, share: f64, allowed: f64) -> String {
    format!("idle {variant} used {:.0} % of a core, more than {:.0} %", share * 100.0, allowed * 100.0)
}

/// Something noticed: a variant that warms up on its own CPUs alone.
pub fn not_spread(variant: &str, why: &str) -> String {
    format!("{variant} warms up on its own CPUs alone, which takes longer: {why}")
}

/// A variant that was lent the generator's CPUs and stays on them.
pub fn not_gathered(why: &str) -> String {
    format!(
        "it cannot be brought back from the generator's CPUs, on which it warmed up: {why}; start it as a user whose threads \
         Proofload may move"
    )
}

/// A server that takes requests and answers none; `whole` for a load that is not sliced.
pub fn hangs(requests: u64, whole: bool) -> String {
    let remedy = match whole {
        true => "if its answers take longer than the load, make the load longer",
        false => "if its answers take longer than a slice, ask it in a load that is not sliced",
    };
    format!("hangs: it took {requests} requests and answered none; {remedy}")
}

/// Where in a run something happened to a variant; cycle 0 is the warm-up.
pub fn in_cycle(block: u32, cycle: u32, variant: &str, what: &str) -> String {
    match cycle {
        0 => format!("block {block}, warm-up, {variant}: {what}"),
        cycle => format!("block {block}, cycle {cycle}, {variant}: {what}"),
    }
}

/// The same in a search, which has no cycles.
pub fn in_warm_up(block: u32, variant: &str, what: &str) -> String {
    format!("block {block}, warm-up of {variant}: {what}")
}

/// The same where a variant is started.
pub fn in_start(block: u32, variant: &str, what: &str) -> String {
    format!("block {block}, start of {variant}: {what}")
}

/// A start is tried again.
pub fn once_more(why: &str) -> String {
    format!("{why}; once more")
}

/// What happened to a slice that is in no figure.
pub fn beside(phase: &Phase, variant: &str, point: &str, what: &str) -> String {
    let how = if *phase == Phase::Long { "in a long slice" } else { "with other threads" };
    format!("{variant} @ {point}, {how}: {what}")
}

/// The first trial of a search reached nobody; `mostly` is the outcome that its requests had.
pub fn nothing_answered(rate: &str, mostly: Option<&str>) -> String {
    let mostly = mostly.unwrap_or("nothing");
    format!(
        "nothing was answered at {rate}, mostly {mostly}: see that the server runs and that the address and what is expected of \
         its answers are right"
    )
}
