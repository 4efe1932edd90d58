//! Kubernetes: objects for a coordinator and its agents ([`manifest`]), and what went wrong with them ([`events`]).

pub mod events;
pub mod manifest;

mod jobs;
mod objects;
mod report;
mod wanted;

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// The user's own kubectl, with his contexts, plugins and proxies, for these words.
pub fn read_by(words: &[&str]) -> Command {
    let mut command = Command::new("kubectl");
    command.args(words);
    command
}

/// What kubectl prints to these words, with a text on its standard input.
///
/// # Errors
/// What it says when it fails; that it is missing.
pub fn kubectl(words: &[&str], input: Option<&str>) -> io::Result<String> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut command = read_by(words);
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("kubectl: {error}; is it installed?")))?;
    if let (Some(text), Some(mut pipe)) = (input, child.stdin.take()) {
        // One that ends early says why.
        let _ = pipe.write_all(text.as_bytes());
    }
    let said = child.wait_with_output()?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&said.stderr);
            Err(io::Error::other(format!("kubectl {}: {}", words.first().unwrap_or(&""), why.trim())))
        }
    }
}
