//! A command of Proofload in the lab, from its start until nothing of it is left anywhere.

use super::commands::{output, until};
use super::net::{Net, SHARED};
use super::pods;
use super::processes::{self, Process};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit until a command has measured something: it waits for others that measure on this machine.
const BEGIN_WITHIN: Duration = Duration::from_secs(400);
/// After that it is taken for one that never ends.
const WATCHED: Duration = Duration::from_secs(40);
/// Looking takes CPU from measuring: rarely while a command runs undisturbed, and at leftovers only once it ended.
const LOOK: Duration = Duration::from_millis(250);
const LOOK_AFTER_FAULT: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Ssh,
    Slurm,
    Kubernetes,
}

/// Setting of trials.
pub struct Bench<'net> {
    pub net: &'net Net,
    pub engine: Engine,
    pub proofload: PathBuf,
    pub study: PathBuf,
    /// Goes along: the executable may have been built with another.
    pub catalogue: PathBuf,
}

impl<'net> Bench<'net> {
    /// With a copy of the executable in the folder of the net, by which all its processes are known.
    pub fn set_up(net: &'net Net, engine: Engine, root: &Path, binary: &Path) -> anyhow::Result<Self> {
        let proofload = net.folder().join("proofload");
        fs::copy(binary, &proofload).with_context(|| format!("{}", binary.display()))?;
        let (of_repository, catalogue) = (root.join("studies/quickstart.yaml"), root.join("subjects"));
        // Alone in a folder, which goes along.
        let study = net.folder().join("study/quickstart.yaml");
        fs::create_dir_all(net.folder().join("study"))?;
        fs::copy(&of_repository, &study).with_context(|| format!("{}", of_repository.display()))?;
        Ok(Bench { net, engine, proofload, study, catalogue })
    }

    /// Processes of Proofload, and of what carries them to other places.
    pub fn left(&self) -> anyhow::Result<Vec<Process>> {
        let mark = format!("{}/", self.net.folder().display());
        let mut all = match self.engine {
            Engine::Kubernetes => {
                let mut all = processes::marked_or_within(&mark, &self.net.groups())?;
                // A pod's first process starts nothing; whether the pod may stay is asked of the cluster.
                all.retain(|process| !process.command.ends_with(" __attend"));
                all
            }
            Engine::Ssh | Engine::Slurm => processes::marked(&mark)?,
        };
        all.retain(|process| process.command.split_whitespace().any(is_ours));
        Ok(all)
    }

    /// Processes of Proofload itself whose arguments begin like this.
    pub fn doing(&self, words: &str) -> anyhow::Result<Vec<u32>> {
        let begins = |process: &Process| {
            let (program, rest) = process.command.split_once(' ').unwrap_or((&process.command, ""));
            is_ours(program) && rest.starts_with(words)
        };
        Ok(self.left()?.into_iter().filter(begins).map(|process| process.pid).collect())
    }

    /// A program at a place, started the way that the engine starts programs.
    pub fn at(&self, place: &str, words: &[&str]) -> Command {
        let mut command = match self.engine {
            Engine::Ssh => {
                let mut ssh = self.net.outside("ssh");
                ssh.arg(place);
                ssh
            }
            Engine::Slurm => {
                let mut srun = self.net.outside("srun");
                srun.args(["--quiet", "--nodes", "1", "--ntasks", "1", "--nodelist", place]);
                srun
            }
            Engine::Kubernetes => return self.in_namespace(place, words),
        };
        command.args(words).stdin(Stdio::null());
        command
    }

    fn in_namespace(&self, place: &str, words: &[&str]) -> Command {
        let mut command = self.net.command(place, words[0]);
        command.args(&words[1..]).stdin(Stdio::null());
        command
    }

    /// The cache of the place where servers and coordinator are.
    pub fn cache_there(&self) -> PathBuf {
        self.net.cache(if self.engine == Engine::Slurm { SHARED } else { "a" })
    }

    /// Starts the command at a place, or outside of all.
    pub fn start<'a>(&'a self, name: &str, place: Option<&str>, args: &[&str]) -> anyhow::Result<Trial<'a>> {
        let folder = self.net.folder().join("trials").join(name);
        fs::create_dir_all(&folder)?;
        let mut command = match place {
            Some(place) => self.net.command(place, &self.proofload),
            None => self.net.outside(&self.proofload),
        };
        let cache = if self.engine == Engine::Slurm { SHARED } else { "home" };
        command.args(args).current_dir(&folder).env("XDG_CACHE_HOME", self.net.cache(cache));
        command.stdin(Stdio::null()).stdout(File::create(folder.join("out"))?);
        command.stderr(File::create(folder.join("told"))?);
        let child = command.spawn().with_context(|| format!("{command:?}"))?;
        Ok(Trial { bench: self, folder, child, paused: None, pod_stays: false })
    }

    /// Result that `proofload report` prints for a record: at home, or at the place where it is.
    pub fn report(&self, place: Option<&str>, run: &str) -> anyhow::Result<Value> {
        let program = self.proofload.display().to_string();
        let words = [program.as_str(), "report", run, "--format", "json"];
        let mut command = match place {
            Some(place) => self.at(place, &words),
            None => {
                let mut command = self.net.outside(words[0]);
                command.args(&words[1..]);
                command
            }
        };
        let said = command.output().context("proofload report")?;
        let read = serde_json::from_slice(&said.stdout);
        read.with_context(|| format!("{run} is not read: {}", String::from_utf8_lossy(&said.stderr).trim()))
    }

    /// The only run in a folder of records at a place.
    pub fn run_in(&self, place: Option<&str>, runs: &str) -> anyhow::Result<String> {
        let line = format!("ls -d {runs}/*/2* 2>/dev/null || true");
        let listed = match place {
            Some(place) => output(&mut self.at(place, &["sh", "-c", &quoted(&line, self.engine)]))?,
            None => output(self.net.outside("sh").args(["-c", &line]))?,
        };
        ensure!(listed.lines().count() == 1, "{} records in {runs}, not one", listed.lines().count());
        Ok(listed)
    }
}

/// ssh has a shell take words apart once more.
pub fn quoted(line: &str, engine: Engine) -> String {
    if engine == Engine::Ssh { format!("'{line}'") } else { line.to_owned() }
}

/// True if a word of a command line is Proofload's executable, here or under its name at other places.
fn is_ours(word: &str) -> bool {
    let name = word.trim_matches(['"', '\'']).rsplit('/').next().unwrap_or_default();
    name == "proofload" || name.strip_prefix("proofload-").is_some_and(|hash| hash.len() == 16)
}

/// One that runs, or ran.
pub struct Trial<'a> {
    pub bench: &'a Bench<'a>,
    pub folder: PathBuf,
    pub child: Child,
    /// A process that cannot end before it is let go on.
    pub paused: Option<u32>,
    /// The coordinator's pod stays, with the record and only its first process.
    pub pod_stays: bool,
}

/// End of a trial.
pub struct Ended {
    pub status: ExitStatus,
    /// From the moment of the fault until nothing was left.
    pub seconds: f64,
    pub told: String,
}

impl Ended {
    pub fn exit(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => code.to_string(),
            (None, Some(signal)) => format!("signal {signal}"),
            _ => "?".to_owned(),
        }
    }
}

impl Trial<'_> {
    pub fn told(&self) -> String {
        fs::read_to_string(self.folder.join("told")).unwrap_or_default()
    }

    /// Waits until it prints this.
    pub fn until_told(&mut self, words: &str) -> anyhow::Result<()> {
        let came = until(&format!("{words:?} is said"), BEGIN_WITHIN, || {
            if self.told().contains(words) {
                return Ok(true);
            }
            match self.child.try_wait()? {
                None => Ok(false),
                Some(status) => bail!("it ended with {status}"),
            }
        });
        came.with_context(|| last_of(&self.told()))
    }

    /// Waits until it ended, and until nothing of it is left anywhere.
    pub fn ended(&mut self, since: Instant, within: Duration) -> anyhow::Result<Ended> {
        self.watched(since, within, LOOK)
    }

    /// The same after a fault.
    pub fn ended_after(&mut self, fault: Instant) -> anyhow::Result<Ended> {
        self.watched(fault, WATCHED, LOOK_AFTER_FAULT)
    }

    fn watched(&mut self, since: Instant, within: Duration, look: Duration) -> anyhow::Result<Ended> {
        loop {
            let status = self.child.try_wait()?;
            let is_late = since.elapsed() > within;
            if status.is_some() || is_late {
                let left = self.left()?;
                if let (Some(status), true) = (status, left.is_empty()) {
                    return Ok(Ended { status, seconds: since.elapsed().as_secs_f64(), told: self.told() });
                }
                if is_late {
                    bail!(
                        "after {within:?} the command is {}, and this is left: {}; it said: {}",
                        status.map_or("still there".to_owned(), |status| format!("gone ({status})")),
                        left.join(", "),
                        last_of(&self.told())
                    );
                }
            }
            thread::sleep(look);
        }
    }

    /// Processes, except one that cannot end; once there are none, pods.
    fn left(&self) -> anyhow::Result<Vec<String>> {
        let mut processes = self.bench.left()?;
        processes.retain(|process| Some(process.pid) != self.paused);
        match processes.is_empty() && self.bench.engine == Engine::Kubernetes {
            true => pods::alive(self.bench.net, self.paused.is_some(), self.pod_stays),
            false => {
                Ok(processes.iter().map(|Process { pid, command }| format!("{pid} ({command})")).collect())
            }
        }
    }

    /// The record that was brought home.
    pub fn record_at_home(&self) -> anyhow::Result<Value> {
        let runs = self.folder.join("runs").display().to_string();
        self.bench.report(None, &self.bench.run_in(None, &runs)?)
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        for process in self.bench.left().unwrap_or_default() {
            let _ = output(Command::new("kill").arg("-KILL").arg(process.pid.to_string()));
        }
    }
}

/// Last lines of its output, on one line.
pub fn last_of(told: &str) -> String {
    let lines: Vec<&str> = told.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_ours_are_known_by_their_executable() {
        for word in ["/tmp/proofload-lab-7-0/proofload", "\"/h/bin/proofload-0123456789abcdef\"", "proofload"]
        {
            assert!(is_ours(word), "{word}");
        }
        for word in ["/tmp/proofload-lab-7-0/bin/ssh", "/tmp/proofload-lab-7-0", "proofload.yaml", ""] {
            assert!(!is_ours(word), "{word}");
        }
    }
}
