//! What a ceiling holds for, and for how long.

use super::*;
use crate::endpoint;
use crate::study::{LoadKind, LoadPoint, RequestOptions};

const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;

fn setting(connections: u32, keep_alive: KeepAlive) -> Setting {
    let kind = LoadKind::Closed { think_ns: Distribution::Constant(0) };
    let load = LoadPoint {
        label: "a".into(),
        connections,
        kind,
        keep_alive,
        streams: Vec::new(),
        open: Default::default(),
    };
    let terms = endpoint::Terms {
        discard_ns: 0,
        extent: Extent::DurationNs(1),
        drain_ns: 0,
        workers: 1,
        seed: 1,
        driver: Default::default(),
    };
    let urls = ["http://127.0.0.1:81/".to_string()];
    let plan = endpoint::load_plan(&urls, &RequestOptions::default(), &load, &terms).unwrap();
    Setting { plans: vec![plan], answer_bytes: 1024 }
}

fn machine() -> Environment {
    Environment { machine: "this one".into(), kernel: "6.1".into(), ..Environment::default() }
}

/// A ceiling in a cache, and where it lies.
fn kept(root: &Path) -> (PathBuf, Vec<String>) {
    let cache = Cache::at(&root.join("cache")).unwrap();
    let lines = setting(4, KeepAlive::On).lines(&machine(), &[0]);
    let path = path_of(&cache, &lines);
    let ceiling = Ceiling {
        format: FORMAT_VERSION,
        setting: lines.clone(),
        exchanges_per_s: Some(50_000.0),
        measured_unix_ns: 100 * DAY_NS,
        canary_ns: 400_000,
        ..Ceiling::default()
    };
    keep(&path, &ceiling).unwrap();
    (path, lines)
}

#[test]
fn a_ceiling_holds_for_a_week_and_for_the_machine_as_it_was() {
    let root = tempfile::tempdir().unwrap();
    let (path, lines) = kept(root.path());
    let found = |unix_ns, canary_ns| fresh(&path, &lines, unix_ns, canary_ns);
    let ceiling = found(107 * DAY_NS, 400_000).expect("seven days old");
    assert_eq!((ceiling.exchanges_per_s, ceiling.cached), (Some(50_000.0), true));
    assert!(found(107 * DAY_NS + 1, 400_000).is_none(), "too old");
    assert!(found(99 * DAY_NS, 400_000).is_none(), "from the future");
    assert!(found(101 * DAY_NS, 439_000).is_some() && found(101 * DAY_NS, 364_000).is_some());
    assert!(
        found(101 * DAY_NS, 445_000).is_none() && found(101 * DAY_NS, 360_000).is_none(),
        "another speed"
    );
}

#[test]
fn what_is_damaged_or_of_another_setting_is_measured_anew() {
    let root = tempfile::tempdir().unwrap();
    let (path, lines) = kept(root.path());
    assert!(fresh(&path, &lines[1..], 101 * DAY_NS, 400_000).is_none());
    fs::write(&path, "{").unwrap();
    assert!(fresh(&path, &lines, 101 * DAY_NS, 400_000).is_none());
    assert!(fresh(&root.path().join("none"), &lines, 101 * DAY_NS, 400_000).is_none());
}

#[test]
fn all_that_changes_a_ceiling_is_part_of_its_setting() {
    let base = setting(4, KeepAlive::On);
    let lines = base.lines(&machine(), &[0]);
    let mut others = vec![
        setting(5, KeepAlive::On).lines(&machine(), &[0]),
        setting(4, KeepAlive::Off).lines(&machine(), &[0]),
        base.lines(&machine(), &[1]),
        base.lines(&Environment { kernel: "6.2".into(), ..machine() }, &[0]),
        Setting { answer_bytes: 4096, plans: base.plans.clone() }.lines(&machine(), &[0]),
    ];
    let mut changed = setting(4, KeepAlive::On);
    changed.plans[0].workers = 2;
    others.push(changed.lines(&machine(), &[0]));
    changed.plans[0].workers = 1;
    assert_eq!(changed.lines(&machine(), &[0]), lines);
    changed.plans[0].cpus = vec![1];
    others.push(changed.lines(&machine(), &[0]));
    assert!(others.iter().all(|other| *other != lines));
}

#[test]
fn what_the_null_server_cannot_stand_for_is_refused_with_the_reason() {
    assert_eq!(setting(4, KeepAlive::On).refusal(), None);
    assert_eq!(setting(4, KeepAlive::Off).refusal(), None);
    assert!(setting(4, KeepAlive::Every(3)).refusal().unwrap().contains("after some exchanges"));
    let mut unix = setting(4, KeepAlive::On);
    unix.plans[0].targets[0].address = proofload_engine::Address::Unix("/run/app.sock".into());
    assert!(unix.refusal().unwrap().contains("Unix socket"));
}

#[test]
fn the_load_is_asked_without_pauses_and_without_checks() {
    let mut paced = setting(4, KeepAlive::On);
    paced.plans[0].profile = Profile::Closed { think_ns: Distribution::Constant(1_000_000) };
    paced.plans[0].mix[0].expect.bytes = Some(7);
    let plans = paced.against(SocketAddr::from(([127, 0, 0, 1], 9)));
    assert_eq!(
        (plans[0].profile.clone(), plans[0].connections),
        (Profile::Closed { think_ns: Distribution::Constant(0) }, 4)
    );
    assert_eq!(plans[0].mix[0].expect, Expect::default());
}
