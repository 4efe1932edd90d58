//! The corpus of good and broken files, through the checks and through the JSON Schema.
//!
//! `testdata/broken/syntax`: no tree comes of them. `testdata/broken/shape`: the schema refuses them too.
//! `testdata/broken/meaning`: the schema cannot find it, only the checks can. `testdata/good`: both accept
//! them. `UPDATE=1 cargo test -p proofload-study` rewrites the `.expected` files.

mod catalogue;
mod placeholders;

use super::yaml::{self, Kind, Node, Value};
use super::*;
pub(crate) use catalogue::{SMALL, TestCatalogue};
use proofload_engine::transport::Proxy;
use proofload_facts::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

fn testdata(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(folder)
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

fn load_named(path: &Path) -> Result<Study, Problems> {
    load(path, &Options::default(), &TestCatalogue)
}

/// A mistake as people read it.
pub(crate) fn told(mistake: &proofload_facts::Mistake) -> String {
    proofload_language::facts::told(mistake)
}

/// Messages of the checks about a file, with the file's name alone, so that the place of the checkout does not matter.
fn messages(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy();
    match load_named(path) {
        Ok(_) => panic!("{} was accepted", path.display()),
        Err(problems) => {
            let folder = format!("{}/", path.parent().unwrap().display());
            problems.to_string().replace(&*path.to_string_lossy(), &name).replace(&folder, "") + "\n"
        }
    }
}

/// The value that a reader of YAML 1.2 hands to a JSON Schema, as editors do.
fn json(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.clone(), json(&entry.node)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::List(items) => items.iter().map(|item| json(item)).collect::<Vec<_>>().into(),
        Value::Scalar { text, .. } => match node.kind().unwrap() {
            Kind::Text | Kind::OldBoolean => text.as_str().into(),
            Kind::Null => serde_json::Value::Null,
            Kind::Boolean => text.eq_ignore_ascii_case("true").into(),
            Kind::Integer | Kind::Number => {
                match (text.parse::<u64>(), text.parse::<i64>(), text.parse::<f64>()) {
                    (Ok(number), ..) => number.into(),
                    (_, Ok(number), _) => number.into(),
                    (_, _, Ok(number)) => number.into(),
                    _ => text.as_str().into(),
                }
            }
        },
    }
}

fn tree(path: &Path) -> Option<Rc<Node>> {
    let text = std::fs::read_to_string(path).ok()?;
    yaml::parse(&text, &problem::Sink::new("schema"))
}

fn schema_complaints(path: &Path) -> Vec<String> {
    static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(study_schema);
    let tree = tree(path).unwrap_or_else(|| panic!("{} is no YAML", path.display()));
    proofload_testkit::schema_complaints(&SCHEMA, &json(&tree))
}

#[test]
fn every_broken_file_gets_exactly_its_messages() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut count = 0;
    let mut wrong = Vec::new();
    for folder in ["broken/syntax", "broken/shape", "broken/meaning"] {
        for path in yaml_files(&testdata(folder)) {
            count += 1;
            let found = messages(&path);
            let expected_path = path.with_extension("expected");
            if update {
                std::fs::write(&expected_path, &found).unwrap();
            }
            let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
            if found != expected {
                wrong.push(format!("{}\nexpected:\n{expected}found:\n{found}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "UPDATE=1 rewrites what is expected\n\n{}", wrong.join("\n"));
    assert!(count >= 40, "the corpus has only {count} files");
}

#[test]
fn every_message_names_its_file_and_says_what_to_do() {
    for folder in ["broken/syntax", "broken/shape", "broken/meaning"] {
        for path in yaml_files(&testdata(folder)) {
            for problem in load_named(&path).unwrap_err().0 {
                assert!(problem.to_string().starts_with(&*path.to_string_lossy()), "{problem}");
                let says = told(&problem.mistake);
                assert!(["; ", "? Write "].iter().any(|mark| says.contains(mark)), "no remedy: {problem}");
                assert!(!problem.to_string().contains('\n'), "more than a line: {problem}");
            }
        }
    }
}

#[test]
fn the_schema_refuses_what_has_the_wrong_shape() {
    for path in yaml_files(&testdata("broken/shape")) {
        assert!(!schema_complaints(&path).is_empty(), "the schema accepts {}", path.display());
    }
}

#[test]
fn the_schema_accepts_what_only_the_checks_can_refuse() {
    for path in yaml_files(&testdata("broken/meaning")) {
        let complaints = schema_complaints(&path);
        assert!(complaints.is_empty(), "{} belongs to broken/shape: {complaints:#?}", path.display());
    }
}

#[test]
fn good_files_pass_the_checks_and_the_schema() {
    for path in yaml_files(&testdata("good")) {
        if let Err(problems) = load_named(&path) {
            panic!("{problems}");
        }
        let complaints = schema_complaints(&path);
        assert!(complaints.is_empty(), "{}: {complaints:#?}", path.display());
    }
}

#[test]
fn every_key_of_a_study_is_in_the_table_of_the_documents() {
    let page = include_str!("../../../docs/studies.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| [`")?.split_once('`'));
    let documented: BTreeSet<&str> = rows.map(|(name, _)| name).collect();
    assert_eq!(documented, parse::STUDY.own.iter().map(|key| key.name).collect());
}

#[test]
fn the_committed_schema_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/study.schema.json");
    let found = serde_json::to_string_pretty(&study_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == found, "{} is out of date: UPDATE=1 rewrites it", path.display());
}

#[test]
fn a_file_that_is_missing_or_no_text_or_too_large_is_a_message() {
    let directory = tempfile::tempdir().unwrap();
    let missing = load_named(&directory.path().join("none.yaml")).unwrap_err().to_string();
    assert!(missing.contains("cannot be read"), "{missing}");
    let folder = load_named(directory.path()).unwrap_err().to_string();
    assert!(folder.contains("is not a file"), "{folder}");
    let binary = directory.path().join("binary.yaml");
    std::fs::write(&binary, b"study: a\nquestion: \xff\n").unwrap();
    let message = load_named(&binary).unwrap_err().to_string();
    assert!(message.contains("binary.yaml:2: is not UTF-8 text"), "{message}");
    let large = directory.path().join("large.yaml");
    std::fs::write(&large, "#".repeat(2 * 1024 * 1024)).unwrap();
    let message = load_named(&large).unwrap_err().to_string();
    assert!(message.contains("write at most 1 MiB"), "{message}");
}

const SAMPLE: &str = include_str!("../testdata/good/full.yaml");

fn parse_sample(text: &str, options: &Options) -> Study {
    parse(text, "sample.yaml", Path::new("."), options, &TestCatalogue)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn a_whole_study_is_read_as_it_was_written() {
    let study = parse_sample(SAMPLE, &Options::default());
    assert_eq!(study.name, "full");
    let variants: Vec<&str> = study.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(variants, ["tomcat,nio", "tomcat,nio2", "own", "running"]);
    let points: Vec<&str> = study.points.iter().map(|point| point.label.as_str()).collect();
    assert_eq!(points, ["25c", "100c", "400c"]);
    let SubjectSpec::Catalogue { folder, with } = &study.variants[1].subject else { panic!() };
    assert_eq!(folder, "tomcat");
    assert_eq!(with["connector"], "nio2");
    assert_eq!(with["max_threads"], "500");
    let SubjectSpec::Command { args, env, ready_within_ns, port, .. } = &study.variants[2].subject else {
        panic!()
    };
    assert_eq!(args[1], "--listen={port}");
    assert_eq!(args[3], "loud");
    assert_eq!(env["MODE"], "loud and {literal text}");
    assert_eq!((*ready_within_ns, *port), (90_000_000_000, None));
    let SubjectSpec::Url { address, .. } = &study.variants[3].subject else { panic!() };
    assert_eq!(address.tcp().unwrap().port(), 8080);
    assert_eq!(study.workload[1].weight, 3);
    assert_eq!(study.workload[1].request.method, "POST");
    assert_eq!(study.workload[1].expect.bytes, Some(1024..=1024));
    assert_eq!(study.timeouts.connect_ns, 1_000_000_000);
    assert_eq!(study.seed, Some(7));
}

#[test]
fn the_kept_text_of_a_study_has_no_credentials() {
    let study = parse_sample(SAMPLE, &Options::default());
    assert!(SAMPLE.contains("c2VjcmV0"), "the sample has a credential");
    assert!(!study.text.contains("c2VjcmV0"), "{}", study.text);
    assert!(study.text.contains("Authorization: Basic [redacted]"), "{}", study.text);
}

#[test]
fn the_quick_block_applies_when_asked_for_and_says_what_it_drops() {
    let study = parse_sample(SAMPLE, &Options { quick: true, ..Options::default() });
    assert_eq!(study.points.len(), 1);
    assert_eq!(study.names.points, ["100c"]);
    assert_eq!(study.claims.len(), 1);
    let left_out = ["25c", "400c"].map(|point| Finding::PointLeftOut { point: point.into() });
    assert_eq!(study.not_tested[..2], left_out);
    assert!(matches!(study.not_tested[2], Finding::ClaimLeftOut { .. }), "{:?}", study.not_tested);
}

#[test]
fn several_factors_make_the_product_of_their_levels() {
    let text = SMALL
        .replace("vary: { connector: [nio, nio2] }", "vary: { connector: [nio, nio2], heap: [256m, 1g] }");
    let text = text.replace("throughput(nio2) > throughput(nio)", "throughput(connector=nio2,heap=1g) > 5/s");
    let study = parse_sample(&text, &Options::default());
    let names: Vec<&str> = study.variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "connector=nio,heap=256m",
            "connector=nio,heap=1g",
            "connector=nio2,heap=256m",
            "connector=nio2,heap=1g"
        ]
    );
}

#[test]
fn a_switch_takes_true_and_false_without_quotes() {
    let text = SMALL.replace("use: tomcat", "use: reference\n    with: { size: \"const:1\" }");
    let text = text.replace("connector: [nio, nio2]", "queue: [true, false]").replace("(nio2)", "(true)");
    let study = parse_sample(&text.replace("(nio)", "(false)"), &Options::default());
    assert_eq!(study.variants[0].name, "true");
}

#[test]
fn what_has_no_meaning_on_the_way_to_a_server_is_told() {
    let ajp = BTreeMap::from([("protocol".to_string(), "ajp".to_string())]);
    let (http, ajp) = (Speaks::Http, Speaks::from_texts(&ajp).unwrap());
    let said = |entry: &str, speaks: &Speaks, tunnels: bool| {
        let study = parse_sample(&SMALL.replace("get: /echo", entry), &Options::default());
        let proxy = Proxy { authority: "a.test:80".to_string(), tunnels, authorization: None };
        study.workload[0].encode(0, "a.test", speaks, Some(&proxy)).err().map(|mistake| told(&mistake))
    };
    let host = "get: /echo, headers: { Host: other.test }";
    let found = said(host, &http, false).unwrap();
    assert!(found.starts_with("headers.Host: has no meaning without proxy.tunnel: true"), "{found}");
    assert_eq!(said(host, &http, true), None);
    assert_eq!(said("get: /echo, headers: { host: \"A.test:80\" }", &http, false), None);
    let waits = "put: /echo, body: x, expect_continue: true";
    assert_eq!(said(waits, &http, false), None);
    let found = said(waits, &ajp, true).unwrap();
    assert!(found.starts_with("expect_continue: has no meaning without http://"), "{found}");
}

#[test]
fn any_prefix_of_a_good_study_is_a_study_or_messages_and_never_a_panic() {
    for end in (0..SAMPLE.len()).filter(|end| SAMPLE.is_char_boundary(*end)) {
        let _ = parse(&SAMPLE[..end], "prefix.yaml", Path::new("."), &Options::default(), &TestCatalogue);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn a_study_with_a_line_replaced_by_anything_is_a_study_or_messages(
        line in 0usize..SAMPLE.lines().count(),
        other in "\\PC{0,40}",
    ) {
        let mut lines: Vec<&str> = SAMPLE.lines().collect();
        lines[line] = &other;
        let _ = parse(&lines.join("\n"), "line.yaml", Path::new("."), &Options::default(), &TestCatalogue);
    }
}

#[test]
fn the_studies_that_come_with_proofload_fit_the_schema() {
    for path in yaml_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies")) {
        let complaints = schema_complaints(&path);
        assert!(complaints.is_empty(), "{}: {complaints:#?}", path.display());
    }
}
