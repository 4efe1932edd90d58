//! The two Jobs and their pods, which meet the pod security standard *restricted*.

use super::objects::{Component, PORT, labels, metadata, named};
use super::wanted::{SETTINGS_KEY, Size, Study, Wanted};
use serde_json::{Value, json};

/// The argument of a coordinator's first process that waits for whoever tells it what to run.
pub const ATTEND: &str = "__attend";
/// In its environment: where agents dial.
pub const LISTEN: &str = "PROOFLOAD_LISTEN";
/// In its environment: a file with what is set in the study, a list in JSON, which would be read by anybody in an argument.
pub const SETTINGS: &str = "PROOFLOAD_SETTINGS";
/// Folder of it below the study's; no file of a study is hidden.
const SETTINGS_PATH: &str = ".settings.json";

/// Whose processes they are. The image has no other.
const USER: u32 = 65_532;
/// How long a Job that ended is kept, for its pods' logs: a day.
const KEPT_S: u32 = 24 * 60 * 60;
/// Files of volumes are read by their group, and written by nobody.
const READ_BY_GROUP: u32 = 0o440;

/// The coordinator, with a place for its record, and the study where it is known already.
pub(crate) fn coordinator(wanted: &Wanted) -> Value {
    let mut mounts = vec![
        json!({ "mountPath": "/token", "name": "token", "readOnly": true }),
        json!({ "mountPath": "/runs", "name": "runs" }),
        json!({ "mountPath": "/tmp", "name": "tmp" }),
        json!({ "mountPath": "/cache", "name": "cache" }),
    ];
    let mut volumes = vec![token(wanted)];
    volumes.extend(["runs", "tmp", "cache"].map(|name| json!({ "emptyDir": {}, "name": name })));
    if let Some(study) = &wanted.study {
        mounts.insert(0, json!({ "mountPath": "/study", "name": "study", "readOnly": true }));
        volumes.insert(0, files(wanted, study));
    }
    let mut environment = vec![
        json!({ "name": "POD_IP", "valueFrom": { "fieldRef": { "fieldPath": "status.podIP" } } }),
        json!({ "name": "HOME", "value": "/tmp" }),
        json!({ "name": "XDG_CACHE_HOME", "value": "/cache" }),
    ];
    if wanted.study.as_ref().is_some_and(|study| !study.settings.is_empty()) {
        environment.push(json!({ "name": SETTINGS, "value": format!("/study/{SETTINGS_PATH}") }));
    }
    if wanted.study.is_none() {
        environment.push(json!({ "name": LISTEN, "value": format!("$(POD_IP):{PORT}") }));
    }
    let container = json!({
        "args": wanted.study.as_ref().map_or(vec![ATTEND.to_owned()], |study| command(wanted, study)),
        "env": environment,
        "image": wanted.image,
        "name": "coordinator",
        "ports": [{ "containerPort": PORT, "name": "agents", "protocol": "TCP" }],
        "resources": resources(&wanted.coordinator),
        "securityContext": container_security(),
        "volumeMounts": mounts,
    });
    job(wanted, Component::Coordinator, &json!({}), pod(&container, volumes))
}

/// Arguments of a coordinator that has its study.
fn command(wanted: &Wanted, study: &Study) -> Vec<String> {
    let mut all: Vec<String> = vec!["coordinator".into(), literal(&format!("/study/{}", study.file))];
    for (option, value) in [
        ("--agents", wanted.agents.to_string()),
        ("--listen", format!("0.0.0.0:{PORT}")),
        ("--token-file", "/token/token".into()),
        ("--address", "$(POD_IP)".into()),
        ("--dir", "/runs".into()),
        ("--wait", format!("{}s", wanted.wait_s)),
    ] {
        all.extend([option.into(), value]);
    }
    all.extend(study.arguments.iter().map(|argument| literal(argument)));
    all
}

pub(crate) fn agents(wanted: &Wanted) -> Value {
    let join = format!("{}.{}.svc:{PORT}", named(wanted, "coordinator"), wanted.namespace);
    let wait = format!("{}s", wanted.wait_s);
    let container = json!({
        "args": ["agent", "--join", join, "--token-file", "/token/token", "--wait", wait],
        "image": wanted.image,
        "name": "agent",
        "resources": resources(&wanted.agent),
        "securityContext": container_security(),
        "volumeMounts": [
            { "mountPath": "/token", "name": "token", "readOnly": true },
            { "mountPath": "/tmp", "name": "tmp" },
        ],
    });
    let mut pod = pod(&container, vec![token(wanted), json!({ "emptyDir": {}, "name": "tmp" })]);
    pod["affinity"] = away_from(&labels(wanted, Component::Coordinator));
    pod["topologySpreadConstraints"] = json!([{
        "labelSelector": { "matchLabels": labels(wanted, Component::Agents) },
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
    }]);
    let all =
        json!({ "completionMode": "Indexed", "completions": wanted.agents, "parallelism": wanted.agents });
    job(wanted, Component::Agents, &all, pod)
}

/// A Job whose pods are started once: a second start would be another load.
fn job(wanted: &Wanted, component: Component, more: &Value, pod: Value) -> Value {
    let mut spec = json!({
        "backoffLimit": 0,
        "completions": 1,
        "parallelism": 1,
        "template": {
            "metadata": {
                // Whoever empties a node to save its cost would end the run.
                "annotations": {
                    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                    "karpenter.sh/do-not-disrupt": "true",
                },
                "labels": labels(wanted, component),
            },
            "spec": pod,
        },
        "ttlSecondsAfterFinished": KEPT_S,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        spec[key] = value.clone();
    }
    if let Some(seconds) = wanted.deadline_s {
        spec["activeDeadlineSeconds"] = seconds.into();
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(wanted, component.name(), component),
        "spec": spec,
    })
}

fn pod(container: &Value, volumes: Vec<Value>) -> Value {
    json!({
        "automountServiceAccountToken": false,
        "containers": [container],
        // Variables for each service of the namespace would be in the environment of every server that is started.
        "enableServiceLinks": false,
        "restartPolicy": "Never",
        "securityContext": {
            "fsGroup": USER,
            "runAsGroup": USER,
            "runAsNonRoot": true,
            "runAsUser": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "volumes": volumes,
    })
}

fn container_security() -> Value {
    json!({
        "allowPrivilegeEscalation": false,
        "capabilities": { "drop": ["ALL"] },
        "readOnlyRootFilesystem": true,
        "runAsNonRoot": true,
    })
}

fn resources(size: &Size) -> Value {
    let both = json!({ "cpu": size.cpu, "memory": size.memory });
    json!({ "limits": both, "requests": both })
}

/// The files of the study, under their paths.
fn files(wanted: &Wanted, study: &Study) -> Value {
    let files = study.keyed_files().into_iter();
    let mut items: Vec<Value> = files.map(|(key, path, _)| json!({ "key": key, "path": path })).collect();
    if !study.settings.is_empty() {
        items.push(json!({ "key": SETTINGS_KEY, "path": SETTINGS_PATH }));
    }
    json!({
        "name": "study",
        "secret": { "defaultMode": READ_BY_GROUP, "items": items, "secretName": named(wanted, "study") },
    })
}

fn token(wanted: &Wanted) -> Value {
    json!({
        "name": "token",
        "secret": { "defaultMode": READ_BY_GROUP, "secretName": named(wanted, "token") },
    })
}

/// Rather on another node than these pods.
fn away_from(pods: &Value) -> Value {
    json!({ "podAntiAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [{
        "podAffinityTerm": { "labelSelector": { "matchLabels": pods }, "topologyKey": "kubernetes.io/hostname" },
        "weight": 100,
    }] } })
}

/// An argument as it stands: `$(NAME)` of it would be replaced by a variable.
fn literal(argument: &str) -> String {
    argument.replace('$', "$$")
}
