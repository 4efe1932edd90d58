//! The live view: a few lines at the end of a terminal; plain lines elsewhere. What it shows is drawn into a buffer, from
//! what is known and the time, and the buffer is sent to standard error.

use crate::around;
use board::Board;
use canvas::{Buffer, Rect};
use proofload_engine::{LoadPlan, Watch};
use proofload_host::clock;
use proofload_lab::runner::Progress;
use proofload_report::escape;
use proofload_stats::Claim;
use proofload_store::schema::Plan;
use std::io::Stderr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use url::{Endpoint, Reading};
use window::Window;

mod ansi;
mod board;
mod canvas;
mod chart;
mod draw;
mod lines;
mod rows;
#[cfg(test)]
mod tests;
mod url;
mod window;

pub use lines::ceiling_line;

/// Interval at which the view of one endpoint looks at its stop switch; the end of the load wakes it.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// It reads and draws once in that many looks.
const LOOKS_PER_DRAWING: u32 = 2;
/// Shortest time between two drawings of a study while turns follow each other.
const DRAW_EVERY_NS: u64 = 100_000_000;

enum View {
    Quiet,
    /// Plain lines, without a view.
    Plain,
    Window(Window<Stderr>),
}

impl View {
    fn new(quiet: bool) -> View {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM")
            .is_none_or(|term| term.is_empty() || term.as_encoded_bytes().starts_with(b"dumb"));
        match quiet {
            true => View::Quiet,
            false if !around::is_error_terminal() || dumb || set("CI") => View::Plain,
            false => View::Window(Window::new(std::io::stderr(), !set("NO_COLOR"))),
        }
    }

    /// Draws within the terminal: `height` gets its lines and returns those needed.
    fn draw(&mut self, height: impl Fn(usize) -> u16, draw: impl Fn(Rect, &mut Buffer)) {
        if let View::Window(window) = self {
            let (columns, lines) = size();
            window.draw(&frame(columns, lines, height, draw), columns);
        }
    }

    fn say(&mut self, line: &str) {
        let line = escape::terminal(line);
        match self {
            View::Quiet => {}
            View::Plain => around::error_line(line),
            View::Window(window) => window.say(&line, size().0),
        }
    }
}

/// A buffer for a terminal of that size, one column and one line smaller at least: what reaches into the last column
/// may be broken into two lines, and the cursor is below.
fn frame(
    columns: u16,
    lines: u16,
    height: impl Fn(usize) -> u16,
    draw: impl Fn(Rect, &mut Buffer),
) -> Buffer {
    let room = lines.saturating_sub(1);
    let area = Rect::new(0, 0, columns.saturating_sub(1), height(usize::from(room)).min(room));
    let mut buffer = Buffer::empty(area);
    draw(area, &mut buffer);
    buffer
}

/// Columns and lines of the terminal; 80 and 24 where it does not know.
fn size() -> (u16, u16) {
    let known = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let size = known.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    size.map_or((80, 24), |size| (size.ws_col, size.ws_row))
}

/// The view of one endpoint; hands the stop switch on to the engine. Returns when the load is done.
pub fn endpoint(
    title: &str,
    plan: &LoadPlan,
    watch: &Watch,
    stop: &AtomicBool,
    done: &AtomicBool,
    quiet: bool,
) {
    let mut view = View::new(quiet);
    let mut endpoint = Endpoint::new(title, plan.extent, plan.discard_ns, plan.workers, reading(watch));
    for look in 1_u32.. {
        if stop.load(Ordering::Relaxed) {
            watch.stop.store(true, Ordering::Relaxed);
        }
        thread::park_timeout(LOOK_EVERY);
        if done.load(Ordering::Relaxed) {
            return;
        }
        if look.is_multiple_of(LOOKS_PER_DRAWING) && matches!(view, View::Window(_)) {
            endpoint.read(reading(watch));
            view.draw(|_| endpoint.height(), |area, buffer| endpoint.draw(area, buffer));
        }
    }
}

fn reading(watch: &Watch) -> Reading {
    let of = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    Reading {
        at_ns: clock::monotonic_ns(),
        answered: of(&watch.answered),
        failed: of(&watch.failed),
        p50_ns: of(&watch.p50_ns),
        p99_ns: of(&watch.p99_ns),
        cpu_ns: clock::process_cpu_ns(),
    }
}

/// Shows a person the state of a study.
pub struct Live {
    board: Board,
    view: View,
    drawn_ns: u64,
}

impl Live {
    /// A view of that plan, of whose budget `spent_ns` is spent already; silent when `quiet`.
    pub fn new(plan: &Plan, claims: &[Claim], spent_ns: u64, quiet: bool) -> Live {
        let board = Board::new(plan, claims, spent_ns, clock::monotonic_ns());
        Live { board, view: View::new(quiet), drawn_ns: 0 }
    }

    pub fn show(&mut self, progress: &Progress<'_>) {
        let now_ns = clock::monotonic_ns();
        self.board.step(progress, now_ns);
        let round = self.board.round;
        if let Some(line) = lines::of(progress, round) {
            self.view.say(&line);
        }
        // What was chosen on the way is in the record; above a view it would push the result off the screen.
        if let Some(line) = lines::chosen(progress, round).filter(|_| matches!(self.view, View::Plain)) {
            self.view.say(&line);
        }
        match (&self.view, progress) {
            (View::Plain, Progress::Block { .. }) => {
                let line = format!("{}, {}", self.board.round_in_words(), self.board.time_left());
                self.view.say(&line);
            }
            (View::Plain, Progress::Look { blocks, judgement }) => {
                let left = self.board.time_left();
                let line = lines::look(&self.board.claims, *blocks, round, judgement, &left);
                self.view.say(&line);
            }
            // The next step follows at once.
            (_, Progress::Measured { .. }) => {}
            (_, Progress::Slice { .. } | Progress::WarmUp { .. })
                if now_ns < self.drawn_ns + DRAW_EVERY_NS => {}
            _ => {
                self.drawn_ns = now_ns;
                let board = &self.board;
                self.view
                    .draw(|lines| draw::height(board, lines), |area, buffer| draw::draw(board, area, buffer));
            }
        }
    }

    /// Share of the time that is over, at the most likely length.
    pub fn share_done(&self) -> f64 {
        self.board.share_done()
    }

    /// Takes the view away; lines that were printed stay.
    pub fn end(&mut self) {
        if let View::Window(window) = &mut self.view {
            window.clear();
        }
    }
}
