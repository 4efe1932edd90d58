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

use proofload_engine::{Address, Asking, Expect, MixEntry, Timeouts};
use proofload_stats::capacity::Slo;
use proofload_stats::{Claim, Names};
use proofload_wire::Call;
use proofload_wire::http1::{RequestSpec, Template};

#[derive(Clone, Debug)]
pub struct Study {
    /// Name; also the folder of its runs.
    pub name: String,
    /// The question in a sentence.
    pub question: String,
    /// All variants, in declared order (the product of all factors of a subject; subjects one after the
    /// other).
    pub variants: Vec<Variant>,
    /// The mix; with streams the mixes of all of them, one after the other.
    pub workload: Vec<WorkloadEntry>,
    /// How requests are asked: what they are filled with.
    pub asking: Asking,
    /// Several loads that run at once; empty without them.
    pub streams: Vec<Stream>,
    /// Load points, in declared order; of a search for a capacity its lowest rate alone.
    pub points: Vec<LoadPoint>,
    /// The capacity that is searched, where the load is that.
    pub capacity: Option<CapacityLoad>,
    pub timeouts: Timeouts,
    /// How the variants take turns, when the study says so.
    pub mode: Option<Mode>,
    /// What Proofload chooses about its own manner of asking.
    pub conditions: Conditions,
    /// Where it runs, when the study says so.
    pub places: Option<StudyPlaces>,
    /// Seed of everything random, when the study fixes one.
    pub seed: Option<u64>,
    /// What is left out: excluded combinations, and what the `quick:` block and `--only` drop, a sentence each.
    pub not_tested: Vec<proofload_facts::Finding>,
    /// Claims at definite load points.
    pub claims: Vec<Claim>,
    /// Names and texts of the claims as declared, in order.
    pub declared_claims: Vec<(String, String)>,
    /// Ranges that were said beforehand, as declared.
    pub expectations: Vec<ExpectedRow>,
    /// Published figures, shown beside those found.
    pub references: Vec<Reference>,
    /// How claims name variants and points; indexes agree with `variants` and `points`.
    pub names: Names,
    /// Where it was read from; `None` for a study made from the command line.
    pub path: Option<PathBuf>,
    /// The files that it names, itself apart: what it includes, what requests are made of, recorded arrivals, certificates and
    /// their keys. What its commands name is not among them.
    pub files: BTreeSet<PathBuf>,
    /// The study in effect, credentials redacted: the file as it was read, or what came of it with what it
    /// includes and what was set. Empty for a study made from the command line.
    pub text: String,
    /// What was set on the command line, `key=value`, credentials redacted.
    pub settings: Vec<String>,
    /// What `--only` kept, as it was given.
    pub only: Vec<String>,
    /// Whether its claims only ask which server is the faster one: either is an answer, and that they are alike is one.
    pub two_sided: bool,
}

impl Study {
    /// What connections pass through: those to subjects, then those to other servers that are asked.
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
    /// What is to be started.
    pub subject: SubjectSpec,
    /// Name of the subject whose one process all its variants share (`shared: true`).
    pub shares: Option<String>,
    /// Memory that its parameters ask for; 0 when they say nothing.
    pub memory_bytes: u64,
    /// Whether the catalogue says that it needs a JDK.
    pub jvm: bool,
    /// What connections to it pass through.
    pub passage: Passage,
}

/// A subject as the study asks for it, all parameters of this variant filled in.
#[derive(Clone, Debug, PartialEq)]
pub enum SubjectSpec {
    /// `use:` a folder of the catalogue.
    Catalogue {
        folder: String,
        /// Parameters, `with:` overlaid by this variant's levels. Checked against the folder's declaration.
        with: BTreeMap<String, String>,
    },
    /// `command:` a list of arguments; `{port}` stands for the port that Proofload chose.
    Command {
        args: Vec<String>,
        /// Port it listens on; `None` lets Proofload choose one and needs `{port}` in `args` or `env`.
        port: Option<u16>,
        env: BTreeMap<String, String>,
        /// Working directory; that of the study file by default.
        directory: Option<PathBuf>,
        /// How long it may take to get ready.
        ready_within_ns: u64,
        /// Most memory of it and all below it before it is killed; `None` leaves it most of what is available.
        memory_max_bytes: Option<u64>,
    },
    /// `url:` something that already runs.
    Url {
        address: Address,
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
    /// What is asked; the authority is filled in when the subject's port is known. Of a call what HTTP needs beside it,
    /// where HTTP carries it.
    pub request: RequestSpec,
    /// The method that is called, where it is that.
    pub call: Option<Call>,
    /// What the answer must be.
    pub expect: Expect,
    /// Most redirects that are followed within the server.
    pub follow: u32,
    /// What changes with each exchange.
    pub template: Template,
    /// How the request is shown.
    pub shown: Shown,
    /// Another server than the subject, which this is asked of.
    pub at: Option<Server>,
}

/// A server that runs.
#[derive(Clone, Debug)]
pub struct Server {
    pub address: Address,
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
    /// When the authority makes no request.
    pub fn encode(&self, target: usize, authority: &str, speaks: &Speaks) -> Result<MixEntry, Mistake> {
        let WorkloadEntry { weight, follow, .. } = *self;
        let (request, template, expect) = (&self.request, &self.template, &self.expect);
        let call = self.call.as_ref();
        encode::Entry { weight, request, call, template, expect, follow }.encode(target, authority, speaks)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CapacityLoad {
    pub slo: Slo,
    /// Lowest rate that is tried, per second.
    pub from_per_s: f64,
    pub to_per_s: f64,
    /// Measured window of a trial; the preset decides without.
    pub trial_ns: Option<u64>,
}
