//! The whole study: reads the file, checks every part, and returns either a study or all mistakes.

use super::bind::{BIND_MAX, LOCAL_ADDRESS, check_reach};
use super::claims::{CLAIMS, Claims, Known, check_claims};
use super::conditions::{CONDITIONS_OR_WORD, CPUS, Conditions, check_conditions, check_cpus};
use super::declarations::Declarations;
use super::expectations::{EXPECTATIONS, REFERENCE, REFERENCES_MAX, check_expect, check_references};
use super::expectations::{ExpectedRow, Reference};
use super::field::{Field, Map};
use super::include::FILE;
use super::journeys::{JOURNEY_STEPS, JOURNEYS, check_users};
use super::keys::{Kind, WORD, keys, kinds};
use super::load::{LOAD, check_load};
use super::mix::{WORKLOAD, check_workload};
use super::mode::Mode;
use super::model::{Journeys, Stream, Study, Variant, WorkloadEntry};
use super::name::{FOLDER_LETTERS, FOLDER_NAME, bad_name, is_folder_name};
use super::places::{PLACES, check_places};
use super::problem::{Location, Problems, Sink, shown};
use super::quantity::{self, DURATION};
use super::redact;
use super::request_defaults::{AUTH, FEEDER, FOLLOW, Shared};
use super::restrict::{Parts, QUICK, check_only, check_quick};
use super::shape::LoadPoint;
use super::split::{ASK, check_ask};
use super::streams::{Asked, STREAM, STREAMS_MAX, check_streams};
use super::subjects::{SUBJECT, Subjects, check_subjects};
use super::suggest::not_one_of;
use super::yaml::{self, Node};
use super::{include, set, write};
use proofload_engine::{DriverChoice, Timeouts};
use proofload_facts::{Mistake, Thing};
use proofload_stats::{Names, Selector};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Longest time-out, an hour: a longer one outlasts every run.
const TIMEOUT_MAX_NS: u64 = 3_600_000_000_000;

/// Options of reading a study.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Applies the study's `quick:` block (presets smoke and quick).
    pub quick: bool,
    /// Settings that are changed before the checks: `load.closed.connections=64`.
    pub set: Vec<String>,
    /// I/O driver, overriding the study.
    pub driver: Option<DriverChoice>,
    /// Parts to run: `connector=nio`, `64c`, `claim:NAME`; everything when empty.
    pub only: Vec<String>,
}

keys! {
    /// One question: subjects, workload, load, claims.
    STUDY with(CPUS) {
        /// Name; its runs lie in a folder of this name.
        required study: Kind::Text(FOLDER_NAME),
        /// The question in a sentence.
        required question: WORD,
        /// Anything worth knowing.
        optional description: WORD,
        /// Files with common parts, relative to this one; the keys of this file win.
        optional include: Kind::List(&FILE, 1, include::FILES_MAX),
        /// Servers under test, by name.
        required subjects: Kind::Names(&SUBJECT, 1, usize::MAX),
        /// Sources of values for `${name}` and `${name.column}` in path, query, headers and body.
        optional feeders: Kind::Names(&FEEDER, 1, usize::MAX),
        /// Credentials that go with every request; shown nowhere.
        optional auth: Kind::One(&AUTH),
        /// Keeps cookies on each connection, as a user of its own, and sends them back; false by default.
        optional cookies: Kind::Switch,
        /// Most redirects that an exchange follows, to any server; 0, which takes the first answer, by default.
        optional follow: FOLLOW,
        /// Local addresses that connections leave from, in turn; the kernel's choice by default.
        optional bind: Kind::List(&LOCAL_ADDRESS, 1, BIND_MAX),
        /// Requests, by name: one, or a weighted mix.
        optional workload: WORKLOAD,
        /// Journeys of users, by name, instead of a workload: the load is of users who arrive, or of users at once.
        optional journeys: JOURNEYS,
        /// Steps that one user takes when a server was started, before its warm-up: what they capture, all users have.
        optional setup: JOURNEY_STEPS,
        /// Steps that one user takes before a server is stopped.
        optional teardown: JOURNEY_STEPS,
        /// One mix of the requests of the workload, or a load for each; mixed by default.
        optional ask: ASK,
        /// Amount of load.
        optional load: Kind::One(&LOAD),
        /// Several loads that run at once, by name, instead of workload and load.
        optional streams: Kind::Names(&Kind::Map(&[&STREAM]), 2, STREAMS_MAX),
        /// Order of measuring the variants; chosen by load and memory by default.
        optional mode: MODE,
        /// Machines of servers and agents; all on this machine by default.
        optional places: Kind::Map(&[&PLACES]),
        /// Conditions of the load generator that Proofload chooses; varied by default.
        optional conditions: CONDITIONS_OR_WORD,
        /// Time-outs.
        optional timeouts: Kind::Map(&[&TIMEOUTS]),
        /// Statements to be shown, by name: `throughput(nio2) > throughput(nio)`.
        optional claims: CLAIMS,
        /// Ranges in which quantities are expected to lie; the study tests whether they do.
        optional expect: EXPECTATIONS,
        /// Figures published elsewhere; shown beside those found, never judged.
        optional reference: Kind::List(&Kind::Map(&[&REFERENCE]), 1, REFERENCES_MAX),
        /// Parts of the study that are run under --smoke and --quick.
        optional quick: Kind::Map(&[&QUICK]),
        /// Seed of everything random; without it each run draws one.
        optional seed: Kind::Integer(0, u64::MAX),
    }

    /// Time-outs.
    TIMEOUTS {
        /// To connect; 5s by default.
        optional connect: DURATION,
        /// From sending to the end of the answer; 30s by default.
        optional response: DURATION,
    }
}

kinds! {
    /// All variants run at once and take turns slice by slice, or one runs after the other.
    MODE = Kind::Words(&[("cycles", "All run at once and take turns."), ("serial", "One runs after the other.")]);
}

/// Reads and checks a study file, with its includes.
///
/// # Errors
/// All mistakes at once, in the order of their lines.
pub fn load(path: &Path, options: &Options, catalogue: &dyn Declarations) -> Result<Study, Problems> {
    let file = path.display().to_string();
    let text = include::read(path).map_err(|(line, mistake)| {
        let sink = Sink::new(&file);
        sink.add(Location { source: 0, line, column: line.min(1) }, "", mistake);
        sink.into_problems()
    })?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut study = parse(&text, &file, directory, options, catalogue)?;
    study.path = Some(path.to_path_buf());
    Ok(study)
}

/// Checks the text of a study. `file` names it in messages; `directory` is where relative paths begin.
///
/// # Errors
/// All mistakes at once, in the order of their lines.
pub fn parse(
    text: &str,
    file: &str,
    directory: &Path,
    options: &Options,
    catalogue: &dyn Declarations,
) -> Result<Study, Problems> {
    let sink = Sink::new(file);
    let study = yaml::parse(text, &sink).and_then(|written| {
        let whole = include::expand(&written, directory, &sink);
        let tree = set::apply(&whole.tree, &options.set, &sink);
        redact::know(&tree);
        options.set.iter().for_each(|setting| redact::know_setting(setting));
        let mut study = check_tree(&tree, directory, options, catalogue, &sink)?;
        study.settings = options.set.iter().map(|setting| redact::setting(setting)).collect();
        study.text = match whole.included.is_empty() && options.set.is_empty() {
            true => redact::text(text, &written),
            false => in_effect(&tree, &whole.included, &study.settings),
        };
        Some(study)
    });
    match study {
        Some(study) if sink.is_empty() => Ok(study),
        _ => Err(sink.into_problems()),
    }
}

/// Checks the tree of a study.
pub(super) fn check_tree(
    tree: &Node,
    directory: &Path,
    options: &Options,
    catalogue: &dyn Declarations,
    sink: &Sink,
) -> Option<Study> {
    let map = Field::new(tree, "", sink, &Kind::Map(&[&STUDY])).map("study: name")?;
    let mut study = check(&map, directory, options, catalogue)?;
    study.only = options.only.clone();
    study.files = sink.named();
    Some(study)
}

/// The text of a study that was made of more than its file, credentials redacted.
fn in_effect(tree: &Rc<Node>, included: &[String], settings: &[String]) -> String {
    let text = write::text(tree);
    // Places in the new text, since redacted parts are cut out of it.
    let redacted = match yaml::parse(&text, &Sink::new("study in effect")) {
        Some(tree) => redact::text(&text, &tree),
        None => String::new(),
    };
    let included = included.iter().map(|name| format!("# includes {}\n", shown(name)));
    let settings = settings.iter().map(|set| format!("# --set {}\n", shown(set)));
    included.chain(settings).collect::<String>() + &redacted
}

fn check(map: &Map<'_>, directory: &Path, options: &Options, catalogue: &dyn Declarations) -> Option<Study> {
    let (name, question) = check_head(map);
    let subjects = map
        .required("subjects", "subjects: { server: { use: tomcat } }")
        .and_then(|field| check_subjects(&field, directory, catalogue));
    let shared = Shared::check(map, directory);
    if let (Some(field), Some(subjects)) = (map.optional("bind"), &subjects) {
        check_reach(&field, &shared.bind, &subjects.variants);
    }
    let Asked { workload, journeys, streams, points } = check_ask(map, check_asked(map, &shared));
    let timeouts = map.optional("timeouts").map_or(Some(Timeouts::default()), |field| check_timeouts(&field));
    let mode = map.optional("mode").and_then(|field| check_mode(&field));
    let conditions = check_generator(map);
    let places = map.optional("places").map_or(Some(None), |field| check_places(&field).map(Some));
    let seed = map.optional("seed").map(|field| field.integer());
    let statements = Statements::read(map);
    let quick = map.optional("quick");
    map.close();
    let variants = subjects.as_ref().map_or(&[][..], |subjects| &subjects.variants);
    let loads = points.as_ref().map_or(&[][..], |points| &points.points);
    let mut names = names(variants, loads, &streams);
    names.requests = told_apart(workload.as_deref(), journeys.as_ref(), loads, &streams);
    names.journeys.extend(journeys.iter().flat_map(|journeys| journeys.names.clone()));
    let known = Known {
        names,
        complete: subjects.as_ref().is_some_and(|subjects| subjects.names_complete)
            && points.as_ref().is_some_and(|points| points.labels_complete),
    };
    let (checked, expectations, references) = statements.check(&known, subjects.as_ref());
    let (subjects, points, names) = (subjects?, points?, known.names);
    let mut parts = Parts {
        variants: subjects.variants,
        points: points.points,
        names,
        claims: checked?,
        expectations: expectations?,
        references: references?,
        not_tested: subjects.not_tested,
    };
    if let Some(quick) = quick {
        let kept = check_quick(&quick, &parts)?;
        if options.quick {
            parts.restrict(&kept);
        }
    }
    if !options.only.is_empty() {
        let kept = check_only(&options.only, &parts, map.field.sink)?;
        parts.restrict(&kept);
    }
    let workload = workload?;
    Some(Study {
        name: name?,
        question: question?,
        variants: parts.variants,
        asking: shared.into_asking(&workload, journeys.as_ref()),
        workload,
        journeys,
        streams,
        points: parts.points,
        capacity: points.capacity,
        timeouts: timeouts?,
        mode,
        conditions: match options.driver {
            Some(driver) => conditions?.with_driver(driver),
            None => conditions?,
        },
        places: places?,
        seed: seed.flatten(),
        not_tested: parts.not_tested,
        claims: parts.claims.expanded,
        declared_claims: parts.claims.declared,
        expectations: parts.expectations,
        references: parts.references,
        names: parts.names,
        path: None::<PathBuf>,
        files: Default::default(),
        text: String::new(),
        two_sided: false,
        settings: Vec::new(),
        only: Vec::new(),
    })
}

/// Conditions of the load generator, its CPUs among them.
fn check_generator(map: &Map<'_>) -> Option<Conditions> {
    let mut conditions =
        map.optional("conditions").map_or(Some(Conditions::default()), |field| check_conditions(&field));
    let cpus = check_cpus(map, conditions.as_mut().unwrap_or(&mut Conditions::default()));
    conditions.filter(|_| cpus.is_some())
}

/// Workload and load: one workload with its load, or several at once.
fn check_asked(map: &Map<'_>, shared: &Shared<'_>) -> Asked {
    if let Some(field) = map.optional("streams") {
        map.forbid(&["workload", "journeys", "setup", "teardown", "load", "ask"], "streams");
        return check_streams(&field, shared);
    }
    if let Some(field) = map.optional("journeys") {
        map.forbid(&["workload", "ask"], "journeys");
        return check_users(map, &field, shared);
    }
    for field in ["setup", "teardown"].iter().filter_map(|key| map.optional(key)) {
        field.problem(Mistake::NoMeaningWithout { needs: "journeys".to_string() });
    }
    let workload = map.required("workload", "workload: { page: { get: / } }");
    let load = map.required("load", "load: { closed: { connections: 64 } }");
    Asked {
        workload: workload.and_then(|field| check_workload(&field, shared)),
        points: load.and_then(|field| check_load(&field, shared)),
        ..Asked::default()
    }
}

/// Statements of a study about its outcome.
struct Statements<'a> {
    claims: Option<Field<'a>>,
    expect: Option<Field<'a>>,
    reference: Option<Field<'a>>,
}

impl<'a> Statements<'a> {
    fn read(map: &Map<'a>) -> Self {
        if map.optional("load").is_some_and(|load| load.has("capacity")) {
            map.forbid(&["claims", "expect", "reference", "quick", "mode"], "load.capacity");
            return Statements { claims: None, expect: None, reference: None };
        }
        let expect = map.optional("expect");
        let claims = match &expect {
            // A study may only test whether it finds what is expected.
            Some(_) => map.optional("claims"),
            None if map.field.sink.is_of_flags() => map.optional("claims"),
            None => map.required("claims", "claims: { serves more: throughput(a) > throughput(b) }"),
        };
        Statements { claims, expect, reference: map.optional("reference") }
    }

    /// Without names of variants and points only their shape is checked.
    fn check(
        &self,
        known: &Known,
        subjects: Option<&Subjects>,
    ) -> (Option<Claims>, Option<Vec<ExpectedRow>>, Option<Vec<Reference>>) {
        let claims = match &self.claims {
            Some(field) => {
                check_claims(field, known).inspect(|claims| forbid_shared_use(field, subjects, claims))
            }
            None => Some(Claims::default()),
        };
        let expectations = self.expect.as_ref().map_or(Some(Vec::new()), |field| check_expect(field, known));
        let names =
            claims.as_ref().map(|claims| claims.declared.iter().map(|(name, _)| name.as_str()).collect());
        let names: Option<Vec<&str>> = names;
        let references = self
            .reference
            .as_ref()
            .map_or(Some(Vec::new()), |field| check_references(field, known, names.as_deref()));
        (claims, expectations, references)
    }
}

/// Names of the variants, points and streams in claims.
pub(super) fn names(variants: &[Variant], points: &[LoadPoint], streams: &[Stream]) -> Names {
    Names {
        variants: variants
            .iter()
            .map(|variant| Selector { name: variant.name.clone(), levels: variant.levels.clone() })
            .collect(),
        points: points.iter().map(|point| point.label.clone()).collect(),
        streams: streams.iter().map(|stream| stream.name.clone()).collect(),
        ..Names::default()
    }
}

/// Names of the entries of the mix of which figures are kept apart: of more than one that share a load, of all steps of journeys,
/// and of the journeys. Streams have figures of their own.
fn told_apart(
    workload: Option<&[WorkloadEntry]>,
    journeys: Option<&Journeys>,
    points: &[LoadPoint],
    streams: &[Stream],
) -> Vec<String> {
    if let Some(journeys) = journeys {
        return journeys.steps.iter().chain(&journeys.names).cloned().collect();
    }
    let is_mixed = streams.is_empty() && points.iter().any(|point| point.asks.is_none());
    let entries = workload.filter(|entries| entries.len() > 1 && is_mixed).unwrap_or_default();
    entries.iter().map(|entry| entry.name.clone()).collect()
}

fn check_name(field: &Field<'_>) -> Option<String> {
    let text = field.text("study: my-study")?;
    if !is_folder_name(text) {
        field.problem(bad_name(Thing::Study, text, FOLDER_LETTERS));
        return None;
    }
    Some(text.to_string())
}

/// Name and question.
fn check_head(map: &Map<'_>) -> (Option<String>, Option<String>) {
    let name = map.required("study", "study: my-study").and_then(|field| check_name(&field));
    let question = map.required("question", "question: Which server is faster?").and_then(|field| {
        field.text("question: Which server is faster?").map(|text| text.trim().to_string())
    });
    if let Some(description) = map.optional("description") {
        description.text("description: …");
    }
    (name, question)
}

fn check_mode(field: &Field<'_>) -> Option<Mode> {
    let text = field.text("mode: cycles, mode: serial")?;
    let mode = Mode::from_name(text);
    if mode.is_none() {
        field.problem(not_one_of(text, &["cycles", "serial"]));
    }
    mode
}

/// The resource use of a process cannot be divided between variants that share it.
fn forbid_shared_use(field: &Field<'_>, subjects: Option<&Subjects>, claims: &Claims) {
    let variants = subjects.map_or(&[][..], |subjects| &subjects.variants);
    for claim in &claims.expanded {
        let of_process = |(measure, variant): (proofload_stats::Measure, usize)| {
            !measure.is_of_exchanges()
                && variants.get(variant).is_some_and(|variant| variant.shares.is_some())
        };
        if let Some((measure, _)) = claim.measured().find(|measured| of_process(*measured)) {
            let (claim, measure) = (shown(&claim.name), measure.name());
            field.problem(Mistake::ClaimOfShared { claim, measure });
        }
    }
}

fn check_timeouts(field: &Field<'_>) -> Option<Timeouts> {
    let map = field.map("timeouts: { connect: 5s, response: 30s }")?;
    let defaults = Timeouts::default();
    let read = |key: &str, default: u64| {
        map.optional(key).map_or(Some(default), |field| {
            let ns = field.quantity(quantity::duration, "5s")?;
            if (1..=TIMEOUT_MAX_NS).contains(&ns) {
                return Some(ns);
            }
            field.problem(Mistake::beyond(field.found(), "1ms", "1h"));
            None
        })
    };
    let connect_ns = read("connect", defaults.connect_ns);
    let response_ns = read("response", defaults.response_ns);
    map.close();
    Some(Timeouts { connect_ns: connect_ns?, response_ns: response_ns? })
}
