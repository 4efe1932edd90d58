//! Cost of agents that carry out a load: each agent, and the coordinator of a thousand of them.
//!
//! ```text
//! cargo build --release && cd benches && cargo run --release --bin agents_cost -- [--rounds 3] [--seconds 10] [each] [--smoke]
//! cargo run --release --bin agents_cost -- [--agents 1000] [--streams 1] [--seconds 240] many
//! ```
//!
//! *Each*: 1, 8 and 64 `proofload agent` of this machine and their coordinator on CPU 0, the reference server on CPU 1;
//! 640 requests a second in all, and 10,000 by one agent. Without agents, as many processes carry out the same shares
//! of the same load and report to no coordinator. CPU time is that of each thread, by `/proc/PID/task/TID/schedstat`.
//! An agent's first thread only exchanges messages with the coordinator; what its second one, which hands snapshots
//! over, takes more than without agents is the protocol's, too. Bytes are what TCP carries, by `TCP_INFO`. Before the
//! load, agents have nothing to do for some seconds.
//!
//! *Many*: a coordinator on CPU 0 in a process of its own, and in another one on CPU 1 agents that play back over real
//! connections the recording of one agent at 1,000 requests a second, of each stream: all snapshots of a second come at
//! once. *Lag* is from the end of a second until it was merged; the agents' own CPU is a part of that, for they share
//! one.

use anyhow::{Context, bail, ensure};
use proofload_benches::flags::Flags;
use proofload_benches::fleet::{ANYWHERE, SECOND_NS, Used, address, plan};
use proofload_benches::merged::{Asked, HEAD, merged};
use proofload_benches::pairs::median;
use proofload_benches::subject::{Subject, proofload};
use proofload_benches::usage::load_average;
use proofload_benches::{CLIENT_CPU, child, played};
use proofload_engine::{Generator, Launch, LoadPlan, Watch, execute_share};
use proofload_host::{Awake, clock};
use proofload_remote::Placement;
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Requests a second in all, and how many agents carry them out.
const LOADS: [(f64, u32); 4] = [(640.0, 1), (640.0, 8), (640.0, 64), (10_000.0, 1)];
const CONNECTIONS: u32 = 64;
/// Time limit for the start of processes that carry out a share by themselves.
const STARTING_NS: u64 = 4 * SECOND_NS;

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&[
        "--rounds",
        "--seconds",
        "--recorded",
        "--agents",
        "--streams",
        "--rate",
        "--server",
        "--at",
        "--share",
    ])?;
    let server = || address(flags.text("--server").context("--server is missing")?);
    let agents = || flags.get("--agents", 1);
    let load = || plan(server()?, flags.get("--rate", 640.0)?, CONNECTIONS, flags.get("--seconds", 10)?);
    match flags.words.first().map(String::as_str) {
        // What follows are processes of the others.
        Some("by-agents") => println!("{}", by_agents(agents()?, &load()?)?),
        Some("by-none") => println!("{}", by_none(agents()?, &flags)?),
        Some("alone") => alone(load()?, flags.get("--share", 0)?, agents()?, flags.get("--at", 0)?)?,
        Some("merged") => println!("{}", merged(&asked(&flags, server()?)?)?),
        Some("played") => {
            let at = address(flags.text("--at").context("--at is missing")?)?;
            played::play(at, agents()?, flags.get("--streams", 1)?, server()?, flags.get("--seconds", 10)?)?;
        }
        Some("each") => each(&flags)?,
        Some("many") => many(&flags)?,
        Some(word) => bail!("{word}: each and many can be measured"),
        None => {
            each(&flags)?;
            many(&flags)?;
        }
    }
    Ok(())
}

fn asked(flags: &Flags, server: SocketAddr) -> anyhow::Result<Asked> {
    let (agents, streams) = (flags.get("--agents", 1)?, flags.get("--streams", 1)?);
    let (seconds, recorded) = (flags.get("--seconds", 60)?, flags.get("--recorded", 10)?);
    Ok(Asked { agents, streams, seconds, recorded, server })
}

/// Runs this program in one of its parts, on the client's CPU, and returns its output.
fn part(word: &str, server: &Subject, flags: &[(&str, String)], most_s: u64) -> anyhow::Result<String> {
    let mut command = child::on_cpu(CLIENT_CPU, &std::env::current_exe()?);
    command.args([word, "--server", &server.url]);
    flags.iter().for_each(|(flag, value)| {
        command.arg(flag).arg(value);
    });
    Ok(child::run(command, Duration::from_secs(most_s))?.output.trim_end().to_owned())
}

fn each(flags: &Flags) -> anyhow::Result<()> {
    let (rounds, seconds) = (flags.or_smoke("--rounds", 3, 1)?, flags.or_smoke("--seconds", 10, 3)?);
    ensure!((1..=20).contains(&rounds) && (3..=60).contains(&seconds), "1 to 20 rounds of 3 to 60 s");
    let _awake = Awake::keep();
    println!("\n## each agent\nload average before: {}; medians of {rounds} rounds", load_average()?);
    println!(
        "| agents | requests a second | CPU of an agent | without agents | of it the connection | handing over | sent | received | waiting: CPU | sent | received |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let loads = if flags.smoke { &LOADS[..2] } else { &LOADS[..] };
    for (rate, agents) in loads {
        let server = Subject::start(&["--null"])?;
        let given = [
            ("--agents", agents.to_string()),
            ("--rate", rate.to_string()),
            ("--seconds", seconds.to_string()),
        ];
        let mut done: Vec<Vec<f64>> = Vec::new();
        for _ in 0..rounds {
            let words = ["by-agents", "by-none"].map(|word| part(word, &server, &given, seconds + 60));
            let [by_agents, by_none] = words;
            done.push(figures(&format!("{} {}", by_agents?, by_none?))?);
        }
        let mid =
            |of: &dyn Fn(&[f64]) -> f64| median(&done.iter().map(|round| of(round)).collect::<Vec<_>>());
        println!(
            "| {agents} | {rate} | {:.0} µs/s | {:.0} µs/s | {:.0} µs/s | {:.0} µs/s | {:.0} B/s | {:.0} B/s | {:.0} µs/s | {:.0} B/s | {:.0} B/s |",
            mid(&|f| f[5] + f[6] + f[7]),
            mid(&|f| f[10] + f[11] + f[12]),
            mid(&|f| f[5]),
            mid(&|f| f[6] - f[11]),
            mid(&|f| f[9]),
            mid(&|f| f[8]),
            mid(&|f| f[0] + f[1] + f[2]),
            mid(&|f| f[4]),
            mid(&|f| f[3]),
        );
    }
    println!("load average after: {}", load_average()?);
    Ok(())
}

/// Use of an agent while it waited, while it carried out a load, and use of a process without agents.
fn figures(text: &str) -> anyhow::Result<Vec<f64>> {
    let figures = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
    let figures = figures.with_context(|| format!("{text:?}: no figures"))?;
    ensure!(figures.len() == 15, "{text:?}: {} figures", figures.len());
    Ok(figures)
}

/// Agents of this machine: what each uses while it waits, and during a load.
fn by_agents(agents: u32, load: &LoadPlan) -> anyhow::Result<String> {
    let never = AtomicBool::new(false);
    let pool = Placement::here(proofload()?, agents).gather(ANYWHERE.ip(), 0, &never, &mut |_| {})?;
    let pids = pool.pids();
    let seconds = load.extent.longest_ns() / SECOND_NS;
    let now_ns = clock::monotonic_ns() + SECOND_NS / 2;
    let waiting = Used::between(&pids, now_ns, now_ns + seconds.min(5) * SECOND_NS)?;
    let watch = Watch::default();
    let loaded = thread::scope(|scope| {
        let looking = scope.spawn(|| during(&pids, &watch, seconds));
        let launched = pool.launch(Launch::new(std::slice::from_ref(load), &watch));
        watch.stop.store(true, Ordering::Relaxed);
        let looked = looking.join().map_err(|_| anyhow::anyhow!("the one who looks panicked"))?;
        launched?;
        looked
    })?;
    Ok(format!("{} {}", waiting.text(), loaded.text()))
}

/// But for the first second and the last.
fn during(pids: &[u32], watch: &Watch, seconds: u64) -> anyhow::Result<Used> {
    loop {
        match watch.window_start_ns.load(Ordering::Relaxed) {
            0 if watch.stop.load(Ordering::Relaxed) => bail!("the load never began"),
            0 => thread::sleep(Duration::from_millis(10)),
            start_ns => return within(pids, start_ns, seconds),
        }
    }
}

fn within(pids: &[u32], start_ns: u64, seconds: u64) -> anyhow::Result<Used> {
    Used::between(pids, start_ns + SECOND_NS, start_ns + (2 * seconds - 1) * SECOND_NS / 2)
}

/// As many processes, each with the share that an agent would have.
fn by_none(processes: u32, flags: &Flags) -> anyhow::Result<String> {
    let start_ns = clock::monotonic_ns() + STARTING_NS;
    let seconds: u64 = flags.get("--seconds", 10)?;
    let mut children = Vec::new();
    for share in 0..processes {
        let mut command = std::process::Command::new(std::env::current_exe()?);
        command.args(["alone", "--share", &share.to_string(), "--at", &start_ns.to_string()]);
        for flag in ["--agents", "--rate", "--seconds", "--server"] {
            command.arg(flag).arg(flags.text(flag).with_context(|| format!("{flag} is missing"))?);
        }
        child::ends_with_us(&mut command);
        children.push(command.stdout(Stdio::null()).spawn()?);
    }
    let pids: Vec<u32> = children.iter().map(Child::id).collect();
    let used = within(&pids, start_ns, seconds);
    for child in &mut children {
        let ended = child.wait()?;
        ensure!(ended.success(), "a process ended with {ended}");
    }
    Ok(used?.text())
}

/// One of them: like an agent it has a thread that does nothing for the load.
fn alone(mut load: LoadPlan, share: u32, of: u32, start_ns: u64) -> anyhow::Result<()> {
    load.share = (share, of);
    let carried = thread::spawn(move || {
        execute_share(Launch { start_ns: Some(start_ns), ..Launch::new(&[load], &Watch::default()) })
            .map(drop)
    });
    Ok(carried.join().map_err(|_| anyhow::anyhow!("the load panicked"))??)
}

fn many(flags: &Flags) -> anyhow::Result<()> {
    let agents: u32 = flags.or_smoke("--agents", 1_000, 20)?;
    ensure!((1..=3_000).contains(&agents), "1 to 3,000 agents fit the descriptors of a process");
    let streams: usize = flags.or_smoke("--streams", 1, 2)?;
    let seconds: u64 = flags.or_smoke("--seconds", 240, 4)?;
    let recorded = flags.or_smoke("--recorded", 10, 2)?;
    let _awake = Awake::keep();
    println!("\n## many agents\nload average before: {}\n{HEAD}", load_average()?);
    let server = Subject::start(&["--null"])?;
    let given = [
        ("--agents", agents.to_string()),
        ("--streams", streams.to_string()),
        ("--seconds", seconds.to_string()),
        ("--recorded", recorded.to_string()),
    ];
    println!("{}", part("merged", &server, &given, seconds + recorded + 120)?);
    println!("load average after: {}", load_average()?);
    Ok(())
}
