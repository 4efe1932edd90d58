//! Records about runs as a whole: sittings, facts that a subject reported about itself, comparisons of runs.

use super::{ClaimResult, Estimate, Preset, RunState, SittingSpread, Status, Verdict};
use proofload_facts::{Finding, Limit, Reason, or_nothing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A stretch of time in which a run was conducted; one more for each time it was resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sitting {
    /// Time at which it began, nanoseconds since 1970.
    pub began_unix_ns: u64,
    /// Time at which it ended; of one that was killed the end of its last slice; `null` while it lasts.
    pub ended_unix_ns: Option<u64>,
    /// `running`, `finished`, `interrupted`, `failed`, or `killed`: it ended without a word.
    pub state: RunState,
    /// Reason, when not finished.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub why: Option<Finding>,
    /// The block that its end cut off. It is excluded and, unlike a block that its own servers lost, does not count
    /// against the run.
    pub cut_block: Option<u32>,
    /// Blocks that were lost while it went on: a server died.
    #[serde(default)]
    pub lost_blocks: Vec<u32>,
    /// Accepted differences from the record when it began.
    pub differences: Vec<Finding>,
    /// Observations of the machine while it went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine: Vec<Finding>,
}

/// Facts that a variant's processes reported about themselves in a block: `blocks/NNNN.subjects.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubjectFacts {
    /// The variant's name.
    pub variant: String,
    /// Name to value: limits in force, CPUs allowed, JVM version, arguments and flags as the JVM reports them.
    pub facts: BTreeMap<String, String>,
}

/// A run compared with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// Path of the baseline.
    pub run: String,
    /// Worse by more than this share is a regression: 0.05 is 5 %.
    pub tolerance: f64,
    /// Accepted differences between the two machines and settings.
    pub differences: Vec<Finding>,
    /// Figure by figure.
    pub figures: Vec<BaselineFigure>,
    /// Variants and load points that only one of the two runs has.
    pub unmatched: Vec<String>,
    /// Difference between the two builds of the generator, a sentence; empty where there is none, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "or_nothing")]
    pub build: Option<Finding>,
}

/// One figure against the baseline's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineFigure {
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// The measure, as claims name it.
    pub measure: String,
    /// On "no worse than the baseline by more than the tolerance": `supported`, `refuted` (a regression) or
    /// `undecided`.
    pub verdict: Verdict,
    /// This run's figure over the baseline's. Not paired: the runs were made at different times.
    pub ratio: Option<Estimate>,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Blocks of this run it rests on.
    pub blocks: u32,
    /// Blocks of the baseline it rests on.
    pub baseline_blocks: u32,
    /// Reasons of the verdict.
    pub reasons: Vec<Reason>,
    /// The spread of the figure between sittings, which the interval knows; absent where too few are on record.
    pub tau: Option<SittingSpread>,
}

/// `proofload replicate`: several sittings of one study, judged together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SittingsResult {
    /// Format version.
    pub format: u32,
    /// The study.
    pub study: String,
    /// Its question.
    pub question: String,
    /// The runs, oldest first.
    pub runs: Vec<SittingRun>,
    /// Sittings that they are: a run that paused for long is more than one.
    pub sittings: u32,
    /// Numbers of sittings after which the claims are judged.
    pub looks: Vec<u32>,
    /// True if these were fixed before the first sitting.
    pub planned: bool,
    /// Complete blocks of all runs.
    pub blocks: u32,
    /// Verdicts.
    pub claims: Vec<ClaimResult>,
    /// Differences between the runs although they are of one study: the generator's build, the kernel, settings.
    pub differences: Vec<Finding>,
    /// Limits of this test.
    pub limits: Vec<Limit>,
    /// The line to remember; empty where no claim compares two variants.
    pub headline: String,
}

/// A run among the sittings of one study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SittingRun {
    /// The run's id.
    pub id: String,
    /// Path of the run.
    pub run: String,
    /// Time at which it began, nanoseconds since 1970; 0 when not known.
    pub began_unix_ns: u64,
    /// Its seed.
    pub seed: u64,
    /// Complete blocks.
    pub blocks: u32,
}

/// A run in `proofload history`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// The study.
    pub study: String,
    /// The run's id.
    pub id: String,
    /// Path of the run.
    pub run: String,
    /// Time at which its first sitting began, nanoseconds since 1970; 0 when not known.
    pub began_unix_ns: u64,
    /// `smoke`, `quick`, `default` or `thorough`.
    pub preset: Preset,
    /// State at its end.
    pub status: Status,
    /// Complete blocks.
    pub blocks: u32,
    /// First eight digits of the machine's digest.
    pub machine: String,
    /// Claims with their verdicts, in order.
    pub verdicts: Vec<HistoryVerdict>,
    /// Result in a line.
    #[serde(default)]
    pub answer: String,
    /// Reason why it could not be read; empty when it could.
    pub damage: String,
    /// The comparable runs of the study that it belongs to; absent where no block is complete, and while it goes on.
    pub series: Option<HistorySeries>,
    /// Figures of it that are in no series, and why.
    #[serde(default)]
    pub left_out: Vec<Limit>,
    /// Change points: figures that lie at another level from this run on. No verdicts.
    #[serde(default)]
    pub changes: Vec<HistoryChange>,
}

/// Comparable runs of a study, as each of them lists it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistorySeries {
    /// Id of its first run.
    pub began: String,
    /// Place of this run among them, from 1.
    pub place: u32,
    /// Number of runs.
    pub runs: u32,
    /// Runs in which a figure must have a value before a change point is looked for.
    pub needs: u32,
    /// Figures (of one variant, load point, stream and measure) that have that many, and were looked through.
    pub figures: u32,
    /// Of its first run: what it has differently from the run before.
    pub differences: Vec<Finding>,
}

/// A figure that lies at another level from a run on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryChange {
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream; empty for all streams together, and without streams.
    pub stream: String,
    /// The measure, as claims name it.
    pub measure: String,
    /// The new level over the old one (`ratio`); where a value is zero the new one less the old one, and the unit ends
    /// in `_difference`. The place was chosen by the values, so it flatters a little.
    pub change: Estimate,
    /// Confidence of the interval, for a place fixed beforehand.
    pub confidence: f64,
    /// Student's p, for a place fixed beforehand.
    pub p: f64,
    /// Runs at the old level, back to the change before it or to the beginning of the series.
    pub runs_before: u32,
    /// Runs at the new level, this one among them.
    pub runs_after: u32,
    /// Id of the last run at the old level.
    pub previous: String,
    /// Differences of the servers, the machine's settings and Proofload itself at that run.
    pub differences: Vec<Finding>,
}

/// A verdict in a line of `proofload history`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryVerdict {
    /// The claim's name.
    pub claim: String,
    /// `supported`, `refuted` or `undecided`.
    pub verdict: Verdict,
}

/// `proofload diff` of two runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunDiff {
    /// Format version.
    pub format: u32,
    /// Path of the first.
    pub left: String,
    /// Path of the second.
    pub right: String,
    /// Differences between the plans.
    pub plan: Vec<Difference>,
    /// Differences between the machines and settings, fact by fact.
    pub environment: Vec<Difference>,
    /// Figures side by side. No verdict: the runs were made at different times.
    pub figures: Vec<FigurePair>,
    /// Claims of either run whose verdict or presence differs.
    pub verdicts: Vec<Difference>,
}

/// Something that two runs have differently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The fact: `seed`, `variant nio: digest of tomcat.zip`, `kernel`.
    pub what: String,
    /// The first run's; `null` where it has none.
    pub left: Option<String>,
    /// The second run's; `null` where it has none.
    pub right: Option<String>,
}

impl Difference {
    /// The difference as a finding, from then to now.
    pub fn finding(&self) -> Finding {
        let side = |value: &Option<String>| value.clone().unwrap_or_default();
        Finding::Differs { what: self.what.clone(), then: side(&self.left), now: side(&self.right) }
    }
}

/// One figure of two runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigurePair {
    /// The variant's name.
    pub variant: String,
    /// Label of the load point.
    pub point: String,
    /// Name of the stream; empty for all streams together, and without streams.
    #[serde(default)]
    pub stream: String,
    /// The measure, as claims name it.
    pub measure: String,
    /// The first run's, with its own interval over its blocks.
    pub left: Option<Estimate>,
    /// The second run's.
    pub right: Option<Estimate>,
    /// The second over the first with a Welch interval; unpaired.
    pub ratio: Option<Estimate>,
    /// Confidence of the interval of the ratio.
    pub confidence: f64,
}
