//! The screen of a study or a comparison: verdicts first, then a small table, then what to beware of, then where the rest is.

use super::gauge::drawn;
use crate::bars::bars_of;
use crate::headline::shown;
use crate::lead;
use crate::messages::screen as messages;
use crate::names;
use crate::number;
use crate::render::lines::{Colour, Terminal, aligned, clipped, padded, shown as line, wrapped};
use crate::render::text::table_lines;
use crate::shown::{Bar, Tone, VerdictView};
use crate::view::capacity::rates;
use crate::view::{requests, view};
use proofload_analysis::figures::{errors, outcome};
use proofload_language::{Phrase, named, tr};
use proofload_store::schema::{ClaimResult, Figure, Plan, Point, RunResult, Verdict};
use unicode_width::UnicodeWidthStr;

/// Rows of a terminal of the usual height; what would make the screen longer is counted instead.
const ROWS: usize = 24;
/// Most lines of what to beware of.
const WARNINGS_MAX: usize = 3;
/// Most claims that are shown one by one where others have to be counted.
const CLAIMS_MAX: usize = 8;
/// Most rows of the table.
const TABLE_ROWS_MAX: usize = 8;
/// So few claims have room for a reason of two lines.
const FEW: usize = 2;
/// Most of the other ratios of a comparison.
const BESIDE_MAX: usize = 4;
/// Most rates of a search.
const RATES_MAX: usize = 12;
/// Width of a drawn interval.
const GAUGE: usize = 17;
/// Mark before a warning.
const WARNING: &str = "⚠";
/// Width of the words of verdicts, mark included.
const WORD: usize = 12;

/// The screen of a study; without blocks that count it reports that.
pub(super) fn study(result: &RunResult, plan: &Plan, terminal: Terminal) -> String {
    let mut out = Screen { terminal, lines: Vec::new() };
    out.lead(result);
    out.title(result);
    if result.capacities.is_empty() {
        out.verdicts(result, plan);
        out.table(result, plan);
        out.steps(result);
        out.basis(result, plan);
    } else {
        out.rates(result);
    }
    out.warnings(result);
    out.rest(result);
    out.headline(result);
    out.lines.join("\n") + "\n"
}

struct Screen {
    terminal: Terminal,
    lines: Vec<String>,
}

impl Screen {
    fn say(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// A sentence, broken to the width, with `indent` spaces before its later lines.
    fn sentence(&mut self, text: &str, indent: usize) {
        self.lines.extend(wrapped(text, self.terminal.columns, indent));
    }

    /// Lines that are not good news, before everything else.
    fn lead(&mut self, result: &RunResult) {
        for lead in lead::lead(result).iter().filter(|lead| lead.tone != Tone::Good) {
            let lines = wrapped(&line(&lead.line()), self.terminal.columns, 2);
            self.lines.extend(lines.iter().map(|text| self.terminal.paint(lead.tone, text)));
            if !lead.sample.is_empty() {
                let sample = clipped(&line(&lead.sample), self.terminal.columns.saturating_sub(2));
                self.say(format!("  {}", self.terminal.paint(Colour::Dim, &sample)));
            }
        }
    }

    fn title(&mut self, result: &RunResult) {
        let title = line(&result.study);
        let plan = result.plan.as_ref().filter(|plan| plan.two_sided);
        let legend: Vec<String> = plan.iter().flat_map(|plan| names::legend(plan)).collect();
        let said = match plan {
            None => result.question.clone(),
            Some(plan) if legend.is_empty() => names::all(plan),
            Some(_) => String::new(),
        };
        let text = if said.is_empty() { title.clone() } else { format!("{title}  {}", line(&said)) };
        let from = self.lines.len();
        self.sentence(&text, 0);
        legend
            .iter()
            .for_each(|meant| self.say(clipped(&format!("  {}", line(meant)), self.terminal.columns)));
        let bold = self.terminal.paint(Colour::Bold, &title);
        self.lines[from] = self.lines[from].replacen(&title, &bold, 1);
        let ended = view(result).ended;
        if !ended.is_empty() {
            self.sentence(&line(ended.lines().next().unwrap_or_default()), 0);
        }
        self.say("");
    }

    fn verdicts(&mut self, result: &RunResult, plan: &Plan) {
        let view = view(result);
        let shown = shown(result);
        let bars = bars_of(Some(plan), &shown);
        let name_width = self.name_width(&shown);
        let most = most_claims(shown.len());
        let below: Vec<String> = shown.iter().take(most).map(|judged| below(judged, plan)).collect();
        // A reason that keeps all of several claims open is shown once, behind them.
        let once = below.len() > 1 && shown.iter().all(is_open) && below.iter().all(|text| *text == below[0]);
        for (at, (judged, bar)) in shown.iter().zip(&bars).take(most).enumerate() {
            self.verdict(judged, bar.as_ref(), plan, name_width);
            if !once || at + 1 == below.len() {
                self.below(&below[at], shown.len());
            }
        }
        self.counted(shown.len().saturating_sub(most_claims(shown.len())), result);
        if plan.two_sided {
            let beside = result.exploratory.iter().filter_map(messages::beside).take(BESIDE_MAX);
            let beside: Vec<String> =
                beside.map(|text| format!("{}{}", " ".repeat(WORD + 1), line(&text))).collect();
            beside.iter().for_each(|text| self.sentence(text, WORD + 1));
        }
        if let Some(own) = messages::servers_own(result) {
            self.sentence(&line(&own), 2);
        }
        for (title, rows) in [
            (Phrase("screen-expected"), &view.expectations),
            (messages::PUBLISHED, &view.conclusions),
            (messages::TRENDS, &view.trends),
        ] {
            self.judged(title, rows);
        }
        if !self.lines.last().is_some_and(String::is_empty) {
            self.say("");
        }
    }

    /// Columns left for names beside the intervals and their pictures.
    fn name_width(&self, shown: &[ClaimResult]) -> usize {
        let amounts = shown.iter().map(|judged| messages::amount(judged).width()).max().unwrap_or(0);
        let room = self.terminal.columns.saturating_sub(WORD + amounts + GAUGE + 5).max(12);
        shown.iter().map(|judged| line(&judged.name).width()).max().unwrap_or(0).min(room)
    }

    /// A claim: its verdict, name, interval and picture.
    fn verdict(&mut self, judged: &ClaimResult, bar: Option<&Bar>, plan: &Plan, width: usize) {
        let (mark, colour) = mark_of(judged, plan);
        let word = padded(&mark, WORD);
        let name = padded(&clipped(&line(&judged.name), width), width);
        let amount = messages::amount(judged);
        let drawn = bar.map(|bar| drawn(bar, GAUGE)).unwrap_or_default();
        let head = format!("{} {name}  {amount}", self.terminal.paint(colour, &word));
        let plain = WORD + 1 + width + 2 + amount.width();
        let place = self.terminal.columns.saturating_sub(GAUGE);
        if plain > self.terminal.columns {
            // A terminal this narrow has the interval on a line of its own.
            self.say(format!("{} {}", self.terminal.paint(colour, &word), name.trim_end()));
            self.say(format!("{}{amount}", " ".repeat(WORD + 1)));
        } else if plain < place && !drawn.is_empty() {
            self.say(format!("{head}{}{drawn}", " ".repeat(place - plain)));
        } else {
            self.say(head);
        }
    }

    /// Text below one of `claims` claims: its finding, or the reason why nothing was decided.
    fn below(&mut self, below: &str, claims: usize) {
        if !below.is_empty() {
            let room = self.terminal.columns.saturating_sub(WORD + 1);
            let mut lines = wrapped(&line(below), room, 0);
            // Of a few claims there is room for the whole reason.
            if lines.len() > 1 && (claims > FEW || lines.len() > 2) {
                lines = vec![clipped(&line(below), room)];
            }
            let indent = " ".repeat(WORD + 1);
            lines
                .iter()
                .for_each(|text| self.say(format!("{indent}{}", self.terminal.paint(Colour::Dim, text))));
        }
    }

    /// Claims that have no room, by their verdicts.
    fn counted(&mut self, left: usize, result: &RunResult) {
        if left > 0 {
            let of = |verdict| result.claims.iter().filter(|claim| claim.verdict == verdict).count();
            let counts = [Verdict::Supported, Verdict::Refuted, Verdict::Undecided].map(of);
            self.sentence(&messages::more_claims(left, counts), 2);
        }
    }

    fn judged(&mut self, title: Phrase, rows: &[VerdictView]) {
        if rows.is_empty() {
            return;
        }
        let of = |tone| rows.iter().filter(|row| row.tone == tone).count();
        let counts = messages::counted(title, of(Tone::Good), of(Tone::Bad), of(Tone::Open));
        self.sentence(&counts, 2);
        for row in rows.iter().filter(|row| row.tone == Tone::Bad).take(WARNINGS_MAX) {
            let name = clipped(&line(&row.name), self.terminal.columns.saturating_sub(24));
            self.sentence(&format!("  {}  {name}", self.terminal.paint(Colour::Bad, &line(&row.verdict))), 4);
        }
    }

    fn table(&mut self, result: &RunResult, plan: &Plan) {
        let points: Vec<&Point> = result.points.iter().filter(|point| point.stream.is_empty()).collect();
        if points.is_empty() {
            return;
        }
        let shown = points.len().min(TABLE_ROWS_MAX);
        for with_ends in [true, false] {
            let rows = table_rows(result, plan, &points[..shown], with_ends);
            let lines = aligned(&rows, self.terminal.columns, |at| at == 0);
            if lines.is_some() || !with_ends {
                let narrow =
                    || rows.iter().map(|row| clipped(&row.join("  "), self.terminal.columns)).collect();
                self.lines.extend(lines.unwrap_or_else(narrow));
                break;
            }
        }
        if shown < points.len() {
            self.say(messages::more_rows(points.len() - shown));
        }
    }

    /// Steps and journeys of users.
    fn steps(&mut self, result: &RunResult) {
        let Some(table) = requests::steps(result) else { return };
        self.lines.extend(table_lines(&table, self.terminal).lines().map(str::to_string));
    }

    /// Outcome of each rate, of those nearest to the answer.
    fn rates(&mut self, result: &RunResult) {
        let several = result.capacities.len() > 1;
        for capacity in &result.capacities {
            if several {
                self.say(self.terminal.paint(Colour::Bold, &line(&capacity.variant)));
            }
            let (rows, left) = rates(capacity, RATES_MAX / result.capacities.len());
            let narrow = || rows.iter().map(|row| clipped(&row.join("  "), self.terminal.columns)).collect();
            let lines = aligned(&rows, self.terminal.columns, |at| at == 0).unwrap_or_else(narrow);
            self.lines.extend(lines);
            if left > 0 {
                self.say(messages::more_rows(left));
            }
        }
        self.say("");
    }

    /// Arrival of the requests, and number of restarts behind the result.
    fn basis(&mut self, result: &RunResult, plan: &Plan) {
        self.sentence(&messages::load(plan), 0);
        self.sentence(&messages::based_on(result, plan), 0);
    }

    fn warnings(&mut self, result: &RunResult) {
        let warnings = messages::warnings(&proofload_analysis::limits::of_result(result));
        // The path, the last line and a line before it are still to come.
        let room = ROWS.saturating_sub(self.lines.len() + 3).max(WARNINGS_MAX);
        let mut told = 0;
        for warning in warnings.iter().take(WARNINGS_MAX) {
            let mark = self.terminal.paint(Colour::Open, WARNING);
            let text = line(warning);
            let all = wrapped(&format!("{WARNING} {text}"), self.terminal.columns, 2);
            let left = room - told;
            let others = warnings.len().min(WARNINGS_MAX) - 1;
            let lines = match all.len() + others <= left.max(others + 1) {
                true => all,
                false => vec![clipped(&format!("{WARNING} {text}"), self.terminal.columns)],
            };
            told = (told + lines.len()).min(room);
            let first = lines[0].replacen(WARNING, &mark, 1);
            self.say(first);
            self.lines.extend(lines.into_iter().skip(1));
        }
    }

    fn rest(&mut self, result: &RunResult) {
        if !result.run.is_empty() {
            self.sentence(&messages::more(&line(&result.run), result.limits.len()), 2);
        }
    }

    fn headline(&mut self, result: &RunResult) {
        let headline = lead::last(result);
        if headline.is_empty() {
            return;
        }
        let lines = wrapped(&line(&headline), self.terminal.columns, 2);
        let bold: Vec<String> = lines.iter().map(|text| self.terminal.paint(Colour::Bold, text)).collect();
        self.lines.extend(bold);
    }
}

fn is_open(judged: &ClaimResult) -> bool {
    judged.verdict == Verdict::Undecided
}

/// Empty for a decided claim of two servers: the last line has it.
fn below(judged: &ClaimResult, plan: &Plan) -> String {
    if plan.two_sided && !is_open(judged) { String::new() } else { messages::below(judged, plan) }
}

fn most_claims(all: usize) -> usize {
    if all <= CLAIMS_MAX { all } else { CLAIMS_MAX - 1 }
}

/// The word of a verdict with its mark. That the other one of two servers is the faster one is not bad news, and one
/// restart checks a study without a verdict.
fn mark_of(judged: &ClaimResult, plan: &Plan) -> (String, Colour) {
    let is_check = plan.timing.looks == [1];
    match judged.verdict {
        Verdict::Undecided if is_check => (format!("· {}", tr!("screen-checked")), Colour::Dim),
        Verdict::Undecided => (format!("? {}", named("undecided")), Colour::Open),
        _ if plan.two_sided => (messages::answer(judged), Colour::Good),
        Verdict::Supported => (format!("✔ {}", named("supported")), Colour::Good),
        Verdict::Refuted => (format!("✘ {}", named("refuted")), Colour::Bad),
        _ => (line(named(judged.verdict.name())), Colour::Open),
    }
}

/// Columns of the table, as measures of figures.
const COLUMNS: [(&str, Option<Phrase>); 4] = [
    ("throughput", Some(Phrase("screen-throughput"))),
    ("p50", None),
    ("p99", None),
    ("cpu_per_request", Some(Phrase("screen-cpu-per-request"))),
];

fn table_rows(result: &RunResult, plan: &Plan, points: &[&Point], with_ends: bool) -> Vec<Vec<String>> {
    let figure = |point: &Point, measure: &str| -> Option<&Figure> {
        result.figures.iter().find(|figure| {
            (&figure.variant, &figure.point, figure.measure.as_str())
                == (&point.variant, &point.point, measure)
                && figure.stream.is_empty()
        })
    };
    let has = |measure: &str| {
        points.iter().any(|point| figure(point, measure).is_some_and(|f| f.estimate.is_some()))
    };
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(measure, _)| has(measure)).collect();
    let several = plan.points.len() > 1;
    let mut header = vec![String::new()];
    header.extend(columns.iter().map(|(measure, name)| name.map_or(*measure, Phrase::text).to_string()));
    header.push(tr!("errors").to_string());
    let mut rows = vec![header];
    for point in points {
        let name =
            if several { format!("{} @ {}", point.variant, point.point) } else { point.variant.clone() };
        let mut row = vec![clipped(&line(&name), 24)];
        row.extend(columns.iter().map(|(measure, _)| match figure(point, measure) {
            Some(figure) => cell(figure, with_ends),
            None => crate::messages::NONE.to_string(),
        }));
        let all = outcome(point, "answered").saturating_add(errors(point));
        row.push(messages::errors_of(errors(point), all));
        rows.push(row);
    }
    rows
}

/// `20,040/s ±1.1 %`.
fn cell(figure: &Figure, with_ends: bool) -> String {
    let Some(estimate) = &figure.estimate else { return crate::messages::NONE.to_string() };
    let value = number::with_unit(estimate.point, &estimate.unit);
    let value = if figure.rough { format!("≈{value}") } else { value };
    let half = estimate.low.zip(estimate.high).map(|(low, high)| (high - low) / 2.0 / estimate.point.abs());
    match half.filter(|half| with_ends && half.is_finite()) {
        // A figure and its share are distinguished by the sign alone, so that a table fits.
        Some(half) => format!("{value} ±{}", number::short_percent(half).replace(' ', "")),
        None => value,
    }
}
