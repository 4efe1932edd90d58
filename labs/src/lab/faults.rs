//! Every fault of a study whose parts are at several places: it must end everywhere, leave a record, and report what
//! happened.

use super::commands::output;
use super::net::PLACES as KEPT;
use super::pods;
use super::tested::Row;
use super::trial::{Bench, Ended, Engine, Trial, last_of, quoted};
use anyhow::{Context, bail, ensure};
use serde_json::Value;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Time limit for the end of everything.
pub const END_WITHIN: f64 = 10.0;

/// A load goes on at that moment, and a block is in the record.
const MEASURES: &str = "after 1 restart";
const INTO_A_BLOCK: Duration = Duration::from_millis(1_200);

/// Short blocks, and many more of them than a fault lets happen.
const LONG: [&str; 5] = [
    "--timing",
    "warm-up=300ms,slice=200ms,discard=20ms,cycles=4",
    "--keep-going",
    "--budget=30m",
    "--no-ceiling",
];

/// Required end of the command.
pub enum Ends {
    With(i32),
    WithOneOf([i32; 2]),
    /// It was killed.
    Killed,
}

/// Place of the record.
pub enum Record {
    /// Brought home.
    Home,
    /// At the place that the message names.
    Named,
    /// Kept there, and no process is left to report it.
    There,
    /// Kept in its pod, whose log tells how to read it.
    InPod,
}

pub struct Fault {
    pub what: &'static str,
    pub strike: fn(&mut Trial<'_>) -> anyhow::Result<()>,
    /// Takes back what would keep the record from being read.
    pub mend: fn(&Bench<'_>) -> anyhow::Result<()>,
    pub ends: Ends,
    pub record: Record,
    pub engines: &'static [Engine],
}

const BOTH: &[Engine] = &[Engine::Ssh, Engine::Slurm];
const SSH: &[Engine] = &[Engine::Ssh];
const SLURM: &[Engine] = &[Engine::Slurm];

/// Between machines that run commands.
pub const BETWEEN_MACHINES: [Fault; 10] = [
    Fault {
        what: "Ctrl-C at the command",
        strike: |trial| signal("INT", trial.child.id()),
        mend: nothing,
        ends: Ends::With(130),
        record: Record::Home,
        engines: BOTH,
    },
    Fault {
        what: "the command is killed",
        strike: |trial| signal("KILL", trial.child.id()),
        mend: nothing,
        ends: Ends::Killed,
        record: Record::There,
        engines: SSH,
    },
    Fault {
        // It is salloc, which ends what it started.
        what: "the command is killed",
        strike: |trial| signal("KILL", trial.child.id()),
        mend: nothing,
        ends: Ends::Killed,
        record: Record::Home,
        engines: SLURM,
    },
    Fault {
        what: "the coordinator is killed",
        strike: |trial| signal("KILL", one_of(trial, "__place")?),
        mend: nothing,
        ends: Ends::With(1),
        record: Record::Named,
        engines: BOTH,
    },
    Fault {
        what: "an agent is killed",
        strike: |trial| signal("KILL", one_of(trial, "agent")?),
        mend: nothing,
        ends: Ends::With(12),
        record: Record::Home,
        engines: BOTH,
    },
    Fault {
        what: "an agent is stopped (SIGSTOP)",
        strike: |trial| {
            let pid = one_of(trial, "agent")?;
            trial.paused = Some(pid);
            signal("STOP", pid)
        },
        mend: nothing,
        ends: Ends::With(12),
        record: Record::Home,
        engines: BOTH,
    },
    Fault {
        what: "an agent's machine is cut off",
        strike: |trial| trial.bench.net.cut("c"),
        mend: |bench| bench.net.heal("c"),
        ends: Ends::With(12),
        record: Record::Home,
        engines: BOTH,
    },
    Fault {
        what: "the coordinator's machine is cut off",
        strike: |trial| trial.bench.net.cut("a"),
        mend: |bench| bench.net.heal("a"),
        ends: Ends::With(1),
        record: Record::Named,
        engines: BOTH,
    },
    Fault {
        what: "the disk with the record is full",
        strike: |trial| fill(trial),
        mend: |bench| there(bench, "rm -f FOLDER/fill"),
        ends: Ends::With(1),
        record: Record::Home,
        engines: BOTH,
    },
    Fault {
        what: "the job is cancelled (scancel)",
        strike: |trial| {
            let job = output(trial.bench.net.outside("squeue").args(["-h", "-o", "%i"]))?;
            output(trial.bench.net.outside("scancel").arg(job)).map(drop)
        },
        mend: nothing,
        // The loss of its agents may be noticed before the signal to end.
        ends: Ends::WithOneOf([130, 12]),
        record: Record::Home,
        engines: SLURM,
    },
];

pub fn nothing(_: &Bench<'_>) -> anyhow::Result<()> {
    Ok(())
}

pub fn signal(name: &str, pid: u32) -> anyhow::Result<()> {
    output(Command::new("kill").arg(format!("-{name}")).arg(pid.to_string())).map(drop)
}

pub fn one_of(trial: &Trial<'_>, words: &str) -> anyhow::Result<u32> {
    trial.bench.doing(words)?.first().copied().with_context(|| format!("no process of proofload {words}"))
}

/// A line of a shell where the coordinator is, which knows the folder in which records are kept there.
fn there(bench: &Bench<'_>, line: &str) -> anyhow::Result<()> {
    let folder = bench.cache_there().join(KEPT);
    let line = line.replace("FOLDER", &folder.display().to_string());
    output(&mut bench.at("a", &["sh", "-c", &quoted(&line, bench.engine)])).map(drop)
}

/// The disk that the coordinator sees. Another job would wait for the end of this one. dd ends badly, since the disk is full.
fn fill(trial: &Trial<'_>) -> anyhow::Result<()> {
    let (folder, pid) = (trial.bench.cache_there().join(KEPT), one_of(trial, "__place")?);
    let line = "dd if=/dev/zero of=$0/fill bs=64k 2>/dev/null; test -s $0/fill";
    let mut enter = Command::new("nsenter");
    enter.args(["--mount", "--target", &pid.to_string(), "sh", "-c", line]).arg(folder);
    output(&mut enter).map(drop)
}

/// All of them whose name has this word.
pub fn all(bench: &Bench<'_>, faults: &[Fault], word: &str, rows: &mut Vec<Row>) {
    let wanted = |fault: &&Fault| fault.engines.contains(&bench.engine) && fault.what.contains(word);
    for (number, fault) in faults.iter().enumerate().filter(|(_, fault)| wanted(fault)) {
        let mut row = Row { what: fault.what.to_owned(), ..Row::default() };
        row.failed = strike(bench, number, fault, &mut row).err().map(|error| format!("{error:#}"));
        // Whether it went well or not, the next one finds everything whole.
        let _ = (fault.mend)(bench);
        println!("{}", row.line());
        rows.push(row);
    }
}

/// Servers and coordinator on a, an agent on each of the others.
pub fn everywhere(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Ssh => &["--on", "ssh:b,c", "--subjects-on", "a"],
        Engine::Slurm => &["--on", "slurm", "--agents", "2"],
        Engine::Kubernetes => {
            &["--on", "kubernetes", "--agents", "2", "--image", pods::IMAGE, "--namespace", pods::NAMESPACE]
        }
    }
}

fn strike(bench: &Bench<'_>, number: usize, fault: &Fault, row: &mut Row) -> anyhow::Result<()> {
    match bench.engine {
        Engine::Kubernetes => pods::clear(bench.net)?,
        Engine::Ssh | Engine::Slurm => there(bench, "rm -rf FOLDER/*")?,
    }
    let study = bench.study.display().to_string();
    let catalogue = bench.catalogue.display().to_string();
    let args =
        [&["run", study.as_str(), "--catalogue", &catalogue], everywhere(bench.engine), &LONG].concat();
    let mut trial = bench.start(&format!("fault-{number}"), None, &args)?;
    trial.until_told(MEASURES)?;
    thread::sleep(INTO_A_BLOCK);
    let begun = Instant::now();
    (fault.strike)(&mut trial)?;
    let ended = trial.ended_after(begun)?;
    (row.exit, row.seconds) = (ended.exit(), Some(ended.seconds));
    if let Some(pid) = trial.paused.take() {
        // Where the engine has killed it, it is gone.
        let _ = signal("CONT", pid);
        trial.ended(Instant::now(), Duration::from_secs_f64(END_WITHIN)).context("after it may go on")?;
    }
    (fault.mend)(bench)?;
    row.record = record(&trial, fault, &ended)?;
    let right = match fault.ends {
        Ends::With(code) => ended.status.code() == Some(code),
        Ends::WithOneOf(codes) => ended.status.code().is_some_and(|code| codes.contains(&code)),
        Ends::Killed => ended.status.code().is_none(),
    };
    ensure!(right, "it left with {}: {}", ended.exit(), last_of(&ended.told));
    ensure!(ended.seconds <= END_WITHIN, "everything had ended after {:.1} s only", ended.seconds);
    Ok(())
}

/// Reads it, and returns where it was.
fn record(trial: &Trial<'_>, fault: &Fault, ended: &Ended) -> anyhow::Result<String> {
    let bench = trial.bench;
    let (place, told) = match fault.record {
        Record::Home => ("home", trial.record_at_home().with_context(|| last_of(&ended.told))?),
        Record::Named => {
            let (host, runs) = named(&ended.told).with_context(|| last_of(&ended.told))?;
            ensure!(host == "a", "it names {host}");
            ("on a, named", bench.report(Some("a"), &bench.run_in(Some("a"), runs)?)?)
        }
        Record::There => {
            let runs = bench.cache_there().join(KEPT).join("*/runs").display().to_string();
            ("on a", bench.report(Some("a"), &bench.run_in(Some("a"), &runs)?)?)
        }
        Record::InPod => ("in its pod", pods::record(bench.net)?),
    };
    Ok(format!("{place}; {}", state(&told)?))
}

/// Place of a record in a message: the host, and the folder.
fn named(told: &str) -> Option<(&str, &str)> {
    let (_, after) = told.rsplit_once("is kept on ")?;
    let (host, folder) = after.lines().next()?.split_once(", in ")?;
    Some((host, folder.trim()))
}

/// The state of a run that has measured something.
pub fn state(told: &Value) -> anyhow::Result<&str> {
    let claims = told["claims"].as_array().context("no claims")?;
    if claims.is_empty() {
        bail!("no claim is judged");
    }
    told["status"]["state"].as_str().context("no state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_host_and_the_folder() {
        let told = "x\nproofload: a is lost: it ended; what was measured until then is kept on a, in /c/places/1-2/runs\n";
        assert_eq!(named(told), Some(("a", "/c/places/1-2/runs")));
        assert_eq!(named("proofload: a is lost"), None);
    }
}
