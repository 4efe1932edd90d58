//! Findings: facts noticed while a study is planned and measured, kept in records.

/// Boxed, since a finding can name the place of another one.
type Inner = Box<Finding>;

/// A measure that the generator's own delays lengthen: the mean, the 99th or the 99.9th percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Check {
    /// The mean, and every rate.
    #[serde(rename = "mean")]
    Mean,
    /// The 99th percentile.
    #[serde(rename = "p99")]
    P99,
    /// The 99.9th percentile.
    #[serde(rename = "p99.9")]
    P999,
}

crate::facts! {
/// Fact noticed while a study was planned or measured. Stored in the record.
stored Finding {
    /// The generator sent requests later than they were due, by its own doing.
    ///
    /// Use fewer requests or more workers.
    Warning SendsLate { p90_ns: u64, allowed_ns: u64 },
    /// A worker of the generator had hardly any idle time: the generator is near its limit.
    ///
    /// Use more workers, or another machine.
    Warning WorkerBusy { worker: u32, busy_share: f64, allowed_share: f64 },
    /// A worker of the generator did not get its CPU when it was to wake: other programs had it.
    ///
    /// Stop other programs, or give the generator a CPU of its own.
    Warning WorkerHeldUp { worker: u32, away_share: f64, allowed_share: f64 },
    /// Throughput times service time does not come to the connections in use (Little's law): some exchanges are not accounted for.
    ///
    /// Report this with the run directory.
    Warning ConnectionsUnaccounted { expected: f64, found: f64 },
    /// Connections could not be opened since no local port was free.
    ///
    /// Keep connections alive, or widen the range of local ports.
    Warning NoLocalPort { connections: u64, opened: u64, available: u64 },
    /// Connections could not be opened since no file descriptor was free.
    ///
    /// Raise `ulimit -n`, or use fewer connections.
    Warning NoDescriptor { connections: u64 },
    /// Answers exceeded a limit of what Proofload reads: its own limit, and no fault of the server.
    ///
    /// The sample of the first one names the limit.
    Warning AnswersBeyondLimit { exchanges: u64 },
    /// Planned requests were not sent although a connection was free: the generator fell behind.
    ///
    /// Use more workers, or lower the rate.
    Warning LoadNotOffered { unsent: u64, intended: u64, unsent_share: f64 },
    /// An agent was lost during a load, and the rest of its share was not sent.
    ///
    /// Look at that machine; repeat the study.
    Warning AgentLost { agent: String, reported_s: f64, offered_share: f64 },
    /// An agent was lost before a load, and its share was not sent.
    ///
    /// Look at that machine; repeat the study.
    Warning AgentLostBefore { agent: String, offered_share: f64 },
    /// The token of the agents was made by hand: who dials can try others until one fits.
    ///
    /// Make one by `openssl rand -hex 32`.
    Warning TokenGuessable { path: String },
    /// Other users of the machine may read the token of the agents.
    ///
    /// Make another one, in a file with mode 600.
    Warning TokenReadable { path: String },
    /// The rate is near the highest that the generator reaches in this setting.
    ///
    /// Use more workers, more CPUs or another machine.
    Warning NearCeiling { found_share: f64, allowed_share: f64, why: Option<Inner> },
    /// The generator was away from its sockets for longer than response times allow.
    ///
    /// Give it CPUs of its own, or more workers.
    Warning GeneratorStalls { p999_ns: f64, allowed_ns: f64 },
    /// The generator's own delays lengthen response times.
    ///
    /// Give the generator CPUs of its own, or lower the load.
    Warning TimesLengthened { measure: Check, longer_share: f64, allowed_share: f64 },
    /// The latest of the generator's requests were sent later than they were due, by its own doing.
    ///
    /// Lower the load, or give the generator CPUs of its own.
    Warning TailSentLate { p99_ns: f64, allowed_ns: f64 },
    /// Twice the generator's threads give another figure: the generator was the limit.
    ///
    /// Use more workers.
    Warning ThreadsMatter { measure: String, ratio: f64, allowed_share: f64, why: Option<Inner> },

    /// The figure of a check is the median of several slices.
    Note MedianOfSlices { slices: u32 },
    /// A rate and the generator's ceiling.
    Note OfCeiling { per_s: f64, most_per_s: f64 },
    /// The generator's ceiling was not measured.
    Note NoCeiling { why: Inner },
    /// Pairs of slices with once and twice the generator's threads.
    Note ThreadPairs { measure: String, pairs: u32, all_variants: bool },
    /// Twice the threads cost something, since they share CPUs: that tells nothing about the generator's limit.
    Note ThreadsShareCpus { measure: String, pairs: u32, all_variants: bool },
    /// There were too few pairs of slices to tell whether a second thread helps.
    Note ThreadPairsTooFew { pairs: u32, all_variants: bool },
    /// No pair of slices with once and twice the generator's threads was measured.
    Note NoThreadPairs,
    /// There were too few requests with a due time to judge how late the generator sends.
    Note TooFewSends,
    /// The load has no due times, or too few requests.
    Note TooFewDue,
    /// There were too few exchanges, or the window was too short.
    Note TooFewExchanges,
    /// The check is for closed loops with enough exchanges.
    Note NotClosedLoop,

    /// `--no-ceiling` was given.
    Note CeilingNotAsked,
    /// The answers are longer than those of the server that does nothing.
    Note AnswersTooLong,
    /// No ceiling of this setting is on record.
    Note CeilingNotRecorded,
    /// Measuring the ceiling was stopped.
    Note CeilingStopped,
    /// An agent was lost while the ceiling was measured, or before.
    Note CeilingAgentLost,
    /// Exchanges with the server that does nothing failed.
    Note CeilingExchangesFailed { failed_share: f64 },
    /// The server that does nothing cannot close connections after some exchanges.
    Note CeilingEndsAfterSome,
    /// The server that does nothing does not listen on a Unix socket.
    Note CeilingUnixSocket,
    /// The server that does nothing is not behind a proxy.
    Note CeilingProxy,
    /// Connections to the servers pass through different proxies or TLS settings.
    Note CeilingPassages,
    /// The server that does nothing does not ask for client certificates.
    Note CeilingClientCertificate,
    /// The server that does nothing speaks HTTP only.
    Note CeilingProtocol,
    /// The cache has no ceiling of this setting.
    Note CeilingNotCached,
    /// The ceiling in the cache cannot be read.
    Note CeilingDamaged,
    /// The ceiling in the cache is too old.
    Note CeilingOld { allowed_days: u64 },
    /// The machine has another speed than when the ceiling in the cache was measured.
    Note CeilingOtherSpeed { then_ns: u64, now_ns: u64 },
    /// The ceiling was not measured, and can be.
    ///
    /// `proofload doctor --ceiling` with the same addresses and flags.
    Note CeilingCanBeMeasured { why: Inner, connections: u32 },
    /// The ceiling of several agents is not known.
    Note CeilingOfAgents,
    /// A bench without a server that does nothing.
    Note NoNullServer,
    /// A file of certificates is empty.
    Warning NoCertificate { file: String },

    /// The hypervisor took time from the generator's CPUs.
    Note StealFromGenerator { steal_share: f64 },
    /// The hypervisor took time from the servers' CPUs.
    Note StealFromServers { steal_share: f64 },
    /// The CPUs ran slower than in the blocks before.
    Note CpusSlower { slower_share: f64 },
    /// An idle variant used CPU time while another one was measured.
    Warning NotIdle { variant: String, cpu_share: f64, allowed_share: f64 },
    /// A variant warms up on its own CPUs alone, which takes longer.
    Note NotSpread { variant: String, why: Inner },
    /// A server could not be brought back from the generator's CPUs, on which it warmed up.
    ///
    /// Start it as a user whose threads Proofload may move.
    Warning NotGathered { error: String },

    /// A server that took requests and sent no answer.
    ///
    /// Make the load longer if its answers take longer than that.
    Failure Hangs { requests: u64, sliced: bool },
    /// The port speaks TLS, and was asked in plain text.
    ///
    /// Write `https://`.
    Failure SpeaksTls { authority: String },
    /// The port does not speak TLS, and was asked in it.
    ///
    /// Write `http://`.
    Failure SpeaksNoTls { authority: String },
    /// The server speaks HTTP/2 only; Proofload speaks HTTP/1.1.
    ///
    /// Let the server speak HTTP/1.1 too, or ask one before it that does.
    Failure SpeaksHttp2,
    /// The port belongs to another protocol.
    ///
    /// Correct the port.
    Failure SpeaksOther { address: String, protocol: String },
    /// Nothing listens at the address, and something at the other one that the machine has for itself, with the same port.
    ///
    /// Write that address.
    Failure ListensElsewhere { address: String, listens: String },
    /// The server accepts connections, and sends nothing.
    ///
    /// See whether it is stuck; allow more time by `--timeout`.
    Failure SaysNothing { address: String, within_ns: u64 },
    /// All answers were redirects to there.
    ///
    /// Ask for that address, or follow redirects: `--follow`.
    Warning RedirectsTo { to: String },
    /// The variant failed in earlier blocks, and is not started any more.
    ///
    /// See the server's log, and noticed.txt in the run directory.
    Failure GivenUp { why: Vec<Finding> },
    /// The generator was unfit, and recorded no finding.
    Warning Unfit,
    /// A variant that a claim needs was not started.
    Warning NotStarted,
    /// No process serves the variant.
    Warning NoProcess,
    /// The load did not come to its number of requests within its time limit.
    ///
    /// Raise its cap.
    Warning CountNotReached,
    /// Requests of the first trial had no answer.
    ///
    /// Check that the server runs, its address, and what is expected of its answers.
    Failure FirstTrialUnanswered { rate: String, mostly: String },
    /// Something failed; the text is that of the error.
    Warning Failed { error: String },
    /// Place of a finding: the warm-up of a variant in a block.
    Warning InWarmUp { block: u32, variant: String, what: Inner },
    /// Place of a finding: a cycle of a block.
    Warning InCycle { block: u32, cycle: u32, variant: String, what: Inner },
    /// Place of a finding: the start of a variant.
    Warning InStart { block: u32, variant: String, what: Inner },
    /// A start is tried again.
    Note OnceMore { why: Inner },
    /// Something happened in a slice that is in no figure.
    Note InOtherSlice { variant: String, point: String, long: bool, what: Inner },
    /// A finding about a variant at a load point.
    Warning At { variant: String, point: String, stream: String, what: Inner },
    /// A finding of one slice.
    Warning InSlice { variant: String, point: String, stream: String, block: u32, cycle: u32, what: Inner },
    /// A finding of one block.
    Warning InBlock { variant: String, point: String, block: u32, what: Inner },
    /// Something was noticed in a block.
    Note NoticedInBlock { block: u32, what: Inner },
    /// The machine disturbed a block.
    Note BlockDisturbedBy { block: u32, causes: Vec<Finding> },
    /// A variant failed in a block.
    Failure Lost { variant: String, why: Inner },
    /// A variant is not started any more.
    Failure DroppedVariant { variant: String, why: Inner },
    /// A block leaves a variant out: no open claim needs it.
    Note NoOpenClaim,

    /// The run was stopped by a signal.
    Note StoppedBySignal,
    /// The process of Proofload that starts and watches the servers is gone, or does not answer: the state of the
    /// servers is not known, and failures seen since are the lab's, not the servers'.
    ///
    /// See what ended it: often the lack of memory. Then go on with `proofload resume`.
    Failure KeeperGone,
    /// The budget was used up before the last look.
    Note OutOfBudget,
    /// The blocks take so long that the budget ends before the first look.
    ///
    /// Give a longer `--budget`.
    Warning NoLookInBudget { blocks: u32, first: u32, budget: String },
    /// Programs that are neither Proofload's nor a server's used the CPUs while the generator was kept from its own.
    ///
    /// Stop them, or use `--wait-for-quiet`.
    Warning OtherPrograms { used_cpus: f64, cpus: u32, programs: Vec<String> },
    /// None of the first blocks, or too few of all, can be used for a verdict.
    ///
    /// Do what the finding says, or use `--wait-for-quiet`.
    Warning NoVerdictInReach { blocks: u32, what: Inner },
    /// The run waits until other programs leave the CPUs alone.
    Note WaitsForQuiet { used_cpus: f64, cpus: u32, programs: Vec<String> },
    /// Other programs did not leave the CPUs alone for as long as was waited.
    ///
    /// Stop them, or give `--wait-for-quiet` more time.
    Warning NeverQuiet { waited_ns: u64, used_cpus: f64, cpus: u32, programs: Vec<String> },
    /// A sitting ended without saying why: Proofload was killed, or the machine went down.
    Note EndedWithoutAWord,
    /// Every variant was lost in the block.
    Warning EveryVariantLost,
    /// The block has fewer slices than were planned.
    Warning TooFewSlices { found: u32, expected: u32 },
    /// A line of the record cannot be read.
    Warning LineUnreadable { line: u64, error: String },
    /// A line of the record is cut off.
    Warning LineCutOff { line: u64 },
    /// The block has more lines than are read.
    Warning TooManyLines { most: u64 },

    /// Fewer requests were sent than planned in a trial.
    Note SentTooFew { sent_share: f64 },
    /// Fewer requests came to an end in time than were due in a trial.
    Note CarriedTooFew { carried_share: f64 },
    /// The server was gone after the trial.
    Failure ServerGone,
    /// A measure of a trial has no value: nothing came to an end.
    Note NoValue { measure: String },
    /// A term of the objective does not hold.
    Note DoesNotHold { term: String },
    /// Requests of a trial never came to an end.
    Note NeverEnded { term: String, unended: u64, intended: u64 },
    /// No request was due in a trial.
    Note NothingDue,
    /// A self-check of the generator failed in a trial.
    Warning CheckFailed { check: String },
    /// All connections were busy, and the server answered each in time.
    Note ConnectionsBusy { most: u32 },

    /// No process of the server was found: its command has ended.
    ///
    /// Let the command stay in the foreground.
    Warning NoProcessFound,
    /// The connections to back ends were not seen.
    Note NoBackend,
    /// The connections to back ends were looked at too late.
    Note BackendLate,
    /// Connections to back ends ended between two looks.
    Note BackendLost { lost: u64, connections: u64 },
    /// The connections to back ends could not be read.
    Note NoBackendDump { error: String },
    /// The accept queues could not be read.
    Note NoQueueDump { error: String },
    /// The kernel's socket diagnosis cannot be opened.
    Note NoDiagnosis { error: String },
    /// There are more threads than are looked at.
    Note TooManyThreads { most: u32 },
    /// A class histogram without a total.
    Note NoTotal,
    /// A JVM could not be asked for its live objects.
    Note NotAsked { why: Inner },

    /// The mode was given.
    Note AskedFor,
    /// Nothing speaks against turns.
    Note SideBySide,
    /// A load that cannot be cut into slices.
    Note NotSliced { load: String },
    /// The variants need more memory together than there is.
    Note MemoryTogether { variants: u32, needed_bytes: u64, available_bytes: u64 },
    /// One block gives no verdict.
    Warning NoVerdict,
    /// Servers that were running already are not restarted.
    Note NotRestarted,
    /// The preset does not measure older servers.
    Note OlderServers { warm_up_cap_ns: u64 },
    /// The budget has no room for the first look: no verdict is possible.
    ///
    /// Give a longer `--budget`.
    Warning NoFirstLook { first: u32, block_s: f64, room: u32, budget_ns: u64 },
    /// The budget has no room for all looks.
    ///
    /// Give a longer `--budget`.
    Notice FewerLooks { kept: u32, room: u32, block_s: f64, all: u32, budget_ns: u64 },
    /// The budget has no room for the search and its confirmation.
    ///
    /// Give a longer `--budget`, or shorter trials.
    Warning NoSearch { trials: u32, trial_s: f64, needed_ns: u64, budget_ns: u64 },
    /// The budget has room for a short search.
    Notice FewerTrials { trials: u32, most: u32 },
    /// A claim asks for less than this machine resolves in as many blocks: a difference, or a band. `needed` blocks would do.
    ///
    /// Give it the time, or ask for more.
    Warning BelowNoise {
        claim: String,
        asked_share: f64,
        is_band: bool,
        measure: String,
        blocks: u32,
        reach_share: f64,
        needed: Option<u32>,
        minutes: Option<u64>,
    },
    /// Lengths were given.
    Note OtherLengths { lengths: String },
    /// A variant is left out; the reason is that of the server or the study.
    Note VariantLeftOut { variant: String, why: String },
    /// Combinations of levels that the study excludes.
    Note CombinationsExcluded { subject: String, excluded: u32, combinations: u32 },
    /// A load point is left out.
    Note PointLeftOut { point: String },
    /// A claim is left out; `lost_side` where one of its variants or load points is.
    Note ClaimLeftOut { claim: String, text: String, lost_side: bool },
    /// A row of the table of expectations is left out.
    Note ExpectationLeftOut { quantity: String, range: String },
    /// A load is held for another time than its own.
    Note OtherLength { own_s: f64, instead_s: f64 },
    /// A check with one start tests no conclusion.
    Note NotTestedBySmoke,
    /// The study does not test it, for a reason of its own.
    Note NotTestedByStudy { why: String },
    /// A conclusion names a claim that the study does not have.
    Note NoSuchClaim { claim: String },
    /// A condition does not vary: the kernel does not let CPUs be kept awake.
    Note CannotStayAwake,
    /// A condition does not vary: it was not checked whether it can be had.
    Note NotLookedFor,
    /// A condition does not vary: these CPUs cannot be divided in another way.
    Note NoOtherDivision,
    /// A condition does not vary: running servers stay on their CPUs.
    Note CpusOfOthers,
    /// Something is not the same as in the record that this one is compared with or goes on.
    Notice Differs { what: String, then: String, now: String },

    /// The blocks of a search, which judge nothing.
    Note HeatsJudgeNothing,
    /// The winner is the best of a search.
    Note WinnerOfSearch,
    /// An audit with the reference server only.
    Note OtherServers,
    /// Two equal servers differ: the machine favours one of them.
    ///
    /// Find out what favours one side before you trust a verdict here.
    Warning EqualServersDiffer { measure: String, difference_share: f64 },
    /// Long slices show another ratio than short ones.
    ///
    /// Use longer slices here: `--timing slice=1s,discard=100ms`.
    Warning SlicesMove { measure: String, difference_share: f64 },
    /// The audit has few blocks.
    Notice FewBlocks { blocks: u32, better: u32 },
    /// The machine disturbed blocks of the audit.
    Notice BlocksDisturbed { blocks: u32 },
    /// The generator was unfit in slices of the audit.
    Warning AuditUnfit { slices: u32 },

    /// One CPU for the generator and the servers.
    ///
    /// Measure on a machine with two cores or more.
    Failure OneCpu { cpu: u32 },
    /// One core for the generator and the servers.
    ///
    /// Measure on a machine with four cores or more.
    Notice OneCore,
    /// Two CPUs: one for the generator, one for all servers.
    ///
    /// Four cores or more leave room for both sides.
    Notice TwoCpus,
    /// The cgroup limits CPU time.
    ///
    /// Give whole CPUs and not a share.
    Notice CpuQuota { quota: f64, cpus: u32 },
    /// The CPUs' frequency follows the load.
    ///
    /// `cpupower frequency-set -g performance`
    Notice Governor { names: Vec<String> },
    /// CPUs sleep between answers, and waking them takes time.
    ///
    /// Measure as root, or with the right to write /dev/cpu_dma_latency.
    Notice CpusSleep { given_away: bool, why: Inner },
    /// The depth of the CPUs' sleep was not looked at.
    Note SleepNotLookedAt,
    /// The kernel leaves no choice of idle states.
    Note NoIdleStates,
    /// Each idle state gives the CPU away.
    Note EachGivesCpuAway,
    /// An idle state has no known wake-up latency.
    Note NoWakeUpLatency { state: String },
    /// The limit on idle states cannot be set.
    Note SleepRefused { path: String, error: String },
    /// Other programs want the CPUs.
    ///
    /// Stop what else is running, or wait.
    Notice MachineBusy { processes: f64, cpus: u32 },
    /// The load average cannot be read.
    Notice LoadUnknown,
    /// Little memory is available.
    ///
    /// Stop other programs, raise the limit, or give the servers a smaller heap.
    Notice LittleMemory { available_bytes: u64, bytes: u64 },
    /// Few file descriptors.
    ///
    /// Raise `ulimit -n`.
    Notice FewDescriptors { soft: u64 },
    /// Few local ports.
    ///
    /// Widen `net.ipv4.ip_local_port_range`.
    Notice FewPorts { ports: u32, first: String, last: String },
    /// The accept queue is short.
    ///
    /// Raise `net.core.somaxconn`.
    Notice ShortAcceptQueue { most: u64 },
    /// The clock is slow or coarse.
    ///
    /// Boot with `clocksource=tsc`, or measure on another machine.
    Notice SlowClock { source: String, step_ns: u64, read_ns: u64 },
}
}

impl Finding {
    /// The finding itself, without its place: the innermost one.
    pub fn innermost(&self) -> &Finding {
        match self {
            Finding::InWarmUp { what, .. }
            | Finding::InCycle { what, .. }
            | Finding::InStart { what, .. }
            | Finding::InOtherSlice { what, .. }
            | Finding::At { what, .. }
            | Finding::InSlice { what, .. }
            | Finding::InBlock { what, .. } => what.innermost(),
            own => own,
        }
    }

    /// Finding of a failure with an error: its code and its fields where it is of the catalogue, else its text.
    pub fn failed(error: impl ToString) -> Finding {
        Finding::Failed { error: crate::coded(|| error.to_string()) }
    }
}
