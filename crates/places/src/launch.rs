//! How this executable is started elsewhere.

use proofload_host::clock::monotonic_ns;
use proofload_host::started::{Started, run};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read as _};
use std::net::IpAddr;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long processes may take to end by themselves.
const LEAVING: Duration = Duration::from_secs(3);
/// Longest time for a machine to answer a line.
const REACHED: Duration = Duration::from_secs(120);
/// Longest time for the executable on its way.
const COPIED: Duration = Duration::from_secs(900);

/// What starts processes in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launcher {
    Here,
    /// Another one, by the user's own ssh: a host as his configuration knows it.
    Ssh(String),
    /// Nodes of this Slurm allocation, a process on each.
    Slurm(Vec<String>),
}

/// Which executable this is: 16 digits of its SHA-256.
///
/// # Errors
/// When it cannot be read.
pub fn fingerprint(program: &Path) -> io::Result<String> {
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
    /// When the machine cannot be reached, takes no files, or somebody stops it.
    pub fn provide(&self, program: &Path, fingerprint: &str, stop: &AtomicBool) -> io::Result<()> {
        let Launcher::Ssh(host) = self else { return Ok(()) };
        let kept = format!("{BIN}/proofload-{fingerprint}");
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
        copying.stdin(File::open(program)?);
        let what = format!("copying this executable to {host}");
        let taken = run(&mut copying, None, COPIED, Some(stop)).map_err(|error| of(&what, &error))?;
        match taken.status.success() {
            true => Ok(()),
            false => Err(failed(&what, taken.status)),
        }
    }

    /// A command that runs this executable there with these arguments, its input and outputs those of the command.
    pub fn command(&self, program: &Path, fingerprint: &str, arguments: &[String]) -> Command {
        match self {
            Launcher::Here => {
                let mut command = Command::new(program);
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
                command.arg(program).args(arguments);
                command
            }
        }
    }
}

/// The user's own ssh. It asks for nothing: a question would come in the middle of everything.
fn ssh(host: &str, line: &str) -> Command {
    let mut command = Command::new("ssh");
    command.args(["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=2", "-o", "ServerAliveCountMax=3"]);
    command.args(["--", host, line]);
    command
}

/// Output of a line of a shell there.
fn asked(host: &str, line: &str, stop: &AtomicBool) -> io::Result<String> {
    let what = format!("ssh {host}");
    let mut asking = ssh(host, line);
    asking.stdin(Stdio::null()).stdout(Stdio::piped());
    let said = run(&mut asking, None, REACHED, Some(stop)).map_err(|error| of(&what, &error))?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
        false => Err(failed(&what, said.status)),
    }
}

/// This machine's address, as a host sees it whom the user's ssh reaches; `None` where it does not say.
///
/// # Errors
/// When it cannot be reached, or somebody stops it.
pub fn seen_from(host: &str, stop: &AtomicBool) -> io::Result<Option<IpAddr>> {
    let said = asked(host, "echo $SSH_CONNECTION", stop)?;
    Ok(said.split_whitespace().next().and_then(|word| word.parse().ok()))
}

/// A word as a POSIX shell takes it for one.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn failed(what: &str, status: ExitStatus) -> io::Error {
    io::Error::other(format!("{what} failed ({status})"))
}

fn of(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// A process that was started elsewhere. It is waited for a little when this value goes, then its launcher is ended.
#[derive(Debug)]
pub struct Launched {
    /// Who started it, and where.
    pub name: String,
    started: Started,
    leaving: Duration,
}

impl Launched {
    /// Starts it.
    ///
    /// # Errors
    /// When the launcher is not there.
    pub fn start(name: String, mut command: Command) -> io::Result<Launched> {
        Ok(Launched { name, started: Started::start(&mut command)?, leaving: LEAVING })
    }

    /// The pipes to it, where it has some.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        let child = self.started.child();
        (child.stdin.take(), child.stdout.take())
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.started.ended()
    }

    /// It is not worth waiting for: it has not begun.
    pub fn end_at_once(&mut self) {
        self.leaving = Duration::ZERO;
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        drop(self.pipes());
        let _ = self.started.wait(self.leaving, None);
    }
}

/// Several of them, which end together: whoever does not end is not waited for once for each.
#[derive(Debug, Default)]
pub struct AllLaunched(pub Vec<Launched>);

impl Drop for AllLaunched {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|launched| drop(launched.pipes()));
        let begun_ns = monotonic_ns();
        for launched in &mut self.0 {
            let waited = Duration::from_nanos(monotonic_ns() - begun_ns);
            let _ = launched.started.wait(LEAVING.saturating_sub(waited), None);
            launched.end_at_once();
        }
        Started::end_all(self.0.iter_mut().map(|launched| &mut launched.started));
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
        let command = nodes.command(Path::new("/opt/proofload"), "", &["agent".to_owned()]);
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let line = words.join(" ");
        assert!(line.contains("--nodes 2 --ntasks 2 --nodelist n1,n2 /opt/proofload agent"), "{line}");
    }
}
