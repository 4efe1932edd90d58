//! For pull requests.

use crate::escape::markdown as safe;
use crate::messages;
use crate::view::{Table, VerdictView, View, view};
use proofload_store::schema::{BadAnswer, RunResult};

/// The result as Markdown with tables.
pub fn markdown(result: &RunResult) -> String {
    let view = view(result);
    let mut out = format!("# {}\n\n", safe(&view.title));
    for text in [&view.question, &view.ended].into_iter().filter(|text| !text.is_empty()) {
        out.push_str(&format!("{}\n\n", safe(text)));
    }
    if !view.headline.is_empty() {
        out.push_str(&format!("**{}**\n\n", safe(&view.headline)));
    }
    verdicts(messages::VERDICTS, "claim", &view.verdicts, &mut out);
    verdicts(messages::EXPECTATIONS, "expectation", &view.expectations, &mut out);
    view.tables.iter().for_each(|table| rows(table, &mut out));
    bad_answers(&view, &mut out);
    list(messages::LIMITS, &view.limits, &mut out);
    pairs(messages::PARAMETERS, &view.parameters, &mut out);
    pairs(messages::ENVIRONMENT, &view.environment, &mut out);
    out
}

fn verdicts(title: &str, what: &str, verdicts: &[VerdictView], out: &mut String) {
    if verdicts.is_empty() {
        return;
    }
    out.push_str(&format!(
        "## {title}\n\n| verdict | {what} | rests on | why |\n| --- | --- | --- | --- |\n"
    ));
    for verdict in verdicts {
        let why = verdict.reasons.iter().map(|reason| safe(reason)).collect::<Vec<_>>().join("; ");
        out.push_str(&format!(
            "| **{}** | {}: {} | {} | {why} |\n",
            safe(&verdict.verdict),
            safe(&verdict.name),
            safe(&verdict.text),
            safe(&verdict.rests_on)
        ));
    }
    out.push('\n');
}

fn rows(table: &Table, out: &mut String) {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| safe(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    out.push_str(&format!("## {}\n\n{}", safe(&table.title), row(&table.header)));
    let rules =
        std::iter::once("---").chain(std::iter::repeat_n("---:", table.header.len().saturating_sub(1)));
    out.push_str(&format!("| {} |\n", rules.collect::<Vec<_>>().join(" | ")));
    table.rows.iter().for_each(|cells| out.push_str(&row(cells)));
    out.push('\n');
}

/// The first line of each; the rest is in the other formats.
fn bad_answers(view: &View, out: &mut String) {
    let said = |answer: &BadAnswer| match answer.received.lines().next() {
        Some(first) => format!("{}: {}: {first}", answer.outcome, answer.what),
        None => format!("{}: {}", answer.outcome, answer.what),
    };
    list(messages::BAD_ANSWERS, &view.bad_answers.iter().map(said).collect::<Vec<_>>(), out);
}

fn list(title: &str, items: &[String], out: &mut String) {
    if items.is_empty() {
        return;
    }
    out.push_str(&format!("## {title}\n\n"));
    items.iter().for_each(|item| out.push_str(&format!("- {}\n", safe(item))));
    out.push('\n');
}

fn pairs(title: &str, pairs: &[(String, String)], out: &mut String) {
    if pairs.is_empty() {
        return;
    }
    out.push_str(&format!("<details><summary>{title}</summary>\n\n| | |\n| --- | --- |\n"));
    pairs.iter().for_each(|(name, value)| out.push_str(&format!("| {} | {} |\n", safe(name), safe(value))));
    out.push_str("\n</details>\n\n");
}
