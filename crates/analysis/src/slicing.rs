//! Length of slices, and number of cycles of a block.
//!
//! Only their length and number rest on what was measured, never whether a block counts: a block's value is the median
//! over more or fewer slices, and its mean is the same either way.

use crate::judged::measures_of;
use crate::observe::observations;
use proofload_stats::components::{CYCLES_MAX, components, turns};
use proofload_stats::sample::median;
use proofload_stats::{Claim, Design, judge, slice_pairs};
use proofload_store::schema::{FORMAT_VERSION, Mode, Plan, Slice, Slicing};
use proofload_store::{Block, Run, StoreError};

/// Shortest window of a slice.
const SLICE_MIN_NS: u64 = 200_000_000;
/// Least ratio of a slice's length to the p99 of response times.
const SLICE_P99: u64 = 20;
/// Shortest load before it that is discarded: so long it is felt that the load went from one server to another.
const SETTLE_MIN_NS: u64 = 50_000_000;
/// Least ratio of the discarded time to the p99 of response times.
const SETTLE_P99: u64 = 2;
/// Time that a slice takes beside its load.
const OVERHEAD_NS: u64 = 50_000_000;
/// Fewest answers of a slice: of few, chance moves the number by itself.
const SLICE_ANSWERS_MIN: f64 = 500.0;
/// Part of a block's share of the budget that its first choice uses: later blocks take a little more or less than the
/// first, and one that does not fit any more costs the last look.
const ROOM: f64 = 0.9;
/// Fewest cycles of the blocks up to the first look: a late step is found among no fewer than four.
const FIRST_CYCLES_MIN: u64 = 6;
/// The same where nothing compiles; of servers that run already as few as the plan has.
const PLAIN_CYCLES_MIN: u64 = 4;
/// Most cycles of blocks that are short, so that there are many.
const SHORT_CYCLES_MAX: u32 = 12;

/// Answers at the end of the first warm-up: of the slowest variant at the slowest load point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// p99 of their response times.
    pub p99_ns: u64,
    /// Answers per second.
    pub per_s: f64,
}

/// Basis of the first choice.
#[derive(Clone, Copy, Debug)]
pub struct FirstBlock {
    pub answers: Answers,
    /// Answers of a start without which a claimed quantile cannot be resolved; 0 without such a claim.
    pub answers_needed: f64,
    /// Time of the block beside its slices: before the first, and after the last.
    pub beside_ns: u64,
    /// Share of the budget for each block.
    pub room_ns: u64,
    /// True if nothing compiles: then starts are cheap, and slices need not last as long as all else.
    pub is_plain: bool,
}

/// Slices and cycles of the blocks up to the first look. Slices are as short as is true. Cycles take about as long as all
/// else in a block, for it is not known yet which of the two the spread comes from; more where the budget has room for the
/// answers that are needed.
pub fn first_slicing(plan: &Plan, first: FirstBlock) -> Slicing {
    let (timing, p99_ns, per_s) = (&plan.timing, first.answers.p99_ns, first.answers.per_s);
    let enough_ns = (SLICE_ANSWERS_MIN / per_s * 1e9) as u64;
    let least_ns = SLICE_MIN_NS.max(p99_ns.saturating_mul(SLICE_P99)).max(enough_ns);
    let slice_ns = least_ns.min(timing.slice_ns);
    let discard_ns = SETTLE_MIN_NS.max(p99_ns.saturating_mul(SETTLE_P99)).min(timing.discard_ns);
    let turns = plan.variants.len() as u64 * plan.points.len() as u64;
    let cycle_ns = (slice_ns + discard_ns + OVERHEAD_NS).saturating_mul(turns).max(1);
    let room_ns = (ROOM * first.room_ns as f64) as u64;
    let (fewest, beside_ns) = match first.is_plain {
        true => (PLAIN_CYCLES_MIN.min(timing.cycles.into()), 0),
        false => (FIRST_CYCLES_MIN, first.beside_ns),
    };
    let most = (room_ns.saturating_sub(first.beside_ns) / cycle_ns).clamp(fewest, CYCLES_MAX.into());
    let needed = (first.answers_needed / (per_s * slice_ns as f64 / 1e9)).ceil();
    let needed = if needed.is_finite() { needed as u64 } else { 0 };
    // The long slices take no more time than the short ones.
    let long_ns = u64::from(timing.long_cycles).saturating_mul(timing.slice_ns + timing.discard_ns);
    let held_ns = long_ns.saturating_mul(turns) / u64::from(timing.checks_every.max(1));
    let held = (held_ns / cycle_ns).next_multiple_of(2);
    let least = needed.next_multiple_of(2).max(held);
    let cycles = (beside_ns / cycle_ns).max(least).clamp(fewest, most);
    let cycles = u32::try_from(cycles / 2 * 2).unwrap_or(CYCLES_MAX);
    Slicing {
        format: FORMAT_VERSION,
        slice_ns,
        discard_ns,
        slices_p99_ns: p99_ns,
        first_cycles: cycles,
        cycles,
        ..Slicing::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Costs {
    start_seconds: f64,
    cycle_seconds: f64,
}

/// Chooses the number of cycles of the next blocks, from the blocks so far, for the claims that are still open.
/// `seconds_left` of the budget are to reach the last look if the plan's own cycles do. `None` when no open claim
/// compares slices, or too little is known.
///
/// # Errors
/// Fails if a stored histogram cannot be read.
pub fn choose_slicing(
    run: &Run,
    claims: &[Claim],
    design: &Design,
    seconds_left: f64,
) -> Result<Option<Slicing>, StoreError> {
    let observations = observations(run, &measures_of(claims))?;
    let judgement = judge(claims, &observations, design);
    let Some(costs) = costs(run) else { return Ok(None) };
    let open = claims.iter().zip(&judgement.claims).filter(|(_, judged)| !judged.settled);
    let mut found: Vec<_> = open
        .filter_map(|(claim, _)| {
            let pairs = slice_pairs(claim, &observations);
            let logs: Vec<Vec<f64>> = pairs
                .iter()
                .map(|slices| slices.iter().map(|(left, right)| left - right).collect())
                .collect();
            let parts = components(&logs)?;
            Some((parts.slices_worth(costs.start_seconds, costs.cycle_seconds), claim, pairs, parts))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    if found.is_empty() {
        return Ok(None);
    }
    let (worth, claim, pairs, parts) = found.swap_remove(found.len() / 2);
    let last = design.last();
    let complete = observations.blocks.len() as u32;
    let room = ROOM * seconds_left / f64::from(last.saturating_sub(complete).max(1)) - costs.start_seconds;
    let room = (room / costs.cycle_seconds).clamp(0.0, f64::from(CYCLES_MAX)) as u32;
    let first = run.slicing().cloned().unwrap_or_default();
    // Where blocks are cheap, more of them tell more than longer ones.
    let most = if run.plan().timing.checks_every > 1 { SHORT_CYCLES_MAX } else { CYCLES_MAX };
    let cycles_most = room.max(run.plan().timing.cycles).min(most);
    let worth_of_turns = turns(&pairs).filter(|_| run.plan().mode != Mode::Serial);
    Ok(Some(Slicing {
        format: FORMAT_VERSION,
        slice_ns: first.slice_ns,
        discard_ns: first.discard_ns,
        slices_p99_ns: first.slices_p99_ns,
        first_cycles: first.first_cycles,
        after_block: run.last_block(),
        cycles: parts.cycles(costs.start_seconds, costs.cycle_seconds, cycles_most),
        blocks: complete,
        claim: claim.text.clone(),
        slice_sd: parts.slices.sqrt(),
        start_sd: parts.starts.max(0.0).sqrt(),
        start_seconds: costs.start_seconds,
        cycle_seconds: costs.cycle_seconds,
        cycles_worth: worth.is_finite().then_some(worth),
        cycles_most,
        turns_removed: worth_of_turns.map(|turns| turns.removed),
        serial_blocks: worth_of_turns.map(|turns| turns.serial_blocks),
    }))
}

/// Cost of blocks: the median of those after which another began. The pause between two sittings is in few of them.
fn costs(run: &Run) -> Option<Costs> {
    let blocks = run.blocks();
    let serial = run.plan().mode == Mode::Serial;
    let begun = |block: &Block| block.slices.iter().map(|slice| slice.started_unix_ns).min();
    let cost = |pair: &[Block]| {
        if pair[1].number != pair[0].number + 1 {
            return None;
        }
        let whole_s = begun(&pair[1])?.checked_sub(begun(&pair[0])?)? as f64 / 1e9;
        let cycles =
            pair[0].slices.iter().filter(|slice| slice.is_measured()).map(|slice| slice.cycle).max()?;
        let measured_s = measured_seconds(&pair[0], serial);
        Some((whole_s - measured_s, measured_s / f64::from(cycles.max(1))))
    };
    let costs: Vec<(f64, f64)> = blocks.windows(2).filter_map(cost).collect();
    let start_seconds = median(&costs.iter().map(|cost| cost.0).collect::<Vec<_>>())?;
    let cycle_seconds = median(&costs.iter().map(|cost| cost.1).collect::<Vec<_>>())?;
    (start_seconds > 0.0 && cycle_seconds > 0.0).then_some(Costs { start_seconds, cycle_seconds })
}

/// From the first measured slice to the last one's end; of variants one after the other the sum of theirs.
fn measured_seconds(block: &Block, serial: bool) -> f64 {
    let span = |variant: Option<&str>| {
        let of = |slice: &&Slice| variant.is_none_or(|name| slice.measured.variant == name);
        let slices = block.slices.iter().filter(|slice| slice.is_measured()).filter(of);
        let from = slices.clone().map(|slice| slice.started_unix_ns).min().unwrap_or(0);
        let end =
            |slice: &Slice| slice.started_unix_ns.saturating_sub(from) as f64 / 1e9 + slice.measured.seconds;
        slices.map(end).fold(0.0, f64::max)
    };
    if !serial {
        return span(None);
    }
    let mut variants: Vec<&str> = block.slices.iter().map(|slice| slice.measured.variant.as_str()).collect();
    variants.sort_unstable();
    variants.dedup();
    variants.into_iter().map(|variant| span(Some(variant))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::{LoadPoint, Timing, Variant};

    const MS: u64 = 1_000_000;

    /// Two variants at one load point, with slices of a second at most.
    fn chosen(p99_ms: u64, per_s: f64, answers_needed: f64, (start_ms, room_ms): (u64, u64)) -> Slicing {
        let timing = Timing { slice_ns: 1_000 * MS, discard_ns: 100 * MS, cycles: 6, ..Timing::default() };
        let plan = Plan {
            timing,
            variants: vec![Variant::default(); 2],
            points: vec![LoadPoint::default()],
            ..Plan::default()
        };
        let answers = Answers { p99_ns: p99_ms * MS, per_s };
        let (beside_ns, room_ns) = (start_ms * MS, room_ms * MS);
        first_slicing(&plan, FirstBlock { answers, answers_needed, beside_ns, room_ns, is_plain: false })
    }

    #[test]
    fn slices_are_as_short_as_the_answers_allow_and_no_longer_than_planned() {
        let lengths = |p99_ms, per_s| {
            let chosen = chosen(p99_ms, per_s, 0.0, (1_000, 60_000));
            (chosen.slice_ns / MS, chosen.discard_ns / MS)
        };
        assert_eq!(lengths(1, 1e4), (200, 50));
        assert_eq!(lengths(20, 1e4), (400, 50), "twenty times the p99");
        assert_eq!(lengths(30, 1e4), (600, 60));
        assert_eq!(lengths(500, 1e4), (1_000, 100), "those of the plan");
        assert_eq!((lengths(1, 1e3), lengths(1, 0.0)), ((500, 50), (1_000, 50)), "500 answers");
    }

    #[test]
    fn the_first_blocks_measure_as_long_as_the_way_there_if_the_budget_has_room() {
        let cycles = |start_ms, room_ms| chosen(1, 1e4, 0.0, (start_ms, room_ms)).cycles;
        assert_eq!(cycles(1_000, 60_000), 6, "warm at once");
        assert_eq!(cycles(12_000, 60_000), 20);
        assert_eq!(cycles(40_000, 60_000), 22, "what the budget leaves, and a tenth to spare");
        assert_eq!(cycles(40_000, 30_000), 6, "nothing: the runner ends where it must");
        assert_eq!(cycles(100_000, 1_000_000), CYCLES_MAX);
    }

    #[test]
    fn where_nothing_compiles_blocks_are_as_short_as_the_plan_lets_them_be() {
        let cycles = |cycles, checks_every| {
            let (slice_ns, discard_ns) = (1_000 * MS, 100 * MS);
            let timing =
                Timing { slice_ns, discard_ns, cycles, checks_every, long_cycles: 1, ..Timing::default() };
            let (variants, points) = (vec![Variant::default(); 2], vec![LoadPoint::default()]);
            let plan = Plan { timing, variants, points, ..Plan::default() };
            let (answers, beside_ns) = (Answers { p99_ns: MS, per_s: 1e4 }, 12_000 * MS);
            let room_ns = 60_000 * MS;
            let first = FirstBlock { answers, answers_needed: 0.0, beside_ns, room_ns, is_plain: true };
            first_slicing(&plan, first).cycles
        };
        assert_eq!(cycles(6, 3), 4, "however long the way there was");
        assert_eq!(cycles(2, 6), 2, "running servers");
    }

    #[test]
    fn short_slices_take_no_less_time_than_the_long_ones_they_are_held_against() {
        let cycles = |long_cycles| {
            let timing =
                Timing { slice_ns: 4_000 * MS, discard_ns: 1_000 * MS, long_cycles, ..Timing::default() };
            let (variants, points) = (vec![Variant::default(); 2], vec![LoadPoint::default()]);
            let plan = Plan { timing, variants, points, ..Plan::default() };
            let answers = Answers { p99_ns: MS, per_s: 1e4 };
            let (beside_ns, room_ns) = (1_000 * MS, 600_000 * MS);
            let first = FirstBlock { answers, answers_needed: 0.0, beside_ns, room_ns, is_plain: false };
            first_slicing(&plan, first).cycles
        };
        // A cycle of long slices takes 10 s, one of short ones 0.6.
        assert_eq!((cycles(0), cycles(1), cycles(2)), (6, 16, 34));
    }

    #[test]
    fn a_claimed_quantile_has_the_answers_that_it_needs_as_far_as_the_budget_goes() {
        // Each cycle has two thousand of each variant.
        let cycles = |needed, room_ms| chosen(1, 1e4, needed, (1_000, room_ms)).cycles;
        assert_eq!((cycles(15_000.0, 60_000), cycles(36_000.0, 60_000)), (8, 18));
        assert_eq!(cycles(36_000.0, 7_000), 8);
        assert_eq!(cycles(1e9, 1_000_000), CYCLES_MAX);
    }
}
