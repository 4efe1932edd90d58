//! Answers of a cluster, and the trouble read from them. The answers are as `kubectl get -o json` prints them, without
//! the parts that are not read here.

use proofload_remote::kubernetes::trouble::{Kind, Trouble, troubles};
use serde_json::{Value, json};

/// A pod of the agents' Job with that status.
fn pod(index: u32, status: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": { "batch.kubernetes.io/job-completion-index": index.to_string() },
            "creationTimestamp": "2026-03-02T10:00:00Z",
            "labels": {
                "app.kubernetes.io/instance": "lab",
                "batch.kubernetes.io/job-completion-index": index.to_string(),
                "batch.kubernetes.io/job-name": "lab-agents",
            },
            "name": format!("lab-agents-{index}-x7k2p"),
            "namespace": "load",
        },
        "spec": { "nodeName": "node-1", "restartPolicy": "Never" },
        "status": status,
    })
}

/// The only container of a pod in that state.
fn container(state: &Value) -> Value {
    json!([{
        "image": "registry.example/proofload:0.1.0",
        "imageID": "",
        "lastState": {},
        "name": "agent",
        "ready": false,
        "restartCount": 0,
        "started": false,
        "state": state,
    }])
}

fn waiting(reason: &str, message: &str) -> Value {
    json!({ "phase": "Pending", "containerStatuses": container(&json!({ "waiting": { "reason": reason, "message": message } })) })
}

fn terminated(code: i32, reason: &str) -> Value {
    let state = json!({ "terminated": {
        "containerID": "containerd://4e07", "exitCode": code, "finishedAt": "2026-03-02T10:01:00Z", "reason": reason,
        "startedAt": "2026-03-02T10:00:02Z",
    } });
    json!({ "phase": "Failed", "containerStatuses": container(&state) })
}

fn event(kind: &str, name: &str, reason: &str, message: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "count": 3,
        "involvedObject": { "apiVersion": "v1", "kind": kind, "name": name, "namespace": "load", "uid": "0f1d" },
        "kind": "Event",
        "lastTimestamp": "2026-03-02T10:00:30Z",
        "message": message,
        "metadata": { "name": format!("{name}.17d2"), "namespace": "load" },
        "reason": reason,
        "source": { "component": "kubelet", "host": "node-1" },
        "type": "Warning",
    })
}

fn list(items: &[Value]) -> String {
    json!({ "apiVersion": "v1", "items": items, "kind": "List", "metadata": { "resourceVersion": "" } })
        .to_string()
}

fn all(pods: &[Value], events: &[Value]) -> Vec<Trouble> {
    troubles("lab", &list(pods), &list(events)).expect("JSON of that form")
}

/// The one trouble of a pod with that status, and its sentence.
fn one(status: &Value) -> (Kind, String) {
    let found = all(&[pod(3, status)], &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].index, Some(3));
    (found[0].kind, found[0].to_string())
}

#[test]
fn pods_that_are_well_are_no_trouble() {
    let running = json!({
        "conditions": [{ "type": "PodScheduled", "status": "True" }, { "type": "Ready", "status": "True" }],
        "containerStatuses": container(&json!({ "running": { "startedAt": "2026-03-02T10:00:02Z" } })),
        "phase": "Running",
    });
    let mut succeeded = terminated(0, "Completed");
    succeeded["phase"] = "Succeeded".into();
    let starting = waiting("ContainerCreating", "");
    let pods =
        [pod(0, &running), pod(1, &succeeded), pod(2, &starting), pod(3, &json!({ "phase": "Pending" }))];
    // What held a pod up before it ran is over.
    let over = [
        event(
            "Pod",
            "lab-agents-0-x7k2p",
            "FailedScheduling",
            "0/1 nodes are available: 1 Insufficient cpu.",
        ),
        event("Pod", "lab-agents-0-x7k2p", "FailedMount", "MountVolume.SetUp failed for volume \"token\""),
    ];
    assert_eq!(all(&pods, &over), []);
}

#[test]
fn a_pod_that_no_node_takes_is_told_in_the_schedulers_words() {
    let message = "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 \
                   Insufficient cpu. preemption: 0/3 nodes are available.";
    let (kind, sentence) = one(&json!({
        "conditions": [{ "lastProbeTime": null, "message": message, "reason": "Unschedulable", "status": "False", "type": "PodScheduled" }],
        "phase": "Pending",
        "qosClass": "Guaranteed",
    }));
    assert_eq!(kind, Kind::Waits);
    assert_eq!(
        sentence,
        "agent 3 (pod lab-agents-3-x7k2p): no node takes it (Unschedulable): 0/3 nodes are available: 1 node(s) had untolerated \
         taint {node-role.kubernetes.io/control-plane: }, 2 Insufficient cpu. preemption: 0/3 nodes are available; ask for fewer \
         agents, or less CPU and memory for each, or add nodes; `kubectl describe nodes` shows what is free"
    );
}

#[test]
fn images_that_cannot_be_had_are_named() {
    let message = "Back-off pulling image \"registry.example/proofload:0.1.0\": ErrImagePull: not found";
    for reason in ["ErrImagePull", "ImagePullBackOff"] {
        let (kind, sentence) = one(&waiting(reason, message));
        assert_eq!(kind, Kind::CannotStart);
        assert!(
            sentence.contains(&format!("cannot fetch the image registry.example/proofload:0.1.0 ({reason})")),
            "{sentence}"
        );
        assert!(sentence.contains("imagePullSecrets"), "{sentence}");
    }
    assert!(one(&waiting("ErrImageNeverPull", "")).1.ends_with("load the image on every node"));
    assert!(one(&waiting("InvalidImageName", "")).1.contains("is no name of an image"));
}

#[test]
fn a_configuration_that_is_missing_is_told() {
    let (kind, sentence) = one(&waiting("CreateContainerConfigError", "secret \"lab-token\" not found"));
    assert_eq!(kind, Kind::CannotStart);
    assert!(sentence.contains("(CreateContainerConfigError): secret \"lab-token\" not found;"), "{sentence}");
    assert!(sentence.contains("kubectl describe pod -n load lab-agents-3-x7k2p"), "{sentence}");
    let (kind, sentence) = one(&waiting("CreateContainerError", "exec: \"proofload\": not found"));
    assert_eq!(kind, Kind::CannotStart);
    assert!(sentence.contains("entry point"), "{sentence}");
}

#[test]
fn a_crash_loop_tells_of_the_end_before() {
    let mut status = waiting("CrashLoopBackOff", "back-off 40s restarting failed container=agent");
    status["phase"] = "Running".into();
    status["containerStatuses"][0]["restartCount"] = 4.into();
    status["containerStatuses"][0]["lastState"] =
        json!({ "terminated": { "exitCode": 2, "reason": "Error" } });
    let (kind, sentence) = one(&status);
    assert_eq!(kind, Kind::Exit(2));
    assert!(
        sentence.contains("started again 4 times (CrashLoopBackOff): ended with exit code 2;"),
        "{sentence}"
    );
    assert!(sentence.contains("kubectl logs --previous -n load lab-agents-3-x7k2p"), "{sentence}");
    status["containerStatuses"][0]["lastState"]["terminated"] =
        json!({ "exitCode": 137, "reason": "OOMKilled" });
    assert_eq!(one(&status).0, Kind::TakenAway);
}

#[test]
fn memory_that_was_too_little_is_not_an_exit_code() {
    let (kind, sentence) = one(&terminated(137, "OOMKilled"));
    assert_eq!(kind, Kind::TakenAway);
    assert!(sentence.contains("more memory than its limit (OOMKilled); give it more memory"), "{sentence}");
}

#[test]
fn an_exit_code_leads_to_the_logs() {
    let (kind, sentence) = one(&terminated(2, "Error"));
    assert_eq!(kind, Kind::Exit(2));
    assert!(sentence.contains(
        "ended with exit code 2; its last lines say why: `kubectl logs -n load lab-agents-3-x7k2p`"
    ));
    assert!(one(&terminated(143, "Error")).1.contains("ended with exit code 143, by signal 15"));
    let (kind, sentence) = one(&terminated(128, "StartError"));
    assert_eq!(kind, Kind::CannotStart, "{sentence}");
}

/// A pod that was taken away ends with an exit code, too, which is less specific.
#[test]
fn who_took_a_pod_away_comes_before_how_it_ended() {
    for (reason, part) in [
        ("PreemptionByScheduler", "preempted by a pod of a higher priority"),
        ("EvictionByEvictionAPI", "evicted, as when somebody drains its node"),
        ("DeletionByTaintManager", "its node got a taint"),
        ("DeletionByPodGC", "deleted together with its node"),
        ("TerminationByKubelet", "short of memory, disk or processes"),
        ("SomethingNew", "ended by the cluster (SomethingNew)"),
    ] {
        let mut status = terminated(143, "Error");
        let message = "default-scheduler: preempting to accommodate a higher priority pod";
        status["conditions"] =
            json!([{ "type": "DisruptionTarget", "status": "True", "reason": reason, "message": message }]);
        let (kind, sentence) = one(&status);
        assert_eq!(kind, Kind::TakenAway);
        assert!(sentence.contains(part) && sentence.contains(message), "{sentence}");
    }
}

#[test]
fn a_node_that_was_short_of_something_says_of_what() {
    let message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 92Mi.";
    let (kind, sentence) = one(&json!({ "phase": "Failed", "reason": "Evicted", "message": message }));
    assert_eq!(kind, Kind::TakenAway);
    assert!(sentence.contains("The node was low on resource: memory."), "{sentence}");
    let deadline =
        json!({ "phase": "Failed", "reason": "DeadlineExceeded", "message": "Pod was active too long" });
    assert!(one(&deadline).1.contains("allow more time"));
}

#[test]
fn what_only_events_know_is_told_once() {
    let preparing = pod(0, &waiting("ContainerCreating", ""));
    let name = "lab-agents-0-x7k2p";
    let mount = event(
        "Pod",
        name,
        "FailedMount",
        "MountVolume.SetUp failed for volume \"study\": configmap \"lab-study\" not found",
    );
    let found = all(&[preparing], &[mount.clone(), mount]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, Kind::Waits);
    assert!(found[0].to_string().contains("configmap \"lab-study\" not found"), "{}", found[0]);
}

#[test]
fn pods_that_are_gone_and_those_that_were_never_made_are_told_by_events() {
    let gone = event("Pod", "lab-agents-7-abcde", "Preempted", "Preempted by pod 9c1e on node node-1");
    let quota = event(
        "Job",
        "lab-agents",
        "FailedCreate",
        "Error creating: pods \"lab-agents-0-fj2qs\" is forbidden: exceeded quota: compute, requested: cpu=1, used: cpu=4, limited: cpu=4",
    );
    let scheduled = event("Pod", "lab-agents-9-abcde", "Scheduled", "Successfully assigned");
    let found = all(&[], &[gone.clone(), quota.clone(), scheduled, quota, gone]);
    let kinds: Vec<(&str, Kind)> = found.iter().map(|trouble| (trouble.of.as_str(), trouble.kind)).collect();
    assert_eq!(kinds, [("lab-agents-7-abcde", Kind::TakenAway), ("Job lab-agents", Kind::CannotStart)]);
    assert!(found[1].to_string().contains("exceeded quota: compute"), "{}", found[1]);
}

#[test]
fn fields_that_are_missing_are_no_reason_to_fail() {
    assert_eq!(troubles("lab", "{}", "{\"items\": []}").expect("nothing"), []);
    let bare = json!({ "items": [{ "metadata": { "name": "a" }, "status": { "phase": "Failed" } }] });
    assert_eq!(troubles("lab", &bare.to_string(), "{}").expect("a pod without a reason"), []);
    assert!(troubles("lab", "<html>", "{}").is_err());
}

/// Events are those of the whole namespace, in which others run, too.
#[test]
fn events_of_other_runs_are_not_ours() {
    for name in ["lab2-agents", "lab", "other"] {
        assert_eq!(all(&[], &[event("Job", name, "FailedCreate", "exceeded quota")]), [], "{name}");
    }
}
