//! Limits of a result: derived from the record, each time that it is read.

use crate::{Check, Finding, Interval, Reason};

crate::facts! {
/// Limit of a result, or a note for someone who acts on it.
stored Limit {
    /// The server's certificate was not checked: another one could have answered.
    ///
    /// Leave `insecure` out, and name the authority.
    Failure TlsUnchecked { variant: String },
    /// More than a thousandth of the exchanges failed; `outcome` is the most frequent, `example` one of them.
    ///
    /// Correct the address, the request or what is expected of the answer; the sample shows what came.
    Failure ExchangesFailed { variant: String, failed: u64, exchanges: u64, outcome: String, example: String },
    /// Nothing was answered.
    ///
    /// Start the server, or correct the address; `--debug` shows one exchange.
    Failure NothingAnswered { variant: String, point: String, outcome: String, times: u64 },
    /// Every answer was a redirect, and none was followed: the figures are those of redirects, not of the page.
    ///
    /// Ask for the address that they lead to, or follow them: `--follow`.
    Failure AllRedirected { variant: String, redirects: u64, status: String, to: String },
    /// The server wants to know who asks (status 401), in the way that it names.
    ///
    /// Give what it asks for: `--basic`, `--bearer`, `--digest`.
    Failure AsksWho { variant: String, scheme: String, realm: String },
    /// The server ends connections without `Connection: close`, each after as many exchanges; what is asked on them then
    /// fails.
    ///
    /// `--keep-alive` with what `keep_alive` says: `off`, or that number.
    Failure EndsConnections { variant: String, connections: u64, exchanges: u32, failed: u64, keep_alive: String },
    /// A variant was lost in blocks: it failed to start, or died.
    ///
    /// See the server's log, and noticed.txt in the run directory.
    Failure VariantLost { variant: String, blocks: u32, given_up: bool, first: Finding },
    /// The generator's own delays lengthen response times from a quantile on; what lies below is the server's.
    ///
    /// Give the generator a CPU of its own, or lower the load.
    Warning GeneratorDelays { variant: String, point: String, from: Check, longer_share: f64, allowed_share: f64 },
    /// The generator was the limit: figures are its own; `tails` where that is so of p99 and beyond alone.
    ///
    /// Do what the finding says.
    Warning GeneratorLimited { variant: String, point: String, tails: bool, what: Finding },
    /// Other programs had the generator's CPUs.
    ///
    /// Stop them, or give the generator a CPU of its own.
    Warning GeneratorHeldUp { unfit: u32, slices: u32, least_share: f64, most_share: f64, allowed_share: f64 },
    /// The generator failed a self-check in some slices.
    ///
    /// Do what the finding says.
    Warning GeneratorUnfit { unfit: u32, slices: u32, first: Finding },
    /// An agent was lost.
    ///
    /// Look at that machine.
    Warning AgentMissing { block: u32, missing: u32, slices: u32, what: Finding },
    /// An open loop asks for more than the server does: response times grow with the length of the run.
    ///
    /// Lower the rate.
    Warning Overloaded { variant: String, point: String, stream: String, completed_share: f64 },
    /// Requests of an open loop were never sent: too few connections, or too slow a server.
    ///
    /// Lower the rate, or give more connections.
    Warning Unsent { variant: String, point: String, unsent: u64, intended: u64 },
    /// Requests were dropped since no connection was free.
    ///
    /// Lower the rate, or give more connections.
    Warning Dropped { variant: String, point: String, dropped: u64, intended: u64, dropped_share: f64, many: bool },
    /// Requests were in flight when the load ended, and had no answer in the time to drain.
    Warning Unanswered { variant: String, point: String, unanswered: u64 },
    /// More answers came than requests were sent.
    ///
    /// The server answers a request twice, or on the wrong connection.
    Warning SurplusAnswers { variant: String, point: String, surplus: u64 },
    /// One start of each server: a check that everything works.
    ///
    /// Leave `--smoke` out for a verdict.
    Warning OneStart,
    /// Servers that ran already: the verdict is about these processes.
    ///
    /// For the setups, give commands that Proofload can start.
    Warning RunningServers,
    /// Slices at which something was noticed are left out.
    Warning SlicesMarked { marked: u32, slices: u32, first: Finding },
    /// A block of which a part cannot be read, or is not there; none of it is judged.
    ///
    /// Restore the record from a copy.
    Warning BlockDamaged { block: u32, what: Finding },
    /// Blocks that were begun and not finished.
    Warning BlocksExcluded { blocks: u32 },
    /// The machine disturbed a block, which is left out.
    Warning BlockLeftOut { block: u32, causes: Vec<Finding> },
    /// The machine disturbed a block.
    Note BlockDisturbed { block: u32, causes: Vec<Finding> },
    /// The budget has no room for a verdict.
    ///
    /// Give a longer `--budget`.
    Failure NoVerdictInTime { what: Finding },
    /// The budget has no room for all looks or trials.
    ///
    /// Give a longer `--budget`.
    Notice FewerLooksInTime { what: Finding },
    /// Something of the study that was not tested.
    Note NotTested { what: Finding },
    /// Servers that were started shortly before.
    ///
    /// `--thorough` measures older ones.
    Notice YoungServers { from_s: f64, to_s: f64, jvm: bool },
    /// Something about the machine.
    Notice Machine { what: Finding },
    /// It could not be checked whether another thread of the generator changes the figures.
    Notice ThreadsNotChecked { places: Vec<String> },
    /// A quantile has too few exchanges beyond it.
    ///
    /// Make the starts longer.
    Note QuantileNotResolvable { measure: String, beyond: u64, need: u64 },
    /// Longer starts would narrow an interval.
    Note LongerStarts { measure: String, places: Vec<String>, more: u32 },
    /// The steady state of a variant was not measured.
    Note SteadinessNotMeasured { variant: String },
    /// No knee or peak can be given.
    Note NoScalability { reasons: Vec<Reason> },
    /// The settings that matter were explored.
    Note FactorsExplored { main_effects: u32, interactions: u32, shown: u32, error_share: f64 },
    /// No effect of the settings can be told.
    Note FactorsNotTold,
    /// Effects of settings that were left out.
    Note FactorLeftOut { why: Reason },
    /// A figure of a run is in no series.
    Note FigureLeftOut { place: String, why: Reason },
    /// Comparisons that no claim declares.
    Note NotExplored { shown: u32, comparisons: u32 },
    /// The generator was the limit of a closed loop; what a request costs the servers is their own all the same. Seen, and not
    /// claimed in advance.
    ///
    /// Declare the claim in the next study.
    Note ServersOwn {
        over: String,
        under: String,
        point: String,
        cost: Interval,
        over_per_s: f64,
        under_per_s: f64,
        declare: String,
    },
    /// A closed loop without think time: response times follow from throughput.
    Note Saturated,
    /// Generator and servers share the machine.
    Note Loopback,
    /// The network takes a part of each response time.
    Note NetworkPart { variant: String, p50_ns: u64, part_share: f64 },
    /// Cost of observing the servers.
    Note TelemetryCost { cores_share: f64 },
    /// The processes behind an address were not looked at.
    Note NoProcesses,
    /// Something that was not measured.
    Note TelemetryMissing { what: Finding },
    /// The warm-up was a fixed time.
    Note FixedWarmUp,
    /// The variants ran one after the other.
    Note Serial,
    /// The variants share a process.
    Note SharedProcess,
    /// Blocks left a variant out, since all claims about it were settled.
    Note Spared { variant: String, point: String, blocks: u32 },
    /// The run was resumed.
    Note Resumed { times: u32, cut: Option<u32> },
    /// Something had changed when the run was resumed.
    Notice ResumedElsewhere { what: Finding },
    /// The run repeats another one.
    Note Repeats { run: String, differences: Vec<Finding> },
    /// Answers end 40 ms after their first byte: Nagle's algorithm waits for a delayed ACK.
    ///
    /// Set TCP_NODELAY on the server, or let it write head and body at once.
    Warning DelayedAck,
    /// Connections came late by the time of a repeated SYN: the listen backlog is too short.
    ///
    /// Lengthen it: listen(2), net.core.somaxconn.
    Warning SynsDropped { late: u64 },
    /// Stretches without an answer, which a closed loop hides.
    ///
    /// Measure with an open loop: `-r`.
    Warning Silences { silences: u64, typical_ns: u64, longest_ns: u64, period_ns: Option<u64>, rate: String },
    /// Answers were redirects.
    Note Redirects { redirects: u64, followed: u64 },
    /// Redirects led to another server, which was asked too.
    Notice RedirectsElsewhere { origin: String, redirects: u64 },
    /// Connections were opened while none was free.
    Note ConnectionsOpened { variant: String, point: String, began: u32, peak: u32, most: u32, full: bool },
    /// The longest soak was short.
    Note ShortSoak { hours: f64 },
    /// Full collections were forced.
    Note ForcedCollections { collections: u32, median_ns: u64, longest_ns: u64 },
    /// The generator's ceiling is not known.
    Note CapacityNoCeiling,
    /// A quantile of the objective with few exchanges beyond it.
    Note RoughObjective { measure: String, requests: u64, beyond: u64 },
    /// Note on the capacity of a variant.
    Note Capacity { variant: String, why: Reason },
    /// The comparison with the baseline is not paired.
    Note BaselineNotPaired,
    /// The spread between sittings is not known.
    Note BaselineWithoutSpread,
    /// The baseline was measured by another build.
    Notice BaselineOtherBuild { what: Finding },
    /// The baseline is not comparable.
    Warning BaselineDiffers { what: Finding },
    /// The baseline lacks a figure.
    Warning BaselineLacks { what: String },
    /// Sittings that are not alike.
    Notice SittingsDiffer { what: Finding },
    /// The number of sittings was not fixed before the first.
    Note SittingsNotPlanned,
    /// Sittings shortly after each other.
    Note SittingsClose { sittings: u32 },
    /// The limits of each sitting are in its own report.
    Note LimitsOfEach,
}
}

/// Limits with one cause make one warning: the screen shows the most severe of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The generator, or the CPUs that it has.
    Generator,
    /// The rest.
    Own,
}

impl Limit {
    /// Cause of which it is the visible effect.
    pub fn cause(&self) -> Cause {
        match self {
            Limit::GeneratorDelays { .. }
            | Limit::GeneratorLimited { .. }
            | Limit::GeneratorHeldUp { .. }
            | Limit::GeneratorUnfit { .. }
            | Limit::ThreadsNotChecked { .. } => Cause::Generator,
            _ => Cause::Own,
        }
    }
}
