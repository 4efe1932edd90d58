//! Memory that a record takes of its reader, however it was made: bytes that are allocated and not freed, at their most.

#![allow(clippy::unwrap_used, reason = "tests may")]

use proofload_store::schema::{
    Environment, FORMAT_VERSION, Network, Phase, Plan, Slice, Slicing, SubjectFacts, WarmUp,
};
use proofload_store::{Run, RunWriter};
use serde_json::{Value, json};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes of a text that is blown up.
const TEXT: usize = 8 << 10;
/// Room for the record.
const ROOM: usize = 48 << 10;
/// Texts are in memory while they are read, and a list that grows is there twice.
const MOST_BESIDE: usize = ROOM + 4 * TEXT;

/// Parts of a record that have all that a record may have.
fn slice() -> Slice {
    let mut slice =
        Slice { format: FORMAT_VERSION, block: 1, cycle: 1, phase: Phase::Measure, ..Slice::default() };
    let measured = &mut slice.measured;

    measured.outcomes = [("answered".to_string(), 1)].into();
    measured.codes = [("200".to_string(), 1)].into();
    measured.per_second = vec![1];
    (measured.response_p50_per_second_ns, measured.response_p99_per_second_ns) = (vec![Some(1)], vec![None]);
    (measured.silences, measured.handshakes) = (Some(Default::default()), Some(Default::default()));
    (measured.transport, measured.subject) = (Some(Default::default()), Some(Default::default()));
    measured.generator.agents = Some(Default::default());
    measured.generator.checks = vec![Default::default()];
    measured.bad_answers = vec![Default::default()];
    (slice.telemetry, slice.conditions) = (Some(Default::default()), Some(Default::default()));
    slice.condensed = Some([("p50".to_string(), 1.0)].into());
    slice.trial = Some(Default::default());
    slice
}

/// A record of one block, in `at`.
fn record(root: &Path) -> std::path::PathBuf {
    let plan = Plan {
        format: FORMAT_VERSION,
        study: "x".into(),
        variants: vec![Default::default()],
        points: vec![Default::default()],
        order: vec![vec![vec![0]]],
        ..Plan::default()
    };
    let environment = Environment { cpus: vec![0], ..Environment::default() };
    let mut writer = RunWriter::create(root, &plan, &environment, 1_769_860_800_000_000_000).unwrap();
    let mut block = writer.begin_block(1).unwrap();
    block.append(&slice()).unwrap();
    block.finish().unwrap();
    writer.write_warm_ups(1, &[WarmUp::default()]).unwrap();
    writer.write_subjects(1, &[SubjectFacts::default()]).unwrap();
    writer.write_ceilings(&[Default::default()]).unwrap();
    writer.write_network(&Network { format: FORMAT_VERSION, ..Network::default() }).unwrap();
    writer.write_slicing(&Slicing { format: FORMAT_VERSION, ..Slicing::default() }).unwrap();
    writer.path().to_path_buf()
}

fn places_in(value: &Value, at: String, found: &mut Vec<String>) {
    found.push(at.clone());
    match value {
        Value::Array(list) => {
            list.iter().take(1).for_each(|inner| places_in(inner, format!("{at}/0"), found))
        }
        Value::Object(map) => {
            map.iter().for_each(|(name, inner)| places_in(inner, format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

/// As a text that is as long as `TEXT`: lists and maps of little, one long word, lists within lists.
fn blown_up(usual: &Value) -> Vec<String> {
    let usual = match usual {
        Value::Array(list) => list.first().map(Value::to_string),
        other => Some(other.to_string()),
    };
    let lists = [
        "0",
        "null",
        "\"\"",
        "[]",
        "{}",
        "[[[[]]]]",
        "{\"\":0}",
        "{\"code\":\"x\"}",
        "{\"code\":\"one-start\"}",
    ];
    let lists = lists.into_iter().map(str::to_string).chain(usual);
    let lists = lists.map(|one| format!("[{}]", vec![one.as_str(); TEXT / (one.len() + 1)].join(",")));
    let map = |value: &str| {
        let entries = (0..TEXT / (value.len() + 9)).map(|n| format!("\"{n}\":{value}"));
        format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
    };
    let deep = (0..TEXT / 201).map(|_| "[".repeat(100) + &"]".repeat(100));
    let deep = format!("[{}]", deep.collect::<Vec<_>>().join(","));
    let word = format!("\"{}\"", "a".repeat(TEXT));
    lists.chain([map("0"), map("{}"), map("\"\""), word, deep]).collect()
}

/// Peak of memory while all of it is read; whether anything was refused.
fn reading(path: &Path) -> (usize, bool) {
    let before = LIVE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let refused = match Run::open_small(path, ROOM as u64) {
        Err(_) => true,
        Ok(run) => run.excluded().iter().any(|block| block.damage.is_some()),
    };
    (MOST.load(Ordering::Relaxed) - before, refused)
}

#[test]
fn no_record_takes_more_than_its_room_however_it_was_made() {
    let root = tempfile::tempdir().unwrap();
    let path = record(root.path());
    let (usual, refused) = reading(&path);
    assert!(!refused && usual < ROOM, "{usual}");
    let files =
        ["plan.json", "environment.json", "status.json", "ceilings.json", "network.json", "slicing.json"];
    let (mut tried, mut kept_out, mut most) = (0, 0, 0);
    for file in files.into_iter().chain(["blocks/0001.jsonl"]) {
        let text = fs::read_to_string(path.join(file)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut places = if value.is_object() { vec!["/unknown".to_string()] } else { Vec::new() };
        places_in(&value, String::new(), &mut places);
        for place in places {
            let mut marked = value.clone();
            match place.as_str() {
                "/unknown" => marked["unknown"] = json!("@@"),
                place => *marked.pointer_mut(place).unwrap() = json!("@@"),
            }
            let marked = marked.to_string();
            for blown in blown_up(value.pointer(&place).unwrap_or(&Value::Null)) {
                fs::write(path.join(file), marked.replacen("\"@@\"", &blown, 1) + "\n").unwrap();
                let (took, refused) = reading(&path);
                assert!(took < MOST_BESIDE, "{file} {place}: {took} bytes for {}", &blown[..40]);
                (tried, kept_out, most) = (tried + 1, kept_out + u32::from(refused), most.max(took));
            }
        }
        fs::write(path.join(file), text).unwrap();
    }
    println!("{tried} records, {kept_out} refused, at most {most} bytes of {ROOM}");
    assert!(kept_out > 0 && kept_out < tried, "{kept_out} of {tried}");
}
