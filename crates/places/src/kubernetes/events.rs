//! What Kubernetes says about pods, as what went wrong and what to do about it.

use super::objects::{COMPONENT_LABEL, Component};
use super::report::{Container, End, Event, List, ObjectKind, Phase, Pod, Severity, Terminated, Waiting};
use std::fmt;

/// What to do when a container cannot be started.
const ENTRY_POINT: &str =
    "check that the image has `proofload` as its entry point, for this node's processor";

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The pod; or the Job, where no pod could be made.
    pub of: String,
    /// The pod's index, where an Indexed Job gave it one: the agent's number.
    pub index: Option<u32>,
    pub kind: Kind,
    /// What happened, in Kubernetes' own words where it has some.
    pub what: String,
    pub remedy: String,
}

/// Kinds of trouble. Of `Waits` a cluster may get out by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No node takes the pod, or what it mounts is not there yet.
    Waits,
    /// The pod cannot start as it was asked for: image, configuration, permission.
    CannotStart,
    /// It was ended from outside: memory, preemption, eviction, a node.
    TakenAway,
    /// It ended by itself, with that exit code.
    Exit(i32),
}

/// `agent 3 (pod lab-agents-3-x7k2p): what happened: what to do`.
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "agent {index} (pod {})", self.of)?,
            None => f.write_str(&self.of)?,
        }
        write!(f, ": {}; {}", self.what, self.remedy)
    }
}

/// Whether the coordinator's pod runs, from what `kubectl get pods -o json` prints.
pub fn coordinator_runs(pods: &str) -> bool {
    let Ok(pods) = serde_json::from_str::<List<Pod>>(pods) else { return false };
    let is_coordinator = |pod: &Pod| {
        pod.metadata.labels.get(COMPONENT_LABEL).map(String::as_str) == Some(Component::Coordinator.name())
    };
    pods.items.iter().any(|pod| is_coordinator(pod) && pod.status.phase == Phase::Running)
}

/// What is wrong, from what `kubectl get pods -o json` and `kubectl get events -o json` print, in their order: one trouble
/// for each pod, the nearest to its cause. `name` is what the names of all objects of the run begin with: events are those of the
/// whole namespace. Empty where all is well, or may still become so. Exit codes are told as they are:
/// which of a coordinator's are verdicts its caller knows.
///
/// # Errors
/// When one of the two is not JSON of that form.
pub fn troubles(name: &str, pods: &str, events: &str) -> Result<Vec<Trouble>, serde_json::Error> {
    let pods: List<Pod> = serde_json::from_str(pods)?;
    let mut events: List<Event> = serde_json::from_str(events)?;
    let own = format!("{name}-");
    events.items.retain(|event| event.involved_object.name.starts_with(&own));
    let mut found: Vec<Trouble> = pods.items.iter().filter_map(|pod| of_pod(pod, &events.items)).collect();
    let gone = |event: &&Event| {
        let object = &event.involved_object;
        object.kind != ObjectKind::Pod || pods.items.iter().all(|pod| pod.metadata.name != object.name)
    };
    for trouble in events.items.iter().filter(gone).filter_map(of_absent) {
        // The same event is often there several times, with other times.
        if found.iter().all(|known| (&known.of, known.kind) != (&trouble.of, trouble.kind)) {
            found.push(trouble);
        }
    }
    Ok(found)
}

/// The nearest to its cause first: what was taken away also has an exit code, which says less.
fn of_pod(pod: &Pod, events: &[Event]) -> Option<Trouble> {
    let containers = &pod.status.container_statuses;
    let (kind, what, remedy) = disrupted(pod)
        .or_else(|| containers.iter().find_map(|container| ended(container, pod)))
        .or_else(|| containers.iter().find_map(|container| cannot_start(container, pod)))
        .or_else(|| unscheduled(pod))
        .or_else(|| failed(pod))
        .or_else(|| held_up(pod, events))?;
    Some(Trouble { of: pod.metadata.name.clone(), index: pod.index(), kind, what, remedy })
}

type Told = (Kind, String, String);

fn disrupted(pod: &Pod) -> Option<Told> {
    let condition = pod.condition("DisruptionTarget", true)?;
    Some(taken_away(&condition.reason, &condition.message))
}

/// Why something took a pod away, of conditions, of a pod's status and of events.
fn taken_away(reason: &str, message: &str) -> Told {
    let (what, remedy) = match reason {
        "PreemptionByScheduler" | "Preempted" | "Preempting" => (
            "preempted by a pod of a higher priority",
            "run again when the cluster is quieter, or give the namespace's pods a higher priority class",
        ),
        "EvictionByEvictionAPI" => (
            "evicted, as when somebody drains its node",
            "run again when no node is being drained or upgraded",
        ),
        "DeletionByTaintManager" | "TaintManagerEviction" => (
            "deleted, since its node got a taint: it is not ready, or being replaced",
            "look at `kubectl get nodes`, and run again on nodes that stay",
        ),
        "DeletionByPodGC" => {
            ("deleted together with its node", "run again on nodes that stay, no spot instances")
        }
        "TerminationByKubelet" | "Evicted" => (
            "ended by its node, which is short of memory, disk or processes",
            "ask for more memory, or for a node with more room, and run again",
        ),
        _ => ("ended by the cluster", "look at `kubectl describe node`, and run again"),
    };
    (Kind::TakenAway, with_words(&format!("{what} ({reason})"), message), remedy.into())
}

fn ended(container: &Container, pod: &Pod) -> Option<Told> {
    // A container that is started again and again says why in the state before.
    let reason = container.state.waiting.as_ref().map_or("", |waiting| &waiting.reason);
    let again = matches!(reason, "CrashLoopBackOff");
    let state = if again { &container.last_state } else { &container.state };
    let terminated = state.terminated.as_ref().filter(|end| end.exit_code != 0 || end.reason != End::Other);
    if !again {
        return terminated.map(|end| exit(end, logs(pod, false)));
    }
    let times = container.restart_count;
    let (kind, what, remedy) = match terminated {
        Some(end) => exit(end, logs(pod, true)),
        None => (Kind::Exit(0), "it ends at once".into(), logs(pod, true)),
    };
    Some((kind, format!("started again {times} times (CrashLoopBackOff): {what}"), remedy))
}

fn exit(end: &Terminated, logs: String) -> Told {
    let code = end.exit_code;
    match end.reason {
        End::OutOfMemory => {
            let what = "ended by the kernel: it needed more memory than its limit (OOMKilled)";
            let remedy = "give it more memory; a coordinator's memory is also that of its servers";
            return (Kind::TakenAway, what.into(), remedy.into());
        }
        End::StartError => {
            let what = with_words("the container cannot be started", &end.message);
            return (Kind::CannotStart, what, ENTRY_POINT.into());
        }
        End::Other => {}
    }
    let signal = if end.signal != 0 {
        end.signal
    } else if (129..=192).contains(&code) {
        code - 128
    } else {
        0
    };
    let by = if signal == 0 { String::new() } else { format!(", by signal {signal}") };
    (Kind::Exit(code), with_words(&format!("ended with exit code {code}{by}"), &end.message), logs)
}

fn cannot_start(container: &Container, pod: &Pod) -> Option<Told> {
    let Waiting { reason, message } = container.state.waiting.as_ref()?;
    let (what, remedy) = match reason.as_str() {
        "ErrImagePull" | "ImagePullBackOff" | "RegistryUnavailable" => (
            format!("its node cannot fetch the image {} ({reason})", container.image),
            "check the image's name and tag, that nodes reach its registry, and that the namespace's service account has its \
             credentials (imagePullSecrets)"
                .to_string(),
        ),
        "ErrImageNeverPull" => (
            format!("its node does not have the image {} ({reason})", container.image),
            "load the image on every node".into(),
        ),
        "InvalidImageName" => (
            format!("`{}` is no name of an image ({reason})", container.image),
            "write REGISTRY/NAME:TAG".into(),
        ),
        "CreateContainerConfigError" => (
            format!("what it needs is not there or not permitted ({reason})"),
            format!(
                "check that the Secrets of the manifest are in the namespace, and the image's user is a number: \
                 `kubectl describe pod {}`",
                in_namespace(pod)
            ),
        ),
        "CreateContainerError" | "RunContainerError" => (
            format!("its node cannot start the container ({reason})"),
            ENTRY_POINT.into(),
        ),
        _ => return None,
    };
    Some((Kind::CannotStart, with_words(&what, message), remedy))
}

fn unscheduled(pod: &Pod) -> Option<Told> {
    let condition = pod.condition("PodScheduled", false)?;
    let what = with_words(&format!("no node takes it ({})", condition.reason), &condition.message);
    let remedy = "ask for fewer agents, or less CPU and memory for each, or add nodes; `kubectl describe nodes` shows what is \
                  free";
    Some((Kind::Waits, what, remedy.into()))
}

/// What a node or a Job said of the whole pod.
fn failed(pod: &Pod) -> Option<Told> {
    let status = &pod.status;
    if status.phase != Phase::Failed {
        return None;
    }
    match status.reason.as_str() {
        "" => None,
        "DeadlineExceeded" => {
            let what = with_words("its time was over (DeadlineExceeded)", &status.message);
            Some((Kind::TakenAway, what, "allow more time, or a smaller --budget".into()))
        }
        reason => Some(taken_away(reason, &status.message)),
    }
}

/// What only events say of a pod that has not started: volumes and the network.
fn held_up(pod: &Pod, events: &[Event]) -> Option<Told> {
    if pod.status.phase != Phase::Pending {
        return None;
    }
    let of_it = |event: &&Event| {
        event.involved_object.kind == ObjectKind::Pod
            && event.involved_object.name == pod.metadata.name
            && event.severity == Severity::Warning
    };
    let held = ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"];
    let event = events.iter().filter(of_it).rfind(|event| held.contains(&event.reason.as_str()))?;
    let what = with_words(&format!("its node cannot prepare it ({})", event.reason), &event.message);
    let remedy = format!("if it stays so, look at `kubectl describe pod {}`", in_namespace(pod));
    Some((Kind::Waits, what, remedy))
}

/// What events say of pods that are gone, and of Jobs that cannot make any.
fn of_absent(event: &Event) -> Option<Trouble> {
    let object = &event.involved_object;
    let (of, (kind, what, remedy)) = match (object.kind, event.reason.as_str()) {
        (ObjectKind::Pod, reason @ ("Preempted" | "Evicted" | "TaintManagerEviction")) => {
            (object.name.clone(), taken_away(reason, &event.message))
        }
        (ObjectKind::Job, "FailedCreate") => {
            let what = with_words("no pod can be made (FailedCreate)", &event.message);
            let remedy =
                "ask for what the namespace's quota, limits and pod security permit, or have them changed";
            (format!("Job {}", object.name), (Kind::CannotStart, what, remedy.into()))
        }
        _ => return None,
    };
    Some(Trouble { of, index: None, kind, what, remedy })
}

fn with_words(what: &str, message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if message.is_empty() { what.into() } else { format!("{what}: {}", message.trim_end_matches('.')) }
}

fn logs(pod: &Pod, before: bool) -> String {
    let which = if before { "--previous " } else { "" };
    format!("its last lines say why: `kubectl logs {which}{}`", in_namespace(pod))
}

/// As arguments of `kubectl`.
fn in_namespace(pod: &Pod) -> String {
    let Some(namespace) = Some(&pod.metadata.namespace).filter(|name| !name.is_empty()) else {
        return pod.metadata.name.clone();
    };
    format!("-n {namespace} {}", pod.metadata.name)
}
