//! Kubernetes: objects for a coordinator and its agents ([`manifest`]), and what went wrong with them ([`events`]).

pub mod events;
pub mod manifest;

mod jobs;
mod objects;
mod report;
mod wanted;

use proofload_host::started::run;
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Longest time for an order to a cluster.
const SAID: Duration = Duration::from_secs(120);

/// The user's own kubectl, with his contexts, plugins and proxies, for these words.
pub fn read_by(words: &[&str]) -> Command {
    let mut command = Command::new("kubectl");
    command.args(words);
    command
}

/// Output of kubectl for these words, with a text on its standard input; no longer than until `stop`.
///
/// # Errors
/// Its own message; that it is missing, or does not end.
pub fn kubectl(words: &[&str], input: Option<&str>, stop: Option<&AtomicBool>) -> io::Result<String> {
    let mut command = read_by(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let verb = words.first().unwrap_or(&"");
    let said = run(&mut command, input, SAID, stop).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), format!("{error}; is it installed?")),
        kind => io::Error::new(kind, format!("kubectl {verb}: {error}")),
    })?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&said.stderr);
            Err(io::Error::other(format!("kubectl {verb}: {}", why.trim())))
        }
    }
}
