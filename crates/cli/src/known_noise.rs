//! Known noise of this machine, compared with the claims of a study.

use proofload_host::{clock, cpus};
use proofload_lab::study_run::PreparedRun;
use proofload_lab::{noise, spreads};
use proofload_language::facts::told;
use proofload_language::{Phrase, tr};
use proofload_stats::{Claim, Side};
use proofload_store::schema::{Environment, Preset, Runtime, SpreadKind};
use proofload_study::Condition;
use proofload_subject::Cache;

/// Shown where the noise of the machine is unknown.
const UNKNOWN: Phrase = Phrase("doubts-unknown");

/// The last audit of this machine in two lines; one line when there is none.
pub fn last_audit(environment: &Environment) -> Vec<String> {
    let Some(audit) = Cache::open().ok().and_then(|cache| noise::last(&cache, environment)) else {
        return vec![UNKNOWN.to_string()];
    };
    let now_ns = clock::unix_ns();
    let age = proofload_report::age(now_ns.saturating_sub(audit.measured_unix_ns));
    let outdated = noise::outdated(&audit, environment, now_ns);
    proofload_report::noise_lines(&audit, &age, &outdated).to_vec()
}

/// Spreads that earlier runs of this machine lend: the number of runs, and a line for each kind of comparison or level.
pub fn lent(environment: &Environment) -> Vec<String> {
    let now_ns = clock::unix_ns();
    let kept = Cache::open().map_or_else(|_| Vec::new(), |cache| spreads::read(&cache, now_ns));
    let (known, runs, began_ns) = spreads::known(&kept, environment);
    if runs == 0 {
        return vec![tr!("doctor-lent-none").to_string()];
    }
    let age = proofload_report::age(now_ns.saturating_sub(began_ns));
    let of = |known: &spreads::Known| {
        let tau = known.between.map(|between| proofload_report::number::percent(between.tau));
        tr!(
            "doctor-lent-row",
            measure = known.like.measure,
            kind = if known.like.kind == SpreadKind::Ratio { "ratio" } else { "level" },
            runtime = match known.like.runtime {
                Runtime::Native => "native",
                Runtime::Jvm => "jvm",
                Runtime::Both => "both",
            },
            model = known.like.model.name(),
            seconds = format!("{:.1}", known.like.seconds),
            spread = proofload_report::number::percent(known.spread),
            relatives = known.relatives,
            tau
        )
    };
    let rows = known.iter().map(of);
    std::iter::once(tr!("doctor-lent", runs, age)).chain(rows).collect()
}

/// Claims of a study that this machine can hardly resolve, a line each; a single line if the noise of the machine is
/// unknown. Empty for a study without comparisons.
pub fn of(prepared: &PreparedRun<'_>, cache: &Cache) -> Vec<String> {
    let claims = &prepared.study.claims;
    let compares = |claim: &Claim| matches!(claim.right, Side::Measured { .. });
    if prepared.plan.preset == Preset::Smoke || !claims.iter().any(compares) {
        return Vec::new();
    }
    let environment = &prepared.environment;
    let Some(audit) = noise::last(cache, environment) else { return vec![UNKNOWN.to_string()] };
    let doubts = noise::resolution_warnings(claims, &prepared.plan, &audit);
    let mut said: Vec<String> =
        doubts.iter().map(|doubt| tr!("doubts-warning", doubt = told(doubt))).collect();
    let outdated = noise::outdated(&audit, environment, clock::unix_ns());
    if !said.is_empty() && !outdated.is_empty() {
        said.push(tr!("doubts-old", outdated = outdated.join(tr!("between-items"))));
    }
    said
}

/// A warning where generator and servers were given the same CPU.
pub fn shared_cpus(prepared: &PreparedRun<'_>) -> Option<String> {
    let conditions = &prepared.study.conditions;
    let [own, servers] = [Condition::GeneratorCpus, Condition::ServerCpus].map(|it| conditions.cpus(it));
    let shared: Vec<usize> = own.into_iter().filter(|cpu| servers.contains(cpu)).collect();
    (!shared.is_empty()).then(|| tr!("doubts-shared-cpus", cpus = cpus::list_text(&shared)))
}

/// The same at the end of an explanation.
pub fn section(doubts: &[String]) -> String {
    match doubts {
        [] => String::new(),
        lines => format!("\n{}\n  {}\n", tr!("doubts-heading"), lines.join("\n  ")),
    }
}
