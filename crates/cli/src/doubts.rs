//! What is known of this machine's noise, held against what a study claims.

use proofload_host::clock;
use proofload_lab::noise;
use proofload_lab::study_run::PreparedRun;
use proofload_language::facts::told;
use proofload_language::{Phrase, say, word};
use proofload_stats::{Claim, Side};
use proofload_store::schema::{Environment, Preset};
use proofload_subject::Cache;

/// Where nothing is known of the machine's noise.
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

/// What a study asks for and this machine can hardly resolve, a line each; where nothing is known of the machine, one
/// that says so. Nothing for a study that judges nothing.
pub fn of(prepared: &PreparedRun<'_>, cache: &Cache) -> Vec<String> {
    let claims = &prepared.study.claims;
    let compares = |claim: &Claim| matches!(claim.right, Side::Measured { .. });
    if prepared.plan.preset == Preset::Smoke || !claims.iter().any(compares) {
        return Vec::new();
    }
    let environment = &prepared.environment;
    let Some(audit) = noise::last(cache, environment) else { return vec![UNKNOWN.to_string()] };
    let doubts = noise::doubts(claims, &prepared.plan, &audit);
    let mut said: Vec<String> =
        doubts.iter().map(|doubt| say!("doubts-warning", doubt = told(doubt))).collect();
    let outdated = noise::outdated(&audit, environment, clock::unix_ns());
    if !said.is_empty() && !outdated.is_empty() {
        said.push(say!("doubts-old", outdated = outdated.join(word!("between-items"))));
    }
    said
}

/// The same at the end of an explanation.
pub fn section(doubts: &[String]) -> String {
    match doubts {
        [] => String::new(),
        lines => format!("\n{}\n  {}\n", word!("doubts-heading"), lines.join("\n  ")),
    }
}
