//! Objects that Kubernetes would refuse are refused here, all mistakes at once.

use super::{spec, study};
use proofload_remote::kubernetes::manifest::manifest;
use proofload_remote::kubernetes::spec::ManifestSpec;

/// Mistakes of a change of a good specification, a line each.
fn problems(change: impl FnOnce(&mut ManifestSpec)) -> Vec<String> {
    let mut changed = spec(1);
    change(&mut changed);
    let refused = manifest(&changed).err().map(|refused| refused.to_string()).unwrap_or_default();
    refused.lines().map(str::to_owned).collect()
}

/// There is one mistake, which begins so.
#[track_caller]
fn one(change: impl FnOnce(&mut ManifestSpec), says: &str) {
    let found = problems(change);
    assert!(matches!(&found[..], [line] if line.starts_with(says)), "{says}: {found:?}");
}

#[test]
fn names_are_labels_short_enough_for_what_is_made_of_them() {
    let longest = "a".repeat(51);
    for good in ["a", "lab-2", &longest] {
        assert!(problems(|spec| spec.name = good.into()).is_empty(), "{good}");
    }
    let too_long = "a".repeat(52);
    for bad in ["", "Lab", "2lab", "-lab", "lab-", "lab_2", "lab.2", "l\u{e4}b", &too_long] {
        one(|spec| spec.name = bad.into(), &format!("name `{bad}`: 1 to 51 "));
    }
    let longest = "1".repeat(63);
    assert!(problems(|spec| spec.namespace = longest.clone()).is_empty());
    for bad in ["", "A", "a.b", &format!("{longest}1")] {
        one(|spec| spec.namespace = bad.into(), &format!("namespace `{bad}`: 1 to 63 "));
    }
}

#[test]
fn cpus_are_whole_and_memory_has_a_unit_of_bytes() {
    for good in ["1", "64"] {
        assert!(problems(|spec| spec.agent.cpu = good.into()).is_empty());
    }
    for bad in ["", "0", "500m", "1.5", "01", "-1", "1 ", "99999"] {
        one(|spec| spec.agent.cpu = bad.into(), &format!("CPUs of each agent: `{bad}`; "));
    }
    for good in ["512Mi", "1Gi", "500M", "1073741824"] {
        assert!(problems(|spec| spec.coordinator.memory = good.into()).is_empty());
    }
    for bad in ["", "0", "512m", "512MB", "1.5Gi", "Gi", "1 Gi"] {
        one(|spec| spec.coordinator.memory = bad.into(), &format!("memory of the coordinator: `{bad}`; "));
    }
}

#[test]
fn files_stay_below_the_study_and_below_a_mebibyte() {
    let settings = serde_json::to_string(&study(&mut spec(1)).settings).expect("JSON").len();
    let held = study(&mut spec(1)).files.values().map(Vec::len).sum::<usize>() + settings;
    let filled =
        |spec: &mut ManifestSpec, bytes| drop(study(spec).files.insert("more".into(), vec![b'a'; bytes]));
    assert!(problems(|spec| filled(spec, (1 << 20) - held)).is_empty());
    one(|spec| filled(spec, (1 << 20) - held + 1), "files of the study have ");
    for bad in [".env", "a/.key", "../up", "/etc/passwd", "a//b", "a/../b", "", ".", "..data", "a/"] {
        let insert = |spec: &mut ManifestSpec| drop(study(spec).files.insert(bad.into(), Vec::new()));
        one(insert, &format!("file `{bad}`: "));
    }
}

#[test]
fn characters_that_readers_of_yaml_disagree_about_are_refused() {
    for bad in ["a\nb", "\ttab", "a\u{2028}b", "\u{feff}a"] {
        let says = format!("{bad:?} has a line break");
        one(|spec| study(spec).arguments.push(bad.into()), &says);
        one(|spec| drop(study(spec).files.insert(bad.into(), Vec::new())), &says);
    }
}

#[test]
fn an_image_is_one_word() {
    for bad in ["", "a b"] {
        one(|spec| spec.image = bad.into(), &format!("image `{bad}`: "));
    }
}

#[test]
fn all_mistakes_are_told_at_once_a_line_each() {
    let mut bad = spec(1);
    bad.name = "Lab".into();
    bad.image = String::new();
    bad.agent.memory = "512m".into();
    let text = manifest(&bad).expect_err("three mistakes").to_string();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.starts_with("name `Lab`: 1 to 51 small letters"), "{text}");
}
