//! A Slurm allocation: its nodes, where they are reached, and this command again within a new one.

use crate::deadline::Deadline;
use crate::error::RemoteError;
use crate::launch::{LEAVING, output};
use proofload_host::started::Started;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest time for an answer of Slurm.
const ANSWERS: Duration = Duration::from_secs(60);
/// Longest time for a run within an allocation to end, and its record to come home.
const ENDS: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(50);
/// In the environment of a command within an allocation: when its standard input ends, the requester is gone.
const LIFE_LINE: &str = "PROOFLOAD_LIFE_LINE";

/// Runs this command again within a new allocation of that many nodes, where it is in none; Slurm reports itself what
/// it waits for. Returns the exit code of that command; `None` within an allocation.
///
/// # Errors
/// Slurm is not there.
pub fn within(
    program: &Path,
    arguments: &[String],
    nodes: u32,
    stop: &Arc<AtomicBool>,
) -> Result<Option<u8>, RemoteError> {
    if std::env::var_os("SLURM_JOB_ID").is_some() {
        if std::env::var_os(LIFE_LINE).is_some() {
            let stop = Arc::clone(stop);
            std::thread::spawn(move || {
                let _ = io::copy(&mut io::stdin(), &mut io::sink());
                stop.store(true, Ordering::Relaxed);
            });
        }
        return Ok(None);
    }
    let mut command = Command::new("salloc");
    command.args(["--nodes", &nodes.to_string(), "--ntasks-per-node=1", "--exclusive"]);
    command.args(["--job-name", "proofload"]).arg(program).args(arguments);
    command.env(LIFE_LINE, "stdin").stdin(Stdio::piped());
    let mut allocation = Started::start(&mut command).map_err(RemoteError::usage)?;
    allocation.leaving = LEAVING;
    let (mut life_line, _) = allocation.pipes();
    let mut ending = None;
    loop {
        if let Some(status) = allocation.ended() {
            return Ok(Some(status.code().unwrap_or(1) as u8));
        }
        if stop.load(Ordering::Relaxed) {
            drop(life_line.take());
            // An allocation that is still waited for does not notice.
            if ending.get_or_insert_with(|| Deadline::after(ENDS)).is_over() {
                return Err(RemoteError::Stopped("salloc does not end".to_owned()));
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// The first node of the allocation that this process is in, with its address, and the others.
///
/// # Errors
/// Fewer than two nodes, or Slurm cannot be queried for them.
pub(crate) fn nodes(stop: &AtomicBool) -> Result<(String, IpAddr, Vec<String>), RemoteError> {
    let list = std::env::var_os("SLURM_JOB_NODELIST").unwrap_or_default();
    let listed = match list.is_empty() {
        true => String::new(),
        false => {
            scontrol(&["show", "hostnames", &list.to_string_lossy()], stop).map_err(RemoteError::usage)?
        }
    };
    let mut nodes: Vec<String> = listed.lines().map(str::to_owned).collect();
    if nodes.len() < 2 {
        let why =
            "--on slurm: the allocation needs two nodes at least, one for the servers and one for each agent";
        return Err(RemoteError::usage(why));
    }
    let first = nodes.remove(0);
    let address = address(&first, stop).map_err(RemoteError::usage)?;
    Ok((first, address, nodes))
}

/// The address at which a node is reached.
fn address(node: &str, stop: &AtomicBool) -> io::Result<IpAddr> {
    let shown = scontrol(&["show", "node", node], stop)?;
    let name = node_address(&shown).unwrap_or(node).to_owned();
    let mut found = (name.as_str(), 0).to_socket_addrs()?.map(|address| address.ip());
    found
        .find(|address| !address.is_loopback())
        .ok_or_else(|| io::Error::other(format!("{name} leads to no address of a network; give --address")))
}

fn scontrol(arguments: &[&str], stop: &AtomicBool) -> io::Result<String> {
    let mut asking = Command::new("scontrol");
    output("scontrol", asking.args(arguments).stdin(Stdio::null()), None, ANSWERS, Some(stop))
}

/// `NodeAddr=10.0.0.1` among what `scontrol show node` prints.
fn node_address(said: &str) -> Option<&str> {
    said.split_whitespace().find_map(|word| word.strip_prefix("NodeAddr="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_node_is_found_among_what_slurm_says() {
        let said =
            "NodeName=n1 Arch=x86_64 CoresPerSocket=1 \n   CPUAlloc=0 NodeAddr=10.77.0.1 NodeHostName=vm\n";
        assert_eq!(node_address(said), Some("10.77.0.1"));
        assert_eq!(node_address(""), None);
    }
}
