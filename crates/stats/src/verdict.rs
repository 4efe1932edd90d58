//! Judgements: verdicts, estimates, reasons.

use crate::{Between, Measure, Sittings};
use proofload_facts::Finding;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval is on the claimed side.
    Supported,
    /// The interval is on the other side.
    Refuted,
    /// Neither, or something forbids a verdict; the reasons tell which.
    Undecided,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Supported => "supported",
            Verdict::Refuted => "refuted",
            Verdict::Undecided => "undecided",
        }
    }
}

/// A number never travels without its interval. The quantity is the left term over the right term (a ratio,
/// the claim's factors left out), or the left measure itself where the right side is a constant. Where
/// zeros forbid a ratio (errors, error shares) it is the left side minus the right side, factors included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub point: f64,
    /// Lower end; negative infinity, or 0 for what cannot be negative, when nothing is known.
    pub low: f64,
    /// Upper end; infinity when nothing is known.
    pub high: f64,
    /// `ratio`, `ns`, `per_s`, `share`, `bytes`, `count`; `share_difference` and `count_difference` where
    /// zeros forbid a ratio.
    pub unit: &'static str,
    pub hodges_lehmann: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lender {
    /// Other comparisons, or levels, of the same study.
    Study,
    /// Earlier runs of this machine.
    History,
}

/// A spread between blocks that was lent to a claim before anything was decided of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lent {
    /// s₀: standard deviation of the logarithms, 0.02 is 2 %.
    pub spread: f64,
    /// Comparisons, or levels, that it comes from.
    pub relatives: u32,
    pub from: Lender,
}

/// A lent spread, and the intervals with it and without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Borrowed {
    pub lent: Lent,
    /// True where the interval is that by the lent spread: with it, it is narrower than by the own one alone.
    pub is_used: bool,
    /// The own spread: standard deviation of the logarithms.
    pub own: f64,
    /// The interval that the claim would have by its own spread alone, at the whole of its error rate.
    pub plain: Estimate,
}

/// Reason of a verdict, typed so that each has its sentence in one place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    NoData,
    /// Fewer blocks than the first look.
    TooFewBlocks {
        have: u32,
        /// Blocks at the next look.
        need: u32,
    },
    /// Fewer sittings than the first look.
    TooFewSittings {
        have: u32,
        /// Sittings at the next look; `None` where none is left.
        need: Option<u32>,
    },
    /// The interval of the sittings' means contains the boundary of the claim.
    SittingsCross {
        /// Half-width of the interval as a share: the resolution.
        resolution: f64,
        /// About how many more sittings would settle it, if known.
        more_sittings: Option<u32>,
    },
    /// The interval is wider for what earlier sittings differed by.
    WidenedBySittings {
        /// The spread between them: 0.06 is 6 %.
        tau: f64,
        sittings: u32,
    },
    /// The interval contains the boundary of the claim.
    IntervalCrosses {
        /// Half-width of the interval as a share: the resolution.
        resolution: f64,
        /// About how many more blocks would settle it, if known.
        more_blocks: Option<u32>,
    },
    /// The generator was the limit.
    ClientLimited {
        what: Finding,
    },
    /// Too many errors for a claim about speed.
    Errors {
        variant: usize,
        /// Error share, 0 to 1.
        share: f64,
    },
    /// Too many errors for any threshold on speed to be met.
    FailsTooOften {
        variant: usize,
        /// Error share, 0 to 1.
        share: f64,
    },
    /// Hodges-Lehmann points the other way.
    SignsDisagree,
    /// More than a fifth of the blocks were lost.
    BlocksLost {
        lost: u32,
        of: u32,
    },
    /// One variant was lost in many more blocks than another: what is left of it may be its better starts.
    LostUnevenly {
        /// The variant that was lost more often.
        variant: usize,
        lost: u32,
        /// Blocks in which the other was lost.
        other: u32,
        of: u32,
    },
    /// The first half of the blocks and the second do not show the same: something changed in between.
    HalvesDiffer {
        /// Mean of the first half, in the unit of the estimate.
        first: f64,
        /// Mean of the second half.
        second: f64,
        /// Standard errors between them.
        errors: f64,
        /// Standard errors that chance explains at so few blocks.
        allowed: f64,
    },
    /// In long slices the ratio is another one than in short ones.
    SliceLength {
        /// The ratio in long slices over that in short ones.
        ratio: f64,
        blocks: u32,
    },
    /// At the difference and the spread seen so far, the last look would hardly settle it: closed as undecided.
    Futile {
        /// Blocks at the last look.
        last: u32,
        /// Probability that it would be settled by then.
        chance: f64,
    },
    /// Blocks in which the generator was unfit, left out for all variants alike: few enough not to matter.
    SpoiledBlocks {
        blocks: u32,
        of: u32,
    },
    /// Most blocks were disturbed by the machine: what is left is not what it does otherwise.
    Disturbed {
        blocks: u32,
        /// Complete blocks.
        of: u32,
    },
    /// Variants that the claim rests on were still warming, or took a step later, in more than a quarter of the blocks.
    NoSteadyState {
        blocks: u32,
        of: u32,
        /// Speed-up per ten seconds that was still going on, the median of these starts: 0.02 is 2 %.
        per_10s: Option<f64>,
    },
    /// Variants were still warming in too many blocks, and the claim would hold if they changed by this much more.
    BeyondWarmUp {
        blocks: u32,
        of: u32,
        /// 0.5 is 50 %, either way.
        share: f64,
    },
    /// Hardly any exchange of some start lies beyond a quantile that the claim rests on: that start has not seen it.
    NotResolvable {
        measure: Measure,
        variant: usize,
        /// The fewest exchanges of a start beyond it; [`TAIL_EXCHANGES_MIN`](crate::TAIL_EXCHANGES_MIN) are needed.
        beyond: u64,
    },
    /// A measure that the claim names has no value (missing, not finite, or zero where only more makes
    /// sense).
    NotMeasured {
        measure: Measure,
        variant: usize,
        point: usize,
        /// Stream; `None` is all of them.
        stream: Option<usize>,
        /// Complete blocks without a value.
        blocks: u32,
    },
    /// The two sides were constant over all blocks and were compared exactly.
    Constant,
    /// The verdict rests on one measurement, without interval: it holds for that measurement alone.
    OneMeasurement,
    /// The generator was the limit on the faster side alone, so that the difference is at least what was seen.
    LimitedOnTheFasterSide,
    /// Requests left late, and all were sent: that only lengthens times, which were short enough all the same, or long
    /// enough on the other side.
    OnlyLengthened,
    /// The interval is wider by this much on a side, for the times that the generator's own delays may have
    /// lengthened, or the values that a busy one moved.
    Widened {
        /// As a share of the estimate.
        share: f64,
    },
    /// The interval would decide, if it did not reach further for what the generator may have moved.
    MayAccountFor {
        /// Part that it may have moved, as a share of the estimate.
        share: f64,
        /// Distance of the interval from where the answers part, as a share of it.
        margin: f64,
    },
    /// The rank of a quantile lies among exchanges that had no end, so that its value is a lower end.
    Unended {
        measure: Measure,
        variant: usize,
        /// Sent and never answered, or not within the response time-out.
        unanswered: u64,
        /// Intended and never sent.
        unsent: u64,
    },
    /// Holds for the exchanges seen; with the 95 % upper bound of the error share.
    SeenOnly {
        exchanges: u64,
        /// 3/n.
        upper: f64,
        /// Starts that these exchanges are of.
        starts: u64,
        /// 95 % upper bound of the share of starts with an error.
        upper_starts: f64,
    },
    /// Errors seen in blocks that the variant did not get through.
    InLostBlocks {
        errors: u64,
    },
    /// Errors of the generator's own making: no port, descriptor or memory, an answer beyond its limits, or a fault
    /// on its side.
    OwnErrors {
        errors: u64,
    },
    /// The claimed quantity depends on the manner of asking: it differs between levels of a condition of measuring.
    DependsOn {
        condition: usize,
        /// The quantity at each of its levels, by the level's index.
        levels: Vec<(usize, Estimate)>,
        /// True if the claim holds, or fails, at every level alike.
        alike: bool,
    },
    /// A server died under load.
    Died {
        variant: usize,
        what: Finding,
    },
}

/// Blocks that would give an interval of a given half-width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Half-width of the interval as a share of the estimate: 0.05 is ±5 %.
    pub resolution: f64,
    /// Blocks in all that this takes at the spread seen so far; with one block, at
    /// [`A_PRIORI_SPREAD`](crate::A_PRIORI_SPREAD).
    pub blocks: u32,
    /// The spread was assumed, not seen.
    pub assumed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub verdict: Verdict,
    /// Estimate that it rests on; `None` when nothing was measured.
    pub estimate: Option<Estimate>,
    /// Confidence of the interval at this claim's share of the error rate, e.g. 0.95 or 0.9833.
    pub confidence: f64,
    pub blocks: u32,
    pub reasons: Vec<Reason>,
    /// True if it can change no more: settled at a look, frozen since, or left undecided at the last look.
    pub settled: bool,
    /// Blocks that ±5 % would take; `None` without an estimate or a number of blocks in reach.
    pub projection: Option<Projection>,
    /// Scope of the interval.
    pub scope: Scope,
    /// The spread that was lent to it; `None` where none was.
    pub borrowed: Option<Borrowed>,
}

impl Judged {
    /// Settled without an answer, an estimate or a reason so far.
    pub(crate) fn undecided(confidence: f64, blocks: u32) -> Judged {
        Judged {
            verdict: Verdict::Undecided,
            estimate: None,
            confidence,
            blocks,
            reasons: Vec::new(),
            settled: true,
            projection: None,
            scope: Scope::ThisSitting,
            borrowed: None,
        }
    }
}

/// Scope of an interval: the time at which it was measured, or any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scope {
    /// Blocks of one sitting: the interval holds for it alone.
    #[default]
    ThisSitting,
    /// Blocks of one sitting, wider for what earlier ones differed by.
    Widened(Between),
    /// Two or more sittings, of whose means it is.
    Sittings(OverSittings),
}

/// Results of two or more sittings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverSittings {
    /// Their spreads, on the scale of the blocks' values.
    pub found: Sittings,
    /// 95 % prediction interval of the next sitting's mean, in the unit of the estimate.
    pub prediction: Estimate,
    /// True if the values are logarithms, so that the spreads are shares.
    pub is_log: bool,
}

/// Further blocks until every claim is settled, given up or at its last look, if the claims are as they seem: nine in
/// ten of the ways in which they may go on lie between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    pub low: u32,
    /// As likely fewer as more.
    pub median: u32,
    pub high: u32,
    /// Never more: blocks until the last look.
    pub last: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// In the order of the claims.
    pub claims: Vec<Judged>,
    /// Every claim is settled: the study may stop. False without claims: then nothing ends it early.
    pub settled: bool,
    /// Further blocks that it may take; [`judge`](crate::judge) leaves it out, [`outlook`](crate::outlook) gives it.
    pub left: Option<Outlook>,
    /// Complete blocks, by their place from 1, that an open claim lacks through the generator or a lost start, of the claim that
    /// lacks most: the study makes up for them.
    pub to_replace: Vec<u32>,
}
