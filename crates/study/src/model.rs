//! A checked study.

use super::conditions::Conditions;
use super::encode;
use super::expectations::{ExpectedRow, Reference};
use super::mode::Mode;
use super::places::StudyPlaces;
use super::protocol::Speaks;
use super::request::Shown;
use super::shape::LoadPoint;
use super::transport::Passage;
use proofload_facts::Mistake;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use proofload_engine::journey::{self, Journey};
use proofload_engine::reading::Capture;
use proofload_engine::transport::Proxy;
use proofload_engine::{Addresses, Asking, Expect, MixEntry, Timeouts};
use proofload_stats::capacity::Slo;
use proofload_stats::{Claim, Names};
use proofload_wire::Call;
use proofload_wire::http1::{Credentials, RequestSpec, Template};

#[derive(Clone, Debug)]
pub struct Study {
    /// Name; also the folder of its runs.
    pub name: String,
    /// The question in a sentence.
    pub question: String,
    /// All variants, in declared order (the product of all factors of a subject; subjects one after the
    /// other).
    pub variants: Vec<Variant>,
    /// The mix; with streams the mixes of all of them, one after the other; with journeys the requests of their steps.
    pub workload: Vec<WorkloadEntry>,
    /// Journeys of users, where there are any: the load is of users then.
    pub journeys: Option<Journeys>,
    /// Values that requests are filled with.
    pub asking: Asking,
    /// Several loads that run at once; empty without them.
    pub streams: Vec<Stream>,
    /// Load points, in declared order; of a search for a capacity its lowest rate alone.
    pub points: Vec<LoadPoint>,
    /// The capacity that is searched, where the load is that.
    pub capacity: Option<CapacityLoad>,
    pub timeouts: Timeouts,
    /// Order of measuring the variants; `None` when the study leaves it open.
    pub mode: Option<Mode>,
    /// Conditions of the load generator that Proofload chooses.
    pub conditions: Conditions,
    /// Machines of servers and agents, when the study names them.
    pub places: Option<StudyPlaces>,
    /// Seed of everything random, when the study fixes one.
    pub seed: Option<u64>,
    /// Parts left out: excluded combinations, and those dropped by the `quick:` block and `--only`, a sentence each.
    pub not_tested: Vec<proofload_facts::Finding>,
    /// Claims at definite load points.
    pub claims: Vec<Claim>,
    /// Names and texts of the claims as declared, in order.
    pub declared_claims: Vec<(String, String)>,
    /// Ranges that were given beforehand, as declared.
    pub expectations: Vec<ExpectedRow>,
    /// Published figures, shown beside those found.
    pub references: Vec<Reference>,
    /// Names of variants and points in claims; indexes agree with `variants` and `points`.
    pub names: Names,
    /// File of the study; `None` for a study made from the command line.
    pub path: Option<PathBuf>,
    /// The files that it names, itself apart: what it includes, what requests are made of, recorded arrivals, certificates and
    /// their keys. What its commands name is not among them.
    pub files: BTreeSet<PathBuf>,
    /// The study in effect, credentials redacted: the file as it was read, or what came of it with what it
    /// includes and what was set. Empty for a study made from the command line.
    pub text: String,
    /// Settings from the command line, `key=value`, credentials redacted.
    pub settings: Vec<String>,
    /// Selection by `--only`, as it was given.
    pub only: Vec<String>,
    /// True if its claims are only about which server is faster: either is an answer, and so is that they are alike.
    pub two_sided: bool,
}

impl Study {
    /// TLS, proxy and protocol of connections: those to subjects, then those to the other servers of the workload.
    pub fn passages(&self) -> impl Iterator<Item = &Passage> {
        let others = self.workload.iter().filter_map(|entry| Some(&entry.at.as_ref()?.passage));
        self.variants.iter().map(|variant| &variant.passage).chain(others)
    }
}

#[derive(Clone, Debug)]
pub struct Variant {
    pub name: String,
    /// Factor and level pairs, in order.
    pub levels: Vec<(String, String)>,
    /// The subject to start.
    pub subject: SubjectSpec,
    /// Name of the subject whose one process all its variants share (`shared: true`).
    pub shares: Option<String>,
    /// Memory set by its parameters; 0 when they set none.
    pub memory_bytes: u64,
    /// True if the catalogue declares that it needs a JDK.
    pub jvm: bool,
    /// TLS, proxy and protocol of its connections.
    pub passage: Passage,
}

/// A subject as the study declares it, all parameters of this variant filled in.
#[derive(Clone, Debug, PartialEq)]
pub enum SubjectSpec {
    /// `use:` a folder of the catalogue.
    Catalogue {
        folder: String,
        /// Parameters, `with:` overlaid by this variant's levels. Checked against the folder's declaration.
        with: BTreeMap<String, String>,
    },
    /// `command:` a list of arguments; `{port}` is the port that Proofload chose.
    Command {
        args: Vec<String>,
        /// Port it listens on; `None` lets Proofload choose one and needs `{port}` in `args` or `env`.
        port: Option<u16>,
        env: BTreeMap<String, String>,
        /// Working directory; that of the study file by default.
        directory: Option<PathBuf>,
        /// Longest time to get ready.
        ready_within_ns: u64,
        /// Most memory of it and all below it before it is killed; `None` leaves it most of what is available.
        memory_max_bytes: Option<u64>,
    },
    /// `url:` something that already runs.
    Url {
        address: Addresses,
        /// `host:port` as written; `localhost` for a Unix socket.
        authority: String,
    },
}

/// One entry of the mix.
#[derive(Clone, Debug)]
pub struct WorkloadEntry {
    /// Its name in the study.
    pub name: String,
    /// Share in the mix.
    pub weight: u32,
    /// The request; the authority is filled in when the subject's port is known. For a call over HTTP, what HTTP needs
    /// beside it.
    pub request: RequestSpec,
    /// The method that is called, where it is that.
    pub call: Option<Call>,
    /// Condition that the answer must meet.
    pub expect: Expect,
    /// Most redirects that are followed.
    pub follow: u32,
    /// Parts that change with each exchange.
    pub template: Template,
    /// Who answers the server's challenge (Digest).
    pub digest: Option<Arc<Credentials>>,
    /// The request as it is shown.
    pub shown: Shown,
    /// Another server than the subject, to which this is sent.
    pub at: Option<Server>,
    /// Values of the answer that later steps of a journey use.
    pub captures: Vec<Capture>,
}

/// A server that runs.
#[derive(Clone, Debug)]
pub struct Server {
    pub address: Addresses,
    /// `host:port` as written; `localhost` for a Unix socket.
    pub authority: String,
    pub passage: Passage,
}

/// One of several loads that run at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    pub name: String,
    /// Its entries: places in [`Study::workload`].
    pub entries: std::ops::Range<usize>,
}

impl WorkloadEntry {
    /// The entry as the engine sends it, to a target of the plan.
    ///
    /// # Errors
    /// An authority that no request can have.
    pub fn encode(
        &self,
        target: usize,
        authority: &str,
        speaks: &Speaks,
        proxy: Option<&Proxy>,
    ) -> Result<MixEntry, Mistake> {
        let WorkloadEntry { weight, follow, .. } = *self;
        let (request, template, expect) = (&self.request, &self.template, &self.expect);
        let (call, digest) = (self.call.as_ref(), self.digest.as_ref());
        let entry = encode::Entry { weight, request, call, template, expect, follow, digest };
        entry.encode(target, authority, speaks, proxy)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CapacityLoad {
    pub slo: Slo,
    /// Lowest rate that is tried, per second.
    pub from_per_s: f64,
    pub to_per_s: f64,
    /// Measured window of a trial; set by the preset if there is none.
    pub trial_ns: Option<u64>,
}

/// Longest wait for users to end: an hour.
const DRAIN_MAX_NS: u64 = 3_600_000_000_000;

/// Journeys as a study declares them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journeys {
    /// Names, in the order of the programs.
    pub names: Vec<String>,
    pub programs: Vec<Journey>,
    /// The steps of each, in a line: `login, pause 1s, 3 times (items, cart)`.
    pub lines: Vec<String>,
    /// Names of the steps that send a request, each once.
    pub steps: Vec<String>,
    /// Number of entries of the workload that are steps of journeys; those behind them are of `around`.
    pub entries: usize,
    /// Steps before the first load on a server that was started, and after the last: what the first leave is given to all users.
    pub around: [Option<Journey>; 2],
    /// Longest time that a user waits by his own will, over the journeys: the mean of all pauses, in nanoseconds.
    pub pauses_ns: u64,
}

impl Journeys {
    /// Time after which a user who is not done counts as stuck: his pauses, which may be several times as long as their
    /// mean, and an answer that never comes.
    pub fn longest_ns(&self, timeouts: &Timeouts) -> u64 {
        const OF_PAUSES: u64 = 4;
        let longest_ns = self.pauses_ns.saturating_mul(OF_PAUSES).saturating_add(timeouts.response_ns);
        longest_ns.min(DRAIN_MAX_NS)
    }

    /// For the engine; users have so many variables.
    pub(crate) fn program(&self, variables: usize) -> journey::Journeys {
        journey::Journeys {
            journeys: self.programs.clone(),
            variables,
            pauses_ns: self.pauses_ns,
            given: Vec::new(),
        }
    }
}
