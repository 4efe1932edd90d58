//! Client CPU per request, Proofload against wrk, on the null reference server.
//!
//! Runs pairs (Proofload, wrk), the order swapped in every other pair, the client on CPU 0 and the server on CPU 1, and
//! prints each pair's ratio, the median and a bootstrap 95 % interval of it. CPU is user and system time of the whole
//! client process (`wait4`), start-up and connecting included, over the requests that it says were answered.
//!
//! ```text
//! cargo build --release --workspace && target/release/against_wrk [--pairs 15] [--seconds 1] [--connections 64]
//! ```
//!
//! Needs `wrk` on the path.

use anyhow::{Context, bail, ensure};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const CLIENT_CPU: usize = 0;
const SERVER_CPU: usize = 1;

struct Terms {
    pairs: usize,
    seconds: u32,
    connections: u32,
}

fn main() -> anyhow::Result<()> {
    let terms = terms()?;
    let proofload = std::env::current_exe()?.with_file_name("proofload");
    ensure!(proofload.is_file(), "{} is not there; build it with --release first", proofload.display());
    let server = Server::start(&proofload)?;
    let mut ratios = Vec::new();
    println!("pair  order     proofload ns  wrk ns  ratio");
    for pair in 0..terms.pairs {
        let ours = || ours(&proofload, &server.url, &terms);
        let theirs = || theirs(&server.url, &terms);
        let (a, b) = if pair % 2 == 0 {
            let a = ours()?;
            (a, theirs()?)
        } else {
            let b = theirs()?;
            (ours()?, b)
        };
        let order = if pair % 2 == 0 { "ours, wrk" } else { "wrk, ours" };
        println!("{:>4}  {order}  {a:>12.0}  {b:>6.0}  {:.3}", pair + 1, a / b);
        ratios.push(a / b);
    }
    let (low, high) = bootstrap(&ratios);
    println!(
        "median ratio {:.3}, bootstrap 95 % [{low:.3}, {high:.3}], {} pairs",
        median(&ratios),
        ratios.len()
    );
    Ok(())
}

fn terms() -> anyhow::Result<Terms> {
    let mut terms = Terms { pairs: 15, seconds: 1, connections: 64 };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let value = args.next().with_context(|| format!("{flag} needs a number"))?;
        match flag.as_str() {
            "--pairs" => terms.pairs = value.parse()?,
            "--seconds" => terms.seconds = value.parse()?,
            "--connections" => terms.connections = value.parse()?,
            _ => bail!("no such flag: {flag}"),
        }
    }
    ensure!(
        (1..=200).contains(&terms.pairs) && (1..=60).contains(&terms.seconds),
        "at most 200 pairs of 60 s"
    );
    Ok(terms)
}

/// The null server on its CPU.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(proofload: &PathBuf) -> anyhow::Result<Server> {
        let mut child = Command::new("taskset")
            .args(["-c", &SERVER_CPU.to_string()])
            .arg(proofload)
            .args(["reference-server", "--port", "0", "--null"])
            .stdout(Stdio::piped())
            .spawn()
            .context("taskset could not be started")?;
        let stdout = child.stdout.take().context("no standard output")?;
        let mut server = Server { child, url: String::new() };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let url = line.trim().rsplit(' ').next().unwrap_or_default().trim_end_matches('/');
        ensure!(url.starts_with("http://"), "the server said {line:?}");
        server.url = format!("{url}/");
        Ok(server)
    }
}

impl Drop for Server {
    /// A run that fails must not leave the server behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// CPU nanoseconds per answered request.
fn ours(proofload: &PathBuf, url: &str, terms: &Terms) -> anyhow::Result<f64> {
    let mut command = pinned(proofload);
    let (connections, seconds) = (terms.connections.to_string(), format!("{}s", terms.seconds));
    command.args([url, "-c", &connections, "-d", &seconds, "--workers", "1", "--format", "json", "-q"]);
    let (output, cpu_ns) = measured(command)?;
    let result: serde_json::Value = serde_json::from_str(&output).context("proofload's output is no JSON")?;
    let answered = result["points"][0]["outcomes"]["answered"].as_u64().context("no count of answers")?;
    ensure!(answered > 1000, "only {answered} answers: {output}");
    Ok(cpu_ns / answered as f64)
}

fn theirs(url: &str, terms: &Terms) -> anyhow::Result<f64> {
    let mut command = pinned(&PathBuf::from("wrk"));
    command.args(["-t1", &format!("-c{}", terms.connections), &format!("-d{}s", terms.seconds), url]);
    let (output, cpu_ns) = measured(command)?;
    let line = output.lines().find(|line| line.contains(" requests in ")).context("wrk printed no count")?;
    let requests: f64 = line.split_whitespace().next().unwrap_or_default().parse()?;
    ensure!(requests > 1000.0 && !output.contains("Non-2xx"), "{output}");
    Ok(cpu_ns / requests)
}

fn pinned(program: &PathBuf) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &CLIENT_CPU.to_string()]).arg(program);
    command
}

/// Runs a command to its end: what it printed, and the CPU time it used.
fn measured(mut command: Command) -> anyhow::Result<(String, f64)> {
    let before = children_cpu_ns();
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("{command:?}"))?;
    let cpu_ns = children_cpu_ns() - before;
    Ok((String::from_utf8(output.stdout)?, cpu_ns))
}

/// User and system time of all children that were waited for.
fn children_cpu_ns() -> f64 {
    // SAFETY: getrusage writes the structure that it is given, and all zeros are a valid one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

/// 95 % interval of the median: 10,000 resamples of the pairs, seeded.
fn bootstrap(values: &[f64]) -> (f64, f64) {
    let mut state = 1u64;
    let mut medians: Vec<f64> = (0..10_000)
        .map(|_| {
            let resample: Vec<f64> = (0..values.len())
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    values[(state >> 33) as usize % values.len()]
                })
                .collect();
            median(&resample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    (medians[249], medians[9_749])
}
