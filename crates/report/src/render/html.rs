//! One self-contained page: nothing fetched, readable on paper and without its script, which draws the charts.

use crate::charts::{self, Chart};
use crate::escape::{html as safe, received};
use crate::messages;
use crate::shown::{Bar, Mark, Table, VerdictView};
use crate::view::view;
use data_encoding::BASE64;
use flate2::read::ZlibDecoder;
use proofload_language::{Language, tr};
use proofload_store::schema::{RunDiff, RunResult, Slice};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Columns for which a sheet of paper has room; rows of wider tables are stacked there.
const COLUMNS_ON_PAPER: usize = 6;

/// Width of the scale of a bar, in units of its picture.
const WIDTH: f64 = 400.0;

/// The style of a report's page.
pub const STYLE: &str = include_str!("page.css");

/// Script of the charts; `cargo xtask web` builds it from `web/`, and `build.rs` packs it.
pub fn script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| {
        let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.js.zlib"));
        std::io::read_to_string(ZlibDecoder::new(packed)).expect("what the build packed can be unpacked")
    });
    &SCRIPT
}

/// Parts of a report's page, for callers that have the style and the script as files of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Name of the study or address, as it was written: not escaped.
    pub title: String,
    /// The beginning of its `main`: title, question, the line to remember. Safe HTML.
    pub header: String,
    /// The rest of it, safe HTML.
    pub body: String,
    /// The element with the numbers of the charts, safe HTML; empty where there are none.
    pub charts: String,
}

/// The result as a page, with charts of what is in the slices.
pub fn html(result: &RunResult, slices: &[&Slice]) -> String {
    let Page { title, header, body, charts } = page(result, slices);
    let script = if charts.is_empty() { String::new() } else { format!("<script>{}</script>\n", script()) };
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – Proofload</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{header}{body}</main>\n\
         {charts}{script}</body>\n</html>\n",
        lang = Language::spoken().tag(),
        policy = policy(),
        title = safe(&title),
    )
}

/// The figures of two runs beside each other: a chart of their ratios, and a table.
pub fn page_of_two(diff: &RunDiff) -> Page {
    let chart: Vec<Chart> = charts::of_two_runs(diff).into_iter().collect();
    let body = chart.iter().map(place).collect::<String>() + &table(&super::runs::figures(diff));
    Page { title: String::new(), header: String::new(), body, charts: numbers(&chart) }
}

/// The parts of the page of a result.
pub fn page(result: &RunResult, slices: &[&Slice]) -> Page {
    let view = view(result);
    let charts = charts::charts(result, slices);
    let title = safe(&view.title);
    let mut header = format!("<header><p class=\"brand\">Proofload · {title}</p>");
    let (lead, headline) = view.page_lead();
    for (n, lead) in lead.iter().enumerate() {
        let tag = if n == 0 { "h1" } else { "p" };
        let class = lead.tone.class();
        header.push_str(&format!("<{tag} class=\"lead {class}\">{}</{tag}>", safe(&lead.line())));
        if !lead.sample.is_empty() {
            header.push_str(&format!("<pre>{}</pre>", safe(&received(&lead.sample))));
        }
    }
    let headline = headline.unwrap_or_default();
    for (class, text) in
        [("question", view.question.as_str()), ("ended", &view.ended), ("headline", headline)]
    {
        if !text.is_empty() {
            header.push_str(&format!("<p class=\"{class}\">{}</p>", safe(text)));
        }
    }
    header.push_str("</header>\n");
    let mut body = String::new();
    for (title, cards) in [
        (messages::VERDICTS, &view.verdicts),
        (messages::EXPECTATIONS, &view.expectations),
        (messages::CONCLUSIONS, &view.conclusions),
        (messages::TRENDS, &view.trends),
    ] {
        if !cards.is_empty() {
            // Of all these only claims are written in a language of their own.
            let tag = if title == messages::VERDICTS { "code" } else { "span" };
            let cards: String = cards.iter().zip(1..).map(|(verdict, n)| card(verdict, n, tag)).collect();
            body.push_str(&format!("<section><h2>{title}</h2>\n{cards}</section>\n"));
        }
    }
    let (first, further) = view.tables.split_at(view.first_tables);
    first.iter().for_each(|of| body.push_str(&table(of)));
    body.push_str(&warnings(result));
    charts.iter().for_each(|chart| body.push_str(&place(chart)));
    further.iter().for_each(|of| body.push_str(&folded(&of.title, &wide(of))));
    body.push_str(&list(messages::CONTRADICTIONS.text(), &view.contradictions));
    let answers = view.bad_answers.iter().map(|answer| {
        let (outcome, what) = (safe(&answer.outcome), safe(&answer.what));
        format!("<h3>{outcome}: {what}</h3><pre>{}</pre>", safe(&received(&answer.received)))
    });
    let answers: String = answers.collect();
    if !answers.is_empty() {
        body.push_str(&folded(&messages::BAD_ANSWERS, &answers));
    }
    body.push_str(&list(messages::LIMITS.text(), &view.limits));
    if !view.again.is_empty() {
        let commands = format!("<pre>{}</pre>", safe(&view.again.join("\n")));
        body.push_str(&folded(tr!("run-again"), &commands));
    }
    body.push_str(&pairs(tr!("parameters"), &view.parameters));
    body.push_str(&pairs(tr!("environment"), &view.environment));
    Page { title: view.title, header, body, charts: numbers(&charts) }
}

/// Only this page's own script runs, whatever a hostile text manages to put in, and nothing is fetched or sent.
fn policy() -> String {
    let digest = BASE64.encode(&Sha256::digest(script().as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
}

/// The numbers of the charts; nothing where there are none.
fn numbers(charts: &[Chart]) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let numbers = charts::document(charts);
    format!("<script type=\"application/json\" id=\"charts\">{numbers}</script>\n")
}

/// Element in which the script draws a chart. Without the script it is empty, and the tables below have the figures.
fn place(chart: &Chart) -> String {
    format!(
        "<section class=\"chart\" id=\"chart-{}\"><h2>{}</h2><p class=\"says\">{}</p></section>\n",
        safe(&chart.id),
        safe(&chart.title),
        safe(&chart.says)
    )
}

/// A part that is folded until it is opened.
fn folded(title: &str, inner: &str) -> String {
    format!("<section><details><summary><h2>{}</h2></summary>{inner}</details></section>\n", safe(title))
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    folded(title, &items_of(items))
}

fn items_of(items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>", safe(item))).collect();
    format!("<ul>{items}</ul>")
}

fn warnings(result: &RunResult) -> String {
    let warnings = messages::screen::warnings(&proofload_analysis::limits::of_result(result));
    let line = |text: &String| format!("<p class=\"warning\">⚠ {}</p>", safe(text));
    let lines: String = warnings.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("<section>{lines}</section>\n") }
}

/// A verdict with one sentence; what it is of and rests on is folded.
fn card(verdict: &VerdictView, n: usize, tag: &str) -> String {
    let class = verdict.tone.class();
    let said = Some(messages::screen::in_one_sentence(verdict)).filter(|said| !said.is_empty());
    let text = Some(&verdict.text).filter(|text| said.is_some() && !text.is_empty());
    let text = text.map(|text| format!("<p><{tag}>{}</{tag}></p>", safe(text))).unwrap_or_default();
    let said = said.unwrap_or_else(|| match verdict.text.as_str() {
        "" => verdict.rests_on.clone(),
        text => text.to_string(),
    });
    let further =
        [&verdict.rests_on, &verdict.sentence].into_iter().filter(|more| !more.is_empty() && **more != said);
    let further: String = further.map(|more| format!("<p>{}</p>", safe(more))).collect();
    let reasons: Vec<String> = verdict.further_reasons().filter(|reason| **reason != said).cloned().collect();
    let reasons = if reasons.is_empty() { String::new() } else { items_of(&reasons) };
    let details = format!("{text}{further}{reasons}");
    let details = match details.is_empty() {
        true => details,
        false => {
            // A page that is followed knows by the label what was open.
            let word = tr!("details");
            format!("<details><summary aria-label=\"{word} {n}\">{word}</summary>{details}</details>")
        }
    };
    format!(
        "<article class=\"{class}\"><p class=\"word\">{}</p><div><h3>{} <span class=\"amount\">{}</span></h3>{}<p>{}</p>{details}</div></article>\n",
        safe(&verdict.verdict),
        safe(&verdict.name),
        safe(&verdict.amount),
        verdict.bar.as_ref().map(picture).unwrap_or_default(),
        safe(&said),
    )
}

/// The interval as a line with its point, above a scale; shaded is where the claim holds, ruled where that begins or ends.
fn picture(bar: &Bar) -> String {
    let x = |place: f64| format!("{:.1}", place * WIDTH);
    let (from, to) = bar.holds;
    let rule = |class: &str, at: f64| {
        format!("<line class=\"{class}\" x1=\"{0}\" y1=\"1\" x2=\"{0}\" y2=\"21\"/>", x(at))
    };
    let rules: String =
        [from, to].iter().filter(|at| (0.001..0.999).contains(*at)).map(|at| rule("rule", *at)).collect();
    let label = |mark: &Mark| {
        let anchor = match mark.place {
            place if place < 0.05 => "start",
            place if place > 0.95 => "end",
            _ => "middle",
        };
        format!(
            "<text x=\"{}\" y=\"34\" text-anchor=\"{anchor}\">{}</text>",
            x(mark.place),
            safe(&mark.label)
        )
    };
    format!(
        "<svg viewBox=\"-6 0 412 38\" role=\"img\" aria-label=\"{told}\">\
         <rect class=\"holds\" x=\"{left}\" y=\"1\" width=\"{width}\" height=\"20\"/>\
         <line class=\"axis\" x1=\"0\" y1=\"21\" x2=\"400\" y2=\"21\"/>{one}{rules}\
         <line class=\"interval\" x1=\"{low}\" y1=\"11\" x2=\"{high}\" y2=\"11\"/>\
         <circle cx=\"{point}\" cy=\"11\" r=\"4.5\"/>{labels}</svg>",
        told = safe(&bar.told),
        left = x(from),
        width = x((to - from).max(0.0)),
        one = bar.one.map(|at| rule("one", at)).unwrap_or_default(),
        low = x(bar.low),
        high = x(bar.high),
        point = x(bar.point),
        labels = bar.marks.iter().map(label).collect::<String>(),
    )
}

fn table(table: &Table) -> String {
    format!("<section class=\"of-table\"><h2>{}</h2>{}</section>\n", safe(&table.title), wide(table))
}

fn wide(table: &Table) -> String {
    let cells = |tag: &str, labels: &[String], row: &[String]| {
        let cell = |(column, cell): (usize, &String)| {
            let inner = if column == 0 { safe(cell) } else { figure(cell) };
            let label = match labels.get(column).filter(|_| column > 0) {
                Some(name) => format!(" data-label=\"{}\"", safe(name)),
                None => String::new(),
            };
            let class = if table.is_text(column) { " class=\"text\"" } else { " class=\"number\"" };
            format!("<{tag}{class}{label}>{inner}</{tag}>")
        };
        row.iter().enumerate().map(cell).collect::<String>()
    };
    let rows: String =
        table.rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", &table.header, row))).collect();
    let class = if table.header.len() > COLUMNS_ON_PAPER { " class=\"many\"" } else { "" };
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table{class}><thead><tr>{}</tr></thead><tbody>\n{rows}</tbody></table></div>",
        cells("th", &[], &table.header),
        title = safe(&table.title),
    )
}

/// A figure may be broken before its interval, where the page is narrow, and nowhere else.
fn figure(cell: &str) -> String {
    let is_end = |ends: &str| ends.starts_with(|c: char| c.is_ascii_digit() || "-−∞–".contains(c));
    match cell.split_once(" [") {
        Some((point, ends)) if is_end(ends) => {
            format!("<span>{}</span> <span>[{}</span>", safe(point), safe(ends))
        }
        _ if cell.starts_with('≈') => format!("<span>{}</span>", safe(cell)),
        _ => safe(cell),
    }
}

fn pairs(title: &str, pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let rows: String = pairs
        .iter()
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", safe(name), safe(value)))
        .collect();
    folded(title, &format!("<dl>\n{rows}</dl>"))
}
