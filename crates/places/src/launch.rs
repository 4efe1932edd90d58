//! How this executable is started elsewhere.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read as _};
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How long processes may take to end by themselves.
const LEAVING: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(20);

/// What starts processes in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// This machine.
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
    /// What it is called.
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
    /// When the machine cannot be reached, or takes no files.
    pub fn provide(&self, program: &Path, fingerprint: &str) -> io::Result<()> {
        let Launcher::Ssh(host) = self else { return Ok(()) };
        let kept = format!("{BIN}/proofload-{fingerprint}");
        let has = ssh(host, &format!("test -x \"{kept}\" && echo yes || echo no"))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        match (has.status.success(), String::from_utf8_lossy(&has.stdout).trim().ends_with("yes")) {
            (false, _) => return Err(failed(&format!("ssh {host}"), has.status)),
            (true, true) => return Ok(()),
            (true, false) => {}
        }
        let fresh = format!("{kept}.$$");
        let taken = ssh(
            host,
            &format!("umask 077 && mkdir -p \"{BIN}\" && cat > \"{fresh}\" && chmod 755 \"{fresh}\" && mv \"{fresh}\" \"{kept}\""),
        )
        .stdin(File::open(program)?)
        .status()?;
        match taken.success() {
            true => Ok(()),
            false => Err(failed(&format!("copying this executable to {host}"), taken)),
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

/// This machine's address, as a host sees it whom the user's ssh reaches; `None` where it does not say.
///
/// # Errors
/// When it cannot be reached.
pub fn seen_from(host: &str) -> io::Result<Option<IpAddr>> {
    let said = ssh(host, "echo $SSH_CONNECTION").stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    match said.status.success() {
        true => Ok(String::from_utf8_lossy(&said.stdout)
            .split_whitespace()
            .next()
            .and_then(|word| word.parse().ok())),
        false => Err(failed(&format!("ssh {host}"), said.status)),
    }
}

/// A word as a POSIX shell takes it for one.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn failed(what: &str, status: ExitStatus) -> io::Error {
    io::Error::other(format!("{what} failed ({status})"))
}

/// A process that was started elsewhere. It is waited for when this value goes, then its launcher is ended.
#[derive(Debug)]
pub struct Launched {
    /// Who started it, and where.
    pub name: String,
    /// The launcher's process here.
    pub child: Child,
}

impl Launched {
    /// Starts it, in a process group of its own: Ctrl-C is for whoever leads.
    ///
    /// # Errors
    /// When the launcher is not there.
    pub fn start(name: String, mut command: Command) -> io::Result<Launched> {
        command.process_group(0);
        let program = command.get_program().to_string_lossy().into_owned();
        let child =
            command.spawn().map_err(|error| io::Error::new(error.kind(), format!("{program}: {error}")))?;
        Ok(Launched { name, child })
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

/// Several of them, which end together: whoever does not end is not waited for once for each.
#[derive(Debug, Default)]
pub struct AllLaunched(pub Vec<Launched>);

impl Drop for AllLaunched {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|launched| drop(launched.child.stdin.take()));
        let mut waited = Duration::ZERO;
        while self.0.iter_mut().any(|launched| launched.ended().is_none()) && waited < LEAVING {
            std::thread::sleep(LOOK);
            waited += LOOK;
        }
        for launched in &mut self.0 {
            // One that has ended is not there to be killed.
            let _ = launched.child.kill();
        }
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let mut waited = Duration::ZERO;
        while self.ended().is_none() && waited < LEAVING {
            std::thread::sleep(LOOK);
            waited += LOOK;
        }
        if self.ended().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
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
