//! Sentences of the page of reproductions.

use crate::number;
use proofload_store::schema::{ConclusionOutcome, Environment, Plan, RunResult, RunState};

/// Title of the page.
pub const REPRODUCTIONS: &str = "Published experiments, repeated";
/// How the page came about, and where to read on. In Markdown.
pub const REPRODUCTIONS_HEAD: &str = "`proofload reproductions` wrote this page from the records that it names; change them, not it. \
     From each record `proofload report` computes every verdict again. Figures and conclusions are those of the named \
     sources; what is found is of today's versions on the machine that stands with it. \
     [What the words mean](method.md#published-conclusions-and-figures).";
/// No record was found.
pub const NO_REPRODUCTIONS: &str = "No record is here yet.";
/// Columns of the summary.
pub const SUMMARY_COLUMNS: [&str; 5] = ["study", "conclusion", "was", "here", "outcome"];
/// Heading of the conclusions of a study.
pub const STUDY_CONCLUSIONS: &str = "Conclusions";
/// Columns of the conclusions of a study.
pub const STUDY_CONCLUSION_COLUMNS: [&str; 6] =
    ["conclusion", "was", "tested by", "here", "blocks", "outcome"];
/// Heading of the published figures beside those found.
pub const STUDY_FIGURES: &str = "Published and found";
/// Heading of what was not tested.
pub const STUDY_NOT_TESTED: &str = "Not tested";
/// Heading of the claims that test no conclusion.
pub const FURTHER_CLAIMS: &str = "Further claims of the study";
/// Heading of the commands.
pub const REPEAT: &str = "Again";
/// What begins the line that measures anew.
pub const MEASURE_AGAIN: &str = "# measure it again";
/// What begins the line that computes anew.
pub const COMPUTE_AGAIN: &str = "# compute every verdict again from the record";
/// A study of a record that states no conclusion.
pub const CONCLUDES_NOTHING: &str = "The study names no published conclusion.";

/// How many came out how.
pub fn reproductions_tally(outcomes: &[&ConclusionOutcome]) -> String {
    let count = |wanted: &ConclusionOutcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    use ConclusionOutcome::{NotReproduced, NotTested, Reproduced, Undecided};
    let each = [Reproduced, NotReproduced, Undecided, NotTested]
        .map(|outcome| format!("{} {outcome}", count(&outcome)));
    let noun = if outcomes.len() == 1 { "conclusion" } else { "conclusions" };
    format!("{} {noun}: {}.", outcomes.len(), each.join(", "))
}

/// Who published it.
pub fn published_by(published_in: &str) -> String {
    format!("published: {published_in}")
}

/// When and for how long it was measured.
pub fn measured_on(date: &str, plan: &Plan, result: &RunResult) -> String {
    let minutes = number::plain(plan.timing.budget_ns as f64 / 60e9);
    let blocks = super::complete_and_excluded(result.blocks, result.excluded_blocks);
    let ended = match &result.status.state {
        RunState::Finished => String::new(),
        state => format!("; {}", super::ended(state, &result.status.why)),
    };
    format!("measured: {date}, preset {}, budget {minutes} min, blocks {blocks}{ended}", plan.preset)
}

/// What of the study was not as its file has it.
pub fn set_differently(settings: &[String]) -> String {
    format!("not as the study's file has it: {}", settings.join(", "))
}

/// On what, in a line.
pub fn measured_with(environment: &Environment) -> String {
    let model = if environment.cpu_model.is_empty() { "unknown CPU" } else { &environment.cpu_model };
    let cpus = environment.cpus.len();
    let noun = if cpus == 1 { "CPU" } else { "CPUs" };
    format!(
        "machine: {model}, {cpus} {noun}, {}, Linux {}; Proofload {}",
        number::bytes(environment.memory_bytes as f64),
        environment.kernel,
        environment.proofload
    )
}

/// What is further said of a conclusion.
pub fn of_conclusion(says: &str, sentence: &str) -> String {
    format!("{says}: {sentence}")
}
