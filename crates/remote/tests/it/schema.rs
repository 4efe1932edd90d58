//! Manifests against what Kubernetes publishes of its API (`tests/kubernetes/README.md`).

use super::{objects, spec, study};
use proofload_remote::kubernetes::spec::ManifestSpec;
use proofload_testkit::schema_complaints;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../kubernetes/schema.json");

/// Complaints of the schema about an object.
fn complaints(object: &Value) -> Vec<String> {
    let mut schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let kind = object["kind"].as_str().unwrap_or_default();
    let Some(of_kind) = schema["kinds"].get(kind).cloned() else {
        return vec![format!("no kind `{kind}`")];
    };
    schema["$ref"] = of_kind["$ref"].clone();
    schema_complaints(&schema, object)
}

#[test]
fn every_object_is_one_of_kubernetes() {
    for agents in [1, 20] {
        let mut spec = spec(agents);
        study(&mut spec).files.insert("rows.bin".into(), vec![0, 255]);
        let made = objects(&spec);
        let kinds: Vec<&str> = made.iter().filter_map(|object| object["kind"].as_str()).collect();
        assert_eq!(kinds, ["Secret", "Secret", "Service", "NetworkPolicy", "Job", "Job"]);
        for object in &made {
            assert_eq!(complaints(object), Vec::<String>::new(), "{object}");
        }
    }
    let told = ManifestSpec { study: None, ..spec(2) };
    for object in &objects(&told) {
        assert_eq!(complaints(object), Vec::<String>::new(), "{object}");
    }
}

/// A change of the agents' Job.
fn changed(pointer: &str, change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut job = objects(&spec(2)).pop().expect("a job");
    change(job.pointer_mut(pointer).expect(pointer));
    complaints(&job)
}

#[test]
fn a_key_that_is_misspelt_is_noticed_at_any_depth() {
    for at in [
        "",
        "/spec",
        "/metadata",
        "/spec/template/spec",
        "/spec/template/spec/containers/0",
        "/spec/template/spec/containers/0/securityContext",
        "/spec/template/spec/containers/0/resources",
        "/spec/template/spec/volumes/0/secret",
        "/spec/template/spec/topologySpreadConstraints/0",
        "/spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/0",
    ] {
        let found = changed(at, |value| value["parallelisn"] = json!(1));
        assert!(found.iter().any(|line| line.contains("parallelisn")), "{at}: {found:?}");
    }
}

#[test]
fn a_value_of_another_type_is_noticed() {
    for (at, value) in [
        ("/spec/completions", json!("2")),
        ("/spec/template/spec/automountServiceAccountToken", json!("false")),
        ("/spec/template/spec/containers", json!({})),
        ("/spec/template/spec/containers/0/args/0", json!(7600)),
        ("/spec/template/spec/volumes/0/secret/defaultMode", json!("0440")),
        ("/spec/template/metadata/labels", json!(["proofload"])),
        ("/apiVersion", json!("batch/v1beta1")),
    ] {
        assert_eq!(changed(at, |old| *old = value).len(), 1, "{at}");
    }
}

#[test]
fn a_key_that_is_missing_is_noticed() {
    for (at, key) in [
        ("", "kind"),
        ("", "apiVersion"),
        ("/spec", "template"),
        ("/spec/template/spec", "containers"),
        ("/spec/template/spec/containers/0", "name"),
        ("/spec/template/spec/containers/0/volumeMounts/0", "mountPath"),
        ("/spec/template/spec/topologySpreadConstraints/0", "topologyKey"),
    ] {
        let found = changed(at, |value| drop(value.as_object_mut().expect("an object").remove(key)));
        assert_eq!(found.len(), 1, "{at}/{key}: {found:?}");
    }
}
