//! Sentences of the page of reproductions.

use crate::number;
use proofload_language::{Columns, Phrase, named, say, word};
use proofload_store::schema::{ConclusionOutcome, Environment, Plan, RunResult, RunState};

pub const REPRODUCTIONS: Phrase = Phrase("reproductions");
/// How the page came about, and where to read on. In Markdown.
pub const REPRODUCTIONS_HEAD: Phrase = Phrase("reproductions-head");
pub const NO_REPRODUCTIONS: Phrase = Phrase("no-reproductions");
pub const SUMMARY_COLUMNS: Columns<5> = Columns("summary-columns");
/// Heading of the conclusions of a study.
pub const STUDY_CONCLUSIONS: Phrase = Phrase("study-conclusions");
/// Columns of the conclusions of a study.
pub const STUDY_CONCLUSION_COLUMNS: Columns<6> = Columns("study-conclusion-columns");
/// Heading of the published figures beside those found.
pub const STUDY_FIGURES: Phrase = Phrase("study-figures");
/// Heading of what was not tested.
pub const STUDY_NOT_TESTED: Phrase = Phrase("study-not-tested");
/// Heading of the claims that test no conclusion.
pub const FURTHER_CLAIMS: Phrase = Phrase("further-claims");
pub const REPEAT: Phrase = Phrase("repeat");
/// What begins the line that measures anew.
pub const MEASURE_AGAIN: Phrase = Phrase("measure-again");
/// What begins the line that computes anew.
pub const COMPUTE_AGAIN: Phrase = Phrase("compute-again");
/// A study of a record that states no conclusion.
pub const CONCLUDES_NOTHING: Phrase = Phrase("concludes-nothing");

/// How many came out how.
pub fn reproductions_tally(outcomes: &[&ConclusionOutcome]) -> String {
    let count = |wanted: &ConclusionOutcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    use ConclusionOutcome::{NotReproduced, NotTested, Reproduced, Undecided};
    let each = [Reproduced, NotReproduced, Undecided, NotTested]
        .map(|outcome| format!("{} {outcome}", count(&outcome)));
    say!("reproductions-tally", outcomes = outcomes.len(), each = each.join(word!("between-items")))
}

pub fn published_by(published_in: &str) -> String {
    say!("published-by", published_in)
}

/// When and for how long it was measured.
pub fn measured_on(date: &str, plan: &Plan, result: &RunResult) -> String {
    let minutes = number::plain(plan.timing.budget_ns as f64 / 60e9);
    let blocks = super::complete_and_excluded(result.blocks, result.excluded_blocks);
    let ended = match &result.status.state {
        RunState::Finished => None,
        state => Some(super::ended(state, result.status.why.as_ref())),
    };
    say!("measured-on", date, preset = named(plan.preset.name()), minutes, blocks, ended)
}

/// What of the study was not as its file has it.
pub fn set_differently(settings: &[String]) -> String {
    say!("set-differently", settings = settings.join(word!("between-items")))
}

/// On what, in a line.
pub fn measured_with(environment: &Environment) -> String {
    let model = Some(&environment.cpu_model).filter(|model| !model.is_empty());
    say!(
        "measured-with",
        model,
        cpus = environment.cpus.len(),
        memory = number::bytes(environment.memory_bytes as f64),
        kernel = environment.kernel,
        proofload = environment.proofload
    )
}

/// What is further said of a conclusion.
pub fn of_conclusion(says: &str, sentence: &str) -> String {
    say!("labelled", label = says, what = sentence)
}
