//! `--on` and `--subjects-on`: a study whose agents, or whose servers, are on other machines.

use crate::args::RunArgs;
use crate::carried;
use crate::checked::{Checked, Placed, run_here};
use crate::exit::{Exit, leave};
use crate::fleet::{arrived, refused, tolerated};
use crate::kubernetes;
use crate::mistakes::wrong;
use crate::place;
use crate::run::say;
use crate::slurm;
use crate::there::{Beside, Home, Outcome, There, bring_home, failed};
use anyhow::Context as _;
use proofload_agents::{Listener, Terms, Token, VERSION};
use proofload_host::signals;
use proofload_language::{Language, say};
use proofload_places::{AllLaunched, Allocation, Launched, Launcher, Order, fingerprint};
use proofload_study::Study;
use proofload_subject::this_program;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long agents elsewhere may take to come, seconds.
const WAIT_S: u64 = 60;

pub fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let checked = Checked::of(args)?;
    let args = &with_those_of(&checked.study, args);
    if args.explain {
        return run_here(args, &checked);
    }
    let stop = signals::install()?;
    let is_slurm = args.places.on.as_deref() == Some(SLURM);
    if let Some(exit) = is_slurm.then(|| slurm::within(args, &stop)).transpose()?.flatten() {
        return Ok(exit);
    }
    match (args.places.on.as_deref(), Places::of(args, &stop)?) {
        (Some(KUBERNETES), _) => kubernetes::run(args, &checked),
        (_, Some(places)) => places.run(args, &checked, &stop),
        (_, None) => run_here(args, &checked),
    }
}

/// Engines, as `--on` names them; beside these there is `ssh:HOST,HOST`.
const KUBERNETES: &str = "kubernetes";
const SLURM: &str = "slurm";

#[derive(Debug)]
struct Places {
    /// Where the servers are, and with them the coordinator.
    subjects: Launcher,
    /// Where the agents are, one list for each process that starts some.
    agents: Vec<(Launcher, u32)>,
    /// The servers' address; found out where there is none.
    address: Option<IpAddr>,
}

/// The arguments, and where they say nothing, what the study says of its places.
fn with_those_of(study: &Study, args: &RunArgs) -> RunArgs {
    let mut args = args.clone();
    let said = study.places.clone().unwrap_or_default();
    let asked = &mut args.places;
    asked.on = asked.on.take().or(said.agents_on);
    asked.subjects_on = asked.subjects_on.take().or(said.subjects_on);
    asked.address = asked.address.or(said.address);
    args.agents = args.agents.or(said.agents);
    args
}

struct Program {
    path: PathBuf,
    fingerprint: String,
}

impl Places {
    /// What the arguments say; `None` where everything stays here.
    fn of(args: &RunArgs, stop: &AtomicBool) -> anyhow::Result<Option<Places>> {
        let asked = &args.places;
        let wanted = args.agents.unwrap_or(0);
        let subjects = asked.subjects_on.clone().map_or(Launcher::Here, Launcher::Ssh);
        let (subjects, agents, mut address) = match asked.on.as_deref() {
            Some(KUBERNETES) => return Ok(None),
            None if subjects == Launcher::Here => return Ok(None),
            None => (subjects, vec![(Launcher::Here, wanted.max(1))], None),
            Some(SLURM) => {
                let (first, others) = slurm::nodes(stop)?;
                let address = Allocation::address(&first, stop).map_err(|error| leave(Exit::Usage, error))?;
                let agents = vec![(Launcher::Slurm(others.clone()), others.len() as u32)];
                (Launcher::Slurm(vec![first]), agents, Some(address))
            }
            Some(on) => (subjects, by_ssh(on, wanted)?, None),
        };
        address = asked.address.or(address);
        Ok(Some(Places { subjects, agents, address }))
    }

    fn count(&self) -> u32 {
        self.agents.iter().map(|(_, count)| count).sum()
    }

    /// How many of the agents may be lost.
    fn tolerated(&self, args: &RunArgs) -> anyhow::Result<u32> {
        tolerated(&args.tolerance, Some(self.count()))
    }

    fn run(&self, args: &RunArgs, checked: &Checked, stop: &AtomicBool) -> anyhow::Result<Exit> {
        self.tolerated(args)?;
        let path = this_program();
        let fingerprint = fingerprint(&path)?;
        let program = Program { path, fingerprint };
        let launchers = self.agents.iter().map(|(launcher, _)| launcher).chain([&self.subjects]);
        for launcher in launchers {
            let provided = launcher.provide(&program.path, &program.fingerprint, stop);
            provided.map_err(failed)?;
        }
        match self.subjects {
            Launcher::Here => self.run_here(args, checked, &program, stop),
            _ => self.run_there(args, checked, &program, stop),
        }
    }

    /// The servers are on this machine.
    fn run_here(
        &self,
        args: &RunArgs,
        checked: &Checked,
        program: &Program,
        stop: &AtomicBool,
    ) -> anyhow::Result<Exit> {
        checked.foresee(args)?;
        let address = match self.address {
            Some(address) => address,
            None => self.address_seen(stop)?,
        };
        proofload_study::local_address(&address.to_string())
            .map_err(|mistake| wrong("--address", mistake))?;
        let token = Token::fresh().map_err(refused)?;
        let listener = Listener::open(SocketAddr::new(address, 0), &token).map_err(refused)?;
        let _agents = self.start_agents(listener.address(), &token, program)?;
        let terms = Terms {
            agents: self.count(),
            wait: Duration::from_secs(WAIT_S),
            tolerated: self.tolerated(args)?,
        };
        let quiet = args.output.quiet;
        let fleet =
            listener.gather(&terms, stop, &mut |arrival| say(quiet, &arrived(arrival))).map_err(refused)?;
        checked.run(args, &Placed { fleet: Some(&fleet), address, given: None })
    }

    /// This machine's address as the first of the agents' machines sees it.
    fn address_seen(&self, stop: &AtomicBool) -> anyhow::Result<IpAddr> {
        let Some((Launcher::Ssh(host), _)) = self.agents.first() else {
            return Err(leave(Exit::Usage, "--address: agents have to know where this machine is"));
        };
        let seen = proofload_places::seen_from(host, stop).map_err(failed)?;
        seen.ok_or_else(|| {
            leave(Exit::Usage, format!("{host} does not say how it sees this machine; give --address"))
        })
    }

    fn start_agents(&self, at: SocketAddr, token: &Token, program: &Program) -> anyhow::Result<AllLaunched> {
        let mut started = AllLaunched::default();
        let mut index = 0;
        for (launcher, count) in &self.agents {
            // Slurm starts one on each node, and numbers them.
            let (processes, numbered) =
                if let Launcher::Slurm(_) = launcher { (1, false) } else { (*count, true) };
            for _ in 0..processes {
                let mut words = vec!["agent".to_owned(), "--join".to_owned(), at.to_string()];
                words.extend(["--token-file", "/dev/stdin", "--quiet"].map(str::to_owned));
                if numbered {
                    words.extend(["--index".to_owned(), index.to_string()]);
                    index += 1;
                }
                let mut command = launcher.command(&program.path, &program.fingerprint, &words);
                command.stdin(Stdio::piped()).stdout(Stdio::null());
                let name = format!("agent on {}", launcher.name());
                let mut agent =
                    Launched::start(name, command).map_err(|error| leave(Exit::FailedStart, error))?;
                if let Some(mut pipe) = agent.pipes().0 {
                    pipe.write_all(token.line().as_bytes()).with_context(|| agent.name.clone())?;
                }
                started.0.push(agent);
            }
        }
        Ok(started)
    }

    /// The servers are elsewhere, and so is the coordinator: it is told what to do, and its record is brought home.
    fn run_there(
        &self,
        args: &RunArgs,
        checked: &Checked,
        program: &Program,
        stop: &AtomicBool,
    ) -> anyhow::Result<Exit> {
        let token = Token::fresh().map_err(refused)?;
        let (order, files) = self.order(args, checked, &token, program)?;
        let words = [place::ARGUMENT.to_owned()];
        let command = self.subjects.command(&program.path, &program.fingerprint, &words);
        let mut agents = Agents {
            of: self,
            token: &token,
            program,
            tolerated: self.tolerated(args)?,
            quiet: args.output.quiet,
            launched: AllLaunched::default(),
        };
        let mut there = There::start(self.subjects.name(), command, &order, files, Home::of(args, checked))?;
        match there.follow(stop, &mut agents)? {
            Outcome::Ended(ended) => bring_home(args, ended, &mut || there.has_kept()),
            Outcome::Lost(lost) => Err(lost.into()),
        }
    }

    fn order(
        &self,
        args: &RunArgs,
        checked: &Checked,
        token: &Token,
        program: &Program,
    ) -> anyhow::Result<(Order, Vec<u8>)> {
        let mut files = Vec::new();
        let packed = |error| leave(Exit::Usage, error);
        proofload_places::pack(&carried::of(args, checked)?, &mut files).map_err(packed)?;
        let order = Order {
            version: VERSION.to_owned(),
            fingerprint: Some(program.fingerprint.clone()),
            token: token.line().trim().to_owned(),
            agents: self.count(),
            wait_s: WAIT_S,
            address: self.address,
            arguments: crate::around::arguments(),
            directory: proofload_host::working_directory(),
            language: Language::spoken().tag().to_owned(),
            files_bytes: files.len() as u64,
        };
        Ok((order, files))
    }
}

/// The agents of a coordinator elsewhere, which are started as soon as it listens.
struct Agents<'a> {
    of: &'a Places,
    token: &'a Token,
    program: &'a Program,
    /// So many may end: the coordinator goes on without them, or says which did not come.
    tolerated: u32,
    quiet: bool,
    launched: AllLaunched,
}

impl Beside for Agents<'_> {
    fn listening(&mut self, at: SocketAddr) -> anyhow::Result<()> {
        say(self.quiet, &say!("there-waits", agents = self.of.count(), at = at.to_string()));
        self.launched = self.of.start_agents(at, self.token, self.program)?;
        Ok(())
    }

    fn in_vain(&mut self) -> Option<String> {
        let mut failed = self.launched.0.iter_mut().filter_map(|agent| {
            let status = agent.ended()?;
            let how = status.to_string();
            (!status.success()).then(|| say!("there-agent-ended", agent = agent.name, how))
        });
        failed.nth(self.tolerated as usize)
    }
}

/// `ssh:a,b`: agents take turns over the hosts, one each unless more are wanted.
fn by_ssh(on: &str, wanted: u32) -> anyhow::Result<Vec<(Launcher, u32)>> {
    let hosts: Vec<&str> = on.strip_prefix("ssh:").map_or(Vec::new(), |hosts| hosts.split(',').collect());
    if hosts.is_empty() || hosts.iter().any(|host| host.is_empty() || host.starts_with('-')) {
        let why = format!("--on {on}: write ssh:HOST,HOST, slurm or kubernetes");
        return Err(leave(Exit::Usage, why));
    }
    let count = hosts.len() as u32;
    let wanted = if wanted == 0 { count } else { wanted };
    let share = |at: u32| wanted / count + u32::from(at < wanted % count);
    let agents = hosts.iter().zip(0..).map(|(host, at)| (Launcher::Ssh((*host).to_owned()), share(at)));
    Ok(agents.filter(|(_, count)| *count > 0).collect())
}
