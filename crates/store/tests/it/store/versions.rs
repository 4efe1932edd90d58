//! Every version ever written is read, and the newest is what is written today.

use crate::store::fixture::{plan, write};
use proofload_stats::Measure;
use proofload_store::schema::FORMAT_VERSION;
use proofload_store::{Run, RunWriter, condense, judged, measures_of, schemas};
use std::fs;
use std::path::{Path, PathBuf};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// Files of a run whose bytes are the same every time.
const FILES: [&str; 5] =
    ["plan.json", "environment.json", "status.json", "blocks/0001.jsonl", "blocks/0002.partial.jsonl"];

/// Every fixture: for each version its first record as it was written, `v<n>-newest` with all the fields that were added
/// since, and `v<n>-condensed`, a small copy of that.
fn fixtures() -> Vec<String> {
    let of_version = |version| ["", "-newest", "-condensed"].map(|kind| format!("v{version}{kind}"));
    (1..=FORMAT_VERSION).flat_map(of_version).collect()
}

#[test]
fn every_stored_version_is_read_and_yields_the_same_figures() {
    for version in fixtures() {
        let run = Run::open(&testdata().join(&version)).unwrap();
        assert_eq!(run.plan().study, "fixture", "{version}");
        let seen = run.observations(&[Measure::Throughput, Measure::CpuPerRequest]).unwrap();
        assert_eq!((seen.blocks.as_slice(), seen.excluded_blocks), (&[1][..], 1), "{version}");
        let merged: Vec<_> = seen.cells.iter().map(|cell| cell.merged.unwrap()).collect();
        assert_eq!(merged, [1_026.0, 20_000.0, 1_126.0, 20_000.0], "{version}");
        assert_eq!(run.points().unwrap()[1].response_time_ns.count, 2_252, "{version}");
    }
}

/// A block that is whole, and one that was cut off.
fn newest(root: &Path) -> RunWriter {
    let mut writer = write(root, &plan(), 1);
    let mut block = writer.begin_block(2).unwrap();
    block.append(&crate::store::fixture::slices(2)[0]).unwrap();
    drop(block);
    writer
}

/// With `UPDATE_FIXTURES=1` the newest fixture is written anew: when fields were added, and for nothing else.
#[test]
fn the_fixture_of_the_newest_version_is_what_is_written_today() {
    let root = tempfile::tempdir().unwrap();
    let writer = newest(root.path());
    let committed = testdata().join(format!("v{FORMAT_VERSION}-newest"));
    for name in FILES {
        let today = fs::read_to_string(writer.path().join(name)).unwrap();
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::create_dir_all(committed.join(name).parent().unwrap()).unwrap();
            fs::write(committed.join(name), &today).unwrap();
        }
        let stored = fs::read_to_string(committed.join(name)).unwrap();
        assert!(
            stored == today,
            "{name} is written differently now: a new format needs a version and a fixture"
        );
    }
}

/// As above; that the bytes are packed the same is not asked, for what packs them may pack better one day.
#[test]
fn the_condensed_fixture_is_what_is_condensed_today() {
    let root = tempfile::tempdir().unwrap();
    let today = root.path().join("condensed");
    let whole = Run::open(newest(root.path()).path()).unwrap();
    condense(&whole, &[Measure::ResponseQuantile(9900), Measure::ResponseMean], &today).unwrap();
    let committed = testdata().join(format!("v{FORMAT_VERSION}-condensed"));
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::create_dir_all(committed.join("blocks")).unwrap();
        for name in FILES.map(|name| name.replace("0001.jsonl", "0001.jsonl.gz")) {
            fs::copy(today.join(&name), committed.join(&name)).unwrap();
        }
    }
    let slices = |path: &Path| Run::open(path).unwrap().blocks()[0].slices.clone();
    assert!(slices(&today) == slices(&committed), "slices are condensed differently now");
    assert_eq!(slices(&committed).len(), 4, "no warm-up");
    for name in FILES.iter().filter(|name| !name.starts_with("blocks/0001")) {
        let read = |path: &Path| fs::read_to_string(path.join(name)).unwrap();
        assert!(read(&today) == read(&committed), "{name} is written differently now");
    }
}

#[test]
fn claims_are_judged_on_what_the_record_yields() {
    let run = Run::open(&testdata().join(format!("v{FORMAT_VERSION}"))).unwrap();
    let names = proofload_stats::Names {
        variants: ["nio", "nio2"]
            .map(|name| proofload_stats::Selector {
                name: name.to_string(),
                levels: vec![("connector".to_string(), name.to_string())],
            })
            .to_vec(),
        points: vec!["64c".to_string()],
        ..proofload_stats::Names::default()
    };
    let planned = &run.plan().claims[0];
    let claims = proofload_stats::parse_claim(&planned.name, &planned.text, &names).unwrap();
    assert_eq!(measures_of(&claims), [Measure::Throughput]);
    let design = proofload_stats::Design::at(&[4, 6]);
    let judgement = judged(&run, &claims, &design).unwrap();
    assert_eq!(judgement.claims.len(), 1);
    assert_eq!(judgement.claims[0].verdict, proofload_stats::Verdict::Undecided, "one block of four");
    assert!(!judgement.settled);
}

#[test]
fn every_stored_format_has_a_schema_with_its_fields_described() {
    let all = schemas();
    assert_eq!(all.len(), 15);
    for (name, schema) in all {
        assert!(name.ends_with(".schema.json"));
        let properties = schema["properties"].as_object().unwrap();
        for (field, described) in properties {
            assert!(described.get("description").is_some(), "{name}: {field}");
        }
    }
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    for (name, schema) in schemas() {
        let today = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            fs::write(folder.join(name), &today).unwrap();
        }
        let committed = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == today, "schema/{name} is out of date: UPDATE=1 writes it");
    }
}
