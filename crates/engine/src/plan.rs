//! What the engine is asked to do, and what it returns.

use crate::feed::Feed;
use crate::http::Follow;
use crate::load::{Distribution, Stage, Trace};
use crate::seconds::SecondQuantiles;
use crate::transport::{Negotiated, Transport};
use proofload_measure::{Outcome, Snapshot};
use proofload_wire::Request;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// Numeric; names are resolved before the load.
    Tcp(SocketAddr),
    /// Path of a Unix socket, at most 107 bytes.
    Unix(PathBuf),
}

impl Address {
    /// The address of TCP; `None` for a Unix socket.
    pub fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Address::Tcp(address) => Some(*address),
            Address::Unix(_) => None,
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Address::Tcp(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What is connected to: the server, or the proxy on the way to it.
    pub address: Address,
    /// What connections to it pass through.
    pub transport: Transport,
}

impl<A: Into<Address>> From<A> for Target {
    /// Nothing but the connection.
    fn from(address: A) -> Self {
        Target { address: address.into(), transport: Transport::default() }
    }
}

/// How requests are asked, beside what they are; the default asks each request as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asking {
    /// What requests with places are filled with.
    pub feed: Feed,
    /// Whether each place keeps cookies, over all its connections, and sends them back. Requests need a place for
    /// them.
    pub cookies: bool,
    /// Local addresses that connections leave from, in turn; empty leaves the choice to the kernel.
    pub bind: Vec<IpAddr>,
}

/// What an answer must be to count as answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// Exactly this code; without it one that is good in its protocol (of HTTP 200 to 399).
    pub status: Option<u16>,
    /// Exactly so many bytes of body.
    pub bytes: Option<u64>,
    /// The body contains this text (within its first `Request::keep_body` bytes).
    pub text: Option<Vec<u8>>,
}

/// One kind of request in the mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixEntry {
    /// Its share of the mix is `weight` over the sum of weights. At least 1.
    pub weight: u32,
    /// Index into [`LoadPlan::targets`].
    pub target: usize,
    /// The request, encoded.
    pub request: Arc<Request>,
    /// The same request as the last of its connection (of HTTP with `Connection: close`), for keep-alive off and the
    /// last of N per connection.
    pub closing_request: Arc<Request>,
    /// What its answer must be.
    pub expect: Expect,
    /// What is done about redirects.
    pub follow: Follow,
}

/// Whether connections are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepAlive {
    /// As long as the peer allows.
    On,
    /// A new connection for each exchange.
    Off,
    /// So many exchanges for each connection. At least 1.
    Every(u32),
}

/// When to stop issuing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// After so many nanoseconds of measuring (the discarded stretch comes before).
    DurationNs(u64),
    /// After so many requests (and at the latest after `cap_ns`).
    Requests {
        /// How many, over all workers.
        count: u64,
        /// Upper bound of the time it may take.
        cap_ns: u64,
    },
}

impl Extent {
    /// How long it takes at most.
    pub(crate) fn longest_ns(&self) -> u64 {
        match *self {
            Extent::DurationNs(ns) => ns,
            Extent::Requests { cap_ns, .. } => cap_ns,
        }
    }
}

/// Spacing of the intended times of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Equal gaps.
    Constant,
    /// Exponential gaps (seeded).
    Poisson,
}

/// What becomes of a request of an open loop that is due while no connection is free, and none can be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It waits for a connection and keeps its intended time.
    #[default]
    Queue,
    /// It is not sent: it counts as unsent, and as dropped.
    Drop,
}

/// What an open loop does when a request is due and no connection is free. The default waits for one of those that
/// there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortage {
    /// What becomes of the request once there are as many connections as there may be.
    pub overflow: Overflow,
    /// Connections that there may be in the end, over all workers; more are opened while requests that are due find
    /// none free. `None` is as many as [`LoadPlan::connections`]; never fewer than those.
    pub most_connections: Option<u32>,
}

/// How much is asked over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Profile {
    /// So many connections, each asks again when it is answered, after a think time.
    ///
    /// Intended is when the connection became free plus the think time. A connection that has to be made
    /// for an exchange (keep-alive off, or after the last one ended) is part of its response time, not of
    /// its service time; connections that are kept are opened ahead of the load. With several targets the
    /// connections are dealt to them in proportion to their weights, so a slow target is asked less often.
    ///
    /// Pauses are drawn by the place and the number of its exchange: the same seed gives the same pauses, whatever
    /// the answers do. Where they differ, each place begins in the midst of one, as if it had gone on for ever.
    Closed {
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
    /// Intended times come from a timetable, whatever the answers do. What becomes of a send that finds no free
    /// connection says [`LoadPlan::shortage`]. The mix is drawn by tick, so several targets are asked exactly by
    /// weight, each through the connections dealt to it.
    Open {
        /// Intended sends per second, over all workers.
        rate_per_s: f64,
        /// Spacing.
        arrival: Arrival,
        /// How late a send may be fired together with others to save wake-ups; 0 is exact.
        coalesce_ns: u64,
    },
    /// A closed loop whose number of connections follows stages. A place takes part while the curve is above its
    /// number, connects when it joins and closes when it leaves, once it is answered. [`LoadPlan::connections`]
    /// is the most that any stage has; the extent is the length of the stages; nothing is discarded.
    ClosedStages {
        /// Connections over time.
        stages: Vec<Stage>,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
    /// An open loop whose rate follows stages: tick i is intended when the integral of the rate is i, or by a
    /// Poisson process of that rate. The extent is the length of the stages; nothing is discarded.
    OpenStages {
        /// Intended sends per second over time, over all workers.
        stages: Vec<Stage>,
        /// Spacing.
        arrival: Arrival,
        /// As in [`Profile::Open`].
        coalesce_ns: u64,
    },
    /// An open loop whose intended times were recorded once. The extent is at most the length of the trace; nothing
    /// is discarded.
    OpenTrace {
        /// The arrivals, over all workers.
        trace: Trace,
        /// As in [`Profile::Open`].
        coalesce_ns: u64,
    },
    /// So many users, [`LoadPlan::connections`] of them, each with a connection of its own. User i of n starts at
    /// i/n of the ramp, asks `loops` times, one after the other, and closes. The extent is a count of users
    /// times loops; nothing is discarded.
    Users {
        /// Over how long the users start.
        ramp_ns: u64,
        /// Exchanges of each user, at least 1.
        loops: u32,
        /// Pause between an answer and the next intended send, in nanoseconds.
        think_ns: Distribution,
    },
}

impl Profile {
    /// Whether places ask again when they are answered, and not by a timetable.
    pub fn is_closed(&self) -> bool {
        !matches!(self, Profile::Open { .. } | Profile::OpenStages { .. } | Profile::OpenTrace { .. })
    }

    /// Whether the load has a shape of its own, from its first instant to its last, of which no part can be
    /// left out.
    pub fn is_shaped(&self) -> bool {
        !matches!(self, Profile::Open { .. } | Profile::Closed { .. })
    }

    /// How late sends may be fired together.
    pub(crate) fn coalesce_ns(&self) -> u64 {
        match self {
            Profile::Open { coalesce_ns, .. }
            | Profile::OpenStages { coalesce_ns, .. }
            | Profile::OpenTrace { coalesce_ns, .. } => *coalesce_ns,
            _ => 0,
        }
    }

    /// Whether kept connections are opened before the load begins, and not when their place joins.
    pub(crate) fn opens_ahead(&self) -> bool {
        !matches!(self, Profile::ClosedStages { .. } | Profile::Users { .. })
    }
}

/// Time-outs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To establish a connection.
    pub connect_ns: u64,
    /// From sent to the end of the answer.
    pub response_ns: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { connect_ns: 5_000_000_000, response_ns: 30_000_000_000 }
    }
}

/// Everything the engine needs to know.
///
/// Rate, count and connections are those of the whole load. This process carries out the share that `share`
/// names: its stripe of the timetable, its part of the count and of the connections; parts add up exactly.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    /// Addresses.
    pub targets: Vec<Target>,
    /// What is asked, at least one entry.
    pub mix: Vec<MixEntry>,
    /// How much over time.
    pub profile: Profile,
    /// Connections over all workers. Each worker needs one for each target.
    pub connections: u32,
    /// Reuse of connections.
    pub keep_alive: KeepAlive,
    /// Time-outs.
    pub timeouts: Timeouts,
    /// Load before the window that is discarded.
    pub discard_ns: u64,
    /// When to stop issuing.
    pub extent: Extent,
    /// How long to wait when issuing ends for what is in flight, and for what is due and waits for a free
    /// connection; what remains is `abandoned`, or `unsent` when it never left.
    pub drain_ns: u64,
    /// Threads, at least 1; each is share k of `workers` of one striped timetable.
    pub workers: u32,
    /// CPUs that are the workers' own, to pin them to in turn; empty pins none. Pinned workers run before whatever else
    /// comes to those CPUs, where this process may ask for it.
    pub cpus: Vec<usize>,
    /// Seed of everything random.
    pub seed: u64,
    /// This load is share `.0` of `.1` equal ones; `(0, 1)` is the whole.
    pub share: (u32, u32),
    /// How requests are asked.
    pub asking: Asking,
    /// When connections are wanting; an open loop's matter, the default for others.
    pub shortage: Shortage,
    /// What carries the bytes. Loads that are carried out together have the same.
    pub driver: DriverChoice,
}

impl LoadPlan {
    /// Connections that there may be at once, over all workers.
    pub fn most_connections(&self) -> u32 {
        self.shortage.most_connections.unwrap_or(self.connections).max(self.connections)
    }
}

/// Which of the kernel's interfaces carries the bytes of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DriverChoice {
    /// epoll: on every Linux that can run the engine.
    #[default]
    Epoll,
    /// io_uring with multishot receives into provided buffers: Linux 6.1 or later, where it is not forbidden.
    IoUring,
}

impl DriverChoice {
    /// All of them.
    pub const ALL: [DriverChoice; 2] = [DriverChoice::Epoll, DriverChoice::IoUring];

    /// As it is written in studies, in arguments and in records.
    pub fn name(self) -> &'static str {
        match self {
            DriverChoice::Epoll => "epoll",
            DriverChoice::IoUring => "io_uring",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        DriverChoice::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

impl LoadPlan {
    /// The distance at which connections are opened ahead of the load: listen queues are short, and a TLS handshake
    /// costs either side the better part of a millisecond.
    pub(crate) fn opening_gap_ns(&self) -> u64 {
        let secured = self.targets.iter().any(|target| target.transport.tls.is_some());
        if secured { 1_000_000 } else { crate::worker::OPENING_GAP_NS }
    }
}

/// Why a plan cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A value of the plan is out of its bounds.
    #[error("{0}")]
    Plan(String),
    /// The descriptors that the plan needs exceed the limit of this process.
    #[error(
        "needs {needed} file descriptors, the limit is {limit}: lower the connections or raise `ulimit -n`"
    )]
    Descriptors {
        /// Needed, own use included.
        needed: u64,
        /// `RLIMIT_NOFILE`.
        limit: u64,
    },
    /// This machine cannot carry the load by the driver that was asked for.
    #[error("cannot use the {driver} driver: {why}; use --driver epoll")]
    Driver {
        /// Its name.
        driver: &'static str,
        /// What is missing or forbidden.
        why: String,
    },
    /// The first instant that was given had passed before the workers were ready.
    #[error(
        "the load was to begin {:.3} s before its workers were ready: give a later instant",
        *late_ns as f64 / 1e9
    )]
    TooLate {
        /// How long before.
        late_ns: u64,
    },
    /// The operating system refused something before any load.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        source: std::io::Error,
    },
}

/// What went wrong with the generator itself, or was near to. Any of these makes the result client-limited.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Sends left late: the 90th percentile of the delay between intended and sent that the generator itself caused.
    SendDelay {
        /// 90th percentile in nanoseconds.
        p90_ns: u64,
        /// What was allowed.
        allowed_ns: u64,
    },
    /// A worker was hardly ever at leisure: whenever it looked, something had happened already.
    CpuBound {
        /// Which worker.
        worker: u32,
        /// Share of the window in which it had something to do, in wall time, 0 to 1: a worker that a quota
        /// throttles is as late as one that computes.
        busy: f64,
        /// What was allowed.
        allowed: f64,
    },
    /// Closed loop: connections differ from throughput times mean time in use (Little's law).
    LittlesLaw {
        /// Connections in use on average, from a ledger of the time in which they were not: thinking,
        /// connecting, closing, or carrying an exchange that was not answered.
        expected: f64,
        /// Throughput times mean service time, from the recorder.
        found: f64,
    },
    /// Local ports ran out, or would have.
    Ports {
        /// Connections that failed for want of a port.
        exhausted: u64,
        /// Connections opened in the window.
        opened: u64,
        /// Ports in the ephemeral range.
        available: u64,
    },
    /// Open loop: fewer requests were sent than were planned, so what was offered is not the load that was asked for,
    /// and the latencies are of those alone that were sent.
    NotOffered {
        /// Planned.
        intended: u64,
        /// Never sent.
        unsent: u64,
        /// Of those, for which a connection stood free: the generator fell behind. The others found every connection
        /// busy or failing until the end.
        behind: u64,
        /// Connections that there were in the end.
        connections: u64,
    },
    /// File descriptors ran out.
    Descriptors {
        /// Connections that failed for want of one.
        exhausted: u64,
    },
}

/// Which self-check a [`Check`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// 90th percentile of the send delay of the generator's own making, in nanoseconds.
    SendDelay,
    /// 99th percentile of the same. Of no consequence but for the tail of latencies and their mean, so that it is no
    /// finding.
    SendDelayTail,
    /// Share of the intended requests that were left unsent (open loops that queue).
    Unsent,
    /// Largest share of the window in which a worker had something to do.
    AtWork,
    /// Stretches in which a worker did not look at its sockets: 99.9th percentile over time, in nanoseconds. Of no
    /// consequence but for the tail of latencies, so that it is no finding.
    Hiccups,
    /// Connections unaccounted for, as a share of all (closed loops).
    LittlesLaw,
    /// Connections that found no local port.
    Ports,
    /// Connections that found no file descriptor.
    Descriptors,
}

/// A self-check with its figure, passed or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Which.
    pub kind: CheckKind,
    /// What was found; `None` when there was too little to tell, or the check does not apply.
    pub found: Option<f64>,
    /// What is allowed.
    pub allowed: f64,
}

/// The first answer of each bad kind, for a person to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAnswer {
    /// The outcome.
    pub outcome: Outcome,
    /// Which entry of the mix asked.
    pub mix_entry: usize,
    /// What was wrong, in a sentence: "status 503, expected 200 to 399".
    pub what: String,
    /// Up to 4 KiB of what was received, raw. Redacting is the reader's duty.
    pub received: Vec<u8>,
}

/// How many connections a load had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionUse {
    /// With how many it began.
    pub began: u32,
    /// The most that there were at once: those it began with, and those that were opened for want of a free one.
    pub peak: u32,
    /// How many there might have been.
    pub most: u32,
}

/// What the generator spent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeneratorUse {
    /// CPU time of all workers within the window, user and system.
    pub cpu_ns: u64,
    /// CPU time over wall time of each worker in the window, 0 to 1.
    pub busy: Vec<f64>,
    /// Peak resident memory of the process.
    pub peak_rss_bytes: u64,
    /// Worker threads.
    pub threads: u32,
    /// How late each worker began its first exchange, after the instant at which it was intended; `None` for one that
    /// began none.
    pub start_error_ns: Vec<Option<u64>>,
    /// Name of the driver that carried it: `epoll`, `io_uring`.
    pub driver: &'static str,
}

/// One load, carried out.
#[derive(Clone, Debug)]
pub struct LoadResult {
    /// Merged over workers.
    pub snapshot: Snapshot,
    /// Answered per interval of 1 s from the window's start, for a series.
    pub per_second: Vec<u64>,
    /// Response times of what was answered in each second, for a curve; `None` where nothing was, and where the
    /// machine was so late that a second could not be told from the next. Kept for the first day of a window.
    pub quantiles_per_second: Vec<Option<SecondQuantiles>>,
    /// How many connections there were.
    pub connections: ConnectionUse,
    /// What the generator spent.
    pub generator: GeneratorUse,
    /// Failed self-checks; empty means fit.
    pub findings: Vec<Finding>,
    /// Every self-check with its figure.
    pub checks: Vec<Check>,
    /// What TLS handshakes settled on, each kind once, sorted. How many there were and how long they took stands in
    /// the snapshot.
    pub negotiated: Vec<Negotiated>,
    /// The first bad answer of each outcome.
    pub bad_answers: Vec<BadAnswer>,
    /// Whether it was stopped before its extent.
    pub stopped_early: bool,
    /// `CLOCK_MONOTONIC` instant of the window's start (also in `snapshot.window`).
    pub window_start_ns: u64,
}

/// Shared with whoever watches: counters that workers update at most every 100 ms, and the stop switch.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set it to end the load early; workers look at each turn.
    pub stop: AtomicBool,
    /// Exchanges answered so far, all workers.
    pub answered: AtomicU64,
    /// Exchanges that ended otherwise so far.
    pub failed: AtomicU64,
    /// Of the last whole second, all workers merged: the median and the 99th percentile of response time, in ns, and
    /// answers per second. 0 before there is one, and with several loads at once.
    pub p50_ns: AtomicU64,
    /// See above.
    pub p99_ns: AtomicU64,
    /// See above.
    pub throughput_per_s: AtomicU64,
    /// Monotonic time at which the window begins; 0 until the workers have agreed on it.
    pub window_start_ns: AtomicU64,
}
