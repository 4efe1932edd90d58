//! Settings of a block: the levels of its conditions, ready to be carried out.

use proofload_analysis::level_of;
use proofload_engine::{Address, Answers, ConnectionOrder, DriverChoice};
use proofload_facts::{Expected, Finding, Mistake};
use proofload_host::affinity::Pinned;
use proofload_host::{cpus, others};
use proofload_store::schema::Plan;
use proofload_study::{Condition, Study, quantity};

/// Settings of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorSettings {
    /// Keeps CPUs from sleeping.
    pub awake: bool,
    /// I/O driver.
    pub driver: DriverChoice,
    /// CPUs of the generator; empty pins nothing.
    pub generator_cpus: Vec<usize>,
    /// CPUs of the subjects; empty pins nothing.
    pub subject_cpus: Vec<usize>,
    /// Threads of the generator, where a condition sets them.
    pub workers: Option<u32>,
    /// Bytes that are added to the subjects' environment.
    pub environment_bytes: usize,
    /// Warm-up beyond what the subjects need.
    pub extra_warm_up_ns: u64,
    /// Settings of the engine alone.
    pub engine: proofload_engine::GeneratorSettings,
}

impl Default for GeneratorSettings {
    fn default() -> Self {
        GeneratorSettings {
            awake: true,
            driver: DriverChoice::default(),
            generator_cpus: Vec::new(),
            subject_cpus: Vec::new(),
            workers: None,
            environment_bytes: 0,
            extra_warm_up_ns: 0,
            engine: proofload_engine::GeneratorSettings::default(),
        }
    }
}

impl GeneratorSettings {
    /// Settings of the block with that place in the plan, counted from 1. Conditions that are not in the plan have
    /// their default.
    pub fn of(plan: &Plan, place: u32) -> GeneratorSettings {
        let level = |condition: Condition| level_of(plan, place, condition.name());
        let number = |condition| level(condition).and_then(|text| text.parse::<u32>().ok());
        let is = |condition, word| level(condition).map(|text| text == word);
        let usual = proofload_engine::GeneratorSettings::default();
        let recorded = DriverChoice::from_name(&plan.driver);
        let (generator_cpus, subject_cpus) =
            share(plan, level(Condition::GeneratorCpus), level(Condition::ServerCpus));
        GeneratorSettings {
            awake: is(Condition::CpusAwake, "true").unwrap_or(true),
            driver: level(Condition::Driver)
                .and_then(DriverChoice::from_name)
                .or(recorded)
                .unwrap_or_default(),
            generator_cpus,
            subject_cpus,
            workers: number(Condition::Workers),
            environment_bytes: number(Condition::Environment).unwrap_or(0) as usize,
            extra_warm_up_ns: level(Condition::ExtraWarmUp)
                .and_then(|text| quantity::duration(text).ok())
                .unwrap_or(0),
            engine: proofload_engine::GeneratorSettings {
                events: number(Condition::Events).unwrap_or(usual.events),
                answers: match is(Condition::Answers, "together") {
                    Some(true) => Answers::Together,
                    _ => Answers::OneByOne,
                },
                raised_priority: is(Condition::RaisedPriority, "true").unwrap_or(usual.raised_priority),
                connections: match is(Condition::Connections, "shuffled") {
                    Some(true) => ConnectionOrder::Shuffled,
                    _ => ConnectionOrder::Numbered,
                },
            },
        }
    }
}

/// The CPUs of generator and subjects in a block with these lists. Where only one side has a list, the other side has
/// the rest.
fn share(plan: &Plan, generator: Option<&str>, server: Option<&str>) -> (Vec<usize>, Vec<usize>) {
    let said = |list: Option<&str>| list.map(cpus::parse_list).filter(|cpus| !cpus.is_empty());
    let all = || {
        let mut all = [&plan.generator_cpus[..], &plan.subject_cpus[..]].concat();
        all.sort_unstable();
        all.dedup();
        all
    };
    let without =
        |taken: &[usize]| all().into_iter().filter(|cpu| !taken.contains(cpu)).collect::<Vec<usize>>();
    match (said(generator), said(server)) {
        (Some(generator), Some(server)) => (generator, server),
        (Some(generator), None) if generator != plan.generator_cpus => {
            let subject = without(&generator);
            (generator, subject)
        }
        (None, Some(server)) => (without(&server), server),
        _ => (plan.generator_cpus.clone(), plan.subject_cpus.clone()),
    }
}

/// Pins a server that runs already, where the study gives its CPUs, until the result is dropped.
///
/// # Errors
/// A server that is not a process of this machine, or a thread that cannot be moved.
pub fn pinned(study: &Study, server: &Address, cpus: &[usize]) -> Result<Vec<Pinned>, Finding> {
    let is_asked = study.conditions.levels(Condition::ServerCpus).is_some();
    let Some(address) = server.tcp().filter(|_| is_asked) else { return Ok(Vec::new()) };
    let pids = others::listening(&[address.port()]);
    if pids.is_empty() {
        return Err(Finding::NoProcess);
    }
    pids.into_iter().map(|pid| Pinned::new(pid, cpus)).collect::<Result<_, _>>().map_err(Finding::failed)
}

/// Refuses CPUs by number that this process may not use.
///
/// # Errors
/// Those, and what there is.
pub fn check_cpus(study: &Study) -> Result<(), Mistake> {
    let allowed = cpus::allowed();
    for condition in [Condition::GeneratorCpus, Condition::ServerCpus] {
        let levels = study.conditions.levels(condition).unwrap_or_default();
        let foreign = |level: &String| cpus::parse_list(level).iter().any(|cpu| !allowed.contains(cpu));
        if let Some(level) = levels.iter().find(|level| foreign(level)) {
            let form = cpus::list_text(&allowed);
            return Err(Mistake::not(level, Expected::CpuList, form).at(condition.name()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::PlannedCondition;

    fn condition(name: &str, levels: &[&str]) -> PlannedCondition {
        let levels = levels.iter().map(ToString::to_string).collect();
        PlannedCondition { name: name.into(), levels, ..PlannedCondition::default() }
    }

    #[test]
    fn every_level_is_carried_out() {
        let plan = Plan {
            generator_cpus: vec![3],
            subject_cpus: vec![0, 1, 2],
            conditions: vec![
                condition("cpus_awake", &["true", "false"]),
                condition("driver", &["epoll", "io_uring"]),
                condition("generator_cpus", &["3", "0"]),
                condition("events", &["64", "1"]),
                condition("answers", &["one_by_one", "together"]),
                condition("workers", &["1", "2"]),
                condition("right_of_way", &["true", "false"]),
                condition("environment", &["0", "4096"]),
                condition("connections", &["numbered", "shuffled"]),
                condition("extra_warm_up", &["0ms", "1500ms"]),
            ],
            condition_order: vec![vec![0; 10], vec![1; 10]],
            ..Plan::default()
        };
        let usual = GeneratorSettings {
            generator_cpus: vec![3],
            subject_cpus: vec![0, 1, 2],
            workers: Some(1),
            ..GeneratorSettings::default()
        };
        assert_eq!(GeneratorSettings::of(&plan, 1), usual);
        let other = GeneratorSettings {
            awake: false,
            driver: DriverChoice::IoUring,
            generator_cpus: vec![0],
            subject_cpus: vec![1, 2, 3],
            workers: Some(2),
            environment_bytes: 4096,
            extra_warm_up_ns: 1_500_000_000,
            engine: proofload_engine::GeneratorSettings {
                events: 1,
                answers: Answers::Together,
                raised_priority: false,
                connections: ConnectionOrder::Shuffled,
            },
        };
        assert_eq!(GeneratorSettings::of(&plan, 2), other);
        assert_eq!(GeneratorSettings::of(&plan, 3), usual);
    }

    #[test]
    fn a_plan_without_conditions_is_carried_out_as_ever() {
        let plan = Plan { driver: "io_uring".into(), generator_cpus: vec![1], ..Plan::default() };
        let expected = GeneratorSettings {
            driver: DriverChoice::IoUring,
            generator_cpus: vec![1],
            ..GeneratorSettings::default()
        };
        assert_eq!(GeneratorSettings::of(&plan, 1), expected);
    }
}
