//! The screen of one endpoint.

use super::bars;
use crate::render::lines::{Colour, Terminal, clipped, shown as line, words};
use crate::render::text::{judged_lines, table_lines};
use crate::shown::Tone;
use crate::view::{requests, verdict};
use crate::{headline, lead, messages, number};
use proofload_analysis::figures::{errors, first_byte_is_apart, outcome};
use proofload_analysis::limits;
use proofload_facts::Limit;
use proofload_language::tr;
use proofload_measure::LatencyHistogram;
use proofload_store::schema::{CheckName, Durations, Point, RunResult, Slice};
use unicode_width::UnicodeWidthStr;

/// Most things to beware of.
const WARNINGS_MAX: usize = 3;
/// Most lines of thresholds.
const CLAIMS_MAX: usize = 6;
/// Share of answers after the load from which on they are told.
const LATE_SHARE_TOLD: f64 = 0.01;
/// Kinds of errors that are named.
const KINDS_MAX: usize = 3;

/// One screen: what was asked, what came, how long it took, what went wrong, and what to beware of.
pub(super) fn screen(result: &RunResult, point: &Point, slice: Option<&Slice>, terminal: Terminal) -> String {
    let mut page = Page { out: String::new(), terminal };
    for lead in lead::lead(result).iter().filter(|lead| lead.tone != Tone::Good) {
        page.said(&format!("{} ", lead.mark), &lead.line()[lead.mark.len() + 1..], Some(lead.tone.into()));
        page.said("  ", &clipped(&line(&lead.sample), terminal.columns.saturating_sub(2)), None);
    }
    page.parts(&[line(&point.variant), messages::load_of(point)], "", Some(Colour::Bold));
    if outcome(point, "answered") > 0 {
        figures(&mut page, point, slice);
    }
    let mut used: Vec<String> = point.addresses.iter().map(|of| line(&messages::address(of))).collect();
    used.iter_mut().take(1).for_each(|first| *first = format!("{}  {first}", tr!("addresses")));
    page.parts(&used, "  ", None);
    if lead::failures(result).is_empty() {
        errors_of(&mut page, point);
    }
    claims(&mut page, result);
    let limits = limits::of_result(result);
    let limits: Vec<Limit> =
        limits.into_iter().filter(|limit| !matches!(limit, Limit::NothingAnswered { .. })).collect();
    let warnings = messages::screen::warnings(&limits);
    for warning in warnings.iter().take(WARNINGS_MAX) {
        page.said("⚠ ", warning, Some(Colour::Open));
    }
    if warnings.len() > WARNINGS_MAX {
        page.said("  ", &messages::more_verbose(warnings.len() - WARNINGS_MAX), None);
    }
    page.parts(&closing(result, point), "  ", None);
    page.said("", &headline::headline(result), Some(Colour::Bold));
    page.out
}

fn figures(page: &mut Page, point: &Point, slice: Option<&Slice>) {
    let rate = point.throughput_per_s.map(|per_s| number::with_unit(per_s, "per_s"));
    let counted = [
        messages::answers(outcome(point, "answered")),
        after_the_load(point, slice),
        rate.unwrap_or_default(),
        bars::sparkline(&point.per_second, point.seconds),
    ];
    page.parts(&counted, "  ", None);
    let mut times = vec![(tr!("latency"), &point.response_time_ns)];
    times.extend(first_byte_is_apart(point).then(|| (tr!("first-byte"), &point.first_byte_ns)));
    let width = times.iter().map(|(label, _)| label.width()).max().unwrap_or(0);
    for (label, of) in times {
        let label = format!("{label}{}", " ".repeat(width - label.width()));
        page.parts(&quantiles(&label, of, point.response_time_ns.max), "  ", None);
    }
    let histogram = slice.and_then(|slice| LatencyHistogram::decode(&slice.histograms.response_time).ok());
    let rows = histogram.as_ref().map(bars::distribution).unwrap_or_default();
    let width = rows.iter().map(|(name, ..)| name.width()).max().unwrap_or(0);
    for (name, bar, share) in rows {
        let indent = " ".repeat(4 + width - name.width());
        let behind = " ".repeat(21_usize.saturating_sub(bar.width()));
        let bar = page.terminal.paint(Colour::Picture, &bar);
        page.raw(&format!("{indent}{name} {bar}{behind}{:>7}", number::short_percent(share)));
    }
    let requests = requests::table(std::slice::from_ref(point), true);
    let lines = requests.map(|table| table_lines(&table, page.terminal)).unwrap_or_default();
    lines.lines().for_each(|line| page.raw(line));
}

/// In the unit of the longest of all times, if that suits.
fn quantiles(what: &str, times: &Durations, longest: Option<u64>) -> Vec<String> {
    let quantiles = [
        ("p50", times.p50, 0.5),
        ("p90", times.p90, 0.9),
        ("p99", times.p99, 0.99),
        ("p99.9", times.p999, 0.999),
        ("max", times.max, 1.0),
    ]
    .map(|(name, ns, q)| (name, ns, times.is_at_least(q)));
    let mut parts = bars::in_one_unit(&quantiles, longest);
    if let Some(first) = parts.first_mut() {
        *first = format!("{what}  {first}");
    }
    parts
}

/// Answers that came after the load, which its rate leaves out, where they are so many that both seem to contradict each other.
fn after_the_load(point: &Point, slice: Option<&Slice>) -> String {
    let answered = outcome(point, "answered");
    // A slice of nothing in the window is one that did not count it.
    let in_window = slice.map(|slice| slice.answered_in_window).filter(|in_window| *in_window > 0);
    let late = in_window.map_or(0, |in_window| answered.saturating_sub(in_window));
    match late as f64 > LATE_SHARE_TOLD * answered as f64 {
        true => tr!("answers-after-the-load", late = number::count(late)),
        false => String::new(),
    }
}

fn errors_of(page: &mut Page, point: &Point) {
    let n = errors(point);
    if n == 0 {
        return;
    }
    let kinds = lead::failures_by_entry(&[point]);
    let all = n.saturating_add(outcome(point, "answered")).max(1);
    let named = kinds.iter().take(KINDS_MAX).map(|failure| {
        let what =
            failure.bad.map_or_else(|| tr!("fact-outcome", outcome = failure.kind), |bad| line(&bad.what));
        match failure.of {
            Some(_) => line(&failure.told(all)),
            None if kinds.len() == 1 => what,
            None => format!("{} {what}", number::count(failure.n)),
        }
    });
    let named = named.collect::<Vec<_>>().join(tr!("between-items"));
    let said = messages::errors_of(n, n as f64 / all as f64, &named);
    page.said("  ", &said, Some(Colour::Bad));
}

fn claims(page: &mut Page, result: &RunResult) {
    let rows: Vec<_> = result.claims.iter().map(|claim| verdict(claim, None, true)).collect();
    let lines = judged_lines(&rows, page.terminal);
    let mut lines = lines.iter().flat_map(|lines| lines.lines());
    lines.by_ref().take(CLAIMS_MAX).for_each(|line| page.raw(line));
    let left = lines.count();
    if left > 0 {
        page.said("  ", &messages::more_verbose(left), None);
    }
}

/// The generator, where it is fit, and the path of the record.
fn closing(result: &RunResult, point: &Point) -> Vec<String> {
    let mut parts = Vec::new();
    if outcome(point, "answered") > 0 && point.generator.fit {
        let checks = &point.generator.checks;
        let at_work = checks.iter().find(|check| check.check == CheckName::AtWork);
        parts.push(tr!(
            "generator-fit-busy",
            busy = (at_work.and_then(|check| check.found)).map(number::short_percent)
        ));
        parts.extend(point.generator.agents.map(messages::agents));
    }
    if !result.run.is_empty() {
        parts.push(tr!("record-at", path = line(&result.run)));
    }
    parts
}

/// Layout of words in lines.
struct Filling<'a> {
    between: &'a str,
    /// Prefix of the first line, and of the later ones.
    first: &'a str,
    later: &'a str,
    colour: Option<Colour>,
}

struct Page {
    out: String,
    terminal: Terminal,
}

impl Page {
    /// Parts three blanks apart, as many in a line as there is room for.
    fn parts(&mut self, parts: &[String], indent: &str, colour: Option<Colour>) {
        let parts = parts.iter().filter(|part| !part.is_empty());
        let filling = Filling { between: "   ", first: indent, later: indent, colour };
        self.filled(parts.map(|part| (part.as_str(), true)), &filling);
    }

    /// A sentence, with hanging indent.
    fn said(&mut self, mark: &str, sentence: &str, colour: Option<Colour>) {
        if !sentence.is_empty() {
            let sentence = line(sentence);
            let hanging = " ".repeat(mark.width());
            let filling = Filling { between: " ", first: mark, later: &hanging, colour };
            self.filled(words(&sentence).into_iter(), &filling);
        }
    }

    fn filled<'a>(&mut self, words: impl Iterator<Item = (&'a str, bool)>, filling: &Filling<'_>) {
        let mut text = filling.first.to_string();
        let mut is_empty = true;
        for (word, is_apart) in words {
            let between = if is_apart { filling.between } else { "" };
            let wide = text.width() + between.width() + word.width() > self.terminal.columns;
            if !is_empty && wide {
                self.finish(&text, filling.colour);
                text = filling.later.to_string();
                is_empty = true;
            }
            if !is_empty {
                text.push_str(between);
            }
            text.push_str(word);
            is_empty = false;
        }
        if !is_empty {
            self.finish(&text, filling.colour);
        }
    }

    fn finish(&mut self, text: &str, colour: Option<Colour>) {
        let text = clipped(text, self.terminal.columns);
        let text = colour.map_or_else(|| text.clone(), |colour| self.terminal.paint(colour, &text));
        self.out.push_str(&text);
        self.out.push('\n');
    }

    /// A line that is ready, colours and all.
    fn raw(&mut self, text: &str) {
        let line = if self.terminal.colour { text.to_string() } else { clipped(text, self.terminal.columns) };
        self.out.push_str(&line);
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests;
