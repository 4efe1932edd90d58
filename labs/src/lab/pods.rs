//! Pods of the studies in a cluster, by its `kubectl`.

use super::commands::{output, until};
use super::net::Net;
use anyhow::Context;
use serde_json::Value;
use std::time::Duration;

/// Namespace of studies. Its pods have to meet the pod security standard *restricted*.
pub const NAMESPACE: &str = "lab";
/// Of Proofload.
pub const IMAGE: &str = concat!("localhost/proofload:", env!("CARGO_PKG_VERSION"));

/// Kinds of objects that a study has.
const OBJECTS: &str = "jobs,pods,services,secrets,configmaps,networkpolicies";
const OURS: [&str; 2] = ["-l", "app.kubernetes.io/name=proofload"];

/// A pod that has to be ended by force is given half a minute first.
const GONE_WITHIN: Duration = Duration::from_secs(60);

/// Output of kubectl for these words, about the namespace of studies.
pub fn kubectl(net: &Net, words: &[&str]) -> anyhow::Result<String> {
    output(net.outside("kubectl").args(["-n", NAMESPACE]).args(words))
}

/// A pod of a study.
#[derive(Debug, PartialEq, Eq)]
pub struct Pod {
    pub name: String,
    pub component: String,
    pub node: String,
    pub phase: String,
    pub is_ending: bool,
}

/// All of them, in the order of their names.
pub fn all(net: &Net) -> anyhow::Result<Vec<Pod>> {
    let told = kubectl(net, &["get", "pods", "-o", "json", OURS[0], OURS[1]])?;
    read(&serde_json::from_str(&told).context("kubectl get pods")?)
}

fn read(list: &Value) -> anyhow::Result<Vec<Pod>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pod = |pod: &Value| Pod {
        name: text(&pod["metadata"]["name"]),
        component: text(&pod["metadata"]["labels"]["app.kubernetes.io/component"]),
        node: text(&pod["spec"]["nodeName"]),
        phase: text(&pod["status"]["phase"]),
        is_ending: pod["metadata"]["deletionTimestamp"].is_string(),
    };
    Ok(list["items"].as_array().context("no list of pods")?.iter().map(pod).collect())
}

/// The first of a component.
pub fn first(net: &Net, component: &str) -> anyhow::Result<Pod> {
    let mut pods = all(net)?.into_iter();
    pods.find(|pod| pod.component == component).with_context(|| format!("no pod of {component}"))
}

/// Pods that have not ended. The state of pods on nodes that are cut off is unknown; the arguments tell whether pods
/// that are ending and coordinators, which may not end by themselves, are left out.
pub fn alive(net: &Net, but_not_ending: bool, but_no_coordinator: bool) -> anyhow::Result<Vec<String>> {
    let mut pods = all(net)?;
    pods.retain(|pod| !(but_no_coordinator && pod.component == "coordinator"));
    pods.retain(|pod| ["Pending", "Running"].contains(&pod.phase.as_str()));
    pods.retain(|pod| !(but_not_ending && pod.is_ending || net.is_cut(&pod.node)));
    Ok(pods.into_iter().map(|pod| format!("pod {} ({})", pod.name, pod.phase)).collect())
}

/// Result that `proofload report` prints for the record that a pod holds, called as its log describes.
pub fn record(net: &Net) -> anyhow::Result<Value> {
    let pod = first(net, "coordinator")?.name;
    let log = kubectl(net, &["logs", &pod])?;
    let read =
        log.lines().rev().find_map(|line| line.split_once(" -- ")).context("its log names no record")?;
    let words: Vec<&str> = read.1.split_whitespace().collect();
    let mut exec = net.outside("kubectl");
    exec.args(["-n", NAMESPACE, "exec", &pod, "--"]).args(words).args(["--format", "json"]);
    // Its exit code is that of the run, which was cut short.
    let told = exec.output().context("kubectl exec")?;
    let said = || format!("{log}: {}", String::from_utf8_lossy(&told.stderr).trim());
    serde_json::from_slice(&told.stdout).with_context(said)
}

/// Takes away all that studies left.
pub fn clear(net: &Net) -> anyhow::Result<()> {
    kubectl(net, &["delete", OBJECTS, OURS[0], OURS[1], "--wait=false"])?;
    until("pods are gone", GONE_WITHIN, || Ok(all(net)?.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pods_are_read_with_what_is_missing() {
        let list = json!({ "items": [
            { "metadata": { "name": "x", "deletionTimestamp": "T" }, "status": { "phase": "Running" } },
            { "metadata": { "name": "y", "labels": { "app.kubernetes.io/component": "agents" } }, "spec": { "nodeName": "b" } },
        ]});
        let pods = read(&list).unwrap();
        assert_eq!((pods[0].is_ending, pods[0].phase.as_str(), pods[0].node.as_str()), (true, "Running", ""));
        assert_eq!(
            (pods[1].component.as_str(), pods[1].node.as_str(), pods[1].is_ending),
            ("agents", "b", false)
        );
        assert!(read(&json!({})).is_err());
    }
}
