//! Progress of a running study.

use crate::ui::frame::table;
use crate::ui::messages;
use proofload_analysis::RunJudge;
use proofload_host::clock;
use proofload_language::{Columns, named, tr};
use proofload_report::Left;
use proofload_report::escape::html as safe;
use proofload_report::number;
use proofload_store::schema::Slice;
use proofload_store::{Block, PartialBlock, Run, order_of};

/// Section above the report of a study that goes on; `block` is the one that is being measured.
pub fn section(run: &Run, block: Option<&PartialBlock>) -> String {
    let complete = run.blocks().len();
    let most = run.plan().timing.looks.last().copied().unwrap_or(0);
    let slices = block.map(|block| {
        let done = block.slices.iter().filter(|slice| slice.is_measured()).count();
        (done, expected(run, block.number))
    });
    let mut lines = messages::progress(block.map(|block| (block.number, most)), slices, complete);
    lines.extend(left(run));
    let lines = lines.join(tr!("between-texts"));
    let note = if complete == 0 { tr!("ui-first-block") } else { tr!("ui-so-far") };
    let lines = safe(&lines);
    let last = block.map(|block| last(&block.slices)).unwrap_or_default();
    format!(
        "<section class=\"live\"><h2>{}</h2><p>{lines}</p><p class=\"says\">{note}</p>{last}</section>\n",
        tr!("ui-running")
    )
}

/// Time that it may still take; `None` where its claims cannot be judged yet.
fn left(run: &Run) -> Option<String> {
    let plan = run.plan();
    let began_ns = run.status().sittings.last()?.began_unix_ns;
    let blocks =
        run.blocks().iter().filter(|block| block.slices.iter().any(|it| it.started_unix_ns >= began_ns));
    let ended = |block: &Block| {
        let last = block
            .slices
            .iter()
            .map(|slice| slice.started_unix_ns + (slice.measured.seconds * 1e9) as u64)
            .max();
        last.unwrap_or(began_ns)
    };
    let mut left = Left::new(plan, 0.0);
    let mut before_ns = began_ns;
    for ended_ns in blocks.map(ended) {
        left.block_took(ended_ns.saturating_sub(before_ns) as f64 / 1e9, true);
        before_ns = ended_ns;
    }
    if !run.blocks().is_empty() {
        left.look(run.blocks().len() as u32, RunJudge::of(plan).ok()?.judge(run).ok()?.left);
    }
    let in_block_ns = clock::unix_ns().saturating_sub(before_ns);
    Some(tr!("ui-time-left", left = left.in_words(in_block_ns as f64 / 1e9)))
}

/// Slices of a whole block.
fn expected(run: &Run, number: u32) -> usize {
    let plan = run.plan();
    let turns = order_of(plan, run.slicing(), number).iter().flatten().count();
    turns * plan.points.len() * plan.streams.len().max(1)
}

/// The last slice of each variant at each load point.
fn last(slices: &[Slice]) -> String {
    let mut lasts: Vec<&Slice> = Vec::new();
    for slice in slices.iter().filter(|slice| slice.measured.throughput_per_s.is_some()) {
        let of = |slice: &Slice| {
            let measured = &slice.measured;
            (measured.variant.clone(), measured.point.clone(), measured.stream.clone())
        };
        match lasts.iter_mut().find(|known| of(known) == of(slice)) {
            Some(known) => *known = slice,
            None => lasts.push(slice),
        }
    }
    if lasts.is_empty() {
        return String::new();
    }
    let rows: String = lasts.into_iter().map(row).collect();
    format!(
        "<h3>{}</h3>{}",
        tr!("ui-last"),
        table("last", tr!("ui-last"), &Columns::<6>("ui-last-columns").texts(), &rows)
    )
}

/// A slice in a row.
fn row(slice: &Slice) -> String {
    let measured = &slice.measured;
    let ns =
        |ns: Option<u64>| ns.map_or_else(|| messages::NONE.to_string(), |ns| number::duration(ns as f64));
    let per_s = measured.throughput_per_s.map_or_else(String::new, |rate| number::with_unit(rate, "per_s"));
    let times = &measured.response_time_ns;
    let stream = Some(&measured.stream).filter(|stream| !stream.is_empty());
    let variant =
        stream.map_or_else(|| measured.variant.clone(), |stream| format!("{} [{stream}]", measured.variant));
    let cells = [
        variant,
        measured.point.clone(),
        named(slice.phase.name()).to_string(),
        per_s,
        ns(times.p50),
        ns(times.p99),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", safe(cell))).collect();
    format!("<tr>{cells}</tr>\n")
}
