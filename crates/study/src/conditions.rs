//! Conditions of the load generator that Proofload chooses: each has one level, or several that vary over the blocks.

use super::field::{Field, Map};
use super::keys::{Kind, keys, kinds};
use super::problem::shown;
use super::quantity::{self, DURATION};
use super::suggest::not_one_of;
use proofload_engine::DriverChoice;
use proofload_facts::{Expected, Mistake, Thing};
use proofload_host::cpus;

/// Most levels of a condition.
const LEVELS_MAX: usize = 8;
/// Largest addition to a subject's environment, in bytes.
const ENVIRONMENT_MAX: u64 = 64 * 1024;
/// Most threads of the generator.
const WORKERS_MAX: u64 = 256;
/// CPU numbers end below this.
const CPU_MAX: usize = 1024;
/// Most events that are taken at once.
const EVENTS_MAX: u64 = proofload_engine::GeneratorSettings::EVENTS_MAX as u64;

/// Something that Proofload decides and that no server is to answer for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Keeps CPUs from sleeping while something is measured: `true`, `false`.
    CpusAwake,
    /// I/O driver: `epoll`, `io_uring`.
    Driver,
    /// CPUs of the generator: the `last` ones, the `first`, or a list; subjects have the others.
    GeneratorCpus,
    /// CPUs of the servers, as a list.
    ServerCpus,
    /// Most events that the generator takes from the kernel at once.
    Events,
    /// Time of the next request: before the next answer is read (`one_by_one`), or after all answers that came at once
    /// were read (`together`).
    Answers,
    /// Threads of the generator.
    Workers,
    /// Gives the generator's threads priority over whatever else runs on their CPUs: `true`, `false`.
    RaisedPriority,
    /// Bytes that are added to the subjects' environment, which moves their stacks (Mytkowicz et al., "Producing wrong data
    /// without doing anything obviously wrong", ASPLOS 2009).
    Environment,
    /// The order in which connections are opened and send their first requests: `numbered`, `shuffled`.
    Connections,
    /// Warm-up beyond what the subjects need: a time.
    ExtraWarmUp,
}

impl Condition {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Condition; 11] = [
        Condition::CpusAwake,
        Condition::Driver,
        Condition::GeneratorCpus,
        Condition::ServerCpus,
        Condition::Events,
        Condition::Answers,
        Condition::Workers,
        Condition::RaisedPriority,
        Condition::Environment,
        Condition::Connections,
        Condition::ExtraWarmUp,
    ];

    /// As it is written in studies and records.
    pub fn name(self) -> &'static str {
        match self {
            Condition::CpusAwake => "cpus_awake",
            Condition::Driver => "driver",
            Condition::GeneratorCpus => "generator_cpus",
            Condition::ServerCpus => "server_cpus",
            Condition::Events => "events",
            Condition::Answers => "answers",
            Condition::Workers => "workers",
            Condition::RaisedPriority => "right_of_way",
            Condition::Environment => "environment",
            Condition::Connections => "connections",
            Condition::ExtraWarmUp => "extra_warm_up",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Condition> {
        Condition::ALL.into_iter().find(|condition| condition.name() == name)
    }

    /// A level as it is recorded; `None` after a problem was reported.
    fn level(self, field: &Field<'_>) -> Option<String> {
        let word = |words: [&str; 2]| {
            let text = field.text(&words.join(", "))?;
            if !words.contains(&text) {
                field.problem(not_one_of(text, &words));
                return None;
            }
            Some(text.to_string())
        };
        match self {
            Condition::CpusAwake | Condition::RaisedPriority => {
                field.boolean().map(|level| level.to_string())
            }
            Condition::Driver => word(["epoll", "io_uring"]),
            Condition::GeneratorCpus => match field.written() {
                Some(end @ ("last" | "first")) => Some(end.to_string()),
                _ => cpu_list(field, "last, first, 2-3"),
            },
            Condition::ServerCpus => cpu_list(field, "0-1"),
            Condition::Answers => word(["one_by_one", "together"]),
            Condition::Connections => word(["numbered", "shuffled"]),
            Condition::Events => field.integer().map(|level| level.to_string()),
            Condition::Workers => field.integer().map(|level| level.to_string()),
            Condition::Environment => field.integer().map(|level| level.to_string()),
            Condition::ExtraWarmUp => {
                let length_ns = field.quantity(quantity::duration, "10s")?;
                Some(format!("{}ms", length_ns / 1_000_000))
            }
        }
    }
}

/// CPUs as the kernel lists them: `0-1,4`.
fn cpu_list(field: &Field<'_>, form: &str) -> Option<String> {
    let text = field.written().unwrap_or_default();
    let is_part = |part: &str| {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        matches!((number(first), number(last)), (Some(first), Some(last)) if first <= last && last < CPU_MAX)
    };
    if !text.split(',').all(is_part) {
        field.problem(Mistake::not(field.found(), Expected::CpuList, form));
        return None;
    }
    Some(cpus::list_text(&cpus::parse_list(text)))
}

/// The conditions that a study names; every other one is Proofload's to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// True if conditions that it does not name keep their default and do not vary over the blocks.
    pub fixed: bool,
    /// Each with its levels, at least one, in the order of [`Condition::ALL`].
    pub named: Vec<(Condition, Vec<String>)>,
}

impl Conditions {
    /// With this driver alone.
    pub fn with_driver(mut self, driver: DriverChoice) -> Self {
        self.named.retain(|(condition, _)| *condition != Condition::Driver);
        self.named.push((Condition::Driver, vec![driver.name().to_string()]));
        self.named.sort_by_key(|(condition, _)| Condition::ALL.iter().position(|one| one == condition));
        self
    }

    /// With one level of a condition. Named twice it is a mistake, at the field.
    fn with(&mut self, condition: Condition, field: &Field<'_>) -> Option<()> {
        let level = condition.level(field)?;
        if self.levels(condition).is_some() {
            field.problem(Mistake::exclude(condition.name(), format!("conditions.{}", condition.name())));
            return None;
        }
        self.named.push((condition, vec![level]));
        self.named.sort_by_key(|(condition, _)| Condition::ALL.iter().position(|one| one == condition));
        Some(())
    }

    /// The CPUs that a condition names first; empty where the study gives none by number.
    pub fn cpus(&self, condition: Condition) -> Vec<usize> {
        let first = self.levels(condition).and_then(|levels| levels.first());
        first.map_or_else(Vec::new, |level| cpus::parse_list(level))
    }

    /// The levels of a condition that the study names.
    pub fn levels(&self, condition: Condition) -> Option<&[String]> {
        self.named.iter().find(|(named, _)| *named == condition).map(|(_, levels)| levels.as_slice())
    }

    /// The drivers that it names; epoll alone where it names none.
    pub fn drivers(&self) -> Vec<DriverChoice> {
        let named = self.levels(Condition::Driver).unwrap_or_default();
        let drivers: Vec<_> = named.iter().filter_map(|name| DriverChoice::from_name(name)).collect();
        if drivers.is_empty() { vec![DriverChoice::default()] } else { drivers }
    }
}

const TRUE_OR_FALSE: Kind = Kind::Switch;
const DRIVERS: Kind = Kind::Words(&[
    ("epoll", "It waits until sockets are ready."),
    ("io_uring", "Rings shared with the kernel."),
]);
const ENDS: Kind = Kind::Words(&[
    ("last", "The last ones, away from CPU 0, where the kernel's own work gathers."),
    ("first", "The first ones."),
]);
const DIVISION: Kind = Kind::Either(&[&ENDS, &CPU_LIST]);
const CPU_LIST: Kind = Kind::Either(&[
    &Kind::Integer(0, CPU_MAX as u64 - 1),
    &Kind::Text(r"^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"),
]);
const EVENTS: Kind = Kind::Integer(1, EVENTS_MAX);
const ANSWERS: Kind = Kind::Words(&[
    ("one_by_one", "The next request leaves before the next answer is read."),
    ("together", "All answers that came at once are read first."),
]);
const WORKERS: Kind = Kind::Integer(1, WORKERS_MAX);
const BYTES: Kind = Kind::Integer(0, ENVIRONMENT_MAX);
const ORDERS: Kind = Kind::Words(&[("numbered", "As they were opened."), ("shuffled", "By the seed.")]);

keys! {
    /// Conditions of measuring: one level each, or a list of levels that vary over the blocks.
    CONDITIONS {
        /// Keeps CPUs from sleeping while something is measured; varies by default.
        optional cpus_awake: Kind::Either(&[&TRUE_OR_FALSE, &Kind::Distinct(&TRUE_OR_FALSE, 1, 2)]),
        /// I/O driver of the load; varies by default.
        optional driver: Kind::Either(&[&DRIVERS, &Kind::Distinct(&DRIVERS, 1, 2)]),
        /// CPUs of the generator; subjects have the others. Varies by default.
        optional generator_cpus: Kind::Either(&[&DIVISION, &Kind::Distinct(&DIVISION, 1, LEVELS_MAX)]),
        /// CPUs of the servers, also of those that already run; by default those that the generator does not use.
        optional server_cpus: Kind::Either(&[&CPU_LIST, &Kind::Distinct(&CPU_LIST, 1, LEVELS_MAX)]),
        /// Most events that the generator takes from the kernel at once; 64 by default.
        optional events: Kind::Either(&[&EVENTS, &Kind::Distinct(&EVENTS, 1, LEVELS_MAX)]),
        /// Time of the next request on a connection whose answer has come; one_by_one by default.
        optional answers: Kind::Either(&[&ANSWERS, &Kind::Distinct(&ANSWERS, 1, 2)]),
        /// Threads of the generator; as many as it has CPUs by default.
        optional workers: Kind::Either(&[&WORKERS, &Kind::Distinct(&WORKERS, 1, LEVELS_MAX)]),
        /// Gives the generator's threads priority over whatever else runs on their CPUs; true by default.
        optional right_of_way: Kind::Either(&[&TRUE_OR_FALSE, &Kind::Distinct(&TRUE_OR_FALSE, 1, 2)]),
        /// Bytes that are added to the subjects' environment; none by default.
        optional environment: Kind::Either(&[&BYTES, &Kind::Distinct(&BYTES, 1, LEVELS_MAX)]),
        /// The order in which connections are opened and send their first requests; numbered by default.
        optional connections: Kind::Either(&[&ORDERS, &Kind::Distinct(&ORDERS, 1, 2)]),
        /// Warm-up beyond what the subjects need; none by default.
        optional extra_warm_up: Kind::Either(&[&DURATION, &Kind::Distinct(&DURATION, 1, LEVELS_MAX)]),
    }
}

keys! {
    /// CPUs of generator and servers, one condition each.
    CPUS {
        /// CPUs of the generator, as the kernel lists them: `2-3`.
        optional generator_cpus: CPU_LIST,
        /// CPUs of the servers, also of those that already run.
        optional server_cpus: CPU_LIST,
    }
}

/// Reads the CPUs that a study names beside its conditions.
pub(super) fn check_cpus(map: &Map<'_>, conditions: &mut Conditions) -> Option<()> {
    let mut whole = Some(());
    for condition in [Condition::GeneratorCpus, Condition::ServerCpus] {
        if let Some(field) = map.optional(condition.name()) {
            whole = whole.and(conditions.with(condition, &field));
        }
    }
    whole
}

kinds! {
    /// Conditions of the load generator that Proofload chooses.
    CONDITIONS_OR_WORD = Kind::Either(&[
        &Kind::Words(&[
            ("varied", "CPUs awake or asleep, the driver, and who has which CPUs vary over the blocks."),
            ("fixed", "Nothing varies: the answer holds for one manner of asking."),
        ]),
        &Kind::Map(&[&CONDITIONS]),
    ]);
}

const FORM: &str = "conditions: fixed, conditions: { driver: epoll }";

/// Reads the conditions of a study.
pub(super) fn check_conditions(field: &Field<'_>) -> Option<Conditions> {
    if field.is_map() {
        let map = field.map(FORM)?;
        // All of them, so that every mistake is reported.
        let named = Condition::ALL.map(|condition| check_levels(&map, condition));
        map.close();
        let named: Option<Vec<_>> = named.into_iter().collect();
        return named.map(|named| Conditions { fixed: false, named: named.into_iter().flatten().collect() });
    }
    match field.text(FORM)? {
        "fixed" => Some(Conditions { fixed: true, named: Vec::new() }),
        "varied" => Some(Conditions::default()),
        other => {
            field.problem(not_one_of(other, &["fixed", "varied"]));
            None
        }
    }
}

/// The levels of one condition; `Some(None)` where the study does not name it.
#[expect(clippy::option_option, reason = "a mistake and nothing written are two things")]
fn check_levels(map: &Map<'_>, condition: Condition) -> Option<Option<(Condition, Vec<String>)>> {
    let Some(field) = map.optional(condition.name()) else { return Some(None) };
    let items = field.one_or_many("8, [8, 64]")?;
    field.at_most(items.len(), LEVELS_MAX, Thing::Level)?;
    let mut levels: Vec<String> = Vec::new();
    for item in &items {
        let level = condition.level(item)?;
        if levels.contains(&level) {
            item.problem(Mistake::twice(Thing::Level, shown(&level)));
            return None;
        }
        levels.push(level);
    }
    Some(Some((condition, levels)))
}
