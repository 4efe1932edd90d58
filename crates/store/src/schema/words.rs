//! The words that stored fields may hold. A word that this version does not know is kept as it is, and is none of
//! those that this version decides by.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A word of another version, or the empty one.
            Other(String),
        }

        impl $name {
            /// The word as it is stored and shown.
            pub fn name(&self) -> &str {
                match self {
                    $($name::$variant => $word,)+
                    $name::Other(word) => word,
                }
            }

            /// True for the empty word.
            pub fn is_empty(&self) -> bool {
                self.name().is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> $name {
                match word {
                    $($word => $name::$variant,)+
                    word => $name::Other(word.to_string()),
                }
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name::from("")
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                Cow::<str>::deserialize(from).map(|word| $name::from(&*word))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    )+};
}

words! {
    /// Kind of a line of a block.
    Phase {
        /// Load that warms the variant; in no figure.
        WarmUp = "warm-up",
        /// Load that figures and verdicts rest on.
        Measure = "measure",
        /// The variant did not get through this block, and `marks` say why.
        Lost = "lost",
        /// One of a pair of slices with once and with twice the generator's threads; in no figure.
        Perturbation = "perturbation",
        /// A slice of the plan's own length, which the shorter ones are held against; in no figure.
        Long = "long",
        /// The block left this variant out at this load point, because no open claim needed it any more.
        Spared = "spared",
    }

    /// Order of the variants.
    Mode {
        /// All run at once, slice by slice.
        Cycles = "cycles",
        /// One after another, each started, measured and stopped alone.
        Serial = "serial",
        /// Of records that knew only cycles.
        Unsaid = "",
    }

    /// Rule for sending requests.
    Model {
        /// Each connection asks again when it is answered.
        Closed = "closed",
        /// Requests leave at intended times, whatever the answers do.
        Open = "open",
        /// Streams of both kinds together.
        Mixed = "mixed",
        /// In a line without a measurement.
        Unsaid = "",
    }

    /// Unit of replication.
    Replication {
        /// Fresh processes in each block.
        Start = "start",
        /// The same running processes.
        Process = "process",
        /// A single measurement, where nothing was.
        Unsaid = "",
    }

    /// Sittings for which a claim's interval holds.
    Scope {
        /// Of the one in which it was measured.
        ThisSitting = "this_sitting",
        /// Of any: it rests on several, or knows what earlier ones differed by.
        AnySitting = "any_sitting",
        /// Without an interval; and in older results.
        Unsaid = "",
    }

    /// Time that a study takes.
    Preset {
        /// One block, no verdict.
        Smoke = "smoke",
        /// Minutes.
        Quick = "quick",
        /// Half an hour.
        Default = "default",
        /// Hours.
        Thorough = "thorough",
    }

    /// Rule that keeps repeated looks valid.
    Looking {
        /// Bounds for the looks of the plan.
        Looks = "looks",
        /// Bounds that hold after every block.
        Anytime = "anytime",
        /// The same as `looks`.
        Unsaid = "",
    }

    /// Source of a variant.
    SubjectKind {
        /// A folder of the catalogue.
        Catalogue = "catalogue",
        /// A command of the study's own.
        Command = "command",
        /// A server that already runs.
        Url = "url",
    }

    /// State of a run, or of a sitting of it.
    RunState {
        /// It goes on, or ended without a word.
        Running = "running",
        /// By itself.
        Finished = "finished",
        /// On demand.
        Interrupted = "interrupted",
        /// It could not go on.
        Failed = "failed",
        /// Of a sitting: it ended without a word.
        Killed = "killed",
    }

    /// Verdict on a claim, or on the comparison with a baseline.
    Verdict {
        /// The interval lies where the claim says.
        Supported = "supported",
        /// It lies where the claim says it does not; of a baseline: a regression.
        Refuted = "refuted",
        /// Neither, or something forbids a verdict.
        Undecided = "undecided",
    }

    /// Outcome of an expectation.
    ExpectationOutcome {
        /// The interval lies within the range.
        Met = "met",
        /// It lies outside.
        NotMet = "not met",
        /// Neither, or something forbids a verdict.
        Undecided = "undecided",
    }

    /// Outcome of a published conclusion.
    ConclusionOutcome {
        /// All claims that test it are supported.
        Reproduced = "reproduced",
        /// A claim that tests it is refuted.
        NotReproduced = "not reproduced",
        /// Neither.
        Undecided = "undecided here",
        /// Nothing tests it.
        NotTested = "not tested",
    }

    /// Outcome of a check of the generator.
    CheckOutcome {
        /// Within what is allowed.
        Passed = "passed",
        /// Client-limited.
        Failed = "failed",
        /// Too few or too scattered values to tell.
        Unresolved = "unresolved",
        /// No value.
        NotMeasured = "not_measured",
    }

    /// A check of the generator.
    CheckName {
        /// Own send delay, 90th percentile against that of response time.
        SendDelay = "send_delay_p90",
        /// The same of the 99th percentile, of early records.
        SendDelayTail = "send_delay_p99",
        /// The 99th percentile of early records.
        SendDelayEarly = "send_delay",
        /// Planned requests that were never sent.
        Unsent = "unsent",
        /// Share of the window in which a worker had something to do.
        AtWork = "at_work",
        /// Share of the window in which a worker was kept from waking.
        Away = "away",
        /// Share by which the generator's own delays lengthen the mean of response times.
        LengthenedMean = "lengthened_mean",
        /// The same of the 99th percentile.
        LengthenedP99 = "lengthened_p99",
        /// The same of the 99.9th percentile.
        LengthenedP999 = "lengthened_p999",
        /// Time that the generator was away from its sockets, against the 99th percentile of response time, of early records.
        Hiccups = "hiccups",
        /// Connections of a closed loop that Little's law does not account for.
        LittlesLaw = "littles_law",
        /// Connections that found no local port.
        Ports = "ports",
        /// Connections that found no file descriptor.
        Descriptors = "descriptors",
        /// The rate against the generator's ceiling.
        Ceiling = "ceiling",
        /// The same for claims about p99 and beyond, of early records.
        CeilingTail = "ceiling_tail",
        /// Effect of twice the threads on throughput.
        PerturbedThroughput = "perturbation_throughput",
        /// Effect of twice the threads on p99.
        PerturbedP99 = "perturbation_p99",
    }

    /// State of a variant at the end of its warm-up.
    Steadiness {
        /// The warm-up ended by the rule.
        Steady = "steady",
        /// It ended at its longest time, and the variant itself was flat by then: it waited for others.
        Cap = "cap",
        /// It ended at its longest time, while its compilers were at work or it changed as all variants did.
        StillWarming = "still_warming",
        /// It ended at its longest time, while the variant went another way than the others.
        NoSteadyState = "no_steady_state",
        /// Its CPU per exchange is not known.
        NotMeasured = "not_measured",
        /// The length of the warm-up was fixed beforehand.
        Fixed = "fixed",
        /// Of a start: the variant moved another way than the others while it was measured.
        LateStep = "late_step",
    }

    /// Purpose of a trial.
    TrialStage {
        /// It narrows the search.
        Search = "search",
        /// It confirms the lower end.
        ConfirmLow = "confirm-low",
        /// It confirms the upper end.
        ConfirmHigh = "confirm-high",
    }

    /// Outcome of a trial of a search.
    TrialOutcome {
        /// The objective held.
        Pass = "pass",
        /// It did not.
        Fail = "fail",
        /// The generator was the limit: it says nothing about the server.
        ClientLimited = "client_limited",
        /// The connections were.
        ConnectionLimited = "connection_limited",
    }

    /// Answer of a search for a capacity.
    CapacityAnswer {
        /// A rate with its interval.
        Found = "found",
        /// The objective does not hold at the lowest rate.
        BelowRange = "below_range",
        /// It holds at the highest.
        AboveRange = "above_range",
        /// The generator was the limit.
        ClientLimited = "client_limited",
        /// The connections were.
        ConnectionLimited = "connection_limited",
        /// The trials do not settle it.
        NotSettled = "not_settled",
    }

    /// Verdict on growth over a soak.
    TrendVerdict {
        /// A live set that grows.
        Leak = "leak",
        /// Anything else that grows.
        Growth = "growth",
        /// No growth beyond what is allowed.
        NoGrowth = "no_growth",
        /// Growth that slows down.
        Filling = "filling",
        /// Neither.
        Undecided = "undecided",
    }
}

impl From<proofload_stats::Verdict> for Verdict {
    fn from(verdict: proofload_stats::Verdict) -> Verdict {
        Verdict::from(verdict.name())
    }
}

impl Steadiness {
    /// True if such a start has no steady state, in its own figures or in comparisons.
    pub fn is_unsteady(&self) -> bool {
        matches!(self, Steadiness::NoSteadyState | Steadiness::LateStep | Steadiness::StillWarming)
    }

    /// True if it has one in comparisons all the same, because all variants changed alike.
    pub fn is_shared(&self) -> bool {
        *self == Steadiness::StillWarming
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_another_version_is_kept_and_an_absent_one_is_empty() {
        let read = |text: &str| serde_json::from_str::<Phase>(text).expect("a word");
        assert_eq!(read("\"measure\""), Phase::Measure);
        assert_eq!(read("\"cool-down\""), Phase::Other("cool-down".into()));
        assert_eq!(serde_json::to_string(&read("\"cool-down\"")).expect("text"), "\"cool-down\"");
        assert_eq!(serde_json::to_string(&Phase::default()).expect("text"), "\"\"");
        assert_eq!(Mode::default(), Mode::Unsaid);
        assert_eq!(read("\"lo\\u0073t\""), Phase::Lost, "escaped");
    }
}
