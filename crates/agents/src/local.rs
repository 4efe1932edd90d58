//! Agents on this machine: children of this process, over the same protocol as any others.

#![allow(clippy::disallowed_methods, reason = "it starts agents: processes of this executable")]

use crate::deadline::Deadline;
use crate::error::FleetError;
use crate::token::Token;
use proofload_host::started::Started;
use proofload_language::say;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long children may take to end by themselves once the coordinator has said goodbye.
const GOODBYE: Duration = Duration::from_secs(3);

/// Child processes; they end with this value at the latest, and by themselves when this process is gone.
#[derive(Debug)]
pub struct LocalAgents {
    children: Vec<Started>,
}

impl LocalAgents {
    /// Starts `agents` of this executable that join the coordinator at `listener`. They read the token from a pipe: it is in no file
    /// and no argument.
    ///
    /// # Errors
    /// When the operating system refuses a process.
    pub fn start(
        program: &Path,
        agents: u32,
        listener: SocketAddr,
        token: &Token,
    ) -> Result<LocalAgents, FleetError> {
        let mut local = LocalAgents { children: Vec::new() };
        for index in 0..agents {
            let mut command = Command::new(program);
            command
                .arg("agent")
                .arg("--join")
                .arg(listener.to_string())
                .arg("--token-file")
                .arg("/dev/stdin");
            command.arg("--index").arg(index.to_string()).arg("--quiet");
            // What they have to say of an end is said by the coordinator.
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
            let system = |source| FleetError::System { what: say!("agents-cannot-start", index), source };
            let mut child = Started::start(&mut command).map_err(system)?;
            let pipe = child.child().stdin.take();
            local.children.push(child);
            pipe.map_or(Ok(()), |mut pipe| pipe.write_all(token.text())).map_err(system)?;
        }
        Ok(local)
    }

    pub fn pids(&self) -> Vec<u32> {
        self.children.iter().map(Started::id).collect()
    }
}

impl Drop for LocalAgents {
    fn drop(&mut self) {
        let leaving = Deadline::after(GOODBYE);
        for child in &mut self.children {
            let _ = child.wait(GOODBYE.saturating_sub(leaving.elapsed()), None);
        }
        Started::end_all(self.children.iter_mut());
    }
}
