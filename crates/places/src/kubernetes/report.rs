//! The parts of `kubectl get -o json` that tell what became of pods. Whatever is missing there is empty here, since each
//! version of Kubernetes leaves out other things.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct List<T> {
    pub items: Vec<T>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Pod {
    pub metadata: Metadata,
    pub status: Status,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Metadata {
    pub name: String,
    pub namespace: String,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Status {
    pub phase: Phase,
    pub reason: String,
    pub message: String,
    pub conditions: Vec<Condition>,
    pub container_statuses: Vec<Container>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Phase {
    Pending,
    Running,
    Failed,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Condition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    pub reason: String,
    pub message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Container {
    pub image: String,
    pub state: State,
    pub last_state: State,
    pub restart_count: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct State {
    pub waiting: Option<Waiting>,
    pub terminated: Option<Terminated>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Waiting {
    pub reason: String,
    pub message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Terminated {
    pub exit_code: i32,
    pub signal: i32,
    pub reason: End,
    pub message: String,
}

/// Why a container is not running any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum End {
    #[serde(rename = "OOMKilled")]
    OutOfMemory,
    #[serde(alias = "ContainerCannotRun")]
    StartError,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Event {
    pub involved_object: Object,
    pub reason: String,
    pub message: String,
    #[serde(rename = "type")]
    pub severity: Severity,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Severity {
    Warning,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ObjectKind {
    Pod,
    Job,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Object {
    pub kind: ObjectKind,
    pub name: String,
}

impl Pod {
    /// The index that an Indexed Job gave it.
    pub fn index(&self) -> Option<u32> {
        let name = "batch.kubernetes.io/job-completion-index";
        self.metadata.annotations.get(name).or_else(|| self.metadata.labels.get(name))?.parse().ok()
    }

    /// A condition that holds, or with `false` one that does not.
    pub fn condition(&self, kind: &str, holds: bool) -> Option<&Condition> {
        let status = if holds { "True" } else { "False" };
        self.status.conditions.iter().find(|condition| condition.kind == kind && condition.status == status)
    }
}
