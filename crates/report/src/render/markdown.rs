//! For pull requests: the verdict first, details folded, and never longer than a forge takes.

use crate::escape::{markdown, markdown_line};
use crate::messages;
use crate::shown::{Table, VerdictView};
use crate::view::{View, view};
use proofload_language::tr;
use proofload_store::schema::{BadAnswer, RunResult};

/// A comment on GitHub holds 65,536 characters; this is in bytes, which are at least as many.
const COMMENT_BYTES: usize = 65_000;
/// Longest text of a stranger in one place.
const TEXT_CHARS: usize = 400;
/// Longest sentence of ours, which has such texts in it, and what matters most at its end.
const SENTENCE_CHARS: usize = 2_000;

/// The result as Markdown, fit for a comment on a pull request.
pub fn markdown_report(result: &RunResult) -> String {
    markdown_within(result, COMMENT_BYTES)
}

/// The result as Markdown of at most `max_bytes`. Sections that do not fit are left out from the end, and
/// named.
pub fn markdown_within(result: &RunResult, max_bytes: usize) -> String {
    let view = view(result);
    let mut out = head(&view);
    let sections = sections(&view);
    let titles: Vec<&str> = sections.iter().map(|section| section.title.as_str()).collect();
    let reserve = messages::left_out(&titles).len() + 4;
    let room = max_bytes.saturating_sub(reserve);
    if out.len() > room {
        return String::new();
    }
    let mut left_out = Vec::new();
    for section in &sections {
        match section.within(room - out.len()) {
            Some(text) => out.push_str(&text),
            None => left_out.push(section.title.as_str()),
        }
    }
    if !left_out.is_empty() {
        out.push_str(&format!("{}\n", messages::left_out(&left_out)));
    }
    out
}

/// A heading with lines below it, which can be cut.
struct Section {
    /// Already escaped for Markdown.
    title: String,
    open: String,
    lines: Vec<String>,
    close: &'static str,
}

impl Section {
    fn within(&self, room: usize) -> Option<String> {
        let more = format!("\n{}\n", messages::more_lines(self.lines.len()));
        let whole: usize = self.lines.iter().map(String::len).sum();
        let frame = self.open.len() + self.close.len();
        if frame + whole <= room {
            return Some(format!("{}{}{}", self.open, self.lines.concat(), self.close));
        }
        let mut used = frame + more.len();
        let fits = |line: &&String| {
            used += line.len();
            used <= room
        };
        let kept: Vec<&str> = self.lines.iter().take_while(fits).map(String::as_str).collect();
        if kept.is_empty() {
            return None;
        }
        let more = messages::more_lines(self.lines.len() - kept.len());
        Some(format!("{}{}\n{more}\n{}", self.open, kept.concat(), self.close))
    }
}

fn safe(text: &str) -> String {
    safe_within(text, TEXT_CHARS)
}

fn safe_within(text: &str, chars: usize) -> String {
    let clipped: String = text.chars().take(chars).collect();
    let whole = clipped.len() == text.len();
    if whole { markdown(text) } else { format!("{}…", markdown(&clipped)) }
}

fn head(view: &View) -> String {
    let clipped = |text: &str| text.chars().take(TEXT_CHARS).collect::<String>();
    let mark = view.lead.first().map_or("", |lead| lead.mark);
    let mut out = format!("# {mark} {}\n\n", safe(&view.title));
    let (lead, headline) = view.page_lead();
    for lead in &lead {
        out.push_str(&format!("**{}**\n\n", safe(&lead.line())));
        if !lead.sample.is_empty() {
            out.push_str(&format!("{}\n\n", safe(&lead.sample)));
        }
    }
    if let Some(text) = headline {
        out.push_str(&format!("**{}**\n\n", safe(text)));
    }
    for text in [&view.ended, &view.question].into_iter().filter(|text| !text.is_empty()) {
        out.push_str(&format!("{}\n\n", markdown_line(&clipped(text))));
    }
    out
}

fn sections(view: &View) -> Vec<Section> {
    let mut sections = Vec::new();
    sections.extend(verdicts(messages::VERDICTS.text(), tr!("claim"), &view.verdicts));
    let sentences = view.verdicts.iter().map(|verdict| &verdict.sentence).filter(|said| !said.is_empty());
    sections.extend(sentences_of(&sentences.collect::<Vec<_>>()));
    sections.extend(verdicts(messages::EXPECTATIONS.text(), tr!("expectation"), &view.expectations));
    sections.extend(verdicts(messages::CONCLUSIONS.text(), tr!("conclusion"), &view.conclusions));
    sections.extend(open_list(messages::CONTRADICTIONS.text(), &view.contradictions));
    sections.extend(verdicts(messages::TRENDS.text(), tr!("trend"), &view.trends));
    sections.extend(view.tables.iter().map(table));
    let judged = view.verdicts.iter().chain(&view.expectations).chain(&view.conclusions);
    let reasons = judged.chain(&view.trends).flat_map(|verdict| {
        verdict.reasons.iter().skip(1).map(|reason| format!("{}: {reason}", verdict.name)).collect::<Vec<_>>()
    });
    sections.extend(list(tr!("reasons"), &reasons.collect::<Vec<_>>()));
    sections.extend(list(messages::LIMITS.text(), &view.limits));
    sections
        .extend(list(messages::BAD_ANSWERS.text(), &view.bad_answers.iter().map(said).collect::<Vec<_>>()));
    sections.extend(pairs(tr!("parameters"), &view.parameters));
    sections.extend(pairs(tr!("environment"), &view.environment));
    sections
}

/// Finding of each claim, in words.
fn sentences_of(sentences: &[&String]) -> Option<Section> {
    let line = |sentence: &&String| format!("- {}\n", safe_within(sentence, SENTENCE_CHARS));
    (!sentences.is_empty()).then(|| Section {
        title: tr!("sentences").to_string(),
        open: String::new(),
        lines: sentences.iter().map(line).collect(),
        close: "\n",
    })
}

fn verdicts(title: &'static str, what: &str, verdicts: &[VerdictView]) -> Option<Section> {
    let row = |verdict: &VerdictView| {
        let why = verdict.reasons.first().map(|reason| safe(reason)).unwrap_or_default();
        format!(
            "| **{}** | {} | {} | {why} |\n",
            safe(&verdict.verdict),
            safe(&messages::claimed(&verdict.name, &verdict.text)),
            safe(&verdict.rests_on)
        )
    };
    let columns = messages::verdict_columns(what).join(" | ");
    (!verdicts.is_empty()).then(|| Section {
        title: title.to_string(),
        open: format!("## {title}\n\n| {columns} |\n| --- | --- | --- | --- |\n"),
        lines: verdicts.iter().map(row).collect(),
        close: "\n",
    })
}

fn table(table: &Table) -> Section {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| safe(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = |column| if table.is_text(column) { "---" } else { "---:" };
    let rules = (0..table.header.len()).map(rule).collect::<Vec<_>>().join(" | ");
    let title = safe(&table.title);
    Section {
        open: format!("## {title}\n\n{}| {rules} |\n", row(&table.header)),
        title,
        lines: table.rows.iter().map(|cells| row(cells)).collect(),
        close: "\n",
    }
}

/// The first line of each; the rest is in the other formats.
fn said(answer: &BadAnswer) -> String {
    match answer.received.lines().next() {
        Some(first) => format!("{}: {}: {first}", answer.outcome, answer.what),
        None => format!("{}: {}", answer.outcome, answer.what),
    }
}

/// A list that is not folded.
fn open_list(title: &'static str, items: &[String]) -> Option<Section> {
    (!items.is_empty()).then(|| Section {
        title: title.to_string(),
        open: format!("## {title}\n\n"),
        lines: items.iter().map(|item| format!("- {}\n", safe_within(item, SENTENCE_CHARS))).collect(),
        close: "\n",
    })
}

fn list(title: &'static str, items: &[String]) -> Option<Section> {
    (!items.is_empty()).then(|| Section {
        title: title.to_string(),
        open: format!("<details><summary>{title} ({})</summary>\n\n", items.len()),
        lines: items.iter().map(|item| format!("- {}\n", safe(item))).collect(),
        close: "\n</details>\n\n",
    })
}

fn pairs(title: &'static str, pairs: &[(String, String)]) -> Option<Section> {
    (!pairs.is_empty()).then(|| Section {
        title: title.to_string(),
        open: format!("<details><summary>{title}</summary>\n\n| | |\n| --- | --- |\n"),
        lines: pairs.iter().map(|(name, value)| format!("| {} | {} |\n", safe(name), safe(value))).collect(),
        close: "\n</details>\n\n",
    })
}
