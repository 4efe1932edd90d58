//! Placement of the servers of a run, and of its agents.

use crate::agents::{AgentPool, Listener, Terms, Token};
use crate::client::{AgentSource, Client, Ended};
use crate::error::RemoteError;
use crate::launch::{LEAVING, Launched, Launcher, Program, fingerprint, seen_from};
use crate::notices::Notices;
use crate::order::{Order, RemoteRun};
use crate::{server, slurm};
use proofload_host::started::Started;
use proofload_language::tr;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Longest time for agents to come.
const WAIT: Duration = Duration::from_secs(60);

/// Machines of a run, and this executable, which is started there.
#[derive(Debug)]
pub struct Placement {
    /// Machine of the servers and of the coordinator.
    subjects: Launcher,
    /// Machines of the agents, and the number of agents on each.
    agents: Vec<(Launcher, u32)>,
    /// The servers' address; found out where there is none.
    address: Option<IpAddr>,
    program: Program,
}

impl Placement {
    /// Agents as children of this process.
    pub fn here(program: PathBuf, agents: u32) -> Placement {
        Placement {
            subjects: Launcher::Here,
            agents: vec![(Launcher::Here, agents)],
            address: Some(Ipv4Addr::LOCALHOST.into()),
            program: Program { path: program, fingerprint: String::new() },
        }
    }

    /// Servers on a host that ssh reaches, or here, and agents in the places of `on` (`ssh:HOST,HOST` or `slurm`), or
    /// here.
    ///
    /// # Errors
    /// An `on` of another form, or a Slurm that does not report its nodes.
    pub fn of(
        on: Option<&str>,
        subjects_on: Option<String>,
        agents: Option<u32>,
        address: Option<IpAddr>,
        program: PathBuf,
        stop: &AtomicBool,
    ) -> Result<Placement, RemoteError> {
        let subjects = subjects_on.map_or(Launcher::Here, Launcher::Ssh);
        let (subjects, agents, found) = match on {
            None => (subjects, vec![(Launcher::Here, agents.unwrap_or(1))], None),
            Some("slurm") => {
                let (first, address, others) = slurm::nodes(stop)?;
                let count = others.len() as u32;
                (Launcher::Slurm(vec![first]), vec![(Launcher::Slurm(others), count)], Some(address))
            }
            Some(on) => (subjects, by_ssh(on, agents)?, None),
        };
        let program = Program { fingerprint: fingerprint(&program)?, path: program };
        Ok(Placement { subjects, agents, address: address.or(found), program })
    }

    /// Makes sure that this executable is on all machines.
    ///
    /// # Errors
    /// A machine that cannot be reached.
    pub fn provide(&self, stop: &AtomicBool) -> Result<(), RemoteError> {
        let mut launchers = self.agents.iter().map(|(launcher, _)| launcher).chain([&self.subjects]);
        launchers.try_for_each(|launcher| Ok(launcher.provide(&self.program, stop)?))
    }

    /// True when the servers are on this machine.
    pub fn is_here(&self) -> bool {
        self.subjects == Launcher::Here
    }

    /// Number of agents.
    pub fn count(&self) -> u32 {
        self.agents.iter().map(|(_, count)| count).sum()
    }

    /// This machine's address as seen by the first of the agents' machines, where none was given.
    ///
    /// # Errors
    /// No address is known.
    pub fn own_address(&self, stop: &AtomicBool) -> Result<IpAddr, RemoteError> {
        let host = match (self.address, self.agents.first()) {
            (Some(address), _) => return Ok(address),
            (None, Some((Launcher::Ssh(host), _))) => host,
            _ => return Err(RemoteError::usage("--address: agents have to know where this machine is")),
        };
        let unseen =
            || RemoteError::Usage(format!("{host} does not say how it sees this machine; give --address"));
        seen_from(host, stop)?.ok_or_else(unseen)
    }

    /// Starts the agents for a coordinator at this address of this machine, and waits until they are there. `say`
    /// receives a line for each that comes.
    ///
    /// # Errors
    /// One cannot be started, or some do not come in time.
    pub fn gather(
        &self,
        address: IpAddr,
        tolerated: u32,
        stop: &AtomicBool,
        say: &mut dyn FnMut(&str),
    ) -> Result<AgentPool, RemoteError> {
        let token = Token::fresh()?;
        let listener = Listener::open(SocketAddr::new(address, 0), &token)?;
        let launched = self.start_agents(listener.address(), &token)?;
        let terms = Terms { agents: self.count(), wait: WAIT, tolerated };
        let mut pool = listener.gather(&terms, stop, say)?;
        pool.launched = launched;
        Ok(pool)
    }

    fn start_agents(&self, at: SocketAddr, token: &Token) -> Result<Launched, RemoteError> {
        let mut started = Launched::default();
        let mut indices = 0..;
        for (launcher, count) in &self.agents {
            // Slurm starts one on each node, and numbers them.
            let is_numbered = !matches!(launcher, Launcher::Slurm(_));
            for _ in 0..if is_numbered { *count } else { 1 } {
                let mut words = vec!["agent".to_owned(), "--join".to_owned(), at.to_string()];
                // They read the token from a pipe: it is in no file and no argument.
                words.extend(["--token-file", "/dev/stdin", "--quiet"].map(str::to_owned));
                if is_numbered {
                    words.extend(indices.next().map(|index: u32| format!("--index={index}")));
                }
                let mut command = launcher.command(&self.program, &words);
                command.stdin(Stdio::piped()).stdout(Stdio::null());
                let mut agent = Started::start(&mut command)?;
                agent.leaving = LEAVING;
                if let Some(mut pipe) = agent.pipes().0 {
                    pipe.write_all(format!("{}\n", token.text()).as_bytes())?;
                }
                started.0.push((format!("agent on {}", launcher.name()), agent));
            }
        }
        Ok(started)
    }

    /// Has a coordinator on the servers' machine carry a run out, with these agents, and gives `then` its end.
    ///
    /// # Errors
    /// It cannot be started, or is lost.
    pub fn run_there<T>(
        &self,
        run: RemoteRun,
        tolerated: u32,
        notices: &Notices,
        stop: &AtomicBool,
        then: impl FnOnce(Ended) -> T,
    ) -> Result<T, RemoteError> {
        let token = &Token::fresh()?;
        let fingerprint = Some(self.program.fingerprint.clone());
        let order =
            Order { fingerprint, address: self.address, ..Order::of(&run, token.text(), self.count(), WAIT) };
        let command = self.subjects.command(&self.program, &[server::ARGUMENT.to_owned()]);
        let mut agents = Agents { of: self, token, tolerated, notices, launched: Launched::default() };
        let mut client = Client::start(self.subjects.name(), command, &order, run)?;
        let ended = client.follow(stop, notices, &mut agents)??;
        Ok(then(ended))
    }
}

/// The agents of a coordinator elsewhere, which are started as soon as it listens.
struct Agents<'a> {
    of: &'a Placement,
    token: &'a Token,
    /// Number that may end: the coordinator goes on without them, or reports those that did not come.
    tolerated: u32,
    notices: &'a Notices,
    launched: Launched,
}

impl AgentSource for Agents<'_> {
    fn coordinator_listens(&mut self, at: SocketAddr) -> Result<(), RemoteError> {
        self.notices.say(&tr!("there-waits", agents = self.of.count(), at = at.to_string()));
        self.launched = self.of.start_agents(at, self.token)?;
        Ok(())
    }

    fn failure(&mut self) -> Option<String> {
        let mut failed = self.launched.0.iter_mut().filter_map(|(agent, process)| {
            let status = process.ended()?;
            let how = status.to_string();
            (!status.success()).then(|| tr!("there-agent-ended", agent = &*agent, how))
        });
        failed.nth(self.tolerated as usize)
    }
}

/// `ssh:a,b`: agents take turns over the hosts, one each unless more are wanted.
fn by_ssh(on: &str, wanted: Option<u32>) -> Result<Vec<(Launcher, u32)>, RemoteError> {
    let hosts: Vec<&str> = on.strip_prefix("ssh:").map_or(Vec::new(), |hosts| hosts.split(',').collect());
    if hosts.is_empty() || hosts.iter().any(|host| host.is_empty() || host.starts_with('-')) {
        return Err(RemoteError::Usage(format!("--on {on}: write ssh:HOST,HOST, slurm or kubernetes")));
    }
    let count = hosts.len() as u32;
    let wanted = wanted.unwrap_or(count);
    let share = |at: u32| wanted / count + u32::from(at < wanted % count);
    let agents = hosts.iter().zip(0..).map(|(host, at)| (Launcher::Ssh((*host).to_owned()), share(at)));
    Ok(agents.filter(|(_, count)| *count > 0).collect())
}
