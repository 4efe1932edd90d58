//! Real engines on this one machine: networks that can be cut, SSH between hosts, a Slurm cluster, a Kubernetes cluster.

mod by_hand;
mod cgroups;
mod commands;
mod daemon;
mod faults;
mod in_cluster;
mod kubernetes;
mod leftovers;
mod link;
mod net;
mod packages;
mod pods;
mod processes;
mod settings;
mod slurm;
mod ssh;
mod studies;
mod tested;
mod trial;

use crate::{gates, tools};
use anyhow::{Context, bail, ensure};
use commands::{output, until};
use kubernetes::Kubernetes;
use net::Net;
use processes::Process;
use slurm::Slurm;
use ssh::Ssh;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use trial::{Bench, Engine};

/// Places of what is shown.
const PLACES: [&str; 3] = ["a", "b", "c"];

/// Time limit for killed processes to be gone everywhere.
const END_WITHIN: Duration = Duration::from_secs(20);

/// In the command line of tasks that are going to be killed: a number of seconds that no other process sleeps.
const LONG: &str = "86399.5";

/// Options besides an engine.
struct Asked<'a> {
    root: &'a Path,
    /// The executable; what cargo builds, if none is named.
    binary: Option<PathBuf>,
    /// Trials whose name has this word; the page is written of all only.
    only: String,
    /// Further arguments of `proofload run`, after `--`.
    more: Vec<String>,
}

/// The task: brings one up, shows that it works, runs studies in it and breaks them, and takes it away.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let own = args.iter().take_while(|arg| *arg != "--").count();
    let (args, more) = (&args[..own], args[own..].iter().skip(1).cloned().collect());
    let (name, mut rest) = args.split_first().context("name one: net, ssh, slurm, kubernetes or link")?;
    let mut asked = Asked { root, binary: None, only: String::new(), more };
    while let [option, value, others @ ..] = rest {
        match option.as_str() {
            "--binary" => asked.binary = Some(std::path::absolute(value)?),
            "--only" => asked.only.clone_from(value),
            _ => bail!("{option}: is neither --binary FILE nor --only WORD"),
        }
        rest = others;
    }
    ensure!(rest.is_empty(), "{}: has no value", rest.join(" "));
    ensure!(asked.more.is_empty() || name == "link", "{name}: only link takes arguments of `proofload run`");
    match name.as_str() {
        "net" => Net::with(&PLACES, show_net)?,
        "ssh" => Net::with(&PLACES, |net| {
            let ssh = show_ssh(net)?;
            try_all(&asked, net, Engine::Ssh, &ssh.version()?)
        })?,
        "slurm" => Net::with(&PLACES, |net| {
            let slurm = show_slurm(net)?;
            try_all(&asked, net, Engine::Slurm, &slurm.version()?)
        })?,
        "kubernetes" => Net::with(&PLACES, |net| {
            let cluster = show_kubernetes(net)?;
            cluster.load_proofload(&executable(&asked)?)?;
            try_all(&asked, net, Engine::Kubernetes, &cluster.version()?)
        })?,
        "link" => Net::with(&PLACES, |net| {
            let ssh = show_ssh(net)?;
            let bench = Bench::set_up(net, Engine::Ssh, root, &executable(&asked)?)?;
            link::compare(&bench, root, &ssh.version()?, &asked.more)
        })?,
        _ => bail!("{name}: name one of net, ssh, slurm, kubernetes and link"),
    }
    println!("nothing is left");
    Ok(())
}

/// Studies and faults, with the executable as it is released; what came of them is on the page before it is an error.
fn try_all(asked: &Asked<'_>, net: &Net, engine: Engine, version: &str) -> anyhow::Result<()> {
    let bench = Bench::set_up(net, engine, asked.root, &executable(asked)?)?;
    let mut rows = Vec::new();
    studies::all(&bench, &asked.only, &mut rows);
    match engine {
        Engine::Kubernetes => faults::all(&bench, &in_cluster::FAULTS, &asked.only, &mut rows),
        Engine::Ssh | Engine::Slurm => faults::all(&bench, &faults::BETWEEN_MACHINES, &asked.only, &mut rows),
    }
    match engine {
        Engine::Ssh => by_hand::all(&bench, &asked.only, &mut rows),
        Engine::Kubernetes => in_cluster::all(&bench, &asked.only, &mut rows),
        Engine::Slurm => {}
    }
    if asked.only.is_empty() {
        tested::write(asked.root, &format!("{engine:?}"), version, &tested::table(&rows))?;
    }
    let failed = rows.iter().filter(|row| row.failed.is_some()).count();
    ensure!(failed == 0, "{failed} of {} did not end as they should", rows.len());
    Ok(())
}

fn executable(asked: &Asked<'_>) -> anyhow::Result<PathBuf> {
    if let Some(binary) = &asked.binary {
        return Ok(binary.clone());
    }
    tools::cargo(asked.root, &gates::RELEASE, &[])?;
    Ok(tools::target_folder(asked.root).join("release/proofload"))
}

fn show_net(net: &Net) -> anyhow::Result<()> {
    println!("{}", output(Command::new("ip").arg("-V"))?);
    for from in PLACES {
        for to in PLACES {
            ping(net, from, &net.address(to)?.to_string())?;
        }
        ping(net, from, &net.outside_address().to_string())?;
    }
    println!("all reach all, and this machine");
    net.cut("b")?;
    ensure!(ping(net, "a", "b").is_err(), "a reaches b, which is cut off");
    ping(net, "a", "c")?;
    net.heal("b")?;
    until("b is reached again", END_WITHIN, || Ok(ping(net, "a", "b").is_ok()))?;
    println!("b was cut off, and is reached again");
    Ok(())
}

fn ping(net: &Net, from: &str, to: &str) -> anyhow::Result<()> {
    output(net.command(from, "ping").args(["-q", "-c", "1", "-W", "1", to])).map(drop)
}

fn show_ssh(net: &Net) -> anyhow::Result<Ssh<'_>> {
    let ssh = Ssh::up(net)?;
    println!("{}", ssh.version()?);
    for to in PLACES {
        expect(net.command("a", "ssh").args([to, "hostname"]), to)?;
        expect(net.outside("ssh").args([to, "hostname"]), to)?;
    }
    expect(net.outside("/usr/bin/ssh").arg("-F").arg(ssh.config()).args(["b", "hostname"]), "b")?;
    expect(net.command("a", "ssh").args(["b", "ssh c hostname"]), "c")?;
    println!("all log in at all by name: from a, from b, and from this machine");
    Ok(ssh)
}

fn show_slurm(net: &Net) -> anyhow::Result<Slurm<'_>> {
    let slurm = Slurm::up(net)?;
    println!("{}", slurm.version()?);
    let (three, all) = (["-N", "3", "-l", "hostname"], "0: a\n1: b\n2: c");
    expect(net.outside("srun").args(three), all)?;
    expect(net.outside("/usr/bin/srun").args(three).env("SLURM_CONF", slurm.conf()), all)?;
    expect(net.command("a", "srun").args(three), all)?;
    expect(net.command("a", "salloc").args(["-N", "3", "srun", "-l", "hostname"]), all)?;
    expect(net.command("b", "srun").args(["--nodelist", "c", "hostname"]), "c")?;
    println!("srun and salloc reach all nodes, from a node and from this machine; --nodelist chooses");
    give(net)?;
    kill(net)?;
    Ok(slurm)
}

fn show_kubernetes(net: &Net) -> anyhow::Result<Kubernetes<'_>> {
    let cluster = Kubernetes::up(net)?;
    println!("{}", cluster.version()?);
    println!("{}", output(net.outside("kubectl").args(["get", "nodes", "-o", "wide"]))?);
    Ok(cluster)
}

/// Standard input goes to the task that it is for.
fn give(net: &Net) -> anyhow::Result<()> {
    let mut srun = net.command("a", "srun");
    srun.args(["-N", "3", "-l", "--input", "1", "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = srun.spawn()?;
    child.stdin.take().context("its standard input")?.write_all(b"one line\n")?;
    let output = child.wait_with_output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    ensure!(told == "1: one line\n", "what task 1 was given came back as {told:?}");
    println!("task 1 got its standard input");
    Ok(())
}

/// One task of three is killed, and the others end with it.
fn kill(net: &Net) -> anyhow::Result<()> {
    let mut srun = net.command("a", "srun");
    srun.args(["-N", "3", "-K", "sleep", LONG]).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = srun.spawn()?;
    let tasks = || -> anyhow::Result<Vec<Process>> {
        let all = processes::marked(&net.mark())?;
        Ok(all.into_iter().filter(|process| process.command.ends_with(&format!("/sleep {LONG}"))).collect())
    };
    until("three tasks run", END_WITHIN, || Ok(tasks()?.len() == PLACES.len()))?;
    output(Command::new("kill").arg("-KILL").arg(tasks()?[0].pid.to_string()))?;
    let status = child.wait()?;
    ensure!(!status.success(), "srun ended well though a task was killed");
    until("all tasks end", END_WITHIN, || Ok(tasks()?.is_empty()))?;
    println!("one task was killed: srun ended with {status}, and no task is left");
    Ok(())
}

/// Runs a command whose output must have these lines.
fn expect(command: &mut Command, wanted: &str) -> anyhow::Result<()> {
    let told = output(command)?;
    let mut lines: Vec<&str> = told.lines().collect();
    // Tasks speak in any order.
    lines.sort_unstable();
    ensure!(lines.join("\n") == wanted, "{command:?} said {told:?}");
    Ok(())
}
