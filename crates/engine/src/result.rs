//! Result of a load, and the values that can be watched while it lasts.

use crate::target::{Address, Negotiated, Target};
use proofload_measure::{Outcome, SecondQuantiles, Silences, Snapshot};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Problem, or near-problem, of the generator itself. Any of these makes the result client-limited.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Sends left late: the 90th percentile of the delay between intended and sent that the generator itself caused.
    SendDelay {
        /// 90th percentile in nanoseconds.
        p90_ns: u64,
        allowed_ns: u64,
    },
    /// A worker was hardly ever idle: whenever it polled, something had happened already.
    CpuBound {
        worker: u32,
        /// Share of the window in which it had something to do, in wall time, 0 to 1: a worker that a quota
        /// throttles is as late as one that computes.
        busy: f64,
        allowed: f64,
    },
    /// A worker was kept from waking: its waits took longer than they asked for.
    Away {
        worker: u32,
        /// Share of the window, 0 to 1.
        share: f64,
        allowed: f64,
    },
    /// Closed loop: connections differ from throughput times mean time in use (Little's law).
    LittlesLaw {
        /// Connections in use on average, from the time in which they were not: thinking,
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
    /// Open loop: the generator left planned requests unsent for which a connection was free, so what was offered is not
    /// the load that was asked for. Those that found every connection busy or failing are not among them: these are the
    /// server's doing.
    NotOffered {
        intended: u64,
        /// Left unsent though a connection was free.
        behind: u64,
    },
    /// One of several processes was lost, and the rest of its share was not sent.
    AgentLost {
        agent: String,
        /// Time, in nanoseconds, for which it had reported its part of the window; `None` if it was lost before the
        /// load.
        told_ns: Option<u64>,
        /// Part of the intended load that all together offered, 0 to 1.
        offered: f64,
    },
    Descriptors {
        /// Connections that failed for want of one.
        exhausted: u64,
    },
    /// Answers exceeded a limit of what is read.
    BeyondLimit {
        /// Exchanges with such an answer.
        exchanges: u64,
    },
}

/// Kind of a self-check ([`Check`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// 90th percentile of the send delay of the generator's own making, in nanoseconds.
    SendDelay,
    /// Share of the intended requests that were left unsent though a connection was free (open loops).
    Unsent,
    /// Largest share of the window in which a worker had something to do.
    AtWork,
    /// Largest share of the window in which a worker was kept from waking.
    Away,
    /// Lengthening of the mean response time by the generator's own delays, as a share. Of no consequence for other
    /// figures, so it is not a finding; nor are the next two.
    LengthenedMean,
    /// The same of the 99th percentile.
    LengthenedP99,
    /// The same of the 99.9th percentile.
    LengthenedP999,
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
    pub kind: CheckKind,
    /// Measured value; `None` if there was too little to tell, or the check does not apply.
    pub found: Option<f64>,
    pub allowed: f64,
}

/// The first answer of a bad kind, for a person to read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct BadAnswer {
    pub outcome: Outcome,
    /// Mix entry of the request.
    pub mix_entry: usize,
    /// The named part of the load that it belongs to; the entry where nothing is told apart.
    pub part: usize,
    /// Problem, in a sentence: "status 503, expected 200 to 399".
    pub what: String,
    /// Up to 4 KiB of the received bytes, raw. Redacting is the reader's duty.
    pub received: Vec<u8>,
    /// Values of tables in the request, as they were sent. They may be a user's own, and are to be hidden as well.
    pub rows: Option<Vec<Vec<u8>>>,
    /// Values that the user had captured, with their names. Those of credentials are to be hidden as well.
    pub captured: Vec<(String, Vec<u8>)>,
}

/// Connections that the peer ended without announcing it, after whole exchanges on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct EndedByPeer {
    pub connections: u64,
    /// Fewest and most exchanges that one of them had carried; 0 without any.
    pub fewest: u32,
    pub most: u32,
}

impl EndedByPeer {
    pub(crate) fn add(&mut self, other: EndedByPeer) {
        if other.connections > 0 {
            let none = self.connections == 0;
            self.fewest = if none { other.fewest } else { self.fewest.min(other.fewest) };
            self.most = self.most.max(other.most);
            self.connections += other.connections;
        }
    }
}

/// Numbers of connections of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionUse {
    /// Number with which it began.
    pub began: u32,
    /// The most that there were at once: those it began with, and those that were opened for want of a free one.
    pub peak: u32,
    /// Limit on connections.
    pub most: u32,
    pub ended_by_peer: EndedByPeer,
}

/// Counts of connections to one address, from the first dial on: before the window as well.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct AddressUse {
    pub address: Address,
    /// Connections that it accepted.
    pub connections: u64,
    /// Dials that it refused.
    pub refused: u64,
    /// Dials that it left without an answer for as long as they were waited for.
    pub timed_out: u64,
    /// Dials that failed otherwise: it is unreachable, or no local port was left.
    pub failed: u64,
    /// Exchanges that ended on its connections, and the requests within them that a redirect or a challenge followed.
    pub exchanges: u64,
}

impl AddressUse {
    /// Of an address that was not dialed.
    pub(crate) fn of(address: Address) -> Self {
        AddressUse { address, connections: 0, refused: 0, timed_out: 0, failed: 0, exchanges: 0 }
    }

    fn failures(&self) -> u64 {
        self.refused + self.timed_out + self.failed
    }

    /// Leaves out the address that was the only one dialed of its server, and always accepted: there is nothing to tell.
    pub(crate) fn retain_told(all: &mut Vec<AddressUse>, targets: &[Target]) {
        all.retain(|one| one.connections + one.failures() > 0);
        let is_of = |target: &Target, one: &AddressUse| target.addresses.iter().any(|at| *at == one.address);
        let has_several = |target: &&Target| all.iter().filter(|one| is_of(target, one)).count() > 1;
        let several: Vec<&Target> = targets.iter().filter(has_several).collect();
        all.retain(|one| one.failures() > 0 || several.iter().any(|target| is_of(target, one)));
    }

    /// Adds counts to those of the same addresses.
    pub(crate) fn add_all(sums: &mut Vec<AddressUse>, more: Vec<AddressUse>) {
        for one in more {
            match sums.iter_mut().find(|sum| sum.address == one.address) {
                Some(sum) => {
                    sum.connections += one.connections;
                    sum.refused += one.refused;
                    sum.timed_out += one.timed_out;
                    sum.failed += one.failed;
                    sum.exchanges += one.exchanges;
                }
                None => sums.push(one),
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeneratorUse {
    /// CPU time of all workers within the window, user and system.
    pub cpu_ns: u64,
    /// CPU time over wall time of each worker in the window, 0 to 1.
    pub busy: Vec<f64>,
    /// Peak resident memory of the process; of several the sum.
    pub peak_rss_bytes: u64,
    pub threads: u32,
    /// Delay of each worker's first exchange after its intended instant; `None` for one that began none.
    pub start_error_ns: Vec<Option<u64>>,
    /// Name of the driver that carried it: `epoll`, `io_uring`.
    pub driver: &'static str,
    /// The processes that carried it out together; `None` for this one alone.
    pub agents: Option<AgentsUse>,
}

/// Several processes that carried out a load together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentsUse {
    pub count: u32,
    /// Uncertainty of each clock, and so of the common first instant: half the shortest round trip of the slowest. For
    /// a load of 10 s or more also the drift of their clocks until its end.
    pub clocks_within_ns: u64,
    /// Number that were lost before they had carried out their share.
    pub lost: u32,
    /// Exchanges that those are taken to have left out: each of them would have had as many as each of the others.
    pub not_offered: u64,
}

#[derive(Clone, Debug)]
pub struct LoadResult {
    pub snapshot: Snapshot,
    /// Answered per interval of 1 s from the window's start, for a series.
    pub per_second: Vec<u64>,
    /// Response times of what was answered in each second, for a curve; `None` where nothing was, and where the
    /// machine was so late that a second could not be separated from the next. Kept for the first day of a window.
    pub quantiles_per_second: Vec<Option<SecondQuantiles>>,
    /// Of a closed loop without think time: the stretches without an answer. `None` for other loads, and where nothing was
    /// answered.
    pub silences: Option<Silences>,
    pub connections: ConnectionUse,
    /// Addresses of targets that were dialed at more than one, and those that failed a dial.
    pub addresses: Vec<AddressUse>,
    pub generator: GeneratorUse,
    /// Failed self-checks; empty means fit.
    pub findings: Vec<Finding>,
    /// Every self-check with its figure.
    pub checks: Vec<Check>,
    /// Parameters that TLS handshakes agreed on, each kind once, sorted. Their number and duration are in the snapshot.
    pub negotiated: Vec<Negotiated>,
    /// Redirects that exchanges intended within the window followed to other origins, by the URL of each, sorted.
    pub elsewhere: Vec<(String, u64)>,
    /// The first bad answer of each outcome, of each named part where there are any.
    pub bad_answers: Vec<BadAnswer>,
    /// True if it was stopped before its extent.
    pub stopped_early: bool,
    /// `CLOCK_MONOTONIC` instant of the window's start (also in `snapshot.window`).
    pub window_start_ns: u64,
}

/// Shared with observers: counters that workers update at most every 100 ms, and the stop switch.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set it to end the load early; workers check it after each poll.
    pub stop: AtomicBool,
    /// Set it before `stop` to wait for nothing that is in flight: the result is not wanted.
    pub abandoned: AtomicBool,
    /// Exchanges answered so far, all workers.
    pub answered: AtomicU64,
    /// Exchanges that ended otherwise so far.
    pub failed: AtomicU64,
    /// Of the last whole second, all workers merged: the median and the 99th percentile of response time, in ns, and
    /// answers per second. 0 before there is one, and with several loads at once.
    pub p50_ns: AtomicU64,
    pub p99_ns: AtomicU64,
    pub throughput_per_s: AtomicU64,
    /// Monotonic time at which the window begins; 0 until the workers have agreed on it.
    pub window_start_ns: AtomicU64,
}
