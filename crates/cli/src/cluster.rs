//! A study in a cluster: its objects are made, its coordinator is told what to run by `kubectl exec`, what the cluster knows of its pods
//! is said, its record is brought home, and its objects are deleted.

use crate::args::RunArgs;
use crate::carried;
use crate::checked::Checked;
use crate::exit::{Exit, leave};
use crate::place;
use crate::pod::{self, PROGRAM};
use crate::pods::Pods;
use crate::there::{Ended, Heard, Home, Outcome, There, bring_home, failed, hear};
use proofload_agents::VERSION;
use proofload_host::signals;
use proofload_language::Language;
use proofload_places::kubernetes::manifest::Wanted;
use proofload_places::kubernetes::{kubectl, read_by};
use proofload_places::{Launched, Order};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a pod may take to begin to hand over the record of a coordinator that is gone, and to go on with it.
const FETCHED_WITHIN: Duration = Duration::from_secs(3);

/// Runs a study there by the objects of this text, and brings its record home.
pub fn run(args: &RunArgs, checked: &Checked, wanted: &Wanted, text: String) -> anyhow::Result<Exit> {
    let stop = signals::install()?;
    let (order, files) = order(args, checked, wanted)?;
    let home = Home::of(args, checked);
    let mut cluster = Cluster { of: wanted, text, stays: false };
    cluster.make(&stop)?;
    let mut pods = Pods::watch(wanted, args.output.quiet)?;
    if !pods.until_coordinator_runs(&stop)? {
        return Ok(Exit::Interrupted);
    }
    let exec = cluster.exec(&["-i"], place::ARGUMENT);
    let mut there = There::start(cluster.job(), exec, &order, files, home.clone())?;
    match there.follow(&stop, &mut pods)? {
        Outcome::Ended(ended) => {
            if ended.exit == Exit::Invalid && !ended.message.is_empty() {
                pods.hear_of_agents();
            }
            let ended = as_the_cluster_has_it(ended, &pods, &stop);
            bring_home(args, ended, &mut || there.has_kept())
        }
        // A pod that is only out of reach holds the record, and nothing else goes on in it.
        Outcome::Lost(lost) if lost.is_silent && !lost.keeps_in.is_empty() => {
            cluster.stays = true;
            let kept = cluster.says_what_is_kept(checked, &lost.keeps_in);
            Err(leave(Exit::Failure, format!("{} is lost: {}; {kept}", lost.host, lost.why)))
        }
        Outcome::Lost(lost) => {
            drop(there);
            let lost = pods.why_gone(lost);
            match cluster.fetch(home) {
                Some(record) => bring_home(args, Ended { record: Some(record), ..lost }, &mut || {}),
                None => Err(leave(lost.exit, lost.message)),
            }
        }
    }
}

fn order(args: &RunArgs, checked: &Checked, wanted: &Wanted) -> anyhow::Result<(Order, Vec<u8>)> {
    let mut files = Vec::new();
    let carried = carried::of(args, checked)?;
    proofload_places::pack(&carried, &mut files).map_err(|error| leave(Exit::Usage, error))?;
    let order = Order {
        version: VERSION.to_owned(),
        fingerprint: None,
        token: wanted.token.clone(),
        agents: wanted.agents,
        wait_s: wanted.wait_s,
        address: None,
        arguments: crate::around::arguments(),
        directory: proofload_host::working_directory(),
        language: Language::spoken().tag().to_owned(),
        files_bytes: files.len() as u64,
    };
    Ok((order, files))
}

/// What the coordinator cannot know of its end: that nothing could come of it, and that the cluster ended it.
fn as_the_cluster_has_it(ended: Ended, pods: &Pods, stop: &AtomicBool) -> Ended {
    match pods.is_in_vain() {
        Some((exit, line)) => Ended { exit: *exit, message: line.clone(), ..ended },
        None if ended.exit == Exit::Interrupted && !stop.load(Ordering::Relaxed) => {
            let message =
                "the coordinator's pod was told to end by the cluster, and ended the run".to_owned();
            Ended { message, ..ended }
        }
        None => ended,
    }
}

/// The objects of a run; they are deleted when this value goes.
struct Cluster<'a> {
    of: &'a Wanted,
    text: String,
    /// They are left as they are.
    stays: bool,
}

impl Cluster<'_> {
    fn make(&self, stop: &AtomicBool) -> anyhow::Result<()> {
        signals::last_words(&format!(
            "the objects of {0} may still be there: {1}",
            self.of.name,
            self.deletes()
        ));
        let made = kubectl(&["create", "-f", "-"], Some(&self.text), Some(stop));
        made.map(drop).map_err(failed)
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
        let job = self.job();
        let words = ["-n", &self.of.namespace, &job, "--", PROGRAM, argument];
        read_by(&[&["exec"], how, &words].concat())
    }

    /// How to get at a record in a pod that is out of reach, and how to take the objects away then.
    fn says_what_is_kept(&self, checked: &Checked, folder: &str) -> String {
        let (namespace, job, deletes) = (&self.of.namespace, self.job(), self.deletes());
        let run = format!("{folder}/{}/latest", checked.study.name);
        format!(
            "what was measured until then is kept in its pod for ten minutes; when that is reached again:\n  \
             kubectl exec -n {namespace} {job} -- {PROGRAM} report {run}\n  {deletes}"
        )
    }

    /// The record that a coordinator left, where its pod is still there.
    fn fetch(&self, home: Home) -> Option<PathBuf> {
        let mut exec = self.exec(&[], pod::RECORD_ARGUMENT);
        exec.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut exec = Launched::start("kubectl exec".to_owned(), exec).ok()?;
        let heard = hear(exec.pipes().1?, home);
        loop {
            match heard.recv_timeout(FETCHED_WITHIN).ok()? {
                Heard::Ended(Ended { record, .. }) => return record,
                Heard::Lost(_) => return None,
                Heard::Alive | Heard::Listening { .. } => {}
            }
        }
    }
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        if !self.stays {
            let words = ["delete", "--wait=false", "--ignore-not-found", "-f", "-"];
            if let Err(error) = kubectl(&words, Some(&self.text), None) {
                let (name, deletes) = (&self.of.name, self.deletes());
                let _ =
                    writeln!(io::stderr(), "the objects of {name} may still be there ({error}): {deletes}");
            }
        }
        signals::last_words("");
    }
}
