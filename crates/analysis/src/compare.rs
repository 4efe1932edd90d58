//! Differences between two plans and two machines, fact by fact.

pub use proofload_store::schema::BUILD;
use proofload_store::schema::{
    Difference, Environment, LoadPoint, Looking, Mode, Plan, PlannedCondition, Transport, Variant,
};
use proofload_store::without_credentials;
use std::collections::{BTreeMap, BTreeSet};

/// Facts that change from minute to minute on one and the same machine.
const PASSING: [&str; 6] = [
    "clock_read_ns",
    "cpu_mhz_at_start",
    "load_at_start",
    "load_1m_at_start",
    "memory_available_bytes",
    "swap_free_bytes",
];

/// Facts that make a machine another one for measuring; first the one that tells machines apart.
const MACHINE: [&str; 10] = [
    "machine",
    "kernel",
    "cpu_model",
    "cpus",
    "cpu_sleep",
    "memory_bytes",
    "cgroup_cpu_quota",
    "cgroup_memory_limit_bytes",
    "generator CPUs",
    "subject CPUs",
];

/// Facts of a plan that are places of its parts.
const PLACES: [&str; 2] = ["agents", "servers' address"];

/// Conditions that two runs must share if their figures are to be compared.
const CONDITIONS: [&str; 9] =
    ["workload", "warm-up", "slice", "cycles", "discarded", "replication", "mode", "driver", "conditions"];

/// Facts of a plan that follow from the machine, or are not part of the study.
const SHARES: [&str; 3] = ["generator CPUs", "subject CPUs", "ceiling"];

/// Facts of a plan about the manner of asking: a condition of measuring, in which sittings may differ.
const MANNER: [&str; 2] = ["driver", "conditions"];

/// The fact of a plan that is the whole study as it was written.
const STUDY_TEXT: &str = "study text";

/// Facts of a plan that each sitting of a study has for itself.
const OF_A_SITTING: [&str; 6] = ["seed", "order", "looks", "looking", "futility", "budget"];

/// The fact of an environment that tells versions of the generator apart.
pub const VERSION: &str = "proofload";

/// The end of the name of the fact that holds a variant's transport.
const TRANSPORT: &str = ": transport";

/// The end of the fact of a load point that follows from the machine where the tool chooses the connections.
const MOST_CONNECTIONS: &str = ": most connections";

/// Name and value of everything, so that two of them can be laid side by side.
type Facts = BTreeMap<String, String>;

pub(crate) fn differences(left: &Facts, right: &Facts) -> Vec<Difference> {
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let differing = names.into_iter().filter(|name| left.get(*name) != right.get(*name));
    differing
        .map(|name| Difference {
            what: name.clone(),
            left: left.get(name).cloned(),
            right: right.get(name).cloned(),
        })
        .collect()
}

/// Every fact of an environment, by name.
pub fn environment_facts(environment: &Environment) -> BTreeMap<String, String> {
    let mut facts = environment.facts.clone();
    let mut add = |name: &str, value: String| facts.insert(name.to_string(), value);
    add(VERSION, environment.proofload.clone());
    add("machine", environment.machine.clone());
    add("kernel", environment.kernel.clone());
    add("cpu_model", environment.cpu_model.clone());
    add("cpus", format!("{:?}", environment.cpus));
    add("memory_bytes", environment.memory_bytes.to_string());
    add("descriptors", environment.descriptors.to_string());
    add("ephemeral_ports", format!("{:?}", environment.ephemeral_ports));
    facts
}

/// Every fact that differs between two environments; those that pass in minutes only with `passing`.
pub fn environments(left: &Environment, right: &Environment, passing: bool) -> Vec<Difference> {
    let facts = |environment: &Environment| {
        let mut facts = environment_facts(environment);
        facts.retain(|name, _| passing || !PASSING.contains(&name.as_str()));
        facts
    };
    differences(&facts(left), &facts(right))
}

/// Everything that differs between two plans, but for what follows from the rest, and how they were begun.
pub fn plans(left: &Plan, right: &Plan) -> Vec<Difference> {
    let mut found = differences(&facts_of_plan(left), &facts_of_plan(right));
    found.retain(|difference| difference.what != "order" || left.seed == right.seed);
    found
}

/// The conditions of measuring that are not facts of their own, as driver and CPUs are.
fn conditions_of(plan: &Plan) -> String {
    let told =
        |condition: &&PlannedCondition| !["driver", "generator_cpus"].contains(&condition.name.as_str());
    let text = |condition: &PlannedCondition| format!("{} {}", condition.name, condition.levels.join(" or "));
    let all: Vec<String> = plan.conditions.iter().filter(told).map(text).collect();
    if all.is_empty() { "not recorded".to_string() } else { all.join(", ") }
}

/// A study's text without its conditions, and without those that were set for a run of it.
fn beside_conditions(text: &str) -> Vec<&str> {
    let mut within = false;
    let is_other = |line: &&str| {
        let is_nested = line.starts_with([' ', '-']);
        within = line.starts_with("conditions:") || (within && is_nested);
        !within && !line.starts_with("# --set conditions")
    };
    text.lines().filter(is_other).collect()
}

fn facts_of_plan(plan: &Plan) -> Facts {
    // A plan that was just made may still hold credentials that a kept one does not.
    let plan = &without_credentials(plan);
    let mut facts = Facts::new();
    let mut add = |name: String, value: String| {
        facts.insert(name, value);
    };
    add("study".into(), plan.study.clone());
    add("question".into(), plan.question.clone());
    add(STUDY_TEXT.into(), plan.study_text.clone());
    add("preset".into(), plan.preset.to_string());
    add("seed".into(), plan.seed.to_string());
    add("replication".into(), plan.replication.to_string());
    add("mode".into(), if plan.mode.is_empty() { &Mode::Cycles } else { &plan.mode }.to_string());
    add("error rate".into(), plan.alpha.to_string());
    add("workload".into(), plan.workload.join("; "));
    add("driver".into(), if plan.driver.is_empty() { "epoll" } else { &plan.driver }.to_string());
    add("conditions".into(), conditions_of(plan));
    add("ceiling".into(), if plan.no_ceiling { "left out" } else { "measured" }.to_string());
    let timing = &plan.timing;
    add("perturbation".into(), seconds(timing.perturbation_ns));
    let until = match timing.warm_up_cap_ns {
        0 => String::new(),
        cap_ns => format!(", at most {} until steady", seconds(cap_ns)),
    };
    add("warm-up".into(), seconds(timing.warm_up_ns) + &until);
    add("slice".into(), seconds(timing.slice_ns));
    add("discarded".into(), seconds(timing.discard_ns));
    add("drain".into(), seconds(timing.drain_ns));
    add("cycles".into(), timing.cycles.to_string());
    add("looks".into(), format!("{:?}", timing.looks));
    add(
        "looking".into(),
        if timing.looking.is_empty() { &Looking::Looks } else { &timing.looking }.to_string(),
    );
    add("futility".into(), timing.futility.to_string());
    add("budget".into(), seconds(timing.budget_ns));
    add("order".into(), format!("{:?}", plan.order));
    let agents: Vec<&str> = plan.agents.iter().map(|agent| agent.host.as_str()).collect();
    if !agents.is_empty() {
        add("agents".into(), agents.join(", "));
    }
    if !plan.subjects_address.is_empty() {
        add("servers' address".into(), plan.subjects_address.clone());
    }
    add("generator CPUs".into(), format!("{:?}", plan.generator_cpus));
    add("subject CPUs".into(), format!("{:?}", plan.subject_cpus));
    plan.points.iter().for_each(|point| facts_of_point(point, &mut add));
    for claim in &plan.claims {
        add(format!("claim {}", claim.name), claim.text.clone());
    }
    plan.variants.iter().for_each(|variant| facts_of_variant(variant, &mut add));
    facts
}

fn facts_of_point(point: &LoadPoint, add: &mut dyn FnMut(String, String)) {
    let mut same = LoadPoint { most_connections: 0, ..point.clone() };
    let mut most = vec![point.most_connections];
    for stream in &mut same.streams {
        most.push(stream.most_connections);
        stream.profile =
            stream.profile.replace(&format!(", up to {} while", stream.most_connections), ", more while");
        stream.most_connections = 0;
    }
    let text = serde_json::to_string(&same).unwrap_or_default();
    add(format!("load point {}", point.label), text);
    most.retain(|most| *most > 0);
    if !most.is_empty() {
        add(format!("load point {}{MOST_CONNECTIONS}", point.label), format!("{most:?}"));
    }
}

/// Adds facts of the transport. The number of the system's certificates and the path of a certificate file do not
/// make another transport: the digest of the contents does.
fn facts_of_transport(variant: &str, transport: Option<&Transport>, add: &mut dyn FnMut(String, String)) {
    let mut same = transport.cloned().unwrap_or_default();
    let mut text = String::new();
    if let Some(tls) = &mut same.tls {
        let name = std::mem::take(&mut tls.server_name);
        add(format!("variant {variant}: name of the server"), name);
        for (what, digest) in std::mem::take(&mut tls.digests) {
            add(format!("variant {variant}: digest of TLS {what}"), digest);
        }
        tls.trusts.clear();
        text.push_str(&serde_json::to_string(tls).unwrap_or_default());
    }
    if !same.proxy.is_empty() {
        let gap = if text.is_empty() { "" } else { " " };
        let how = if same.forwards { ", without a tunnel" } else { "" };
        text.push_str(&format!("{gap}by way of {}{how}", same.proxy));
    }
    if text.is_empty() {
        text.push_str("plain");
    }
    add(format!("variant {variant}{TRANSPORT}"), text);
}

fn facts_of_variant(variant: &Variant, add: &mut dyn FnMut(String, String)) {
    let name = &variant.name;
    add(format!("variant {name}: kind"), variant.kind.to_string());
    add(format!("variant {name}: description"), variant.description.clone());
    add(format!("variant {name}: command"), variant.command.join(" "));
    for level in &variant.levels {
        add(format!("variant {name}: {}", level.factor), level.level.clone());
    }
    facts_of_transport(name, variant.transport.as_ref(), add);
    for (what, digest) in &variant.digests {
        add(format!("variant {name}: digest of {what}"), digest.clone());
    }
}

fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}

/// Facts of the machine of a run that matter to measuring, a line each: where one differs, it is another machine.
pub fn machine_of(plan: &Plan, environment: &Environment) -> Vec<String> {
    let mut facts = environment_facts(environment);
    facts.extend(facts_of_plan(plan));
    let is_of_machine = |name: &str| MACHINE.contains(&name) || PLACES.contains(&name);
    let of_machine = facts.into_iter().filter(|(name, _)| is_of_machine(name));
    of_machine.map(|(name, value)| format!("{name} {value}")).collect()
}

/// Differences that prevent comparing the figures of two runs: another machine or share of it, another load, another
/// timing. The servers may differ: they are what is compared.
pub fn comparability(left: (&Plan, &Environment), right: (&Plan, &Environment)) -> Vec<Difference> {
    let mut found = environments(left.1, right.1, false);
    found.extend(plans(left.0, right.0));
    found.retain(|difference| {
        let what = difference.what.as_str();
        let both = difference.left.is_some() && difference.right.is_some();
        let of_load = what.starts_with("load point ") || what.ends_with(TRANSPORT);
        MACHINE.contains(&what) || CONDITIONS.contains(&what) || (both && of_load)
    });
    found
}

/// Differences that two comparable runs have all the same: servers, settings of the machine, Proofload itself. One of
/// them may be why their figures differ.
pub fn suspects(left: (&Plan, &Environment), right: (&Plan, &Environment)) -> Vec<Difference> {
    let mut found = plans(left.0, right.0);
    found.retain(|difference| difference.what.starts_with("variant "));
    found.extend(environments(left.1, right.1, false));
    found
}

/// Differences between two runs that were to be sittings of one study, in two lists: those that make them something
/// else (the study, its servers, the machine), and conditions that are only reported (the build of the generator, the
/// kernel, settings).
pub fn sittings(
    left: (&Plan, &Environment),
    right: (&Plan, &Environment),
) -> (Vec<Difference>, Vec<Difference>) {
    let of_plan = plans(left.0, right.0);
    let (told, mut never): (Vec<_>, Vec<_>) = of_plan.into_iter().partition(|difference| {
        let what = difference.what.as_str();
        SHARES.contains(&what) || MANNER.contains(&what) || what.ends_with(MOST_CONNECTIONS)
    });
    // Conditions in the text are reported as conditions.
    never.retain(|difference| {
        difference.what != STUDY_TEXT
            || beside_conditions(&left.0.study_text) != beside_conditions(&right.0.study_text)
    });
    // Length and random draws of a sitting are its own.
    never.retain(|difference| !OF_A_SITTING.contains(&difference.what.as_str()));
    let (machine, conditions): (Vec<_>, Vec<_>) = environments(left.1, right.1, false)
        .into_iter()
        .partition(|difference| difference.what == MACHINE[0]);
    never.extend(machine);
    (never, told.into_iter().chain(conditions).collect())
}

/// Differences when a run is to be resumed or repeated, in two lists: those that make it another study, which cannot
/// be accepted, and those that make it another machine or other servers, which the user may accept.
pub fn continuation(
    recorded: (&Plan, &Environment),
    now: (&Plan, &Environment),
) -> (Vec<Difference>, Vec<Difference>) {
    let mut found = plans(recorded.0, now.0);
    found.extend(environments(recorded.1, now.1, false));
    let acceptable = |difference: &Difference| {
        let what = difference.what.as_str();
        let of_server = what.starts_with("variant ")
            && ["digest of ", "command", "description"].iter().any(|part| what.contains(part));
        let of_machine = what == VERSION || what.ends_with(MOST_CONNECTIONS) || MACHINE.contains(&what);
        of_server || of_machine
    };
    let of_study = |difference: &Difference| {
        let what = difference.what.as_str();
        facts_of_plan(recorded.0).contains_key(what) || facts_of_plan(now.0).contains_key(what)
    };
    let (accept, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(acceptable);
    // Other differences of the environment (limits, settings) are reported by `diff`, and stop nothing.
    (rest.into_iter().filter(of_study).collect(), accept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofload_store::schema::{StreamLoad, TlsTerms};

    fn plan() -> Plan {
        let variant = |name: &str| Variant {
            name: name.into(),
            digests: BTreeMap::from([("server.jar".to_string(), "aa".to_string())]),
            ..Variant::default()
        };
        Plan { variants: vec![variant("a"), variant("b")], seed: 7, ..Plan::default() }
    }

    fn told(difference: &Difference) -> [&str; 3] {
        let (left, right) = (difference.left.as_deref(), difference.right.as_deref());
        [&difference.what, left.unwrap_or_default(), right.unwrap_or_default()]
    }

    fn whats(found: &[Difference]) -> Vec<&str> {
        found.iter().map(|difference| difference.what.as_str()).collect()
    }

    #[test]
    fn an_order_is_told_only_where_it_does_not_follow_from_the_seed() {
        let other = Plan { order: vec![vec![vec![1, 0]]], ..plan() };
        assert_eq!(whats(&plans(&plan(), &other)), ["order"]);
        assert_eq!(whats(&plans(&plan(), &Plan { seed: 8, ..other })), ["seed"]);
    }

    #[test]
    fn a_plan_differs_from_another_where_it_differs() {
        assert_eq!(plans(&plan(), &plan()), []);
        let mut other = plan();
        other.seed = 8;
        other.variants[1].digests.insert("server.jar".into(), "bb".into());
        other.variants[1].digests.insert("more.jar".into(), "cc".into());
        other.arguments = vec!["run".into()];
        let found = plans(&plan(), &other);
        let expected = ["seed", "variant b: digest of more.jar", "variant b: digest of server.jar"];
        assert_eq!(whats(&found), expected);
        assert_eq!(found[1].left, None);
        assert_eq!(told(&found[0]), ["seed", "7", "8"]);
    }

    #[test]
    fn what_may_be_why_figures_differ_is_of_servers_and_machine() {
        let mut other = plan();
        other.seed = 8;
        other.variants[0].digests.insert("server.jar".into(), "bb".into());
        let here = Environment { proofload: "1".into(), ..Environment::default() };
        let mut there = Environment { proofload: "2".into(), ..here.clone() };
        there.facts.insert("load_at_start".into(), "0.5".into());
        let found = suspects((&plan(), &here), (&other, &there));
        assert_eq!(whats(&found), ["variant a: digest of server.jar", "proofload"]);
    }

    #[test]
    fn a_plan_does_not_differ_from_itself_as_it_was_kept() {
        let text = "workload:\n  p: { get: /, headers: { Authorization: a, Accept: b } }\n";
        let workload = vec!["p: GET /, Authorization: a, expects status 200".to_string()];
        let made = Plan { study_text: text.into(), workload, ..plan() };
        let kept = without_credentials(&made);
        assert_ne!(kept, made);
        assert_eq!(plans(&kept, &made), []);
    }

    #[test]
    fn another_kernel_may_be_accepted_and_another_study_may_not() {
        let here = Environment { kernel: "6.1".into(), ..Environment::default() };
        let mut there = Environment { kernel: "6.2".into(), ..here.clone() };
        there.facts.insert("load_1m_at_start".into(), "0.5".into());
        there.facts.insert("somaxconn".into(), "128".into());
        let mut other = plan();
        other.variants[0].digests.clear();
        let (never, perhaps) = continuation((&plan(), &here), (&other, &there));
        assert_eq!(never, []);
        assert_eq!(whats(&perhaps), ["variant a: digest of server.jar", "kernel"]);
        other.timing.slice_ns = 5;
        other.study_text = "study: another".into();
        let (never, _) = continuation((&plan(), &here), (&other, &there));
        assert_eq!(whats(&never), ["slice", "study text"]);
    }

    #[test]
    fn sittings_are_of_one_study_one_machine_and_the_same_servers() {
        let here = Environment { machine: "m1".into(), ..Environment::default() };
        let mut later = plan();
        (later.seed, later.timing.looks, later.timing.budget_ns) = (8, vec![2], 5);
        assert_eq!(sittings((&plan(), &here), (&later, &here)), (vec![], vec![]));
        let mut there = Environment { kernel: "6.2".into(), ..here.clone() };
        there.facts.insert(BUILD.into(), "bb".into());
        let (never, told) = sittings((&plan(), &here), (&later, &there));
        assert_eq!((whats(&never), whats(&told)), (vec![], vec!["kernel", BUILD]));
        there.machine = "m2".into();
        later.variants[0].digests.clear();
        later.timing.slice_ns = 5;
        let (never, _) = sittings((&plan(), &here), (&later, &there));
        assert_eq!(whats(&never), ["slice", "variant a: digest of server.jar", "machine"]);
    }

    #[test]
    fn a_new_server_is_compared_and_another_machine_is_not() {
        let here = Environment { machine: "m1".into(), ..Environment::default() };
        let mut other = plan();
        other.variants[0].digests.clear();
        other.seed = 99;
        assert_eq!(comparability((&plan(), &here), (&other, &here)), []);
        other.generator_cpus = vec![3];
        other.timing.warm_up_ns = 1_000_000_000;
        other.mode = "serial".into();
        let there = Environment { machine: "m2".into(), ..Environment::default() };
        let found = comparability((&plan(), &here), (&other, &there));
        assert_eq!(whats(&found), ["machine", "generator CPUs", "mode", "warm-up"]);
    }

    /// A plan whose load chooses its connections, of a variant that speaks TLS.
    fn secured(most: u32, trusts: &str) -> Plan {
        let stream = |most| StreamLoad {
            profile: format!("9/s, 16 connections, up to {most} while none is free, keep-alive on"),
            most_connections: most,
            ..StreamLoad::default()
        };
        let mut plan = plan();
        plan.points.push(LoadPoint { label: "9/s".into(), most_connections: most, ..LoadPoint::default() });
        plan.points.push(LoadPoint {
            label: "both".into(),
            streams: vec![stream(most), stream(7)],
            ..LoadPoint::default()
        });
        let tls = TlsTerms { server_name: "here".into(), trusts: trusts.into(), ..TlsTerms::default() };
        plan.variants[0].transport = Some(Transport { tls: Some(tls), ..Transport::default() });
        plan
    }

    #[test]
    fn what_follows_from_the_machine_makes_no_other_study() {
        let here = Environment::default();
        let then = secured(256, "the system, 142 certificates");
        let now = secured(400, "the system, 143 certificates");
        let (never, perhaps) = continuation((&then, &here), (&now, &here));
        assert_eq!(never, []);
        assert_eq!(
            whats(&perhaps),
            ["load point 9/s: most connections", "load point both: most connections"]
        );
        assert_eq!(told(&perhaps[1]), ["load point both: most connections", "[256, 7]", "[400, 7]"]);
        // A file may be named from elsewhere; another file is another server, and another name never is the same.
        let with = |path: &str, digest: &str, name: &str| {
            let mut plan = secured(256, &format!("{path}, 1 certificate"));
            let tls =
                plan.variants[0].transport.as_mut().and_then(|transport| transport.tls.as_mut()).unwrap();
            tls.digests.insert("ca".into(), digest.into());
            tls.server_name = name.into();
            plan
        };
        let then = with("ca.pem", "aa", "here");
        assert_eq!(plans(&then, &with("/away/ca.pem", "aa", "here")), []);
        let (never, perhaps) = continuation((&then, &here), (&with("ca.pem", "bb", "there"), &here));
        assert_eq!(whats(&never), ["variant a: name of the server"]);
        assert_eq!(whats(&perhaps), ["variant a: digest of TLS ca"]);
    }

    #[test]
    fn sittings_may_ask_in_different_manners() {
        let here = Environment::default();
        let asked = |driver: &str, awake: &str, more: &str| {
            let condition = PlannedCondition {
                name: "cpus_awake".into(),
                levels: vec![awake.into()],
                ..PlannedCondition::default()
            };
            Plan {
                driver: driver.into(),
                conditions: vec![condition],
                study_text: format!(
                    "# --set conditions.cpus_awake={awake}\n{more}study: s\nconditions:\n  cpus_awake: {awake}\nload: 9\n"
                ),
                ..plan()
            }
        };
        let (one, other) = (asked("epoll", "true", ""), asked("io_uring", "false", ""));
        let (never, told) = sittings((&one, &here), (&other, &here));
        assert_eq!((whats(&never), whats(&told)), (vec![], vec!["conditions", "driver"]));
        let (never, _) = sittings((&one, &here), (&asked("epoll", "true", "# --set load=9\n"), &here));
        assert_eq!(whats(&never), ["study text"]);
    }

    #[test]
    fn drivers_and_transports_are_conditions_of_a_comparison() {
        let here = Environment::default();
        let base = secured(256, "the system, 142 certificates");
        let mut other = secured(256, "the system, 143 certificates");
        assert_eq!(comparability((&base, &here), (&other, &here)), []);
        // Records without a driver were carried by epoll.
        other.driver = "epoll".into();
        assert_eq!(comparability((&base, &here), (&other, &here)), []);
        other.driver = "io_uring".into();
        other.variants[0].transport = None;
        other.variants[1].transport = Some(Transport { proxy: "p:1".into(), ..Transport::default() });
        other.no_ceiling = true;
        other.timing.perturbation_ns = 1;
        let found = comparability((&base, &here), (&other, &here));
        assert_eq!(whats(&found), ["driver", "variant a: transport", "variant b: transport"]);
        assert_eq!(told(&found[2]), ["variant b: transport", "plain", "by way of p:1"]);
        let all = plans(&base, &other);
        assert!(whats(&all).contains(&"ceiling") && whats(&all).contains(&"perturbation"), "{all:?}");
        // A variant that is on one side alone is compared with nothing.
        other.variants.remove(0);
        assert!(!whats(&comparability((&base, &here), (&other, &here))).contains(&"variant a: transport"));
    }

    #[test]
    fn what_passes_in_minutes_is_told_only_when_asked_for() {
        let here = Environment::default();
        let mut there = here.clone();
        there.facts.insert("memory_available_bytes".into(), "5".into());
        assert_eq!(environments(&here, &there, false), []);
        assert_eq!(environments(&here, &there, true).len(), 1);
    }
}
