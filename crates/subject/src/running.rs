//! A subject that was started: when it is ready, whether it lives, how it is ended.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofload_engine::Address;

use proofload_host::clock::{monotonic_ns, sleep_for, sleep_ns};

use super::ends::{self, Scene};
use super::keeper::{Exit, Keeper, Link, Spawn, Ward, tree};
use super::ports::ProbeError;
use super::prepare::{Origin, Prepared, Program, Step};
use super::{SubjectError, catalogue::template, ports};

/// How often readiness is looked for; a JVM takes half a second or more to start.
const LOOK_EVERY_NS: u64 = 10_000_000;
/// Time for one probe of a port that listens.
const PROBE_WITHIN: Duration = Duration::from_secs(2);
/// A listener of somebody else must be seen so often in a row: a process that has just been forked may not
/// be known as ours at the first look.
const FOREIGN_LOOKS: u32 = 10;
/// Time for a port to be free after its process has gone.
const PORT_FREE_WITHIN_NS: u64 = 2_000_000_000;
/// Longest log of a process; a longer one is cut in its middle.
const LOG_BYTES_MAX: u64 = 64 << 20;

/// A subject that was started, or a `url:` that runs already. Dropping it asks for its end.
#[derive(Debug)]
pub struct Running {
    subject: String,
    /// One for each endpoint of the process that is loaded; never empty.
    addresses: Vec<Address>,
    /// `host:port` as the study has it, of what already runs.
    written: Option<String>,
    started_ns: Option<u64>,
    launched: Option<Launched>,
}

/// What was started.
#[derive(Debug)]
struct Launched {
    keeper: Arc<Link>,
    program: Program,
    /// Ports of each step; those of the front are its endpoints'.
    ports: Vec<Vec<u16>>,
    cpus: Vec<usize>,
    log: PathBuf,
    temp: PathBuf,
    memory_max_bytes: u64,
    /// Kills for lack of memory that the kernel had counted before the start.
    kernel_kills: u64,
    /// In the order of their starts; steps that wait for others are not among them yet.
    started: Mutex<Vec<Started>>,
    stopped: bool,
}

/// A process of a subject.
#[derive(Clone, Debug)]
struct Started {
    ward: Ward,
    log: PathBuf,
}

/// How a subject ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopReport {
    /// How the process that was loaded ended; `None` for a `url:` subject.
    pub exit: Option<Exit>,
}

impl Prepared {
    /// Starts it on the CPUs given (none given: those of Proofload), its output appended to `log`, its
    /// temporary files in `temp`, a directory that is made here and should lie in [`Keeper::temp`]. Of several
    /// processes the first is started here and the others in [`Running::wait_ready`], each when those before it are
    /// ready; their logs stand beside `log`. A `url:` subject is only connected to.
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
                    addresses: vec![address.clone()],
                    written: Some(authority.clone()),
                    started_ns: None,
                    launched: None,
                };
                running.check_answers()?;
                Ok(running)
            }
            Origin::Program(program) => start_program(self, program, keeper, cpus, (log, temp)),
        }
    }
}

/// Where a started server listens.
fn local(port: u16) -> Address {
    Address::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
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
    let ports = choose_ports(&subject, program)?;
    let temp = std::path::absolute(temp).map_err(SubjectError::files(temp, "not a path of a directory"))?;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&temp);
    made.map_err(SubjectError::files(&temp, "the subject's temporary directory cannot be made"))?;
    let log = std::path::absolute(log).map_err(SubjectError::files(log, "not a path of a log"))?;
    let front = ports.get(program.front).map_or(&[][..], Vec::as_slice);
    let addresses: Vec<Address> = front.iter().map(|port| local(*port)).collect();
    let launched = Launched {
        keeper: Arc::clone(keeper.link()),
        program: program.clone(),
        ports,
        cpus: cpus.to_vec(),
        log,
        temp,
        memory_max_bytes: program.memory_max_bytes.unwrap_or_else(ends::memory_allowed_bytes),
        kernel_kills: ends::kernel_kills(),
        started: Mutex::default(),
        stopped: false,
    };
    launched.write_files()?;
    let started_ns = monotonic_ns();
    launched.launch_next(&subject)?;
    Ok(Running { subject, addresses, written: None, started_ns: Some(started_ns), launched: Some(launched) })
}

fn choose_ports(subject: &str, program: &Program) -> Result<Vec<Vec<u16>>, SubjectError> {
    let mut ports = Vec::new();
    for step in 0..program.steps.len() {
        let count = if step == program.front { program.endpoints.len() } else { 1 };
        let fixed = program.port.filter(|_| step == program.front && count == 1);
        let chosen = match fixed {
            Some(port) => vec![refuse_taken(subject, port)?],
            None => (0..count).map(|_| ports::free_port()).collect::<Result<_, _>>()?,
        };
        ports.push(chosen);
    }
    Ok(ports)
}

fn refuse_taken(subject: &str, port: u16) -> Result<u16, SubjectError> {
    let taken = ports::listeners(port).map_err(SubjectError::files("/proc/net/tcp", "cannot be read"))?;
    if taken.is_empty() {
        return Ok(port);
    }
    let by = ports::name_holder(&tree::snapshot(), &taken);
    Err(SubjectError::PortTaken { subject: subject.to_string(), port, by })
}

impl Launched {
    fn started(&self) -> MutexGuard<'_, Vec<Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The placeholders that are known only at the start, as the process of `step` sees them.
    fn fill(&self, text: &str, step: usize) -> String {
        let first = |step: usize| self.ports.get(step).and_then(|ports| ports.first()).map(u16::to_string);
        let endpoints = || -> Vec<String> {
            let ports = self.ports.get(self.program.front).into_iter().flatten();
            self.program.endpoints.iter().zip(ports).map(|(level, port)| format!("{level}:{port}")).collect()
        };
        let value = |name: &str| match name {
            "port" => first(step),
            "temp" => Some(self.temp.to_string_lossy().into_owned()),
            "endpoints" => Some(endpoints().join(",")),
            _ => {
                if let Some(number) = name.strip_prefix(template::ENDPOINT_PORT) {
                    let ports = self.ports.get(self.program.front)?;
                    return Some(ports.get(number.parse::<usize>().ok()?)?.to_string());
                }
                let named = name.strip_prefix("port.")?;
                first(self.program.steps.iter().position(|step| step.name == named)?)
            }
        };
        template::fill(text, value).text
    }

    /// Configuration files, filled in as the process that is loaded sees them.
    fn write_files(&self) -> Result<(), SubjectError> {
        for (target, text) in &self.program.files {
            let path = self.temp.join(target);
            let folder = path.parent().unwrap_or(&self.temp);
            let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            let written = made.and_then(|()| fs::write(&path, self.fill(text, self.program.front)));
            written.map_err(SubjectError::files(&path, "the configuration cannot be written"))?;
        }
        Ok(())
    }

    /// Starts the next step.
    fn launch_next(&self, subject: &str) -> Result<(), SubjectError> {
        let mut started = self.started();
        let number = started.len();
        let Some(step) = self.program.steps.get(number) else { return Ok(()) };
        let log = if number == self.program.front { self.log.clone() } else { beside(&self.log, &step.name) };
        let environment = step.environment.iter();
        let spawn = Spawn {
            id: 0,
            args: step.args.iter().map(|arg| self.fill(arg, number)).collect(),
            clear_environment: self.program.clear_environment,
            environment: environment
                .map(|(name, value)| (name.clone(), self.fill(value, number)))
                .collect::<BTreeMap<_, _>>(),
            directory: self.program.directory.clone().unwrap_or_else(|| self.temp.clone()),
            cpus: self.cpus.clone(),
            log: log.clone(),
            memory_max_bytes: Some(self.memory_max_bytes),
            log_bytes_max: Some(LOG_BYTES_MAX),
        };
        let ward = self.keeper.start(&label(subject, step), spawn)?;
        started.push(Started { ward, log });
        Ok(())
    }

    fn members(&self, started: &Started) -> Vec<tree::Process> {
        self.keeper.members(started.ward)
    }

    fn scene(&self, subject: &str, number: usize, started: &Started) -> Scene {
        let step = self.program.steps.get(number);
        Scene {
            subject: step.map_or_else(|| subject.to_string(), |step| label(subject, step)),
            log: started.log.clone(),
            over_memory: self.keeper.over_memory(started.ward),
            memory_max_bytes: self.memory_max_bytes,
            kernel_kills: ends::kernel_kills() > self.kernel_kills,
        }
    }

    /// The first process that has ended, with how; a daemon's first process ends with 0 and leaves the server behind.
    fn ended(&self) -> Result<Option<(usize, Started, Exit)>, SubjectError> {
        for (number, started) in self.started().clone().into_iter().enumerate() {
            let exit = self.keeper.exit_of(started.ward)?;
            match exit {
                Some(Exit::Code(0)) if !self.members(&started).is_empty() => {}
                Some(exit) => return Ok(Some((number, started, exit))),
                None => {}
            }
        }
        Ok(None)
    }
}

/// How errors call a process.
fn label(subject: &str, step: &Step) -> String {
    if step.name.is_empty() { subject.to_string() } else { format!("{subject}, process {}", step.name) }
}

/// `name.log` and a process: `name.process.log`.
fn beside(log: &Path, process: &str) -> PathBuf {
    let stem = log.file_stem().unwrap_or_default().to_string_lossy();
    match log.extension() {
        Some(extension) => log.with_file_name(format!("{stem}.{process}.{}", extension.to_string_lossy())),
        None => log.with_file_name(format!("{stem}.{process}")),
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

    /// Where it is to be asked; the first endpoint where several variants share it.
    pub fn address(&self) -> Address {
        self.addresses.first().cloned().unwrap_or_else(|| local(0))
    }

    /// Where the variants that share it are asked, in the order of [`Prepared::prepare_shared`]; else one address.
    pub fn addresses(&self) -> &[Address] {
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
        self.started_ns
    }

    /// Its log, that of the process that is loaded; `None` for a `url:` subject.
    pub fn log(&self) -> Option<&Path> {
        self.launched.as_ref().map(|launched| launched.log.as_path())
    }

    /// Waits until every port answers and belongs to it, process by process, each as long as its declaration allows.
    ///
    /// # Errors
    /// It died, hangs, never got ready, a port is another's, or somebody said stop.
    pub fn wait_ready(&self, stop: &AtomicBool) -> Result<(), SubjectError> {
        let Some(launched) = &self.launched else { return self.check_answers() };
        for number in 0..launched.program.steps.len() {
            if launched.started().len() <= number {
                launched.launch_next(&self.subject)?;
            }
            self.wait_for(launched, number, stop)?;
        }
        Ok(())
    }

    fn wait_for(&self, launched: &Launched, number: usize, stop: &AtomicBool) -> Result<(), SubjectError> {
        let within = launched.program.steps[number].ready_within;
        let within_ns = u64::try_from(within.as_nanos()).unwrap_or(u64::MAX);
        let deadline_ns = monotonic_ns().saturating_add(within_ns);
        let Some(started) = launched.started().get(number).cloned() else { return Ok(()) };
        let scene = || launched.scene(&self.subject, number, &started);
        let mut foreign = 0;
        loop {
            let look = self.look(launched, number, &started)?;
            foreign = if matches!(look, Look::Foreign(..)) { foreign + 1 } else { 0 };
            let (missing, silent) = match look {
                Look::Ready => return Ok(()),
                Look::Missing(what) => (what, false),
                Look::Silent(what) => (what, true),
                Look::Foreign(port, by) if foreign > FOREIGN_LOOKS => {
                    return Err(SubjectError::PortTaken { subject: scene().subject, port, by });
                }
                Look::Foreign(_, by) => (format!("the port is held by {by}"), false),
            };
            if monotonic_ns() >= deadline_ns {
                return Err(scene().never_ready(within, missing, silent));
            }
            if !sleep_for(LOOK_EVERY_NS, stop) {
                return Err(SubjectError::Interrupted);
            }
        }
    }

    fn look(&self, launched: &Launched, number: usize, started: &Started) -> Result<Look, SubjectError> {
        // Looked at first: a listener that is seen afterwards is not that of a process that had ended.
        if let Some((dead, process, exit)) = launched.ended()? {
            return Err(launched.scene(&self.subject, dead, &process).died_at_start(exit));
        }
        let path = launched.program.steps[number].ready_path.as_deref();
        for port in &launched.ports[number] {
            let sockets =
                ports::listeners(*port).map_err(SubjectError::files("/proc/net/tcp", "cannot be read"))?;
            if sockets.is_empty() {
                return Ok(Look::Missing(format!("nothing listens on port {port}")));
            }
            let ours = ports::held_by(&launched.members(started), &sockets);
            if ours.len() < sockets.len() {
                let others = sockets.difference(&ours).copied().collect();
                return Ok(Look::Foreign(*port, ports::name_holder(&tree::snapshot(), &others)));
            }
            match ports::probe(&local(*port), path, PROBE_WITHIN) {
                Ok(()) => {}
                Err(ProbeError::Silent(what)) => return Ok(Look::Silent(what)),
                Err(ProbeError::Other(what)) => return Ok(Look::Missing(what)),
            }
        }
        Ok(Look::Ready)
    }

    fn check_answers(&self) -> Result<(), SubjectError> {
        ports::probe(&self.address(), None, PROBE_WITHIN).map_err(|why| SubjectError::NoAnswer {
            authority: self.authority(0),
            address: self.address(),
            why: why.to_string(),
        })
    }

    /// Whether all its processes still run; a `url:` subject is asked for a connection.
    ///
    /// # Errors
    /// How it ended.
    pub fn alive(&self) -> Result<(), SubjectError> {
        let Some(launched) = &self.launched else { return self.check_answers() };
        match launched.ended()? {
            Some((number, started, exit)) => Err(launched.scene(&self.subject, number, &started).died(exit)),
            None => Ok(()),
        }
    }

    /// As [`Running::alive`], and every port of the process that is loaded still answers. Costs an exchange with each,
    /// so it has no place within a measured window.
    ///
    /// # Errors
    /// How it ended, or that it hangs.
    pub fn answers(&self) -> Result<(), SubjectError> {
        self.alive()?;
        let Some(launched) = &self.launched else { return Ok(()) };
        let front = launched.program.front;
        let path = launched.program.steps.get(front).and_then(|step| step.ready_path.as_deref());
        for address in &self.addresses {
            if let Err(missing) = ports::probe(address, path, PROBE_WITHIN)
                && let Some(started) = launched.started().get(front)
            {
                return Err(launched
                    .scene(&self.subject, front, started)
                    .hangs(PROBE_WITHIN, missing.to_string()));
            }
        }
        Ok(())
    }

    /// Ends it, in the reverse order of the starts: TERM, the grace of its declaration, KILL to whatever is left of it.
    /// A `url:` subject is left as it is.
    ///
    /// # Errors
    /// The keeper is dead; or it did not end as it should: it had to be killed, lives, or its port is not
    /// free.
    pub fn stop(mut self) -> Result<StopReport, SubjectError> {
        let Some(launched) = &mut self.launched else { return Ok(StopReport { exit: None }) };
        launched.stopped = true;
        let mut findings = Vec::new();
        let mut report = StopReport { exit: None };
        let started = launched.started().clone();
        for (number, process) in started.iter().enumerate().rev() {
            let exit = stop_one(launched, number, process, &mut findings)?;
            if number == launched.program.front {
                report.exit = exit;
            }
        }
        // What cannot be removed now is removed by the keeper at the end.
        let _ = fs::remove_dir_all(&launched.temp);
        for port in launched.ports.iter().flatten().filter(|port| !becomes_free(**port)) {
            findings.push(format!("port {port} is still listened on"));
        }
        match findings.is_empty() {
            true => Ok(report),
            false => {
                Err(SubjectError::UncleanStop { subject: self.subject.clone(), what: findings.join("; ") })
            }
        }
    }
}

fn stop_one(
    launched: &Launched,
    number: usize,
    process: &Started,
    findings: &mut Vec<String>,
) -> Result<Option<Exit>, SubjectError> {
    let grace = launched.program.grace;
    let stopped = launched.keeper.stop(process.ward, grace)?;
    let name = launched.program.steps.get(number).map_or("", |step| step.name.as_str());
    let who = if name.is_empty() { String::new() } else { format!("process {name} ") };
    if launched.keeper.over_memory(process.ward).is_some() {
        // Killed for its memory, which was told when it was.
    } else if !stopped.killed.is_empty() {
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
        let Some(launched) = self.launched.as_ref().filter(|launched| !launched.stopped) else { return };
        for started in launched.started().iter().rev() {
            // A dead keeper has nothing to end.
            let _ = launched.keeper.ask_to_stop(started.ward, launched.program.grace);
        }
    }
}

enum Look {
    Ready,
    Missing(String),
    /// A connection was taken and nothing came back.
    Silent(String),
    /// Port, and whose it is.
    Foreign(u16, String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_port_that_is_taken_is_refused_with_its_holder() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let refused = refuse_taken("echo", port).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
    }

    #[test]
    fn the_log_of_a_process_stands_beside_that_of_the_front() {
        assert_eq!(beside(Path::new("/a/x.log"), "back"), Path::new("/a/x.back.log"));
        assert_eq!(beside(Path::new("/a/log"), "back"), Path::new("/a/log.back"));
    }
}
