//! Cost of one exchange to the generator, in figures that a noisy machine does not move: instructions (callgrind),
//! system calls (strace), and memory with many connections. Above its bound, a figure fails the build.
//!
//! The subject is the null reference server, and one that answers as a usual web server. Costs are differences of two
//! loads that differ in their count only, so that starting and ending, which are large, cancel out.

use crate::tools::{cargo, target_folder};
use anyhow::{Context, bail, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// Exchanges of the two loads that are compared.
const FEW: u64 = 5_000;
const MANY: u64 = 25_000;
/// Connections of these loads.
const CONNECTIONS: &str = "64";
/// Connections of the load whose memory is looked at.
const MOST_CONNECTIONS: u64 = 10_000;
/// Number of connections that takes next to no memory.
const FEW_CONNECTIONS: u64 = 10;

/// A figure, and what it may come to at most.
struct Figure {
    what: &'static str,
    found: f64,
    bound: f64,
}

/// The executable as it is released.
pub const RELEASE: [&str; 6] = ["build", "--release", "--locked", "--quiet", "-p", "proofload-cli"];

/// The task: builds the executable as it is released, measures, prints, and fails above the bounds.
pub fn run(root: &Path) -> anyhow::Result<()> {
    cargo(root, &RELEASE, &[])?;
    check(&target_folder(root).join("release/proofload"), |gate| gate.measure_release())
}

/// The same of the executable that the tests use, which is there already: less optimised, so with bounds of its own.
pub fn run_debug(root: &Path) -> anyhow::Result<()> {
    check(&target_folder(root).join("debug/proofload"), |gate| gate.measure_debug())
}

fn check(proofload: &Path, measure: impl Fn(&Gate<'_>) -> anyhow::Result<Vec<Figure>>) -> anyhow::Result<()> {
    let place = crate::tools::scratch("gates")?;
    let server = Server::start(proofload)?;
    let usual = answer_as_usual()?;
    let figures = measure(&Gate { proofload, place: &place, null: &server.url, usual: &usual });
    fs::remove_dir_all(&place).with_context(|| format!("{}", place.display()))?;
    let figures = figures?;
    println!("{:>10}  {:>10}", "found", "at most");
    for figure in &figures {
        println!("{:>10.3}  {:>10.3}  {}", figure.found, figure.bound, figure.what);
    }
    judge(&figures)
}

fn judge(figures: &[Figure]) -> anyhow::Result<()> {
    let over: Vec<String> = figures
        .iter()
        // A figure that is not a number is over its bound too.
        .filter(|figure| !matches!(figure.found.partial_cmp(&figure.bound), Some(order) if order.is_le()))
        .map(|figure| format!("{}: {:.3}, at most {:.3}", figure.what, figure.found, figure.bound))
        .collect();
    ensure!(over.is_empty(), "over the bound:\n{}", over.join("\n"));
    Ok(())
}

/// Exporters that are idle: a page without scrapers, and an address without a collector. The cost of scrapes and pushes
/// is not measured here.
const EXPORTING: &[&str] = &["--prometheus", "0", "--otlp", "http://127.0.0.1:1"];

const MIB: f64 = 1024.0 * 1024.0;
/// MiB that the executable may take without connections.
const RELEASE_MIB: f64 = 16.0;
/// Memory that a connection may take.
const CONNECTION_BYTES: f64 = 1024.0;

/// Of the engine at the optimisation of test builds; a tenth above what is found.
const DEBUG_INSTRUCTIONS: f64 = 17_000.0;

/// Cost of one exchange, from two loads that differ in their count.
fn mean(few: u64, many: u64) -> f64 {
    many.saturating_sub(few) as f64 / (MANY - FEW) as f64
}

struct Gate<'a> {
    proofload: &'a Path,
    place: &'a Path,
    /// Addresses of the servers.
    null: &'a str,
    usual: &'a str,
}

impl Gate<'_> {
    fn measure_release(&self) -> anyhow::Result<Vec<Figure>> {
        let closing: &[&str] = &["--keep-alive", "off"];
        Ok(vec![
            Figure {
                what: "user instructions of an exchange, connections kept",
                found: self.instructions(self.null, &[])?,
                bound: 1_650.0,
            },
            Figure {
                what: "user instructions of an exchange, connections kept, seven header lines",
                found: self.instructions(self.usual, &[])?,
                bound: 2_000.0,
            },
            Figure {
                what: "user instructions of an exchange, connections kept, exporters idle",
                found: self.instructions(self.null, EXPORTING)?,
                bound: 1_700.0,
            },
            self.calls_of_an_exchange()?,
            Figure {
                what: "system calls of an exchange, each on its own connection",
                found: mean(self.system_calls(FEW, closing)?, self.system_calls(MANY, closing)?),
                bound: 9.0,
            },
            self.memory()?,
            self.memory_of_connections()?,
        ])
    }

    fn measure_debug(&self) -> anyhow::Result<Vec<Figure>> {
        Ok(vec![
            Figure {
                what: "user instructions of an exchange, connections kept, not optimised",
                found: self.instructions(self.null, &[])?,
                bound: DEBUG_INSTRUCTIONS,
            },
            self.calls_of_an_exchange()?,
            self.memory_of_connections()?,
        ])
    }

    fn calls_of_an_exchange(&self) -> anyhow::Result<Figure> {
        Ok(Figure {
            what: "system calls of an exchange, connections kept",
            found: mean(self.system_calls(FEW, &[])?, self.system_calls(MANY, &[])?),
            bound: 2.1,
        })
    }

    /// Memory of connections, beyond that of the executable without them.
    fn memory_of_connections(&self) -> anyhow::Result<Figure> {
        let peaks = [MOST_CONNECTIONS, FEW_CONNECTIONS].map(|connections| self.peak_rss_bytes(connections));
        let [most, few] = peaks;
        Ok(Figure {
            what: "peak resident MiB that 10,000 connections add",
            found: (most? as f64 - few? as f64) / MIB,
            bound: MOST_CONNECTIONS as f64 * CONNECTION_BYTES / MIB,
        })
    }

    fn memory(&self) -> anyhow::Result<Figure> {
        Ok(Figure {
            what: "peak resident MiB with 10 connections",
            found: self.peak_rss_bytes(FEW_CONNECTIONS)? as f64 / MIB,
            bound: RELEASE_MIB,
        })
    }

    /// Instructions in user space that an exchange takes.
    fn instructions(&self, url: &str, flags: &[&str]) -> anyhow::Result<f64> {
        Ok(mean(self.instructions_of(url, FEW, flags)?, self.instructions_of(url, MANY, flags)?))
    }

    fn instructions_of(&self, url: &str, count: u64, flags: &[&str]) -> anyhow::Result<u64> {
        let out = format!("--callgrind-out-file={}", self.place.join("callgrind").display());
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", &out]).arg(self.proofload);
        let output = Self::load(command, url, count, flags)?;
        let said = String::from_utf8_lossy(&output.stderr);
        instructions(&said)
            .with_context(|| format!("not checked, because callgrind printed no count:\n{said}"))
    }

    /// System calls of all threads of a load of `count` exchanges.
    fn system_calls(&self, count: u64, flags: &[&str]) -> anyhow::Result<u64> {
        let table = self.place.join("strace");
        let mut command = Command::new("strace");
        command.args(["-c", "-f", "-o"]).arg(&table).arg(self.proofload);
        Self::load(command, self.null, count, flags)?;
        let table = fs::read_to_string(&table).context("not checked, because strace left no table")?;
        system_calls(&table).with_context(|| format!("not checked, because strace counted nothing:\n{table}"))
    }

    fn peak_rss_bytes(&self, connections: u64) -> anyhow::Result<u64> {
        let mut command = Command::new(self.proofload);
        command.args([self.null, "-c", &connections.to_string(), "-d", "2s"]);
        let result = answered(command)?;
        let open = result["points"][0]["outcomes"]["answered"].as_u64().unwrap_or(0);
        ensure!(open >= connections, "not checked, because only {open} answers came");
        let peak = &result["points"][0]["generator"]["peak_rss_bytes"];
        peak.as_u64().filter(|bytes| *bytes > 0).context("not checked, because the peak is not known")
    }

    /// Runs a load under a tool; all must have been answered.
    fn load(mut command: Command, url: &str, count: u64, flags: &[&str]) -> anyhow::Result<Output> {
        let text = count.to_string();
        command.args([url, "-c", CONNECTIONS, "-n", &text]).args(flags);
        let output = finished(command)?;
        let result: serde_json::Value =
            serde_json::from_slice(&output.stdout).context("its output is no JSON")?;
        let came = &result["points"][0]["outcomes"]["answered"];
        ensure!(came.as_u64() == Some(count), "not checked, because {came} of {count} were answered");
        Ok(output)
    }
}

fn answered(command: Command) -> anyhow::Result<serde_json::Value> {
    serde_json::from_slice(&finished(command)?.stdout).context("its output is no JSON")
}

/// Lets a client run to its end. The exit code for a generator that was not fit is not a failure here: tools slow it
/// down.
fn finished(mut command: Command) -> anyhow::Result<Output> {
    command.args(["--workers", "1", "--format", "json", "-q", "--no-record"]);
    let program = command.get_program().to_string_lossy().into_owned();
    let output =
        command.output().with_context(|| format!("not checked, because {program} could not be started"))?;
    if !matches!(output.status.code(), Some(0 | UNFIT)) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("not checked, because {program} ended with {}:\n{said}", output.status);
    }
    Ok(output)
}

/// Exit code of a load whose generator was not fit.
const UNFIT: i32 = 12;

/// The total that callgrind prints at its end.
fn instructions(stderr: &str) -> Option<u64> {
    let line = stderr.lines().rev().find_map(|line| line.split_once("Collected : "))?;
    line.1.split_whitespace().next()?.parse().ok()
}

/// The calls in the last line of strace's table: share, seconds, microseconds per call, calls, perhaps errors. Without those
/// that come with time, which strace stretches: a worker asks a thousand times a second how long it had no CPU.
fn system_calls(table: &str) -> Option<u64> {
    let calls = |name| {
        let line = table.lines().rev().find(|line| line.split_whitespace().next_back() == Some(name))?;
        line.split_whitespace().nth(3)?.parse::<u64>().ok()
    };
    Some(calls("total")? - calls("pread64").unwrap_or(0))
}

/// An answer with the seven header lines of a usual web server.
const USUAL: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.24.0\r\nDate: Sat, 28 Nov 2026 04:16:32 GMT\r\n\
    Content-Type: text/html; charset=utf-8\r\nContent-Length: 13\r\nConnection: keep-alive\r\n\
    Cache-Control: no-cache\r\nETag: \"5f3e-1a2b\"\r\n\r\nHello, World!";

/// Serves that until the process ends; the address.
fn answer_as_usual() -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(|| answer_each(stream));
        }
    });
    Ok(url)
}

/// Answers everything that comes in one piece, as the requests of the loads here do.
fn answer_each(mut stream: TcpStream) {
    let mut request = [0; 4096];
    while matches!(stream.read(&mut request), Ok(1..)) && stream.write_all(USUAL).is_ok() {}
}

/// The null server, until it is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(proofload: &Path) -> anyhow::Result<Server> {
        let mut child = Command::new(proofload)
            .args(["reference-server", "--port", "0", "--null"])
            .stdout(Stdio::piped())
            .spawn()
            .context("the reference server could not be started")?;
        let stdout = child.stdout.take();
        let mut server = Server { child, url: String::new() };
        let mut line = String::new();
        BufReader::new(stdout.context("no standard output")?).read_line(&mut line)?;
        let url = line.split_whitespace().next_back().unwrap_or_default();
        ensure!(url.starts_with("http://"), "the reference server said {line:?}");
        server.url = url.to_owned();
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrinds_total_is_found_and_a_crash_is_none() {
        let said = "==7== Callgrind\n==7== \n==7== Events    : Ir\n==7== Collected : 186185687\n==7== \n\
                    ==7== I   refs:      186,185,687\n";
        assert_eq!(instructions(said), Some(186_185_687));
        assert_eq!(
            instructions("==7== Process terminating with default action of signal 11 (SIGSEGV)\n"),
            None
        );
    }

    #[test]
    fn straces_total_is_found_with_errors_and_without() {
        let head = "% time     seconds  usecs/call     calls    errors syscall\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    99.00    0.534716           8     60000           sendto\n\
                     1.00    0.004716           8      2432           pread64\n";
        let with = format!("{head}100.00    2.657406          21    122432        31 total\n");
        let without = format!("{head}100.00    2.657406          21    122432           total\n");
        assert_eq!(system_calls(&with), Some(120_000));
        assert_eq!(system_calls(&without), Some(120_000));
        assert_eq!(system_calls(head), None);
        assert_eq!(system_calls("strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted\n"), None);
    }

    #[test]
    fn a_figure_over_its_bound_fails_and_so_does_one_that_is_no_number() {
        let figure = |found| Figure { what: "calls", found, bound: 2.1 };
        assert!(judge(&[figure(2.1)]).is_ok());
        for bad in [2.11, f64::NAN] {
            let error = judge(&[figure(1.0), figure(bad)]).unwrap_err().to_string();
            assert!(error.contains("calls: "), "{error}");
        }
    }
}
