//! The start of a variant, with a second try: for a port that was not free again, a machine that was busy for a moment.

use super::{Bench, BenchError, Progress};
use proofload_facts::Finding;
use proofload_store::RunWriter;
use std::sync::atomic::{AtomicBool, Ordering};

/// Attempts to start a variant within a block before it is given up.
const STARTS_MAX: u32 = 2;

/// Reasons why a variant does not run.
pub(super) enum Unstarted {
    /// The stop flag was set.
    Interrupted,
    /// Every try failed; the reason of the last one.
    Failed(Finding),
}

/// A variant that is to start in a block.
pub(super) struct Start<'a> {
    pub block: u32,
    pub variant: usize,
    pub name: &'a str,
    pub record: &'a RunWriter,
}

/// Starts a variant, until `stop`.
pub(super) fn start<B: Bench + ?Sized>(
    wanted: &Start<'_>,
    bench: &mut B,
    progress: &mut dyn FnMut(Progress<'_>),
    stop: &AtomicBool,
) -> Result<(), Unstarted> {
    let Start { block, variant, name, record } = *wanted;
    let mut why = Finding::NotStarted;
    for attempt in 1..=STARTS_MAX {
        if stop.load(Ordering::Relaxed) {
            return Err(Unstarted::Interrupted);
        }
        progress(Progress::Starting { variant: name });
        let log = match attempt {
            1 => record.log_path(block, name),
            again => record.log_path(block, &format!("{name}-start-{again}")),
        };
        match bench.start(variant, &log) {
            Ok(()) => return Ok(()),
            Err(BenchError::Interrupted) => return Err(Unstarted::Interrupted),
            Err(BenchError::Failed(what)) => {
                why = Finding::InStart { block, variant: name.to_string(), what: Box::new(what) };
            }
        }
        for what in bench.stop(variant) {
            progress(Progress::Noticed { block, what: &what });
        }
        if attempt < STARTS_MAX {
            progress(Progress::Noticed { block, what: &Finding::OnceMore { why: Box::new(why.clone()) } });
        }
    }
    Err(Unstarted::Failed(why))
}
