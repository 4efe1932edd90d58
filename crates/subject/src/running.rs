//! A subject that was started: waited for, checked, stopped.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use proofload_engine::Addresses;
use proofload_host::affinity::{self, MoveError};

use super::keeper::{Exit, Keeper};
use super::launched::{Launched, Started};
use super::prepared::{Origin, Prepared};
use super::ready::PROBE_WITHIN;
use super::surroundings::Surroundings;
use super::{SubjectError, ports};

/// A subject that was started, or a `url:` that runs already. Dropping it orders its end.
#[derive(Debug)]
pub struct Running {
    /// One for each endpoint of the process that is loaded; never empty.
    addresses: Vec<Addresses>,
    /// `host:port` of a `url:` subject, as the study has it.
    written: Option<String>,
    /// True if the processes need no stop any more.
    stopped: bool,
    launched: Option<Launched>,
}

#[derive(Debug)]
pub enum Absent {
    /// One of its processes ended, with the exit status that the keeper reported.
    Ended(Exit, Box<SubjectError>),
    /// Any other reason, which leaves its state unknown: the keeper is gone, a `url:` subject takes no connection.
    Unknown(Box<SubjectError>),
}

impl From<Absent> for SubjectError {
    fn from(absent: Absent) -> Self {
        match absent {
            Absent::Ended(_, why) => *why,
            Absent::Unknown(why) => *why,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopReport {
    /// Exit of the process that was loaded; `None` for a `url:` subject.
    pub exit: Option<Exit>,
}

impl Prepared {
    /// Starts it on the CPUs given (none given: those of Proofload), its output appended to `log`, its
    /// temporary files in `temp`, a directory that is made here and should lie in [`Keeper::temp`]. Of several
    /// processes the first is started here and the others in [`Running::wait_ready`], each when those before it are
    /// ready; their logs are beside `log`. A `url:` subject is only connected to.
    ///
    /// # Errors
    /// A file is not the pinned one any more, no port is free, the port is taken, or the program does not
    /// start.
    pub fn start<'s>(
        &self,
        keeper: &Keeper,
        surroundings: impl Into<Surroundings<'s>>,
        log: &Path,
        temp: &Path,
    ) -> Result<Running, SubjectError> {
        match &self.origin {
            Origin::Url { address, authority } => {
                let running = Running {
                    addresses: vec![address.clone()],
                    written: Some(authority.clone()),
                    stopped: false,
                    launched: None,
                };
                running.check_answers()?;
                Ok(running)
            }
            Origin::Program(program) => {
                self.verify()?;
                let launched = Launched::start(&self.name, program, keeper, surroundings.into(), log, temp)?;
                let addresses = launched.addresses().into_iter().map(Addresses::from).collect();
                Ok(Running { addresses, written: None, stopped: false, launched: Some(launched) })
            }
        }
    }
}

impl Running {
    /// Process id of the process that is loaded; `None` for a `url:` subject, and as long as it waits for others.
    pub fn pid(&self) -> Option<u32> {
        let launched = self.launched.as_ref()?;
        launched.started().get(launched.program.front).map(|started| started.ward.pid)
    }

    /// The processes that were started, by name (empty for an only one), in the order of their starts.
    pub fn processes(&self) -> Vec<(String, u32)> {
        let Some(launched) = &self.launched else { return Vec::new() };
        let started = launched.started();
        let steps = launched.program.steps.iter().zip(started.iter());
        steps.map(|(step, started)| (step.name.clone(), started.ward.pid)).collect()
    }

    /// Process ids of everything that belongs to it now, daemons that left their parent included.
    pub fn pids(&self) -> Vec<u32> {
        let Some(launched) = &self.launched else { return Vec::new() };
        let started = launched.started().clone();
        started.iter().flat_map(|started| launched.members(started)).map(|member| member.pid).collect()
    }

    /// Lets its threads use these CPUs beside its own until [`Running::gather`]: of a JVM the compilers. A `url:` subject,
    /// and one that was not pinned, is left as it is.
    ///
    /// # Errors
    /// A thread that cannot be moved.
    pub fn spread(&self, cpus: &[usize]) -> Result<(), MoveError> {
        let own = self.launched.as_ref().map_or(&[][..], |launched| &launched.cpus);
        self.pids().into_iter().try_for_each(|pid| affinity::spread(pid, own, cpus))
    }

    /// Brings all its threads back to the CPUs on which it was started.
    ///
    /// # Errors
    /// A thread that cannot be moved.
    pub fn gather(&self) -> Result<(), MoveError> {
        let own = self.launched.as_ref().map_or(&[][..], |launched| &launched.cpus);
        self.pids().into_iter().try_for_each(|pid| affinity::gather(pid, own))
    }

    /// Addresses to load: of the first endpoint where several variants share it.
    pub fn address(&self) -> Addresses {
        self.addresses.first().cloned().unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)).into())
    }

    /// Addresses of each of the variants that share it, in the order of [`Prepared::prepare_shared`]; else of one.
    pub fn addresses(&self) -> &[Addresses] {
        &self.addresses
    }

    /// `host:port` of an endpoint, as a request names it: for a `url:` subject as it was written.
    pub fn authority(&self, endpoint: usize) -> String {
        match (&self.written, self.addresses.get(endpoint)) {
            (Some(written), _) => written.clone(),
            (None, Some(address)) => address.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Monotonic time just before it was started; `None` for a `url:` subject.
    pub fn started_ns(&self) -> Option<u64> {
        self.launched.as_ref().map(|launched| launched.started_ns)
    }

    /// Its log, that of the process that is loaded; `None` for a `url:` subject.
    pub fn log(&self) -> Option<&Path> {
        self.launched.as_ref().map(|launched| launched.log.as_path())
    }

    /// Waits until every port answers and belongs to it, process by process, each as long as its declaration allows.
    ///
    /// # Errors
    /// It died, hangs, never got ready, a port is another's, or `stop` was set.
    pub fn wait_ready(&self, stop: &AtomicBool) -> Result<(), SubjectError> {
        let Some(launched) = &self.launched else { return self.check_answers() };
        for number in 0..launched.program.steps.len() {
            if launched.started().len() <= number {
                launched.launch_next()?;
            }
            launched.wait_ready(number, stop)?;
        }
        Ok(())
    }

    fn check_answers(&self) -> Result<(), SubjectError> {
        let address = self.address();
        let mut probes = address.iter().map(|one| ports::probe(one, None, PROBE_WITHIN));
        let first = probes.next().unwrap_or(Ok(()));
        first.or_else(|why| if probes.any(|probe| probe.is_ok()) { Ok(()) } else { Err(why) }).map_err(
            |why| SubjectError::NoAnswer {
                authority: self.authority(0),
                address: address.clone(),
                why: why.to_string(),
            },
        )
    }

    /// Checks that all its processes still run; a `url:` subject is checked by a connection.
    ///
    /// # Errors
    /// Its end, or the reason why its state is unknown.
    pub fn alive(&self) -> Result<(), Absent> {
        let unknown = |why| Absent::Unknown(Box::new(why));
        let Some(launched) = &self.launched else { return self.check_answers().map_err(unknown) };
        match launched.ended().map_err(unknown)? {
            Some((started, exit)) => {
                Err(Absent::Ended(exit, Box::new(launched.failure(&started).died(exit))))
            }
            None => Ok(()),
        }
    }

    /// As [`Running::alive`], and every port of the process that is loaded still answers. Costs an exchange with each,
    /// so it has no place within a measured window.
    ///
    /// # Errors
    /// Its exit, or that it hangs.
    pub fn answers(&self) -> Result<(), SubjectError> {
        self.alive()?;
        let Some(launched) = &self.launched else { return Ok(()) };
        let front = launched.program.front;
        let step = launched.program.steps.get(front);
        for (number, address) in self.addresses.iter().enumerate() {
            let path = step.and_then(|step| step.ready_path(number));
            if let Err(missing) = ports::probe(&address.first, path, PROBE_WITHIN)
                && let Some(started) = launched.started().get(front)
            {
                return Err(launched.failure(started).hangs(PROBE_WITHIN, missing.to_string()));
            }
        }
        Ok(())
    }

    /// Ends it, in the reverse order of the starts: TERM, the grace of its declaration, KILL to every process left of
    /// it.
    /// A `url:` subject is left as it is.
    ///
    /// # Errors
    /// The keeper is dead; or it did not end as it should: it had to be killed, lives, or its port is not
    /// free.
    pub fn stop(mut self) -> Result<StopReport, SubjectError> {
        let Some(launched) = &self.launched else { return Ok(StopReport { exit: None }) };
        self.stopped = true;
        let mut findings = Vec::new();
        let mut report = StopReport { exit: None };
        let started = launched.started().clone();
        for process in started.iter().rev() {
            let exit = stop_one(launched, process, &mut findings)?;
            if process.step == launched.program.front {
                report.exit = exit;
            }
        }
        // What cannot be removed now is removed by the keeper at the end.
        let _ = fs::remove_dir_all(&launched.temp);
        for port in launched.ports.iter().flatten().filter(|port| !ports::becomes_free(**port)) {
            findings.push(format!("port {port} is still listened on"));
        }
        match findings.is_empty() {
            true => Ok(report),
            false => {
                let (subject, what) = (launched.subject.clone(), findings.join("; "));
                Err(SubjectError::UncleanStop { subject, what })
            }
        }
    }
}

/// Ends one process; what did not go as it should is added to the findings.
fn stop_one(
    launched: &Launched,
    process: &Started,
    findings: &mut Vec<String>,
) -> Result<Option<Exit>, SubjectError> {
    let grace = launched.program.grace;
    let stopped = launched.keeper.stop(process.ward, grace)?;
    let name = launched.program.steps.get(process.step).map_or("", |step| step.name.as_str());
    let who = if name.is_empty() { String::new() } else { format!("process {name} ") };
    // A process that was killed for its memory was reported when it was.
    if !stopped.killed.is_empty() && launched.keeper.over_memory(process.ward).is_none() {
        let (seconds, pids) = (grace.as_secs_f64(), listed(&stopped.killed));
        findings.push(format!(
            "{who}did not end within {seconds} s of TERM and had to be ended by KILL (process {pids})"
        ));
    }
    if !stopped.left.is_empty() {
        findings.push(format!("{who}does not end, not even by KILL (process {})", listed(&stopped.left)));
    }
    Ok(stopped.exit)
}

fn listed(pids: &[u32]) -> String {
    pids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(launched) = self.launched.as_ref().filter(|_| !self.stopped) else { return };
        for started in launched.started().iter().rev() {
            // A dead keeper has nothing to end.
            let _ = launched.keeper.ask_to_stop(started.ward, launched.program.grace);
        }
    }
}
