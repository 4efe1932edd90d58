//! A subject that was started: when it is ready, whether it lives, how it is ended.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::host::clock::{monotonic_ns, sleep_for, sleep_ns};

use super::keeper::{Exit, Keeper, Link, Spawn, Ward, tree};
use super::prepare::{Origin, Prepared, Program};
use super::{SubjectError, ports};

/// How often readiness is looked for; a JVM takes half a second or more to start.
const LOOK_EVERY_NS: u64 = 10_000_000;
/// Time for one probe of a port that listens.
const PROBE_WITHIN: Duration = Duration::from_secs(2);
/// A listener of somebody else must be seen so often in a row: a process that has just been forked may not
/// be known as ours at the first look.
const FOREIGN_LOOKS: u32 = 10;
/// Lines of a log that an error shows.
const TAIL_LINES: usize = 20;
/// Bytes at the end of a log that are searched for them.
const TAIL_BYTES: u64 = 16 << 10;
/// Characters of a line that are shown.
const TAIL_COLUMNS: usize = 300;
/// Time for a port to be free after its process has gone.
const PORT_FREE_WITHIN_NS: u64 = 2_000_000_000;

/// A subject that was started, or a `url:` that runs already. Dropping it asks for its end.
#[derive(Debug)]
pub struct Running {
    subject: String,
    address: SocketAddr,
    authority: String,
    started_ns: Option<u64>,
    ready_path: Option<String>,
    ready_within: Duration,
    process: Option<Started>,
}

#[derive(Debug)]
struct Started {
    keeper: Arc<Link>,
    ward: Ward,
    log: PathBuf,
    temp: PathBuf,
    grace: Duration,
    stopped: bool,
}

/// How a subject ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopReport {
    /// How the process itself ended; `None` for a `url:` subject.
    pub exit: Option<Exit>,
}

impl Prepared {
    /// Starts it on the CPUs given (none given: those of Proofload), its output appended to `log`, its
    /// temporary files in `temp`, a directory that is made here and should lie in [`Keeper::temp`]. A `url:`
    /// subject is only connected to.
    ///
    /// # Errors
    /// A file is not the pinned one any more, no port is free, the port is taken, or the program does not
    /// start.
    pub fn start(
        &self,
        keeper: &Keeper,
        cpus: &[usize],
        log: &Path,
        temp: &Path,
    ) -> Result<Running, SubjectError> {
        match &self.origin {
            Origin::Url { address, authority } => {
                let running = Running {
                    subject: self.name.clone(),
                    address: *address,
                    authority: authority.clone(),
                    started_ns: None,
                    ready_path: None,
                    ready_within: PROBE_WITHIN,
                    process: None,
                };
                running.check_answers()?;
                Ok(running)
            }
            Origin::Program(program) => start_program(self, program, keeper, cpus, (log, temp)),
        }
    }
}

fn start_program(
    prepared: &Prepared,
    program: &Program,
    keeper: &Keeper,
    cpus: &[usize],
    (log, temp): (&Path, &Path),
) -> Result<Running, SubjectError> {
    prepared.verify()?;
    let subject = prepared.name.clone();
    let port = match program.port {
        Some(port) => refuse_taken(&subject, port)?,
        None => ports::free_port()?,
    };
    let temp = std::path::absolute(temp).map_err(SubjectError::files(temp, "not a path of a directory"))?;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&temp);
    made.map_err(SubjectError::files(&temp, "the subject's temporary directory cannot be made"))?;
    let log = std::path::absolute(log).map_err(SubjectError::files(log, "not a path of a log"))?;
    let environment = program.environment.iter();
    let spawn = Spawn {
        id: 0,
        args: program.args.iter().map(|arg| fill(arg, port, &temp)).collect(),
        clear_environment: program.clear_environment,
        environment: environment.map(|(name, value)| (name.clone(), fill(value, port, &temp))).collect(),
        directory: program.directory.clone().unwrap_or_else(|| temp.clone()),
        cpus: cpus.to_vec(),
        log: log.clone(),
    };
    let started_ns = monotonic_ns();
    let keeper = Arc::clone(keeper.link());
    let ward = keeper.start(&subject, spawn)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    Ok(Running {
        subject,
        address,
        authority: address.to_string(),
        started_ns: Some(started_ns),
        ready_path: program.ready_path.clone(),
        ready_within: program.ready_within,
        process: Some(Started { keeper, ward, log, temp, grace: program.grace, stopped: false }),
    })
}

/// The placeholders that are known only at the start.
fn fill(text: &str, port: u16, temp: &Path) -> String {
    text.replace("{port}", &port.to_string()).replace("{temp}", &temp.to_string_lossy())
}

fn refuse_taken(subject: &str, port: u16) -> Result<u16, SubjectError> {
    let taken = ports::listeners(port).map_err(SubjectError::files("/proc/net/tcp", "cannot be read"))?;
    if taken.is_empty() {
        return Ok(port);
    }
    let by = ports::name_holder(&tree::snapshot(), &taken);
    Err(SubjectError::PortTaken { subject: subject.to_string(), port, by })
}

impl Running {
    /// Process id of the process that was started; `None` for a `url:` subject.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|started| started.ward.pid)
    }

    /// Process ids of everything that belongs to it now, daemons that left their parent included.
    pub fn pids(&self) -> Vec<u32> {
        self.process
            .as_ref()
            .map(|started| started.members().iter().map(|m| m.pid).collect())
            .unwrap_or_default()
    }

    /// Where it is to be asked.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `host:port`, as a request names it.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Monotonic time just before it was started; `None` for a `url:` subject.
    pub fn started_ns(&self) -> Option<u64> {
        self.started_ns
    }

    /// Its log; `None` for a `url:` subject.
    pub fn log(&self) -> Option<&Path> {
        self.process.as_ref().map(|started| started.log.as_path())
    }

    /// Waits until its port answers and belongs to it, as long as its declaration allows.
    ///
    /// # Errors
    /// It died, never got ready, the port is another's, or somebody said stop.
    pub fn wait_ready(&self, stop: &AtomicBool) -> Result<(), SubjectError> {
        let Some(started) = &self.process else { return self.check_answers() };
        let within_ns = u64::try_from(self.ready_within.as_nanos()).unwrap_or(u64::MAX);
        let deadline_ns = monotonic_ns().saturating_add(within_ns);
        let mut foreign = 0;
        loop {
            let missing = match self.look(started)? {
                Look::Ready => return Ok(()),
                Look::Missing(what) => {
                    foreign = 0;
                    what
                }
                Look::Foreign(by) if foreign >= FOREIGN_LOOKS => {
                    return Err(SubjectError::PortTaken {
                        subject: self.subject.clone(),
                        port: self.address.port(),
                        by,
                    });
                }
                Look::Foreign(by) => {
                    foreign += 1;
                    format!("the port is held by {by}")
                }
            };
            if monotonic_ns() >= deadline_ns {
                return Err(SubjectError::NeverReady {
                    subject: self.subject.clone(),
                    seconds: self.ready_within.as_secs(),
                    missing,
                    log: started.log.clone(),
                    lines: last_lines(&started.log),
                });
            }
            if !sleep_for(LOOK_EVERY_NS, stop) {
                return Err(SubjectError::Interrupted);
            }
        }
    }

    fn look(&self, started: &Started) -> Result<Look, SubjectError> {
        let port = self.address.port();
        // Looked at first: a listener that is seen afterwards is not that of a process that had ended.
        let exit = started.keeper.exit_of(started.ward)?;
        let sockets =
            ports::listeners(port).map_err(SubjectError::files("/proc/net/tcp", "cannot be read"))?;
        if sockets.is_empty() {
            // A daemon's first process ends with 0 and leaves the server behind.
            let died = exit.filter(|exit| *exit != Exit::Code(0) || started.members().is_empty());
            return match died {
                Some(exit) => Err(self.died(started, exit)),
                None => Ok(Look::Missing(format!("nothing listens on port {port}"))),
            };
        }
        let ours = ports::held_by(&started.members(), &sockets);
        if ours.len() < sockets.len() {
            let others = sockets.difference(&ours).copied().collect();
            return Ok(Look::Foreign(ports::name_holder(&tree::snapshot(), &others)));
        }
        match ports::probe(self.address, self.ready_path.as_deref(), PROBE_WITHIN) {
            Ok(()) => Ok(Look::Ready),
            Err(missing) => Ok(Look::Missing(missing)),
        }
    }

    fn died(&self, started: &Started, exit: Exit) -> SubjectError {
        SubjectError::DiedAtStart {
            subject: self.subject.clone(),
            exit,
            log: started.log.clone(),
            lines: last_lines(&started.log),
        }
    }

    fn check_answers(&self) -> Result<(), SubjectError> {
        ports::probe(self.address, None, PROBE_WITHIN).map_err(|why| SubjectError::NoAnswer {
            authority: self.authority.clone(),
            address: self.address,
            why,
        })
    }

    /// Whether it still runs; a `url:` subject is asked for a connection.
    ///
    /// # Errors
    /// How it ended, in a sentence.
    pub fn alive(&self) -> Result<(), String> {
        let Some(started) = &self.process else { return self.check_answers().map_err(|why| why.to_string()) };
        match started.keeper.exit_of(started.ward) {
            Ok(None) => Ok(()),
            Ok(Some(Exit::Code(0))) if !started.members().is_empty() => Ok(()),
            Ok(Some(exit)) => {
                Err(format!("subject {} ended: {exit}; see {}", self.subject, started.log.display()))
            }
            Err(why) => Err(why.to_string()),
        }
    }

    /// Ends it: TERM, the grace of its declaration, KILL to whatever is left of it. A `url:` subject is left
    /// as it is.
    ///
    /// # Errors
    /// The keeper is dead; or it did not end as it should: it had to be killed, lives, or its port is not
    /// free.
    pub fn stop(mut self) -> Result<StopReport, SubjectError> {
        let port = self.address.port();
        let Some(started) = &mut self.process else { return Ok(StopReport { exit: None }) };
        started.stopped = true;
        let stopped = started.keeper.stop(started.ward, started.grace)?;
        // What cannot be removed now is removed by the keeper at the end.
        let _ = fs::remove_dir_all(&started.temp);
        let mut findings = Vec::new();
        if !stopped.killed.is_empty() {
            let seconds = started.grace.as_secs_f64();
            findings.push(format!(
                "had to be killed {seconds} s after it was asked to end: {:?}",
                stopped.killed
            ));
        }
        if !stopped.left.is_empty() {
            findings.push(format!("its processes {:?} do not end, not even by KILL", stopped.left));
        }
        if !becomes_free(port) {
            findings.push(format!("port {port} is still listened on"));
        }
        match findings.is_empty() {
            true => Ok(StopReport { exit: stopped.exit }),
            false => {
                Err(SubjectError::UncleanStop { subject: self.subject.clone(), what: findings.join("; ") })
            }
        }
    }
}

fn becomes_free(port: u16) -> bool {
    let deadline_ns = monotonic_ns() + PORT_FREE_WITHIN_NS;
    loop {
        if ports::listeners(port).is_ok_and(|listeners| listeners.is_empty()) {
            return true;
        }
        if monotonic_ns() >= deadline_ns {
            return false;
        }
        sleep_ns(LOOK_EVERY_NS);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(started) = self.process.as_ref().filter(|started| !started.stopped) {
            // A dead keeper has nothing to end.
            let _ = started.keeper.ask_to_stop(started.ward, started.grace);
        }
    }
}

impl Started {
    fn members(&self) -> Vec<tree::Process> {
        self.keeper.members(self.ward)
    }
}

enum Look {
    Ready,
    Missing(String),
    Foreign(String),
}

/// The last lines of a log, fit for a terminal.
pub(crate) fn last_lines(log: &Path) -> Vec<String> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = fs::File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].to_vec()
}

fn printable(line: &str) -> String {
    let shown = line.chars().take(TAIL_COLUMNS);
    shown
        .map(|c| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_log_is_short_and_harmless() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let mut text: String = (0..5000).map(|n| format!("line {n}\n")).collect();
        text.push_str("\u{1b}[31mred\n");
        fs::write(&log, text).unwrap();
        let lines = last_lines(&log);
        assert_eq!(lines.len(), TAIL_LINES);
        assert_eq!(lines[TAIL_LINES - 2], "line 4999");
        assert_eq!(lines[TAIL_LINES - 1], "\u{fffd}[31mred");
        assert!(last_lines(&directory.path().join("none")).is_empty());
    }

    #[test]
    fn a_fixed_port_that_is_taken_is_refused_with_its_holder() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let refused = refuse_taken("echo", port).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
    }
}
