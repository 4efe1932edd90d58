//! Bounds of a disturbed generator against the truth: the table of docs/benchmarks.md.
//!
//! ```text
//! cargo build --release && cd benches
//! cargo run --release --bin bounds -- [--url http://127.0.0.1:8080/ --pid PID] [--trials 20] [--seconds 2] [--smoke]
//! ```
//!
//! The generator is on CPU 0, the server on CPU 1. A thread that goes before the generator takes a share of CPU 0, in five
//! doses. Each trial lies between two undisturbed loads, whose mean is the truth; it holds if the truth is within the bound of the
//! disturbed figure, but for twice the scatter of undisturbed ones.

use anyhow::{Context, ensure};
use proofload_benches::flags::Flags;
use proofload_benches::{CLIENT_CPU, SUBJECT_CPU, child};
use proofload_stats::{Measure, Reach};
use proofload_store::schema::Slice;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shares of the generator's CPU that are taken.
const DOSES: [f64; 5] = [0.02, 0.05, 0.10, 0.20, 0.40];
const MEASURES: [Measure; 5] = [
    Measure::Throughput,
    Measure::ResponseMean,
    Measure::ResponseQuantile(5000),
    Measure::ResponseQuantile(9900),
    Measure::CpuPerRequest,
];
/// The thread takes its share of each of these.
const PERIOD: Duration = Duration::from_millis(10);
const PORT: &str = "18291";

/// A load's value of each measure, with its bound; `None` where nothing bounds it.
type Seen = [(f64, Option<Reach>); MEASURES.len()];

struct Place {
    program: PathBuf,
    url: String,
    pid: u32,
    connections: u32,
    seconds: u32,
    dir: PathBuf,
}

/// A server that ends with this program.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::read(&["--url", "--pid", "--trials", "--seconds", "--connections"])?;
    let trials: usize = flags.or_smoke("--trials", 20, 1)?;
    ensure!((1..=200).contains(&trials), "--trials: 1 to 200");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/proofload");
    let server = if flags.text("--url").is_none() { Some(reference(&program)?) } else { None };
    let pid = server.as_ref().map_or(0, |server| server.0.id());
    let dir = std::env::temp_dir().join(format!("proofload-bounds-{}", std::process::id()));
    let place = Place {
        program,
        url: flags.get("--url", format!("http://127.0.0.1:{PORT}/"))?,
        pid: flags.get("--pid", pid)?,
        connections: flags.get("--connections", 8)?,
        seconds: flags.or_smoke("--seconds", 2, 1)?,
        dir,
    };
    ensure!((1..=60).contains(&place.seconds), "--seconds: 1 to 60");
    let done = doses(&place, trials);
    let _ = std::fs::remove_dir_all(&place.dir);
    done
}

fn reference(program: &Path) -> anyhow::Result<Server> {
    let mut command = child::on_cpu(SUBJECT_CPU, program);
    command.args(["reference-server", "--port", PORT, "--service", "spin:100us"]).stdout(Stdio::null());
    child::ends_with_us(&mut command);
    let server = Server(command.spawn().context("the reference server could not be started")?);
    std::thread::sleep(Duration::from_millis(500));
    Ok(server)
}

fn doses(place: &Place, trials: usize) -> anyhow::Result<()> {
    println!("| taken | measure | undisturbed over disturbed | bound | held | not bounded |");
    println!("| --- | --- | --- | --- | --- | --- |");
    load(place, 0.0)?;
    for dose in DOSES {
        let mut clean = vec![load(place, 0.0)?];
        let mut disturbed = Vec::new();
        for _ in 0..trials {
            disturbed.push(load(place, dose)?);
            clean.push(load(place, 0.0)?);
        }
        for (at, measure) in MEASURES.iter().enumerate() {
            row(dose, *measure, at, &clean, &disturbed);
        }
    }
    Ok(())
}

fn row(dose: f64, measure: Measure, at: usize, clean: &[Seen], disturbed: &[Seen]) {
    let value = |seen: &Seen| seen[at].0.ln();
    let steps: Vec<f64> = clean.windows(2).map(|pair| (value(&pair[1]) - value(&pair[0])).abs()).collect();
    // Of two neighbours the difference scatters by √2; the median of its size is 0.67 of its deviation.
    let scatter = 2.0 * median(&steps) / 0.674 / std::f64::consts::SQRT_2;
    let truths = clean.windows(2).map(|pair| (value(&pair[0]) + value(&pair[1])) / 2.0);
    let off: Vec<f64> = truths.zip(disturbed).map(|(truth, seen)| truth - value(seen)).collect();
    let bounded: Vec<(f64, Reach)> =
        off.iter().zip(disturbed).filter_map(|(off, seen)| Some((*off, seen[at].1?))).collect();
    let holds =
        |(off, reach): &&(f64, Reach)| *off >= -reach.below - scatter && *off <= reach.above + scatter;
    let held = bounded.iter().filter(holds).count();
    let middle =
        |of: fn(&Reach) -> f64| median(&bounded.iter().map(|(_, reach)| of(reach)).collect::<Vec<_>>());
    println!(
        "| {:.0} % | {} | ×{:.3} (to ×{:.3}) | −{:.1} % to +{:.1} % | {held} of {} | {} |",
        dose * 100.0,
        measure.name(),
        median(&off).exp(),
        off.iter().fold(0.0_f64, |most, off| if off.abs() > most.abs() { *off } else { most }).exp(),
        (1.0 - (-middle(|reach| reach.below)).exp()) * 100.0,
        middle(|reach| reach.above).exp_m1() * 100.0,
        bounded.len(),
        disturbed.len() - bounded.len(),
    );
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One load beside a thread that takes that share of the generator's CPU.
fn load(place: &Place, dose: f64) -> anyhow::Result<Seen> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let taking = scope.spawn(|| if dose > 0.0 { take(dose, &stop) } else { Ok(()) });
        let seen = measured(place);
        stop.store(true, Ordering::Relaxed);
        taking.join().map_err(|_| anyhow::anyhow!("the thread panicked"))??;
        seen
    })
}

/// Takes a share of the generator's CPU until it is stopped, before whoever else wants it.
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

fn measured(place: &Place) -> anyhow::Result<Seen> {
    let _ = std::fs::remove_dir_all(&place.dir);
    let mut command: Command = child::on_cpu(CLIENT_CPU, &place.program);
    command.arg(&place.url).args([
        "-c",
        &place.connections.to_string(),
        "-d",
        &format!("{}s", place.seconds),
    ]);
    command.args(["--no-ceiling", "-q", "--dir"]).arg(&place.dir);
    let before_ns = cpu_ns(place.pid)?;
    child::run_to(command, Duration::from_secs(60), &[0, 12])?;
    let used_ns = cpu_ns(place.pid)? - before_ns;
    let slice = slice(&place.dir)?;
    let seen = proofload_analysis::observations_of(&slice, &MEASURES)?;
    let mut all: Seen = [(f64::NAN, None); MEASURES.len()];
    for cell in &seen.cells {
        let at = MEASURES.iter().position(|measure| *measure == cell.measure).context("a measure")?;
        let value = match cell.measure {
            Measure::CpuPerRequest => used_ns / cell.finished as f64,
            _ => cell.merged.with_context(|| format!("{} has no value", cell.measure.name()))?,
        };
        let reach = cell.reach();
        all[at] = (value, (reach == reach.bounded()).then_some(reach));
    }
    Ok(all)
}

/// The only slice of the only run there.
fn slice(dir: &Path) -> anyhow::Result<Slice> {
    let run = std::fs::read_dir(dir.join("runs/url"))?.next().context("no run")??.path();
    let text = std::fs::read_to_string(run.join("blocks/0001.jsonl"))?;
    Ok(serde_json::from_str(text.lines().next().context("no slice")?)?)
}

/// CPU time of a process, all its threads.
fn cpu_ns(pid: u32) -> anyhow::Result<f64> {
    // SAFETY: both calls write to the places that they are given, which outlive them.
    let (known, time) = unsafe {
        let mut clock: libc::clockid_t = 0;
        let mut time: libc::timespec = std::mem::zeroed();
        let known = libc::clock_getcpuclockid(pid as libc::pid_t, &raw mut clock);
        (known | libc::clock_gettime(clock, &raw mut time), time)
    };
    ensure!(known == 0, "--pid {pid}: no such process");
    Ok(time.tv_sec as f64 * 1e9 + time.tv_nsec as f64)
}
