//! The processes of a subject: their ports, files, logs, and state.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proofload_engine::Address;
use proofload_host::clock::{monotonic_ns, sleep_ns};

use super::catalogue::template;
use super::failure::{self, Failure};
use super::keeper::{Exit, Keeper, Link, Spawn, Ward, tree};
use super::prepared::{LaunchStep, Program};
use super::surroundings::Surroundings;
use super::{SubjectError, ports};

/// Longest log of a process; a longer one is cut in its middle.
const LOG_BYTES_MAX: u64 = 64 << 20;

/// Times that nothing of a process is found before it counts as gone.
const GONE_CHECKS: u32 = 20;
const GONE_CHECK_EVERY_NS: u64 = 10_000_000;

/// A program that is started, process by process.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) subject: String,
    pub(super) keeper: Arc<Link>,
    pub(super) program: Program,
    /// Ports of each step; those of the front are its endpoints'.
    pub(super) ports: Vec<Vec<u16>>,
    /// Address on which the process that is loaded listens.
    address: IpAddr,
    pub(super) cpus: Vec<usize>,
    pub(super) log: PathBuf,
    pub(super) temp: PathBuf,
    memory_max_bytes: u64,
    /// Monotonic time just before the first process was started.
    pub(super) started_ns: u64,
    /// Added to the environment of each process.
    environment_bytes: usize,
    /// Kills for lack of memory that the kernel had counted before the start.
    kernel_kills: u64,
    /// In the order of their starts; steps that wait for others are not among them yet.
    started: Mutex<Vec<Started>>,
}

/// A process of a subject.
#[derive(Clone, Debug)]
pub(super) struct Started {
    /// Its number among the program's steps.
    pub(super) step: usize,
    pub(super) ward: Ward,
    log: PathBuf,
}

/// A variable that takes that many bytes of the environment, its name and its end included, or as few as it can.
fn padding(bytes: usize) -> (String, String) {
    const NAME: &str = "PROOFLOAD_PADDING";
    (NAME.to_string(), "x".repeat(bytes.saturating_sub(NAME.len() + "=\0".len())))
}

impl Launched {
    /// Chooses ports, makes the temporary directory with the program's files, and starts the first process.
    pub(super) fn start(
        subject: &str,
        program: &Program,
        keeper: &Keeper,
        surroundings: Surroundings<'_>,
        log: &Path,
        temp: &Path,
    ) -> Result<Launched, SubjectError> {
        let ports = choose_ports(subject, program, surroundings.address)?;
        let temp = std::path::absolute(temp).map_err(SubjectError::files(temp, "path"))?;
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&temp);
        made.map_err(SubjectError::files(&temp, "make"))?;
        let log = std::path::absolute(log).map_err(SubjectError::files(log, "path"))?;
        let mut launched = Launched {
            subject: subject.to_string(),
            keeper: Arc::clone(keeper.link()),
            program: program.clone(),
            ports,
            address: surroundings.address,
            cpus: surroundings.cpus.to_vec(),
            environment_bytes: surroundings.environment_bytes,
            log,
            temp,
            memory_max_bytes: program.memory_max_bytes.unwrap_or_else(failure::memory_allowed_bytes),
            started_ns: 0,
            kernel_kills: failure::kernel_kills(),
            started: Mutex::default(),
        };
        launched.write_files()?;
        launched.started_ns = monotonic_ns();
        launched.launch_next()?;
        Ok(launched)
    }

    /// Addresses on which the process that is loaded listens, one for each endpoint.
    pub(super) fn addresses(&self) -> Vec<Address> {
        self.ports
            .get(self.program.front)
            .into_iter()
            .flatten()
            .map(|port| self.at(self.program.front, *port))
            .collect()
    }

    /// Address on which the process of a step listens: only the one that is loaded is reached from elsewhere.
    fn address_of(&self, step: usize) -> IpAddr {
        if step == self.program.front { self.address } else { IpAddr::V4(Ipv4Addr::LOCALHOST) }
    }

    /// Address of a port of that process.
    pub(super) fn at(&self, step: usize, port: u16) -> Address {
        Address::Tcp(SocketAddr::new(self.address_of(step), port))
    }

    pub(super) fn started(&self) -> MutexGuard<'_, Vec<Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The placeholders that are known only at the start, with the values for the process of `step`.
    fn fill(&self, text: &str, step: usize) -> String {
        let first = |step: usize| self.ports.get(step).and_then(|ports| ports.first()).map(u16::to_string);
        let endpoints = || -> Vec<String> {
            let ports = self.ports.get(self.program.front).into_iter().flatten();
            self.program.endpoints.iter().zip(ports).map(|(level, port)| format!("{level}:{port}")).collect()
        };
        let value = |name: &str| match name {
            "port" => first(step),
            "address" => Some(self.address_of(step).to_string()),
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

    /// Configuration files, filled in for the process that is loaded.
    fn write_files(&self) -> Result<(), SubjectError> {
        for (target, text) in &self.program.files {
            let path = self.temp.join(target);
            let folder = path.parent().unwrap_or(&self.temp);
            let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            let written = made.and_then(|()| fs::write(&path, self.fill(text, self.program.front)));
            written.map_err(SubjectError::files(&path, "write"))?;
        }
        Ok(())
    }

    /// Starts the next step, if there is one.
    pub(super) fn launch_next(&self) -> Result<(), SubjectError> {
        let mut started = self.started();
        let number = started.len();
        let Some(step) = self.program.steps.get(number) else { return Ok(()) };
        let log = if number == self.program.front { self.log.clone() } else { beside(&self.log, &step.name) };
        let environment =
            step.environment.iter().map(|(name, value)| (name.clone(), self.fill(value, number)));
        let padding = (self.environment_bytes > 0).then(|| padding(self.environment_bytes));
        let spawn = Spawn {
            id: 0,
            args: step.args.iter().map(|arg| self.fill(arg, number)).collect(),
            clear_environment: self.program.clear_environment,
            environment: environment.chain(padding).collect(),
            directory: self.program.directory.clone().unwrap_or_else(|| self.temp.clone()),
            cpus: self.cpus.clone(),
            log: log.clone(),
            memory_max_bytes: Some(self.memory_max_bytes),
            log_bytes_max: Some(LOG_BYTES_MAX),
            secrets: Vec::new(),
        };
        let ward = self.keeper.start(&self.label(step), spawn)?;
        started.push(Started { step: number, ward, log });
        Ok(())
    }

    /// The live processes of one that was started.
    pub(super) fn members(&self, started: &Started) -> Vec<tree::Process> {
        self.keeper.members(started.ward)
    }

    /// Facts about a process that fails.
    pub(super) fn failure(&self, started: &Started) -> Failure {
        let step = self.program.steps.get(started.step);
        Failure {
            subject: step.map_or_else(|| self.subject.clone(), |step| self.label(step)),
            log: started.log.clone(),
            over_memory: self.keeper.over_memory(started.ward),
            memory_max_bytes: self.memory_max_bytes,
            kernel_kills: failure::kernel_kills() > self.kernel_kills,
        }
    }

    /// The first process that has ended, with how. The first process of a daemon ends with 0 and leaves the server
    /// behind, which does not count.
    pub(super) fn ended(&self) -> Result<Option<(Started, Exit)>, SubjectError> {
        for started in self.started().clone() {
            match self.keeper.exit_of(started.ward)? {
                Some(Exit::Code(0)) if self.left_a_server(&started) => {}
                Some(exit) => return Ok(Some((started, exit))),
                None => {}
            }
        }
        Ok(None)
    }

    /// True if a process that has ended with 0 left others behind. One that forks, or executes another program, while
    /// `/proc` is read is not found there: none counts as gone after being missed only once.
    fn left_a_server(&self, started: &Started) -> bool {
        (0..GONE_CHECKS).any(|check| {
            if check > 0 {
                sleep_ns(GONE_CHECK_EVERY_NS);
            }
            !self.members(started).is_empty()
        })
    }

    /// Name of a process in errors.
    fn label(&self, step: &LaunchStep) -> String {
        match step.name.as_str() {
            "" => self.subject.clone(),
            name => format!("{}, process {name}", self.subject),
        }
    }
}

fn choose_ports(subject: &str, program: &Program, address: IpAddr) -> Result<Vec<Vec<u16>>, SubjectError> {
    let mut ports = Vec::new();
    for step in 0..program.steps.len() {
        let at = if step == program.front { address } else { IpAddr::V4(Ipv4Addr::LOCALHOST) };
        let count = if step == program.front { program.endpoints.len() } else { 1 };
        let fixed = program.port.filter(|_| step == program.front && count == 1);
        let chosen = match fixed {
            Some(port) => vec![refuse_taken(subject, port)?],
            None => (0..count).map(|_| ports::free_port(at)).collect::<Result<_, _>>()?,
        };
        ports.push(chosen);
    }
    Ok(ports)
}

fn refuse_taken(subject: &str, port: u16) -> Result<u16, SubjectError> {
    let taken = ports::listeners(port).map_err(SubjectError::files("/proc/net/tcp", "read"))?;
    if taken.is_empty() {
        return Ok(port);
    }
    let by = ports::name_holder(&tree::snapshot(), &taken);
    Err(SubjectError::PortTaken { subject: subject.to_string(), port, by })
}

/// `name.log` and a process: `name.process.log`.
fn beside(log: &Path, process: &str) -> PathBuf {
    let stem = log.file_stem().unwrap_or_default().to_string_lossy();
    match log.extension() {
        Some(extension) => log.with_file_name(format!("{stem}.{process}.{}", extension.to_string_lossy())),
        None => log.with_file_name(format!("{stem}.{process}")),
    }
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
