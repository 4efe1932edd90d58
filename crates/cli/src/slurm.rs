//! `--on slurm`: the nodes of an allocation, and this command again within a new one.

use crate::args::RunArgs;
use crate::exit::{Exit, leave};
use proofload_host::clock::monotonic_ns;
use proofload_places::{Allocation, Launched};
use proofload_subject::this_program;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest time for a run within an allocation to end, and its record to come home.
const ENDS_WITHIN_NS: u64 = 30_000_000_000;
const LOOK: Duration = Duration::from_millis(50);

/// The first node of the allocation that this process is in, and the others.
pub fn nodes(stop: &AtomicBool) -> anyhow::Result<(String, Vec<String>)> {
    let allocation = Allocation::of_environment(stop).map_err(|error| leave(Exit::Usage, error))?;
    let mut nodes = allocation.map(|allocation| allocation.nodes).unwrap_or_default();
    if nodes.len() < 2 {
        let why =
            "--on slurm: the allocation needs two nodes at least, one for the servers and one for each agent";
        return Err(leave(Exit::Usage, why));
    }
    let first = nodes.remove(0);
    Ok((first, nodes))
}

/// In the environment of a command within an allocation: when its standard input ends, whoever asked for it is gone.
const LIFE_LINE: &str = "PROOFLOAD_LIFE_LINE";

/// Runs this command again within an allocation, where it is in none.
pub fn within(args: &RunArgs, stop: &Arc<AtomicBool>) -> anyhow::Result<Option<Exit>> {
    if std::env::var_os("SLURM_JOB_ID").is_some() {
        if std::env::var_os(LIFE_LINE).is_some() {
            let stop = Arc::clone(stop);
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
                stop.store(true, Ordering::Relaxed);
            });
        }
        return Ok(None);
    }
    let words: Vec<String> = crate::around::arguments();
    let mut command = Allocation::wanted(args.agents.unwrap_or(1) + 1, &this_program(), &words);
    command.env(LIFE_LINE, "stdin").stdin(Stdio::piped());
    let mut allocation =
        Launched::start("salloc".to_owned(), command).map_err(|error| leave(Exit::Usage, error))?;
    let (mut life_line, _) = allocation.pipes();
    let mut stopped_ns = None;
    loop {
        if let Some(status) = allocation.ended() {
            return Ok(Some(Exit::from_code(status.code().unwrap_or(1) as u8)));
        }
        if stop.load(Ordering::Relaxed) {
            drop(life_line.take());
            // An allocation that is still waited for does not notice.
            let stopped_ns = *stopped_ns.get_or_insert(monotonic_ns());
            if monotonic_ns() - stopped_ns > ENDS_WITHIN_NS {
                return Ok(Some(Exit::Interrupted));
            }
        }
        std::thread::sleep(LOOK);
    }
}
