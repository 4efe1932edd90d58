//! The list of runs.

use crate::ui::frame::{Content, table};
use crate::ui::messages;
use crate::ui::records::{Found, Record, Records};
use crate::ui::route::encoded;
use crate::ui::rows::{Row, Rows};
use proofload_host::{clock, lock};
use proofload_language::{Columns, Phrase, named, tr};
use proofload_report::Lead;
use proofload_report::escape::html as safe;

/// Runs that are shown at once.
const SHOWN_MAX: usize = 200;

/// Interval in which a browser asks for another run, in seconds.
const FOLLOW_S: u32 = 5;

/// As many digits of a machine's digest as `history` shows.
const MACHINE_DIGITS: usize = 8;

/// The list of the runs that have every word of `search`.
pub fn list(base: &str, records: &Records, rows: &mut Rows, search: &str) -> Content {
    let folder = safe(&tr!("ui-in-folder", folder = records.folder().display().to_string()));
    let Found { records: all, unread } = match records.all() {
        Ok(found) => found,
        Err(error) => {
            let why = messages::unread_folder(&records.folder().display().to_string(), &error);
            return Content { follow_s: Some(FOLLOW_S), ..crate::ui::frame::saying(&messages::RUNS, &why) };
        }
    };
    let rows = rows.of(&all);
    let title = if all.is_empty() { tr!("ui-no-runs") } else { messages::RUNS.text() };
    let unread = unread.iter().map(|(study, error)| messages::unread_folder(&study.to_string_lossy(), error));
    let unread: String = unread.map(|line| format!("<p class=\"refuted\">{}</p>", safe(&line))).collect();
    let mut main = format!(
        "<header><p class=\"brand\">Proofload</p><h1>{title}</h1><p class=\"says\">{folder}</p>{unread}{}</header>\n",
        measuring()
    );
    main.push_str(&match all.is_empty() {
        true => first_runs(),
        false => found(base, &all, &rows, search),
    });
    Content { title: title.to_string(), main, follow_s: Some(FOLLOW_S), ..Content::default() }
}

/// Holder of the lock that measures on this machine at the moment.
pub fn measuring() -> String {
    match lock::holder() {
        Ok(Some(holder)) => format!("<p class=\"busy\">{}</p>", safe(&messages::measuring(&holder))),
        _ => String::new(),
    }
}

fn first_runs() -> String {
    let line = |(command, what): &(&str, Phrase)| {
        format!("<dt><code>{}</code></dt><dd>{}</dd>\n", safe(command), safe(what))
    };
    let lines: String = messages::FIRST_RUNS.iter().map(line).collect();
    format!("<section><dl class=\"first\">\n{lines}</dl><p>{}</p></section>\n", tr!("ui-appears"))
}

fn found(base: &str, all: &[Record], rows: &[Row], search: &str) -> String {
    let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    let matching: Vec<(&Record, &Row)> =
        all.iter().zip(rows).filter(|(record, row)| matches(record, row, &words)).collect();
    if matching.is_empty() {
        return format!("<section><p>{}</p></section>\n", tr!("ui-no-match"));
    }
    let shown: String =
        matching.iter().take(SHOWN_MAX).map(|(record, row)| line(base, record, row)).collect();
    let more = match matching.len() > SHOWN_MAX {
        true => {
            format!("<p class=\"says\">{}</p>", tr!("ui-shown-of", shown = SHOWN_MAX, all = matching.len()))
        }
        false => String::new(),
    };
    let table = table("runs", &messages::RUNS, &Columns::<7>("ui-columns").texts(), &shown);
    format!(
        "<section><form action=\"{base}/compare/chosen\">{table}{more}<p><button>{}</button></p></form></section>\n",
        tr!("ui-compare")
    )
}

/// True if the row has all of these words, which are in lower case.
fn matches(record: &Record, row: &Row, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = vec![
        row.brief.study.clone(),
        row.brief.question.clone(),
        record.study.to_string_lossy().into_owned(),
        record.id.to_string_lossy().into_owned(),
        row.brief.preset.to_string(),
        named(row.brief.preset.name()).to_string(),
        row.brief.machine.clone(),
        began(record, row),
        row.state.to_string(),
        state(row).to_string(),
    ];
    text.extend(row.answer.iter().map(Lead::line));
    let text = text.join("\n").to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// Date of its start; that of a single measurement is in its name.
fn began(record: &Record, row: &Row) -> String {
    match row.brief.status.sittings.first().map_or(0, |sitting| sitting.began_unix_ns) {
        0 => of_id(&record.id.to_string_lossy()).unwrap_or_else(|| messages::NONE.to_string()),
        ns => clock::date_text(ns),
    }
}

/// The time in `20260131T120000.123Z-00a1b2`, as dates are written.
fn of_id(id: &str) -> Option<String> {
    let part =
        |from: usize, to: usize| id.get(from..to).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let (year, month, day, hour, minute) =
        (part(0, 4)?, part(4, 6)?, part(6, 8)?, part(9, 11)?, part(11, 13)?);
    Some(format!("{year}-{month}-{day} {hour}:{minute} UTC"))
}

fn state(row: &Row) -> &str {
    if row.state.is_empty() { messages::NONE } else { named(row.state.name()) }
}

fn line(base: &str, record: &Record, row: &Row) -> String {
    let brief = &row.brief;
    let name = encoded(&record.study, &record.id);
    let id = record.id.to_string_lossy();
    let study = if brief.study.is_empty() {
        record.study.to_string_lossy().into_owned()
    } else {
        brief.study.clone()
    };
    let mut cells = vec![
        format!(
            "<input type=\"checkbox\" name=\"run\" value=\"{name}\" aria-label=\"{}\">",
            safe(&tr!("ui-choose", study, id))
        ),
        format!("<a href=\"{base}/run/{name}\">{}</a><small>{}</small>", safe(&study), safe(&id)),
        safe(&began(record, row)),
    ];
    let running = if row.goes_on { " class=\"running\"" } else { "" };
    if row.damage.is_empty() {
        cells.push(format!("<span{running}>{}</span>", safe(state(row))));
        cells.push(answer(row));
        cells.push(safe(&messages::length(brief.preset.name(), row.blocks, brief.single)));
        let machine: String = brief.machine.chars().take(MACHINE_DIGITS).collect();
        cells.push(format!("<code>{}</code>", safe(&machine)));
    } else {
        cells.push(format!("<span class=\"refuted\">{}</span>", safe(&messages::unread(&row.damage))));
        cells.extend([const { String::new() }; 3]);
    }
    let labelled = Columns::<7>("ui-columns").texts().into_iter().zip(&cells);
    let cells: String =
        labelled.map(|(label, cell)| format!("<td data-label=\"{label}\">{cell}</td>")).collect();
    format!("<tr>{cells}</tr>\n")
}

fn answer(row: &Row) -> String {
    match &row.answer {
        None if row.goes_on => tr!("ui-still-open").to_string(),
        None => messages::NONE.to_string(),
        Some(lead) => format!("<span class=\"{}\">{}</span>", lead.tone.class(), safe(&lead.line())),
    }
}
