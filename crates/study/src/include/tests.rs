//! Includes on a real folder.

use crate::tests::{SMALL, TestCatalogue};
use crate::{Options, Problems, Study, SubjectSpec, load};
use std::path::Path;

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn study(directory: &Path, text: &str) -> Result<Study, Problems> {
    write(directory, "study.yaml", text);
    load(&directory.join("study.yaml"), &Options::default(), &TestCatalogue)
}

fn message(directory: &Path, text: &str) -> String {
    study(directory, text).unwrap_err().to_string()
}

#[test]
fn maps_are_merged_and_the_keys_of_the_study_win() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let common = "include: [more/timeouts.yaml]\n\
                  subjects:\n  server:\n    with: { heap: 1g, max_threads: 7 }\nseed: 1\nclaims: [never: read]\n";
    write(at, "parts/jvm.yaml", common);
    write(at, "parts/more/timeouts.yaml", "timeouts: { connect: 2s }\nseed: 3\n");
    let own = SMALL.replace("use: tomcat", "use: tomcat\n    with: { heap: 512m }");
    let study = study(at, &format!("include: [parts/jvm.yaml]\n{own}")).unwrap_or_else(|p| panic!("{p}"));
    let SubjectSpec::Catalogue { with, .. } = &study.variants[0].subject else { panic!() };
    assert_eq!((with["heap"].as_str(), with["max_threads"].as_str()), ("512m", "7"));
    assert_eq!((study.seed, study.timeouts.connect_ns), (Some(1), 2_000_000_000));
    assert_eq!(study.declared_claims.len(), 1, "lists are not merged");

    // What the plan keeps is the study in effect, and it reads as the same study without the files.
    assert!(study.text.starts_with("# includes parts/jvm.yaml\n"), "{}", study.text);
    let again = crate::parse(&study.text, "again", Path::new("/"), &Options::default(), &TestCatalogue)
        .unwrap_or_else(|p| panic!("{p}\n{}", study.text));
    assert_eq!(again.variants[0].subject, study.variants[0].subject);
    assert_eq!((again.seed, again.timeouts, &again.claims), (study.seed, study.timeouts, &study.claims));
}

#[test]
fn the_last_of_several_includes_wins() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "a.yaml", "seed: 1\n");
    write(directory.path(), "b.yaml", "seed: 2\n");
    let study = study(directory.path(), &format!("include: [a.yaml, b.yaml]\n{SMALL}")).unwrap();
    assert_eq!(study.seed, Some(2));
}

#[test]
fn a_mistake_in_an_included_file_names_that_file_and_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    write(at, "parts/load.yaml", "# a comment\ntimeouts: { connect: 5 }\ncolour: red\n");
    let said = message(at, &format!("include: [parts/load.yaml]\n{SMALL}"));
    let place = at.join("parts/load.yaml").display().to_string();
    assert!(said.contains(&format!("{place}:2: timeouts.connect: ")), "{said}");
    assert!(said.contains(&format!("{place}:3: colour: ")), "{said}");
    write(at, "parts/load.yaml", "timeouts: { connect: 5");
    assert!(
        message(at, &format!("include: [parts/load.yaml]\n{SMALL}"))
            .contains(&format!("{place}:1: not YAML"))
    );
    write(at, "parts/load.yaml", "- a\n");
    assert!(message(at, &format!("include: [parts/load.yaml]\n{SMALL}")).contains("[…] is not a map"));
}

#[test]
fn nothing_outside_the_folder_of_the_study_is_read() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.yaml", "seed: [hunter2]\n");
    let at = &outside.path().join("studies");
    std::fs::create_dir(at).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.yaml"), at.join("link.yaml")).unwrap();
    let absolute = outside.path().join("secret.yaml").display().to_string();
    write(at, "parts/up.yaml", "include: [../../secret.yaml]\n");
    for name in
        ["../secret.yaml", "../none.yaml", "link.yaml", "parts/../../secret.yaml", "parts/up.yaml", &absolute]
    {
        let said = message(at, &format!("include: [{name}]\n{SMALL}"));
        assert!(said.contains("is outside the folder of the study"), "{name}: {said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    write(at, "parts/beside.yaml", "include: [../seed.yaml]\n");
    write(at, "seed.yaml", "seed: 5\n");
    let beside =
        study(at, &format!("include: [parts/beside.yaml]\n{SMALL}")).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(beside.seed, Some(5));
}

#[test]
fn circles_depth_numbers_and_sizes_are_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    write(at, "a.yaml", "include: [b.yaml]\n");
    write(at, "b.yaml", "include: [a.yaml]\n");
    let said = message(at, &format!("include: [a.yaml]\n{SMALL}"));
    assert!(said.contains("b.yaml:1: include[0]: a.yaml includes itself"), "{said}");

    (0..20).for_each(|n| write(at, &format!("deep{n}.yaml"), &format!("include: [deep{}.yaml]\n", n + 1)));
    let said = message(at, &format!("include: [deep0.yaml]\n{SMALL}"));
    assert!(said.contains("more than 8 files include each other"), "{said}");

    // Each file includes the next twice: 2^8 readings, were they not counted.
    (0..8).for_each(|n| {
        let next = n + 1;
        write(at, &format!("twice{n}.yaml"), &format!("include: [twice{next}.yaml, twice{next}.yaml]\n"));
    });
    write(at, "twice8.yaml", "seed: 1\n");
    let said = message(at, &format!("include: [twice1.yaml]\n{SMALL}"));
    assert_eq!(said.matches("33 files are too many").count(), 1, "{said}");

    let comment = format!("#{}\nseed: 1\n", "x".repeat(600_000));
    write(at, "large1.yaml", &comment);
    write(at, "large2.yaml", &comment);
    let said = message(at, &format!("include: [large1.yaml, large2.yaml]\n{SMALL}"));
    assert!(said.contains("larger than a study can be"), "{said}");

    let bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n\
                c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n";
    write(at, "bomb.yaml", bomb);
    let said = message(at, &format!("include: [bomb.yaml]\n{SMALL}"));
    assert!(said.contains("bomb.yaml:") && said.contains("aliases"), "{said}");
    let half = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n\
                c: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: 1\n";
    let names: Vec<String> = (0..12).map(|n| format!("half{n}.yaml")).collect();
    names.iter().for_each(|name| write(at, name, half));
    let said = message(at, &format!("include: [{}]\n{SMALL}", names.join(", ")));
    assert!(said.contains("larger than a study can be"), "{said}");
}

#[test]
fn a_file_that_is_missing_a_folder_or_a_pipe_is_a_message() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::create_dir(at.join("folder")).unwrap();
    assert!(message(at, &format!("include: [none.yaml]\n{SMALL}")).contains("none.yaml cannot be read"));
    assert!(message(at, &format!("include: [folder]\n{SMALL}")).contains("is not a file"));
    assert!(message(at, &format!("include: parts\n{SMALL}")).contains("write include: [parts/jvm.yaml]"));
    let made = std::process::Command::new("mkfifo").arg(at.join("pipe")).status().unwrap();
    assert!(made.success());
    assert!(message(at, &format!("include: [pipe]\n{SMALL}")).contains("is not a file"));
}
