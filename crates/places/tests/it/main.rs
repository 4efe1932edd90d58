//! Objects out, answers of a cluster in.

mod events;
mod manifest;
mod refused;
mod schema;

use proofload_places::kubernetes::manifest::{Size, Study, Wanted, manifest};
use serde_json::Value;

/// A study with one include, for that many agents.
fn wanted(agents: u32) -> Wanted {
    let size = |cpu: &str, memory: &str| Size { cpu: cpu.into(), memory: memory.into() };
    let files = [("study.yaml", "study: lab\nsubjects:\n  a: {}\n"), ("parts/load.yaml", "rate: 1k/s\n")];
    Wanted {
        name: "lab".into(),
        namespace: "load".into(),
        image: "registry.example/proofload:0.1.0".into(),
        agents,
        agent: size("1", "512Mi"),
        coordinator: size("4", "4Gi"),
        study: Some(Study {
            file: "study.yaml".into(),
            files: files.map(|(path, text)| (path.into(), text.into())).into(),
            arguments: vec!["--quick".into()],
            settings: vec!["subjects.a.env.WORD=sesame".into()],
        }),
        token: "0123456789abcdef0123456789abcdef".into(),
        wait_s: 600,
        deadline_s: Some(3600),
    }
}

/// The study of one, to be changed.
fn study(wanted: &mut Wanted) -> &mut Study {
    wanted.study.as_mut().expect("a study")
}

/// The objects of a manifest, read back from its YAML.
fn objects(wanted: &Wanted) -> Vec<Value> {
    let text = manifest(wanted).expect("a manifest");
    serde_saphyr::from_multiple(&text).expect("YAML")
}

/// The object of that kind and name.
fn object(wanted: &Wanted, kind: &str, name: &str) -> Value {
    let mut all = objects(wanted).into_iter();
    all.find(|object| object["kind"] == kind && object["metadata"]["name"] == name).expect(name)
}
