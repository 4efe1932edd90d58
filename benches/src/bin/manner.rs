//! What the answer of a saturated closed loop owes to the manner of asking: the same two servers, in turn, asked by a bare loop
//! and by Proofload, while CPUs may sleep and while they are kept awake. Beside the rates it counts what the machine
//! did meanwhile: answers that came at once, context switches, wake-ups across CPUs, idle and softirq time of both CPUs.
//!
//! ```text
//! manner --seconds 3 --rounds 4 --warm 40 --subject tomcat --a connector=nio --b connector=nio2 --path echo
//! ```

use anyhow::Context;
use proofload_benches::flags::Flags;
use proofload_benches::pairs::{Ratio, median};
use proofload_benches::subject::Subject;
use proofload_benches::{CLIENT_CPU, SUBJECT_CPU, child, clients};
use proofload_host::Awake;
use std::fs;
use std::time::{Duration, Instant};

const CONNECTIONS: &str = "64";

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    /// A loop over epoll that takes so many events at once.
    Bare { events: u32 },
    /// Proofload by this driver; it keeps CPUs awake by itself.
    Proofload { driver: &'static str },
}

/// A row of the table.
struct Row {
    asker: Asker,
    awake: bool,
    /// What was seen of each server, run by run.
    seen: [Vec<Seen>; 2],
}

/// What one run came to, for each answer where it is no rate and no share.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    per_s: f64,
    /// Answers that one wait returned; 0 where it was not counted.
    at_once: f64,
    switches: f64,
    wakes: f64,
    idle: [f64; 2],
    softirq: [f64; 2],
}

/// Counters of the kernel.
#[derive(Clone, Debug, Default)]
struct Counters {
    at: Option<Instant>,
    switches: f64,
    /// Interrupts that tell another CPU to look for work.
    wakes: f64,
    /// Idle and softirq time of the servers' and the clients' CPU, in hundredths of a second.
    idle: [f64; 2],
    softirq: [f64; 2],
}

fn main() -> anyhow::Result<()> {
    let known = ["--seconds", "--rounds", "--warm", "--subject", "--a", "--b", "--path"];
    let flags = Flags::read(&known)?;
    let seconds: u64 = flags.or_smoke("--seconds", 3, 1)?;
    let rounds: usize = flags.or_smoke("--rounds", 4, 1)?;
    let warm: u64 = flags.or_smoke("--warm", 40, 0)?;
    let start = |which: &str| match flags.text("--subject") {
        Some(subject) => Subject::of_catalogue(subject, &flags.text(which).into_iter().collect::<Vec<_>>()),
        None => Subject::start(&["--null"]),
    };
    let servers = [start("--a")?, start("--b")?];
    let path = flags.text("--path").unwrap_or_default();
    let urls = [0, 1].map(|at: usize| format!("{}{path}", servers[at].url));
    let bare = |events, awake| Row { asker: Asker::Bare { events }, awake, seen: Default::default() };
    let own = |driver| Row { asker: Asker::Proofload { driver }, awake: true, seen: Default::default() };
    let mut rows =
        vec![bare(256, false), bare(256, true), bare(1, false), bare(1, true), own("epoll"), own("io_uring")];
    let until = Instant::now() + Duration::from_secs(warm);
    while Instant::now() < until {
        for url in &urls {
            ask(Asker::Bare { events: 64 }, url, 1)?;
        }
    }
    for round in 0..rounds {
        for row in &mut rows {
            let _awake = row.awake.then(Awake::keep);
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for at in order {
                row.seen[at].push(ask(row.asker, &urls[at], seconds)?);
            }
        }
    }
    println!(
        "who asks | CPUs | a per s | b per s | b / a | answers at once | switches | wake-ups | idle | softirq"
    );
    rows.iter().for_each(tell);
    servers.into_iter().try_for_each(Subject::stop)
}

fn tell(row: &Row) {
    let ratios: Vec<f64> = row.seen[0].iter().zip(&row.seen[1]).map(|(a, b)| b.per_s / a.per_s).collect();
    let of =
        |at: usize, value: &dyn Fn(&Seen) -> f64| median(&row.seen[at].iter().map(value).collect::<Vec<_>>());
    let both = |value: &dyn Fn(&Seen) -> f64, digits: usize| {
        format!("{:.digits$} / {:.digits$}", of(0, value), of(1, value))
    };
    let cpus = |value: &dyn Fn(&Seen, usize) -> f64| {
        let on = |cpu: usize| both(&|seen: &Seen| 100.0 * value(seen, cpu), 0);
        format!("server {} %, asker {} %", on(0), on(1))
    };
    let name = match row.asker {
        Asker::Bare { events } => format!("bare loop, {events} events at once"),
        Asker::Proofload { driver } => format!("Proofload, {driver}"),
    };
    println!(
        "{name} | {} | {:.0} | {:.0} | {} | {} | {} | {} | {} | {}",
        if row.awake { "awake" } else { "may sleep" },
        of(0, &|seen| seen.per_s),
        of(1, &|seen| seen.per_s),
        Ratio::of(&ratios),
        both(&|seen| seen.at_once, 1),
        both(&|seen| seen.switches, 2),
        both(&|seen| seen.wakes, 2),
        cpus(&|seen, cpu| seen.idle[cpu]),
        cpus(&|seen, cpu| seen.softirq[cpu]),
    );
}

/// Loads a server for so long, and looks at what the machine did meanwhile.
fn ask(asker: Asker, url: &str, seconds: u64) -> anyhow::Result<Seen> {
    let before = Counters::look()?;
    let (answered, at_once) = match asker {
        Asker::Bare { events } => bare_loop(url, events, seconds)?,
        Asker::Proofload { driver } => {
            let flags = ["-c", CONNECTIONS, "--driver", driver, "--no-ceiling"];
            (clients::measure(url, seconds, &flags)?.answered, 0.0)
        }
    };
    let after = Counters::look()?;
    let length_s = before.at.zip(after.at).map_or(0.0, |(from, to)| (to - from).as_secs_f64());
    let share =
        |before: [f64; 2], after: [f64; 2]| [0, 1].map(|cpu| (after[cpu] - before[cpu]) / 100.0 / length_s);
    Ok(Seen {
        per_s: answered / seconds as f64,
        at_once,
        switches: (after.switches - before.switches) / answered,
        wakes: (after.wakes - before.wakes) / answered,
        idle: share(before.idle, after.idle),
        softirq: share(before.softirq, after.softirq),
    })
}

/// How many requests were answered, and how many at once.
fn bare_loop(url: &str, events: u32, seconds: u64) -> anyhow::Result<(f64, f64)> {
    let program = std::env::current_exe()?.with_file_name("bare_loop");
    let mut command = child::on_cpu(CLIENT_CPU, &program);
    let (events, length) = (events.to_string(), seconds.to_string());
    command.args(["--url", url, "--connections", CONNECTIONS, "--seconds", &length, "--events", &events]);
    let ended = child::run(command, Duration::from_secs(seconds + 30))?;
    let numbers: Vec<f64> = ended.output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [answered, _bytes, waits] = numbers[..] else { anyhow::bail!("bare_loop said {:?}", ended.output) };
    Ok((answered, answered / waits.max(1.0)))
}

impl Counters {
    fn look() -> anyhow::Result<Counters> {
        let stat = fs::read_to_string("/proc/stat").context("/proc/stat")?;
        let fields = |name: &str| -> Vec<f64> {
            let line = stat.lines().find(|line| line.split_whitespace().next() == Some(name));
            line.map_or_else(Vec::new, |line| {
                line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect()
            })
        };
        let of_cpu = |field: usize| {
            [SUBJECT_CPU, CLIENT_CPU]
                .map(|cpu| fields(&format!("cpu{cpu}")).get(field).copied().unwrap_or(0.0))
        };
        let interrupts = fs::read_to_string("/proc/interrupts").context("/proc/interrupts")?;
        let wakes = interrupts.lines().find(|line| line.trim_start().starts_with("RES:"));
        let wakes = wakes
            .map_or(0.0, |line| line.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).sum());
        Ok(Counters {
            at: Some(Instant::now()),
            switches: fields("ctxt").first().copied().unwrap_or(0.0),
            wakes,
            idle: of_cpu(3),
            softirq: of_cpu(6),
        })
    }
}
