//! Processes of this executable elsewhere, started by the user's own ssh or by Slurm.

use proofload_host::started::{Started, run};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Longest time for processes to end by themselves.
pub(crate) const LEAVING: Duration = Duration::from_secs(3);
/// Longest time for a machine to answer a line.
const REACHED: Duration = Duration::from_secs(120);
/// Longest time for the executable on its way.
const COPIED: Duration = Duration::from_secs(900);

/// Starter of processes on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Launcher {
    /// This machine.
    Here,
    /// Another one, by the user's own ssh: a host as named in the user's configuration.
    Ssh(String),
    /// Nodes of this Slurm allocation, a process on each.
    Slurm(Vec<String>),
}

/// This executable.
#[derive(Debug)]
pub(crate) struct Program {
    pub path: PathBuf,
    /// 16 digits of its SHA-256; empty where it is not copied.
    pub fingerprint: String,
}

/// The fingerprint of an executable.
///
/// # Errors
/// An executable that cannot be read.
pub(crate) fn fingerprint(program: &Path) -> io::Result<String> {
    let (mut hash, mut file) = (Sha256::new(), File::open(program)?);
    let mut chunk = vec![0; 1 << 20];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            count => hash.update(&chunk[..count]),
        }
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// The folder on the other machine in which executables are kept, as its shell writes it.
const BIN: &str = "${XDG_CACHE_HOME:-$HOME/.cache}/proofload/bin";

impl Launcher {
    pub fn name(&self) -> String {
        match self {
            Launcher::Here => "this machine".to_owned(),
            Launcher::Ssh(host) => host.clone(),
            Launcher::Slurm(nodes) => nodes.join(", "),
        }
    }

    /// Makes sure that this executable is there: by ssh it is copied once, for the nodes of an allocation it has to lie on a file
    /// system that they share.
    ///
    /// # Errors
    /// A machine that cannot be reached or takes no files, or a stop.
    pub fn provide(&self, program: &Program, stop: &AtomicBool) -> io::Result<()> {
        let Launcher::Ssh(host) = self else { return Ok(()) };
        let kept = format!("{BIN}/proofload-{}", program.fingerprint);
        if asked(host, &format!("test -x \"{kept}\" && echo yes || echo no"), stop)?.trim().ends_with("yes") {
            return Ok(());
        }
        let fresh = format!("{kept}.$$");
        let mut copying = ssh(
            host,
            &format!(
                "umask 077 && mkdir -p \"{BIN}\" && cat > \"{fresh}\" && chmod 755 \"{fresh}\" && mv \"{fresh}\" \"{kept}\""
            ),
        );
        copying.stdin(File::open(&program.path)?);
        let what = format!("copying this executable to {host}");
        output(&what, &mut copying, None, COPIED, Some(stop)).map(drop)
    }

    /// A command that runs this executable there with these arguments, its input and outputs those of the command.
    pub fn command(&self, program: &Program, arguments: &[String]) -> Command {
        let Program { path, fingerprint } = program;
        match self {
            Launcher::Here => {
                let mut command = Command::new(path);
                command.args(arguments);
                command
            }
            Launcher::Ssh(host) => {
                let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
                ssh(host, &format!("exec \"{BIN}/proofload-{fingerprint}\" {}", words.join(" ")))
            }
            Launcher::Slurm(nodes) => {
                let mut command = Command::new("srun");
                let count = nodes.len().to_string();
                command.args(["--overlap", "--quiet", "--ntasks-per-node=1", "--cpu-bind=none"]);
                command.args(["--nodes", &count, "--ntasks", &count, "--nodelist", &nodes.join(",")]);
                command.arg(path).args(arguments);
                command
            }
        }
    }
}

/// The user's own ssh. It prompts for nothing: a question would come in the middle of everything.
fn ssh(host: &str, line: &str) -> Command {
    let mut command = Command::new("ssh");
    command.args(["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=2", "-o", "ServerAliveCountMax=3"]);
    command.args(["--", host, line]);
    command
}

/// Output of a program of the user's, with a text on its standard input; no longer than until `stop`.
///
/// # Errors
/// Its own words, behind `what` it is; that it is missing, or does not end.
pub(crate) fn output(
    what: &str,
    command: &mut Command,
    input: Option<&str>,
    within: Duration,
    stop: Option<&AtomicBool>,
) -> io::Result<String> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = run(command, input, within, stop).map_err(|error| {
        let remedy = if error.kind() == io::ErrorKind::NotFound { "; is it installed?" } else { "" };
        io::Error::new(error.kind(), format!("{what}: {error}{remedy}"))
    })?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&said.stderr);
            Err(io::Error::other(format!("{what} failed ({}): {}", said.status, why.trim())))
        }
    }
}

/// Output of a line of a shell there.
fn asked(host: &str, line: &str, stop: &AtomicBool) -> io::Result<String> {
    output(&format!("ssh {host}"), ssh(host, line).stdin(Stdio::null()), None, REACHED, Some(stop))
}

/// This machine's address, as seen by a host that the user's ssh reaches; `None` where the host does not report it.
///
/// # Errors
/// A host that cannot be reached, or a stop.
pub fn seen_from(host: &str, stop: &AtomicBool) -> io::Result<Option<IpAddr>> {
    let said = asked(host, "echo $SSH_CONNECTION", stop)?;
    Ok(said.split_whitespace().next().and_then(|word| word.parse().ok()))
}

/// A word as a POSIX shell takes it for one.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Processes that were started elsewhere, each with the name of its launcher. They end together: those that do not end are not
/// waited for one after the other.
#[derive(Debug, Default)]
pub(crate) struct Launched(pub Vec<(String, Started)>);

impl Launched {
    pub fn pids(&self) -> Vec<u32> {
        self.0.iter().map(|(_, process)| process.id()).collect()
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        Started::end_all(self.0.iter_mut().map(|(_, process)| process));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_to_a_shell() {
        for word in ["a b", "it's", "$HOME `id` \"x\"", "", "-n", "\\", "a\nb"] {
            let line = format!("printf %s {}", quoted(word));
            let said = Command::new("/bin/sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&said.stdout), word);
        }
    }

    #[test]
    fn slurm_is_asked_for_a_process_on_each_node() {
        let nodes = Launcher::Slurm(vec!["n1".into(), "n2".into()]);
        let program = Program { path: "/opt/proofload".into(), fingerprint: String::new() };
        let command = nodes.command(&program, &["agent".to_owned()]);
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let line = words.join(" ");
        assert!(line.contains("--nodes 2 --ntasks 2 --nodelist n1,n2 /opt/proofload agent"), "{line}");
    }
}
