//! A Slurm allocation: its nodes, and where they are reached.

use proofload_host::started::run;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Longest time for an answer of Slurm.
const SAID: Duration = Duration::from_secs(60);

/// The allocation that this process is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its nodes, in Slurm's order.
    pub nodes: Vec<String>,
}

impl Allocation {
    /// The one that the environment names; `None` outside of any.
    ///
    /// # Errors
    /// When Slurm cannot be asked for its nodes.
    pub fn of_environment(stop: &AtomicBool) -> io::Result<Option<Allocation>> {
        let Some(list) = std::env::var_os("SLURM_JOB_NODELIST") else { return Ok(None) };
        let list = list.to_string_lossy().into_owned();
        let said = scontrol(&["show", "hostnames", &list], stop)?;
        Ok(Some(Allocation { nodes: said.lines().map(str::to_owned).collect() }))
    }

    /// A command that runs `program` again within a new allocation of so many nodes; Slurm says itself what it waits for.
    pub fn wanted(nodes: u32, program: &std::path::Path, arguments: &[String]) -> Command {
        let mut command = Command::new("salloc");
        command.args(["--nodes", &nodes.to_string(), "--ntasks-per-node=1", "--exclusive"]);
        command.args(["--job-name", "proofload"]).arg(program).args(arguments);
        command
    }

    /// Where a node is reached.
    ///
    /// # Errors
    /// When Slurm does not know it, or its name leads nowhere.
    pub fn address(node: &str, stop: &AtomicBool) -> io::Result<IpAddr> {
        let said = scontrol(&["show", "node", node], stop)?;
        let name = node_address(&said).unwrap_or(node).to_owned();
        let mut found = (name.as_str(), 0).to_socket_addrs()?.map(|address| address.ip());
        found.find(|address| !address.is_loopback()).ok_or_else(|| {
            io::Error::other(format!("{name} leads to no address of a network; give --address"))
        })
    }
}

fn scontrol(arguments: &[&str], stop: &AtomicBool) -> io::Result<String> {
    let mut asking = Command::new("scontrol");
    asking.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = run(&mut asking, None, SAID, Some(stop))
        .map_err(|error| io::Error::new(error.kind(), format!("{error}; is Slurm on this machine?")))?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => Err(io::Error::other(String::from_utf8_lossy(&said.stderr).trim().to_owned())),
    }
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
