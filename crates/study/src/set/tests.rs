//! Settings of the command line, through the whole check.

use crate::tests::{SMALL, TestCatalogue};
use crate::{Options, Problems, Study, SubjectSpec, parse};
use std::path::Path;

fn with(text: &str, settings: &[&str]) -> Result<Study, Problems> {
    let set = settings.iter().map(|set| set.to_string()).collect();
    parse(text, "set.yaml", Path::new("."), &Options { set, ..Options::default() }, &TestCatalogue)
}

fn message(settings: &[&str]) -> String {
    with(SMALL, settings).unwrap_err().to_string()
}

#[test]
fn settings_change_add_and_replace() {
    let settings = [
        "subjects.server.with.heap=512m",
        "load.closed.connections=[16,64]",
        "load.closed.connections[2]=128",
        "seed=7",
        "timeouts.connect=2s",
        "workload.page.expect.bytes=2KiB",
        "claims.faster=throughput(nio2) > 1.1 * throughput(nio)",
        "claims.\"a. b\"=p99(nio) < 1s",
        "subjects.server.vary={ connector: [nio2, nio] }",
        "seed=8",
    ];
    let study = with(SMALL, &settings).unwrap_or_else(|problems| panic!("{problems}"));
    let SubjectSpec::Catalogue { with: given, .. } = &study.variants[0].subject else { panic!() };
    assert_eq!((given["heap"].as_str(), given["connector"].as_str()), ("512m", "nio2"));
    assert_eq!(study.names.points, ["16c", "64c", "128c"]);
    assert_eq!((study.seed, study.timeouts.connect_ns), (Some(8), 2_000_000_000));
    assert_eq!(study.workload[0].expect.bytes, Some(2048..=2048));
    assert_eq!(study.declared_claims[1].0, "a. b");
    assert_eq!(study.settings, settings);

    let again = parse(&study.text, "again", Path::new("."), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{problems}\n{}", study.text));
    assert_eq!(
        (again.points, again.declared_claims, again.seed),
        (study.points, study.declared_claims, study.seed)
    );
    assert!(study.text.contains("# --set seed=7\n"), "{}", study.text);
}

#[test]
fn a_claim_in_a_list_is_found_by_its_name() {
    let text = SMALL.replace("  faster:", "  - faster:");
    let study = with(&text, &["claims.faster=p99(nio) < 1s", "claims.other=p99(nio2) < 1s"]).unwrap();
    let claims: Vec<&str> = study.declared_claims.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(claims, ["p99(nio) < 1s", "p99(nio2) < 1s"]);
}

#[test]
fn mistakes_name_the_setting_as_their_place() {
    for (setting, said) in [
        ("seed=many", "--set seed: seed: many does not fit"),
        ("colour=red", "--set colour: colour: is not a key of this format"),
        (
            "subjects.server.with.haep=1g",
            "--set subjects.server.with.haep: subjects.server.with.haep: there is no parameter haep",
        ),
        ("subjects.sever.with.heap=1g", "there is no subject sever; did you mean server?"),
        ("workload.pag.expect.bytes=1", "there is no entry of the workload pag; did you mean page?"),
        ("seed", "--set seed: nothing is set; write key=value"),
        ("seed=", "--set seed: seed: is empty"),
        ("=7", "is not a key"),
        ("load..connections=7", "is not a key"),
        ("load.closed.connections[x]=7", "is not a key"),
        ("load.closed.connections[1]=7", "load.closed.connections has no [1] within it"),
        ("load.closed.connections.more=7", "load.closed.connections has no more within it"),
        ("load.closed.connections=[16", "--set load.closed.connections: not YAML"),
        ("load.closed.connections=# none", "nothing is set"),
        ("claims.\"open=1", "nothing is set"),
        ("claims.\"open.x\"y=p99(nio) < 1s", "is not a key"),
        ("include=[a.yaml]", "cannot be set"),
        ("seed=!secret 7", "the tag"),
    ] {
        let found = message(&[setting]);
        assert!(found.contains(said), "{setting}: {found}");
        assert!(found.lines().all(|line| line.starts_with("--set")), "{setting}: {found}");
    }
    let deep = vec!["a"; 40].join(".") + "=1";
    assert!(message(&[&deep]).contains("is not a key; write load.closed.connections"));
}

#[test]
fn all_mistakes_are_told_at_once_and_those_of_the_file_first() {
    let said = with(&SMALL.replace("small", "Small"), &["seed=x", "colour=red"]).unwrap_err().to_string();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines[0].starts_with("set.yaml:1:") && lines[1].starts_with("--set seed"), "{said}");
}

#[test]
fn a_credential_that_is_set_is_neither_kept_nor_shown() {
    let text = SMALL.replace("page: {", "page: { headers: { A: b },");
    let study = with(&text, &["workload.page.headers.Authorization=Bearer hunter2"]).unwrap();
    assert!(!study.text.contains("hunter2") && !study.settings[0].contains("hunter2"), "{}", study.text);
    let study = with(&text, &["workload.page.headers={ Cookie: \"a=hunter2\", X: kept }"]).unwrap();
    assert!(
        !study.text.contains("hunter2") && !study.settings[0].contains("hunter2"),
        "{}",
        study.settings[0]
    );
    assert!(study.settings[0].contains("X: kept"), "{}", study.settings[0]);
    let said = with(&text, &["workload.page.headers.Authorization=[hunter2, x]"]).unwrap_err().to_string();
    assert!(!said.contains("hunter2"), "{said}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_setting_is_a_study_or_messages(setting in "\\PC{0,40}", key in "[a-z.\\[\\]0-9\"=]{0,30}") {
        let _ = with(SMALL, &[&setting]);
        let _ = with(SMALL, &[&key]);
        let _ = with(SMALL, &[&format!("workload.page.get={setting}")]);
    }

    #[test]
    fn text_in_effect_reads_as_what_was_set(value in "\\PC{1,30}") {
        let quoted = serde_json::to_string(&value).unwrap();
        if let Ok(study) = with(SMALL, &[&format!("question={quoted}")]) {
            let again = parse(&study.text, "again", Path::new("."), &Options::default(), &TestCatalogue)
                .unwrap_or_else(|problems| panic!("{problems}\n{}", study.text));
            assert_eq!(again.question, study.question);
        }
    }
}
