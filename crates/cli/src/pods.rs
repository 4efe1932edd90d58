//! What becomes of the pods of a run, as the cluster tells it.

use crate::exit::{Exit, leave};
use crate::run::say;
use crate::there::{Beside, Ended, Lost};
use anyhow::Context as _;
use proofload_host::clock;
use proofload_language::say;
use proofload_places::kubernetes::events::{Kind, coordinator_runs, troubles};
use proofload_places::kubernetes::kubectl;
use proofload_places::kubernetes::manifest::Wanted;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two looks at the pods.
const LOOK_NS: u64 = 1_000_000_000;
/// How long a cluster may take to say why a pod is gone.
const WHY_GONE_NS: u64 = 3_000_000_000;
/// The same of an agent's pod.
const AGENT_GONE_NS: u64 = 2_000_000_000;
/// The exit code of what signal 9 ended.
const KILLED: i32 = 128 + 9;
/// Between two looks at what was seen.
const WAITING: Duration = Duration::from_millis(100);

/// One look at the pods.
enum Seen {
    Said { pods: String, events: String },
    Failed(String),
}

/// What becomes of the pods. A thread of its own looks: kubectl may take long to say that nobody answers.
pub struct Pods {
    seen: Receiver<Seen>,
    /// Nobody wants to hear of them any more.
    ends: Arc<AtomicBool>,
    looking: Option<JoinHandle<()>>,
    /// What the names of all objects of this run begin with.
    name: String,
    told: Vec<String>,
    quiet: bool,
    /// How long the coordinator's pod may take to run.
    wait_s: u64,
    coordinator_runs: bool,
    /// Nothing will come of it, and why.
    in_vain: Option<(Exit, String)>,
    /// Whatever was said last of the coordinator's pod.
    of_coordinator: Option<(Exit, String)>,
    /// The cluster has said why an agent is gone.
    agent_is_gone: bool,
    failed: Option<String>,
}

impl Pods {
    pub fn watch(of: &Wanted, quiet: bool) -> anyhow::Result<Pods> {
        let (tell, seen) = mpsc::channel();
        let (namespace, name) = (of.namespace.clone(), of.name.clone());
        let looked_for = name.clone();
        let ends = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&ends);
        let looking = std::thread::Builder::new()
            .spawn(move || look(&namespace, &looked_for, &tell, &ended))
            .context("nobody can look at the pods")?;
        Ok(Pods {
            seen,
            ends,
            looking: Some(looking),
            name,
            told: Vec::new(),
            quiet,
            wait_s: of.wait_s,
            coordinator_runs: false,
            in_vain: None,
            of_coordinator: None,
            agent_is_gone: false,
            failed: None,
        })
    }

    /// Whether it came to that before somebody stopped it.
    pub fn until_coordinator_runs(&mut self, stop: &AtomicBool) -> anyhow::Result<bool> {
        let begun_ns = clock::monotonic_ns();
        loop {
            self.take_in();
            if self.coordinator_runs {
                return Ok(true);
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if let Some((exit, line)) = self.in_vain.take() {
                return Err(leave(exit, line));
            }
            if let Some(why) = self.failed.take() {
                return Err(leave(Exit::FailedStart, why));
            }
            if clock::monotonic_ns().saturating_sub(begun_ns) > self.wait_s * 1_000_000_000 {
                let last = self.of_coordinator.take().map_or(String::new(), |(_, line)| format!(": {line}"));
                let why = format!("the coordinator's pod does not run after {} s{last}", self.wait_s);
                return Err(leave(Exit::FailedStart, why));
            }
            std::thread::sleep(WAITING);
        }
    }

    /// Why nothing can come of it, with the exit code that it leads to.
    pub fn is_in_vain(&self) -> Option<&(Exit, String)> {
        self.in_vain.as_ref()
    }

    fn take_in(&mut self) {
        while let Ok(seen) = self.seen.try_recv() {
            match seen {
                Seen::Said { pods, events } => self.learn(&pods, &events),
                Seen::Failed(why) => self.failed = Some(why),
            }
        }
    }

    /// Says what the cluster knows and this command does not, each once.
    fn learn(&mut self, pods: &str, events: &str) {
        self.failed = None;
        if coordinator_runs(pods) && !self.coordinator_runs {
            self.coordinator_runs = true;
            // What held it up before is not why it is gone later.
            self.of_coordinator = None;
        }
        let found = match troubles(&self.name, pods, events) {
            Ok(found) => found,
            Err(error) => {
                let why = format!("kubectl says something else than JSON of pods and events: {error}");
                self.failed = Some(why);
                return;
            }
        };
        for trouble in found {
            let line = trouble.to_string();
            let exit = match trouble.kind {
                Kind::TakenAway => Exit::Invalid,
                Kind::Exit(_) => Exit::Failure,
                Kind::CannotStart | Kind::Waits => Exit::FailedStart,
            };
            // One that runs says itself which agents are lost, and brings its record.
            let is_in_vain = match trouble.kind {
                Kind::CannotStart => true,
                Kind::TakenAway | Kind::Exit(_) => trouble.index.is_none() && !self.coordinator_runs,
                Kind::Waits => false,
            };
            self.agent_is_gone |= trouble.index.is_some() && trouble.kind != Kind::Waits;
            if trouble.of.contains("-coordinator") {
                self.of_coordinator = Some((exit, line.clone()));
            }
            if is_in_vain && self.in_vain.is_none() {
                self.in_vain = Some((exit, line.clone()));
            }
            if !self.told.contains(&line) {
                say(self.quiet, &line);
                self.told.push(line);
            }
        }
    }

    /// Says why an agent is gone, for which a cluster takes a little longer than its coordinator does to miss it.
    pub fn hear_of_agents(&mut self) {
        let begun_ns = clock::monotonic_ns();
        while !self.agent_is_gone && clock::monotonic_ns().saturating_sub(begun_ns) < AGENT_GONE_NS {
            std::thread::sleep(WAITING);
            self.take_in();
        }
    }

    /// How a run whose coordinator is gone ended, as the cluster says soon afterwards.
    pub fn why_gone(&mut self, lost: Lost) -> Ended {
        let begun_ns = clock::monotonic_ns();
        while self.of_coordinator.is_none() && clock::monotonic_ns().saturating_sub(begun_ns) < WHY_GONE_NS {
            std::thread::sleep(WAITING);
            self.take_in();
        }
        let why = match lost.code {
            Some(KILLED) => {
                "it was killed (signal 9), as the kernel does with what needs more memory than --subjects-size".to_owned()
            }
            _ => lost.why,
        };
        let (exit, line) = self.of_coordinator.take().unwrap_or((Exit::Failure, why));
        let message = format!("{} is lost: {line}", lost.host);
        Ended { exit, message, record: None }
    }
}

impl Drop for Pods {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        self.looking.take().map(JoinHandle::join);
    }
}

impl Beside for Pods {
    fn listening(&mut self, at: SocketAddr) -> anyhow::Result<()> {
        let at = at.to_string();
        say(self.quiet, &say!("there-waits-in-pod", at));
        Ok(())
    }

    fn in_vain(&mut self) -> Option<String> {
        self.take_in();
        // It was said as it became known.
        self.in_vain.as_ref().map(|_| say!("there-in-vain"))
    }
}

/// Looks at the pods again and again, until nobody wants to hear of them.
fn look(namespace: &str, name: &str, tell: &Sender<Seen>, ends: &AtomicBool) {
    let instance = format!("app.kubernetes.io/instance={name}");
    let get =
        |what: &[&str]| kubectl(&[&["get", "-n", namespace, "-o", "json"], what].concat(), None, Some(ends));
    while !ends.load(Ordering::Relaxed) {
        // Events have no labels.
        let both = get(&["pods", "-l", &instance]).and_then(|pods| Ok((pods, get(&["events"])?)));
        let seen = match both {
            Ok((pods, events)) => Seen::Said { pods, events },
            Err(error) => Seen::Failed(error.to_string()),
        };
        if tell.send(seen).is_err() {
            return;
        }
        clock::sleep_for(LOOK_NS, ends);
    }
}
