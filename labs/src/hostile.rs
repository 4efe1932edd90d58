//! Peers that misbehave and processes that are killed: the released executable keeps its books, its memory and its records.

mod kills;
pub mod peer;

use crate::tools::{self, AS_TESTED};
use anyhow::{Context, bail, ensure};
use peer::{Protocol, TIMEOUT};
use serde_json::Value;
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Answers of each protocol, and kills, when nothing else is asked for.
const ANSWERS: u64 = 10_000;
const KILLS: u32 = 300;
const CONNECTIONS: u64 = 16;
/// Most memory of the generator beyond that with a good peer.
const MORE_BYTES: u64 = 32 << 20;
/// Share of correct, immediate answers that must be counted as answered; the rest met a machine that was busy, or a
/// connection on which something else had come before.
const ANSWERED_SHARE: f64 = 0.8;

/// The task. `--answers N`, `--kills N`, `--seed N`; or what the variable `PROOFLOAD_HOSTILE` holds, when `full` runs it.
pub fn run(root: &Path, args: &[String]) -> anyhow::Result<()> {
    let (mut answers, mut kills, mut seed) = (ANSWERS, KILLS, 2_026);
    let of_full = std::env::var("PROOFLOAD_HOSTILE").unwrap_or_default();
    let words: Vec<&str> = of_full.split_whitespace().chain(args.iter().map(String::as_str)).collect();
    for pair in words.chunks(2) {
        let [name, value] = pair else { bail!("{}: has no value", pair[0]) };
        let number: u64 = value.parse().with_context(|| format!("{name} {value}"))?;
        match *name {
            "--answers" => answers = number,
            "--kills" => kills = u32::try_from(number)?,
            "--seed" => seed = number,
            _ => bail!("{name}: is none of --answers, --kills, --seed"),
        }
    }
    let place = tools::scratch("hostile")?;
    tools::cargo(root, &["build", "--release", "--locked", "--quiet", "-p", "proofload-cli"], &[])?;
    let executable = tools::target_folder(root).join("release/proofload");
    for protocol in Protocol::ALL {
        let told = || format!("{}, seed {seed}, in {}", protocol.name(), place.display());
        answered(&executable, &place, protocol, answers, seed).with_context(told)?;
    }
    if kills > 0 {
        tools::cargo(root, &AS_TESTED, &[])?;
        let executable = tools::target_folder(root).join("debug/proofload");
        kills::run(&executable, &place, kills, seed)?;
    }
    fs::remove_dir_all(&place).context("the temporary directory cannot be removed")
}

/// Counts of a peer.
#[derive(Clone, Copy, Debug)]
struct Counted {
    connections: u64,
    requests: u64,
    plain: u64,
    whole: u64,
}

/// A peer in a process of its own.
struct Peer {
    child: Child,
    said: BufReader<ChildStdout>,
    port: u16,
}

impl Peer {
    fn start(protocol: Protocol, seed: &str) -> anyhow::Result<Peer> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["hostile-peer", protocol.name(), seed]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut said = BufReader::new(child.stdout.take().context("its output")?);
        let mut line = String::new();
        said.read_line(&mut line)?;
        Ok(Peer { port: line.trim().parse().context("its port")?, child, said })
    }

    fn end(mut self) -> anyhow::Result<Counted> {
        drop(self.child.stdin.take());
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        self.child.wait()?;
        let counts: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [connections, requests, plain, whole] = counts[..] else { bail!("{line}: no counts") };
        Ok(Counted { connections, requests, plain, whole })
    }
}

/// Counts of the generator.
struct Recorded {
    intended: u64,
    sent: u64,
    unsent: u64,
    outcomes: u64,
    answered: u64,
    rss_bytes: u64,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recorded { intended, sent, answered, rss_bytes, .. } = self;
        write!(f, "{intended} intended, {sent} sent, {answered} answered, {} MiB", rss_bytes >> 20)
    }
}

/// Has the executable ask a peer that many times.
fn asked(
    executable: &Path,
    place: &Path,
    protocol: Protocol,
    count: u64,
    seed: &str,
) -> anyhow::Result<(Recorded, Counted)> {
    let peer = Peer::start(protocol, seed)?;
    let (count, connections, timeout) =
        (count.to_string(), CONNECTIONS.to_string(), format!("{}ms", TIMEOUT.as_millis()));
    let mut command = Command::new(executable);
    command.args(protocol.arguments(peer.port));
    command.args(["-n", &count, "-c", &connections, "--timeout", &timeout, "--workers", "1"]);
    let output = command.args(["--no-record", "--format", "json", "-q"]).current_dir(place).output()?;
    let counted = peer.end()?;
    let ended = matches!(output.status.code(), Some(0 | 12));
    ensure!(ended, "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).context("its result")?;
    let point = &result["points"][0];
    let of = |name: &str| point[name].as_u64().unwrap_or(0);
    let outcomes = point["outcomes"].as_object().context("outcomes")?;
    Ok((
        Recorded {
            intended: of("intended"),
            sent: of("sent"),
            unsent: of("unsent"),
            outcomes: outcomes.values().filter_map(Value::as_u64).sum(),
            answered: outcomes["answered"].as_u64().unwrap_or(0),
            rss_bytes: point["generator"]["peak_rss_bytes"].as_u64().unwrap_or(0),
        },
        counted,
    ))
}

fn answered(
    executable: &Path,
    place: &Path,
    protocol: Protocol,
    count: u64,
    seed: u64,
) -> anyhow::Result<()> {
    let (good, _) = asked(executable, place, protocol, count, "well")?;
    ensure!(good.answered == good.intended && good.intended == count, "of a good peer: {good}");
    let (found, counted) = asked(executable, place, protocol, count, &seed.to_string())?;
    println!(
        "hostile: {}: {found}, of a good peer {} MiB; {counted:?}",
        protocol.name(),
        good.rss_bytes >> 20
    );
    agree(&found, &counted, count)?;
    let most = good.rss_bytes + MORE_BYTES;
    ensure!(found.rss_bytes <= most, "{} bytes, {} of a good peer", found.rss_bytes, good.rss_bytes);
    Ok(())
}

/// The books of both sides.
fn agree(found: &Recorded, counted: &Counted, count: u64) -> anyhow::Result<()> {
    ensure!(found.intended == count && found.outcomes == count, "{found}, {} outcomes", found.outcomes);
    ensure!(found.sent + found.unsent == found.intended, "{found}, {} unsent", found.unsent);
    ensure!(counted.requests <= found.sent, "{found}, {counted:?}");
    // On each connection that the peer gave up one request may have been on its way.
    let lost = found.sent - counted.requests;
    ensure!(lost <= counted.connections, "{lost} requests were lost; {found}, {counted:?}");
    ensure!(found.answered <= counted.whole, "{found}, {counted:?}");
    let least = (counted.plain as f64 * ANSWERED_SHARE) as u64;
    ensure!(found.answered >= least, "{found}, {counted:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_that_differ_are_noticed() {
        let found = |sent, answered| Recorded {
            intended: 100,
            sent,
            unsent: 100 - sent,
            outcomes: 100,
            answered,
            rss_bytes: 0,
        };
        let counted = Counted { connections: 5, requests: 95, plain: 50, whole: 60 };
        assert!(agree(&found(100, 55), &counted, 100).is_ok());
        for (sent, answered) in [(94, 55), (100, 61), (100, 30)] {
            assert!(agree(&found(sent, answered), &counted, 100).is_err(), "{sent} {answered}");
        }
        assert!(agree(&found(100, 55), &Counted { connections: 4, ..counted }, 100).is_err());
        assert!(agree(&Recorded { outcomes: 99, ..found(100, 55) }, &counted, 100).is_err());
    }
}
