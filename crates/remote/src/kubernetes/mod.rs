//! A study in Kubernetes, by the user's own kubectl: the objects of a coordinator and its agents ([`manifest`]) are
//! made, the coordinator receives its order by `kubectl exec`, trouble of its pods is reported, its record is brought
//! home, and the objects are deleted.

pub mod manifest;
pub mod pod_main;
mod pod_watch;
pub mod spec;
pub mod trouble;

use crate::client::{Client, Ended, listen};
use crate::error::RemoteError;
use crate::launch::output;
use crate::notices::Notices;
use crate::order::{Answer, Order, RemoteRun, TakeIn};
use crate::server;
use pod_main::PROGRAM;
use pod_watch::PodWatch;
use proofload_host::signals;
use proofload_host::started::Started;
use spec::{ManifestSpec, WAIT};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Longest time for an order to a cluster.
const ANSWERS: Duration = Duration::from_secs(120);
/// Longest time for a pod to begin to hand over the record of a coordinator that is gone, and to go on with it.
const FETCHED_WITHIN: Duration = Duration::from_secs(3);

/// Output of kubectl, with the user's contexts, plugins and proxies, for these words.
///
/// # Errors
/// As [`output`].
fn kubectl(words: &[&str], input: Option<&str>, stop: Option<&AtomicBool>) -> io::Result<String> {
    let what = format!("kubectl {}", words.first().unwrap_or(&""));
    output(&what, Command::new("kubectl").args(words).stdin(Stdio::null()), input, ANSWERS, stop)
}

/// Runs a study in a cluster, by the objects of this specification, and gives `then` its end. `study` is its name.
///
/// # Errors
/// The objects cannot be made, pods do not start, or the coordinator is lost with its record.
pub fn run<T>(
    spec: &ManifestSpec,
    run: RemoteRun,
    study: &str,
    notices: &Notices,
    stop: &AtomicBool,
    then: impl FnOnce(Ended) -> T,
) -> Result<T, RemoteError> {
    let text = manifest::manifest(spec)?;
    let mut objects = Objects { of: spec, text, notices, stays: false };
    objects.make(stop)?;
    let mut pods = PodWatch::start(spec, notices)?;
    pods.until_coordinator_runs(stop)?;
    let order = Order::of(&run, &spec.token, spec.agents, WAIT);
    let (exec, take_in) = (objects.exec(&["-i"], server::ARGUMENT), run.take_in.clone());
    let mut client = Client::start(objects.job(), exec, &order, run)?;
    match client.follow(stop, notices, &mut pods)? {
        Ok(ended) => Ok(then(as_the_cluster_has_it(ended, &mut pods, stop))),
        // A pod that is only out of reach holds the record, and nothing else goes on in it.
        Err(lost) if lost.is_silent && !lost.keeps_in.is_empty() => {
            objects.stays = true;
            Err(RemoteError::Lost(format!("{lost}; {}", objects.what_is_kept(study, &lost.keeps_in))))
        }
        Err(lost) => {
            drop(client);
            let error = pods.why_gone(lost);
            match objects.fetch(take_in) {
                Some(record) => {
                    let (exit, message) = (error.exit_code(), error.to_string());
                    Ok(then(Ended { exit, message, record: Some(record) }))
                }
                None => Err(error),
            }
        }
    }
}

/// The end of a run with facts that its coordinator cannot know: that the run was hopeless, and that the cluster ended
/// it.
fn as_the_cluster_has_it(ended: Ended, pods: &mut PodWatch<'_>, stop: &AtomicBool) -> Ended {
    let is = |error: fn(String) -> RemoteError| ended.exit == error(String::new()).exit_code();
    if is(RemoteError::Invalid) && !ended.message.is_empty() {
        pods.await_agents();
    }
    let (exit, message) = match &pods.hopeless {
        Some(error) => (error.exit_code(), error.to_string()),
        None if is(RemoteError::Stopped) && !stop.load(Ordering::Relaxed) => {
            (ended.exit, "the coordinator's pod was told to end by the cluster, and ended the run".to_owned())
        }
        None => return ended,
    };
    Ended { exit, message, ..ended }
}

/// The objects of a run; they are deleted when this value is dropped.
struct Objects<'a> {
    of: &'a ManifestSpec,
    text: String,
    notices: &'a Notices,
    /// They are left as they are.
    stays: bool,
}

impl Objects<'_> {
    fn make(&self, stop: &AtomicBool) -> io::Result<()> {
        signals::last_words(&self.may_be_there(""));
        kubectl(&["create", "-f", "-"], Some(&self.text), Some(stop)).map(drop)
    }

    fn may_be_there(&self, why: &str) -> String {
        format!("the objects of {} may still be there{why}: {}", self.of.name, self.deletes())
    }

    /// The command that deletes the objects.
    fn deletes(&self) -> String {
        let (namespace, name) = (&self.of.namespace, &self.of.name);
        format!(
            "kubectl delete -n {namespace} jobs,services,secrets,networkpolicies -l app.kubernetes.io/instance={name}"
        )
    }

    fn job(&self) -> String {
        format!("job/{}-coordinator", self.of.name)
    }

    /// A kubectl that runs this executable in the coordinator's pod.
    fn exec(&self, how: &[&str], argument: &str) -> Command {
        let mut command = Command::new("kubectl");
        command.arg("exec").args(how).args(["-n", &self.of.namespace, &self.job(), "--", PROGRAM, argument]);
        command
    }

    /// Place of a record in a pod that is out of reach, and how to take the objects away then.
    fn what_is_kept(&self, study: &str, folder: &str) -> String {
        let (namespace, job, deletes) = (&self.of.namespace, self.job(), self.deletes());
        format!(
            "what was measured until then is kept in its pod for ten minutes; when that is reached again:\n  \
             kubectl exec -n {namespace} {job} -- {PROGRAM} report {folder}/{study}/latest\n  {deletes}"
        )
    }

    /// The record that a coordinator left, where its pod is still there.
    fn fetch(&self, take_in: TakeIn) -> Option<PathBuf> {
        let mut exec = self.exec(&[], pod_main::RECORD_ARGUMENT);
        exec.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut exec = Started::start(&mut exec).ok()?;
        let incoming = listen(exec.pipes().1?, take_in);
        loop {
            if let (Answer::Ended { .. }, record) = incoming.recv_timeout(FETCHED_WITHIN).ok()?.ok()? {
                return record;
            }
        }
    }
}

impl Drop for Objects<'_> {
    fn drop(&mut self) {
        if !self.stays {
            let words = ["delete", "--wait=false", "--ignore-not-found", "-f", "-"];
            if let Err(error) = kubectl(&words, Some(&self.text), None) {
                (self.notices.line)(&self.may_be_there(&format!(" ({error})")));
            }
        }
        signals::last_words("");
    }
}
