//! Reasons of verdicts.

use crate::Finding;
use serde::{Deserialize, Serialize};

/// A value with the unit that `stats` names: `ratio`, `ns`, `per_s`, `share`, `bytes`, `count`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// A value with the ends of its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub point: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Its unit.
    pub unit: String,
}

/// Requirement of a measure for a value to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// Exchanges.
    Exchanges,
    /// Processes that Proofload started and may look into.
    Processes,
    /// Two threads of one name that used CPU time.
    Workers,
    /// A server that Proofload started.
    Server,
    /// Connections between the server's own processes.
    Backend,
    /// A JVM's performance data.
    Jvm,
    /// A JVM with garbage collections.
    Collections,
    /// A JVM whose collector counts full collections.
    FullCollections,
    /// A JVM whose collector has generations.
    Generations,
    /// A JVM that counts contended locks.
    Locks,
}

/// A quantity at one level of a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtLevel {
    /// The condition, as a study names it.
    pub condition: String,
    /// The level.
    pub level: String,
    /// The quantity.
    pub point: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Its unit.
    pub unit: String,
}

crate::facts! {
/// Reason of a verdict.
stored Reason {
    /// No block is complete.
    Note NoData,
    /// One block: a single start of the servers decides nothing.
    Note OneBlock,
    /// Fewer blocks than the first look needs.
    Note TooFewBlocks { have: u32, need: u32 },
    /// Fewer sittings than the next look needs.
    Note TooFewSittings { have: u32, need: u32 },
    /// Too few sittings for an interval.
    Note FewSittings { have: u32 },
    /// The interval contains both claimed and unclaimed values; `more_blocks` more would settle it.
    ///
    /// Give a longer `--budget`.
    Note IntervalCrosses { resolution_share: f64, more_blocks: Option<u32> },
    /// The interval of the sittings' means contains what is claimed and what is not.
    ///
    /// Add sittings: `proofload replicate`.
    Note SittingsCross { resolution_share: f64, more_sittings: Option<u32> },
    /// The interval is wider for what earlier sittings differed by.
    ///
    /// Add sittings: `proofload replicate`.
    Note WidenedBySittings { tau_share: f64, sittings: u32 },
    /// The generator was the limit: the figure is its own, not the server's.
    ///
    /// Do what the finding says.
    Warning ClientLimited { what: Finding },
    /// Too many exchanges failed for a claim about speed.
    ///
    /// See the failures first.
    Failure TooManyErrors { variant: String, error_share: f64 },
    /// Too many exchanges failed for any threshold on speed.
    ///
    /// See the failures first.
    Failure FailsTooOften { variant: String, error_share: f64 },
    /// The Hodges-Lehmann estimate points the other way.
    Note SignsDisagree,
    /// Too many blocks were lost.
    Warning BlocksLost { lost: u32, blocks: u32 },
    /// One variant was lost more often than another: what is left of it may be its better starts.
    Warning LostUnevenly { variant: String, lost: u32, other: u32, blocks: u32 },
    /// The first half of the blocks and the second differ: something changed in between.
    Warning HalvesDiffer { first: Amount, second: Amount, errors: f64, allowed: f64 },
    /// Long slices show another ratio than short ones.
    ///
    /// Use longer slices.
    Warning SliceLength { ratio: f64, blocks: u32 },
    /// More blocks would hardly settle it.
    Note Futile { blocks: u32, chance_share: f64 },
    /// Blocks with an unfit generator are left out for all variants.
    Note SpoiledBlocks { unfit: u32, blocks: u32 },
    /// The machine disturbed most blocks.
    ///
    /// Run it where it has the machine to itself.
    Warning Disturbed { disturbed: u32, blocks: u32 },
    /// Servers were still warming in too many blocks.
    ///
    /// Give a longer warm-up: `--thorough`.
    Warning NoSteadyState { unsteady: u32, blocks: u32, faster_share: Option<f64> },
    /// Servers were still warming, and the verdict would be the same if they changed by this share.
    Note BeyondWarmUp { unsteady: u32, blocks: u32, change_share: f64 },
    /// Too few exchanges of a start lie beyond the quantile.
    ///
    /// Make the starts longer.
    Warning NotResolvable { measure: String, variant: String, beyond: u64, need: u64 },
    /// A measure has no value.
    Warning MeasureMissing { measure: String, variant: String, point: String, blocks: u32, needs: Needs },
    /// Both sides were constant over all blocks.
    Note Constant,
    /// One measurement, without an interval.
    Note OneMeasurement,
    /// The generator was the limit of the faster side alone: the difference is at least what was seen.
    Note LimitedOnTheFasterSide,
    /// Requests were sent late, which only lengthens times: the decision holds.
    Note OnlyLengthened,
    /// The interval is wider for what the generator may have done.
    Note Widened { wider_share: f64 },
    /// Other programs or the generator's own work may account for more than the interval's distance from the
    /// threshold. More blocks do not change that.
    ///
    /// Quiet the machine, or give the generator CPUs of its own.
    Warning MayAccountFor { moved_share: f64, margin_share: f64 },
    /// The quantile lies among requests that never ended: its value is a lower end.
    Note LowerEnd { measure: String, variant: String, unanswered: u64, unsent: u64 },
    /// Holds for the exchanges that were seen.
    Note SeenOnly { exchanges: u64, upper_share: f64, starts: u64, upper_starts_share: f64 },
    /// Errors were seen in blocks that the variant did not complete.
    Note InLostBlocks { errors: u64 },
    /// Errors of the generator's own making.
    ///
    /// `proofload doctor` shows what is short.
    Warning OwnErrors { errors: u64 },
    /// The claimed quantity differs between levels of a condition of measuring.
    Note DependsOn { condition: String, levels: Vec<AtLevel>, alike: bool },
    /// A server died under load.
    ///
    /// See the server's log.
    Failure Died { variant: String, what: Finding },
    /// The interval contains the tolerance.
    Note ToleranceWithin { resolution_share: f64 },
    /// One of the two runs has too few blocks.
    Note OneSideShort { have: u32, need: u32 },
    /// Confirmation of an end of the capacity.
    Note CapacityConfirmed { agreed: u32, trials: u32, running: bool, passed: bool, rate_per_s: f64 },
    /// Method of the interval of a capacity.
    Note CapacityInterval,
    /// The objective does not hold at the lowest rate.
    ///
    /// Give a lower `--from`.
    Note LookBelow { rate_per_s: f64 },
    /// The objective holds at the highest rate.
    ///
    /// Give a higher `--to`.
    Note LookAbove { rate_per_s: f64 },
    /// Limit of the first trial that was limited.
    Note TrialLimited { what: Finding },
    /// The generator was the limit.
    ///
    /// Give it more workers or CPUs, or load from another machine.
    Warning MoreGenerator,
    /// The connections were the limit.
    ///
    /// Give more: `-c auto`, `--max-connections`.
    Warning MoreConnections,
    /// The search was cut off.
    ///
    /// Give a longer `--budget`.
    Note SearchCutOff,
    /// No lower end was confirmed.
    ///
    /// Give longer trials: `--trial`.
    Note NoLowerEnd { running: bool },
    /// No upper end was confirmed.
    ///
    /// Give a higher `--to`, or longer trials.
    Note NoUpperEnd { running: bool },
    /// The server was not restarted: the next start may carry another rate.
    Note CapacityOfProcess,
    /// Too few load levels for a knee.
    Note TooFewLevels { have: u32, need: u32 },
    /// Too few blocks in which each level has a value.
    Note TooFewWholeBlocks { have: u32, need: u32 },
    /// The record has figures that are not finite.
    Warning NonFinite,
    /// Throughput still rises at the highest level.
    Note KneeBeyond { highest: u32 },
    /// The lowest level already reaches the most.
    ///
    /// Begin with fewer connections.
    Note KneeAtLowest { lowest: u32 },
    /// The lowest level took longer for each exchange than more connections.
    Note KneeUnclear { lowest: u32, highest: u32 },
    /// The lowest level is not a low load.
    ///
    /// Begin with fewer connections.
    Note LoadedAtLowest { lowest: u32 },
    /// Throughput may still be at its most at the highest level.
    Note PeakBeyond { highest: u32 },
    /// Throughput falls, but the interval of the peak does not end.
    Note PeakUnclear { highest: u32 },
    /// A load level does not count.
    Note LevelLeftOut { connections: u32, why: Box<Reason> },
    /// Too many exchanges failed.
    Failure FailedShare { error_share: f64 },
    /// A quantile has too few exchanges beyond it.
    Note TooFewBeyond,
    /// Combinations of settings that do not count.
    Note CombinationsLeftOut { measure: String, point: String, variants: Vec<String>, more: u32, why: Box<Reason> },
    /// No two variants differ in a setting alone.
    Note SettingUnmatched { factor: String, from: String, to: String, measure: String, point: String },
    /// Too few values for a trend.
    Note TooFewValues { have: u32, need: u32 },
    /// A value of a series is not finite.
    Warning ValueNotFinite { at: u32 },
    /// All values of a series are of one instant.
    Note NoTime,
    /// It grows, overall and in the second half.
    Warning Grows { growth_share: f64, of_heap: bool, second: Interval, leak: bool },
    /// It does not grow.
    Note GrowsNot,
    /// It grows by less than counts as growth.
    Note GrowsLittle { most: Amount, hours: f64, growth_share: f64, of_heap: bool, allowed_share: f64 },
    /// It grew in the first half, and less or not at all in the second.
    Note Fills { first: Amount, second: Amount, goes_on: bool },
    /// It is not clear if it grows.
    ///
    /// A longer soak detects less.
    Note GrowthUnclear { overall: bool, second_half: bool, detectable: Amount, detectable_share: f64, of_heap: bool },
    /// The growth is outside the heap.
    Warning OutsideHeap,
    /// Some of what grows may be garbage.
    Note MayBeGarbage,
    /// The classes that grew most.
    Note ClassesGrew { classes: Vec<Reason> },
    /// One of them.
    Note ClassGrew { class: String, more_bytes: u64 },
    /// Published figures: more requests in flight than connections.
    Warning MoreInFlight { place: String, in_flight: f64, connections: f64 },
    /// Published figures: the time of some connections is in no figure.
    Warning TimeUnaccounted { place: String, missing: f64, connections: f64, used: f64 },
    /// Published figures: one is below another, above which it must be.
    Warning BelowOther { place: String, measure: String, other: String },
    /// Published figures: a share above one.
    Warning AboveWhole { place: String, measure: String },
    /// Published figures: throughput times CPU time of a request is not the CPUs in use.
    Warning CoresDiffer { place: String, product: f64, cores: f64 },
    /// `blocks` blocks would give an interval of this half-width.
    Note WouldTake { resolution_share: f64, blocks: u32, minutes: u32, assumed: bool },
    /// A reason that only a newer version knows.
    Note Unknown,
}
}
