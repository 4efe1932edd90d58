//! The page of reproductions: published conclusions, and the findings of records about them, as Markdown for
//! the documents.

use crate::escape::{markdown, markdown_line, shell};
use crate::shown::VerdictView;
use crate::view::{View, view};
use crate::{messages, number};
use proofload_facts::Limit;
use proofload_language::facts::told;
use proofload_language::{Columns, named, tr};
use proofload_store::schema::{
    ConclusionOutcome, ConclusionResult, ConclusionTest, Environment, Plan, RunResult, RunState,
};

/// A record with the name under which a reader finds it.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// Its directory, as it is to be named.
    pub record: String,
    /// Start of the run, for people.
    pub date: String,
    pub result: RunResult,
}

/// The page for these records, in their order.
pub fn reproductions(records: &[Reproduction]) -> String {
    let mut out = format!("# {}\n\n{}\n\n", tr!("reproductions"), tr!("reproductions-head"));
    if records.is_empty() {
        return format!("{out}{}\n", tr!("no-reproductions"));
    }
    let rows =
        || records.iter().flat_map(|record| record.result.conclusions.iter().map(move |row| (record, row)));
    let outcomes: Vec<_> = rows().map(|(_, row)| &row.outcome).collect();
    out.push_str(&format!("{}\n\n", reproductions_tally(&outcomes)));
    let summary: Vec<Vec<String>> = rows().map(|(record, row)| summary_row(record, row)).collect();
    out.push_str(&table(&Columns::<5>("summary-columns").texts(), &summary));
    records.iter().for_each(|record| out.push_str(&section(record)));
    format!("{}\n", out.trim_end())
}

fn table(columns: &[&str], rows: &[Vec<String>]) -> String {
    let lines = rows.iter().map(|cells| format!("| {} |\n", cells.join(" | ")));
    match rows {
        [] => String::new(),
        _ => format!(
            "| {} |\n|{}\n{}\n",
            columns.join(" | "),
            " --- |".repeat(columns.len()),
            lines.collect::<String>()
        ),
    }
}

fn list(title: &str, items: &[String]) -> String {
    let lines = items.iter().map(|item| format!("- {}\n", markdown(item)));
    match items {
        [] => String::new(),
        _ => format!("### {title}\n\n{}\n", lines.collect::<String>()),
    }
}

fn bold(word: &str) -> String {
    format!("**{}**", markdown(word))
}

fn or_none(text: &str) -> String {
    if text.is_empty() { messages::NONE.to_string() } else { markdown(text) }
}

fn estimate(test: &ConclusionTest) -> String {
    test.estimate.as_ref().map_or_else(|| messages::NONE.to_string(), |it| markdown(&messages::interval(it)))
}

fn summary_row(record: &Reproduction, row: &ConclusionResult) -> Vec<String> {
    let here: Vec<String> = row.tests.iter().map(estimate).collect();
    let here = if here.is_empty() { messages::NONE.to_string() } else { here.join(tr!("between-sentences")) };
    vec![
        markdown(&record.result.study),
        markdown(&row.says),
        or_none(&row.was),
        here,
        bold(named(row.outcome.name())),
    ]
}

fn section(record: &Reproduction) -> String {
    let result = &record.result;
    let view = view(result);
    let mut out = format!("## {}\n\n", markdown(&result.study));
    if !result.question.is_empty() {
        out.push_str(&format!("{}\n\n", markdown_line(&result.question)));
    }
    let plan = result.plan.clone().unwrap_or_default();
    let sources = plan.references.iter();
    let sources =
        sources.map(|it| tr!("published-by", published_in = messages::published_in(&it.source, &it.url)));
    let facts = [measured_on(&record.date, &plan, result), measured_with(&result.environment)];
    let changed = (!plan.settings.is_empty())
        .then(|| tr!("set-differently", settings = plan.settings.join(tr!("between-items"))));
    let facts = sources.chain(facts).chain(changed);
    facts.for_each(|fact| out.push_str(&format!("- {}\n", markdown(&fact))));
    out.push('\n');
    if result.conclusions.is_empty() {
        out.push_str(&format!("{}\n\n", tr!("concludes-nothing")));
    } else {
        out.push_str(&format!("### {}\n\n", tr!("study-conclusions")));
        let rows: Vec<Vec<String>> = result.conclusions.iter().flat_map(conclusion_rows).collect();
        out.push_str(&table(&Columns::<6>("study-conclusion-columns").texts(), &rows));
        let notes: Vec<String> = result.conclusions.iter().flat_map(notes).collect();
        notes.iter().for_each(|note| out.push_str(&format!("- {}\n", markdown(note))));
        if !notes.is_empty() {
            out.push('\n');
        }
    }
    out.push_str(&further_claims(&view, result));
    out.push_str(&trends(&view));
    out.push_str(&list(messages::CONTRADICTIONS.text(), &view.contradictions));
    out.push_str(&published(result));
    let not_tested: Vec<String> = plan.not_tested.iter().map(told).collect();
    out.push_str(&list(tr!("study-not-tested"), &not_tested));
    out.push_str(&list(messages::LIMITS.text(), &limits(result)));
    out + &again(record, &plan)
}

/// A row for each test; a conclusion of which nothing was tested has one all the same.
fn conclusion_rows(row: &ConclusionResult) -> Vec<Vec<String>> {
    let cells = |tested_by: String, here: String, blocks: String, outcome: &str| {
        vec![markdown(&row.says), or_none(&row.was), tested_by, here, blocks, bold(outcome)]
    };
    let none = || messages::NONE.to_string();
    match row.tests.as_slice() {
        [] => vec![cells(none(), none(), none(), named(row.outcome.name()))],
        tests => tests
            .iter()
            .map(|test| {
                let sure = format!("{}, {}", estimate(test), number::percent(test.confidence));
                let here = if test.estimate.is_some() { sure } else { none() };
                cells(markdown(&test.text), here, test.blocks.to_string(), named(test.outcome.name()))
            })
            .collect(),
    }
}

/// Notes on a conclusion.
fn notes(row: &ConclusionResult) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    if row.tests.len() > 1 {
        said.push(named(row.outcome.name()).to_string());
    }
    said.extend(row.tests.iter().flat_map(|test| test.reasons.iter().map(told)));
    said.extend(row.not_tested.iter().map(told));
    said.extend(Some(&row.beware).filter(|why| !why.is_empty()).map(|why| tr!("beware", why)));
    said.extend(row.contradictions.iter().map(|it| tr!("rests-on-contradiction", sentence = told(it))));
    said.iter().map(|sentence| of_conclusion(&row.says, sentence)).collect()
}

/// Claims that no conclusion is tested by; a study may ask for more than was published.
fn further_claims(view: &View, result: &RunResult) -> String {
    let tested =
        |name: &str| result.conclusions.iter().flat_map(|row| &row.tests).any(|test| test.claim == name);
    let others = result.claims.iter().zip(&view.verdicts).filter(|(claim, _)| !tested(&claim.name));
    let rows = others.map(|(_, row)| (messages::claimed(&row.name, &row.text), row)).collect();
    verdicts(tr!("further-claims"), tr!("claim"), rows)
}

/// Outcome of each quantity of a soak, with its notes.
fn trends(view: &View) -> String {
    let rows = view.trends.iter().map(|row| (row.name.clone(), row)).collect();
    let reasons = |row: &VerdictView| {
        row.reasons.iter().map(|reason| of_conclusion(&row.name, reason)).collect::<Vec<_>>()
    };
    let notes = view.trends.iter().flat_map(reasons).map(|note| format!("- {}\n", markdown(&note)));
    let notes: String = notes.collect();
    let gap = if notes.is_empty() { "" } else { "\n" };
    verdicts(messages::TRENDS.text(), tr!("trend"), rows) + &notes + gap
}

/// A section with a row for each verdict, `what` being the column of what it is on; empty without any.
fn verdicts(title: &str, what: &str, rows: Vec<(String, &VerdictView)>) -> String {
    let [verdict, what, rests_on, _] = messages::verdict_columns(what);
    let cells = |(name, row): &(String, &VerdictView)| {
        vec![markdown(name), or_none(&row.rests_on), bold(&row.verdict)]
    };
    match rows.as_slice() {
        [] => String::new(),
        rows => {
            let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
            format!("### {title}\n\n{}", table(&[what, rests_on, verdict], &rows))
        }
    }
}

fn published(result: &RunResult) -> String {
    let of = crate::view::published(result);
    let Some(drawn) = of else { return String::new() };
    let header: Vec<&str> = drawn.header.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> =
        drawn.rows.iter().map(|row| row.iter().map(|cell| markdown(cell)).collect()).collect();
    format!("### {}\n\n{}", tr!("study-figures"), table(&header, &rows))
}

/// Limits of the test, except those listed under *not tested*.
fn limits(result: &RunResult) -> Vec<String> {
    let is_listed = |limit: &&Limit| matches!(limit, Limit::NotTested { .. });
    result.limits.iter().filter(|limit| !is_listed(limit)).map(told).collect()
}

/// Arguments that choose where and how a result is shown, and have a value of their own.
const SHOWN_WITH: [&str; 5] = ["--dir", "--format", "--output", "-o", "--undecided"];
/// Those that have none.
const SHOWN: [&str; 4] = ["-q", "--quiet", "--github-summary", "--no-wait"];

/// The commands that measure and compute it again.
fn again(record: &Reproduction, plan: &Plan) -> String {
    let mut out = format!("### {}\n\n```sh\n", tr!("repeat"));
    let mut kept: Vec<String> = Vec::new();
    let mut arguments = plan.arguments.iter();
    while let Some(argument) = arguments.next() {
        if SHOWN_WITH.contains(&argument.as_str()) {
            arguments.next();
        } else if !SHOWN.contains(&argument.as_str())
            && !SHOWN_WITH.iter().any(|shown| argument.starts_with(&format!("{shown}=")))
        {
            kept.push(shell(argument));
        }
    }
    if !kept.is_empty() {
        out.push_str(&format!("{}\nproofload {}\n", tr!("measure-again"), kept.join(" ")));
    }
    out.push_str(&format!("{}\nproofload report {}\n```\n\n", tr!("compute-again"), shell(&record.record)));
    out
}

/// Number of conclusions of each outcome.
fn reproductions_tally(outcomes: &[&ConclusionOutcome]) -> String {
    let count = |wanted: &ConclusionOutcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    use ConclusionOutcome::{NotReproduced, NotTested, Reproduced, Undecided};
    let each = [Reproduced, NotReproduced, Undecided, NotTested]
        .map(|outcome| format!("{} {outcome}", count(&outcome)));
    tr!("reproductions-tally", outcomes = outcomes.len(), each = each.join(tr!("between-items")))
}

/// Date and length of the measurement.
fn measured_on(date: &str, plan: &Plan, result: &RunResult) -> String {
    let minutes = number::plain(plan.timing.budget_ns as f64 / 60e9);
    let blocks = crate::messages::complete_and_excluded(result.blocks, result.excluded_blocks);
    let ended = match &result.status.state {
        RunState::Finished => None,
        state => Some(crate::messages::ended(state, result.status.why.as_ref())),
    };
    tr!("measured-on", date, preset = named(plan.preset.name()), minutes, blocks, ended)
}

/// On what, in a line.
fn measured_with(environment: &Environment) -> String {
    let model = Some(&environment.cpu_model).filter(|model| !model.is_empty());
    tr!(
        "measured-with",
        model,
        cpus = environment.cpus.len(),
        memory = number::bytes(environment.memory_bytes as f64),
        kernel = environment.kernel,
        proofload = environment.proofload
    )
}

/// A note on a conclusion.
fn of_conclusion(says: &str, sentence: &str) -> String {
    tr!("labelled", label = says, what = sentence)
}
