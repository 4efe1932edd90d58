//! The live view: one line on standard error, only on a terminal; plain lines elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use proofload_engine::{Extent, LoadPlan, Watch};
use proofload_host::clock;
use proofload_lab::runner::Progress;
use proofload_report::{escape, number};
use proofload_stats::{Judgement, Measure};
use proofload_store::SeenTrial;
use proofload_store::schema::{Ceiling, Plan};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often the view of one endpoint is drawn.
const DRAW_EVERY_NS: u64 = 100_000_000;

/// An interval whose ends are further apart, as a ratio, says nothing yet and is not shown.
const WIDE: f64 = 100.0;

mod left;

use left::Left;

/// Tells a person where a study stands.
pub struct Live {
    bar: ProgressBar,
    plain: bool,
    block_begun_ns: u64,
    in_block: bool,
    block: String,
    standing: String,
    left: Left,
    claims: Vec<String>,
}

fn line_on_terminal(quiet: bool) -> ProgressBar {
    let target = match !quiet && std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    let style = ProgressStyle::with_template("{spinner} {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// The view of one endpoint; hands the stop switch on to the engine. Returns when the load is done.
pub fn endpoint(plan: &LoadPlan, watch: &Watch, stop: &AtomicBool, done: &AtomicBool, quiet: bool) {
    let bar = line_on_terminal(quiet);
    let begun_ns = clock::monotonic_ns();
    let (mut before, mut before_ns) = (0, begun_ns);
    while !done.load(Ordering::Relaxed) {
        if stop.load(Ordering::Relaxed) {
            watch.stop.store(true, Ordering::Relaxed);
        }
        clock::sleep_ns(DRAW_EVERY_NS);
        let now_ns = clock::monotonic_ns();
        let answered = watch.answered.load(Ordering::Relaxed);
        let failed = watch.failed.load(Ordering::Relaxed);
        let rate = (answered - before) as f64 / ((now_ns - before_ns) as f64 / 1e9);
        (before, before_ns) = (answered, now_ns);
        let spent_s = (now_ns - begun_ns) as f64 / 1e9;
        let goal = match plan.extent {
            Extent::DurationNs(ns) => format!("{spent_s:.0} of {:.0} s", (ns + plan.discard_ns) as f64 / 1e9),
            Extent::Requests { count, .. } => {
                format!("{:.0} %", (answered + failed) as f64 * 100.0 / count as f64)
            }
        };
        let [p50, p99] = [&watch.p50_ns, &watch.p99_ns].map(|at| at.load(Ordering::Relaxed) as f64);
        let latency = match p99 > 0.0 {
            true => format!(", p50 {}, p99 {}", number::duration(p50), number::duration(p99)),
            false => String::new(),
        };
        bar.set_message(format!("{goal}, {rate:.0} answered/s{latency}, {failed} failed"));
        bar.tick();
    }
    bar.finish_and_clear();
}

impl Live {
    /// A view of that plan, of whose budget so much is spent already; silent when `quiet`.
    pub fn new(plan: &Plan, claims: Vec<String>, spent_ns: u64, quiet: bool) -> Live {
        let terminal = std::io::stderr().is_terminal();
        let bar = line_on_terminal(quiet);
        Live {
            bar,
            plain: !quiet && !terminal,
            block_begun_ns: clock::monotonic_ns(),
            in_block: false,
            block: String::new(),
            standing: String::new(),
            left: Left::new(plan, spent_ns as f64 / 1e9),
            claims,
        }
    }

    /// A line that stays.
    pub fn say(&self, line: &str) {
        let line = escape::terminal(line);
        if self.plain {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }

    /// Draws one step.
    pub fn show(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Block { block, of } => {
                self.close_block(false);
                self.in_block = true;
                self.block = format!("block {block} of at most {of}");
                if self.plain {
                    self.say(&format!("{}, {}", self.block, self.time_left()));
                }
            }
            Progress::Starting { variant } => self.line(&format!("starting {variant}")),
            Progress::WarmUp { done } => self.line(&format!("warm-up {:.0} %", done * 100.0)),
            Progress::Slice { cycle, of, variant, point } => {
                self.line(&format!("cycle {cycle} of {of}, {variant} @ {point}"));
            }
            Progress::Measured { .. } => self.bar.tick(),
            Progress::Perturbing { variant, point } => {
                self.line(&format!("{variant} @ {point} with once and twice the threads"));
            }
            Progress::LongSlices { point } => self.line(&format!("long slices @ {point}")),
            Progress::Ceiling { point, found: None } => {
                self.line(&format!("the generator's ceiling at {point}"));
            }
            Progress::Ceiling { point, found: Some(found) } => self.say(&ceiling_line(point, found)),
            Progress::Disturbed { block, why } => {
                self.say(&format!("block {block} is left out for all variants: {why}"));
            }
            Progress::Trying { variant, rate_per_s, stage } => {
                let rate = number::with_unit(*rate_per_s, "per_s");
                self.line(&format!("{variant} @ {rate}, {}", stage.name()));
            }
            Progress::Tried { variant, number, trial } => self.say(&trial_line(variant, *number, trial)),
            Progress::Look { blocks, judgement } => self.look(*blocks, judgement),
            Progress::Skipped { skipped } => {
                self.say(&format!(
                    "left out from now on, every claim about it is settled: {}",
                    skipped.join(", ")
                ));
            }
            Progress::Slices { slicing } => self.say(&format!(
                "slices of {:.2} s, {} cycles in each block: 99 % of the answers come within {:.1} ms",
                slicing.slice_ns as f64 / 1e9,
                slicing.cycles,
                slicing.slices_p99_ns as f64 / 1e6
            )),
            Progress::Cycles { planned, slicing } => self.say(&format!(
                "cycles in each block from now on: {} instead of {planned}, by the spread seen so far",
                slicing.cycles
            )),
            Progress::Noticed { block, what } => self.say(&format!("block {block}: {what}")),
            Progress::Lost { variant, why, .. } => {
                self.say(&format!("{variant} is lost for this block: {why}"));
            }
            Progress::GivenUp { variant, why, .. } => self.say(&format!("{variant} is given up: {why}")),
        }
    }

    /// The last line of the view.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// What went by since the last block was closed; of a `whole` one it tells how long the next will take.
    fn close_block(&mut self, whole: bool) {
        let now_ns = clock::monotonic_ns();
        let took_s = now_ns.saturating_sub(self.block_begun_ns) as f64 / 1e9;
        self.left.block_took(took_s, whole && self.in_block);
        (self.block_begun_ns, self.in_block) = (now_ns, false);
    }

    fn look(&mut self, blocks: u32, judgement: &Judgement) {
        self.close_block(true);
        self.left.look(blocks, judgement.left);
        let intervals: Vec<String> = self
            .claims
            .iter()
            .zip(&judgement.claims)
            .map(|(name, judged)| match &judged.estimate {
                Some(e) if e.unit == "ratio" && e.high / e.low < WIDE => {
                    format!("{name}: {} {:.2} [{:.2}, {:.2}]", judged.verdict.name(), e.point, e.low, e.high)
                }
                _ => format!("{name}: {}", judged.verdict.name()),
            })
            .collect();
        self.standing = intervals.first().cloned().unwrap_or_default();
        let counted = if blocks == 1 { "1 block".to_string() } else { format!("{blocks} blocks") };
        let left = match judgement.left {
            Some(_) => format!("; {}", self.time_left()),
            None => String::new(),
        };
        self.say(&format!("after {counted}: {}{left}", intervals.join("; ")));
    }

    fn line(&self, step: &str) {
        let standing =
            if self.standing.is_empty() { String::new() } else { format!("  |  {}", self.standing) };
        // A search has no blocks that were counted beforehand.
        let block = if self.block.is_empty() { String::new() } else { format!("{}, ", self.block) };
        let line = format!("{block}{step}, {}{standing}", self.time_left());
        self.bar.set_message(escape::terminal(&line));
        self.bar.tick();
    }

    fn time_left(&self) -> String {
        self.left.in_words((clock::monotonic_ns() - self.block_begun_ns) as f64 / 1e9)
    }
}

/// A trial of a search, in a line.
fn trial_line(variant: &str, number: usize, seen: &SeenTrial) -> String {
    let shown = &seen.shown;
    let values: Vec<String> = shown
        .values
        .iter()
        .map(|(name, value)| {
            let unit = Measure::parse(name).map_or("count", Measure::unit);
            let value = value.map_or_else(|| "nothing".to_string(), |value| number::with_unit(value, unit));
            format!("{name} {value}")
        })
        .collect();
    let fresh = if shown.fresh { ", fresh" } else { "" };
    format!(
        "{variant}, trial {number} ({}{fresh}): {} {}, {}",
        shown.stage,
        number::with_unit(shown.rate_per_s, "per_s"),
        shown.outcome.name().replace('_', "-"),
        values.join(", ")
    )
}

/// What was found of a ceiling, in a line.
pub fn ceiling_line(point: &str, found: &Ceiling) -> String {
    let kib = found.answer_bytes >> 10;
    match found.exchanges_per_s {
        Some(rate) => {
            let from = if found.cached { ", from the cache" } else { "" };
            format!(
                "the generator's ceiling at {point}, answers up to {kib} KiB: {rate:.0} exchanges/s{from}"
            )
        }
        None => format!("the generator's ceiling at {point} is not measured: {}", found.why),
    }
}
