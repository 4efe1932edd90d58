//! Two runs side by side.

use crate::ui::frame::{Content, saying, table};
use crate::ui::messages;
use crate::ui::records::Record;
use crate::ui::route::{encoded, in_query};
use proofload_analysis::compare::environment_facts;
use proofload_analysis::diff_of;
use proofload_language::{Columns, named, tr};
use proofload_report::escape::html as safe;
use proofload_report::{of_run, page_of_two};
use proofload_store::schema::{Difference, RunResult, Verdict};
use proofload_store::{Run, Single};
use std::collections::BTreeMap;

/// Both runs, the second against the first.
pub fn compare(base: &str, first: &Record, second: &Record) -> Content {
    if Single::is_at(&first.path) || Single::is_at(&second.path) {
        return saying(&messages::TWO_RUNS, tr!("ui-single"));
    }
    match both(base, [first, second]) {
        Ok(content) => content,
        Err(why) => saying(&messages::TWO_RUNS, &messages::unread(&why)),
    }
}

fn both(base: &str, records: [&Record; 2]) -> Result<Content, String> {
    let open = |record: &Record| {
        let mut run = Run::open(&record.path).map_err(|error| error.to_string())?;
        // It would count as one that was lost.
        run.take_current();
        Ok::<Run, String>(run)
    };
    let runs = [open(records[0])?, open(records[1])?];
    let result = |run| of_run(run).map_err(|error| error.to_string());
    let results = [result(&runs[0])?, result(&runs[1])?];
    let [first, second] = &runs;
    let diff = diff_of([first, second], [&results[0], &results[1]]).map_err(|error| error.to_string())?;
    let figures = page_of_two(&diff);
    let main = [
        header(base, records, &results),
        verdicts(&results),
        figures.body,
        section(&messages::PLAN, &differences(&messages::PLAN, &diff.plan)),
        environment(&runs, &diff.environment),
    ];
    let title = messages::TWO_RUNS.to_string();
    Ok(Content { title, main: main.concat(), charts: figures.charts, ..Content::default() })
}

fn section(title: &str, content: &str) -> String {
    format!("<section><h2>{title}</h2>{content}</section>\n")
}

fn header(base: &str, records: [&Record; 2], results: &[RunResult; 2]) -> String {
    let one = |at: usize| {
        let (side, record, result) =
            (Columns::<3>("ui-side-columns").texts()[at + 1], records[at], &results[at]);
        format!(
            "<dt>{side}</dt><dd><a href=\"{base}/run/{}\">{}</a> <small>{}</small></dd>",
            encoded(&record.study, &record.id),
            safe(&result.study),
            safe(&record.id.to_string_lossy())
        )
    };
    let [first, second] = records.map(|of| in_query(&encoded(&of.study, &of.id)));
    format!(
        "<header><p class=\"brand\">Proofload</p><h1>{}</h1><dl>{}{}</dl>\
         <p><a href=\"{base}/compare?run={second}&amp;run={first}\">{}</a></p></header>\n",
        messages::TWO_RUNS,
        one(0),
        one(1),
        tr!("ui-swap")
    )
}

/// A line whose sides may differ; a difference is marked by a sign, by its weight, and for a screen reader.
fn line(name: &str, sides: [&str; 2], differs: bool) -> String {
    let (class, sign) = match differs {
        true => (
            " class=\"differs\"",
            format!("<abbr title=\"{}\">{}</abbr> ", tr!("ui-differs"), messages::DIFFERS_SIGN),
        ),
        false => ("", String::new()),
    };
    let sides: String = sides.iter().map(|side| format!("<td>{side}</td>")).collect();
    format!("<tr{class}><td>{sign}{}</td>{sides}</tr>\n", safe(name))
}

/// A table of what both have.
fn sides(title: &str, rows: &str) -> String {
    table("sides", title, &Columns::<3>("ui-side-columns").texts(), rows)
}

/// All claims of either run.
fn verdicts(results: &[RunResult; 2]) -> String {
    let mut claims: Vec<(&str, &str)> = Vec::new();
    for claim in results.iter().flat_map(|result| &result.claims) {
        let key = (claim.name.as_str(), claim.text.as_str());
        if !claims.contains(&key) {
            claims.push(key);
        }
    }
    if claims.is_empty() {
        return section(&messages::VERDICTS, &format!("<p>{}</p>", tr!("ui-no-claims")));
    }
    let of = |result: &RunResult, key: (&str, &str)| {
        let found = result.claims.iter().find(|claim| (claim.name.as_str(), claim.text.as_str()) == key);
        found.map(|claim| claim.verdict.clone())
    };
    let rows = claims.into_iter().map(|key| {
        let [first, second] = [of(&results[0], key), of(&results[1], key)];
        let told = |verdict: &Option<Verdict>| match verdict {
            Some(verdict) => {
                let word = verdict.name();
                format!("<span class=\"{}\">{}</span>", safe(word), safe(named(word)))
            }
            None => messages::NONE.to_string(),
        };
        let name = if key.0 == key.1 || key.0.is_empty() {
            key.1.to_string()
        } else {
            format!("{}: {}", key.0, key.1)
        };
        line(&name, [&told(&first), &told(&second)], first != second)
    });
    let rows: String = rows.collect();
    section(&messages::VERDICTS, &sides(&messages::VERDICTS, &rows))
}

fn differences(title: &str, all: &[Difference]) -> String {
    if all.is_empty() {
        return format!("<p>{}</p>", messages::SAME);
    }
    let row = |difference: &Difference| {
        let [left, right] = apart(difference);
        line(&difference.what, [&left, &right], true)
    };
    sides(title, &all.iter().map(row).collect::<String>())
}

/// Both sides; of texts of several lines those that the other does not have.
fn apart(difference: &Difference) -> [String; 2] {
    let side = |own: &Option<String>, other: &Option<String>| {
        let Some(own) = own else { return messages::NONE.to_string() };
        let other = other.as_deref().unwrap_or_default();
        if !own.contains('\n') && !other.contains('\n') {
            return safe(own);
        }
        let lines: Vec<&str> =
            own.lines().filter(|line| !other.lines().any(|there| there == *line)).collect();
        format!("<pre>{}</pre>", safe(&lines.join("\n")))
    };
    [side(&difference.left, &difference.right), side(&difference.right, &difference.left)]
}

/// All facts of the two machines: what differs, and folded what does not.
fn environment(runs: &[Run; 2], differing: &[Difference]) -> String {
    let [left, right] = [&runs[0], &runs[1]].map(|run| environment_facts(run.environment()));
    let same: BTreeMap<&String, &String> =
        left.iter().filter(|(name, value)| right.get(*name) == Some(*value)).collect();
    let rows: String =
        same.iter().map(|(name, value)| line(name, [&safe(value), &safe(value)], false)).collect();
    let folded = match same.len() {
        0 => String::new(),
        n => format!(
            "<details><summary>{}</summary>{}</details>",
            tr!("ui-same-facts", n),
            sides(&messages::ENVIRONMENT, &rows)
        ),
    };
    section(&messages::ENVIRONMENT, &(differences(&messages::ENVIRONMENT, differing) + &folded))
}
