//! Objects out, answers of a cluster in.

mod manifest;
mod refused;
mod schema;
mod trouble;

use proofload_remote::kubernetes::manifest::manifest;
use proofload_remote::kubernetes::spec::{ManifestSpec, Size, StudyFiles};
use serde_json::Value;

/// A study with one include, for that many agents.
fn spec(agents: u32) -> ManifestSpec {
    let size = |cpu: &str, memory: &str| Size { cpu: cpu.into(), memory: memory.into() };
    let files = [("study.yaml", "study: lab\nsubjects:\n  a: {}\n"), ("parts/load.yaml", "rate: 1k/s\n")];
    ManifestSpec {
        name: "lab".into(),
        namespace: "load".into(),
        image: "registry.example/proofload:0.1.0".into(),
        agents,
        agent: size("1", "512Mi"),
        coordinator: size("4", "4Gi"),
        study: Some(StudyFiles {
            file: "study.yaml".into(),
            files: files.map(|(path, text)| (path.into(), text.into())).into(),
            arguments: vec!["--quick".into()],
            settings: vec!["subjects.a.env.WORD=sesame".into()],
        }),
        token: "0123456789abcdef0123456789abcdef".into(),
    }
}

/// The study of one, to be changed.
fn study(spec: &mut ManifestSpec) -> &mut StudyFiles {
    spec.study.as_mut().expect("a study")
}

/// The objects of a manifest, read back from its YAML.
fn objects(spec: &ManifestSpec) -> Vec<Value> {
    let text = manifest(spec).expect("a manifest");
    serde_saphyr::from_multiple(&text).expect("YAML")
}

/// The object of that kind and name.
fn object(spec: &ManifestSpec, kind: &str, name: &str) -> Value {
    let mut all = objects(spec).into_iter();
    all.find(|object| object["kind"] == kind && object["metadata"]["name"] == name).expect(name)
}
