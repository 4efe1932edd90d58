//! Everything but the pods: names, labels, and what pods mount.

use super::wanted::{SETTINGS_KEY, Study, Wanted, odd};
use data_encoding::BASE64;
use serde_json::{Map, Value, json};

/// Where a coordinator listens for agents.
pub const PORT: u16 = 7600;

/// The label that tells them apart.
pub(crate) const COMPONENT_LABEL: &str = "app.kubernetes.io/component";

/// The two kinds of pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    Coordinator,
    Agents,
}

impl Component {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Component::Coordinator => "coordinator",
            Component::Agents => "agents",
        }
    }
}

/// The name of an object of this study.
pub(crate) fn named(wanted: &Wanted, part: &str) -> String {
    format!("{}-{part}", wanted.name)
}

/// By which pods of one component are found, and those of other studies are not.
pub(crate) fn labels(wanted: &Wanted, component: Component) -> Value {
    json!({
        COMPONENT_LABEL: component.name(),
        "app.kubernetes.io/instance": wanted.name,
        "app.kubernetes.io/name": "proofload",
    })
}

/// Name, namespace and labels of an object.
pub(crate) fn metadata(wanted: &Wanted, part: &str, component: Component) -> Value {
    json!({
        "labels": labels(wanted, component),
        "name": named(wanted, part),
        "namespace": wanted.namespace,
    })
}

/// The token.
pub(crate) fn secret(wanted: &Wanted) -> Value {
    json!({
        "apiVersion": "v1",
        "immutable": true,
        "kind": "Secret",
        "metadata": metadata(wanted, "token", Component::Coordinator),
        "stringData": { "token": wanted.token },
        "type": "Opaque",
    })
}

/// The files of the study, as text where they are text, and what is set in it: there are keys and passwords among them.
pub(crate) fn files(wanted: &Wanted, study: &Study) -> Value {
    let (mut text, mut binary) = (Map::new(), Map::new());
    for (key, _, bytes) in study.keyed_files() {
        match std::str::from_utf8(bytes) {
            Ok(content) if reads_back(content) => text.insert(key, content.into()),
            _ => binary.insert(key, BASE64.encode(bytes).into()),
        };
    }
    if !study.settings.is_empty() {
        binary.insert(SETTINGS_KEY.into(), BASE64.encode(study.settings_text().as_bytes()).into());
    }
    let mut object = json!({
        "apiVersion": "v1",
        "immutable": true,
        "kind": "Secret",
        "metadata": metadata(wanted, "study", Component::Coordinator),
        "type": "Opaque",
    });
    for (key, content) in [("data", binary), ("stringData", text)] {
        if !content.is_empty() {
            object[key] = Value::Object(content);
        }
    }
    object
}

/// Whether every reader of YAML takes a block of these lines for just them. `kubectl` refuses some that begin with tabs or
/// are blank, others drop marks of byte order, or end lines where Unicode does.
fn reads_back(text: &str) -> bool {
    let indented = text.starts_with(|first: char| first.is_whitespace());
    let blank = |line: &str| !line.is_empty() && line.trim().is_empty();
    !indented
        && !text.contains(|c| odd(c) && !matches!(c, '\n' | '\t'))
        && !text.lines().any(|line| line.starts_with('\t') || blank(line))
}

/// The coordinator's name in the cluster. It has no address of its own: one would pass through the node's rules.
pub(crate) fn service(wanted: &Wanted) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(wanted, "coordinator", Component::Coordinator),
        "spec": {
            "clusterIP": "None",
            "ports": [{ "name": "agents", "port": PORT, "protocol": "TCP", "targetPort": PORT }],
            // An agent tries again anyway; a name that comes later makes it come later.
            "publishNotReadyAddresses": true,
            "selector": labels(wanted, Component::Coordinator),
        },
    })
}

/// Who reaches the coordinator's pod: its agents, at the port for agents and at those of the servers, which the study and
/// the machine decide.
pub(crate) fn policy(wanted: &Wanted) -> Value {
    let pods = |component| json!({ "matchLabels": labels(wanted, component) });
    json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(wanted, "coordinator", Component::Coordinator),
        "spec": {
            "ingress": [{ "from": [{ "podSelector": pods(Component::Agents) }] }],
            "podSelector": pods(Component::Coordinator),
            "policyTypes": ["Ingress"],
        },
    })
}
