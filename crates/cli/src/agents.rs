//! `proofload agent` and `proofload coordinator`: one load from several machines.

use crate::args::{AgentArgs, CoordinatorArgs, RunArgs};
use crate::checked::{Checked, Placed, run_here};
use crate::exit::{Exit, leave};
use crate::fleet::{arrived, refused, tolerated};
use crate::mistakes::wrong;
use crate::run;
use anyhow::Context as _;
use proofload_agents::{AgentError, Joining, Listener, Notice, Terms, Token};
use proofload_facts::Finding;
use proofload_host::{Awake, signals};
use proofload_language::facts::told;
use proofload_language::say;
use proofload_places::kubernetes::manifest::SETTINGS;
use proofload_study::quantity;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// `proofload coordinator`.
pub fn coordinator(args: &CoordinatorArgs) -> anyhow::Result<Exit> {
    let run_args = &with_settings(&args.run)?;
    if args.run.explain {
        return run_here(run_args, &Checked::of(run_args)?);
    }
    if args.run.places.on.is_some() || args.run.places.subjects_on.is_some() {
        return Err(leave(
            Exit::Usage,
            "--on and --subjects-on are for proofload run, which starts what it needs",
        ));
    }
    if let Some(address) = args.run.places.address {
        let own = proofload_study::local_address(&address.to_string());
        own.map_err(|mistake| wrong("--address", mistake))?;
    }
    let checked = Checked::of(run_args)?;
    checked.foresee(run_args)?;
    let (token, doubts) = Token::read(&args.token_file).map_err(refused)?;
    let tolerated = tolerated(&args.run.tolerance, args.run.agents)?;
    let terms = Terms { agents: args.run.agents.unwrap_or(1), wait: wait(&args.wait)?, tolerated };
    let stop = signals::install()?;
    let quiet = args.run.output.quiet;
    let listener = Listener::open(args.listen, &token).map_err(refused)?;
    run::say(quiet, &say!("agents-waited-for", agents = terms.agents, at = listener.address().to_string()));
    doubted(&doubts);
    let fleet =
        listener.gather(&terms, &stop, &mut |arrival| run::say(quiet, &arrived(arrival))).map_err(refused)?;
    let address = args.run.places.address.unwrap_or(Ipv4Addr::LOCALHOST.into());
    let exit = checked.run(run_args, &Placed { fleet: Some(&fleet), address, given: None });
    for member in fleet.members() {
        // Of one without a load no clock was compared.
        let Some(within_ns) = member.clock_within_ns() else { continue };
        let (ahead, within) = (member.ahead_ns as f64 / 1e6, within_ns as f64 / 1e6);
        let (ahead, within) = (format!("{ahead:+.3} ms"), format!("{within:.3} ms"));
        let (index, host, address) = (member.index, member.host, member.address.to_string());
        run::say(quiet, &say!("agents-clock", index, host, address, ahead, within));
    }
    exit
}

/// `proofload agent`.
pub fn agent(args: &AgentArgs) -> anyhow::Result<Exit> {
    let (token, doubts) = Token::read(&args.token_file).map_err(refused)?;
    doubted(&doubts);
    let index = match args.index {
        Some(index) => Some(index),
        None => proofload_agents::index_from(|name| std::env::var(name).ok())
            .map_err(|error| leave(Exit::Usage, error))?,
    };
    let joining = Joining { at: args.join.clone(), token, index, wait: wait(&args.wait)? };
    let stop = signals::install()?;
    let _awake = Awake::keep();
    let ended = proofload_agents::agent(&joining, &stop, &mut |told| {
        let line = match told {
            Notice::Dealt { index, agents } => say!("agents-dealt", index, agents, at = joining.at),
            Notice::Carried(loads) => say!("agents-goodbye", loads),
        };
        run::say(args.quiet, &line);
    });
    match ended {
        Ok(()) if stop.load(Ordering::Relaxed) => Ok(Exit::Interrupted),
        Ok(()) => Ok(Exit::Done),
        // Its coordinator says more, and this one has nobody to say it to.
        Err(AgentError::Lost(_)) if args.quiet => Ok(Exit::Failure),
        Err(error @ (AgentError::NobodyThere { .. } | AgentError::Token { .. } | AgentError::Refused(_))) => {
            Err(leave(Exit::Usage, error))
        }
        Err(error) => Err(error.into()),
    }
}

/// The arguments with what a manifest sets in the study.
fn with_settings(args: &RunArgs) -> anyhow::Result<RunArgs> {
    let mut args = args.clone();
    if let Some(path) = std::env::var_os(SETTINGS).map(PathBuf::from) {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        args.set
            .extend(serde_json::from_str::<Vec<String>>(&text).with_context(|| path.display().to_string())?);
    }
    Ok(args)
}

/// Says what speaks against a token, whatever else is quiet.
fn doubted(doubts: &[Finding]) {
    doubts.iter().for_each(|doubt| run::say(false, &told(doubt)));
}

fn wait(text: &str) -> anyhow::Result<Duration> {
    let wait = quantity::duration(text).map_err(|mistake| wrong("--wait", mistake))?;
    Ok(Duration::from_nanos(wait))
}
