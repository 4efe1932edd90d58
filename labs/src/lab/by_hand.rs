//! Coordinator and agents, each started by hand: an agent that may not join is told so, and one that does not
//! join is named.

use super::tested::Row;
use super::trial::{Bench, Ended, Trial, last_of};
use anyhow::{Context, ensure};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const PORT: &str = "7600";
const END_WITHIN: Duration = Duration::from_secs(10);

/// Version that agents report of their protocol; the last digit is changed for one of another version.
const SPEAKS: &str = concat!(env!("CARGO_PKG_VERSION"), "/3");

/// All of them whose name has this word.
pub fn all(bench: &Bench<'_>, word: &str, rows: &mut Vec<Row>) {
    type Made = fn(&Bench<'_>, &mut Row) -> anyhow::Result<()>;
    let all: [(&str, Made); 3] = [
        ("by hand: an agent with another token", another_token),
        ("by hand: an agent of another version", another_version),
        ("by hand: an agent that does not come", nobody),
    ];
    for (what, made) in all.into_iter().filter(|(what, _)| what.contains(word)) {
        let mut row = Row { what: what.to_owned(), ..Row::default() };
        row.failed = made(bench, &mut row).err().map(|error| format!("{error:#}"));
        println!("{}", row.line());
        rows.push(row);
    }
}

fn token(bench: &Bench<'_>, name: &str, letter: &str) -> anyhow::Result<String> {
    let path = bench.net.folder().join(name);
    fs::write(&path, letter.repeat(64))?;
    fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    Ok(path.display().to_string())
}

/// One on a that waits for two agents.
fn coordinator<'a>(bench: &'a Bench<'a>, name: &str, wait: &str) -> anyhow::Result<Trial<'a>> {
    let (study, token) = (bench.study.display().to_string(), token(bench, "token", "a")?);
    let address = bench.net.address("a")?.to_string();
    let listen = format!("{address}:{PORT}");
    let mut args = vec!["coordinator", &study, "--agents", "2", "--smoke", "--wait", wait];
    args.extend(["--listen", &listen, "--address", &address, "--token-file", &token]);
    bench.start(name, Some("a"), &args)
}

fn agent(bench: &Bench<'_>, program: &PathBuf, token: &str, wait: &str) -> Command {
    let mut agent = bench.net.command("b", program);
    agent.args(["agent", "--join", &format!("a:{PORT}"), "--token-file", token, "--wait", wait]);
    agent.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    agent
}

/// It leaves at once, and the coordinator waits for others until no more come.
fn refused(
    bench: &Bench<'_>,
    name: &str,
    mut agent: Command,
    says: &str,
    row: &mut Row,
) -> anyhow::Result<()> {
    let mut trial = coordinator(bench, name, "8s")?;
    let begun = Instant::now();
    let Output { status, stderr, .. } = agent.output().context("the agent")?;
    let (seconds, told) = (begun.elapsed().as_secs_f64(), String::from_utf8_lossy(&stderr).into_owned());
    row.exit = status.code().map_or("?".to_owned(), |code| format!("{code} of the agent"));
    row.seconds = Some(seconds);
    ensure!(status.code() == Some(2) && told.contains(says), "it left with {status}: {}", last_of(&told));
    ensure!(seconds < END_WITHIN.as_secs_f64(), "it left after {seconds:.1} s only");
    let ended = trial.ended(begun, 3 * END_WITHIN)?;
    row.exit += &format!(", {} of the coordinator", ended.exit());
    missing(&ended, "0, 1")
}

/// The coordinator left with 3, and named who is missing.
fn missing(ended: &Ended, numbers: &str) -> anyhow::Result<()> {
    let told = last_of(&ended.told);
    ensure!(ended.status.code() == Some(3), "the coordinator left with {}: {told}", ended.exit());
    ensure!(told.contains(numbers), "{numbers} is not named: {told}");
    Ok(())
}

fn another_token(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    let other = token(bench, "another-token", "b")?;
    refused(bench, "token", agent(bench, &bench.proofload, &other, "5s"), "token", row)
}

/// The same executable, which takes itself for another version.
fn another_version(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    let mut bytes = fs::read(&bench.proofload)?;
    let other = format!("{}9", &SPEAKS[..SPEAKS.len() - 1]);
    // An optimised build has the text in its instructions, too, four bytes in each.
    let (end, other_end) = (&SPEAKS.as_bytes()[SPEAKS.len() - 4..], &other.as_bytes()[SPEAKS.len() - 4..]);
    let at: Vec<usize> = (0..bytes.len() - end.len()).filter(|at| bytes[*at..].starts_with(end)).collect();
    ensure!(!at.is_empty(), "{SPEAKS} is not in the executable");
    for at in at {
        bytes[at..at + end.len()].copy_from_slice(other_end);
    }
    let folder = bench.net.folder().join("another");
    fs::create_dir_all(&folder)?;
    let program = folder.join("proofload");
    fs::write(&program, bytes)?;
    fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    let token = token(bench, "token", "a")?;
    refused(bench, "version", agent(bench, &program, &token, "5s"), &other, row)
}

/// One of two comes.
fn nobody(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut trial = coordinator(bench, "nobody", "5s")?;
    let token = token(bench, "token", "a")?;
    let mut agent = agent(bench, &bench.proofload, &token, "30s").arg("--index").arg("0").spawn()?;
    let ended = trial.ended(begun, 3 * END_WITHIN);
    // It leaves with its coordinator, and is waited for in any case.
    let _ = agent.kill();
    agent.wait()?;
    let ended = ended?;
    (row.exit, row.seconds) = (ended.exit(), Some(ended.seconds));
    missing(&ended, "1")
}
