//! Bounds of a disturbed generator against the truth: the tables of docs/truth.md.
//!
//! ```text
//! cargo build --release && cd benches
//! cargo run --release --bin bounds -- [--cause lost-cpu|checks|fills] [--server reference|tomcat] [--trials 20] [--save FILE]
//! cargo run --release --bin bounds -- --from FILE          # the table once more, of loads that were saved
//! ```
//!
//! The generator is on CPU 0, the server on CPU 1. *lost-cpu*: a thread that goes before the generator takes a share of CPU 0.
//! *checks*: the generator is busy, for it looks through the body of each answer for a text, and the dose is how much of it. *fills*: it is
//! busy, for it fills in each request, with as many bytes as are sent without. Neither costs the server anything. Each trial
//! lies between two undisturbed loads, whose mean is the truth; it holds if the truth is within the bound of the disturbed figure,
//! but for what undisturbed ones scatter by in 95 of 100, which the last column shows of these. `--url URL --pid PID` asks a server that runs already.

use anyhow::{Context, bail, ensure};
use proofload_benches::flags::Flags;
use proofload_benches::subject::{Subject, proofload};
use proofload_benches::usage::process_cpu_ns;
use proofload_benches::{CLIENT_CPU, child};
use proofload_stats::{Measure, Reach};
use proofload_store::schema::{CheckName, Slice};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shares of the generator's CPU that are taken.
const TAKEN: [f64; 5] = [0.02, 0.05, 0.10, 0.20, 0.40];
/// Bytes of each answer that are compared with a text.
const CHECKED: [f64; 5] = [0.20, 0.40, 0.60, 0.80, 1.00];
/// The generator's work for a request, as a share of the server's.
const FILLED: [f64; 5] = [0.80, 0.93, 0.99, 1.25, 3.00];
const MEASURES: [Measure; 5] = [
    Measure::Throughput,
    Measure::ResponseMean,
    Measure::ResponseQuantile(5000),
    Measure::ResponseQuantile(9900),
    Measure::CpuPerRequest,
];
/// The thread takes its share of each of these.
const PERIOD: Duration = Duration::from_millis(10);
/// For how long a server is loaded before anything is measured.
const WARM_UP_S: u32 = 25;
/// Bytes of an answer in which a text is looked for; no further is looked.
const SOUGHT_BYTES: usize = 64 * 1024;
/// Bytes of a request that may be filled in, one by one.
const FILLED_BYTES: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
enum Cause {
    LostCpu,
    Checks,
    Fills,
}

/// One load as it was recorded.
#[derive(Debug, Deserialize, Serialize)]
struct Load {
    cause: Cause,
    dose: f64,
    disturbed: bool,
    cpu_ns: f64,
    slice: Slice,
}

/// A load's value of each measure, with its bound.
type Seen = [(f64, Reach); MEASURES.len()];

struct CellKey {
    program: PathBuf,
    url: String,
    pid: u32,
    cause: Cause,
    connections: u32,
    seconds: u32,
    dir: PathBuf,
}

/// The cause that is planted in a load.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Done {
    Nothing,
    /// A share of its CPU is taken.
    Taken(f64),
    /// It handles that many bytes more of each exchange.
    Busy(usize),
}

fn main() -> anyhow::Result<()> {
    let known = ["--cause", "--server", "--url", "--pid", "--trials", "--seconds", "--connections"];
    let flags = Flags::read(&[&known[..], &["--save", "--from"]].concat())?;
    if let Some(from) = flags.text("--from") {
        let text = std::fs::read_to_string(from)?;
        return table(&text.lines().map(serde_json::from_str).collect::<Result<Vec<Load>, _>>()?);
    }
    let cause = match flags.text("--cause").unwrap_or("lost-cpu") {
        "lost-cpu" => Cause::LostCpu,
        "checks" => Cause::Checks,
        "fills" => Cause::Fills,
        other => bail!("--cause: lost-cpu, checks or fills, not {other}"),
    };
    let trials: usize = flags.or_smoke("--trials", 20, 1)?;
    ensure!((1..=200).contains(&trials), "--trials: 1 to 200");
    let kind = flags.text("--server").unwrap_or("reference");
    let server = if flags.text("--url").is_none() { Some(server(kind, cause)?) } else { None };
    let pid = server.as_ref().map_or(Ok(0), Subject::pid)?;
    let place = CellKey {
        program: proofload()?,
        url: flags.get("--url", server.as_ref().map_or(String::new(), |server| server.url.clone()))?,
        pid: flags.get("--pid", pid)?,
        cause,
        connections: flags.get("--connections", 8)?,
        seconds: flags.or_smoke("--seconds", 1, 1)?,
        dir: std::env::temp_dir().join(format!("proofload-bounds-{}", std::process::id())),
    };
    ensure!((1..=60).contains(&place.seconds), "--seconds: 1 to 60");
    if kind == "tomcat" && !flags.smoke {
        load(&place, WARM_UP_S, Done::Nothing)?;
    }
    let all = loads(&place, trials);
    let _ = std::fs::remove_dir_all(&place.dir);
    let all = all?;
    if let Some(to) = flags.text("--save") {
        let lines: Vec<String> = all.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        std::fs::write(to, lines.join("\n"))?;
    }
    table(&all)
}

fn server(kind: &str, cause: Cause) -> anyhow::Result<Subject> {
    let answers = SOUGHT_BYTES.to_string();
    match (kind, cause) {
        ("reference", Cause::LostCpu) => Subject::start(&["--service", "spin:100us"]),
        ("reference", Cause::Checks) => Subject::start(&["--service", "spin:4us", "--size", &answers]),
        ("reference", Cause::Fills) => Subject::start(&["--service", "spin:20us"]),
        ("tomcat", Cause::LostCpu | Cause::Fills) => {
            let mut server = Subject::of_catalogue("tomcat", &["heap=128m"])?;
            server.url += "echo";
            Ok(server)
        }
        ("tomcat", Cause::Checks) => bail!("--cause checks: the answers of this server are too small"),
        _ => bail!("--server: reference or tomcat, not {kind}"),
    }
}

/// The beginning of the reference server's answers, the same line over and over. A text of many lines is found where it begins,
/// after all of it has been compared.
fn lines(bytes: usize) -> String {
    let letter = |at: usize| if at % 64 == 63 { '\n' } else { char::from(b'a' + (at % 64 % 26) as u8) };
    (0..bytes).map(letter).collect()
}

/// All loads, those of a dose one after the other, undisturbed ones first, last and between.
fn loads(place: &CellKey, trials: usize) -> anyhow::Result<Vec<Load>> {
    load(place, place.seconds, Done::Nothing)?;
    let doses = match place.cause {
        Cause::LostCpu => TAKEN.iter().map(|share| (*share, Done::Taken(*share))).collect(),
        Cause::Checks => {
            let sought = |share: &f64| (*share, Done::Busy((share * SOUGHT_BYTES as f64) as usize));
            CHECKED.iter().map(sought).collect()
        }
        Cause::Fills => works(place)?,
    };
    let mut all = Vec::new();
    for (dose, done) in doses {
        let entered = |done: Done| -> anyhow::Result<Load> {
            let (slice, cpu_ns) = load(place, place.seconds, done)?;
            Ok(Load { cause: place.cause, dose, disturbed: done != Done::Nothing, cpu_ns, slice })
        };
        all.push(entered(Done::Nothing)?);
        for _ in 0..trials {
            all.push(entered(done)?);
            all.push(entered(Done::Nothing)?);
        }
        eprintln!("{:?}, {:.0} %: {done:?}", place.cause, dose * 100.0);
    }
    Ok(all)
}

/// Bytes to fill in for the work of each dose.
fn works(place: &CellKey) -> anyhow::Result<Vec<(f64, Done)>> {
    let of = |done: Done| -> anyhow::Result<(f64, f64)> {
        let (slice, _) = load(place, place.seconds, done)?;
        let per_s = slice.answered_in_window as f64 / slice.measured.seconds;
        Ok((at_work(&slice) / per_s, 1.0 / per_s))
    };
    let ((least, served), (most, _)) = (of(Done::Nothing)?, of(Done::Busy(FILLED_BYTES))?);
    let us = |seconds: f64| seconds * 1e6;
    eprintln!(
        "of {:.0} us for a request the generator works {:.0}, with all {FILLED_BYTES} bytes filled in {:.0}",
        us(served),
        us(least),
        us(most)
    );
    let dose = |share: &f64| {
        let part = (share * served - least) / (most - least);
        ensure!(part > 0.0 && part <= 1.0, "nothing makes the generator {:.0} % busy", share * 100.0);
        Ok((*share, Done::Busy(((part * FILLED_BYTES as f64) as usize).max(1))))
    };
    FILLED.iter().map(dose).collect()
}

fn at_work(slice: &Slice) -> f64 {
    let check = slice.measured.generator.checks.iter().find(|check| check.check == CheckName::AtWork);
    check.and_then(|check| check.found).unwrap_or(f64::NAN)
}

fn table(all: &[Load]) -> anyhow::Result<()> {
    println!(
        "| dose | at work | measure | undisturbed over disturbed (5 to 95 %) | bound | held | undisturbed held |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for of_dose in all.chunk_by(|a, b| a.dose == b.dose) {
        let seen = |disturbed: bool| {
            let some = of_dose.iter().filter(move |load| load.disturbed == disturbed);
            some.map(seen).collect::<anyhow::Result<Vec<Seen>>>()
        };
        let (clean, disturbed) = (seen(false)?, seen(true)?);
        let slices = || of_dose.iter().filter(|load| load.disturbed).map(|load| &load.slice);
        let busy = median(&slices().map(at_work).collect::<Vec<_>>());
        for (at, measure) in MEASURES.iter().enumerate() {
            let (dose, busy) = (of_dose[0].dose * 100.0, busy * 100.0);
            println!("| {dose:.0} % | {busy:.0} % | {} | {}", measure.name(), row(at, &clean, &disturbed));
        }
    }
    Ok(())
}

fn row(at: usize, clean: &[Seen], disturbed: &[Seen]) -> String {
    let value = |seen: &Seen| seen[at].0.ln();
    let steps: Vec<f64> = clean.windows(2).map(|pair| (value(&pair[1]) - value(&pair[0])).abs()).collect();
    // The median of the size of what is normal is 0.674 of its deviation. A step is of two loads, what is off of one and the mean
    // of two.
    let scatter = 1.96 * median(&steps) / 0.674 * (1.5_f64 / 2.0).sqrt();
    let truths = clean.windows(2).map(|pair| (value(&pair[0]) + value(&pair[1])) / 2.0);
    let off: Vec<f64> = truths.zip(disturbed).map(|(truth, seen)| truth - value(seen)).collect();
    let reaches: Vec<Reach> = disturbed.iter().map(|seen| seen[at].1).collect();
    let holds =
        |(off, reach): &(&f64, &Reach)| **off >= -reach.below - scatter && **off <= reach.above + scatter;
    let held = off.iter().zip(&reaches).filter(holds).count();
    let alone = |of: &[Seen]| (value(&of[0]) + value(&of[2])) / 2.0 - value(&of[1]);
    let beside = clean.windows(3).filter(|of| alone(of).abs() <= scatter).count();
    let side = |of: fn(&Reach) -> f64, sign: f64| {
        let middle = sign * median(&reaches.iter().map(of).collect::<Vec<_>>());
        match middle.is_finite() {
            true => {
                format!("{:+.1} %", middle.exp_m1() * 100.0).replace("-0.0", "0.0").replace("+0.0", "0.0")
            }
            false => "any".to_owned(),
        }
    };
    format!(
        "×{:.3} ({:.3} to {:.3}) | {} to {} | {held} of {} | {beside} of {} |",
        median(&off).exp(),
        quantile(&off, 0.05).exp(),
        quantile(&off, 0.95).exp(),
        side(|reach| reach.below, -1.0),
        side(|reach| reach.above, 1.0),
        off.len(),
        clean.len().saturating_sub(2),
    )
}

fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

fn quantile(values: &[f64], at: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() as f64 * at) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// One load, while that is done to the generator: its slice, and the CPU time that the server used.
fn load(place: &CellKey, seconds: u32, done: Done) -> anyhow::Result<(Slice, f64)> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let taking = scope.spawn(|| if let Done::Taken(share) = done { take(share, &stop) } else { Ok(()) });
        let measured = measured(place, seconds, done);
        stop.store(true, Ordering::Relaxed);
        taking.join().map_err(|_| anyhow::anyhow!("the thread panicked"))??;
        measured
    })
}

/// Takes a share of the generator's CPU until it is stopped, at a higher priority than other threads.
fn take(share: f64, stop: &AtomicBool) -> anyhow::Result<()> {
    // SAFETY: both calls read a set of CPUs, or two numbers, of this thread alone.
    let done = unsafe {
        let mut cpus: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(CLIENT_CPU, &mut cpus);
        let placed = libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cpus);
        placed | libc::setpriority(libc::PRIO_PROCESS, libc::gettid() as libc::id_t, -20)
    };
    ensure!(done == 0, "it may not go before others: this takes CAP_SYS_NICE");
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        while begun.elapsed() < PERIOD.mul_f64(share) {
            std::hint::spin_loop();
        }
        std::thread::sleep(PERIOD.mul_f64(1.0 - share));
    }
    Ok(())
}

fn measured(place: &CellKey, seconds: u32, done: Done) -> anyhow::Result<(Slice, f64)> {
    let _ = std::fs::remove_dir_all(&place.dir);
    std::fs::create_dir_all(&place.dir)?;
    let mut command = child::on_cpu(CLIENT_CPU, &place.program);
    let (connections, length) = (place.connections.to_string(), format!("{seconds}s"));
    command.arg(&place.url).args([
        "-c",
        &connections,
        "-d",
        &length,
        "--warm-up",
        "100ms",
        "--no-ceiling",
        "-q",
    ]);
    let bytes = if let Done::Busy(bytes) = done { bytes } else { 0 };
    if place.cause == Cause::Checks && bytes > 0 {
        command.arg("--expect-text").arg(lines(bytes));
    }
    if place.cause == Cause::Fills {
        let body = place.dir.join("body");
        std::fs::write(&body, "${n}".repeat(bytes) + &"7".repeat(FILLED_BYTES - bytes))?;
        command.args(["-X", "POST", "--body", &format!("@{}", body.display())]);
        command.args(if bytes > 0 { &["--feeder", "n=random:1..9"][..] } else { &[] });
    }
    command.arg("--dir").arg(&place.dir);
    let before_ns = process_cpu_ns(place.pid)?;
    child::run_to(command, Duration::from_secs(300 + u64::from(seconds)), &[0, 12])?;
    let used_ns = (process_cpu_ns(place.pid)? - before_ns) as f64;
    Ok((slice(&place.dir)?, used_ns))
}

fn seen(load: &Load) -> anyhow::Result<Seen> {
    let mut all: Seen = [(f64::NAN, Reach::ANY); MEASURES.len()];
    for cell in &proofload_analysis::observations_of(&load.slice, &MEASURES)?.cells {
        let at = MEASURES.iter().position(|measure| *measure == cell.measure).context("a measure")?;
        let value = match cell.measure {
            Measure::CpuPerRequest => load.cpu_ns / cell.finished as f64,
            _ => cell.merged.with_context(|| format!("{} has no value", cell.measure.name()))?,
        };
        all[at] = (value, cell.reach());
    }
    Ok(all)
}

/// The only slice of the only run there.
fn slice(dir: &Path) -> anyhow::Result<Slice> {
    let run = std::fs::read_dir(dir.join("runs/url"))?.next().context("no run")??.path();
    let text = std::fs::read_to_string(run.join("blocks/0001.jsonl"))?;
    Ok(serde_json::from_str(text.lines().next().context("no slice")?)?)
}
