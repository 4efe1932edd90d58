//! `places: { subjects_on: lab1, agents_on: "ssh:lab2,lab3" }`: machines of servers and agents, as the options of
//! `proofload run` name them.

use super::field::Field;
use super::keys::{Kind, keys};
use super::suggest::not_one_of;
use proofload_facts::Expected;
use std::net::IpAddr;

/// Most agents that are started together.
const AGENTS_MAX: u64 = 10_000;

/// Machines on which a study runs, as far as it names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StudyPlaces {
    /// The machine of the servers, as named in the user's ssh configuration.
    pub subjects_on: Option<String>,
    /// Launcher of the agents: `ssh:HOST,HOST`, `slurm`, `kubernetes`.
    pub agents_on: Option<String>,
    pub agents: Option<u32>,
    /// The address at which agents reach the servers.
    pub address: Option<IpAddr>,
}

keys! {
    /// Machines of servers and agents; all on this machine by default.
    PLACES {
        /// The machine on which the servers are started, as named in your ssh configuration.
        optional subjects_on: Kind::Text(r"^[^-\s]\S*$"),
        /// Launcher of the agents: ssh:HOST,HOST, slurm or kubernetes.
        optional agents_on: Kind::Text(r"^(ssh:\S+|slurm|kubernetes)$"),
        /// Number of agents.
        optional agents: Kind::Integer(1, AGENTS_MAX),
        /// The address at which agents reach the servers, where it is not found by ssh.
        optional address: Kind::Text(r"^[0-9A-Fa-f.:]+$"),
    }
}

/// Reads them.
pub(super) fn check_places(field: &Field<'_>) -> Option<StudyPlaces> {
    let map = field.map("places: { subjects_on: lab1 }")?;
    let subjects_on = map.optional("subjects_on").map(|field| check_host(&field));
    let agents_on = map.optional("agents_on").map(|field| check_on(&field));
    let agents = map.optional("agents").map(|field| field.integer());
    let address = map.optional("address").map(|field| check_address(&field));
    map.close();
    Some(StudyPlaces {
        subjects_on: transposed(subjects_on)?,
        agents_on: transposed(agents_on)?,
        agents: transposed(agents)?.map(|agents| agents as u32),
        address: transposed(address)?,
    })
}

/// `Some(None)` for a key that is absent; `None` for one that is wrong.
fn transposed<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    read.map_or(Some(None), |read| read.map(Some))
}

fn check_host(field: &Field<'_>) -> Option<String> {
    const FORM: &str = "lab1";
    let text = field.text(FORM)?;
    let good = !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace);
    if !good {
        field.wrong(Expected::Machine, FORM);
    }
    good.then(|| text.to_owned())
}

fn check_on(field: &Field<'_>) -> Option<String> {
    let known = ["ssh:HOST,HOST", "slurm", "kubernetes"];
    let text = field.text(&known.join(", "))?;
    let hosts = text.strip_prefix("ssh:").map(|hosts| hosts.split(','));
    let good = match hosts {
        Some(mut hosts) => hosts.all(|host| !host.is_empty() && !host.starts_with('-')),
        None => ["slurm", "kubernetes"].contains(&text),
    };
    if !good {
        field.problem(not_one_of(text, &known));
    }
    good.then(|| text.to_owned())
}

fn check_address(field: &Field<'_>) -> Option<IpAddr> {
    const FORM: &str = "10.0.0.1";
    let read = field.text(FORM)?.parse().ok();
    if read.is_none() {
        field.wrong(Expected::NumericAddress, FORM);
    }
    read
}
