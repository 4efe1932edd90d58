//! Every version ever written is read, and the newest is what is written today.

use crate::store::fixture::{STARTED_NS, environment, plan, slices};
use proofload_facts::Finding;
use proofload_store::schema::{
    AddressUse, EndedByServer, FORMAT_VERSION, Histograms, Plan, Point, RequestFigures, RequestHistograms,
    Slice, Transport,
};
use proofload_store::{Run, RunWriter, schemas};
use std::collections::BTreeMap;
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
fn every_stored_version_is_read() {
    for version in fixtures() {
        let run = Run::open(&testdata().join(&version)).unwrap();
        assert_eq!(run.plan().study, "fixture", "{version}");
        assert_eq!((run.blocks().len(), run.excluded().len()), (1, 1), "{version}");
    }
}

/// The plan with the fields that were added since the version's first record.
fn newest_plan() -> Plan {
    let mut plan = Plan { requests: vec!["page".to_string()], ..plan() };
    for variant in &mut plan.variants {
        variant.transport = Some(Transport {
            proxy: "192.0.2.1:3128".to_string(),
            forwards: true,
            no_proxy: "localhost,.example.org".to_string(),
            ..Transport::default()
        });
    }
    plan
}

/// A slice with those fields.
fn newest_slice(slice: &Slice) -> Slice {
    let address = |address: &str, refused| AddressUse {
        address: address.to_string(),
        connections: 64,
        refused,
        timed_out: 1,
        failed: 1,
        exchanges: 500,
    };
    let whole = &slice.measured;
    let page = RequestFigures {
        journey: false,
        name: "page".to_string(),
        throughput_per_s: whole.throughput_per_s,
        answered_in_window: slice.answered_in_window,
        outcomes: whole.outcomes.clone(),
        response_time_ns: whole.response_time_ns.clone(),
        codes: whole.codes.clone(),
        body_bytes: 100_000,
    };
    let of_page = RequestHistograms {
        response_time: slice.histograms.response_time.clone(),
        ..RequestHistograms::default()
    };
    Slice {
        measured: Point {
            requests: vec![page],
            addresses: vec![address("127.0.0.1:8080", 0), address("[::1]:8080", 2)],
            cause: Some(Finding::RedirectsTo { to: "https://www.example.org/".to_string() }),
            ended_by_server: Some(EndedByServer { connections: 3, fewest: 5, most: 7 }),
            redirects: 4,
            redirects_elsewhere: BTreeMap::from([("https://www.example.org".to_string(), 4)]),
            challenges: 2,
            ..whole.clone()
        },
        histograms: Histograms { requests: vec![of_page], ..slice.histograms.clone() },
        ..slice.clone()
    }
}

/// A block that is whole, and one that was cut off.
fn newest(root: &Path) -> RunWriter {
    let mut writer = RunWriter::create(root, &newest_plan(), &environment(), STARTED_NS).unwrap();
    let mut block = writer.begin_block(1).unwrap();
    for slice in slices(1) {
        block.append(&newest_slice(&slice)).unwrap();
    }
    block.finish().unwrap();
    let mut block = writer.begin_block(2).unwrap();
    block.append(&newest_slice(&slices(2)[0])).unwrap();
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

#[test]
fn every_stored_format_has_a_schema_with_its_fields_described() {
    let all = schemas();
    assert_eq!(all.len(), 16);
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
