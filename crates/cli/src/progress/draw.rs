//! Drawing of a study while it runs: its state, its claims, its servers.

use super::board::{Board, Round};
use super::canvas::{Buffer, Color, Rect, Style};
use super::chart::{faint, gauge, over_time, put, put_right, strong};
use super::rows::{Away, ClaimRow, Server};
use proofload_language::{Phrase, tr};
use proofload_report::number;
use proofload_stats::Verdict;

/// Lines that the whole takes at most.
const LINES_MAX: usize = 20;
/// Lines of it that are neither claims nor servers: three on top, a blank and a heading above either.
const FRAME: usize = 7;
/// Columns of a claim's figures, and of its verdict.
const NUMBERS: u16 = 20;
const VERDICT: u16 = 16;

/// Lines of claims and of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shares {
    claims: usize,
    servers: usize,
    /// True if each claim has a line for its name and another for its interval.
    roomy: bool,
}

fn shares(board: &Board, lines: usize) -> Shares {
    let (claims, servers) = (board.claims.len(), board.here().count());
    let room = lines.min(LINES_MAX).saturating_sub(FRAME);
    let servers = servers.min((room / 2).max(room.saturating_sub(claims)));
    let room = room - servers;
    let roomy = 2 * claims <= room;
    Shares { claims: room.min(if roomy { 2 * claims } else { claims }), servers, roomy }
}

/// Lines that it takes of a terminal that has `lines`.
pub fn height(board: &Board, lines: usize) -> u16 {
    let shares = shares(board, lines);
    (FRAME + shares.claims + shares.servers).min(lines) as u16
}

pub fn draw(board: &Board, area: Rect, buffer: &mut Buffer) {
    let shares = shares(board, usize::from(area.height));
    let mut lines = (area.y..area.bottom()).map(|y| Rect { y, height: 1, ..area });
    let mut next = || lines.next().unwrap_or_default();
    top(board, [next(), next(), next()], buffer);
    if shares.claims > 0 {
        next();
        claims(board, shares, &mut next, buffer);
    }
    if shares.servers > 0 {
        next();
        servers(board, shares.servers, &mut next, buffer);
    }
}

fn claims(board: &Board, shares: Shares, next: &mut dyn FnMut() -> Rect, buffer: &mut Buffer) {
    let counted = match board.complete {
        0 => tr!("live-first-look", counted = board.round.counted(board.first_look)),
        n => tr!("live-after", counted = board.round.counted(n)),
    };
    heading(next(), tr!("live-claims"), &counted, buffer);
    let rows = if shares.roomy { shares.claims / 2 } else { shares.claims };
    let (shown, rest) = fitting(&board.claims, rows);
    for claim in shown {
        match shares.roomy {
            true => roomy_claim(claim, [next(), next()], buffer),
            false => claim_in_a_line(claim, next(), buffer),
        }
    }
    if !rest.is_empty() {
        let settled = rest.iter().filter(|claim| claim.settled).count();
        put(buffer, next(), &tr!("live-more-claims", rest = rest.len(), settled), faint());
    }
}

fn servers(board: &Board, lines: usize, next: &mut dyn FnMut() -> Rect, buffer: &mut Buffer) {
    let servers: Vec<&Server> = board.here().collect();
    servers_heading(board, next(), buffer);
    let (shown, rest) = fitting(&servers, lines);
    // One scale for all: a server that serves more is drawn higher.
    let most = servers.iter().flat_map(|server| &server.rates).copied().fold(0.0, f64::max);
    shown.iter().for_each(|server| server_in_a_line(server, most, figures(board), next(), buffer));
    if !rest.is_empty() {
        put(buffer, next(), &tr!("live-more-servers", rest = rest.len()), faint());
    }
}

/// As many as fit in `lines` lines, and the rest, for which one line is kept if there is a rest.
fn fitting<T>(all: &[T], lines: usize) -> (&[T], &[T]) {
    all.split_at(if all.len() <= lines { all.len() } else { lines.saturating_sub(1) })
}

fn top(board: &Board, [title, time, step]: [Rect; 3], buffer: &mut Buffer) {
    let round = board.round_in_words();
    let title_left = less(title, 0, width(&round) + 2);
    put(buffer, title_left, &board.study, strong());
    put(buffer, less(title_left, width(&board.study) + 2, 0), &board.question, faint());
    put_right(buffer, title, &round, Style::default());
    let left = board.time_left();
    gauge(buffer, less(time, 0, width(&left) + 2), board.share_done());
    put_right(buffer, time, &left, Style::default());
    put(buffer, step, tr!("live-now"), faint());
    put(
        buffer,
        less(step, width(tr!("live-now")) + width(tr!("between-texts")), 0),
        &board.step,
        Style::default(),
    );
}

fn heading(line: Rect, name: &str, aside: &str, buffer: &mut Buffer) {
    put(buffer, line, name, faint());
    put_right(buffer, less(line, width(name) + 2, 0), aside, faint());
}

/// The name on a line, all that is known below it.
fn roomy_claim(claim: &ClaimRow, [name, below]: [Rect; 2], buffer: &mut Buffer) {
    put(buffer, name, &claim.name, strong());
    interval(claim, less(below, 2, 0), buffer);
}

/// Everything on one line: the name has three fifths of what figures and verdict leave.
fn claim_in_a_line(claim: &ClaimRow, line: Rect, buffer: &mut Buffer) {
    let name = line.width.saturating_sub(NUMBERS + VERDICT + 3) * 3 / 5;
    put(buffer, Rect { width: name, ..line }, &claim.name, strong());
    interval(claim, less(line, name + 1, 0), buffer);
}

fn interval(claim: &ClaimRow, line: Rect, buffer: &mut Buffer) {
    let bar = less(line, 0, NUMBERS + VERDICT + 2);
    if let (Some(held), Some(scale)) = (claim.held(), claim.scale) {
        held.draw(buffer, bar, scale);
    }
    let numbers = Rect { x: bar.right() + 1, width: NUMBERS, ..line };
    put(buffer, numbers.intersection(line), &claim.numbers(), Style::default());
    let colour = match claim.verdict {
        Verdict::Supported => Color::Green,
        Verdict::Refuted => Color::Red,
        Verdict::Undecided => Color::Reset,
    };
    let style = if claim.settled { strong() } else { Style::default() };
    let verdict = Rect { x: bar.right() + NUMBERS + 2, width: VERDICT, ..line };
    put(buffer, verdict.intersection(line), claim.verdict(), style.fg(colour));
}

/// Columns of a server's figures: their headings and widths.
const FIGURES: [(Heading, u16); 6] = [
    (Heading::Said(Phrase("live-rate")), 10),
    (Heading::Name("p50"), 9),
    (Heading::Name("p99"), 9),
    (Heading::Said(Phrase("live-errors")), 7),
    (Heading::Said(Phrase("live-cores")), 6),
    (Heading::Said(Phrase("live-memory")), 9),
];

/// Heading of a column.
#[derive(Clone, Copy)]
enum Heading {
    /// A name that is the same in every language.
    Name(&'static str),
    Said(Phrase),
}

impl Heading {
    fn text(self) -> &'static str {
        match self {
            Heading::Name(name) => name,
            Heading::Said(phrase) => phrase.text(),
        }
    }
}

/// The figures that there are: CPU and memory of servers that were not started here are unknown.
fn figures(board: &Board) -> &'static [(Heading, u16)] {
    let known = board.here().any(|server| server.cores.is_some() || server.memory_bytes.is_some());
    if known || board.round == Round::Restart { &FIGURES } else { &FIGURES[..4] }
}

/// Columns: the name, the figures, and the remaining width for rates over time.
fn columns(line: Rect, figures: &[(Heading, u16)]) -> (Rect, Vec<Rect>, Rect) {
    let widest: u16 = FIGURES.iter().map(|(_, width)| width).sum();
    let name =
        Rect { width: (line.width.saturating_sub(widest) * 3 / 5).clamp(8, 40).min(line.width), ..line };
    let mut x = name.right();
    let cells = figures.iter().map(|(_, width)| {
        x += width;
        Rect { x: x - width, width: *width, ..line }.intersection(line)
    });
    let cells = cells.collect();
    (name, cells, less(line, x - line.x + 2, 0))
}

fn servers_heading(board: &Board, line: Rect, buffer: &mut Buffer) {
    let figures = figures(board);
    let (name, cells, rates) = columns(line, figures);
    put(buffer, name, &format!("@ {}", board.point), faint());
    cells
        .iter()
        .zip(figures)
        .for_each(|(cell, (heading, _))| put_right(buffer, *cell, heading.text(), faint()));
    put(buffer, rates, tr!("live-each-turn"), faint());
}

fn server_in_a_line(server: &Server, most: f64, figures: &[(Heading, u16)], line: Rect, buffer: &mut Buffer) {
    let (name, cells, rates) = columns(line, figures);
    put(buffer, Rect { width: name.width.saturating_sub(1), ..name }, &server.name, strong());
    let duration = |ns: Option<f64>| ns.map_or("–".to_string(), number::duration);
    let figures = [
        server.rate_per_s.map_or("–".to_string(), |rate| number::with_unit(rate, "per_s")),
        duration(server.p50_ns),
        duration(server.p99_ns),
        number::count(server.errors),
        server.cores.map_or("–".to_string(), |cores| format!("{cores:.2}")),
        server.memory_bytes.map_or("–".to_string(), |bytes| number::bytes(bytes as f64)),
    ];
    for (at, (cell, figure)) in cells.into_iter().zip(figures).enumerate() {
        let style =
            if at == 3 && server.errors > 0 { Style::default().fg(Color::Red) } else { Style::default() };
        put_right(buffer, cell, &figure, style);
    }
    match server.away {
        None => over_time(buffer, rates, latest(&server.rates, rates.width), Some(most), Color::Cyan),
        Some(away) => {
            let colour = if away == Away::Settled { Color::Reset } else { Color::Red };
            put(buffer, rates, away.name(), Style::default().fg(colour));
        }
    }
}

/// The last ones that fit: how the rate was an hour ago is not what one looks for.
fn latest(values: &[f64], columns: u16) -> &[f64] {
    &values[values.len().saturating_sub(usize::from(columns))..]
}

fn less(line: Rect, left: u16, right: u16) -> Rect {
    let left = left.min(line.width);
    Rect { x: line.x + left, width: (line.width - left).saturating_sub(right), ..line }
}

fn width(text: &str) -> u16 {
    unicode_width::UnicodeWidthStr::width(text) as u16
}
