//! The plan of a load.

use crate::Target;
use crate::feed::Feed;
use crate::journey::Journeys;
use crate::load::Profile;
use crate::reading::{Capture, Requirement};
use crate::target::Tls;
use proofload_wire::Credentials;
use proofload_wire::Request;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Way in which requests are sent, beside their content; the default sends each request as it is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Asking {
    /// Values for requests with places to fill.
    pub feed: Feed,
    /// True if each connection keeps cookies, over all its reconnects, and sends them back. Requests need a place for
    /// them.
    pub cookies: bool,
    /// Local addresses that connections leave from, in turn; empty leaves the choice to the kernel.
    pub bind: Vec<IpAddr>,
    /// The named part of the load that each entry of the mix belongs to, by its index, and behind them each journey; entries of
    /// one name have one. Empty where nothing is told apart, which costs nothing.
    pub parts: Vec<u32>,
    /// TLS with other origins that redirects lead to, where the exchange's own server has none; the name is the origin's.
    /// Without it no redirect from such a server to `https` is followed.
    pub elsewhere_tls: Option<Arc<Tls>>,
    /// Values that the answers to each entry of the mix leave with the user; empty where there are none.
    pub captures: Vec<Vec<Capture>>,
    /// Journeys of users; the entries of the mix are their steps then.
    pub journeys: Option<Arc<Journeys>>,
}

impl Asking {
    /// Number of named parts.
    pub fn part_count(&self) -> usize {
        self.parts.iter().map(|part| *part as usize + 1).max().unwrap_or(0)
    }
}

/// Treatment of redirects; by default the first answer is the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Follow {
    /// Most redirects that one exchange follows; 0 follows none.
    pub most: u32,
    /// The request as a GET without a body, and the same as the last of its connection, where a redirect may ask for it;
    /// without them the request stays what it is.
    pub as_get: Option<[Arc<Request>; 2]>,
    /// The requests for other origins, without credentials, each with the same as the last of its connection: as it is, and as
    /// a GET. `None` where they are the same.
    pub elsewhere: Option<[[Arc<Request>; 2]; 2]>,
}

/// Conditions for an answer to count as answered.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Expect {
    /// One of these codes; without any one that is good in its protocol (of HTTP 200 to 399).
    pub status: Vec<RangeInclusive<u16>>,
    /// Length of the body as it came, in bytes.
    pub bytes: Option<RangeInclusive<u64>>,
    /// Longest response time, in nanoseconds.
    pub within_ns: Option<u64>,
    /// The body, without its content coding, contains each of these texts within its first `Request::keep_body` bytes.
    pub text: Vec<Vec<u8>>,
    /// It contains none of these. In a longer body nobody knows.
    pub no_text: Vec<Vec<u8>>,
    /// Values of the answer.
    pub values: Vec<Requirement>,
    /// JSON Schema of the body.
    pub schema: Option<String>,
}

impl Expect {
    /// Texts that must be in a body, and those that must not.
    pub fn texts(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.text.iter().chain(&self.no_text)
    }
}

/// One kind of request in the mix.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct MixEntry {
    /// Its share of the mix is `weight` over the sum of weights. At least 1.
    pub weight: u32,
    /// Index into [`LoadPlan::targets`].
    pub target: usize,
    pub request: Arc<Request>,
    /// The same request as the last of its connection (of HTTP with `Connection: close`), for keep-alive off and the
    /// last of N per connection.
    pub closing_request: Arc<Request>,
    pub expect: Expect,
    /// Treatment of redirects.
    pub follow: Follow,
    /// User and password for Digest, where the server asks for it (RFC 7616); needs a place in the request.
    pub digest: Option<Arc<Credentials>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum KeepAlive {
    /// As long as the peer allows.
    On,
    /// A new connection for each exchange.
    Off,
    /// This many exchanges for each connection. At least 1.
    Every(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Extent {
    /// After this many nanoseconds of measuring (the discarded stretch comes before).
    DurationNs(u64),
    /// After this many requests (and at the latest after `cap_ns`).
    Requests {
        /// Number of requests, over all workers.
        count: u64,
        /// Upper bound of the time it may take.
        cap_ns: u64,
    },
}

impl Extent {
    /// Its longest duration.
    pub fn longest_ns(&self) -> u64 {
        match *self {
            Extent::DurationNs(ns) => ns,
            Extent::Requests { cap_ns, .. } => cap_ns,
        }
    }
}

/// Treatment of a request of an open loop that is due while no connection is free, and none can be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Overflow {
    /// It waits for a connection and keeps its intended time.
    #[default]
    Queue,
    /// It is not sent: it counts as unsent, and as dropped.
    Drop,
}

/// Behaviour of an open loop when a request is due and no connection is free. The default waits for one of the existing
/// connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Shortage {
    /// Treatment of the request once the number of connections has reached its limit.
    pub overflow: Overflow,
    /// Connections that there may be in the end, over all workers; more are opened while requests that are due find
    /// none free. `None` is as many as [`LoadPlan::connections`]; never fewer than those.
    pub most_connections: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Timeouts {
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
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct LoadPlan {
    pub targets: Vec<Target>,
    /// The requests, at least one entry.
    pub mix: Vec<MixEntry>,
    pub profile: Profile,
    /// Connections over all workers. Each worker needs one for each target.
    pub connections: u32,
    /// Exchanges that each connection carries at once, at least 1; more than one where the protocol of every target
    /// allows it and connections are kept.
    pub in_flight: u32,
    pub keep_alive: KeepAlive,
    pub timeouts: Timeouts,
    /// Load before the window that is discarded.
    pub discard_ns: u64,
    pub extent: Extent,
    /// Wait after issuing ends for exchanges in flight, and for those that are due and wait for a free connection;
    /// longer if an earlier answer took longer, namely as long as that. The remaining ones are `unanswered`, or
    /// `unsent` if they never left.
    pub drain_ns: u64,
    /// Threads, at least 1; each is share k of `workers` of one striped timetable.
    pub workers: u32,
    /// CPUs that are the workers' own, to pin them to in turn; empty pins none. With raised priority, pinned workers
    /// run before anything else on those CPUs, where this process may ask for it.
    pub cpus: Vec<usize>,
    /// Seed of everything random.
    pub seed: u64,
    /// This load is share `.0` of `.1` equal ones; `(0, 1)` is the whole.
    pub share: (u32, u32),
    pub asking: Asking,
    /// Behaviour when there are too few connections; for open loops only, the default for others.
    pub shortage: Shortage,
    /// Driver that carries the bytes. Loads that are carried out together have the same.
    pub driver: DriverChoice,
    /// Settings of the generator.
    pub settings: GeneratorSettings,
}

/// Settings of a generator on which nothing of the load depends. A server that shares the machine with it may be faster
/// or slower for it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct GeneratorSettings {
    /// Most things that a worker takes from the kernel at once, 1 to [`GeneratorSettings::EVENTS_MAX`].
    pub events: u32,
    /// Instant at which the next request leaves on a connection whose answer has come.
    pub answers: Answers,
    /// True if pinned workers run before anything else on their CPUs.
    pub raised_priority: bool,
    /// Order in which connections send their first requests.
    pub connections: ConnectionOrder,
}

impl GeneratorSettings {
    /// Most events taken at once by default: at some 4 µs each a due send is at most a quarter of a millisecond late.
    pub const EVENTS: u32 = 64;
    /// Most events that may be taken at once.
    pub const EVENTS_MAX: u32 = 4096;
}

impl Default for GeneratorSettings {
    fn default() -> Self {
        GeneratorSettings {
            events: GeneratorSettings::EVENTS,
            answers: Answers::OneByOne,
            raised_priority: true,
            connections: ConnectionOrder::Numbered,
        }
    }
}

/// Instant at which the next request leaves on a connection whose answer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Answers {
    /// At once, before the next answer is read.
    #[default]
    OneByOne,
    /// After all answers that came at once were read.
    Together,
}

/// Order in which the connections of a load send their first requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum ConnectionOrder {
    #[default]
    Numbered,
    /// Any other, from the seed.
    Shuffled,
}

impl LoadPlan {
    /// Connections that there may be at once, over all workers.
    pub fn most_connections(&self) -> u32 {
        self.shortage.most_connections.unwrap_or(self.connections).max(self.connections)
    }

    /// Choices of the profile: entries of the mix, each with its weight and target, or journeys. Journeys are numbered behind
    /// the entries, and the target of all of them is the first.
    pub(crate) fn choices(&self) -> Vec<(usize, u32, usize)> {
        match &self.asking.journeys {
            None => (0..).zip(&self.mix).map(|(at, entry)| (at, entry.weight, entry.target)).collect(),
            Some(journeys) => {
                let numbered = (self.mix.len()..).zip(&journeys.journeys);
                numbered.map(|(at, journey)| (at, journey.weight, 0)).collect()
            }
        }
    }

    /// True if throughput is of the users who arrive in the window, whose journeys may last longer than it does.
    pub(crate) fn counts_cohorts(&self) -> bool {
        self.asking.journeys.is_some() && !self.profile.is_closed()
    }

    /// Time for which users go on to arrive behind the window, and do not count: those who do finish their journeys beside
    /// them, as they would in a longer load.
    pub(crate) fn tail_ns(&self) -> u64 {
        let keeps_on =
            matches!(self.profile, Profile::Open { .. }) && matches!(self.extent, Extent::DurationNs(_));
        self.asking.journeys.as_ref().filter(|_| keeps_on).map_or(0, |journeys| journeys.pauses_ns)
    }

    /// True if connections are opened before the load begins. Those of users are opened by their first requests.
    pub(crate) fn opens_ahead(&self) -> bool {
        self.profile.opens_ahead() && self.asking.journeys.is_none()
    }

    /// Bytes of its bodies that are read while they are sent, each counted once.
    pub fn streamed_bytes(&self) -> u64 {
        self.mix.iter().map(|entry| entry.request.places.streamed_bytes()).sum()
    }
}

/// The kernel's interface that carries the bytes of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum DriverChoice {
    /// epoll: on every Linux that can run the engine.
    #[default]
    Epoll,
    /// io_uring with multishot receives into provided buffers: Linux 6.1 or later, where it is not forbidden.
    IoUring,
}

impl DriverChoice {
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
