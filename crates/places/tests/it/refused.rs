//! What Kubernetes would refuse is refused here, all of it at once.

use super::{study, wanted};
use proofload_places::kubernetes::manifest::{Problem, Wanted, manifest};

/// What is wrong with a change of a good wish.
fn problems(change: impl FnOnce(&mut Wanted)) -> Vec<Problem> {
    let mut changed = wanted(1);
    change(&mut changed);
    manifest(&changed).err().map(|refused| refused.0).unwrap_or_default()
}

#[test]
fn names_are_labels_short_enough_for_what_is_made_of_them() {
    let longest = "a".repeat(51);
    for good in ["a", "lab-2", &longest] {
        assert_eq!(problems(|wanted| wanted.name = good.into()), [], "{good}");
    }
    let too_long = "a".repeat(52);
    for bad in ["", "Lab", "2lab", "-lab", "lab-", "lab_2", "lab.2", "l\u{e4}b", &too_long] {
        assert_eq!(problems(|wanted| wanted.name = bad.into()), [Problem::Name(bad.into())], "{bad}");
    }
    let longest = "1".repeat(63);
    assert_eq!(problems(|wanted| wanted.namespace = longest.clone()), []);
    for bad in ["", "A", "a.b", &format!("{longest}1")] {
        assert_eq!(problems(|wanted| wanted.namespace = bad.into()), [Problem::Namespace(bad.into())]);
    }
}

#[test]
fn cpus_are_whole_and_memory_has_a_unit_of_bytes() {
    for good in ["1", "64"] {
        assert_eq!(problems(|wanted| wanted.agent.cpu = good.into()), []);
    }
    for bad in ["", "0", "500m", "1.5", "01", "-1", "1 ", "99999"] {
        let expected = Problem::Cpu { of: "agent", text: bad.into() };
        assert_eq!(problems(|wanted| wanted.agent.cpu = bad.into()), [expected]);
    }
    for good in ["512Mi", "1Gi", "500M", "1073741824"] {
        assert_eq!(problems(|wanted| wanted.coordinator.memory = good.into()), []);
    }
    for bad in ["", "0", "512m", "512MB", "1.5Gi", "Gi", "1 Gi"] {
        let expected = Problem::Memory { of: "coordinator", text: bad.into() };
        assert_eq!(problems(|wanted| wanted.coordinator.memory = bad.into()), [expected]);
    }
}

#[test]
fn files_stay_below_the_study_and_below_a_mebibyte() {
    let settings = serde_json::to_string(&study(&mut wanted(1)).settings).expect("JSON").len();
    let held = study(&mut wanted(1)).files.values().map(Vec::len).sum::<usize>() + settings;
    let filled =
        |wanted: &mut Wanted, bytes| drop(study(wanted).files.insert("more".into(), vec![b'a'; bytes]));
    assert_eq!(problems(|wanted| filled(wanted, (1 << 20) - held)), []);
    let one_more = problems(|wanted| filled(wanted, (1 << 20) - held + 1));
    assert_eq!(one_more, [Problem::TooLarge((1 << 20) + 1)]);
    for bad in [".env", "a/.key", "../up", "/etc/passwd", "a//b", "a/../b", "", ".", "..data", "a/"] {
        let found = problems(|wanted| drop(study(wanted).files.insert(bad.into(), Vec::new())));
        assert_eq!(found, [Problem::Path(bad.into())], "{bad}");
    }
    assert_eq!(problems(|wanted| study(wanted).file = "other".into()), [Problem::Study("other".into())]);
}

#[test]
fn arguments_that_the_manifest_decides_are_refused() {
    for bad in ["--agents", "--agents=3", "--dir", "--wait=1s"] {
        let found = problems(|wanted| study(wanted).arguments.push(bad.into()));
        assert_eq!(found, [Problem::Argument(bad.into())]);
    }
    assert_eq!(problems(|wanted| study(wanted).arguments.push("--directory-like".into())), []);
}

#[test]
fn characters_that_readers_of_yaml_disagree_about_are_refused() {
    for bad in ["a\nb", "\ttab", "a\u{2028}b", "\u{feff}a"] {
        assert_eq!(problems(|wanted| study(wanted).arguments.push(bad.into())), [Problem::Odd(bad.into())]);
        let found = problems(|wanted| drop(study(wanted).files.insert(bad.into(), Vec::new())));
        assert_eq!(found, [Problem::Odd(bad.into())]);
    }
}

#[test]
fn tokens_images_times_and_counts_have_their_limits() {
    for bad in ["short".to_string(), "a".repeat(4097), format!("{}\n", "a".repeat(40))] {
        assert_eq!(problems(|wanted| wanted.token = bad), [Problem::Token]);
    }
    assert_eq!(problems(|wanted| wanted.image = "a b".into()), [Problem::Image("a b".into())]);
    assert_eq!(problems(|wanted| wanted.agents = 0), [Problem::Agents(0)]);
    assert_eq!(problems(|wanted| wanted.agents = 10_001), [Problem::Agents(10_001)]);
    assert_eq!(problems(|wanted| wanted.wait_s = 0).len(), 1);
    assert_eq!(problems(|wanted| wanted.deadline_s = Some(0)).len(), 1);
}

#[test]
fn all_mistakes_are_told_at_once_a_line_each() {
    let mut bad = wanted(0);
    bad.name = "Lab".into();
    bad.agent.memory = "512m".into();
    let text = manifest(&bad).expect_err("three mistakes").to_string();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.starts_with("name `Lab`: 1 to 51 small letters"), "{text}");
}
