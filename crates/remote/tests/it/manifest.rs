//! Content of the objects, at the boundaries.

use super::{object, objects, spec, study};
use proofload_remote::kubernetes::manifest::{ATTEND, LISTEN, SETTINGS, manifest};
use proofload_remote::kubernetes::spec::ManifestSpec;
use serde_json::{Value, json};

fn container(job: &Value) -> &Value {
    &job["spec"]["template"]["spec"]["containers"][0]
}

#[test]
fn the_whole_reads_well() {
    insta::assert_snapshot!(manifest(&spec(2)).expect("a manifest"));
}

#[test]
fn the_same_wish_gives_the_same_bytes() {
    let made = || manifest(&spec(3)).expect("a manifest");
    assert_eq!(made(), made());
}

#[test]
fn there_are_as_many_agents_as_wanted() {
    for agents in [1, 20, 10_000] {
        let spec = spec(agents);
        let job = object(&spec, "Job", "lab-agents");
        assert_eq!(job["spec"]["completions"], agents);
        assert_eq!(job["spec"]["parallelism"], agents);
        assert_eq!(job["spec"]["completionMode"], "Indexed");
        let coordinator = object(&spec, "Job", "lab-coordinator");
        assert_eq!(coordinator["spec"]["completions"], 1);
        assert_eq!(coordinator["spec"]["parallelism"], 1);
        let args = container(&coordinator)["args"].as_array().expect("arguments");
        let at = args.iter().position(|argument| argument == "--agents").expect("--agents");
        assert_eq!(args[at + 1], agents.to_string());
    }
}

#[test]
fn agents_join_where_the_coordinator_listens() {
    let spec = spec(1);
    let service = object(&spec, "Service", "lab-coordinator");
    let coordinator = object(&spec, "Job", "lab-coordinator");
    assert_eq!(service["spec"]["selector"], coordinator["spec"]["template"]["metadata"]["labels"]);
    assert_eq!(service["spec"]["ports"][0]["port"], container(&coordinator)["ports"][0]["containerPort"]);
    let agents = object(&spec, "Job", "lab-agents");
    assert_eq!(container(&agents)["args"][2], "lab-coordinator.load.svc:7600");
}

#[test]
fn only_agents_of_this_study_reach_the_coordinator() {
    let spec = spec(1);
    let policy = object(&spec, "NetworkPolicy", "lab-coordinator");
    let labels = |job: &str| object(&spec, "Job", job)["spec"]["template"]["metadata"]["labels"].clone();
    assert_eq!(policy["spec"]["podSelector"]["matchLabels"], labels("lab-coordinator"));
    assert_eq!(
        policy["spec"]["ingress"],
        json!([{ "from": [{ "podSelector": { "matchLabels": labels("lab-agents") } }] }])
    );
    let mut other = spec.clone();
    other.name = "lab2".into();
    assert_ne!(
        labels("lab-agents"),
        object(&other, "Job", "lab2-agents")["spec"]["template"]["metadata"]["labels"]
    );
}

/// Requirements of the pod security standard *restricted*, and those that keep a pod's CPUs its own.
#[test]
fn every_pod_is_restricted_and_guaranteed() {
    let spec = spec(20);
    for job in ["lab-coordinator", "lab-agents"] {
        let job = object(&spec, "Job", job);
        assert_eq!(job["spec"]["backoffLimit"], 0);
        let pod = &job["spec"]["template"]["spec"];
        assert_eq!(pod["restartPolicy"], "Never");
        assert_eq!(pod["automountServiceAccountToken"], false);
        assert_eq!(pod["enableServiceLinks"], false);
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(pod["securityContext"]["runAsUser"], 65_532);
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        for volume in pod["volumes"].as_array().expect("volumes") {
            assert!(volume.get("hostPath").is_none(), "{volume}");
        }
        let container = container(&job);
        assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
        assert_eq!(container["securityContext"]["capabilities"], json!({ "drop": ["ALL"] }));
        assert_eq!(container["resources"]["limits"], container["resources"]["requests"]);
        assert!(container["resources"]["limits"]["cpu"].is_string());
    }
}

#[test]
fn every_mount_has_its_volume_and_every_volume_its_object() {
    let spec = spec(2);
    let all = objects(&spec);
    let there =
        |kind: &str, name: &Value| all.iter().any(|o| o["kind"] == kind && &o["metadata"]["name"] == name);
    for job in all.iter().filter(|object| object["kind"] == "Job") {
        let pod = &job["spec"]["template"]["spec"];
        let volumes = pod["volumes"].as_array().expect("volumes");
        let mounts = pod["containers"][0]["volumeMounts"].as_array().expect("mounts");
        assert_eq!(volumes.len(), mounts.len());
        for mount in mounts {
            let volume = volumes.iter().find(|volume| volume["name"] == mount["name"]).expect("a volume");
            assert!(volume.get("secret").is_none_or(|secret| there("Secret", &secret["secretName"])));
            assert!(
                volume.get("configMap").is_none(),
                "what everybody reads has nothing of a study: {volume}"
            );
        }
    }
}

/// Each file of the study as it would be below `/study`.
fn mounted(spec: &ManifestSpec) -> Vec<(String, Vec<u8>)> {
    let map = object(spec, "Secret", "lab-study");
    let job = object(spec, "Job", "lab-coordinator");
    let volumes = job["spec"]["template"]["spec"]["volumes"].as_array().expect("volumes");
    let items = volumes[0]["secret"]["items"].as_array().expect("items");
    let mut files: Vec<(String, Vec<u8>)> = items
        .iter()
        .map(|item| {
            let key = item["key"].as_str().expect("a key");
            let bytes = match map["stringData"].get(key) {
                Some(text) => text.as_str().expect("text").as_bytes().to_vec(),
                None => {
                    let text = map["data"][key].as_str().expect("base64");
                    data_encoding::BASE64.decode(text.as_bytes()).expect("base64")
                }
            };
            (item["path"].as_str().expect("a path").to_string(), bytes)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn files_arrive_byte_by_byte_under_their_paths() {
    let mut spec = spec(1);
    for (path, bytes) in [
        ("a/b", b"one".as_slice()),
        ("a_b", b"another, whose key would be the same"),
        ("a_b-1", b"and one with the name of a way out"),
        ("rows.bin", &[0, 159, 146, 150]),
        ("crlf.csv", b"a,b\r\n1,2\r\n"),
        ("no end", b"no line end"),
        ("ends", b"several line ends\n\n\n"),
        ("spaces", b"  begins with spaces \n and ends with them  "),
        ("empty", b""),
        ("yes", b"yes"),
        ("number", b"1e3"),
        ("tricky.yaml", b"--- # a document\nkey: 'v'\n...\n"),
        ("\u{fc}ber.txt", "\u{feff}bom, \u{85} and \u{2028}\n".as_bytes()),
    ] {
        study(&mut spec).files.insert(path.into(), bytes.into());
    }
    let mut expected: Vec<_> = study(&mut spec).files.clone().into_iter().collect();
    expected.insert(0, (".settings.json".into(), b"[\"subjects.a.env.WORD=sesame\"]".to_vec()));
    assert_eq!(mounted(&spec), expected);
}

/// Kubernetes replaces `$(NAME)` in arguments, and takes `$$` for `$`.
#[test]
fn arguments_reach_the_command_as_they_are() {
    let mut spec = spec(1);
    study(&mut spec).arguments = ["--set", "a=$(POD_IP) $$ $", "--only", "yes"].map(String::from).to_vec();
    let job = object(&spec, "Job", "lab-coordinator");
    let args = container(&job)["args"].as_array().expect("arguments").clone();
    assert_eq!(args[args.len() - 4..], ["--set", "a=$$(POD_IP) $$$$ $$", "--only", "yes"]);
    assert!(args.contains(&json!("$(POD_IP)")));
}

/// The maker of the objects brings the study by `kubectl exec`, so the first process waits, and knows the address that
/// agents dial.
#[test]
fn a_coordinator_without_a_study_waits_to_be_told() {
    let mut spec = spec(1);
    spec.study = None;
    let all = objects(&spec);
    assert!(all.iter().all(|object| object["metadata"]["name"] != "lab-study"));
    let job = object(&spec, "Job", "lab-coordinator");
    assert_eq!(container(&job)["args"], json!([ATTEND]));
    let listens = container(&job)["env"].as_array().expect("an environment").contains(&json!({
        "name": LISTEN, "value": "$(POD_IP):7600"
    }));
    assert!(listens, "{job}");
}

#[test]
fn the_token_is_in_the_secret_alone() {
    let mut spec = spec(1);
    // As a number it would be another token.
    spec.token = "12345678901234567890123456789012".into();
    let with_token: Vec<Value> =
        objects(&spec).into_iter().filter(|object| object.to_string().contains(&spec.token)).collect();
    assert_eq!(with_token.len(), 1);
    assert_eq!(with_token[0]["stringData"]["token"], spec.token.as_str());
    assert!(!format!("{spec:?}").contains(&spec.token));
}

/// Settings and files are in one Secret; the Job has its name, and nothing of them.
#[test]
fn what_a_study_keeps_secret_is_in_its_secret_alone() {
    let mut spec = spec(1);
    study(&mut spec).settings = vec!["a.password=hunter-2\n\u{2028}$(POD_IP)".into()];
    study(&mut spec).files.insert("key.pem".into(), b"-----BEGIN PRIVATE KEY-----".to_vec());
    for object in objects(&spec) {
        let text = object.to_string();
        let is_secret = object["kind"] == "Secret" && object["metadata"]["name"] == "lab-study";
        assert_eq!(text.contains("PRIVATE KEY"), is_secret, "{text}");
        assert!(!text.contains("hunter-2"), "it is base64: {text}");
    }
    let files = mounted(&spec);
    let told: Vec<String> = serde_json::from_slice(&files[0].1).expect("JSON");
    assert_eq!(told, study(&mut spec).settings);
    let job = object(&spec, "Job", "lab-coordinator");
    let env = container(&job)["env"].as_array().expect("an environment");
    assert!(env.contains(&json!({ "name": SETTINGS, "value": format!("/study/{}", files[0].0) })));
    study(&mut spec).settings.clear();
    assert!(!mounted(&spec).iter().any(|(path, _)| path == &files[0].0));
}
