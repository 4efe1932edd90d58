//! Wrong declarations, and their messages.

use super::*;
use proofload_study::ParameterKind;

const GOOD: &str = "\
description: \"echo {mode}\"
parameters:
  - { name: mode, kind: { choice: [a, b] }, default: a, doc: How. }
  - { name: count, kind: { number: { min: 1, max: 9 } }, default: 3, doc: How many. }
  - { name: fast, kind: { switch: --fast }, default: \"false\", doc: Faster. }
start:
  - [./echo, --port, \"{port}\"]
  - [--mode, \"{mode}\"]
ready: { path: /x, within: 5s }
";

fn parse(text: &str) -> Result<Declaration, Vec<String>> {
    check::parse(Path::new("subject.yaml"), text)
        .map_err(|mistakes| mistakes.0.iter().map(ToString::to_string).collect())
}

#[test]
fn a_declaration_is_read_with_its_parameters_in_order() {
    let declaration = parse(GOOD).unwrap();
    let names: Vec<&str> = declaration.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["mode", "count", "fast"]);
    assert_eq!(declaration.parameters[1].kind, ParameterKind::Integer { min: 1, max: 9 });
    assert_eq!(declaration.parameters[1].default.as_deref(), Some("3"));
    assert_eq!(declaration.parameters[2].kind, ParameterKind::Choice(vec!["true".into(), "false".into()]));
    assert_eq!(declaration.processes[0].ready_within, std::time::Duration::from_secs(5));
    assert_eq!(declaration.grace, std::time::Duration::from_secs(5));
    assert_eq!(declaration.plain_description(), "echo a");
}

#[test]
fn every_mistake_has_its_line_and_a_remedy() {
    let cases: [(&str, &str, &str); 10] = [
        (
            "within: 5s }",
            "within: 5s, sleep: 3s }",
            "subject.yaml:9: ready.sleep: is not a key of this format",
        ),
        ("path: /x", "pat: /x", "subject.yaml:9: ready.pat: is not a key of this format; did you mean path?"),
        ("{mode}\"]", "{mod}\"]", "subject.yaml:8: start[1][1]: {mod} stands for nothing; known here: "),
        (
            "default: a,",
            "default: c,",
            "subject.yaml:3: parameters[0].default: c is not known here; write a or b",
        ),
        (
            "default: 3",
            "default: 12",
            "subject.yaml:4: parameters[1].default: 12 does not fit; write a whole number from 1 to 9",
        ),
        (
            "name: count",
            "name: mode",
            "subject.yaml:4: parameters[1].name: the parameter mode is here a second time",
        ),
        ("name: count", "name: Count", "subject.yaml:4: parameters[1].name: no parameter can be named Count"),
        ("path: /x", "path: x", "subject.yaml:9: ready.path: x is not a path; write /echo"),
        ("within: 5s", "within: soon", "subject.yaml:9: ready.within: "),
        (
            "start:\n  - [./echo, --port, \"{port}\"]\n  - [--mode, \"{mode}\"]",
            "start: []",
            "subject.yaml:6: start: is empty; write ",
        ),
    ];
    for (from, to, expected) in cases {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from} is in the example");
        let found = parse(&text).unwrap_err();
        assert!(found.len() == 1 && found[0].starts_with(expected), "{to}: {found:?}");
        assert!(found[0].contains("; "), "a remedy: {found:?}");
    }
}

#[test]
fn rules_derived_texts_and_shares_name_what_is_declared() {
    let rest = "applies: [{ when: { mode: [b] }, need: { count: [\"5..\"] }, because: so }]\n\
                derived: [{ name: d, cases: [{ when: { mode: [a] }, is: \"{count}\" }] }]\nshares: mode\n";
    parse(&format!("{GOOD}{rest}")).unwrap();
    let cases = [
        ("mode: [b]", "moda: [b]", "there is no parameter moda; did you mean mode?"),
        ("mode: [b]", "mode: [c]", "when.mode[0]: c is not known here; write a or b"),
        ("count: [\"5..\"]", "mode: [\"5..\"]", "need.mode[0]: 5.. is not known here"),
        ("is: \"{count}\"", "is: \"{d}\"", "{d} stands for nothing"),
        ("name: d", "name: mode", "the parameter mode is here a second time"),
        ("shares: mode", "shares: count", "shares: count is not known here"),
        ("shares: mode", "format: 2", "format 2 is not known"),
    ];
    for (from, to, expected) in cases {
        let text = format!("{GOOD}{}", rest.replacen(from, to, 1));
        let found = parse(&text).unwrap_err();
        assert!(found.len() == 1 && found[0].contains(expected), "{to}: {found:?}");
    }
}

#[test]
fn processes_are_ordered_and_their_ports_are_known() {
    let several = "\
description: two
processes:
  - name: front
    after: [back]
    start: [[./front, \"{port}\", \"{port.back}\"]]
    ready: { within: 5s }
  - name: back
    start: [[./back, \"{port}\"]]
    ready: { path: /x, within: 6s }
";
    let declaration = parse(several).unwrap();
    let names: Vec<&str> = declaration.processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!((names.as_slice(), declaration.front), (&["back", "front"][..], 1));
    let cases = [
        ("after: [back]", "after: [front]", "comes after one that is not there"),
        ("{port.back}", "{port.bakc}", "{port.bakc} stands for nothing"),
        ("name: back", "name: front", "the process front is here a second time"),
        ("description: two", "description: two\nfront: none", "front: there is no process none"),
        ("description: two", "description: two\nstart: [[./x]]", "start and processes exclude each other"),
    ];
    for (from, to, expected) in cases {
        let found = parse(&several.replacen(from, to, 1)).unwrap_err();
        assert!(found.iter().any(|what| what.contains(expected)), "{to}: {found:?}");
    }
}

#[test]
fn a_source_outside_its_folder_is_refused() {
    for path in ["../x.java", "/x.java", ""] {
        let text = format!("{GOOD}needs: {{ jdk: 17 }}\nbuild: {{ javac: [\"{path}\"] }}\n");
        assert!(parse(&text).unwrap_err()[0].contains("leads out of its folder"), "{path}");
    }
}

#[test]
fn mistakes_that_can_be_seen_together_are_told_together() {
    let text = GOOD.replace("{mode}\"]", "{mod}\"]").replace("path: /x", "path: x, sleep: 3s");
    assert_eq!(parse(&text).unwrap_err().len(), 3);
}

#[test]
fn the_catalogue_of_this_repository_is_right_and_found_from_below() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let catalogue = Catalogue::read(&upward(&here.join("src")).unwrap()).unwrap();
    assert!(["reference", "tomcat"].iter().all(|name| catalogue.folders().contains(&name.to_string())));
    assert!(catalogue.parameters("tomcat").unwrap().iter().any(|parameter| parameter.name == "connector"));
    assert!(catalogue.parameters("none").is_none());
    assert!(catalogue.list().contains("Tomcat 9.0.110"));
    let shown = catalogue.show("tomcat").unwrap();
    assert!(shown.contains("nio | nio2 | apr") && shown.contains("needs      JDK 17\n"), "{shown}");
}

#[test]
fn a_named_folder_without_subjects_is_refused_rather_than_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let refused = Catalogue::find(Some(directory.path()), None).unwrap_err().to_string();
    assert!(refused.contains("--catalogue"), "{refused}");
}

#[test]
fn a_shared_source_outside_the_catalogue_is_refused() {
    let text = format!("{GOOD}needs: {{ jdk: 17 }}\nbuild: {{ shared: [\"../x.java\"] }}\n");
    assert!(parse(&text).unwrap_err()[0].contains("leads out of its folder"));
    let text = format!("{GOOD}build: {{ shared: [\"java/X.java\"] }}\n");
    assert!(parse(&text).unwrap_err()[0].contains("has no meaning without needs.jdk"));
}
