//! Trouble of pods, as Kubernetes reports it: the fault, and the remedy.

use super::manifest::{COMPONENT_LABEL, COORDINATOR};
use serde_json::Value;
use std::fmt;

/// Remedy when a container cannot be started.
const ENTRY_POINT: &str =
    "check that the image has `proofload` as its entry point, for this node's processor";

/// Reasons of an end that is trouble with any exit code.
const ODD_ENDS: [&str; 3] = ["OOMKilled", "StartError", "ContainerCannotRun"];

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The pod; or the Job, where no pod could be made.
    pub of: String,
    /// The pod's index, where an Indexed Job gave it one: the agent's number.
    pub index: Option<u32>,
    pub kind: Kind,
    /// The event, in Kubernetes' own words where it has some.
    pub what: String,
    pub remedy: String,
}

/// Kinds of trouble. Of `Waits` a cluster may get out by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No node takes the pod, or a volume of it is not there yet.
    Waits,
    /// The pod cannot start as specified: image, configuration, permission.
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

/// The text at that place in an object; empty where there is none, since each version of Kubernetes leaves out other
/// things.
fn text<'a>(of: &'a Value, at: &str) -> &'a str {
    of.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

/// The list there in an object.
fn items<'a>(of: &'a Value, at: &str) -> &'a [Value] {
    of.pointer(at).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn number(of: &Value, at: &str) -> i32 {
    of.pointer(at).and_then(Value::as_i64).and_then(|number| number.try_into().ok()).unwrap_or_default()
}

fn name_of(pod: &Value) -> &str {
    text(pod, "/metadata/name")
}

/// A condition of a pod that holds, or with `False` one that does not.
fn condition<'a>(pod: &'a Value, kind: &str, status: &str) -> Option<&'a Value> {
    let mut all = items(pod, "/status/conditions").iter();
    all.find(|condition| text(condition, "/type") == kind && text(condition, "/status") == status)
}

/// The index that an Indexed Job gave a pod.
fn index_of(pod: &Value) -> Option<u32> {
    const INDEX: &str = "batch.kubernetes.io/job-completion-index";
    let of = |what: &str| pod["metadata"][what][INDEX].as_str().map(str::to_owned);
    of("annotations").or_else(|| of("labels"))?.parse().ok()
}

/// True when the coordinator's pod runs, from what `kubectl get pods -o json` prints.
pub(crate) fn coordinator_runs(pods: &str) -> bool {
    let pods: Value = serde_json::from_str(pods).unwrap_or_default();
    items(&pods, "/items").iter().any(|pod| {
        pod["metadata"]["labels"][COMPONENT_LABEL] == COORDINATOR && text(pod, "/status/phase") == "Running"
    })
}

/// All faults, from the output of `kubectl get pods -o json` and `kubectl get events -o json`, in their order: one
/// trouble for each pod, the nearest to its cause. `name` is the name prefix of the run: events are those of the whole
/// namespace. Empty where all is well, or may still become so. Exit codes are reported as they are: the caller knows
/// which of a coordinator's are verdicts.
///
/// # Errors
/// Input that is not JSON.
pub fn troubles(name: &str, pods: &str, events: &str) -> serde_json::Result<Vec<Trouble>> {
    let (pods, events): (Value, Value) = (serde_json::from_str(pods)?, serde_json::from_str(events)?);
    let (own, pods) = (format!("{name}-"), items(&pods, "/items"));
    let is_own = |event: &&Value| text(event, "/involvedObject/name").starts_with(&own);
    let events: Vec<&Value> = items(&events, "/items").iter().filter(is_own).collect();
    let mut found: Vec<Trouble> = pods.iter().filter_map(|pod| of_pod(pod, &events)).collect();
    let is_gone = |event: &&&Value| {
        let name = text(event, "/involvedObject/name");
        text(event, "/involvedObject/kind") != "Pod" || pods.iter().all(|pod| name_of(pod) != name)
    };
    for trouble in events.iter().filter(is_gone).filter_map(|event| of_absent(event)) {
        // The same event is often there several times, with other times.
        if found.iter().all(|known| (&known.of, known.kind) != (&trouble.of, trouble.kind)) {
            found.push(trouble);
        }
    }
    Ok(found)
}

/// A kind of trouble, what happened, and what to do about it.
type Cause = (Kind, String, String);

/// The nearest to its cause first: a pod that was taken away also has an exit code, which is less specific.
fn of_pod(pod: &Value, events: &[&Value]) -> Option<Trouble> {
    let containers = items(pod, "/status/containerStatuses");
    let disrupted = condition(pod, "DisruptionTarget", "True");
    let (kind, what, remedy) = disrupted
        .map(|condition| taken_away(text(condition, "/reason"), text(condition, "/message")))
        .or_else(|| containers.iter().find_map(|container| ended(container, pod)))
        .or_else(|| containers.iter().find_map(|container| cannot_start(container, pod)))
        .or_else(|| unscheduled(pod))
        .or_else(|| failed(pod))
        .or_else(|| held_up(pod, events))?;
    Some(Trouble { of: name_of(pod).to_owned(), index: index_of(pod), kind, what, remedy })
}

/// Reasons that took a pod away, of conditions, of a pod's status and of events.
fn taken_away(reason: &str, message: &str) -> Cause {
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

fn ended(container: &Value, pod: &Value) -> Option<Cause> {
    // A container that is started again and again has the reason in the state before.
    let again = text(container, "/state/waiting/reason") == "CrashLoopBackOff";
    let state = if again { "/lastState/terminated" } else { "/state/terminated" };
    let end = container.pointer(state).filter(|end| end.is_object());
    let is_odd = |end: &&Value| number(end, "/exitCode") != 0 || ODD_ENDS.contains(&text(end, "/reason"));
    let end = end.filter(is_odd);
    if !again {
        return end.map(|end| exit(end, logs(pod, false)));
    }
    let times = number(container, "/restartCount");
    let (kind, what, remedy) = match end {
        Some(end) => exit(end, logs(pod, true)),
        None => (Kind::Exit(0), "it ends at once".into(), logs(pod, true)),
    };
    Some((kind, format!("started again {times} times (CrashLoopBackOff): {what}"), remedy))
}

fn exit(end: &Value, logs: String) -> Cause {
    let (code, message) = (number(end, "/exitCode"), text(end, "/message"));
    match text(end, "/reason") {
        "OOMKilled" => {
            let what = "ended by the kernel: it needed more memory than its limit (OOMKilled)";
            let remedy = "give it more memory; a coordinator's memory is also that of its servers";
            return (Kind::TakenAway, what.into(), remedy.into());
        }
        "StartError" | "ContainerCannotRun" => {
            let what = with_words("the container cannot be started", message);
            return (Kind::CannotStart, what, ENTRY_POINT.into());
        }
        _ => {}
    }
    let signal = match number(end, "/signal") {
        0 if (129..=192).contains(&code) => code - 128,
        signal => signal,
    };
    let by = if signal == 0 { String::new() } else { format!(", by signal {signal}") };
    (Kind::Exit(code), with_words(&format!("ended with exit code {code}{by}"), message), logs)
}

fn cannot_start(container: &Value, pod: &Value) -> Option<Cause> {
    let waiting = |key| text(&container["state"]["waiting"], key);
    let (reason, message, image) = (waiting("/reason"), waiting("/message"), text(container, "/image"));
    let (what, remedy) = match reason {
        "ErrImagePull" | "ImagePullBackOff" | "RegistryUnavailable" => (
            format!("its node cannot fetch the image {image} ({reason})"),
            "check the image's name and tag, that nodes reach its registry, and that the namespace's service account has its \
             credentials (imagePullSecrets)"
                .to_string(),
        ),
        "ErrImageNeverPull" => (
            format!("its node does not have the image {image} ({reason})"),
            "load the image on every node".into(),
        ),
        "InvalidImageName" => (
            format!("`{image}` is no name of an image ({reason})"),
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

fn unscheduled(pod: &Value) -> Option<Cause> {
    let condition = condition(pod, "PodScheduled", "False")?;
    let what = format!("no node takes it ({})", text(condition, "/reason"));
    let remedy = "ask for fewer agents, or less CPU and memory for each, or add nodes; `kubectl describe nodes` shows what is \
                  free";
    Some((Kind::Waits, with_words(&what, text(condition, "/message")), remedy.into()))
}

/// Trouble that a node or a Job reported for the whole pod.
fn failed(pod: &Value) -> Option<Cause> {
    let message = text(pod, "/status/message");
    match (text(pod, "/status/phase"), text(pod, "/status/reason")) {
        ("Failed", "DeadlineExceeded") => {
            let what = with_words("its time was over (DeadlineExceeded)", message);
            Some((Kind::TakenAway, what, "allow more time, or a smaller --budget".into()))
        }
        ("Failed", reason) if !reason.is_empty() => Some(taken_away(reason, message)),
        _ => None,
    }
}

/// Trouble that only events report for a pod that has not started: volumes and the network.
fn held_up(pod: &Value, events: &[&Value]) -> Option<Cause> {
    if text(pod, "/status/phase") != "Pending" {
        return None;
    }
    let event = events.iter().rfind(|event| {
        text(event, "/involvedObject/kind") == "Pod"
            && text(event, "/involvedObject/name") == name_of(pod)
            && text(event, "/type") == "Warning"
            && ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"]
                .contains(&text(event, "/reason"))
    })?;
    let what = format!("its node cannot prepare it ({})", text(event, "/reason"));
    let remedy = format!("if it stays so, look at `kubectl describe pod {}`", in_namespace(pod));
    Some((Kind::Waits, with_words(&what, text(event, "/message")), remedy))
}

/// Trouble that events report for pods that are gone, and for Jobs that cannot make any.
fn of_absent(event: &Value) -> Option<Trouble> {
    let (name, message) = (text(event, "/involvedObject/name"), text(event, "/message"));
    let (of, (kind, what, remedy)) = match (text(event, "/involvedObject/kind"), text(event, "/reason")) {
        ("Pod", reason @ ("Preempted" | "Evicted" | "TaintManagerEviction")) => {
            (name.to_owned(), taken_away(reason, message))
        }
        ("Job", "FailedCreate") => {
            let what = with_words("no pod can be made (FailedCreate)", message);
            let remedy =
                "ask for what the namespace's quota, limits and pod security permit, or have them changed";
            (format!("Job {name}"), (Kind::CannotStart, what, remedy.into()))
        }
        _ => return None,
    };
    Some(Trouble { of, index: None, kind, what, remedy })
}

fn with_words(what: &str, message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if message.is_empty() { what.into() } else { format!("{what}: {}", message.trim_end_matches('.')) }
}

fn logs(pod: &Value, before: bool) -> String {
    let which = if before { "--previous " } else { "" };
    format!("its last lines say why: `kubectl logs {which}{}`", in_namespace(pod))
}

/// As arguments of `kubectl`.
fn in_namespace(pod: &Value) -> String {
    match text(pod, "/metadata/namespace") {
        "" => name_of(pod).to_owned(),
        namespace => format!("-n {namespace} {}", name_of(pod)),
    }
}
