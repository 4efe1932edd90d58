//! A watch of the pods of a run, as the cluster reports them.

use super::kubectl;
use super::spec::{ManifestSpec, WAIT};
use super::trouble::{Kind, coordinator_runs, troubles};
use crate::client::{AgentSource, Lost};
use crate::deadline::Deadline;
use crate::error::RemoteError;
use crate::notices::Notices;
use proofload_host::clock;
use proofload_language::tr;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval between two queries of the pods.
const LOOK_NS: u64 = 1_000_000_000;
/// Longest time for a cluster to report why a pod is gone.
const WHY_GONE: Duration = Duration::from_secs(3);
/// The same of an agent's pod.
const AGENT_GONE: Duration = Duration::from_secs(2);
/// Exit code of what signal 9 ended.
const KILLED: i32 = 128 + 9;
/// Interval between two checks of the results.
const WAITING: Duration = Duration::from_millis(100);

/// A kind of error, and its text.
type Trouble = (fn(String) -> RemoteError, String);
/// Pods and events, as JSON.
type Seen = io::Result<(String, String)>;

/// A watch of pods, in a thread of its own: kubectl may take long to report that the cluster does not answer.
pub(super) struct PodWatch<'a> {
    seen: Receiver<Seen>,
    /// Ends the watch.
    ends: Arc<AtomicBool>,
    looking: Option<JoinHandle<()>>,
    name: String,
    notices: &'a Notices,
    told: Vec<String>,
    coordinator_runs: bool,
    /// The reason why nothing will come of the run.
    pub hopeless: Option<RemoteError>,
    /// The last trouble of the coordinator's pod.
    of_coordinator: Option<Trouble>,
    /// The cluster has reported why an agent is gone.
    agent_is_gone: bool,
    failed: Option<String>,
}

impl<'a> PodWatch<'a> {
    pub fn start(of: &ManifestSpec, notices: &'a Notices) -> io::Result<PodWatch<'a>> {
        let (tell, seen) = mpsc::channel();
        let (namespace, name, ends) =
            (of.namespace.clone(), of.name.clone(), Arc::new(AtomicBool::new(false)));
        let (looked_for, ended) = (name.clone(), Arc::clone(&ends));
        let looking = std::thread::Builder::new()
            .spawn(move || look(&namespace, &looked_for, &tell, &ended))
            .map(Some)?;
        Ok(PodWatch {
            seen,
            ends,
            looking,
            name,
            notices,
            told: Vec::new(),
            coordinator_runs: false,
            hopeless: None,
            of_coordinator: None,
            agent_is_gone: false,
            failed: None,
        })
    }

    /// Waits until the coordinator's pod runs.
    ///
    /// # Errors
    /// `Stopped`; or why it does not.
    pub fn until_coordinator_runs(&mut self, stop: &AtomicBool) -> Result<(), RemoteError> {
        let waiting = Deadline::after(WAIT);
        loop {
            self.take_in();
            if self.coordinator_runs {
                return Ok(());
            }
            if stop.load(Ordering::Relaxed) {
                return Err(RemoteError::Stopped(tr!("started-stopped").to_owned()));
            }
            if let Some(error) = self.hopeless.take() {
                return Err(error);
            }
            if let Some(why) = self.failed.take() {
                return Err(RemoteError::FailedStart(why));
            }
            if waiting.is_over() {
                let last = self.of_coordinator.take().map_or(String::new(), |(_, line)| format!(": {line}"));
                let why = format!("the coordinator's pod does not run after {} s{last}", WAIT.as_secs());
                return Err(RemoteError::FailedStart(why));
            }
            std::thread::sleep(WAITING);
        }
    }

    fn take_in(&mut self) {
        while let Ok(seen) = self.seen.try_recv() {
            let learnt = seen.map_err(|error| error.to_string()).and_then(|(pods, events)| {
                let wrong = "kubectl says something else than JSON of pods and events";
                self.learn(&pods, &events).map_err(|error| format!("{wrong}: {error}"))
            });
            self.failed = learnt.err();
        }
    }

    /// Reports facts that the cluster knows and this command does not, each once.
    fn learn(&mut self, pods: &str, events: &str) -> serde_json::Result<()> {
        if coordinator_runs(pods) && !self.coordinator_runs {
            self.coordinator_runs = true;
            // What held it up before is not why it is gone later.
            self.of_coordinator = None;
        }
        for trouble in troubles(&self.name, pods, events)? {
            let line = trouble.to_string();
            let error: fn(String) -> RemoteError = match trouble.kind {
                Kind::TakenAway => RemoteError::Invalid,
                Kind::Exit(_) => RemoteError::Lost,
                Kind::CannotStart | Kind::Waits => RemoteError::FailedStart,
            };
            // One that runs reports itself which agents are lost, and brings its record.
            let is_hopeless = match trouble.kind {
                Kind::CannotStart => true,
                Kind::TakenAway | Kind::Exit(_) => trouble.index.is_none() && !self.coordinator_runs,
                Kind::Waits => false,
            };
            self.agent_is_gone |= trouble.index.is_some() && trouble.kind != Kind::Waits;
            if trouble.of.contains("-coordinator") {
                self.of_coordinator = Some((error, line.clone()));
            }
            if is_hopeless && self.hopeless.is_none() {
                self.hopeless = Some(error(line.clone()));
            }
            if !self.told.contains(&line) {
                self.notices.say(&line);
                self.told.push(line);
            }
        }
        Ok(())
    }

    fn wait_for(&mut self, within: Duration, is_known: impl Fn(&PodWatch<'_>) -> bool) {
        let waiting = Deadline::after(within);
        while !is_known(self) && !waiting.is_over() {
            std::thread::sleep(WAITING);
            self.take_in();
        }
    }

    /// Waits for why an agent is gone, for which a cluster takes a little longer than its coordinator does to miss it.
    pub fn await_agents(&mut self) {
        self.wait_for(AGENT_GONE, |pods| pods.agent_is_gone);
    }

    /// The end of a run whose coordinator is gone, as the cluster reports it soon afterwards.
    pub fn why_gone(&mut self, lost: Lost) -> RemoteError {
        self.wait_for(WHY_GONE, |pods| pods.of_coordinator.is_some());
        let why = match lost.code {
            Some(KILLED) => {
                "it was killed (signal 9), as the kernel does with what needs more memory than --subjects-size".to_owned()
            }
            _ => lost.why,
        };
        let (error, line) = self.of_coordinator.take().unwrap_or((RemoteError::Lost, why));
        error(format!("{} is lost: {line}", lost.host))
    }
}

impl Drop for PodWatch<'_> {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        self.looking.take().map(JoinHandle::join);
    }
}

impl AgentSource for PodWatch<'_> {
    fn coordinator_listens(&mut self, at: SocketAddr) -> Result<(), RemoteError> {
        self.notices.say(&tr!("there-waits-in-pod", at = at.to_string()));
        Ok(())
    }

    fn failure(&mut self) -> Option<String> {
        self.take_in();
        // It was reported as it became known.
        self.hopeless.as_ref().map(|_| tr!("there-in-vain").to_string())
    }
}

/// Queries the pods again and again, until the watch ends.
fn look(namespace: &str, name: &str, tell: &Sender<Seen>, ends: &AtomicBool) {
    let instance = format!("app.kubernetes.io/instance={name}");
    let get =
        |what: &[&str]| kubectl(&[&["get", "-n", namespace, "-o", "json"], what].concat(), None, Some(ends));
    while !ends.load(Ordering::Relaxed) {
        // Events have no labels.
        let seen = get(&["pods", "-l", &instance]).and_then(|pods| Ok((pods, get(&["events"])?)));
        if tell.send(seen).is_err() {
            return;
        }
        clock::sleep_for(LOOK_NS, ends);
    }
}
