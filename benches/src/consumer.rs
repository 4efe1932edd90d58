//! Rounds of calls, by a Java client that stays warm between them and by Proofload.

use crate::clients::{PROOFLOAD_ENDS, json};
use crate::{CLIENT_CPU, child, subject};
use anyhow::{Context, bail, ensure};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may take to start.
const START: Duration = Duration::from_secs(60);
/// What is added to what a round should take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Calls before anything is known of their rate.
const FIRST_CALLS: u64 = 1_000;

/// Flags of its JVM: the settings of the other peers on a JVM, what Dubbo's proxies need, and a kept connection for
/// each thread, of which the JDK's own HTTP client would keep 5.
const JVM: [&str; 6] = [
    "-Xms1g",
    "-Xmx1g",
    "-XX:+UseSerialGC",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "-Ddubbo.application.logger=jdk",
    "-Dhttp.maxConnections=10",
];

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Calls, all of them answered well.
    pub calls: u64,
    /// From the first to the last.
    pub seconds: f64,
    /// User and system time of the whole process for each call, in nanoseconds.
    pub cpu_ns: f64,
}

impl Round {
    /// Calls in a second.
    pub fn per_s(&self) -> f64 {
        self.calls as f64 / self.seconds
    }
}

/// A client; ended when dropped.
#[derive(Debug)]
pub struct Consumer {
    child: Child,
    orders: ChildStdin,
    lines: Receiver<String>,
    /// Where its complaints go.
    log: PathBuf,
}

/// Where the compiled client is: in the folder that `PEERS` names.
///
/// # Errors
/// When it is not there.
pub fn folder() -> anyhow::Result<PathBuf> {
    let peers =
        std::env::var_os("PEERS").context("PEERS is not set; benches/consumers.sh says what it is")?;
    let folder = PathBuf::from(peers).join("consumers");
    ensure!(
        folder.join("classes/Consumer.class").is_file(),
        "{} has no compiled client; benches/consumers.sh makes it",
        folder.display()
    );
    Ok(folder)
}

impl Consumer {
    /// Starts one with those arguments and waits until it has found its server.
    ///
    /// # Errors
    /// When it is not there, or does not start.
    pub fn start(folder: &Path, arguments: &[&str]) -> anyhow::Result<Consumer> {
        let log = std::env::temp_dir().join(format!("proofload-consumer-{}.log", std::process::id()));
        let class_path = format!("{0}/classes:{0}/lib/*", folder.display());
        let mut command = child::on_cpu(CLIENT_CPU, Path::new("java"));
        command.args(JVM).args(["-cp", &class_path, "Consumer"]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        child::ends_with_us(&mut command);
        let mut child = command.spawn().context("taskset could not be started")?;
        let stdout = child.stdout.take().context("no standard output")?;
        let orders = child.stdin.take().context("no standard input")?;
        let consumer = Consumer { child, orders, lines: lines_of(stdout), log };
        let line = consumer.line(START)?;
        ensure!(line == "ready", "the Java client said {line:?}");
        Ok(consumer)
    }

    /// Has it call so many times, and waits for so long beyond what that should take.
    ///
    /// # Errors
    /// When a call is not answered well, or the client ends or takes too long.
    pub fn calls(&mut self, calls: u64, expected: Duration) -> anyhow::Result<Round> {
        writeln!(self.orders, "calls {calls}")
            .and_then(|()| self.orders.flush())
            .with_context(|| self.told())?;
        let line = self.line(expected + PATIENCE)?;
        read(&line, calls).with_context(|| self.told())
    }

    /// Calls for at least so long; returns the calls that the last second or so came to.
    ///
    /// # Errors
    /// As [`Consumer::calls`].
    pub fn warm(&mut self, length: Duration) -> anyhow::Result<Round> {
        let begun = Instant::now();
        let mut last = self.calls(FIRST_CALLS, Duration::ZERO)?;
        while begun.elapsed() < length {
            last = self.calls(calls_in(1.0, &last), Duration::from_secs(1))?;
        }
        Ok(last)
    }

    fn line(&self, most: Duration) -> anyhow::Result<String> {
        match self.lines.recv_timeout(most) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => {
                bail!("the Java client said nothing for {} s\n{}", most.as_secs(), self.told())
            }
            Err(RecvTimeoutError::Disconnected) => bail!("the Java client ended\n{}", self.told()),
        }
    }

    /// The end of what it complained about.
    fn told(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(12)..].join("\n");
        format!("the Java client's last words:\n{last}")
    }
}

impl Drop for Consumer {
    /// A run that fails must not leave it behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.log);
    }
}

/// So many seconds' calls at that round's rate, a multiple of the threads.
pub fn calls_in(seconds: f64, round: &Round) -> u64 {
    ((round.per_s() * seconds / 1e3).round() as u64).max(1) * 1_000
}

/// The same round by Proofload on one thread: so many calls with those flags besides the address.
///
/// # Errors
/// When it fails or takes too long, or a call is not answered well.
pub fn proofload(url: &str, calls: u64, expected: Duration, flags: &[&str]) -> anyhow::Result<Round> {
    let mut command = child::on_cpu(CLIENT_CPU, &subject::proofload()?);
    command.args([url, "-n", &calls.to_string(), "--workers", "1", "--no-ceiling", "--format", "json", "-q"]);
    command.args(flags);
    let ended = child::run_to(command, expected + PATIENCE, &PROOFLOAD_ENDS)?;
    let result = json(&ended.output)?;
    let point = &result["points"][0];
    let outcomes = point["outcomes"].as_object().context("no outcomes")?;
    let wrong = outcomes.iter().any(|(name, n)| name != "answered" && n.as_u64() != Some(0));
    ensure!(
        outcomes["answered"].as_u64() == Some(calls) && !wrong,
        "of {calls} calls Proofload's outcomes are {outcomes:?}"
    );
    let seconds = point["seconds"].as_f64().context("no seconds")?;
    Ok(Round { calls, seconds, cpu_ns: ended.cpu_ns / calls as f64 })
}

fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// `answered COUNT wall_ns TIME cpu_ns TIME errors COUNT`.
fn read(line: &str, calls: u64) -> anyhow::Result<Round> {
    let words: Vec<&str> = line.split(' ').collect();
    let ["answered", answered, "wall_ns", wall, "cpu_ns", cpu, "errors", errors] = words[..] else {
        bail!("the Java client said {line:?}");
    };
    let number = |word: &str| word.parse::<u64>().with_context(|| format!("the Java client said {line:?}"));
    let (answered, errors) = (number(answered)?, number(errors)?);
    ensure!(
        answered == calls && errors == 0,
        "of {calls} calls of the Java client {answered} were answered with what was sent, {errors} were not"
    );
    let (wall, cpu) = (number(wall)? as f64, number(cpu)? as f64);
    Ok(Round { calls, seconds: wall / 1e9, cpu_ns: cpu / calls as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_read_and_one_with_a_wrong_answer_is_none() {
        let round = read("answered 2000 wall_ns 500000000 cpu_ns 100000000 errors 0", 2_000).unwrap();
        assert_eq!(round, Round { calls: 2_000, seconds: 0.5, cpu_ns: 50_000.0 });
        assert_eq!((round.per_s(), calls_in(2.0, &round)), (4_000.0, 8_000));
        let slow = Round { seconds: 100.0, ..round };
        assert_eq!(calls_in(1.0, &slow), 1_000);
        for wrong in [
            "answered 1999 wall_ns 500000000 cpu_ns 100000000 errors 1",
            "answered 1990 wall_ns 500000000 cpu_ns 100000000 errors 0",
            "answered 2000 wall_ns x cpu_ns 100000000 errors 0",
            "ready",
        ] {
            assert!(read(wrong, 2_000).is_err(), "{wrong}");
        }
    }
}
