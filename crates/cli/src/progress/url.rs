//! Live view of one endpoint while it is measured.

use super::canvas::{Buffer, Color, Rect, Style};
use super::chart::{faint, gauge, over_time, put, put_right, strong};
use proofload_engine::Extent;
use proofload_language::tr;
use proofload_report::{minutes, number};
use std::collections::VecDeque;
use unicode_width::UnicodeWidthStr;

const SECOND_NS: u64 = 1_000_000_000;
/// Over how long rates are: counts come in steps of a tenth of a second.
const RATE_OVER_NS: u64 = SECOND_NS;
/// Values over time that are kept; of more, neighbours are put together.
const KEPT: usize = 1024;

/// Counts of the engine and the kernel at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    pub at_ns: u64,
    pub answered: u64,
    pub failed: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    /// CPU time of this process.
    pub cpu_ns: u64,
}

#[derive(Clone, Debug, Default)]
struct Series {
    values: Vec<f64>,
    /// Number of readings in each of them, and those that wait for others.
    every: usize,
    waiting: Vec<f64>,
}

impl Series {
    fn push(&mut self, value: f64) {
        self.waiting.push(value);
        if self.waiting.len() < self.every.max(1) {
            return;
        }
        self.values.push(self.waiting.iter().sum::<f64>() / self.waiting.len() as f64);
        self.waiting.clear();
        if self.values.len() == KEPT {
            self.values =
                self.values.chunks(2).map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect();
            self.every = self.every.max(1) * 2;
        }
    }
}

/// One endpoint on its way.
#[derive(Clone, Debug)]
pub struct Endpoint {
    title: String,
    extent: Extent,
    discard_ns: u64,
    workers: u32,
    begun_ns: u64,
    /// Readings of the last second, the oldest first.
    recent: VecDeque<Reading>,
    answered_per_s: Series,
    failed_per_s: Series,
    p50_ns: Series,
    p99_ns: Series,
    busy: Series,
}

/// A line of the view: its name, its value now, its values over time.
struct Row<'a> {
    name: &'a str,
    now: String,
    of: &'a Series,
    lines: u16,
    colour: Color,
}

impl Endpoint {
    /// An endpoint before its first request: when its load ends, what of it is discarded, on how many threads.
    pub fn new(title: &str, extent: Extent, discard_ns: u64, workers: u32, begun: Reading) -> Endpoint {
        Endpoint {
            title: title.to_string(),
            extent,
            discard_ns,
            workers: workers.max(1),
            begun_ns: begun.at_ns,
            recent: VecDeque::from([begun]),
            answered_per_s: Series::default(),
            failed_per_s: Series::default(),
            p50_ns: Series::default(),
            p99_ns: Series::default(),
            busy: Series::default(),
        }
    }

    pub fn read(&mut self, reading: Reading) {
        self.recent.push_back(reading);
        while self.recent.get(1).is_some_and(|second| second.at_ns + RATE_OVER_NS <= reading.at_ns) {
            self.recent.pop_front();
        }
        let then = self.recent.front().copied().unwrap_or(reading);
        let ns = reading.at_ns.saturating_sub(then.at_ns).max(1) as f64;
        let per_s = |now: u64, then: u64| now.saturating_sub(then) as f64 * 1e9 / ns;
        self.answered_per_s.push(per_s(reading.answered, then.answered));
        self.failed_per_s.push(per_s(reading.failed, then.failed));
        self.busy.push(per_s(reading.cpu_ns, then.cpu_ns) / 1e9 / f64::from(self.workers));
        if reading.p99_ns > 0 {
            self.p50_ns.push(reading.p50_ns as f64);
            self.p99_ns.push(reading.p99_ns as f64);
        }
    }

    fn now(&self) -> Reading {
        self.recent.back().copied().unwrap_or_default()
    }

    /// Share of it that is done, and the same in words.
    fn progress(&self) -> (f64, String) {
        let now = self.now();
        let spent_ns = now.at_ns.saturating_sub(self.begun_ns);
        let spent_s = spent_ns as f64 / 1e9;
        match self.extent {
            Extent::DurationNs(ns) => {
                let all_s = (ns + self.discard_ns) as f64 / 1e9;
                let left = minutes((all_s - spent_s).max(0.0));
                (
                    spent_s / all_s,
                    tr!(
                        "live-progress-time",
                        warm_up = spent_ns < self.discard_ns,
                        spent_s = format!("{spent_s:.0}"),
                        all_s = format!("{all_s:.0}"),
                        left
                    ),
                )
            }
            Extent::Requests { count, .. } => {
                let done = now.answered + now.failed;
                let share = done as f64 / count.max(1) as f64;
                let left = if done > 0 {
                    minutes(spent_s / share * (1.0 - share).max(0.0))
                } else {
                    "?".to_string()
                };
                let (done, count) = (number::count(done), number::count(count));
                (share, tr!("live-progress-requests", done, count, left))
            }
        }
    }

    fn rows(&self) -> [Row<'_>; 5] {
        let last = |series: &Series| series.values.last().copied();
        let rate = |series: &Series| number::with_unit(last(series).unwrap_or(0.0), "per_s");
        let duration = |series: &Series| last(series).map_or("–".to_string(), number::duration);
        let failed = self.now().failed;
        let failed_colour = if failed > 0 { Color::Red } else { Color::Reset };
        let row = |name, now, of, lines, colour| Row { name, now, of, lines, colour };
        [
            row(tr!("live-answered"), rate(&self.answered_per_s), &self.answered_per_s, 3, Color::Cyan),
            row("p50", duration(&self.p50_ns), &self.p50_ns, 1, Color::Green),
            row("p99", duration(&self.p99_ns), &self.p99_ns, 2, Color::Yellow),
            row(tr!("live-rows-failed"), number::count(failed), &self.failed_per_s, 1, failed_colour),
            row(
                tr!("live-rows-generator-busy"),
                number::percent(last(&self.busy).unwrap_or(0.0)),
                &self.busy,
                1,
                Color::Blue,
            ),
        ]
    }

    pub fn height(&self) -> u16 {
        4 + self.rows().iter().map(|row| row.lines).sum::<u16>()
    }

    pub fn draw(&self, area: Rect, buffer: &mut Buffer) {
        const NAME: u16 = 15;
        const NOW: u16 = 12;
        let line = |y: u16| Rect { y: area.y + y, height: 1, ..area };
        put(buffer, line(0), &self.title, strong());
        let (share, words) = self.progress();
        let split = area.width.saturating_sub(words.width() as u16 + 2);
        gauge(buffer, Rect { width: split, ..line(1) }, share);
        put_right(buffer, line(1), &words, Style::default());
        let mut y = 2;
        for row in self.rows() {
            let all = Rect { height: row.lines, ..line(y) };
            put(buffer, Rect { width: NAME.min(area.width), ..line(y) }, row.name, faint());
            let now = Rect { x: area.x + NAME, width: NOW, ..line(y) };
            put_right(buffer, now, &row.now, strong().fg(row.colour));
            let behind = NAME + NOW + 2;
            let chart = Rect { x: area.x + behind, width: area.width.saturating_sub(behind), ..all };
            over_time(buffer, chart, &row.of.values, None, row.colour);
            y += row.lines;
        }
        put(buffer, line(y + 1), tr!("live-ctrl-c"), faint());
    }
}
