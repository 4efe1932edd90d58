//! Faults of a study in a cluster, and what a cluster refuses.

use super::faults::{END_WITHIN, Ends, Fault, Record, everywhere, nothing, one_of, signal};
use super::pods::{self, kubectl};
use super::studies::{SHORT, VERDICTS};
use super::tested::Row;
use super::trial::{Bench, Engine, Trial, last_of};
use anyhow::{bail, ensure};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

const HERE: &[Engine] = &[Engine::Kubernetes];

/// Time limit for reporting a condition that is not going to work.
const SAID_WITHIN: f64 = 20.0;
/// A study that is over in seconds, to its end.
const WITHIN: Duration = Duration::from_secs(420);

/// Neither is it on any node, nor is there a registry of that name.
const NO_IMAGE: &str = "localhost/nothing:1";

/// Exit code of a coordinator when the generator was the limit, or an agent was lost.
const INVALID: &str = "12";

const COORDINATOR: &str = "coordinator";
const AGENTS: &str = "agents";

/// Faults while a load goes on.
pub const FAULTS: [Fault; 9] = [
    Fault {
        what: "Ctrl-C at the command",
        strike: |trial| signal("INT", trial.child.id()),
        mend: nothing,
        ends: Ends::With(130),
        record: Record::Home,
        engines: HERE,
    },
    Fault {
        what: "the command is killed",
        strike: |trial| {
            trial.pod_stays = true;
            signal("KILL", trial.child.id())
        },
        mend: nothing,
        ends: Ends::Killed,
        record: Record::InPod,
        engines: HERE,
    },
    Fault {
        what: "the coordinator's pod is deleted",
        strike: |trial| delete(trial, COORDINATOR),
        mend: nothing,
        ends: Ends::With(130),
        record: Record::Home,
        engines: HERE,
    },
    Fault {
        what: "the coordinator is killed",
        strike: |trial| signal("KILL", one_of(trial, "__place")?),
        mend: nothing,
        ends: Ends::With(1),
        record: Record::Home,
        engines: HERE,
    },
    Fault {
        what: "an agent's pod is deleted",
        strike: |trial| delete(trial, AGENTS),
        mend: nothing,
        ends: Ends::With(12),
        record: Record::Home,
        engines: HERE,
    },
    Fault {
        what: "an agent is killed",
        strike: |trial| signal("KILL", one_of(trial, "agent")?),
        mend: nothing,
        ends: Ends::With(12),
        record: Record::Home,
        engines: HERE,
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
        engines: HERE,
    },
    Fault {
        what: "an agent's node is cut off",
        strike: |trial| cut(trial, AGENTS, COORDINATOR),
        mend: heal,
        ends: Ends::With(12),
        record: Record::Home,
        engines: HERE,
    },
    Fault {
        what: "the coordinator's node is cut off",
        strike: |trial| {
            trial.pod_stays = true;
            cut(trial, COORDINATOR, AGENTS)
        },
        mend: heal,
        ends: Ends::With(1),
        record: Record::InPod,
        engines: HERE,
    },
];

fn delete(trial: &mut Trial<'_>, component: &str) -> anyhow::Result<()> {
    let net = trial.bench.net;
    kubectl(net, &["delete", "pod", &pods::first(net, component)?.name, "--wait=false"]).map(drop)
}

fn cut(trial: &mut Trial<'_>, component: &str, other: &str) -> anyhow::Result<()> {
    let net = trial.bench.net;
    let node = pods::first(net, component)?.node;
    ensure!(pods::first(net, other)?.node != node, "both are on {node}");
    net.cut(&node)
}

fn heal(bench: &Bench<'_>) -> anyhow::Result<()> {
    bench.net.names().iter().try_for_each(|name| bench.net.heal(name))
}

/// All of the others whose name has this word.
pub fn all(bench: &Bench<'_>, word: &str, rows: &mut Vec<Row>) {
    type Made = fn(&Bench<'_>, &mut Row) -> anyhow::Result<()>;
    let all: [(&str, Made); 6] = [
        ("an image that is not there", no_image),
        ("a quota that permits no pod", no_quota),
        ("agents for whom no node has the CPUs", no_room),
        ("a coordinator with too little memory", |bench, row| {
            starved(bench, row, "--subjects-size", "2,16Mi")
        }),
        ("agents with too little memory", |bench, row| starved(bench, row, "--agent-size", "1,10Mi")),
        ("`proofload manifest`, by `kubectl create`", by_manifest),
    ];
    for (what, made) in all.into_iter().filter(|(what, _)| what.contains(word)) {
        let mut row = Row { what: what.to_owned(), ..Row::default() };
        let done = pods::clear(bench.net).and_then(|()| made(bench, &mut row));
        row.failed = done.err().map(|error| format!("{error:#}"));
        println!("{}", row.line());
        rows.push(row);
    }
}

fn start<'a>(bench: &'a Bench<'a>, name: &str, more: &[&str]) -> anyhow::Result<Trial<'a>> {
    start_as(bench, name, &[everywhere(bench.engine), more].concat())
}

fn start_as<'a>(bench: &'a Bench<'a>, name: &str, args: &[&str]) -> anyhow::Result<Trial<'a>> {
    let study = bench.study.display().to_string();
    bench.start(name, None, &[&["run", study.as_str(), "--smoke"], args].concat())
}

/// It prints these words soon, and leaves with 3.
fn refused(mut trial: Trial<'_>, begun: Instant, words: &str, row: &mut Row) -> anyhow::Result<()> {
    let seconds = said(&mut trial, begun, words, row)?;
    let ended = trial.ended_after(begun)?;
    row.exit = ended.exit();
    ensure!(ended.status.code() == Some(3), "it left with {}: {}", ended.exit(), last_of(&ended.told));
    ensure!(
        ended.seconds < seconds + END_WITHIN,
        "everything had ended {:.1} s after it was said only",
        ended.seconds - seconds
    );
    Ok(())
}

/// Seconds until it prints these words.
fn said(trial: &mut Trial<'_>, begun: Instant, words: &str, row: &mut Row) -> anyhow::Result<f64> {
    let seconds = loop {
        if trial.told().contains(words) {
            break begun.elapsed().as_secs_f64();
        }
        let ended = trial.child.try_wait()?;
        if ended.is_some() && !trial.told().contains(words)
            || begun.elapsed().as_secs_f64() > 3.0 * SAID_WITHIN
        {
            let told = trial.told();
            bail!("{words:?} is not said: {}", last_of(&told));
        }
        thread::sleep(Duration::from_millis(100));
    };
    row.seconds = Some(seconds);
    row.record = "–, said".to_owned();
    ensure!(seconds < SAID_WITHIN, "it is said after {seconds:.1} s only");
    Ok(seconds)
}

fn no_image(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    let begun = Instant::now();
    let args = everywhere(bench.engine).iter().map(|arg| if *arg == pods::IMAGE { NO_IMAGE } else { arg });
    let trial = start_as(bench, "no-image", &args.collect::<Vec<_>>())?;
    refused(trial, begun, &format!("cannot fetch the image {NO_IMAGE}"), row)
}

fn no_quota(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    kubectl(bench.net, &["create", "quota", "nothing", "--hard=pods=0"])?;
    let begun = Instant::now();
    let done =
        start(bench, "no-quota", &[]).and_then(|trial| refused(trial, begun, "no pod can be made", row));
    kubectl(bench.net, &["delete", "quota", "nothing"])?;
    done
}

/// It waits for room, until it is interrupted.
fn no_room(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut trial = start(bench, "no-room", &["--agent-size", "64,512Mi"])?;
    said(&mut trial, begun, "no node takes it", row)?;
    let asked = Instant::now();
    signal("INT", trial.child.id())?;
    let ended = trial.ended_after(asked)?;
    row.exit = ended.exit();
    ensure!(ended.status.code() == Some(130), "it left with {}: {}", ended.exit(), last_of(&ended.told));
    ensure!(ended.seconds < END_WITHIN, "everything had ended after {:.1} s only", ended.seconds);
    Ok(())
}

/// The kernel ends what needs more memory than that.
fn starved(bench: &Bench<'_>, row: &mut Row, option: &str, size: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut trial = start(bench, &format!("starved{option}"), &[option, size])?;
    let ended = trial.ended(begun, WITHIN)?;
    (row.exit, row.seconds) = (ended.exit(), Some(ended.seconds));
    ensure!(
        ended.told.contains("OOMKilled") || ended.told.contains("needs more memory"),
        "that it needed more memory is not said: {}",
        last_of(&ended.told)
    );
    // The kernel may end the coordinator alone; its pod reports nothing of that.
    let is_right = matches!(ended.status.code(), Some(1 | 12));
    ensure!(is_right, "it left with {}: {}", ended.exit(), last_of(&ended.told));
    Ok(())
}

/// Objects that are created without the command: the verdict is in the coordinator's log and exit code, and all end by
/// themselves.
fn by_manifest(bench: &Bench<'_>, row: &mut Row) -> anyhow::Result<()> {
    let study = bench.study.display().to_string();
    let on_kubernetes = everywhere(bench.engine);
    let mut manifest = bench.net.outside(&bench.proofload);
    // The first two words choose Kubernetes, which a manifest is for in any case.
    manifest.args(["manifest", &study]).args(&on_kubernetes[2..]).args(SHORT);
    let text = super::commands::output(&mut manifest)?;
    let path = bench.net.folder().join("manifest.yaml");
    fs::write(&path, text)?;
    let path = path.display().to_string();
    let (mut code, mut log) = applied(bench, &path, row)?;
    row.exit = format!("{code} of the coordinator");
    if code == INVALID && log.contains("client-limited") {
        // All nodes share the machine's CPUs, and may hold the generator up.
        pods::clear(bench.net)?;
        (code, log) = applied(bench, &path, row)?;
        row.exit = format!("{INVALID} of the coordinator, and once more: {code}");
    }
    row.record = "in its log".to_owned();
    ensure!(log.contains("less work, more served"), "the log has no verdict: {}", last_of(&log));
    let is_verdict = code.parse().is_ok_and(|code: i32| VERDICTS.contains(&code));
    ensure!(is_verdict, "the coordinator left with {code}: {}", last_of(&log));
    pods::clear(bench.net)
}

/// Makes the objects, waits until nothing runs, and enters how long that took; how the coordinator left, and its log.
fn applied(bench: &Bench<'_>, path: &str, row: &mut Row) -> anyhow::Result<(String, String)> {
    let begun = Instant::now();
    kubectl(bench.net, &["apply", "--server-side", "-f", path])?;
    let (coordinator, code) = until_ended(bench, begun)?;
    row.seconds = Some(begun.elapsed().as_secs_f64());
    Ok((code, kubectl(bench.net, &["logs", &coordinator])?))
}

/// The pod of the coordinator, and its exit code, once no pod and no process is left that runs.
fn until_ended(bench: &Bench<'_>, begun: Instant) -> anyhow::Result<(String, String)> {
    loop {
        let alive = pods::alive(bench.net, false, false)?;
        if alive.is_empty() && bench.left()?.is_empty() && !pods::all(bench.net)?.is_empty() {
            break;
        }
        ensure!(begun.elapsed() < WITHIN, "after {WITHIN:?} this is left: {}", alive.join(", "));
        thread::sleep(Duration::from_millis(500));
    }
    let name = pods::first(bench.net, COORDINATOR)?.name;
    let code = "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}";
    let code = kubectl(bench.net, &["get", "pod", &name, "-o", code])?;
    Ok((name, code))
}
